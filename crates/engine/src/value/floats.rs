//! Floats as ids. There are as many as results of a computation, so that each takes no more than its bits and a place in a table.

use super::Value;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use ludolog_syntax::ast::Float;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::ops::{Index, IndexMut};

/// The bit that marks the id of a float among those of terms that are no small integers.
const FLOAT: u32 = 1 << 30;

/// The two-way table between floats and their ids.
#[derive(Clone, Debug, Default)]
pub struct Floats {
    list: Vec<Float>,
    /// Places in the list, by content.
    places: HashTable<u32>,
}

impl Floats {
    /// The id of a float, which is added if it is new.
    pub fn value(&mut self, float: Float) -> Value {
        let list = &mut self.list;
        let hash = FxBuildHasher.hash_one(float);
        let hash_of = |&place: &u32| FxBuildHasher.hash_one(list[place as usize]);
        let place = match self.places.entry(hash, |&place| list[place as usize] == float, hash_of) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let place = list.len() as u32;
                new.insert(place);
                list.push(float);
                place
            }
        };
        Value(FLOAT | place)
    }

    /// The id of a float, if it has one.
    pub fn find(&self, float: Float) -> Option<Value> {
        let is_same = |&place: &u32| self.list[place as usize] == float;
        let place = self.places.find(FxBuildHasher.hash_one(float), is_same);
        place.map(|place| Value(FLOAT | place))
    }

    /// The float of an id; `None` of other terms.
    #[inline]
    pub fn get(&self, value: Value) -> Option<Float> {
        // Ids with a higher bit are integers, of which the place is too high.
        self.list.get((value.0 ^ FLOAT) as usize).copied()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Entries for ids of an interner, but for those of small integers. They are in two ranges, in each of which they are dense.
#[derive(Clone, Debug, Default)]
pub struct IdTable<T> {
    pub(super) others: Vec<T>,
    pub(super) floats: Vec<T>,
}

impl<T> IdTable<T> {
    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.others.is_empty() && self.floats.is_empty()
    }

    /// The ids with their entries.
    pub fn iter(&self) -> impl Iterator<Item = (Value, &T)> {
        let others = (0..).map(Value).zip(&self.others);
        others.chain((FLOAT..).map(Value).zip(&self.floats))
    }

    /// The entry of an id, which is made if there is none.
    #[inline]
    pub fn entry(&mut self, value: Value) -> &mut T
    where
        T: Clone + Default,
    {
        let range = if value.0 & FLOAT == 0 { &mut self.others } else { &mut self.floats };
        let place = (value.0 & !FLOAT) as usize;
        if range.len() <= place {
            range.resize(place + 1, T::default());
        }
        &mut range[place]
    }
}

impl<T> Index<Value> for IdTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, value: Value) -> &T {
        if value.0 & FLOAT == 0 { &self.others[value.0 as usize] } else { &self.floats[(value.0 ^ FLOAT) as usize] }
    }
}

impl<T> IndexMut<Value> for IdTable<T> {
    #[inline]
    fn index_mut(&mut self, value: Value) -> &mut T {
        if value.0 & FLOAT == 0 {
            &mut self.others[value.0 as usize]
        } else {
            &mut self.floats[(value.0 ^ FLOAT) as usize]
        }
    }
}
