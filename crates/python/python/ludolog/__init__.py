"""Rules of games and Datalog: queries, games, and any rulesheet as a vectorized environment.

`ludolog.gymnasium`, `ludolog.pettingzoo` and `ludolog.openspiel` have games as environments of those libraries; `ludolog.hex` has Hex.
"""

from . import hex
from ._ludolog import Error
from .explanation import Explanation, Plan
from .game import Game, Match, Player, Solution, State, View
from .session import Answers, AnswerWarning, Session
from .vector import Step, Vector, vector

__all__ = [
    "AnswerWarning",
    "Answers",
    "Error",
    "Explanation",
    "Game",
    "Match",
    "Plan",
    "Player",
    "Session",
    "Solution",
    "State",
    "Step",
    "Vector",
    "View",
    "hex",
    "vector",
]
