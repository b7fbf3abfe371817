"""`connect_four.py` with a network of torch in place of tuples: the same games against itself, targets and search.

    python crates/python/examples/connect_four_torch.py [CPU-seconds to learn] [pairs of games to play]

Torch reads numpy's arrays without a copy (`torch.from_numpy`). Without torch the program says so and ends.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import connect_four
import numpy as np
from connect_four import COLUMNS, Agent, Features, Floats
from ludolog import Step, Vector

torch: Any = importlib.import_module("torch") if importlib.util.find_spec("torch") else None

#: Units of each of the two hidden layers, and the step size of the optimizer.
HIDDEN = 128
RATE = 1e-3


class NetworkAgent(Agent):
    """Values of positions by a network, whose inputs are the facts and the turn."""

    def __init__(self, game: Vector, seed: int = 1) -> None:
        super().__init__(game, seed)
        torch.manual_seed(seed)
        # The threads that learn are enough for two cores.
        torch.set_num_threads(1)
        first, second = torch.nn.Linear(len(game.facts) + 1, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN)
        last = torch.nn.Linear(HIDDEN, 1)
        self.network = torch.nn.Sequential(first, torch.nn.ReLU(), second, torch.nn.ReLU(), last, torch.nn.Tanh())
        self.optimizer = torch.optim.Adam(self.network.parameters(), RATE)
        # By input: the one that it is in the mirror image.
        self.image = np.arange(len(game.facts) + 1)
        for number, fact in enumerate(game.facts):
            name, *place = fact.strip("()").split()
            if name == "piece":
                column, row, player = place
                self.image[number] = game.facts.index(f"(piece {COLUMNS + 1 - int(column)} {row} {player})")

    def features(self, step: Step) -> Features:
        """By lane: the inputs."""
        return np.concatenate([step.observations, step.turns[:, None] == 1], 1).astype(np.float32)

    def predict(self, features: Features) -> Floats:
        """The values of positions."""
        with torch.no_grad():
            values: Floats = self.network(torch.from_numpy(features))[:, 0].numpy()
        return values

    def learn(self, features: Features, targets: Floats) -> None:
        """A step toward the targets, for positions and their mirror images."""
        both = torch.from_numpy(np.concatenate([features, features[:, self.image]]))
        wanted = torch.from_numpy(np.concatenate([targets, targets]))
        loss = torch.nn.functional.mse_loss(self.network(both)[:, 0], wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    if torch is None:
        print("torch is not installed: `pip install torch`, or take connect_four.py, which needs numpy alone")
    else:
        connect_four.main(NetworkAgent)
