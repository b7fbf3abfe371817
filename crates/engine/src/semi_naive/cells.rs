//! The cells of the rows of a relation: those that it has made, or those of a table, held without a copy until it changes.

use crate::value::Value;
use std::ops::Deref;
use std::sync::Arc;

/// Cells of rows, one row after the other.
pub enum Cells {
    Owned(Vec<Value>),
    /// Those of a table.
    Shared(Arc<Vec<Value>>),
}

/// Cells of rows that are read one by one, without a look at whole rows.
#[derive(Clone, Copy, Default)]
pub struct RowCells<'r> {
    pub cells: &'r [Value],
    pub arity: usize,
}

impl RowCells<'_> {
    #[inline]
    pub fn get(self, row: u32, column: u16) -> Value {
        self.cells[row as usize * self.arity + column as usize]
    }
}

impl Default for Cells {
    fn default() -> Self {
        Cells::Owned(Vec::new())
    }
}

impl Deref for Cells {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match self {
            Cells::Owned(cells) => cells,
            Cells::Shared(cells) => cells,
        }
    }
}

impl Cells {
    /// The cells to be changed: those of a table are copied first.
    #[inline]
    pub fn to_mut(&mut self) -> &mut Vec<Value> {
        match self {
            Cells::Owned(cells) => cells,
            Cells::Shared(_) => self.copied(),
        }
    }

    #[cold]
    fn copied(&mut self) -> &mut Vec<Value> {
        *self = Cells::Owned(self.to_vec());
        self.to_mut()
    }

    /// No cells, in the memory of these if it is theirs.
    pub fn clear(&mut self) {
        match self {
            Cells::Owned(cells) => cells.clear(),
            Cells::Shared(_) => *self = Cells::default(),
        }
    }

    /// Gives the room for more of them back.
    pub fn shrink_to_fit(&mut self) {
        if let Cells::Owned(cells) = self {
            cells.shrink_to_fit();
        }
    }

    pub fn into_vec(self) -> Vec<Value> {
        match self {
            Cells::Owned(cells) => cells,
            Cells::Shared(cells) => Arc::unwrap_or_clone(cells),
        }
    }

    pub fn bytes(&self) -> usize {
        let count = match self {
            Cells::Owned(cells) => cells.capacity(),
            Cells::Shared(cells) => cells.len(),
        };
        count * size_of::<Value>()
    }
}
