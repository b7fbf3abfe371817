//! Boards of hexagons with a corner at the top, in rows, each shifted by half a cell to the right of the one above.
//!
//! A cell is a column and a row, both from 0, and its neighbors are right, below, below left and the opposite ones:
//! `b3` is column 1, row 2.

use super::picture::{PlanePoint, polygon};
use super::{BoardCell, BoardLabel, Border, CellGraph};
use crate::rulesheet::NodeName;
use ludolog_positional::hypergraph::letters;
use std::collections::HashMap;

/// The distance of the centers of neighbors, in hundredths of a unit.
const APART: f64 = 100.0;

/// The three directions, as columns and rows, that together with their opposites lead to all neighbors.
const FORWARD: [(isize, isize); 3] = [(1, 0), (0, 1), (-1, 1)];

/// Directions of borders in degrees clockwise from the right. A column goes down to the right by 60 degrees.
const TOP: f64 = 270.0;
const RIGHT: f64 = 330.0;
const BOTTOM: f64 = 90.0;
const LEFT: f64 = 150.0;

/// The name of a cell by its column and row, both from 0.
pub fn name(column: usize, row: usize) -> String {
    format!("{}{}", letters(column), row + 1)
}

fn center(column: isize, row: isize) -> PlanePoint {
    let column = column as f64;
    let row = row as f64;
    (APART * (column + row / 2.0), APART * row * 3f64.sqrt() / 2.0)
}

fn hexagon(name: NodeName, center: PlanePoint) -> BoardCell {
    BoardCell { name, center, outline: polygon(center, 6, APART / 3f64.sqrt(), 30.0) }
}

/// The board of cells at these columns and rows, without borders and labels.
fn of_places(places: &[(isize, isize)], name: impl Fn(isize, isize) -> NodeName) -> CellGraph {
    let cells = places.iter().map(|&(column, row)| hexagon(name(column, row), center(column, row)));
    let numbers: HashMap<(isize, isize), usize> = places.iter().copied().zip(0..).collect();
    let links = places.iter().enumerate().flat_map(|(number, &(column, row))| {
        let next = FORWARD.map(|(right, down)| numbers.get(&(column + right, row + down)).copied());
        next.into_iter().flatten().map(move |next| (number, next))
    });
    CellGraph { cells: cells.collect(), links: links.collect(), ..CellGraph::default() }
}

/// The four borders of a board of columns and rows whose cells come row by row: red has top and bottom, blue left and
/// right.
pub(super) fn four_borders(columns: usize, rows: usize) -> Vec<Border> {
    let border = |name, owner, cells: Vec<usize>, direction| Border { name, owner: Some(owner), cells, direction };
    vec![
        border("top", "red", (0..columns).collect(), TOP),
        border("bottom", "red", ((rows - 1) * columns..rows * columns).collect(), BOTTOM),
        border("left", "blue", (0..rows).map(|row| row * columns).collect(), LEFT),
        border("right", "blue", (1..=rows).map(|row| row * columns - 1).collect(), RIGHT),
    ]
}

/// Columns and rows, row by row.
fn places(columns: usize, rows: usize) -> Vec<(isize, isize)> {
    (0..rows as isize).flat_map(|row| (0..columns as isize).map(move |column| (column, row))).collect()
}

fn name_of(column: isize, row: isize) -> NodeName {
    name(column as usize, row as usize).into()
}

/// The labels of a board of columns and rows whose cells come row by row.
pub(super) fn column_and_row_labels(columns: usize, rows: usize, column: impl Fn(usize) -> String) -> Vec<BoardLabel> {
    let above = (0..columns).map(|number| BoardLabel { cell: number, side: "above", name: column(number) });
    let left = (0..rows).map(|row| BoardLabel { cell: row * columns, side: "left", name: (row + 1).to_string() });
    above.chain(left).collect()
}

/// The board of Hex.
pub fn rhombus(columns: usize, rows: usize) -> CellGraph {
    let board = of_places(&places(columns, rows), name_of);
    let labels = column_and_row_labels(columns, rows, letters);
    CellGraph { borders: four_borders(columns, rows), labels, ..board }
}

/// The board of Hex whose cells have two numbers, column and row from 1, for a name: `2 3` is that of `(stone red 2
/// 3)`.
pub fn numbered_rhombus(columns: usize, rows: usize) -> CellGraph {
    let board = of_places(&places(columns, rows), |column, row| {
        NodeName::numbers([column + 1, row + 1].map(|number| number as usize))
    });
    let labels = column_and_row_labels(columns, rows, |column| (column + 1).to_string());
    CellGraph { borders: four_borders(columns, rows), labels, ..board }
}

/// The board of Hex wrapped around a cylinder: the last column is next to the first one. Red has top and bottom, and
/// there are no other borders.
///
/// With at least three columns no two cells are neighbors twice.
pub fn cylinder(columns: usize, rows: usize) -> CellGraph {
    let mut board = rhombus(columns, rows);
    board.borders.truncate(2);
    for row in 0..rows {
        let [first, last] = [row * columns, row * columns + columns - 1];
        board.links.push((last, first));
        // Below left of the first column.
        if row + 1 < rows {
            board.links.push((first, last + columns));
        }
    }
    board
}

/// The board of Y: row `r`, from 1, has `r` cells, and `a1` is the upper corner.
pub fn triangle(side: usize) -> CellGraph {
    // Rows begin half a cell farther left than the ones above: of the cells of a rhombus these are one to the left for
    // each row.
    let places: Vec<(isize, isize)> =
        (0..side as isize).flat_map(|row| (0..=row).map(move |column| (column - row, row))).collect();
    let mut board = of_places(&places, |column, row| name_of(column + row, row));
    let cells = |is_there: &dyn Fn(isize, isize) -> bool| -> Vec<usize> {
        (0..places.len()).filter(|&cell| is_there(places[cell].0, places[cell].1)).collect()
    };
    let first = |row: usize| row * (row + 1) / 2;
    board.labels =
        (0..side).map(|row| BoardLabel { cell: first(row), side: "left", name: (row + 1).to_string() }).collect();
    let border = |name, cells, direction| Border { name, owner: None, cells, direction };
    board.borders = vec![
        border("left", cells(&|column, row| column + row == 0), 210.0),
        border("right", cells(&|column, _| column == 0), RIGHT),
        border("base", cells(&|_, row| row + 1 == side as isize), BOTTOM),
    ];
    board
}

/// The six sides of the board of Havannah, clockwise from the top, and the directions in which they lie.
const SIDES: [(&str, f64); 6] = [
    ("north", 270.0),
    ("northeast", 330.0),
    ("southeast", 30.0),
    ("south", 90.0),
    ("southwest", 150.0),
    ("northwest", 210.0),
];

/// The corners of the board of Havannah: each lies between the side of its number and the next one.
const CORNERS: [&str; 6] = ["corner1", "corner2", "corner3", "corner4", "corner5", "corner6"];

/// A board with six sides of equal length, at least 2. Columns go down to the right; the first row begins in the middle
/// of them.
///
/// Its borders are the six sides without corners, then the six corners.
pub fn hexagon_of_hexagons(side: usize) -> CellGraph {
    let most = side as isize - 1;
    let rows = -most..=most;
    let places: Vec<(isize, isize)> = rows
        .flat_map(|row| ((-most).max(-most - row)..=most.min(most - row)).map(move |column| (column, row)))
        .collect();
    let mut board = of_places(&places, |column, row| name_of(column + most, row + most));
    // Rows begin in different columns, so the name of a row's first cell tells where.
    let begins = |cell: &usize| *cell == 0 || places[*cell].1 != places[*cell - 1].1;
    let label = |cell: usize| BoardLabel { cell, side: "left", name: board.cells[cell].name.to_string() };
    board.labels = (0..places.len()).filter(begins).map(label).collect();
    // Clockwise from the top, a side is where one of these is the largest possible.
    let is_on = |edge: usize, (column, row): (isize, isize)| {
        [-row, column, column + row, row, -column, -column - row][edge] == most
    };
    let border = |name, cells, direction| Border { name, owner: None, cells, direction };
    let edges = |cell: &usize| (0..6).filter(|&edge| is_on(edge, places[*cell])).count();
    for (edge, (name, direction)) in SIDES.into_iter().enumerate() {
        let cells = (0..places.len()).filter(|cell| edges(cell) == 1 && is_on(edge, places[*cell]));
        board.borders.push(border(name, cells.collect(), direction));
    }
    for (corner, name) in CORNERS.into_iter().enumerate() {
        let cells =
            (0..places.len()).filter(|&cell| is_on(corner, places[cell]) && is_on((corner + 1) % 6, places[cell]));
        board.borders.push(border(name, cells.collect(), SIDES[corner].1 + 30.0));
    }
    board
}

/// The n-dimensional board of Hex (Gale, 1979): cells are points with as many coordinates, each from 1 to `side`, and
/// neighbors differ by at most 1 in each, all upwards or all downwards. The player of a dimension has the two opposite
/// faces.
///
/// A picture shows planes of the first two dimensions side by side.
pub fn cube(side: usize, owners: &[&'static str]) -> CellGraph {
    let dimensions = owners.len();
    let count = side.pow(dimensions as u32);
    let digits =
        |number: usize| -> Vec<usize> { (0..dimensions).map(|k| number / side.pow(k as u32) % side).collect() };
    let cells = (0..count).map(|number| {
        let at = digits(number);
        let name = at.iter().fold("c".to_owned(), |name, digit| format!("{name}{}", digit + 1));
        let along = |dimension: usize| at.get(dimension).map_or(0, |&digit| digit as isize);
        // Neighbors that differ in both coordinates are one below the other.
        let (x, y) = center(along(0) - along(1), along(1));
        let apart = APART * (side as f64 + 1.0);
        hexagon(name.into(), (x + 2.0 * apart * along(2) as f64, y + 2.0 * apart * along(3) as f64))
    });
    let cells: Vec<BoardCell> = cells.collect();
    let mut links = Vec::new();
    for number in 0..count {
        let at = digits(number);
        for step in 1..1usize << dimensions {
            let steps = (0..dimensions).filter(|k| step >> k & 1 == 1);
            if steps.clone().all(|k| at[k] + 1 < side) {
                links.push((number, number + steps.map(|k| side.pow(k as u32)).sum::<usize>()));
            }
        }
    }
    let faces = [["west", "east"], ["north", "south"], ["front", "back"], ["past", "future"]];
    let mut borders = Vec::new();
    for (dimension, &owner) in owners.iter().enumerate() {
        for (face, digit) in faces[dimension].into_iter().zip([0, side - 1]) {
            let cells = (0..count).filter(|&number| digits(number)[dimension] == digit).collect();
            borders.push(Border { name: face, owner: Some(owner), cells, direction: f64::NAN });
        }
    }
    CellGraph { cells, links, borders, ..CellGraph::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of neighbors, sorted.
    fn neighbors(board: &CellGraph, name: &str) -> String {
        let cell = board.cell(name).expect("a cell");
        let mut names: Vec<String> =
            board.neighbors()[cell].iter().map(|&next| board.cells[next].name.to_string()).collect();
        names.sort_unstable();
        names.join(" ")
    }

    fn border(board: &CellGraph, name: &str) -> String {
        let border = board.borders.iter().find(|border| border.name == name).expect("a border");
        border.cells.iter().map(|&cell| board.cells[cell].name.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn neighbors_touch() {
        assert_eq!(neighbors(&rhombus(3, 3), "b2"), "a2 a3 b1 b3 c1 c2");
        assert_eq!(neighbors(&rhombus(3, 3), "a1"), "a2 b1");
        // Column a is next to column c: across, and up to the right.
        assert_eq!(neighbors(&cylinder(3, 3), "a2"), "a1 a3 b1 b2 c2 c3");
        assert_eq!(neighbors(&triangle(3), "b2"), "a1 a2 b3 c3");
        assert_eq!(neighbors(&hexagon_of_hexagons(2), "b2"), "a2 a3 b1 b3 c1 c2");
        // Both up, or both down, but not one up and one down.
        assert_eq!(neighbors(&cube(3, &["red", "blue"]), "c22"), "c11 c12 c21 c23 c32 c33");
        assert_eq!(neighbors(&cube(2, &["red", "blue", "green"]), "c111").split(' ').count(), 7);
        // Centers of neighbors are one hexagon apart, where no seam or dimension is between them.
        for board in [rhombus(4, 3), triangle(5), hexagon_of_hexagons(3), cube(3, &["red", "blue"])] {
            for (cell, next) in board.links {
                let [a, b] = [cell, next].map(|cell| board.cells[cell].center);
                assert!(((a.0 - b.0).hypot(a.1 - b.1) - APART).abs() < 1e-9, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn borders_have_their_cells() {
        let board = hexagon_of_hexagons(3);
        assert_eq!(board.cells.len(), 19);
        let sides = ["north", "northeast", "southeast", "south", "southwest", "northwest"];
        assert_eq!(sides.map(|name| border(&board, name)).join(" "), "d1 e2 d4 b5 a4 b2");
        assert_eq!(CORNERS.map(|name| border(&board, name)).join(" "), "e1 e3 c5 a5 a3 c1");
        assert_eq!(border(&rhombus(3, 2), "right"), "c1 c2");
        assert_eq!(border(&triangle(3), "right"), "a1 b2 c3");
        assert_eq!(border(&cube(2, &["red", "blue"]), "south"), "c12 c22");
    }
}
