//! Messages to the user: a code, the place, the cause and a way out.
//!
//! A [`Diagnostic`] is data. The library makes them and never prints; [`render`] draws them for people and for tools.
//! Every room that reads user input returns [`Diagnostics`], all that is wrong and not only the first.
//!
//! * [`source`]: files and places in them.
//! * [`code`]: the list of everything that can be wrong, one stable name each, with explanations.
//! * [`repair`]: changes of the text that are ways out.
//! * [`render`]: to lines, to text with carets, or to JSON.

pub mod code;
pub mod render;
pub mod repair;
pub mod source;

pub use code::Code;
pub use repair::{Applicability, Repair, ReplacedPart, Replacement};
pub use source::{Source, SourceId, Sources, Span};

use crate::MAX_DIAGNOSTICS;
use std::error::Error;
use std::fmt;

/// Whether a diagnostic forbids going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Nothing can be done with this input.
    Error,
    /// Something odd; the input means what it says.
    Warning,
    /// Something that may well be meant; for readers who look for mistakes.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

/// A number with its noun, in a message: `1 cell`, `2 cells`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A place with a short remark.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark.
    pub text: String,
}

/// One thing that is wrong (or odd) in what the user gave us.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Whether it forbids going on.
    pub severity: Severity,
    /// The kind of mistake.
    pub code: Code,
    /// The cause, one sentence without a final period.
    pub message: String,
    /// The first label is the main place; the others are context.
    pub labels: Vec<Label>,
    /// The way out.
    pub help: Option<String>,
    /// Changes of the text that are ways out, each by itself, best first. They may not suffice: who offers them tries them.
    pub repairs: Vec<Repair>,
    /// The name that is said to be defined or read nowhere: what cannot be read may yet have it.
    pub missing: Option<Box<str>>,
}

impl Diagnostic {
    /// An error without places and way out.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            severity: Severity::Error,
            code,
            message,
            labels: Vec::new(),
            help: None,
            repairs: Vec::new(),
            missing: None,
        }
    }

    /// A warning without places and way out.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// The error of a text or a table with more mistakes than are told.
    pub(crate) fn too_many(whole: &str) -> Self {
        let message = format!("there are more than {MAX_DIAGNOSTICS} mistakes in this {whole}");
        Self::error(Code::TooManyMistakes, message)
    }

    /// A note without places and way out.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
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

    /// Adds changes of the text that are one way out together, as a guess at what is meant.
    pub fn repair(mut self, replacements: Vec<Replacement>) -> Self {
        self.repairs.push(Repair { replacements, applicability: Applicability::Guess });
        self
    }

    /// Says that the change that was added last is certain.
    pub fn certain(self) -> Self {
        self.applicable(Applicability::Certain)
    }

    /// Says whether the change that was added last may be made without the author.
    fn applicable(mut self, applicability: Applicability) -> Self {
        if let Some(last) = self.repairs.last_mut() {
            last.applicability = applicability;
        }
        self
    }

    /// Adds another text for a place as an example of a way out: the author chooses a number or name in it.
    pub fn example(self, span: Span, text: impl Into<String>) -> Self {
        self.replacement(span, text).applicable(Applicability::Example)
    }

    /// Adds another text for a place, which is a way out.
    pub fn replacement(self, span: Span, text: impl Into<String>) -> Self {
        self.repair(vec![Replacement::new(span, text)])
    }

    /// Adds another spelling of the first `word` within a place, which is a way out.
    pub fn respelled(self, span: Span, word: impl Into<String>, text: impl Into<String>) -> Self {
        self.repair(vec![Replacement::first(span, word, text)])
    }

    /// Adds another spelling of the first `word` within a place as an example of a way out: the author chooses whether it is meant.
    pub fn respelled_perhaps(self, span: Span, word: impl Into<String>, text: impl Into<String>) -> Self {
        self.respelled(span, word, text).applicable(Applicability::Example)
    }

    /// Adds the removal of a place, with its lines, which is a way out.
    pub fn removal(self, span: Span) -> Self {
        self.repair(vec![Replacement { span, part: ReplacedPart::Lines, text: String::new() }])
    }

    /// Names what is said to be defined or read nowhere.
    pub fn missing(mut self, name: impl Into<Box<str>>) -> Self {
        self.missing = Some(name.into());
        self
    }
}

/// Code, cause and way out in one line: the places need the [`Sources`], see [`render`].
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, " - {help}"),
            None => Ok(()),
        }
    }
}

impl Error for Diagnostic {}

/// All that was found, in the order of discovery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No diagnostics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Removes those of which `keep` is false.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(keep);
    }

    /// One after the other, in the order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Whether there is no error, warning or note.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Whether they are all that there is to say, and no text has more mistakes than are told.
    pub fn is_complete(&self) -> bool {
        !self.list.iter().any(|diagnostic| diagnostic.code == Code::TooManyMistakes)
    }

    /// Ends the mistakes of a table where there are more than are told: in the place of the last stands that there are more. Whether it
    /// has ended.
    #[cfg(feature = "tables")]
    pub(crate) fn cut_off(&mut self) -> bool {
        if self.list.len() <= MAX_DIAGNOSTICS {
            return false;
        }
        let place = self.list.pop().and_then(|last| last.labels.first().map(|label| label.span));
        let more = Diagnostic::too_many("table").help("mend those before it");
        self.list.push(match place {
            Some(place) => more.at(place, "reading stops here"),
            None => more,
        });
        true
    }

    /// Counts those of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}

/// One line for each, without places, which need the [`Sources`]: see [`render`].
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.list.iter().enumerate() {
            write!(f, "{}{diagnostic}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl Error for Diagnostics {}
