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
from itertools import chain
from typing import Any

import numpy as np
import pyspiel

from ._ludolog import Error, Game, State

__all__ = ["LudologGame", "LudologState"]

#: Steps of a game at most, where OpenSpiel wants to know.
MAX_STEPS = 10_000

_TERMINAL = int(pyspiel.PlayerId.TERMINAL)

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
def _rules(path: str) -> tuple[Game, list[str], dict[str, int]]:
    """The game of a rulesheet, the names of its actions, of one player after the other, and the numbers of its facts.

    OpenSpiel keeps its half of a game longer than ours, so nothing of a game is kept in its object.
    """
    game = Game(path)
    return game, list(chain(*game.actions)), {fact: number for number, fact in enumerate(game.fact_names)}


class LudologGame(pyspiel.Game):
    """The game of a rulesheet; `path` is a file or a `std:` name."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        path = (params or {}).get("path", "std:games/tic-tac-toe.kif")
        game, actions, _ = _rules(path)
        information = pyspiel.GameInfo(
            num_distinct_actions=len(actions),
            max_chance_outcomes=0,
            num_players=len(game.roles),
            min_utility=-1.0,
            max_utility=1.0,
            max_game_length=MAX_STEPS,
        )
        super().__init__(_TYPE, information, {"path": path})

    def new_initial_state(self) -> LudologState:
        """The first state."""
        path = self.get_parameters()["path"]
        game, actions, _ = _rules(path)
        return LudologState(self, game.initial, actions)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The facts of the state as a tensor."""
        return _Observer(_rules(self.get_parameters()["path"])[2])


class LudologState(pyspiel.State):
    """A state of a game."""

    def __init__(self, game: Any, state: State, actions: list[str]) -> None:
        super().__init__(game)
        self.actions = actions
        self._enter(state)

    def _enter(self, state: State) -> None:
        self.state = state
        self.over, self.turn, self.legal = state.choices()

    def current_player(self) -> int:
        """The player that has the turn."""
        if self.over:
            return _TERMINAL
        if self.turn is None:
            raise Error("several roles move at a time: OpenSpiel has the game as sequential")
        return self.turn

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal if player == self.turn else []

    def _apply_action(self, action: int) -> None:
        self._enter(self.state.act(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.actions[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.over

    def returns(self) -> list[float]:
        """The goals, from -1 to 1; 0 before the end."""
        return [((goal or 0) - 50) / 50 if self.over else 0.0 for goal in self.state.goals]

    def facts(self) -> list[str]:
        """The facts of the state."""
        return self.state.facts

    def __str__(self) -> str:
        return " ".join(self.facts())

    def __deepcopy__(self, memo: Any) -> LudologState:
        return self.clone()

    def clone(self) -> LudologState:
        """The same state, to be played apart."""
        return LudologState(self.get_game(), self.state, self.actions)


class _Observer:
    """Perfect information: what every player sees is the state."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self.tensor = np.zeros(len(numbers), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: LudologState, player: int) -> None:
        self.tensor[:] = 0
        self.tensor[[self.numbers[fact] for fact in state.facts() if fact in self.numbers]] = 1

    def string_from(self, state: LudologState, player: int) -> str:
        return str(state)


pyspiel.register_game(_TYPE, LudologGame)
