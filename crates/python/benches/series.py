"""Matches of our players against OpenSpiel's tree search, whose playouts are in C++, at equal CPU time.

    python crates/python/benches/series.py [--player auto] [--pairs 5] [--play 1.0] [--start 40] [--openings 3] [--seed 1] [GAME …]

A pair is two matches from one opening of random moves, in which each side has each seat once. Times are CPU time: ours gets as much more
time by the clock as the machine is busy with other work, and OpenSpiel's bot searches by a number of simulations: as many as it makes in
the CPU time that ours took for its moves. All of it is measured in the same match. GAMEs are OpenSpiel's names; all where none are given. open_spiel is needed.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import time
from typing import Any

import ludolog
import numpy as np
import pyspiel
from pairs import PAIRS, has_rules, legal_lines, rulesheet, words

#: Simulations by which the bot is measured before its first move, and the share of old measurements in new ones.
FIRST = 200
KEPT = 0.7

#: The most by which the time of ours is stretched.
MOST = 20.0


@dataclasses.dataclass
class Clock:
    """CPU time of moves: what ours took, and what the bot makes of it."""

    ours: float
    rate: float = 0.0
    #: The CPU time that ours gets in a second.
    share: float = 1.0

    def note_ours(self, seconds: float) -> None:
        self.ours = KEPT * self.ours + (1 - KEPT) * seconds

    def note_share(self, seconds: float, clock: float) -> None:
        self.share = min(1.0, max(seconds / clock, 1 / MOST))

    def note_theirs(self, simulations: int, seconds: float) -> None:
        rate = simulations / max(seconds, 1e-6)
        self.rate = KEPT * self.rate + (1 - KEPT) * rate if self.rate else rate

    @property
    def simulations(self) -> int:
        return max(1, int(self.rate * self.ours)) if self.rate else FIRST

    def stretched(self, seconds: float) -> float:
        """The time by the clock in which ours has so much CPU time."""
        return seconds / self.share


class Both:
    """A match on our state and on OpenSpiel's, move by move."""

    def __init__(self, game: ludolog.Game, theirs: Any, translate: Any) -> None:
        self.ours = game.initial
        self.theirs = theirs.new_initial_state()
        self.game = game
        # Actions are numbered through all roles.
        self.texts = [text for of_role in game.actions for text in of_role]
        self.translate = translate

    def moves(self) -> dict[str, tuple[int, ...]]:
        """The legal moves of ours with those of OpenSpiel; none at the end."""
        is_over, role, legal = self.ours.choices()
        if is_over or role is None:
            return {}
        translated = {self.texts[number]: self.translate(words(self.texts[number])) for number in legal}
        lines = legal_lines(self.theirs, len(next(iter(translated.values()))))
        return {text: lines[move] for text, move in translated.items()}

    @property
    def role(self) -> int:
        return self.ours.choices()[1] or 0

    def make(self, text: str, line: tuple[int, ...]) -> None:
        _, _, legal = self.ours.choices()
        self.ours = self.ours.act(next(number for number in legal if self.texts[number] == text))
        for action in line:
            self.theirs.apply_action(action)


def search(theirs: Any, state: Any, clock: Clock, simulations: int, seed: int) -> int:
    """The action of OpenSpiel's tree search after so many simulations, whose rate is noted."""
    bot = pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, simulations, 1 << 12, True, seed, False)
    begun = time.process_time()
    action: int = bot.step(state)
    clock.note_theirs(simulations, time.process_time() - begun)
    return action


def bot_move(theirs: Any, state: Any, clock: Clock, seed: int, moves: dict[str, tuple[int, ...]]) -> str:
    """The move of OpenSpiel's tree search, of as many actions as ours has."""
    if not clock.rate:
        # What it makes in the time of a move is not known before it has searched.
        search(theirs, state.clone(), clock, FIRST, seed)
    line: tuple[int, ...] = ()
    state = state.clone()
    length = len(next(iter(moves.values())))
    for _ in range(length):
        action = search(theirs, state, clock, max(1, clock.simulations // length), seed)
        line += (action,)
        state.apply_action(action)
    return next(text for text, own in moves.items() if own == line)


def opening(both: Both, length: int, seed: int) -> bool:
    """Some random moves; whether the game goes on after them."""
    draw = np.random.default_rng(seed)
    for _ in range(length):
        moves = both.moves()
        if not moves:
            return False
        text = list(moves)[draw.integers(len(moves))]
        both.make(text, moves[text])
    return bool(both.moves())


def play(both: Both, ours: int, args: argparse.Namespace, seed: int) -> float:
    """Plays to the end; the goal of ours, from 0 to 1."""
    player = both.game.player(args.player, ours, seed=seed)
    clock = Clock(args.play)
    time_given = args.start + args.play
    while moves := both.moves():
        if both.role == ours:
            begun = (time.process_time(), time.monotonic())
            text, _ = player.choose(both.ours, clock.stretched(time_given))
            took, waited = time.process_time() - begun[0], time.monotonic() - begun[1]
            # Moves made at once say nothing about the machine.
            if waited > time_given / 2:
                clock.note_share(took, waited)
            # The first move has the time before the match besides, which is for learning.
            if time_given == args.play:
                clock.note_ours(took)
            time_given = args.play
        else:
            text = bot_move(both.theirs.get_game(), both.theirs, clock, seed, moves)
        both.make(text, moves[text])
    return (both.ours.goals[ours] or 0) / 100


def interval(scores: list[float]) -> tuple[float, float]:
    """The mean of pairs, and twice its standard error."""
    mean = sum(scores) / len(scores)
    if len(scores) < 2:
        return mean, 1.0
    variance = sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    return mean, 2 * math.sqrt(variance / len(scores))


def series(sheet: str, name: str, translate: Any, args: argparse.Namespace) -> list[float]:
    """The scores of all pairs."""
    game = ludolog.Game(**rulesheet(sheet))
    theirs = pyspiel.load_game(name)
    scores: list[float] = []
    seed = args.seed
    while len(scores) < args.pairs:
        seed += 1
        if not opening(Both(game, theirs, translate), args.openings, seed):
            continue
        score = 0.0
        for ours in (0, 1):
            both = Both(game, theirs, translate)
            opening(both, args.openings, seed)
            score += play(both, ours, args, seed) / 2
        scores.append(score)
        mean, error = interval(scores)
        print(f"{name}: pair {len(scores)} of {args.pairs}, {100 * mean:.1f} ± {100 * error:.1f}", file=sys.stderr)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--player", default="auto")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--play", type=float, default=1.0, help="CPU seconds of a move")
    parser.add_argument("--start", type=float, default=40.0, help="seconds of the first move, besides; it gets ready in a quarter of them")
    parser.add_argument("--openings", type=int, default=3, help="random moves at the beginning")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    known = [name for _, name, _ in PAIRS]
    if unknown := [name for name in args.games if name not in known]:
        parser.error(f"no such game: {', '.join(unknown)}; there are {', '.join(known)}")
    print(f"{'game':28} {'pairs':>5} {'score':>12}  of {args.player} against OpenSpiel's MCTS")
    for sheet, name, translate in PAIRS:
        if (args.games and name not in args.games) or not has_rules(sheet):
            continue
        scores = series(sheet, name, translate, args)
        mean, error = interval(scores)
        print(f"{name:28} {len(scores):5} {100 * mean:6.1f} ± {100 * error:.1f}", flush=True)


if __name__ == "__main__":
    main()
