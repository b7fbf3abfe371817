//! Formulas as written: their variables and places.

use ludolog_syntax::ast::{Formula, Name};
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

/// Calls `visit` with every variable occurrence in the formulas.
pub(super) fn for_each_variable<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Name)) {
    for formula in body {
        match formula {
            Formula::Atom(atom) => atom.args.iter().for_each(|arg| arg.for_each_variable(visit)),
            Formula::Compare(comparison) => {
                comparison.left.for_each_variable(visit);
                comparison.right.for_each_variable(visit);
            }
            Formula::Not(inner) => for_each_variable(std::slice::from_ref(inner), visit),
            Formula::And(parts) | Formula::Or(parts) => for_each_variable(parts, visit),
        }
    }
}

/// The place of a formula in its text.
pub(super) fn span(formula: &Formula) -> Span {
    match formula {
        Formula::Atom(atom) => atom.span,
        Formula::Compare(comparison) => comparison.span,
        Formula::Not(inner) => span(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(span).fold(Span::NONE, |all, part| all.to(part)),
    }
}
