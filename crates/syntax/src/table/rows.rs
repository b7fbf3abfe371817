//! The fields of CSV and TSV to cells, and the rows read so far.
//!
//! One pass over the bytes: a field that spells a small integer is read where it stands, all others are looked up among
//! the constants. Rows are separated by line ends, and empty lines are no rows. In CSV (RFC 4180) a field in quotes is
//! taken as it stands, with delimiters and line ends, and `""` in it is a quote; in TSV quotes mean nothing. Fields
//! without quotes are trimmed. The reading is our own since it has to say where a quote is open at the end, which `csv`
//! takes as it comes.

use super::{FileStatistics, term_of};
use crate::ast::{Float, Name, Term};
use crate::value::{Content, Value};
use crate::{Share, content, name};
use memchr::{memchr, memchr2, memchr3};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Digits that are read without a look at overflows.
const SAFE_DIGITS: usize = 18;

/// Once a table that holds a share has a sample of so many rows, it keeps every second one.
const MOST_SAMPLED: usize = 1 << 13;

/// The reason why a text is no row, with the place in it.
pub(super) enum RowFault {
    /// The quote here has no end in the text.
    OpenQuote(usize),
    /// Something stands between a closing quote and the end of the field.
    BehindQuote(Range<usize>),
    /// A byte that is not UTF-8.
    Encoding(usize),
    /// A carriage return that no line feed follows.
    Return(usize),
    /// What stands here is no row of JSON, with the label and a way out.
    Json(Range<usize>, String, &'static str),
    /// The first row is in another notation: what it is, and a way out.
    Foreign(Range<usize>, &'static str, &'static str),
}

impl RowFault {
    /// Whether there is no end of others like it, or hardly one that tells more.
    pub(super) fn is_last(&self) -> bool {
        use RowFault::{Encoding, Foreign, OpenQuote, Return};
        matches!(self, OpenQuote(_) | Encoding(_) | Return(_) | Foreign(..))
    }
}

/// The rows read so far.
#[derive(Default)]
pub(super) struct ReadRows {
    pub(super) cells: Vec<Value>,
    constants: Vec<Term>,
    symbols: FxHashMap<Name, Value>,
    integers: FxHashMap<i64, Value>,
    floats: FxHashMap<Float, Value>,
    /// The cells of the row that is being read that are spelled as integers of more than 64 bits, with their places.
    long_integers: Vec<(usize, Range<usize>)>,
    /// The keys of JSON objects, in the order of the columns.
    pub(super) keys: Option<Vec<String>>,
    /// The filter that keeps a share of them, if not all are kept.
    sharing: Option<Sharing>,
}

/// The numbers of cells and constants before a row.
#[derive(Clone, Copy)]
pub(super) struct RowStart {
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
    fn count(&mut self, row: &[Value], constants: &[Term]) -> (bool, bool) {
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
    /// No rows yet, of a table of this predicate of which this share is kept.
    pub(super) fn of_share(share: Share, predicate: &Name) -> ReadRows {
        ReadRows { sharing: (!share.is_whole()).then(|| Sharing::new(share, predicate)), ..ReadRows::default() }
    }

    /// The cells of all rows, the constants in them, and what is known of the whole table where a share was kept.
    pub(super) fn into_parts(mut self) -> (Arc<Vec<Value>>, Vec<Term>, Option<FileStatistics>) {
        self.cells.shrink_to_fit();
        (Arc::new(self.cells), self.constants, self.sharing.map(|sharing| sharing.whole))
    }

    /// The number of fields of the row that begins there.
    pub(super) fn fields_since(&self, before: RowStart) -> usize {
        self.cells.len() - before.cells
    }

    /// The fields of the row that begins there.
    pub(super) fn terms_since(&self, before: RowStart) -> Vec<Term> {
        self.cells[before.cells..].iter().map(|&cell| term_of(cell, &self.constants)).collect()
    }

    /// The place of a row that begins here.
    pub(super) fn begin(&mut self) -> RowStart {
        self.long_integers.clear();
        RowStart { cells: self.cells.len(), constants: self.constants.len() }
    }

    /// Removes what has been read since then.
    pub(super) fn undo(&mut self, before: RowStart) {
        self.cells.truncate(before.cells);
        for constant in self.constants.drain(before.constants..) {
            match constant {
                Term::Integer(n) => _ = self.integers.remove(&n),
                Term::Float(n) => _ = self.floats.remove(&n),
                Term::Symbol(name) | Term::Variable(name) | Term::Compound(name, _) => _ = self.symbols.remove(&name),
            }
        }
    }

    /// The columns of the row that begins there in which an integer of more than 64 bits is spelled, with the places of these.
    pub(super) fn long_integers_since(&self, before: RowStart) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.long_integers.iter().map(move |(cell, place)| (cell - before.cells, place.clone()))
    }

    /// Removes the row that begins there if it is of no share that is kept.
    pub(super) fn keep_share(&mut self, before: RowStart) {
        let Some(sharing) = &mut self.sharing else { return };
        match sharing.count(&self.cells[before.cells..], &self.constants) {
            (true, _) => {}
            (false, true) => self.cells.truncate(before.cells),
            (false, false) => self.undo(before),
        }
    }

    /// Reads the row that begins at `at`, and returns where the next line begins.
    pub(super) fn row(&mut self, text: &[u8], mut at: usize, delimiter: u8) -> Result<usize, RowFault> {
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
        self.constant(field, begin..end);
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
            self.constant(last, begin..end);
        } else {
            self.constant(&(unescaped + last), begin..end);
        }
        // A return before the line's end belongs to it.
        Ok(end)
    }

    /// Adds the cell of a field that stands there: a canonical integer of 64 bits is one, everything else is a symbol.
    fn constant(&mut self, field: &str, place: Range<usize>) {
        if name::is_integer(field) {
            match name::integer(field) {
                Some(integer) => return self.integer(integer),
                None => self.long_integers.push((self.cells.len(), place)),
            }
        }
        self.symbol(field);
    }

    /// Adds the cell of a symbol.
    pub(super) fn symbol(&mut self, field: &str) {
        let cell = match self.symbols.get(field) {
            Some(cell) => *cell,
            None => {
                let symbol = Name::from(field);
                let cell = Value::of_constant(self.constants.len());
                self.constants.push(Term::Symbol(symbol.clone()));
                self.symbols.insert(symbol, cell);
                cell
            }
        };
        self.cells.push(cell);
    }

    pub(super) fn float(&mut self, float: Float) {
        let cell = *self.floats.entry(float).or_insert_with(|| {
            self.constants.push(Term::Float(float));
            Value::of_constant(self.constants.len() - 1)
        });
        self.cells.push(cell);
    }

    #[inline]
    pub(super) fn integer(&mut self, integer: i64) {
        let cell = Value::small_integer(integer).unwrap_or_else(|| {
            *self.integers.entry(integer).or_insert_with(|| {
                self.constants.push(Term::Integer(integer));
                Value::of_constant(self.constants.len() - 1)
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
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
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
