//! Dates without quotation marks, as `2026-11-29`, which are differences of three integers.

use crate::analysis::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Atom, Comparison, Effect, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// Reports dates in facts, heads and effects, one of each predicate.
pub(super) fn check(checked: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let heads = checked.rules.iter().map(|rule| &rule.head);
    let effects = checked.transitions.iter().flat_map(|transition| &transition.effects).map(Effect::atom);
    let mut told = FxHashSet::default();
    for atom in checked.facts.iter().chain(heads).chain(effects) {
        if let Some(date) = of_atom(atom)
            && told.insert(atom.signature())
        {
            found.push(told_of(&date, atom.span));
        }
    }
}

/// What is told of a condition with a date.
pub(super) fn of_literal(literal: &Literal) -> Option<Diagnostic> {
    let date = match literal {
        Literal::Compare(Comparison { left, right, .. }) => [left, right].into_iter().find_map(of_term),
        other => other.atom().and_then(of_atom),
    };
    Some(told_of(&date?, literal.span()))
}

/// The first argument of an atom that is a date, as a date is written.
pub(super) fn of_atom(atom: &Atom) -> Option<String> {
    atom.args.iter().find_map(of_term)
}

/// A term that is a date, as a date is written. Nobody computes with three constants of such sizes.
fn of_term(term: &Term) -> Option<String> {
    let (years_and_months, day) = difference(term)?;
    let (year, month) = difference(years_and_months)?;
    let (&Term::Integer(year), &Term::Integer(month), &Term::Integer(day)) = (year, month, day) else { return None };
    let is_date = (1_000..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| format!("{year}-{month:02}-{day:02}"))
}

fn difference(term: &Term) -> Option<(&Term, &Term)> {
    match term {
        Term::Compound(functor, args) if &**functor == "-" => match &args[..] {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

fn told_of(date: &str, place: Span) -> Diagnostic {
    Diagnostic::warning(Code::UnquotedDate, format!("`{date}` is a difference of integers, and no date"))
        .at(place, "read with `-` as an operator")
        .help(format!(
            "quote it: `'{date}'` is a symbol, and dates are ordered as their symbols are; if the difference is meant, write its value"
        ))
}
