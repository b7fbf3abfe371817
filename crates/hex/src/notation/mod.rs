//! Games of Hex as other programs write them down.
//!
//! * [`record`]: the one model of a game: a board, what was set up, who did what.
//! * `rules`: warnings of records that break the rules of Hex.
//! * [`sgf`]: the Smart Game Format, which HexGui and most sites speak.
//! * [`hexworld`]: links to the board of hexworld.org.
//!
//! All of them call Red Black and Blue White. [`read`] tells them and the position format apart.

pub mod hexworld;
pub mod record;
mod rules;
pub mod sgf;

use super::position::Position;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Span};
pub use record::GameRecord;
use std::fmt;
use std::str::FromStr;

/// A game as it was read, with warnings.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The game.
    pub record: GameRecord,
    /// Warnings about its text.
    pub warnings: Diagnostics,
    /// Warnings of what breaks the rules of Hex, and was read as it is written.
    pub irregular: Diagnostics,
}

/// A way to write a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameNotation {
    /// The position format, as in `bench-positions`.
    Position,
    /// The Smart Game Format.
    Sgf,
    /// A link to hexworld.org.
    HexWorld,
}

impl GameNotation {
    /// All notations.
    pub const ALL: [GameNotation; 3] = [GameNotation::Position, GameNotation::Sgf, GameNotation::HexWorld];

    /// `position`, `sgf` or `hexworld`.
    pub fn name(self) -> &'static str {
        match self {
            GameNotation::Position => "position",
            GameNotation::Sgf => "sgf",
            GameNotation::HexWorld => "hexworld",
        }
    }

    /// The notation that the text looks like. No position begins as a game tree or as a link does.
    pub fn of(text: &str) -> GameNotation {
        let text = text.trim_start();
        match text {
            _ if text.starts_with(['(', ';']) => GameNotation::Sgf,
            _ if hexworld::is_link(text) => GameNotation::HexWorld,
            _ => GameNotation::Position,
        }
    }
}

impl fmt::Display for GameNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GameNotation {
    type Err = ParseNotationError;

    /// Reads the [`name`](GameNotation::name) of a notation.
    fn from_str(name: &str) -> Result<GameNotation, ParseNotationError> {
        GameNotation::ALL.into_iter().find(|notation| notation.name() == name).ok_or(ParseNotationError)
    }
}

/// A text names no notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNotationError;

impl fmt::Display for ParseNotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("position, sgf or hexworld")
    }
}

impl std::error::Error for ParseNotationError {}

/// Reads a game in any notation, by default in the one that the text looks like; `source` is the id of the text, for
/// the spans.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read(text: &str, source: SourceId, notation: Option<GameNotation>) -> Result<ReadGame, Diagnostics> {
    match notation.unwrap_or(GameNotation::of(text)) {
        GameNotation::Sgf => sgf::read(text, source),
        GameNotation::HexWorld => hexworld::read(text, source),
        GameNotation::Position => {
            let record = GameRecord::of_position(&Position::parse(text, source)?);
            Ok(ReadGame { record, warnings: Diagnostics::new(), irregular: Diagnostics::new() })
        }
    }
}

/// An error at one place of a record's text.
fn error(message: impl Into<String>, span: Span, label: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::GameRecord, message).at(span, label).help(help)
}

fn warning(message: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(Code::GameRecord, message).at(span, label)
}
