//! Fact tables: insertion-ordered sets of rows with an index for each binding pattern that the code uses.
//!
//! An index has one chain of row ids per key, so that the state of a scan is a single row id. A deleted row stays in
//! its chains as a tombstone until half of the rows are dead; then the table is rebuilt. So insertion, deletion and the
//! step to the next row take amortized constant time, and scans visit rows in insertion order.

use crate::value::Value;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The position of a row in its table. Deletion may renumber rows and invalidates it.
pub type RowId = u32;

const END: RowId = RowId::MAX;

/// Dead rows up to this number are kept: rebuilding small tables again and again would cost more.
const FEW_DEAD: usize = 16;

/// The rows of a chain that are expected where an index is made for rows that there are.
const EXPECTED_LENGTH: usize = 4;

/// The access path to the rows that agree with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAccess {
    /// The key is empty: all rows.
    All,
    /// The key is the whole row.
    Whole,
    Index(u32),
}

#[derive(Clone, Debug)]
struct TableIndex {
    columns: Box<[usize]>,
    chains: Chains,
}

/// The rows with the same key, in the order of insertion.
#[derive(Clone, Debug)]
struct Chains {
    /// The first and last row of each chain; the first row gives the key.
    ends: HashTable<(RowId, RowId)>,
    /// The next row of the same chain, by row.
    next: Vec<RowId>,
}

#[derive(Clone, Debug)]
pub struct Table {
    arity: usize,
    values: Vec<Value>,
    live: Vec<bool>,
    dead: usize,
    /// The live rows.
    whole: HashTable<RowId>,
    indices: Vec<TableIndex>,
}

#[inline]
fn hash(key: impl IntoIterator<Item = Value>) -> u64 {
    let mut hasher = FxHasher::default();
    for value in key {
        hasher.write_u32(value.0);
    }
    hasher.finish()
}

/// The row at `id` in a flat store of rows.
#[inline]
fn row_in(values: &[Value], arity: usize, id: RowId) -> &[Value] {
    &values[id as usize * arity..][..arity]
}

impl TableIndex {
    fn append(&mut self, values: &[Value], arity: usize, id: RowId) {
        match *self.columns {
            // The usual case, without a loop over columns.
            [column] => {
                let key_of = |id: RowId| row_in(values, arity, id)[column];
                let key = key_of(id);
                self.chains.append(id, |id| hash([key_of(id)]), |id| key_of(id) == key);
            }
            ref columns => {
                let key_of = |id: RowId| columns.iter().map(move |&c| row_in(values, arity, id)[c]);
                self.chains.append(id, |id| hash(key_of(id)), |other| key_of(other).eq(key_of(id)));
            }
        }
    }
}

impl Chains {
    #[inline]
    fn append(&mut self, id: RowId, hash_of: impl Fn(RowId) -> u64, has_key: impl Fn(RowId) -> bool) {
        self.next.push(END);
        match self.ends.entry(hash_of(id), |&(first, _)| has_key(first), |&(first, _)| hash_of(first)) {
            hashbrown::hash_table::Entry::Occupied(mut chain) => {
                let last = &mut chain.get_mut().1;
                self.next[*last as usize] = id;
                *last = id;
            }
            hashbrown::hash_table::Entry::Vacant(place) => {
                place.insert((id, id));
            }
        }
    }
}

impl Table {
    pub fn new(arity: usize) -> Self {
        Self { arity, values: Vec::new(), live: Vec::new(), dead: 0, whole: HashTable::new(), indices: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    pub fn len(&self) -> usize {
        self.whole.len()
    }

    #[inline]
    pub fn row(&self, id: RowId) -> &[Value] {
        row_in(&self.values, self.arity, id)
    }

    /// All rows in the order of insertion.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.live.len()).filter(|&id| self.live[id]).map(|id| self.row(id as RowId))
    }

    /// Adds a row; `false` if it is in the table already.
    pub fn insert(&mut self, row: &[Value]) -> bool {
        let values = &self.values;
        let arity = self.arity;
        let entry = self.whole.entry(
            hash(row.iter().copied()),
            |&id| row_in(values, arity, id) == row,
            |&id| hash(row_in(values, arity, id).iter().copied()),
        );
        let hashbrown::hash_table::Entry::Vacant(place) = entry else {
            return false;
        };
        let id = self.live.len() as RowId;
        place.insert(id);
        self.live.push(true);
        self.values.extend_from_slice(row);
        for index in &mut self.indices {
            index.append(&self.values, arity, id);
        }
        true
    }

    /// Deletes a row; `false` if it is not in the table.
    pub fn remove(&mut self, row: &[Value]) -> bool {
        let values = &self.values;
        let arity = self.arity;
        let found = self.whole.find_entry(hash(row.iter().copied()), |&id| row_in(values, arity, id) == row);
        let Ok(entry) = found else {
            return false;
        };
        let (id, _) = entry.remove();
        self.live[id as usize] = false;
        self.dead += 1;
        if self.dead > FEW_DEAD && self.dead > self.len() {
            self.compact();
        }
        true
    }

    /// Deletes all rows. Indices keep their numbers, which compiled code contains.
    pub fn clear(&mut self) {
        *self = self.empty();
    }

    /// A table without rows, with the same indices.
    fn empty(&self) -> Table {
        let mut empty = Table::new(self.arity);
        for index in &self.indices {
            empty.access(&index.columns);
        }
        empty
    }

    /// Rebuilds the table from its live rows.
    fn compact(&mut self) {
        let mut fresh = self.empty();
        for row in self.rows() {
            fresh.insert(row);
        }
        *self = fresh;
    }

    /// The access path to the rows with given values in `columns` (ascending); creates the index if there is none.
    pub fn access(&mut self, columns: &[usize]) -> TableAccess {
        if columns.len() == self.arity {
            return TableAccess::Whole;
        }
        if columns.is_empty() {
            return TableAccess::All;
        }
        if let Some(known) = self.indices.iter().position(|index| *index.columns == *columns) {
            return TableAccess::Index(known as u32);
        }
        let rows = self.live.len();
        let ends = HashTable::with_capacity(rows / EXPECTED_LENGTH);
        let chains = Chains { ends, next: Vec::with_capacity(rows) };
        let mut index = TableIndex { columns: columns.into(), chains };
        for id in 0..rows {
            index.append(&self.values, self.arity, id as RowId);
        }
        self.indices.push(index);
        TableAccess::Index(self.indices.len() as u32 - 1)
    }

    /// The first row that agrees with `key` in the columns of `access`.
    #[inline]
    pub fn first(&self, access: TableAccess, key: &[Value]) -> Option<RowId> {
        match access {
            TableAccess::All => self.skip_dead(access, 0),
            TableAccess::Whole => self.whole.find(hash(key.iter().copied()), |&id| self.row(id) == key).copied(),
            TableAccess::Index(i) => {
                let index = &self.indices[i as usize];
                let agrees = |&(first, _): &(RowId, RowId)| {
                    let row = self.row(first);
                    index.columns.iter().zip(key).all(|(&c, value)| row[c] == *value)
                };
                let (first, _) = index.chains.ends.find(hash(key.iter().copied()), agrees)?;
                self.skip_dead(access, *first)
            }
        }
    }

    /// The row after `id` with the same key.
    #[inline]
    pub fn next(&self, access: TableAccess, id: RowId) -> Option<RowId> {
        self.skip_dead(access, self.successor(access, id))
    }

    #[inline]
    fn successor(&self, access: TableAccess, id: RowId) -> RowId {
        match access {
            TableAccess::All => id + 1,
            TableAccess::Whole => END,
            TableAccess::Index(i) => self.indices[i as usize].chains.next[id as usize],
        }
    }

    #[inline]
    fn skip_dead(&self, access: TableAccess, mut id: RowId) -> Option<RowId> {
        while !*self.live.get(id as usize)? {
            id = self.successor(access, id);
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An operation on a table and on its model, a plain list of rows.
    #[derive(Clone, Debug)]
    enum TableAction {
        Insert([u32; 3]),
        Remove([u32; 3]),
    }

    fn action() -> impl Strategy<Value = TableAction> {
        let row = || [0..4u32, 0..4u32, 0..3u32];
        prop_oneof![3 => row().prop_map(TableAction::Insert), 2 => row().prop_map(TableAction::Remove)]
    }

    fn scan(table: &Table, access: TableAccess, key: &[Value]) -> Vec<Vec<Value>> {
        let mut found = Vec::new();
        let mut at = table.first(access, key);
        while let Some(id) = at {
            found.push(table.row(id).to_vec());
            at = table.next(access, id);
        }
        found
    }

    proptest! {
        #[test]
        fn table_agrees_with_a_plain_list(actions in proptest::collection::vec(action(), 0..200), late in 0..200usize) {
            let mut table = Table::new(3);
            let early = table.access(&[1]);
            let mut model: Vec<Vec<Value>> = Vec::new();
            for (i, action) in actions.iter().enumerate() {
                if i == late {
                    table.access(&[0, 2]);
                }
                match action {
                    TableAction::Insert(row) => {
                        let row = row.map(Value).to_vec();
                        prop_assert_eq!(table.insert(&row), !model.contains(&row));
                        if !model.contains(&row) {
                            model.push(row);
                        }
                    }
                    TableAction::Remove(row) => {
                        let row = row.map(Value).to_vec();
                        prop_assert_eq!(table.remove(&row), model.contains(&row));
                        model.retain(|r| *r != row);
                    }
                }
            }
            prop_assert_eq!(table.len(), model.len());
            prop_assert_eq!(table.rows().map(<[Value]>::to_vec).collect::<Vec<_>>(), model.clone());
            let all = table.access(&[]);
            prop_assert_eq!(scan(&table, all, &[]), model.clone());
            let pair = table.access(&[0, 2]);
            let whole = table.access(&[0, 1, 2]);
            for a in (0..4).map(Value) {
                let of_a: Vec<_> = model.iter().filter(|row| row[1] == a).cloned().collect();
                prop_assert_eq!(scan(&table, early, &[a]), of_a);
                for b in (0..3).map(Value) {
                    let of_both: Vec<_> = model.iter().filter(|row| row[0] == a && row[2] == b).cloned().collect();
                    prop_assert_eq!(scan(&table, pair, &[a, b]), of_both);
                    let row = vec![a, b, b];
                    prop_assert_eq!(scan(&table, whole, &row).len(), usize::from(model.contains(&row)));
                }
            }
        }
    }

    #[test]
    fn a_table_without_columns_holds_one_row_at_most() {
        let mut table = Table::new(0);
        let access = table.access(&[]);
        assert_eq!(table.first(access, &[]), None);
        assert!(table.insert(&[]));
        assert!(!table.insert(&[]));
        assert_eq!(table.rows().count(), 1);
        assert!(table.first(access, &[]).is_some());
        assert!(table.remove(&[]));
        assert_eq!(table.first(access, &[]), None);
    }
}
