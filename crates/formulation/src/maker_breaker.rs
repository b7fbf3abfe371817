//! The counts of the Maker-Breaker reading.
//!
//! The paper's section 3: instead of asking whether the opponent has connected its edges, ask whether the player still
//! can, with every empty cell as its own. This follows the player's stones and the empty cells instead of the
//! opponent's stones. It is cheaper once there are at most as many empty cells as stones of the opponent.

use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;

/// Whether the Maker-Breaker reading is the cheaper one for `player`: |empty| ≤ |opponent's stones|.
pub fn switches_over(position: &Position, player: Player) -> bool {
    position.empty_cells().count() <= position.stones_of(player.opponent()).count()
}

/// The paper's f(i) = n²/i − 2: the number of empty cells divided by the number of the opponent's stones, after `i`
/// moves of each player. For n² stands the number of cells of the board.
pub fn factor(board: Board, moves_each: usize) -> f64 {
    board.len() as f64 / moves_each as f64 - 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_over_on_a_3x3_board() {
        let board = Board::new(3, 3).unwrap();
        assert_eq!(factor(board, 1), 7.0);
        assert_eq!(factor(board, 3), 1.0);
        let mut position = Position::new(board);
        let switched: Vec<bool> = board
            .cells()
            .map(|cell| {
                position.play(cell);
                switches_over(&position, Player::Red)
            })
            .collect();
        // After 5 moves there are 4 empty cells and 2 blue stones, after 6 there are 3 and 3.
        assert_eq!(switched, [false, false, false, false, false, true, true, true, true]);
    }
}
