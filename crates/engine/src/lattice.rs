//! How the values of a lattice column become one.

use crate::total_order::TotalOrder;
use crate::value::number::Exact;
use crate::value::{Intern, Interner, Value};
use ludolog_syntax::ast::{AggregateFunction, Join};
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::sync::Arc;

/// The join of two values of a lattice column: the better one of them, or the union of two sets of bits.
#[derive(Clone, Debug)]
pub enum LatticeJoin {
    /// The bits of both.
    Union,
    /// The value that compares so to the other one.
    Best(Ordering),
    /// The value that comes first.
    First(Arc<TotalOrder>),
}

impl LatticeJoin {
    /// The join of a column; an order is empty until it is known.
    pub fn new(join: &Join) -> LatticeJoin {
        match join {
            Join::Function(AggregateFunction::Union) => LatticeJoin::Union,
            Join::Function(AggregateFunction::Maximum) => LatticeJoin::Best(Ordering::Greater),
            Join::Function(_) => LatticeJoin::Best(Ordering::Less),
            Join::Order(_) => LatticeJoin::First(Arc::default()),
        }
    }

    /// Whether a term is a value of the column: a set of bits is an integer, and an order mentions its values.
    pub fn has(&self, value: Value, interner: &Interner) -> bool {
        match self {
            LatticeJoin::Union => interner.as_integer(value).is_some() || interner.as_beyond(value).is_some(),
            LatticeJoin::Best(_) => true,
            LatticeJoin::First(order) => order.position(value).is_some(),
        }
    }

    /// Compares values of the column, of which the better one is less; sets are equal.
    pub fn compare(&self, a: Value, b: Value, interner: &Interner) -> Ordering {
        match self {
            LatticeJoin::Union => Ordering::Equal,
            LatticeJoin::Best(Ordering::Greater) => interner.compare(b, a),
            LatticeJoin::Best(_) => interner.compare(a, b),
            LatticeJoin::First(order) => order.position(a).cmp(&order.position(b)),
        }
    }

    /// The place of a value among others, the best one first: of integers that are their own numbers, and of values that a predicate orders.
    pub fn rank(&self, value: Value) -> Option<u32> {
        let [least, greatest] = [Value::SMALL_INTEGERS.start(), Value::SMALL_INTEGERS.end()];
        match self {
            LatticeJoin::Union => None,
            LatticeJoin::First(order) => order.position(value).map(|position| position as u32),
            LatticeJoin::Best(Ordering::Greater) => value.as_small_integer().map(|n| (greatest - n) as u32),
            LatticeJoin::Best(_) => value.as_small_integer().map(|n| (n - least) as u32),
        }
    }

    /// The value that takes the place of `known` when `value` is derived; `None` if `known` stays.
    pub fn improved(&self, value: Value, known: Value, interner: &mut impl Intern) -> Option<Value> {
        if let LatticeJoin::Union = self {
            if let [Some(new), Some(old)] = [value, known].map(|value| interner.known().as_integer(value)) {
                return (new | old != old).then(|| interner.integer(new | old));
            }
            let [new, old] = [value, known].map(|value| integer_of_any_size(value, interner.known()));
            let old = old?;
            let union = new? | &old;
            return (union != old).then(|| interner.number(&union));
        }
        self.compare(value, known, interner.known()).is_lt().then_some(value)
    }
}

/// The integer that a value is, where integers that do not fit 64 bits are kept.
fn integer_of_any_size(value: Value, interner: &Interner) -> Option<BigInt> {
    match interner.exact(value) {
        Ok(Exact::Integer(n)) => Some(n),
        _ => None,
    }
}
