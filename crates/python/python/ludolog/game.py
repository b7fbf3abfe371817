"""Games, their states, players and matches, and what best play is worth.

>>> game = Game("std:games/tic-tac-toe.kif")
>>> game.roles
['cross', 'nought']
>>> state = game.initial.play("(put 2 2)", "wait")
>>> state.goals, state.is_over, len(state.legal[1])
([50, 50], False, 8)

A match is between names of players, and functions that get a state and return a move:

>>> match = game.match(["legal", lambda state: state.legal[1][-1]])
>>> match.goals, len(match), match.moves[0]
([100, 0], 5, ['(put 1 1)', 'wait'])

All states of a game, with their values under best play:

>>> solution = game.solve()
>>> solution.value()
([50, 50], None)
>>> solution.value(match.states[2])
([100, 0], 5)
"""

from __future__ import annotations

from ._ludolog import Game, Match, Player, Solution, State

__all__ = ["Game", "Match", "Player", "Solution", "State"]


def restore(path: str | None, text: str | None) -> Game:
    """The game that was pickled: its rulesheet is read again."""
    return Game(path, text=text)


def restore_state(game: Game, facts: list[str]) -> State:
    """The state that was pickled."""
    return game.state(facts)
