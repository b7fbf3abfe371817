"""Matches of our players against OpenSpiel's tree search, whose playouts are in C++, at equal CPU time.

    python crates/python/benches/series.py [--player auto] [--pairs 5] [--play 1.0] [--start 40] [--openings 3] [--seed 1] [GAME …]

A pair is two matches from one opening of random moves, in which each side has each seat once. Our players get ready before the
first match, in `--start` seconds each, and keep what they have learned. Times are CPU time: OpenSpiel's bot searches by a number of
simulations, as many as it makes in the CPU time that ours took for its moves, by a trial in the same state that does not count. GAMEs are OpenSpiel's names; all where none are given. open_spiel is needed.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import ludolog
import numpy as np
import pyspiel
from pairs import PAIRS, has_rules, legal_lines, pentago, pentago_moves, rulesheet, words

#: The share of old turns in the time of a turn of ours.
KEPT = 0.7

#: Simulations of the first trial of the bot in a state, the factor of each further one, and the most.
FIRST = 200
GROWTH = 2
MOST = 1 << 20

#: The share of a search that a trial takes at least.
TRIAL = 1 / 4

#: Our moves and OpenSpiel's actions of a turn.
Turn = tuple[tuple[str, ...], tuple[int, ...]]


@dataclasses.dataclass
class Clock:
    """CPU time of turns: what ours took, and what the bot makes of it."""

    ours: float
    #: The CPU time and the turns of ours, and of the bot, so far.
    used: list[float] = dataclasses.field(default_factory=lambda: [0.0, 0.0])
    turns: list[int] = dataclasses.field(default_factory=lambda: [0, 0])

    def note_ours(self, seconds: float) -> None:
        self.ours = KEPT * self.ours + (1 - KEPT) * seconds
        self.used[0] += seconds
        self.turns[0] += 1

    def note_theirs(self, seconds: float) -> None:
        self.used[1] += seconds
        self.turns[1] += 1


@dataclasses.dataclass
class Played:
    """A game that both have."""

    name: str
    game: ludolog.Game
    theirs: Any
    #: The turns of a state of OpenSpiel, of those that begin with these legal moves of ours.
    turns: Callable[[Any, list[str]], list[Turn]]


def turns_by_words(translate: Any) -> Callable[[Any, list[str]], list[Turn]]:
    """Turns that are one move of ours."""

    def turns(state: Any, texts: list[str]) -> list[Turn]:
        translated = {text: translate(words(text)) for text in texts}
        lines = legal_lines(state, len(next(iter(translated.values()))))
        return [((text,), lines[move]) for text, move in translated.items()]

    return turns


def turns_of_pentago(state: Any, _: list[str]) -> list[Turn]:
    """Turns that are two moves of ours and one of OpenSpiel's."""
    return [(pentago_moves(state.action_to_string(action)), (action,)) for action in state.legal_actions()]


class Both:
    """A match on our state and on OpenSpiel's, move by move."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.ours = played.game.initial
        self.theirs = played.theirs.new_initial_state()
        # Actions are numbered through all roles.
        self.texts = [text for of_role in played.game.actions for text in of_role]

    def turns(self) -> list[Turn]:
        """The legal turns; none at the end."""
        is_over, role, legal = self.ours.choices()
        if is_over or role is None:
            return []
        return self.played.turns(self.theirs, [self.texts[number] for number in legal])

    @property
    def role(self) -> int:
        return self.ours.choices()[1] or 0

    def make(self, text: str) -> None:
        """Makes a move of ours on our state."""
        _, _, legal = self.ours.choices()
        self.ours = self.ours.act(next(number for number in legal if self.texts[number] == text))

    def follow(self, line: tuple[int, ...]) -> None:
        """Makes actions on OpenSpiel's state."""
        for action in line:
            self.theirs.apply_action(action)


def search(theirs: Any, state: Any, simulations: int, seed: int) -> tuple[int, float]:
    """The action of OpenSpiel's tree search after so many simulations, and the CPU seconds that it took."""
    bot = pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, simulations, 1 << 12, True, seed, False)
    begun = time.process_time()
    action: int = bot.step(state)
    return action, time.process_time() - begun


def simulations_in(theirs: Any, state: Any, seconds: float, seed: int) -> int:
    """The simulations that OpenSpiel's tree search makes in these CPU seconds, by a search of the same state."""
    tried = FIRST
    _, took = search(theirs, state.clone(), tried, seed)
    # A state that is proved ends each search early.
    while took < TRIAL * seconds and tried < MOST:
        tried *= GROWTH
        _, took = search(theirs, state.clone(), tried, seed)
    return max(1, min(MOST, int(tried * seconds / max(took, 1e-6))))


def bot_turn(both: Both, clock: Clock, seed: int, turns: list[Turn]) -> None:
    """Makes a turn of OpenSpiel's tree search, in the time of one of ours."""
    theirs, state = both.played.theirs, both.theirs.clone()
    line: tuple[int, ...] = ()
    length = len(turns[0][1])
    spent = 0.0
    for _ in range(length):
        action, took = search(theirs, state, simulations_in(theirs, state, clock.ours / length, seed), seed)
        spent += took
        line += (action,)
        state.apply_action(action)
    clock.note_theirs(spent)
    texts = next(texts for texts, own in turns if own == line)
    for text in texts:
        both.make(text)
    both.follow(line)


def own_turn(both: Both, clock: Clock, player: Any, play: float, turns: list[Turn]) -> None:
    """Makes a turn of our player."""
    made: tuple[str, ...] = ()
    lines = dict(turns)
    length = len(turns[0][0])
    took = 0.0
    while made not in lines:
        begun = time.process_time()
        text, _ = player.choose(both.ours, play / length, cpu=True)
        took += time.process_time() - begun
        both.make(text)
        made += (text,)
    clock.note_ours(took)
    both.follow(lines[made])


def opening(both: Both, length: int, seed: int) -> bool:
    """Some random moves; whether the game goes on after them."""
    draw = np.random.default_rng(seed)
    for _ in range(length):
        turns = both.turns()
        if not turns:
            return False
        texts, line = turns[draw.integers(len(turns))]
        for text in texts:
            both.make(text)
        both.follow(line)
    return bool(both.turns())


def play(both: Both, ours: int, player: Any, clock: Clock, args: argparse.Namespace, seed: int) -> float:
    """Plays to the end; the goal of ours, from 0 to 1."""
    clock.ours = args.play
    for number in itertools.count():
        turns = both.turns()
        if not turns:
            return (both.ours.goals[ours] or 0) / 100
        if both.role == ours:
            own_turn(both, clock, player, args.play, turns)
        else:
            bot_turn(both, clock, 1000 * seed + number, turns)
    raise AssertionError("games end")


def interval(scores: list[float]) -> tuple[float, float]:
    """The mean of pairs, and twice its standard error."""
    mean = sum(scores) / len(scores)
    if len(scores) < 2:
        return mean, 1.0
    variance = sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    return mean, 2 * math.sqrt(variance / len(scores))


def series(played: Played, args: argparse.Namespace) -> list[float]:
    """The scores of all pairs."""
    players = [played.game.player(args.player, role, seed=args.seed) for role in (0, 1)]
    for role, player in enumerate(players):
        print(f"{played.name}, role {role}: {player.prepare(args.start, args.play, cpu=True)}", file=sys.stderr)
    clock = Clock(args.play)
    scores: list[float] = []
    seed = args.seed
    while len(scores) < args.pairs:
        seed += 1
        if not opening(Both(played), args.openings, seed):
            continue
        goals = []
        for ours in (0, 1):
            both = Both(played)
            opening(both, args.openings, seed)
            goals.append(play(both, ours, players[ours], clock, args, seed))
        scores.append(sum(goals) / 2)
        mean, error = interval(scores)
        used = [1000 * seconds / max(turns, 1) for seconds, turns in zip(clock.used, clock.turns)]
        print(
            f"{played.name}: pair {len(scores)} of {args.pairs}, {goals}, {100 * mean:.1f} ± {100 * error:.1f}; "
            f"{used[0]:.0f} and {used[1]:.0f} ms a turn",
            file=sys.stderr,
            flush=True,
        )
    return scores


def games() -> dict[str, tuple[dict[str, str], Callable[[Any, list[str]], list[Turn]]]]:
    """By OpenSpiel's name: the arguments of our rulesheet, and the turns."""
    pairs = {
        name: (rulesheet(sheet), turns_by_words(translate)) for sheet, name, translate in PAIRS if has_rules(sheet)
    }
    rules = pentago()
    if rules is not None:
        pairs["pentago"] = ({"text": rules}, turns_of_pentago)
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--player", default="auto")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--play", type=float, default=1.0, help="CPU seconds of a turn")
    parser.add_argument("--start", type=float, default=40.0, help="CPU seconds in which a player gets ready, once for each seat")
    parser.add_argument("--openings", type=int, default=3, help="random turns at the beginning")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    known = games()
    if unknown := [name for name in args.games if name not in known]:
        parser.error(f"no such game: {', '.join(unknown)}; there are {', '.join(known)}")
    print(f"{'game':28} {'pairs':>5} {'score':>12}  of {args.player} against OpenSpiel's MCTS")
    for name in args.games or known:
        rules, turns = known[name]
        scores = series(Played(name, ludolog.Game(**rules), pyspiel.load_game(name), turns), args)
        mean, error = interval(scores)
        print(f"{name:28} {len(scores):5} {100 * mean:6.1f} ± {100 * error:.1f}", flush=True)


if __name__ == "__main__":
    main()
