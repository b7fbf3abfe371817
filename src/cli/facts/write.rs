//! Facts as text, written fact by fact: statements of rule files, lines of JSON, or rows of tables. Terms are spelled
//! once.

use crate::cli::output::Unwritten;
use crate::cli::spelling::FactSpellings;
use ludolog::engine::explanation::term_to_json;
use ludolog::engine::value::Value;
use ludolog::engine::{Budget, Listed, Listing};
use ludolog::syntax::ast::{Atom, Predicate, Rule, Statement, Term};
use ludolog::syntax::budget::Poll;
use ludolog::syntax::{Syntax, is_integer, print_statement, print_term};
use std::io::Write;

/// Facts written between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// The notation of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactNotation {
    /// Statements of a rule file.
    Rules(Syntax),
    /// One JSON object a line; terms in JSON strings are in this syntax.
    JsonLines(Syntax),
    /// The same objects as one indented array.
    JsonArray(Syntax),
    /// Rows with commas.
    Csv,
    /// Rows with tabs.
    Tsv,
}

impl FactNotation {
    /// The extension of files in it.
    pub fn extension(self) -> &'static str {
        match self {
            FactNotation::Rules(syntax) => syntax.name(),
            FactNotation::JsonLines(_) => "jsonl",
            FactNotation::JsonArray(_) => "json",
            FactNotation::Csv => "csv",
            FactNotation::Tsv => "tsv",
        }
    }

    /// Whether it is the notation of tables, which do not say their predicate.
    pub fn is_table(self) -> bool {
        matches!(self, FactNotation::Csv | FactNotation::Tsv)
    }
}

/// Spells the terms of a listing in one notation.
pub struct Speller<'l> {
    listing: &'l Listing<'l>,
    notation: FactNotation,
    spellings: FactSpellings,
    /// Whether no fact has been written.
    is_first: bool,
}

impl<'l> Speller<'l> {
    /// A speller that knows no spelling yet.
    pub fn new(listing: &'l Listing<'l>, notation: FactNotation) -> Self {
        Speller { listing, notation, spellings: FactSpellings::default(), is_first: true }
    }

    /// Writes the facts of these predicates, with what stands before and behind all facts. `out` should be buffered.
    pub fn write_all(&mut self, relations: &[Listed], out: &mut dyn Write, budget: &Budget) -> Result<(), Unwritten> {
        let is_array = matches!(self.notation, FactNotation::JsonArray(_));
        if is_array {
            out.write_all(b"[")?;
        }
        for listed in relations {
            self.for_each_line(listed, budget, |_| true, |line| Ok(out.write_all(line)?))?;
        }
        if is_array {
            out.write_all(if self.is_first { b"]\n" } else { b"\n]\n" })?;
        }
        Ok(())
    }

    /// Checks that the notation has these facts, as it has all of small integers.
    pub fn check(&mut self, relations: &[Listed], budget: &Budget) -> Result<(), Unwritten> {
        let is_checked = |row: &[Value]| row.iter().any(|value| value.as_small_integer().is_none());
        relations.iter().try_for_each(|listed| self.for_each_line(listed, budget, is_checked, |_| Ok(())))
    }

    /// Calls `visit` with the texts of the facts of one predicate whose rows are wanted.
    fn for_each_line(
        &mut self,
        listed: &Listed,
        budget: &Budget,
        wanted: impl Fn(&[Value]) -> bool,
        mut visit: impl FnMut(&[u8]) -> Result<(), Unwritten>,
    ) -> Result<(), Unwritten> {
        let predicate = listed.predicate();
        let frame = self.frame(predicate).map_err(Unwritten::Unspeakable)?;
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut line = Vec::new();
        let listing = self.listing;
        for part in listing.parts(listed) {
            for row in part.rows() {
                poll.step()?;
                if !wanted(row) {
                    continue;
                }
                line.clear();
                self.spell_row(row, &frame, &mut line).map_err(|reason| unspeakable(predicate, &reason))?;
                visit(&line)?;
            }
        }
        Ok(())
    }

    /// Spells a fact behind those before it.
    fn spell_row(
        &mut self,
        row: &[Value],
        [open, separator, close]: &[String; 3],
        line: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Speller { listing, notation, spellings, is_first } = self;
        if matches!(notation, FactNotation::JsonArray(_)) && !*is_first {
            line.push(b',');
        }
        *is_first = false;
        line.extend_from_slice(open.as_bytes());
        for (column, value) in row.iter().enumerate() {
            if column > 0 {
                line.extend_from_slice(separator.as_bytes());
            }
            let spelled = spellings.of(*value, || spell(&listing.term(*value), *notation));
            line.extend_from_slice(spelled?.as_bytes());
        }
        if line.is_empty() && *notation == FactNotation::Tsv {
            return Err("a row of an empty symbol is an empty line; --format csv quotes it".to_owned());
        }
        line.extend_from_slice(close.as_bytes());
        Ok(())
    }

    /// The text before, between and behind the arguments of a fact.
    fn frame(&self, predicate: &Predicate) -> Result<[String; 3], String> {
        let owned = |parts: [&str; 3]| Ok(parts.map(str::to_owned));
        match self.notation {
            FactNotation::Rules(syntax) => {
                // A fact with the argument 0 shows what stands around arguments.
                let args = if predicate.arity == 0 { Vec::new() } else { vec![Term::Integer(0)] };
                let head = Atom::new(&predicate.name, args);
                let statement = Statement::Rule(Rule::new(head, Vec::new()));
                let text = print_statement(&statement, syntax);
                let (open, close) = match text.trim_end().rsplit_once('0') {
                    Some(around) if predicate.arity > 0 => around,
                    _ => (text.trim_end(), ""),
                };
                owned([open, if syntax == Syntax::Kif { " " } else { ", " }, &format!("{close}\n")])
            }
            FactNotation::JsonLines(_) => {
                let name = serde_json::Value::from(predicate.name.text());
                owned([&format!("{{\"predicate\":{name},\"arguments\":["), ",", "]}\n"])
            }
            FactNotation::JsonArray(_) => {
                let open = format!(
                    "\n  {{\n    \"predicate\": {},\n    \"arguments\": [",
                    serde_json::Value::from(predicate.name.text())
                );
                match predicate.arity {
                    0 => owned([&open, "", "]\n  }"]),
                    _ => owned([&(open + "\n      "), ",\n      ", "\n    ]\n  }"]),
                }
            }
            FactNotation::Csv | FactNotation::Tsv if predicate.arity == 0 => {
                Err(format!("`{predicate}` has no arguments, and tables have columns; --format dl or jsonl writes it"))
            }
            FactNotation::Csv => owned(["", ",", "\n"]),
            FactNotation::Tsv => owned(["", "\t", "\n"]),
        }
    }
}

/// The spelling of a term, or the reason why the notation has none.
fn spell(ground: &Term, notation: FactNotation) -> Result<String, String> {
    match notation {
        FactNotation::Rules(syntax) => Ok(print_term(ground, syntax)),
        FactNotation::JsonLines(syntax) | FactNotation::JsonArray(syntax) => {
            Ok(term_to_json(ground, syntax).to_string())
        }
        FactNotation::Csv | FactNotation::Tsv if matches!(ground, Term::Float(_)) => Ok(ground.to_string()),
        FactNotation::Csv => field(ground).map(quoted),
        FactNotation::Tsv => match field(ground)? {
            text if text.contains(['\t', '\n']) || text.trim() != text => {
                Err(format!("the symbol {ground} would be read back otherwise; --format csv quotes it"))
            }
            text => Ok(text),
        },
    }
}

fn unspeakable(predicate: &Predicate, reason: &str) -> Unwritten {
    Unwritten::Unspeakable(format!("the facts of `{predicate}` are no table: {reason}"))
}

/// An integer or symbol as a field of a table, which has no compounds.
fn field(ground: &Term) -> Result<String, String> {
    match ground {
        Term::Integer(n) => Ok(n.to_string()),
        Term::Symbol(name) if name.contains('\0') || name.starts_with('\u{FEFF}') => {
            Err(format!("the symbol {ground} is no text in a table; --format dl or jsonl writes it"))
        }
        Term::Symbol(name) if is_integer(name) => {
            Err(format!("the symbol {ground} would be read back as an integer; --format dl or jsonl keeps it"))
        }
        Term::Symbol(name) => Ok(name.to_string()),
        _ => Err(format!("{ground} is no constant; --format dl or jsonl writes it")),
    }
}

/// A field of CSV, in quotes where it has to be.
fn quoted(text: String) -> String {
    if text.is_empty() || text.contains(['"', ',', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
