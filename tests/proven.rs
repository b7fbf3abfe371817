//! What trees and players call proven, on small games whose values are worked out by hand.

use crate::binary::run;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The roles `a` and `b`; `a` goes left or right, and the game goes on with `l` or `r`.
const FORK: &str = "(role a) (role b) (init s)
    (<= (legal a left) (true s)) (<= (legal a right) (true s)) (<= (legal b noop) (true s))
    (<= (next l) (does a left)) (<= (next r) (does a right))
    (<= terminal (true r)) (<= (goal a 40) (true r)) (<= (goal b 60) (true r))";

/// A folder with a rulesheet `game.kif`.
fn folder(rules: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("game.kif"), rules).expect("it can be written");
    folder
}

/// The record of a match of the game in a folder. Clocks are short.
fn played(folder: &TempDir, players: &[&str], max_steps: &str) -> Value {
    let options =
        ["--start-clock", "1s", "--play-clock", "300ms", "--max-steps", max_steps, "--seed", "1", "--format", "json"];
    let (status, told, failed) = run(folder, &[&["match", "game.kif"], players, &options[..]].concat(), "");
    assert_eq!(status, 0, "{players:?}: {failed}");
    serde_json::from_str(&told).expect("JSON")
}

/// Where `a` goes left a role has no move, has two goals, or has none: the tree says so as the solver does, and nothing is
/// proven of it.
#[test]
fn states_without_a_value_are_refused_and_never_proven() {
    let broken = [
        "(<= (legal a noop) (true l)) (<= (goal a 100) (true l)) (<= (goal b 0) (true l))",
        "(<= terminal (true l)) (<= (goal a 10) (true l)) (<= (goal a 80) (true l)) (<= (goal b 20) (true l))",
        "(<= terminal (true l)) (<= (goal b 0) (true l))",
    ];
    for rest in broken {
        let folder = folder(&format!("{FORK} {rest}"));
        let [tree, solve] = ["tree", "solve"].map(|command| run(&folder, &["game", command, "game.kif"], ""));
        assert_eq!((tree.0, solve.0), (2, 2), "{rest}");
        assert!(solve.2.ends_with("\nin the state l\n"), "{}", solve.2);
        assert_eq!(tree.2.replacen("no tree: ", "", 1), solve.2, "{rest}");
        for player in ["mcts", "zermelo", "alpha-beta", "auto"] {
            let record = played(&folder, &[player, "random"], "5");
            let thoughts = [&record["ludolog"]["startThoughts"][0], &record["ludolog"]["thoughts"][0][0]];
            assert!(thoughts.iter().all(|thought| thought["proven"] != json!(true)), "{player}, {rest}: {record}");
        }
    }
}
