//! The bytes of a table in pieces, with line numbers, so that a large file is never in memory as a whole.

use crate::diagnostic::{SourceId, Sources, Span};
use memchr::{memchr, memchr_iter};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;

/// Bytes read at once. Larger pieces do not fit in the cache.
const PIECE: usize = 1 << 18;

/// Most bytes of a line that a diagnostic gets to show.
const SHOWN: usize = 1000;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A piece of a text and what follows it.
pub struct TableText<'f> {
    reader: Box<dyn Read + 'f>,
    buffer: Vec<u8>,
    /// The part of the buffer that is read and not consumed.
    unread: Range<usize>,
    /// The number of the line in which the buffer begins, counted from 1.
    line: usize,
    ended: bool,
}

impl<'f> TableText<'f> {
    /// The text of a reader. There is nothing in it before [`more`](Self::more) is called.
    pub fn new(reader: Box<dyn Read + 'f>) -> Self {
        TableText { reader, buffer: vec![0; PIECE], unread: 0..0, line: 1, ended: false }
    }

    /// The text from the first byte that is not consumed, as far as it is read.
    pub fn text(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    /// Whether the text has no more bytes than those.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Consumes the first bytes of the text.
    pub fn consume(&mut self, bytes: usize) {
        self.unread.start += bytes;
    }

    /// Reads on: fills the buffer, which doubles if nothing of it was consumed, so that a row of any length is read in
    /// time linear in it. Returns the bytes that are new.
    pub fn more(&mut self) -> io::Result<&[u8]> {
        let consumed = self.unread.start;
        self.line += memchr_iter(b'\n', &self.buffer[..consumed]).count();
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        let before = self.unread.end;
        if before == self.buffer.len() {
            self.buffer.resize(before * 2, 0);
        }
        while self.unread.end < self.buffer.len() && !self.ended {
            match self.reader.read(&mut self.buffer[self.unread.end..]) {
                Ok(bytes) => {
                    self.unread.end += bytes;
                    self.ended = bytes == 0;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[before..self.unread.end])
    }

    /// Consumes the byte order mark, if the text begins with it.
    pub fn skip_mark(&mut self) {
        if self.text().starts_with(BYTE_ORDER_MARK) {
            self.consume(BYTE_ORDER_MARK.len());
        }
    }

    /// The line around a range of [`text`](Self::text) as a source, with the range in it as far as the line goes.
    pub fn show(&self, name: &str, range: Range<usize>, sources: &mut Sources) -> Span {
        let at = self.unread.start + range.start;
        let begin = self.buffer[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let rest = &self.buffer[at..self.unread.end];
        let length = memchr(b'\n', rest).unwrap_or(rest.len()).min(range.len().max(SHOWN));
        let before = String::from_utf8_lossy(&self.buffer[begin..at]).into_owned();
        let behind = String::from_utf8_lossy(&rest[..length]);
        let shown = String::from_utf8_lossy(&rest[..range.len().min(length)]).trim_end_matches('\r').len();
        let line = self.line + memchr_iter(b'\n', &self.buffer[..begin]).count();
        let start = before.len();
        let source: SourceId = sources.add_excerpt(name, line, before + behind.trim_end_matches('\r'));
        Span::new(source, start, start + shown)
    }
}
