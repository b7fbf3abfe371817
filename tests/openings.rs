//! Matches that begin elsewhere than in the first state: `--openings`, `--from`.

use crate::binary::ludolog;
use crate::protocol::{Server, fake, ok};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What a command prints as JSON.
fn document(folder: &Path, args: &[&str]) -> Value {
    let output = ludolog(folder, args).args(["--format", "json"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// The error of a command that fails.
fn error(folder: &Path, args: &[&str]) -> String {
    let output = ludolog(folder, args).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).expect("a text")
}

/// Both orders of two players begin alike, after as many joint moves as are asked for; another seed begins elsewhere.
#[test]
fn a_seed_is_an_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let begin = |players: [&str; 2], seed: &str| {
        let args = ["match", "connect-four", players[0], players[1], "--openings", "4", "--seed", seed];
        let clocks = ["--start-clock", "1", "--play-clock", "1"];
        let record = document(folder.path(), &[&args[..], &clocks].concat());
        (record["states"][0].clone(), record["ludolog"]["opening"].clone())
    };
    let (state, opening) = begin(["random", "legal"], "5");
    assert_eq!((state.clone(), opening.clone()), begin(["legal", "random"], "5"));
    assert_ne!(state, begin(["random", "legal"], "6").0);
    // Each of four joint moves puts a piece, and red is to move again.
    let state = state.as_str().expect("a state");
    assert_eq!((state.matches("(piece ").count(), state.matches("(turn red)").count()), (4, 1));
    assert_eq!(opening.as_array().map(Vec::len), Some(4));
    assert_eq!(opening[0][1], "wait");
}

/// The state to begin in is the `init` of the rules that players elsewhere get.
#[test]
fn players_elsewhere_are_told_by_their_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, receiver) = std::sync::mpsc::channel();
    let url = fake(move |message| {
        sender.send(message.to_owned()).expect("the test waits");
        (ok(if message.starts_with("(start ") { "READY" } else { "stay" }), Duration::ZERO)
    });
    let rules = "(role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal ?r stay) (role ?r)) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 3))) (goal a 70) (<= (goal b ?n) (init (step ?n)))";
    fs::write(folder.path().join("three.kif"), rules).expect("a file");
    fs::write(folder.path().join("one.kif"), "(true (step 1))").expect("a file");
    fs::write(folder.path().join("two.dl"), "step(2).").expect("a file");
    for (state, first, moves) in [("one.kif", "(step 1)", 2), ("two.dl", "(step 2)", 1)] {
        let clocks = ["--start-clock", "3", "--play-clock", "1"];
        let record =
            document(folder.path(), &[&["match", "three.kif", "legal", &url, "--from", state][..], &clocks].concat());
        let told: Vec<String> = receiver.try_iter().collect();
        let told = &told[0];
        assert!(told.contains(&format!("(init {first})")), "{told}");
        assert_eq!(told.matches("(init ").count(), 1, "{told}");
        assert_eq!(record["states"][0], format!("({first})"));
        assert_eq!(record["moves"].as_array().map(Vec::len), Some(moves));
        // A rule that reads `init` reads what the rulesheet says.
        assert_eq!(record["goalValues"], json!([70, 0]));
    }
}

#[test]
fn a_player_behind_http_plays_on_from_an_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&["--player", "mcts"]);
    let args =
        ["match", "tic-tac-toe", &server.url, "random", "--openings", "3", "--seed", "2", "--play-clock", "300ms"];
    let record = document(folder.path(), &args);
    assert_eq!(record["states"][0].as_str().expect("a state").matches("(mark ").count(), 3);
    assert_eq!(record["isCompleted"], true);
}

#[test]
fn what_cannot_begin_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("over.kif", "(mark 1 1 cross) (mark 1 2 cross) (mark 1 3 cross) (turn nought)"),
        ("two-turns.kif", "(turn nought) (turn cross)"),
        ("unknown.kif", "(turn cross) (mark 4 1 cross)"),
        ("wrong.kif", "(turn cross"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let begin =
        |options: &[&str]| error(folder.path(), &[&["match", "tic-tac-toe", "random", "random"], options].concat());
    for (name, expected) in [
        ("over.kif", "over.kif: the game is over in the state that it would begin in"),
        ("two-turns.kif", "has (turn nought) and (turn cross)"),
        ("unknown.kif", "(mark 4 1 cross), which no reachable state has"),
        ("wrong.kif", "wrong.kif:1:"),
        ("missing.kif", "missing.kif"),
    ] {
        let told = begin(&["--from", name]);
        assert!(told.contains(expected), "{told}");
    }
    assert!(begin(&["--openings", "9"]).contains("after each of 200 openings of 9 random joint moves; take fewer"));
    assert!(begin(&["--openings", "2", "--from", "over.kif"]).contains("cannot be used with"));
    assert!(begin(&["--openings", "2", "--database", "some"]).contains("leave one of them out"));
}

/// In a round, all rotations of the seats begin alike; each round begins elsewhere.
#[test]
fn rotations_share_their_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["tournament", "connect-four", "--player", "random", "legal", "--rounds", "2", "--openings", "6"];
    let clocks = ["--start-clock", "1", "--play-clock", "1", "--output", "played"];
    document(folder.path(), &[&args[..], &clocks].concat());
    let lines = fs::read_to_string(folder.path().join("played/results.jsonl")).expect("a log");
    let mut first: Vec<(u64, Value)> = Vec::new();
    for line in lines.lines().skip(1) {
        let line: Value = serde_json::from_str(line).expect("a line");
        let path = format!("played/matches/{}.json", line["id"].as_str().expect("a name"));
        let record: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join(path)).expect("a file")).expect("a document");
        first.push((line["round"].as_u64().expect("a number"), record["states"][0].clone()));
    }
    first.sort_by_key(|(round, _)| *round);
    assert_eq!(first.len(), 4);
    assert!(first[0] == first[1] && first[2] == first[3] && first[1].1 != first[2].1, "{first:?}");
    // With fewer rounds than have been played, those count that have.
    let fewer = document(folder.path(), &[&args[..6], &["1"], &args[7..], &clocks].concat());
    assert_eq!((&fewer["scheduled"], &fewer["played"]), (&4.into(), &4.into()));
    // The same record with other openings is another tournament.
    let told = error(folder.path(), &[&args[..7], &["--openings", "8"], &clocks].concat());
    assert!(told.contains("openings"), "{told}");
}

/// A tournament does not go on from another state in the same file.
#[test]
fn another_state_is_another_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let args =
        ["tournament", "tic-tac-toe", "--player", "random", "legal", "--from", "state.kif", "--output", "played"];
    let args = [&args[..], &["--start-clock", "1", "--play-clock", "1"]].concat();
    let state = folder.path().join("state.kif");
    fs::write(&state, "(turn nought) (mark 1 1 cross)").expect("a file");
    document(folder.path(), &args);
    fs::write(&state, "; the same\n(true (mark 1 1 cross)) (true (turn nought))").expect("a file");
    assert_eq!(document(folder.path(), &args)["played"], 2);
    fs::write(&state, "(turn nought) (mark 2 2 cross)").expect("a file");
    let told = error(folder.path(), &args);
    assert!(told.contains("another tournament, whose `openings`"), "{told}");
}

#[test]
fn series_are_told_by_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["bench", "players", "tic-tac-toe", "--variation", "one-leaf", "--matches", "4", "--openings", "2"];
    let rows = document(folder.path(), &[&args[..], &["--play-clock", "20ms"]].concat());
    let pairs = rows[0]["pairs"].as_str().expect("a text");
    let counts = pairs.split(' ').map(|count| count[1..].parse::<u64>().expect("a number"));
    assert_eq!((counts.sum::<u64>(), &rows[0]["matches"]), (2, &json!(4)), "{pairs}");
}

/// Take one to three of 21, whose numbers may fall below zero for all that the rules say: there is no net that knows what comes up.
const SUBTRACT: &str = "role(left). role(right).
init(pile(21)). init(control(left)).
legal(P, take(K)) :- true(control(P)), true(pile(N)), K in 1..3, K <= N.
legal(P, noop) :- role(P), ~true(control(P)).
next(pile(M)) :- true(pile(N)), does(P, take(K)), M is N - K.
next(control(left)) :- true(control(right)).
next(control(right)) :- true(control(left)).
terminal :- true(pile(0)).
goal(P, 100) :- true(pile(0)), role(P), ~true(control(P)).
goal(P, 0) :- true(pile(0)), true(control(P)).
goal(P, 50) :- role(P), ~terminal.
";

#[test]
fn slips_in_a_state_are_told_without_a_net() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("subtract.dl", SUBTRACT);
    for (text, expected) in [
        ("(pilee 4) (control left)", "state.kif: the state has (pilee 4), which no reachable state has"),
        ("(pile 4 1) (control left)", "state.kif: the state has (pile 4 1), which no reachable state has"),
        ("(control left)", "state.kif: left has no legal move in the state that it would begin in"),
        ("; nothing", "state.kif has no facts"),
    ] {
        write("state.kif", text);
        let told = error(folder.path(), &["match", "subtract.dl", "legal", "random", "--from", "state.kif"]);
        assert!(told.contains(expected), "{told}");
    }
    // More than there are at first, which the rules say all about.
    write("state.kif", "(pile 99) (control right)");
    let record = document(folder.path(), &["match", "subtract.dl", "legal", "random", "--from", "state.kif"]);
    assert_eq!(record["isCompleted"], true);
}
