//! Patterns: proofs found in one position, to be recognized in others.
//!
//! A proof that a player wins reports the empty cells that it plays in, its carrier (van Rijswijck, *Search and
//! evaluation in Hex*, 2002, section 2.3: reported patterns). With the winner's stones that matter it is a connection
//! from edge to edge like those of the AND and OR rules, and wins in every position that has these stones and these
//! cells.

use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionBoard, ConnectionKind};
use crate::inferior::{Rings, Stones};
use serde::{Deserialize, Serialize};

/// A proved win, whatever stands elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WinPattern<const W: usize> {
    /// Who wins.
    pub winner: Player,
    /// Full: though the opponent moves first. Semi: moving first.
    pub kind: ConnectionKind,
    /// The winner's stones that it rests on.
    pub needs: CellSet<W>,
    /// The cells that must not be the opponent's.
    pub carrier: CellSet<W>,
    /// Of a semi-connection, the first move.
    pub by: Option<Cell>,
}

impl<const W: usize> WinPattern<W> {
    /// The same without the stones that do not matter: where `needs` holds any stones of the winner's.
    pub fn with_least_needs(self, board: Board, rings: &Rings) -> WinPattern<W> {
        WinPattern { needs: needs(board, rings, self.winner, self.needs, self.carrier), ..self }
    }

    /// Whether the pattern is in the position.
    #[inline]
    pub fn fits(&self, stones: &Stones<W>) -> bool {
        self.needs.is_subset(&stones[self.winner as usize])
            && self.carrier.is_disjoint(&stones[self.winner.opponent() as usize])
    }

    /// The image of the pattern under a symmetry of the board.
    pub fn image(&self, symmetry: &[Cell]) -> WinPattern<W> {
        let by = self.by.map(|cell| symmetry[cell.index()]);
        WinPattern { needs: image(symmetry, &self.needs), carrier: image(symmetry, &self.carrier), by, ..*self }
    }
}

/// The images of cells under a symmetry of the board, which changes nothing for either player.
pub fn image<const W: usize>(symmetry: &[Cell], cells: &CellSet<W>) -> CellSet<W> {
    cells.iter().map(|cell| symmetry[cell.index()]).collect()
}

/// The stones of the winner that matter when all but the carrier is given to the loser: those on a way between the
/// edges, if the winner joins edges, that are not dead then.
fn needs<const W: usize>(
    board: Board,
    rings: &Rings,
    winner: Player,
    mine: CellSet<W>,
    carrier: CellSet<W>,
) -> CellSet<W> {
    let region = mine | carrier;
    let mut needs = mine;
    let edges = if board.goes_around(winner) { 0 } else { board.edge_count() };
    for edge in 0..edges {
        let begin: CellSet<W> = region.iter().filter(|&cell| board.is_at_edge(winner, edge, cell)).collect();
        needs &= begin.closed_under(|cell, _| rings.around(cell) & region);
    }
    let mut given: Stones<W> = [CellSet::EMPTY; 2];
    given[winner as usize] = needs;
    given[winner.opponent() as usize] = CellSet::all(board) - needs - carrier;
    let mut todo = needs;
    while let Some(cell) = todo.first() {
        todo.remove(cell);
        if rings.is_dead(cell, &given) {
            given[winner as usize].remove(cell);
            given[winner.opponent() as usize].insert(cell);
            todo |= rings.around::<W>(cell) & given[winner as usize];
        }
    }
    given[winner as usize]
}
