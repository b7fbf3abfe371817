//! How the values of a lattice column become one.

use crate::value::{Interner, Value};
use ludolog_syntax::ast::AggregateFunction;
use std::cmp::Ordering;

/// The join of two values of a lattice column: the better one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeJoin {
    /// The order of a better value to a worse one.
    pub better: Ordering,
}

impl LatticeJoin {
    /// The join by a function of the language.
    pub fn new(function: AggregateFunction) -> LatticeJoin {
        let better = if function == AggregateFunction::Maximum { Ordering::Greater } else { Ordering::Less };
        LatticeJoin { better }
    }

    /// The value that takes the place of `known` when `value` is derived; `None` if `known` stays.
    pub fn improved(self, value: Value, known: Value, interner: &Interner) -> Option<Value> {
        (interner.compare(value, known) == self.better).then_some(value)
    }
}
