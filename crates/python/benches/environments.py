"""Steps of environments a CPU-second, on one thread: ours by lanes, with actions drawn by numpy from the masks and observations made; and ours
and OpenSpiel's one state at a time, through OpenSpiel's interface.

    python crates/python/benches/environments.py [seconds]

Needs open_spiel for the last two.
"""

from __future__ import annotations

import sys
import time

import ludolog
import numpy as np

GAMES = [
    ("std:games/tic-tac-toe.kif", "tic_tac_toe"),
    ("std:games/connect-four.kif", "connect_four"),
    ("std:games/hex-cluster-9x9.kif", "hex(board_size=9)"),
    ("std:games/breakthrough-5x5.kif", None),
]
LANES = 4096


def lanes(path: str, seconds: float) -> float:
    """Steps of all lanes a CPU-second; lanes that are over are reset in the same round."""
    game = ludolog.vector(path, lanes=LANES)
    draw = np.random.default_rng(1)
    step = game.reset()
    rows = np.arange(LANES)
    width = max(len(actions) for actions in game.actions)
    steps = 0
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        masks = np.zeros((LANES, width), np.bool_)
        for role, of_role in enumerate(step.masks):
            mine = step.turns == role
            masks[mine, : of_role.shape[1]] = of_role[mine]
        actions = (masks * draw.random(masks.shape, np.float32)).argmax(1)
        step = game.step(np.where(step.terminated, game.STAY, actions))
        steps += LANES
        if step.terminated.any():
            step = game.reset(rows[step.terminated])
    return steps / (time.process_time() - begun)


def states(game: object, seconds: float) -> float:
    """Steps of OpenSpiel's states a CPU-second."""
    draw = np.random.default_rng(1)
    steps = 0
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[draw.integers(len(legal))])
            steps += 1
    return steps / (time.process_time() - begun)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    try:
        import ludolog.openspiel  # noqa: F401
        import pyspiel
    except ImportError:
        pyspiel = None
    print(f"{'game':32}{'lanes':>12}{'one by one':>12}{'OpenSpiel':>12}   steps a CPU-second")
    for path, name in GAMES:
        figures = [lanes(path, seconds)]
        if pyspiel:
            figures.append(states(pyspiel.load_game(f"ludolog(path={path})"), seconds))
            figures.append(states(pyspiel.load_game(name), seconds) if name else float("nan"))
        print(f"{path:32}" + "".join(f"{figure:12,.0f}" for figure in figures))


if __name__ == "__main__":
    main()
