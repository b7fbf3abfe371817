"""Many states of a game at once, as numpy arrays with a lane a row."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._ludolog import Error, Lanes


class Step(NamedTuple):
    """What a step gives: the arrays of the states that it leads to."""

    observations: NDArray[np.uint8]
    masks: list[NDArray[np.bool_]]
    rewards: NDArray[np.int64]
    terminated: NDArray[np.bool_]
    turns: NDArray[np.int8]


class Planes(NamedTuple):
    """A grid among the facts, as planes: one for each thing that may stand on its cells."""

    board: str
    names: list[str]
    columns: list[str]
    rows: list[str]
    facts: NDArray[np.intp]

    def of(self, observations: Any) -> NDArray[np.uint8]:
        """Observations as planes: by lane, plane, row from below, and column."""
        given = np.asarray(observations, np.uint8)
        # Where no fact is, the number -1 takes the zero behind them.
        padded = np.concatenate([given, np.zeros((*given.shape[:-1], 1), np.uint8)], -1)
        planes: NDArray[np.uint8] = padded[..., self.facts]
        return planes


class Vector:
    """Lanes of a game. `facts` names the bits of observations: of facts of which always just one holds, the last may have none, as it holds
    where the others do not. A lane that is over stays so until it is reset, and its actions are -1; or it begins anew with the next
    step, whatever its actions. Any other lane whose actions are all `STAY` keeps its state.

    >>> game = vector("std:games/tic-tac-toe.kif", lanes=2)
    >>> game.reset().turns
    array([0, 0], dtype=int8)
    """

    STAY = -2

    def __init__(self, lanes: Lanes, count: int, resets: bool) -> None:
        self._lanes = lanes
        self.lanes = count
        self.resets = resets
        roles = lanes.roles
        self.roles = [name for name, _ in roles]
        self.actions = [moves for _, moves in roles]
        self.facts = lanes.facts
        #: Whether the game hides its states (GDL-II); the arrays show all of them.
        self.hides = lanes.hides

    def look(self) -> Step:
        """The arrays of the present states; rewards are the goals of the lanes that are over."""
        lanes, count = self._lanes, self.lanes
        masks = [
            np.frombuffer(lanes.masks(role), np.bool_).reshape(count, len(moves))
            for role, moves in enumerate(self.actions)
        ]
        return Step(
            np.frombuffer(lanes.observations(), np.uint8).reshape(count, len(self.facts)),
            masks,
            np.frombuffer(lanes.goals(), np.int64).reshape(count, len(self.roles)),
            np.frombuffer(lanes.terminal(), np.bool_),
            np.frombuffer(lanes.turns(), np.int8),
        )

    def mask(self) -> NDArray[np.bool_]:
        """The legal actions of the role that has the turn, a lane a row, as many as the role with the most has; none where the lane is
        over, or several roles move."""
        width = max(map(len, self.actions))
        return np.frombuffer(self._lanes.mask(), np.bool_).reshape(self.lanes, width)

    def step(self, actions: Any) -> Step:
        """Makes the actions: one a lane for the role that has the turn, or one a lane and role, -1 for a role without turn.

        Raises `Error` with the lane and the action if one is illegal; then nothing has changed.
        """
        self.act(actions)
        return self.look()

    def act(self, actions: Any) -> None:
        """As `step`, without the arrays."""
        given = np.asarray(actions)
        if not np.issubdtype(given.dtype, np.integer):
            raise Error(f"actions are integers, not {given.dtype}")
        if given.size and (given.min() < self.STAY or given.max() > np.iinfo(np.int32).max):
            raise Error("actions are -1, STAY or places in `actions`")
        if given.shape not in ((self.lanes,), (self.lanes, len(self.roles))):
            raise Error(f"actions have the shape ({self.lanes},) or ({self.lanes}, {len(self.roles)}), not {given.shape}")
        self._lanes.step(np.ascontiguousarray(given, np.int32).tobytes(), self.resets)

    def reset(self, lanes: Any = None) -> Step:
        """Puts the first state into some lanes, or into all."""
        self._lanes.restart(self._numbers(np.arange(self.lanes) if lanes is None else lanes))
        return self.look()

    def take(self, lanes: Any) -> Vector:
        """The states of some lanes as lanes of their own, in this order; a lane may be taken several times, as to try moves."""
        chosen = self._numbers(lanes)
        return self._with(self._lanes.take(chosen), len(chosen))

    def _numbers(self, lanes: Any) -> list[int]:
        chosen = np.atleast_1d(np.asarray(lanes))
        if chosen.size and not np.issubdtype(chosen.dtype, np.integer):
            raise Error(f"lanes are integers, not {chosen.dtype}")
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self.lanes):
            raise Error(f"lanes are from 0 to {self.lanes - 1}")
        if chosen.ndim > 1:
            raise Error(f"lanes are numbers in one row, not of the shape {chosen.shape}")
        numbers: list[int] = chosen.tolist()
        return numbers

    def planes(self) -> list[Planes]:
        """The grids that are recognized among the facts, as planes.

        >>> planes = vector("std:games/connect-four.kif").planes()[0]
        >>> planes.names, len(planes.columns), len(planes.rows)
        (['red', 'yellow'], 7, 6)
        """
        found = []
        for board, columns, rows, cells in self._lanes.boards():
            names = sorted({name for _, name, _, _ in cells})
            index = np.full((len(names), len(rows), len(columns)), -1, np.intp)
            for fact, name, column, row in cells:
                index[names.index(name), row, column] = fact
            found.append(Planes(board, names, columns, rows, index))
        return found

    def turn(self, lane: int) -> tuple[bool, int | None]:
        """Whether a lane is over, and the role that has the turn in it; `None` if several move."""
        return self._lanes.turn(self._lane(lane))

    def legal(self, lane: int, role: int) -> list[int]:
        """The legal actions of a role in a lane."""
        if not 0 <= role < len(self.roles):
            raise Error(f"there is no role {role}")
        return self._lanes.legal(self._lane(lane), role)

    def _lane(self, lane: int) -> int:
        if not 0 <= lane < self.lanes:
            raise Error(f"there is no lane {lane}")
        return lane

    def copy(self) -> Vector:
        """The same states, to be stepped apart."""
        return self._with(self._lanes.copy(), self.lanes)

    def _with(self, lanes: Lanes, count: int) -> Vector:
        """Other states of the same game."""
        other = object.__new__(Vector)
        other.__dict__ = {**self.__dict__, "_lanes": lanes, "lanes": count}
        return other

    def __copy__(self) -> Vector:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Vector:
        return self.copy()


def vector(
    path: str | PathLike[str] | None = None, *, text: str | None = None, lanes: int = 1, threads: int = 1, finished: str = "wait"
) -> Vector:
    """Lanes of the game of a rulesheet: a file, a `std:` name, or a text in KIF. Lanes that are over `wait` for `reset`, or `reset`
    with the next step."""
    if lanes < 0 or threads < 1:
        raise Error("there are at least 0 lanes and 1 thread")
    if finished not in ("wait", "reset"):
        raise Error(f'`finished` is "wait" or "reset", not {finished!r}')
    return Vector(Lanes(path, text, lanes, threads), lanes, finished == "reset")
