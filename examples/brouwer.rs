//! Finds a fixed point of a continuous map of the square by filling a board of Hex (Gale, *The game of Hex and the Brouwer
//! fixed-point theorem*, 1979).
//!
//! Cells are the points of a grid. Blue gets those that the map moves sideways by more than ε, Red those of the others that it
//! moves up or down by more than ε. A full board has a winner. If Blue joins left and right, the map moves the first cell of
//! the chain to the right and the last one to the left, since no point leaves the square. So two neighbors in between are moved
//! apart: the map is steep there. On a finer grid a continuous map moves neighbors nearly alike. Then nobody wins, and a cell
//! stays empty: a point that moves by at most ε in each direction.
//!
//! Run with `cargo run --example brouwer`.

use ludolog::prelude::*;

/// A point of the unit square.
pub type Point = [f64; 2];

/// A map of the square into itself.
pub type PlaneMap = dyn Fn(Point) -> Point;

/// The point that a cell of a square board stands for.
fn point(board: Board, cell: Cell) -> Point {
    let step = 1.0 / (board.width() - 1) as f64;
    [board.column(cell) as f64 * step, board.row(cell) as f64 * step]
}

/// The player who gets the cell of a point; `None` if the map moves it by at most `epsilon` in each direction.
fn owner(map: &PlaneMap, at: Point, epsilon: f64) -> Option<Player> {
    let image = map(at);
    let [sideways, upright] = [0, 1].map(|axis| (image[axis] - at[axis]).abs() > epsilon);
    if sideways {
        Some(Player::Blue)
    } else if upright {
        Some(Player::Red)
    } else {
        None
    }
}

/// A point that the map moves by at most `epsilon` in each direction, on the first of the boards 2×2, 3×3, 5×5, … that has
/// one, with its winner for each board before. `None` if the largest board is full: the map is too steep, or not continuous.
pub fn fixed_point(map: &PlaneMap, epsilon: f64) -> (Option<Point>, Vec<(Board, Player)>) {
    let mut won = Vec::new();
    let sides = std::iter::successors(Some(2), |side| Some(2 * side - 1));
    for board in sides.map_while(|side| Board::new(side, side)) {
        let mut position = Position::new(board);
        for cell in board.cells() {
            let at = point(board, cell);
            match owner(map, at, epsilon) {
                Some(player) => position.place(player, cell),
                None => return (Some(at), won),
            };
        }
        won.extend(position.winner().map(|winner| (board, winner)));
    }
    (None, won)
}

/// A quarter turn around the center, drawn together and bent.
pub fn swirl([x, y]: Point) -> Point {
    [0.4 + 0.4 * (0.7 - y).sin(), 0.5 + 0.45 * (x * x - 0.3)]
}

/// Prints who wins each board, and the point.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let epsilon = 0.002;
    let (found, won) = fixed_point(&swirl, epsilon);
    for (board, winner) in won {
        println!("{board}: {winner} joins their edges, so no cell is at rest");
    }
    let at = found.ok_or("the map is too steep")?;
    let image = swirl(at);
    println!("({:.4}, {:.4}) goes to ({:.4}, {:.4})", at[0], at[1], image[0], image[1]);
    assert!(at.iter().zip(image).all(|(here, there)| (here - there).abs() <= epsilon));
    Ok(())
}
