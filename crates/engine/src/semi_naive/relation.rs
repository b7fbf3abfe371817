//! Relations: insertion-ordered sets of rows of ids.
//!
//! Invariant: a row keeps its number until the relation is cleared, numbers grow with insertion, and no two live rows
//! are equal. So the rows inserted since some time are a range of row numbers, and all output is in insertion order.

mod relations;

pub use relations::{RelationId, Relations};

use super::cells::{Cells, RowCells};
use super::heuristics::{Heuristic, Heuristics};
use super::index::{Index, IndexKey, KeyPlace, KeyedRow};
use super::members::{FIRST_ROOM, Members};
use super::repeated::repeated_rows;
use super::sorted::{SortedIndex, SortedKey};
use super::totals::TotalsOfRows;
use super::window::ColumnWindow;
use crate::tuples::Tuples;
use crate::value::{Interner, Value};

/// Relations of so few rows are not compacted: nothing is gained.
const NEVER_COMPACTED: usize = 64;

/// Rows that are looked up at once: one for each bit of a word.
pub const BLOCK: usize = u64::BITS as usize;

/// Relations of fewer rows stay in the cache.
const FEWEST_LOOKED_UP: usize = 1 << 15;

/// Visits the rows whose bits are set; they stand one after the other, at most [`BLOCK`].
#[inline]
pub fn for_each_row<'r>(mut bits: u64, rows: &'r [Value], arity: usize, mut visit: impl FnMut(&'r [Value])) {
    bits &= u64::MAX >> (BLOCK - rows.len() / arity);
    while bits != 0 {
        let row = bits.trailing_zeros() as usize;
        match arity {
            // A row of a fixed length is copied without a loop.
            2 => visit(&rows.as_chunks::<2>().0[row]),
            _ => visit(&rows[row * arity..(row + 1) * arity]),
        }
        bits &= bits - 1;
    }
}

/// Appends a row.
#[inline]
fn push(cells: &mut Vec<Value>, row: &[Value]) {
    if cells.is_empty() {
        cells.reserve(FIRST_ROOM * row.len());
    }
    match *row {
        // A row of a fixed length is appended without a loop.
        [a, b] => cells.extend([a, b]),
        [a, b, c] => cells.extend([a, b, c]),
        _ => cells.extend_from_slice(row),
    }
}

/// A set of rows of one arity, with the indices that plans use.
pub struct Relation {
    arity: usize,
    /// The rows one after the other; a row of arity 0 takes no space.
    cells: Cells,
    len: usize,
    members: Members,
    indices: Vec<Index>,
    sorted: Vec<SortedIndex>,
    totals_of_rows: Option<Box<TotalsOfRows>>,
    /// One bit per row, set if the row was removed; empty if no row was.
    removed: Vec<u64>,
    live: usize,
    epoch: u32,
    /// Whether its set was dropped before, which happens once.
    has_forgotten: bool,
    /// Whether a rule has scanned it for constants.
    was_scanned: bool,
    heuristics: Heuristics,
}

impl Relation {
    pub fn new(arity: usize) -> Self {
        Self::with_heuristics(arity, Heuristics::default())
    }

    /// An empty relation of an engine with these heuristics.
    pub fn with_heuristics(arity: usize, heuristics: Heuristics) -> Self {
        Self {
            arity,
            cells: Cells::default(),
            len: 0,
            members: Members::new(arity, heuristics),
            indices: Vec::new(),
            sorted: Vec::new(),
            totals_of_rows: None,
            removed: Vec::new(),
            live: 0,
            epoch: 0,
            has_forgotten: false,
            was_scanned: false,
            heuristics,
        }
    }

    /// A relation without rows, in the memory of this one.
    pub fn emptied(mut self) -> Self {
        self.cells.clear();
        Self { cells: self.cells, ..Self::with_heuristics(self.arity, self.heuristics) }
    }

    /// The same rows without what depends on the program: totals, and the order of a lattice column.
    pub fn into_plain(self) -> Self {
        if self.totals_of_rows.is_none() && !self.has_lattice() {
            return self;
        }
        let mut plain = Self::with_heuristics(self.arity, self.heuristics);
        plain.load(Cells::Owned(self.rows().flatten().copied().collect()));
        plain
    }

    /// The set of its rows by content.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The same, to be changed together with the rows.
    pub fn members_mut(&mut self) -> &mut Members {
        &mut self.members
    }

    /// The totals beside its rows.
    pub fn totals_of_rows(&self) -> Option<&TotalsOfRows> {
        self.totals_of_rows.as_deref()
    }

    /// The totals beside its rows, to be changed, or taken away until they are set.
    pub fn totals_of_rows_mut(&mut self) -> &mut Option<Box<TotalsOfRows>> {
        &mut self.totals_of_rows
    }

    /// The number of row numbers assigned: one past the last row. Removed rows keep theirs.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of rows in the set.
    pub fn live(&self) -> usize {
        self.live
    }

    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Increases whenever a row is removed: rows read in an earlier epoch may no longer be in the set.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[Value] {
        &self.cells[row * self.arity..(row + 1) * self.arity]
    }

    #[inline]
    pub fn is_removed(&self, row: usize) -> bool {
        self.removed.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    #[inline]
    pub fn has_removed(&self) -> bool {
        !self.removed.is_empty()
    }

    /// The live rows in insertion order.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        self.rows_from(0)
    }

    /// The live rows from the number `first` on, in insertion order.
    pub fn rows_from(&self, first: usize) -> impl Iterator<Item = &[Value]> {
        (first..self.len).filter(|&row| !self.is_removed(row)).map(|row| self.row(row))
    }

    /// The cells of all rows, to be read in a loop.
    #[inline]
    pub fn row_cells(&self) -> RowCells<'_> {
        RowCells { cells: &self.cells, arity: self.arity }
    }

    /// The cells of the rows from the number `first` on, one after the other.
    pub fn cells_from(&self, first: usize) -> &[Value] {
        &self.cells[first * self.arity..]
    }

    #[inline]
    pub fn contains(&self, row: &[Value]) -> bool {
        self.members.contains(row, &self.cells)
    }

    /// Whether the set that tells rows apart was dropped once: it is kept from then on.
    pub fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// Drops the set that tells rows apart, unless it has row numbers or was dropped before, and the room for more rows. It is made again when a
    /// row is added.
    pub fn forget_members(&mut self) {
        if !std::mem::replace(&mut self.has_forgotten, true) {
            self.members.drop_rows(self.heuristics);
            self.cells.shrink_to_fit();
        }
    }

    /// Drops all that look-ups need, but not the rows. It is made again when it is asked for.
    pub fn forget_indices(&mut self) {
        self.indices = Vec::new();
        self.sorted = Vec::new();
        self.forget_members();
    }

    /// Whether its set was dropped, so that a look-up is a scan.
    pub fn lacks_members(&self) -> bool {
        matches!(self.members, Members::Dropped(_))
    }

    /// Makes the set again, if it was dropped, so that look-ups are fast.
    #[inline]
    pub fn remember_members(&mut self) {
        self.members.restore_rows(self.arity, &self.cells);
    }

    /// Adds a row; `false` if it is in the set already.
    #[inline]
    pub fn insert(&mut self, row: &[Value]) -> bool {
        debug_assert_eq!(row.len(), self.arity);
        let cells = self.cells.to_mut();
        if !self.members.insert(row, self.len, cells) {
            return false;
        }
        push(cells, row);
        self.len += 1;
        self.live += 1;
        true
    }

    /// Adds a row that is a member.
    #[inline]
    pub fn push(&mut self, row: &[Value]) {
        push(self.cells.to_mut(), row);
        self.len += 1;
        self.live += 1;
    }

    /// The number of rows at which a heuristic begins that else begins at `count`.
    #[inline]
    pub fn begins_at(&self, count: usize) -> usize {
        self.heuristics.begins_at(count)
    }

    /// The rows, a bit each, that are in the set; they stand one after the other, at most [`BLOCK`].
    #[inline]
    pub fn contains_each(&self, rows: &[Value]) -> u64 {
        self.members.contains_each(rows, self.arity, &self.cells)
    }

    /// Adds rows that stand one after the other; the number of those that are new. Faster than one by one: most
    /// look-ups do not wait for each other.
    pub fn insert_rows(&mut self, rows: &[Value]) -> usize {
        let before = self.len;
        self.remember_members();
        if before == 0 && rows.len() > BLOCK * self.arity {
            self.members.expect(rows, self.arity);
        }
        for rows in rows.chunks(BLOCK * self.arity) {
            // A new row is looked up twice. That pays where a look-up waits for memory, and for pairs, whose look-ups
            // are short.
            let is_looked_up = self.arity == 2 || self.len >= self.begins_at(FEWEST_LOOKED_UP);
            let is_looked_up = is_looked_up && self.heuristics.has(Heuristic::BlockedInserts);
            let found = if is_looked_up { self.contains_each(rows) } else { 0 };
            for_each_row(!found, rows, self.arity, |row| _ = self.insert(row));
        }
        self.len - before
    }

    /// Whether its first rows may be [loaded](Self::load).
    pub fn can_load(&self) -> bool {
        self.len == 0 && self.arity > 0 && self.members.can_be_dropped() && self.totals_of_rows.is_none()
    }

    /// Takes its first rows, which stand one after the other, without those that are equal to earlier ones. The set that tells rows apart is
    /// not made before it is [asked for](Self::remember_members).
    pub fn load(&mut self, mut rows: Cells) {
        let (repeated, count) = repeated_rows(&rows, self.arity);
        if count > 0 {
            let is_repeated = |row: usize| repeated[row / 64] >> (row % 64) & 1 == 1;
            let cells = rows.to_mut();
            let mut kept = 0;
            for row in (0..cells.len() / self.arity).filter(|&row| !is_repeated(row)) {
                cells.copy_within(row * self.arity..(row + 1) * self.arity, kept * self.arity);
                kept += 1;
            }
            cells.truncate(kept * self.arity);
        }
        self.len = rows.len() / self.arity;
        self.live = self.len;
        self.cells = rows;
        self.members.drop_rows(self.heuristics);
    }

    /// Adds rows that are not in the set, and differ.
    pub fn append(&mut self, rows: &[Value]) {
        let first = self.len;
        self.cells.to_mut().extend_from_slice(rows);
        self.len += rows.len() / self.arity;
        self.live += self.len - first;
        self.members.append(first, self.arity, &self.cells);
    }

    /// Removes the rows from the number `len` on, which no index has.
    pub fn truncate(&mut self, len: usize) {
        for row in self.cells[len * self.arity..].chunks_exact(self.arity) {
            self.members.forget(row, &self.cells);
        }
        self.cells.to_mut().truncate(len * self.arity);
        self.live -= self.len - len;
        self.len = len;
    }

    /// Gives the rows from the number `first` on another order: the one in which they stand in `rows`.
    pub fn reorder(&mut self, first: usize, rows: &[Value]) {
        debug_assert_eq!(self.cells.len() - first * self.arity, rows.len());
        self.cells.to_mut()[first * self.arity..].copy_from_slice(rows);
        self.members.renumber(self.len, &self.cells);
        self.indices.iter_mut().filter(|index| index.filled() > first).for_each(Index::clear);
        self.sorted.iter_mut().filter(|index| index.filled() > first).for_each(SortedIndex::clear);
    }

    /// Puts the rows from the number `middle` to `end` before those from `first` to `middle`.
    pub fn rotate(&mut self, first: usize, middle: usize, end: usize) {
        let mut rows = self.cells_from(first).to_vec();
        rows[..(end - first) * self.arity].rotate_left((middle - first) * self.arity);
        self.reorder(first, &rows);
    }

    /// Makes room for this many rows.
    pub fn reserve(&mut self, rows: usize) {
        self.cells.to_mut().reserve_exact(rows * self.arity);
        self.members.reserve(rows);
    }

    /// Makes [`find`](Self::find) available, at the price of a larger membership table.
    pub fn keep_row_numbers(&mut self) {
        self.members.keep_row_numbers(self.len, &self.cells);
    }

    /// The number of a row; only after [`keep_row_numbers`](Self::keep_row_numbers).
    pub fn find(&self, row: &[Value]) -> Option<usize> {
        self.members.find(row, &self.cells)
    }

    /// Removes a row; `false` if it is not in the set. Its number is not reused until the relation is compacted.
    pub fn remove(&mut self, row: &[Value]) -> bool {
        self.keep_row_numbers();
        let Some(number) = self.members.remove(row, &self.cells) else { return false };
        self.note_removed(number);
        if self.len > NEVER_COMPACTED && self.live * 2 < self.len {
            self.compact();
        }
        true
    }

    /// Counts the row of this number as removed.
    pub fn note_removed(&mut self, number: usize) {
        if !self.has_removed() {
            // Removed rows are told by their numbers.
            self.indices.iter_mut().for_each(Index::number_rows);
        }
        self.removed.resize(self.len.div_ceil(64).max(self.removed.len()), 0);
        self.removed[number / 64] |= 1 << (number % 64);
        self.live -= 1;
        self.epoch += 1;
    }

    /// Counts a group whose first tuple was taken in.
    pub fn count_group(&mut self) {
        self.live += 1;
    }

    /// Notes that totals may have changed, which no number of rows tells.
    pub fn note_change(&mut self) {
        self.epoch += 1;
    }

    /// Changes a cell of a row that no index has and that stays in its place.
    pub fn set_cell(&mut self, row: usize, column: usize, value: Value) {
        self.cells.to_mut()[row * self.arity + column] = value;
    }

    /// Lets two rows that are in no index change places.
    pub fn swap_rows(&mut self, a: usize, b: usize) {
        if self.is_removed(a) != self.is_removed(b) {
            self.removed.resize(self.len.div_ceil(64).max(self.removed.len()), 0);
            self.removed[a / 64] ^= 1 << (a % 64);
            self.removed[b / 64] ^= 1 << (b % 64);
        }
        for column in 0..self.arity {
            self.cells.to_mut().swap(a * self.arity + column, b * self.arity + column);
        }
    }

    /// Renumbers the live rows once most rows are removed, so that removal takes amortized constant time.
    pub fn compact(&mut self) {
        let live: Vec<Value> = self.rows().flatten().copied().collect();
        let count = self.live;
        self.clear();
        self.keep_row_numbers();
        if self.arity == 0 {
            (0..count).for_each(|_| _ = self.insert(&[]));
        } else {
            live.chunks_exact(self.arity).for_each(|row| _ = self.insert(row));
        }
    }

    pub fn clear(&mut self) {
        self.members.clear(self.arity, &self.cells);
        self.cells.clear();
        self.len = 0;
        self.live = 0;
        self.removed.clear();
        self.indices.iter_mut().for_each(Index::clear);
        self.sorted.iter_mut().for_each(SortedIndex::clear);
        self.epoch += 1;
    }

    /// The index for `key`, created on first use.
    pub fn index_for(&mut self, key: IndexKey) -> usize {
        self.indices.iter().position(|index| *index.key() == key).unwrap_or_else(|| {
            self.indices.push(Index::new(key, self.arity, self.heuristics));
            self.indices.len() - 1
        })
    }

    /// Lets the entries of an index hold the values of a column, unless they hold those of one; the column that they hold.
    pub fn carry(&mut self, index: usize, column: usize) -> Option<usize> {
        self.indices[index].carry(column);
        self.indices[index].carried()
    }

    #[inline]
    pub fn index(&self, index: usize) -> &Index {
        &self.indices[index]
    }

    /// Enters the new rows into an index of which a plan reads those before the row `end`.
    #[inline]
    pub fn catch_up(&mut self, index: usize, end: usize, interner: &Interner) {
        let visible = self.visible();
        let index = &mut self.indices[index];
        if !index.has_row_numbers() && index.filled() > end {
            index.number_rows();
        }
        let end = if index.has_row_numbers() { visible } else { end };
        if index.filled() < end {
            index.catch_up(&self.cells, self.arity, end, interner);
        }
    }

    /// Whether a rule may scan it for constants, which one does: for others an index pays.
    pub fn may_be_scanned(&mut self) -> bool {
        !std::mem::replace(&mut self.was_scanned, true)
    }

    /// Lets an index tell row numbers.
    pub fn number_rows(&mut self, index: usize) {
        self.indices[index].number_rows();
    }

    /// The sorted index for `key`, created on first use.
    pub fn sorted_for(&mut self, key: SortedKey) -> usize {
        self.sorted.iter().position(|index| *index.key() == key).unwrap_or_else(|| {
            self.sorted.push(SortedIndex::new(key));
            self.sorted.len() - 1
        })
    }

    #[inline]
    pub fn sorted(&self, index: usize) -> &SortedIndex {
        &self.sorted[index]
    }

    /// Blocks of a sorted index have the zones of a column from now on.
    pub fn zone(&mut self, index: usize, column: u16) {
        self.sorted[index].zone(column, &self.cells, self.arity);
    }

    /// Enters the new rows that plans see into a sorted index: others may yet get a better value, or another number.
    pub fn catch_up_sorted(&mut self, index: usize, interner: &Interner) {
        let visible = self.visible();
        let index = &mut self.sorted[index];
        if index.filled() < visible {
            index.catch_up(&self.cells, self.arity, visible, interner);
        }
    }

    /// The place of the newest row of `index` under `key` before the row `end`.
    #[inline]
    pub fn newest(&self, index: usize, key: &[Value], end: usize, interner: &Interner) -> KeyPlace {
        self.indices[index].newest(key, end as u32, &self.cells, self.arity, interner)
    }

    /// The next row of `index`, newest first; the place moves behind it.
    #[inline(always)]
    pub fn next(&self, index: usize, place: &mut KeyPlace) -> Option<KeyedRow> {
        self.indices[index].next(place, &self.cells, self.arity)
    }

    /// The next row of `index` within windows, newest first, with the number of rows before it that are not; the place moves behind it.
    #[inline]
    pub fn next_admitted(
        &self,
        index: usize,
        place: &mut KeyPlace,
        windows: &[ColumnWindow],
    ) -> (usize, Option<KeyedRow>) {
        let cell = |entry: KeyedRow, window: &ColumnWindow| {
            if window.is_carried { entry.value } else { self.row(entry.row as usize)[window.column as usize] }
        };
        let admitted = |entry| windows.iter().all(|window| window.admits(cell(entry, window)));
        self.indices[index].next_that(place, &self.cells, self.arity, admitted)
    }

    /// Whether a row is within windows.
    #[inline]
    pub fn is_admitted(&self, row: usize, windows: &[ColumnWindow]) -> bool {
        let cells = self.row(row);
        windows.iter().all(|window| window.admits(cells[window.column as usize]))
    }

    /// Copies the next rows of `index`, newest first, and moves the place behind them. Their number is less than there
    /// is room for at the end only.
    #[inline]
    pub fn read(&self, index: usize, place: &mut KeyPlace, entries: &mut [KeyedRow]) -> usize {
        self.indices[index].read(place, entries, &self.cells, self.arity)
    }

    /// The live rows in insertion order.
    pub fn into_tuples(self) -> Tuples {
        if self.has_removed() {
            Tuples::of_cells(self.arity, self.live, self.rows().flatten().copied().collect())
        } else {
            Tuples::of_cells(self.arity, self.len, self.cells.into_vec())
        }
    }

    /// Bytes held: rows, membership and indices.
    pub fn bytes(&self) -> usize {
        self.cells.bytes()
            + self.members.bytes()
            + self.indices.iter().map(Index::bytes).sum::<usize>()
            + self.sorted.iter().map(SortedIndex::bytes).sum::<usize>()
            + self.totals_of_rows().map_or(0, TotalsOfRows::bytes)
            + self.removed.capacity() * 8
    }
}
