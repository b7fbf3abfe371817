//! Indices: the rows of a relation by the parts that a plan binds.
//!
//! A key part is a path into a row: a column, or a place inside the compound in that column, so that
//! `true(cell(X, Y, b))` with `X` bound finds its rows directly. A row alone under its key is the key's *head* itself.
//! More rows are entries one after the other in memory, oldest first. Those that were there at first are a *run*, which the head tells
//! alone; where rows have come since, they are *chunks* that grow, from the run on: the delta is at their end, the old rows are what stands
//! before it. An entry holds the number of a row. For a plan that asks for one other column alone it also holds the value of that, so that
//! the join does not touch the rows at all. Where the key and that column are all of a row, it holds nothing else, until a plan asks for the
//! rows before some row.
//!
//! Where most keys of several parts have one row each, the row tells the key, and a head takes four bytes beside its tag in the hash table.

mod entering;
mod entries;

use super::cells::Cells;
use super::heuristics::{Heuristic, Heuristics};
use super::members::hash;
use crate::value::{Functor, Interner, Value};
use entries::Entries;
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

/// Where the newest rows under a key are: none, one row, a run, or a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Head(u32);

impl Head {
    const NONE: Head = Head(u32::MAX);
    /// The bit of a head that is a row. Rows with greater numbers get chunks.
    const ROW: u32 = 1 << 31;
    /// The bit of a head that is the start of a run. Runs that start at greater numbers get chunks.
    const RUN: u32 = 1 << 30;

    fn of_row(row: u32) -> Option<Head> {
        (row < Self::ROW - 1).then_some(Head(row | Self::ROW))
    }

    fn of_run(start: u32) -> Option<Head> {
        (start < Self::RUN).then_some(Head(start | Self::RUN))
    }

    #[inline]
    fn row(self) -> Option<u32> {
        (self.0 & Self::ROW != 0 && self != Self::NONE).then_some(self.0 & !Self::ROW)
    }

    /// The start of the run; of a head that is no row.
    #[inline]
    fn run(self) -> Option<u32> {
        (self.0 & Self::RUN != 0 && self != Self::NONE).then_some(self.0 & !Self::RUN)
    }
}

/// The heads of keys.
enum Heads {
    Places(Places),
    /// By hash of the key, which is that of the rows of a head, none of which is a run: for keys most of which have one row. Entries have row numbers.
    Rows(HashTable<Head>),
}

/// The place of the newest row by key.
enum Places {
    /// By id minus `base`: for one plain column with a small range of ids.
    Dense { base: u32, places: Vec<KeyPlace> },
    /// By value: for one column, or one argument of a compound.
    Single(HashTable<(Value, KeyPlace)>),
    /// By both values: for two of them.
    Double(HashTable<([Value; 2], KeyPlace)>),
    /// By hash of the key, which is that of a row.
    Table(HashTable<(u32, KeyPlace)>),
}

impl Places {
    /// Makes room for so many keys, where they are hashed and there are none yet.
    fn make_room(&mut self, keys: usize) {
        match self {
            Places::Dense { .. } => {}
            Places::Single(table) => *table = HashTable::with_capacity(keys),
            Places::Double(table) => *table = HashTable::with_capacity(keys),
            Places::Table(table) => *table = HashTable::with_capacity(keys),
        }
    }

    fn for_each(&mut self, visit: impl FnMut(&mut KeyPlace)) {
        match self {
            Places::Dense { places, .. } => places.iter_mut().for_each(visit),
            Places::Single(table) => table.iter_mut().map(|(_, place)| place).for_each(visit),
            Places::Double(table) => table.iter_mut().map(|(_, place)| place).for_each(visit),
            Places::Table(table) => table.iter_mut().map(|(_, place)| place).for_each(visit),
        }
    }
}

/// A row under a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyedRow {
    /// The number of the row, if the index [has](Index::has_row_numbers) it or the row is alone under its key.
    pub row: u32,
    /// Its value in the column that the index [carries](Index::carried).
    pub value: Value,
}

impl KeyedRow {
    /// A row of an index that carries no column.
    #[inline]
    fn numbered(row: u32) -> KeyedRow {
        KeyedRow { row, value: Value::default() }
    }

    #[inline]
    fn of(row: u32, carried: Option<usize>, cells: &[Value], arity: usize) -> KeyedRow {
        match carried {
            Some(column) => KeyedRow { row, value: cells[row as usize * arity + column] },
            None => KeyedRow::numbered(row),
        }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyPlace {
    head: Head,
    /// The rows of the head that are still to come.
    left: u32,
}

impl KeyPlace {
    /// Before no row.
    pub const NOWHERE: KeyPlace = KeyPlace { head: Head::NONE, left: 0 };

    /// Whether there are no rows from here on.
    #[inline]
    pub fn is_nowhere(self) -> bool {
        self.left == 0
    }

    /// The row, where it is alone under its key.
    #[inline]
    pub fn only_row(self) -> Option<u32> {
        self.head.row()
    }
}

/// Where the parts of a key stand.
enum KeyForm {
    /// In plain columns, and nothing is guarded.
    Columns(Box<[usize]>),
    /// In plain columns, or among the arguments of one compound, which is guarded alone.
    Near { guarded: usize, functor: Functor, parts: Box<[KeyPart]> },
    /// Anywhere.
    Paths,
}

/// Where a part of a key stands: in a column, or among the arguments of a compound.
enum KeyPart {
    Column(usize),
    Argument(usize),
}

impl KeyForm {
    fn of(key: &IndexKey) -> KeyForm {
        if key.guards.is_empty() && key.parts.iter().all(|path| path.len() == 1) {
            return KeyForm::Columns(key.parts.iter().map(|path| path[0] as usize).collect());
        }
        let [(path, functor)] = &key.guards[..] else { return KeyForm::Paths };
        let &[guarded] = &path[..] else { return KeyForm::Paths };
        let part = |path: &RowPath| match path[..] {
            [column] => Some(KeyPart::Column(column as usize)),
            [column, position] if column == guarded => Some(KeyPart::Argument(position as usize)),
            _ => None,
        };
        match key.parts.iter().map(part).collect() {
            Some(parts) => KeyForm::Near { guarded: guarded as usize, functor: *functor, parts },
            None => KeyForm::Paths,
        }
    }

    fn columns(&self) -> Option<&[usize]> {
        if let KeyForm::Columns(columns) = self { Some(columns) } else { None }
    }

    /// The number of parts; `None` where they may stand anywhere.
    fn count(&self) -> Option<usize> {
        match self {
            KeyForm::Columns(columns) => Some(columns.len()),
            KeyForm::Near { parts, .. } => Some(parts.len()),
            KeyForm::Paths => None,
        }
    }

    /// The first parts of the key of a row, which are [counted](Self::count); `None` if the row is not in the index.
    #[inline]
    fn read<const PARTS: usize>(&self, row: &[Value], interner: &Interner) -> Option<[Value; PARTS]> {
        match self {
            KeyForm::Columns(columns) => Some(std::array::from_fn(|part| row[columns[part]])),
            KeyForm::Near { guarded, functor, parts } => {
                let (other, arguments) = interner.as_compound(row[*guarded])?;
                let value = |part: &KeyPart| match *part {
                    KeyPart::Column(column) => row[column],
                    KeyPart::Argument(position) => arguments[position],
                };
                (other == *functor).then(|| std::array::from_fn(|part| value(&parts[part])))
            }
            KeyForm::Paths => None,
        }
    }
}

/// A multimap from keys to row numbers.
pub struct Index {
    key: Box<IndexKey>,
    form: KeyForm,
    carried: Option<usize>,
    heads: Heads,
    chunks: Vec<Chunk>,
    entries: Entries,
    /// The number of rows entered.
    filled: usize,
    /// The most rows under a key that has several.
    most: u32,
    /// Holds a key while rows are entered.
    key_buffer: Vec<Value>,
    heuristics: Heuristics,
}

impl Index {
    /// An empty index of a relation with so many columns. It carries the only one that is no part of the key, or none.
    pub fn new(key: IndexKey, arity: usize, heuristics: Heuristics) -> Self {
        let form = KeyForm::of(&key);
        let has_all = form.columns().is_some_and(|columns| columns.len() + 1 == arity);
        let only = |columns: &[usize]| (0..arity).find(|column| !columns.contains(column));
        let carried = form.columns().filter(|_| has_all && heuristics.has(Heuristic::CarriedValues)).and_then(only);
        let heads = match form.count() {
            Some(1) => Places::Single(HashTable::new()),
            Some(2) if heuristics.has(Heuristic::DoubleHeads) => Places::Double(HashTable::new()),
            _ => Places::Table(HashTable::new()),
        };
        let entries = if carried.is_some() { Entries::values() } else { Entries::numbered(None) };
        Self {
            key: Box::new(key),
            form,
            carried,
            heads: Heads::Places(heads),
            chunks: Vec::new(),
            entries,
            filled: 0,
            most: 0,
            key_buffer: Vec::new(),
            heuristics,
        }
    }

    /// Whether entries have row numbers, so that the rows before any row can be found.
    #[inline]
    pub fn has_row_numbers(&self) -> bool {
        self.entries.are_numbered()
    }

    /// Gives entries row numbers, at the price of entering all rows again.
    pub fn number_rows(&mut self) {
        if !self.has_row_numbers() {
            self.clear();
            self.entries = Entries::numbered(self.carried);
        }
    }

    /// Lets entries hold the values of a column that is no part of the key, unless they hold those of one, at the price of entering all rows again.
    pub fn carry(&mut self, column: usize) {
        if self.carried.is_none() && self.form.columns().is_some() && self.heuristics.has(Heuristic::CarriedValues) {
            self.clear();
            self.carried = Some(column);
            self.entries = Entries::numbered(self.carried);
        }
    }

    pub fn key(&self) -> &IndexKey {
        &self.key
    }

    /// The column whose values the entries hold.
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
            Heads::Places(Places::Dense { places, .. }) => places.fill(KeyPlace::NOWHERE),
            Heads::Places(Places::Single(table)) => table.clear(),
            Heads::Places(Places::Double(table)) => table.clear(),
            Heads::Places(Places::Table(table)) => table.clear(),
            Heads::Rows(table) => table.clear(),
        }
    }

    /// The place of the newest row of a key; none, or nowhere, without rows.
    #[inline]
    fn find(&self, key: &[Value], cells: &Cells, arity: usize, interner: &Interner) -> Option<KeyPlace> {
        match &self.heads {
            Heads::Places(Places::Dense { base, places }) => places.get(key[0].0.wrapping_sub(*base) as usize).copied(),
            Heads::Places(Places::Single(table)) => {
                table.find(hash(&[key[0]]), |(value, _)| *value == key[0]).map(|&(_, place)| place)
            }
            Heads::Places(Places::Double(table)) => {
                let key = [key[0], key[1]];
                table.find(hash(&key), |(values, _)| *values == key).map(|&(_, place)| place)
            }
            Heads::Places(Places::Table(table)) => {
                let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
                let is_same = |&(row, _): &(u32, KeyPlace)| self.has_key(cells_of(row), key, interner);
                table.find(hash(key), is_same).map(|&(_, place)| place)
            }
            Heads::Rows(table) => {
                let head = *table.find(hash(key), |&head| {
                    let row = self.row_of(head) as usize;
                    self.has_key(&cells[row * arity..(row + 1) * arity], key, interner)
                })?;
                Some(self.place_of_head(head))
            }
        }
    }

    /// The place of the newest row of a head that is no run.
    #[inline]
    fn place_of_head(&self, head: Head) -> KeyPlace {
        if head.row().is_some() { KeyPlace { head, left: 1 } } else { self.place(head) }
    }

    /// A row of a head that is no run; entries have row numbers.
    #[inline]
    fn row_of(&self, head: Head) -> u32 {
        head.row().unwrap_or_else(|| self.entries.get(self.chunks[head.0 as usize].start as usize).row)
    }

    /// The number of the first row in a range whose value in a column is a key with rows; the end if there is none. The
    /// cells are those of any relation; for an index by one plain column.
    pub fn first_with_key(&self, cells: &[Value], arity: usize, column: usize, rows: Range<usize>) -> usize {
        let mut values = cells[rows.start * arity..rows.end * arity].chunks_exact(arity).map(|row| row[column]);
        let found = match &self.heads {
            Heads::Places(Places::Dense { base, places }) => values.position(|value| {
                places.get(value.0.wrapping_sub(*base) as usize).is_some_and(|place| !place.is_nowhere())
            }),
            Heads::Places(Places::Single(table)) => {
                values.position(|value| table.find(hash(&[value]), |(other, _)| *other == value).is_some())
            }
            Heads::Places(Places::Double(_) | Places::Table(_)) | Heads::Rows(_) => Some(0),
        };
        found.map_or(rows.end, |at| rows.start + at)
    }

    /// The place of the newest row under `key` whose number is below `end`. Without row numbers no row from there on may be entered.
    #[inline]
    pub fn newest(&self, key: &[Value], end: u32, cells: &Cells, arity: usize, interner: &Interner) -> KeyPlace {
        let Some(place) = self.find(key, cells, arity, interner) else { return KeyPlace::NOWHERE };
        if self.filled > end as usize { self.before(place, end) } else { place }
    }

    /// The place without the rows from `end` on.
    fn before(&self, mut place: KeyPlace, end: u32) -> KeyPlace {
        if let Some(row) = place.head.row() {
            return if row < end { place } else { KeyPlace::NOWHERE };
        }
        while let Some((start, older)) = self.entries_of(place.head) {
            place.left = self.entries.before(start..start + place.left as usize, end) as u32;
            if place.left > 0 {
                break;
            }
            place = self.place(older);
        }
        place
    }

    /// Where the entries of a run or of a chunk start, and the chunk before it, or none; of a head that is no row.
    #[inline]
    fn entries_of(&self, head: Head) -> Option<(usize, Head)> {
        match head.run() {
            Some(start) => Some((start as usize, Head::NONE)),
            None => self.chunks.get(head.0 as usize).map(|chunk| (chunk.start as usize, chunk.older)),
        }
    }

    /// The place of the newest row of a chunk, or nowhere.
    #[inline]
    fn place(&self, chunk: Head) -> KeyPlace {
        KeyPlace { head: chunk, left: self.chunks.get(chunk.0 as usize).map_or(0, |chunk| chunk.len) }
    }

    /// The number of rows from a place on.
    #[inline]
    pub fn count(&self, place: KeyPlace) -> u32 {
        let is_chunk = place.head.row().or(place.head.run()).is_none();
        let chunk = if is_chunk { self.chunks.get(place.head.0 as usize) } else { None };
        place.left + chunk.map_or(0, |chunk| chunk.before)
    }

    /// Reads the newest entry from a place on, which is in the cache afterwards.
    #[inline]
    pub fn touch(&self, place: KeyPlace) {
        if place.head.row().is_none()
            && let Some((start, _)) = self.entries_of(place.head)
        {
            std::hint::black_box(self.entries.get(start + place.left as usize - 1));
        }
    }

    /// The next row, newest first; the place moves behind it.
    #[inline(always)]
    pub fn next(&self, place: &mut KeyPlace, cells: &Cells, arity: usize) -> Option<KeyedRow> {
        if let Some(row) = place.head.row() {
            *place = KeyPlace::NOWHERE;
            return Some(KeyedRow::of(row, self.carried, cells, arity));
        }
        let (start, older) = self.entries_of(place.head)?;
        place.left -= 1;
        let entry = self.entries.get(start + place.left as usize);
        if place.left == 0 {
            *place = self.place(older);
        }
        Some(entry)
    }

    /// The next row that passes a test, newest first, with the number of rows before it that do not; the place moves behind it.
    #[inline]
    pub fn next_that(
        &self,
        place: &mut KeyPlace,
        cells: &Cells,
        arity: usize,
        passes: impl Fn(KeyedRow) -> bool,
    ) -> (usize, Option<KeyedRow>) {
        if let Some(row) = place.head.row() {
            *place = KeyPlace::NOWHERE;
            let entry = Some(KeyedRow::of(row, self.carried, cells, arity)).filter(|&entry| passes(entry));
            return (usize::from(entry.is_none()), entry);
        }
        let mut rejected = 0;
        while let Some((start, older)) = self.entries_of(place.head) {
            let end = start + place.left as usize;
            let found = self.entries.last_that(start..end, &passes);
            rejected += end - found.map_or(start, |at| at + 1);
            place.left = found.map_or(0, |at| at - start) as u32;
            if place.left == 0 {
                *place = self.place(older);
            }
            if let Some(at) = found {
                return (rejected, Some(self.entries.get(at)));
            }
        }
        (rejected, None)
    }

    /// Copies the next rows, newest first, and moves the place behind them. Their number is less than there is room for
    /// at the end only.
    #[inline]
    pub fn read(&self, place: &mut KeyPlace, entries: &mut [KeyedRow], cells: &Cells, arity: usize) -> usize {
        if let Some(row) = place.head.row() {
            *place = KeyPlace::NOWHERE;
            entries[0] = KeyedRow::of(row, self.carried, cells, arity);
            return 1;
        }
        let mut count = 0;
        while let Some((start, older)) = self.entries_of(place.head) {
            let some = (place.left as usize).min(entries.len() - count);
            place.left -= some as u32;
            let from = start + place.left as usize;
            self.entries.read(from..from + some, &mut entries[count..count + some]);
            count += some;
            if place.left == 0 {
                *place = self.place(older);
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
        match &self.form {
            KeyForm::Columns(columns) => columns.iter().zip(key).all(|(&column, &value)| row[column] == value),
            KeyForm::Near { .. } | KeyForm::Paths => {
                self.key.parts.iter().zip(key).all(|(path, &value)| value_at(row, path, interner) == Some(value))
            }
        }
    }

    pub fn bytes(&self) -> usize {
        let heads = match &self.heads {
            Heads::Places(Places::Dense { places, .. }) => places.capacity() * size_of::<KeyPlace>(),
            Heads::Places(Places::Single(table)) => table.allocation_size(),
            Heads::Places(Places::Double(table)) => table.allocation_size(),
            Heads::Places(Places::Table(table)) => table.allocation_size(),
            Heads::Rows(table) => table.allocation_size(),
        };
        heads + self.chunks.capacity() * size_of::<Chunk>() + self.entries.bytes()
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
    use std::iter;

    fn value(n: i64) -> Value {
        Value::small_integer(n).expect("it is small")
    }

    /// Whether an entry holds the value of the column that its index carries, if it carries one.
    fn has_carried_value(index: &Index, cells: &Cells, entry: KeyedRow) -> bool {
        index.carried().is_none_or(|column| entry.value == cells[entry.row as usize * 3 + column])
    }

    /// The rows under a key before some row, newest first, in blocks and one by one.
    fn under(index: &Index, cells: &Cells, key: &[Value], end: u32) -> Vec<u32> {
        let interner = Interner::new();
        let newest = index.newest(key, end, cells, 3, &interner);
        let mut place = newest;
        let mut one_by_one = Vec::new();
        while let Some(entry) = index.next(&mut place, cells, 3) {
            assert!(has_carried_value(index, cells, entry));
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
                    assert!(has_carried_value(index, cells, *entry));
                    entry.row
                }));
                if count < size {
                    break;
                }
            }
            assert_eq!(rows, one_by_one, "in blocks of {size}");
        }
        for passes in [|row: u32| row.is_multiple_of(3), |row| row % 7 != 1, |_| false] {
            let mut place = newest;
            let mut found = Vec::new();
            let mut rejected = 0;
            loop {
                let (before, next) = index.next_that(&mut place, cells, 3, |entry| passes(entry.row));
                rejected += before;
                let Some(entry) = next else { break };
                found.push(entry.row);
            }
            assert_eq!(found, one_by_one.iter().copied().filter(|&row| passes(row)).collect::<Vec<_>>());
            assert_eq!(rejected + found.len(), one_by_one.len());
        }
        one_by_one
    }

    fn carried_by(index: &Index, cells: &Cells, row: u32) -> Value {
        cells[row as usize * 3 + index.carried().expect("a column is no part of the key")]
    }

    /// The values of the carried column under a key, in blocks and one by one.
    fn values_under(index: &Index, cells: &Cells, key: &[Value], end: u32) -> Vec<Value> {
        let newest = index.newest(key, end, cells, 3, &Interner::new());
        let mut place = newest;
        let one_by_one: Vec<Value> = iter::from_fn(|| index.next(&mut place, cells, 3)).map(|e| e.value).collect();
        let mut place = newest;
        let mut block = vec![KeyedRow::default(); one_by_one.len() + 1];
        let count = index.read(&mut place, &mut block, cells, 3);
        assert_eq!(block[..count].iter().map(|entry| entry.value).collect::<Vec<_>>(), one_by_one);
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
            let [mut index, mut values, mut plain] = [(); 3].map(|_| Index::new(key.clone(), 3, Heuristics::default()));
            index.carry(1);
            values.carry(1);
            index.number_rows();
            let mut cells = Cells::default();
            for &len in lengths {
                for row in cells.len() as i64 / 3..len {
                    cells.to_mut().extend([value(row % 7 * spread), value(second_of(row)), value(row)]);
                }
                index.catch_up(&cells, 3, len as usize, &Interner::new());
                values.catch_up(&cells, 3, len as usize, &Interner::new());
                plain.catch_up(&cells, 3, len as usize, &Interner::new());
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
                    if plain.has_row_numbers() {
                        assert_eq!(under(&plain, &cells, &key[..1], end as u32), expected, "{columns:?} {len}");
                    }
                    if end == len {
                        let expected: Vec<Value> =
                            expected.iter().map(|row| carried_by(&index, &cells, *row)).collect();
                        assert_eq!(values_under(&values, &cells, &key[..columns.len()], end as u32), expected);
                    }
                }
            }
        }
    }

    /// Rows of one key, some at first and then one after the other: a quarter of them is spare at most, beside the first doublings.
    #[test]
    fn many_rows_leave_little_room_behind_them() {
        let rows = Cells::Owned((0..5000).flat_map(|i| [value(7), value(i)]).collect());
        for first in [1, 1000] {
            let key = IndexKey { guards: Vec::new(), parts: vec![vec![0]] };
            let mut index = Index::new(key, 2, Heuristics::default());
            for len in first..=5000 {
                index.catch_up(&rows, 2, len, &Interner::new());
                assert!(index.entries.len() <= len + len / 4 + 128, "{len} of {first}: {}", index.entries.len());
            }
            let newest = index.newest(&[value(7)], 5000, &rows, 2, &Interner::new());
            assert_eq!(index.count(newest), 5000);
        }
    }

    /// Rows `(i mod 500, i mod 7, i / 3500)`, of which one in ten comes again, by two columns and by all; the last ones have the keys of earlier ones.
    #[test]
    fn keys_that_rarely_repeat_are_told_by_their_rows() {
        let cells = (0..5000u32).map(|i| if i % 10 == 9 { i - 9 } else { i });
        let rows: Vec<[u32; 3]> = cells.map(|i| [i % 500, i % 7, i / 3500]).collect();
        let cells = Cells::Owned(rows.iter().flatten().map(|&n| value(n.into())).collect());
        for columns in [2, 3] {
            let key = IndexKey { guards: Vec::new(), parts: (0..columns).map(|column| vec![column]).collect() };
            let columns = columns as usize;
            let mut index = Index::new(key.clone(), 3, Heuristics::default());
            let mut grouped = Index::new(key, 3, Heuristics::default());
            grouped.catch_up(&cells, 3, 100, &Interner::new());
            for len in [3000, 3001, 5000] {
                index.catch_up(&cells, 3, len, &Interner::new());
                grouped.catch_up(&cells, 3, len, &Interner::new());
                assert!(matches!((&index.heads, &grouped.heads), (Heads::Rows(_), Heads::Places(_))));
                for sought in &rows {
                    let key: Vec<Value> = sought[..columns].iter().map(|&n| value(n.into())).collect();
                    for end in [len / 2, len] {
                        let has_key = |&row: &u32| rows[row as usize][..columns] == sought[..columns];
                        let expected: Vec<u32> = (0..end as u32).rev().filter(has_key).collect();
                        assert_eq!(under(&index, &cells, &key, end as u32), expected, "{key:?} of {len} up to {end}");
                    }
                }
            }
            assert!(index.bytes() < grouped.bytes(), "{} and {}", index.bytes(), grouped.bytes());
        }
    }

    /// Rows `(f(i mod 5), i mod 3, i)` and `(i, i mod 3, i)` in turn, by what stands within `f`, alone or with the columns after it.
    #[test]
    fn rows_without_the_compound_of_a_key_are_left_out() {
        let mut interner = Interner::new();
        let functor = interner.functor(&"f".into(), 1);
        let mut cells = Cells::default();
        for i in 0..1000 {
            let first = if i % 2 == 0 { interner.compound(functor, &[value(i % 5)]) } else { value(i) };
            cells.to_mut().extend([first, value(i % 3), value(i)]);
        }
        let parts = [vec![0, 0], vec![1], vec![2]];
        for (len, count) in [10, 1000].into_iter().flat_map(|len| [1, 2, 3].map(|count| (len, count))) {
            let key = IndexKey { guards: vec![(vec![0], functor)], parts: parts[..count].to_vec() };
            let mut index = Index::new(key, 3, Heuristics::default());
            index.catch_up(&cells, 3, len, &interner);
            for n in 0..30 {
                let sought = [n % 6, n % 3, n];
                let key = sought.map(value);
                let mut place = index.newest(&key[..count], len as u32, &cells, 3, &interner);
                let found: Vec<u32> = std::iter::from_fn(|| index.next(&mut place, &cells, 3)).map(|e| e.row).collect();
                let has_key = |row: &u32| {
                    let row = i64::from(*row);
                    row % 2 == 0 && [row % 5, row % 3, row][..count] == sought[..count]
                };
                let expected = (0..len as u32).rev().filter(has_key);
                assert_eq!(found, expected.collect::<Vec<u32>>(), "{n} of {len} by {count}");
            }
        }
    }
}
