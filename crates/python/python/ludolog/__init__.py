"""Rules of games and Datalog: queries, and any rulesheet as a vectorized environment."""

from ._ludolog import Error, Session
from .vector import Step, Vector, vector

__all__ = ["Error", "Session", "Step", "Vector", "vector"]
