//! Sets of points as bits: 128 for each word, of which a game has as many as its points need.

use std::hash::{Hash, Hasher};
use std::ops::{BitAnd, BitOr, Sub};

/// The number of a point in its game.
pub type Point = u32;

/// Most points of a game that is searched. Pairings have no such limit, matching sets that of [`MAX_MATCHED`].
pub const MAX_POINTS: usize = WORD;

/// Most points of a game in which matching sets are looked for, those of the widest [`Points`] that are compiled.
pub const MAX_MATCHED: usize = 16 * WORD;

/// Points of a word.
const WORD: usize = 128;

/// A set of points with numbers below 128 · `N`. Searches have one word; a game of more points has sets of more words, each of a width that is
/// known when compiling, so that one word costs what a plain number does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points<const N: usize = 1>(pub [u128; N]);

impl<const N: usize> Points<N> {
    /// No points.
    pub const EMPTY: Points<N> = Points([0; N]);

    /// One point.
    pub fn one(point: Point) -> Points<N> {
        Points::EMPTY.with(point)
    }

    /// Whether the point is in the set.
    pub fn contains(self, point: Point) -> bool {
        self.0[word::<N>(point)] >> bit(point) & 1 == 1
    }

    /// Whether all points are in the other set too.
    pub fn is_subset(self, other: Points<N>) -> bool {
        (self - other).is_empty()
    }

    /// Whether the sets have a common point.
    pub fn meets(self, other: Points<N>) -> bool {
        !(self & other).is_empty()
    }

    /// Whether there are no points.
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The number of points.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The least point.
    pub fn first(self) -> Option<Point> {
        let number = self.0.iter().position(|word| *word != 0)?;
        Some((number * WORD) as Point + self.0[number].trailing_zeros())
    }

    /// The points, ascending.
    pub fn iter(self) -> impl Iterator<Item = Point> + Clone {
        let mut rest = self;
        std::iter::from_fn(move || {
            let number = rest.0.iter().position(|word| *word != 0)?;
            let word = &mut rest.0[number];
            let point = (number * WORD) as Point + word.trailing_zeros();
            *word &= *word - 1;
            Some(point)
        })
    }

    /// The set with this point too.
    pub fn with(mut self, point: Point) -> Points<N> {
        self.0[word::<N>(point)] |= 1 << bit(point);
        self
    }

    /// The set without this point.
    pub fn without(mut self, point: Point) -> Points<N> {
        self.0[word::<N>(point)] &= !(1 << bit(point));
        self
    }

    /// All points of these sets.
    pub fn union(sets: &[Points<N>]) -> Points<N> {
        sets.iter().fold(Points::EMPTY, |all, set| all | *set)
    }

    fn zip(self, other: Points<N>, combine: impl Fn(u128, u128) -> u128) -> Points<N> {
        Points(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}

/// The number of the word of a point. The remainder changes no number that a set may have; with it, no bound is checked.
fn word<const N: usize>(point: Point) -> usize {
    point as usize / WORD % N
}

fn bit(point: Point) -> u32 {
    point % WORD as u32
}

impl<const N: usize> Default for Points<N> {
    fn default() -> Self {
        Points::EMPTY
    }
}

/// Word by word: a slice would add its length.
impl<const N: usize> Hash for Points<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|word| word.hash(state));
    }
}

impl<const N: usize> BitAnd for Points<N> {
    type Output = Points<N>;

    fn bitand(self, other: Points<N>) -> Points<N> {
        self.zip(other, |one, other| one & other)
    }
}

impl<const N: usize> BitOr for Points<N> {
    type Output = Points<N>;

    fn bitor(self, other: Points<N>) -> Points<N> {
        self.zip(other, |one, other| one | other)
    }
}

impl<const N: usize> Sub for Points<N> {
    type Output = Points<N>;

    fn sub(self, other: Points<N>) -> Points<N> {
        self.zip(other, |one, other| one & !other)
    }
}

impl<const N: usize> FromIterator<Point> for Points<N> {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Points<N> {
        points.into_iter().fold(Points::EMPTY, Points::with)
    }
}

/// The sets without those that contain another, each once, smaller ones first: who claims a larger one has claimed the
/// smaller one already.
pub fn minimal<const N: usize>(sets: &[Points<N>]) -> Vec<Points<N>> {
    let mut sorted = sets.to_vec();
    sorted.sort_unstable_by_key(|set| (set.len(), *set));
    sorted.dedup();
    let mut kept: Vec<Points<N>> = Vec::with_capacity(sorted.len());
    for set in sorted {
        if !kept.iter().any(|smaller| smaller.is_subset(set)) {
            kept.push(set);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Sets of three words, and of one, against sets of the standard library.
        #[test]
        fn points_are_sets(a in prop::collection::btree_set(0u32..384, 0..9), b in prop::collection::btree_set(0u32..384, 0..9)) {
            let bits = |set: &BTreeSet<Point>| set.iter().copied().collect::<Points<3>>();
            let [x, y] = [bits(&a), bits(&b)];
            let same = |bits: Points<3>, set: BTreeSet<Point>| bits.iter().eq(set);
            prop_assert!(same(x & y, &a & &b) && same(x | y, &a | &b) && same(x - y, &a - &b));
            prop_assert_eq!((x.len(), x.first(), x.is_empty()), (a.len(), a.first().copied(), a.is_empty()));
            prop_assert_eq!((x.is_subset(y), x.meets(y)), (a.is_subset(&b), !a.is_disjoint(&b)));
            for point in b {
                prop_assert_eq!((x.contains(point), x.with(point).contains(point), x.without(point).contains(point)), (a.contains(&point), true, false));
            }
        }
    }
}
