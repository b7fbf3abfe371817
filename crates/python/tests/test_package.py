"""The package from outside: queries, errors, lanes."""

import doctest
import importlib
import importlib.util
import pathlib
import re
import sys

import ludolog
import numpy as np
import pytest


PACKAGE = pathlib.Path(__file__).parent.parent


def test_doctests():
    assert doctest.testmod(sys.modules["ludolog.vector"]).failed == 0


def blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.S)


def test_readme():
    """The examples of the README run, in order."""
    names = {}
    for block in blocks((PACKAGE / "README.md").read_text()):
        exec(block, names)
    assert names["step"].observations.shape[0] == 4096


def test_guide():
    """The examples of the guide run, in order; the last one needs Gymnasium."""
    names = {}
    found = blocks((PACKAGE.parent.parent / "docs/guide/python.md").read_text())
    assert len(found) == 12
    for block in found[:-1]:
        exec(block, names)
    pytest.importorskip("gymnasium")
    exec(found[-1], names)


def test_query():
    session = ludolog.Session(text="path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).")
    assert session.insert("edge(a, b)") and session.insert("edge(b, 3)")
    answers = session.query("path(a, X)")
    assert (answers.variables, answers.rows) == (["X"], [[3], ["b"]])
    assert session.retract("edge(b, 3)")
    assert session.query("path(a, X)").rows == [["b"]]


def test_errors_have_diagnostics():
    with pytest.raises(ludolog.Error) as caught:
        ludolog.Session(text="p(X) :- q(Y).")
    first = caught.value.diagnostics[0]
    assert first["severity"] == "error" and first["line"] == 1


def test_random_games():
    game = ludolog.vector("std:games/tic-tac-toe.kif", lanes=600, threads=2)
    draw = np.random.default_rng(1)
    step = game.reset()
    for _ in range(9):
        masks = np.stack(step.masks)[np.maximum(step.turns, 0), np.arange(600)]
        actions = np.where(step.terminated, -1, (masks * draw.random(masks.shape)).argmax(1))
        step = game.step(actions)
    assert step.terminated.all()
    assert (step.rewards.sum(1) == 100).all()


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "reversi-6x6", "goofspiel-4", "peg-solitaire", "hex-3x3"])
def test_lanes_are_single_states(name):
    """Lanes against states of the same rules, one by one: facts, legal moves, turns, ends, goals."""
    lanes = ludolog.vector(f"std:games/{name}.kif", lanes=70)
    game = ludolog.Game(f"std:games/{name}.kif")
    draw = np.random.default_rng(2)
    states = [game.initial] * lanes.lanes
    step = lanes.reset()
    for _ in range(12):
        actions = np.full((lanes.lanes, len(lanes.roles)), lanes.STAY)
        for lane, state in enumerate(states):
            facts = [fact for fact, holds in zip(lanes.facts, step.observations[lane]) if holds]
            turn = lanes.turn(lane)[1]
            wanted = step.masks[turn][lane] if turn is not None else []
            assert lanes.mask()[lane, : len(wanted)].tolist() == list(wanted) and lanes.mask()[lane].sum() == sum(wanted)
            assert set(facts) <= set(state.facts) and step.terminated[lane] == state.is_over == lanes.turn(lane)[0]
            named = [[moves[at] for at in lanes.legal(lane, role)] for role, moves in enumerate(lanes.actions)]
            assert named == state.legal
            for role, mask in enumerate(step.masks):
                assert np.flatnonzero(mask[lane]).tolist() == lanes.legal(lane, role)
            if state.is_over:
                assert step.rewards[lane].tolist() == state.goals
                continue
            chosen = [draw.choice(lanes.legal(lane, role)) for role in range(len(lanes.roles))]
            actions[lane] = chosen
            states[lane] = state.play(*[moves[at] for moves, at in zip(lanes.actions, chosen)])
        step = lanes.step(actions)
    with pytest.raises(ludolog.Error, match="no lane 70"):
        lanes.turn(70)
    with pytest.raises(ludolog.Error, match="no role 9"):
        lanes.legal(0, 9)


def test_lanes_that_are_over_begin_anew():
    lanes = ludolog.vector("std:games/nim.kif", lanes=50, finished="reset")
    draw = np.random.default_rng(1)
    step = lanes.reset()
    first = step.observations[0].copy()
    ends = 0
    for _ in range(40):
        masks = np.stack(step.masks)[np.maximum(step.turns, 0), np.arange(50)]
        before = step.terminated.copy()
        step = lanes.step((masks * draw.random(masks.shape)).argmax(1))
        assert not (step.terminated & before).any() and (step.observations[before] == first).all()
        ends += int(step.terminated.sum())
    assert ends > 50
    with pytest.raises(ludolog.Error, match="finished"):
        ludolog.vector("std:games/nim.kif", finished="stop")


def test_states_have_numbers():
    game = ludolog.Game("std:games/tic-tac-toe.kif")
    lanes = ludolog.vector("std:games/tic-tac-toe.kif")
    assert game.actions == lanes.actions and game.fact_names == lanes.facts
    over, turn, legal = game.initial.choices()
    assert (over, turn) == (False, 0) and legal == lanes.legal(0, 0)
    state = game.initial.act(legal[0])
    assert state == game.initial.play(game.actions[0][legal[0]], "wait")
    assert state.choices()[1:] == (1, [len(game.actions[0]) + at for at in state_legal(lanes, legal[0])])
    with pytest.raises(ludolog.Error, match="not legal"):
        state.act(legal[0])
    with pytest.raises(ludolog.Error, match="several roles"):
        ludolog.Game("std:games/goofspiel-4.kif").initial.act(0)


def state_legal(lanes, action):
    lanes.step([action])
    return lanes.legal(0, 1)


def test_planes():
    lanes = ludolog.vector("std:games/connect-four.kif", lanes=3)
    lanes.reset()
    drops = [lanes.actions[0].index(f"(drop {column})") for column in (1, 4, 7)]
    lanes.step(drops)
    step = lanes.step(drops)
    (planes,) = lanes.planes()
    seen = planes.of(step.observations)
    assert seen.shape == (3, 2, 6, 7) and seen.dtype == np.uint8 and seen.sum() == 6
    for lane, column in enumerate((0, 3, 6)):
        assert seen[lane, planes.names.index("red"), 0, column] == 1, "red lies at the bottom"
        assert seen[lane, planes.names.index("yellow"), 1, column] == 1, "yellow on it"
    assert planes.of(step.observations[0]).shape == (2, 6, 7)


def test_arrays_are_taken_without_a_copy():
    step = ludolog.vector("std:games/connect-four.kif", lanes=4).reset()
    for array in (step.observations, step.rewards, step.terminated, step.turns, *step.masks):
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, array) and array.flags.writeable and array.flags.c_contiguous


def test_torch_and_jax_take_arrays():
    step = ludolog.vector("std:games/connect-four.kif", lanes=4).reset()
    found = [name for name in ("torch", "jax.numpy") if importlib.util.find_spec(name.split(".")[0])]
    for name in found:
        module = importlib.import_module(name)
        for array in (step.observations, step.turns, step.terminated, *step.masks):
            assert (np.asarray(module.from_dlpack(array)) == array).all()
    if not found:
        pytest.skip("neither torch nor jax is there")


def test_lanes_are_taken():
    lanes = ludolog.vector("std:games/tic-tac-toe.kif", lanes=2)
    first = int(np.flatnonzero(lanes.look().masks[0][0])[0])
    lanes.step([first, lanes.STAY])
    taken = lanes.take([1, 0, 1])
    assert (taken.look().observations == lanes.look().observations[[1, 0, 1]]).all()
    taken.reset()
    assert lanes.turn(0) == (False, 1), "lanes that were taken are their own"
    for wrong in ([2], [-1], [0.5]):
        with pytest.raises(ludolog.Error):
            lanes.take(wrong)


def test_bad_actions_change_nothing():
    game = ludolog.vector("std:games/tic-tac-toe.kif", lanes=3)
    before = game.look().observations.copy()
    legal = int(game.look().masks[0][0].argmax())
    for wrong in ([legal, legal], [legal, legal, 99], [0.5] * 3, [np.nan] * 3, [legal, -1, legal], [[legal] * 3]):
        with pytest.raises(ludolog.Error):
            game.step(wrong)
    assert (game.look().observations == before).all()
    with pytest.raises(ludolog.Error, match="bytes"):
        ludolog.vector("std:games/tic-tac-toe.kif", lanes=10**12)
    assert ludolog.vector("std:games/tic-tac-toe.kif", lanes=0).reset().observations.shape[0] == 0
