//! Nets and lanes: random playouts against exact distributions, and reasoners against each other.

use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::trace::{Level, playout};
use ludolog::game::{End, Interpreted, JointMove, Move, Role, State, StateMachine};
use ludolog::propnet::{GroundGame, Lanes, Mode, Net, NetMachine, Tally};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{self, Syntax};
use std::sync::Arc;
use std::time::Duration;

fn net(rulesheet: &str) -> Net {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    let program = analysis::analyze(&program).expect("the rulesheet is sound").stratified;
    let ground = GroundGame::new(&program, &Budget::unlimited()).expect("the rulesheet grounds");
    Net::new(&ground, &Budget::unlimited()).expect("the rulesheet has a net")
}

/// What comes of playing in a mode, on lanes of this many words, until so many playouts have ended.
fn played<const N: usize>(net: &Net, mode: Mode, least: u64) -> Tally {
    let lanes = Lanes::new(net, mode, &Budget::unlimited()).expect("nothing stops it");
    let mut tally = Tally::default();
    for seed in 1.. {
        tally.add(&lanes.play::<N>(seed, &Budget::unlimited().with_timeout(Duration::from_millis(50))));
        if tally.playouts >= least {
            break;
        }
    }
    tally
}

/// A game of one move, whose number is the goal.
fn one_move(moves: usize) -> String {
    let numbers = |text: &dyn Fn(usize) -> String| (0..moves).map(text).collect::<String>();
    let legal = numbers(&|i| format!("(legal robot (pick {i})) "));
    let goals = numbers(&|i| format!("(<= (goal robot {i}) (true (picked {i}))) "));
    format!(
        "(role robot) (init start) {legal} (<= (next (picked ?x)) (does robot (pick ?x))) (<= terminal (not (true start))) {goals}"
    )
}

/// Pearson's statistic stays below the 0.9999 quantile of its distribution.
#[test]
fn moves_are_chosen_uniformly() {
    for (moves, quantile) in [(2, 15.1), (3, 18.4), (5, 23.5), (7, 27.9), (10, 33.7), (13, 39.1)] {
        let net = net(&one_move(moves));
        for mode in Mode::ALL {
            let tally = played::<4>(&net, mode, 100_000);
            let counts: Vec<f64> = tally.goals[0].iter().map(|(_, count)| *count as f64).collect();
            let expected = counts.iter().sum::<f64>() / moves as f64;
            let statistic: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
            assert_eq!((counts.len(), tally.without_goal[0]), (moves, 0));
            assert!(statistic < quantile, "{moves} moves {mode:?}: {statistic} of {counts:?}");
        }
    }
}

/// Of random games, X wins 737/1260, O wins 121/420 and 8/63 are drawn: counted over all games, each with its chance.
#[test]
fn tic_tac_toe_ends_as_often_as_it_must() {
    let net = net(include_str!("../rules/games/tic-tac-toe.kif"));
    let share = [(0, 121.0 / 420.0), (50, 8.0 / 63.0), (100, 737.0 / 1260.0)];
    for mode in Mode::ALL {
        let tallies =
            [played::<4>(&net, mode, 200_000), played::<8>(&net, mode, 200_000), played::<16>(&net, mode, 200_000)];
        for tally in tallies {
            let playouts = tally.playouts as f64;
            for ((value, count), (expected_value, share)) in tally.goals[0].iter().zip(share) {
                assert_eq!(*value, expected_value);
                let deviation = (*count as f64 - playouts * share) / (playouts * share * (1.0 - share)).sqrt();
                assert!(deviation.abs() < 4.5, "{mode:?}: {value} in {count} of {playouts}, {deviation} deviations");
            }
        }
    }
}

/// Counted over all games, each with its chance, a random game has 3203/420 moves. Running free, a lane takes a round for each
/// move and one to begin again; in step it waits for the longest game, of nine moves.
#[test]
fn lanes_are_busy_while_games_last() {
    let net = net(include_str!("../rules/games/tic-tac-toe.kif"));
    let length = 3203.0 / 420.0;
    for (mode, expected) in [(Mode::Free, length / (length + 1.0)), (Mode::InStep, length / 10.0)] {
        let mut tally = played::<4>(&net, mode, 100_000);
        assert_eq!(tally.lane_rounds % 256, 0);
        let busy = tally.busy().expect("lanes played");
        assert!((busy - expected).abs() < 0.003, "{mode:?}: {busy} instead of {expected}");
        tally.add(&tally.clone());
        assert_eq!(tally.busy(), Some(busy), "{mode:?}");
    }
    assert_eq!(Tally::default().busy(), None);
}

/// Playouts walk the interpreted rules and the net in step: facts, moves, ends and goals are the same.
fn agree(rulesheet: &str, playouts: u64) {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    let program = analysis::analyze(&program).expect("the rulesheet is sound").stratified;
    let mut rules = Interpreted::new(&program, Budget::unlimited()).expect("the game starts");
    let mut net = NetMachine::new(&Arc::new(net(rulesheet)), Budget::unlimited());
    for seed in 1..=playouts {
        let traces = [
            playout(&mut rules, seed, 1000, &Budget::unlimited()).expect("it ends"),
            playout(&mut net, seed, 1000, &Budget::unlimited()).expect("it ends"),
        ];
        assert_eq!(traces[0], traces[1], "seed {seed}");
    }
}

/// As in the test above, of playouts from states that are given. A playout that may have no more joint moves is cut.
#[test]
fn playouts_from_states_end_as_often_as_they_must() {
    let net = Arc::new(net(include_str!("../rules/games/tic-tac-toe.kif")));
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let start = machine.initial_state().clone();
    // 40 lanes in one word, 200 in four and 60,000 in eight, which are used again and again.
    for count in [40, 200, 60_000] {
        let starts = vec![start.clone(); count];
        let mut wins = 0;
        for seed in 0..(60_000 / count as u64) {
            let outcomes = machine.random_playouts(&starts, 9, seed).expect("there is no limit");
            assert!(outcomes.iter().all(|outcome| outcome.end == End::Terminal && (5..=9).contains(&outcome.steps)));
            wins += outcomes.iter().filter(|outcome| outcome.goals == [Some(100), Some(0)]).count();
        }
        let (playouts, share): (f64, f64) = (60_000.0, 737.0 / 1260.0);
        let deviation = (wins as f64 - playouts * share) / (playouts * share * (1.0 - share)).sqrt();
        assert!(deviation.abs() < 4.5, "{wins} wins in {playouts}");
    }
    let cut = machine.random_playouts(&vec![start.clone(); 300], 4, 1).expect("there is no limit");
    assert!(cut.iter().all(|outcome| outcome.end == End::MaxSteps && outcome.steps == 4));
    let none = machine.random_playouts(&[start], 0, 1).expect("there is no limit");
    assert_eq!((none[0].end, none[0].steps), (End::MaxSteps, 0));
    assert!(machine.random_playouts(&[], 9, 1).expect("there is no limit").is_empty());
}

#[test]
fn playouts_from_states_tell_who_is_stuck() {
    let net = net("(role one) (role two) (init start)
         (<= (legal one go) (true start)) (<= (legal one go) (true middle)) (legal two wait)
         (<= (next middle) (true start)) (<= (next end) (true middle)) (goal one 1) (<= terminal (true never))");
    let mut machine = NetMachine::new(&Arc::new(net), Budget::unlimited());
    let start = machine.initial_state().clone();
    let outcome = machine.random_playouts(&[start], 9, 1).expect("there is no limit").swap_remove(0);
    assert_eq!((outcome.end, outcome.steps, outcome.goals), (End::Stuck(Role(0)), 2, vec![Some(1), None]));
}

/// States are answered for in batches as they are one by one.
#[test]
fn batches_answer_as_single_states_do() {
    let mut machine = NetMachine::new(&Arc::new(net(include_str!("../rules/games/hex-3x3.kif"))), Budget::unlimited());
    let mut level = Level::first(&machine);
    for _ in 0..4 {
        level = level.next(&mut machine, 100_000, &Budget::unlimited()).expect("there is no limit");
    }
    let states: Vec<State> = level.states().keys().cloned().collect();
    assert!(states.len() > 256 && !states.len().is_multiple_of(64), "more than one batch, the last one not full");
    let terminal = machine.are_terminal(&states).expect("there is no limit");
    let legal = machine.all_legal_moves(&states).expect("there is no limit");
    let goals = machine.all_goals(&states).expect("there is no limit");
    let joint: Vec<JointMove> =
        legal.iter().map(|moves| moves.iter().map(|moves| *moves.last().expect("a move")).collect()).collect();
    let steps: Vec<(&State, &[Move])> = states.iter().zip(&joint).map(|(state, joint)| (state, &joint[..])).collect();
    let next = machine.next_states(&steps).expect("there is no limit");
    for (i, state) in states.iter().enumerate() {
        assert_eq!(machine.is_terminal(state).as_ref(), Ok(&terminal[i]));
        for role in [Role(0), Role(1)] {
            assert_eq!(machine.legal_moves(state, role).as_ref(), Ok(&legal[i][role.0 as usize]));
            assert_eq!(machine.goal(state, role).as_ref(), Ok(&goals[i][role.0 as usize]));
        }
        assert_eq!(machine.next_state(state, &joint[i]).as_ref(), Ok(&next[i]));
    }
}

#[test]
fn facts_that_depend_on_each_other_have_a_net() {
    agree(CYCLIC, 100);
}

/// The walls never change, and what stands where is no part of the gates; pushing against one changes nothing.
#[test]
fn facts_that_never_change_are_facts_of_each_state() {
    let maze = "(role mouse) (succ 1 2) (succ 2 3) (succ 3 4)
        (init (wall 2 north)) (init (wall 3 east)) (init exit) (init (at 1)) (init (step 1))
        (<= (next (wall ?x ?d)) (true (wall ?x ?d))) (<= (next exit) (true exit))
        (<= (legal mouse (go ?d)) (true exit) (direction ?d)) (direction east) (direction north)
        (<= (next (at ?y)) (does mouse (go ?d)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?x ?d))))
        (<= (next (at ?x)) (does mouse (go ?d)) (true (at ?x)) (true (wall ?x ?d)))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step 4))) (<= (goal mouse ?x) (true (at ?x)))";
    agree(maze, 30);
    let net = Arc::new(net(maze));
    assert_eq!(net.constants.len(), 3);
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let mut facts = machine.facts(&machine.initial_state().clone());
    assert_eq!(facts.len(), 5);
    assert_eq!(machine.state_of(facts.clone()).as_ref(), Ok(machine.initial_state()));
    facts.retain(|fact| *fact != Term::symbol("exit"));
    assert!(machine.state_of(facts).is_err());
}

#[test]
fn ends_without_a_goal_or_a_move_are_counted_apart() {
    // Turn left and there is no legal move; turn right and there are two goals.
    let net = net("(role robot) (init start)
         (<= (legal robot left) (true start)) (<= (legal robot right) (true start))
         (<= (next ?x) (does robot ?x))
         (<= terminal (true right)) (<= (goal robot 1) (true right)) (<= (goal robot 2) (true right))");
    for mode in Mode::ALL {
        let tally = played::<4>(&net, mode, 10_000);
        assert_eq!(tally.without_goal[0], tally.playouts);
        let share = tally.stuck as f64 / tally.playouts as f64;
        assert!((share - 0.5).abs() < 0.03, "{mode:?}: {share}");
        assert_eq!(tally.goals[0], [(1, 0), (2, 0)]);
    }
}

fn ludolog(rulesheet: &str, command: &str, options: &[&str]) -> std::process::Output {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("game.kif");
    std::fs::write(&file, rulesheet).expect("the file is written");
    let mut process = assert_cmd::Command::cargo_bin("ludolog").expect("the binary is built");
    process.args(["game", command]).arg(&file).args(options).output().expect("it runs")
}

/// The terms of the lists have no end, and no rule for the state asks for more than one of them.
const WITHOUT_NET: &str = "(role robot) (init (list nil)) (legal robot grow)
    (<= (next (list (cons ?x))) (does robot grow) (true (list ?x))) (<= terminal (true (list (cons (cons nil)))))
    (goal robot 100)";

/// Reachability among nodes whose links are cut one by one, as they are in a circle with a chord and a link to itself.
const CYCLIC: &str =
    "(role cutter) (link a b) (link b c) (link c d) (link d a) (link b d) (link c c) (link e f) (link f e)
    (<= (init (linked ?x ?y)) (link ?x ?y)) (init (at a))
    (<= (reached ?x) (true (at ?x)))
    (<= (reached ?y) (reached ?x) (true (linked ?x ?y)))
    (<= (reached ?x) (reached ?y) (true (linked ?x ?y)))
    (<= (legal cutter (cut ?x ?y)) (true (linked ?x ?y)))
    (<= (next (linked ?x ?y)) (true (linked ?x ?y)) (not (does cutter (cut ?x ?y))))
    (<= (next (at ?x)) (true (at ?x)))
    (<= terminal (not (reached c)))
    (<= (goal cutter 100) (reached d)) (<= (goal cutter 0) (not (reached d)))";

#[test]
fn commands_play_and_compare() {
    let game = one_move(4);
    let output = ludolog(&game, "playouts", &["--seconds", "100ms", "--threads", "2", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["reasoner"], &report["threads"]), (&"net".into(), &2.into()));
    assert_eq!(report["mean_length"], 1.0);
    let busy = report["busy"].as_f64().expect("lanes play");
    assert!((busy - 0.5).abs() < 0.05, "a round for the move, another to begin: {busy}");
    let counted: u64 = report["roles"][0]["goals"]
        .as_array()
        .expect("goals")
        .iter()
        .filter_map(|goal| goal["playouts"].as_u64())
        .sum();
    assert_eq!(report["playouts"], counted);
    let output = ludolog(&game, "playouts", &["--seconds", "100ms", "--reasoner", "interpreted", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["reasoner"], &report["mean_length"]), (&"interpreted".into(), &1.0.into()));
    assert!(report["busy"].is_null(), "{report}");
    let output = ludolog(&game, "verify", &["--seconds", "100ms"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = ludolog(&game, "net", &["--format", "dot"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("label=\"does robot (pick 3)\""), "{output:?}");
}

#[test]
fn a_game_without_a_net_is_interpreted_and_one_without_roles_is_none() {
    let output = ludolog(WITHOUT_NET, "playouts", &["--reasoner", "net"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nests more than"), "{output:?}");
    let output = ludolog(WITHOUT_NET, "playouts", &["--seconds", "50ms"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("interpreted"), "{output:?}");
    for reasoner in ["net", "interpreted"] {
        let output = ludolog("(init on) (legal robot wait)", "playouts", &["--reasoner", reasoner]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("(`role`)"), "{output:?}");
    }
}
