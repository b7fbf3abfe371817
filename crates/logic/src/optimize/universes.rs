//! The universes that the values of columns come from: which places share one, and how many values each has.

use ludolog_syntax::ast::{Name, Predicate};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The size of a universe of which no value is known.
const UNKNOWN_UNIVERSE: f64 = 10.0;

/// A place where a value can stand.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ValuePlace {
    /// A column of a relation.
    Column(Predicate, usize),
    /// The argument of a compound (functor, arity, index) at another place.
    Inside(usize, Name, usize, usize),
}

/// The places, by the universe that they share.
#[derive(Default)]
pub struct Universes {
    places: FxHashMap<ValuePlace, usize>,
    shared: UnionFind<usize>,
    /// The size of each universe, at its representative.
    size: Vec<f64>,
}

impl Universes {
    /// The number of a place, which is new if it was not known.
    pub fn place(&mut self, place: ValuePlace) -> usize {
        *self.places.entry(place).or_insert_with(|| {
            self.size.push(0.0);
            self.shared.new_set()
        })
    }

    /// The number of a place that is known.
    pub fn known(&self, place: &ValuePlace) -> Option<usize> {
        self.places.get(place).copied()
    }

    /// Makes two places share their universe.
    pub fn union(&mut self, a: usize, b: usize) {
        let a = self.shared.find_mut(a);
        let b = self.shared.find_mut(b);
        if self.shared.union(a, b) {
            let size = self.size[a].max(self.size[b]);
            self.size[self.shared.find(a)] = size;
        }
    }

    /// Notes that so many distinct values were seen at a place.
    pub fn note(&mut self, id: usize, distinct: f64) {
        let root = self.shared.find_mut(id);
        self.size[root] = self.size[root].max(distinct);
    }

    /// The size of a place's universe: the most distinct values seen at one of its places.
    pub fn size(&self, id: Option<usize>) -> f64 {
        match id.map(|id| self.size[self.shared.find(id)]) {
            Some(size) if size > 0.0 => size,
            _ => UNKNOWN_UNIVERSE,
        }
    }
}

/// The values at one place in a sample, terms or cells of a table, with their numbers.
pub struct SampledValues<V>(FxHashMap<V, usize>);

impl<V: Eq + Hash> SampledValues<V> {
    /// The values of a column.
    pub fn of(column: impl Iterator<Item = V>) -> Self {
        let mut values = Self::default();
        column.for_each(|value| values.count(value));
        values
    }

    /// Counts one more value.
    pub fn count(&mut self, value: V) {
        *self.0.entry(value).or_default() += 1;
    }

    /// The expected number of distinct values where each fact of the sample stands for `scale` facts.
    pub fn distinct(&self, scale: f64) -> f64 {
        let once = self.0.values().filter(|&&count| count == 1).count() as f64;
        scale.sqrt() * once + self.0.len() as f64 - once
    }
}

impl<V> Default for SampledValues<V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}
