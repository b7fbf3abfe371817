//! Formulas as written: their variables and places.

use ludolog_syntax::ast::{Aggregate, Formula, Name, Term};
use rustc_hash::FxHashSet;

/// The named variables of a body, in order of first occurrence.
pub(super) fn answer_variables(body: &[Formula]) -> Vec<Name> {
    let mut names = Vec::new();
    let mut seen = FxHashSet::default();
    for_each_variable(body, &mut |name| {
        if !name.starts_with('_') && seen.insert(name.clone()) {
            names.push(name.clone());
        }
    });
    names
}

/// A variable whose name is not taken: the text, with primes as far as it needs them.
pub(super) fn fresh_variable(mut text: String, is_taken: impl Fn(&str) -> bool) -> Term {
    while is_taken(&text) {
        text.push('\'');
    }
    Term::variable(&text)
}

/// Calls `visit` with every variable occurrence in the formulas, but for those within aggregates.
pub(super) fn for_each_variable<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Name)) {
    for formula in body {
        match formula {
            Formula::Aggregate(aggregate) => aggregate.result.for_each_variable(visit),
            Formula::Not(inner) => for_each_variable(std::slice::from_ref(inner), visit),
            Formula::And(parts) | Formula::Or(parts) => for_each_variable(parts, visit),
            Formula::Atom(_) | Formula::Compare(_) | Formula::Range(_) => formula.for_each_variable(visit),
        }
    }
}

/// Calls `visit` with each aggregate of the formulas, and whether it stands under a negation.
pub(super) fn for_each_aggregate<'a>(body: &'a [Formula], negated: bool, visit: &mut impl FnMut(&'a Aggregate, bool)) {
    for formula in body {
        match formula {
            Formula::Aggregate(aggregate) => visit(aggregate, negated),
            Formula::Not(inner) => for_each_aggregate(std::slice::from_ref(inner), true, visit),
            Formula::And(parts) | Formula::Or(parts) => for_each_aggregate(parts, negated, visit),
            Formula::Atom(_) | Formula::Compare(_) | Formula::Range(_) => {}
        }
    }
}
