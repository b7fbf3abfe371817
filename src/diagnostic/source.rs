//! Source texts and places in them.

/// Which of the [`Sources`] a span points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A range of bytes in a source. Made-up syntax (by an optimizer pass, say) has [`Span::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The span of what stands in no source.
    pub const NONE: Span = Span { source: SourceId(u32::MAX), start: 0, end: 0 };

    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        Self { source, start: start as u32, end: end as u32 }
    }

    pub fn is_none(self) -> bool {
        self == Span::NONE
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
    pub name: String,
    pub text: String,
}

/// All the texts of one run; grows only, so that ids stay valid.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.list.push(Source { name: name.into(), text: text.into() });
        SourceId(self.list.len() as u32 - 1)
    }

    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.list.get(id.0 as usize)
    }

    /// Line and column (both from 1, column in characters) where `span` starts.
    pub fn line_column(&self, span: Span) -> Option<(usize, usize)> {
        let text = &self.get(span.source)?.text;
        let before = text.get(..span.start as usize)?;
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}
