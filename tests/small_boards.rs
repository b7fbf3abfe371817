//! Boards of at most 32 cells, whose stones are bits: positions, and exhaustive search, against which deduction is held.

use ludolog::engine::Budget;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::position::Position;
use ludolog::hex::solver::Solver;
use std::collections::HashMap;

/// A board that exactly one player wins, by the stones of both.
pub trait SmallBoard {
    fn cells(&self) -> usize;

    /// Who has won.
    fn winner(&self, stones: [u32; 2]) -> Option<Player>;
}

/// Exhaustive search that knows what it has found.
pub struct BruteForce<B> {
    board: B,
    known: HashMap<([u32; 2], Player), bool>,
}

impl<B: SmallBoard> BruteForce<B> {
    pub fn new(board: B) -> BruteForce<B> {
        BruteForce { board, known: HashMap::new() }
    }

    pub fn winner(&self, stones: [u32; 2]) -> Option<Player> {
        self.board.winner(stones)
    }

    /// Whether the player wins, with `to_move` to move.
    pub fn wins(&mut self, player: Player, stones: [u32; 2], to_move: Player) -> bool {
        if let Some(winner) = self.winner(stones) {
            return winner == player;
        }
        if let Some(&red_wins) = self.known.get(&(stones, to_move)) {
            return red_wins == (player == Player::Red);
        }
        let moves = (0..self.board.cells()).filter(|&cell| (stones[0] | stones[1]) >> cell & 1 == 0);
        let wins = moves.collect::<Vec<_>>().into_iter().any(|cell| {
            let mut next = stones;
            next[to_move as usize] |= 1 << cell;
            self.wins(to_move, next, to_move.opponent())
        });
        self.known.insert((stones, to_move), wins == (to_move == Player::Red));
        wins == (player == to_move)
    }
}

/// The cells that are reached from those of `from` over cells of `within`.
pub fn reached(neighbors: &[u32], from: u32, within: u32) -> u32 {
    let mut reached = from;
    loop {
        let beside = (0..neighbors.len()).filter(|&cell| reached >> cell & 1 == 1);
        let next = beside.fold(reached, |reached, cell| reached | neighbors[cell] & within);
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// Most empty cells of a position: with more of them exhaustive search takes long.
const MOST_EMPTY: usize = 9;

/// Each position of so many cells whose number in base 3 is a multiple of `step`, but those with many empty cells.
pub fn positions(cells: usize, step: usize) -> impl Iterator<Item = [u32; 2]> {
    let all = (0..3usize.pow(cells as u32)).step_by(step).map(move |number| {
        let digit = |cell: usize| number / 3usize.pow(cell as u32) % 3;
        [1, 2].map(|stone| (0..cells).filter(|&cell| digit(cell) == stone).map(|cell| 1 << cell).sum())
    });
    all.filter(move |[red, blue]: &[u32; 2]| cells - (red | blue).count_ones() as usize <= MOST_EMPTY)
}

pub fn set(bits: u32) -> CellSet<1> {
    (0..32).filter(|cell| bits >> cell & 1 == 1).map(Cell::from_index).collect()
}

pub fn bits<const W: usize>(cells: CellSet<W>) -> u32 {
    cells.iter().map(|cell| 1 << cell.index()).sum()
}

pub fn position(board: Board, stones: [u32; 2]) -> Position {
    let mut position = Position::new(board);
    for player in Player::BOTH {
        set(stones[player as usize]).iter().for_each(|cell| assert!(position.place(player, cell)));
    }
    position
}

pub fn solver(board: Board) -> Solver {
    Solver::new(board).expect("small enough")
}

pub fn winner(solver: &Solver, position: &Position, to_move: Player) -> Player {
    solver.winner(position, to_move, 1, &Budget::unlimited()).expect("not stopped")
}

/// Who wins, with one solver for all positions and with one for each.
pub fn assert_solved<B: SmallBoard>(board: Board, graph: B, step: usize) {
    let mut brute = BruteForce::new(graph);
    let shared = solver(board);
    for stones in positions(board.len(), step) {
        let position = position(board, stones);
        assert_eq!(position.winner(), brute.winner(stones), "{board}: {stones:?}");
        for to_move in Player::BOTH {
            let expected = if brute.wins(Player::Red, stones, to_move) { Player::Red } else { Player::Blue };
            for solver in [&shared, &solver(board)] {
                assert_eq!(winner(solver, &position, to_move), expected, "{board}: {stones:?}, {to_move} to move");
            }
        }
    }
}
