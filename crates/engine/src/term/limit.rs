//! Limits of a column, and the order in which sorted indices keep values: integers, floats, symbols by their characters, other terms.
//! The comparisons `<`, `<=`, `>` and `>=` hold between values of one of the first three kinds only, so that the values that
//! pass one stand next to each other.

use super::Template;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Comparator, Float};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The kind of a value, in the order of sorted indices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Integer,
    Float,
    Symbol,
    Other,
}

impl Kind {
    #[inline]
    fn of(value: Value, interner: &Interner) -> Kind {
        if interner.as_integer(value).is_some() {
            Kind::Integer
        } else if interner.as_symbol(value).is_some() {
            Kind::Symbol
        } else if interner.as_float(value).is_some() {
            Kind::Float
        } else if interner.as_beyond(value).is_some() {
            Kind::Integer
        } else {
            Kind::Other
        }
    }
}

/// The order of two values in a sorted index. Equal are equal values, and terms that no limit relates.
#[inline]
pub fn order(a: Value, b: Value, interner: &Interner) -> Ordering {
    match (a.as_small_integer(), b.as_small_integer()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => order_of_terms(a, b, interner),
    }
}

fn order_of_terms(a: Value, b: Value, interner: &Interner) -> Ordering {
    let kinds = Kind::of(a, interner);
    kinds.cmp(&Kind::of(b, interner)).then_with(|| match kinds {
        Kind::Integer => match (interner.as_integer(a), interner.as_integer(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => interner.exact(a).ok().cmp(&interner.exact(b).ok()),
        },
        Kind::Float => interner.as_float(a).cmp(&interner.as_float(b)),
        Kind::Symbol => interner.as_symbol(a).cmp(&interner.as_symbol(b)),
        Kind::Other => Ordering::Equal,
    })
}

/// A limit of a column, as a template.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitTemplate {
    /// The relation of a value in the column to the limit.
    pub comparator: Comparator,
    /// The limit.
    pub template: Template,
    /// Whether only integers are within it.
    pub of_integers: bool,
}

/// The integers of a range, from the least to the greatest, that are in that relation to a value; `None` if the comparator is no order, or an
/// end would not fit.
pub fn narrowed([least, greatest]: [i64; 2], comparator: Comparator, value: i64) -> Option<[i64; 2]> {
    match comparator {
        Comparator::Less => Some([least, greatest.min(value.checked_sub(1)?)]),
        Comparator::LessOrEqual => Some([least, greatest.min(value)]),
        Comparator::Greater => Some([least.max(value.checked_add(1)?), greatest]),
        Comparator::GreaterOrEqual => Some([least.max(value), greatest]),
        _ => None,
    }
}

/// The place of a value in a sorted index: before those within all limits, among them (`Equal`), or behind them.
pub fn side(limits: &[Limit], value: Value, interner: &Interner) -> Ordering {
    let sides = limits.iter().map(|limit| limit.side(value, interner));
    sides.fold(Ordering::Equal, |all, side| match (all, side) {
        // Nothing is within limits of two kinds, or behind one and before another: the part is empty.
        (Ordering::Equal, side) => side,
        (Ordering::Less, _) | (_, Ordering::Less) => Ordering::Less,
        (Ordering::Greater, _) => Ordering::Greater,
    })
}

/// The value of a limit.
enum LimitValue<'i> {
    Integer(i64),
    /// An integer that does not fit 64 bits, where they are kept.
    Beyond(BigInt),
    Float(Float),
    Symbol(Cow<'i, str>),
}

/// A limit of a column.
pub struct Limit<'i> {
    comparator: Comparator,
    value: LimitValue<'i>,
}

impl<'i> Limit<'i> {
    /// Computes a limit; `None` if it is neither a number nor a symbol: no value is within it.
    pub fn of(limit: &LimitTemplate, slots: &[Value], interner: &'i Interner) -> Option<Self> {
        let LimitTemplate { comparator, ref template, of_integers } = *limit;
        let value = match template.integer(slots, interner) {
            Some(integer) => LimitValue::Integer(integer),
            None => match template.symbol(slots, interner).filter(|_| !of_integers) {
                Some(symbol) => LimitValue::Symbol(symbol),
                None => match template.float(slots, interner).filter(|_| !of_integers) {
                    Some(float) => LimitValue::Float(float),
                    None => LimitValue::Beyond(template.kept_integer(slots, interner)?),
                },
            },
        };
        Some(Limit { comparator, value })
    }

    /// The limits of the integers from the least to the greatest; none at an end of all 64-bit integers.
    pub fn within([least, greatest]: [i64; 2]) -> impl Iterator<Item = Self> {
        let limit = |comparator, value| Limit { comparator, value: LimitValue::Integer(value) };
        let least = (least != i64::MIN).then(|| limit(Comparator::GreaterOrEqual, least));
        let greatest = (greatest != i64::MAX).then(|| limit(Comparator::LessOrEqual, greatest));
        least.into_iter().chain(greatest)
    }

    /// The integers within all of these limits, from the least to the greatest; `None` if one of them is no integer of 64 bits.
    pub fn integers(limits: &[Limit]) -> Option<[i64; 2]> {
        limits.iter().try_fold([i64::MIN, i64::MAX], |[least, greatest], limit| {
            let &LimitValue::Integer(value) = &limit.value else { return None };
            narrowed([least, greatest], limit.comparator, value)
        })
    }

    /// The place of a value in a sorted index: before those within the limit, among them (`Equal`), or behind them.
    #[inline]
    pub fn side(&self, value: Value, interner: &Interner) -> Ordering {
        let order = match (&self.value, value.as_small_integer()) {
            (LimitValue::Integer(limit), Some(value)) => value.cmp(limit),
            _ => match self.order(value, interner) {
                Ok(order) => order,
                Err(side) => return side,
            },
        };
        match self.comparator {
            Comparator::Less if order.is_ge() => Ordering::Greater,
            Comparator::LessOrEqual if order.is_gt() => Ordering::Greater,
            Comparator::Greater if order.is_le() => Ordering::Less,
            Comparator::GreaterOrEqual if order.is_lt() => Ordering::Less,
            _ => Ordering::Equal,
        }
    }

    /// The order of a value and the limit.
    ///
    /// # Errors
    ///
    /// The order of their kinds, if these differ.
    fn order(&self, value: Value, interner: &Interner) -> Result<Ordering, Ordering> {
        let kind = match self.value {
            LimitValue::Integer(_) | LimitValue::Beyond(_) => Kind::Integer,
            LimitValue::Float(_) => Kind::Float,
            LimitValue::Symbol(_) => Kind::Symbol,
        };
        match Kind::of(value, interner).cmp(&kind) {
            Ordering::Equal => {}
            side => return Err(side),
        }
        Ok(match &self.value {
            LimitValue::Integer(limit) => match interner.as_integer(value) {
                Some(value) => value.cmp(limit),
                None => interner.as_beyond(value).cmp(&Some(&BigInt::from(*limit))),
            },
            LimitValue::Beyond(limit) => match interner.as_integer(value) {
                Some(value) => BigInt::from(value).cmp(limit),
                None => interner.as_beyond(value).cmp(&Some(limit)),
            },
            LimitValue::Float(limit) => interner.as_float(value).cmp(&Some(*limit)),
            LimitValue::Symbol(limit) => interner.as_symbol(value).map(|name| &**name).cmp(&Some(&**limit)),
        })
    }
}
