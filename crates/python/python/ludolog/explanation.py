"""Why, why not, and how: texts that print as the command does, and that a notebook shows as trees.

>>> from ludolog import Session
>>> session = Session(text="path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z). edge(a, b). edge(b, c).")
>>> why = session.why("path(a, c)")
>>> why.lines[1]
Line(level=1, pieces=[('plain', 'path(a, b)'), ('aside', '    text:1')])
>>> print(session.plan("path(a, X)").splitlines()[-1])
few facts: runs as written first, for 1000 probes at most
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

__all__ = ["Explanation", "Line", "Plan"]

#: The color and weight of each style.
STYLES = {
    "plain": "",
    "title": "font-weight:bold",
    "aside": "fill:#6d675b;color:#6d675b",
    "removed": "fill:#b3261e;color:#b3261e",
    "added": "fill:#1b6e2d;color:#1b6e2d",
}

#: Pixels of a character, of a line, and of a level of a tree.
CHARACTER, LINE, LEVEL = 8, 20, 24

#: Branches of a tree, and what lies left of them.
BRANCH = re.compile("^((?:│  |   )*)(├─ |└─ )?")


class Line(NamedTuple):
    """A line: its level in a tree, and its pieces, each with the name of its style."""

    level: int
    pieces: list[tuple[str, str]]


class Drawn(str):
    """A text that a notebook shows."""

    @property
    def lines(self) -> list[Line]:
        """The lines with their levels and styles."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        def piece(style: str, text: str) -> str:
            escaped = html.escape(text)
            return f'<span style="{STYLES[style]}">{escaped}</span>' if STYLES[style] else escaped

        shown = []
        for whole, line in zip(self.splitlines(), self.lines):
            start = whole[: len(whole) - sum(len(text) for _, text in line.pieces)]
            shown.append(start + "".join(piece(*of) for of in line.pieces))
        return "<pre>" + "\n".join(shown) + "</pre>"

    def _repr_svg_(self) -> str:
        parts = []
        above: dict[int, int] = {}
        width = 0
        for number, (level, pieces) in enumerate(self.lines):
            x, y = LEVEL * level + CHARACTER, LINE * (number + 1)
            if level:
                left, top = x - LEVEL + CHARACTER // 2, LINE * (above[level - 1] + 1) + LINE // 4
                parts.append(f'<path d="M{left} {top}V{y - LINE // 4}H{x - CHARACTER // 2}" fill="none" stroke="#8d8674"/>')
            above[level] = number
            spans = "".join(f'<tspan style="{STYLES[style]}">{html.escape(text)}</tspan>' for style, text in pieces)
            parts.append(f'<text x="{x}" y="{y}" xml:space="preserve">{spans}</text>')
            width = max(width, x + CHARACTER * (1 + sum(len(text) for _, text in pieces)))
        height = LINE * len(self.lines) + LINE // 2
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="ui-monospace, monospace" font-size="13" role="img"><title>{html.escape(self.heading)}</title>'
            f'<rect width="{width}" height="{height}" fill="#fdfbf6"/>{"".join(parts)}</svg>'
        )

    @property
    def heading(self) -> str:
        """The first line."""
        return (self.splitlines() or [""])[0].strip()


class Explanation(Drawn):
    """Why a fact holds, or does not: a tree."""

    @property
    def lines(self) -> list[Line]:
        """The lines with their levels and styles: what comes after four spaces is an aside."""
        found = []
        for line in self.splitlines():
            match = BRANCH.match(line)
            start = match.group(0) if match else ""
            text, gap, aside = line[len(start) :].partition("    ")
            found.append(Line(len(start) // 3, [("plain", text)] + [("aside", gap + aside)] * bool(gap)))
        return found


class Plan(Drawn):
    """How a program is run: the changes of each pass, then the order and the way in which bodies are joined."""

    pieces: list[tuple[str, str]]

    def __new__(cls, pieces: list[tuple[str, str]]) -> Plan:
        made = super().__new__(cls, "".join(text for _, text in pieces))
        made.pieces = pieces
        return made

    def __getnewargs__(self) -> tuple[list[tuple[str, str]]]:  # type: ignore[override]
        return (self.pieces,)

    @property
    def lines(self) -> list[Line]:
        """The lines with their styles."""
        found = [Line(0, [])]
        for style, text in self.pieces:
            for number, part in enumerate(text.split("\n")):
                if number:
                    found.append(Line(0, []))
                if part:
                    found[-1].pieces.append((style, part))
        return found[:-1] if not found[-1].pieces else found
