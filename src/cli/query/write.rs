//! Answers as text: a table for people, statements, CSV, TSV, JSON. Written row by row, they are nowhere but in the
//! rows of ids.

use crate::cli::output::Unwritten;
use crate::cli::spelling::FactSpellings;
use crate::cli::table::{self, Lines};
use crate::cli::{counted, limits};
use csv::{QuoteStyle, WriterBuilder};
use ludolog::analysis::clause::{Goal, Literal};
use ludolog::engine::Solution;
use ludolog::engine::explanation::{goal_text, term_to_json};
use ludolog::engine::value::{IdTable, Value};
use ludolog::syntax::ast::{Atom, Name, Rule, Statement, Term};
use ludolog::syntax::budget::Poll;
use ludolog::syntax::{Syntax, print_statement, print_term};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value as Json;
use std::convert::Infallible;
use std::io::{self, Write};
use std::iter;

/// Answers written between two checks for Ctrl-C.
const POLL_EVERY: u32 = 1024;

/// The heading of the column, or the key, that tells whether an answer is true or undefined.
const VALUE: &str = "truth value";

/// A goal with its answers. Serialized, it is their JSON.
#[derive(Clone, Copy)]
pub struct Answered<'a> {
    pub goal: &'a Goal,
    pub answers: &'a Solution,
    pub syntax: Syntax,
    /// The warnings about the program, as `check` writes them.
    pub warnings: &'a Json,
}

/// The spellings of the terms of answers.
struct AnswerSpellings<'a> {
    answers: &'a Solution,
    syntax: Syntax,
    spellings: FactSpellings,
}

impl AnswerSpellings<'_> {
    fn of(&mut self, value: Value) -> &str {
        let AnswerSpellings { answers, syntax, spellings } = self;
        let Ok(text) = spellings.of::<Infallible>(value, || Ok(print_term(&answers.term(value), *syntax)));
        text
    }
}

impl Answered<'_> {
    /// Writes the answers as a table, or as a word if the goal has no variables; with its `heading`, the goal before
    /// them.
    pub fn write_table(&self, heading: bool, out: &mut dyn Write) -> Result<(), Unwritten> {
        let Answered { goal, answers, syntax, .. } = *self;
        if heading {
            writeln!(out, "?- {}.", goal_text(goal, syntax))?;
        }
        if goal.variables.is_empty() {
            return self.write_word(out);
        }
        match self.undefined() {
            Some(undefined) if answers.holds() => {
                self.write_rows("answer", out)?;
                undefined.write_rows("undefined answer", out)
            }
            Some(undefined) => undefined.write_rows("undefined answer", out),
            None if answers.holds() => self.write_rows("answer", out),
            None => Ok(out.write_all(b"no answers\n")?),
        }
    }

    /// The undefined answers; `None` if there are none.
    fn undefined(&self) -> Option<Answered<'_>> {
        let answers = self.answers.undefined.as_deref().filter(|undefined| undefined.holds())?;
        Some(Answered { answers, ..*self })
    }

    /// Writes the answers as a table, and how many of these there are.
    fn write_rows(&self, what: &str, out: &mut dyn Write) -> Result<(), Unwritten> {
        let Answered { goal, answers, syntax, .. } = *self;
        let names = goal.variables.iter().map(|name| print_term(&Term::Variable(name.clone()), syntax));
        let header: Vec<String> = names.collect();
        let mut lines = Lines::new(&header);
        let mut cells = self.cells();
        for row in answers.rows() {
            row.iter().enumerate().for_each(|(column, value)| lines.widen(column, cells.of(*value)));
        }
        if lines.fit() {
            out.write_all(lines.header(&header).as_bytes())?;
            let mut line = String::new();
            self.for_each(|row| {
                line.clear();
                row.iter().enumerate().for_each(|(column, value)| lines.put(column, cells.of(*value), &mut line));
                line.push('\n');
                Ok(out.write_all(line.as_bytes())?)
            })?;
        } else {
            let mut table = table::new(header);
            for row in answers.rows() {
                table.add_row(row.iter().map(|value| cells.of(*value).to_owned()));
            }
            out.write_all(table::text(&table).as_bytes())?;
        }
        Ok(writeln!(out, "{}", counted(answers.count(), what))?)
    }

    /// Writes the answers as rows with commas or tabs; a table without columns has no rows to count, so without
    /// variables it is a word. Spelled terms have no tabs and line ends, so that between tabs nothing needs quotes.
    pub fn write_separated(&self, separator: u8, out: &mut dyn Write) -> Result<(), Unwritten> {
        if self.goal.variables.is_empty() {
            return self.write_word(out);
        }
        let quotes = if separator == b',' { QuoteStyle::Necessary } else { QuoteStyle::Never };
        let mut writer = WriterBuilder::new().delimiter(separator).quote_style(quotes).from_writer(out);
        // A last column tells the values, where there may be undefined answers.
        let has_values = self.answers.undefined.is_some();
        writer
            .write_record(self.columns().iter().map(String::as_str).chain(has_values.then_some(VALUE)))
            .map_err(io::Error::from)?;
        for (answered, value) in self.by_value() {
            let mut cells = answered.cells();
            answered.for_each(|row| {
                for value in row {
                    writer.write_field(cells.of(*value)).map_err(io::Error::from)?;
                }
                if has_values {
                    writer.write_field(value).map_err(io::Error::from)?;
                }
                Ok(writer.write_record(None::<&[u8]>).map_err(io::Error::from)?)
            })?;
        }
        Ok(writer.flush()?)
    }

    /// Writes each answer as a line of JSON, an object by variable; where there may be undefined answers, with its
    /// truth value.
    pub fn write_json_lines(&self, out: &mut dyn Write) -> Result<(), Unwritten> {
        let columns = self.columns();
        let has_values = self.answers.undefined.is_some();
        for (answered, value) in self.by_value() {
            let mut known = KnownTerms::default();
            answered.for_each(|row| {
                let known = known.with(row, answered.answers, answered.syntax);
                let object = Object { columns: &columns, row, known, value: has_values.then_some(value) };
                serde_json::to_writer(&mut *out, &object).map_err(io::Error::from)?;
                Ok(writeln!(out)?)
            })?;
        }
        Ok(())
    }

    /// Writes the true answers as statements: the goal, which has to be one atom, with terms in place of its variables.
    pub fn write_statements(&self, syntax: Syntax, out: &mut dyn Write) -> Result<(), Unwritten> {
        let Answered { goal, answers, .. } = *self;
        let unspeakable = || {
            let goal = goal_text(goal, self.syntax);
            let reason = "only those of one atom without `_` are; --format tsv or jsonl writes all";
            Unwritten::Unspeakable(format!("the answers of `{goal}` are no statements: {reason}"))
        };
        let [Literal::Positive(atom)] = &goal.body[..] else { return Err(unspeakable()) };
        self.for_each(|row| {
            let term = |name: &Name| {
                answers.variables.iter().position(|variable| variable == name).map(|i| answers.term(row[i]))
            };
            let args = atom.args.iter().map(|arg| arg.replace_variables(&mut &term)).collect();
            let head = Atom::new(&atom.predicate, args);
            if !head.is_ground() {
                return Err(unspeakable());
            }
            let statement = Statement::Rule(Rule::new(head, Vec::new()));
            Ok(writeln!(out, "{}", print_statement(&statement, syntax).trim_end())?)
        })
    }

    /// The true answers and the undefined ones, each with the name of their truth value.
    fn by_value(&self) -> impl Iterator<Item = (Answered<'_>, &'static str)> {
        iter::once((*self, "true")).chain(self.undefined().map(|undefined| (undefined, "undefined")))
    }

    fn write_word(&self, out: &mut dyn Write) -> Result<(), Unwritten> {
        let word = if self.answers.holds() {
            "yes\n"
        } else if self.answers.is_undefined() {
            "undefined\n"
        } else {
            "no\n"
        };
        Ok(out.write_all(word.as_bytes())?)
    }

    /// Calls `write` with each answer, until Ctrl-C. The first one is written at any limit: a heading without rows says nothing, and
    /// whoever asks for one answer has it.
    fn for_each(&self, mut write: impl FnMut(&[Value]) -> Result<(), Unwritten>) -> Result<(), Unwritten> {
        let budget = limits::budget();
        let mut poll = Poll::new(&budget, POLL_EVERY);
        for (i, row) in self.answers.rows().enumerate() {
            if i > 0 {
                poll.step()?;
            }
            write(row)?;
        }
        Ok(())
    }

    fn cells(&self) -> AnswerSpellings<'_> {
        AnswerSpellings { answers: self.answers, syntax: self.syntax, spellings: FactSpellings::default() }
    }

    fn columns(&self) -> Vec<String> {
        self.goal.variables.iter().map(|name| column(name, self.syntax)).collect()
    }
}

/// The column heading of a variable: its name without GDL's question mark.
fn column(name: &Name, syntax: Syntax) -> String {
    print_term(&Term::Variable(name.clone()), syntax).trim_start_matches('?').to_owned()
}

impl Serialize for Answered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Answered { goal, answers, syntax, warnings } = *self;
        let columns = self.columns();
        // Without answers, a run that stopped early does not know.
        let holds = (answers.stopped.is_none() || answers.holds()).then_some(answers.holds());
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("goal", &goal_text(goal, syntax))?;
        object.serialize_entry("variables", &columns)?;
        object.serialize_entry("holds", &holds)?;
        object.serialize_entry("answers", &Objects { columns: &columns, answers, syntax })?;
        if let Some(answers) = &answers.undefined {
            object.serialize_entry("undefined", &Objects { columns: &columns, answers, syntax })?;
        }
        object.serialize_entry("stopped", &answers.stopped.as_ref().map(ToString::to_string))?;
        object.serialize_entry("warnings", warnings)?;
        object.end()
    }
}

/// Answers as an array of objects.
struct Objects<'a> {
    columns: &'a [String],
    answers: &'a Solution,
    syntax: Syntax,
}

impl Serialize for Objects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut known = KnownTerms::default();
        let mut array = serializer.serialize_seq(Some(self.answers.count()))?;
        for row in self.answers.rows() {
            let known = known.with(row, self.answers, self.syntax);
            array.serialize_element(&Object { columns: self.columns, row, known, value: None })?;
        }
        array.end()
    }
}

/// The JSON of terms by id; null if one did not occur yet.
#[derive(Default)]
struct KnownTerms(IdTable<Json>);

impl KnownTerms {
    /// All so far, with those of a row of the answers.
    fn with(&mut self, row: &[Value], answers: &Solution, syntax: Syntax) -> &IdTable<Json> {
        for value in row.iter().filter(|value| value.as_small_integer().is_none()) {
            let known = self.0.entry(*value);
            if known.is_null() {
                *known = term_to_json(&answers.term(*value), syntax);
            }
        }
        &self.0
    }
}

/// One answer.
struct Object<'a> {
    columns: &'a [String],
    row: &'a [Value],
    known: &'a IdTable<Json>,
    /// Its truth value, where that is told.
    value: Option<&'a str>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.row.len()))?;
        for (name, value) in self.columns.iter().zip(self.row) {
            match value.as_small_integer() {
                Some(n) => object.serialize_entry(name, &n)?,
                None => object.serialize_entry(name, &self.known[*value])?,
            }
        }
        if let Some(value) = self.value {
            object.serialize_entry(VALUE, value)?;
        }
        object.end()
    }
}
