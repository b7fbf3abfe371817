//! `ludolog hex htp` as HexGui and scripts use it, and `hex match`, which plays programs of HTP against each other.

use crate::binary::{ludolog, run};
use ludolog::engine::Budget;
use ludolog::hex::board::Player;
use ludolog::hex::htp::HtpSession;
use ludolog::hex::player::Effort;
use ludolog::syntax::budget::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Sends lines, and returns the replies without the empty lines that end them.
fn replies(args: &[&str], lines: &[&str]) -> Vec<String> {
    let input = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (status, output, complaints) = run(".", &[&["hex", "htp"], args].concat(), &input);
    assert_eq!((status, &*complaints), (0, ""));
    let replies: Vec<String> = output.split_terminator("\n\n").map(str::to_owned).collect();
    assert!(output.is_empty() || output.ends_with("\n\n"));
    replies
}

#[test]
fn what_hexgui_says_on_connecting() {
    let lines = [
        "name",
        "version",
        "hexgui-analyze_commands",
        "boardsize 5 4",
        "clear_board",
        "play black a1",
        "play white b2",
        "showboard",
        "undo",
        "quit",
        "name",
    ];
    let replies = replies(&[], &lines);
    // There are no replies after quit.
    assert_eq!(replies.len(), 10);
    assert_eq!(replies[..2], ["= Ludolog".to_owned(), format!("= {}", env!("CARGO_PKG_VERSION"))]);
    let menu = replies[2].strip_prefix("= ").expect("a menu");
    for line in menu.lines() {
        let parts: Vec<&str> = line.split('/').collect();
        assert_eq!(parts.len(), 3, "{line}: type, label, command");
        assert!(["string", "plist", "vc", "inferior", "param", "var", "pspairs"].contains(&parts[0]), "{line}");
    }
    assert_eq!(replies[7], "=\n  a b c d e\n1 R . . . .\n 2 . B*. . .\n  3 . . . . .\n   4 . . . . .");
    assert_eq!(replies[3..7], ["= ", "= ", "= ", "= "]);
    assert_eq!(replies[8..], ["= ", "= "]);
}

/// By the names of GTP, where red is black, and by those of all other commands here.
#[test]
fn colors_have_two_names() {
    let board = |colors: [&str; 2]| {
        let [first, second] = colors.map(|color| format!("play {color} "));
        replies(&[], &["boardsize 3 3", &(first + "a1"), &(second + "c2"), "showboard"]).pop()
    };
    let expected = "=\n  a b c\n1 R . .\n 2 . . B*\n  3 . . .";
    for colors in [["black", "white"], ["red", "blue"], ["Red", "W"]] {
        assert_eq!(board(colors).as_deref(), Some(expected));
    }
}

#[test]
fn every_command_that_the_menu_names_is_known() {
    let menu = &replies(&[], &["hexgui-analyze_commands"])[0];
    let names: Vec<&str> = menu.lines().filter_map(|line| line.split('/').nth(2)?.split(' ').next()).collect();
    let questions: Vec<String> = names.iter().map(|name| format!("known_command {name}")).collect();
    let answers = replies(&[], &questions.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(answers.len() > 1 && answers.iter().all(|answer| answer == "= true"), "{names:?} {answers:?}");
    let list = &replies(&[], &["list_commands"])[0];
    assert!(names.iter().all(|name| list.lines().any(|line| line.trim_start_matches("= ") == *name)), "{list}");
}

#[test]
fn errors_and_numbers() {
    for (lines, expected) in [
        (&["play b b1", "play b b1"][..], "? illegal move: black b1 (occupied)"),
        (&["7 name"], "=7 Ludolog"),
        (&["boardsize 3 3", "12 play white d1"], "?12 illegal move: white d1 (not on the board)"),
        (&["undo"], "? cannot undo"),
        (&["play b a1", "undo", "undo"], "? cannot undo"),
        (&["play green a1"], "? wrong arguments, use: play COLOR CELL|swap-pieces|resign"),
        (&["play b"], "? wrong arguments, use: play COLOR CELL|swap-pieces|resign"),
        (&["name x"], "? wrong arguments, use: name"),
        (&["boardsize 20"], "? unacceptable size: a side is 1 to 19"),
        (&["boardsize 0 5"], "? unacceptable size: a side is 1 to 19"),
        (&["boardsize x"], "? unacceptable size: a side is 1 to 19"),
        (&["frobnicate"], "? unknown command"),
        (&["known_command frobnicate"], "= false"),
        (&["final_score"], "= cannot score"),
        (&["boardsize 2", "play b a1", "play b a2", "final_score"], "= B+"),
        (&["boardsize 2", "play b a1", "play b a2", "genmove w"], "? the game is over: black has won"),
        (&["play w resign", "final_score"], "= B+"),
        (&["protocol_version"], "= 2"),
    ] {
        assert_eq!(replies(&[], lines).last().map(String::as_str), Some(expected), "{lines:?}");
    }
    assert_eq!(replies(&[], &["", "# only a comment", "   "]), Vec::<String>::new());
}

#[test]
fn a_swap_reflects_the_stone_and_can_be_undone() {
    // The stone on b1 becomes White's on a2.
    let lines =
        ["boardsize 3", "play b b1", "play w swap-pieces", "showboard", "play b b1", "undo", "undo", "showboard"];
    let answers = replies(&[], &lines);
    assert_eq!(answers[3], "=\n  a b c\n1 . . .\n 2 B . .\n  3 . . .");
    assert_eq!(answers[7], "=\n  a b c\n1 . R*.\n 2 . . .\n  3 . . .");
    for lines in [
        &["play w swap-pieces"][..],
        &["play b b1", "play b swap-pieces"],
        &["play b b1", "play w b2", "play b swap-pieces"],
        &["play b b1", "play w swap-pieces", "play b swap-pieces"],
        &["boardsize 3 4", "play b b1", "play w swap-pieces"],
    ] {
        assert!(replies(&[], lines).last().unwrap().starts_with("? illegal move: "), "{lines:?}");
    }
}

#[test]
fn moves_are_generated_and_played() {
    let lines = ["boardsize 3", "reg_genmove b", "genmove b", "showboard", "genmove w", "undo", "undo", "undo"];
    let answers = replies(&["--playouts", "500"], &lines);
    // On 3x3 the middle wins; a reg_genmove leaves the board as it is.
    assert_eq!(answers[1..4], ["= b2", "= b2", "=\n  a b c\n1 . . .\n 2 . R*.\n  3 . . ."]);
    assert!(answers[4].starts_with("= ") && answers[5..7] == ["= ", "= "] && answers[7] == "? cannot undo");
}

#[test]
fn connections_and_must_play() {
    // Red's b2 on 3x3: a bridge to each edge, and so from edge to edge.
    let start = ["boardsize 3", "play b b2"];
    let ask = |line: &str| replies(&[], &[start[0], start[1], line]).pop().unwrap();
    assert_eq!(ask("vc-between-cells-full b b2 south"), "= black b2 south full or [ a3 b3 ] [ ]");
    assert_eq!(ask("vc-between-cells-full black north south"), "= black north south full and [ b1 c1 a3 b3 ] [ ]");
    assert_eq!(ask("vc-between-cells-full w west east"), "= ");
    assert!(ask("vc-connected-to-full b south").starts_with("= north "));
    assert_eq!(ask("vc-get-mustplay w"), "= ");
    let semi = ask("vc-between-cells-semi b a3 c3");
    assert!(semi.starts_with("= black a3 c3 semi and [ b3 ] [ ] b3"), "{semi}");
    assert_eq!(ask("vc-between-cells-full b b2 west"), "? west is no edge of black");
    assert_eq!(ask("vc-between-cells-full b b2 z9"), "? no cell or edge: z9");
    assert_eq!(ask("vc-between-cells-full b b2"), "? wrong arguments, use: vc-between-cells-full COLOR END END");
    // Blue has to take a4, or Red's chain arrives.
    let game =
        ["boardsize 4", "play b b1", "play b b2", "play b a3", "play w c4", "play w c1", "play w a1", "play w a2"];
    assert_eq!(replies(&[], &[&game[..], &["vc-get-mustplay w"]].concat()).last().unwrap(), "= a4");
}

#[test]
fn nothing_must_be_played_in_a_decided_game() {
    let ask = |game: &[&str], color: &str| {
        let question = format!("vc-get-mustplay {color}");
        replies(&[], &[&["boardsize 3"], game, &[question.as_str()]].concat()).pop().unwrap()
    };
    // With b2 Black cannot be stopped; with b1 as well, the game still goes on; b3 ends it.
    for game in [&["play b b2"][..], &["play b b2", "play b b1"], &["play b b2", "play b b1", "play b b3"]] {
        assert_eq!((ask(game, "b"), ask(game, "w")), ("= ".to_owned(), "= ".to_owned()), "{game:?}");
    }
    // On the empty board the middle wins, so that no threat of the opponent's leaves it out.
    assert!(ask(&[], "w").contains("b2"));
}

#[test]
fn winning_moves_are_solved() {
    // By brute force elsewhere; with Blue's bridges across, Red has none.
    let won = ["boardsize 4", "play w d3", "play b a1", "play b a2", "solver-find-winning w"];
    assert_eq!(replies(&[], &won).last().unwrap(), "= b3");
    let lost = ["boardsize 3", "play w b2", "solver-find-winning b"];
    assert_eq!(replies(&[], &lost).last().unwrap(), "= ");
    let late = ["boardsize 11", "solver-find-winning b"];
    assert_eq!(replies(&["--play-clock", "0.01"], &late).last().unwrap(), "? not solved in 0.01 s");
}

#[test]
fn evaluations() {
    // On an empty 3x3 board each player lacks three stones; with b2 Red lacks two.
    let evaluate = &replies(&[], &["boardsize 3", "evaluate"])[1];
    assert!(evaluate.starts_with("= distance: black 3, white 3, nobody is ahead\n"), "{evaluate}");
    let cells = &replies(&[], &["boardsize 3", "play b b2", "eval-cells distance b"])[2];
    assert!(cells.starts_with("= a1 ") && cells.contains(" b1 2 ") && !cells.contains("b2"), "{cells}");
    assert!(replies(&[], &["eval-cells guess b"])[0].starts_with("? the evaluations are distance, "));
}

#[test]
fn bytes_that_are_no_text_are_no_end() {
    let mut command = ludolog(".", &["hex", "htp"]);
    let output = command.write_stdin(&b"\xff\xfe\x00\n1 name\n2 play b \xe9\n3 quit"[..]).output();
    let output = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(output.starts_with("? unknown command\n\n=1 Ludolog\n\n?2 illegal move: black "), "{output}");
    assert!(output.ends_with("=3 \n\n"), "{output}");
}

/// Plays a match on 3x3 that begins with a stone of Red's on b2, which wins.
fn duel(first: &str, second: &str, args: &[&str]) -> (i32, String, String) {
    run(".", &[&["hex", "match", first, second, "--size", "3x3", "--opening", "b2"], args].concat(), "")
}

fn own_program() -> String {
    format!("\"{}\" hex htp --playouts 200", env!("CARGO_BIN_EXE_ludolog"))
}

#[test]
fn each_program_has_each_side() {
    let (status, output, complaints) = duel(&own_program(), &own_program(), &["--games", "2"]);
    assert_eq!((status, &*complaints), (0, ""));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!((lines[0], lines[2]), ("1 red: first winner: first", "2 red: second winner: second"), "{output}");
    assert!(lines[1].trim_start().starts_with("b2 ") && output.contains("the first program won 1 of 2 games: 50 %"));
}

#[test]
fn a_program_that_fails_loses_and_is_told() {
    for (program, fault) in [
        ("true", "ended instead of answering `boardsize 3 3`"),
        ("cat", "answered `boardsize 3 3` with \"boardsize 3 3\\n\", which is no answer of HTP"),
        ("sh -c \"while read line; do echo '= b2'; echo; done\"", "played \"b2\", which is no legal move"),
        ("sh -c \"while read line; do echo '? no idea'; echo; done\"", "refused `boardsize 3 3`: no idea"),
        ("sh -c \"read a; exec sleep 100\"", "has not answered `boardsize 3 3` in 1 s"),
    ] {
        let (status, output, _) = duel(program, &own_program(), &["--games", "1", "--timeout", "1s"]);
        assert_eq!(status, 0, "{program}: {output}");
        assert!(output.starts_with(&format!("1 red: first winner: second; the first {fault}")), "{program}: {output}");
        assert!(output.contains("the first program won 0 of 1 games"), "{program}: {output}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_a_wrong_command_line() {
    for (first, second) in [("no-such-program", "true"), ("true", "no-such-program --fast"), ("", "true")] {
        let (status, output, complaints) = duel(first, second, &["--games", "2"]);
        assert_eq!((status, &*output), (2, ""), "{first} {second}");
        assert!(complaints.contains("cannot be started: "), "{complaints}");
    }
}

#[test]
fn a_program_that_floods_its_output_loses() {
    for flood in ["yes", "sh -c \"yes | tr -d '\\n'\""] {
        let (status, output, _) = duel(flood, &own_program(), &["--games", "1", "--timeout", "5s"]);
        assert!(status == 0 && output.contains("the first program won 0 of 1 games"), "{flood}: {output}");
    }
}

#[test]
fn a_match_as_json() {
    let (status, output, _) = duel("true", &own_program(), &["--games", "2", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((status, &json["won"], &json["games"][1]["winner"]), (0, &0.into(), &1.into()), "{output}");
    assert!(json["games"][0]["fault"].as_str().expect("a fault").starts_with("ended"), "{output}");
    let (status, _, complaints) = duel("true", "true", &["--opening", "d4"]);
    assert!(status == 2 && complaints.contains("--opening d4: no cell of 3x3"), "{complaints}");
}

#[test]
fn replies_are_framed() {
    let mut session = HtpSession::new(Effort::default(), Budget::unlimited(), 1);
    let mut answer = |line: &str| session.answer(line).map(|reply| reply.to_string());
    assert_eq!(answer("name"), Some("= Ludolog\n\n".to_owned()));
    assert_eq!(answer(" 7\tname # who?\r"), Some("=7 Ludolog\n\n".to_owned()));
    assert_eq!(answer("8 nonsense"), Some("?8 unknown command\n\n".to_owned()));
    assert_eq!(answer("9 # only a number"), Some("?9 a number without a command\n\n".to_owned()));
    assert_eq!(answer("clear_board"), Some("= \n\n".to_owned()));
    assert_eq!(answer("# comment"), None);
    assert_eq!(answer(" \t "), None);
}

/// A clock that goes on by a tenth of a second whenever it is read.
#[derive(Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn now(&self) -> Duration {
        Duration::from_millis(100 * self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// The seconds that are planned for Red's next move.
fn planned(session: &HtpSession) -> f64 {
    session.effort(Player::Red).time.expect("a time").as_secs_f64()
}

fn send(session: &mut HtpSession, line: &str) {
    let reply = session.answer(line).expect("a command");
    assert!(reply.result.is_ok(), "{line}: {reply}");
}

#[test]
fn the_clock_is_shared_out() {
    let mut session = HtpSession::new(Effort::default(), Budget::unlimited(), 1);
    send(&mut session, "boardsize 9");
    for (line, expected) in [
        ("time_settings 0 10 0", 5.0),
        ("time_left b 1200", 99.95),
        ("time_left black 12", 0.95),
        ("time_left b 12 4", 2.95),
        ("time_left b 0", 0.0),
        ("time_settings 0 6 3", 1.95),
        ("time_settings 1800 0 0", 149.95),
        ("time_settings 12 0 5", 0.95),
        ("time_settings 12 10 0", 5.0),
    ] {
        send(&mut session, line);
        assert_eq!(planned(&session), expected, "{line}");
    }
    for wrong in ["time_left b -1", "time_left b nan", "time_left x 3", "time_left b 1e99", "time_settings 1 2"] {
        assert!(session.answer(wrong).unwrap().result.is_err(), "{wrong}");
    }
}

#[test]
fn our_own_thinking_is_taken_off() {
    let clock = Arc::new(TickingClock::default());
    let effort = Effort { time: None, playouts: Some(10), ..Effort::default() };
    let mut session = HtpSession::new(effort, Budget::unlimited().with_clock(clock.clone()), 1);
    let mut thought = |lines: &[&str]| {
        lines.iter().for_each(|line| send(&mut session, line));
        // A twelfth of what is left, but for the reserve.
        600.0 - 12.0 * (planned(&session) + 0.05)
    };
    assert_eq!(thought(&["boardsize 4", "time_settings 600 0 0"]).round(), 0.0);
    let before = clock.now();
    let spent = thought(&["genmove b"]);
    let all = (clock.now() - before).as_secs_f64();
    assert!(spent > 0.0 && (all - 0.4..=all).contains(&spent), "{spent} s of {all} s");
    // White's clock, moves of others and moves that are not played cost Black nothing.
    let later = thought(&["genmove w", "reg_genmove b", "undo", "play w d4"]);
    assert!((later - spent).abs() < 1e-6, "{later} s instead of {spent} s");
    assert_eq!(thought(&["clear_board"]).round(), 0.0, "a game begins with all of its time");
}
