//! `is` of what is perhaps no integer, as a sum: `Y is X` has no value where `X` is a symbol or a compound, and all systems compute sums of
//! integers only.
//!
//! ```text
//! p(X, Y) :- s(X) & Y is X.          p(X, Y) :- s(X) & Y is X + 0.
//! ```

use crate::sorts::{RuleSorts, Sort, Sorts, computed};
use crate::translatable::Translatable;
use ludolog_logic::analysis::clause::Literal;
use ludolog_syntax::ast::{Comparator, Comparison, Term};

/// The program in which each right side of `is` is computed, or an integer in all columns that it comes from.
pub(crate) fn with_integers(program: &Translatable) -> Translatable {
    let sorts = Sorts::of(program);
    let mut changed = program.clone();
    for (number, rule) in changed.rules.iter_mut().enumerate() {
        let sorts = sorts.rule(number);
        rule.body = rule.body.iter().map(|literal| with_sum(literal, sorts)).collect();
    }
    changed
}

fn with_sum(literal: &Literal, sorts: RuleSorts) -> Literal {
    let mut changed = literal.clone();
    if let Literal::Compare(comparison) | Literal::NotCompare(comparison) = &mut changed {
        let Comparison { comparator, right, .. } = comparison;
        let is_taken = *comparator == Comparator::Is && computed(right, Comparator::Is).is_none();
        if is_taken && !Sort::INTEGER.holds(sorts.term(right)) {
            *right = Term::compound("+", vec![right.clone(), Term::Integer(0)]);
        }
    }
    changed
}
