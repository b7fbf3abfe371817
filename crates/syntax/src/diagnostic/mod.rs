//! What the user is told: a code, the place, the cause and a way out.
//!
//! A [`Diagnostic`] is data. The library makes them and never prints; [`render`] draws them for people and for tools.
//! Every room that reads user input returns [`Diagnostics`], all that is wrong and not only the first.
//!
//! * [`source`]: files and places in them.
//! * [`code`]: the list of everything that can be wrong, one stable name each.
//! * [`render`]: to text with the line and a caret, or to JSON.

pub mod code;
pub mod render;
pub mod source;

pub use code::Code;
pub use source::{Source, SourceId, Sources, Span};

use serde::Serialize;

/// Whether a diagnostic forbids going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// A place and what is to be seen there.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One thing that is wrong (or odd) in what the user gave us.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// The cause, one sentence without a final period.
    pub message: String,
    /// The first label is the main place; the others are context.
    pub labels: Vec<Label>,
    /// The way out.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), labels: Vec::new(), help: None }
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a place; the first one added is the main place.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds the way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// All that was found, in the order of discovery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    pub fn extend(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}
