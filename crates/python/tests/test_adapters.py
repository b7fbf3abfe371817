"""The environments of other libraries pass those libraries' own tests, where they are installed."""

import doctest
import sys

import ludolog
import numpy as np
import pytest

TURNS = ["std:games/tic-tac-toe.kif", "std:games/connect-four.kif", "std:games/nim.kif"]
AT_ONCE = "std:games/goofspiel-4.kif"


def test_gymnasium_env():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env
    from ludolog.gymnasium import Env

    for path in [*TURNS, AT_ONCE]:
        check_env(Env(path, role=1, illegal="draw"), skip_render_check=True)
    env = Env(TURNS[0], role=1)
    _, info = env.reset(seed=3)
    assert info["action_mask"].sum() == 8, "the other role has begun"
    with pytest.raises(ludolog.Error):
        env.step(int(info["action_mask"].argmin()))
    terminated = False
    while not terminated:
        _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert reward in (0, 50, 100) and not truncated


@pytest.mark.parametrize("name", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
def test_gymnasium_lanes(name):
    pytest.importorskip("gymnasium")
    from gymnasium.vector import AutoresetMode
    from ludolog.gymnasium import VectorEnv

    mode = AutoresetMode[name]
    for path in [*TURNS, AT_ONCE]:
        env = VectorEnv(path, num_envs=32, role=0, autoreset_mode=mode)
        observations, info = env.reset(seed=1)
        first = observations.copy()
        assert env.observation_space.contains(observations.astype(np.int8))
        over = np.zeros(32, bool)
        ends = 0
        for _ in range(60):
            masks = info["action_mask"].astype(bool)
            actions = np.where(masks.any(1), masks.argmax(1), 0)
            observations, rewards, terminated, truncated, info = env.step(actions)
            assert not truncated.any() and ((rewards >= 0) & (rewards <= 100)).all()
            if mode is AutoresetMode.NEXT_STEP:
                assert not (terminated & over).any(), "what was over has begun anew"
                assert (rewards[over] == 0).all()
            if mode is AutoresetMode.SAME_STEP and terminated.any():
                assert (info["_final_obs"] == terminated).all()
            if mode is AutoresetMode.DISABLED and terminated.all():
                observations, info = env.reset(options={"reset_mask": terminated})
                terminated = np.zeros(32, bool)
                ends += 32
            ends += int((terminated & ~over).sum())
            over = terminated
        assert ends >= 32
        again, _ = VectorEnv(path, num_envs=32, role=0, autoreset_mode=mode).reset(seed=1)
        assert (again == first).all(), "a seed gives the same lanes"


def test_gymnasium_refuses():
    pytest.importorskip("gymnasium")
    from ludolog.gymnasium import Env, VectorEnv

    with pytest.raises(ludolog.Error, match="no role"):
        VectorEnv(TURNS[0], role=2)
    with pytest.raises(ludolog.Error, match="shape"):
        env = VectorEnv(TURNS[0], num_envs=2)
        env.reset(seed=1)
        env.step([0])
    with pytest.raises(ludolog.Error, match="illegal"):
        Env(TURNS[0], illegal="maybe")


def test_gymnasium_refuses_what_is_no_action():
    """-2 keeps the state of a lane in the game below, and is in no action space."""
    pytest.importorskip("gymnasium")
    from ludolog.gymnasium import Env, VectorEnv

    alone = "std:games/peg-solitaire.kif"
    lanes = VectorEnv(alone, num_envs=2)
    _, info = lanes.reset(seed=1)
    first = int(info["action_mask"][0].argmax())
    with pytest.raises(ludolog.Error, match="lane 1: there is no action -2"):
        lanes.step([first, -2])
    assert (lanes._observed()[1]["action_mask"] == info["action_mask"]).all(), "nothing has moved"
    env = Env(alone)
    env.reset(seed=1)
    for action in (-2, 1.0, float("nan"), "2", None):
        with pytest.raises(ludolog.Error):
            env.step(action)
    drawn = Env(alone, illegal="draw")
    before, _ = drawn.reset(seed=1)
    assert (drawn.step(-2)[0] != before).any()
    with pytest.raises(ludolog.Error, match="integers"):
        drawn.step(float("nan"))


def test_gymnasium_seeds_and_modes():
    pytest.importorskip("gymnasium")
    from gymnasium.vector import AutoresetMode
    from ludolog.gymnasium import Env, VectorEnv

    def first(seed):
        return VectorEnv(TURNS[0], num_envs=16, role=1).reset(seed=seed)[0]

    for seed in (3, np.int64(3), list(range(16)), np.arange(16)):
        assert (first(seed) == first(seed)).all()
    assert (first(3) == first(np.int64(3))).all() and (first(3) != first(4)).any()
    assert (first([1] * 16) != first([2] * 16)).any()
    env = VectorEnv(TURNS[0], num_envs=2, autoreset_mode="NextStep")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    with pytest.raises(ludolog.Error, match="`autoreset_mode` is one of 'NextStep'"):
        VectorEnv(TURNS[0], autoreset_mode="nonsense")
    for seed in (1.5, "a", True, -1, [1], [1, None]):
        with pytest.raises(ludolog.Error, match="seed"):
            env.reset(seed=seed)
    env.reset(seed=1)
    with pytest.raises(ludolog.Error, match="actions are integers, not float64"):
        env.step(np.array([1.7, 2.2]))
    for mask in ([True], [1, 0], [[True, False]]):
        with pytest.raises(ludolog.Error, match="`reset_mask` is 2 booleans"):
            env.reset(options={"reset_mask": mask})
    one = Env(TURNS[0])
    _, info = one.reset(seed=np.int64(1))
    over = False
    while not over:
        _, _, over, _, info = one.step(int(info["action_mask"].argmax()))
    assert one.step(0)[1:3] == (0.0, True), "what is over stays so"


#: Of the first moves of `a`, one ends the game before `b` has a choice.
SHORT = """
    (role a) (role b) (init (turn a))
    (<= (legal a quit) (true (turn a))) (<= (legal a go) (true (turn a))) (<= (legal b noop) (true (turn a)))
    (<= (legal b x) (true (turn b))) (<= (legal b y) (true (turn b))) (<= (legal a noop) (true (turn b)))
    (<= (next over) (does a quit)) (<= (next (turn b)) (does a go)) (<= (next over) (does b x)) (<= (next over) (does b y))
    (<= terminal (true over)) (<= (goal a 100) (true over)) (<= (goal b 0) (true over))
"""


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_games_that_end_before_the_turn(mode):
    pytest.importorskip("gymnasium")
    from ludolog.gymnasium import Env, VectorEnv

    env = VectorEnv(text=SHORT, num_envs=64, role=1, autoreset_mode=mode)
    _, info = env.reset(seed=1)
    for _ in range(4):
        assert info["_action_mask"].all(), "the role has a choice in each lane"
        _, rewards, terminated, _, info = env.step(info["action_mask"].argmax(1))
        assert terminated.all() and (rewards == 0).all()
        if mode == "NextStep":
            _, _, terminated, _, info = env.step(np.zeros(64, int))
            assert not terminated.any()
        elif mode == "Disabled":
            _, info = env.reset(options={"reset_mask": terminated})
    assert Env(text=SHORT, role=1).reset(seed=1)[1]["action_mask"].any()
    quits = SHORT.replace("(<= (legal a go) (true (turn a)))", "")
    with pytest.raises(ludolog.Error, match="before b had a choice"):
        VectorEnv(text=quits, role=1).reset(seed=1)


def test_hidden_games_are_not_shown():
    pytest.importorskip("gymnasium")
    pytest.importorskip("pettingzoo")
    from ludolog.gymnasium import Env, VectorEnv
    from ludolog.pettingzoo import env, parallel_env

    for make in (Env, VectorEnv, env, parallel_env):
        with pytest.raises(ludolog.Error, match=r"hides its states .* `ludolog.openspiel`"):
            make("std:games/kuhn-poker.kif")
    assert ludolog.vector("std:games/kuhn-poker.kif").hides and not ludolog.vector(TURNS[0]).hides


def test_openspiel_reads_rules_that_have_changed(tmp_path, monkeypatch):
    pyspiel = pytest.importorskip("pyspiel")
    import ludolog.openspiel  # noqa: F401

    rules, part = tmp_path / "rules.kif", tmp_path / "part.kif"
    text = '(include "part.kif") (role a) (init (on)) (<= (next (off)) (does a ?m)) (<= terminal (true (off))) (goal a 100)'
    rules.write_text(text)
    part.write_text("(legal a go)")
    monkeypatch.chdir(tmp_path)
    game = pyspiel.load_game("ludolog", {"path": "rules.kif"})
    assert game.num_distinct_actions() == 1
    state = game.new_initial_state()
    assert state.action_to_string(0, 0) == "go"
    for action in (-1, 1):
        with pytest.raises(ludolog.Error, match=f"no action {action}"):
            state.action_to_string(0, action)
    monkeypatch.chdir("/")
    assert game.new_initial_state().legal_actions() == [0], "a relative path leads where it led"
    part.write_text("(legal a go) (legal a stay)")
    assert pyspiel.load_game("ludolog", {"path": str(rules)}).num_distinct_actions() == 2


def test_pettingzoo():
    pytest.importorskip("pettingzoo")
    from ludolog.pettingzoo import env, parallel_env
    from pettingzoo.test import api_test, parallel_api_test

    for path in [*TURNS, AT_ONCE]:
        parallel_api_test(parallel_env(path), num_cycles=200)
        api_test(env(path), num_cycles=200)
    game = env(AT_ONCE)
    game.reset()
    first = game.agent_selection
    game.step(int(game.observe(first)["action_mask"].argmax()))
    assert game.agent_selection != first, "both choose before anything happens"
    with pytest.raises(ludolog.Error, match="not legal"):
        game.step(10_000)


@pytest.mark.parametrize("action", [-2, 1.9, "2", None, True])
def test_pettingzoo_refuses_what_is_no_action(action):
    pytest.importorskip("pettingzoo")
    from ludolog.pettingzoo import env, parallel_env

    both = parallel_env(AT_ONCE)
    both.reset()
    with pytest.raises(ludolog.Error, match="action"):
        both.step(dict.fromkeys(both.agents, action))
    turns = env(AT_ONCE)
    turns.reset()
    first = turns.agent_selection
    with pytest.raises(ludolog.Error, match="action"):
        turns.step(action)
    assert turns.agent_selection == first


def test_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    import ludolog.openspiel

    assert doctest.testmod(sys.modules["ludolog.openspiel"]).failed == 0
    game = pyspiel.load_game("ludolog(path=std:games/connect-four.kif)")
    pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)
    assert ludolog.openspiel.LudologGame({"path": AT_ONCE}).num_players() == 2
    with pytest.raises(ludolog.Error, match="several roles"):
        pyspiel.load_game(f"ludolog(path={AT_ONCE})").new_initial_state().current_player()


def test_hidden_games_are_those_of_openspiel():
    """Kuhn poker, of which a chip is half a point here: the same tree of information states, and the same exploitability."""
    pyspiel = pytest.importorskip("pyspiel")
    import ludolog.openspiel  # noqa: F401
    from open_spiel.python import policy
    from open_spiel.python.algorithms.exploitability import nash_conv

    ours, theirs = pyspiel.load_game("ludolog(path=std:games/kuhn-poker.kif)"), pyspiel.load_game("kuhn_poker")
    pyspiel.random_sim_test(ours, num_sims=10, serialize=False, verbose=False)
    assert ours.get_type().information == theirs.get_type().information
    uniform = [policy.UniformRandomPolicy(game) for game in (ours, theirs)]
    assert 2 * nash_conv(ours, uniform[0]) == pytest.approx(nash_conv(theirs, uniform[1]))
    sets = [len(policy.TabularPolicy(game).state_lookup) for game in (ours, theirs)]
    assert sets == [12, 12]
