"""Games in OpenSpiel (https://github.com/google-deepmind/open_spiel): importing this registers `ludolog`.

>>> import pyspiel
>>> import ludolog.openspiel
>>> game = pyspiel.load_game("ludolog(path=std:games/tic-tac-toe.kif)")
>>> state = game.new_initial_state()
>>> [state.action_to_string(action) for action in state.legal_actions()][:2]
['(put 1 1)', '(put 1 2)']

Roles that take turns are the players; games in which several move at once are refused. A goal g of 0 to 100 is the return (g - 50) / 50. The
role `random` is chance, all of whose actions have the same probability. In games that hide their states (GDL-II) an information state is what a
role has done and seen:

>>> poker = pyspiel.load_game("ludolog(path=std:games/kuhn-poker.kif)")
>>> dealt = poker.new_initial_state()
>>> dealt.apply_action(dealt.legal_actions()[0])
>>> poker.num_players(), dealt.information_state_string(0)
(2, 'wait: (card jack)')
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from ._ludolog import Error, Game, State

__all__ = ["LudologGame", "LudologState"]

#: Steps of a game at most, where OpenSpiel wants to know.
MAX_STEPS = 10_000

_TERMINAL = int(pyspiel.PlayerId.TERMINAL)
_CHANCE = int(pyspiel.PlayerId.CHANCE)

#: What has a path to read a rulesheet from is registered; how much of it is hidden or random is known when it is read.
DEFAULT = "std:games/tic-tac-toe.kif"


def _type(hides: bool, has_chance: bool) -> Any:
    """What OpenSpiel wants to know of a game."""
    chance, information = pyspiel.GameType.ChanceMode, pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name="ludolog",
        long_name="A rulesheet of the Game Description Language",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if has_chance else chance.DETERMINISTIC,
        information=information.IMPERFECT_INFORMATION if hides else information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=64,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=not hides,
        parameter_specification={"path": DEFAULT},
    )


class _Rules(NamedTuple):
    """A game, the names of its actions, of one role after the other, the numbers of its facts, and the roles that are players."""

    game: Game
    actions: list[str]
    facts: dict[str, int]
    players: list[int]

    def __deepcopy__(self, memo: Any) -> _Rules:
        """The same: OpenSpiel copies states with all that they have."""
        return self


#: By path: when the files of its rules were changed, and the game that they had then.
_read: dict[str, tuple[list[tuple[int, int]], _Rules]] = {}


def _changed(files: list[str]) -> list[tuple[int, int]]:
    """When files were changed, and their sizes; those that come with Ludolog never change."""
    found = [os.stat(file) for file in files if os.path.exists(file)]
    return [(state.st_mtime_ns, state.st_size) for state in found]


def _rules(path: str) -> _Rules:
    """The game of a rulesheet, as it was when a game was loaded from it last.

    OpenSpiel keeps its half of a game longer than ours, so nothing of a game is kept in its object.
    """
    return _read[path][1] if path in _read else _load(path)


def _load(path: str) -> _Rules:
    """The game of a rulesheet, which is read again if a file of its rules has changed."""
    if path in _read:
        changed, rules = _read[path]
        if changed == _changed(rules.game.files):
            return rules
    game = Game(path)
    facts = {fact: number for number, fact in enumerate(game.fact_names)}
    players = [number for number, role in enumerate(game.roles) if role != "random"]
    rules = _Rules(game, list(chain(*game.actions)), facts, players)
    _read[path] = (_changed(game.files), rules)
    return rules


class LudologGame(pyspiel.Game):
    """The game of a rulesheet; `path` is a file or a `std:` name. A file that has changed is read again by the next game that is loaded."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        path = (params or {}).get("path", DEFAULT)
        if not path.startswith("std:"):
            # A relative path would lead elsewhere from another directory.
            path = os.path.abspath(path)
        game, actions, _, players = _load(path)
        has_chance = len(players) < len(game.roles)
        information = pyspiel.GameInfo(
            num_distinct_actions=len(actions),
            max_chance_outcomes=len(actions) if has_chance else 0,
            num_players=len(players),
            min_utility=-1.0,
            max_utility=1.0,
            max_game_length=MAX_STEPS,
        )
        super().__init__(_type(game.hides, has_chance), information, {"path": path})

    def new_initial_state(self) -> LudologState:
        """The first state."""
        rules = _rules(self.get_parameters()["path"])
        return LudologState(self, rules, rules.game.initial, [() for _ in rules.game.roles])

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The facts of the state as a tensor, or what a player knows of it as a text."""
        rules = _rules(self.get_parameters()["path"])
        return _Observer({} if rules.game.hides else rules.facts)


class LudologState(pyspiel.State):
    """A state of a game, and by role what it has done and seen where states are hidden."""

    def __init__(self, game: Any, rules: _Rules, state: State, known: list[tuple[str, ...]]) -> None:
        super().__init__(game)
        self.rules = rules
        self.known = known
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
        return self.rules.players.index(self.turn) if self.turn in self.rules.players else _CHANCE

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The actions of chance, with their probabilities."""
        return [(action, 1 / len(self.legal)) for action in self.legal]

    def _apply_action(self, action: int) -> None:
        if self.rules.game.hides and action in self.legal:
            moves = [moves[0] for moves in self.state.legal]
            moves[self.turn or 0] = self.rules.actions[action]
            seen = self.state.percepts(*moves)
            self.known = [(*old, f"{move}: {' '.join(of)}") for old, move, of in zip(self.known, moves, seen)]
        self._enter(self.state.act(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if not 0 <= action < len(self.rules.actions):
            raise Error(f"there is no action {action}: they are from 0 to {len(self.rules.actions) - 1}")
        return self.rules.actions[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.over

    def returns(self) -> list[float]:
        """The goals, from -1 to 1; 0 before the end."""
        goals = self.state.goals if self.over else []
        return [((goals[role] or 0) - 50) / 50 if self.over else 0.0 for role in self.rules.players]

    def facts(self) -> list[str]:
        """The facts of the state."""
        return self.state.facts

    def known_to(self, player: int) -> str:
        """What a player knows: the state, or what it has done and seen."""
        if not self.rules.game.hides:
            return str(self)
        return "; ".join(self.known[self.rules.players[player]])

    def __str__(self) -> str:
        return " ".join(self.facts())

    def __deepcopy__(self, memo: Any) -> LudologState:
        return self.clone()

    def clone(self) -> LudologState:
        """The same state, to be played apart."""
        return LudologState(self.get_game(), self.rules, self.state, self.known)


class _Observer:
    """What a player sees: the facts of the state that have bits, or where they are hidden a text alone. Of facts of which always just one holds,
    the last may have no bit."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self.tensor = np.zeros(len(numbers), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: LudologState, player: int) -> None:
        self.tensor[:] = 0
        self.tensor[[self.numbers[fact] for fact in state.facts() if fact in self.numbers]] = 1

    def string_from(self, state: LudologState, player: int) -> str:
        return state.known_to(player)


pyspiel.register_game(_type(hides=False, has_chance=False), LudologGame)
