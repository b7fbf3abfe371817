//! Winning sets: every minimal chain of the empty board, one rule each.
//!
//! The paper's section 2.1. A minimal chain begins on the first line and ends on the last, has no other cell on either,
//! and only its consecutive cells are adjacent: it is an induced path. A depth-first search without recursion
//! enumerates them. Their number is exponential in the size of the board, which breaks this formulation.

use super::{OF_POSITION, TooLarge};
use ludolog_hex::board::{Board, Cell, Player};
use std::fmt::Write;
use std::ops::ControlFlow;

/// Most winning sets of a text: engines take minutes to load more.
const MOST_SETS: usize = 100_000;

/// One rule for each winning set of each player.
///
/// # Errors
///
/// [`TooLarge`], when there are more than 100,000 winning sets.
pub fn text(board: Board) -> Result<String, TooLarge> {
    let mut rules = String::new();
    let mut census = Census::default();
    for player in Player::BOTH {
        let flow = for_each(board, player, |chain| {
            census.add(chain);
            let _ = write!(rules, "win({player}) :-");
            for (i, cell) in chain.iter().enumerate() {
                let and = if i == 0 { "" } else { " &" };
                let _ = write!(rules, "{and} stone({player}, {})", cell.number());
            }
            rules.push_str(".\n");
            if census.sets > MOST_SETS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if flow.is_break() {
            let message = format!(
                "a board of {board} has too many winning sets: more than {MOST_SETS}, {} MB of rules so far",
                rules.len() >> 20
            );
            return Err(TooLarge { message });
        }
    }
    Ok(format!(
        "% Winning sets, for boards of {board}: every chain from which no cell can be left out, {} of them with up to {} cells.\n\
         % Decides every position of this one size of board.\n\
         % Cannot grow: the number of sets, and with it the {} KB of these rules, explodes with the board.\n\n{rules}{OF_POSITION}",
        census.sets,
        census.largest,
        rules.len().div_ceil(1024),
    ))
}

/// Counts of winning sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// The number of sets.
    pub sets: usize,
    /// The number of cells of the largest set.
    pub largest: usize,
    /// The number of cells of all sets together.
    pub cells: usize,
}

impl Census {
    /// Counts one set.
    pub fn add(&mut self, chain: &[Cell]) {
        self.sets += 1;
        self.largest = self.largest.max(chain.len());
        self.cells += chain.len();
    }
}

/// Visits every winning set of `player`, each once, as the chain from the first to the last line, until `visit` breaks.
///
/// A chain is only followed while it can still reach the last line, so that the next set takes at most
/// O(cells²) steps, on boards of any size.
pub fn for_each(board: Board, player: Player, mut visit: impl FnMut(&[Cell]) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut search = Search::new(board, player);
    let mut chain: Vec<Cell> = Vec::new();
    // The cells still to be tried at each position of the chain.
    let mut choices: Vec<Vec<Cell>> = vec![board.cells().filter(|&cell| board.is_first(player, cell)).collect()];
    while let Some(open) = choices.last_mut() {
        let Some(cell) = open.pop() else {
            choices.pop();
            if let Some(last) = chain.pop() {
                search.inside[last.index()] = false;
                board.neighbors(last).for_each(|near| search.touched[near.index()] -= 1);
            }
            continue;
        };
        chain.push(cell);
        if board.is_last(player, cell) {
            visit(&chain)?;
            chain.pop();
            continue;
        }
        search.inside[cell.index()] = true;
        board.neighbors(cell).for_each(|near| search.touched[near.index()] += 1);
        choices.push(board.neighbors(cell).filter(|&next| search.goes_on(next)).collect());
    }
    ControlFlow::Continue(())
}

/// The state of the search for winning sets.
struct Search {
    board: Board,
    player: Player,
    /// By cell: the number of adjacent cells of the chain.
    touched: Vec<u8>,
    /// By cell: whether it is in the chain.
    inside: Vec<bool>,
    /// By cell: the last call of [`can_end`](Self::can_end) that reached it.
    reached: Vec<u64>,
    calls: u64,
}

impl Search {
    fn new(board: Board, player: Player) -> Self {
        let cells = board.len();
        Self { board, player, touched: vec![0; cells], inside: vec![false; cells], reached: vec![0; cells], calls: 0 }
    }

    /// Whether a winning set can go on with this neighbor of the chain's end.
    fn goes_on(&mut self, next: Cell) -> bool {
        self.touched[next.index()] == 1
            && !self.inside[next.index()]
            && !self.board.is_first(self.player, next)
            && self.can_end(next)
    }

    /// Whether a chain that goes on with `next` can reach the last line over cells that it does not touch. The shortest
    /// such way makes it a winning set.
    fn can_end(&mut self, next: Cell) -> bool {
        let Self { board, player, touched, reached, calls, .. } = self;
        *calls += 1;
        let mut open = vec![next];
        while let Some(cell) = open.pop() {
            if board.is_last(*player, cell) {
                return true;
            }
            for near in board.neighbors(cell) {
                if touched[near.index()] == 0 && !board.is_first(*player, near) && reached[near.index()] != *calls {
                    reached[near.index()] = *calls;
                    open.push(near);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_hex::position::Position;
    use std::collections::BTreeSet;

    /// All minimal winning sets, found by testing every set of cells.
    fn by_brute_force(board: Board, player: Player) -> BTreeSet<Vec<Cell>> {
        let wins = |set: u32| {
            let mut position = Position::new(board);
            board.cells().filter(|cell| set >> cell.index() & 1 == 1).for_each(|cell| {
                position.place(player, cell);
            });
            position.winner() == Some(player)
        };
        (0..1u32 << board.len())
            .filter(|&set| wins(set) && (0..board.len()).all(|i| set >> i & 1 == 0 || !wins(set & !(1 << i))))
            .map(|set| board.cells().filter(|cell| set >> cell.index() & 1 == 1).collect())
            .collect()
    }

    #[test]
    fn the_first_sets_of_large_boards_are_found_at_once() {
        // Without a look ahead, the search gets lost in chains that have closed their own way to the last line.
        let board = Board::new(13, 13).unwrap();
        let error = text(board).unwrap_err();
        assert!(error.message.contains("more than 100000"), "{error}");
    }

    #[test]
    fn the_sets_are_all_the_minimal_ones() {
        for (width, height) in [(1, 1), (1, 3), (3, 1), (2, 2), (3, 3), (4, 3), (3, 4), (4, 4)] {
            let board = Board::new(width, height).unwrap();
            for player in Player::BOTH {
                let mut sets = Vec::new();
                let _ = for_each(board, player, |chain| {
                    let mut set = chain.to_vec();
                    set.sort();
                    sets.push(set);
                    ControlFlow::Continue(())
                });
                let distinct: BTreeSet<Vec<Cell>> = sets.iter().cloned().collect();
                assert_eq!(distinct.len(), sets.len(), "{board} {player}");
                assert_eq!(distinct, by_brute_force(board, player), "{board} {player}");
            }
        }
    }
}
