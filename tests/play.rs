//! `ludolog play` as a script on standard input: prompts and inputs are part of what it prints.

use crate::binary;
use crate::protocol::Server;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;

/// Exit status, standard output and standard error of a script, run in a folder. Players have time to search to the end.
fn run(folder: &Path, args: &[&str], script: &str) -> (i32, String, String) {
    let clocks = ["--start-clock", "60s", "--play-clock", "60s"];
    binary::run(folder, &[&["play"], args, &clocks].concat(), script)
}

/// All that a script prints, which succeeds.
fn transcript(args: &[&str], script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) = run(folder.path(), args, script);
    assert_eq!((code, errors.as_str()), (0, ""), "{output}");
    output
}

/// Nought, who plays perfectly, takes the game when cross lets it.
#[test]
fn a_whole_game_against_a_perfect_player() {
    insta::assert_snapshot!(transcript(
        &["tic-tac-toe", "--against", "zermelo"],
        "put 1 2\nput 3 2\nput 2 1\nwhy terminal\nwhy goal\nundo\n"
    ));
}

/// Cross has one move that wins: the hint is that move.
#[test]
fn a_hint_finds_the_winning_move() {
    let output = transcript(
        &["tic-tac-toe", "--as", "cross", "--as", "nought"],
        "put 1 1\nput 3 1\nput 1 2\nput 2 2\nhint\nput 1 3\nwhy goal\nhint\n",
    );
    insta::assert_snapshot!(output);
}

/// A game of a family is named without a size, by one number for a square, and cells are written as on the board.
#[test]
fn short_names_and_cells() {
    for (args, name, cell, made) in [
        (&["hex"][..], "hex-3x3", "b3", "red (place 2 3)"),
        (&["hex", "--size", "5"], "hex-5x5", "c3", "red (place 3 3)"),
        (&["rex-4"], "rex-4x4", "d1", "red (place d1)"),
        (&["hex-cluster", "--size", "4"], "hex-cluster-4x4", "a2", "red (place 1 2)"),
        (&["breakthrough-5x5"], "breakthrough-5x5", "a2-b3", "white (move 1 2 2 3)"),
    ] {
        let output = transcript(&[args, &["--against", "legal"]].concat(), &format!("{cell}\n"));
        assert!(output.starts_with(&format!("{name}: ")) && output.contains(&format!("1. {made}")), "{output}");
    }
}

/// After each of these, the game is as before.
#[test]
fn what_is_no_move_changes_nothing() {
    insta::assert_snapshot!(transcript(
        &["std:games/tic-tac-toe.kif", "--against", "legal", "--as", "NOUGHT"],
        "0
9
put
put 3
put 1 1
why put 1 1
put 4 4
mark 2 2
wait
undo
moves 2
moves foo
why
why foo(
undo 2
quit now
hint me

quit
put(2, 2)
"
    ));
}

/// Moves are chosen at once: the other hand is not told, and the player bids without knowing.
#[test]
fn moves_at_once() {
    let output = transcript(
        &["goofspiel-4", "--as", "left", "--as", "right"],
        "4\nundo\nbid 3\nbid 4\nundo\nbid 4\nbid 1\nwhy true points left 4\n",
    );
    insta::assert_snapshot!(output);
    let output = transcript(&["goofspiel-4", "--against", "legal"], "bid 4\nbid 3\nbid 2\n");
    insta::assert_snapshot!(output);
}

#[test]
fn a_game_for_one() {
    insta::assert_snapshot!(transcript(&["peg-solitaire"], "1\njump(4, 1\nstate\nundo\nfacts\n"));
}

/// Without a board, the facts are listed. Who takes all wins.
#[test]
fn a_game_without_a_board() {
    insta::assert_snapshot!(transcript(&["nim", "--against", "legal"], "take 5\ntake 2\nhelp\nwhy take 1 middle\n"));
}

#[test]
fn boards() {
    for (game, role, moves) in [
        ("breakthrough-5x5", "white", "1 2 2 3\n"),
        ("reversi-4x4", "black", "1\n"),
        ("hex-3x3", "red", "2 2\n1 1\n"),
        ("tic-tac-toe-3d", "cross", "put 2 2 2\n"),
        ("connect-four", "red", "drop 4\ndrop 4\n"),
    ] {
        let inputs: String = moves.lines().map(|line| format!("{}\n", spelled(game, line))).collect();
        insta::assert_snapshot!(
            format!("board_{game}"),
            transcript(&[game, "--as", role, "--against", "legal"], &inputs)
        );
    }
}

fn spelled(game: &str, line: &str) -> String {
    match game {
        "breakthrough-5x5" => format!("move {line}"),
        "hex-3x3" => format!("place {line}"),
        _ => line.to_owned(),
    }
}

#[test]
fn the_record_is_of_the_game_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["tic-tac-toe", "--against", "legal", "--record", "match.json", "--html", "match.html"];
    let (code, _, errors) = run(folder.path(), &args, "put 2 2\nput 3 3\nundo\nput 1 3\n");
    assert_eq!((code, errors.as_str()), (0, ""));
    let text = std::fs::read_to_string(folder.path().join("match.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["playerNamesFromHost"], serde_json::json!(["hand", "legal"]));
    let moves = [["(put 2 2)", "wait"], ["wait", "(put 1 1)"], ["(put 1 3)", "wait"], ["wait", "(put 1 2)"]];
    assert_eq!(record["moves"], serde_json::json!(moves));
    assert_eq!((&record["states"].as_array().unwrap().len(), &record["isAborted"]), (&5, &serde_json::json!(true)));
    assert!(folder.path().join("match.html").exists());
}

#[test]
fn what_cannot_be_played_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (args, reason) in [
        (&["no-such-game"][..], "no-such-game"),
        (&["tic-tac-toe", "--as", "white"], "there is no role `white`; there are cross, nought"),
        (&["tic-tac-toe", "--against", "legal,legal"], "--against takes one player, or 1 player in this order: nought"),
        (&["tic-tac-toe", "--against", "one-player"], "does not play games of 2 roles"),
        (&["tic-tac-toe", "--against", "nobody"], "there is no player `nobody`"),
        (&["tic-tac-toe", "--against", "http://localhost:1"], "http://localhost:1 is not ready to play nought"),
        (&["kuhn-poker", "--against", "mcts"], "needs to know the state, which this game hides"),
        (&["-"], "standard input has the moves"),
    ] {
        let (code, _, errors) = run(folder.path(), args, "1\n");
        assert!(code == 2 && errors.contains(reason), "{args:?}: {code} {errors}");
    }
}

/// A role `random` needs no player: it moves at random.
#[test]
fn chance_plays_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role a) (role random) (side heads) (side tails)
        (<= (legal random (show ?s)) (side ?s) (not (true (coin heads))) (not (true (coin tails))))
        (<= (legal random rest) (true (coin ?s)))
        (<= (legal a (guess ?s)) (side ?s) (true (coin ?t)))
        (<= (legal a wait) (not (true (coin heads))) (not (true (coin tails))))
        (<= (next (coin ?s)) (does random (show ?s)))
        (<= (next (guessed ?s)) (does a (guess ?s)))
        (<= terminal (true (guessed ?s)))
        (goal a 100)";
    std::fs::write(folder.path().join("coin.kif"), rules).unwrap();
    let (code, output, errors) = run(folder.path(), &["coin.kif"], "guess heads\n");
    assert!(code == 0 && output.starts_with("coin: you are a, random is random\n1. a wait"), "{output}{errors}");
    assert!(output.contains("2. a (guess heads), random rest\n") && output.contains("\na (hand): 100\n"), "{output}");
}

/// A player of another program plays along, but does not take moves back.
#[test]
fn a_player_behind_http() {
    let server = Server::start(&["--player", "legal"]);
    let script = "put 2 2\nundo\nput 3 3\nput 1 3\nput 3 1\nwhy terminal\n";
    let output = transcript(&["tic-tac-toe", "--against", &server.url], script);
    assert!(output.contains(&format!("{} cannot take moves back\ncross> put 3 3\n", server.url)), "{output}");
    assert!(output.contains("6. cross wait (the only move), nought (put 2 1)\n"), "{output}");
}

/// Ctrl-C ends the thinking of a player, who makes the best move so far; the game goes on.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_thinking() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let args = ["play", "connect-four", "--against", "mcts", "--start-clock", "100ms", "--play-clock", "1h"];
    let mut command = binary::process(".", &args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    writeln!(input, "drop 4").unwrap();
    assert!(lines.any(|line| line == "1. red (drop 4), yellow wait"));
    // The player is thinking by then.
    std::thread::sleep(Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(lines.any(|line| line.starts_with("2. red wait (the only move), yellow (drop ")));
    writeln!(input, "quit").unwrap();
    assert!(lines.any(|line| line == "left after 2 joint moves"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
