//! Rows of ids, one after the other: what engines hand out where terms would cost many times the space.

use crate::value::Value;

/// Rows of one length.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    arity: usize,
    count: usize,
    cells: Vec<Value>,
}

impl Tuples {
    /// No rows, of so many columns.
    pub fn new(arity: usize) -> Self {
        Tuples { arity, count: 0, cells: Vec::new() }
    }

    /// `count` rows, whose cells are given row after row. Rows without columns have no cells.
    pub fn of_cells(arity: usize, count: usize, cells: Vec<Value>) -> Self {
        debug_assert_eq!(cells.len(), arity * count);
        Tuples { arity, count, cells }
    }

    /// Makes room for this many rows.
    pub fn reserve(&mut self, rows: usize) {
        self.cells.reserve_exact(rows * self.arity);
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[Value]) {
        debug_assert_eq!(row.len(), self.arity);
        self.cells.extend_from_slice(row);
        self.count += 1;
    }

    /// Removes all rows but the first ones.
    pub fn truncate(&mut self, rows: usize) {
        self.count = self.count.min(rows);
        self.cells.truncate(self.count * self.arity);
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The row of this number.
    #[inline]
    pub fn row(&self, row: usize) -> &[Value] {
        &self.cells[row * self.arity..(row + 1) * self.arity]
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        (0..self.count).map(|row| self.row(row))
    }

    /// The cells of all rows, row after row.
    pub fn cells(&self) -> &[Value] {
        &self.cells
    }

    /// The number of columns, and the cells, for those who reorder rows.
    pub(crate) fn cells_mut(&mut self) -> (usize, &mut Vec<Value>) {
        (self.arity, &mut self.cells)
    }
}
