//! The entries of an index: the number of a row each, the value of its carried column, or both.

use super::KeyedRow;
use crate::value::Value;
use std::ops::Range;

/// Rows under keys, one after the other.
pub(super) enum Entries {
    Rows(Vec<KeyedRow>),
    /// Row numbers of an index that carries no column, in half of the space.
    Numbers(Vec<u32>),
    /// Values without row numbers, in half of the space as well.
    Values(Vec<Value>),
}

impl Entries {
    /// No entries of an index with row numbers.
    pub fn numbered(carried: Option<usize>) -> Self {
        if carried.is_some() { Entries::Rows(Vec::new()) } else { Entries::Numbers(Vec::new()) }
    }

    /// No entries of an index without row numbers.
    pub fn values() -> Self {
        Entries::Values(Vec::new())
    }

    /// Whether entries have row numbers.
    pub fn are_numbered(&self) -> bool {
        !matches!(self, Entries::Values(_))
    }

    pub fn len(&self) -> usize {
        match self {
            Entries::Rows(rows) => rows.len(),
            Entries::Numbers(numbers) => numbers.len(),
            Entries::Values(values) => values.len(),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Entries::Rows(rows) => rows.clear(),
            Entries::Numbers(numbers) => numbers.clear(),
            Entries::Values(values) => values.clear(),
        }
    }

    pub fn reserve(&mut self, count: usize) {
        match self {
            Entries::Rows(rows) => rows.reserve(count),
            Entries::Numbers(numbers) => numbers.reserve(count),
            Entries::Values(values) => values.reserve(count),
        }
    }

    #[inline]
    pub fn push(&mut self, entry: KeyedRow) {
        match self {
            Entries::Rows(rows) => rows.push(entry),
            Entries::Numbers(numbers) => numbers.push(entry.row),
            Entries::Values(values) => values.push(entry.value),
        }
    }

    /// Makes room for entries up to this number.
    #[inline]
    pub fn extend_to(&mut self, len: usize) {
        match self {
            Entries::Rows(rows) => rows.resize(len, KeyedRow::default()),
            Entries::Numbers(numbers) => numbers.resize(len, 0),
            Entries::Values(values) => values.resize(len, Value::default()),
        }
    }

    #[inline]
    pub fn set(&mut self, at: usize, entry: KeyedRow) {
        match self {
            Entries::Rows(rows) => rows[at] = entry,
            Entries::Numbers(numbers) => numbers[at] = entry.row,
            Entries::Values(values) => values[at] = entry.value,
        }
    }

    /// An entry; its row is 0 where they have no numbers, and its value has no meaning where the index carries none.
    #[inline]
    pub fn get(&self, at: usize) -> KeyedRow {
        match self {
            Entries::Rows(rows) => rows[at],
            Entries::Numbers(numbers) => KeyedRow::numbered(numbers[at]),
            Entries::Values(values) => KeyedRow { row: 0, value: values[at] },
        }
    }

    /// The last entry of a range that passes a test.
    #[inline]
    pub fn last_that(&self, range: Range<usize>, passes: impl Fn(KeyedRow) -> bool) -> Option<usize> {
        let start = range.start;
        let found = match self {
            Entries::Rows(rows) => rows[range].iter().rposition(|&entry| passes(entry)),
            Entries::Numbers(numbers) => numbers[range].iter().rposition(|&row| passes(KeyedRow::numbered(row))),
            Entries::Values(values) => values[range].iter().rposition(|&value| passes(KeyedRow { row: 0, value })),
        };
        found.map(|at| start + at)
    }

    /// Copies a range of entries, the last one first.
    #[inline]
    pub fn read(&self, range: Range<usize>, to: &mut [KeyedRow]) {
        match self {
            Entries::Rows(rows) => to.iter_mut().zip(rows[range].iter().rev()).for_each(|(to, entry)| *to = *entry),
            Entries::Numbers(numbers) => {
                to.iter_mut().zip(numbers[range].iter().rev()).for_each(|(to, row)| to.row = *row);
            }
            Entries::Values(values) => {
                to.iter_mut().zip(values[range].iter().rev()).for_each(|(to, value)| to.value = *value);
            }
        }
    }

    /// The number of entries at the beginning of a range whose rows come before `end`; all, where they have no numbers.
    pub fn before(&self, range: Range<usize>, end: u32) -> usize {
        match self {
            Entries::Rows(rows) => rows[range].partition_point(|entry| entry.row < end),
            Entries::Numbers(numbers) => numbers[range].partition_point(|row| *row < end),
            Entries::Values(_) => range.len(),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Entries::Rows(rows) => rows.capacity() * size_of::<KeyedRow>(),
            Entries::Numbers(numbers) => numbers.capacity() * size_of::<u32>(),
            Entries::Values(values) => values.capacity() * size_of::<Value>(),
        }
    }
}
