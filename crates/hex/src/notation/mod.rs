//! Games of Hex as other programs write them down.
//!
//! * [`record`]: the one model of a game: a board, what was set up, who did what.
//! * [`sgf`]: the Smart Game Format, which HexGui and most sites speak.
//! * [`hexworld`]: links to the board of hexworld.org.
//!
//! All of them call Red Black and Blue White. [`read`] tells them and the position format apart.

pub mod hexworld;
pub mod record;
pub mod sgf;

use super::position::Position;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Span};
pub use record::Record;
use std::fmt;
use std::str::FromStr;

/// A game as it was read, with warnings.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The game.
    pub record: Record,
    /// Warnings about its text.
    pub warnings: Diagnostics,
}

/// A way to write a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The position format, as in `bench-positions`.
    Position,
    /// The Smart Game Format.
    Sgf,
    /// A link to hexworld.org.
    HexWorld,
}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 3] = [Notation::Position, Notation::Sgf, Notation::HexWorld];

    /// `position`, `sgf` or `hexworld`.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Position => "position",
            Notation::Sgf => "sgf",
            Notation::HexWorld => "hexworld",
        }
    }

    /// The notation that the text looks like. No position begins as a game tree or as a link does.
    pub fn of(text: &str) -> Notation {
        let text = text.trim_start();
        match text {
            _ if text.starts_with(['(', ';']) => Notation::Sgf,
            _ if hexworld::is_link(text) => Notation::HexWorld,
            _ => Notation::Position,
        }
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Notation {
    type Err = ParseNotationError;

    /// Reads the [`name`](Notation::name) of a notation.
    fn from_str(name: &str) -> Result<Notation, ParseNotationError> {
        Notation::ALL.into_iter().find(|notation| notation.name() == name).ok_or(ParseNotationError)
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
pub fn read(text: &str, source: SourceId, notation: Option<Notation>) -> Result<Reading, Diagnostics> {
    match notation.unwrap_or(Notation::of(text)) {
        Notation::Sgf => sgf::read(text, source),
        Notation::HexWorld => hexworld::read(text, source),
        Notation::Position => {
            let record = Record::of_position(&Position::parse(text, source)?);
            Ok(Reading { record, warnings: Diagnostics::new() })
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
