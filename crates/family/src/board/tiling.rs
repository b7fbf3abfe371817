//! Boards of other tilings, made of a board of columns and rows.
//!
//! The rhombus of Hex becomes 3.12.12 with a triangle wherever three cells meet, and 4.6.12 with a hexagon there and a
//! square between any two neighbors, which then touch no more. A board of squares becomes 4.8.8 with a small square
//! wherever four cells meet. In these three tilings three cells meet in every corner.

use super::hexagons::{column_and_row_labels, four_borders, name, rhombus};
use super::picture::{PlanePoint, polygon, towards};
use super::{BoardCell, CellGraph};
use ludolog_positional::hypergraph::letters;

/// The factor by which boards are drawn larger than that of Hex, since they have small cells.
const SCALE: f64 = 3.0;

/// The distance of the centers of the large cells, in hundredths of a unit.
const APART: f64 = 100.0 * SCALE;

/// Directions of the borders of a board of squares.
const SQUARE_BORDERS: [f64; 4] = [270.0, 90.0, 180.0, 0.0];

/// A tiling, by the numbers of corners of the cells that meet in each corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// 4.4.4.4: squares, of which four meet.
    Squares,
    /// 4.8.8: octagons and squares.
    Octagons,
    /// 3.12.12: dodecagons and triangles.
    Dodecagons,
    /// 4.6.12: dodecagons, hexagons and squares.
    DodecagonsApart,
}

/// The distance of the corners of a regular polygon from its center, with edges as far away as `apothem`.
fn radius(corners: usize, apothem: f64) -> f64 {
    apothem / (180.0 / corners as f64).to_radians().cos()
}

/// The center of some cells.
fn between(cells: &[&BoardCell]) -> PlanePoint {
    let mean = |of: fn(&BoardCell) -> f64| cells.iter().map(|cell| of(cell)).sum::<f64>() / cells.len() as f64;
    (mean(|cell| cell.center.0), mean(|cell| cell.center.1))
}

/// The direction from one place to another in degrees.
fn direction(from: PlanePoint, to: PlanePoint) -> f64 {
    (to.1 - from.1).atan2(to.0 - from.0).to_degrees()
}

impl Tiling {
    /// The board of a tiling with columns and rows of its largest cells. Red has top and bottom, blue left and right.
    pub fn board(self, columns: usize, rows: usize) -> CellGraph {
        match self {
            Tiling::Squares => squares(columns, rows),
            Tiling::Octagons => octagons(columns, rows),
            Tiling::Dodecagons => dodecagons(columns, rows),
            Tiling::DodecagonsApart => dodecagons_apart(columns, rows),
        }
    }
}

impl CellGraph {
    /// A cell in the middle of others, named after them and linked to them; its number.
    fn insert_between(&mut self, around: &[usize], outline: impl FnOnce(PlanePoint) -> Vec<PlanePoint>) -> usize {
        let cells: Vec<&BoardCell> = around.iter().map(|&cell| &self.cells[cell]).collect();
        let center = between(&cells);
        let cell = BoardCell {
            name: cells.iter().map(|cell| cell.name.to_string()).collect::<String>().into(),
            center,
            outline: outline(center),
        };
        let number = self.cells.len();
        self.cells.push(cell);
        self.links.extend(around.iter().map(|&next| (next, number)));
        number
    }
}

fn squares(columns: usize, rows: usize) -> CellGraph {
    let labels = column_and_row_labels(columns, rows, letters);
    let mut board = CellGraph { borders: four_borders(columns, rows), labels, ..CellGraph::default() };
    for (border, direction) in board.borders.iter_mut().zip(SQUARE_BORDERS) {
        border.direction = direction;
    }
    for number in 0..columns * rows {
        let column = number % columns;
        let row = number / columns;
        let center = (column as f64 * APART, row as f64 * APART);
        let outline = polygon(center, 4, radius(4, APART / 2.0), 45.0);
        board.cells.push(BoardCell { name: name(column, row).into(), center, outline });
        board.links.extend((column + 1 < columns).then_some((number, number + 1)));
        board.links.extend((row + 1 < rows).then_some((number, number + columns)));
    }
    board
}

fn octagons(columns: usize, rows: usize) -> CellGraph {
    let mut board = squares(columns, rows);
    let large = radius(8, APART / 2.0);
    for cell in &mut board.cells {
        cell.outline = polygon(cell.center, 8, large, 22.5);
    }
    // A square has corners where two octagons meet, and edges as long as theirs.
    let small = large * 22.5f64.to_radians().sin() * 2f64.sqrt();
    for row in 1..rows {
        for column in 1..columns {
            let last = row * columns + column;
            let around = [last - columns - 1, last - columns, last - 1, last];
            board.insert_between(&around, |center| polygon(center, 4, small, 0.0));
        }
    }
    board
}

/// The board of Hex at the scale of tilings, its cells dodecagons with edges as far from the center as `apothem`; and
/// the triples of cells that meet.
fn large_dodecagons(columns: usize, rows: usize, apothem: f64) -> (CellGraph, Vec<[usize; 3]>) {
    let mut board = rhombus(columns, rows);
    for cell in &mut board.cells {
        cell.center = (cell.center.0 * SCALE, cell.center.1 * SCALE);
        cell.outline = polygon(cell.center, 12, radius(12, apothem), 15.0);
    }
    let corners = (1..rows).flat_map(|row| (1..columns).map(move |column| row * columns + column));
    let meet = corners.flat_map(|last| {
        let [above, left] = [last - columns, last - 1];
        [[above - 1, above, left], [above, left, last]]
    });
    (board, meet.collect())
}

fn dodecagons(columns: usize, rows: usize) -> CellGraph {
    let (mut board, meet) = large_dodecagons(columns, rows, APART / 2.0);
    let edge = APART * 15f64.to_radians().tan();
    for around in meet {
        let first = board.cells[around[0]].center;
        board.insert_between(&around, |center| polygon(center, 3, edge / 3f64.sqrt(), direction(first, center)));
    }
    board
}

fn dodecagons_apart(columns: usize, rows: usize) -> CellGraph {
    // Two apothems of a dodecagon, (2 + √3) / 2 edges each, and a square's edge lie between centers.
    let edge = APART / (3.0 + 3f64.sqrt());
    let (mut board, meet) = large_dodecagons(columns, rows, edge * (2.0 + 3f64.sqrt()) / 2.0);
    let pairs = std::mem::take(&mut board.links);
    let squares: Vec<usize> = pairs
        .iter()
        .map(|&(cell, next)| {
            let turned = direction(board.cells[cell].center, board.cells[next].center);
            board.insert_between(&[cell, next], |center| polygon(center, 4, edge / 2f64.sqrt(), turned + 45.0))
        })
        .collect();
    for around in meet {
        let first = board.cells[around[0]].center;
        let hexagon = board.insert_between(&around, |center| {
            let corner = towards(center, edge, direction(first, center) + 30.0);
            polygon(center, 6, edge, direction(center, corner))
        });
        let is_around = |&(cell, next): &(usize, usize)| around.contains(&cell) && around.contains(&next);
        let beside =
            pairs.iter().zip(&squares).filter(|(pair, _)| is_around(pair)).map(|(_, &square)| (square, hexagon));
        board.links.extend(beside);
    }
    for border in &mut board.borders {
        let is_there = |&(cell, next): &(usize, usize)| border.cells.contains(&cell) && border.cells.contains(&next);
        let between: Vec<usize> =
            pairs.iter().zip(&squares).filter(|(pair, _)| is_there(pair)).map(|(_, &square)| square).collect();
        border.cells.extend(between);
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Tiling; 4] = [Tiling::Squares, Tiling::Octagons, Tiling::Dodecagons, Tiling::DodecagonsApart];

    #[test]
    fn cells_have_as_many_neighbors_as_corners_inside() {
        // Around the middle cell of 3x3, and around a small cell.
        let neighbors = |tiling: Tiling, name: &str| {
            let board = tiling.board(3, 3);
            board.neighbors()[board.cell(name).expect("a cell")].len()
        };
        assert_eq!(ALL.map(|tiling| neighbors(tiling, "b2")), [4, 8, 12, 12]);
        assert_eq!(neighbors(Tiling::Octagons, "a1b1a2b2"), 4);
        assert_eq!(neighbors(Tiling::Dodecagons, "b1a2b2"), 3);
        assert_eq!(neighbors(Tiling::DodecagonsApart, "b1a2b2"), 6);
        assert_eq!(neighbors(Tiling::DodecagonsApart, "b1b2"), 4);
    }

    /// Neighbors share an edge of their outlines, so both the links and the pictures are right.
    #[test]
    fn neighbors_share_an_edge() {
        let middles = |cell: &BoardCell| -> Vec<PlanePoint> {
            let next = cell.outline.iter().cycle().skip(1);
            cell.outline.iter().zip(next).map(|(a, b)| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)).collect()
        };
        for tiling in ALL {
            let board = tiling.board(4, 3);
            let is_linked = |a: usize, b: usize| board.links.contains(&(a, b)) || board.links.contains(&(b, a));
            for (a, cell) in board.cells.iter().enumerate() {
                for (b, other) in board.cells.iter().enumerate().skip(a + 1) {
                    let mut shared = middles(cell)
                        .into_iter()
                        .filter(|at| middles(other).iter().any(|other| (other.0 - at.0).hypot(other.1 - at.1) < 0.01));
                    assert_eq!(shared.next().is_some(), is_linked(a, b), "{tiling:?}: {} {}", cell.name, other.name);
                }
            }
        }
    }
}
