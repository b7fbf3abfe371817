//! The membership of rows in a relation: a hash table of row numbers, or one bit per possible row where that is
//! smaller.
//!
//! Ids of one kind are dense, so a unary or binary relation that is not very sparse fits into a bit table over the
//! range of its columns. A bit table of half a megabyte stays in cache where the hash table of two million rows does
//! not: the transitive closure of a random graph of 2,000 nodes runs several times faster with it.

use crate::value::Value;
use hashbrown::HashTable;

/// The set of rows by content.
pub enum Members {
    Table {
        table: HashTable<u32>,
        /// The number of rows at which to consider bits next; [`NEVER`] once row numbers are needed.
        reconsider_at: usize,
    },
    Bits(Bits),
}

/// One bit for each pair of ids within the ranges of two columns. A unary relation has a first column of one id.
pub struct Bits {
    base: [u32; 2],
    size: [u32; 2],
    words: Vec<u64>,
}

/// Smaller relations stay hash tables: they fit in cache anyway.
const FIRST_CONSIDERED_AT: usize = 1024;

/// Most bytes of a bit table per row, about those of the hash table.
const BYTES_PER_ROW: usize = 16;

/// A bit table reserves this fraction of a column's range on either side, so that a slowly widening range does not
/// rebuild it with each row.
const SPARE_RANGE: u32 = 8;

const NEVER: usize = usize::MAX;

impl Members {
    pub fn new(arity: usize) -> Self {
        let reconsider_at = if matches!(arity, 1 | 2) { FIRST_CONSIDERED_AT } else { NEVER };
        Members::Table { table: HashTable::new(), reconsider_at }
    }

    #[inline]
    pub fn contains(&self, row: &[Value], cells: &[Value]) -> bool {
        match self {
            Members::Bits(bits) => bits.position(row).is_some_and(|at| bits.words[at / 64] >> (at % 64) & 1 == 1),
            Members::Table { table, .. } => {
                table.find(hash(row), |&number| at(cells, number, row.len()) == row).is_some()
            }
        }
    }

    /// Adds `row` under `number`, the next row number; `cells` holds the rows before it. `false` if it is a member
    /// already.
    #[inline]
    pub fn insert(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        if let Members::Bits(bits) = self
            && let Some(at) = bits.position(row)
        {
            let (word, bit) = (&mut bits.words[at / 64], 1 << (at % 64));
            let new = *word & bit == 0;
            *word |= bit;
            return new;
        }
        self.insert_slow(row, number, cells)
    }

    fn insert_slow(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        match self {
            Members::Bits(_) => {
                *self = match Bits::covering(cells, row, number) {
                    Some(bits) => Members::Bits(bits),
                    None => Self::tabulate(row.len(), number, cells, (number * 2).max(FIRST_CONSIDERED_AT)),
                };
                self.insert(row, number, cells)
            }
            Members::Table { table, reconsider_at } => {
                let entry = table.entry(
                    hash(row),
                    |&number| at(cells, number, row.len()) == row,
                    |&number| hash(at(cells, number, row.len())),
                );
                match entry {
                    hashbrown::hash_table::Entry::Occupied(_) => return false,
                    hashbrown::hash_table::Entry::Vacant(vacant) => _ = vacant.insert(number as u32),
                }
                if number >= *reconsider_at {
                    *reconsider_at = number * 2;
                    if let Some(mut bits) = Bits::covering(cells, row, number) {
                        bits.set(row);
                        *self = Members::Bits(bits);
                    }
                }
                true
            }
        }
    }

    fn tabulate(arity: usize, rows: usize, cells: &[Value], reconsider_at: usize) -> Self {
        let mut table = HashTable::with_capacity(rows);
        for number in 0..rows as u32 {
            let hash_of = |&number: &u32| hash(at(cells, number, arity));
            table.insert_unique(hash_of(&number), number, hash_of);
        }
        Members::Table { table, reconsider_at }
    }

    /// Switches to the hash table for good, so that [`find`](Self::find) gives row numbers.
    pub fn keep_row_numbers(&mut self, rows: usize, cells: &[Value]) {
        match self {
            Members::Table { reconsider_at, .. } => *reconsider_at = NEVER,
            Members::Bits(_) => *self = Self::tabulate(cells.len() / rows.max(1), rows, cells, NEVER),
        }
    }

    pub fn find(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        match self {
            Members::Table { table, .. } => {
                table.find(hash(row), |&number| at(cells, number, row.len()) == row).map(|&number| number as usize)
            }
            Members::Bits(_) => None,
        }
    }

    /// Removes `row` and returns its number; requires [`keep_row_numbers`](Self::keep_row_numbers).
    pub fn remove(&mut self, row: &[Value], cells: &[Value]) -> Option<usize> {
        let Members::Table { table, .. } = self else { return None };
        let entry = table.find_entry(hash(row), |&number| at(cells, number, row.len()) == row).ok()?;
        Some(entry.remove().0 as usize)
    }

    pub fn clear(&mut self) {
        match self {
            Members::Table { table, .. } => table.clear(),
            Members::Bits(bits) => bits.words.fill(0),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Members::Table { table, .. } => table.allocation_size(),
            Members::Bits(bits) => bits.words.capacity() * 8,
        }
    }
}

impl Bits {
    /// A table of the first `rows` rows of `cells` with room for `extra`; `None` if it would exceed [`BYTES_PER_ROW`].
    fn covering(cells: &[Value], extra: &[Value], rows: usize) -> Option<Bits> {
        let arity = extra.len();
        let (mut low, mut high) = ([0; 2], [0; 2]);
        for column in 0..arity {
            let (mut min, mut max) = (extra[column].0, extra[column].0);
            for row in cells[..rows * arity].chunks_exact(arity) {
                min = min.min(row[column].0);
                max = max.max(row[column].0);
            }
            let room = (max - min) / SPARE_RANGE;
            let at = column + 2 - arity;
            (low[at], high[at]) = (min.saturating_sub(room), max.saturating_add(room));
        }
        let size = [high[0] - low[0] + 1, (high[1] - low[1]).checked_add(1)?];
        let count = (size[0] as usize).checked_mul(size[1] as usize)?;
        if count / 8 > rows * BYTES_PER_ROW {
            return None;
        }
        let mut bits = Bits { base: low, size, words: vec![0; count.div_ceil(64)] };
        cells[..rows * arity].chunks_exact(arity).for_each(|row| bits.set(row));
        Some(bits)
    }

    #[inline]
    fn position(&self, row: &[Value]) -> Option<usize> {
        let (a, b) = match row {
            [a, b] => (a.0, b.0),
            [b] => (self.base[0], b.0),
            _ => return None,
        };
        let (a, b) = (a.wrapping_sub(self.base[0]), b.wrapping_sub(self.base[1]));
        (a < self.size[0] && b < self.size[1]).then(|| a as usize * self.size[1] as usize + b as usize)
    }

    fn set(&mut self, row: &[Value]) {
        if let Some(at) = self.position(row) {
            self.words[at / 64] |= 1 << (at % 64);
        }
    }
}

#[inline]
fn at(cells: &[Value], number: u32, arity: usize) -> &[Value] {
    &cells[number as usize * arity..(number as usize + 1) * arity]
}

/// A hash of ids that spreads over the low and the high bits, since the table uses both. The multiplier is 2⁶⁴ over the
/// golden ratio (Knuth, *The Art of Computer Programming* 3, section 6.4).
#[inline]
pub fn hash(row: &[Value]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = 0u64;
    for value in row {
        state = (state.rotate_left(23) ^ u64::from(value.0)).wrapping_mul(MULTIPLIER);
    }
    state ^ (state >> 32)
}
