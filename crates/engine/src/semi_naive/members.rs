//! The membership of rows in a relation: a hash table of the rows themselves where they are pairs or [numbers](super::packed),
//! one of row numbers where they are not, or one bit per possible row where that is smaller.
//!
//! Ids of one kind are dense, so a unary or binary relation that is not very sparse fits into a bit table over the
//! range of its columns; where they are far apart, as integers from a file may be, over the numbers of the ids that
//! occur. A bit table of half a megabyte stays in cache where the hash table of two million rows does not: the
//! transitive closure of a random graph of 2,000 nodes runs several times faster with it.

use super::heuristics::{Heuristic, Heuristics};
use super::lattice::KeyedRows;
use super::packed::{FEWEST_COLUMNS, PackedRows};
use super::pair_bits::{IdRange, List, PairBits};
use super::totals::Totals;
use crate::value::Value;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The set of rows by content.
pub enum Members {
    Table(HashTable<Numbered>),
    /// Rows of at most two ids, packed, so that a look-up misses the cache once.
    Pairs {
        table: HashTable<u64>,
        /// The number of rows at which to consider bits next.
        reconsider_at: usize,
    },
    Bits(PairBits<IdRange>),
    /// Members whose ids are far apart.
    Listed(PairBits<List>),
    /// Rows of three columns and more that fit into numbers, or many pairs that fit into short ones.
    Packed(Box<PackedRows>),
    /// Members by the columns other than a lattice column.
    Keyed(Box<KeyedRows>),
    /// Rows that nothing has to tell apart, until one is added by an engine with these heuristics.
    Dropped(Heuristics),
    /// No rows, but what an aggregate needs of those that were added.
    Totals(Box<Totals>),
}

/// A row number with half of the hash of the row: so the table grows without a look at the rows, and compares only a
/// row that is most likely equal.
#[derive(Clone, Copy)]
pub struct Numbered {
    hash: u32,
    number: u32,
}

impl Numbered {
    #[inline]
    pub fn new(row: &[Value], number: usize) -> Self {
        Numbered::of(hash(row), number)
    }

    /// The number of a row with this hash.
    #[inline]
    pub fn of(hash: u64, number: usize) -> Self {
        Numbered { hash: (hash >> 32) as u32, number: number as u32 }
    }

    #[inline]
    pub fn number(&self) -> usize {
        self.number as usize
    }

    #[inline]
    pub fn has_hash_of(&self, other: &Numbered) -> bool {
        self.hash == other.hash
    }

    /// The number of an equal row, of rows whose cells stand one after the other.
    #[inline]
    pub fn find<'t>(table: &'t HashTable<Self>, row: &[Value], cells: &[Value]) -> Option<&'t Self> {
        let sought = Numbered::new(row, 0);
        table.find(sought.hash(), |other| other.is_of(&sought, row, cells))
    }

    /// Whether it has the number of an equal row.
    #[inline]
    fn is_of(&self, other: &Numbered, row: &[Value], cells: &[Value]) -> bool {
        self.hash == other.hash && at(cells, self.number, row.len()) == row
    }

    /// The hash that places it in a table, which takes its low bits for the place and its highest for a tag.
    #[inline]
    pub fn hash(&self) -> u64 {
        u64::from(self.hash) << 32 | u64::from(self.hash)
    }
}

/// Rows that a relation and its hash table have room for from the first one on: a small relation does not grow step by step.
pub const FIRST_ROOM: usize = 56;

/// Smaller relations stay hash tables: they fit in cache anyway.
pub const FIRST_CONSIDERED_AT: usize = 1024;

/// Fewer rows of ids that are far apart stay a hash table: it is in cache, and has one look-up instead of two.
const FEWEST_LISTED: usize = 1 << 19;

/// Fewer pairs are not packed into numbers: their table is in cache.
const FEWEST_SHORT: usize = 1 << 17;

impl Members {
    pub fn new(arity: usize, heuristics: Heuristics) -> Self {
        match arity {
            1 | 2 if heuristics.has(Heuristic::PairTables) => {
                let reconsider_at = if heuristics.has(Heuristic::BitTables) { 0 } else { usize::MAX };
                Members::Pairs { table: HashTable::new(), reconsider_at }
            }
            3.. if heuristics.has(Heuristic::PackedRows) => Members::Packed(Box::new(PackedRows::new())),
            _ => Members::Table(HashTable::new()),
        }
    }

    #[inline]
    pub fn contains(&self, row: &[Value], cells: &[Value]) -> bool {
        match self {
            Members::Bits(bits) => bits.contains(row),
            _ => self.is_hashed(row, cells),
        }
    }

    /// Whether the table has a row, where hashes are needed.
    fn is_hashed(&self, row: &[Value], cells: &[Value]) -> bool {
        match self {
            Members::Bits(_) | Members::Totals(_) => false,
            Members::Dropped(_) => cells.chunks_exact(row.len()).any(|other| other == row),
            Members::Listed(bits) => bits.contains(row),
            Members::Pairs { table, .. } => {
                let pair = pack(row);
                table.find(hash_pair(pair), |&other| other == pair).is_some()
            }
            Members::Table(table) => Numbered::find(table, row, cells).is_some(),
            Members::Packed(packed) => packed.contains(row),
            Members::Keyed(keyed) => keyed.find(row, cells).is_some(),
        }
    }

    /// Adds `row` under `number`, the next row number; `cells` holds the rows before it. `false` if it is a member
    /// already.
    #[inline]
    pub fn insert(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        match self {
            Members::Bits(bits) => {
                if let Some(at) = bits.position(row) {
                    return bits.set(at);
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
            Members::Packed(packed) => {
                if let Some(is_new) = packed.insert(row, number, cells) {
                    return is_new;
                }
            }
            _ => {}
        }
        self.insert_slow(row, number, cells)
    }

    /// The rows, a bit each, that are members; they stand one after the other. At most 64, whose look-ups do not wait
    /// for each other.
    #[inline]
    pub fn contains_each(&self, rows: &[Value], arity: usize, cells: &[Value]) -> u64 {
        match (self, arity) {
            (Members::Bits(bits), 2) => bits.contains_each(rows.as_chunks().0),
            (Members::Pairs { table, .. }, 2) => gather(rows.as_chunks().0, |pair: &[Value; 2]| {
                let pair = pack(pair);
                table.find(hash_pair(pair), |&other| other == pair).is_some()
            }),
            (Members::Packed(packed), _) => packed.contains_each(rows, arity),
            _ => gather(rows.chunks_exact(arity), |row| self.contains(row, cells)),
        }
    }

    fn insert_slow(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        if let Members::Keyed(keyed) = self {
            return keyed.insert(row, number, cells);
        }
        if matches!(self, Members::Dropped(_)) {
            self.restore_rows(row.len(), &cells[..number * row.len()]);
            return self.insert(row, number, cells);
        }
        if matches!(self, Members::Packed(_)) && row.len() >= FEWEST_COLUMNS {
            self.keep_row_numbers(number, &cells[..number * row.len()]);
        }
        if let Members::Listed(bits) = self
            && let Some(at) = bits.position(row).or_else(|| bits.list(row))
        {
            return bits.set(at);
        }
        if let Members::Table(table) = self {
            if table.capacity() == 0 {
                // A relation without columns has one row.
                table.reserve(if row.is_empty() { 1 } else { FIRST_ROOM }, Numbered::hash);
            }
            let numbered = Numbered::new(row, number);
            let entry = table.entry(numbered.hash(), |other| other.is_of(&numbered, row, cells), Numbered::hash);
            return match entry {
                Entry::Occupied(_) => false,
                Entry::Vacant(vacant) => {
                    vacant.insert(numbered);
                    true
                }
            };
        }
        if let Members::Pairs { table, reconsider_at } = self
            && number < FIRST_CONSIDERED_AT
        {
            table.reserve(FIRST_ROOM, |&pair| hash_pair(pair));
            *reconsider_at = FIRST_CONSIDERED_AT;
            return self.insert(row, number, cells);
        }
        // The row is out of the range of the set, or it is time to consider other sets.
        if let Members::Bits(bits) = self
            && let Some(wider) = bits.widened(row, &cells[..number * row.len()])
        {
            *self = Members::Bits(wider);
            return self.insert(row, number, cells);
        }
        let reconsider_at = (number * 2).max(FIRST_CONSIDERED_AT);
        let bits = Self::bits(row, number, cells);
        if bits.is_none()
            && let Members::Packed(packed) = self
            && packed.keeps(row, reconsider_at)
        {
            return self.insert(row, number, cells);
        }
        match (bits, &mut *self) {
            (Some(bits), _) => *self = bits,
            (None, Members::Pairs { table, reconsider_at: next }) => {
                match Self::short(row, number, cells, table.capacity(), 0) {
                    Some(short) => *self = short,
                    None => *next = reconsider_at,
                }
            }
            (None, other) => {
                let outgrown = if let Members::Packed(packed) = other { packed.outgrown_lines_with(true) } else { 0 };
                let pairs = || Self::pairs(cells[..number * row.len()].chunks_exact(row.len()), reconsider_at);
                *self = Self::short(row, number, cells, number, outgrown).unwrap_or_else(pairs);
            }
        }
        self.insert(row, number, cells)
    }

    /// The rows of `cells` as bits, with room for one more; `None` if they would be too many.
    fn bits(row: &[Value], number: usize, cells: &[Value]) -> Option<Self> {
        let bits = PairBits::covering(cells, row, number).map(Members::Bits);
        let listed = || PairBits::covering(cells, row, number).map(Members::Listed);
        if number < FEWEST_LISTED { bits } else { bits.or_else(listed) }
    }

    /// The rows of `cells` as short numbers, with room for so many; `None` if they are few or do not fit.
    fn short(row: &[Value], number: usize, cells: &[Value], room: usize, outgrown_lines: u32) -> Option<Self> {
        let is_large = number >= FEWEST_SHORT;
        let packed = if is_large { PackedRows::short(row, number, cells, room, outgrown_lines) } else { None };
        packed.map(|packed| Members::Packed(Box::new(packed)))
    }

    /// These rows as pairs.
    fn pairs<'r>(rows: impl ExactSizeIterator<Item = &'r [Value]>, reconsider_at: usize) -> Self {
        let mut table = HashTable::with_capacity(rows.len());
        for row in rows {
            let pair = pack(row);
            table.insert_unique(hash_pair(pair), pair, |&other| hash_pair(other));
        }
        Members::Pairs { table, reconsider_at }
    }

    /// Whether it can be made again from the rows: it holds neither their numbers nor anything else.
    pub fn can_be_dropped(&self) -> bool {
        matches!(self, Members::Pairs { .. } | Members::Bits(_) | Members::Listed(_) | Members::Packed(_))
    }

    /// Drops the rows, unless it has their numbers.
    pub fn drop_rows(&mut self, heuristics: Heuristics) {
        if self.can_be_dropped() {
            *self = Members::Dropped(heuristics);
        }
    }

    /// Has the rows of `cells` again, if they were dropped.
    #[inline]
    pub fn restore_rows(&mut self, arity: usize, cells: &[Value]) {
        if let Members::Dropped(heuristics) = *self {
            *self = Members::new(arity, heuristics);
            self.expect(cells, arity);
            self.append(0, arity, cells);
        }
    }

    /// Adds the rows of `cells` from the number `first` on, which are no members.
    pub fn append(&mut self, first: usize, arity: usize, cells: &[Value]) {
        let len = cells.len() / arity;
        self.reserve(len - first);
        // Those that a bit table has room for.
        let set = match (&mut *self, arity) {
            (Members::Bits(bits), 2) => bits.set_each(cells[2 * first..].as_chunks().0),
            _ => 0,
        };
        for number in first + set..len {
            let row = at(cells, number as u32, arity);
            match self {
                Members::Pairs { table, reconsider_at } if number < *reconsider_at => {
                    let pair = pack(row);
                    table.insert_unique(hash_pair(pair), pair, |&other| hash_pair(other));
                }
                Members::Table(table) => {
                    let numbered = Numbered::new(row, number);
                    table.insert_unique(numbered.hash(), numbered, Numbered::hash);
                }
                _ => _ = self.insert(row, number, cells),
            }
        }
    }

    /// Makes room for the ids of these rows, where a set without rows has none.
    pub fn expect(&mut self, rows: &[Value], arity: usize) {
        if let Members::Packed(packed) = self
            && !rows.is_empty()
        {
            packed.expect(rows, arity);
        }
    }

    /// Makes room for this many more rows, where they are hashed.
    pub fn reserve(&mut self, rows: usize) {
        match self {
            Members::Table(table) => table.reserve(rows, Numbered::hash),
            Members::Pairs { table, .. } => table.reserve(rows, |&pair| hash_pair(pair)),
            Members::Packed(packed) => packed.reserve(rows),
            Members::Bits(_) | Members::Listed(_) | Members::Keyed(_) | Members::Totals(_) | Members::Dropped(_) => {}
        }
    }

    /// Switches to the hash table of row numbers for good, so that [`find`](Self::find) gives them.
    pub fn keep_row_numbers(&mut self, rows: usize, cells: &[Value]) {
        if !matches!(self, Members::Table(_) | Members::Keyed(_)) {
            *self = Members::Table(HashTable::new());
            self.renumber(rows, cells);
        }
    }

    /// Gives rows that stand in another order now their new numbers, where numbers are kept.
    pub fn renumber(&mut self, rows: usize, cells: &[Value]) {
        let Members::Table(table) = self else { return };
        let arity = cells.len() / rows.max(1);
        *table = HashTable::with_capacity(rows);
        for number in 0..rows {
            let numbered = Numbered::new(at(cells, number as u32, arity), number);
            table.insert_unique(numbered.hash(), numbered, Numbered::hash);
        }
    }

    pub fn find(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        match self {
            Members::Table(table) => Numbered::find(table, row, cells).map(|found| found.number as usize),
            Members::Keyed(keyed) => keyed.find(row, cells),
            Members::Pairs { .. }
            | Members::Bits(_)
            | Members::Listed(_)
            | Members::Packed(_)
            | Members::Totals(_)
            | Members::Dropped(_) => None,
        }
    }

    /// Removes `row` and returns its number; requires [`keep_row_numbers`](Self::keep_row_numbers).
    pub fn remove(&mut self, row: &[Value], cells: &[Value]) -> Option<usize> {
        let table = match self {
            Members::Table(table) => table,
            Members::Keyed(keyed) => return keyed.remove(row, cells),
            _ => return None,
        };
        let sought = Numbered::new(row, 0);
        let entry = table.find_entry(sought.hash(), |other| other.is_of(&sought, row, cells)).ok()?;
        Some(entry.remove().0.number as usize)
    }

    /// Removes a row, whose number is given to another one.
    pub fn forget(&mut self, row: &[Value], cells: &[Value]) {
        match self {
            Members::Table(_) | Members::Keyed(_) => _ = self.remove(row, cells),
            Members::Pairs { table, .. } => {
                let pair = pack(row);
                if let Ok(entry) = table.find_entry(hash_pair(pair), |&other| other == pair) {
                    entry.remove();
                }
            }
            Members::Bits(bits) => bits.unset(row),
            Members::Listed(bits) => bits.unset(row),
            Members::Packed(packed) => packed.forget(row),
            Members::Totals(_) | Members::Dropped(_) => {}
        }
    }

    /// Removes all rows, which `cells` holds. A small relation that is emptied is most likely filled again by rows of the same ids, as
    /// those of the states of a game are: it is a table of bits from then on, where the ids are not far apart.
    pub fn clear(&mut self, arity: usize, cells: &[Value]) {
        match self {
            Members::Table(table) => table.clear(),
            Members::Pairs { table, reconsider_at } => {
                table.clear();
                if *reconsider_at == FIRST_CONSIDERED_AT
                    && let Some(bits) = PairBits::few(cells, arity)
                {
                    *self = Members::Bits(bits);
                }
            }
            Members::Bits(bits) => bits.clear(),
            Members::Listed(bits) => bits.clear(),
            Members::Packed(packed) => packed.clear(),
            Members::Keyed(keyed) => keyed.clear(),
            Members::Totals(totals) => totals.clear(),
            // There are no rows left to tell apart.
            Members::Dropped(heuristics) => *self = Members::new(arity, *heuristics),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Members::Table(table) => table.allocation_size(),
            Members::Pairs { table, .. } => table.allocation_size(),
            Members::Packed(packed) => packed.bytes(),
            Members::Keyed(keyed) => keyed.bytes(),
            Members::Totals(totals) => totals.bytes(),
            Members::Dropped(_) => 0,
            Members::Bits(bits) => bits.bytes(),
            Members::Listed(bits) => bits.bytes(),
        }
    }
}

/// A bit for each row, at most 64, that a test holds for.
#[inline]
pub fn gather<R>(rows: impl IntoIterator<Item = R>, holds: impl Fn(R) -> bool) -> u64 {
    rows.into_iter().enumerate().fold(0, |bits, (bit, row)| bits | u64::from(holds(row)) << bit)
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

/// 2⁶⁴ over the golden ratio (Knuth, *The Art of Computer Programming* 3, section 6.4).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// A hash of a number, spread as that of ids.
#[inline]
pub fn hash_number(number: u64) -> u64 {
    let state = number.wrapping_mul(MULTIPLIER);
    state ^ (state >> 32)
}

/// A hash of ids that spreads over the low and the high bits, since the table uses both.
#[inline]
pub fn hash<'v>(row: impl IntoIterator<Item = &'v Value>) -> u64 {
    let mut state = 0u64;
    for value in row {
        state = (state.rotate_left(23) ^ u64::from(value.0)).wrapping_mul(MULTIPLIER);
    }
    state ^ (state >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Pairs of few ids that are far apart: a list of them from some size on, also when ids come that it has no room
    /// for.
    #[test]
    fn ids_that_are_far_apart_are_listed() {
        const IDS: usize = 800;
        let id = |i: usize| Value((i as u32).wrapping_mul(2_654_435_769));
        let mut members = Members::new(2, Heuristics::default());
        let mut cells = Vec::new();
        let mut insert = |a: usize, b: usize| {
            let row = [id(a), id(b)];
            let number = cells.len() / 2;
            let is_new = members.insert(&row, number, &cells);
            if is_new {
                cells.extend(row);
            }
            is_new
        };
        // Each pair but those of equal ids.
        for (a, b) in (0..IDS * IDS).map(|i| (i / IDS, i % IDS)).filter(|(a, b)| a != b) {
            assert!(insert(a, b), "{a} {b} is new");
            assert!(!insert(a, b), "{a} {b} is there");
        }
        assert!((IDS..2 * IDS).all(|a| insert(a, 0)), "new ids");
        assert!(matches!(members, Members::Listed(_)));
        let contains = |a: usize, b: usize| members.contains(&[id(a), id(b)], &cells);
        assert!((0..IDS).all(|a| !contains(a, a) && contains(a, (a + 1) % IDS)));
        assert!((IDS..2 * IDS).all(|a| contains(a, 0) && !contains(a, 1) && !contains(0, a)));
    }

    /// Pairs at random of so many ids in each column, as the set and a plain one have them.
    fn insert_random(members: &mut Members, cells: &mut Vec<Value>, expected: &mut HashSet<[Value; 2]>, ids: u32) {
        let mut state = u64::from(ids);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Value(((state >> 32) as u32) % ids)
        };
        for _ in 0..150_000 {
            let row = [random(), random()];
            let is_new = expected.insert(row);
            assert_eq!(members.contains(&row, cells), !is_new);
            assert_eq!(members.insert(&row, cells.len() / 2, cells), is_new);
            if is_new {
                cells.extend(row);
            }
        }
    }

    /// 10,000 ids take 14 bits a column, and 100,000 ids 17.
    #[test]
    fn many_pairs_are_numbers_of_few_bits_as_long_as_their_ids_fit() {
        let mut members = Members::new(2, Heuristics::default());
        let mut cells = Vec::new();
        let mut expected = HashSet::new();
        insert_random(&mut members, &mut cells, &mut expected, 10_000);
        assert!(matches!(members, Members::Packed(_)));
        insert_random(&mut members, &mut cells, &mut expected, 11_000);
        assert!(matches!(members, Members::Packed(_)));
        insert_random(&mut members, &mut cells, &mut expected, 100_000);
        assert!(matches!(members, Members::Packed(_)));
        insert_random(&mut members, &mut cells, &mut expected, 1 << 26);
        assert!(matches!(members, Members::Pairs { .. }));
        let rows: Vec<&[Value]> = cells.chunks_exact(2).collect();
        assert!(
            rows.chunks(64)
                .all(|block| members.contains_each(&block.concat(), 2, &cells).count_ones() as usize == block.len())
        );
        for row in rows {
            members.forget(row, &cells);
            assert!(!members.contains(row, &cells));
        }
    }

    /// Sets of few ids that are emptied, as those of states: bits, which get room for more ids, until they are far apart.
    #[test]
    fn a_small_set_that_is_emptied_is_one_of_bits() {
        for arity in [1, 2] {
            let mut members = Members::new(arity, Heuristics::default());
            // 30 rows from other ids on each time, and then ids that are far apart.
            for (state, (base, step)) in
                [(100, 1), (120, 1), (90, 2), (100, 1), (100, 1 << 20), (100, 1)].into_iter().enumerate()
            {
                let row = |i: u32| [Value(base + step * i), Value(base + i % 3)];
                let mut cells: Vec<Value> = Vec::new();
                for i in 0..30 {
                    let row = &row(i)[..arity];
                    assert!(!members.contains(row, &cells));
                    assert!(members.insert(row, i as usize, &cells), "{row:?} of {state} is new");
                    cells.extend(row);
                    assert!(!members.insert(row, i as usize + 1, &cells) && members.contains(row, &cells));
                }
                assert!((0..30).all(|i| members.contains(&row(i)[..arity], &cells)));
                assert_eq!(matches!(members, Members::Bits(_)), (1..4).contains(&state), "{state}");
                members.clear(arity, &cells);
            }
        }
    }
}
