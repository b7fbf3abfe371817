//! Formulas as written: their variables, symbols and places.

use ludolog_syntax::ast::{Aggregate, Atom, Formula, Name, Term};
use ludolog_syntax::diagnostic::Span;
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
pub fn fresh_variable(mut text: String, is_taken: impl Fn(&str) -> bool) -> Term {
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

/// Whether an aggregate stands in the formulas.
pub(super) fn have_aggregate(body: &[Formula]) -> bool {
    let mut have = false;
    for_each_aggregate(body, false, &mut |_, _| have = true);
    have
}

/// Calls `visit` with each atom and comparison, and its place.
pub(super) fn for_each_condition<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Formula, Span)) {
    for formula in body {
        match formula {
            Formula::Atom(atom) => visit(formula, atom.span),
            Formula::Compare(comparison) => visit(formula, comparison.span),
            Formula::Range(range) => visit(formula, range.span),
            Formula::Aggregate(aggregate) => {
                visit(formula, aggregate.span);
                for_each_condition(&aggregate.body, visit);
            }
            Formula::Not(inner) => for_each_condition(std::slice::from_ref(inner), visit),
            Formula::And(parts) | Formula::Or(parts) => for_each_condition(parts, visit),
        }
    }
}

/// Calls `visit` with every symbol in the terms of the formulas.
pub(super) fn symbols<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Name)) {
    for_each_condition(body, &mut |condition, _| match condition {
        Formula::Atom(atom) => symbols_of_atom(atom, visit),
        Formula::Compare(comparison) => {
            [&comparison.left, &comparison.right].into_iter().for_each(|side| symbols_of_term(side, visit));
        }
        _ => {}
    });
}

/// Calls `visit` with every symbol in the terms of an atom.
pub(super) fn symbols_of_atom<'a>(atom: &'a Atom, visit: &mut impl FnMut(&'a Name)) {
    atom.args.iter().for_each(|arg| symbols_of_term(arg, visit));
}

/// Calls `visit` with every symbol in a term.
pub(super) fn symbols_of_term<'a>(term: &'a Term, visit: &mut impl FnMut(&'a Name)) {
    // Without recursion: terms may be long lists.
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match term {
            Term::Symbol(name) => visit(name),
            Term::Compound(_, args) => open.extend(args.iter().rev()),
            Term::Variable(_) | Term::Integer(_) | Term::Float(_) => {}
        }
    }
}
