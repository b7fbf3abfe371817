"""Environments of ours beside OpenSpiel's (C++) and pgx's (jax), in one run, all figures a CPU-second.

* rollouts: games at random from the first state, actions chosen by the library, in its own language (OpenSpiel's
  `RandomRolloutEvaluator`);
* lanes: steps of many games at once, actions drawn by numpy from the masks and observations made; of pgx, actions drawn by jax;
* states: steps of one game at a time through OpenSpiel's interface in Python, with actions drawn by numpy.

    python crates/python/benches/environments.py [seconds]

open_spiel is needed; pgx and jax where they are to be compared. Reading and compiling are not counted.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import ludolog
import ludolog.openspiel
import numpy as np
import pyspiel
from boards import breakthrough, othello

LANES = 4096

#: Rollouts of OpenSpiel at once.
ROLLOUTS = 200

#: Our rulesheet, or its text; OpenSpiel's game; pgx's.
GAMES: list[tuple[str, str, str, str | None]] = [
    ("tic-tac-toe", "std:games/tic-tac-toe.kif", "tic_tac_toe", "tic_tac_toe"),
    ("connect four", "std:games/connect-four.kif", "connect_four", "connect_four"),
    ("breakthrough 8×8", breakthrough(8), "breakthrough", None),
    ("othello 8×8", othello(), "othello", "othello"),
    ("hex 9×9", "std:games/hex-in-y-9x9.kif", "hex(board_size=9)", None),
]


def rate(seconds: float, work: Callable[[], float]) -> float:
    """What work does a CPU-second."""
    work()
    done = 0.0
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        done += work()
    return done / (time.process_time() - begun)


def our_rollouts(path: str) -> Callable[[], float]:
    state = ludolog.Game(path).initial
    return lambda: state.playouts(0.5)[0]


def their_rollouts(name: str) -> Callable[[], float]:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    # The one simulation of a search values the root: by so many rollouts, in C++.
    search = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1), 1.0, 1, 1, False, 1, False)

    def roll() -> float:
        search.step(state)
        return ROLLOUTS

    return roll


def our_lanes(path: str) -> Callable[[], float]:
    game = ludolog.vector(path, lanes=LANES, finished="reset")
    draw = np.random.default_rng(1)
    width = max(len(actions) for actions in game.actions)
    step = game.reset()

    def run() -> float:
        nonlocal step
        masks = np.zeros((LANES, width), np.bool_)
        for role, of_role in enumerate(step.masks):
            mine = step.turns == role
            masks[mine, : of_role.shape[1]] = of_role[mine]
        actions = (masks * draw.random(masks.shape, np.float32)).argmax(1)
        step = game.step(actions)
        return LANES

    return run


def pgx_lanes(name: str) -> Callable[[], float]:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    stepped = auto_reset(env.step, env.init)

    @jax.jit
    def act(state: Any, key: Any) -> Any:
        key, drawn = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(drawn, logits, axis=-1)
        keys = jax.random.split(key, LANES)
        return jax.vmap(stepped)(state, actions, keys), key

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, LANES))

    def run() -> float:
        nonlocal state, key
        state, key = act(state, key)
        state.observation.block_until_ready()
        return LANES

    return run


def states(name: str, **parameters: str) -> Callable[[], float]:
    game = pyspiel.load_game(name, parameters) if parameters else pyspiel.load_game(name)
    draw = np.random.default_rng(1)

    def run() -> float:
        steps = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[draw.integers(len(legal))])
            steps += 1
        return steps

    return run


def figure(value: float) -> str:
    """Two digits, with k or M."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    columns = ["game", "rollouts", "OpenSpiel", "lanes", "pgx", "states", "OpenSpiel"]
    print("| " + " | ".join(columns) + " |\n|" + " --- |" + " ---: |" * (len(columns) - 1))
    for title, rules, name, pgx_name in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            path = rules
            if not rules.startswith("std:"):
                path = str(pathlib.Path(folder) / "game.kif")
                pathlib.Path(path).write_text(rules)
            works: list[Callable[[], Callable[[], float]] | None] = [
                lambda: our_rollouts(path),
                lambda: their_rollouts(name),
                lambda: our_lanes(path),
                (lambda: pgx_lanes(pgx_name)) if pgx_name else None,
                lambda: states("ludolog", path=path),
                lambda: states(name),
            ]
            figures = []
            for work in works:
                try:
                    figures.append(figure(rate(seconds, work())) if work else "–")
                except ImportError:
                    figures.append("–")
            print("| " + " | ".join([title, *figures]) + " |", flush=True)


if __name__ == "__main__":
    main()
