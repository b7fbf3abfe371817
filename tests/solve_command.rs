//! `ludolog hex solve` as run from a shell.

use crate::binary::{ludolog, run};
use ludolog::hex::board::Board;
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command in the directory, expects this exit status, and returns standard output and standard error.
fn told(directory: &Path, args: &[&str], status: i32) -> (String, String) {
    let output = ludolog(directory, args).assert().code(status).get_output().clone();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    (out, err)
}

/// The answer of `hex solve` with these arguments as JSON.
fn solve(directory: &Path, args: &[&str], status: i32) -> Value {
    let (out, _) = told(directory, &[&["hex", "solve", "--format", "json"], args].concat(), status);
    serde_json::from_str(&out).expect("JSON on standard output")
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("won.txt"), "R B .\n R B .\n  R . .\n").expect("a file");
    directory
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_answer_as_json() {
    let directory = directory();
    let answer = solve(directory.path(), &["4x4"], 0);
    let fields: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    let expected =
        ["board", "to_move", "winner", "already", "winning_moves", "complete", "stopped", "nodes", "seconds", "proof"];
    assert_eq!(fields, expected);
    assert_eq!(answer["winner"], "red");
    assert_eq!(answer["complete"], false);
    assert_eq!(answer["winning_moves"].as_array().expect("moves").len(), 1);
    assert!(answer["nodes"].is_u64() && answer["seconds"].is_f64() && answer["proof"].is_null(), "{answer}");

    let answer = solve(directory.path(), &["4x4", "--all-moves"], 0);
    assert_eq!(answer["winning_moves"], json!(["d1", "c2", "b3", "a4"]));
    assert_eq!((&answer["complete"], &answer["openings"]), (&json!(true), &Value::Null));

    let answer = solve(directory.path(), &["4x4", "--all-moves", "--to-move", "blue", "--threads", "2"], 0);
    assert_eq!((&answer["to_move"], &answer["winner"]), (&json!("blue"), &json!("blue")));
    assert_eq!(answer["winning_moves"], json!(["d1", "c2", "b3", "a4"]));
}

#[test]
fn openings_of_a_board() {
    let directory = directory();
    let answer = solve(directory.path(), &["3x3", "--all-openings"], 0);
    let openings = answer["openings"].as_object().expect("openings");
    let winners: String =
        openings.values().map(|winner| winner.as_str().expect("a name")[..1].to_uppercase()).collect();
    assert_eq!(winners, "BBRRRRRBB");
    assert_eq!(answer["winning_moves"], json!(["c1", "a2", "b2", "c2", "a3"]));

    // The board is longer than wide by one: Blue wins whatever Red plays.
    let answer = solve(directory.path(), &["10x11", "--all-openings"], 0);
    assert!(answer["openings"].as_object().expect("openings").values().all(|winner| winner == "blue"), "{answer}");
    assert_eq!((&answer["winner"], &answer["complete"]), (&json!("blue"), &json!(true)));

    let (text, _) = told(directory.path(), &["hex", "solve", "3x3", "--all-openings"], 0);
    assert!(text.contains("1 B B R\n 2 R R R\n  3 R B B\n"), "{text}");
    assert!(text.contains("half of them solved"), "{text}");
    let (_, error) = told(directory.path(), &["hex", "solve", "won.txt", "--all-openings"], 2);
    assert!(error.contains("--all-openings is for empty boards"), "{error}");
}

/// The move that solves the empty board is a solved opening, also if time runs out before the first opening is asked for.
#[test]
fn winning_moves_are_solved_openings() {
    let directory = directory();
    let path = directory.path();
    // The state holds the empty board's solution, so that the move is known at once.
    let solved = solve(path, &["5x5", "--resume", "state.bin"], 0);
    let moves = |answer: &Value| answer["winning_moves"].as_array().expect("moves").clone();
    let known = moves(&solved);
    for asked in ["--all-openings", "--all-moves"] {
        let answer = solve(path, &["5x5", "--resume", "state.bin", asked, "--timeout", "0"], 1);
        assert_eq!(answer["complete"], false, "{answer}");
        assert!(known.iter().all(|cell| moves(&answer).contains(cell)), "{answer}");
        // With a half turn, Red's winning moves come in pairs, but for the center.
        let turned = moves(&answer).iter().map(|cell| turned(cell.as_str().expect("a name"))).collect::<Vec<_>>();
        assert!(turned.iter().all(|cell| moves(&answer).contains(&json!(cell))), "{answer}");
        if asked == "--all-openings" {
            assert!(
                moves(&answer).iter().all(|cell| answer["openings"][cell.as_str().expect("a name")] == "red"),
                "{answer}"
            );
        }
    }
}

/// The cell of 5x5 at the place of another one after half a turn.
fn turned(cell: &str) -> String {
    let [column, row] = cell.as_bytes() else { panic!("{cell} is no cell of 5x5") };
    String::from_utf8(vec![b'a' + b'e' - column, b'1' + b'5' - row]).expect("text")
}

#[test]
fn what_is_not_solved_in_time_is_unknown() {
    let directory = directory();
    let args = ["13x13", "--timeout", "200ms", "--proof", "proof.txt", "--resume", "state.bin"];
    let answer = solve(directory.path(), &args, 1);
    assert_eq!((&answer["winner"], &answer["complete"]), (&json!("unknown"), &json!(false)));
    assert_eq!((&answer["winning_moves"], &answer["proof"]), (&json!([]), &Value::Null));
    assert_eq!(answer["stopped"], "did not finish in 0.2 s");
    assert_eq!(names(directory.path()), ["state.bin", "won.txt"], "no half of a proof is left");
    let (text, _) = told(directory.path(), &["hex", "solve", "13x13", "--timeout", "0"], 1);
    assert!(text.starts_with("not solved: who wins with red to move is unknown\n"), "{text}");
    assert!(text.contains("\ndid not finish in 0 s\n"), "{text}");
    let answer = solve(directory.path(), &["13x13", "--all-openings", "--timeout", "200ms"], 1);
    let openings = answer["openings"].as_object().expect("openings");
    assert!(openings.len() == 169 && openings.values().all(|winner| winner == "unknown"), "{answer}");
}

#[test]
fn proofs_are_written_and_verified() {
    let directory = directory();
    let path = directory.path();
    for (position, winner, verdict) in [
        ("5x5", "red", "accepted: red wins on 5x5 with 0 stones, with red to move"),
        ("10x11", "blue", "accepted: blue wins on 10x11 with 0 stones, whoever is to move"),
        ("40x41", "blue", "accepted: blue wins on 40x41 with 0 stones, whoever is to move"),
        ("won.txt", "red", "accepted: red wins on 3x3 with 5 stones, with blue to move"),
    ] {
        let answer = solve(path, &[position, "--proof", "proof.txt", "--force"], 0);
        assert_eq!(answer["winner"], winner, "{answer}");
        assert_eq!(answer["already"], position == "won.txt");
        let proof = &answer["proof"];
        let bytes = std::fs::metadata(path.join("proof.txt")).expect("a proof").len();
        assert_eq!((&proof["file"], &proof["bytes"]), (&json!("proof.txt"), &json!(bytes)));
        let (text, _) = told(path, &["verify", "proof.txt", "--position", position], 0);
        assert!(text.starts_with(verdict) && text.contains(&format!("({} lines, ", proof["lines"])), "{text}");
        let size = position.parse::<Board>().map_or("4x4".to_owned(), |board| format!("{}x1", board.width()));
        told(path, &["verify", "proof.txt", "--position", &size], 1);
    }
    let answer = solve(path, &["won.txt", "--to-move", "red", "--proof", "proof.txt", "--force"], 0);
    assert_eq!((&answer["already"], &answer["complete"]), (&json!(true), &json!(true)));
    assert_eq!(answer["winning_moves"], json!([]));
    told(path, &["verify", "proof.txt", "--position", "won.txt"], 0);
}

/// A certificate proves the winner of one position, and says so beside the answers about many.
#[test]
fn what_a_proof_of_many_answers_proves_is_told() {
    let directory = directory();
    let path = directory.path();
    let note = "it proves who wins, by one of these moves";
    for (asked, is_noted) in
        [(&["3x3", "--all-openings"][..], true), (&["3x3", "--all-moves"], true), (&["3x3"], false)]
    {
        let args = [&["hex", "solve", "--proof", "proof.txt", "--force"], asked].concat();
        let (text, _) = told(path, &args, 0);
        assert_eq!(text.contains(note), is_noted, "{text}");
    }
    let (text, _) = told(path, &["verify", "proof.txt"], 0);
    assert!(text.starts_with("accepted: red wins on 3x3 with 0 stones"), "{text}");
}

#[test]
fn a_proof_and_a_state_are_two_files() {
    let directory = directory();
    let path = directory.path();
    for state in ["same", "./same"] {
        let args = ["hex", "solve", "4x4", "--proof", "same", "--resume", state];
        let (_, error) = told(path, &args, 2);
        assert!(error.contains("--proof and --resume name the same file"), "{error}");
        assert!(!path.join("same").exists());
    }
    told(path, &["hex", "solve", "3x3", "--proof", "one", "--resume", "other"], 0);
    let (_, error) = told(path, &["hex", "solve", "3x3", "--proof", "other", "--resume", "other", "--force"], 2);
    assert!(error.contains("the same file"), "{error}");
}

#[test]
fn a_solver_goes_on_from_its_file() {
    let directory = directory();
    let path = directory.path();
    let from_scratch = solve(path, &["7x7"], 0);
    // The search may or may not finish in that time.
    let (status, ..) = run(path, &["hex", "solve", "7x7", "--timeout", "150ms", "--resume", "state.bin"], "");
    assert!(matches!(status, 0 | 1), "{status}");
    let resumed = solve(path, &["7x7", "--resume", "state.bin"], 0);
    assert_eq!(resumed["winner"], from_scratch["winner"]);
    let nodes = |answer: &Value| answer["nodes"].as_u64().expect("a number");
    assert!(nodes(&resumed) < nodes(&from_scratch), "{resumed} {from_scratch}");
    assert_eq!(nodes(&solve(path, &["7x7", "--resume", "state.bin"], 0)), 0, "all is known now");

    let file = std::fs::read(path.join("state.bin")).expect("a file");
    let (_, error) = told(path, &["hex", "solve", "6x6", "--resume", "state.bin"], 2);
    assert_eq!(error, "error: cannot go on from state.bin: it is for the board 7x7; it is left as it is\n");
    std::fs::write(path.join("half.bin"), &file[..file.len() / 2]).expect("a file");
    let (_, error) = told(path, &["hex", "solve", "7x7", "--resume", "half.bin"], 2);
    assert_eq!(error, "error: cannot go on from half.bin: it is truncated or altered; it is left as it is\n");
    let (_, error) = told(path, &["hex", "solve", "3x3", "--resume", "won.txt"], 2);
    assert_eq!(error, "error: cannot go on from won.txt: it was not saved by the solver; it is left as it is\n");
    assert_eq!(std::fs::read(path.join("half.bin")).expect("a file"), file[..file.len() / 2]);
    assert_eq!(names(path), ["half.bin", "state.bin", "won.txt"]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let directory = directory();
    let path = directory.path();
    for (args, expected) in [
        (&["20x20"][..], "error: a board of 20x20 is too large to be solved; the limit is 19x19\n"),
        (&["40x41", "--all-moves"], "error: a board of 40x41 is too large to be solved; the limit is 19x19\n"),
        (&["3x3", "--proof", "none/proof.txt"], "error: cannot write none/proof.txt: "),
        (&["3x3", "--resume", "."], "error: cannot write .: it is a directory\n"),
        (&["missing.txt"], "error[unreadable-file]: there is no file `missing.txt`"),
        (&["3x3", "--threads", "0"], "error: invalid value '0' for '--threads <N>'"),
    ] {
        let (_, error) = told(path, &[&["hex", "solve"], args].concat(), 2);
        assert!(error.starts_with(expected), "{error}");
    }
}
