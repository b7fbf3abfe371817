//! Places as editors name them: files by URI, lines from 0, columns in units of UTF-16 or UTF-8.

use lsp_types::{Position, Range, Uri};
use ludolog_syntax::diagnostic::{Sources, Span};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What stands for itself in the path of a URI is not among these.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The path of a URI: that of a file, or for a text that is in no file its whole name.
pub fn path(uri: &Uri) -> PathBuf {
    match uri.as_str().strip_prefix("file://") {
        Some(rest) => {
            // A host stands before the first slash.
            let path = rest.find('/').map_or(rest, |start| &rest[start..]);
            PathBuf::from(percent_decode_str(path).decode_utf8_lossy().as_ref())
        }
        None => PathBuf::from(uri.as_str()),
    }
}

/// The URI of a path, that of a file for an absolute one; `None` where there is no such URI.
pub fn uri(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if path.is_absolute() {
        format!("file://{}", utf8_percent_encode(text, ENCODED)).parse().ok()
    } else {
        text.parse().ok()
    }
}

/// How columns are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// In units of UTF-16, as every editor can.
    Utf16,
    /// In bytes.
    Utf8,
}

impl Encoding {
    /// The name that the protocol has for it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf16 => "utf-16",
            Encoding::Utf8 => "utf-8",
        }
    }
}

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    /// The lines of a text.
    pub fn new(text: &'t str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        // A line ends with `\n`, `\r\n`, or `\r`.
        let ends = (0..bytes.len()).filter(|at| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Lines { text, starts: std::iter::once(0).chain(ends.map(|at| at + 1)).collect(), encoding }
    }

    /// The text of a line, without its end.
    pub fn line(&self, number: usize) -> &'t str {
        let start = self.starts.get(number).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\r', '\n'])
    }

    /// The byte of a position: that of the end of the line or of the text, if it lies behind.
    pub fn byte(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let line = self.line(position.line as usize);
        let mut left = position.character as usize;
        for (at, c) in line.char_indices() {
            let width = if self.encoding == Encoding::Utf16 { c.len_utf16() } else { c.len_utf8() };
            if left < width {
                return start + at;
            }
            left -= width;
        }
        start + line.len()
    }

    /// The number of the line that a byte is in.
    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// The parts of a place by lines, without their ends: the first byte of each and the one behind it.
    pub fn parts(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, usize)> {
        let lines = self.line_of(start)..self.starts.len();
        let whole = lines.map(|number| (self.starts[number], self.starts[number] + self.line(number).len()));
        let parts = whole.take_while(move |line| line.0 < end).map(move |line| (line.0.max(start), line.1.min(end)));
        parts.filter(|part| part.0 < part.1)
    }

    /// The position of a byte.
    pub fn position(&self, byte: usize) -> Position {
        let line = self.line_of(byte);
        let before = self.text.get(self.starts[line]..byte).unwrap_or_default();
        Position::new(line as u32, self.length(before))
    }

    /// The range of these bytes.
    pub fn range(&self, start: usize, end: usize) -> Range {
        Range::new(self.position(start), self.position(end))
    }

    /// The length of a part of the text.
    pub fn length(&self, part: &str) -> u32 {
        match self.encoding {
            Encoding::Utf16 => part.encode_utf16().count() as u32,
            Encoding::Utf8 => part.len() as u32,
        }
    }
}

/// Ranges in several texts, whose lines are looked for once.
pub struct TextRanges<'a> {
    encoding: Encoding,
    /// By the texts' addresses.
    lines: HashMap<*const u8, Lines<'a>>,
}

impl<'a> TextRanges<'a> {
    /// No text yet.
    pub fn new(encoding: Encoding) -> Self {
        TextRanges { encoding, lines: HashMap::new() }
    }

    /// The range of a place.
    pub fn range(&mut self, sources: &'a Sources, span: Span) -> Range {
        let text = sources.get(span.source).map_or("", |source| &source.text);
        let lines = self.lines.entry(text.as_ptr()).or_insert_with(|| Lines::new(text, self.encoding));
        lines.range(span.start as usize, span.end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_the_encoding() {
        // `𝔸` takes two units of UTF-16 and four bytes, `ü` one and two.
        let text = "a𝔸b\r\nüx\rlast";
        let utf16 = Lines::new(text, Encoding::Utf16);
        assert_eq!(utf16.starts.len(), 3);
        assert_eq!(utf16.byte(Position::new(0, 3)), 5, "`b`");
        assert_eq!(utf16.byte(Position::new(0, 2)), 1, "within a character is before it");
        assert_eq!(utf16.byte(Position::new(0, 99)), 6, "behind the line is its end");
        assert_eq!(utf16.byte(Position::new(9, 0)), text.len());
        assert_eq!(utf16.position(10), Position::new(1, 1), "`x`");
        let utf8 = Lines::new(text, Encoding::Utf8);
        assert_eq!(utf8.position(10), Position::new(1, 2));
        for byte in (0..=text.len()).filter(|byte| text.is_char_boundary(*byte) && *byte != 7) {
            assert_eq!(utf16.byte(utf16.position(byte)), byte);
            assert_eq!(utf8.byte(utf8.position(byte)), byte);
        }
        let parts: Vec<&str> = utf8.parts(1, text.len() - 2).map(|(start, end)| &text[start..end]).collect();
        assert_eq!(parts, ["𝔸b", "üx", "la"]);
    }

    #[test]
    fn paths_and_uris_are_each_others_inverse() {
        for text in ["/games/tic tac toe.kif", "/ü/100%#1.dl", "/a+b/[x]?.dl"] {
            let made = uri(Path::new(text)).unwrap();
            assert!(made.as_str().is_ascii());
            assert_eq!(path(&made), Path::new(text));
        }
        assert_eq!(path(&"untitled:Untitled-1".parse().unwrap()), Path::new("untitled:Untitled-1"));
    }
}
