//! The values of goals: integers from 0 to 100.

use super::heads_of;
use crate::analysis::clause::CheckedProgram;
use ludolog_syntax::ast::Term;
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;

/// Reports each other value that a head of `goal` has for a constant, once.
pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let mut seen = FxHashSet::default();
    for head in heads_of(program, "goal", 2) {
        let value = &head.args[1];
        let is_allowed = matches!(value, Term::Integer(0..=100) | Term::Variable(_));
        if !is_allowed && seen.insert(value) {
            let value_text = print_term(value, Syntax::Kif);
            let message = match value {
                Term::Integer(_) => format!("the goal {value_text} is not within 0 and 100"),
                _ => format!("the goal `{value_text}` is no integer"),
            };
            found.push(
                Diagnostic::warning(Code::GoalValue, message)
                    .at(head.span, "not a value of GDL")
                    .help("say what a role gets by an integer from 0, a loss, to 100, a win"),
            );
        }
    }
}
