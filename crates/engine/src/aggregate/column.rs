//! Totals of many groups, in as little room as the first terms so far need.

use super::{Aggregator, OtherTerms, PlainTotal, Total, is_comparable};
use crate::float_sum::FloatSum;
use crate::value::{Intern, Interner, Value};
use ludolog_syntax::ast::AggregateFunction;

/// The totals of groups, by their numbers. A group is added together with a first term, which is taken in by itself.
pub enum TotalColumn {
    /// Numbers of tuples.
    Counts(Vec<u64>),
    /// Numbers of tuples, and the sums or unions of their first terms, which are integers.
    Integers(Vec<(u64, i64)>),
    /// Sums of floats.
    Floats(Vec<FloatSum>),
    /// The least or greatest first terms.
    Extremes(Vec<Value>),
    /// All others.
    Any(Vec<Total>),
}

impl TotalColumn {
    /// No groups.
    pub fn new(of: &Aggregator) -> TotalColumn {
        match of.function {
            AggregateFunction::Count => TotalColumn::Counts(Vec::new()),
            AggregateFunction::Sum | AggregateFunction::Average | AggregateFunction::Union => {
                TotalColumn::Integers(Vec::new())
            }
            AggregateFunction::Minimum | AggregateFunction::Maximum => TotalColumn::Extremes(Vec::new()),
        }
    }

    /// The number of groups.
    fn groups(&self) -> usize {
        match self {
            TotalColumn::Counts(list) => list.len(),
            TotalColumn::Integers(list) => list.len(),
            TotalColumn::Floats(list) => list.len(),
            TotalColumn::Extremes(list) => list.len(),
            TotalColumn::Any(list) => list.len(),
        }
    }

    /// Adds a group, one of whose tuples has this first term.
    pub fn push(&mut self, first: Value) {
        match self {
            TotalColumn::Counts(list) => list.push(0),
            TotalColumn::Integers(list) => list.push((0, 0)),
            TotalColumn::Floats(list) => list.push(FloatSum::default()),
            // However often it is taken in, the result is the same.
            TotalColumn::Extremes(list) => list.push(first),
            TotalColumn::Any(list) => list.push(Total::default()),
        }
    }

    /// Takes in the first term of one more tuple of a group.
    #[inline]
    pub fn add(&mut self, group: u32, of: &Aggregator, first: Value, interner: &Interner) {
        if !self.takes_in(group as usize, of, first, interner) {
            self.widen(of, first, interner);
            self.takes_in(group as usize, of, first, interner);
        }
    }

    /// Takes in a first term; `false` if the column has no room for it.
    #[inline]
    fn takes_in(&mut self, group: usize, of: &Aggregator, first: Value, interner: &Interner) -> bool {
        let is_beyond = || interner.keeps_beyond() && interner.as_beyond(first).is_some();
        match self {
            TotalColumn::Any(list) => {
                list[group].add(of, first, interner);
                true
            }
            _ if is_beyond() => false,
            TotalColumn::Counts(list) => {
                list[group] += 1;
                true
            }
            TotalColumn::Integers(list) => {
                let (count, sum) = &mut list[group];
                let Some(integer) = interner.as_integer(first) else { return false };
                let more = if of.function == AggregateFunction::Union {
                    Some(*sum | integer)
                } else {
                    sum.checked_add(integer)
                };
                more.map(|more| (*count, *sum) = (*count + 1, more)).is_some()
            }
            TotalColumn::Floats(list) => interner.as_float(first).map(|float| list[group].add(float)).is_some(),
            TotalColumn::Extremes(list) => {
                let best = &mut list[group];
                let is_comparable = is_comparable(*best, first, interner);
                if is_comparable && of.extreme() == Some(interner.compare(first, *best)) {
                    *best = first;
                }
                is_comparable
            }
        }
    }

    /// Makes room for this first term.
    #[cold]
    fn widen(&mut self, of: &Aggregator, first: Value, interner: &Interner) {
        let has_none = matches!(self, TotalColumn::Integers(list) if list.iter().all(|(count, _)| *count == 0));
        let is_sum = matches!(of.function, AggregateFunction::Sum | AggregateFunction::Average);
        *self = if has_none && is_sum && interner.as_float(first).is_some() {
            TotalColumn::Floats(vec![FloatSum::default(); self.groups()])
        } else {
            TotalColumn::Any((0..self.groups()).map(|group| self.total(group)).collect())
        };
    }

    /// The total of a group.
    fn total(&self, group: usize) -> Total {
        match self {
            TotalColumn::Counts(list) => Total::from(PlainTotal::of(list[group], 0)),
            TotalColumn::Integers(list) => Total::from(PlainTotal::of(list[group].0, list[group].1)),
            TotalColumn::Floats(list) if list[group].count() == 0 => Total::default(),
            TotalColumn::Floats(list) => {
                let floats = list[group].clone();
                let others = OtherTerms { floats: Some(floats), ..OtherTerms::default() };
                Total { plain: PlainTotal::of(list[group].count(), 0), others: Some(Box::new(others)) }
            }
            TotalColumn::Extremes(list) => {
                let plain = PlainTotal { best: Some(list[group]), ..PlainTotal::default() };
                Total::from(plain)
            }
            TotalColumn::Any(list) => list[group].clone(),
        }
    }

    /// The value of the aggregate of a group, as [`Total::value`].
    pub fn value(&self, group: u32, of: &Aggregator, interner: &mut impl Intern) -> Option<Value> {
        match self {
            TotalColumn::Any(list) => list[group as usize].value(of, interner),
            _ => self.total(group as usize).value(of, interner),
        }
    }

    /// Removes all groups.
    pub fn clear(&mut self, of: &Aggregator) {
        *self = TotalColumn::new(of);
    }

    /// The bytes held.
    pub fn bytes(&self) -> usize {
        fn held<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        match self {
            TotalColumn::Counts(list) => held(list),
            TotalColumn::Integers(list) => held(list),
            TotalColumn::Floats(list) => held(list),
            TotalColumn::Extremes(list) => held(list),
            TotalColumn::Any(list) => held(list),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::number::Beyond;
    use ludolog_logic::analysis;
    use ludolog_logic::analysis::clause::Literal;
    use ludolog_syntax::ast::{Float, Term};
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse};
    use num_bigint::BigInt;

    fn aggregator(function: &str, interner: &mut Interner) -> Aggregator {
        let mut sources = Sources::new();
        let source = sources.add("total.dl", format!("t(N) :- N = {function} {{ X, Y : p(X, Y) }}."));
        let program = parse(source, &sources, Syntax::Datalog).into_result().unwrap();
        let program = analysis::analyze(&program).unwrap().stratified.program;
        let aggregation = program.rules.iter().flat_map(|rule| rule.body.iter()).find_map(|literal| match literal {
            Literal::Aggregate(aggregation) => Some(aggregation),
            _ => None,
        });
        Aggregator::compile(aggregation.unwrap(), interner)
    }

    /// First terms of all kinds, in all orders of a few, come to three groups: the column has the values that single totals have.
    #[test]
    fn columns_have_the_values_of_single_totals() {
        let mut interner = Interner::new();
        interner.set_beyond(Beyond::Keep);
        let float = |n: f64| Float::new(n).unwrap();
        let firsts = [
            interner.integer(0),
            interner.integer(7),
            interner.integer(i64::MAX),
            interner.float(float(0.5)),
            interner.float(float(-2.25)),
            interner.symbol(&"a".into()),
            interner.ground(&Term::Compound("f".into(), vec![Term::Integer(1)])),
            interner.number(&(BigInt::from(i64::MAX) * 4)),
        ];
        for function in ["count", "sum", "avg", "min", "max", "union"] {
            let of = aggregator(function, &mut interner);
            for code in 0..firsts.len().pow(4) {
                let mut column = TotalColumn::new(&of);
                let mut single: Vec<Total> = Vec::new();
                for (at, group) in [0u32, 1, 0, 2].into_iter().enumerate() {
                    let first = firsts[code / firsts.len().pow(at as u32) % firsts.len()];
                    if group as usize == single.len() {
                        column.push(first);
                        single.push(Total::default());
                    }
                    column.add(group, &of, first, &interner);
                    single[group as usize].add(&of, first, &interner);
                }
                for (group, total) in (0..).zip(&single) {
                    let expected = total.value(&of, &mut interner);
                    assert_eq!(column.value(group, &of, &mut interner), expected, "{function} {code}");
                }
            }
        }
    }

    /// Groups may be added before the first term of any is taken in.
    #[test]
    fn sums_of_floats_need_no_others() {
        let mut interner = Interner::new();
        let of = aggregator("sum", &mut interner);
        let halves = interner.float(Float::new(0.5).unwrap());
        let mut column = TotalColumn::new(&of);
        (0..2).for_each(|_| column.push(halves));
        [0, 1, 1].into_iter().for_each(|group| column.add(group, &of, halves, &interner));
        assert!(matches!(column, TotalColumn::Floats(_)));
        assert_eq!(column.value(1, &of, &mut interner), Some(interner.float(Float::new(1.0).unwrap())));
        let seven = interner.integer(7);
        column.push(seven);
        column.add(2, &of, seven, &interner);
        assert_eq!(column.value(2, &of, &mut interner), Some(seven));
        assert_eq!(column.value(0, &of, &mut interner), Some(halves));
    }
}
