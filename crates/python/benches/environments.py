"""Environments of ours beside OpenSpiel's (C++) and pgx's (jax), in one run, all figures a CPU-second.

* rollouts: games at random from the first state, actions chosen by the library, in its own language (OpenSpiel's
  `RandomRolloutEvaluator`);
* lanes: steps of many games at once, actions drawn by numpy from the masks and observations made; of pgx, actions drawn by jax;
* states: steps of one game at a time through OpenSpiel's interface in Python, with actions drawn by numpy.

    python crates/python/benches/environments.py [--seconds 2] [--output PAGE.html] [GAME …]

open_spiel is needed; pgx and jax where they are to be compared. Reading and compiling are not counted. GAMEs are the names of the first
column; all where none are given. `--output` writes a page with the figures as bars. Amazons and chess are of the corpus of rulesheets, and are
left out where it is not beside the checkout.
"""

from __future__ import annotations

import argparse
import html
import math
import pathlib
import platform
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import ludolog
import ludolog.openspiel
import numpy as np
import pyspiel
from boards import breakthrough, hexagons, othello
from pairs import CORPUS, has_rules

LANES = 4096

#: Rollouts of OpenSpiel at once.
ROLLOUTS = 200

#: Our rulesheet, or its text; OpenSpiel's game; pgx's.
GAMES: list[tuple[str, str, str, str | None]] = [
    ("tic-tac-toe", "std:games/tic-tac-toe.kif", "tic_tac_toe", "tic_tac_toe"),
    ("connect four", "std:games/connect-four.kif", "connect_four", "connect_four"),
    ("breakthrough 8×8", breakthrough(8), "breakthrough", None),
    ("othello 8×8", othello(), "othello", "othello"),
    ("hex 9×9", hexagons(9, "hex-reachability"), "hex(board_size=9)", None),
    ("amazons 8×8", str(CORPUS / "games/amazons_8x8.kif"), "amazons(board_size=8)", None),
    ("chess", str(CORPUS / "games/chess_200.kif"), "chess", "chess"),
]

#: Ours and the other library, by kind of work, and the words above the bars.
KINDS = [
    ("rollouts", "OpenSpiel", "Random games from the first state, each library in its own language"),
    ("lanes", "pgx", "Steps of 4096 games at once, drawn by numpy or jax from the masks, with observations"),
    ("states", "OpenSpiel", "Steps of one game at a time through OpenSpiel's interface"),
]


class Measured(NamedTuple):
    """The figures of a game, a CPU-second, in the order of the columns; `None` where a library does not have it."""

    title: str
    figures: list[float | None]


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
    game.reset()

    def run() -> float:
        masks = game.mask()
        game.step((masks * draw.random(masks.shape, np.float32)).argmax(1))
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


def figure(value: float | None) -> str:
    """Three digits, with k or M."""
    if value is None:
        return "–"
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def measure(title: str, rules: str, name: str, pgx_name: str | None, seconds: float) -> Measured:
    """The figures of a game."""
    with tempfile.TemporaryDirectory() as folder:
        path = rules
        if not rules.endswith(".kif"):
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
                figures.append(rate(seconds, work()) if work else None)
            except (ImportError, ludolog.Error):
                # No library, or no net.
                figures.append(None)
        return Measured(title, figures)


#: Pixels of the plots: the space for names and for figures, the longest bar, and a bar.
NAMES, FIGURES, LONGEST, BAR = 130, 70, 480, 14

#: The colors of ours and theirs.
COLORS = ("#2f6f8f", "#c98b2b")


def plot(kind: int, measured: list[Measured]) -> str:
    """A pair of bars for each game, on a logarithmic scale."""
    ours_theirs = [(of.title, of.figures[2 * kind : 2 * kind + 2]) for of in measured]
    known = [value for _, pair in ours_theirs for value in pair if value]
    if not known:
        return ""
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    scale = LONGEST / max(high - low, 1)
    parts, y = [], 10
    for power in range(low, high + 1):
        x = NAMES + scale * (power - low)
        parts.append(f'<line x1="{x}" x2="{x}" y1="0" y2="{(2 * BAR + 12) * len(ours_theirs) + 4}" stroke="#ddd6c8"/>')
        label = figure(10.0**power)
        parts.append(f'<text x="{x}" y="{(2 * BAR + 12) * len(ours_theirs) + 18}" text-anchor="middle">{label}</text>')
    for title, pair in ours_theirs:
        parts.append(f'<text x="{NAMES - 8}" y="{y + BAR + 4}" text-anchor="end">{html.escape(title)}</text>')
        for value, color in zip(pair, COLORS):
            width = scale * (math.log10(value) - low) if value else 0
            parts.append(f'<rect x="{NAMES}" y="{y}" width="{max(width, 1):.0f}" height="{BAR - 2}" fill="{color}"/>')
            parts.append(f'<text x="{NAMES + width + 6:.0f}" y="{y + BAR - 4}">{figure(value)}</text>')
            y += BAR
        y += 12
    width = NAMES + LONGEST + FIGURES
    return f'<svg viewBox="0 0 {width} {y + 16}" width="{width}" role="img" font-size="12">{"".join(parts)}</svg>'


def page(measured: list[Measured], seconds: float) -> str:
    """The figures as a page."""
    sections = []
    for kind, (ours, theirs, told) in enumerate(KINDS):
        key = "".join(
            f'<span style="color:{color}">■</span> {html.escape(name)} ' for name, color in zip(("ludolog", theirs), COLORS)
        )
        sections.append(f"<h2>{ours}</h2><p>{html.escape(told)}. {key}</p>{plot(kind, measured)}")
    heads = [name for ours, theirs, _ in KINDS for name in (ours, theirs)]
    rows = "".join(
        f"<tr><th>{html.escape(of.title)}</th>" + "".join(f"<td>{figure(value)}</td>" for value in of.figures) + "</tr>"
        for of in measured
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Environments</title>
<style>body {{ font: 15px system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }}
svg {{ max-width: 100%; height: auto }} td {{ text-align: right; padding: 0 .8em }} th {{ text-align: left }}</style>
<h1>Environments, a CPU-second</h1>
<p>Each figure is of {seconds:g} CPU-seconds on {html.escape(platform.machine())}, on one thread; reading and compiling are not counted. Scales are
logarithmic.</p>
{"".join(sections)}
<h2>All figures</h2><table><tr><th>game</th>{"".join(f"<th>{name}</th>" for name in heads)}</tr>{rows}</table>
</html>
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description="Environments beside OpenSpiel's and pgx's.")
    arguments.add_argument("--seconds", type=float, default=2.0, help="CPU-seconds of each figure")
    arguments.add_argument("--output", type=pathlib.Path, help="a page to write")
    arguments.add_argument("games", nargs="*", metavar="GAME", help="names of games; all where none are given")
    given = arguments.parse_args()
    titles = [title for title, *_ in GAMES]
    if wrong := [name for name in given.games if name not in titles]:
        arguments.error(f"there is no game {wrong[0]!r}; there are {', '.join(titles)}")
    heads = ["game", *(name for ours, theirs, _ in KINDS for name in (ours, theirs))]
    print("| " + " | ".join(heads) + " |\n|" + " --- |" + " ---: |" * (len(heads) - 1))
    measured = []
    for title, rules, name, pgx_name in GAMES:
        if given.games and title not in given.games or not has_rules(rules):
            continue
        measured.append(measure(title, rules, name, pgx_name, given.seconds))
        print("| " + " | ".join([title, *map(figure, measured[-1].figures)]) + " |", flush=True)
        if given.output:
            given.output.write_text(page(measured, given.seconds), encoding="utf-8")


if __name__ == "__main__":
    main()
