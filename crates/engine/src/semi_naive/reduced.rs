//! Rows under keys that come again and again, without those that lead to nothing.
//!
//! In `q(W, X, Y, Z) :- r(W, X) & s(X, Y) & t(Y, Z)` one `X` may come with each of many rows of `r` and have many rows in `s`, few of which have a row
//! in `t`: then any order of the three takes as many steps as there are pairs, though few pairs are joined. What later operations ask of a row
//! and its key alone is the same each time that the key comes. So the rows of a key that has come some times are asked once, and those that pass
//! are remembered: the semi-join of Bernstein and Chiu, *Using semi-joins to solve relational queries*, JACM 28 (1981), which Yannakakis, *Algorithms
//! for acyclic database schemes*, VLDB 1981, makes of all rows beforehand; here it is made of the keys that
//! repay it. A join that nothing is gained of takes a quarter longer at most.

use super::index::{KeyPlace, KeyedRow};
use super::machine::{Frontier, PlanMachine, RowStore, Scratch};
use super::plan::{LiteralRows, RowFilter};
use crate::value::Intern;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Fewer rows under a key are enumerated each time.
const FEWEST_ROWS: usize = 64;

/// The rows of a key are asked for when it comes for this time.
const TIMES: u8 = 4;

/// The rows that pass are remembered where they are at most one of so many.
const LEAST_REJECTED: usize = 2;

/// The keys of an operation that have come, by the place of their first row.
#[derive(Default)]
pub struct ReducedKeys {
    keys: FxHashMap<KeyPlace, KeyUse>,
    /// The rows that are remembered.
    rows: Vec<KeyedRow>,
    /// Those of them that are left of the current key, if its rows are remembered.
    left: Option<Range<usize>>,
}

/// What is known of a key.
enum KeyUse {
    /// It has come so many times.
    Came(u8),
    /// Most of its rows pass.
    Whole,
    /// Those of its rows that pass, by their places among all that are remembered.
    Reduced(Range<usize>),
}

impl ReducedKeys {
    pub fn clear(&mut self) {
        self.keys.clear();
        self.rows.clear();
        self.left = None;
    }

    /// Whether the rows of the current key are remembered.
    #[inline]
    pub fn is_reduced(&self) -> bool {
        self.left.is_some()
    }

    /// The number of rows that are left of the current key.
    pub fn left(&self) -> usize {
        self.left.as_ref().map_or(0, Range::len)
    }

    /// The next row of the current key.
    #[inline]
    pub fn next(&mut self) -> Option<KeyedRow> {
        self.left.as_mut()?.next().map(|row| self.rows[row])
    }

    /// Copies the next rows of the current key; their number.
    pub fn read(&mut self, entries: &mut [KeyedRow]) -> usize {
        let Some(left) = &mut self.left else { return 0 };
        let count = left.len().min(entries.len());
        entries[..count].copy_from_slice(&self.rows[left.start..left.start + count]);
        left.start += count;
        count
    }
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// Begins to enumerate what is remembered of the rows that the operation `at` has looked up, if something is.
    #[inline(always)]
    pub(super) fn begin_reduced(
        &mut self,
        rows: &LiteralRows,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) {
        if !rows.filters.is_empty() {
            self.begin_some_reduced(rows, at, frontiers, scratch);
        }
    }

    #[inline(never)]
    fn begin_some_reduced(&mut self, rows: &LiteralRows, at: usize, frontiers: &[Frontier], scratch: &mut Scratch) {
        scratch.reduced[at].left = None;
        let Some((index, _)) = rows.lookup else { return };
        let place = scratch.places[at];
        let relation = &self.relations[rows.relation];
        let fewest = relation.begins_at(FEWEST_ROWS);
        if place.is_nowhere() || (relation.index(index).count(place) as usize) < fewest {
            return;
        }
        let keys = &mut scratch.reduced[at];
        let range = match keys.keys.entry(place).or_insert(KeyUse::Came(0)) {
            KeyUse::Whole => return,
            KeyUse::Reduced(range) => range.clone(),
            KeyUse::Came(times) => {
                *times += 1;
                if *times < TIMES {
                    return;
                }
                match self.reduce(rows, at, index, frontiers, scratch) {
                    Some(range) => range,
                    None => return,
                }
            }
        };
        scratch.places[at] = KeyPlace::NOWHERE;
        scratch.reduced[at].left = Some(range);
    }

    /// Remembers the rows under the key of the operation `at` that pass; `None` if they are many.
    fn reduce(
        &mut self,
        rows: &LiteralRows,
        at: usize,
        index: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> Option<Range<usize>> {
        let mut keys = std::mem::take(&mut scratch.reduced[at]);
        let key = scratch.places[at];
        let mut place = key;
        let first = keys.rows.len();
        let mut count = 0;
        while let Some(entry) = self.relations[rows.relation].next(index, &mut place) {
            count += 1;
            if self.binds(rows, entry, scratch) && self.passes_filters(rows, frontiers, scratch) {
                keys.rows.push(entry);
            }
        }
        self.work.probes += count as u64;
        let range = first..keys.rows.len();
        let is_reduced = range.len() * LEAST_REJECTED <= count;
        if !is_reduced {
            keys.rows.truncate(first);
        }
        keys.keys.insert(key, if is_reduced { KeyUse::Reduced(range.clone()) } else { KeyUse::Whole });
        scratch.reduced[at] = keys;
        is_reduced.then_some(range)
    }

    /// Whether the row of the bound slots passes all filters.
    fn passes_filters(&mut self, rows: &LiteralRows, frontiers: &[Frontier], scratch: &mut Scratch) -> bool {
        rows.filters.iter().all(|filter| match filter {
            RowFilter::Lookup { relation, range, index, key } => {
                self.work.probes += 1;
                self.build(key, scratch);
                let end = frontiers[*relation].rows(*range).1;
                let relation = &self.relations[*relation];
                !relation.newest(*index, &scratch.row, end, self.interner.known()).is_nowhere()
            }
            RowFilter::Contains { relation, row, negated } => {
                self.work.probes += 1;
                self.build(row, scratch);
                self.relations[*relation].contains(&scratch.row) != *negated
            }
            RowFilter::Test(test) => test.holds(&scratch.slots, self.interner),
        })
    }
}
