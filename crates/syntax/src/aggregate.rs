//! Aggregates that are compared, or computed with: `count { X : p(X) } >= 2` is read as
//! `_count = count { X : p(X) } & _count >= 2`, so that a syntax tree has them beside an equals sign alone. And what both
//! surfaces refuse of lattice columns.

use super::ast::{Aggregate, AggregateFunction, Comparator, Comparison, Formula, Name, Range, Term};
use crate::diagnostic::{Code, Diagnostic, Span};
use std::collections::HashSet;

/// The variables of a statement for the values of its aggregates.
#[derive(Default)]
pub(super) struct ValueVariables {
    /// The variables that the statement has.
    taken: HashSet<Name>,
}

impl ValueVariables {
    /// Notes a variable of the statement. All have to be noted before the first [`ValueVariables::variable`].
    pub(super) fn note(&mut self, variable: Name) {
        self.taken.insert(variable);
    }

    /// A variable that the statement does not have, named after the function.
    pub(super) fn variable(&mut self, function: AggregateFunction) -> Term {
        let names = (1..).map(|k| match k {
            1 => format!("_{}", function.name()),
            k => format!("_{}{k}", function.name()),
        });
        let mut names = names.map(Name::from);
        let name = names.find(|name| self.taken.insert(name.clone())).expect("there is no last number");
        Term::Variable(name)
    }
}

/// The comparison together with the aggregates whose values it computes with. An aggregate that equals a term is one
/// condition.
pub(super) fn compared(mut aggregates: Vec<Aggregate>, comparison: Comparison) -> Formula {
    let equates = matches!(comparison.comparator, Comparator::Equal | Comparator::Is);
    let value = aggregates.first().map(|aggregate| &aggregate.result);
    let is_left = value == Some(&comparison.left);
    let is_right = value == Some(&comparison.right);
    if aggregates.len() == 1 && equates && (is_left || is_right) {
        let mut aggregate = aggregates.remove(0);
        aggregate.result = if is_left { comparison.right } else { comparison.left };
        aggregate.span = comparison.span;
        return Formula::Aggregate(aggregate);
    }
    joined(aggregates, Formula::Compare(comparison))
}

/// The range together with the aggregates that its bounds compute with.
pub(super) fn ranged(aggregates: Vec<Aggregate>, range: Range) -> Formula {
    joined(aggregates, Formula::Range(range))
}

fn joined(aggregates: Vec<Aggregate>, condition: Formula) -> Formula {
    if aggregates.is_empty() {
        return condition;
    }
    Formula::And(aggregates.into_iter().map(Formula::Aggregate).chain([condition]).collect())
}

/// Refuses a function that joins no values for a lattice column.
pub(super) fn check_joins(function: AggregateFunction, span: Span) -> Result<(), Diagnostic> {
    if function.joins() {
        return Ok(());
    }
    let name = function.name();
    Err(Diagnostic::error(
        Code::Syntax,
        format!("a lattice column keeps a `min`, a `max` or a `union`, not a `{name}`"),
    )
    .at(span, "not one of the values that are derived")
    .help(format!("take the `{name}` of what a predicate without it derives: `N = {name} {{ X : p(X) }}`")))
}

pub(super) fn second_best(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "a head has one lattice column at most")
        .at(span, "the second one")
        .help("give each its own predicate, or order pairs by one number")
}
