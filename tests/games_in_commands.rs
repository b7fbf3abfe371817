//! Every game that comes with Ludolog in the commands that play and solve games.

use crate::binary::run;
use ludolog::family::games::GAMES;
use serde_json::Value;
use std::fs;

/// The least sizes on which whoever begins has a choice and does not win at once.
const SIZES: &[(&str, &str)] = &[
    ("hex-swap", "2x2"),
    ("hex-beck", "2x2"),
    ("rex", "2x2"),
    ("trex", "2x2"),
    ("dark-hex", "2x2"),
    ("hex-in-y", "2x2"),
    ("hex-cylinder", "3x2"),
    ("hex-4.8.8", "2x2"),
    ("hex-3.12.12", "2x2"),
    ("hex-4.6.12", "1x2"),
    ("hex-graph", "2x2"),
    ("hex-cube", "2^3"),
    ("y", "3"),
    ("y-swap", "3"),
    ("havannah", "2"),
    ("tex", "2"),
    ("shannon-vertices", "2x2"),
    ("shannon-edges", "2x2"),
    ("bridg-it", "2"),
    ("in-a-row", "3x3x3"),
    ("cube", "3^2"),
    ("set-coloring", "3x2x2"),
    ("coloring", "3"),
    ("nim", "1-2"),
];

/// Games that are not solved, and the reasons.
const UNSOLVED: &[(&str, &str)] = &[
    ("breakthrough-5x5", LARGE),
    ("connect-four", LARGE),
    ("connect-four-5x4", LARGE),
    ("dark-hex-2x2", HIDDEN),
    ("goofspiel-4", "several roles have a choice in the same state"),
    ("hex-cube-2^3", "the game has 3 roles; games of one role and of two opposed roles are solved"),
    ("kuhn-poker", HIDDEN),
    ("monty-hall", HIDDEN),
    ("phantom-tic-tac-toe", HIDDEN),
    ("reversi-6x6", LARGE),
    ("three-throws", HIDDEN),
    ("tic-tac-toe-3d", LARGE),
];
const HIDDEN: &str = "the game hides its states";
const LARGE: &str = "did not finish in 0.3 s; allow more with --timeout";

/// What a command prints as JSON that succeeds.
fn json(args: &[&str]) -> Value {
    let (code, output, errors) = run(".", &[args, &["--format", "json"]].concat(), "");
    assert_eq!((code, &*errors), (0, ""), "{args:?}: {output}");
    serde_json::from_str(&output).expect("JSON")
}

/// The names of all games, those of the family by their least sizes.
fn names() -> Vec<String> {
    let (code, list, _) = run(".", &["games", "list"], "");
    assert_eq!(code, 0);
    let listed =
        list.lines().filter_map(|line| line.split(' ').next()?.strip_prefix("std:games/")?.strip_suffix(".kif"));
    let usual: Vec<String> = GAMES.iter().map(|game| game.sized(game.form.usual)).collect();
    let mut names: Vec<String> =
        listed.filter(|name| !usual.iter().any(|usual| usual == name)).map(str::to_owned).collect();
    for game in GAMES {
        let size = SIZES.iter().find(|(name, _)| *name == game.name).map(|(_, size)| size);
        names.push(format!("{}-{}", game.name, size.unwrap_or_else(|| panic!("{} has no least size here", game.name))));
    }
    names
}

#[test]
fn every_game_is_played_and_solved() {
    let names = names();
    assert!(names.len() > GAMES.len());
    for name in &names {
        let roles = json(&["game", "show", name])["roles"].as_array().expect("roles").clone();
        let played: Vec<bool> = roles.iter().map(|role| role != "random").collect();
        let players = played.iter().filter(|played| **played).count();
        let roles = roles.len();

        let unsolved = UNSOLVED.iter().find(|(unsolved, _)| unsolved == name);
        // Tree search takes no longer than it needs to solve a game.
        let first = if unsolved.is_some() { "random" } else { "mcts" };
        let players = [&[first][..], &vec!["random"; players - 1]].concat();
        let clocks = ["--start-clock", "2s", "--play-clock", "1s"];
        let record = json(&[&["match", name][..], &players, &clocks].concat());
        assert_eq!((&record["isCompleted"], &record["ludolog"]["end"]), (&true.into(), &"terminal".into()), "{name}");
        let goals = record["goalValues"].as_array().expect("goals");
        let is_goal = |(goal, is_played): (&Value, &bool)| match goal.as_i64() {
            Some(goal) => (0..=100).contains(&goal),
            None => !is_played,
        };
        assert!(goals.len() == roles && goals.iter().zip(&played).all(is_goal), "{name}");

        let (code, text, errors) = run(".", &["play", name, "--against", "random"], "1\nquit\n");
        assert_eq!((code, &*errors), (0, ""), "{name}: {text}");
        // Before the first choice in a game of chance, chance has moved.
        let first = if played.contains(&false) { "> 1\n2. " } else { "> 1\n1. " };
        assert!(text.contains(first) && text.contains("> quit"), "{name}: {text}");

        let lanes = ["--time", "10ms", "--lanes", "256", "--mode", "in-step"];
        let random = json(&[&["game", "playouts", name][..], &lanes].concat());
        assert!(random["reasoner"] == "net" && random["roles"].as_array().unwrap().len() == roles, "{name}: {random}");

        let args = ["game", "solve", name, "--timeout", "300ms"];
        match unsolved {
            None => assert_eq!(json(&args)["goals"].as_array().map(Vec::len), Some(roles), "{name}"),
            Some((_, reason)) => {
                let (code, _, errors) = run(".", &args, "");
                assert!(code == 2 && errors.contains(reason), "{name}: {errors}");
            }
        }
    }
}

/// Moves of a `.dl` game as its commands print them, with blanks between, and as terms are written, with commas.
#[test]
fn moves_are_read_as_they_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "role(a). role(b). init(at(0, 0)). legal(a, go(1, 'to the left')). legal(b, wait). legal(b, [x, y]).
        next(at(X, Y)) :- does(a, go(X, Y)). terminal :- true(at(1, 'to the left')). goal(R, 50) :- role(R).";
    fs::write(folder.path().join("g.dl"), rules).expect("it is written");
    for moves in ["go(1, 'to the left') wait", "go(1, 'to the left'), [x, y]", " go(1,'to the left')   [x, y] "] {
        let (status, shown, told) = run(folder.path(), &["game", "show", "g.dl", "--move", moves], "");
        assert!(status == 0 && shown.contains("terminal"), "{moves}: {shown}{told}");
    }
    let (status, _, told) = run(folder.path(), &["game", "show", "g.dl", "--move", "go(1, 2"], "");
    assert!(status == 2 && told.contains("as in 'mark(1, 1) noop'"), "{told}");
}
