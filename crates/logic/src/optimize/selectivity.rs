//! The shares of bindings that comparisons, negations and lists let through: constants, since nothing is counted of their values.

use crate::analysis::clause::Literal;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};

/// The share of bindings that a negation lets through: without statistics, either outcome is as likely.
const NEGATION: f64 = 0.5;
/// The share that is no member of a list: lists are short beside their universe.
const NO_MEMBER: f64 = 0.8;
/// The number of elements of a list.
const MEMBERS: f64 = 2.0;
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

/// The share of bindings that a literal other than a positive one lets through (or makes).
pub fn selectivity(literal: &Literal) -> f64 {
    match literal {
        Literal::Positive(_) | Literal::Aggregate(_) => 1.0,
        Literal::Negative(_) => NEGATION,
        Literal::Member { negated, .. } => {
            if *negated {
                NO_MEMBER
            } else {
                MEMBERS
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
