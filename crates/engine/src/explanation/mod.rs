//! Derivations, refutations and plans in words: trees and lines for people, and JSON (cargo feature `json`) for tools.
//!
//! * [`why`]: why a fact holds. [`why_not`]: why it does not, or is undefined. [`plan`]: how a program is run. [`tree`]: trees as text.
//! * `passes` (JSON alone): the passes of the optimizer.

#[cfg(feature = "json")]
pub mod passes;
pub mod plan;
pub mod tree;
pub mod why;
pub mod why_not;

use crate::Session;
use ludolog_logic::analysis::clause::{Clause, Goal};
use ludolog_syntax::ast::Formula;
use ludolog_syntax::{Syntax, print_formula};
#[cfg(feature = "json")]
use ludolog_syntax::{ast::Term, print_term};

/// The last line of a tree that is not shown as a whole.
pub const DEEPER: &str = "… deeper levels are left out; --depth shows more\n";

/// A goal as it is written.
pub fn goal_text(goal: &Goal, syntax: Syntax) -> String {
    let formulas = goal.body.iter().map(|literal| print_formula(&Formula::from(literal), syntax));
    formulas.collect::<Vec<_>>().join(if syntax == Syntax::Kif { " " } else { " & " })
}

/// The file and the line of a rule.
pub fn place<'a>(clause: &Clause, session: &'a Session) -> Option<(&'a str, usize)> {
    let sources = session.sources();
    let (source, (line, _)) = sources.get(clause.span.source).zip(sources.line_column(clause.span))?;
    Some((&source.name, line))
}

/// A ground term: integers and floats are numbers, symbols are strings, and all other terms are strings in the syntax of the rules.
/// Lists are no arrays, since they nest in their tails, deeper than readers of JSON permit.
#[cfg(feature = "json")]
pub fn term_to_json(term: &Term, syntax: Syntax) -> serde_json::Value {
    match term {
        Term::Integer(n) => (*n).into(),
        Term::Float(float) => float.get().into(),
        Term::Symbol(name) => (&**name).into(),
        _ => print_term(term, syntax).into(),
    }
}
