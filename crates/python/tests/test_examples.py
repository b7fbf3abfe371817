"""The examples, at small sizes."""

import importlib.util
import pathlib
import subprocess
import sys

import ludolog
import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def after(game, *columns):
    """A lane in which pieces fell into columns, in turns."""
    lanes = game.take([0])
    lanes.reset()
    for column in columns:
        lanes.act([lanes.actions[0].index(f"(drop {column})")])
    return lanes


def test_connect_four_is_learned(monkeypatch):
    connect_four = example("connect_four")
    monkeypatch.setattr(connect_four, "GAMES", 32)
    monkeypatch.setattr(connect_four, "BATCH", 100)
    game = ludolog.vector(connect_four.GAME)
    agent = connect_four.Agent(game)
    assert connect_four.train(agent, game, 2.0, None) > 0
    assert np.isfinite(agent.weights).all() and (agent.weights != 0).any()
    # The weights of a position are those that its cells say, and mirror images have the same.
    lanes = after(game, 4, 4, 3)
    kinds = np.zeros((connect_four.COLUMNS, connect_four.ROWS), int)
    kinds[:, 0] = connect_four.NEXT
    kinds[3, :3] = connect_four.RED, connect_four.YELLOW, connect_four.NEXT
    kinds[2, :2] = connect_four.RED, connect_four.NEXT
    start, expected = agent.size, []
    for line in connect_four.tuples(np.random.default_rng(1)):
        image = [(connect_four.COLUMNS - 1 - column, row) for column, row in line]
        for cells in [line] if set(line) == set(image) else [line, image]:
            expected.append(start + sum(kinds[cell] * 4**number for number, cell in enumerate(cells)))
        start += 4 ** len(line)
    assert agent.features(lanes.look())[0].tolist() == expected
    assert sorted(agent.features(after(game, 4, 4, 5).look())[0]) == sorted(expected)
    # A value is what the moves promise for the other player, and a step of learning moves it toward its target.
    moves = agent.moves(lanes, lanes.look())
    assert np.allclose(moves.values, -np.tanh(agent.weights[moves.features].sum(1)), atol=1e-5)
    before = agent.predict(moves.features)
    agent.learn(moves.features, np.ones(7, np.float32))
    assert (agent.predict(moves.features) > before).all()
    # Three in a row are closed, and made four, by looking ahead.
    for columns in [(4, 1, 4, 1, 4), (4, 1, 4, 1, 4, 2)]:
        assert agent.choose(after(game, *columns), 0.1) == 4
    lanes = after(game, 4, 1, 4, 1, 4, 2)
    assert agent.moves(lanes, lanes.look()).values[3] == 1
    monkeypatch.setattr(connect_four, "CLOCK", 0.005)
    told = connect_four.contest(agent, game, 1)
    assert told.startswith("against mcts: ") and "CPU time of a move" in told
    assert connect_four.interval([100, 0, 100, 0]) == pytest.approx((50 - 1.96 * 28.87, 50 + 1.96 * 28.87), abs=0.1)


def test_connect_four_is_learned_with_torch(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    if importlib.util.find_spec("torch") is None:
        told = subprocess.run(
            [sys.executable, EXAMPLES / "connect_four_torch.py"], capture_output=True, text=True, check=True
        )
        assert told.stdout.startswith("torch is not installed")
        pytest.skip("torch is not there, and the example says so")
    import connect_four
    from connect_four_torch import NetworkAgent

    monkeypatch.setattr(connect_four, "GAMES", 32)
    game = ludolog.vector(connect_four.GAME)
    agent = NetworkAgent(game)
    assert connect_four.train(agent, game, 2.0, None) > 0
    # Inputs of mirror images are each other's.
    ours, image = (agent.features(after(game, *columns).look())[0] for columns in [(4, 1, 7), (4, 7, 1)])
    assert (ours[agent.image] == image).all() and (ours != image).any()
    assert agent.choose(after(game, 4, 1, 4, 1, 4, 2), 0.1) == 4


def test_exploitability_is_that_of_openspiel():
    exploitability = example("exploitability")
    states = exploitability.tree("std:games/goofspiel-4.kif")
    uniform = exploitability.exploitability(states, exploitability.uniform(states))
    assert uniform == pytest.approx(37.5)
    assert exploitability.exploitability(states, exploitability.equilibrium(states, 200)) < 0.1

    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms.exploitability import nash_conv

    rules = "goofspiel(num_cards=4,points_order=descending,returns_type=win_loss,imp_info=false)"
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(rules))
    # Returns from -1 to 1 are goals from 0 to 100.
    assert uniform == pytest.approx(50 * nash_conv(theirs, policy.UniformRandomPolicy(theirs)) / 2)


def test_why_in_a_table():
    pandas = pytest.importorskip("pandas")
    table = example("why_in_a_table")
    plan = table.session(table.REQUIRES, table.PLAN)
    assert plan.query("needs(statistics, Before)").to_pandas().equals(pandas.DataFrame({"Before": ["analysis"]}))
    assert plan.query("wrong(C, B)").rows == [["learning", "statistics"], ["robotics", "statistics"]]
    told = subprocess.run([sys.executable, EXAMPLES / "why_in_a_table.py"], capture_output=True, text=True, check=True)
    assert "4 >= 3" in told.stdout and "0 mistakes" in told.stdout


def test_a_series_against_openspiel(monkeypatch, capsys):
    pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / "benches"))
    import series

    arguments = ["series.py", "--pairs", "1", "--play", "0.02", "--start", "0", "--player", "mcts", "tic_tac_toe"]
    monkeypatch.setattr(sys, "argv", arguments)
    series.main()
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("tic_tac_toe")]
    _, pairs, score, _, _ = line.split()
    assert pairs == "1" and 0 <= float(score) <= 100


def test_series_know_what_the_bot_would_play(monkeypatch):
    pyspiel = pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / "benches"))
    import series

    # Three in a column of connect four are made four by enough simulations, and stand in both states alike.
    rules, turns = series.games()["connect_four"]
    both = series.Both(series.Played("connect_four", ludolog.Game(**rules), pyspiel.load_game("connect_four"), turns))
    for column in (3, 1, 3, 1, 3, 2):
        (text,) = next(texts for texts, line in both.turns() if line == (column,))
        both.make(text)
        both.follow((column,))
    clock = series.Clock(1.0)
    clock.rate = 2000.0
    series.bot_turn(both, clock, 1, both.turns())
    assert both.turns() == [] and both.theirs.is_terminal()


def test_a_turn_of_pentago_is_two_moves_of_ours(monkeypatch):
    pyspiel = pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / "benches"))
    import series

    if "pentago" not in series.games():
        pytest.skip("there is no corpus")
    rules, turns = series.games()["pentago"]
    both = series.Both(series.Played("pentago", ludolog.Game(**rules), pyspiel.load_game("pentago"), turns))
    # 36 cells, and four quadrants that are turned to either side.
    assert len(both.turns()) == 36 * 8
    clock = series.Clock(0.02)
    series.own_turn(both, clock, both.played.game.player("mcts", 0), 0.02, both.turns())
    assert both.role == 1 and both.theirs.current_player() == 1 and len(both.turns()) == 35 * 8
    series.bot_turn(both, clock, 1, both.turns())
    assert both.role == 0 and both.theirs.current_player() == 0 and len(both.turns()) == 34 * 8


def test_a_page_of_environments(monkeypatch, tmp_path, capsys):
    pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / "benches"))
    import environments

    page = tmp_path / "page.html"
    monkeypatch.setattr(environments, "LANES", 64)
    monkeypatch.setattr(sys, "argv", ["environments.py", "--seconds", "0.02", "--output", str(page), "tic-tac-toe"])
    environments.main()
    *_, row = capsys.readouterr().out.splitlines()
    figures = [cell.strip() for cell in row.strip("|").split("|")]
    assert figures[0] == "tic-tac-toe" and len(figures) == 7 and all(figure[0].isdigit() for figure in figures[1:4])
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 3 and all(figure in text for figure in figures)
    # A tenfold is as long everywhere: bars from 1 k to 1 M are three units long.
    drawn = environments.plot(0, [environments.Measured("a", [1e6, 1e4]), environments.Measured("b", [1e3, None])])
    widths = [int(part.split('"')[0]) for part in drawn.split('width="')[2:]]
    assert widths == [480, 160, 1, 1]
    monkeypatch.setattr(sys, "argv", ["environments.py", "chequers"])
    with pytest.raises(SystemExit):
        environments.main()
    assert "there is no game 'chequers'" in capsys.readouterr().err
