//! `match --analyze`: what moves lost, against the theory of tic-tac-toe and threats that anybody sees; records of others,
//! and such as are damaged.

use crate::binary::{ludolog, run};
use crate::protocol::Server;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Cross begins in a corner, nought takes the opposite one. Only the center would hold the draw, and each other corner
/// wins for cross, who takes the edge at its first stone instead. Nought would win by the corner between (it threatens its
/// own edge, then two lines at once), but lets cross complete its row.
const MOVES: [[&str; 2]; 5] =
    [["(put 1 3)", "wait"], ["wait", "(put 3 1)"], ["(put 1 2)", "wait"], ["wait", "(put 2 1)"], ["(put 1 1)", "wait"]];

/// The losses of these moves by that theory.
fn losses() -> Value {
    json!([[0.0, null], [null, 50.0], [100.0, null], [null, 100.0], [0.0, null]])
}

/// The document of an analysis in a folder.
fn analyzed(folder: &Path, args: &[&str]) -> Value {
    let (status, out, err) = run(folder, &[&["match"], args, &["--format", "json"]].concat(), "");
    assert_eq!(status, 0, "{err}");
    serde_json::from_str(&out).expect("JSON")
}

fn write(folder: &Path, name: &str, record: &Value) {
    fs::write(folder.join(name), record.to_string()).expect("a file");
}

/// The record of the match as ggp-base writes it, in its spelling and without what only we know.
fn foreign() -> Value {
    json!({
        "matchId": "other.1", "startTime": 1_700_000_000_000_u64, "randomToken": "x", "startClock": 30, "playClock": 15,
        "states": ["( ( true ( turn cross ) ) )", "( ( turn nought ) ( mark 1 3 cross ) )"],
        "stateTimes": [1_700_000_000_000_u64, 1_700_000_003_000_u64], "moves": MOVES,
        "errors": [["", ""], ["", "TO"]], "goalValues": [100, 0], "isCompleted": true,
    })
}

#[test]
fn losses_are_those_of_theory() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "bare.json", &json!({ "moves": MOVES }));
    write(folder, "foreign.json", &foreign());
    for name in ["bare.json", "foreign.json"] {
        let args = ["tic-tac-toe", "zermelo", "--analyze", name, "--time", "5s"];
        let document = analyzed(folder, &args);
        let analysis = &document["ludolog"]["analysis"];
        assert_eq!(analysis["losses"], losses(), "{name}");
        let values: Vec<&Value> = (0..6).map(|state| &analysis["states"][state]["values"]).collect();
        assert_eq!(json!(values), json!([[50., 50.], [50., 50.], [100., 0.], [0., 100.], [100., 0.], [100., 0.]]));
        let mistakes = analysis["mistakes"].as_array().expect("a list");
        let steps: Vec<&Value> = mistakes.iter().map(|mistake| &mistake["step"]).collect();
        assert_eq!(json!(steps), json!([2, 3, 1]), "the greatest first");
        assert_eq!((&mistakes[1]["role"], &mistakes[1]["better"]), (&json!("nought"), &json!("(put 1 1)")));
        assert_eq!(mistakes[2]["better"], "(put 2 2)");
    }
}

#[test]
fn a_text_and_a_page_mark_the_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "match.json", &foreign());
    let args = ["match", "tic-tac-toe", "zermelo", "--analyze", "match.json", "--html", "page.html"];
    let (status, text, err) = run(folder, &args, "");
    assert_eq!(status, 0, "{err}");
    let line =
        "search: cross 100 proven; nought 0 proven; depth 5; MISTAKE, (put 1 2) loses 100.0; (put 1 1) is better";
    assert!(text.contains("6 of 6 states searched by zermelo, 60 s each"), "four play clocks: {text}");
    assert!(text.contains("MISTAKE, (put 3 1) loses 50.0; (put 2 2) is better"), "{text}");
    assert!(text.lines().any(|told| told.trim().starts_with(&line[..50])), "{text}");
    let page = fs::read_to_string(folder.join("page.html")).expect("a page");
    assert_eq!(page.matches("<circle class=\"role").count(), 3, "a dot for each mistake");
    assert_eq!(page.matches("class=\"mistake\" href=\"#state").count(), 3);
    assert!(page.contains("goals that a longer search expects"));
}

/// Yellow drops elsewhere when red has three in a column: what it should have done is seen by tree search, too, which
/// compares values that it only estimates.
#[test]
fn tree_search_finds_the_move_that_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let drops = [1, 7, 1, 7, 1, 6, 1];
    let moves: Vec<[String; 2]> = (0..)
        .zip(drops)
        .map(|(ply, column)| {
            let drop = format!("(drop {column})");
            if ply % 2 == 0 { [drop, "wait".into()] } else { ["wait".into(), drop] }
        })
        .collect();
    write(folder.path(), "match.json", &json!({ "moves": moves }));
    let clocks = ["--start-clock", "500ms", "--time", "200ms"];
    let args = [&["connect-four", "mcts", "--analyze", "match.json"], &clocks[..]].concat();
    let document = analyzed(folder.path(), &args);
    let analysis = &document["ludolog"]["analysis"];
    assert_eq!(analysis["states"][6]["values"], json!([100.0, 0.0]));
    assert_eq!(analysis["states"][5]["best"], json!([null, "(drop 1)"]));
    let loss = analysis["losses"][5][1].as_f64().expect("a loss");
    assert!(loss > 20.0, "{loss}");
    assert_eq!(analysis["mistakes"][0]["step"], 5);
}

#[test]
fn a_match_over_http_from_an_opening_is_analyzed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let server = Server::start(&["--player", "legal"]);
    let args = ["match", "tic-tac-toe", &server.url, "legal", "--openings", "2", "--record", "match.json"];
    ludolog(folder, &args).assert().success();
    let record: Value = serde_json::from_slice(&fs::read(folder.join("match.json")).expect("a file")).expect("JSON");
    let args = ["tic-tac-toe", "zermelo", "--analyze", "match.json", "--record", "analyzed.json"];
    let document = analyzed(folder, &args);
    assert_eq!((&document["states"], &document["moves"]), (&record["states"], &record["moves"]));
    assert_eq!(document["ludolog"]["thoughts"], record["ludolog"]["thoughts"]);
    assert_eq!(document["ludolog"]["opening"].as_array().map(Vec::len), Some(2));
    let states = document["ludolog"]["analysis"]["states"].as_array().expect("a list");
    assert_eq!(states.len(), record["states"].as_array().expect("a list").len());
    assert_eq!(states.last().expect("the end")["values"], json!(goals(&record)));
    let written: Value =
        serde_json::from_slice(&fs::read(folder.join("analyzed.json")).expect("a file")).expect("JSON");
    assert_eq!(written, document);
    // What was analyzed is a record, too.
    assert_eq!(analyzed(folder, &["tic-tac-toe", "zermelo", "--analyze", "analyzed.json"]), document);
}

fn goals(record: &Value) -> Vec<f64> {
    record["goalValues"].as_array().expect("goals").iter().map(|goal| goal.as_f64().expect("a goal")).collect()
}

#[test]
fn damaged_and_foreign_records_are_told_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let with = |key: &str, value: Value| {
        let mut record = foreign();
        record[key] = value;
        record.to_string()
    };
    let whole = foreign().to_string();
    for (text, place, expected) in [
        (whole[..200].to_owned(), "1:200", "this is no JSON: EOF"),
        ("[1]".to_owned(), "1:1", "a record of a match is an object"),
        ("{\"states\": []}".to_owned(), "1:1", "the record has no `moves`"),
        ("{\"moves\":\n [[\"(put 1 3)\", \"wait\"],\n 7]}".to_owned(), "3:2", "this is no list of moves"),
        ("{\"moves\": [[\"(put ?x 3)\", \"wait\"]]}".to_owned(), "1:13", "a move is no term without variables"),
        ("{\"moves\": [[\"(put 1 3)\"]]}".to_owned(), "1:12", "one move for each of cross, nought"),
        ("{\"moves\": [[\"wait\", \"wait\"]]}".to_owned(), "1:13", "wait is not legal for cross; legal is (put 1 1), "),
        (
            "{\"a\\\"\": \"}\", \"moves\": [], \"isCompleted\": true}".to_owned(),
            "1:42",
            "the game is not over after these moves",
        ),
        (with("goalValues", json!([50, 50])), "", "the goals are 100, 0 by the rules"),
        (with("gameRoleNames", json!(["white", "black"])), "", "the roles of the game are cross, nought"),
        (with("states", json!(["((turn cross))", "((turn cross))"])), "", "(turn cross) does not hold in this state"),
        (with("states", json!(["((turn cross) (hot))"])), "", "the match cannot begin in this state"),
        (with("states", json!(["turn cross"])), "", "a state is no list of facts"),
        (with("startClock", json!(-1)), "", "`startClock` is no number of seconds"),
    ] {
        fs::write(folder.join("match.json"), &text).expect("a file");
        let (status, out, err) = run(folder, &["match", "tic-tac-toe", "--analyze", "match.json"], "");
        assert_eq!((status, &*out), (2, ""), "{text}\n{err}");
        assert!(err.contains("error[game-record]") && err.contains(expected) && err.contains("help:"), "{text}\n{err}");
        assert!(err.contains(&format!("match.json:{place}")), "{text}\n{err}");
    }
}

#[test]
fn what_is_not_analyzed_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "match.json", &json!({ "moves": MOVES }));
    fs::write(folder.join("bytes.json"), [0xFF, 0xFE]).expect("a file");
    for (args, expected) in [
        (&["kuhn-poker", "--analyze", "match.json"][..], "hides its states"),
        (&["tic-tac-toe", "one-player", "--analyze", "match.json"], "does not play games of 2 roles"),
        (&["tic-tac-toe", "mcts", "mcts", "--analyze", "match.json"], "takes one player of this process"),
        (&["tic-tac-toe", "--analyze", "none.json"], "none.json"),
        (&["tic-tac-toe", "--analyze", "bytes.json"], "is no text"),
        (&["tic-tac-toe", "--analyze", "match.json", "--play-clock", "1s"], "cannot be used with"),
        (&["tic-tac-toe", "mcts", "mcts", "--time", "1s"], "--analyze"),
    ] {
        let (status, _, err) = run(folder, &[&["match"], args].concat(), "");
        assert_eq!(status, 2, "{args:?}: {err}");
        assert!(err.contains(expected), "{args:?}: {err}");
    }
}
