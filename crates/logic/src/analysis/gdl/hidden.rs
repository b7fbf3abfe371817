//! Roles that see nothing in a game whose states are hidden.
//!
//! A role that sees nothing has to choose its moves by the number of those made. That may be meant, so it is a note.

use super::{heads_of, hides, is_random, roles};
use crate::analysis::clause::CheckedProgram;
use ludolog_syntax::ast::Term;
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;

/// Reports each role that no rule for `sees` names, if the game hides its states.
pub(in crate::analysis) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    if !hides(program) {
        return;
    }
    let seeing: FxHashSet<&Term> = heads_of(program, "sees", 2).map(|head| &head.args[0]).collect();
    if seeing.iter().any(|role| matches!(role, Term::Variable(_))) {
        return;
    }
    for fact in roles(program).filter(|fact| !seeing.contains(&fact.args[0]) && !is_random(&fact.args[0])) {
        let role = print_term(&fact.args[0], Syntax::Kif);
        found.push(
            Diagnostic::note(Code::IncompleteGame, format!("the role `{role}` sees nothing but its own moves"))
                .at(fact.span, "a role")
                .help("say by `sees` what it perceives of a joint move, such as the moves that are made in the open"),
        );
    }
}
