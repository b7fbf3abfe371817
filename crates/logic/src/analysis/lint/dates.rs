//! Dates that are not read as such: without quotation marks, as `2026-11-29`, which is a difference of three integers; with the year behind, as
//! `'30.11.2026'`, which are not ordered as dates are.

use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Atom, Comparison, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;
use std::ops::RangeInclusive;

/// Reports dates in facts, heads and effects, one of each predicate.
pub(super) fn check(checked: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let mut told = FxHashSet::default();
    for (atom, _) in checked.conclusions() {
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
    match date {
        Some(date) => Some(told_of(&date, literal.span())),
        None => order_of_literal(literal),
    }
}

/// What is told of a comparison that orders by a date with the year behind.
fn order_of_literal(literal: &Literal) -> Option<Diagnostic> {
    let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { return None };
    let date = [&comparison.left, &comparison.right].into_iter().find(|term| has_year_behind(term))?;
    comparison.comparator.orders().then(|| order_of(date, comparison.span))
}

/// What is told of an order by a date with the year behind, or of a variable for such dates.
pub(super) fn order_of(date: &Term, place: Span) -> Diagnostic {
    let message = format!("`{}` is ordered by its characters, and not as a date", shown(date));
    Diagnostic::warning(Code::CharacterOrder, message).at(place, "compared from the day on, or the month").help(
        "write dates with the year first, as `'2026-11-29'`, here and in the facts: so they are ordered as symbols are",
    )
}

/// Whether a term is a symbol as `30.11.2026`, `11/30/2026` or `30-11-2026`.
pub(super) fn has_year_behind(term: &Term) -> bool {
    let Term::Symbol(text) = term else { return false };
    let Some(mark) = text.chars().find(|c| !c.is_ascii_digit()).filter(|mark| ['.', '/', '-'].contains(mark)) else {
        return false;
    };
    let mut parts = text.split(mark);
    let mut is_next = |lengths: RangeInclusive<usize>| {
        let part = parts.next().filter(|part| lengths.contains(&part.len()));
        part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_next(1..=2) && is_next(1..=2) && is_next(4..=4) && parts.next().is_none()
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
