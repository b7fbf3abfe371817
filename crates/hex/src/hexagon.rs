//! Boards of hexagons: what inferior cells, certificates and pictures need of a board besides its
//! [connections](ConnectionBoard).
//!
//! Six places lie around a cell, each a cell or beyond the board; and each cell has its hexagon in the plane. The
//! rhombus of Hex ([`Board`]) is one such board. Others have another outline, with a border that belongs to Red, Blue,
//! Red and Blue in turn, or, as the triangle of Y, to both players.

use super::board::{Board, Cell, Player, column_name};
use super::connection::ConnectionBoard;
use ludolog_picture::LabelSide;

/// The six directions around a cell of the rhombus as columns to the right and rows down, clockwise: right, below,
/// below left, left, above, above right. Cells in successive directions are neighbors of each other.
pub(super) const RING: [(isize, isize); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// The place next to a cell in one of the six directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbor {
    /// Another cell.
    Cell(Cell),
    /// Beyond the board: this player's edge. Beyond an obtuse corner edges of both players meet; which of them is named
    /// makes no difference, since the other one is beside it.
    Edge(Player),
    /// Beyond the board: a [side](super::board::Side) of a triangle. Two places lie there for each side that a cell touches.
    Side,
}

/// A board of hexagons with a corner at the top, in rows.
pub trait HexagonBoard: ConnectionBoard {
    /// The surroundings of a cell, clockwise from the right: right, lower right, lower left, left, upper left, upper
    /// right. Cells in successive directions are neighbors of each other.
    fn ring(self, cell: Cell) -> [Neighbor; 6];

    /// The place of the cell's hexagon: half widths of a hexagon from the left, and rows from the top. Cells side by
    /// side are two half widths apart.
    fn place(self, cell: Cell) -> (usize, usize);

    /// The names of rows and columns, each beside one of their cells.
    fn labels(self) -> Vec<(Cell, LabelSide, String)>;
}

impl HexagonBoard for Board {
    fn ring(self, cell: Cell) -> [Neighbor; 6] {
        RING.map(|(right, down)| {
            let row = self.row(cell).checked_add_signed(down);
            match (self.beside(cell, (right, down)), row.filter(|&row| row < self.height())) {
                (Some(next), _) => Neighbor::Cell(next),
                (None, _) if self.is_triangle() => Neighbor::Side,
                (None, None) => Neighbor::Edge(Player::Red),
                (None, Some(_)) => Neighbor::Edge(Player::Blue),
            }
        })
    }

    /// Each row of a rhombus is shifted by half a cell to the right of the one above, each row of a triangle to the left.
    fn place(self, cell: Cell) -> (usize, usize) {
        let row = self.row(cell);
        let start = if self.is_triangle() { self.height() - 1 - row } else { row };
        (2 * self.column(cell) + start, row)
    }

    fn labels(self) -> Vec<(Cell, LabelSide, String)> {
        let columns =
            (0..self.width()).filter_map(|column| Some((self.cell(column, 0)?, LabelSide::Above, column_name(column))));
        let rows =
            (0..self.height()).filter_map(|row| Some((self.cell(0, row)?, LabelSide::Left, (row + 1).to_string())));
        // The columns of a triangle begin in different rows.
        columns.filter(|_| !self.is_triangle()).chain(rows).collect()
    }
}
