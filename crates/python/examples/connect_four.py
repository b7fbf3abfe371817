"""An agent that learns connect four by playing against itself, with numpy alone, and then plays against Ludolog's tree search.

    python crates/python/examples/connect_four.py [CPU-seconds to learn] [games to play]

The value of a position is the hyperbolic tangent of a sum: one number for each tuple of cells and what stands on them (Lucas, *Learning to play
Othello with n-tuple systems*, 2008; Thill, Koch and Konen, *Reinforcement learning with n-tuples on the game Connect-4*, 2012). Tuples are the
lines of four and random walks over the board, each with its mirror image, which has the same numbers. They are learned by temporal differences,
TD(λ), each with a step of its own, which is small where what it learned was contradictory (Beal and Smith, *Temporal coherence and prediction
decay in TD learning*, 1999).

All positions come from the rules: a lane is taken once for each legal move, and all those moves are made. At play the agent looks ahead as far as its
time suffices, and follows but the best moves of each position.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from typing import Any, NamedTuple

import ludolog
import numpy as np
from ludolog import Step, Vector
from numpy.typing import NDArray

GAME = "std:games/connect-four.kif"
COLUMNS, ROWS = 7, 6
CELLS = COLUMNS * ROWS

#: Games at once on a thread, threads, the part of moves that are random, and the step of learning. Larger steps play better without a look
#: ahead, and worse with one.
LANES = 256
THREADS = 2
RANDOM = 0.1
RATE = 0.01

#: The share of what came later in what is learned of a position, against the best move's value; and what a value is worth a move later.
LAMBDA = 0.7
LATER = 0.99

#: Random walks, and the cells of each.
WALKS, LENGTH = 40, 8

#: Positions that the agent looks at for a move, the moves ahead of which it follows all, and the number that it follows then.
POSITIONS = 4_500
WHOLE = 2
FOLLOWED = 3

#: The CPU time of a move of either side, in seconds.
CLOCK = 0.02

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


def tuples(draw: np.random.Generator) -> list[list[list[int]]]:
    """Tuples of cells with their mirror images; cell (column, row) is number `ROWS * column + row`."""
    on_board = {(column, row) for column in range(COLUMNS) for row in range(ROWS)}
    found = []
    for column, row in sorted(on_board):
        for right, up in [(1, 0), (0, 1), (1, 1), (1, -1)]:
            line = [(column + right * step, row + up * step) for step in range(4)]
            # Of a line and its image one is enough.
            if on_board.issuperset(line) and sum(column for column, _ in line) <= 2 * (COLUMNS - 1):
                found.append(line)
    for _ in range(WALKS):
        column, row = int(draw.integers(COLUMNS)), int(draw.integers(ROWS))
        walk = {(column, row)}
        while len(walk) < LENGTH:
            column, row = column + int(draw.integers(-1, 2)), row + int(draw.integers(-1, 2))
            if (column, row) not in on_board:
                column, row = sorted(walk)[int(draw.integers(len(walk)))]
            walk.add((column, row))
        found.append(sorted(walk))
    images = []
    for line in found:
        cells = [ROWS * column + row for column, row in line]
        image = [ROWS * (COLUMNS - 1 - column) + row for column, row in line]
        images.append([cells] if cells == image else [cells, image])
    return images


class Level(NamedTuple):
    """Positions that a search has looked at: of each the number of the one before it, its value, and whether it is the last; and the
    numbers of those that were followed."""

    before: NDArray[np.intp]
    values: Floats
    over: NDArray[np.bool_]
    followed: NDArray[np.intp]
    #: Who moved, by position of the level before: 1 for red, -1 for yellow.
    signs: Floats


class Agent:
    """Values of positions, from -1 where yellow wins to 1 where red does."""

    def __init__(self, game: Vector, seed: int = 1) -> None:
        self.draw = np.random.default_rng(seed)
        # By cell and tuple: the number of the cell's place in it, as a power of three.
        found = tuples(self.draw)
        self.powers = np.zeros((CELLS, sum(map(len, found))), np.int64)
        starts = []
        size = 0
        for images in found:
            for cells in images:
                self.powers[cells, len(starts)] = 3 ** np.arange(len(cells))
                starts.append(size)
            size += 3 ** len(images[0])
        self.starts = np.array(starts)
        # For positions with either player to move: what was learned, the sum of all steps, and the sum of their sizes.
        self.size = size
        self.weights, self.steps, self.sizes = np.zeros((3, 2 * size), np.float32)
        self.cells = np.array(
            [
                [game.facts.index(f"(piece {column} {row} {player})") for column in range(1, 8) for row in range(1, 7)]
                for player in ("red", "yellow")
            ]
        )
        drops = [f"(drop {column})" for column in range(1, COLUMNS + 1)]
        self.columns = np.array([drops.index(name) if name in drops else 0 for name in game.actions[0]])
        # By cell: the tuples that it is in, filled up to the same number with others, in which it is worth nothing.
        most = int((self.powers > 0).sum(1).max())
        self.around = np.argsort(self.powers == 0, axis=1, kind="stable")[:, :most]
        # By player and cell: what a piece adds to the places of those tuples, and by player what the turn adds, which changes.
        near = np.take_along_axis(self.powers, self.around, 1)
        self.added = np.stack([near, 2 * near])
        self.turned = np.array([size, -size])

    def places(self, step: Step) -> Places:
        """By lane and tuple: the place of its weight."""
        red, yellow = (step.observations[:, cells].astype(np.int64) for cells in self.cells)
        return (red + 2 * yellow) @ self.powers + self.starts + (step.turns[:, None] == 1) * self.size

    def dropped(self, step: Step, rows: NDArray[np.intp], actions: NDArray[np.intp]) -> NDArray[np.intp]:
        """The cells on which the pieces of actions come to lie; of each the number of its position is given."""
        pieces = step.observations[:, self.cells.ravel()].reshape(-1, 2, COLUMNS, ROWS).sum((1, 3), np.intp)
        columns = self.columns[actions]
        cells: NDArray[np.intp] = ROWS * columns + pieces[rows, columns]
        return cells

    def after(self, places: Places, step: Step, rows: NDArray[np.intp], cells: NDArray[np.intp]) -> Places:
        """The places of positions a move later, in which a piece lies on another cell."""
        movers = step.turns[rows]
        found = places[rows] + self.turned[movers, None]
        found[np.arange(len(rows))[:, None], self.around[cells]] += self.added[movers, cells]
        return found

    def values(self, places: Places, step: Step, rows: NDArray[np.intp], cells: NDArray[np.intp], after: Step) -> Floats:
        """The values of positions a move later: the result where the game is over, else what was learned. Of tuples without the cell
        the sum is that of the position before."""
        whole = self.weights.take(places + self.turned[step.turns, None]).sum(1)
        movers = step.turns[rows]
        before = places[rows[:, None], self.around[cells]] + self.turned[movers, None]
        gained = self.weights.take(before + self.added[movers, cells]) - self.weights.take(before)
        values = np.tanh(whole[rows] + gained.sum(1))
        over = np.flatnonzero(after.terminated)
        values[over] = (after.rewards[over, 0] - 50) / 50
        return values

    def learn(self, places: Places, targets: Floats, scratch: Floats) -> None:
        """Moves the values of positions toward the targets: each weight by the mean of what its positions lack."""
        lacks = targets - np.tanh(self.weights.take(places).sum(1))
        sums, counts = scratch
        flat = places.ravel()
        np.add.at(sums, flat, np.repeat(lacks, places.shape[1]))
        np.add.at(counts, flat, np.float32(1))
        wanted = np.float32(RATE) * sums[flat] / counts[flat]
        sums[flat] = counts[flat] = 0
        steps, sizes = self.steps[flat], self.sizes[flat]
        coherence = np.where(sizes > 0, np.abs(steps) / np.maximum(sizes, 1e-12), 1)
        # Where a weight is there more than once, the same is written to it each time.
        self.weights[flat] += coherence * wanted
        self.steps[flat] = steps + wanted
        self.sizes[flat] = sizes + np.abs(wanted)

    def search(self, lanes: Vector, limit: int = POSITIONS) -> Floats:
        """The value of each legal move in a position, a single lane, after a look at so many positions."""
        step = lanes.look()
        places = self.places(step)
        levels: list[Level] = []
        looked_at = 0
        while looked_at < limit:
            rows, actions, after = moved(lanes, step)
            if not len(rows):
                break
            looked = after.look()
            cells = self.dropped(step, rows, actions)
            values = self.values(places, step, rows, cells, looked)
            looked_at += len(rows)
            signs = np.where(step.turns == 0, 1, -1).astype(np.float32)
            followed = np.arange(len(rows))
            if len(levels) >= WHOLE:
                followed = best(rows, signs[rows] * values, FOLLOWED)
            followed = followed[~looked.terminated[followed]]
            levels.append(Level(rows, values, looked.terminated, followed, signs))
            places = self.after(places, step, rows[followed], cells[followed])
            lanes, step = after.take(followed), picked(looked, followed)
        return backed_up(levels)

    def choose(self, lanes: Vector, limit: int = POSITIONS) -> int:
        """The best action in a position, a single lane."""
        step = lanes.look()
        turn = int(step.turns[0])
        actions = np.flatnonzero(step.masks[turn][0])
        values = self.search(lanes, limit) * (1 if turn == 0 else -1)
        return int(self.draw.choice(actions[values >= values.max() - 1e-6]))


def best(rows: NDArray[np.intp], keys: Floats, count: int) -> NDArray[np.intp]:
    """The places of the greatest keys of each row, as many as that at most; rows ascend."""
    order = np.lexsort((-keys, rows))
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(first, np.diff(first, append=len(rows)))
    return np.sort(order[rank < count])


def backed_up(levels: list[Level]) -> Floats:
    """The values of the first positions of a search: of one that was followed that of the best move."""
    later: Floats = np.zeros(0, np.float32)
    for number, level in reversed(list(enumerate(levels))):
        values = level.signs[level.before] * level.values
        if number + 1 < len(levels):
            values[~level.over] = -np.inf
            values[level.followed] = level.signs[level.before[level.followed]] * later
        if number == 0:
            return level.signs[level.before] * values
        first = np.flatnonzero(np.diff(level.before, prepend=-1))
        later = LATER * level.signs[level.before[first]] * np.maximum.reduceat(values, first)
    return later


def picked(step: Step, lanes: NDArray[np.intp]) -> Step:
    """What a step says of some lanes."""
    return Step(
        step.observations[lanes],
        [mask[lanes] for mask in step.masks],
        step.rewards[lanes],
        step.terminated[lanes],
        step.turns[lanes],
    )


def moved(lanes: Vector, step: Step) -> tuple[NDArray[np.intp], NDArray[np.intp], Vector]:
    """A lane for each legal move of each lane that is not over: the number of that one, the action, and the positions after the moves."""
    masks = np.where(step.turns[:, None] == 1, step.masks[1], step.masks[0])
    rows, actions = np.nonzero(masks & ~step.terminated[:, None])
    after = lanes.take(rows)
    after.act(actions)
    return rows, actions, after


class Learner:
    """Games that the agent plays against itself, in lanes; what was played of each waits until its end."""

    def __init__(self, agent: Agent, game: Vector, seed: int) -> None:
        self.agent = agent
        self.draw = np.random.default_rng(seed)
        self.lanes = game.take(np.zeros(LANES, int))
        self.step = self.lanes.reset()
        self.now = agent.places(self.step)
        self.games = 0
        # By lane and move: the places of the position, what the best move is worth, and whether that was made.
        self.moves = np.zeros(LANES, int)
        self.places = np.zeros((LANES, CELLS, self.now.shape[1]), np.int64)
        self.best = np.zeros((LANES, CELLS), np.float32)
        self.was_best = np.zeros((LANES, CELLS), np.bool_)
        self.scratch = np.zeros((2, 2 * agent.size), np.float32)

    def play(self) -> None:
        """Makes a move in each lane, and learns from the games that are over then."""
        agent, step = self.agent, self.step
        rows, actions, after = moved(self.lanes, step)
        looked = after.look()
        cells = agent.dropped(step, rows, actions)
        signs = np.where(step.turns == 0, 1, -1).astype(np.float32)
        values = signs[rows] * agent.values(self.now, step, rows, cells, looked)
        greedy = best(rows, values + self.draw.random(len(rows), np.float32) * np.float32(1e-4), 1)
        anything = best(rows, self.draw.random(len(rows), np.float32), 1)
        is_random = self.draw.random(LANES) < RANDOM
        chosen = np.where(is_random, anything, greedy)
        every = np.arange(LANES)
        self.places[every, self.moves] = self.now
        self.best[every, self.moves] = signs * values[greedy]
        self.was_best[every, self.moves] = chosen == greedy
        self.moves += 1
        self.lanes = after.take(chosen)
        self.step = picked(looked, chosen)
        self.now = agent.after(self.now, step, rows[chosen], cells[chosen])
        over = np.flatnonzero(self.step.terminated)
        if len(over):
            self.finish(over)

    def finish(self, over: NDArray[np.intp]) -> None:
        """Learns from games, and begins them anew."""
        games, moves = np.nonzero(np.arange(CELLS) < self.moves[over, None])
        targets = self.best[over].copy()
        later = targets[:, -1]
        for move in range(CELLS - 1, -1, -1):
            is_last = move >= self.moves[over] - 1
            # What came after another move than the best says nothing of the position.
            trusted = self.was_best[over, move] & ~is_last
            later = targets[:, move] = LATER * np.where(
                trusted, LAMBDA * later + (1 - LAMBDA) * targets[:, move], targets[:, move]
            )
        self.agent.learn(self.places[over[games], moves], targets[games, moves], self.scratch)
        self.games += len(over)
        self.moves[over] = 0
        self.step = self.lanes.reset(over)
        self.now[over] = self.agent.places(picked(self.step, over))


def train(agent: Agent, game: Vector, seconds: float, say: Any = print) -> int:
    """Lets the agent play against itself for so many CPU-seconds, on all threads together; the number of games."""
    learners = [Learner(agent, game, seed) for seed in range(THREADS)]
    end = time.process_time() + seconds

    def learn(learner: Learner) -> None:
        while time.process_time() < end:
            learner.play()

    threads = [threading.Thread(target=learn, args=(learner,), daemon=True) for learner in learners]
    for thread in threads:
        thread.start()
    told = 0
    while any(thread.is_alive() for thread in threads):
        threads[0].join(0.5)
        threads[-1].join(0.5)
        left = end - time.process_time()
        if say and (passed := int((seconds - left) / 60)) > told:
            told = passed
            say(f"{seconds - left:4.0f} CPU-seconds, {sum(learner.games for learner in learners)} games")
    return sum(learner.games for learner in learners)


class Clock:
    """So much CPU time a move, though a busy machine gives less than the clock says: the clock's time is as many times as much."""

    def __init__(self) -> None:
        self.scale = 1.0
        self.used: list[float] = []

    def choose(self, player: ludolog.Player, state: ludolog.State) -> str:
        """The move of a player."""
        begun, begun_clock = time.process_time(), time.monotonic()
        move = player.choose(state, CLOCK * self.scale)[0]
        used = time.process_time() - begun
        self.used.append(used)
        # A move that was found at once says nothing.
        if time.monotonic() - begun_clock > 0.5 * CLOCK * self.scale:
            self.scale = min(max(self.scale * (CLOCK / max(used, 1e-3)) ** 0.5, 1.0), 50.0)
        return move


def play(agent: Agent, game: Vector, opponent: str, role: int, clock: Clock, seed: int) -> tuple[int, list[float]]:
    """The goal of the agent in a game against a player of Ludolog's, and the CPU time of its moves."""
    rules = ludolog.Game(GAME)
    player = rules.player(opponent, 1 - role, seed=seed)
    used = []
    state = rules.initial
    lanes = game.take([0])
    lanes.reset()
    while not state.is_over:
        turn = lanes.turn(0)[1]
        assert turn is not None
        if turn == role:
            begun = time.process_time()
            action = agent.choose(lanes)
            used.append(time.process_time() - begun)
            name = lanes.actions[role][action]
        else:
            name = clock.choose(player, state)
            action = lanes.actions[turn].index(name)
        state = state.play(*[name if at == turn else "wait" for at in range(2)])
        lanes.act([action])
    return int(state.goals[role] or 0), used


def interval(goals: list[int]) -> tuple[float, float]:
    """The 95 % interval of the mean of goals."""
    mean = sum(goals) / len(goals)
    spread = math.sqrt(sum((goal - mean) ** 2 for goal in goals) / max(len(goals) - 1, 1) / len(goals))
    return mean - 1.96 * spread, mean + 1.96 * spread


def contest(agent: Agent, game: Vector, count: int) -> str:
    """Games against `mcts`, in turns from either side, in words."""
    clock = Clock()
    played = [play(agent, game, "mcts", number % 2, clock, number) for number in range(count)]
    goals = [goal for goal, _ in played]
    wins, draws = goals.count(100), goals.count(50)
    ours, theirs = (1000 * float(np.mean(used)) for used in (sum((used for _, used in played), []), clock.used))
    low, high = interval(goals)
    return (
        f"against mcts: {wins} wins, {draws} draws, {count - wins - draws} losses, score {np.mean(goals):.0f} ({low:.0f} to {high:.0f}); "
        f"CPU time of a move {ours:.0f} ms, of mcts {theirs:.0f} ms"
    )


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    game = ludolog.vector(GAME, lanes=1)
    agent = Agent(game)
    print(f"{train(agent, game, seconds)} games in {seconds:.0f} CPU-seconds", flush=True)
    print(contest(agent, game, count))


if __name__ == "__main__":
    main()
