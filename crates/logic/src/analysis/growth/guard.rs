//! Comparisons that keep a number within bounds.

use crate::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Comparator, Name, Term};

/// `smaller < larger` or `smaller <= larger`.
struct Bound<'a> {
    smaller: &'a Term,
    larger: &'a Term,
    strict: bool,
}

/// The order comparisons of one rule.
pub(super) struct Guards<'a>(Vec<Bound<'a>>);

impl<'a> Guards<'a> {
    pub(super) fn new(clause: &'a Clause) -> Self {
        let is_integer = |term: &Term| {
            let computes = |literal: &Literal| matches!(literal, Literal::Compare(c) if c.comparator == Comparator::Is && c.left == *term);
            matches!(term, Term::Integer(_)) || matches!(term, Term::Variable(_)) && clause.body.iter().any(computes)
        };
        let bound = |literal: &'a Literal| {
            let (c, comparator) = match literal {
                Literal::Compare(c) => (c, c.comparator),
                Literal::NotCompare(c) if is_integer(&c.left) && is_integer(&c.right) => (c, opposite(c.comparator)),
                _ => return None,
            };
            let strict = matches!(comparator, Comparator::Less | Comparator::Greater);
            match comparator {
                Comparator::Less | Comparator::LessOrEqual => {
                    Some(Bound { smaller: &c.left, larger: &c.right, strict })
                }
                Comparator::Greater | Comparator::GreaterOrEqual => {
                    Some(Bound { smaller: &c.right, larger: &c.left, strict })
                }
                Comparator::Is | Comparator::Equal | Comparator::NotEqual => None,
            }
        };
        Self(clause.body.iter().filter_map(bound).collect())
    }

    /// Whether `name` is compared to stay below a term that is `limited`.
    pub(super) fn has_upper(&self, name: &Name, limited: &dyn Fn(&Term) -> bool) -> bool {
        self.0.iter().any(|bound| moved_variable(bound.smaller) == Some(name) && limited(bound.larger))
    }

    pub(super) fn has_lower(&self, name: &Name, limited: &dyn Fn(&Term) -> bool) -> bool {
        self.0.iter().any(|bound| moved_variable(bound.larger) == Some(name) && limited(bound.smaller))
    }

    /// Whether the rule asks that one variable be less than another.
    pub(super) fn is_less(&self, smaller: &Name, larger: &Name) -> bool {
        let is = |term: &Term, name: &Name| matches!(term, Term::Variable(other) if other == name);
        self.0.iter().any(|bound| bound.strict && is(bound.smaller, smaller) && is(bound.larger, larger))
    }

    /// Reads `value` as a step from a variable: by a constant, or by a variable that `finite` holds of and that is compared
    /// not to be negative.
    pub(super) fn step<'t>(&self, value: &'t Term, finite: &dyn Fn(&Name) -> bool) -> Option<Step<'t>> {
        let Term::Compound(functor, args) = value else { return None };
        let [left, right] = &args[..] else { return None };
        let (from, by, plus) = match (&**functor, left, right) {
            ("+", Term::Variable(from), by) if self.size(by, finite).is_some() => (from, by, true),
            ("+", by, Term::Variable(from)) => (from, by, true),
            ("-", Term::Variable(from), by) => (from, by, false),
            _ => return None,
        };
        let size = self.size(by, finite)?;
        Some(Step { from, up: plus == (size >= 0), strict: size != 0 })
    }

    /// The least size of a step: a constant, or the lower bound of a variable that is never negative.
    fn size(&self, by: &Term, finite: &dyn Fn(&Name) -> bool) -> Option<i64> {
        match by {
            Term::Integer(n) => Some(*n),
            Term::Variable(name) if finite(name) => {
                let lower = self.0.iter().filter(|bound| bound.larger == by).filter_map(|bound| match bound.smaller {
                    Term::Integer(n) => n.checked_add(i64::from(bound.strict)),
                    _ => None,
                });
                lower.max().filter(|&size| size >= 0)
            }
            _ => None,
        }
    }
}

/// A value that is a variable, moved.
pub(super) struct Step<'a> {
    pub from: &'a Name,
    pub up: bool,
    /// It moves by one at least.
    pub strict: bool,
}

/// The comparator that holds of two integers exactly when `comparator` does not.
fn opposite(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Is | Comparator::Equal => Comparator::NotEqual,
        Comparator::NotEqual => Comparator::Equal,
        Comparator::Less => Comparator::GreaterOrEqual,
        Comparator::LessOrEqual => Comparator::Greater,
        Comparator::Greater => Comparator::LessOrEqual,
        Comparator::GreaterOrEqual => Comparator::Less,
    }
}

/// `X` in `X`, `X + 1`, `1 + X` and `X - 1`.
fn moved_variable(term: &Term) -> Option<&Name> {
    match term {
        Term::Variable(name) => Some(name),
        Term::Compound(functor, args) => match (&**functor, &args[..]) {
            ("+" | "-", [Term::Variable(name), Term::Integer(_)]) | ("+", [Term::Integer(_), Term::Variable(name)]) => {
                Some(name)
            }
            _ => None,
        },
        _ => None,
    }
}
