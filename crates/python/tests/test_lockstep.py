"""Games in lockstep with OpenSpiel's, which others wrote: turns, legal moves, ends, returns.

`LUDOLOG_GAMES` is the number of random games of each, 20 by default.
"""

import os
import pathlib
import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")
import ludolog.openspiel  # noqa: E402, F401  registers the game

sys.path.append(str(pathlib.Path(__file__).parents[1] / "benches"))
from pairs import PAIRS, has_rules, legal_lines, pentago, pentago_moves, rulesheet, words  # noqa: E402

GAMES = int(os.environ.get("LUDOLOG_GAMES", "20"))


@pytest.mark.parametrize(("sheet", "name", "translate"), PAIRS, ids=[name for _, name, _ in PAIRS])
def test_games_are_those_of_openspiel(tmp_path, sheet, name, translate):
    if not has_rules(sheet):
        pytest.skip("there is no corpus")
    if "text" in rulesheet(sheet):
        path = tmp_path / "rules.kif"
        path.write_text(sheet)
    else:
        path = sheet
    draw = np.random.default_rng(1)
    ours = pyspiel.load_game("ludolog", {"path": str(path)})
    theirs = pyspiel.load_game(name)
    for _ in range(GAMES):
        one = ours.new_initial_state()
        other = theirs.new_initial_state()
        while not other.is_terminal():
            assert not one.is_terminal() and one.current_player() == other.current_player(), str(other)
            texts = {action: one.action_to_string(action) for action in one.legal_actions()}
            legal = {translate(words(text)): action for action, text in texts.items()}
            lines = legal_lines(other, len(next(iter(legal))))
            assert len(legal) == len(texts) == len(set(lines.values())) and legal.keys() <= lines.keys(), str(other)
            chosen = list(legal)[draw.integers(len(legal))]
            one.apply_action(legal[chosen])
            for action in lines[chosen]:
                other.apply_action(action)
        assert one.is_terminal() and one.returns() == other.returns(), str(other)


def test_pentago_is_that_of_openspiel(tmp_path):
    rules = pentago()
    if rules is None:
        pytest.skip("there is no corpus")
    path = tmp_path / "pentago.kif"
    path.write_text(rules)
    draw = np.random.default_rng(1)
    ours, theirs = pyspiel.load_game("ludolog", {"path": str(path)}), pyspiel.load_game("pentago")
    ends = set()
    for _ in range(GAMES):
        one, other = ours.new_initial_state(), theirs.new_initial_state()
        while not other.is_terminal():
            assert not one.is_terminal() and one.current_player() == other.current_player(), str(other)
            names = {other.action_to_string(action): action for action in other.legal_actions()}
            moves = {pentago_moves(name): action for name, action in names.items()}
            wanted = list(moves)[draw.integers(len(moves))]
            for place, move in enumerate(wanted):
                legal = {one.action_to_string(action): action for action in one.legal_actions()}
                assert set(legal) == {made[place] for made in moves}
                one.apply_action(legal[move])
            other.apply_action(moves[wanted])
        assert one.is_terminal() and one.returns() == other.returns(), str(other)
        ends.add(tuple(one.returns()))
    assert len(ends) > 1
