"""Hex: positions, connections, evaluations, a solver, and proofs of wins.

>>> position = Position("3x3").play("b2").play("a1")
>>> print(position.text)
to-move: red
B . .
 . R .
  . . .
<BLANKLINE>
>>> position.connections("red", ("top", "bottom"))[0]
('top', 'bottom', 'full', ['b1', 'c1', 'a3', 'b3'])
>>> position.evaluate("resistance").ahead
'red'
>>> solver = Solver("3x3")
>>> solver.winner(position, "blue"), solver.winning_move(position, "blue")
('red', None)
>>> proof = solver.prove(position, "blue")
>>> proof.claim
'red wins on 3x3 with 2 stones, with blue to move'
>>> len(Certificate(proof.text)) == len(proof)
True
"""

from __future__ import annotations

from ._ludolog import Certificate, Evaluation, Position, Solver

__all__ = ["Certificate", "Evaluation", "Position", "Solver"]


def restore(text: str) -> Position:
    """The position that was pickled."""
    return Position(text=text)
