//! Indices: the rows of a relation by the parts that a plan binds.
//!
//! A key part is a path into a row: a column, or a place inside the compound in that column, so that
//! `true(cell(X, Y, b))` with `X` bound finds its rows directly. A row alone under its key is the key's *head* itself.
//! More rows are entries one after the other in memory, oldest first, in chunks that double, after a first one that may
//! hold all rows that were there at first: the delta is at their end, the old rows are what stands before it. An entry
//! holds the value of one other column, so that a join over pairs does not touch the rows at all.

use super::heuristics::{Heuristic, Heuristics};
use super::members::hash;
use crate::value::{Functor, Interner, Value};
use hashbrown::HashTable;
use std::ops::Range;

/// A place in a row: the column, then argument positions inside compounds.
pub type RowPath = Vec<u16>;

/// The key of an index.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct IndexKey {
    /// Compounds that must stand at these places; other rows are not in the index. Outer ones come first.
    pub guards: Vec<(RowPath, Functor)>,
    /// The places whose values make the key.
    pub parts: Vec<RowPath>,
}

/// No row.
pub const END: u32 = u32::MAX;

/// Dense heads take 4 bytes per id of the range; with this many per row they take about as much as a hash table.
const MOST_HEADS_PER_ROW: usize = 4;

/// Ranges up to this width are dense however few the rows: they take a few KiB.
const ALWAYS_DENSE: usize = 1024;

/// Rows are counted before they are entered, unless so many heads come on each.
const FEWEST_COUNTED: usize = 8;

/// Rows for which an index makes room before it has seen them.
const MOST_AT_ONCE: usize = 512;

/// The rows under a key: none, one row, or a chunk of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head(u32);

impl Head {
    const NONE: Head = Head(u32::MAX);
    /// The bit of a head that is a row. Rows with greater numbers get chunks.
    const ROW: u32 = 1 << 31;

    fn of_row(row: u32) -> Option<Head> {
        (row < Self::ROW - 1).then_some(Head(row | Self::ROW))
    }

    #[inline]
    fn row(self) -> Option<u32> {
        (self.0 & Self::ROW != 0 && self != Self::NONE).then_some(self.0 & !Self::ROW)
    }
}

/// The heads by key.
enum Heads {
    /// By id minus `base`: for one plain column with a small range of ids.
    Dense { base: u32, heads: Vec<Head> },
    /// By value: for one plain column.
    Single(HashTable<(Value, Head)>),
    /// By both values: for two plain columns.
    Double(HashTable<([Value; 2], Head)>),
    /// By hash of the key, which is that of a row.
    Table(HashTable<(u32, Head)>),
}

impl Heads {
    fn for_each(&mut self, visit: impl FnMut(&mut Head)) {
        match self {
            Heads::Dense { heads, .. } => heads.iter_mut().for_each(visit),
            Heads::Single(table) => table.iter_mut().map(|(_, head)| head).for_each(visit),
            Heads::Double(table) => table.iter_mut().map(|(_, head)| head).for_each(visit),
            Heads::Table(table) => table.iter_mut().map(|(_, head)| head).for_each(visit),
        }
    }
}

/// A row under a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyedRow {
    /// The number of the row.
    pub row: u32,
    /// Its value in the column that the index [carries](Index::carried).
    pub value: Value,
}

impl KeyedRow {
    #[inline]
    fn of(row: u32, carried: Option<usize>, cells: &[Value], arity: usize) -> KeyedRow {
        KeyedRow { row, value: carried.map_or(Value::default(), |column| cells[row as usize * arity + column]) }
    }
}

/// Entries under one key.
#[derive(Clone, Copy)]
struct Chunk {
    start: u32,
    len: u32,
    capacity: u32,
    /// The chunk before it, or none.
    older: Head,
    /// The number of entries before it.
    before: u32,
}

/// A place among the rows under a key, from the newest to the oldest.
#[derive(Clone, Copy, Debug)]
pub struct KeyPlace {
    head: Head,
    /// The rows of the head that are still to come.
    left: u32,
}

impl KeyPlace {
    /// Before no row.
    pub const NOWHERE: KeyPlace = KeyPlace { head: Head::NONE, left: 0 };
}

/// A multimap from keys to row numbers.
pub struct Index {
    key: IndexKey,
    /// The columns of the key when all parts are plain columns and nothing is guarded.
    columns: Option<Vec<usize>>,
    carried: Option<usize>,
    heads: Heads,
    chunks: Vec<Chunk>,
    entries: Vec<KeyedRow>,
    /// The number of rows entered.
    filled: usize,
    /// The most rows under a key that has several.
    most: u32,
    heuristics: Heuristics,
}

impl Index {
    /// An empty index of a relation with so many columns.
    pub fn new(key: IndexKey, arity: usize, heuristics: Heuristics) -> Self {
        let plain = key.guards.is_empty() && key.parts.iter().all(|path| path.len() == 1);
        let columns: Option<Vec<usize>> = plain.then(|| key.parts.iter().map(|path| path[0] as usize).collect());
        let carried = columns.as_ref().and_then(|columns| (0..arity).find(|column| !columns.contains(column)));
        let carried = carried.filter(|_| heuristics.has(Heuristic::CarriedValues));
        let heads = match columns.as_deref() {
            Some([_]) => Heads::Single(HashTable::new()),
            Some([_, _]) if heuristics.has(Heuristic::DoubleHeads) => Heads::Double(HashTable::new()),
            _ => Heads::Table(HashTable::new()),
        };
        Self { key, columns, carried, heads, chunks: Vec::new(), entries: Vec::new(), filled: 0, most: 0, heuristics }
    }

    pub fn key(&self) -> &IndexKey {
        &self.key
    }

    /// The column whose values the entries hold: the first that is no part of the key.
    pub fn carried(&self) -> Option<usize> {
        self.carried
    }

    /// The most rows under a key, where one has several.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The number of rows entered.
    #[inline]
    pub fn filled(&self) -> usize {
        self.filled
    }

    pub fn clear(&mut self) {
        (self.filled, self.most) = (0, 0);
        self.chunks.clear();
        self.entries.clear();
        match &mut self.heads {
            Heads::Dense { heads, .. } => heads.fill(Head::NONE),
            Heads::Single(table) => table.clear(),
            Heads::Double(table) => table.clear(),
            Heads::Table(table) => table.clear(),
        }
    }

    /// Enters the rows up to `len`.
    pub fn catch_up(&mut self, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        if let Some([column]) = self.columns.as_deref()
            && self.heuristics.has(Heuristic::DenseHeads)
        {
            self.fit(cells, arity, *column, len);
        }
        let mut key = Vec::with_capacity(self.key.parts.len());
        let mut heads = std::mem::replace(&mut self.heads, Heads::Table(HashTable::new()));
        if self.filled == 0 && Head::of_row(len as u32).is_some() && self.heuristics.has(Heuristic::GroupedRows) {
            match (&mut heads, self.columns.as_deref()) {
                (Heads::Dense { base, heads }, Some([column])) if len > heads.len() / FEWEST_COUNTED => {
                    self.fill(heads, *base, *column, &cells[..len * arity], arity);
                    self.filled = len;
                }
                (Heads::Single(_) | Heads::Double(_) | Heads::Table(_), _) if len > MOST_AT_ONCE => {
                    self.fill_groups(&mut heads, cells, arity, len, interner);
                    self.filled = len;
                }
                _ => {
                    // The first rows of a small relation come without many small steps.
                    let room = len.min(MOST_AT_ONCE);
                    self.entries.reserve(2 * room);
                    self.chunks.reserve(room / 2);
                }
            }
        }
        for row in self.filled as u32..len as u32 {
            if let Some(head) = self.head_of(&mut heads, row, cells, arity, interner, &mut key) {
                *head = self.enter(*head, row, cells, arity);
            }
        }
        self.heads = heads;
        self.filled = len;
    }

    /// The head of the key of a row, [`Head::NONE`] if the key is new; `None` if the row is not in the index. `key` is
    /// a buffer.
    #[inline]
    fn head_of<'h>(
        &self,
        heads: &'h mut Heads,
        row: u32,
        cells: &[Value],
        arity: usize,
        interner: &Interner,
        key: &mut Vec<Value>,
    ) -> Option<&'h mut Head> {
        let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
        let column =
            |number: usize| self.columns.as_ref().map_or(Value::default(), |columns| cells_of(row)[columns[number]]);
        Some(match heads {
            Heads::Dense { base, heads } => &mut heads[(column(0).0 - *base) as usize],
            Heads::Single(table) => {
                let value = column(0);
                let hash_of = |(value, _): &(Value, Head)| hash(&[*value]);
                let entry = table.entry(hash(&[value]), |(other, _)| *other == value, hash_of);
                &mut entry.or_insert((value, Head::NONE)).into_mut().1
            }
            Heads::Double(table) => {
                let values = [column(0), column(1)];
                let entry = table.entry(hash(&values), |(other, _)| *other == values, |(values, _)| hash(values));
                &mut entry.or_insert((values, Head::NONE)).into_mut().1
            }
            Heads::Table(table) => {
                if !self.read_key(cells_of(row), interner, key) {
                    return None;
                }
                let is_same = |&(other, _): &(u32, Head)| self.has_key(cells_of(other), key, interner);
                let hash_of = |&(other, _): &(u32, Head)| match &self.columns {
                    Some(columns) => hash(columns.iter().map(|&column| &cells_of(other)[column])),
                    None => {
                        let mut key = Vec::new();
                        self.read_key(cells_of(other), interner, &mut key);
                        hash(&key)
                    }
                };
                &mut table.entry(hash(&*key), is_same, hash_of).or_insert((row, Head::NONE)).into_mut().1
            }
        })
    }

    /// Enters the first rows under hashed heads: the rows under one head are one chunk.
    fn fill_groups(&mut self, heads: &mut Heads, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        let mut key = Vec::with_capacity(self.key.parts.len());
        // Each head is the number of its group, and each group counts its rows.
        let mut groups = Vec::with_capacity(len);
        let mut counts = Vec::new();
        for row in 0..len as u32 {
            groups.push(self.head_of(heads, row, cells, arity, interner, &mut key).map(|head| {
                if *head == Head::NONE {
                    *head = Head(counts.len() as u32);
                    counts.push(0);
                }
                counts[head.0 as usize] += 1;
                *head
            }));
        }
        // A group of several rows is a chunk, which has room for them, and any other one its row.
        let mut end = 0;
        let mut of_groups = vec![Head::NONE; counts.len()];
        for (head, &capacity) in of_groups.iter_mut().zip(&counts).filter(|(_, count)| **count > 1) {
            *head = Head(self.chunks.len() as u32);
            self.chunks.push(Chunk { start: end, len: 0, capacity, older: Head::NONE, before: 0 });
            end += capacity;
            self.most = self.most.max(capacity);
        }
        self.entries.resize(end as usize, KeyedRow::default());
        for (row, group) in (0..).zip(groups) {
            let Some(Head(group)) = group else { continue };
            let head = &mut of_groups[group as usize];
            match self.chunks.get_mut(head.0 as usize) {
                Some(chunk) => {
                    self.entries[(chunk.start + chunk.len) as usize] = KeyedRow::of(row, self.carried, cells, arity);
                    chunk.len += 1;
                }
                None => *head = Head(row | Head::ROW),
            }
        }
        heads.for_each(|head| *head = of_groups[head.0 as usize]);
    }

    /// Enters the first rows by a plain column under dense heads that begin at `base`: the rows under one head are one
    /// chunk.
    fn fill(&mut self, heads: &mut [Head], base: u32, column: usize, cells: &[Value], arity: usize) {
        let number = |row: &[Value]| (row[column].0 - base) as usize;
        // Each head counts its rows, beginning with none.
        for row in cells.chunks_exact(arity) {
            let head = &mut heads[number(row)];
            head.0 = head.0.wrapping_add(1);
        }
        // Then it is the place of its next entry, if it has several.
        let mut end = 0;
        let mut several = 0;
        for head in heads.iter_mut().filter(|head| **head != Head::NONE) {
            let count = head.0 + 1;
            *head = if count > 1 { Head(end) } else { Head::NONE };
            if count > 1 {
                (end, several) = (end + count, several + 1);
            }
        }
        self.entries.resize(end as usize, KeyedRow::default());
        let entries = &mut self.entries[..];
        let carried = self.carried.unwrap_or(column);
        for (number_of_row, row) in (0..).zip(cells.chunks_exact(arity)) {
            let head = &mut heads[number(row)];
            if *head == Head::NONE {
                *head = Head(number_of_row | Head::ROW);
            } else {
                entries[head.0 as usize] = KeyedRow { row: number_of_row, value: row[carried] };
                head.0 += 1;
            }
        }
        // Then it is that of its chunk.
        self.chunks.reserve(several);
        let mut start = 0;
        for head in heads.iter_mut().filter(|head| head.0 & Head::ROW == 0) {
            let len = head.0 - start;
            *head = Head(self.chunks.len() as u32);
            self.chunks.push(Chunk { start, len, capacity: len, older: Head::NONE, before: 0 });
            start += len;
            self.most = self.most.max(len);
        }
    }

    /// Adds a row under a head; the head that takes its place.
    #[inline]
    fn enter(&mut self, old: Head, row: u32, cells: &[Value], arity: usize) -> Head {
        let start = self.entries.len() as u32;
        let carried = self.carried;
        let entry = |row: u32| KeyedRow::of(row, carried, cells, arity);
        let newer = match (old.row(), self.chunks.get_mut(old.0 as usize)) {
            (Some(first), _) => {
                self.entries.extend([entry(first), entry(row)]);
                Chunk { start, len: 2, capacity: 2, older: Head::NONE, before: 0 }
            }
            (None, Some(chunk)) if chunk.len < chunk.capacity => {
                self.entries[(chunk.start + chunk.len) as usize] = entry(row);
                chunk.len += 1;
                self.most = self.most.max(chunk.before + chunk.len);
                return old;
            }
            (None, Some(chunk)) => {
                let capacity = chunk.capacity * 2;
                let before = chunk.before + chunk.len;
                self.entries.push(entry(row));
                self.entries.resize((start + capacity) as usize, KeyedRow::default());
                Chunk { start, len: 1, capacity, older: old, before }
            }
            (None, None) => match Head::of_row(row) {
                Some(head) => return head,
                None => {
                    self.entries.push(entry(row));
                    Chunk { start, len: 1, capacity: 1, older: Head::NONE, before: 0 }
                }
            },
        };
        self.most = self.most.max(newer.before + newer.len);
        self.chunks.push(newer);
        Head(self.chunks.len() as u32 - 1)
    }

    /// Chooses dense heads for a single column with a small range of ids, and widens them as needed.
    fn fit(&mut self, cells: &[Value], arity: usize, column: usize, len: usize) {
        let new = cells[self.filled * arity..len * arity].chunks_exact(arity).map(|row| row[column].0);
        let (mut low, mut high) = new.fold((u32::MAX, 0), |(low, high), id| (low.min(id), high.max(id)));
        match &mut self.heads {
            Heads::Dense { base, heads } => {
                let end = *base + (heads.len() as u32 - 1);
                if low >= *base && high <= end {
                    return;
                }
                (low, high) = (low.min(*base), high.max(end));
            }
            _ if self.filled == 0 => {}
            _ => return,
        }
        let width = (high - low) as usize;
        if width > MOST_HEADS_PER_ROW * len + ALWAYS_DENSE {
            // Too sparse: reenter all rows, by hash.
            if matches!(self.heads, Heads::Dense { .. }) {
                self.heads = Heads::Single(HashTable::new());
                self.clear();
            }
            return;
        }
        // Add room at the upper end, where new ids appear.
        let mut wider = vec![Head::NONE; width + width / 2 + 1];
        if let Heads::Dense { base, heads } = &self.heads
            && self.filled > 0
        {
            let at = (*base - low) as usize;
            wider.resize(wider.len().max(at + heads.len()), Head::NONE);
            wider[at..at + heads.len()].copy_from_slice(heads);
        }
        // Stay within the id space.
        wider.truncate(((u32::MAX - low) as usize).saturating_add(1));
        self.heads = Heads::Dense { base: low, heads: wider };
    }

    /// Writes the key of a row into `key`; `false` if the row is not in the index.
    fn read_key(&self, row: &[Value], interner: &Interner, key: &mut Vec<Value>) -> bool {
        key.clear();
        if let Some(columns) = &self.columns {
            key.extend(columns.iter().map(|&column| row[column]));
            return true;
        }
        let guarded = self.key.guards.iter().all(|(path, functor)| {
            value_at(row, path, interner).and_then(|v| interner.as_compound(v)).is_some_and(|(f, _)| f == *functor)
        });
        guarded
            && self.key.parts.iter().all(|path| match value_at(row, path, interner) {
                Some(value) => {
                    key.push(value);
                    true
                }
                None => false,
            })
    }

    /// The head of a key; none, or [`Head::NONE`], without rows.
    #[inline]
    fn find(&self, key: &[Value], cells: &[Value], arity: usize, interner: &Interner) -> Option<Head> {
        match &self.heads {
            Heads::Dense { base, heads } => heads.get(key[0].0.wrapping_sub(*base) as usize).copied(),
            Heads::Single(table) => table.find(hash(&[key[0]]), |(value, _)| *value == key[0]).map(|&(_, head)| head),
            Heads::Double(table) => {
                let key = [key[0], key[1]];
                table.find(hash(&key), |(values, _)| *values == key).map(|&(_, head)| head)
            }
            Heads::Table(table) => {
                let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
                let is_same = |&(row, _): &(u32, Head)| self.has_key(cells_of(row), key, interner);
                table.find(hash(key), is_same).map(|&(_, head)| head)
            }
        }
    }

    /// The number of the first row in a range whose value in a column is a key with rows; the end if there is none. The
    /// cells are those of any relation; for an index by one plain column.
    pub fn first_with_key(&self, cells: &[Value], arity: usize, column: usize, rows: Range<usize>) -> usize {
        let mut values = cells[rows.start * arity..rows.end * arity].chunks_exact(arity).map(|row| row[column]);
        let found = match &self.heads {
            Heads::Dense { base, heads } => values.position(|value| {
                heads.get(value.0.wrapping_sub(*base) as usize).is_some_and(|head| *head != Head::NONE)
            }),
            Heads::Single(table) => {
                values.position(|value| table.find(hash(&[value]), |(other, _)| *other == value).is_some())
            }
            Heads::Double(_) | Heads::Table(_) => Some(0),
        };
        found.map_or(rows.end, |at| rows.start + at)
    }

    /// The place of the newest row under `key` whose number is below `end`.
    #[inline]
    pub fn newest(&self, key: &[Value], end: u32, cells: &[Value], arity: usize, interner: &Interner) -> KeyPlace {
        let Some(head) = self.find(key, cells, arity, interner) else { return KeyPlace::NOWHERE };
        let place = self.place(head);
        if self.filled > end as usize { self.before(place, end) } else { place }
    }

    /// The place without the rows from `end` on.
    fn before(&self, mut place: KeyPlace, end: u32) -> KeyPlace {
        if let Some(row) = place.head.row() {
            return if row < end { place } else { KeyPlace::NOWHERE };
        }
        while let Some(chunk) = self.chunks.get(place.head.0 as usize) {
            let entries = &self.entries[chunk.start as usize..(chunk.start + place.left) as usize];
            place.left = entries.partition_point(|entry| entry.row < end) as u32;
            if place.left > 0 {
                break;
            }
            place = self.place(chunk.older);
        }
        place
    }

    /// The place of the newest row of a head.
    #[inline]
    fn place(&self, head: Head) -> KeyPlace {
        let left = match head.row() {
            Some(_) => 1,
            None => self.chunks.get(head.0 as usize).map_or(0, |chunk| chunk.len),
        };
        KeyPlace { head, left }
    }

    /// The number of rows from a place on.
    #[inline]
    pub fn count(&self, place: KeyPlace) -> u32 {
        let chunk = if place.head.row().is_some() { None } else { self.chunks.get(place.head.0 as usize) };
        place.left + chunk.map_or(0, |chunk| chunk.before)
    }

    /// The next row, newest first; the place moves behind it.
    #[inline]
    pub fn next(&self, place: &mut KeyPlace, cells: &[Value], arity: usize) -> Option<KeyedRow> {
        if let Some(row) = place.head.row() {
            *place = KeyPlace::NOWHERE;
            return Some(KeyedRow::of(row, self.carried, cells, arity));
        }
        let chunk = self.chunks.get(place.head.0 as usize)?;
        place.left -= 1;
        let entry = self.entries[(chunk.start + place.left) as usize];
        if place.left == 0 {
            *place = self.place(chunk.older);
        }
        Some(entry)
    }

    /// Copies the next rows, newest first, and moves the place behind them. Their number is less than there is room for
    /// at the end only.
    #[inline]
    pub fn read(&self, place: &mut KeyPlace, entries: &mut [KeyedRow], cells: &[Value], arity: usize) -> usize {
        if let Some(row) = place.head.row() {
            *place = KeyPlace::NOWHERE;
            entries[0] = KeyedRow::of(row, self.carried, cells, arity);
            return 1;
        }
        let mut count = 0;
        while let Some(chunk) = self.chunks.get(place.head.0 as usize) {
            let some = (place.left as usize).min(entries.len() - count);
            place.left -= some as u32;
            let from = (chunk.start + place.left) as usize;
            let read = self.entries[from..from + some].iter().rev();
            entries[count..count + some].iter_mut().zip(read).for_each(|(to, entry)| *to = *entry);
            count += some;
            if place.left == 0 {
                *place = self.place(chunk.older);
            }
            if count == entries.len() {
                break;
            }
        }
        count
    }

    /// Whether a row of the index has this key.
    #[inline]
    fn has_key(&self, row: &[Value], key: &[Value], interner: &Interner) -> bool {
        match &self.columns {
            Some(columns) => columns.iter().zip(key).all(|(&column, &value)| row[column] == value),
            None => self.key.parts.iter().zip(key).all(|(path, &value)| value_at(row, path, interner) == Some(value)),
        }
    }

    pub fn bytes(&self) -> usize {
        let heads = match &self.heads {
            Heads::Dense { heads, .. } => heads.capacity() * 4,
            Heads::Single(table) => table.allocation_size(),
            Heads::Double(table) => table.allocation_size(),
            Heads::Table(table) => table.allocation_size(),
        };
        heads + self.chunks.capacity() * size_of::<Chunk>() + self.entries.capacity() * size_of::<KeyedRow>()
    }
}

fn value_at(row: &[Value], path: &[u16], interner: &Interner) -> Option<Value> {
    let (&column, inner) = path.split_first()?;
    inner.iter().try_fold(row[column as usize], |value, &position| {
        interner.as_compound(value)?.1.get(position as usize).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(n: i64) -> Value {
        Value::small_integer(n).expect("it is small")
    }

    /// The rows under a key before some row, newest first, in blocks and one by one.
    fn under(index: &Index, cells: &[Value], key: &[Value], end: u32) -> Vec<u32> {
        let interner = Interner::new();
        let newest = index.newest(key, end, cells, 3, &interner);
        let mut place = newest;
        let mut one_by_one = Vec::new();
        while let Some(entry) = index.next(&mut place, cells, 3) {
            assert_eq!(entry.value, cells[entry.row as usize * 3 + index.carried().unwrap()]);
            one_by_one.push(entry.row);
        }
        assert_eq!(index.count(newest) as usize, one_by_one.len());
        for size in [1, 2, 3, 64] {
            let mut place = newest;
            let mut block = vec![KeyedRow::default(); size];
            let mut rows = Vec::new();
            loop {
                let count = index.read(&mut place, &mut block, cells, 3);
                rows.extend(block[..count].iter().map(|entry| {
                    assert_eq!(entry.value, cells[entry.row as usize * 3 + index.carried().unwrap()]);
                    entry.row
                }));
                if count < size {
                    break;
                }
            }
            assert_eq!(rows, one_by_one, "in blocks of {size}");
        }
        one_by_one
    }

    /// Rows `(i mod 7 · spread, i mod 3, i)`, where one has 3 in its second column, entered some at a time: those under
    /// a key are known by counting.
    #[test]
    fn rows_are_found_newest_first_up_to_any_row() {
        let second_of = |row: i64| if row == 5 { 3 } else { row % 3 };
        let lengths = [&[1, 2, 3, 10, 11, 40, 200][..], &[1000, 1001, 1500]];
        for ((columns, spread), lengths) in [(vec![0], 1), (vec![0], 1 << 20), (vec![0, 1], 1)]
            .into_iter()
            .flat_map(|key| lengths.map(|lengths| (key.clone(), lengths)))
        {
            let key =
                IndexKey { guards: Vec::new(), parts: columns.iter().map(|&column| vec![column as u16]).collect() };
            let mut index = Index::new(key, 3, Heuristics::default());
            let mut cells: Vec<Value> = Vec::new();
            for &len in lengths {
                for row in cells.len() as i64 / 3..len {
                    cells.extend([value(row % 7 * spread), value(second_of(row)), value(row)]);
                }
                index.catch_up(&cells, 3, len as usize, &Interner::new());
                // The third column counts up: it meets the keys 0, `spread` … 6 · `spread`, as far as they are there.
                for start in [0, 3.min(len), len / 2].into_iter().filter(|_| columns.len() == 1) {
                    let is_key = |row: &i64| row % spread == 0 && row / spread < len.min(7);
                    let expected = (start..len).find(is_key).unwrap_or(len);
                    let found = index.first_with_key(&cells, 3, 2, start as usize..len as usize);
                    assert_eq!(found, expected as usize, "from {start} of {len}");
                }
                for (first, second, end) in
                    (0..8).flat_map(|a| (0..4).flat_map(move |b| [(a, b, len), (a, b, len / 2)]))
                {
                    let key = [value(first * spread), value(second)];
                    let matches = |row: &i64| row % 7 == first && (columns.len() == 1 || second_of(*row) == second);
                    let expected: Vec<u32> = (0..end).rev().filter(matches).map(|row| row as u32).collect();
                    assert_eq!(under(&index, &cells, &key[..columns.len()], end as u32), expected, "{columns:?} {len}");
                }
            }
        }
    }

    /// Rows `(f(i mod 5), i, i)` and `(i, i, i)` in turn, by what stands within `f`.
    #[test]
    fn rows_without_the_compound_of_a_key_are_left_out() {
        let mut interner = Interner::new();
        let functor = interner.functor(&"f".into(), 1);
        let mut cells = Vec::new();
        for i in 0..1000 {
            let first = if i % 2 == 0 { interner.compound(functor, &[value(i % 5)]) } else { value(i) };
            cells.extend([first, value(i), value(i)]);
        }
        for len in [10, 1000] {
            let mut index = Index::new(
                IndexKey { guards: vec![(vec![0], functor)], parts: vec![vec![0, 0]] },
                3,
                Heuristics::default(),
            );
            index.catch_up(&cells, 3, len, &interner);
            for n in 0..6 {
                let mut place = index.newest(&[value(n)], len as u32, &cells, 3, &interner);
                let found: Vec<u32> = std::iter::from_fn(|| index.next(&mut place, &cells, 3)).map(|e| e.row).collect();
                let expected = (0..len as u32).rev().filter(|row| row % 2 == 0 && i64::from(row % 5) == n);
                assert_eq!(found, expected.collect::<Vec<u32>>(), "{n} of {len}");
            }
        }
    }
}
