//! Solves a position of Hex, and checks the proof of it.
//!
//! Run with `cargo run --example solve`.

use ludolog::prelude::*;

/// Prints who wins each opening of 4×4.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board: Board = "4x4".parse()?;
    let empty = Position::new(board);
    let solver = Solver::new(board).ok_or("the board is too large for the solver")?;
    let budget = Budget::unlimited();
    assert_eq!(solver.winner(&empty, Player::Red, 1, &budget)?, Player::Red);
    for cell in board.cells() {
        let wins = solver.wins_after(&empty, Player::Red, cell, 1, &budget)?;
        println!("{} {}", board.name(cell), if wins { "wins" } else { "loses" });
    }
    Ok(())
}
