//! Nets and lanes: random playouts against exact distributions, and reasoners against each other.

use ludolog::analysis;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::Interpreted;
use ludolog::propnet::{Difference, GroundGame, Lanes, Lockstep, Mode, Net, NetMachine, Said, Tally, Watcher};
use ludolog::syntax::{self, Syntax};
use std::time::Duration;

fn program(rulesheet: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    analysis::analyze(&program).expect("the rulesheet is sound").stratified
}

fn net(rulesheet: &str) -> Net {
    let ground = GroundGame::new(&program(rulesheet), &Budget::unlimited()).expect("the rulesheet grounds");
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
    let net = net(TIC_TAC_TOE);
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

const TIC_TAC_TOE: &str = include_str!("../rules/games/tic-tac-toe.kif");

/// The first difference between the rules of tic-tac-toe and a net, walked by machines and played by lanes of each mode.
fn differences(net: &Net) -> Vec<Option<Difference>> {
    let rules = || Interpreted::new(&program(TIC_TAC_TOE), Budget::unlimited()).expect("it is a game");
    let machine = NetMachine::new(net, Budget::unlimited());
    let mut lockstep = Lockstep::new(vec![("rules", Box::new(rules())), ("net", Box::new(machine))]);
    let walk = |seed| lockstep.walk(seed, 9, &Budget::unlimited()).expect("there is no limit");
    let mut found = vec![(1..200).find_map(walk)];
    if found[0].is_none() {
        assert_eq!(lockstep.ask_again(), Ok(None));
    }
    for mode in Mode::ALL {
        let mut lockstep = Lockstep::new(vec![("rules", Box::new(rules()))]);
        let lanes = Lanes::new(net, mode, &Budget::unlimited()).expect("nothing stops it");
        let picked = [0, 63, 64, 255];
        let watched = lanes.watch::<4>(&Watcher::new(net), &picked, 1, 200, &Budget::unlimited());
        let replay = |states| lockstep.replay("lanes", net, states, &Budget::unlimited()).expect("there is no limit");
        found.push(watched.iter().map(Vec::as_slice).find_map(replay));
        assert!(found.last().is_some_and(Option::is_some) || lockstep.playouts > 50, "{mode:?}: {}", lockstep.playouts);
    }
    found
}

/// Each fault is in one rule of a net, and is told by the question that the rule answers.
#[test]
fn reasoners_that_part_are_told() {
    assert_eq!(differences(&net(TIC_TAC_TOE)), [const { None }; 4]);
    let faults = [
        // Cross may put a second mark on a cell: its first ply has as many moves, its second two more.
        ("    (not (marked ?c ?r)))\n(<= (legal ?p wait)", ")\n(<= (legal ?p wait)", "legal"),
        // Marks vanish.
        ("(<= (next (mark ?c ?r ?p)) (true (mark ?c ?r ?p)))", "", "true (mark"),
        // One column does not win, so a game goes on.
        ("(<= (line ?p) (true (mark ?c 1 ?p)) (true (mark ?c 2 ?p)) (true (mark ?c 3 ?p)))", "", "terminal|goal"),
        // Winners get less.
        ("(<= (goal ?p 100) (line ?p))", "(<= (goal ?p 99) (line ?p))", "goal"),
        // Nought begins.
        ("(init (turn cross))", "(init (turn nought))", "true (turn cross)"),
    ];
    for (rule, instead, question) in faults {
        assert!(TIC_TAC_TOE.contains(rule), "{rule}");
        for found in differences(&net(&TIC_TAC_TOE.replace(rule, instead))) {
            let found = found.unwrap_or_else(|| panic!("nobody has seen that {rule} is {instead}"));
            assert!(question.split('|').any(|question| found.question.contains(question)), "{rule}: {found}");
            assert_eq!((&*found.said[0].0, found.said.len()), ("rules", 2));
            assert_ne!(found.said[0].1, found.said[1].1, "{found}");
            assert!(found.moves.len() < 10 && found.moves.iter().all(|joint| joint.len() == 2), "{found:?}");
        }
    }
    let first = differences(&net(&TIC_TAC_TOE.replace("(init (turn cross))", "(init (turn nought))"))).swap_remove(0);
    let said = vec![("rules".to_owned(), Said::Truth(true)), ("net".to_owned(), Said::Truth(false))];
    let expected = Difference { playout: 1, moves: Vec::new(), question: "true (turn cross)".to_owned(), said };
    assert_eq!(first, Some(expected));
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
    let output = ludolog(&game, "verify", &["--seconds", "400ms", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reasoners = report[0]["reasoners"].as_array().expect("a list");
    let names: Vec<&str> = reasoners.iter().filter_map(|row| row["reasoner"].as_str()).collect();
    assert_eq!(names, ["net", "lanes free", "lanes in-step", "lanes refilled"]);
    for row in reasoners {
        assert_eq!((&row["difference"], &row["error"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        assert!(row["states"].as_u64() > Some(0), "{row}");
    }
    let output = ludolog(&game, "net", &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // Of each move: a fact and an atom for `next`, `true`, `legal`, `does`, `goal`; besides, `start`, and `terminal`.
    let number = |field: &str| report[field].as_u64().expect("a number");
    assert_eq!((number("facts"), number("atoms")), (5, 5 * 4 + 2), "{report}");
    // `next` for all moves at once, 4 goals, `terminal`; and the 4 facts of `legal`.
    assert_eq!((number("rules"), number("ground_rules")), (6, 13), "{report}");
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

/// Rules that grow without end, each in another way, and what is told of them: by nets, and by the rules.
const GROWING: [(&str, &str, &str); 3] = [
    // States count with nested terms. The rules play on; each playout ends at the deepest term.
    (
        "(role robot) (init (n zero)) (legal robot count) (<= (next (n (s ?x))) (true (n ?x)))
         (<= terminal (true over)) (goal robot 100)",
        "no net: terms nest more than 2000 deep in (<= (next (n (s ?x))) (true (n ?x)))",
        "",
    ),
    // A relation of a billion facts.
    (
        "(<= (big ?a ?b ?c ?d ?e) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))
         (role robot) (init (n zero)) (legal robot go) (<= (next ?a) (big ?a ?b ?c ?d ?e))
         (<= terminal (true over)) (goal robot 100)",
        "`big/5`",
        "`big/5` had grown to",
    ),
    // As many legal moves.
    (
        "(<= (legal robot (go ?a ?b ?c ?d ?e)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))
         (role robot) (init (n zero)) (<= (next ?a) (does robot (go ?a ?b ?c ?d ?e)))
         (<= terminal (true over)) (goal robot 100)",
        "(legal robot (go ?a ?b ?c ?d ?e))",
        "`legal/2` had grown to",
    ),
];

#[test]
fn what_grows_without_end_is_named() {
    let digits: String = (0..64).map(|digit| format!("(digit {digit}) ")).collect();
    for (rules, by_net, by_rules) in GROWING {
        let rules = format!("{rules} {digits}");
        let errors = |command: &str, options: &[&str]| {
            let output = ludolog(&rules, command, &[&["--timeout", "2s"], options].concat());
            let errors = String::from_utf8(output.stderr).expect("text");
            assert!(!errors.contains("--max-facts") && !errors.contains("panicked"), "{command}: {errors}");
            (output.status.code(), errors)
        };
        for (command, options) in [("net", &[][..]), ("playouts", &["--reasoner", "net"])] {
            let (code, told) = errors(command, options);
            assert_eq!(code, Some(2), "{command}: {told}");
            assert!(told.contains(by_net) && told.contains("--reasoner interpreted"), "{command}: {told}");
        }
        let interpreted = ["--reasoner", "interpreted"];
        for (command, options) in [
            ("playouts", &[&interpreted[..], &["--seconds", "500ms"]].concat()[..]),
            ("perft", &[&interpreted[..], &["--depth", "2"]].concat()),
            ("trace", &[&interpreted[..], &["--depth", "2", "--seeds", "1"]].concat()),
            ("show", &[]),
        ] {
            let (code, told) = errors(command, options);
            assert_eq!(code, Some(if by_rules.is_empty() { 0 } else { 2 }), "{command}: {told}");
            assert!(told.contains(by_rules), "{command}: {told}");
        }
    }
}

#[test]
fn endless_playouts_are_an_outcome_of_their_own() {
    let output = ludolog(GROWING[0].0, "playouts", &["--seconds", "300ms", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &report["playouts"]), (Some(0), &0.into()));
    assert!(report["endless"].as_u64() > Some(0), "{report}");
}

/// A robot that goes in one of 30 directions, in 4 dimensions: a level has up to a million states.
#[test]
fn a_stop_leaves_one_document() {
    let directions: String = (0..30).map(|i| format!("(legal robot (go {i})) (next {i} {} ) ", (i + 1) % 30)).collect();
    let rules = format!(
        "(role robot) {directions} (init start)
         (<= (next (went ?x ?y)) (true (went ?x ?y))) (<= (next (went ?n ?x)) (does robot (go ?x)) (true (at ?n)))
         (init (at 0)) (<= (next (at ?m)) (true (at ?n)) (next ?n ?m)) (goal robot 0) (<= terminal (true never))"
    );
    for reasoner in ["net", "interpreted"] {
        let options = ["--seeds", "1", "--depth", "9", "--timeout", "2s", "--format", "json", "--reasoner", reasoner];
        let output = ludolog(&rules, "trace", &options);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("error: "), "{output:?}");
        let row: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert_ne!(row["perft_stop"], "complete");
        let levels = row["levels"].as_array().expect("levels").len();
        let perft: Vec<u128> = row["perft"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|n| n.as_str().and_then(|n| n.parse().ok()).expect("a number"))
            .collect();
        // One level more is counted than found.
        assert_eq!(perft, (0..=levels as u32).map(|depth| 30u128.pow(depth)).collect::<Vec<_>>(), "{reasoner}");
    }
}

#[cfg(unix)]
#[test]
fn interruption_prints_what_was_counted() {
    for (command, options) in [
        ("playouts", &["--seconds", "60s", "--reasoner", "interpreted"][..]),
        ("playouts", &["--seconds", "60s", "--reasoner", "net", "--mode", "free", "--lanes", "256"]),
        ("trace", &["--seeds", "100000000", "--reasoner", "net"]),
        ("verify", &["--seconds", "60s"]),
    ] {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/games/tic-tac-toe.kif");
        let mut process = std::process::Command::new(assert_cmd::cargo::cargo_bin("ludolog"));
        process.args(["game", command, file, "--format", "json"]).args(options);
        let child = process.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn();
        let child = child.expect("it runs");
        std::thread::sleep(Duration::from_millis(1500));
        let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{command}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
        let counted = match command {
            "playouts" => report["playouts"].as_u64(),
            "trace" => report["playouts"].as_array().map(|playouts| playouts.len() as u64),
            _ => report[0]["reasoners"][0]["states"].as_u64(),
        };
        assert!(counted > Some(0), "{command}: {report}");
    }
}
