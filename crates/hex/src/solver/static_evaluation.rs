//! Static evaluation: what both players' connections prove of a position without search.

use super::order;
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use crate::inferior::{Rings, Stones};
use ludolog_syntax::ColdSort;

/// The constants of a search.
#[derive(Debug)]
pub struct SearchConstants {
    /// The board.
    pub board: Board,
    /// Its rings.
    pub rings: Rings,
    /// Its symmetries.
    pub symmetries: Vec<Vec<Cell>>,
    /// The limits of connections.
    pub limits: ConnectionLimits,
}

impl SearchConstants {
    /// Those of a board, with connections within these limits.
    pub fn new(board: Board, limits: ConnectionLimits) -> SearchConstants {
        SearchConstants { board, rings: Rings::new(board), symmetries: board.symmetries(), limits: limits.on(board) }
    }

    /// The connections of a player in a position.
    pub fn connections<const W: usize>(&self, stones: &Stones<W>, player: Player) -> Connections<W> {
        let [mine, theirs] = [player, player.opponent()].map(|player| stones[player as usize]);
        Connections::new(self.board, player, mine, theirs, self.limits)
    }
}

/// The verdict on a position for the player to move.
#[derive(Clone, Debug)]
pub enum StaticVerdict<const W: usize> {
    /// The player wins within the carrier.
    Won(CellSet<W>),
    /// The player loses within the carrier.
    Lost(CellSet<W>),
    /// Neither player is connected yet; these are the carriers of the opponent's semi-connections, his threats.
    Open(Vec<CellSet<W>>),
}

/// The verdict on a position for the player to move, whose connections are `mine`, if they tell it: won. `None` where
/// the opponent's connections have to be asked.
pub fn own_verdict<const W: usize>(mine: &Connections<W>) -> Option<StaticVerdict<W>> {
    if mine.is_won() {
        return Some(StaticVerdict::Won(CellSet::EMPTY));
    }
    let won = smallest(mine, ConnectionKind::Full).or_else(|| smallest(mine, ConnectionKind::Semi));
    won.map(StaticVerdict::Won)
}

/// The verdict by the opponent's connections, where the player's own tell nothing.
pub fn verdict_against<const W: usize>(theirs: &Connections<W>) -> StaticVerdict<W> {
    if theirs.is_won() {
        return StaticVerdict::Lost(CellSet::EMPTY);
    }
    match smallest(theirs, ConnectionKind::Full) {
        Some(carrier) => StaticVerdict::Lost(carrier),
        None => StaticVerdict::Open(
            theirs.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Semi).collect(),
        ),
    }
}

fn smallest<const W: usize>(of: &Connections<W>, kind: ConnectionKind) -> Option<CellSet<W>> {
    of.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind).min_by_key(CellSet::len)
}

/// The first move of the player's smallest semi-connection between his edges; an own stone there makes it full.
/// `None` where he has none or needs none.
pub fn key<const W: usize>(mine: &Connections<W>) -> Option<Cell> {
    let is_full =
        |connections: &Connections<W>| connections.is_won() || smallest(connections, ConnectionKind::Full).is_some();
    if is_full(mine) {
        return None;
    }
    smallest(mine, ConnectionKind::Semi)?.iter().find(|&cell| {
        let mut next = mine.clone();
        next.add(CellSet::of(cell), CellSet::EMPTY);
        is_full(&next)
    })
}

/// The cells, ordered by the current that flows through them for both players, most first.
pub fn order<const W: usize>(connections: [&Connections<W>; 2], cells: CellSet<W>) -> Vec<Cell> {
    let [red, blue] = connections.map(|connections| order::currents(connections).shares);
    let score = |cell: Cell| red[cell.index()].min(blue[cell.index()]);
    let mut ordered: Vec<Cell> = cells.iter().collect();
    ordered.cold_sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    ordered
}
