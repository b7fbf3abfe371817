//! The order of terms as numbers, by which rows of ids are sorted, and ranges of it.

use crate::tuples::Tuples;
use crate::value::{IdTable, Interner, Value};
use std::iter;

/// Numbers for ids, in the order of their terms. Integers that are their own ids need no table.
pub struct Ranks {
    /// By id: its place among the ranked ids. Arbitrary for ids that do not occur.
    place: IdTable<u32>,
    /// All other ids that occur, in the order of their terms.
    ranked: Vec<Value>,
    /// The number of those that are integers below all that are their own ids.
    below: u32,
}

/// The number of integers that are their own ids.
const SMALL: u32 = 1 << 31;

impl Ranks {
    /// The ranks of these ids, which may occur more than once.
    pub fn new<'v>(interner: &Interner, values: impl Iterator<Item = &'v Value>) -> Self {
        let mut occurs: IdTable<bool> = IdTable::default();
        for value in values.filter(|value| value.as_small_integer().is_none()) {
            if occurs.is_empty() {
                occurs = interner.table(false);
            }
            occurs[*value] = true;
        }
        let ids = occurs.iter().filter(|(_, occurs)| **occurs);
        let mut ranked: Vec<Value> = ids.map(|(id, _)| id).collect();
        ranked.sort_unstable_by(|a, b| interner.compare(*a, *b));
        let mut place = if occurs.is_empty() { IdTable::default() } else { interner.table(0) };
        for (i, value) in ranked.iter().enumerate() {
            place[*value] = i as u32;
        }
        let is_below = |value: &Value| interner.as_integer(*value).is_some_and(|n| n < *Value::SMALL_INTEGERS.start());
        let below = ranked.partition_point(is_below) as u32;
        Ranks { place, ranked, below }
    }

    /// Sorts rows of ids.
    pub fn sort(&self, tuples: &mut Tuples) {
        let (arity, cells) = tuples.cells_mut();
        let mut keys: Vec<u32> = std::mem::take(cells).into_iter().map(|cell| self.rank(cell)).collect();
        sort_rows(&mut keys, arity);
        *cells = keys.into_iter().map(|key| self.value(key)).collect();
    }

    /// The number of an id.
    #[inline]
    fn rank(&self, value: Value) -> u32 {
        match value.as_small_integer() {
            Some(n) => self.below + (n - Value::SMALL_INTEGERS.start()) as u32,
            None => match self.place[value] {
                place if place < self.below => place,
                place => SMALL + place,
            },
        }
    }

    /// The id of a number.
    #[inline]
    fn value(&self, rank: u32) -> Value {
        match rank.checked_sub(self.below) {
            None => self.ranked[rank as usize],
            Some(offset) => match Value::small_integer(Value::SMALL_INTEGERS.start() + i64::from(offset)) {
                Some(value) => value,
                None => self.ranked[(rank - SMALL) as usize],
            },
        }
    }

    /// Ranges of ids that have all ids in them, in ascending order: at most so many, each with about as many of a sample.
    pub fn split(&self, sample: &[Value], most: usize) -> Vec<RankBounds> {
        let mut ranks: Vec<u32> = sample.iter().map(|value| self.rank(*value)).collect();
        ranks.sort_unstable();
        let chunks = ranks.chunks(ranks.len().div_ceil(most).max(1)).skip(1);
        let mut lows: Vec<u32> = iter::once(0).chain(chunks.map(|chunk| chunk[0])).collect();
        lows.dedup();
        let highs = lows.iter().skip(1).map(|low| low - 1).chain([u32::MAX]);
        lows.iter().zip(highs).map(|(&low, high)| RankBounds { low, high }).collect()
    }
}

/// The least and the greatest number of a range of ids.
#[derive(Clone, Copy)]
pub struct RankBounds {
    low: u32,
    high: u32,
}

/// A range of ids in the order of their terms.
#[derive(Clone, Copy)]
pub struct RankRange<'r> {
    ranks: &'r Ranks,
    bounds: RankBounds,
}

impl<'r> RankRange<'r> {
    /// The ids within bounds.
    pub fn new(ranks: &'r Ranks, bounds: RankBounds) -> Self {
        RankRange { ranks, bounds }
    }

    /// Whether an id is in the range.
    #[inline]
    pub fn contains(&self, value: Value) -> bool {
        (self.bounds.low..=self.bounds.high).contains(&self.ranks.rank(value))
    }
}

/// Sorts rows that stand one after the other.
fn sort_rows(keys: &mut Vec<u32>, arity: usize) {
    match arity {
        0 => {}
        1 => keys.sort_unstable(),
        2 => keys.as_chunks_mut::<2>().0.sort_unstable_by_key(|[a, b]| u64::from(*a) << 32 | u64::from(*b)),
        3 => keys.as_chunks_mut::<3>().0.sort_unstable(),
        4 => keys.as_chunks_mut::<4>().0.sort_unstable(),
        _ => {
            let mut rows: Vec<&[u32]> = keys.chunks_exact(arity).collect();
            rows.sort_unstable();
            *keys = rows.concat();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_from_left_to_right_whatever_their_length() {
        for arity in 1..8 {
            // A de Bruijn-like spread: each column is a different multiple of the row number.
            let rows: Vec<Vec<u32>> = (0..200u32)
                .map(|row| (0..arity).map(|column| row * (7 * column + 3) % (5 + column)).collect())
                .collect();
            let mut keys = rows.concat();
            sort_rows(&mut keys, arity as usize);
            let mut expected = rows;
            expected.sort();
            assert_eq!(keys, expected.concat());
        }
    }
}
