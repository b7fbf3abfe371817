//! Sets of cells as bits.
//!
//! `CellSet<W>` has one bit for each cell of a board of at most 64·`W` cells, so that union, intersection and the test
//! for a common cell cost `W` machine instructions. [`by_width!`](crate::by_width) chooses the width for a board.

use super::board::{Board, Cell};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// The greatest width that [`by_width!`](crate::by_width) chooses: enough for a board of 19×19.
pub const MAX_WIDTH: usize = 6;

/// The most cells that [`by_width!`](crate::by_width) finds a width for.
pub const MAX_CELLS: usize = CellSet::<MAX_WIDTH>::CAPACITY;

/// Evaluates an expression with the least width of [`CellSet`]s that hold this many cells, as the constant of that name:
/// 1 up to a board of 8×8, 2 up to 11×11, 4 up to 16×16, 6 up to 19×19. `None` for more than [`MAX_CELLS`].
///
/// A page fetches the code of each width, so that its package has two: 2 and 6.
///
/// ```
/// use ludolog_hex::{Board, CellSet, by_width};
///
/// let board = Board::new(11, 11).unwrap();
/// assert_eq!(by_width!(board.len(), W => CellSet::<W>::CAPACITY), Some(128));
/// ```
#[macro_export]
macro_rules! by_width {
    ($cells:expr, $width:ident => $value:expr) => {
        match $cells {
            #[cfg(not(target_family = "wasm"))]
            0..=64 => {
                const $width: usize = 1;
                Some($value)
            }
            ..=128 => {
                const $width: usize = 2;
                Some($value)
            }
            #[cfg(not(target_family = "wasm"))]
            129..=256 => {
                const $width: usize = 4;
                Some($value)
            }
            ..=$crate::cells::MAX_CELLS => {
                const $width: usize = $crate::cells::MAX_WIDTH;
                Some($value)
            }
            _ => None,
        }
    };
}

/// A set of cells of one board, of at most 64·`W` cells. Points of positional games have a set of their own (`Points`), since 128
/// are enough for them and they need no width as a parameter.
// Its operations are plain loops: iterators would be compiled again in each part of the crate that uses sets, and make
// an edit here a third more expensive to build.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Vec<u64>", try_from = "Vec<u64>")]
pub struct CellSet<const W: usize>([u64; W]);

impl<const W: usize> CellSet<W> {
    /// The most cells that a board may have.
    pub const CAPACITY: usize = 64 * W;

    /// The set without cells.
    pub const EMPTY: CellSet<W> = CellSet([0; W]);

    /// All cells of the board.
    ///
    /// # Panics
    ///
    /// When the board has more cells than [`CellSet::CAPACITY`].
    pub fn all(board: Board) -> CellSet<W> {
        assert!(board.len() <= Self::CAPACITY, "{board} has more than {} cells", Self::CAPACITY);
        CellSet::first_cells(board.len())
    }

    /// The cells with an index below `count`.
    ///
    /// # Panics
    ///
    /// When `count` is more than [`CellSet::CAPACITY`].
    pub fn first_cells(count: usize) -> CellSet<W> {
        (0..count).map(Cell::from_index).collect()
    }

    /// The set of one cell.
    pub fn of(cell: Cell) -> CellSet<W> {
        let mut set = CellSet::EMPTY;
        set.insert(cell);
        set
    }

    /// Adds a cell.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// Removes a cell.
    #[inline]
    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] & 1 << (cell.index() % 64) != 0
    }

    /// The set with this cell.
    #[inline]
    pub fn with(mut self, cell: Cell) -> CellSet<W> {
        self.insert(cell);
        self
    }

    /// The set without this cell.
    #[inline]
    pub fn without(mut self, cell: Cell) -> CellSet<W> {
        self.remove(cell);
        self
    }

    /// The same cells in a set of another width, as far as they fit in.
    pub fn resized<const V: usize>(&self) -> CellSet<V> {
        let mut words = [0; V];
        let common = W.min(V);
        words[..common].copy_from_slice(&self.0[..common]);
        CellSet(words)
    }

    /// Whether the set has no cells.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; W]
    }

    /// The number of cells in the set.
    #[inline]
    pub fn len(&self) -> usize {
        let mut count = 0;
        for word in self.0 {
            count += word.count_ones();
        }
        count as usize
    }

    /// Whether all cells are in the other set too.
    #[inline]
    pub fn is_subset(&self, other: &CellSet<W>) -> bool {
        let mut outside = 0;
        for i in 0..W {
            outside |= self.0[i] & !other.0[i];
        }
        outside == 0
    }

    /// Whether no cell is in the other set too.
    #[inline]
    pub fn is_disjoint(&self, other: &CellSet<W>) -> bool {
        let mut common = 0;
        for i in 0..W {
            common |= self.0[i] & other.0[i];
        }
        common == 0
    }

    /// These cells and all that follow from them, where `next` gives what follows from a cell, perhaps by what is known so far.
    pub fn closed_under(self, mut next: impl FnMut(Cell, &CellSet<W>) -> CellSet<W>) -> CellSet<W> {
        let mut all = self;
        let mut todo = self;
        while let Some(cell) = todo.first() {
            todo.remove(cell);
            let found = next(cell, &all) - all;
            all |= found;
            todo |= found;
        }
        all
    }

    /// The first cell, row by row.
    #[inline]
    pub fn first(&self) -> Option<Cell> {
        for i in 0..W {
            if self.0[i] != 0 {
                return Some(Cell::from_index(64 * i + self.0[i].trailing_zeros() as usize));
            }
        }
        None
    }

    /// The cells, row by row.
    pub fn iter(&self) -> Iter<W> {
        Iter(*self)
    }
}

/// The cells of a set, row by row.
#[derive(Clone)]
pub struct Iter<const W: usize>(CellSet<W>);

impl<const W: usize> Iterator for Iter<W> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let cell = self.0.first()?;
        self.0.remove(cell);
        Some(cell)
    }
}

impl<const W: usize> IntoIterator for CellSet<W> {
    type Item = Cell;
    type IntoIter = Iter<W>;

    fn into_iter(self) -> Iter<W> {
        self.iter()
    }
}

impl<const W: usize> FromIterator<Cell> for CellSet<W> {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet<W> {
        let mut set = CellSet::EMPTY;
        for cell in cells {
            set.insert(cell);
        }
        set
    }
}

impl<const W: usize> From<CellSet<W>> for Vec<u64> {
    fn from(set: CellSet<W>) -> Vec<u64> {
        set.0.to_vec()
    }
}

impl<const W: usize> TryFrom<Vec<u64>> for CellSet<W> {
    type Error = TooManyCells;

    /// Takes sets of other widths too, as long as their cells fit.
    fn try_from(words: Vec<u64>) -> Result<CellSet<W>, TooManyCells> {
        let mut set = CellSet::EMPTY;
        for (i, word) in words.into_iter().enumerate().filter(|&(_, word)| word != 0) {
            *set.0.get_mut(i).ok_or(TooManyCells { capacity: Self::CAPACITY })? = word;
        }
        Ok(set)
    }
}

/// Cells do not fit into a [`CellSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyCells {
    /// The cells that the set has room for.
    pub capacity: usize,
}

impl fmt::Display for TooManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a cell beyond the first {}", self.capacity)
    }
}

impl std::error::Error for TooManyCells {}

impl<const W: usize> Default for CellSet<W> {
    fn default() -> CellSet<W> {
        CellSet::EMPTY
    }
}

impl<const W: usize> BitOrAssign for CellSet<W> {
    #[inline]
    fn bitor_assign(&mut self, other: CellSet<W>) {
        for i in 0..W {
            self.0[i] |= other.0[i];
        }
    }
}

impl<const W: usize> BitAndAssign for CellSet<W> {
    #[inline]
    fn bitand_assign(&mut self, other: CellSet<W>) {
        for i in 0..W {
            self.0[i] &= other.0[i];
        }
    }
}

impl<const W: usize> SubAssign for CellSet<W> {
    #[inline]
    fn sub_assign(&mut self, other: CellSet<W>) {
        for i in 0..W {
            self.0[i] &= !other.0[i];
        }
    }
}

impl<const W: usize> BitOr for CellSet<W> {
    type Output = CellSet<W>;
    #[inline]
    fn bitor(mut self, other: CellSet<W>) -> CellSet<W> {
        self |= other;
        self
    }
}

impl<const W: usize> BitAnd for CellSet<W> {
    type Output = CellSet<W>;
    #[inline]
    fn bitand(mut self, other: CellSet<W>) -> CellSet<W> {
        self &= other;
        self
    }
}

impl<const W: usize> Sub for CellSet<W> {
    type Output = CellSet<W>;
    #[inline]
    fn sub(mut self, other: CellSet<W>) -> CellSet<W> {
        self -= other;
        self
    }
}

impl<const W: usize> fmt::Debug for CellSet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Cell::number)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against the standard library's sets, on a board that needs six words.
        #[test]
        fn sets_are_sets(a in prop::collection::btree_set(0usize..361, 0..40), b in prop::collection::btree_set(0usize..361, 0..40)) {
            let set = |of: &BTreeSet<usize>| of.iter().map(|&i| Cell::from_index(i)).collect::<CellSet<6>>();
            let indices = |set: CellSet<6>| set.iter().map(Cell::index).collect::<BTreeSet<usize>>();
            let x = set(&a);
            let y = set(&b);
            prop_assert_eq!(indices(x | y), &a | &b);
            prop_assert_eq!(indices(x & y), &a & &b);
            prop_assert_eq!(indices(x - y), &a - &b);
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.is_disjoint(&y), a.is_disjoint(&b));
            prop_assert_eq!(x.first().map(Cell::index), a.first().copied());
            prop_assert_eq!((x & y).is_empty(), (&a & &b).is_empty());
        }
    }
}
