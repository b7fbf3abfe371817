//! The solver: finds out who wins under best play.
//!
//! * `search`: depth-first proof-number search; why its answers are right.
//! * `static_evaluation`: the verdict of the connections on a position, without search; `order`: move ordering.
//! * `pattern`: proofs as patterns that win in other positions.
//! * [`proof`]: a certificate of what was found.
//! * `left`: connections of positions to which the search may come back.
//! * `table`: the transposition table; `state`: the table as a file.
//!
//! [`Solver`] serves boards of all sizes up to 19×19. It remembers what it has found, so that asking of a position
//! after another of the same board is cheap.

mod left;
pub(crate) mod order;
mod pattern;

pub mod proof;
mod search;
mod state;
pub(crate) mod static_evaluation;
mod table;

use crate::board::{Board, Cell, Player};
use crate::by_width;
use crate::connection::ConnectionLimits;
use crate::inferior::Stones;
use crate::position::Position;
use ludolog_syntax::budget::{Budget, Stopped};
pub use state::StateRefused;
use static_evaluation::SearchConstants;
use std::fmt;
use table::{MAX_ENTRIES, SolvedEntry, TranspositionTable};

/// Solves positions of one board.
pub struct Solver {
    board: Board,
    table: Box<dyn AnyWidth>,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").field("board", &self.board).field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

/// The progress of the search for one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverProgress {
    /// Positions searched so far, for all questions.
    pub nodes: u64,
    /// Positions proved so far.
    pub proved: usize,
    /// The proof number: positions that have to be decided at least to prove that the player to move wins.
    pub win: u32,
    /// The disproof number: positions that have to be decided at least to prove that the player to move loses.
    pub loss: u32,
}

impl Solver {
    /// The longest side of a board.
    pub const MAX_SIDE: usize = 19;

    /// `None` for a board with a side longer than [`Solver::MAX_SIDE`].
    pub fn new(board: Board) -> Option<Solver> {
        let setting = SearchConstants::new(board, ConnectionLimits::SOLVING);
        if board.width().max(board.height()) > Solver::MAX_SIDE {
            return None;
        }
        let table = by_width!(board.len(), W => Box::new(TranspositionTable::<W>::new(setting, MAX_ENTRIES)) as Box<dyn AnyWidth>)?;
        Some(Solver { board, table })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The winner of the position, of this solver's board, when `to_move` moves next and both play best. Several
    /// threads search together.
    ///
    /// # Errors
    ///
    /// Why the budget stopped the search. Asking again goes on from there.
    pub fn winner(
        &self,
        position: &Position,
        to_move: Player,
        threads: usize,
        budget: &Budget,
    ) -> Result<Player, Stopped> {
        if let Some(winner) = at_sight(position) {
            return Ok(winner);
        }
        let solved = self.table.solve(position, to_move, threads, budget)?;
        Ok(if solved.is_won { to_move } else { to_move.opponent() })
    }

    /// A move that wins for the player to move, if there is one and the game is not over. Where the position was
    /// decided without a move, by a connection, a pattern or pairing, moves are tried.
    ///
    /// # Errors
    ///
    /// As [`winner`](Solver::winner).
    pub fn winning_move(
        &self,
        position: &Position,
        to_move: Player,
        threads: usize,
        budget: &Budget,
    ) -> Result<Option<Cell>, Stopped> {
        if self.winner(position, to_move, threads, budget)? != to_move || position.winner().is_some() {
            return Ok(None);
        }
        if let Some(cell) = self.table.known(position, to_move).and_then(|solved| solved.by) {
            return Ok(Some(cell));
        }
        for cell in self.table.key(position, to_move).into_iter().chain(position.empty_cells()) {
            if self.wins_after(position, to_move, cell, threads, budget)? {
                return Ok(Some(cell));
            }
        }
        Ok(None)
    }

    /// Whether the empty cell is a winning move.
    ///
    /// # Errors
    ///
    /// As [`winner`](Solver::winner).
    pub fn wins_after(
        &self,
        position: &Position,
        to_move: Player,
        cell: Cell,
        threads: usize,
        budget: &Budget,
    ) -> Result<bool, Stopped> {
        let mut next = position.clone();
        next.place(to_move, cell);
        Ok(self.winner(&next, to_move.opponent(), threads, budget)? == to_move)
    }

    /// The transposition table as a file that [`Solver::resume`] reads. Other threads may search meanwhile.
    pub fn save(&self) -> Vec<u8> {
        self.table.save()
    }

    /// Goes on from the file that a solver of the same board has saved; its nodes are not counted again.
    ///
    /// # Errors
    ///
    /// Why the file is refused; nothing changes then.
    pub fn resume(&mut self, file: &[u8]) -> Result<(), StateRefused> {
        self.table.resume(file)
    }

    /// Positions searched so far, for all questions.
    pub fn nodes(&self) -> u64 {
        self.table.nodes()
    }

    /// The progress of the search for the position.
    pub fn progress(&self, position: &Position, to_move: Player) -> SolverProgress {
        self.table.progress(position, to_move)
    }
}

/// The winner where no search is needed, on boards of any size: the game is over, or won by
/// [`pairing`](mod@crate::certificate::pairing).
pub fn at_sight(position: &Position) -> Option<Player> {
    position.winner().or_else(|| by_pairing(position))
}

/// An empty board with a longer side is won by the player whose edges are closer, whoever moves first.
fn by_pairing(position: &Position) -> Option<Player> {
    let board = position.board();
    let is_empty = position.stones().next().is_none();
    (is_empty && board.width() != board.height() && board.is_rhombus())
        .then(|| if board.height() < board.width() { Player::Red } else { Player::Blue })
}

/// A [`TranspositionTable`], whatever the width of its sets.
trait AnyWidth: Send + Sync {
    fn solve(
        &self,
        position: &Position,
        to_move: Player,
        threads: usize,
        budget: &Budget,
    ) -> Result<SolvedEntry, Stopped>;
    fn known(&self, position: &Position, to_move: Player) -> Option<SolvedEntry>;
    fn key(&self, position: &Position, to_move: Player) -> Option<Cell>;
    fn save(&self) -> Vec<u8>;
    fn resume(&mut self, file: &[u8]) -> Result<(), StateRefused>;
    fn nodes(&self) -> u64;
    fn progress(&self, position: &Position, to_move: Player) -> SolverProgress;
}

/// Stack of a thread in bytes: the search goes one level deep for each cell, with room to spare.
const STACK: usize = 64 << 20;

impl<const W: usize> AnyWidth for TranspositionTable<W> {
    fn solve(
        &self,
        position: &Position,
        to_move: Player,
        threads: usize,
        budget: &Budget,
    ) -> Result<SolvedEntry, Stopped> {
        let stones = stones::<W>(position);
        if let Some(known) = self.known(&stones, to_move) {
            return Ok(known);
        }
        // A page has no further threads.
        if !cfg!(target_family = "wasm") {
            std::thread::scope(|scope| {
                for _ in 0..threads.max(1) {
                    let thread = std::thread::Builder::new().stack_size(STACK);
                    // If no further thread can be started, the others do the work.
                    let _ = thread.spawn_scoped(scope, || search::solve(self, &stones, to_move, budget));
                }
            });
        }
        search::solve(self, &stones, to_move, budget)
    }

    fn known(&self, position: &Position, to_move: Player) -> Option<SolvedEntry> {
        self.known(&stones(position), to_move)
    }

    fn key(&self, position: &Position, to_move: Player) -> Option<Cell> {
        self.key(&stones(position), to_move)
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn resume(&mut self, file: &[u8]) -> Result<(), StateRefused> {
        state::load(self, file)
    }

    fn nodes(&self) -> u64 {
        TranspositionTable::nodes(self)
    }

    fn progress(&self, position: &Position, to_move: Player) -> SolverProgress {
        let (win, loss) = self.numbers(&stones(position), to_move).unwrap_or((1, 1));
        SolverProgress { nodes: TranspositionTable::nodes(self), proved: self.patterns().len(), win, loss }
    }
}

fn stones<const W: usize>(position: &Position) -> Stones<W> {
    Player::BOTH.map(|player| position.stones_of(player).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::CellSet;
    use crate::connection::ConnectionEnd;
    use crate::connection::complete::ConnectionQuestion;
    use crate::random::{Random, scatter};

    /// The largest carriers that exact search is asked about, in cells.
    const LARGEST: usize = 16;

    /// The map of 5×5, from independent solvers, found by a table with room for hardly more than a path.
    #[test]
    fn a_table_that_is_full_finds_the_same() {
        let board = Board::new(5, 5).expect("a board");
        let setting = SearchConstants::new(board, ConnectionLimits::SOLVING);
        let small = 20;
        let table = TranspositionTable::<1>::new(setting, small);
        let letter = |cell: Cell| {
            let mut position = Position::new(board);
            position.place(Player::Red, cell);
            let solved = search::solve(&table, &stones(&position), Player::Blue, &Budget::unlimited());
            if solved.expect("not stopped").is_won { 'B' } else { 'R' }
        };
        let found: String = board.cells().map(letter).collect();
        assert_eq!(found, "BBBBRBRRRRBRRRBRRRRBRBBBB");
        assert!(table.entries().len() <= small);
    }

    /// Exact search, which knows nothing of inferior cells, decides what a pattern claims: the winner joins the edges though
    /// all cells but those of its carrier are the loser's.
    #[test]
    fn patterns_win_though_all_else_is_lost() {
        let mut random = Random::new(7);
        for (side, positions) in [(4, 600), (5, 100)] {
            let board = Board::new(side, side).expect("a board");
            let setting = SearchConstants::new(board, ConnectionLimits::SOLVING);
            let table = TranspositionTable::<1>::new(setting, MAX_ENTRIES);
            for _ in 0..positions {
                let placed = 2 + random.below(board.len() / 4);
                let position = scatter(board, placed, None, &mut random);
                let to_move = Player::BOTH[random.below(2)];
                search::solve(&table, &stones(&position), to_move, &Budget::unlimited()).expect("not stopped");
            }
            let patterns = table.patterns();
            assert!(patterns.len() > 50, "{}", patterns.len());
            for pattern in patterns.iter().filter(|pattern| pattern.carrier.len() <= LARGEST) {
                let question = ConnectionQuestion {
                    board,
                    player: pattern.winner,
                    mine: pattern.needs,
                    theirs: CellSet::all(board) - pattern.needs - pattern.carrier,
                    ends: (ConnectionEnd::FIRST, ConnectionEnd::LAST),
                    kind: pattern.kind,
                };
                let answer = question.within(pattern.carrier, &Budget::unlimited()).expect("not stopped");
                assert!(answer.carrier.is_some(), "{pattern:?}");
            }
        }
    }
}
