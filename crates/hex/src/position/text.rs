//! The position format.
//!
//! A grid of `.`, `R` and `B`, one row a line, is a position. Spaces and indentation are free, so that a rhombus may
//! look like one; a line that begins with `%` is a comment. Lines `key: value` may stand before the grid:
//!
//! ```text
//! name: ladder
//! size: 3x3
//! to-move: red
//! known: no win
//! from: made by hand
//! R . .
//!  B R .
//!   . B .
//! ```
//!
//! Instead of a grid, with `size:`, stones may be listed by cell: `red: a1 b2`, `blue: a2 b3`; and `moves: a1 a2 b2 b3`
//! is the record of a game in which players alternate and Red begins. A list may go on in another line of the same key.

use super::{HeaderClaim, ParseKnownError, Position};
use crate::board::{Board, Cell, ParseBoardError, ParsePlayerError, Player, column_name, parse_cell_name};
use ludolog_syntax::ColdSort;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Span, counted};
use std::fmt::{self, Write};
use std::str::FromStr;

/// With as many errors the text is taken for something else, and the rest is not read.
const MOST_ERRORS: usize = 20;

const KEYS: &str = "`name`, `size`, `to-move`, `known`, `from`, `red`, `blue` and `moves`";

impl Position {
    /// Reads a position; `source` is the id of the text, for the spans.
    ///
    /// # Errors
    ///
    /// All that is wrong with the text.
    pub fn parse(text: &str, source: SourceId) -> Result<Position, Diagnostics> {
        let mut reader = GridReader { source, errors: Diagnostics::new(), header: Header::default(), rows: Vec::new() };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if reader.errors.iter().count() >= MOST_ERRORS {
                let at = reader.span(start, start);
                reader.errors.push(
                    Diagnostic::error(Code::Position, "this does not look like a position; the rest was not read")
                        .at(at, "stopped here"),
                );
                break;
            }
            reader.line(line, start);
            start += line.len();
        }
        reader.finish(text)
    }
}

/// A value of the header, and where it stands.
type Spanned<T> = (T, Span);

/// One row of the grid: its cells, and where it stands.
struct GridRow {
    cells: Vec<Option<Player>>,
    span: Span,
    /// Whether all of it was understood.
    is_readable: bool,
}

#[derive(Default)]
struct Header {
    name: Option<Spanned<String>>,
    size: Option<Spanned<Board>>,
    to_move: Option<Spanned<Player>>,
    known: Option<Spanned<HeaderClaim>>,
    from: Option<Spanned<String>>,
    /// Stones and moves by cell name; `None` for a move.
    listed: Vec<Spanned<(Option<Player>, String)>>,
    /// Whether `size` was given wrongly, so that its absence is no second error.
    bad_size: bool,
}

struct GridReader {
    source: SourceId,
    errors: Diagnostics,
    header: Header,
    rows: Vec<GridRow>,
}

impl GridReader {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    fn error(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>, help: impl Into<String>) {
        self.errors.push(Diagnostic::error(Code::Position, message).at(span, label).help(help));
    }

    fn line(&mut self, line: &str, start: usize) {
        let start = start + (line.len() - line.trim_start_matches(is_space).len());
        let line = line.trim_matches(is_space);
        if line.is_empty() || line.starts_with('%') {
            return;
        }
        match line.split_once(':') {
            Some((key, value)) if key.chars().all(|c| c.is_alphabetic() || c == '-' || c == '_' || c == ' ') => {
                let value_start = start + key.len() + 1 + (value.len() - value.trim_start_matches(is_space).len());
                self.header_line(key.trim(), start, value.trim_matches(is_space), value_start);
            }
            _ => self.row(line, start),
        }
    }

    fn header_line(&mut self, key: &str, key_start: usize, value: &str, start: usize) {
        let key_span = self.span(key_start, key_start + key.len());
        let span = self.span(start, start + value.len());
        if !self.rows.is_empty() {
            let help = "move this line up, before the first row";
            self.error("a header line stands after the grid", key_span, "too late here", help);
            return;
        }
        if value.is_empty() {
            let help = format!("write `{key}: …`, or leave the line out");
            self.error(format!("`{key}` has no value"), key_span, "nothing follows the colon", help);
            self.header.bad_size |= key == "size";
            return;
        }
        let before = match key {
            "name" => self.header.name.replace((value.to_owned(), span)).map(|old| old.1),
            "from" => self.header.from.replace((value.to_owned(), span)).map(|old| old.1),
            "size" => match value.parse() {
                Ok(board) => self.header.size.replace((board, span)).map(|old| old.1),
                Err(ParseBoardError) => {
                    self.header.bad_size = true;
                    let help = format!("columns, then rows, as in `9x9`, each from 1 to {}", Board::MAX_SIDE);
                    return self.error(format!("`{value}` is no board size"), span, "no size", help);
                }
            },
            "to-move" => match value.parse() {
                Ok(player) => self.header.to_move.replace((player, span)).map(|old| old.1),
                Err(ParsePlayerError) => {
                    let help = "`to-move: red` or `to-move: blue`";
                    return self.error(format!("`{value}` is no player"), span, "no player", help);
                }
            },
            "known" => match value.parse() {
                Ok(known) => self.header.known.replace((known, span)).map(|old| old.1),
                Err(ParseKnownError) => {
                    let help = "`red wins`, `blue wins` or `no win`";
                    return self.error(format!("`{value}` cannot be known"), span, "not one of these", help);
                }
            },
            "red" | "blue" | "moves" => {
                let player = key.parse().ok();
                let mut at = start;
                for name in value.split_inclusive(|c| is_space(c) || c == ',') {
                    let bare = name.trim_end_matches(|c| is_space(c) || c == ',');
                    if !bare.is_empty() {
                        let span = self.span(at, at + bare.len());
                        self.header.listed.push(((player, bare.to_owned()), span));
                    }
                    at += name.len();
                }
                None
            }
            _ => {
                let help = format!("the keys are {KEYS}");
                return self.error(format!("`{key}` is no header key"), key_span, "unknown", help);
            }
        };
        if let Some(before) = before {
            self.errors.push(
                Diagnostic::error(Code::Position, format!("`{key}` is said twice"))
                    .at(span, "again here")
                    .at(before, "first here")
                    .help("leave one of them out"),
            );
        }
    }

    fn row(&mut self, line: &str, start: usize) {
        let span = self.span(start, start + line.len());
        let mut cells = Vec::with_capacity(line.len() / 2 + 1);
        let mut unknown = None;
        for (at, c) in line.char_indices().filter(|&(_, c)| !is_space(c)) {
            cells.push(match c {
                'R' => Some(Player::Red),
                'B' => Some(Player::Blue),
                '.' => None,
                _ => {
                    unknown = unknown.or(Some((at, c)));
                    None
                }
            });
        }
        if let Some((at, c)) = unknown {
            let place = self.span(start + at, start + at + c.len_utf8());
            let help = match c {
                'r' | 'b' => "stones are upper-case: `R` for Red, `B` for Blue".to_owned(),
                '%' => "a comment has a line of its own".to_owned(),
                _ => "a row is made of `.` for an empty cell, `R` for Red and `B` for Blue".to_owned(),
            };
            self.error(format!("`{}` is no stone", c.escape_debug()), place, "neither `.` nor `R` nor `B`", help);
        }
        self.rows.push(GridRow { cells, span, is_readable: unknown.is_none() });
    }

    fn finish(mut self, text: &str) -> Result<Position, Diagnostics> {
        let position = self.place(text);
        match position {
            Some(position) if !self.errors.has_errors() => Ok(position),
            _ => Err(self.errors),
        }
    }

    /// The position, as far as there is a board to put it on.
    fn place(&mut self, text: &str) -> Option<Position> {
        let board = if self.rows.is_empty() { self.board_of_size(text)? } else { self.board_of_grid()? };
        let mut position = Position::new(board);
        for (row, GridRow { cells, .. }) in self.rows.iter().enumerate() {
            for (column, player) in cells.iter().enumerate() {
                // A row that is too long has been reported.
                if let (Some(player), Some(cell)) = (player, board.cell(column, row)) {
                    position.place(*player, cell);
                }
            }
        }
        self.place_listed(&mut position);
        let header = std::mem::take(&mut self.header);
        position.name = header.name.map(|(name, _)| name);
        position.known = header.known.map(|(known, _)| known);
        position.from = header.from.map(|(from, _)| from);
        position.to_move = header.to_move.map(|(player, _)| player).or(position.to_move);
        Some(position)
    }

    fn board_of_size(&mut self, text: &str) -> Option<Board> {
        if let Some((board, _)) = self.header.size {
            return Some(board);
        }
        if self.header.bad_size {
            return None;
        }
        match self.header.listed.first() {
            Some(&(_, span)) => {
                let help = "add a line `size: 9x9`, columns first";
                self.error("cells are listed, but the size of the board is missing", span, "on which board?", help);
            }
            None => {
                let end = self.span(text.len(), text.len());
                let help = "draw the board, one row a line, with `.` for an empty cell, `R` for Red and `B` for Blue";
                self.error("there is no board", end, "nothing up to here", help);
            }
        }
        None
    }

    fn board_of_grid(&mut self) -> Option<Board> {
        let height = self.rows.len();
        let width = most_common(self.rows.iter().map(|row| row.cells.len()));
        let ragged: Vec<(usize, Span)> = self
            .rows
            .iter()
            .filter(|row| row.is_readable && row.cells.len() != width)
            .map(|row| (row.cells.len(), row.span))
            .take(MOST_ERRORS)
            .collect();
        for (length, span) in ragged {
            let found = counted(length, "cell");
            let help = format!("all rows need {}", counted(width, "cell"));
            self.error(format!("this row has {found} instead of {width}"), span, found, help);
        }
        let first = self.rows[0].span;
        let last = self.rows[height - 1].span;
        if let Some((board, span)) = self.header.size
            && (board.width(), board.height()) != (width, height)
        {
            self.errors.push(
                Diagnostic::error(Code::Position, format!("the grid is {width}x{height} instead of {board}"))
                    .at(first.to(last), format!("{} of {}", counted(height, "row"), counted(width, "cell")))
                    .at(span, "the size asked for")
                    .help("`size` says columns, then rows; it may be left out where there is a grid"),
            );
        }
        let board = Board::new(width, height);
        if board.is_none() {
            let help = format!("a board has at most {0} columns and {0} rows", Board::MAX_SIDE);
            self.error(format!("a board of {width}x{height} is too large"), first, "begins here", help);
        }
        board
    }

    fn place_listed(&mut self, position: &mut Position) {
        let board = position.board;
        let mut first_at: Vec<Option<Span>> = vec![None; board.len()];
        // Stones stand there before the first move, wherever the header lists them.
        let mut listed = std::mem::take(&mut self.header.listed);
        listed.cold_sort_by_key(|((player, _), _)| player.is_none());
        for ((player, name), span) in listed {
            let Some((column, row)) = parse_cell_name(&name) else {
                let help = "a cell is a letter for its column and a number for its row, as in `a1`";
                self.error(format!("`{name}` is no cell"), span, "no cell", help);
                continue;
            };
            let Some(cell) = board.cell(column, row) else {
                let last = format!("{}{}", column_name(board.width() - 1), board.height());
                let help = format!("the cells of this board are `a1` to `{last}`");
                self.error(format!("`{name}` is outside the {board} board"), span, "outside", help);
                continue;
            };
            let free = match player {
                Some(player) => position.place(player, cell),
                None => position.play(cell),
            };
            if free {
                first_at[cell.index()] = Some(span);
                continue;
            }
            let taken =
                Diagnostic::error(Code::Position, format!("there are two stones on `{name}`")).at(span, "the second");
            let taken = match first_at[cell.index()] {
                Some(before) => taken.at(before, "the first"),
                None => taken.at(self.rows[row].span, "the first is in the grid"),
            };
            self.errors.push(taken.help("a cell holds one stone: leave one of them out"));
        }
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The number that occurs most often; of several, the one that occurs first.
fn most_common(lengths: impl Iterator<Item = usize>) -> usize {
    let mut counts: indexmap::IndexMap<usize, usize> = indexmap::IndexMap::new();
    lengths.for_each(|length| *counts.entry(length).or_default() += 1);
    counts.iter().rev().max_by_key(|&(_, count)| count).map_or(0, |(&length, _)| length)
}

impl FromStr for Position {
    type Err = Diagnostics;

    /// As [`parse`](Position::parse), with spans of the first of the [`Sources`](ludolog_syntax::diagnostic::Sources).
    fn from_str(text: &str) -> Result<Position, Diagnostics> {
        Position::parse(text, SourceId(0))
    }
}

impl fmt::Display for Position {
    /// In the position format: the moves, when there is a record, else the grid.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let record = !self.moves.is_empty();
        let header = [
            ("name", self.name.as_ref().map(one_line)),
            ("size", record.then(|| self.board.to_string())),
            ("to-move", self.to_move.map(|player| player.to_string())),
            ("known", self.known.map(|known| known.to_string())),
            ("from", self.from.as_ref().map(one_line)),
        ];
        for (key, value) in header {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                writeln!(f, "{key}: {value}")?;
            }
        }
        if record {
            for player in Player::BOTH {
                let setup: Vec<Cell> =
                    self.setup().filter_map(|(owner, cell)| (owner == player).then_some(cell)).collect();
                self.write_list(f, player.name(), &setup)?;
            }
            return self.write_list(f, "moves", &self.moves);
        }
        for row in 0..self.board.height() {
            let mut line = " ".repeat(row);
            for column in 0..self.board.width() {
                let stone = self.board.cell(column, row).and_then(|cell| self.stone(cell));
                line.push(stone_letter(stone));
                line.push(' ');
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Position {
    /// Twenty cells a line.
    fn write_list(&self, f: &mut fmt::Formatter<'_>, key: &str, cells: &[Cell]) -> fmt::Result {
        for line in cells.chunks(20) {
            let mut text = format!("{key}:");
            for &cell in line {
                write!(text, " {}", self.board.name(cell))?;
            }
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// `R`, `B` or `.`.
pub(crate) fn stone_letter(stone: Option<Player>) -> char {
    match stone {
        Some(Player::Red) => 'R',
        Some(Player::Blue) => 'B',
        None => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;

    fn parse(text: &str) -> Result<Position, Diagnostics> {
        let id = Sources::new().add("test", text);
        Position::parse(text, id)
    }

    #[test]
    fn a_bare_grid_is_a_position() {
        let spaced = parse("R . .\n B R .\r\n\t. B .\n\n").unwrap();
        assert_eq!(spaced, parse("\u{feff}R..\n% a comment\nBR.\n.B.").unwrap());
        let stones: Vec<(Player, u32)> = spaced.stones().map(|(player, cell)| (player, cell.number())).collect();
        use Player::{Blue, Red};
        assert_eq!(stones, [(Red, 1), (Blue, 4), (Red, 5), (Blue, 8)]);
        assert_eq!((spaced.to_move, spaced.known, &spaced.name), (None, None, &None));
    }

    #[test]
    fn a_header_says_more() {
        let text = "name: ladder\nto-move: blue\nknown: no win\nfrom: hand: made\nR . .\n B R .\n  . B .\n";
        let position = parse(text).unwrap();
        assert_eq!(position.to_move, Some(Player::Blue));
        assert_eq!(position.known, Some(HeaderClaim::NoWin));
        assert_eq!(position.from.as_deref(), Some("hand: made"));
        assert_eq!(position.to_string(), text);
    }

    #[test]
    fn stones_and_moves_may_be_listed() {
        let position = parse("size: 3x2\nblue: c1, c2\nmoves: a1 a2\nmoves: b1\n").unwrap();
        assert_eq!(parse("R R B\n B . B").unwrap().stones, position.stones);
        assert_eq!(position.to_move, Some(Player::Blue));
        assert_eq!(
            position.moves().map(|(player, cell)| (player, cell.number())).collect::<Vec<_>>(),
            [(Player::Red, 1), (Player::Blue, 4), (Player::Red, 2)]
        );
        assert_eq!(parse(&position.to_string()).unwrap(), position);
        let events: Vec<i64> = position
            .events()
            .iter()
            .map(|event| match event.args[1] {
                ludolog_syntax::ast::Term::Integer(n) => n,
                _ => unreachable!("a cell is a number"),
            })
            .collect();
        assert_eq!(events, [3, 6, 1, 4, 2]);
    }

    #[test]
    fn all_errors_are_reported() {
        let errors = parse("size: 3x3\nto-move: green\nred: a1 a1 d4 x\nblue: a1\n").unwrap_err();
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`green` is no player",
                "there are two stones on `a1`",
                "`d4` is outside the 3x3 board",
                "`x` is no cell",
                "there are two stones on `a1`",
            ]
        );
        let errors = parse("R..\nB?.\nB.\nR..\n").unwrap_err();
        let spans: Vec<(u32, u32)> = errors.iter().map(|e| (e.labels[0].span.start, e.labels[0].span.end)).collect();
        assert_eq!(spans, [(5, 6), (8, 10)]);
        assert_eq!(parse(&"?\n".repeat(1000)).unwrap_err().iter().count(), MOST_ERRORS + 1);
    }
}
