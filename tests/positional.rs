//! Positional games as users meet them: files, boards, rulesheets, proofs and their check.

use crate::binary::ludolog;
use ludolog::engine::Budget;
use ludolog::formulation::LIBRARY;
use ludolog::positional::matching::recognize::recognize;
use ludolog::positional::matching::{Configuration, CoverTarget};
use ludolog::positional::pairing::hales_jewett;
use ludolog::positional::strong::{StrongOutcome, solve};
use ludolog::positional::{Player, Points, Position};
use ludolog::syntax::budget::Poll;
use ludolog::syntax::diagnostic::Sources;
use serde_json::Value;
use std::path::Path;

fn json(directory: &Path, args: &[&str]) -> Value {
    let output = ludolog(directory, args).args(["--format", "json"]).output().expect("the command runs");
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// The positions that come with Ludolog, one for each row of table 1.
fn examples() -> Vec<Position> {
    let names = LIBRARY.names().into_iter().filter(|name| name.starts_with("std:positional/"));
    names
        .map(|name| {
            let text = LIBRARY.text(&name).expect("a shipped file");
            Position::parse(&text, Sources::new().add(name.clone(), &*text)).expect(&name)
        })
        .collect()
}

/// What section 3 of the paper says of its examples.
#[test]
fn the_examples_have_the_stated_properties() {
    let mut names = Vec::new();
    let budget = Budget::unlimited();
    for position in examples() {
        let name = position.name.clone().expect("a name");
        let configuration = Configuration::library().into_iter().find(|configuration| configuration.name == name);
        let configuration = configuration.expect(&name);
        let [x, o] = Player::BOTH.map(|player| position.claimed(player).count());
        assert!((x, position.to_move, position.winner()) == (o, Player::X, None), "{name}");
        // The winning sets left are those of the configuration, and what is empty in them are its markers.
        let open = position.open_sets(Player::X);
        let bits: Vec<Points> = open.iter().map(|set| set.iter().copied().collect()).collect();
        assert_eq!(open.len(), configuration.groups.len(), "{name}");
        assert_eq!(Points::union(&bits).len(), configuration.markers(), "{name}");
        assert!(!recognize(&configuration, &bits, 1, &mut Poll::new(&budget, 100)).unwrap().is_empty(), "{name}");
        // Nothing is forced: O has no set of which a single point is missing.
        assert!(position.open_sets(Player::O).iter().all(|set| set.len() > 1), "{name}");
        assert_eq!(hales_jewett(&open, &budget), Ok(None), "{name}");
        names.push(name);
    }
    let expected = Configuration::named().into_iter().map(|configuration| configuration.name);
    let mut expected: Vec<String> = expected.chain(["C5".to_owned(), "C5/Line".to_owned()]).collect();
    expected.sort();
    names.sort();
    assert_eq!(names, expected);
}

/// The main result: with matching sets one node, with pairings a search.
#[test]
fn the_examples_need_one_node_with_matching_sets() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in LIBRARY.names().into_iter().filter(|name| name.starts_with("std:positional/")) {
        let nodes = |means: &str| {
            let proved = json(directory.path(), &["prove", "draw", &name, "--means", means]);
            assert_eq!(proved["draw"], true, "{name}");
            proved["claims"][0]["nodes"].as_u64().expect("nodes")
        };
        assert_eq!((nodes("configurations"), nodes("search")), (1, 1), "{name}");
        assert!(nodes("pairing") > 10, "{name}");
    }
}

#[test]
fn the_search_agrees_with_itself_without_cutoffs() {
    for position in examples() {
        for cutoff in [None, Some(CoverTarget::Pairing), Some(CoverTarget::Configurations), Some(CoverTarget::Search)] {
            assert_eq!(solve(&position, cutoff, &Budget::unlimited()).unwrap().outcome, StrongOutcome::Draw);
        }
    }
}

#[test]
fn empty_4x4_is_proved_a_draw_and_the_proof_is_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    let proved = json(directory.path(), &["prove", "draw", "--mnk", "4x4x4", "--proof", "draw.json"]);
    assert_eq!((&proved["draw"], &proved["proof"]), (&Value::Bool(true), &Value::from("draw.json")));
    assert_eq!(proved["claims"][0]["method"], "configurations");
    assert_eq!(proved["claims"][1]["method"], "stealing");
    let accepted = ludolog(directory.path(), &["verify", "draw.json"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(accepted).unwrap(), "accepted: a draw on 4x4x4 with 0 marks, X to move (2 steps)\n");

    let sound = std::fs::read_to_string(directory.path().join("draw.json")).expect("a certificate");
    let altered = sound.replacen("\"marker\":\"a1\"", "\"marker\":\"c1\"", 1);
    assert_ne!(altered, sound);
    std::fs::write(directory.path().join("altered.json"), altered).expect("a file");
    let refused = ludolog(directory.path(), &["verify", "altered.json"]).assert().code(1).get_output().stdout.clone();
    let refused = String::from_utf8(refused).unwrap();
    assert!(refused.starts_with("refused: altered.json, step 1 of the claim about X: "), "{refused}");
    let verdict = json(directory.path(), &["verify", "altered.json"]);
    assert_eq!((&verdict["accepted"], &verdict["step"]), (&Value::Bool(false), &Value::from(1)));
}

#[test]
fn a_proof_by_search_is_checked_too() {
    let directory = tempfile::tempdir().expect("a directory");
    let args = ["prove", "draw", "--mnk", "3x3x3", "--proof", "draw.json"];
    let proved = json(directory.path(), &args);
    assert_eq!((&proved["draw"], &proved["claims"][0]["method"]), (&Value::Bool(true), &Value::from("search")));
    ludolog(directory.path(), &["verify", "draw.json"]).assert().success();
}

/// Sets that are complete end the game, whoever is to move: the other player may have one left to complete.
#[test]
fn a_position_that_is_over_has_its_winner() {
    let directory = tempfile::tempdir().expect("a directory");
    let positions = [
        ("mnk: 3x3x3\nto-move: x\nX X .\nO O O\n. . .\n", "O"),
        ("mnk: 3x3x3\nto-move: o\nX X X\nO O .\n. . .\n", "X"),
        ("mnk: 3x3x3\nto-move: x\nX X X\nO O .\n. . .\n", "X"),
        ("set: a b e f\nset: a c\nset: a d\nset: b d\nto-move: x\nx: d\no: a c\n", "O"),
    ];
    for (text, winner) in positions {
        std::fs::write(directory.path().join("over.txt"), text).expect("a file");
        let told = ludolog(directory.path(), &["prove", "draw", "over.txt"]).assert().code(1);
        assert_eq!(String::from_utf8_lossy(&told.get_output().stdout), format!("{winner} has won\n"), "{text}");
        let told = json(directory.path(), &["prove", "draw", "over.txt"]);
        let name = winner.to_lowercase();
        assert_eq!((&told["draw"], &told["winner"]), (&Value::Bool(false), &Value::from(&*name)), "{text}");
        let claim = &told["claims"][0];
        assert_eq!(claim["can_win"], Value::Bool(claim["player"] == *name), "{text}");
        assert_eq!(json(directory.path(), &["positional", "solve", "over.txt"])["winner"], *name, "{text}");
    }
}

#[test]
fn verify_takes_certificates_of_hex() {
    let directory = tempfile::tempdir().expect("a directory");
    ludolog(directory.path(), &["hex", "solve", "3x3", "--proof", "win.txt"]).assert().success();
    let told = ludolog(directory.path(), &["verify", "win.txt"]).assert().success().get_output().stdout.clone();
    assert!(String::from_utf8(told).unwrap().starts_with("accepted: red wins on 3x3"));
    std::fs::write(directory.path().join("none.txt"), "nonsense\n").expect("a file");
    ludolog(directory.path(), &["verify", "none.txt"]).assert().code(1);
    std::fs::write(directory.path().join("none.json"), "{ \"nonsense\": 1 }").expect("a file");
    ludolog(directory.path(), &["verify", "none.json"]).assert().code(1);
    ludolog(directory.path(), &["verify", "missing"]).assert().code(2);
}

/// A rulesheet that begins with marks: the mark has its meaning, and the first state is not that of an empty board.
#[test]
fn a_rulesheet_that_begins_with_marks_is_told_as_such() {
    let directory = tempfile::tempdir().expect("a directory");
    let shown =
        ludolog(directory.path(), &["games", "show", "tic-tac-toe"]).assert().success().get_output().stdout.clone();
    let rules = String::from_utf8(shown).expect("text");
    let marks = "(init (turn cross)) (init (mark 1 1 cross)) (init (mark 2 2 nought))";
    let marked = rules.replace("(init (turn cross))", marks);
    assert_ne!(marked, rules);
    std::fs::write(directory.path().join("marked.kif"), marked).expect("a file");
    let told = ludolog(directory.path(), &["prove", "draw", "marked.kif"]).assert().code(2).get_output().stderr.clone();
    let told = String::from_utf8(told).expect("text");
    let mark = ["(mark 1 1 cross)", "(mark 2 2 nought)"].into_iter().find(|mark| told.contains(mark));
    assert!(
        mark.is_some() && told.contains("games are recognized from a first state in which no point is claimed"),
        "{told}"
    );
}

#[test]
fn who_wins_is_told_with_the_exit_status() {
    let directory = tempfile::tempdir().expect("a directory");
    let said = |args: &[&str], status: i32| {
        let output = ludolog(directory.path(), args).assert().code(status).get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    assert!(said(&["prove", "draw", "--mnk", "4x3x3"], 1).starts_with("X wins"));
    assert!(said(&["positional", "solve", "--cube", "3^3"], 0).starts_with("X wins ("));
    assert!(said(&["positional", "solve", "--mnk", "3x3x3"], 0).starts_with("a draw"));
    assert!(said(&["positional", "solve", "--mnk", "3x3x3", "--maker", "x"], 0).starts_with("X wins as Maker"));
    assert!(said(&["positional", "solve", "--mnk", "3x3x3", "--maker", "o"], 0).starts_with("X wins as Breaker"));
    assert_eq!(said(&["positional", "match", "--mnk", "3x3x3"], 1), "no matching was found\n");
    assert!(said(&["positional", "match", "--mnk", "5x5x5"], 0).ends_with("coverage ratio 2.00\n"));
    assert!(said(&["positional", "show", "--mnk", "4x4x4"], 0).contains("BiTriangle 20"));
    assert!(said(&["positional", "solve", "--mnk", "7x7x4", "--timeout", "100ms"], 1).starts_with("not solved: "));
    ludolog(directory.path(), &["positional", "solve", "--mnk", "20x20x5"]).assert().code(2);
    ludolog(directory.path(), &["positional", "solve", "--mnk", "4x4"]).assert().code(2);
}

#[test]
fn texts_that_are_no_games_are_told_where() {
    let directory = tempfile::tempdir().expect("a directory");
    for (text, message) in [
        ("set: a b\nset:\n", "a winning set has no points"),
        ("set: a b a\n", "a winning set has `a` twice"),
        ("set: a b;\n", "`b;` names no point"),
        ("set: {a,b}\n", "`{a,b}` is one point, and looks like several"),
        ("set: a b\nx: c\n", "there is no point `c`"),
        ("set: a b\nx: a\no: a\n", "`a` is marked twice"),
        ("x: a\n", "there are no winning sets"),
        ("mnk: 3x3\n", "`3x3` is no board"),
        ("mnk: 3x0x3\n", "3x0x3 is no board: sides, lengths and dimensions are at least 1"),
        ("mnk: 9999x9999x5\n", "9999x9999x5 has more points or lines than 1048576"),
        ("cube: 9^9\n", "9^9 has more points or lines than 1048576"),
        ("mnk: 2x2x2\nX O\n", "1 rows on a board of 2"),
        ("mnk: 2x2x2\nX O\nX O X\n", "a row of 3 points on a board of 2 columns"),
        ("mnk: 2x2x2\nset: a b\n", "a board and winning sets are given"),
        ("set: a b\nwin: a\n", "there is no key `win`"),
        ("set: a b\nto-move: z\n", "`z` is no player"),
        ("set: a b\nto-move: x\nto-move: o\n", "`to-move` is said twice"),
        ("mnk: 3x3x3\nX X X\nO O O\n. . .\n", "both players have a complete winning set"),
        ("set: a b\nset: c\nx: a b\no: c\n", "both players have a complete winning set"),
        ("set: a b\nX O\n", "a picture without a board"),
        ("hello world\n", "`h` is no mark"),
    ] {
        std::fs::write(directory.path().join("game.txt"), text).expect("a file");
        ludolog(directory.path(), &["positional", "show", "game.txt"]).assert().code(2);
        let told = json(directory.path(), &["positional", "show", "game.txt"]);
        assert_eq!(told["error"]["message"], message, "{text}");
        assert_eq!(told["error"]["diagnostics"][0]["code"], "positional-game", "{text}");
    }
}

/// X has two sides of a triangle after two moves; six points, each in one set, would be a draw.
#[test]
fn commas_separate_points() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in
        [("commas.txt", "set: a, b\nset: b, c\nset: c, a\n"), ("spaces.txt", "set: a b\nset: b c\nset: c a\n")]
    {
        std::fs::write(directory.path().join(name), text).expect("a file");
        let told = json(directory.path(), &["prove", "draw", name]);
        assert_eq!((&told["draw"], &told["winner"]), (&false.into(), &"x".into()), "{name}");
        assert_eq!(json(directory.path(), &["positional", "solve", name])["winner"], "x", "{name}");
    }
}

/// Each set shares a point with the next one, so that the pairing has to be found as a whole.
#[test]
fn a_million_winning_sets_are_paired() {
    let directory = tempfile::tempdir().expect("a directory");
    let sets = |count: usize| -> String {
        (0..count).map(|i| format!("set: p{} p{} p{}\n", 2 * i, 2 * i + 1, 2 * i + 2)).collect()
    };
    std::fs::write(directory.path().join("million.txt"), sets(1_000_000)).expect("a file");
    let proved = json(directory.path(), &["prove", "draw", "million.txt"]);
    assert_eq!((&proved["draw"], &proved["claims"][0]["method"]), (&Value::Bool(true), &Value::from("pairing")));
    // What has no pairing is refused at once, since it is too large for a search.
    let text = sets(100_000) + "set: p0 p1\nset: p0 p2\nset: p1 p2\n";
    std::fs::write(directory.path().join("odd.txt"), text).expect("a file");
    let told = json(directory.path(), &["prove", "draw", "odd.txt"]);
    assert_eq!(told["error"]["message"], "the game has 200001 points; games are searched up to 128");
}

/// Boards whose parts are too many to be drawn are not drawn: 11,164 pairs among 216,000 points
/// took minutes after the proof.
#[test]
fn a_proof_of_many_pairs_is_told_as_soon_as_it_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let args = ["prove", "draw", "--cube", "60^3"];
    let told = ludolog(directory.path(), &args).timeout(std::time::Duration::from_secs(30)).assert().success();
    let told = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
    // ((60 + 2)^3 - 60^3) / 2 lines, with a pair each.
    assert!(told.starts_with("11164 pairs and matching sets\nX cannot win, by a pairing (1 node, 1 step)\n"), "{told}");
}

/// Two boards of 4x4, each of which needs matching sets, beside pairs: 152 points, in sets of two words.
#[test]
fn matching_sets_are_found_and_checked_among_more_points_than_are_searched() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut text = String::new();
    for board in ["a", "b"] {
        let mut line =
            |points: [usize; 4]| text += &format!("set: {}\n", points.map(|p| format!("{board}{p}")).join(" "));
        (0..4).for_each(|i| line([0, 1, 2, 3].map(|k| 4 * i + k)));
        (0..4).for_each(|i| line([0, 1, 2, 3].map(|k| 4 * k + i)));
        line([0, 5, 10, 15]);
        line([3, 6, 9, 12]);
    }
    (0..60).for_each(|pair| text += &format!("set: p{pair} q{pair}\n"));
    std::fs::write(directory.path().join("wide.txt"), text).expect("a file");
    let proved = json(directory.path(), &["prove", "draw", "wide.txt", "--proof", "wide.json"]);
    let x = &proved["claims"][0];
    assert_eq!((&proved["draw"], &x["method"], &x["nodes"]), (&true.into(), &"configurations".into(), &1.into()));
    ludolog(directory.path(), &["verify", "wide.json"]).assert().success();
}

/// What no matching holds, and is too large for a search, is open, and what can be proved of the other player is.
#[test]
fn what_is_too_large_for_a_search_is_told_to_be_open() {
    let directory = tempfile::tempdir().expect("a directory");
    ludolog(directory.path(), &["prove", "draw", "--cube", "6^3", "--means", "pairing"]).assert().code(1);
    let told = json(directory.path(), &["prove", "draw", "--cube", "6^3", "--means", "pairing"]);
    let reason = "no matching was found, and the game has 216 points; games are searched up to 128";
    assert_eq!((&told["draw"], &told["claims"][0]["reason"]), (&Value::Null, &reason.into()));
    assert_eq!((&told["claims"][1]["can_win"], &told["claims"][1]["method"]), (&false.into(), &"stealing".into()));
}

/// Pairs of neighbors hold each line of a row, however long it is.
#[test]
fn three_in_a_long_row_are_held_by_pairs() {
    let directory = tempfile::tempdir().expect("a directory");
    let proved = json(directory.path(), &["prove", "draw", "--mnk", "300x1x3", "--proof", "row.json"]);
    assert_eq!(proved["draw"], true, "{proved}");
    ludolog(directory.path(), &["verify", "row.json"]).assert().success();
    ludolog(directory.path(), &["positional", "match", "--mnk", "1000x1x3"]).assert().success();
    let sets: String = (0..298).map(|i| format!("set: p{i} p{} p{}\n", i + 1, i + 2)).collect();
    std::fs::write(directory.path().join("row.txt"), sets).expect("a file");
    ludolog(directory.path(), &["positional", "match", "row.txt"]).assert().success();
}

#[test]
fn reasons_are_sentences() {
    let directory = tempfile::tempdir().expect("a directory");
    let said = |args: &[&str]| {
        let output = ludolog(directory.path(), args).assert().success().get_output().stdout.clone();
        String::from_utf8(output).expect("text")
    };
    let told = said(&["prove", "draw", "--mnk", "3x3x4"]);
    assert!(told.contains("\nX cannot win: no winning set is open (1 node, 1 step)\n"), "{told}");
    assert!(
        said(&["positional", "show", "--mnk", "2x1x2"]).contains("X may complete 1 winning set, which weighs 0.250")
    );
    assert!(
        said(&["positional", "show", "--mnk", "2x2x2"]).contains("X may complete 6 winning sets, which weigh 1.500")
    );
}

/// Hales and Jewett's pattern, on a board that is too large for a search.
#[test]
fn nine_in_a_row_is_a_draw_by_pairs() {
    let directory = tempfile::tempdir().expect("a directory");
    let proved = json(directory.path(), &["prove", "draw", "--mnk", "19x19x9", "--proof", "draw.json"]);
    let x = &proved["claims"][0];
    assert_eq!((&proved["draw"], &x["method"], &x["nodes"]), (&true.into(), &"pairing".into(), &1.into()));
    ludolog(directory.path(), &["verify", "draw.json"]).assert().success();
    let found = json(directory.path(), &["positional", "match", "--mnk", "19x19x9", "--against", "o"]);
    assert_eq!((&found["found"], &found["groups"]), (&true.into(), &660.into()));
    let eight = json(directory.path(), &["positional", "match", "--mnk", "19x19x8"]);
    assert_eq!(eight["found"], false);
}

#[test]
fn rulesheets_that_are_positional_are_seen_to_be() {
    let directory = tempfile::tempdir().expect("a directory");
    let solved = |game: &str| json(directory.path(), &["positional", "solve", game])["winner"].clone();
    let sets = |game: &str| json(directory.path(), &["positional", "show", game])["sets"].clone();
    assert_eq!((sets("std:games/tic-tac-toe.kif"), sets("std:games/tic-tac-toe-3d.kif")), (8.into(), 49.into()));
    assert_eq!(
        (solved("std:games/tic-tac-toe.kif"), solved("std:games/tic-tac-toe-3d.kif")),
        (Value::Null, "x".into())
    );
}

#[test]
fn rulesheets_that_are_almost_positional_are_told_why_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let rules = LIBRARY.text("std:games/tic-tac-toe.kif").expect("a shipped file").into_owned();
    let reason = |changes: &[(&str, &str)]| {
        let altered = changes.iter().fold(rules.clone(), |rules, (from, to)| {
            assert!(rules.contains(from), "{from}");
            rules.replacen(from, to, 1)
        });
        std::fs::write(directory.path().join("game.kif"), altered).expect("a file");
        let message = json(directory.path(), &["positional", "show", "game.kif"])["error"]["message"].clone();
        let message = message.as_str().expect("an error").to_owned();
        message.strip_prefix("the game is not positional: ").expect(&message).to_owned()
    };
    // Marks of the middle are lost.
    let forgets =
        [("(true (mark ?c ?r ?p)))\n(<= (next (turn", "(true (mark ?c ?r ?p)) (distinct ?c 2))\n(<= (next (turn")];
    assert!(reason(&forgets).contains("neither") || reason(&forgets).contains("for ever"), "{}", reason(&forgets));
    // A line of the own color wins only if the middle is free.
    let negative = [("(<= (goal ?p 100) (line ?p))", "(<= (goal ?p 100) (line ?p) (not (marked 2 2)))")];
    assert_eq!(reason(&negative), "cross does not get 100 for its own points alone");
    // Play goes on behind a line.
    let endless = [("(<= terminal somebody-won)", "")];
    assert_eq!(reason(&endless), "it goes on after a winning set is complete");
    // It ends with the first mark in a corner.
    let early = [("(<= terminal somebody-won)", "(<= terminal somebody-won)\n(<= terminal (true (mark 1 1 cross)))")];
    assert_eq!(reason(&early), "it ends before a winning set is complete");
    // Only cross has the diagonals.
    let unequal = [(
        "(<= (line ?p) (true (mark 1 1 ?p)) (true (mark 2 2 ?p)) (true (mark 3 3 ?p)))",
        "(<= (line cross) (true (mark 1 1 cross)) (true (mark 2 2 cross)) (true (mark 3 3 cross)))",
    )];
    assert_eq!(reason(&unequal), "the roles have different winning sets");
    // A loss is worth more than a draw.
    let odd =
        [("(goal ?p 50)", "(goal ?p 0)"), ("(goal ?p 0) (role ?p) (line ?q)", "(goal ?p 50) (role ?p) (line ?q)")];
    assert!(reason(&odd).starts_with("the goals of cross"), "{}", reason(&odd));
    let told = |game: &str| json(directory.path(), &["positional", "show", game])["error"]["message"].to_string();
    assert!(told("std:games/connect-four.kif").contains("takes 0 moves from"));
    assert!(told("std:games/hex-3x3.kif").contains("different winning sets"));
    assert!(told("std:games/peg-solitaire.kif").contains("it has 1 roles"));
}

#[test]
fn bench_positional_draws_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let args = ["bench", "positional", "std:positional/triangle.txt", "--html", "page.html"];
    let report = json(directory.path(), &args);
    assert_eq!(
        (&report["failures"], &report["positions"][0]["outcome"]),
        (&Value::Array(vec![]), &Value::from("draw"))
    );
    let nodes: Vec<u64> = report["positions"][0]["searches"]
        .as_array()
        .expect("searches")
        .iter()
        .map(|search| search["nodes"].as_u64().expect("nodes"))
        .collect();
    assert!(nodes.is_sorted_by(|more, fewer| more > fewer) && nodes.len() == 3, "{nodes:?}");
    let page = std::fs::read_to_string(directory.path().join("page.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<polyline").count() == 3, "a page");
}
