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

/// The record of a match of the game in a folder. On a busy machine a player may be late, which is a fault; then the match is
/// played again.
fn played(folder: &TempDir, players: &[&str], max_steps: &str) -> Value {
    let clocks = ["--start-clock", "1s", "--play-clock", "500ms"];
    let options = ["--max-steps", max_steps, "--seed", "1", "--format", "json"];
    let args = [&["match", "game.kif"], players, &clocks[..], &options].concat();
    let in_time = (0..5).map(|_| run(folder, &args, "")).find(|(status, ..)| *status == 0);
    let (_, told, _) = in_time.unwrap_or_else(|| panic!("{players:?} are never in time"));
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

/// The moves of `a` in a match of the game in a folder, and what the first player came to.
fn way(folder: &TempDir, players: &[&str]) -> (Vec<String>, Value) {
    let record = played(folder, players, "60");
    let moves = record["moves"].as_array().expect("an array").iter();
    (moves.map(|joint| joint[0].as_str().expect("a move").to_owned()).collect(), record["goalValues"][0].clone())
}

/// Waiting leads back, where the win is proven too.
#[test]
fn a_proven_win_is_played_to_its_end() {
    let alone = "(role a) (init (at 0)) (s 0 1) (s 1 2) (s 2 3)
        (<= (legal a wait) (true (at ?s))) (<= (legal a go) (true (at ?s)))
        (<= (next (at ?s)) (true (at ?s)) (does a wait)) (<= (next (at ?t)) (true (at ?s)) (does a go) (s ?s ?t))
        (<= terminal (true (at 3))) (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3))))";
    let (moves, goal) = way(&folder(alone), &["mcts"]);
    assert_eq!((moves.last().map(String::as_str), goal), (Some("go"), json!(100)));
    assert!(moves.len() <= 4, "a proof may come with the second move: {moves:?}");
}

/// A token on a graph that both roles move along, with these edges, turns and ends; it begins at 0.
fn token(edges: &str, turns: &str, ends: &str) -> String {
    let list = |name: &str, all: &str| all.split(',').map(|one| format!("({name} {})", one.trim())).collect::<String>();
    let [edges, turns, ends] = [("edge", edges), ("turn", turns), ("end", ends)].map(|(name, all)| list(name, all));
    format!(
        "(role a) (role b) (init (at 0)) {edges} {turns} {ends}
         (<= (legal ?p (go ?t)) (true (at ?s)) (turn ?s ?p) (edge ?s ?t))
         (<= (legal ?p stay) (role ?p) (true (at ?s)) (turn ?s ?q) (distinct ?p ?q))
         (<= (next (at ?t)) (does ?p (go ?t))) (<= terminal (true (at ?s)) (end ?s ?x ?y))
         (<= (goal a ?x) (true (at ?s)) (end ?s ?x ?y)) (<= (goal b ?y) (true (at ?s)) (end ?s ?x ?y))"
    )
}

/// `b` has one move wherever it is to move, to 6 and 10. There `a` can go around in 10 for ever, or to 4 and 5, which `b`
/// leaves to 3: a wins in five joint moves.
#[test]
fn a_win_beside_a_circle_is_played_by_both_searches() {
    let rules = token(
        "0 6, 6 10, 10 10, 10 4, 4 5, 4 11, 5 4, 5 3",
        "0 b, 6 b, 10 a, 4 a, 5 b, 3 b, 11 a",
        "3 100 0, 11 100 0",
    );
    for player in ["mcts", "alpha-beta", "auto"] {
        let (moves, goal) = way(&folder(&rules), &[player, "random"]);
        assert_eq!(goal, json!(100), "{player}: {moves:?}");
    }
}

/// The best end of the game is worth 60: a search that expects more of waiting waits for ever.
#[test]
fn nothing_is_expected_that_no_end_gives() {
    let rules = token(
        "0 8, 8 0, 8 5, 5 0, 5 3, 5 6, 6 2, 6 9, 2 8, 9 9",
        "0 b, 2 b, 3 a, 5 a, 6 a, 8 a, 9 b",
        "3 20 80, 9 60 40",
    );
    for player in ["mcts", "alpha-beta", "auto"] {
        let folder = folder(&rules);
        let record = played(&folder, &[player, "random"], "60");
        assert_eq!(record["goalValues"], json!([60, 40]), "{player}: {record}");
        for thoughts in record["ludolog"]["thoughts"].as_array().expect("an array") {
            assert!(thoughts[0]["value"].as_f64().is_none_or(|value| value <= 60.001), "{player}: {thoughts}");
        }
    }
}

/// `a` may pass for ever at 1, where it has no win: an end is drawn, another one is lost.
#[test]
fn a_drawn_end_is_better_than_a_circle() {
    let rules = token("0 1, 1 1, 1 2, 1 3, 1 4, 4 1, 4 5", "0 b, 1 a, 2 a, 3 a, 4 b, 5 a", "2 50 50, 3 0 100, 5 100 0");
    for player in ["mcts", "alpha-beta", "auto"] {
        let (moves, goal) = way(&folder(&rules), &[player, "random"]);
        assert!(goal == json!(50) || goal == json!(100), "{player}: {moves:?}");
    }
}

/// From 0 `d` goes to 4, where `c` has 100 by either move and `d` 100 or 50; or to 5, and from there to the end at 8, where
/// `d` has 100 whatever the others like.
const INDIFFERENT: &str = "(role a) (role b) (role c) (role d) (init (at 0))
    (edge 0 4) (edge 0 5) (edge 4 6) (edge 4 7) (edge 5 8) (turn 0 d) (turn 4 c) (turn 5 d)
    (end 6 a 25) (end 6 b 0) (end 6 c 100) (end 6 d 100) (end 7 a 25) (end 7 b 100) (end 7 c 100) (end 7 d 50)
    (end 8 a 0) (end 8 b 0) (end 8 c 50) (end 8 d 100)
    (<= (legal ?p (go ?t)) (true (at ?s)) (turn ?s ?p) (edge ?s ?t))
    (<= (legal ?p stay) (role ?p) (true (at ?s)) (turn ?s ?q) (distinct ?p ?q))
    (<= (next (at ?t)) (does ?p (go ?t))) (<= terminal (true (at ?s)) (end ?s ?p ?v))
    (<= (goal ?p ?v) (true (at ?s)) (end ?s ?p ?v))";

/// Of moves that promise the same the one is made that forces it.
#[test]
fn what_can_be_forced_is_not_left_to_others() {
    let forced = folder(INDIFFERENT);
    // Without the way over 5 nothing is certain.
    let hoped = folder(&INDIFFERENT.replace("(edge 0 5)", ""));
    for player in ["zermelo", "auto", "mcts"] {
        let players = ["random", "random", "random", player];
        let record = played(&forced, &players, "9");
        assert_eq!((&record["moves"][0][3], &record["goalValues"][3]), (&json!("(go 5)"), &json!(100)), "{player}");
        let first = &played(&hoped, &players, "9")["ludolog"]["startThoughts"][3];
        assert_ne!(first["proven"], json!(true), "{player}: {first}");
    }
    let certain = &played(&forced, &["random", "random", "random", "zermelo"], "9")["ludolog"]["startThoughts"][3];
    assert_eq!((&certain["value"], &certain["proven"]), (&json!(100.0), &json!(true)));
}
