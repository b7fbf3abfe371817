"""Hex: expected values are theorems, or worked on paper."""

import doctest
import pickle
import signal
import sys
import threading
import time

import ludolog
import pytest
from ludolog.hex import Certificate, Position, Solver


def test_doctests():
    assert doctest.testmod(sys.modules["ludolog.hex"]).failed == 0


def test_positions_are_values():
    one = Position("3x3").play("b2").play("a1")
    other = Position(text="B . .\n . R .\n  . . .")
    assert one == other and hash(one) == hash(other) and one != Position("3x3")
    assert one.stones == {"a1": "blue", "b2": "red"} and len(one.empty) == 7 and one.to_move == "red"
    assert pickle.loads(pickle.dumps(one)) == one
    assert one.winner is None and one.play("b1").play("b3", "red").winner == "red"
    assert "<svg" in one._repr_svg_() and one.svg(["b1"]) != one.svg() and len(str(one).splitlines()) >= 3
    assert repr(one) == "<Position 3x3 blue a1 red b2>"


def test_a_bridge_is_a_full_connection():
    position = Position("5x5").play("c2", "red").play("b4", "red")
    assert position.connections("red", ("c2", "b4"))[0] == ("c2", "b4", "full", ["b3", "c3"])
    assert all(kind in ("full", "semi") for _, _, kind, _ in position.connections("blue"))


@pytest.mark.parametrize("measure", ["distance", "two-distance", "flow", "resistance", "y-reduction"])
def test_evaluations(measure):
    # On an empty square board both stand equally well; a stone in the middle is worth something.
    assert Position("5x5").evaluate(measure).ahead is None
    evaluation = Position("5x5").play("c3").evaluate(measure)
    assert evaluation.ahead == "red" and len(evaluation.heat) == 24 and "<svg" in evaluation._repr_svg_()


def test_who_begins_wins(tmp_path):
    # Nash: who begins wins on an empty square board; the middle wins on 5x5.
    solver = Solver("5x5")
    position = Position("5x5")
    seen = []
    assert solver.winner(position, "red", progress=seen.append) == "red"
    assert solver.winner(position, "blue") == "blue" and seen[-1] <= solver.nodes
    assert solver.winner(position.play("c3"), "blue") == "red"
    assert solver.winning_move(position.play("a1")) is not None
    file = tmp_path / "table"
    solver.save(file)
    again = Solver("5x5", resume=file)
    before = again.nodes
    assert again.winner(position, "red") == "red" and again.nodes == before


def test_proofs_are_checked():
    position = Position("4x4")
    proof = Solver("4x4").prove(position, "red", seconds=60)
    assert proof.winner == "red" and proof.position == position and proof.position.to_move == "red"
    assert Certificate(proof.text).claim == proof.claim and "<html" in proof.html()
    with pytest.raises(ludolog.Error, match="a4 and bottom do not touch"):
        Certificate(proof.text.replace("4x4", "5x5", 1))
    with pytest.raises(ludolog.Error):
        Certificate(proof.text.replace("red", "blue"))
    with pytest.raises(ludolog.Error):
        Certificate("")


def test_moves_are_chosen():
    position = Position("7x7").play("d4").play("a1").play("c6").play("a2")
    assert position.choose(0.2)[0] in position.empty
    # b3 joins the bottom; b1 and c1 are the bridge to the top.
    assert Position("3x3").play("b2").play("a3").choose(0.2) == ("b3", "connects the edges within 2 cells")


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda: Position("0x5"), "."),
        (lambda: Position("nowhere.txt"), "nowhere.txt"),
        (lambda: Position(text="R X"), "."),
        (lambda: Position(), "either a board"),
        (lambda: Position("3x3").play("d9"), "no cell `d9`"),
        (lambda: Position("3x3").play("a1").play("a1"), "a stone on a1"),
        (lambda: Position("3x3").play("a1", "green"), "."),
        (lambda: Position("3x3").connections("red", ("left", "right")), "no edge `left`"),
        (lambda: Position("50x50").connections("red"), "more than"),
        (lambda: Position("3x3").evaluate("luck"), "two-distance"),
        (lambda: Position("3x3").choose(float("nan")), "no seconds"),
        (lambda: Solver("20x20"), "19x19"),
        (lambda: Solver("3x3").winner(Position("4x4")), "the solver is for 3x3"),
        (lambda: Solver("9x9").winner(Position("9x9"), seconds=0.1), "."),
    ],
)
def test_bad_input_is_told(act, told):
    with pytest.raises(ludolog.Error, match=told):
        act()


def test_ctrl_c_stops_the_solver():
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Solver("11x11").winner(Position("11x11"))
    assert time.monotonic() - begun < 20
