//! Nets and lanes: random playouts against exact distributions, and reasoners against each other.

use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::propnet::{GroundGame, Lanes, Mode, Net, Tally};
use ludolog::syntax::{self, Syntax};
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

/// The lights are wired in a circle.
const CYCLIC: &str = "(role robot) (init off) (legal robot switch) (<= (next on) (does robot switch))
    (<= light other) (<= other light) (<= light (true on)) (<= terminal other) (goal robot 100)";

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
    let output = ludolog(CYCLIC, "playouts", &["--reasoner", "net"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("depend on each other"), "{output:?}");
    let output = ludolog(CYCLIC, "playouts", &["--seconds", "50ms"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("interpreted"), "{output:?}");
    for reasoner in ["net", "interpreted"] {
        let output = ludolog("(init on) (legal robot wait)", "playouts", &["--reasoner", reasoner]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("(`role`)"), "{output:?}");
    }
}
