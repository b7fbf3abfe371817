"""An agent that learns connect four by playing against itself, with numpy alone, and then plays against Ludolog's tree search.

    python crates/python/examples/connect_four.py [seconds to learn] [games to play]

The value of a position is the hyperbolic tangent of a sum: one number for each tuple of cells and what stands on them. Tuples are the lines of
four, and random walks over the board. They are learned by temporal differences from games of many lanes at once (Lucas, *Learning to
play Othello with n-tuple systems*, 2008; Thill, Koch and Konen, *Reinforcement learning with n-tuples on the game Connect-4*, 2012). Positions after a
move come from the rules: a lane is taken once for each legal move, and all those moves are made.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import ludolog
import numpy as np
from ludolog import Step, Vector
from numpy.typing import NDArray

GAME = "std:games/connect-four.kif"
COLUMNS, ROWS = 7, 6

#: Games at once, the part of moves that are random, the step of learning at first and at the end.
LANES = 256
RANDOM = 0.1
RATES = (0.006, 0.001)

#: Random walks, and the cells of each.
WALKS, CELLS = 70, 8

#: Moves that the agent looks ahead, and what a value is worth a move later.
DEPTH = 4
LATER = 0.99

Floats = NDArray[np.float32]


def tuples(draw: np.random.Generator) -> list[list[int]]:
    """The cells of each tuple; cell (column, row) is number `ROWS * column + row`."""
    on_board = {(column, row) for column in range(COLUMNS) for row in range(ROWS)}
    found = []
    for column, row in sorted(on_board):
        for right, up in [(1, 0), (0, 1), (1, 1), (1, -1)]:
            line = [(column + right * step, row + up * step) for step in range(4)]
            if on_board.issuperset(line):
                found.append(line)
    while len(found) < WALKS + 69:
        column, row = int(draw.integers(COLUMNS)), int(draw.integers(ROWS))
        walk = {(column, row)}
        while len(walk) < CELLS:
            column, row = column + int(draw.integers(-1, 2)), row + int(draw.integers(-1, 2))
            if (column, row) not in on_board:
                column, row = sorted(walk)[int(draw.integers(len(walk)))]
            walk.add((column, row))
        found.append(sorted(walk))
    return [[ROWS * column + row for column, row in cells] for cells in found]


class Agent:
    """Values of positions, from -1 where yellow wins to 1 where red does."""

    def __init__(self, game: Vector, seed: int = 1) -> None:
        self.draw = np.random.default_rng(seed)
        cells = tuples(self.draw)
        # A position is a row of cells, each 0, 1 or 2; times this matrix it is the number of what stands on each tuple.
        self.powers = np.zeros((COLUMNS * ROWS, len(cells)), np.float32)
        for number, of_tuple in enumerate(cells):
            self.powers[of_tuple, number] = 3.0 ** np.arange(len(of_tuple))
        sizes = [3 ** len(of_tuple) for of_tuple in cells]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        self.size = sum(sizes)
        # For positions with either player to move.
        self.weights, self.sums, self.counts = np.zeros((3, 2 * self.size), np.float32)
        self.red, self.yellow = (
            [game.facts.index(f"(piece {column} {row} {player})") for column in range(1, 8) for row in range(1, 7)]
            for player in ("red", "yellow")
        )

    def places(self, step: Step, mirrored: bool = False) -> NDArray[np.int32]:
        """By lane and tuple: the place of its weight."""
        cells = (step.observations[:, self.red] + 2 * step.observations[:, self.yellow]).astype(np.float32)
        if mirrored:
            cells = cells.reshape(-1, COLUMNS, ROWS)[:, ::-1].reshape(-1, COLUMNS * ROWS)
        return (cells @ self.powers).astype(np.int32) + self.starts + (step.turns[:, None] == 1) * np.int32(self.size)

    def values(self, step: Step, places: NDArray[np.int32] | None = None) -> Floats:
        """The value of each lane: the result where the game is over, else what was learned."""
        learned = np.tanh(self.weights[self.places(step) if places is None else places].sum(1))
        return np.where(step.terminated, (step.rewards[:, 0] - 50) / 50, learned).astype(np.float32)

    def learn(self, step: Step, targets: Floats, rate: float) -> None:
        """Moves the values of the lanes toward the targets: each weight by the mean of what its lanes lack."""
        places = self.places(step)
        lacks = targets - self.values(step, places)
        for places in (places, self.places(step, mirrored=True)):
            np.add.at(self.sums, places.ravel(), np.repeat(lacks, places.shape[1]))
            np.add.at(self.counts, places.ravel(), np.float32(1))
            # Where a weight is there more than once, the same is written to it each time.
            self.weights[places] += np.float32(rate / 2) * self.sums[places] / self.counts[places]
            self.sums[places] = self.counts[places] = 0

    def search(self, lanes: Vector, step: Step, depth: int) -> Floats:
        """The value of each lane after all moves up to a depth."""
        if depth == 0 or step.terminated.all():
            return self.values(step)
        rows, after = moved(lanes, step)
        later = LATER * self.search(after, after.look(), depth - 1)
        values = self.values(step)
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        best = np.where(
            step.turns[rows[first]] == 0, np.maximum.reduceat(later, first), np.minimum.reduceat(later, first)
        )
        values[rows[first]] = best
        return values

    def choose(self, lanes: Vector, depth: int = DEPTH) -> int:
        """The best action in a position, a single lane."""
        step = lanes.look()
        turn = int(step.turns[0])
        actions = np.flatnonzero(step.masks[turn][0])
        _, after = moved(lanes, step)
        values = self.search(after, after.look(), depth - 1) * (1 if turn == 0 else -1)
        return int(self.draw.choice(actions[values >= values.max() - 1e-6]))


def moved(lanes: Vector, step: Step) -> tuple[NDArray[np.intp], Vector]:
    """A lane for each legal move of each lane that is not over: the number of that one, and the positions after the moves."""
    masks = np.where(step.turns[:, None] == 1, step.masks[1], step.masks[0])
    rows, actions = np.nonzero(masks & ~step.terminated[:, None])
    after = lanes.take(rows)
    after.act(actions)
    return rows, after


def train(agent: Agent, game: Vector, seconds: float, say: Any = print) -> int:
    """Lets the agent play against itself; the number of games."""
    lanes = game.take(np.zeros(LANES, int))
    step = lanes.reset()
    begun = told = time.monotonic()
    games = 0
    while (passed := time.monotonic() - begun) < seconds:
        rows, after = moved(lanes, step)
        looked = after.look()
        values = agent.values(looked)
        # The best move of each lane, by a key that is best for who moves; a random one now and then.
        keys = np.where(step.turns[rows] == 0, values, -values) + agent.draw.random(len(rows), np.float32) * 1e-4
        is_random = agent.draw.random(LANES) < RANDOM
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        best = np.maximum.reduceat(keys, first)
        keys = np.where(is_random[rows], agent.draw.random(len(rows)), keys)
        order = np.lexsort((-keys, rows))
        chosen = order[first]
        # A position is worth what the best move leads to, whatever was played.
        targets = LATER * np.where(step.turns == 0, best, -best)
        agent.learn(step, targets.astype(np.float32), rate_at(passed / seconds))
        lanes = after.take(chosen)
        step = lanes.look()
        if step.terminated.any():
            games += int(step.terminated.sum())
            step = lanes.reset(np.flatnonzero(step.terminated))
        if say and time.monotonic() - told > 30:
            told = time.monotonic()
            say(f"{told - begun:4.0f} s, {games} games")
    return games


def rate_at(part: float) -> float:
    """The step of learning after a part of the time."""
    return float(RATES[0] * (RATES[1] / RATES[0]) ** part)


def play(agent: Agent, game: Vector, opponent: str, seconds: float, role: int, seed: int) -> int:
    """The goal of the agent in a game against a player of Ludolog's."""
    rules = ludolog.Game(GAME)
    player = rules.player(opponent, 1 - role, seed=seed)
    state = rules.initial
    lanes = game.take([0])
    lanes.reset()
    while not state.is_over:
        turn = lanes.turn(0)[1]
        assert turn is not None
        if turn == role:
            action = agent.choose(lanes)
            name = lanes.actions[role][action]
        else:
            name = player.choose(state, seconds)[0]
            action = lanes.actions[turn].index(name)
        state = state.play(*[name if at == turn else "wait" for at in range(2)])
        lanes.act([action])
    return int(state.goals[role] or 0)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 300.0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    game = ludolog.vector(GAME, lanes=1)
    agent = Agent(game)
    print(f"{train(agent, game, seconds)} games in {seconds:.0f} s")
    goals = [play(agent, game, "mcts", 0.02, number % 2, number) for number in range(count)]
    wins, draws = goals.count(100), goals.count(50)
    print(f"against mcts at 20 ms a move: {wins} wins, {draws} draws, {count - wins - draws} losses")


if __name__ == "__main__":
    main()
