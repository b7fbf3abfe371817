"""What bad input gets: an exception with the place, nothing changed, no abort."""

import multiprocessing
import threading
import time

import ludolog
import numpy as np
import pytest

NIM = "std:games/nim.kif"
FOUR = "std:games/connect-four.kif"

#: The rules of a game without a net: its terms grow with each move.
COUNT = """
    (role counter) (init (count 0))
    (<= (legal counter up) (true (count ?n)))
    (<= (next (count (s ?n))) (does counter up) (true (count ?n)))
    (<= terminal (true (count (s (s (s ?n))))))
    (<= (goal counter 100) terminal)
"""


@pytest.fixture
def lanes():
    game = ludolog.vector(FOUR, lanes=4)
    game.reset()
    return game


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([1, 1, 1], r"shape \(4,\) or \(4, 2\), not \(3,\)"),
        ([[1, 1, 1, 1]], r"not \(1, 4\)"),
        (5, r"not \(\)"),
        ([1.0] * 4, "integers, not float64"),
        ([np.nan] * 4, "integers, not float64"),
        (np.array(["a"] * 4), "integers, not <U1"),
        ([None] * 4, "integers, not object"),
        ([True] * 4, "integers, not bool"),
        ([1, 1, 99, 1], "lane 2: there is no action 99"),
        ([1, -1, 1, 1], "lane 1: red has to move"),
        ([1, 1, 1, -3], "-1, STAY or places"),
        ([2**40] * 4, "-1, STAY or places"),
        (np.array([2**63] * 4, np.uint64), "-1, STAY or places"),
        ([[1, -2]] * 4, "lane 0: some roles stay"),
    ],
)
def test_actions(lanes, actions, told):
    before = lanes.look().observations.copy()
    with pytest.raises(ludolog.Error, match=told):
        lanes.step(actions)
    assert (lanes.look().observations == before).all()


def test_actions_in_any_order_of_memory(lanes):
    """Arrays that are not contiguous, of other sizes of integers, and of another order of bytes."""
    drop = lanes.actions[0].index("(drop 3)")
    given = np.array([[drop, -1, 0]] * 4, ">i2")[:, :2]
    assert not given.flags.c_contiguous
    step = lanes.step(given)
    assert step.observations[:, lanes.facts.index("(piece 3 1 red)")].all()


def test_illegal_actions_are_told_with_lane_and_name(lanes):
    full = lanes.actions[0].index("(drop 1)")
    for _ in range(6):
        lanes.step([full] * 4)
    before = lanes.look().observations.copy()
    with pytest.raises(ludolog.Error, match=r"lane 3: action \d+, `\(drop 1\)`, is not legal for red"):
        lanes.step([2, 3, 4, full])
    assert (lanes.look().observations == before).all()


def test_lanes_that_are_over():
    lanes = ludolog.vector(NIM, lanes=2)
    lanes.reset()
    while not lanes.turn(0)[0]:
        turn = lanes.turn(0)[1]
        lanes.step([lanes.legal(0, turn)[-1], lanes.STAY])
    first = lanes.legal(1, lanes.turn(1)[1])[0]
    with pytest.raises(ludolog.Error, match=f"lane 0 is over, and action {first} is not -1"):
        lanes.step([first, first])
    assert lanes.step([-1, first]).terminated.tolist() == [True, False]


def test_no_lanes():
    empty = ludolog.vector(FOUR, lanes=0)
    step = empty.reset()
    assert step.observations.shape == (0, len(empty.facts)) and empty.mask().shape == (0, 8)
    assert empty.step(np.zeros(0, int)).turns.shape == (0,)
    assert empty.take([]).lanes == 0


def test_ten_million_lanes():
    lanes = ludolog.vector(NIM, lanes=10**7)
    over, turn = lanes.turn(10**7 - 1)
    assert (over, turn) == (False, 0) and lanes.legal(10**7 - 1, turn)
    with pytest.raises(ludolog.Error, match="bytes, more than"):
        ludolog.vector("std:games/hex-in-y-9x9.kif", lanes=10**9)
    with pytest.raises(ludolog.Error, match="at least 0 lanes"):
        ludolog.vector(NIM, lanes=-1)


@pytest.mark.parametrize("wrong", [[4], [-1], [0.5], [np.nan], ["a"], [[0, 9]], [[0]]])
def test_lanes_that_are_not_there(lanes, wrong):
    for act in (lanes.reset, lanes.take):
        with pytest.raises(ludolog.Error):
            act(wrong)


def test_numbers_that_are_none_of_lanes_and_roles(lanes):
    for lane in (-1, 4):
        with pytest.raises(ludolog.Error, match="no lane"):
            lanes.turn(lane)
        with pytest.raises(ludolog.Error, match="no lane"):
            lanes.legal(lane, 0)
    with pytest.raises(ludolog.Error, match="no role"):
        lanes.legal(0, -1)


def test_rules_with_errors():
    for make in (ludolog.vector, ludolog.Game):
        with pytest.raises(ludolog.Error) as caught:
            make(text="(role a) (<= (legal ?r ?m) (role ?r))")
        (unsafe,) = [told for told in caught.value.diagnostics if told["code"] == "unsafe-variable"]
        assert unsafe["line"] == 1 and unsafe["column"] > 8 and "?m" in unsafe["message"]
        with pytest.raises(ludolog.Error):
            make("no-such-file.kif")
        with pytest.raises(ludolog.Error, match="path or a text"):
            make()


@pytest.mark.parametrize("seconds", [np.nan, -1.0, np.inf, 1e300])
def test_times_that_are_none(seconds):
    game = ludolog.Game(NIM)
    works = [
        lambda: game.initial.playouts(seconds),
        lambda: game.player("mcts").choose(game.initial, seconds),
        lambda: game.match(["random", "random"], play=seconds),
        lambda: ludolog.Session(text="p(1).").query("p(X)", seconds=seconds),
    ]
    for work in works:
        with pytest.raises(ludolog.Error, match="no seconds"):
            work()


def test_rows_with_gaps_and_infinities():
    pandas = pytest.importorskip("pandas")
    session = ludolog.Session(text="p(X) :- q(X).")
    for column in ([1.0, np.nan], [np.inf], pandas.array([1, None], "Int64"), ["a", None]):
        with pytest.raises(ludolog.Error, match=r"row \d, column 0: .* is neither"):
            session.insert_rows("q", pandas.DataFrame({"q": column}))
    assert not session.query("q(X)")


def test_two_threads_on_lanes(lanes):
    """Each step is whole, or is refused with the reason."""
    told, stepped = [], []

    def work():
        for _ in range(30):
            try:
                lanes.reset()
                stepped.append(lanes.step([1] * 4).turns.tolist())
            except ludolog.Error as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) + len(stepped) == 60 and stepped
    assert all("another thread" in reason or "not legal" in reason or "red has" in reason for reason in told)


def test_two_threads_on_a_player():
    """The second waits for the first."""
    game = ludolog.Game(NIM)
    player = game.player("random")
    chosen = []
    threads = [threading.Thread(target=lambda: chosen.append(player.choose(game.initial, 0.05))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(chosen) == 2 and all(move in game.initial.legal[0] for move, _ in chosen)


def in_child(player, game, results):
    try:
        player.choose(game.initial, 0.05)
    except ludolog.Error as error:
        results.put(str(error))
    state = game.initial.play(*[moves[0] for moves in game.initial.legal])
    results.put(len(state.facts) > 0)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_in_the_middle():
    """A process that forks while a thread is at work: there what the thread uses is refused, and all else goes on."""
    game = ludolog.Game(FOUR)
    player = game.player("mcts")
    thread = threading.Thread(target=player.choose, args=(game.initial, 1.5))
    thread.start()
    time.sleep(0.3)
    forking = multiprocessing.get_context("fork")
    results = forking.Queue()
    child = forking.Process(target=in_child, args=(player, game, results))
    child.start()
    assert "forked" in results.get(timeout=20) and results.get(timeout=20) is True
    child.join(20)
    thread.join()
    assert child.exitcode == 0


def test_a_game_without_a_net_runs_on_its_rules():
    with pytest.raises(ludolog.Error, match="no net"):
        ludolog.vector(text=COUNT)
    game = ludolog.Game(text=COUNT)
    with pytest.raises(ludolog.Error, match="no net"):
        game.actions
    state = game.initial
    while not state.is_over:
        state = state.play("up")
    assert state.goals == [100] and game.initial.playouts(0.05)[1] == [100.0]
