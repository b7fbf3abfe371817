//! Games in SGF and as HexWorld links: read, written, converted, refused.

use crate::binary::ludolog;
use ludolog::diagnostic::{Sources, render};
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::notation::record::{Action, GameRecord, Property, RecordNode, Turn};
use ludolog::hex::notation::{self, GameNotation, hexworld, sgf};
use ludolog::hex::position::Position;
use proptest::prelude::*;
use std::path::Path;

/// The record with its warnings, or the errors, as text.
fn read(name: &str, text: &str) -> Result<(GameRecord, String), String> {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let notation = name.ends_with(".sgf").then_some(GameNotation::Sgf);
    match notation::read(text, id, notation) {
        Ok(reading) => Ok((reading.record, render::to_text(&reading.warnings, &sources, false))),
        Err(errors) => Err(render::to_text(&errors, &sources, false)),
    }
}

fn file(folder: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn rejected_records() {
    insta::glob!("rejected/records/*", |path| {
        let name = format!("records/{}", path.file_name().unwrap().to_str().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        insta::assert_snapshot!(read(&name, &text).expect_err("this record is to be rejected"));
    });
}

/// The final position of each file of `tests/records`, worked out by hand, and the warnings about the file.
#[test]
fn records_by_hand() {
    for (name, expected, warned) in [
        // The swap of sides leaves c2 with Red, and Blue moves.
        ("hexgui.sgf", "size: 11x11\nto-move: blue\nmoves: c2 f6 h5 e8 d7\n", "one variation is left out"),
        // Red's a2 becomes Blue's b1.
        ("swap-pieces.sgf", "size: 5x5\nto-move: red\nblue: b1\nmoves: c3 d2\n", ""),
        ("set-up.sgf", "name: A ladder\nsize: 4x3\nto-move: blue\nred: b2\nblue: a1 d1 b3 c3\nmoves: d3\n", ""),
        // White moves first: its b1 becomes Black's a2 by the swap of pieces, and White, who is Blue here, moves again.
        (
            "little-golem-swap.sgf",
            "size: 5x5\nto-move: blue\nfrom: http://www.littlegolem.net\nred: a2\nblue: c3\nmoves: d2\n",
            "",
        ),
        (
            "little-golem-swap-last.sgf",
            "to-move: blue\nfrom: http://www.littlegolem.net\n. . . . .\n R . . . .\n  . . . . .\n   . . . . .\n    . . . . .\n",
            "",
        ),
        // The side to move after the swap is stated.
        ("swap-to-move.sgf", "to-move: blue\nR . .\n . . .\n  . . .\n", ""),
        // Blue, who has swapped, moves again: Red's a2 stays.
        ("hexgui-swap-sides.sgf", "size: 5x5\nto-move: red\nmoves: a2 c3\n", ""),
        ("swap.sgf", "size: 5x5\nto-move: red\nmoves: a2 c3\n", ""),
        // Red's a2 becomes Blue's b1.
        ("hexworld.link", "size: 5x5\nto-move: red\nblue: b1\nmoves: c3 d2\n", ""),
        ("trmph.link", "size: 5x5\nto-move: blue\nmoves: a2 c3 d2\n", ""),
        ("trmph-short.link", "size: 13x13\nto-move: red\nmoves: a10 l4\n", ""),
        ("little-golem.sgf", "size: 13x13\nto-move: blue\nfrom: http://www.littlegolem.net\nmoves: a2 g7 f9\n", ""),
    ] {
        let (record, warnings) = read(name, &file("records", name)).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(record.position().to_string(), expected, "{name}");
        assert!(warnings.contains(warned) && warned.is_empty() == warnings.is_empty(), "{name}: {warnings}");
        assert_eq!(record.position().to_move, turn_by_stones(name, &record), "{name}");
    }
}

/// The side to move by the stones of a game without passes: the first mover's if both have as many. A swap of sides
/// leaves the stones, so the count holds for it too; one of pieces counts for a move of the one who swapped.
fn turn_by_stones(name: &str, record: &GameRecord) -> Option<Player> {
    if name == "set-up.sgf" {
        return record.position().to_move;
    }
    let first = record.nodes().iter().find_map(|node| node.turn)?.player;
    let is_swapped = record.nodes().iter().any(|node| node.turn.is_some_and(|turn| turn.action == Action::SwapPieces));
    let stones = stones(&record.position());
    let of = |player| stones.iter().filter(|(other, _)| *other == player).count();
    // After a swap of pieces the stone of the first mover is the other's: both have moved once, and one stone stands.
    let owed = usize::from(is_swapped);
    Some(if of(first) + owed == of(first.opponent()) { first } else { first.opponent() })
}

#[test]
fn comments_and_unknown_properties_are_kept() {
    let (record, _) = read("set-up.sgf", &file("records", "set-up.sgf")).unwrap();
    let last = record.nodes().last().unwrap();
    assert_eq!(last.comment.as_deref(), Some("first line\nsecond ] line"));
    let (record, _) = read("swap-pieces.sgf", &file("records", "swap-pieces.sgf")).unwrap();
    assert_eq!(record.lost(), Some(Player::Red));
    let written = sgf::write(&record);
    assert!(written.contains("PB[Ada]PW[Emil]RE[W+R]"), "{written}");
}

/// A text with all characters that need escaping.
fn text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of("[a\\]\\[\\\\: é]{1,6}")
}

/// A record with some cells set up, some legal turns, and some comments.
fn record() -> impl Strategy<Value = GameRecord> {
    let node = (any::<u64>(), 0..12u8, text(), proptest::option::weighted(0.1, "X[A-Z]"));
    (1..6usize, 1..6usize, proptest::collection::vec(node, 0..20), text()).prop_map(|(width, height, nodes, name)| {
        let board = Board::new(width, height).unwrap();
        let mut record = GameRecord::new(board);
        record.name = name;
        for (seed, kind, comment, other) in nodes {
            let cell = |seed: u64| board.cells().nth((seed % board.len() as u64) as usize).unwrap();
            let player = Player::BOTH[(seed >> 32) as usize % 2];
            let mover = record.to_move().unwrap_or(player);
            let mut node = RecordNode { comment, ..RecordNode::default() };
            match kind {
                0 => node.setup = vec![(cell(seed), None), (cell(seed >> 8), Some(player))],
                1 => node.to_move = Some(player),
                2 => node.turn = Some(Turn { player: mover, action: Action::Pass }),
                3 => node.turn = Some(Turn { player: mover, action: Action::SwapPieces }),
                4 => node.turn = Some(Turn { player: mover, action: Action::SwapSides }),
                5 => node.turn = Some(Turn { player, action: Action::Play(cell(seed)) }),
                _ => node.turn = Some(Turn { player: mover, action: Action::Play(cell(seed)) }),
            }
            node.other =
                Vec::from_iter(other.map(|name| Property { name, values: vec![r"a\]b:".to_owned(), String::new()] }));
            let _ = record.push(node);
        }
        record
    })
}

fn stones(position: &Position) -> Vec<(Player, Cell)> {
    position.stones().collect()
}

#[test]
fn a_swap_of_little_golem_does_not_turn_the_winner_around() {
    // The swapped b1 is Black's a2; with a1 Black connects top and bottom of a 2x2 board.
    let text = "(;FF[4]EV[hex]SZ[2]GM[11]SO[http://www.littlegolem.net];W[ba];B[swap];W[bb];B[aa])";
    let (record, _) = read("won.sgf", text).unwrap();
    assert_eq!(record.position().winner(), Some(Player::Red));
}

proptest! {
    #[test]
    fn sgf_says_all_of_a_record(record in record()) {
        let text = sgf::write(&record);
        let (again, warnings) = read("written.sgf", &text).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&warnings, "");
        prop_assert_eq!(again.position(), record.position(), "{}", text);
        // A first node without a turn is the root itself, a first one with a turn follows it: nodes stay what they are.
        prop_assert_eq!(sgf::write(&again), text);
    }

    #[test]
    fn a_link_says_the_stones_and_the_side_to_move(record in record()) {
        let link = hexworld::write(&record);
        let (again, warnings) = read("link", &link).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&warnings, "");
        prop_assert_eq!(stones(&again.position()), stones(&record.position()), "{}", link);
        if let Some(player) = record.to_move() {
            prop_assert_eq!(again.to_move(), Some(player), "{}", link);
        }
    }

    #[test]
    fn a_position_comes_back_from_its_record(record in record()) {
        let position = record.position();
        let again = GameRecord::of_position(&position).position();
        prop_assert_eq!(again.moves().collect::<Vec<_>>(), position.moves().collect::<Vec<_>>());
        prop_assert_eq!(stones(&again), stones(&position));
        if position.to_move.is_some() {
            prop_assert_eq!(again.to_move, position.to_move);
        }
    }

    #[test]
    fn no_text_makes_the_readers_panic(text in "[(;)\\[\\]A-Ea-d1-3\\\\:#,é \n]{0,40}") {
        for name in ["a.sgf", "a"] {
            let _ = read(name, &text);
        }
        let _ = read("a.sgf", &format!("(;SZ[3]{text})"));
        let _ = read("a", &format!("#3,{text}"));
    }
}

/// What breaks the rules of Hex is read as it is written, and told on standard error.
#[test]
fn records_that_break_the_rules_are_told() {
    let swap = "a swap answers the first stone alone";
    for (text, told) in [
        ("#3,a1b2c3a3:sb3", swap),
        ("#3,a1:s:s", swap),
        ("(;GM[11]SZ[5];B[c3];W[d3];B[swap-pieces];W[a1])", swap),
        ("(;GM[11]SZ[5];B[c3];W[swap-pieces];B[swap-pieces];W[a1])", swap),
        ("#3,a1:rbb2", "the game goes on after red has given up"),
        ("(;GM[11]SZ[3];B[a1];W[resign];B[b1])", "the game goes on after blue has given up"),
        ("#3,b1a1b2a2b3a3", "stones are placed after red has won"),
        ("(;GM[11]SZ[3];B[a1];B[a2];W[b1];W[b2])", "red moves out of turn"),
        ("(;GM[11]SZ[5]AB[a1]AW[a1]PL[W])", "`a1` is set up for both colors in one node"),
        ("#5c1,a2:sc3d2:rb", ""),
        ("#3,b1a1b2a2b3", ""),
        ("(;GM[11]SZ[3];B[a1];W[pass];B[a2])", ""),
    ] {
        let output = ludolog(".", &["hex", "convert", "-"]).write_stdin(text).assert().success().get_output().clone();
        let warnings = String::from_utf8(output.stderr).expect("text");
        assert!(warnings.contains(told) && told.is_empty() == warnings.is_empty(), "{text}: {warnings}");
    }
    let shown = ludolog(".", &["hex", "show", "#5c1,a2:sc3d2:rb"]).assert().success().get_output().stdout.clone();
    let shown = String::from_utf8(shown).expect("text");
    assert!(shown.ends_with("nobody has a chain, and red has given up\n"), "{shown}");
}

/// SGF names its character set, and is Latin-1 without: the byte 0xFC is ü.
#[test]
fn records_in_latin_1_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |set: &str| {
        let game = format!("(;GM[11]SZ[5]{set}PB[J?rgen];B[a1])").into_bytes();
        let bytes: Vec<u8> = game.into_iter().map(|byte| if byte == b'?' { 0xFC } else { byte }).collect();
        std::fs::write(folder.path().join("game.sgf"), bytes).expect("a file");
    };
    for set in ["CA[ISO-8859-1]", "CA[latin1]", ""] {
        write(set);
        let told = ludolog(folder.path(), &["hex", "convert", "game.sgf", "--to", "sgf"]).assert().success();
        let written = String::from_utf8(told.get_output().stdout.clone()).expect("UTF-8");
        assert!(written.contains("CA[UTF-8]") && written.contains("PB[Jürgen]"), "{written}");
    }
    write("CA[UTF-8]");
    let told = ludolog(folder.path(), &["hex", "convert", "game.sgf"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&told).contains("this text is not in UTF-8"));
}

#[test]
fn boards_of_other_forms_are_told_as_such() {
    for (command, board) in [("show", "y-5"), ("convert", "y-5"), ("evaluate", "hex-cylinder-5x5")] {
        let told = ludolog(".", &["hex", command, board]).assert().code(2).get_output().stderr.clone();
        let told = String::from_utf8(told).expect("text");
        assert!(told.contains(&format!("`{board}` is no rhombus")), "{told}");
    }
}

#[test]
fn convert_writes_each_from_each() {
    let link = "https://hexworld.org/board/#5c1,a2:sc3d2:rb\n";
    let position = "size: 5x5\nto-move: red\nblue: b1\nmoves: c3 d2\n";
    let convert = |from: &str, to: &str| ludolog(".", &["hex", "convert", from, "--to", to]);
    convert("tests/records/swap-pieces.sgf", "hexworld").assert().success().stdout(link);
    convert("#5c1,a2:sc3d2:rb", "position").assert().success().stdout(position);
    convert("-", "hexworld").write_stdin(link).assert().success().stdout(link);
    let sgf = convert("#5c1,a2:sc3d2:rb", "sgf").assert().success().get_output().stdout.clone();
    convert("-", "hexworld").write_stdin(sgf).assert().success().stdout(link);
    convert("2x2", "position").assert().success().stdout("to-move: red\n. .\n . .\n");
    convert("tests/rejected/records/occupied.sgf", "sgf").assert().code(2).stdout("");
}

#[test]
fn records_are_read_wherever_positions_are() {
    let won = "https://hexworld.org/board/#2c1,a1b1a2";
    ludolog(".", &["hex", "show", won])
        .assert()
        .success()
        .stdout("  a b\n1 R*B\n 2 R*.\nred wins with a chain of 2 cells\n");
    ludolog(".", &["query", "rules/hex/cluster.dl", "win(red)", "--position", won]).assert().success().stdout("yes\n");
    let shown = ludolog(".", &["hex", "show", "tests/records/hexgui.sgf"]).assert().success().get_output().clone();
    assert!(String::from_utf8_lossy(&shown.stderr).contains("tests/records/hexgui.sgf:2:45"), "{shown:?}");
    ludolog(".", &["hex", "show", "nowhere.sgf"]).assert().code(2);
    let size = ludolog(".", &["hex", "show", "0x3"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&size).contains("no board size: 0x3"), "{size:?}");
}
