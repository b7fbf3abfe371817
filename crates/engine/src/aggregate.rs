//! Aggregates: a function of the tuples of a group, taken in one after the other.

mod column;

pub use column::TotalColumn;

use crate::float_sum::FloatSum;
use crate::value::number::Site;
use crate::value::{Intern, Interner, Value};
use ludolog_logic::analysis::clause::Aggregation;
use ludolog_syntax::ast::{AggregateFunction, Float, Term};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// An aggregate as engines run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregator {
    function: AggregateFunction,
    site: Site,
    /// Whether the first term of a tuple is written so that it is a float, if it has a value.
    of_floats: bool,
}

impl Aggregator {
    /// Compiles an aggregate.
    pub fn compile(aggregation: &Aggregation, interner: &mut Interner) -> Aggregator {
        let function = aggregation.function;
        let functor = interner.functor(&function.name().into(), 1);
        let written = &aggregation.written.0;
        let of_floats = written.template.first().is_some_and(Term::makes_float);
        Aggregator { function, site: interner.site(functor, written.span), of_floats }
    }

    /// The order of the value and the others, if it is the least or the greatest first term.
    pub fn extreme(self) -> Option<Ordering> {
        match self.function {
            AggregateFunction::Minimum => Some(Ordering::Less),
            AggregateFunction::Maximum => Some(Ordering::Greater),
            _ => None,
        }
    }

    /// Whether the value is the same however often a tuple is taken in.
    pub fn may_repeat(self) -> bool {
        match self.function {
            AggregateFunction::Minimum | AggregateFunction::Maximum | AggregateFunction::Union => true,
            AggregateFunction::Count | AggregateFunction::Sum | AggregateFunction::Average => false,
        }
    }
}

/// What an aggregate needs to know of the tuples so far, which are distinct where the function [tells](Aggregator::may_repeat) them apart. It is
/// small, since there are as many as groups: what few of them meet is boxed.
#[derive(Clone, Debug, Default)]
pub struct Total {
    plain: PlainTotal,
    others: Option<Box<OtherTerms>>,
}

/// All of a total whose first terms are integers with a sum of 64 bits, or are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlainTotal {
    /// The number of tuples.
    count: u64,
    /// The sum, or the union, of the first terms that are integers; of a sum, without what is with the others.
    sum: i64,
    /// The least or greatest first term.
    best: Option<Value>,
}

impl PlainTotal {
    /// The total of so many tuples whose first terms have this sum.
    pub fn of(count: u64, sum: i64) -> PlainTotal {
        PlainTotal { count, sum, best: None }
    }

    /// The sum of first terms, if there are no others than integers that are summed.
    pub fn sum(self) -> i64 {
        self.sum
    }

    /// The total of the tuples that are in this one and not in another, of which it has all: of counts, sums and means.
    pub fn without(self, part: PlainTotal) -> Option<PlainTotal> {
        let sum = self.sum.checked_sub(part.sum)?;
        Some(PlainTotal { count: self.count - part.count, sum, best: None })
    }
}

impl From<PlainTotal> for Total {
    fn from(plain: PlainTotal) -> Total {
        Total { plain, others: None }
    }
}

/// First terms that are no integers of which the sum fits 64 bits.
#[derive(Clone, Debug, Default)]
struct OtherTerms {
    /// What the sum of integers is beyond 64 bits: of 64-bit integers that memory has room for, it fits 128 bits.
    sum: i128,
    /// The sum of floats.
    floats: Option<FloatSum>,
    /// A first term that does not fit 64 bits, of which there is no sum.
    beyond: Option<Value>,
    /// Whether a first term cannot be summed, or not be compared with the others.
    failed: bool,
}

/// Whether one of two first terms is the greater one: integers, floats and symbols are compared with their like.
#[inline]
fn is_comparable(a: Value, b: Value, interner: &Interner) -> bool {
    let of_both = |is_kind: &dyn Fn(Value) -> bool| is_kind(a) && is_kind(b);
    of_both(&|value| interner.as_integer(value).is_some())
        || of_both(&|value| interner.as_float(value).is_some())
        || of_both(&|value| interner.as_symbol(value).is_some())
}

impl Total {
    /// The total, if all of its first terms are [plain](PlainTotal).
    pub fn plain(&self) -> Option<PlainTotal> {
        self.others.is_none().then_some(self.plain)
    }

    fn others(&mut self) -> &mut OtherTerms {
        self.others.get_or_insert_default()
    }

    /// Takes in the first term of one more tuple of the aggregate.
    pub fn add(&mut self, of: &Aggregator, first: Value, interner: &Interner) {
        self.plain.count += 1;
        if interner.keeps_beyond() && interner.as_beyond(first).is_some() {
            self.others().beyond.get_or_insert(first);
        }
        match of.function {
            AggregateFunction::Count => {}
            AggregateFunction::Sum | AggregateFunction::Average => match interner.as_integer(first) {
                Some(integer) => match self.plain.sum.checked_add(integer) {
                    Some(sum) => self.plain.sum = sum,
                    None => self.others().sum += i128::from(integer),
                },
                None => match interner.as_float(first) {
                    Some(float) => self.others().floats.get_or_insert_default().add(float),
                    None => self.others().failed = true,
                },
            },
            AggregateFunction::Union => match interner.as_integer(first) {
                Some(integer) => self.plain.sum |= integer,
                None => self.others().failed = true,
            },
            AggregateFunction::Minimum => self.choose(first, Ordering::Less, interner),
            AggregateFunction::Maximum => self.choose(first, Ordering::Greater, interner),
        }
    }

    fn choose(&mut self, value: Value, better: Ordering, interner: &Interner) {
        let best = *self.plain.best.get_or_insert(value);
        if !is_comparable(best, value, interner) {
            self.others().failed = true;
        } else if interner.compare(value, best) == better {
            self.plain.best = Some(value);
        }
    }

    /// The sum or mean of floats; `None` if a first term is an integer, for the mean of nothing, and for what is too large. It does not depend on
    /// the order of the tuples.
    fn float(&self, of: &Aggregator) -> Option<Float> {
        let (count, sum) = match self.floats() {
            Some(floats) => (floats.count(), floats.value()?),
            None => (0, Float::new(0.0)?),
        };
        if count != self.plain.count {
            return None;
        }
        if of.function == AggregateFunction::Sum { Some(sum) } else { Float::new(sum.get() / count as f64) }
    }

    /// The sum or mean of first terms that are all floats.
    pub fn float_alone(&self, of: &Aggregator) -> Option<Float> {
        let others = self.others.as_ref()?;
        let is_sum = matches!(of.function, AggregateFunction::Sum | AggregateFunction::Average);
        if is_sum && !others.failed && others.beyond.is_none() { self.float(of) } else { None }
    }

    fn floats(&self) -> Option<&FloatSum> {
        self.others.as_ref().and_then(|others| others.floats.as_ref())
    }

    /// The value of the aggregate; `None` for the least, greatest and mean of nothing, for terms that cannot be summed or compared, and for one that
    /// does not fit 64 bits, which is noted. So is a first term that does not, since the value of a group that nobody asks for need
    /// not be defined.
    pub fn value(&self, of: &Aggregator, interner: &mut impl Intern) -> Option<Value> {
        let mut sum = i128::from(self.plain.sum);
        let mut failed = false;
        if let Some(others) = &self.others {
            if let Some(n) = others.beyond.and_then(|first| interner.known().as_beyond(first)) {
                // Sums are of 64-bit integers only.
                interner.known().note_total(of.site, n.to_string());
            }
            sum += others.sum;
            failed = others.failed;
        }
        let of_floats = self.floats().is_some() || of.of_floats;
        let number = match of.function {
            _ if failed => return None,
            AggregateFunction::Sum | AggregateFunction::Average if of_floats => {
                return self.float(of).map(|float| interner.float(float));
            }
            AggregateFunction::Minimum | AggregateFunction::Maximum => return self.plain.best,
            AggregateFunction::Count => i128::from(self.plain.count),
            AggregateFunction::Sum | AggregateFunction::Union => sum,
            AggregateFunction::Average if self.plain.count == 0 => return None,
            // The divisor is positive: the quotient rounds down.
            AggregateFunction::Average => sum.div_euclid(i128::from(self.plain.count)),
        };
        match i64::try_from(number) {
            Ok(number) => Some(interner.integer(number)),
            Err(_) if interner.known().keeps_beyond() => Some(interner.number(&BigInt::from(number))),
            Err(_) => {
                interner.known().note_total(of.site, number.to_string());
                None
            }
        }
    }
}
