"""The package from outside: queries, errors, lanes."""

import doctest
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
    assert len(found) == 9
    for block in found[:-1]:
        exec(block, names)
    pytest.importorskip("gymnasium")
    exec(found[-1], names)


def test_query():
    session = ludolog.Session(text="path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y) & edge(Y, Z).")
    assert session.insert("edge(a, b)") and session.insert("edge(b, 3)")
    assert session.table("path(a, X)") == (["X"], [[3], ["b"]])
    assert session.retract("edge(b, 3)")
    assert session.table("path(a, X)") == (["X"], [["b"]])


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
