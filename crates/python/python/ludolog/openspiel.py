"""Games in OpenSpiel (https://github.com/google-deepmind/open_spiel): importing this registers `ludolog`.

>>> import pyspiel
>>> import ludolog.openspiel
>>> game = pyspiel.load_game("ludolog(path=std:games/tic-tac-toe.kif)")
>>> state = game.new_initial_state()
>>> [state.action_to_string(action) for action in state.legal_actions()][:2]
['(put 1 1)', '(put 1 2)']

Roles that take turns are the players; games in which several move at once are refused. A goal g of 0 to 100 is the return (g - 50) / 50.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import pyspiel

from ._ludolog import Error
from .vector import Vector, vector

__all__ = ["LudologGame", "LudologState"]

#: Steps of a game at most, where OpenSpiel wants to know.
MAX_STEPS = 10_000

_TYPE = pyspiel.GameType(
    short_name="ludolog",
    long_name="A rulesheet of the Game Description Language",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=64,
    min_num_players=1,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"path": "std:games/tic-tac-toe.kif"},
)


@lru_cache
def _lanes(path: str) -> tuple[Vector, list[int]]:
    """The first state of a rulesheet, and the first action of each player among those of all.

    OpenSpiel keeps its half of a game longer than ours, so nothing of a game is kept in its object.
    """
    lanes = vector(path, lanes=1)
    lanes.reset()
    starts = [0, *accumulate(len(actions) for actions in lanes.actions)]
    return lanes, starts


class LudologGame(pyspiel.Game):
    """The game of a rulesheet; `path` is a file or a `std:` name."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        path = (params or {}).get("path", "std:games/tic-tac-toe.kif")
        lanes, starts = _lanes(path)
        information = pyspiel.GameInfo(
            num_distinct_actions=starts[-1],
            max_chance_outcomes=0,
            num_players=len(lanes.roles),
            min_utility=-1.0,
            max_utility=1.0,
            max_game_length=MAX_STEPS,
        )
        super().__init__(_TYPE, information, {"path": path})

    def new_initial_state(self) -> LudologState:
        """The first state."""
        path = self.get_parameters()["path"]
        return LudologState(self, path, _lanes(path)[0].copy())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The facts of the state as a tensor."""
        return _Observer(_lanes(self.get_parameters()["path"])[0])


class LudologState(pyspiel.State):
    """A state of a game."""

    def __init__(self, game: Any, path: str, lanes: Vector) -> None:
        super().__init__(game)
        self.path = path
        self.starts = _lanes(path)[1]
        self.lanes = lanes

    def current_player(self) -> int:
        """The player that has the turn."""
        over, turn = self.lanes.turn(0)
        if over:
            return int(pyspiel.PlayerId.TERMINAL)
        if turn is None:
            raise Error("several roles move at a time: OpenSpiel has the game as sequential")
        return turn

    def _legal_actions(self, player: int) -> list[int]:
        start = self.starts[player]
        return [start + action for action in self.lanes.legal(0, player)]

    def _apply_action(self, action: int) -> None:
        player = self.current_player()
        joint = [[-1] * len(self.lanes.roles)]
        joint[0][player] = action - self.starts[player]
        self.lanes.act(joint)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.lanes.actions[player][action - self.starts[player]]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.lanes.turn(0)[0]

    def returns(self) -> list[float]:
        """The goals, from -1 to 1; 0 before the end."""
        step = self.lanes.look()
        over = bool(step.terminated[0])
        return [(float(goal) - 50) / 50 if over else 0.0 for goal in step.rewards[0]]

    def facts(self) -> list[str]:
        """The facts of the state."""
        observed = self.lanes.look().observations[0]
        return [fact for fact, holds in zip(self.lanes.facts, observed) if holds]

    def __str__(self) -> str:
        return " ".join(self.facts())

    def __deepcopy__(self, memo: Any) -> LudologState:
        return self.clone()

    def clone(self) -> LudologState:
        """The same state, to be played apart."""
        return LudologState(self.get_game(), self.path, self.lanes.copy())


class _Observer:
    """Perfect information: what every player sees is the state."""

    def __init__(self, lanes: Vector) -> None:
        self.tensor = np.zeros(len(lanes.facts), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: LudologState, player: int) -> None:
        self.tensor[:] = state.lanes.look().observations[0]

    def string_from(self, state: LudologState, player: int) -> str:
        return str(state)


pyspiel.register_game(_TYPE, LudologGame)
