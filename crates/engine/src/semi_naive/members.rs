//! The membership of rows in a relation: a hash table of row numbers, one of the rows themselves where they are pairs, or
//! one bit per possible row where that is smaller.
//!
//! Ids of one kind are dense, so a unary or binary relation that is not very sparse fits into a bit table over the
//! range of its columns. A bit table of half a megabyte stays in cache where the hash table of two million rows does
//! not: the transitive closure of a random graph of 2,000 nodes runs several times faster with it.

use crate::value::Value;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The set of rows by content.
pub enum Members {
    Table(HashTable<u32>),
    /// Rows of at most two ids, packed, so that a look-up misses the cache once.
    Pairs {
        table: HashTable<u64>,
        /// The number of rows at which to consider bits next.
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

impl Members {
    pub fn new(arity: usize) -> Self {
        match arity {
            1 | 2 => Members::Pairs { table: HashTable::new(), reconsider_at: FIRST_CONSIDERED_AT },
            _ => Members::Table(HashTable::new()),
        }
    }

    #[inline]
    pub fn contains(&self, row: &[Value], cells: &[Value]) -> bool {
        match self {
            Members::Bits(bits) => bits.position(row).is_some_and(|at| bits.words[at / 64] >> (at % 64) & 1 == 1),
            _ => self.is_hashed(row, cells),
        }
    }

    /// Whether a hash table has a row.
    fn is_hashed(&self, row: &[Value], cells: &[Value]) -> bool {
        match self {
            Members::Bits(_) => false,
            Members::Pairs { table, .. } => {
                let pair = pack(row);
                table.find(hash_pair(pair), |&other| other == pair).is_some()
            }
            Members::Table(table) => table.find(hash(row), |&number| at(cells, number, row.len()) == row).is_some(),
        }
    }

    /// Adds `row` under `number`, the next row number; `cells` holds the rows before it. `false` if it is a member
    /// already.
    #[inline]
    pub fn insert(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        match self {
            Members::Bits(bits) => {
                if let Some(at) = bits.position(row) {
                    let (word, bit) = (&mut bits.words[at / 64], 1 << (at % 64));
                    let new = *word & bit == 0;
                    *word |= bit;
                    return new;
                }
            }
            Members::Pairs { table, reconsider_at } if number < *reconsider_at => {
                let pair = pack(row);
                let entry = table.entry(hash_pair(pair), |&other| other == pair, |&other| hash_pair(other));
                return match entry {
                    Entry::Occupied(_) => false,
                    Entry::Vacant(vacant) => {
                        vacant.insert(pair);
                        true
                    }
                };
            }
            _ => {}
        }
        self.insert_slow(row, number, cells)
    }

    fn insert_slow(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        if let Members::Table(table) = self {
            let entry = table.entry(
                hash(row),
                |&number| at(cells, number, row.len()) == row,
                |&number| hash(at(cells, number, row.len())),
            );
            return match entry {
                Entry::Occupied(_) => false,
                Entry::Vacant(vacant) => {
                    vacant.insert(number as u32);
                    true
                }
            };
        }
        // The row is out of the range of the bits, or it is time to consider bits.
        let reconsider_at = (number * 2).max(FIRST_CONSIDERED_AT);
        match (Bits::covering(cells, row, number), &mut *self) {
            (Some(bits), _) => *self = Members::Bits(bits),
            (None, Members::Pairs { reconsider_at: next, .. }) => *next = reconsider_at,
            (None, _) => {
                let mut table = HashTable::with_capacity(number);
                for row in cells[..number * row.len()].chunks_exact(row.len()) {
                    let pair = pack(row);
                    table.insert_unique(hash_pair(pair), pair, |&other| hash_pair(other));
                }
                *self = Members::Pairs { table, reconsider_at };
            }
        }
        self.insert(row, number, cells)
    }

    /// Switches to the hash table of row numbers for good, so that [`find`](Self::find) gives them.
    pub fn keep_row_numbers(&mut self, rows: usize, cells: &[Value]) {
        if matches!(self, Members::Table(_)) {
            return;
        }
        let arity = cells.len() / rows.max(1);
        let mut table = HashTable::with_capacity(rows);
        for number in 0..rows as u32 {
            let hash_of = |&number: &u32| hash(at(cells, number, arity));
            table.insert_unique(hash_of(&number), number, hash_of);
        }
        *self = Members::Table(table);
    }

    pub fn find(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        match self {
            Members::Table(table) => {
                table.find(hash(row), |&number| at(cells, number, row.len()) == row).map(|&number| number as usize)
            }
            Members::Pairs { .. } | Members::Bits(_) => None,
        }
    }

    /// Removes `row` and returns its number; requires [`keep_row_numbers`](Self::keep_row_numbers).
    pub fn remove(&mut self, row: &[Value], cells: &[Value]) -> Option<usize> {
        let Members::Table(table) = self else { return None };
        let entry = table.find_entry(hash(row), |&number| at(cells, number, row.len()) == row).ok()?;
        Some(entry.remove().0 as usize)
    }

    pub fn clear(&mut self) {
        match self {
            Members::Table(table) => table.clear(),
            Members::Pairs { table, .. } => table.clear(),
            Members::Bits(bits) => bits.words.fill(0),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Members::Table(table) => table.allocation_size(),
            Members::Pairs { table, .. } => table.allocation_size(),
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

/// A row of one or two ids as a number.
#[inline]
fn pack(row: &[Value]) -> u64 {
    row.iter().fold(0, |packed, value| packed << 32 | u64::from(value.0))
}

/// A hash of a packed row.
#[inline]
fn hash_pair(pair: u64) -> u64 {
    hash(&[Value((pair >> 32) as u32), Value(pair as u32)])
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
