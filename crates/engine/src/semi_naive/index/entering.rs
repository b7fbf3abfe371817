//! Enters rows: one by one, or, where an index is made of rows that are there, group by group.

use super::{Chunk, Entries, Head, Heads, Index, KeyPlace, KeyedRow, Places, value_at};
use crate::semi_naive::heuristics::Heuristic;
use crate::semi_naive::members::hash;
use crate::value::{Interner, Value};
use fixedbitset::FixedBitSet;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::ops::Range;

/// Dense heads take 8 bytes per id of the range. With this many per row they take about twice as much as a hash table, and answer sooner.
const MOST_HEADS_PER_ROW: usize = 4;

/// Ranges up to this width are dense however few the rows: they take a few KiB.
const ALWAYS_DENSE: usize = 1024;

/// Rows are counted before they are entered, unless so many heads come on each.
const FEWEST_COUNTED: usize = 8;

/// Rows for which an index makes room before it has seen them.
const MOST_AT_ONCE: usize = 512;

/// Where at most this part of the rows repeat a key, the rows tell the keys.
const REPEATED: usize = 8;

/// The chunks of a key with fewer rows double.
const DOUBLED: u32 = 64;

/// Those of a key with more rows are this part of the rows before them, so that at most as much of their memory is spare.
const SPARE: u32 = 4;

impl Index {
    /// Enters the rows up to `len`.
    pub fn catch_up(&mut self, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        if let Some([column]) = self.form.columns()
            && self.heuristics.has(Heuristic::DenseHeads)
        {
            self.fit(cells, arity, *column, len);
        }
        let mut key = std::mem::take(&mut self.key_buffer);
        let mut heads = std::mem::replace(&mut self.heads, Heads::Rows(HashTable::new()));
        let is_first = self.filled == 0 && Head::of_row(len as u32).is_some();
        if let (true, Heads::Places(places)) = (is_first && self.heuristics.has(Heuristic::GroupedRows), &mut heads)
            && let Some(rows) = self.enter_first(places, cells, arity, len, interner)
        {
            heads = Heads::Rows(rows);
        }
        let new = self.filled as u32..len as u32;
        match &mut heads {
            Heads::Places(places) => {
                for row in new {
                    if let Some(place) = self.place_of(places, row, cells, arity, interner, &mut key) {
                        *place = self.enter(*place, row, cells, arity);
                    }
                }
            }
            Heads::Rows(table) => self.enter_by_row(table, new, cells, arity, interner, &mut key),
        }
        self.heads = heads;
        self.key_buffer = key;
        self.filled = len;
    }

    /// Enters the first rows, or makes room for them. Where most of their keys have one row, it is the place for heads that rows tell.
    fn enter_first(
        &mut self,
        places: &mut Places,
        cells: &[Value],
        arity: usize,
        len: usize,
        interner: &Interner,
    ) -> Option<HashTable<Head>> {
        let many = self.heuristics.begins_at(MOST_AT_ONCE);
        match (places, self.form.columns()) {
            (Places::Dense { base, places }, Some([column])) if len > places.len() / FEWEST_COUNTED => {
                self.fill(places, *base, *column, &cells[..len * arity], arity);
                self.filled = len;
            }
            (places @ (Places::Single(_) | Places::Double(_) | Places::Table(_)), _) if len > many => {
                let keys = self.count_keys(cells, arity, len, interner);
                if !matches!(places, Places::Single(_)) && keys >= len - len / REPEATED {
                    self.entries = Entries::numbered(self.carried);
                    return Some(HashTable::with_capacity(keys));
                }
                places.make_room(keys);
                self.fill_groups(places, cells, arity, len, interner);
                self.filled = len;
            }
            _ => {
                // The first rows of a small relation come without many small steps.
                let room = len.min(MOST_AT_ONCE);
                self.entries.reserve(2 * room);
                self.chunks.reserve(room / 2);
            }
        }
        None
    }

    /// The place of the newest row of the key of a row, nowhere if the key is new; `None` if the row is not in the index. `key` is
    /// a buffer.
    #[inline]
    fn place_of<'h>(
        &self,
        heads: &'h mut Places,
        row: u32,
        cells: &[Value],
        arity: usize,
        interner: &Interner,
        key: &mut Vec<Value>,
    ) -> Option<&'h mut KeyPlace> {
        let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
        Some(match heads {
            Places::Dense { base, places } => {
                let [value] = self.form.read(cells_of(row), interner)?;
                &mut places[(value.0 - *base) as usize]
            }
            Places::Single(table) => {
                let [value] = self.form.read(cells_of(row), interner)?;
                let hash_of = |(value, _): &(Value, KeyPlace)| hash(&[*value]);
                let entry = table.entry(hash(&[value]), |(other, _)| *other == value, hash_of);
                &mut entry.or_insert((value, KeyPlace::NOWHERE)).into_mut().1
            }
            Places::Double(table) => {
                let values = self.form.read::<2>(cells_of(row), interner)?;
                let entry = table.entry(hash(&values), |(other, _)| *other == values, |(values, _)| hash(values));
                &mut entry.or_insert((values, KeyPlace::NOWHERE)).into_mut().1
            }
            Places::Table(table) => {
                if !self.read_key(cells_of(row), interner, key) {
                    return None;
                }
                let is_same = |&(other, _): &(u32, KeyPlace)| self.has_key(cells_of(other), key, interner);
                let hash_of = |&(other, _): &(u32, KeyPlace)| self.hash_of(cells_of(other), interner);
                &mut table.entry(hash(&*key), is_same, hash_of).or_insert((row, KeyPlace::NOWHERE)).into_mut().1
            }
        })
    }

    /// About how many keys the first rows have: by a bit for each hash of a key (linear counting, Whang, Vander-Zanden and Taylor, *A linear-time
    /// probabilistic counting algorithm for database applications*, TODS 1990).
    fn count_keys(&self, cells: &[Value], arity: usize, len: usize, interner: &Interner) -> usize {
        let mut key = Vec::with_capacity(self.key.parts.len());
        let mut hashes = FixedBitSet::with_capacity(len.next_power_of_two());
        let bits = hashes.len();
        for row in cells[..len * arity].chunks_exact(arity) {
            let hash = match self.form.columns() {
                Some(columns) => hash(columns.iter().map(|&column| &row[column])),
                None if self.read_key(row, interner, &mut key) => hash(&key),
                None => continue,
            };
            hashes.insert(hash as usize & (bits - 1));
        }
        let bits = bits as f64;
        let zeros = hashes.count_zeroes(..).max(1) as f64;
        ((bits * (bits / zeros).ln()) as usize).min(len)
    }

    /// Enters rows under heads that are told by their rows.
    fn enter_by_row(
        &mut self,
        table: &mut HashTable<Head>,
        rows: Range<u32>,
        cells: &[Value],
        arity: usize,
        interner: &Interner,
        key: &mut Vec<Value>,
    ) {
        let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
        for row in rows {
            if !self.read_key(cells_of(row), interner, key) {
                continue;
            }
            let is_same = |&head: &Head| self.has_key(cells_of(self.row_of(head)), key, interner);
            let hash_of = |&head: &Head| self.hash_of(cells_of(self.row_of(head)), interner);
            let (head, place) = match table.entry(hash(&*key), is_same, hash_of) {
                Entry::Occupied(entry) => {
                    let place = self.place_of_head(*entry.get());
                    (entry.into_mut(), place)
                }
                Entry::Vacant(entry) => (entry.insert(Head::NONE).into_mut(), KeyPlace::NOWHERE),
            };
            *head = self.enter(place, row, cells, arity).head;
        }
    }

    /// The hash of the key of a row, which is in the index.
    fn hash_of(&self, row: &[Value], interner: &Interner) -> u64 {
        match self.form.columns() {
            Some(columns) => hash(columns.iter().map(|&column| &row[column])),
            None => {
                let mut key = Vec::new();
                self.read_key(row, interner, &mut key);
                hash(&key)
            }
        }
    }

    /// Enters the first rows under hashed heads: the rows under one head are one run.
    fn fill_groups(&mut self, heads: &mut Places, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        let mut key = Vec::with_capacity(self.key.parts.len());
        // Each head is the number of its group, and each group counts its rows.
        let mut groups: Vec<Head> = Vec::with_capacity(len);
        let mut places: Vec<KeyPlace> = Vec::new();
        for row in 0..len as u32 {
            let Some(place) = self.place_of(heads, row, cells, arity, interner, &mut key) else {
                groups.push(Head::NONE);
                continue;
            };
            if place.is_nowhere() {
                *place = KeyPlace { head: Head(places.len() as u32), left: 1 };
                places.push(KeyPlace::NOWHERE);
            }
            places[place.head.0 as usize].left += 1;
            groups.push(place.head);
        }
        self.make_room(&mut places);
        let carried = self.carried;
        for (row, group) in (0..).zip(groups).filter(|(_, group)| *group != Head::NONE) {
            self.put(&mut places[group.0 as usize], KeyedRow::of(row, carried, cells, arity));
        }
        self.end_runs(places.iter_mut());
        heads.for_each(|place| *place = places[place.head.0 as usize]);
    }

    /// Enters the first rows by a plain column under dense heads that begin at `base`: the rows under one head are one
    /// run.
    fn fill(&mut self, places: &mut [KeyPlace], base: u32, column: usize, cells: &[Value], arity: usize) {
        let number = |row: &[Value]| (row[column].0 - base) as usize;
        for row in cells.chunks_exact(arity) {
            places[number(row)].left += 1;
        }
        self.make_room(places);
        let carried = self.carried.unwrap_or(column);
        for (number_of_row, row) in (0..).zip(cells.chunks_exact(arity)) {
            self.put(&mut places[number(row)], KeyedRow { row: number_of_row, value: row[carried] });
        }
        self.end_runs(places.iter_mut());
    }

    /// Makes room for the rows of places that have counted them: the head of each that has several is the number of its first entry then.
    fn make_room(&mut self, places: &mut [KeyPlace]) {
        let mut end = 0;
        for place in places.iter_mut().filter(|place| place.left > 1) {
            place.head = Head(end);
            end += place.left;
            self.most = self.most.max(place.left);
        }
        self.entries.extend_to(end as usize);
    }

    /// Enters the next row of a place that there is [room](Self::make_room) for.
    #[inline]
    fn put(&mut self, place: &mut KeyPlace, entry: KeyedRow) {
        if place.left > 1 {
            self.entries.set(place.head.0 as usize, entry);
            place.head.0 += 1;
        } else {
            place.head = Head(entry.row | Head::ROW);
        }
    }

    /// Makes runs of places whose rows have all been [put](Self::put).
    fn end_runs<'p>(&mut self, places: impl Iterator<Item = &'p mut KeyPlace>) {
        for place in places.filter(|place| place.left > 1) {
            let start = place.head.0 - place.left;
            place.head = Head::of_run(start).unwrap_or_else(|| {
                let len = place.left;
                self.chunks.push(Chunk { start, len, capacity: len, older: Head::NONE, before: 0 });
                Head(self.chunks.len() as u32 - 1)
            });
        }
    }

    /// Adds a row under a key; the place of the newest row then.
    #[inline]
    fn enter(&mut self, old: KeyPlace, row: u32, cells: &[Value], arity: usize) -> KeyPlace {
        let start = self.entries.len() as u32;
        let carried = self.carried;
        let entry = |row: u32| KeyedRow::of(row, carried, cells, arity);
        let mut head = old.head;
        if let (None, Some(start)) = (head.row(), head.run()) {
            // A run to which a row comes is a chunk without room.
            let len = old.left;
            self.chunks.push(Chunk { start, len, capacity: len, older: Head::NONE, before: 0 });
            head = Head(self.chunks.len() as u32 - 1);
        }
        let newer = match (head.row(), self.chunks.get_mut(head.0 as usize)) {
            (Some(first), _) => {
                self.entries.push(entry(first));
                self.entries.push(entry(row));
                Chunk { start, len: 2, capacity: 2, older: Head::NONE, before: 0 }
            }
            (None, Some(chunk)) if chunk.len < chunk.capacity => {
                self.entries.set((chunk.start + chunk.len) as usize, entry(row));
                chunk.len += 1;
                self.most = self.most.max(chunk.before + chunk.len);
                return KeyPlace { head, left: chunk.len };
            }
            (None, Some(chunk)) => {
                let before = chunk.before + chunk.len;
                let capacity = if before < DOUBLED { chunk.capacity * 2 } else { before / SPARE };
                self.entries.push(entry(row));
                self.entries.extend_to((start + capacity) as usize);
                Chunk { start, len: 1, capacity, older: head, before }
            }
            (None, None) => match Head::of_row(row) {
                Some(head) => return KeyPlace { head, left: 1 },
                None => {
                    self.entries.push(entry(row));
                    Chunk { start, len: 1, capacity: 1, older: Head::NONE, before: 0 }
                }
            },
        };
        self.most = self.most.max(newer.before + newer.len);
        self.chunks.push(newer);
        KeyPlace { head: Head(self.chunks.len() as u32 - 1), left: newer.len }
    }

    /// Chooses dense heads for a single column with a small range of ids, and widens them as needed.
    fn fit(&mut self, cells: &[Value], arity: usize, column: usize, len: usize) {
        let new = cells[self.filled * arity..len * arity].chunks_exact(arity).map(|row| row[column].0);
        let (mut low, mut high) = new.fold((u32::MAX, 0), |(low, high), id| (low.min(id), high.max(id)));
        match &mut self.heads {
            Heads::Places(Places::Dense { base, places }) => {
                let end = *base + (places.len() as u32 - 1);
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
            if matches!(self.heads, Heads::Places(Places::Dense { .. })) {
                self.heads = Heads::Places(Places::Single(HashTable::new()));
                self.clear();
            }
            return;
        }
        // Add room at the upper end, where new ids appear.
        let mut wider = vec![KeyPlace::NOWHERE; width + width / 2 + 1];
        if let Heads::Places(Places::Dense { base, places }) = &self.heads
            && self.filled > 0
        {
            let at = (*base - low) as usize;
            wider.resize(wider.len().max(at + places.len()), KeyPlace::NOWHERE);
            wider[at..at + places.len()].copy_from_slice(places);
        }
        // Stay within the id space.
        wider.truncate(((u32::MAX - low) as usize).saturating_add(1));
        self.heads = Heads::Places(Places::Dense { base: low, places: wider });
    }

    /// Writes the key of a row into `key`; `false` if the row is not in the index.
    fn read_key(&self, row: &[Value], interner: &Interner, key: &mut Vec<Value>) -> bool {
        key.clear();
        if let Some(columns) = self.form.columns() {
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
}
