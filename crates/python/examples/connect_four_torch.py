"""`connect_four.py` with a network of torch in place of tuples: the same games against itself, targets and search.

    python crates/python/examples/connect_four_torch.py [CPU-seconds to learn] [games to play]

Torch reads the arrays that lanes give without a copy (`torch.from_numpy`). Without torch the program says so and ends.
"""

from __future__ import annotations

import sys
from typing import Any

import connect_four
import ludolog
import numpy as np
from connect_four import CELLS, COLUMNS, ROWS, Agent, Floats, Places, contest, train
from ludolog import Step, Vector
from numpy.typing import NDArray

try:
    import torch
except ImportError:
    torch = None

#: Units of each of the two hidden layers, and the step of learning.
HIDDEN = 128
RATE = 1e-3


class NetworkAgent(Agent):
    """Values of positions by a network, whose inputs are the pieces of both players and the turn."""

    def __init__(self, game: Vector, seed: int = 1) -> None:
        super().__init__(game, seed)
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.size = 0
        layers = torch.nn.Linear(2 * CELLS + 1, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.Linear(HIDDEN, 1)
        first, second, last = layers
        self.network = torch.nn.Sequential(first, torch.nn.ReLU(), second, torch.nn.ReLU(), last, torch.nn.Tanh())
        self.optimizer = torch.optim.Adam(self.network.parameters(), RATE)

    def places(self, step: Step) -> Places:
        """By lane: the inputs."""
        pieces = step.observations[:, self.cells.ravel()]
        return np.concatenate([pieces, step.turns[:, None] == 1], 1).astype(np.int64)

    def after(self, places: Places, step: Step, rows: NDArray[np.intp], cells: NDArray[np.intp]) -> Places:
        """The inputs of positions a move later, in which a piece lies on another cell."""
        movers = step.turns[rows]
        found: Places = places[rows]
        found[np.arange(len(rows)), CELLS * movers + cells] = 1
        found[:, -1] = movers == 0
        return found

    def values(self, places: Places, step: Step, rows: NDArray[np.intp], cells: NDArray[np.intp], after: Step) -> Floats:
        """The values of positions a move later: the result where the game is over, else what was learned."""
        with torch.no_grad():
            values: Floats = self._network(self.after(places, step, rows, cells)).numpy()
        over = np.flatnonzero(after.terminated)
        values[over] = (after.rewards[over, 0] - 50) / 50
        return values

    def learn(self, places: Places, targets: Floats, scratch: Floats) -> None:
        """A step toward the targets, for positions and their mirror images."""
        pieces = places[:, :-1].reshape(-1, 2, COLUMNS, ROWS)[:, :, ::-1].reshape(len(places), -1)
        both = np.concatenate([places, np.concatenate([pieces, places[:, -1:]], 1)])
        wanted = torch.from_numpy(np.concatenate([targets, targets]).astype(np.float32))
        loss = torch.nn.functional.mse_loss(self._network(both), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def _network(self, places: Places) -> Any:
        return self.network(torch.from_numpy(places.astype(np.float32)))[:, 0]


def main() -> None:
    if torch is None:
        print("torch is not installed: `pip install torch`, or take connect_four.py, which needs numpy alone")
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    game = ludolog.vector(connect_four.GAME, lanes=1)
    agent = NetworkAgent(game)
    # One thread, since steps of the optimizer are not to be mixed.
    connect_four.THREADS = 1
    print(f"{train(agent, game, seconds)} games in {seconds:.0f} CPU-seconds", flush=True)
    print(contest(agent, game, count))


if __name__ == "__main__":
    main()
