"""Games as environments of Gymnasium (https://gymnasium.farama.org).

One role acts; the others move at random. Observations are the facts of the state as bits, named by `facts`; actions are places in
`actions`, of which `info["action_mask"]` tells the legal ones. The reward is the role's goal at the end, from 0 to 100. Of facts of which
always just one holds, the last may have no bit: it holds where the others do not. Games that hide their states (GDL-II) are refused, as
observations would show what is hidden; `ludolog.openspiel` has what a role has seen.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from os import PathLike
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as Base
from numpy.typing import NDArray

from ._ludolog import Error
from .vector import Vector, vector

__all__ = ["Env", "VectorEnv"]

#: Games that are begun at most until the role has a choice in one.
DRAWS = 1_000


def refuse_hidden(game: Vector) -> None:
    """Raises `Error` for a game whose states are hidden, all of which observations would show."""
    if game.hides:
        raise Error("the game hides its states (GDL-II), and observations would show them to all roles: use `ludolog.openspiel`, or `Game.view`")


def integer(given: Any) -> int | None:
    """What is given as an integer; `None` for all else, such as fractions, texts and truth values."""
    try:
        return None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        return None


def _seed(seed: Any) -> int:
    given = integer(seed)
    if given is None or given < 0:
        raise Error(f"a seed is an integer of at least 0, not {seed!r}")
    return given


def _drawn(masks: NDArray[np.bool_], draw: np.random.Generator) -> NDArray[np.int64]:
    """A legal move for each row, -1 where there is none."""
    keys = np.where(masks, draw.random(masks.shape), -1.0)
    return np.where(masks.any(1), keys.argmax(1), -1)


class VectorEnv(Base[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]):
    """Lanes of a game for one role.

    A lane that is over begins anew with the next step (`AutoresetMode.NEXT_STEP`, as Gymnasium does), within the same step
    (`SAME_STEP`), or when `reset(options={"reset_mask": …})` asks for it (`DISABLED`).
    """

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        num_envs: int = 1,
        role: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
    ) -> None:
        self.game: Vector = vector(path, text=text, lanes=num_envs, threads=threads)
        refuse_hidden(self.game)
        if not 0 <= role < len(self.game.roles):
            raise Error(f"there is no role {role}")
        self.num_envs = num_envs
        self.role = role
        self.facts = self.game.facts
        self.actions = self.game.actions[role]
        try:
            self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode)}
        except ValueError:
            modes = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise Error(f"`autoreset_mode` is one of {modes}, not {autoreset_mode!r}") from None
        self.single_observation_space = spaces.MultiBinary(len(self.facts))
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.MultiBinary((num_envs, len(self.facts)))
        self.action_space = spaces.MultiDiscrete([len(self.actions)] * num_envs)
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Puts the first state into all lanes, or into those of `options["reset_mask"]`: the first in which the role has a choice.

        A list of seeds, one a lane, seeds the one generator that draws the moves of all lanes.
        """
        if isinstance(seed, Iterable):
            self._seed_all(list(seed))
        else:
            super().reset(seed=None if seed is None else _seed(seed))
        chosen = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"])
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
                raise Error(f"`reset_mask` is {self.num_envs} booleans, not {chosen.dtype} of the shape {chosen.shape}")
        self._restart(np.flatnonzero(chosen))
        return self._observed()

    def _seed_all(self, seeds: list[int | None]) -> None:
        if len(seeds) != self.num_envs:
            raise Error(f"{len(seeds)} seeds for {self.num_envs} lanes")
        given = [_seed(seed) for seed in seeds if seed is not None]
        super().reset(seed=None)
        if len(given) == len(seeds):
            self._np_random = np.random.default_rng(given)
        elif given:
            raise Error("seeds are of all lanes or of none, as one generator draws for all")

    def step(self, actions: Any) -> Any:
        """Makes an action in each lane, and lets the other roles move until the role has a choice again.

        Observations, rewards, terminated, truncated (never), and a dictionary with `action_mask`.
        """
        given = np.asarray(actions)
        if not np.issubdtype(given.dtype, np.integer):
            raise Error(f"actions are integers, not {given.dtype}")
        if given.shape != (self.num_envs,):
            raise Error(f"actions have the shape ({self.num_envs},), not {given.shape}")
        mode = self.metadata["autoreset_mode"]
        ended = self._over.copy()
        # The game takes it for a lane that keeps its state.
        staying = np.flatnonzero(~ended & (given == Vector.STAY))
        if staying.size:
            raise Error(f"lane {staying[0]}: there is no action {Vector.STAY}")
        if mode is AutoresetMode.NEXT_STEP:
            # What was over begins anew, whatever the action.
            self._restart(np.flatnonzero(ended))
        self._move(given, ~ended)
        self._advance()
        step = self.game.look()
        self._over = step.terminated.copy()
        rewards = np.where(self._over & ~ended, step.rewards[:, self.role], 0)
        terminated = self._over.copy()
        info: dict[str, Any] = {}
        if mode is AutoresetMode.SAME_STEP and terminated.any():
            finals = np.empty(self.num_envs, object)
            for lane in np.flatnonzero(terminated):
                finals[lane] = step.observations[lane].copy()
            info = {"final_obs": finals, "_final_obs": terminated.copy()}
            self._restart(np.flatnonzero(terminated))
        observations, told = self._observed()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), told | info

    def _restart(self, lanes: NDArray[np.intp]) -> None:
        """Puts the first state into some lanes, again where the others have ended the game before the role had a choice."""
        for _ in range(DRAWS):
            if not lanes.size:
                break
            self.game.reset(lanes)
            self._advance()
            over = self.game.look().terminated
            self._over[lanes] = over[lanes]
            lanes = lanes[over[lanes]]
        if lanes.size:
            raise Error(f"the game ended {DRAWS} times before {self.game.roles[self.role]} had a choice")

    def _observed(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        step = self.game.look()
        masks = step.masks[self.role]
        return step.observations, {"action_mask": masks.astype(np.int8), "_action_mask": ~step.terminated}

    def _move(self, own: NDArray[Any], moving: NDArray[np.bool_]) -> None:
        """The actions of the role in some lanes, with moves drawn for the others."""
        joint = np.full((self.num_envs, len(self.game.roles)), Vector.STAY, np.int64)
        joint[moving] = self._drawn_moves()[moving]
        joint[moving, self.role] = own[moving]
        self.game.step(joint)

    def _advance(self) -> None:
        """Moves of the others, until the role has a choice or the lane is over."""
        while True:
            step = self.game.look()
            waiting = ~step.terminated & (step.turns >= 0) & (step.turns != self.role)
            if not waiting.any():
                return
            joint = np.full((self.num_envs, len(self.game.roles)), Vector.STAY, np.int64)
            joint[waiting] = self._drawn_moves()[waiting]
            self.game.step(joint)

    def _drawn_moves(self) -> NDArray[np.int64]:
        return np.stack([_drawn(masks, self.np_random) for masks in self.game.look().masks], 1)


class Env(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A game for one role. An illegal action raises `Error`, or with `illegal="draw"` a legal one is drawn in its place."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        role: int = 0,
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        if illegal not in ("raise", "draw"):
            raise Error(f'`illegal` is "raise" or "draw", not {illegal!r}')
        self.lanes = VectorEnv(path, text=text, role=role, autoreset_mode=AutoresetMode.DISABLED)
        self.facts = self.lanes.facts
        self.actions = self.lanes.actions
        self.observation_space = self.lanes.single_observation_space
        self.action_space = self.lanes.single_action_space
        self.illegal = illegal
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """The first state in which the role has a choice."""
        seed = None if seed is None else _seed(seed)
        super().reset(seed=seed)
        observations, info = self.lanes.reset(seed=seed)
        return self._of_lane(observations), {"action_mask": info["action_mask"][0]}

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Makes an action, and lets the others move until the role has a choice again."""
        mask = self.lanes.game.look().masks[self.lanes.role]
        given = integer(action)
        if self.illegal == "draw" and given is not None and not (0 <= given < mask.shape[1] and mask[0, given]):
            action = _drawn(mask, self.np_random)[0]
        observations, rewards, terminated, _, info = self.lanes.step(np.asarray([action]))
        told = {"action_mask": info["action_mask"][0]}
        return self._of_lane(observations), float(rewards[0]), bool(terminated[0]), False, told

    def render(self) -> Any:
        """The facts of the state that have bits, a line each."""
        observed = self.lanes.game.look().observations[0]
        return "\n".join(fact for fact, holds in zip(self.facts, observed) if holds)

    @staticmethod
    def _of_lane(observations: NDArray[np.uint8]) -> NDArray[np.int8]:
        return np.asarray(observations[0], np.int8)
