//! Files to tables: piece by piece, the rows whose ends are there. What stands in a row is the matter of [`rows`](super::rows)
//! and [`json`](super::json).

use super::input::TableText;
use super::json;
use super::rows::{ReadRows, RowFault, RowStart, line_end};
use super::{LongIntegers, Table};
use crate::ast::{Name, Predicate, Term};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources, Span, counted};
use crate::{Share, load};
use memchr::{memchr, memchr2, memrchr};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::OnceLock;

/// The mark of JSON lines in place of a delimiter.
const JSON: u8 = b'{';

/// Most bytes of a row, far above those of any fact in use. The text of a row is in memory as a whole, and some
/// kilobytes of compressed text can unpack to a row of gigabytes.
const MAX_ROW: usize = 64 << 20;

/// The columns of a table: how they are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnLayout {
    /// By commas, and fields may stand in quotes.
    Csv,
    /// By tabs.
    Tsv,
    /// By tabs if there is one in the first line, otherwise by commas.
    Any,
    /// As the elements of a JSON array, or the values of a JSON object, on each line.
    JsonLines,
}

/// The file of a table, and what to read of it.
pub struct TableFile<'f> {
    /// The file's content.
    pub reader: Box<dyn Read + 'f>,
    /// Its name.
    pub name: &'f str,
    /// The name of the predicate whose facts it has.
    pub predicate: Name,
    /// The columns.
    pub layout: ColumnLayout,
    /// Whether the first row is skipped.
    pub header: bool,
    /// The facts that are kept.
    pub share: Share,
}

/// Reads a table. The result is `None` if there is no row, not even a header.
pub fn read(
    file: TableFile,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Option<Table>, Diagnostics>, Stopped> {
    let TableFile { reader, name, predicate, layout, header, share } = file;
    let rows = ReadRows::of_share(share, &predicate);
    let mut reading = TableReading {
        input: TableText::new(reader),
        name,
        sources,
        rows,
        wrong: Diagnostics::new(),
        first: None,
        long_integers: Vec::new(),
    };
    reading.run(layout, header, budget)?;
    let TableReading { rows, wrong, first, long_integers, .. } = reading;
    if wrong.has_errors() {
        return Ok(Err(wrong));
    }
    let table = first.map(|first| {
        let (cells, constants, whole) = rows.into_parts();
        let predicate = Predicate::new(predicate, first.fields);
        let name = name.to_owned();
        Table { name, predicate, cells, constants, header: first.header, long_integers, whole, index: OnceLock::new() }
    });
    Ok(Ok(table))
}

/// A table that is being read.
struct TableReading<'f, 's> {
    input: TableText<'f>,
    name: &'s str,
    sources: &'s mut Sources,
    rows: ReadRows,
    wrong: Diagnostics,
    first: Option<First>,
    long_integers: Vec<LongIntegers>,
}

/// The first row, which says how long all others are.
struct First {
    fields: usize,
    place: Span,
    /// Its fields, if it is left out.
    header: Option<Vec<Term>>,
}

impl TableReading<'_, '_> {
    /// Reads all rows, or up to the first mistake after which there is no sense in going on.
    fn run(&mut self, layout: ColumnLayout, header: bool, budget: &Budget) -> Result<(), Stopped> {
        // The lines of JSON name their columns themselves.
        let header = header && layout != ColumnLayout::JsonLines;
        let mut delimiter = None;
        loop {
            budget.check()?;
            if !self.more() {
                return Ok(());
            }
            let delimiter = *delimiter.get_or_insert_with(|| {
                self.input.skip_mark();
                layout.delimiter(self.input.text())
            });
            let Some(at) = self.complete_rows(delimiter, header) else { return Ok(()) };
            let has_ended = self.input.has_ended();
            if !has_ended && self.input.text().len() - at >= MAX_ROW {
                self.tell_endless(at);
                return Ok(());
            }
            self.input.consume(at);
            if has_ended {
                return Ok(());
            }
        }
    }

    /// Takes more of the file, or tells why that fails.
    fn more(&mut self) -> bool {
        match self.input.more().map(|new| memchr(0, new)) {
            Ok(None) => return true,
            Ok(Some(_)) => self.wrong.push(load::binary(self.name)),
            Err(error) => self.tell_unreadable(&error),
        }
        false
    }

    /// Reads the rows whose ends are there, and returns the place behind them; `None` where a mistake is the last one that
    /// is told.
    fn complete_rows(&mut self, delimiter: u8, header: bool) -> Option<usize> {
        let text = self.input.text();
        let complete = if self.input.has_ended() { text.len() } else { memrchr(b'\n', text).map_or(0, |end| end + 1) };
        let mut at = 0;
        while at < complete {
            let text = &self.input.text()[..complete];
            let empty = line_end(text, at);
            if empty > at {
                at = empty;
                continue;
            }
            let before = self.rows.begin();
            let row = match delimiter {
                JSON => self.rows.json_row(text, at),
                _ if self.first.is_none()
                    && let Some(foreign) = foreign_row(text, at, delimiter) =>
                {
                    Err(foreign)
                }
                _ => self.rows.row(text, at, delimiter),
            };
            match row {
                Ok(next) => {
                    self.enter(before, at..next, header);
                    at = next;
                }
                Err(RowFault::OpenQuote(_)) if !self.input.has_ended() => {
                    self.rows.undo(before);
                    break;
                }
                Err(fault) => {
                    at = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
                    self.rows.undo(before);
                    self.tell(&fault);
                    if fault.is_last() {
                        return None;
                    }
                }
            }
            if self.wrong.cut_off() {
                return None;
            }
        }
        Some(at)
    }

    /// Enters the row that was read from this place: the first says how long all others are.
    fn enter(&mut self, before: RowStart, place: Range<usize>, header: bool) {
        let fields = self.rows.fields_since(before);
        match &self.first {
            None => {
                let place = self.input.show(self.name, place, self.sources);
                self.first = Some(First { fields, place, header: header.then(|| self.rows.terms_since(before)) });
                if header {
                    self.rows.undo(before);
                } else {
                    self.keep(before);
                }
            }
            Some(first) if first.fields != fields => {
                let place = self.input.show(self.name, place, self.sources);
                self.wrong.push(
                    Diagnostic::error(Code::ArityMismatch, "the rows of this table differ in length")
                        .at(place, counted(fields, "field"))
                        .at(first.place, counted(first.fields, "field"))
                        .help("every row is one fact of the same predicate"),
                );
                self.rows.undo(before);
            }
            Some(_) => self.keep(before),
        }
    }

    /// Keeps the row that begins there, and notes what is spelled as a long integer in it.
    fn keep(&mut self, before: RowStart) {
        for (column, place) in self.rows.long_integers_since(before) {
            match self.long_integers.iter_mut().find(|known| known.column == column) {
                Some(known) => known.count += 1,
                None => {
                    let place = self.input.show(self.name, place, self.sources);
                    self.long_integers.push(LongIntegers { column, place, count: 1 });
                }
            }
        }
        self.rows.keep_share(before);
    }

    fn tell_endless(&mut self, at: usize) {
        let place = self.input.show(self.name, at..at + 1, self.sources);
        let message = format!("a row of this table has more than {} MiB", MAX_ROW >> 20);
        self.wrong.push(
            Diagnostic::error(Code::Syntax, message)
                .at(place, "it begins here, and its end was not found")
                .help("rows end with lines; is the file a table, and is a quote left open?"),
        );
    }

    fn tell(&mut self, fault: &RowFault) {
        let error = |message| Diagnostic::error(Code::Syntax, message);
        let mut show = |range: Range<usize>| self.input.show(self.name, range, self.sources);
        self.wrong.push(match fault {
            RowFault::OpenQuote(at) => error("a quote is never closed").at(show(*at..at + 1), "it begins here").help(
                "a field in quotes ends with a quote; a quote within it is written twice, as in `\"the \"\"a\"\"\"`",
            ),
            RowFault::BehindQuote(range) => error("a field goes on behind its closing quote")
                .at(show(range.clone()), "expected a delimiter or the end of the line")
                .help("a quote within a field in quotes is written twice, as in `\"the \"\"a\"\"\"`"),
            RowFault::Encoding(at) => {
                let byte = self.input.text()[*at];
                load::not_utf8(byte, show(*at..at + 1))
            }
            RowFault::Json(range, label, help) => {
                error("this line is no row of JSON").at(show(range.clone()), label.clone()).help(*help)
            }
            RowFault::Foreign(range, what, help) => {
                error(what).at(show(range.clone()), "its first row").help(*help)
            }
            RowFault::Return(at) => error("a carriage return stands alone").at(show(*at..at + 1), "no line feed follows").help(
                "lines end with a line feed, or with a carriage return and a line feed: save the table so; in a `.csv` a field in \
                 quotes may contain returns",
            ),
        });
    }

    fn tell_unreadable(&mut self, error: &io::Error) {
        let (reason, help) = match error.kind() {
            ErrorKind::UnexpectedEof => {
                ("its compressed data has no end".to_owned(), Some("copy or compress it again"))
            }
            ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                (format!("its compressed data is damaged ({error})"), Some("copy or compress it again"))
            }
            _ => (error.to_string(), None),
        };
        let end = self.input.text().len();
        let place = self.input.show(self.name, end..end, self.sources);
        let message = format!("`{}` cannot be read: {reason}", self.name);
        let diagnostic = Diagnostic::error(Code::UnreadableFile, message).at(place, "reading ends here");
        self.wrong.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

/// The fault of a first row that is one of JSON, or a statement: with delimiters in it, its parts would be taken for fields.
fn foreign_row(text: &[u8], at: usize, delimiter: u8) -> Option<RowFault> {
    let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
    let line = text[at..end].trim_ascii();
    let range = at..end;
    let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let begins = line.first().is_some_and(u8::is_ascii_lowercase) && line.get(name) == Some(&b'(');
    if begins && line.ends_with(b").") {
        let help = "facts as statements stand in a `.dl` file, and name their predicate; a row has the values alone";
        return Some(RowFault::Foreign(range, "a row of this table is a statement", help));
    }
    let help = "JSON lines, an array or object a line, end in `.jsonl` or `.ndjson`";
    (delimiter == b',' && json::is_row(line)).then_some(RowFault::Foreign(
        range,
        "a row of this table is one of JSON",
        help,
    ))
}

impl ColumnLayout {
    fn delimiter(self, text: &[u8]) -> u8 {
        if self == ColumnLayout::JsonLines {
            return JSON;
        }
        let has_tab = || memchr2(b'\t', b'\n', text).is_some_and(|at| text[at] == b'\t');
        if self == ColumnLayout::Tsv || self == ColumnLayout::Any && has_tab() { b'\t' } else { b',' }
    }
}
