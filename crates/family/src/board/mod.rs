//! Boards as graphs: cells with names, links between neighbors, and borders that sides own.
//!
//! Three cells that meet in every corner make a draw impossible: where two chains cross, they share a cell (Gale, *The
//! game of Hex and the Brouwer fixed-point theorem*, 1979). So the boards of Hex, Y and Havannah have hexagons, and the
//!
//! * [`hexagons`]: rhombus, cylinder, triangle and hexagon of hexagons.
//! * [`tiling`]: boards of other tilings, and of squares.
//! * [`picture`]: the facts that draw a board.

pub mod hexagons;
pub mod picture;
pub mod tiling;

use crate::rulesheet::{NodeName, Rulesheet};
use picture::PlanePoint;

/// A cell of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardCell {
    /// Its name.
    pub name: NodeName,
    /// Its center.
    pub center: PlanePoint,
    /// Its outline, corner by corner; a cell without one is a point.
    pub outline: Vec<PlanePoint>,
}

/// Cells at the edge of a board that count as one place to reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Border {
    /// Its name, a symbol.
    pub name: &'static str,
    /// The side or role that owns it, if one does.
    pub owner: Option<&'static str>,
    /// Its cells by number.
    pub cells: Vec<usize>,
    /// The direction in which the border lies, in degrees clockwise from the right.
    pub direction: f64,
}

/// The name of a row or a column, beside one of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardLabel {
    /// The cell by number.
    pub cell: usize,
    /// The side of the cell: `above` or `left`.
    pub side: &'static str,
    /// The name.
    pub name: String,
}

/// A board: a graph of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellGraph {
    /// The cells.
    pub cells: Vec<BoardCell>,
    /// Pairs of neighbors, each once.
    pub links: Vec<(usize, usize)>,
    /// The borders.
    pub borders: Vec<Border>,
    /// The names of rows and columns.
    pub labels: Vec<BoardLabel>,
}

impl CellGraph {
    /// The neighbors of each cell.
    pub fn neighbors(&self) -> Vec<Vec<usize>> {
        let mut neighbors = vec![Vec::new(); self.cells.len()];
        for &(cell, next) in &self.links {
            neighbors[cell].push(next);
            neighbors[next].push(cell);
        }
        neighbors
    }

    /// The number of the cell of a name.
    pub fn cell(&self, name: &str) -> Option<usize> {
        let name = NodeName::from(name);
        self.cells.iter().position(|cell| cell.name == name)
    }

    /// The board without some cells and all that belongs to them.
    #[must_use]
    pub fn without(&self, is_gone: impl Fn(usize) -> bool) -> CellGraph {
        let kept: Vec<usize> = (0..self.cells.len()).filter(|&cell| !is_gone(cell)).collect();
        let number = |cell: &usize| kept.binary_search(cell).ok();
        let links = self.links.iter().filter_map(|(cell, next)| Some((number(cell)?, number(next)?)));
        let border =
            |border: &Border| Border { cells: border.cells.iter().filter_map(number).collect(), ..border.clone() };
        let label = |label: &BoardLabel| Some(BoardLabel { cell: number(&label.cell)?, ..label.clone() });
        CellGraph {
            cells: kept.iter().map(|&cell| self.cells[cell].clone()).collect(),
            links: links.collect(),
            borders: self.borders.iter().map(border).collect(),
            labels: self.labels.iter().filter_map(label).collect(),
        }
    }

    /// Writes the board as facts: `(cell C)`, `(link C D)` and `(border B C)`.
    #[must_use]
    pub fn write(&self, sheet: Rulesheet) -> Rulesheet {
        let name = |cell: usize| &self.cells[cell].name;
        let cells = self.cells.iter().map(|cell| &cell.name);
        let links = self.links.iter().map(|&(cell, next)| (name(cell), name(next)));
        let sheet = sheet.paragraph("The board: cells, neighbors, borders.").facts("cell", cells).facts("link", links);
        self.borders.iter().fold(sheet, |sheet, border| {
            let cells = border.cells.iter().map(|&cell| (border.name, name(cell)));
            sheet.facts("border", cells)
        })
    }
}
