//! Indices: the rows of a relation by the parts that a plan binds.
//!
//! A key part is a path into a row: a column, or a place inside the compound in that column, so that
//! `true(cell(X, Y, b))` with `X` bound finds its rows directly. Rows under one key form a chain from the newest to the
//! oldest, so that the delta is the front of a chain and the old rows are its tail.

use super::members::hash;
use crate::value::{Functor, Interner, Value};
use hashbrown::HashTable;

/// A place in a row: the column, then argument positions inside compounds.
pub type Path = Vec<u16>;

/// The key of an index.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Key {
    /// Compounds that must stand at these places; other rows are not in the index. Outer ones come first.
    pub guards: Vec<(Path, Functor)>,
    /// The places whose values make the key.
    pub parts: Vec<Path>,
}

/// No row: the end of a chain.
pub const END: u32 = u32::MAX;

/// Dense heads take 4 bytes per id of the range; with this many per row they take about as much as a hash table.
const MOST_HEADS_PER_ROW: usize = 4;

/// Ranges up to this width are dense however few the rows: they take a few KiB.
const ALWAYS_DENSE: usize = 1024;

enum Heads {
    /// Chain heads by id minus `base`: for one plain column with a small range of ids.
    Dense { base: u32, heads: Vec<u32> },
    /// Chain heads by hash of the key.
    Table(HashTable<u32>),
}

/// A multimap from keys to row numbers.
pub struct Index {
    key: Key,
    /// The columns of the key when all parts are plain columns and nothing is guarded.
    columns: Option<Vec<usize>>,
    heads: Heads,
    /// For each row the next older one under the same key.
    next: Vec<u32>,
}

impl Index {
    pub fn new(key: Key) -> Self {
        let plain = key.guards.is_empty() && key.parts.iter().all(|path| path.len() == 1);
        let columns = plain.then(|| key.parts.iter().map(|path| path[0] as usize).collect());
        Self { key, columns, heads: Heads::Table(HashTable::new()), next: Vec::new() }
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The number of rows entered.
    #[inline]
    pub fn filled(&self) -> usize {
        self.next.len()
    }

    pub fn clear(&mut self) {
        self.next.clear();
        match &mut self.heads {
            Heads::Dense { heads, .. } => heads.fill(END),
            Heads::Table(table) => table.clear(),
        }
    }

    /// Enters the rows up to `len`.
    pub fn catch_up(&mut self, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        if let Some([column]) = self.columns.as_deref() {
            let column = *column;
            self.fit(cells, arity, column, len);
            if let Heads::Dense { base, heads } = &mut self.heads {
                self.next.reserve(len - self.next.len());
                for row in self.next.len()..len {
                    let head = &mut heads[(cells[row * arity + column].0 - *base) as usize];
                    self.next.push(std::mem::replace(head, row as u32));
                }
                return;
            }
        }
        let Heads::Table(mut table) = std::mem::replace(&mut self.heads, Heads::Table(HashTable::new())) else {
            unreachable!("dense heads are for one plain column")
        };
        let cells_of = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
        let mut key = Vec::with_capacity(self.key.parts.len());
        for row in self.next.len() as u32..len as u32 {
            let mut older = END;
            if self.read_key(cells_of(row), interner, &mut key) {
                match table.find_mut(hash(&key), |&head| self.has_key(cells_of(head), &key, interner)) {
                    Some(head) => older = std::mem::replace(head, row),
                    None => {
                        table.insert_unique(hash(&key), row, |&head| {
                            let mut other = Vec::new();
                            self.read_key(cells_of(head), interner, &mut other);
                            hash(&other)
                        });
                    }
                }
            }
            self.next.push(older);
        }
        self.heads = Heads::Table(table);
    }

    /// Chooses dense heads for a single column with a small range of ids, and widens them as needed.
    fn fit(&mut self, cells: &[Value], arity: usize, column: usize, len: usize) {
        let new = cells[self.next.len() * arity..len * arity].chunks_exact(arity).map(|row| row[column].0);
        let (mut low, mut high) = new.fold((u32::MAX, 0), |(low, high), id| (low.min(id), high.max(id)));
        match &mut self.heads {
            Heads::Dense { base, heads } => {
                let end = *base + (heads.len() as u32 - 1);
                if low >= *base && high <= end {
                    return;
                }
                (low, high) = (low.min(*base), high.max(end));
            }
            Heads::Table(_) if self.next.is_empty() => {}
            Heads::Table(_) => return,
        }
        let width = (high - low) as usize;
        let filled = self.next.len();
        if width > MOST_HEADS_PER_ROW * len + ALWAYS_DENSE {
            // Too sparse: reenter all rows, by hash.
            if matches!(self.heads, Heads::Dense { .. }) {
                self.heads = Heads::Table(HashTable::new());
                self.next.clear();
            }
            return;
        }
        // Add room at the upper end, where new ids appear.
        let mut wider = vec![END; width + width / 2 + 1];
        if let Heads::Dense { base, heads } = &self.heads
            && filled > 0
        {
            let at = (*base - low) as usize;
            wider.resize(wider.len().max(at + heads.len()), END);
            wider[at..at + heads.len()].copy_from_slice(heads);
        }
        // Stay within the id space.
        wider.truncate((u32::MAX - low) as usize + 1);
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

    /// The newest row under `key`, or [`END`].
    #[inline]
    pub fn first(&self, key: &[Value], cells: &[Value], arity: usize, interner: &Interner) -> u32 {
        match &self.heads {
            Heads::Dense { base, heads } => heads.get(key[0].0.wrapping_sub(*base) as usize).copied().unwrap_or(END),
            Heads::Table(table) => {
                let row_of = |head: u32| &cells[head as usize * arity..(head as usize + 1) * arity];
                table.find(hash(key), |&head| self.has_key(row_of(head), key, interner)).copied().unwrap_or(END)
            }
        }
    }

    /// Whether a row of the index has this key.
    #[inline]
    fn has_key(&self, row: &[Value], key: &[Value], interner: &Interner) -> bool {
        match &self.columns {
            Some(columns) => columns.iter().zip(key).all(|(&column, &value)| row[column] == value),
            None => self.key.parts.iter().zip(key).all(|(path, &value)| value_at(row, path, interner) == Some(value)),
        }
    }

    /// The next older row under the same key, or [`END`].
    #[inline]
    pub fn next(&self, row: u32) -> u32 {
        self.next[row as usize]
    }

    pub fn bytes(&self) -> usize {
        let heads = match &self.heads {
            Heads::Dense { heads, .. } => heads.capacity() * 4,
            Heads::Table(table) => table.allocation_size(),
        };
        heads + self.next.capacity() * 4
    }
}

fn value_at(row: &[Value], path: &[u16], interner: &Interner) -> Option<Value> {
    let (&column, inner) = path.split_first()?;
    inner.iter().try_fold(row[column as usize], |value, &position| {
        interner.as_compound(value)?.1.get(position as usize).copied()
    })
}
