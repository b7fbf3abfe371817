"""Games in lockstep with OpenSpiel's, which others wrote: turns, legal moves, ends, returns.

`LUDOLOG_GAMES` is the number of random games of each, 20 by default. Not compared, since their rules differ: checkers (the corpus ends
games after 102 steps and counts pieces, OpenSpiel calls them drawn), pentago (the corpus looks for five in a row before a quadrant
is turned as well), breakthrough on five by five (OpenSpiel begins with one row of pawns, ours with two).
"""

import os
import pathlib
import sys
from itertools import product

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")
import ludolog.openspiel  # noqa: E402, F401  registers the game

sys.path.append(str(pathlib.Path(__file__).parents[1] / "benches"))
import boards  # noqa: E402

GAMES = int(os.environ.get("LUDOLOG_GAMES", "20"))
CORPUS = pathlib.Path(os.environ.get("LUDOLOG_CORPUS", boards.RULES.parent / "../shared/gdl-corpus"))


def letter(number):
    return "abcdefghijklmnopqrstuvwxyz"[int(number) - 1]


def number(cell):
    """The column and row of a cell as `c4`."""
    return ord(cell[0]) - ord("a") + 1, int(cell[1:])


def havannah(side):
    # Ours has the long diagonal from top left to bottom right; OpenSpiel's columns are the same, its rows turned over.
    return lambda words: (f"{words[1][0]}{2 * side - number(words[1])[1]}",)


def y_cell(words):
    # Our rows grow from one cell; OpenSpiel's shrink to one, along another side of the triangle.
    column, row = number(words[1])
    return (f"{letter(column)}{row - column + 1}",)


def breakthrough(words):
    # Who begins steps up in ours, down in OpenSpiel's.
    return ("".join(letter(words[at]) + str(9 - int(words[at + 1])) for at in (1, 3)),)


def amazons(words):
    # A move is two actions of OpenSpiel, and a shot one; who begins stands on the other side.
    numbers = [int(word) for word in words[1:]]
    return tuple(8 * (8 - row) + column - 1 for column, row in zip(numbers[::2], numbers[1::2]))


PAIRS = [
    ("std:games/tic-tac-toe.kif", "tic_tac_toe", lambda words: (3 * (int(words[1]) - 1) + int(words[2]) - 1,)),
    ("std:games/connect-four.kif", "connect_four", lambda words: (int(words[1]) - 1,)),
    (
        "std:games/nim-1-3-5.kif",
        "nim(pile_sizes=1;3;5,is_misere=false)",
        lambda words: (f"pile:{'abc'.index(words[2]) + 1}, take:{words[1]};",),
    ),
    (
        "std:games/in-a-row-4x5x3.kif",
        "mnk(m=4,n=5,k=3)",
        lambda words: (4 * (number(words[1])[1] - 1) + number(words[1])[0] - 1,),
    ),
    ("std:games/hex-3x3.kif", "hex(board_size=3)", lambda words: (f"{letter(words[1])}{words[2]}",)),
    ("hex-7x7.kif", "hex(board_size=7)", lambda words: (f"{letter(words[1])}{words[2]}",)),
    ("std:games/hex-in-y-5x5.kif", "hex(board_size=5)", y_cell),
    ("std:games/havannah-3.kif", "havannah(board_size=3)", havannah(3)),
    ("std:games/havannah-4.kif", "havannah(board_size=4)", havannah(4)),
    ("std:games/y-5.kif", "y(board_size=5)", y_cell),
    ("breakthrough-8x8.kif", "breakthrough", breakthrough),
    (
        "reversi-8x8.kif",
        "othello",
        lambda words: (words[0],) if words == ["pass"] else (f"{letter(words[1])}{words[2]}",),
    ),
    (CORPUS / "games/amazons_8x8.kif", "amazons(board_size=8)", amazons),
]


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    sheets = {"breakthrough-8x8": boards.breakthrough(8), "reversi-8x8": boards.othello(), "hex-7x7": boards.hexagons(7)}
    for name, text in sheets.items():
        (folder / f"{name}.kif").write_text(text)
    return folder


def legal_lines(state, length):
    """The legal actions of a state of OpenSpiel, and what they are called; of a move that is several, all rows of them."""
    lines = {}
    player = state.current_player()
    for action in state.legal_actions():
        name = state.action_to_string(player, action).rstrip("*")
        rest = {(): ()}
        if length > 1:
            after = state.clone()
            after.apply_action(action)
            rest = legal_lines(after, length - 1)
        for (names, actions), first in product(rest.items(), {name, action}):
            lines[(first, *names)] = (action, *actions)
    return lines


@pytest.mark.parametrize(("path", "name", "translate"), PAIRS, ids=[name for _, name, _ in PAIRS])
def test_games_are_those_of_openspiel(larger, path, name, translate):
    path = larger / path if not str(path).startswith("std:") else path
    if str(path).startswith(str(CORPUS)) and not path.exists():
        pytest.skip("there is no corpus")
    draw = np.random.default_rng(1)
    ours = pyspiel.load_game("ludolog", {"path": str(path)})
    theirs = pyspiel.load_game(name)
    for _ in range(GAMES):
        one = ours.new_initial_state()
        other = theirs.new_initial_state()
        while not other.is_terminal():
            assert not one.is_terminal() and one.current_player() == other.current_player(), str(other)
            texts = {action: one.action_to_string(action) for action in one.legal_actions()}
            legal = {translate(text.strip("()").split()): action for action, text in texts.items()}
            lines = legal_lines(other, len(next(iter(legal))))
            assert len(legal) == len(texts) == len(set(lines.values())) and legal.keys() <= lines.keys(), str(other)
            chosen = list(legal)[draw.integers(len(legal))]
            one.apply_action(legal[chosen])
            for action in lines[chosen]:
                other.apply_action(action)
        assert one.is_terminal() and one.returns() == other.returns(), str(other)
