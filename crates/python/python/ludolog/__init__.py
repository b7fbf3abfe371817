"""Rules of games and Datalog: queries, games, and any rulesheet as a vectorized environment.

`ludolog.gymnasium`, `ludolog.pettingzoo` and `ludolog.openspiel` have them as environments of those libraries.
"""

from ._ludolog import Error
from .game import Game, Player, State
from .session import Answers, Explanation, Session
from .vector import Step, Vector, vector

__all__ = ["Answers", "Error", "Explanation", "Game", "Player", "Session", "State", "Step", "Vector", "vector"]
