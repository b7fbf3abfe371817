//! Sets of points as bits, for games with up to 128 points.

use std::ops::{BitAnd, BitOr, Sub};

/// The number of a point in its game.
pub type Point = u32;

/// Most points of a game that is searched. Pairings have no such limit.
pub const MAX_POINTS: usize = 128;

/// A set of points with numbers below [`MAX_POINTS`]: always 128 bits, where sets of cells of Hex (`CellSet`) have
/// a width that grows with the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Points(pub u128);

impl Points {
    /// No points.
    pub const EMPTY: Points = Points(0);

    /// One point.
    pub fn one(point: Point) -> Points {
        Points(1 << point)
    }

    /// Whether the point is in the set.
    pub fn contains(self, point: Point) -> bool {
        self.0 >> point & 1 == 1
    }

    /// Whether all points are in the other set too.
    pub fn is_subset(self, other: Points) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the sets have a common point.
    pub fn meets(self, other: Points) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there are no points.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of points.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The least point.
    pub fn first(self) -> Option<Point> {
        (self.0 != 0).then(|| self.0.trailing_zeros())
    }

    /// The points, ascending.
    pub fn iter(self) -> impl Iterator<Item = Point> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let point = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(point)
        })
    }

    /// The set with this point too.
    pub fn with(self, point: Point) -> Points {
        Points(self.0 | 1 << point)
    }

    /// The set without this point.
    pub fn without(self, point: Point) -> Points {
        Points(self.0 & !(1 << point))
    }

    /// All points of these sets.
    pub fn union(sets: &[Points]) -> Points {
        Points(sets.iter().fold(0, |all, set| all | set.0))
    }
}

impl BitAnd for Points {
    type Output = Points;

    fn bitand(self, other: Points) -> Points {
        Points(self.0 & other.0)
    }
}

impl BitOr for Points {
    type Output = Points;

    fn bitor(self, other: Points) -> Points {
        Points(self.0 | other.0)
    }
}

impl Sub for Points {
    type Output = Points;

    fn sub(self, other: Points) -> Points {
        Points(self.0 & !other.0)
    }
}

impl FromIterator<Point> for Points {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Points {
        points.into_iter().fold(Points::EMPTY, Points::with)
    }
}

/// The sets without those that contain another, each once, smaller ones first: who claims a larger one has claimed the
/// smaller one already.
pub fn minimal(sets: &[Points]) -> Vec<Points> {
    let mut sorted = sets.to_vec();
    sorted.sort_unstable_by_key(|set| (set.len(), *set));
    sorted.dedup();
    let mut kept: Vec<Points> = Vec::with_capacity(sorted.len());
    for set in sorted {
        if !kept.iter().any(|smaller| smaller.is_subset(set)) {
            kept.push(set);
        }
    }
    kept
}
