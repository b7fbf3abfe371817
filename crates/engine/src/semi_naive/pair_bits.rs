//! Membership of pairs, and of single ids, as one bit for each possible row.

use super::members::{gather, hash};
use crate::value::Value;
use hashbrown::HashTable;

/// Most bytes of a bit table per row, about those of the hash table.
const BYTES_PER_ROW: usize = 16;

/// Most bytes of a small bit table per row. It takes more than the hash table, and is still faster.
const BYTES_PER_ROW_IF_SMALL: usize = 64;

/// Most bytes of a small bit table.
const SMALL: usize = 1 << 23;

/// Most bits of the set of a small relation that is emptied and filled again and again: emptying it takes some thirty steps.
const FEW_BITS: usize = 1 << 13;

/// A bit table reserves this fraction of a column's range on either side, so that a slowly widening range does not
/// rebuild it with each row.
const SPARE_RANGE: u32 = 8;

/// One bit for each pair of ids that two columns have room for. A unary relation has a first column of one id.
pub struct PairBits<C> {
    columns: [C; 2],
    words: Vec<u64>,
}

/// The ids that a column has room for, numbered.
pub trait Column: Sized {
    /// Two columns that have room for the ids of these rows, and a few more; `None` if they make more than `most`
    /// pairs.
    fn covering(rows: impl Iterator<Item = [u32; 2]>, most: usize) -> Option<[Self; 2]>;

    /// The number of ids that there is room for.
    fn size(&self) -> usize;

    /// The number of an id.
    fn number(&self, id: u32) -> Option<u32>;
}

/// The number of ids from the base on.
pub struct IdRange {
    base: u32,
    size: u32,
}

impl IdRange {
    fn last(&self) -> u32 {
        self.base + (self.size - 1)
    }
}

/// Ids with their numbers, in the order in which they came, and room for so many.
pub struct List {
    numbers: HashTable<(u32, u32)>,
    size: u32,
}

impl<C: Column> PairBits<C> {
    /// A table of the first `rows` rows of `cells` with room for `extra`; `None` if it would be too large for so few.
    pub fn covering(cells: &[Value], extra: &[Value], rows: usize) -> Option<Self> {
        let arity = extra.len();
        let cells = &cells[..rows * arity];
        let all = cells.chunks_exact(arity).chain([extra]);
        let mut bits = Self::with_room(all.map(as_pair), most_bits(rows))?;
        bits.set_rows(cells, arity);
        Some(bits)
    }

    /// An empty table with room for these pairs; `None` if it would have more than `most` bits.
    fn with_room(pairs: impl Iterator<Item = [u32; 2]>, most: usize) -> Option<Self> {
        let columns = C::covering(pairs, most)?;
        let count = columns[0].size().checked_mul(columns[1].size()).filter(|&count| count <= most)?;
        Some(PairBits { columns, words: vec![0; count.div_ceil(64)] })
    }

    fn set_rows(&mut self, cells: &[Value], arity: usize) {
        for row in cells.chunks_exact(arity) {
            if let Some(at) = self.position(row) {
                self.set(at);
            }
        }
    }

    #[inline]
    pub fn position(&self, row: &[Value]) -> Option<usize> {
        let [first, second] = &self.columns;
        match row {
            [a, b] => Some(first.number(a.0)? as usize * second.size() + second.number(b.0)? as usize),
            [b] => second.number(b.0).map(|number| number as usize),
            _ => None,
        }
    }

    #[inline]
    pub fn contains(&self, row: &[Value]) -> bool {
        self.position(row).is_some_and(|at| self.words[at / 64] >> (at % 64) & 1 == 1)
    }

    /// Sets a bit; `false` if it was set.
    #[inline]
    pub fn set(&mut self, at: usize) -> bool {
        let word = &mut self.words[at / 64];
        let bit = 1 << (at % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn unset(&mut self, row: &[Value]) {
        if let Some(at) = self.position(row) {
            self.words[at / 64] &= !(1 << (at % 64));
        }
    }
}

impl PairBits<IdRange> {
    /// An empty table of few bits with room for rows like these; `None` if there are none, or it would be too large.
    pub fn few(cells: &[Value], arity: usize) -> Option<Self> {
        Self::with_room(cells.chunks_exact(arity).map(as_pair), FEW_BITS)
    }

    /// A table of few bits with room for one more row; `cells` holds the rows of this one. `None` if it would be too large.
    pub fn widened(&self, row: &[Value], cells: &[Value]) -> Option<Self> {
        let [first, second] = &self.columns;
        let corners = [[first.base, second.base], [first.last(), second.last()], as_pair(row)];
        let mut wider = Self::with_room(corners.into_iter(), FEW_BITS)?;
        wider.set_rows(cells, row.len());
        Some(wider)
    }

    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// Sets the bits of pairs up to the first that is out of range; how many that are.
    pub fn set_each(&mut self, pairs: &[[Value; 2]]) -> usize {
        let out_of_range = |pair: &[Value; 2]| match self.position(pair) {
            Some(at) => {
                self.set(at);
                false
            }
            None => true,
        };
        pairs.iter().position(out_of_range).unwrap_or(pairs.len())
    }

    /// The pairs, a bit each, that are in the set. At most 64.
    #[inline]
    pub fn contains_each(&self, pairs: &[[Value; 2]]) -> u64 {
        let [first, second] = &self.columns;
        gather(pairs, |[a, b]| {
            let a = a.0.wrapping_sub(first.base);
            let b = b.0.wrapping_sub(second.base);
            let at = a as usize * second.size() + b as usize;
            let is_in_range = (a < first.size) & (b < second.size);
            let word = self.words.get(at / 64).copied().unwrap_or_default();
            is_in_range & (word >> (at % 64) & 1 == 1)
        })
    }
}

impl PairBits<List> {
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.columns.iter().map(|list| list.numbers.allocation_size()).sum::<usize>()
    }

    /// The position of a row whose ids are listed now, if there is room for them.
    pub fn list(&mut self, row: &[Value]) -> Option<usize> {
        let lists = self.columns[2 - row.len()..].iter_mut();
        if lists.zip(row).all(|(list, id)| list.add(id.0)) { self.position(row) } else { None }
    }
}

impl Column for IdRange {
    fn covering(rows: impl Iterator<Item = [u32; 2]>, most: usize) -> Option<[Self; 2]> {
        let mut low = [u32::MAX; 2];
        let mut high = [0; 2];
        for row in rows {
            for column in 0..2 {
                low[column] = low[column].min(row[column]);
                high[column] = high[column].max(row[column]);
            }
        }
        let column = |column: usize| {
            let low = low[column];
            let high = high[column];
            let room = high.checked_sub(low)? / SPARE_RANGE;
            let low = low.saturating_sub(room);
            let high = high.saturating_add(room);
            let size = (high - low).checked_add(1)?;
            (size as usize <= most).then_some(IdRange { base: low, size })
        };
        Some([column(0)?, column(1)?])
    }

    #[inline]
    fn size(&self) -> usize {
        self.size as usize
    }

    #[inline]
    fn number(&self, id: u32) -> Option<u32> {
        let number = id.wrapping_sub(self.base);
        (number < self.size).then_some(number)
    }
}

impl Column for List {
    /// Ends with the first row that makes the pairs too many, which is early where the ids of both columns are.
    fn covering(rows: impl Iterator<Item = [u32; 2]>, most: usize) -> Option<[Self; 2]> {
        let mut lists = [const { List { numbers: HashTable::new(), size: u32::MAX } }; 2];
        for row in rows {
            let listed = lists.iter_mut().zip(row).all(|(list, id)| list.add(id));
            if !listed || lists[0].numbers.len() * lists[1].numbers.len() > most {
                return None;
            }
        }
        for list in &mut lists {
            let listed = list.numbers.len() as u32;
            list.size = listed.saturating_add(listed / SPARE_RANGE).saturating_add(1);
        }
        Some(lists)
    }

    #[inline]
    fn size(&self) -> usize {
        self.size as usize
    }

    #[inline]
    fn number(&self, id: u32) -> Option<u32> {
        self.numbers.find(hash(&[Value(id)]), |(other, _)| *other == id).map(|&(_, number)| number)
    }
}

impl List {
    /// Lists an id; `false` if there is no room for it.
    fn add(&mut self, id: u32) -> bool {
        if self.number(id).is_some() {
            return true;
        }
        let number = self.numbers.len() as u32;
        if number < self.size {
            self.numbers.insert_unique(hash(&[Value(id)]), (id, number), |&(other, _)| hash(&[Value(other)]));
        }
        number < self.size
    }
}

/// A row of one or two ids as a pair; a single id has a column of one id before it.
fn as_pair(row: &[Value]) -> [u32; 2] {
    match *row {
        [a, b] => [a.0, b.0],
        _ => [0, row[0].0],
    }
}

/// The most bits that a table of bits may have for so many rows.
pub fn most_bits(rows: usize) -> usize {
    8 * (rows * BYTES_PER_ROW).max(SMALL.min(rows * BYTES_PER_ROW_IF_SMALL))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distinct ids in both columns: 2¹⁰ rows make 2²⁰ pairs, and the next row is one too many.
    #[test]
    fn a_list_of_too_many_pairs_ends_early() {
        let mut read = 0;
        let rows = (0..1 << 20).map(|i: u32| [i.wrapping_mul(2_654_435_769), i]).inspect(|_| read += 1);
        assert!(List::covering(rows, 1 << 20).is_none());
        assert_eq!(read, (1 << 10) + 1);
    }
}
