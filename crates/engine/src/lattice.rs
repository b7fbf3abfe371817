//! How the values of a lattice column become one.

use crate::value::{Intern, Interner, Value};
use ludolog_syntax::ast::AggregateFunction;
use std::cmp::Ordering;

/// The join of two values of a lattice column: the better one of them, or the union of two sets of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeJoin {
    /// The order of a better value to a worse one; `None` if values are sets of bits, which are united.
    pub better: Option<Ordering>,
}

impl LatticeJoin {
    /// The join by a function of the language.
    pub fn new(function: AggregateFunction) -> LatticeJoin {
        let better = match function {
            AggregateFunction::Union => None,
            AggregateFunction::Maximum => Some(Ordering::Greater),
            _ => Some(Ordering::Less),
        };
        LatticeJoin { better }
    }

    /// Whether a term is a value of the column: a set of bits is an integer.
    pub fn has(self, value: Value, interner: &Interner) -> bool {
        self.better.is_some() || interner.as_integer(value).is_some()
    }

    /// The value that takes the place of `known` when `value` is derived; `None` if `known` stays.
    pub fn improved(self, value: Value, known: Value, interner: &mut impl Intern) -> Option<Value> {
        match self.better {
            Some(better) => (interner.known().compare(value, known) == better).then_some(value),
            None => {
                let [new, old] = [value, known].map(|value| interner.known().as_integer(value));
                let union = new? | old?;
                (Some(union) != old).then(|| interner.integer(union))
            }
        }
    }
}
