//! The file of a position.
//!
//! ```text
//! # Two triangles
//! name: bow tie
//! set: a b c
//! set: c d e
//! x: a
//! o: d
//! to-move: x
//! ```
//!
//! Lines are `key: value`; what follows `#` is a comment. Each `set:` is a winning set of points, with spaces or commas
//! between them. Names of points are without spaces, `:`, `;` and `#`, and commas stand within brackets only, as in
//! `(1,2)`. Instead of sets, `mnk: 4x5x4` says that four in a row win on a board of four columns
//! and five rows, and `cube: 4^3` that the lines of a cube win. Marks are lists, `x: a1 b2` and `o: c3`, or, behind
//! `mnk:`, a picture with a row a line:
//!
//! ```text
//! mnk: 3x3x3
//! X . O
//! . X .
//! . . O
//! ```
//!
//! Who is to move, unless `to-move:` says so, is X if both have as many marks, else the player with fewer.

use crate::hypergraph::{Hypergraph, NoHypergraph, PointBoard};
use crate::points::Point;
use crate::position::{Player, Position};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Span};
use rustc_hash::FxHashMap;
use std::fmt;

/// With as many errors the text is taken for something else, and the rest is not read.
const MOST_ERRORS: usize = 20;

const KEYS: &str = "`name`, `from`, `set`, `mnk`, `cube`, `x`, `o` and `to-move`";

/// Keys besides the board that are said once at most.
const SAID_ONCE: [&str; 3] = ["name", "from", "to-move"];

/// Brackets that open and that close, in the same order.
const OPENING: &str = "([{";
const CLOSING: &str = ")]}";

const NAMES: &str =
    "separate names by spaces or commas, as in `set: a b c`; names have no `;`, and commas within brackets only";

impl Position {
    /// Reads a position; `source` is the id of the text, for the spans.
    ///
    /// # Errors
    ///
    /// All that is wrong with the text.
    pub fn parse(text: &str, source: SourceId) -> Result<Position, Diagnostics> {
        let mut reader = PositionReader::new(source);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if reader.errors.iter().count() >= MOST_ERRORS {
                let at = Span::new(source, start, start);
                let stopped = Diagnostic::error(Code::PositionalGame, "this does not look like a positional game");
                reader.errors.push(stopped.at(at, "the rest was not read"));
                break;
            }
            reader.line(line, start);
            start += line.len();
        }
        reader.finish(Span::new(source, 0, text.len().min(1)))
    }
}

/// The marks of a row.
type PictureRow = Vec<Option<Player>>;

struct PositionReader {
    source: SourceId,
    errors: Diagnostics,
    /// Where each key stands that is said once at most.
    said: FxHashMap<&'static str, Span>,
    name: Option<String>,
    from: Option<String>,
    board: Option<(Hypergraph, Span)>,
    names: Vec<String>,
    numbers: FxHashMap<String, Point>,
    sets: Vec<Vec<Point>>,
    /// The number of lines of sets so far, with those that are no sets.
    set_lines: usize,
    /// The last of these lines that names each point, from 1.
    last_set: Vec<usize>,
    first_set: Option<Span>,
    /// Marks by name, and where they stand.
    marks: Vec<(Player, String, Span)>,
    /// Rows of the picture; `None` for one that is no row.
    rows: Vec<(Option<PictureRow>, Span)>,
    to_move: Option<Player>,
}

impl PositionReader {
    fn new(source: SourceId) -> PositionReader {
        PositionReader {
            source,
            errors: Diagnostics::new(),
            said: FxHashMap::default(),
            name: None,
            from: None,
            board: None,
            names: Vec::new(),
            numbers: FxHashMap::default(),
            sets: Vec::new(),
            set_lines: 0,
            last_set: Vec::new(),
            first_set: None,
            marks: Vec::new(),
            rows: Vec::new(),
            to_move: None,
        }
    }

    fn error(&mut self, message: impl Into<String>, at: Span, label: impl Into<String>, help: impl Into<String>) {
        self.errors.push(Diagnostic::error(Code::PositionalGame, message).at(at, label).help(help));
    }

    /// The words of a text that begins at `start`, with their places.
    fn words<'t>(&self, text: &'t str, start: usize) -> Vec<(&'t str, Span)> {
        let offset = |word: &str| start + (word.as_ptr() as usize - text.as_ptr() as usize);
        let word = |word: &'t str| (word, Span::new(self.source, offset(word), offset(word) + word.len()));
        text.split_whitespace().map(word).collect()
    }

    /// The names of a list that begins at `start`, with their places. Commas within brackets belong to a name.
    fn points<'t>(&mut self, text: &'t str, start: usize) -> Vec<(&'t str, Span)> {
        let mut names = Vec::new();
        for (word, _) in self.words(text, start) {
            for name in unbracketed(word).filter(|name| !name.is_empty()) {
                let offset = start + (name.as_ptr() as usize - text.as_ptr() as usize);
                let at = Span::new(self.source, offset, offset + name.len());
                // A round bracket alone is a name like any other.
                let has_list = name.contains([',', '[', ']', '{', '}']);
                if name.contains(';') || has_list && !has_paired_brackets(name) {
                    self.error(format!("`{name}` names no point"), at, "no name", NAMES);
                }
                names.push((name, at));
            }
        }
        names
    }

    fn line(&mut self, line: &str, start: usize) {
        let line = line.split('#').next().unwrap_or("");
        let words = self.words(line, start);
        let (Some((_, first)), Some((_, last))) = (words.first(), words.last()) else { return };
        let span = Span { end: last.end, ..*first };
        let Some((key, value)) = line.split_once(':') else { return self.row(&words, span) };
        let value_start = start + key.len() + 1;
        self.once(key.trim(), span);
        match key.trim() {
            "name" => self.name = Some(value.trim().to_owned()),
            "from" => self.from = Some(value.trim().to_owned()),
            "set" => {
                let points = self.points(value, value_start);
                self.set(&points, span);
            }
            "mnk" => {
                self.board(PointBoard::parse_mnk(value), value, span, "columns, rows and length, as in `mnk: 4x5x4`")
            }
            "cube" => self.board(PointBoard::parse_cube(value), value, span, "side and dimensions, as in `cube: 3^3`"),
            "x" => self.listed(Player::X, value, value_start),
            "o" => self.listed(Player::O, value, value_start),
            "to-move" => match Player::of_name(value.trim()) {
                Some(player) => self.to_move = Some(player),
                None => {
                    self.error(
                        format!("`{}` is no player", value.trim()),
                        span,
                        "no player",
                        "`to-move: x` or `to-move: o`",
                    );
                }
            },
            other => {
                self.error(format!("there is no key `{other}`"), span, "unknown key", format!("the keys are {KEYS}"))
            }
        }
    }

    /// Tells a key that has been said before, and is said once at most.
    fn once(&mut self, key: &str, span: Span) {
        let Some(&key) = SAID_ONCE.iter().find(|&&once| once == key) else { return };
        if let Some(before) = self.said.insert(key, span) {
            let twice = Diagnostic::error(Code::PositionalGame, format!("`{key}` is said twice"));
            self.errors.push(twice.at(span, "again here").at(before, "first here").help("leave one of them out"));
        }
    }

    fn listed(&mut self, player: Player, value: &str, start: usize) {
        let points = self.points(value, start);
        self.marks.extend(points.into_iter().map(|(name, at)| (player, name.to_owned(), at)));
    }

    fn set(&mut self, words: &[(&str, Span)], span: Span) {
        self.set_lines += 1;
        if words.is_empty() {
            let help = "name its points behind the colon, or leave the line out";
            return self.error("a winning set has no points", span, "whoever moves would have won already", help);
        }
        if let &[(name, at)] = words
            && is_bracketed_list(name)
        {
            let message = format!("`{name}` is one point, and looks like several");
            return self.error(message, at, "a winning set of one point", "write the points without brackets");
        }
        if is_in_brackets(words) {
            return self.error("a winning set is in brackets", span, "around the points", NAMES);
        }
        let mut set: Vec<Point> = Vec::with_capacity(words.len());
        for &(word, at) in words {
            let number = match self.numbers.get(word) {
                Some(&number) => number,
                None => {
                    let number = self.names.len() as Point;
                    self.names.push(word.to_owned());
                    self.numbers.insert(word.to_owned(), number);
                    self.last_set.push(0);
                    number
                }
            };
            if std::mem::replace(&mut self.last_set[number as usize], self.set_lines) == self.set_lines {
                let help = "a winning set is a set: name each point once";
                return self.error(format!("a winning set has `{word}` twice"), at, "the second time", help);
            }
            set.push(number);
        }
        self.sets.push(set);
        self.first_set.get_or_insert(span);
    }

    fn board(&mut self, board: Option<PointBoard>, value: &str, span: Span, help: &str) {
        match board.map(PointBoard::hypergraph) {
            None => self.error(format!("`{}` is no board", value.trim()), span, "no board", help),
            Some(Err(why)) => self.error(why.to_string(), span, "no board", help),
            Some(Ok(_)) if self.board.is_some() => {
                self.error("the board is given twice", span, "the second time", "leave one of the lines out");
            }
            Some(Ok(game)) => self.board = Some((game, span)),
        }
    }

    fn row(&mut self, words: &[(&str, Span)], span: Span) {
        let mut row = Vec::new();
        for (at, letter) in words.iter().flat_map(|&(word, at)| word.chars().map(move |letter| (at, letter))) {
            row.push(match letter {
                '.' => None,
                'X' | 'x' => Some(Player::X),
                'O' | 'o' => Some(Player::O),
                other => {
                    let help = "a line is `key: value`, or a row of `X`, `O` and `.` behind `mnk:`";
                    self.error(format!("`{other}` is no mark"), at, "neither key nor row", help);
                    return self.rows.push((None, span));
                }
            });
        }
        self.rows.push((Some(row), span));
    }

    fn finish(mut self, start: Span) -> Result<Position, Diagnostics> {
        let game = match (self.board.take(), self.first_set) {
            (Some(_), Some(set)) => {
                self.error("a board and winning sets are given", set, "a winning set", "leave one of both out");
                None
            }
            (Some((game, _)), None) => Some(game),
            (None, Some(set)) => match Hypergraph::new(std::mem::take(&mut self.names), std::mem::take(&mut self.sets))
            {
                Ok(game) => Some(game),
                Err(
                    why @ (NoHypergraph::EmptySet(_)
                    | NoHypergraph::Twice(..)
                    | NoHypergraph::NoBoard(_)
                    | NoHypergraph::TooLarge(_)),
                ) => {
                    self.error(why.to_string(), set, "among these", "write each winning set as its points");
                    None
                }
            },
            (None, None) if !self.errors.has_errors() => {
                let help = "write `set: a b c` for each winning set, or `mnk: 4x4x4`, or `cube: 3^3`";
                self.error("there are no winning sets", start, "nothing says how to win", help);
                None
            }
            (None, None) => None,
        };
        let Some(game) = game else { return Err(self.errors) };
        let mut position = Position::new(game);
        self.place_rows(&mut position);
        self.place_marks(&mut position);
        self.check_winners(&position, start);
        let [x, o] = Player::BOTH.map(|player| position.claimed(player).count());
        position.to_move = self.to_move.unwrap_or(if x <= o { Player::X } else { Player::O });
        (position.name, position.from) = (self.name, self.from);
        if self.errors.has_errors() { Err(self.errors) } else { Ok(position) }
    }

    /// Tells a position in which both players have won: play ends with the first complete set.
    fn check_winners(&mut self, position: &Position, start: Span) {
        let [Some(of_x), Some(of_o)] = Player::BOTH.map(|player| position.complete_set(player)) else { return };
        let [of_x, of_o] = [of_x, of_o].map(|set| names(position.game(), set.iter().copied()));
        let help = format!("play ends with the first of them: X has {of_x}, and O has {of_o}");
        self.error("both players have a complete winning set", start, "in this position", help);
    }

    fn place_rows(&mut self, position: &mut Position) {
        let rows = std::mem::take(&mut self.rows);
        let Some(&(_, first)) = rows.iter().find(|(row, _)| row.is_some()) else { return };
        let Some(PointBoard::Mnk { width, height, .. }) = position.game().board() else {
            let help = "write `mnk:` before the picture, or the marks as lists, `x: a b`";
            return self.error("a picture without a board", first, "the size of the board is not known", help);
        };
        if rows.len() != height {
            let message = format!("{} rows on a board of {height}", rows.len());
            let help = "draw every row, or none";
            self.error(message, first, "the picture begins here", help);
            return;
        }
        for (y, (row, span)) in rows.into_iter().enumerate() {
            let Some(row) = row else { continue };
            if row.len() != width {
                let message = format!("a row of {} points on a board of {width} columns", row.len());
                self.error(message, span, "this row", "draw every point: `X`, `O` or `.`");
                continue;
            }
            for (x, player) in row.into_iter().enumerate() {
                player.map(|player| position.claim(player, (y * width + x) as Point));
            }
        }
    }

    fn place_marks(&mut self, position: &mut Position) {
        let marks = std::mem::take(&mut self.marks);
        let numbers: FxHashMap<String, Point> =
            position.game().numbers().into_iter().map(|(name, point)| (name.to_owned(), point)).collect();
        for (player, name, span) in marks {
            match numbers.get(&name) {
                None => {
                    let help = "name a point of a winning set or of the board";
                    self.error(format!("there is no point `{name}`"), span, "no such point", help);
                }
                Some(&point) if !position.claim(player, point) => {
                    self.error(format!("`{name}` is marked twice"), span, "the second mark", "leave one of them out");
                }
                Some(_) => {}
            }
        }
    }
}

/// The parts of a word between commas outside of brackets.
fn unbracketed(word: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    word.split(move |letter: char| {
        if OPENING.contains(letter) {
            depth += 1;
        } else if CLOSING.contains(letter) {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && letter == ','
    })
}

/// Whether the first of some names opens a bracket that the last one closes.
fn is_in_brackets(names: &[(&str, Span)]) -> bool {
    let [(first, _), .., (last, _)] = names else { return false };
    first.starts_with('(') && last.ends_with(')') && ![first, last].into_iter().any(|name| has_paired_brackets(name))
}

/// Whether each bracket of a name is closed, by one of its kind.
fn has_paired_brackets(name: &str) -> bool {
    let mut open = Vec::new();
    for letter in name.chars() {
        if let Some(kind) = OPENING.find(letter) {
            open.push(kind);
        } else if let Some(kind) = CLOSING.find(letter)
            && open.pop() != Some(kind)
        {
            return false;
        }
    }
    open.is_empty()
}

/// Whether a name is brackets around a list with commas.
fn is_bracketed_list(name: &str) -> bool {
    name.starts_with(|letter| OPENING.contains(letter))
        && name.ends_with(|letter| CLOSING.contains(letter))
        && name.contains(',')
}

/// The file of the position.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in [("name", &self.name), ("from", &self.from)] {
            if let Some(value) = value {
                writeln!(f, "{key}: {value}")?;
            }
        }
        let game = self.game();
        match game.board() {
            Some(board @ PointBoard::Mnk { .. }) => writeln!(f, "mnk: {board}")?,
            Some(board @ PointBoard::Cube { .. }) => writeln!(f, "cube: {board}")?,
            None => {
                for set in game.sets() {
                    writeln!(f, "set: {}", names(game, set.iter().copied()))?;
                }
            }
        }
        writeln!(f, "to-move: {}", self.to_move.name())?;
        if let Some(PointBoard::Mnk { width, height, .. }) = game.board() {
            for y in 0..height {
                let mark = |x| self.mark((y * width + x) as Point).map_or(".".to_owned(), |player| player.to_string());
                writeln!(f, "{}", (0..width).map(mark).collect::<Vec<_>>().join(" "))?;
            }
            return Ok(());
        }
        for player in Player::BOTH {
            let marks = names(game, self.claimed(player));
            if !marks.is_empty() {
                writeln!(f, "{}: {marks}", player.name())?;
            }
        }
        Ok(())
    }
}

/// The names of points, with spaces between them.
pub fn names(game: &Hypergraph, points: impl IntoIterator<Item = Point>) -> String {
    points.into_iter().map(|point| game.name(point)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;

    fn parse(text: &str) -> Result<Position, Vec<String>> {
        let read = Position::parse(text, Sources::new().add("position", text));
        read.map_err(|wrong| wrong.iter().map(|error| error.message.clone()).collect())
    }

    #[test]
    fn commas_separate_points_and_belong_to_names_within_brackets() {
        let spaced = parse("set: a b\nset: b c\nset: c a\nx: a\no: b c\n").unwrap();
        assert_eq!(parse("set: a, b\nset: b,c\nset: c , a,\nx: a\no: b,c\n").unwrap(), spaced);
        let coordinates = parse("set: (1,2) [3,4]\nset: (1,2), {5,6}\n").unwrap();
        assert_eq!(coordinates.game().names(), ["(1,2)", "[3,4]", "{5,6}"]);
    }

    #[test]
    fn a_wrong_set_says_nothing_of_the_next_one() {
        assert_eq!(parse("set: a b a\nset: a b\n").unwrap_err(), ["a winning set has `a` twice"]);
    }

    #[test]
    fn what_is_said_twice_is_told() {
        for key in ["name", "from", "to-move"] {
            let text = format!("set: a b\n{key}: x\n{key}: o\n");
            assert_eq!(parse(&text).unwrap_err(), [format!("`{key}` is said twice")]);
        }
    }

    #[test]
    fn a_row_with_another_letter_is_a_row() {
        assert_eq!(parse("mnk: 3x3x3\nX . .\n. . Q\n. . .\n").unwrap_err(), ["`Q` is no mark"]);
    }

    #[test]
    fn names_with_other_punctuation_are_told() {
        let no_name = |name: &str| format!("`{name}` names no point");
        assert_eq!(parse("set: {a b c}\n").unwrap_err(), [no_name("{a"), no_name("c}")]);
        assert_eq!(parse("set: a; b\n").unwrap_err(), [no_name("a;")]);
        assert_eq!(parse("set: (a] b\n").unwrap_err(), [no_name("(a]")]);
        assert_eq!(parse("set: (a, b, c)\n").unwrap_err()[0], no_name("(a,"));
        assert_eq!(parse("set: (a b c)\n").unwrap_err(), ["a winning set is in brackets"]);
        // Any other names will do.
        assert_eq!(parse("set: ( )(terminal |\n").unwrap().game().names(), ["(", ")(terminal", "|"]);
        assert_eq!(parse("set: {a,b,c}\n").unwrap_err(), ["`{a,b,c}` is one point, and looks like several"]);
    }
}
