"""Rulesheets of ours on the boards of other libraries, which have no smaller ones: the same rules with other numbers."""

from __future__ import annotations

import pathlib

RULES = pathlib.Path(__file__).parents[3] / "rules"


def breakthrough(side: int) -> str:
    """Breakthrough on a square board."""
    text = (RULES / "games/breakthrough-5x5.kif").read_text()
    replaced = [("white 5", f"white {side}"), ("?c 4)", f"?c {side - 1})"), ("black ?c 5)", f"black ?c {side})")]
    for old, new in replaced:
        if old not in text:
            raise ValueError(f"the rules of breakthrough have no {old!r}")
        text = text.replace(old, new)
    return text + "".join(f"(after {number} {number + 1}) " for number in range(5, side))


def othello() -> str:
    """Reversi on eight by eight."""
    count = " ".join(f"(one-more {number} {number + 1})" for number in range(36, 64))
    return f"{(RULES / 'lib/reversi.kif').read_text()} (side 8) (half 8 4) (after 6 7) (after 7 8) {count}"


def hexagons(side: int, wording: str) -> str:
    """Hex on a square board, whose win is worded as this file of the library of rules does."""
    lib = "".join((RULES / f"lib/{name}.kif").read_text() for name in ("hex", wording))
    return f"{lib} (columns {side}) (rows {side})"


def pentago(corpus: pathlib.Path) -> str:
    """Pentago of the corpus of rulesheets, in which no row counts before a quadrant is turned, and without its mistake: who is black has
    two goals where black alone has a row."""
    text = (corpus / "games/pentago.kif").read_text()
    mistake = "(<= (goal black 0)\n    (not (line red))\n    (not (line red))"
    replaced = [(mistake, "(<= (goal black 0)\n    (not (line red))\n    (not (line black))")]
    for end in ("(line red))", "(line black))", "(not boardOpen))"):
        replaced.append((f"(<= terminal\n    {end}", f"(<= terminal (true (placeControl ?player))\n    {end}"))
    for old, new in replaced:
        if old not in text:
            raise ValueError(f"the rules of pentago have no {old!r}")
        text = text.replace(old, new)
    return text
