//! The universes that the values of columns come from: which places share one, and how many values each has.

use ludolog_syntax::ast::{Name, Predicate, Term};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

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

/// The values at one place in a sample, each with the number of its occurrences.
#[derive(Default)]
pub struct SampledValues<'t>(FxHashMap<&'t Term, usize>);

impl<'t> SampledValues<'t> {
    /// Counts one more value.
    pub fn count(&mut self, value: &'t Term) {
        *self.0.entry(value).or_default() += 1;
    }

    /// The expected number of distinct values where each fact of the sample stands for `scale` facts.
    pub fn distinct(&self, scale: f64) -> f64 {
        expected_distinct(self.0.values().copied(), scale)
    }
}

/// The expected number of distinct values, where `occurrences` tells how often each value of a sample occurs in it, and
/// each fact of the sample stands for `scale` facts.
pub fn expected_distinct(occurrences: impl Iterator<Item = usize>, scale: f64) -> f64 {
    let (once, repeated): (Vec<usize>, Vec<usize>) = occurrences.partition(|&count| count == 1);
    scale.sqrt() * once.len() as f64 + repeated.len() as f64
}
