"""Games by hand: expected values are worked on paper, or are known results."""

import copy
import doctest
import pickle
import signal
import subprocess
import sys
import threading
import time

import ludolog
import pytest


@pytest.fixture(scope="module")
def game():
    return ludolog.Game("std:games/tic-tac-toe.kif")


def test_doctests():
    assert doctest.testmod(sys.modules["ludolog.game"]).failed == 0


def test_a_game_to_its_end(game):
    state = game.initial
    for cross, nought in [("(put 1 1)", "(put 2 1)"), ("(put 1 2)", "(put 2 2)")]:
        state = state.play(cross, "wait").play("wait", nought)
    move, value = game.player("mcts", 0).choose(state, 0.3)
    assert (move, value) == ("(put 1 3)", 100.0)
    end = state.play(move, "wait")
    assert end.is_over and end.goals == [100, 0] and end.legal == [[], []]
    assert not state.is_over, "a state never changes"
    with pytest.raises(ludolog.Error, match="the game is over"):
        end.play("(put 3 3)", "wait")
    with pytest.raises(ludolog.Error, match="the game is over"):
        game.player().choose(end)


def test_states_are_values(game):
    one = game.initial.play("(put 1 1)", "wait").play("wait", "(put 3 3)").play("(put 1 2)", "wait")
    other = game.initial.play("(put 1 2)", "wait").play("wait", "(put 3 3)").play("(put 1 1)", "wait")
    assert one == other and hash(one) == hash(other) and one != game.initial
    assert len({one, other, game.initial}) == 2
    assert game.state(one.facts) == one
    restored = pickle.loads(pickle.dumps(one))
    assert restored.facts == one.facts and restored.legal == one.legal
    assert restored == one and hash(restored) == hash(one) and restored.game is game
    assert game.player("random", 1).choose(restored, 0.01)[0] in one.legal[1]
    with pytest.raises(ludolog.Error, match="action -1 is not legal"):
        one.act(-1)
    assert copy.copy(one) is one and copy.deepcopy([one, game]) == [one, game], "what never changes is not copied"
    assert "<svg" in one._repr_svg_() and len(str(one).splitlines()) >= 3
    assert repr(one) == "<State (mark 1 1 cross) (mark 1 2 cross) (mark 3 3 nought) (turn nought)>"


def test_states_come_back_from_other_processes(game):
    """A process of its own reads the game and sends a state, which is one of the game that it was sent by."""
    words = "import pickle, sys; state = pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(pickle.dumps(state.play(*[moves[0] for moves in state.legal])))"
    done = subprocess.run([sys.executable, "-c", words], input=pickle.dumps(game.initial), capture_output=True, check=True)
    state = pickle.loads(done.stdout)
    own = game.initial.play("(put 1 1)", "wait")
    assert state == own and {own: 1}[state] == 1
    assert game.solve().value(state) == game.solve().value(own)


def test_rules_of_other_paths(tmp_path):
    rules = tmp_path / "rules.kif"
    rules.write_text("(role a) (init (on)) (legal a go) (<= terminal (not (true (on)))) (goal a 100)")
    game = ludolog.Game(rules)
    assert game.files == [str(rules)] and game.digest == ludolog.Game(text=rules.read_text()).digest
    assert game.digest != ludolog.Game("std:games/nim.kif").digest


@pytest.mark.parametrize("name", ["hex-5x5", "hex-cluster-4x4", "hex-follow-the-line-4x4"])
def test_hex_of_every_size(name):
    width = int(name[-1])
    game = ludolog.Game(f"std:games/{name}.kif")
    assert len(game.initial.legal[0]) == width * width


def test_playouts_have_the_goals_of_random_play(game):
    # Of random games 58.49 % are won by who begins, and 28.81 % by the other.
    count, means = game.initial.playouts(0.3)
    assert count >= 256
    assert means[0] == pytest.approx(64.84, abs=2) and means[1] == pytest.approx(35.16, abs=2)


def test_bad_input_is_told(game):
    with pytest.raises(ludolog.Error, match="is not a legal move of cross"):
        game.initial.play("(put 9 9)", "wait")
    with pytest.raises(ludolog.Error, match="1 moves for 2 roles"):
        game.initial.play("(put 1 1)")
    with pytest.raises(ludolog.Error, match="is no fact"):
        game.state(["(cell"])
    with pytest.raises(ludolog.Error, match="no role 7"):
        game.player("mcts", 7)
    with pytest.raises(ludolog.Error, match="deep blue"):
        game.player("deep blue")
    with pytest.raises(ludolog.Error, match="another game"):
        game.player().choose(ludolog.Game("std:games/nim.kif").initial)
    with pytest.raises(ludolog.Error, match="no seconds"):
        game.initial.playouts(float("nan"))


def test_two_threads_on_one_game(game):
    failed = []

    def play():
        try:
            for _ in range(50):
                state = game.initial
                while not state.is_over:
                    state = state.play(*[moves[0] for moves in state.legal])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_ctrl_c_stops_a_query():
    session = ludolog.Session(text="n(X) :- X in 1..100000. p(X, Y, Z) :- n(X) & n(Y) & n(Z).")
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.query("p(X, Y, Z) & X > Y & Y > Z")
    assert time.monotonic() - begun < 20
    assert session.query("n(7)").rows == [[]]


def test_explanations_are_those_of_the_command():
    session = ludolog.Session(text="path(X, Y) :- edge(X, Y). edge(a, b).")
    assert session.why("path(a, b)").splitlines()[1] == "└─ edge(a, b)"
    assert session.why("path(b, a)") is None
    assert "✗ edge(b, a)" in session.why_not("path(b, a)")
    assert session.why_not("path(a, b)") is None


def test_a_match(game):
    seen = []
    # A busy machine may make some moves late.
    match = game.match(["mcts", "random"], start=0.3, play=0.3, seed=3, progress=seen.append)
    assert match.players == ["mcts", "random"] and match.end == "terminal"
    assert all(role == 0 and "late" in reason for _, role, reason in match.faults)
    assert match.goals[0] >= 50 and sum(match.goals) == 100 and seen[-1] == len(match)
    assert len(match.states) == len(match.moves) + 1 == len(match) + 1 == len(match.times) + 1
    state = game.initial
    for moves, after in zip(match.moves, match.states[1:]):
        state = state.play(*moves)
        assert state == after
    assert state.is_over and state.goals == match.goals
    assert all(value is None or 0 <= value <= 100 for values in match.expected for value in values)
    assert repr(match) == f"<Match mcts {match.goals[0]}, random {match.goals[1]} after {len(match)} moves>"


def test_functions_play(game):
    def last(state):
        return state.legal[0][-1]

    def fails(state):
        raise ValueError("no idea")

    match = game.match([last, fails])
    assert match.players == ["last", "fails"] and match.moves[0] == ["(put 3 3)", "wait"]
    assert len(match.faults) == len(match) and match.faults[0] == (0, 1, "ValueError: no idea")
    cheat = game.match([lambda state: "(put 9 9)", "legal"])
    assert cheat.faults[0] == (0, 0, "`(put 9 9)` is not legal")
    assert len(game.match(["legal", "legal"], max_steps=3)) == 3


def test_ctrl_c_stops_a_match(game):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        game.match([lambda state: time.sleep(0.2) or state.legal[0][0], "mcts"], play=30)
    assert time.monotonic() - begun < 20

    def raises(moves):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        game.match(["mcts", "mcts"], play=1, progress=raises)


def test_solved(game, tmp_path):
    # 5478 positions; perfect play draws; a corner is answered by the middle alone.
    solution = game.solve(threads=2)
    assert len(solution) == 5478 and solution.value() == ([50, 50], None)
    corner = game.initial.play("(put 1 1)", "wait")
    assert solution.best_moves(corner) == [["wait", "(put 2 2)"]]
    won = corner.play("wait", "(put 1 2)")
    assert solution.value(won) == ([100, 0], 5)
    solution.save(tmp_path / "database")
    again = game.solution(tmp_path / "database")
    assert again.value(won) == solution.value(won) and repr(again) == "<Solution of 5478 states>"
    assert game.player("random", 0, solution=again).choose(won, 0.1)[1] == 100
    assert game.match(["random", "random"], solution=again).goals == [50, 50]
    with pytest.raises(ludolog.Error, match="another game"):
        ludolog.Game("std:games/nim.kif").solution(tmp_path / "database")
    with pytest.raises(ludolog.Error, match="no database"):
        (tmp_path / "nothing").write_bytes(b"nothing")
        game.solution(tmp_path / "nothing")
    with pytest.raises(ludolog.Error, match="take turns"):
        ludolog.Game("std:games/goofspiel-4.kif").solve()
    with pytest.raises(ludolog.Error):
        ludolog.Game("std:games/connect-four.kif").solve(seconds=0.2)
    with pytest.raises(ludolog.Error, match="1 thread"):
        game.solve(threads=0)


def test_games_without_a_net():
    # The rules number facts and moves as they come: players and playouts have numbers of their own.
    rules = """
        (role a) (init (n 0))
        (<= (next (n ?x)) (does a (go ?x)))
        (<= (legal a (go (s ?x))) (true (n ?x)))
        (<= (legal a (go (t ?x))) (true (n ?x)))
        (<= terminal (true (n (s (s ?x)))))
        (<= terminal (true (n (t ?x))))
        (<= (goal a 100) (true (n (s (s ?x)))))
        (<= (goal a 0) (true (n (t ?x))))
        (<= (goal a 0) (true (n 0)))
        (<= (goal a 0) (true (n (s 0))))"""
    game = ludolog.Game(text=rules)
    state = game.initial.play("(go (s 0))")
    assert game.player("mcts").choose(state, 0.3) == ("(go (s (s 0)))", 100.0)
    assert state.playouts(0.1)[1][0] == pytest.approx(50, abs=15)
    with pytest.raises(ludolog.Error, match="no net"):
        game.solve()


POKER = "std:games/kuhn-poker.kif"


def test_functions_play_hidden_games():
    """In Kuhn poker a function is told its card and what the other does, and nothing else."""
    game = ludolog.Game(POKER)
    assert game.hides and not ludolog.Game("std:games/nim.kif").hides
    views = []

    def first(view):
        views.append(view)
        return "bet" if "bet" in view.legal else view.legal[0]

    match = game.match([first, lambda view: "fold" if "fold" in view.legal else view.legal[0]], seed=3)
    assert match.faults == [] and match.end == "terminal" and match.goals[:2] == [75, 25]
    dealt = match.moves[0][2].strip("()").split()
    assert [view.role for view in views] == [0] * len(views)
    assert views[0].moves == [] and views[0].percepts == [] and views[0].legal == ["wait"]
    assert views[1].percepts == [[f"(card {dealt[1]})"]] and sorted(views[1].legal) == ["bet", "check"]
    assert match.percepts[0] == [[f"(card {dealt[1]})"], [f"(card {dealt[2]})"], []]
    assert str(views[1]) == f"wait: (card {dealt[1]})\n"
    assert views[1] == game.view(0, ["wait"], [[f"(card {dealt[1]})"]]) and views[1] != views[0]
    assert len({views[1], game.view(0, ["wait"], [[f"(card {dealt[1]})"]])}) == 1
    move, _ = game.player("cfr", 0).choose(views[1], 0.2)
    assert move in views[1].legal


def test_hidden_games_refuse():
    game = ludolog.Game(POKER)
    with pytest.raises(ludolog.Error, match="3 players for 2 roles"):
        game.match(["random"] * 3)
    with pytest.raises(ludolog.Error, match="view of the role"):
        game.player("cfr", 0).choose(game.initial, 0.05)
    with pytest.raises(ludolog.Error, match="no role 3"):
        game.view(3)
    with pytest.raises(ludolog.Error, match="1 moves, and percepts of 0"):
        game.view(0, ["wait"])
    with pytest.raises(ludolog.Error, match="hides nothing"):
        ludolog.Game("std:games/nim.kif").view(0)
    for moves, percepts in [
        (["zzz"], [[]]),
        (["wait"], [["(nope)"]]),
        (["wait"], [["(card king)", "(card jack)"]]),
        (["wait", "fold"], [["(card king)"], []]),
    ]:
        with pytest.raises(ludolog.Error, match="no state in which the game goes on fits"):
            game.view(0, moves, percepts)
    with pytest.raises(ludolog.Error, match="not a legal move"):
        game.initial.percepts("bet", "wait", "wait")
    cheat = game.match([lambda view: "raise", "random"], seed=1)
    assert any("not legal" in reason for _, role, reason in cheat.faults if role == 0)


@pytest.mark.parametrize("name", ["tic-tac-toe", "nim", "goofspiel-4"])
def test_playouts_from_the_first_state_have_the_means_of_those_from_any(name):
    """Lanes that begin with the first state against a batch from a state that is equal to it by name."""
    game = ludolog.Game(f"std:games/{name}.kif")
    count, means = game.initial.playouts(0.2, seed=1)
    other = ludolog.Game(f"std:games/{name}.kif").state(game.initial.facts)
    assert count > 1000 and other.playouts(0.05)[1] == pytest.approx(means, abs=4)
    # A first move by hand, then a mean over all of them: what the first state is worth, since roles move at random.
    if name == "tic-tac-toe":
        after = [game.initial.play(move, "wait") for move in game.initial.legal[0]]
        assert sum(state.playouts(0.02)[1][0] for state in after) / len(after) == pytest.approx(means[0], abs=4)
