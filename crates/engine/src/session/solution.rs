//! The answers of a session, and why it has none.

use crate::contract::Refused;
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Name, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::{Diagnostics, Sources, render};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;
use std::fmt;

/// The answers to a goal, sorted: integers before symbols before compounds, column by column. They are rows of ids, and terms when
/// asked for.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The names of the columns: the goal's variables.
    pub variables: Vec<Name>,
    pub(super) tuples: Tuples,
    pub(super) interner: Interner,
    /// The reason why answers may be missing; `None` if the answers are complete.
    pub stopped: Option<Stopped>,
    /// The undefined answers; `None` if there can be none, or if a stop came before they were known.
    pub undefined: Option<Box<Solution>>,
    /// The rows and clause heads that the engine matched for these answers, without what it had derived before.
    pub probes: u64,
}

impl Solution {
    /// Whether there is an answer.
    pub fn holds(&self) -> bool {
        self.count() > 0
    }

    /// Whether an answer is undefined, that is, neither true nor false.
    pub fn is_undefined(&self) -> bool {
        self.undefined.as_ref().is_some_and(|undefined| undefined.holds())
    }

    /// The answers that another solution of the same columns does not have.
    pub(super) fn without(mut self, other: &Solution) -> Solution {
        let others: FxHashSet<Vec<Term>> = other.answers().collect();
        let rows: Vec<Vec<Value>> = self.rows().map(<[Value]>::to_vec).collect();
        let mut tuples = Tuples::new(self.variables.len());
        for row in rows {
            let terms: Vec<Term> = row.iter().map(|&value| self.term(value)).collect();
            if !others.contains(&terms) {
                tuples.push(&row);
            }
        }
        self.tuples = tuples;
        self
    }

    /// The number of answers. A goal without variables that holds has one.
    pub fn count(&self) -> usize {
        self.tuples.count()
    }

    /// The answers as rows of ids, which only [`term`](Self::term) understands.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        self.tuples.rows()
    }

    /// The term of an id.
    pub fn term(&self, value: Value) -> Term {
        self.interner.term(value)
    }

    /// The answers as terms.
    pub fn answers(&self) -> impl ExactSizeIterator<Item = Vec<Term>> {
        self.rows().map(|row| row.iter().map(|&value| self.term(value)).collect())
    }
}

/// One line per answer, as in `X = 1, Y = b`, undefined ones marked and last; `yes`, `no` or `undefined` for a goal without
/// variables.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.variables.is_empty() {
            let word = if self.is_undefined() { "undefined" } else { "no" };
            return writeln!(f, "{}", if self.holds() { "yes" } else { word });
        }
        self.write_rows("", f)?;
        self.undefined.as_ref().map_or(Ok(()), |undefined| undefined.write_rows("    undefined", f))
    }
}

impl Solution {
    /// Writes a line for each answer, with a mark at its end.
    fn write_rows(&self, mark: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().try_for_each(|line| writeln!(f, "{line}{mark}"))
    }

    /// The answers as lines, as in `X = 1, Y = b`, each made when it is asked for.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.answers().map(|row| {
            let bound = self.variables.iter().zip(&row).map(|(name, term)| {
                let [name, term] = [&Term::Variable(name.clone()), term].map(|term| print_term(term, Syntax::Datalog));
                format!("{name} = {term}")
            });
            bound.collect::<Vec<_>>().join(", ")
        })
    }
}

/// The reason why a session cannot answer or change.
#[derive(Clone, Debug)]
pub enum SessionError {
    /// A text has errors; the diagnostics say where.
    Rejected(Box<Sources>, Diagnostics),
    /// The budget ended, or the engine cannot run the program.
    Stopped(Stopped),
    /// A fact is not ground, or its change is not permitted.
    Refused(Refused),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Rejected(sources, wrong) => f.write_str(&render::to_lines(wrong, sources)),
            SessionError::Stopped(stopped) => stopped.fmt(f),
            SessionError::Refused(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<Stopped> for SessionError {
    fn from(stopped: Stopped) -> Self {
        SessionError::Stopped(stopped)
    }
}

impl From<Refused> for SessionError {
    fn from(refused: Refused) -> Self {
        SessionError::Refused(refused)
    }
}
