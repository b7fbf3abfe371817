//! Running totals: aggregates over the tuples within bounds of a column, `sum { V, E : day(E, V) & E <= D }`, for many bounds.
//!
//! The tuples of a group are sorted by the column once. With the total of those before each place, the total of a part is the difference of two, found by
//! a binary search (prefix sums, as of Ho, Agrawal, Megiddo and Srikant, *Range queries in OLAP data cubes*, SIGMOD 1997). So n bounds over n tuples take
//! O(n · log n), where each bound goes through its tuples otherwise.
//!
//! Where several rows may have the same tuple, each counts once. Then the parts are those that begin at one end: each tuple counts at the first
//! of its rows. What no difference tells, the least or greatest of a part, is known of such parts as well. All other cases are left to the rows themselves.

use super::machine::{Frontier, PlanMachine, RowStore, Scratch};
use super::plan::{AggregateRows, SortedLookup};
use super::relation::Relation;
use crate::aggregate::{PlainTotal, Total};
use crate::term::LimitTemplate;
use crate::value::{Intern, Interner, Value};
use ludolog_syntax::ast::Comparator;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The totals of an aggregate, by the key under which its tuples are sorted; `None` of tuples that are not plain.
#[derive(Default)]
pub struct RunningTotals {
    of_keys: FxHashMap<u32, Option<KeyTotals>>,
}

/// The totals of the tuples under a key.
struct KeyTotals {
    /// By number of rows, the total of the first of them, from the end at which parts begin.
    totals: Vec<PlainTotal>,
    /// Whether rows have the same tuple.
    has_repeats: bool,
}

/// Whether parts begin at the last row: there are only lower limits.
fn is_from_last(limits: &[LimitTemplate]) -> bool {
    limits.iter().all(|limit| matches!(limit.comparator, Comparator::Greater | Comparator::GreaterOrEqual))
}

impl KeyTotals {
    /// The totals of rows in this order.
    fn of(
        rows: impl ExactSizeIterator<Item = u32>,
        relation: &Relation,
        aggregate: &AggregateRows,
        interner: &Interner,
    ) -> Option<KeyTotals> {
        let columns = aggregate.first..aggregate.first + aggregate.tuple.len();
        let mut totals = Vec::with_capacity(rows.len() + 1);
        let mut total = Total::default();
        let mut taken: FxHashSet<&[Value]> = FxHashSet::default();
        let mut has_repeats = false;
        totals.push(total.plain()?);
        for row in rows {
            let tuple = &relation.row(row as usize)[columns.clone()];
            if !aggregate.repeats || taken.insert(tuple) {
                total.add(&aggregate.of, tuple[0], interner);
            } else {
                has_repeats = true;
            }
            totals.push(total.plain()?);
        }
        Some(KeyTotals { totals, has_repeats })
    }

    /// The total of a part; `None` if these totals do not tell it.
    fn of_part(&self, part: Range<usize>, aggregate: &AggregateRows) -> Option<Total> {
        if part.start == 0 {
            return Some(self.totals[part.end].into());
        }
        let tells = !self.has_repeats && aggregate.of.extreme().is_none();
        if tells { self.totals[part.end].without(self.totals[part.start]).map(Total::from) } else { None }
    }
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The total of the tuples within bounds; `None` if running totals do not tell it.
    pub(super) fn running_total(
        &mut self,
        aggregate: &AggregateRows,
        sorted: &SortedLookup,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> Option<Total> {
        if aggregate.of.may_repeat() && aggregate.of.extreme().is_none() {
            return None;
        }
        let is_whole = Self::range(&aggregate.rows, frontiers).1 >= self.relations[aggregate.rows.relation].len();
        if !is_whole {
            return None;
        }
        if scratch.running.len() <= at {
            scratch.running.resize_with(at + 1, RunningTotals::default);
        }
        let RunningTotals { mut of_keys } = std::mem::take(&mut scratch.running[at]);
        let mut found = Some(Total::default());
        let mut steps = 1;
        self.with_limits(&aggregate.rows, sorted, scratch, |relation, key, limits, interner| {
            let index = relation.sorted(sorted.index);
            let totals = of_keys.entry(key).or_insert_with(|| {
                let rows = index.rows_of_key(key)?;
                steps += rows.len() as u64;
                if is_from_last(&sorted.limits) {
                    KeyTotals::of(rows.rev(), relation, aggregate, interner)
                } else {
                    KeyTotals::of(rows, relation, aggregate, interner)
                }
            });
            found = totals.as_ref().and_then(|totals| {
                let Range { start, end } = index.places_within(key, limits, interner)?;
                let rows = totals.totals.len() - 1;
                let part = if is_from_last(&sorted.limits) { rows - end..rows - start } else { start..end };
                totals.of_part(part, aggregate)
            });
        });
        scratch.running[at] = RunningTotals { of_keys };
        self.work.probes += steps;
        found
    }
}
