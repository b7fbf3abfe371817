//! Choosing a move.
//!
//! A [`HexPlayer`] asks exact methods before estimates. Connections give [`advice`](mod@advice), which wins at once; the
//! [solver](super::solver) gets a share of the time; then [`tree`] searches with random games, [`playout`], and asks the
//! [`expert`] of nodes that are visited often; which moves it looks at first, a [`pattern`] of the cells around them says.
//! Solver, tree and the expert's connections last over the moves of a game.

pub mod advice;
pub mod expert;
mod node;
pub mod pattern;
pub mod playout;
pub mod tree;

use super::board::{Board, Cell, Player};
use super::position::Position;
use super::random::Random;
use super::solver::Solver;
use advice::{Advice, advice, winning_move};
use expert::Expert;
use ludolog_syntax::budget::Budget;
use pattern::{MovePatterns, PatternWeights};
use playout::BorderedBoard;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tree::{MoveTree, TreeResult};

/// The effort for one move. A search without a number of playouts ends when time is over, so it needs a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The time for the move.
    pub time: Option<Duration>,
    /// The number of playouts; a search by playouts alone makes the same move on every machine.
    pub playouts: Option<u64>,
    /// The most nodes of the tree, of 40 bytes each.
    pub nodes: usize,
}

impl Default for Effort {
    /// Five seconds, about 160 megabytes.
    fn default() -> Effort {
        Effort { time: Some(Duration::from_secs(5)), playouts: None, nodes: 4_000_000 }
    }
}

/// A move and its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenMove {
    /// The cell to play.
    pub cell: Cell,
    /// The reason for playing there.
    pub reason: ChoiceReason,
}

/// The reason for a move.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceReason {
    /// It completes a connection from edge to edge; the number of cells in its carrier.
    Connection(usize),
    /// The solver knows that it wins.
    Solved,
    /// It won most playouts.
    Search {
        /// The share of playouts that it won.
        wins: f64,
        /// The number of playouts in all.
        playouts: u64,
    },
    /// The tree search proved that it wins.
    Proof {
        /// The number of playouts until then.
        playouts: u64,
    },
    /// Every move loses against good play; this one lasted longest.
    Lost {
        /// The number of playouts.
        playouts: u64,
    },
}

impl fmt::Display for ChoiceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceReason::Connection(0) => write!(f, "wins"),
            ChoiceReason::Connection(cells) => write!(f, "connects the edges within {cells} cells"),
            ChoiceReason::Solved => write!(f, "is solved to win"),
            ChoiceReason::Search { wins, playouts } => write!(f, "wins {:.0} % of {playouts} playouts", 100.0 * wins),
            ChoiceReason::Proof { playouts } => write!(f, "is proved to win after {playouts} playouts"),
            ChoiceReason::Lost { playouts } => write!(f, "loses, as all moves do, after {playouts} playouts"),
        }
    }
}

/// The share of the time that the solver may take, at most.
const SOLVER_SHARE: f64 = 0.4;

/// The solver's share of the time is this by the number of empty cells: where these are many, it would not come to an end.
const SOLVER_CELLS: f64 = 8.0;

/// Chooses the moves of one player in one game, and remembers from move to move what it has searched and solved.
pub struct HexPlayer {
    solver: Option<Solver>,
    expert: Option<Box<dyn Expert>>,
    patterns: MovePatterns,
    tree: Option<MoveTree>,
}

impl fmt::Debug for HexPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HexPlayer").field("solver", &self.solver).finish_non_exhaustive()
    }
}

impl HexPlayer {
    /// A player on this board.
    pub fn new(board: Board) -> HexPlayer {
        HexPlayer::with_weights(board, PatternWeights::shipped())
    }

    /// A player on this board that prefers moves by these weights.
    pub fn with_weights(board: Board, weights: PatternWeights) -> HexPlayer {
        let patterns = MovePatterns::new(&BorderedBoard::new(&Position::new(board)), Arc::new(weights));
        HexPlayer { solver: Solver::new(board), expert: expert::expert(board), patterns, tree: None }
    }

    /// A move for `player` in a position of this player's board; `None` when no cell is empty. The game should not be
    /// over. The position may be any; what was searched before helps where it follows from that of the last call.
    ///
    /// The clock of `budget` measures the time of `effort`; the budget may stop the search earlier, with the best move so
    /// far. Where time is not limited the solver is not asked, as what it finds depends on how fast the machine is.
    pub fn choose(
        &mut self,
        position: &Position,
        player: Player,
        effort: &Effort,
        budget: &Budget,
        random: &mut Random,
    ) -> Option<ChosenMove> {
        let time = effort.time.into_iter().chain(budget.time_left()).min();
        let budget = time.map_or(budget.clone(), |time| budget.clone().with_time(time));
        let (cells, mut is_lost) = match advice(position, player) {
            Advice::Won => {
                let (cell, carrier) = winning_move(position, player)?;
                return Some(ChosenMove { cell, reason: ChoiceReason::Connection(carrier) });
            }
            Advice::Among(cells) => (cells, false),
            Advice::Lost(cells) => (cells, true),
        };
        if !is_lost {
            match self.solve(position, player, &budget) {
                Some(Some(cell)) => return Some(ChosenMove { cell, reason: ChoiceReason::Solved }),
                Some(None) => is_lost = true,
                // The tree search decides.
                None => {}
            }
        }
        let field = BorderedBoard::new(position);
        let result = if is_lost {
            // The opponent may not know. The tree of other moves is of no use here, and of these cells later.
            let candidates: Vec<usize> = cells.into_iter().map(|cell| field.place(cell)).collect();
            let mut tree = MoveTree::new(field.clone(), player, self.patterns.clone());
            tree.search(Some(&candidates), &mut self.expert, effort, &budget, random)
        } else {
            let tree = self.tree.get_or_insert_with(|| MoveTree::new(field.clone(), player, self.patterns.clone()));
            tree.follow(field.clone(), player);
            tree.search(None, &mut self.expert, effort, &budget, random)
        };
        let TreeResult { place, wins, is_proved, playouts } = result?;
        let reason = match wins {
            _ if is_lost || is_proved && wins == 0.0 => ChoiceReason::Lost { playouts },
            _ if is_proved => ChoiceReason::Proof { playouts },
            wins => ChoiceReason::Search { wins, playouts },
        };
        Some(ChosenMove { cell: field.cell(place)?, reason })
    }

    /// Asks the solver for a share of the time: a move that wins, `Some(None)` where none does.
    fn solve(&mut self, position: &Position, player: Player, budget: &Budget) -> Option<Option<Cell>> {
        let share = SOLVER_CELLS / position.empty_cells().count().max(1) as f64;
        let time = budget.time_left()?.mul_f64(share.min(SOLVER_SHARE));
        self.solver.as_ref()?.winning_move(position, player, 1, &budget.clone().with_time(time)).ok()
    }
}

/// As [`HexPlayer::choose`], for a single move.
pub fn choose(
    position: &Position,
    player: Player,
    effort: &Effort,
    budget: &Budget,
    random: &mut Random,
) -> Option<ChosenMove> {
    HexPlayer::new(position.board()).choose(position, player, effort, budget, random)
}
