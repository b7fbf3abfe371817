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

In games that hide their states (GDL-II) a player knows a view, its moves and percepts; chance is nobody's seat:

>>> poker = Game("std:games/kuhn-poker.kif")
>>> poker.hides, poker.roles
(True, ['first', 'second', 'random'])
>>> match = poker.match([lambda view: view.legal[0], lambda view: view.legal[-1]])
>>> match.faults, match.end
([], 'terminal')
>>> dealt = poker.initial.percepts("wait", "wait", "(deal king jack)")
>>> dealt
[['(card king)'], ['(card jack)'], []]
>>> poker.view(0, ["wait"], [dealt[0]]).legal
['bet', 'check']
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from ._ludolog import Game, Match, Player, Solution, State, View

__all__ = ["Game", "Match", "Player", "Solution", "State", "View"]


#: Games that were pickled or restored, by the digests of their rules, as long as somebody has them.
_games: WeakValueDictionary[int, Game] = WeakValueDictionary()


def remember(game: Game) -> Game:
    """The game that stands for all with these rules in this process: its states that come back from others are of it."""
    return _games.setdefault(game.digest, game)


def restore(path: str | None, text: str | None, digest: int | None = None) -> Game:
    """The game that was pickled: the same if it is here, else its rulesheet is read again."""
    game = None if digest is None else _games.get(digest)
    return game or remember(Game(path, text=text))


def restore_state(game: Game, facts: list[str]) -> State:
    """The state that was pickled."""
    return game.state(facts)
