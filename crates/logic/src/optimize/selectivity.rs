//! The shares of bindings that comparisons, negations, lists and ranges let through: constants, since nothing is counted of their values, but for
//! ranges between constants.

use crate::analysis::clause::{Elements, Literal};
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};

/// The share of bindings that a negation lets through: without statistics, either outcome is as likely.
const NEGATION: f64 = 0.5;
/// The share that is no member of a list: lists are short beside their universe.
const NO_MEMBER: f64 = 0.8;
/// The number of elements of a list.
const MEMBERS: f64 = 2.0;
/// The number of elements of a range between bounds that are not known where it is gone through: of seconds or prices as likely as of a board.
const LONG_RANGE: f64 = 10_000.0;
/// The number of elements of such a range that are taken to get into a relation.
const RANGE: f64 = 100.0;
/// The share that `!=` lets through: two values of a universe of ten, as of one that is not known, differ.
const UNEQUAL: f64 = 0.9;
/// The share that an equation of two terms lets through.
const EQUAL: f64 = 0.2;
/// The share that an order comparison lets through: a little over half, because rules mostly exclude exceptions.
const ORDERED: f64 = 0.6;

/// The variable that a comparison sets equal to something, if it is that kind: it binds the variable or, where that is
/// bound already, lets one value of its universe through.
pub fn assigned(literal: &Literal) -> Option<&Name> {
    match literal {
        Literal::Compare(Comparison { comparator: Comparator::Is | Comparator::Equal, left, right, .. }) => {
            match (left, right) {
                (Term::Variable(name), _) | (_, Term::Variable(name)) => Some(name),
                _ => None,
            }
        }
        Literal::Aggregate(aggregation) => match &aggregation.result {
            Term::Variable(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// A range that goes through the values of a variable, or tests one that is bound.
pub struct PricedRange<'l> {
    /// The variable.
    pub element: &'l Name,
    /// The number of elements, if both bounds are constants.
    width: Option<f64>,
}

impl PricedRange<'_> {
    /// The number of elements to go through, expected where the bounds are not known.
    pub fn elements(&self) -> f64 {
        self.width.unwrap_or(LONG_RANGE)
    }

    /// The share of the values of a universe of this size that are elements.
    pub fn share(&self, universe: Option<f64>) -> f64 {
        match (self.width, universe) {
            (Some(width), Some(universe)) => (width / universe).min(1.0),
            _ => ORDERED,
        }
    }
}

/// The range of a literal, if the literal tells that a variable is in one.
pub fn range(literal: &Literal) -> Option<PricedRange<'_>> {
    let Literal::Member {
        element: Term::Variable(element), elements: Elements::Range(from, to), negated: false, ..
    } = literal
    else {
        return None;
    };
    let width = match (from, to) {
        (Term::Integer(from), Term::Integer(to)) => Some((*to as f64 - *from as f64 + 1.0).max(0.0)),
        _ => None,
    };
    Some(PricedRange { element, width })
}

/// The share of bindings that a literal other than a positive one lets through (or makes).
pub fn selectivity(literal: &Literal) -> f64 {
    match literal {
        Literal::Positive(_) | Literal::Aggregate(_) => 1.0,
        Literal::Negative(_) => NEGATION,
        Literal::Member { negated, .. } => {
            if *negated {
                NO_MEMBER
            } else {
                range(literal).map_or(MEMBERS, |range| range.width.unwrap_or(RANGE))
            }
        }
        Literal::Compare(comparison) => match comparison.comparator {
            Comparator::NotEqual | Comparator::OtherValue => UNEQUAL,
            Comparator::Is | Comparator::Equal if assigned(literal).is_some() => 1.0,
            Comparator::Is | Comparator::Equal | Comparator::SameValue => EQUAL,
            _ => ORDERED,
        },
        Literal::NotCompare(comparison) => match comparison.comparator {
            Comparator::Is | Comparator::SameValue => UNEQUAL,
            Comparator::OtherValue => EQUAL,
            _ => ORDERED,
        },
    }
}
