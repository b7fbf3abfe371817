//! Source texts and places in them.

use crate::Syntax;
use std::ops::Range;

/// The number of a text among the [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A range of bytes in a source. Made-up syntax (by an optimizer pass, say) has [`Span::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// The span of what stands in no source.
    pub const NONE: Span = Span { source: SourceId(u32::MAX), start: 0, end: 0 };

    /// The bytes from `start` to before `end`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        Self { source, start: start as u32, end: end as u32 }
    }

    /// Whether it points into no source.
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }

    /// The empty place before it.
    pub fn before(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty place behind it.
    pub fn behind(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The smallest span that covers both; a `NONE` side does not count.
    pub fn to(self, other: Span) -> Span {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }
}

/// A named text: a file, standard input, or a goal given on the command line.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name that diagnostics show: mostly a path.
    pub name: String,
    /// The text.
    pub text: String,
    /// The syntax of its statements; `None` for what is no rule file.
    pub syntax: Option<Syntax>,
    /// The number of its first line: 1 unless the text is an excerpt.
    first_line: usize,
    /// The start of each line.
    lines: Vec<u32>,
}

impl Source {
    /// Line and column, both from 1, of a byte position; the column counts characters.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start as usize <= at) - 1;
        let start = self.lines[line] as usize;
        let before = self.text.get(start..at).unwrap_or_default();
        (self.first_line + line, before.chars().count() + 1)
    }

    /// The bytes of the line of this number, without its end.
    ///
    /// # Panics
    ///
    /// If the text has no such line.
    pub fn line(&self, line: usize) -> Range<usize> {
        let line = line - self.first_line;
        let start = self.lines[line] as usize;
        let next = self.lines.get(line + 1).map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..next].trim_end_matches(['\r', '\n']).len()
    }
}

/// All the texts of one run; grows only, so that ids stay valid.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

impl Sources {
    /// No texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_excerpt(name, 1, text)
    }

    /// Adds a rule file. Lines that end by carriage returns alone end by line feeds here.
    pub fn add_rules(&mut self, name: impl Into<String>, syntax: Syntax, text: impl Into<String>) -> SourceId {
        let mut text = text.into();
        if text.contains('\r') && !text.contains('\n') {
            text = text.replace('\r', "\n");
        }
        let id = self.add(name, text);
        self.list[id.0 as usize].syntax = Some(syntax);
        id
    }

    /// Adds lines of a text too large to keep, the first of which has this number.
    pub fn add_excerpt(&mut self, name: impl Into<String>, first_line: usize, text: impl Into<String>) -> SourceId {
        let name = name.into();
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(i, _)| i as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        self.list.push(Source { name, text, syntax: None, first_line, lines });
        SourceId(self.list.len() as u32 - 1)
    }

    /// The text of this number, if there is one.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.list.get(id.0 as usize)
    }

    /// Line and column (both from 1, column in characters) where `span` starts.
    pub fn line_column(&self, span: Span) -> Option<(usize, usize)> {
        Some(self.get(span.source)?.line_column(span.start as usize))
    }
}
