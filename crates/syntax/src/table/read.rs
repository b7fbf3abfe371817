//! CSV and TSV to rows.
//!
//! One pass over the bytes: a field that spells a small integer is read where it stands, all others are looked up among
//! the constants. Rows are separated by line ends, and empty lines are no rows. In CSV (RFC 4180) a field in quotes is
//! taken as it stands, with delimiters and line ends, and `""` in it is a quote; in TSV quotes mean nothing. Fields
//! without quotes are trimmed. The reading is our own since it has to say where a quote is open at the end, which `csv`
//! takes as it comes.

use super::input::TableText;
use super::{Content, FileStatistics, Table, TableCell};
use crate::ast::{Name, Predicate, Term};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources, Span, counted};
use crate::{MAX_DIAGNOSTICS, Share, content, foreign, name};
use memchr::{memchr, memchr2, memchr3, memrchr};
use rustc_hash::FxHashMap;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::OnceLock;

/// The mark of JSON lines in place of a delimiter.
const JSON: u8 = b'{';

/// Digits that are read without a look at overflows.
const SAFE_DIGITS: usize = 18;

/// Most bytes of a row, far above those of any fact in use. The text of a row is in memory as a whole, and some
/// kilobytes of compressed text can unpack to a row of gigabytes.
const MAX_ROW: usize = 64 << 20;

/// Once a table that holds a share has a sample of so many rows, it keeps every second one.
const MOST_SAMPLED: usize = 1 << 13;

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
    let rows =
        ReadRows { sharing: (!share.is_whole()).then(|| Sharing::new(share, &predicate)), ..ReadRows::default() };
    let mut reading =
        TableReading { input: TableText::new(reader), name, sources, rows, wrong: Diagnostics::new(), first: None };
    reading.run(layout, header, budget)?;
    let TableReading { rows, wrong, first, .. } = reading;
    if wrong.has_errors() {
        return Ok(Err(wrong));
    }
    let table = first.map(|first| {
        let ReadRows { mut cells, constants, sharing, .. } = rows;
        cells.shrink_to_fit();
        let predicate = Predicate::new(predicate, first.fields);
        let whole = sharing.map(|sharing| sharing.whole);
        Table { name: name.to_owned(), predicate, cells, constants, whole, index: OnceLock::new() }
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
}

/// The first row, which says how long all others are.
struct First {
    fields: usize,
    place: Span,
}

/// The reason why a text is no row, with the place in it.
pub(super) enum RowFault {
    /// The quote here has no end in the text.
    OpenQuote(usize),
    /// Something stands between a closing quote and the end of the field.
    BehindQuote(Range<usize>),
    /// A byte that is not UTF-8.
    Encoding(usize),
    /// An integer of more than 64 bits.
    Integer(Range<usize>),
    /// A number with a fraction or an exponent.
    Decimal(Range<usize>),
    /// A carriage return that no line feed follows.
    Return(usize),
    /// What stands here is no row of JSON, with the label and a way out.
    Json(Range<usize>, String, &'static str),
}

impl TableReading<'_, '_> {
    /// Reads all rows, or up to the first mistake after which there is no sense in going on.
    fn run(&mut self, layout: ColumnLayout, header: bool, budget: &Budget) -> Result<(), Stopped> {
        let mut delimiter = None;
        let mut count = 0;
        loop {
            budget.check()?;
            let read = self.input.more();
            match read.map(|new| memchr(0, new)) {
                Ok(None) => {}
                Ok(Some(_)) => {
                    self.wrong.push(super::super::load::binary(self.name));
                    return Ok(());
                }
                Err(error) => {
                    self.tell_unreadable(&error);
                    return Ok(());
                }
            }
            let delimiter = *delimiter.get_or_insert_with(|| {
                self.input.skip_mark();
                layout.delimiter(self.input.text())
            });
            let text = self.input.text();
            let complete =
                if self.input.has_ended() { text.len() } else { memrchr(b'\n', text).map_or(0, |end| end + 1) };
            let mut at = 0;
            while at < complete {
                let text = &self.input.text()[..complete];
                let empty = line_end(text, at);
                if empty > at {
                    at = empty;
                    continue;
                }
                let before = self.rows.begin();
                let row = match layout {
                    ColumnLayout::JsonLines => self.rows.json_row(text, at),
                    _ => self.rows.row(text, at, delimiter),
                };
                let next = match row {
                    Ok(next) => next,
                    Err(RowFault::OpenQuote(_)) if !self.input.has_ended() => {
                        self.rows.undo(before);
                        break;
                    }
                    Err(fault) => {
                        let next = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
                        self.rows.undo(before);
                        self.tell(&fault, delimiter);
                        count += 1;
                        // Of the others there is no end, or hardly one that tells more.
                        let is_last = matches!(
                            fault,
                            RowFault::OpenQuote(_) | RowFault::Encoding(_) | RowFault::Decimal(_) | RowFault::Return(_)
                        );
                        if count == MAX_DIAGNOSTICS || is_last {
                            return Ok(());
                        }
                        at = next;
                        continue;
                    }
                };
                let fields = self.rows.cells.len() - before.cells;
                match &self.first {
                    None => {
                        let place = self.input.show(self.name, at..next, self.sources);
                        self.first = Some(First { fields, place });
                        // The lines of JSON name their columns themselves.
                        let is_header = header && layout != ColumnLayout::JsonLines;
                        if is_header { self.rows.undo(before) } else { self.rows.keep_share(before) }
                    }
                    Some(first) if first.fields != fields => {
                        let place = self.input.show(self.name, at..next, self.sources);
                        self.wrong.push(
                            Diagnostic::error(Code::ArityMismatch, "the rows of this table differ in length")
                                .at(place, counted(fields, "field"))
                                .at(first.place, counted(first.fields, "field"))
                                .help("every row is one fact of the same predicate"),
                        );
                        self.rows.undo(before);
                        count += 1;
                        if count == MAX_DIAGNOSTICS {
                            return Ok(());
                        }
                    }
                    Some(_) => self.rows.keep_share(before),
                }
                at = next;
            }
            let ended = self.input.has_ended();
            if !ended && self.input.text().len() - at >= MAX_ROW {
                let place = self.input.show(self.name, at..at + 1, self.sources);
                let message = format!("a row of this table has more than {} MiB", MAX_ROW >> 20);
                self.wrong.push(
                    Diagnostic::error(Code::Syntax, message)
                        .at(place, "it begins here, and its end was not found")
                        .help("rows end with lines; is the file a table, and is a quote left open?"),
                );
                return Ok(());
            }
            self.input.consume(at);
            if ended {
                return Ok(());
            }
        }
    }

    fn tell(&mut self, fault: &RowFault, delimiter: u8) {
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
                super::super::load::not_utf8(byte, show(*at..at + 1))
            }
            RowFault::Json(range, label, help) => {
                error("this line is no row of JSON").at(show(range.clone()), label.clone()).help(*help)
            }
            RowFault::Decimal(range) => {
                let number = String::from_utf8_lossy(&self.input.text()[range.clone()]).into_owned();
                let symbol = match delimiter {
                    JSON => format!("a string, `\"{number}\"`"),
                    b',' => format!("`\"{number}\"`"),
                    _ => format!(
                        "the table as `.csv` with the field in quotes, as in `\"{number}\"` (in a `.tsv` quotes mean nothing), or a \
                         letter before it, as in `n{number}`"
                    ),
                };
                foreign::decimal(show(range.clone()), &symbol)
            }
            RowFault::Return(at) => error("a carriage return stands alone").at(show(*at..at + 1), "no line feed follows").help(
                "lines end with a line feed, or with a carriage return and a line feed: save the table so; in a `.csv` a field in \
                 quotes may contain returns",
            ),
            RowFault::Integer(range) => error("this integer is too large")
                .at(show(range.clone()), "integers have at most 64 bits")
                .help("if symbols are meant, write them with a letter, as in `n123`"),
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

impl ColumnLayout {
    fn delimiter(self, text: &[u8]) -> u8 {
        if self == ColumnLayout::JsonLines {
            return JSON;
        }
        let has_tab = || memchr2(b'\t', b'\n', text).is_some_and(|at| text[at] == b'\t');
        if self == ColumnLayout::Tsv || self == ColumnLayout::Any && has_tab() { b'\t' } else { b',' }
    }
}

/// The rows read so far.
#[derive(Default)]
pub(super) struct ReadRows {
    pub(super) cells: Vec<TableCell>,
    constants: Vec<Term>,
    symbols: FxHashMap<Name, TableCell>,
    integers: FxHashMap<i64, TableCell>,
    /// The keys of JSON objects, in the order of the columns.
    pub(super) keys: Option<Vec<String>>,
    /// The filter that keeps a share of them, if not all are kept.
    sharing: Option<Sharing>,
}

/// The numbers of cells and constants before a row.
#[derive(Clone, Copy)]
struct RowStart {
    cells: usize,
    constants: usize,
}

/// The filter that keeps a share of the rows of a file.
struct Sharing {
    /// The name of the predicate.
    predicate: Name,
    /// The rows read so far.
    whole: FileStatistics,
    /// The distance between rows of the sample.
    stride: usize,
}

impl Sharing {
    fn new(share: Share, predicate: &Name) -> Sharing {
        let whole = FileStatistics { share, hash: 0, rows: 0, sample: Vec::new() };
        Sharing { predicate: predicate.clone(), whole, stride: 1 }
    }

    /// Counts a row: whether it is of the share, and whether its constants are needed.
    fn count(&mut self, row: &[TableCell], constants: &[Term]) -> (bool, bool) {
        let Sharing { predicate, whole, stride } = self;
        let hashes = row.iter().map(|cell| match cell.content() {
            Content::Integer(n) => content::hash_integer(n),
            Content::Constant(number) => content::hash_term(&constants[number]),
        });
        let hash = content::hash_fact(predicate, hashes);
        let is_held = whole.share.holds(hash);
        let is_sampled = whole.rows.is_multiple_of(*stride);
        whole.hash = whole.hash.wrapping_add(hash);
        whole.rows += 1;
        if is_sampled {
            whole.sample.extend(row);
            if whole.sample.len() == MOST_SAMPLED * row.len() {
                // Every second row makes room for as many.
                whole.sample = whole.sample.chunks(row.len()).step_by(2).flatten().copied().collect();
                *stride *= 2;
            }
        }
        (is_held, is_held || is_sampled)
    }
}

impl ReadRows {
    /// The place of a row that begins here.
    fn begin(&self) -> RowStart {
        RowStart { cells: self.cells.len(), constants: self.constants.len() }
    }

    /// Removes what has been read since then.
    fn undo(&mut self, before: RowStart) {
        self.cells.truncate(before.cells);
        for constant in self.constants.drain(before.constants..) {
            match constant {
                Term::Integer(n) => _ = self.integers.remove(&n),
                Term::Symbol(name) | Term::Variable(name) | Term::Compound(name, _) => _ = self.symbols.remove(&name),
            }
        }
    }

    /// Removes the row that begins there if it is of no share that is kept.
    fn keep_share(&mut self, before: RowStart) {
        let Some(sharing) = &mut self.sharing else { return };
        match sharing.count(&self.cells[before.cells..], &self.constants) {
            (true, _) => {}
            (false, true) => self.cells.truncate(before.cells),
            (false, false) => self.undo(before),
        }
    }

    /// Reads the row that begins at `at`, and returns where the next line begins.
    fn row(&mut self, text: &[u8], mut at: usize, delimiter: u8) -> Result<usize, RowFault> {
        loop {
            at = self.field(skip_blanks(text, at, delimiter), text, delimiter)?;
            if text.get(at) != Some(&delimiter) {
                return Ok(line_end(text, at));
            }
            at += 1;
        }
    }

    /// Reads a field, and returns its end: the place of a delimiter or of a line's end, or the end of the text.
    #[inline]
    fn field(&mut self, begin: usize, text: &[u8], delimiter: u8) -> Result<usize, RowFault> {
        if let Some((integer, end)) = small_integer(text, begin)
            && ends_field(text, end, delimiter)
        {
            self.integer(integer);
            return Ok(end);
        }
        if delimiter == b',' && text.get(begin) == Some(&b'"') {
            return self.quoted(begin, text, delimiter);
        }
        let rest = &text[begin..];
        let end = begin + memchr3(delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
        let field = decode(text, begin..end)?.trim();
        if !ends_field(text, end, delimiter) {
            return Err(RowFault::Return(end));
        }
        if name::is_decimal(field) {
            return Err(RowFault::Decimal(begin..begin + field.len()));
        }
        self.constant(field, begin)?;
        Ok(end)
    }

    fn quoted(&mut self, begin: usize, text: &[u8], delimiter: u8) -> Result<usize, RowFault> {
        let mut unescaped = String::new();
        let mut from = begin + 1;
        let close = loop {
            let quote = from + memchr(b'"', &text[from..]).ok_or(RowFault::OpenQuote(begin))?;
            if text.get(quote + 1) != Some(&b'"') {
                break quote;
            }
            unescaped.push_str(decode(text, from..quote + 1)?);
            from = quote + 2;
        };
        let end = skip_blanks(text, close + 1, delimiter);
        if !ends_field(text, end, delimiter) {
            let rest = &text[end..];
            return Err(RowFault::BehindQuote(end..end + memchr2(delimiter, b'\n', rest).unwrap_or(rest.len())));
        }
        let last = decode(text, from..close)?;
        if unescaped.is_empty() {
            self.constant(last, begin)?;
        } else {
            self.constant(&(unescaped + last), begin)?;
        }
        // A return before the line's end belongs to it.
        Ok(end)
    }

    /// Adds the cell of a field that stands at `at`: a canonical integer is one, everything else is a symbol.
    fn constant(&mut self, field: &str, at: usize) -> Result<(), RowFault> {
        if name::is_integer(field) {
            self.integer(name::integer(field).ok_or(RowFault::Integer(at..at + field.len()))?);
            return Ok(());
        }
        self.symbol(field);
        Ok(())
    }

    /// Adds the cell of a symbol.
    pub(super) fn symbol(&mut self, field: &str) {
        let cell = match self.symbols.get(field) {
            Some(cell) => *cell,
            None => {
                let symbol = Name::from(field);
                let cell = TableCell::of_constant(self.constants.len());
                self.constants.push(Term::Symbol(symbol.clone()));
                self.symbols.insert(symbol, cell);
                cell
            }
        };
        self.cells.push(cell);
    }

    #[inline]
    pub(super) fn integer(&mut self, integer: i64) {
        let cell = TableCell::of_integer(integer).unwrap_or_else(|| {
            *self.integers.entry(integer).or_insert_with(|| {
                self.constants.push(Term::Integer(integer));
                TableCell::of_constant(self.constants.len() - 1)
            })
        });
        self.cells.push(cell);
    }
}

/// The integer of few digits that is spelled canonically from `at` on, and its end.
#[inline]
fn small_integer(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = text.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let mut end = first;
    let mut integer = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        if end - first == SAFE_DIGITS {
            return None;
        }
        integer = integer * 10 + i64::from(digit - b'0');
        end += 1;
    }
    let canonical = match end - first {
        0 => false,
        1 => !(negative && integer == 0),
        _ => text[first] != b'0',
    };
    canonical.then_some((if negative { -integer } else { integer }, end))
}

/// The place of the first byte from `at` on that is no blank.
#[inline]
fn skip_blanks(text: &[u8], mut at: usize, delimiter: u8) -> usize {
    while text.get(at).is_some_and(|&byte| byte != delimiter && matches!(byte, b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Whether a field may end before `at`.
#[inline]
fn ends_field(text: &[u8], at: usize, delimiter: u8) -> bool {
    match text.get(at) {
        None | Some(b'\n') => true,
        Some(b'\r') => matches!(text.get(at + 1), None | Some(b'\n')),
        Some(byte) => *byte == delimiter,
    }
}

/// The place behind the line's end that stands at `at`; `at` if there is none.
#[inline]
fn line_end(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'\n') => at + 1,
        Some(b'\r') if matches!(text.get(at + 1), None | Some(b'\n')) => (at + 2).min(text.len()),
        _ => at,
    }
}

fn decode(text: &[u8], range: Range<usize>) -> Result<&str, RowFault> {
    let start = range.start;
    std::str::from_utf8(&text[range]).map_err(|error| RowFault::Encoding(start + error.valid_up_to()))
}
