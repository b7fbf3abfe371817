//! Running totals: aggregates over the tuples within bounds of a column, `sum { V, E : day(E, V) & E <= D }`, for many bounds.
//!
//! The tuples of a group are sorted by the column once. With the total of those before each place, the total of a part is the difference of two, found by
//! a binary search (prefix sums, as of Ho, Agrawal, Megiddo and Srikant, *Range queries in OLAP data cubes*, SIGMOD 1997). So n bounds over n tuples take
//! O(n · log n), where each bound goes through its tuples otherwise. Bounds of a second column are answered by a [grid](grid), and the tuples that a test
//! `B != A` leaves out are taken out again, of which there are few.
//!
//! Where several rows may have the same tuple, each counts once. Then the parts are those that begin at one end: each tuple counts at the first
//! of its rows. What no difference tells, the least or greatest of a part and the sum of floats, is known of such parts as well. All other cases are left
//! to the rows themselves.

mod grid;

use super::machine::{Frontier, PlanMachine, RowStore, Scratch};
use super::plan::{AggregateRows, RunningTests, SortedLookup};
use super::relation::Relation;
use crate::aggregate::{PlainTotal, Total};
use crate::term::{Limit, LimitTemplate};
use crate::value::{Intern, Interner, Value};
use grid::Grid;
use ludolog_syntax::ast::{Comparator, Float};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Rows at the ends of a part that are tested for those between; more are left to the rows themselves.
const MOST_AT_ENDS: usize = 1 << 10;

/// The totals of an aggregate, by the key under which its tuples are sorted; `None` of tuples of which they are not known.
#[derive(Default)]
pub struct RunningTotals {
    of_keys: FxHashMap<u32, Option<KeyTotals>>,
}

/// What is known of the tuples under a key.
struct KeyTotals {
    totals: Totals,
    /// The rows by a second column.
    grid: Option<Grid>,
    /// By column that a term is not the value of: the values with the places of their rows, sorted.
    places: Vec<Vec<(Value, u32)>>,
}

/// The totals of the first rows under a key, by their number, from the end at which parts begin.
struct Totals {
    of_first: FirstTotals,
    is_from_last: bool,
    /// Whether rows have the same tuple.
    has_repeats: bool,
}

enum FirstTotals {
    Plain(Vec<PlainTotal>),
    /// Sums or means of floats.
    Floats(Vec<Float>),
}

/// The total of a part.
enum PartTotal {
    Plain(PlainTotal),
    Float(Float),
}

/// Whether parts begin at the last row: there are only lower limits.
fn is_from_last(limits: &[LimitTemplate]) -> bool {
    limits.iter().all(|limit| matches!(limit.comparator, Comparator::Greater | Comparator::GreaterOrEqual))
}

impl Totals {
    /// The totals of rows in this order.
    fn of(
        rows: impl Iterator<Item = u32>,
        is_from_last: bool,
        relation: &Relation,
        aggregate: &AggregateRows,
        interner: &Interner,
    ) -> Option<Totals> {
        let columns = aggregate.first..aggregate.first + aggregate.tuple.len();
        let mut taken: FxHashSet<&[Value]> = FxHashSet::default();
        let mut has_repeats = false;
        let mut total = Total::default();
        let mut plain = vec![PlainTotal::default()];
        let mut floats = Vec::new();
        for row in rows {
            let tuple = &relation.row(row as usize)[columns.clone()];
            if !aggregate.repeats || taken.insert(tuple) {
                total.add(&aggregate.of, tuple[0], interner);
            } else {
                has_repeats = true;
            }
            match total.plain() {
                Some(total) => plain.push(total),
                // All first terms are floats, or none.
                None if plain.len() == 1 => floats.push(total.float_alone(&aggregate.of)?),
                None => return None,
            }
        }
        let of_first = if floats.is_empty() { FirstTotals::Plain(plain) } else { FirstTotals::Floats(floats) };
        Some(Totals { of_first, is_from_last, has_repeats })
    }

    /// The first terms of rows, of which the magnitudes together fit 64 bits.
    fn terms(&self) -> Option<Vec<i64>> {
        let (FirstTotals::Plain(totals), false) = (&self.of_first, self.has_repeats) else { return None };
        let terms: Vec<i64> = totals.windows(2).map(|two| two[1].sum() - two[0].sum()).collect();
        terms.iter().try_fold(0i64, |sum, term| sum.checked_add(term.checked_abs()?))?;
        Some(terms)
    }

    /// The total of a part that is not empty; `None` if these do not tell it.
    fn of_part(&self, part: Range<usize>, aggregate: &AggregateRows) -> Option<PartTotal> {
        let from_end = |len: usize| if self.is_from_last { len - part.end..len - part.start } else { part.clone() };
        match &self.of_first {
            FirstTotals::Floats(floats) => {
                let Range { start, end } = from_end(floats.len());
                (start == 0).then(|| PartTotal::Float(floats[end - 1]))
            }
            FirstTotals::Plain(totals) => {
                let Range { start, end } = from_end(totals.len() - 1);
                if start == 0 {
                    return Some(PartTotal::Plain(totals[end]));
                }
                let tells = !self.has_repeats && aggregate.of.extreme().is_none();
                if tells { totals[end].without(totals[start]).map(PartTotal::Plain) } else { None }
            }
        }
    }
}

impl KeyTotals {
    /// What is known of rows in the order of their index.
    fn of(
        rows: impl DoubleEndedIterator<Item = u32> + Clone,
        relation: &Relation,
        aggregate: &AggregateRows,
        tests: &RunningTests,
        limits: &[LimitTemplate],
        interner: &Interner,
    ) -> Option<KeyTotals> {
        if tests.second.is_none() && tests.unlike.is_empty() {
            let totals = if is_from_last(limits) {
                Totals::of(rows.rev(), true, relation, aggregate, interner)?
            } else {
                Totals::of(rows, false, relation, aggregate, interner)?
            };
            return Some(KeyTotals { totals, grid: None, places: Vec::new() });
        }
        let totals = Totals::of(rows.clone(), false, relation, aggregate, interner)?;
        let terms = totals.terms()?;
        let cell = |row: u32, column: u16| relation.row(row as usize)[column as usize];
        let grid = tests.second.as_ref().map(|second| {
            let rows = rows.clone().zip(terms).map(|(row, term)| (cell(row, second.column), term));
            Grid::of(rows.collect(), interner)
        });
        let places = tests.unlike.iter().map(|(column, _)| {
            let places = (0..).zip(rows.clone()).map(|(place, row)| (cell(row, *column), place));
            let mut places: Vec<(Value, u32)> = places.collect();
            places.sort_unstable_by_key(|(value, place)| (value.0, *place));
            places
        });
        let places = places.collect();
        Some(KeyTotals { totals, grid, places })
    }

    /// The total of the rows of a part within limits of the second column, and without those of these values, each of its column.
    fn of_part(
        &self,
        part: Range<usize>,
        limits: &[Limit],
        values: &[Value],
        aggregate: &AggregateRows,
        interner: &Interner,
    ) -> Option<PlainTotal> {
        let plain = |part: Range<usize>| match self.totals.of_part(part, aggregate)? {
            PartTotal::Plain(plain) => Some(plain),
            PartTotal::Float(_) => None,
        };
        let mut total = match &self.grid {
            Some(grid) => grid.within(part.clone(), limits, interner),
            None => plain(part.clone())?,
        };
        for place in self.with_values(values, part) {
            if self.grid.as_ref().is_none_or(|grid| grid.is_within(place, limits, interner)) {
                total = total.without(plain(place..place + 1)?)?;
            }
        }
        Some(total)
    }

    /// The places of the rows of a part that have one of these values, each of its column.
    fn with_values(&self, values: &[Value], part: Range<usize>) -> Vec<usize> {
        let mut found = Vec::new();
        for (places, value) in self.places.iter().zip(values) {
            let first = places.partition_point(|(other, place)| (other.0, *place as usize) < (value.0, part.start));
            let within =
                places[first..].iter().take_while(|(other, place)| other == value && (*place as usize) < part.end);
            found.extend(within.map(|(_, place)| *place as usize));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The value of an aggregate over the tuples within bounds; `None` if running totals do not tell it.
    pub(super) fn running_value(
        &mut self,
        aggregate: &AggregateRows,
        sorted: &SortedLookup,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> Option<Option<Value>> {
        let tests = aggregate.running.as_ref()?;
        let is_extreme = aggregate.of.extreme().is_some();
        let has_columns = tests.second.is_some() || !tests.unlike.is_empty();
        let is_whole = Self::range(&aggregate.rows, frontiers).1 >= self.relations[aggregate.rows.relation].len();
        if !is_whole || aggregate.of.may_repeat() && (!is_extreme || has_columns) {
            return None;
        }
        if scratch.running.len() <= at {
            scratch.running.resize_with(at + 1, RunningTotals::default);
        }
        let mut running = std::mem::take(&mut scratch.running[at]);
        let found = self.part_total(&mut running, aggregate, tests, sorted, scratch);
        scratch.running[at] = running;
        match found? {
            PartTotal::Plain(plain) => Some(Total::from(plain).value(&aggregate.of, self.interner)),
            PartTotal::Float(float) => Some(Some(self.interner.float(float))),
        }
    }

    fn part_total(
        &mut self,
        RunningTotals { of_keys }: &mut RunningTotals,
        aggregate: &AggregateRows,
        tests: &RunningTests,
        sorted: &SortedLookup,
        scratch: &mut Scratch,
    ) -> Option<PartTotal> {
        let mut found = None;
        let mut steps = 1;
        self.with_limits(&aggregate.rows, sorted, scratch, |relation, key, limits, interner| {
            let index = relation.sorted(sorted.index);
            of_keys.entry(key).or_insert_with(|| {
                let rows = index.rows_of_key(key)?;
                steps += rows.len() as u64;
                KeyTotals::of(rows, relation, aggregate, tests, &sorted.limits, interner)
            });
            found = Some((key, index.places_within(key, limits, interner)));
        });
        self.work.probes += steps;
        let none = Some(PartTotal::Plain(PlainTotal::default()));
        let Some((key, part)) = found else { return none };
        let totals = of_keys.get(&key)?.as_ref()?;
        let part = self.convex_part(part?, key, (aggregate, sorted), tests, scratch)?;
        if part.is_empty() {
            return none;
        }
        if tests.second.is_none() && tests.unlike.is_empty() {
            return totals.totals.of_part(part, aggregate);
        }
        let values = tests.unlike.iter().map(|(_, term)| term.value(&scratch.slots, self.interner));
        let values: Vec<Value> = values.collect();
        let interner = self.interner.known();
        let limits = tests.second.iter().flat_map(|second| &second.limits);
        match limits.map(|limit| Limit::of(limit, &scratch.slots, interner)).collect::<Option<Vec<Limit>>>() {
            Some(limits) => totals.of_part(part, &limits, &values, aggregate, interner).map(PartTotal::Plain),
            None => none,
        }
    }

    /// The rows of a part that pass the convex tests, which stand next to each other.
    fn convex_part(
        &mut self,
        mut part: Range<usize>,
        key: u32,
        (aggregate, sorted): (&AggregateRows, &SortedLookup),
        tests: &RunningTests,
        scratch: &mut Scratch,
    ) -> Option<Range<usize>> {
        if tests.convex.is_empty() {
            return Some(part);
        }
        let mut left = MOST_AT_ENDS;
        let mut passes = |place: usize| {
            let relation = &self.relations[aggregate.rows.relation];
            let row = relation.sorted(sorted.index).row_at(key, place);
            Self::row_matches(relation, &aggregate.rows, row, &mut scratch.slots, self.interner.known())
                && tests.convex.iter().all(|check| self.passes(check, &mut scratch.slots))
        };
        while !part.is_empty() && !passes(part.start) {
            part.start += 1;
            left = left.checked_sub(1)?;
        }
        while !part.is_empty() && !passes(part.end - 1) {
            part.end -= 1;
            left = left.checked_sub(1)?;
        }
        Some(part)
    }
}
