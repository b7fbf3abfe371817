"""Games, their states, and players.

>>> game = Game("std:games/tic-tac-toe.kif")
>>> game.roles
['cross', 'nought']
>>> state = game.initial.play("(put 2 2)", "wait")
>>> state.goals, state.is_over, len(state.legal[1])
([50, 50], False, 8)
"""

from __future__ import annotations

from ._ludolog import Game, Player, State

__all__ = ["Game", "Player", "State"]


def restore(path: str | None, text: str | None) -> Game:
    """The game that was pickled: its rulesheet is read again."""
    return Game(path, text=text)


def restore_state(game: Game, facts: list[str]) -> State:
    """The state that was pickled."""
    return game.state(facts)
