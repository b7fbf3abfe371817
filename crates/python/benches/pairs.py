"""Games of ours that are games of OpenSpiel, which others wrote, and the names of their moves.

Not among them, since their rules differ: checkers (a move of the corpus is up to three jumps, of OpenSpiel one; the corpus ends games after 102 steps
and counts pieces, OpenSpiel calls them drawn), breakthrough on five by five (OpenSpiel begins with one row of pawns, ours with two). In pentago
a move of OpenSpiel is two of ours, so that it stands apart.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from itertools import product
from typing import Any

import boards

CORPUS = pathlib.Path(os.environ.get("LUDOLOG_CORPUS", boards.RULES.parent / "../shared/gdl-corpus"))

#: The name of a move of OpenSpiel, or its number; several where a move of ours is several of theirs.
Move = tuple[Any, ...]


def letter(number: str | int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[int(number) - 1]


def number(cell: str) -> tuple[int, int]:
    """The column and row of a cell as `c4`."""
    return ord(cell[0]) - ord("a") + 1, int(cell[1:])


def havannah(side: int) -> Callable[[list[str]], Move]:
    # Ours has the long diagonal from top left to bottom right; OpenSpiel's columns are the same, its rows turned over.
    return lambda words: (f"{words[1][0]}{2 * side - number(words[1])[1]}",)


def y_cell(words: list[str]) -> Move:
    # Our rows grow from one cell; OpenSpiel's shrink to one, along another side of the triangle.
    column, row = number(words[1])
    return (f"{letter(column)}{row - column + 1}",)


def breakthrough(words: list[str]) -> Move:
    # Who begins steps up in ours, down in OpenSpiel's.
    return ("".join(letter(words[at]) + str(9 - int(words[at + 1])) for at in (1, 3)),)


def amazons(words: list[str]) -> Move:
    # A move is two actions of OpenSpiel, and a shot one; who begins stands on the other side.
    numbers = [int(word) for word in words[1:]]
    return tuple(8 * (8 - row) + column - 1 for column, row in zip(numbers[::2], numbers[1::2]))


#: Our rulesheet, or the text of it; OpenSpiel's game; the move of OpenSpiel for the words of ours.
PAIRS: list[tuple[str, str, Callable[[list[str]], Move]]] = [
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
    (boards.hexagons(7, "hex-reachability"), "hex(board_size=7)", lambda words: (f"{letter(words[1])}{words[2]}",)),
    ("std:games/hex-in-y-5x5.kif", "hex(board_size=5)", y_cell),
    ("std:games/havannah-3.kif", "havannah(board_size=3)", havannah(3)),
    ("std:games/havannah-4.kif", "havannah(board_size=4)", havannah(4)),
    ("std:games/y-5.kif", "y(board_size=5)", y_cell),
    (boards.breakthrough(8), "breakthrough", breakthrough),
    (
        boards.othello(),
        "othello",
        lambda words: (words[0],) if words == ["pass"] else (f"{letter(words[1])}{words[2]}",),
    ),
    (str(CORPUS / "games/amazons_8x8.kif"), "amazons(board_size=8)", amazons),
]

#: The turns of quadrants of pentago as OpenSpiel names them: quadrants are numbered from the top right one on against the clock.
TURNS = dict(
    zip(
        "tsuvwxyz",
        ["2 clockwise", "2 counterclockwise", "1 counterclockwise", "1 clockwise"]
        + ["4 counterclockwise", "4 clockwise", "3 counterclockwise", "3 clockwise"],
    )
)


def pentago_moves(name: str) -> tuple[str, ...]:
    """Our two moves for a move of OpenSpiel: a piece, and a turn of a quadrant."""
    column, row = ord(name[0]) - ord("a"), 6 - int(name[1])
    quadrant = [[3, 2], [4, 1]][column // 3][row // 3]
    return f"(place {quadrant} {column % 3 + 1} {row % 3 + 1})", f"(rotate {TURNS[name[2]]})"


def rulesheet(given: str) -> dict[str, str]:
    """The arguments of a rulesheet, for what takes `path` or `text`."""
    return {"path" if given.endswith(".kif") else "text": given}


def has_rules(given: str) -> bool:
    """Whether the rulesheet is here."""
    return not given.startswith(str(CORPUS)) or pathlib.Path(given).exists()


def pentago() -> str | None:
    """The rules of pentago, if they are here."""
    return boards.pentago(CORPUS) if (CORPUS / "games/pentago.kif").exists() else None


def words(move: str) -> list[str]:
    """The words of a move of ours."""
    return move.strip("()").split()


def legal_lines(state: Any, length: int) -> dict[Move, tuple[int, ...]]:
    """The legal actions of a state of OpenSpiel, and what they are called; of a move that is several, all rows of them."""
    lines: dict[Move, tuple[int, ...]] = {}
    player = state.current_player()
    for action in state.legal_actions():
        name = state.action_to_string(player, action).rstrip("*")
        rest: dict[Move, tuple[int, ...]] = {(): ()}
        if length > 1:
            after = state.clone()
            after.apply_action(action)
            rest = legal_lines(after, length - 1)
        for (names, actions), first in product(rest.items(), {name, action}):
            lines[(first, *names)] = (action, *actions)
    return lines
