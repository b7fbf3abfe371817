//! Facts from tables.

use super::ast::{Atom, Name, Term};
use super::{Files, MAX_DIAGNOSTICS, load, name};
use crate::budget::{Budget, Poll, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources, Span};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// Rows read between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Reads a table: one fact a row, of the predicate that the file is named after.
pub(super) fn table(
    files: &dyn Files,
    path: &Path,
    delimiter: u8,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Vec<Atom>, Diagnostics>, Stopped> {
    let mut poll = Poll::new(budget, POLL_EVERY);
    let source = match load::open_strictly(files, path, sources) {
        Ok(source) => source,
        Err(wrong) => return Ok(Err(wrong.into())),
    };
    let text = sources.get(source).map_or("", |source| &source.text);
    let predicate: Name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().into();
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quoting(delimiter != b'\t')
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut facts: Vec<Atom> = Vec::new();
    let mut diagnostics = Diagnostics::new();
    let mut record = StringRecord::new();
    let mut first: Option<(usize, Span)> = None;
    let mut count = 0;
    loop {
        poll.step()?;
        let start = reader.position().byte() as usize;
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let message = format!("the table cannot be read: {error}");
                diagnostics.push(Diagnostic::error(Code::Syntax, message).at(Span::new(source, start, start), "here"));
                break;
            }
        }
        let row = &text[start..reader.position().byte() as usize];
        let begin = start + row.len() - row.trim_start_matches(['\r', '\n']).len();
        let span = Span::new(source, begin, begin + row.trim_matches(['\r', '\n']).len());
        let (arity, first_span) = *first.get_or_insert((record.len(), span));
        if record.len() != arity {
            diagnostics.push(
                Diagnostic::error(Code::ArityMismatch, "the rows of this table differ in length")
                    .at(span, fields(record.len()))
                    .at(first_span, fields(arity))
                    .help("every row is one fact of the same predicate"),
            );
            count += 1;
            if count == MAX_DIAGNOSTICS {
                break;
            }
            continue;
        }
        facts.push(Atom { predicate: predicate.clone(), args: record.iter().map(constant).collect(), span });
    }
    Ok(if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) })
}

fn fields(count: usize) -> String {
    match count {
        1 => "1 field".to_owned(),
        n => format!("{n} fields"),
    }
}

/// A field as a term: a canonical integer is one, everything else is a symbol.
fn constant(field: &str) -> Term {
    name::integer(field).map_or_else(|| Term::symbol(field), Term::Integer)
}
