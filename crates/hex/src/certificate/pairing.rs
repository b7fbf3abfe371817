//! The pairing strategy: who has the shorter way wins, even moving second, on a board of any size.
//!
//! Let the winner have `n` lines to cross and the loser more. Call `x` the line of a cell as the loser counts, `y` as
//! the winner does, both from 0; neighbors are at (±1, 0), (0, ±1), (−1, 1) and (1, −1). A *block* is `n + 1`
//! consecutive lines of the loser, here with `x` counted from its first one; its short diagonal splits it into two
//! triangles, A with `x + y < n` and B with `x + y ≥ n`. Each loser's chain crosses the block from `x = 0`, all in A,
//! to `x = n`, all in B. A list of pairs of cells, one from A and one from B, proves that the winner wins if
//!
//! 1. each cell of the block is in exactly one pair;
//! 2. neighbors in A have neighbors as partners;
//! 3. partners of cells at `x = 0` lie at the winner's last edge, `y = n − 1`;
//! 4. the partner of a cell of A's longest side, `x + y = n − 1`, is its neighbor in B at `(x + 1, y)`;
//! 5. of each pair the winner has a stone, or both cells are empty.
//!
//! **Proof.** By 5 the winner can get a cell of each pair: to a move in a pair reply in the pair, otherwise anywhere.
//! Fill the board so and suppose that the loser has a chain from `x = 0` to `x = n` in the block. The *seam* of A is
//! its longest side, that of B the diagonal `x + y = n`; a seam cell of A at `x` has two neighbors in B, the seam cells
//! at `x + 1`, its partner, and at `x`. Of the loser's cells in A that are joined within A to the line `x = 0`, some
//! are on the seam, because the chain has to leave A; let `s` be the greatest `x` of those, and P a loser's path within
//! A from `x = 0` to that cell. The partners of P are the winner's, and by 2, 3 and 4 they are a path Q within B from
//! the last edge to the seam at `s + 1`.
//!
//! Paths of different owners do not cross, and a path that crosses P and has its owner joins it. So a loser's group
//! within A does not reach the seam on both sides of P: if it shares a cell with P it goes no farther than `s`, by the
//! choice of `s`. Call those that reach the seam at `s` or less *low*. Likewise Q cuts B, along whose border lie in
//! this order the seam below `s + 1`, Q's upper end, the seam above, the line `x = n`, the last edge down to Q's lower
//! end, the last edge below; so a loser's group within B that reaches the seam at `s` or less, call it low too, reaches
//! neither the seam above `s + 1` nor `x = n`. The chain begins low. When it steps from A at `x ≤ s` to B, it comes to
//! the seam at `x` or `x + 1`, and not to `s + 1`, which is the winner's: it stays low. When it steps from B at `x ≤ s`
//! to A, it comes to `x` or `x − 1`: it stays low. So it never comes to `x = n`, against what was supposed. Hence the
//! loser does not cross the block, and as on a full board one player has a chain, it is the winner. ∎
//!
//! All five conditions look at a cell, its partner and its neighbors, so checking is linear in the number of cells. The
//! pairs are those of Walderhaug, *Hex: stort og smått*, 2022, theorem 3.3.4, after Hayward and Toft.

use super::{Proof, ProofLine, WinCertificate, text};
use crate::board::{Board, Cell, Player};
use crate::position::Position;
use ludolog_certificate::Refusal;

/// The certificate that the player with the shorter way wins on this empty board whoever moves first; `None` on a board
/// with equal sides, on a cylinder and on a triangle.
pub fn pairing(board: Board) -> Option<WinCertificate> {
    let mut players = Player::BOTH.into_iter().filter(|_| board.is_rhombus());
    let winner = players.find(|&player| board.lines(player) < board.lines(player.opponent()))?;
    let n = board.lines(winner);
    // A glide along the short diagonal.
    let pairs = (0..n).flat_map(|y| (0..n - y).map(move |x| [(x, y), (n - y, n - 1 - x)]));
    let pairs = pairs.filter_map(|[a, b]| Some([at(board, winner, a)?, at(board, winner, b)?])).collect();
    Some(WinCertificate::new(&Position::new(board), winner, Proof::Pairing(pairs)))
}

/// The cell on these lines of the loser and of the winner.
fn at(board: Board, winner: Player, (x, y): (usize, usize)) -> Option<Cell> {
    match winner {
        Player::Red => board.cell(x, y),
        Player::Blue => board.cell(y, x),
    }
}

/// Checks that the pairs prove that the winner wins, by the conditions [above](self).
///
/// # Errors
///
/// The first pair that violates a condition.
pub fn verify(position: &Position, winner: Player, pairs: &[[Cell; 2]]) -> Result<(), Refusal> {
    let board = position.board();
    if !board.is_rhombus() {
        let shape = if board.is_cylinder() { "cylinder" } else { "triangle" };
        return Err(Refusal::of_line(text::BOARD, format!("there are no proofs by pairs on a {shape}")));
    }
    let n = board.lines(winner);
    let loser = winner.opponent();
    let begin = pairs.iter().flatten().map(|&cell| board.line(loser, cell)).min().unwrap_or(0);
    let block = PairingBlock { board, winner, begin };
    let mut partners: Vec<Option<Cell>> = vec![None; board.len()];
    let refuse = |pair, reason| Err(Refusal::of_line(ProofLine::new(pair).number(), reason));
    for (pair, &[a, b]) in pairs.iter().enumerate() {
        if let Err(reason) = block.check_pair(position, a, b) {
            return refuse(pair, reason);
        }
        for (cell, partner) in [(a, b), (b, a)] {
            if partners[cell.index()].replace(partner).is_some() {
                return refuse(pair, format!("{} is in two pairs", board.name(cell)));
            }
        }
    }
    // As many different cells of each half as it has: all.
    let size = n * (n + 1) / 2;
    if pairs.len() != size {
        return refuse(pairs.len(), format!("{} pairs do not fill the block, which takes {size}", pairs.len()));
    }
    for (pair, &[a, b]) in pairs.iter().enumerate() {
        if let Err(reason) = block.check_place(&partners, a, b) {
            return refuse(pair, reason);
        }
    }
    Ok(())
}

struct PairingBlock {
    board: Board,
    winner: Player,
    /// The first line, as the loser counts.
    begin: usize,
}

impl PairingBlock {
    /// `x` and `y` of a cell of the block.
    fn place(&self, cell: Cell) -> Option<(usize, usize)> {
        let x = self.board.line(self.winner.opponent(), cell).checked_sub(self.begin)?;
        (x <= self.board.lines(self.winner)).then(|| (x, self.board.line(self.winner, cell)))
    }

    /// Whether it is in A; `None` outside the block.
    fn is_in_a(&self, cell: Cell) -> Option<bool> {
        self.place(cell).map(|(x, y)| x + y < self.board.lines(self.winner))
    }

    /// That a pair is one, and the winner can have a cell of it.
    fn check_pair(&self, position: &Position, a: Cell, b: Cell) -> Result<(), String> {
        let name = |cell| self.board.name(cell);
        if self.is_in_a(a) != Some(true) || self.is_in_a(b) != Some(false) {
            let n = self.board.lines(self.winner) + 1;
            return Err(format!("{} and {} do not lie in the two halves of a block of {n} lines", name(a), name(b)));
        }
        let stones = [a, b].map(|cell| position.stone(cell));
        if stones != [None, None] && !stones.contains(&Some(self.winner)) {
            return Err(format!("{} cannot count on {} or {}", self.winner, name(a), name(b)));
        }
        Ok(())
    }

    /// Conditions 2 to 4, for one pair of the whole block's.
    fn check_place(&self, partners: &[Option<Cell>], a: Cell, b: Cell) -> Result<(), String> {
        let PairingBlock { board, winner, .. } = *self;
        let name = |cell| board.name(cell);
        for neighbor in board.neighbors(a).filter(|&cell| self.is_in_a(cell) == Some(true)) {
            let partner = partners[neighbor.index()];
            if !board.neighbors(b).any(|cell| Some(cell) == partner) {
                return Err(format!("{} touches {}, but their partners do not touch", name(a), name(neighbor)));
            }
        }
        let (place, partner) = (self.place(a), self.place(b));
        let Some((x, y)) = place else { return Ok(()) };
        if x == 0 && !board.is_last(winner, b) {
            return Err(format!("{} begins the block, but {} is not at {winner}'s last edge", name(a), name(b)));
        }
        if x + y + 1 == board.lines(winner) && partner != Some((x + 1, y)) {
            return Err(format!("{} is at the seam, but {} is not its neighbor on that line", name(a), name(b)));
        }
        Ok(())
    }
}
