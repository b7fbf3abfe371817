//! SGF, the Smart Game Format, for Hex (`GM[11]`).
//!
//! Cells are written as everywhere, `B[f6]`; the two letters of Little Golem, `B[ff]`, are read too. `swap-pieces`,
//! `swap-sides`, `swap`, `pass` (or nothing), `resign` and `forfeit` are moves; `AB`, `AW`, `AE` and `PL` set up.
//!
//! After `swap-pieces` it is the opponent's turn, after `swap-sides` the turn of the color that swapped. HexGui and
//! twogtp write `swap-pieces` for either, so the next move decides: `B[b4];W[swap-pieces];B[c3]` is a swap of pieces,
//! `B[b4];W[swap-pieces];W[c3]` one of sides. Where no move follows, the word is taken as it stands, except in files of
//! HexGui up to version 0.9, which knew no other swap than that of sides. What this module writes says what it means.
//!
//! `swap` says neither, and the same rule decides. Where no move follows, Little Golem's is one of pieces; a file of
//! another source is refused with both readings.
//!
//! `tree` reads the grammar; this module gives it the meaning for Hex. Properties without such a meaning are kept as
//! they are.

mod tree;

use super::record::{Action, GameRecord, Illegal, Property, RecordNode, Turn};
use super::rules::RuleWatch;
use super::{ReadGame, error, warning};
use crate::board::{Board, Cell, Player, column_name, parse_cell_name};
use ludolog_syntax::diagnostic::{Diagnostics, SourceId, Span};
use std::collections::BTreeMap;
use std::fmt::Write;
use tree::{RawNode, RawProperty, RawValue, escape, main_line, unescape};

/// The board of a file that does not say its size.
const DEFAULT_SIDE: usize = 11;

const SWAP_PIECES: &str = "swap-pieces";
const SWAP_SIDES: &str = "swap-sides";
/// A swap that does not say of what.
const SWAP: &str = "swap";
const PASS: &str = "pass";
const RESIGN: &str = "resign";
const FORFEIT: &str = "forfeit";

/// The text before the version in files that [`write`] makes.
const APPLICATION: &str = "Ludolog:";

const MOVES: &str = "a move is a cell as in `f6`, or `swap-pieces`, `swap-sides`, `pass`, `resign` or `forfeit`";

/// Properties that are about the file, and are written anew.
const OF_THE_FILE: [&str; 6] = ["GM", "FF", "CA", "AP", "SZ", "ST"];

/// Reads the main line of the first game; see [`super::read`].
///
/// # Errors
///
/// All errors up to the first illegal move.
pub fn read(text: &str, source: SourceId) -> Result<ReadGame, Diagnostics> {
    let line = main_line(text, source);
    let mut reader = SgfReader {
        diagnostics: line.diagnostics,
        application: String::new(),
        from: String::new(),
        rules: RuleWatch::default(),
        set_up: BTreeMap::new(),
    };
    let record = if reader.diagnostics.has_errors() { None } else { reader.record(&line.nodes) };
    match record {
        Some(record) if !reader.diagnostics.has_errors() => {
            let irregular = reader.rules.finish(&record);
            Ok(ReadGame { record, warnings: reader.diagnostics, irregular })
        }
        _ => Err(reader.diagnostics),
    }
}

struct SgfReader {
    diagnostics: Diagnostics,
    /// The program that wrote the file and its version, as far as it says so.
    application: String,
    /// The source that the file names.
    from: String,
    rules: RuleWatch,
    /// The cells that the node sets up.
    set_up: BTreeMap<Cell, Option<Player>>,
}

impl SgfReader {
    fn error(&mut self, message: impl Into<String>, span: Span, label: &str, help: impl Into<String>) {
        self.diagnostics.push(error(message, span, label, help));
    }

    fn record(&mut self, nodes: &[RawNode]) -> Option<GameRecord> {
        let root = nodes.first()?;
        let board = self.root(root)?;
        let mut record = GameRecord::new(board);
        for (i, raw) in nodes.iter().enumerate() {
            let mut node = RecordNode::default();
            let mut turn_at = raw.span;
            self.set_up.clear();
            for property in &raw.properties {
                self.property(property, board, &mut node, &mut record);
                if is_turn(property) {
                    turn_at = property.values[0].span;
                }
            }
            if node == RecordNode::default() {
                continue;
            }
            if let Some(Turn { player, action: action @ Action::SwapPieces }) = &mut node.turn {
                *action = self.swap(*player, raw, &nodes[i + 1..])?;
            }
            self.rules.see(&record, &node, turn_at);
            if let Err(illegal) = record.push(node) {
                let (label, help) = match illegal {
                    Illegal::Occupied => ("there is a stone already", "a cell holds one stone"),
                    Illegal::NothingToSwap => ("the board is empty", "a swap answers the first move"),
                    Illegal::NotSquare => ("the board is not square", "say `swap-sides`, which needs no reflection"),
                };
                self.error(format!("this move is illegal: {illegal}"), turn_at, label, help);
                // Later nodes depend on it.
                return None;
            }
        }
        Some(record)
    }

    /// The board, from the root's properties; those of the file are checked.
    fn root(&mut self, root: &RawNode) -> Option<Board> {
        let find = |name: &str| root.properties.iter().find(|property| property.name == name);
        match find("GM").map(|property| &property.values[0]) {
            Some(game) if game.text.trim() != "11" => {
                let message = format!("this is a record of game {}, not of Hex", game.text.trim().escape_debug());
                self.error(message, game.span, "Hex is 11", "Hex files say `GM[11]`");
                return None;
            }
            Some(_) => {}
            None => {
                let message = "the file does not say which game it is of; it is read as Hex";
                self.diagnostics.push(warning(message, root.span, "no `GM[11]` in this node"));
            }
        }
        if let Some(application) = find("AP").map(|property| &property.values[0]) {
            self.application.clone_from(&application.text);
        }
        if let Some(from) = find("SO").map(|property| &property.values[0]) {
            self.from.clone_from(&from.text);
        }
        let Some(size) = find("SZ").map(|property| &property.values[0]) else {
            return Board::new(DEFAULT_SIDE, DEFAULT_SIDE);
        };
        let (width, height) = size.text.split_once(':').unwrap_or((&size.text, &size.text));
        let side = |text: &str| text.trim().parse().ok();
        let board = side(width).zip(side(height)).and_then(|(width, height)| Board::new(width, height));
        if board.is_none() {
            let help = format!("`SZ[11]`, or columns and rows, `SZ[11:9]`, each from 1 to {}", Board::MAX_SIDE);
            self.error(format!("`{}` is no board size", size.text.escape_debug()), size.span, "no size", help);
        }
        board
    }

    fn property(&mut self, property: &RawProperty, board: Board, node: &mut RecordNode, record: &mut GameRecord) {
        let first = &property.values[0];
        match property.name.as_str() {
            "B" | "W" => {
                if node.turn.is_some() || property.values.len() > 1 {
                    let help = "give each move a node of its own: `;B[a1];W[b2]`";
                    return self.error("a node has two moves", property.span, "the second", help);
                }
                node.turn = self.action(first, board).map(|action| Turn { player: turn_player(property), action });
            }
            "AB" | "AW" | "AE" => {
                let stone = match property.name.as_str() {
                    "AB" => Some(Player::Red),
                    "AW" => Some(Player::Blue),
                    _ => None,
                };
                for value in &property.values {
                    let cell = self.cell(value, board, "a cell is a letter for its column and a number for its row");
                    self.set_up(node, cell, stone, value);
                }
            }
            "PL" => match player(&first.text) {
                Some(player) => node.to_move = Some(player),
                None => {
                    let message = format!("`{}` is no player", first.text.escape_debug());
                    self.error(message, first.span, "no player", "`PL[B]` or `PL[W]`");
                }
            },
            "C" => node.comment = Some(unescape(&first.text, true)),
            "GN" => record.name = Some(unescape(&first.text, false)),
            "SO" => record.from = Some(unescape(&first.text, false)),
            name if OF_THE_FILE.contains(&name) => {}
            _ => node.other.push(Property {
                name: property.name.clone(),
                values: property.values.iter().map(|value| value.text.clone()).collect(),
            }),
        }
    }

    /// Sets a cell up, and tells one that the node has set up for the other color.
    fn set_up(&mut self, node: &mut RecordNode, cell: Option<Cell>, stone: Option<Player>, value: &RawValue) {
        let Some(cell) = cell else { return };
        let before = self.set_up.insert(cell, stone).flatten();
        if before.zip(stone).is_some_and(|(before, stone)| before != stone) {
            let message = format!("`{}` is set up for both colors in one node", value.text.trim().escape_debug());
            self.diagnostics.push(warning(message, value.span, "the last one counts"));
        }
        node.setup.push((cell, stone));
    }

    fn action(&mut self, value: &RawValue, board: Board) -> Option<Action> {
        Some(match word(value).as_str() {
            SWAP_PIECES | SWAP => Action::SwapPieces,
            SWAP_SIDES => Action::SwapSides,
            "" | PASS => Action::Pass,
            RESIGN => Action::Resign,
            FORFEIT => Action::Forfeit,
            _ => Action::Play(self.cell(value, board, MOVES)?),
        })
    }

    /// The meaning of the `swap-pieces` or `swap` in a node before `later` ones; `None` after an error.
    fn swap(&mut self, swapper: Player, node: &RawNode, later: &[RawNode]) -> Option<Action> {
        let value = node.properties.iter().find(|property| is_turn(property)).map(|turn| &turn.values[0])?;
        let is_plain = word(value) == SWAP;
        if self.application.starts_with(APPLICATION) && !is_plain {
            return Some(Action::SwapPieces);
        }
        let is_of_sides = match next_mover(later) {
            Some(next) => next == swapper,
            None if is_old_hexgui(&self.application) => true,
            None if is_plain && !is_little_golem(&self.from) => {
                let color = swapper.name();
                let other = swapper.opponent().name();
                let message = "this swap can be read in two ways, and no move follows that tells them apart";
                let label = format!("of pieces: {other} moves next; of sides: {color} moves again");
                let help =
                    "write `swap-pieces`, which recolors and reflects the stone, or `swap-sides`, which leaves it";
                self.error(message, value.span, &label, help);
                return None;
            }
            None => false,
        };
        Some(if is_of_sides { Action::SwapSides } else { Action::SwapPieces })
    }

    fn cell(&mut self, value: &RawValue, board: Board, help: &str) -> Option<Cell> {
        let name = value.text.trim();
        let Some((column, row)) = parse_cell_name(name).or_else(|| two_letters(name)) else {
            self.error(format!("`{}` is no cell", name.escape_debug()), value.span, "no cell", help);
            return None;
        };
        let cell = board.cell(column, row);
        if cell.is_none() {
            let last = format!("{}{}", column_name(board.width() - 1), board.height());
            let help = format!("the cells of this board are `a1` to `{last}`");
            self.error(format!("`{name}` is outside the {board} board"), value.span, "outside", help);
        }
        cell
    }
}

/// The player to move first in these nodes, by a `PL` or a move. Giving up is none, which players may do out of turn.
fn next_mover(later: &[RawNode]) -> Option<Player> {
    later.iter().flat_map(|node| &node.properties).find_map(|property| match property.name.as_str() {
        "PL" => player(&property.values[0].text),
        "B" | "W" if !matches!(word(&property.values[0]).as_str(), RESIGN | FORFEIT) => Some(turn_player(property)),
        _ => None,
    })
}

fn is_turn(property: &RawProperty) -> bool {
    matches!(property.name.as_str(), "B" | "W")
}

fn turn_player(turn: &RawProperty) -> Player {
    if turn.name == "B" { Player::Red } else { Player::Blue }
}

/// The words for moves are read in either case.
fn word(value: &RawValue) -> String {
    value.text.trim().to_ascii_lowercase()
}

/// `HexGui:0.9` and earlier, with whatever follows the version.
fn is_old_hexgui(application: &str) -> bool {
    let minor = application.strip_prefix("HexGui:0.").and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    minor.is_some_and(|minor| minor.len() == 1)
}

/// Whether a file comes from littlegolem.net or its mirrors.
fn is_little_golem(from: &str) -> bool {
    from.to_ascii_lowercase().contains("littlegolem")
}

fn player(text: &str) -> Option<Player> {
    match text.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Player::Red),
        "w" | "white" | "2" => Some(Player::Blue),
        _ => None,
    }
}

/// Column and row, from 0, of Little Golem's `ff`.
fn two_letters(name: &str) -> Option<(usize, usize)> {
    let index = |byte: u8| byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
    match name.as_bytes() {
        &[column, row] => index(column).zip(index(row)),
        _ => None,
    }
}

/// Moves a line.
const MOVES_A_LINE: usize = 10;

/// Writes a record as a file of one game.
pub fn write(record: &GameRecord) -> String {
    let board = record.board();
    let size = if board.width() == board.height() {
        board.width().to_string()
    } else {
        format!("{}:{}", board.width(), board.height())
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("(;FF[4]GM[11]CA[UTF-8]AP[{APPLICATION}{version}]SZ[{size}]");
    for (name, value) in [("GN", &record.name), ("SO", &record.from)] {
        if let Some(value) = value {
            let _ = write!(text, "{name}[{}]", escape(value));
        }
    }
    let mut turns = 0;
    for (i, node) in record.nodes().iter().enumerate() {
        // Stones set up before the first move belong to the root.
        if i > 0 || node.turn.is_some() {
            text.push_str(if turns % MOVES_A_LINE == 0 { "\n;" } else { ";" });
        }
        turns += usize::from(node.turn.is_some());
        write_node(&mut text, node, board);
    }
    text.push_str(")\n");
    text
}

fn write_node(text: &mut String, node: &RecordNode, board: Board) {
    let setup = node.last_setup();
    for (name, stone) in [("AB", Some(Player::Red)), ("AW", Some(Player::Blue)), ("AE", None)] {
        let cells = setup.iter().filter(|(_, other)| **other == stone);
        let cells: String = cells.map(|(&cell, _)| format!("[{}]", board.name(cell))).collect();
        if !cells.is_empty() {
            let _ = write!(text, "{name}{cells}");
        }
    }
    if let Some(player) = node.to_move {
        let _ = write!(text, "PL[{}]", letter(player));
    }
    if let Some(Turn { player, action }) = node.turn {
        let action = match action {
            Action::Play(cell) => board.name(cell),
            Action::SwapPieces => SWAP_PIECES.to_owned(),
            Action::SwapSides => SWAP_SIDES.to_owned(),
            Action::Pass => PASS.to_owned(),
            Action::Resign => RESIGN.to_owned(),
            Action::Forfeit => FORFEIT.to_owned(),
        };
        let _ = write!(text, "{}[{action}]", letter(player));
    }
    if let Some(comment) = &node.comment {
        let _ = write!(text, "C[{}]", escape(comment));
    }
    for Property { name, values } in &node.other {
        let values: String = values.iter().map(|value| format!("[{value}]")).collect();
        let _ = write!(text, "{name}{values}");
    }
}

fn letter(player: Player) -> char {
    match player {
        Player::Red => 'B',
        Player::Blue => 'W',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &str) -> ReadGame {
        read(text, SourceId(0)).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    fn position(text: &str) -> String {
        reading(text).record.position().to_string()
    }

    #[test]
    fn a_file_of_hexgui() {
        // Its order of properties, and its own idea of swap-pieces: the stone stays, White moves again.
        let text = "(;AP[HexGui:0.9.GIT]FF[4]SZ[5]GM[11];B[b4];W[swap-pieces];W[c3];B[e2]C[why\\: a\\] b])\n";
        assert_eq!(position(text), "size: 5x5\nto-move: blue\nmoves: b4 c3 e2\n");
        assert_eq!(reading(text).record.nodes()[3].comment.as_deref(), Some("why: a] b"));
    }

    #[test]
    fn the_move_after_a_swap_says_which_it_was() {
        let game = |application: &str, moves: &str| position(&format!("(;{application}GM[11]SZ[5];B[b4]{moves})"));
        let sides = |later: &str| format!("size: 5x5\nto-move: {later}\n");
        // White moves again, for instance to d2, the reflection of b4: the stone stays Black's.
        for application in ["", "AP[HexGui:0.9.GIT]", "AP[HexGui:0.10]", "AP[twogtp]"] {
            assert_eq!(game(application, ";W[swap-pieces];W[d2];B[c3]"), sides("blue\nmoves: b4 d2 c3"));
            assert_eq!(game(application, ";W[SWAP-PIECES]C[well];C[so];W[c3]"), sides("red\nmoves: b4 c3"));
            // Black moves, for instance to b4 again: the stone has become White's d2.
            assert_eq!(game(application, ";W[swap-pieces];B[b4]"), sides("blue\nblue: d2\nmoves: b4"));
            assert_eq!(game(application, ";W[swap-pieces];W[resign];B[b4]"), sides("blue\nblue: d2\nmoves: b4"));
        }
        // No move follows: the word counts, but for a HexGui that had no other.
        for end in ["", ";W[resign]"] {
            assert_eq!(game("AP[HexGui:0.9.GIT]", &format!(";W[swap-pieces]{end}")), sides("blue\nmoves: b4"));
            let pieces = "to-move: red\n. . . . .\n . . . B .\n  . . . . .\n   . . . . .\n    . . . . .\n";
            assert_eq!(game("AP[HexGui:0.10]", &format!(";W[swap-pieces]{end}")), pieces);
        }
        // A file of ours means what it says, even where a move is out of turn.
        let ours = game("AP[Ludolog:0.1.0]", ";W[swap-pieces];W[c3]");
        assert_eq!(ours, "to-move: red\n. . . . .\n . . . B .\n  . . B . .\n   . . . . .\n    . . . . .\n");
    }

    #[test]
    fn set_up_in_any_node() {
        let text = "(;GM[11]SZ[3:2]AB[a1][b1]AW[c2]PL[W];AE[a1]AB[a2])";
        assert_eq!(position(text), ". R .\n R . B\n");
        assert_eq!(position("(;GM[11]SZ[2]AB[a1]PL[white])"), "to-move: blue\nR .\n . .\n");
    }

    #[test]
    fn a_cell_that_is_set_up_for_both_colors_is_told() {
        let warnings = |text: &str| {
            let warnings = reading(text).warnings;
            warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(warnings("(;GM[11]SZ[2]AB[a1]AW[a1]PL[W])"), ["`a1` is set up for both colors in one node"]);
        assert_eq!(warnings("(;GM[11]SZ[2]AB[a1][a1]AW[b2];AE[a1]AW[a1]AB[a2])"), [""; 0]);
    }

    #[test]
    fn the_notation_of_little_golem() {
        assert_eq!(position("(;GM[11]SZ[3];B[ab];W[cc])"), "size: 3x3\nto-move: red\nmoves: a2 c3\n");
    }

    #[test]
    fn what_is_not_understood_is_written_again() {
        let text = "(;GM[11]SZ[2]PB[Ann]XX[a\\]b][c];B[a1]TR[a1][b2])";
        let record = reading(text).record;
        let written = write(&record);
        assert!(written.contains("PB[Ann]XX[a\\]b][c]") && written.contains(";B[a1]TR[a1][b2]"), "{written}");
        assert_eq!(reading(&written).record, record);
    }
}
