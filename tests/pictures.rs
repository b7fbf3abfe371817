//! Boards as pictures: stated by rulesheets (`tests/pictures`), recognized, and neither; shown, played, replayed.

use crate::binary::run;
use ludolog::formulation;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a command prints that succeeds.
fn printed(args: &[&str], script: &str) -> String {
    let (code, output, errors) = run(".", args, script);
    assert_eq!((code, &*errors), (0, ""), "{output}");
    output
}

/// Each with moves: as text, with the facts that stand on no board, and as SVG.
#[test]
fn stated_boards_are_drawn() {
    for (name, path, moves) in [
        ("triangle", "tests/pictures/triangle.kif", ["(place b1) wait", "wait (place c3)"]),
        ("octagons", "tests/pictures/octagons.kif", ["(place s) wait", "wait (place o21)"]),
        ("links", "tests/pictures/links.kif", ["(place nm) wait", "wait (place sn)"]),
        ("two_arguments", "hex-cluster-3x2", ["(place 3 1) wait", "wait (place 1 2)"]),
    ] {
        let args = ["game", "show", path, "--move", moves[0], "--move", moves[1]];
        insta::assert_snapshot!(name, printed(&args, ""));
        insta::assert_snapshot!(format!("{name}_svg"), printed(&[&args[..], &["--format", "svg"]].concat(), ""));
    }
}

/// Whatever else their states have, the wordings of Hex have one board.
#[test]
fn wordings_of_hex_are_drawn_alike() {
    for wording in formulation::game::GAMES {
        let game = wording.game("3x3".parse().unwrap());
        let text = printed(&["game", "show", &game, "--move", "(place 3 1) wait"], "");
        assert!(text.contains(")\n\n  1 2 3\n1 . . R\n 2 . . .\n  3 . . .\n\n"), "{game}: {text}");
    }
}

#[test]
fn recognized_boards_are_drawn() {
    let args = ["game", "show", "std:games/connect-four.kif", "--move", "(drop 4) wait"];
    let text = printed(&args, "");
    assert!(text.starts_with("After 1 joint move (2 facts)\n\n6 │ . . . . . . .\n"), "{text}");
    assert!(text.contains("1 │ . . . R . . .\n  └──────────────\n    1 2 3 4 5 6 7\n\n  (turn yellow)\n"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.svg");
    printed(&[&args[..], &["--svg", file.to_str().unwrap()]].concat(), "");
    let svg = std::fs::read_to_string(file).unwrap();
    assert_eq!((svg.matches("<polygon").count(), svg.matches("<title>4 1: red</title>").count()), (42, 1));
    assert!(svg.contains("<title>connect-four, after 1 joint move</title>"), "{svg}");
    // Three layers are three boards on one sheet.
    let layers = printed(&["game", "show", "std:games/tic-tac-toe-3d.kif", "--format", "svg"], "");
    assert_eq!((layers.matches("<polygon").count(), layers.matches("<svg").count()), (27, 1));
}

#[test]
fn a_game_without_a_board_has_no_picture() {
    let text = printed(&["game", "show", "std:games/nim.kif"], "");
    assert!(text.starts_with("Initial state (4 facts)\n  (size "), "{text}");
    let (code, output, errors) = run(".", &["game", "show", "std:games/nim.kif", "--format", "svg"], "");
    assert_eq!((code, &*output), (2, ""));
    assert!(errors.contains("state one by facts as (picture_cell C X Y)"), "{errors}");
}

const GAME: &str =
    "(role red) (init (at a)) (<= (legal red stay) (true (at a))) (<= terminal (not (true (at a)))) (goal red 1)\n";

/// Shows the game with these facts: its warning, and the state.
fn shown(folder: &Path, facts: &str) -> (String, String) {
    let file = folder.join("game.kif");
    std::fs::write(&file, format!("{GAME}{facts}")).unwrap();
    let (code, output, errors) = run(".", &["game", "show", file.to_str().unwrap()], "");
    assert_eq!(code, 0, "{errors}");
    (errors, output)
}

#[test]
fn what_cannot_be_drawn_is_said_and_the_facts_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (facts, warning) in [
        ("(picture_cell a 0 0) (picture_cell a 0 1)", "the cell `a` has several places"),
        ("(picture_link a 0 0 1 1) (picture_link a 0 0 1 2)", "the cell `a` has several places"),
        ("(picture_cell a 0 0) (picture_corner b 0 1 1)", "the cell `b` has corners or a label and no place"),
        ("(picture_cell a 0 0) (picture_corner a 0 1 1)", "the cell `a` has fewer than three corners"),
        ("(picture_corner a 0 1 1) (picture_corner a 0 1 2)", "the cell `a` has several corners 0"),
        (
            "(picture_link a 0 0 9 9) (picture_corner a 0 1 1) (picture_corner a 1 1 1) (picture_corner a 2 1 1)",
            "`picture_link` and `picture_corner`",
        ),
        ("(picture_cell a 0 1000001)", "`(picture_cell a 0 1000001)` is too far away"),
        ("(picture_cell a 0 9223372036854775807)", "is too far away"),
        ("(picture_cell a 0 b)", "`(picture_cell a 0 b)` states no picture"),
        ("(picture_cell a 0 0) (picture_line red 0 0 1)", "`(picture_line red 0 0 1)` states no picture"),
        (
            "(picture_cell 0 0)",
            "`(picture_cell 0 0)` states no picture; write `(picture_cell C X Y)` with integers X and Y",
        ),
        ("(picture_cell a 0 0) (picture_cell b 0 0 0)", "the cells `a` and `b 0` have different numbers of arguments"),
        ("(picture_cell a 0 0) (picture_corner a b 0 1 1)", "the cell `a b` has corners or a label and no place"),
        ("(picture_cell a 0 0) (picture_label b left 1)", "the cell `b` has corners or a label and no place"),
        ("(picture_cell a 0 0) (picture_label a right 1)", "with `above`, `below` or `left` for S"),
        ("(picture_cell a 0 0) (picture_label a left (b 1))", "`(picture_label a left (b 1))` states no picture"),
        ("(picture_line)", "`(picture_line)` states no picture"),
        ("(near a) (<= (picture_cell ?x 0 0) (near ?x))", "`picture_cell` is derived by rules"),
    ] {
        let (errors, output) = shown(folder.path(), facts);
        assert!(errors.contains("warning: the board is not drawn: ") && errors.contains(warning), "{facts}: {errors}");
        assert!(output.contains("\n  (at a)\n"), "{output}");
    }
    // A fact that is stated twice is one fact.
    let (errors, output) = shown(folder.path(), "(picture_cell a 0 0) (picture_cell a 0 0)");
    assert!(errors.is_empty() && output.contains("\n\nat\n\n"), "{errors}{output}");
}

#[test]
fn pictures_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let cells =
        |count: usize| (0..count).map(|at| format!("(picture_cell c{at} {} 0)\n", at % 1_000_000)).collect::<String>();
    let (errors, _) = shown(folder.path(), &cells(100_000));
    assert!(
        errors.contains("100000 cells and lines are too many for a picture, which may have 20000 of each"),
        "{errors}"
    );
    // The most cells that are drawn, all on one line.
    let (errors, _) = shown(folder.path(), &cells(20_000));
    assert_eq!(errors, "");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// The board of a game by hand is the stated one, and its replay shows each state of it.
#[test]
fn stated_boards_are_played_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("match.html");
    let args = ["play", "tests/pictures/triangle.kif", "--against", "legal", "--html", replay.to_str().unwrap()];
    let text = printed(&args, "place b1\nquit\n");
    assert!(text.contains("\n  .\n . .\n. . .\n(turn red)\n"), "{text}");
    assert!(text.contains("\n  B\n R .\n. . .\n(turn red)\n"), "{text}");
    let page = std::fs::read_to_string(replay).unwrap();
    assert_eq!(page.matches("<use href=\"#board0\">").count(), 3);
    assert_eq!((page.matches("<title>c3</title>").count(), page.matches("<title>b1: red</title>").count()), (1, 2));
}
