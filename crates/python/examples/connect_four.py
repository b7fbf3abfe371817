"""An agent that learns connect four by playing against itself, with numpy alone, and then plays against Ludolog's tree search.

    python crates/python/examples/connect_four.py [CPU-seconds to learn] [pairs of games to play]

The value of a position is the hyperbolic tangent of a sum of weights: one for each tuple of cells and for what stands on them (Lucas, *Learning
to play Othello with n-tuple systems*, 2008). Tuples are the lines of four and random walks over the board, each with its mirror image, which has
the same weights. A cell is empty, red, yellow, or the next one on which a piece of its column comes to lie (Thill, Koch and Konen, *Reinforcement
learning with n-tuples on the game Connect-4*, 2012). Weights are learned by temporal differences, TD(λ), each with a step size of its own, which
is small if its changes contradicted each other (Beal and Smith, *Temporal coherence and prediction decay in TD learning*, 1999).

All positions come from the rules: a lane is taken once for each legal move, and all those moves are made. At play the agent looks ahead level by
level, as far as its time suffices, and follows the moves that lose least against the best ones beside them.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from typing import Any, NamedTuple

# The two threads below are enough for two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import ludolog
import numpy as np
from ludolog import Step, Vector
from numpy.typing import NDArray

GAME = "std:games/connect-four.kif"
COLUMNS, ROWS = 7, 6

#: Threads that learn, games at once on each, positions of a step of learning, and the part of moves that are random.
THREADS = 2
GAMES = 512
BATCH = 1000
RANDOM = 0.1

#: The size of a step; the share of the next position's target in what is learned of a position, against the best move's value; and what a value
#: is worth a move later.
RATE = 0.02
LAMBDA = 0.8
LATER = 0.99

#: Random walks, the cells of each, and what may be on a cell.
WALKS, LENGTH = 35, 8
RED, YELLOW, NEXT = 1, 2, 3
KINDS = 4

#: The CPU time of a move of either player in seconds, and the positions that the agent follows on each level.
CLOCK = 0.02
FOLLOWED = 300

#: Random moves at the beginning of games against `mcts`.
OPENING = 3

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]
#: By position: the places of its weights, or whatever else an agent makes of positions.
Features = NDArray[Any]


class Moves(NamedTuple):
    """All legal moves in some positions, by position."""

    #: The number of the position, by move, and of the first move, by position.
    rows: Numbers
    first: Numbers
    actions: Numbers
    #: The positions after the moves.
    lanes: Vector
    step: Step
    features: Features
    #: The value of each move for who makes it.
    values: Floats

    def after(self, chosen: Numbers) -> tuple[Vector, Step, Features]:
        """The positions after some of the moves."""
        step = self.step
        masks = [mask[chosen] for mask in step.masks]
        rest = step.rewards[chosen], step.terminated[chosen], step.turns[chosen]
        return self.lanes.take(chosen), Step(step.observations[chosen], masks, *rest), self.features[chosen]


def tuples(draw: np.random.Generator) -> list[list[tuple[int, int]]]:
    """Tuples of cells, each a column and a row."""
    on_board = {(column, row) for column in range(COLUMNS) for row in range(ROWS)}
    found = []
    for column, row in sorted(on_board):
        for right, up in [(1, 0), (0, 1), (1, 1), (1, -1)]:
            line = [(column + right * step, row + up * step) for step in range(4)]
            # Of a line and its image one is enough.
            if on_board.issuperset(line) and sum(column for column, _ in line) <= 2 * (COLUMNS - 1):
                found.append(line)
    for _ in range(WALKS):
        walk = {(int(draw.integers(COLUMNS)), int(draw.integers(ROWS)))}
        while len(walk) < LENGTH:
            column, row = sorted(walk)[int(draw.integers(len(walk)))]
            walk |= {(column + int(draw.integers(-1, 2)), row + int(draw.integers(-1, 2)))} & on_board
        found.append(sorted(walk))
    return found


class Agent:
    """Values of positions for the player who has the turn, from -1, lost, to 1, won."""

    def __init__(self, game: Vector, seed: int = 1) -> None:
        self.draw = np.random.default_rng(seed)
        self.lock = threading.Lock()
        # By tuple, column and row: the power of `KINDS` by which the cell counts in the place of a weight.
        powers: list[NDArray[np.float64]] = []
        starts = []
        self.size = 0
        for line in tuples(self.draw):
            image = [(COLUMNS - 1 - column, row) for column, row in line]
            for cells in [line] if set(line) == set(image) else [line, image]:
                power = np.zeros((COLUMNS, ROWS + 1))
                power[tuple(zip(*cells))] = KINDS ** np.arange(len(cells))
                powers.append(power)
                starts.append(self.size)
            self.size += KINDS ** len(line)
        power = np.array(powers)
        # Places are linear in the facts: the first cell of an empty column is the next one, and a piece makes the cell above that.
        self.start = (starts + NEXT * power[:, :, 0].sum(1)).astype(np.float32)
        self.added = np.zeros((len(game.facts), len(power)), np.float32)
        for column in range(COLUMNS):
            for row in range(ROWS):
                for player, kind in (("red", RED), ("yellow", YELLOW)):
                    fact = game.facts.index(f"(piece {column + 1} {row + 1} {player})")
                    self.added[fact] = (kind - NEXT) * power[:, column, row] + NEXT * power[:, column, row + 1]
        # Weights for either player to move: what was learned, the sum of all steps, and the sum of their sizes.
        self.weights, self.steps, self.sizes = np.zeros((3, 2 * self.size), np.float32)
        self.sums, self.counts = np.zeros((2, 2 * self.size), np.float32)
        self.last = np.zeros(2 * self.size, np.int32)

    def features(self, step: Step) -> Features:
        """By lane and tuple: the place of its weight. All numbers are below 2²⁴, so that floats are exact."""
        places = step.observations.astype(np.float32) @ self.added
        places += self.start + np.float32(self.size) * (step.turns[:, None] == 1)
        return places.astype(np.int32)

    def predict(self, features: Features) -> Floats:
        """The values of positions."""
        values: Floats = np.tanh(self.weights.take(features).sum(1))
        return values

    def learn(self, features: Features, targets: Floats) -> None:
        """Moves values toward targets: each weight by the mean of what its positions lack."""
        lacks = np.repeat(targets - self.predict(features), features.shape[1])
        places = features.ravel()
        np.add.at(self.sums, places, lacks)
        np.add.at(self.counts, places, np.float32(1))
        # Each place once: where it is written last.
        every = np.arange(len(places), dtype=np.int32)
        self.last[places] = every
        places = places[self.last[places] == every]
        wanted = np.float32(RATE) * self.sums[places] / self.counts[places]
        self.sums[places] = self.counts[places] = 0
        steps, sizes = self.steps[places], self.sizes[places]
        coherence = np.where(sizes > 0, np.abs(steps) / np.maximum(sizes, 1e-12), 1)
        self.weights[places] += coherence * wanted
        self.steps[places] = steps + wanted
        self.sizes[places] = sizes + np.abs(wanted)

    def moves(self, lanes: Vector, step: Step) -> Moves:
        """All legal moves in positions none of which is over. Moves that end the game are worth its result, others what was learned."""
        masks = np.where(step.turns[:, None] == 1, step.masks[1], step.masks[0])
        rows, actions = np.nonzero(masks)
        after = lanes.take(rows)
        looked = after.step(actions)
        features = self.features(looked)
        values = -self.predict(features)
        over = np.flatnonzero(looked.terminated)
        values[over] = (looked.rewards[over, step.turns[rows[over]]] - 50) / 50
        return Moves(rows, np.flatnonzero(np.diff(rows, prepend=-1)), actions, after, looked, features, values)

    def play(self, lanes: Vector, draw: np.random.Generator) -> None:
        """Plays a game against itself in each lane, and learns from them."""
        step = lanes.reset()
        features = self.features(step)
        games = np.arange(lanes.lanes)
        later = np.zeros(len(games), np.float32)
        played = []
        while len(games):
            moves = self.moves(lanes, step)
            # Equal values are told apart by chance.
            keys = moves.values + draw.random(len(moves.rows), np.float32) * np.float32(1e-4)
            best = np.flatnonzero(keys == np.maximum.reduceat(keys, moves.first)[moves.rows])
            best = best[np.flatnonzero(np.diff(moves.rows[best], prepend=-1))]
            count = np.diff(moves.first, append=len(moves.rows))
            chosen = np.where(draw.random(len(games)) < RANDOM, moves.first + draw.integers(count), best)
            # What comes after another move than the best says nothing of the position.
            played.append((games, features, moves.values[best], chosen == best))
            over = moves.step.terminated[chosen]
            later[games[over]] = moves.values[chosen[over]]
            games = games[~over]
            lanes, step, features = moves.after(chosen[~over])
        targets = []
        for games, _, values, was_best in reversed(played):
            later[games] = LATER * np.where(was_best, LAMBDA * later[games] + (1 - LAMBDA) * values, values)
            targets.append(later[games])
            later[games] *= -1
        self._learn_all(np.concatenate([features for _, features, _, _ in played]), np.concatenate(targets[::-1]), draw)

    def _learn_all(self, features: Features, targets: Floats, draw: np.random.Generator) -> None:
        """Learns in batches, a thread at a time."""
        for batch in np.array_split(draw.permutation(len(targets)), max(1, len(targets) // BATCH)):
            with self.lock:
                self.learn(features[batch], targets[batch])

    def search(self, lanes: Vector, seconds: float = CLOCK) -> Floats:
        """The value of each legal move in a position, a single lane, after a look ahead of so many CPU-seconds.

        Of a level those positions are followed of which the moves that lead to them lose least in all.
        """
        end = time.process_time() + seconds
        step = lanes.look()
        lost = np.zeros(1, np.float32)
        levels: list[tuple[Numbers, Floats, Numbers]] = []
        took = 0.0
        while len(lost) and (not levels or time.process_time() + took < end):
            begun = time.process_time()
            moves = self.moves(lanes, step)
            best = np.maximum.reduceat(moves.values, moves.first)
            lost = (lost + best)[moves.rows] - moves.values
            lost[moves.step.terminated] = np.inf
            followed = np.sort(np.argsort(lost)[:FOLLOWED])
            followed = followed[~moves.step.terminated[followed]]
            lost = lost[followed]
            levels.append((moves.first, moves.values, followed))
            lanes, step, _ = moves.after(followed)
            took = time.process_time() - begun
        later = np.zeros(0, np.float32)
        for first, values, followed in reversed(levels):
            # The last level's positions have none after them.
            values[followed[: len(later)]] = -later
            later = np.float32(LATER) * np.maximum.reduceat(values, first)
        return levels[0][1]

    def choose(self, lanes: Vector, seconds: float = CLOCK) -> int:
        """The best action in a position, a single lane."""
        step = lanes.look()
        actions = np.flatnonzero(step.masks[step.turns[0]][0])
        values = self.search(lanes, seconds)
        return int(self.draw.choice(actions[values >= values.max() - 1e-6]))


def train(agent: Agent, game: Vector, seconds: float, say: Any = print) -> int:
    """Lets the agent play against itself for so many CPU-seconds, on all threads together; the number of games."""
    begun = time.process_time()
    games = [0] * THREADS

    def learn(number: int) -> None:
        draw = np.random.default_rng(number)
        lanes = game.take(np.zeros(GAMES, int))
        while time.process_time() - begun < seconds:
            agent.play(lanes, draw)
            games[number] += GAMES

    threads = [threading.Thread(target=learn, args=(number,), daemon=True) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    told = 0
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(0.5)
        used = time.process_time() - begun
        if say and used > told + 60:
            told += 60
            say(f"{used:4.0f} CPU-seconds, {sum(games)} games", flush=True)
    return sum(games)


def play(agent: Agent, game: Vector, role: int, opening: list[int], seed: int) -> tuple[int, list[float], list[float]]:
    """The goal of the agent in a game against `mcts`, and the CPU time of the moves of both."""
    rules = ludolog.Game(GAME)
    opponent = rules.player("mcts", 1 - role, seed=seed)
    opponent.prepare(0.2, CLOCK, cpu=True)
    times: list[list[float]] = [[], []]
    state = rules.initial
    lanes = game.take([0])
    lanes.reset()
    for ply in range(COLUMNS * ROWS):
        turn = ply % 2
        names = lanes.actions[turn]
        begun = time.process_time()
        if ply < len(opening):
            action = opening[ply]
        elif turn == role:
            action = agent.choose(lanes)
        else:
            action = names.index(opponent.choose(state, CLOCK, cpu=True)[0])
        if ply >= len(opening):
            times[turn].append(time.process_time() - begun)
        state = state.play(*[names[action] if at == turn else "wait" for at in range(2)])
        lanes.act([action])
        if state.is_over:
            break
    return int(state.goals[role] or 0), times[role], times[1 - role]


def interval(scores: list[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of scores."""
    mean = sum(scores) / len(scores)
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / max(len(scores) - 1, 1) / len(scores))
    return mean - 1.96 * spread, mean + 1.96 * spread


def contest(agent: Agent, game: Vector, pairs: int, seed: int = 1) -> str:
    """Pairs of games against `mcts`, from random openings with either side in each seat, in words. The interval is that of pairs."""
    draw = np.random.default_rng(seed)
    drops = [game.actions[0].index(f"(drop {column})") for column in range(1, COLUMNS + 1)]
    goals: list[list[int]] = []
    ours, theirs = [], []
    for number in range(pairs):
        opening = [int(action) for action in draw.choice(drops, OPENING)]
        played = [play(agent, game, role, opening, number) for role in range(2)]
        goals.append([goal for goal, _, _ in played])
        for _, our, their in played:
            ours += our
            theirs += their
    every = sum(goals, [])
    wins, draws = every.count(100), every.count(50)
    low, high = interval([sum(pair) / 2 for pair in goals])
    return (
        f"against mcts: {wins} wins, {draws} draws, {len(every) - wins - draws} losses, score {np.mean(every):.0f} ({low:.0f} to {high:.0f}), "
        f"{np.mean(goals, 0)[0]:.0f} as red and {np.mean(goals, 0)[1]:.0f} as yellow; "
        f"CPU time of a move {1000 * np.mean(ours):.1f} ms, of mcts {1000 * np.mean(theirs):.1f} ms"
    )


def main(kind: type[Agent] = Agent) -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    game = ludolog.vector(GAME, lanes=1)
    agent = kind(game)
    print(f"{train(agent, game, seconds)} games in {seconds:.0f} CPU-seconds", flush=True)
    print(contest(agent, game, pairs))


if __name__ == "__main__":
    main()
