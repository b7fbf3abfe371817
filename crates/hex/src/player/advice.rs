//! Advice of the connections on a position, before any search.
//!
//! A player with a connection from edge to edge has won and need only play it out; the other one has lost against good
//! play. An opponent who lacks one move for such a connection threatens to win: the *must-play region* is the set of
//! cells that all such threats have in common, since a move outside of it leaves one of them whole.

use crate::board::{Cell, Player};
use crate::by_width;
use crate::cells::CellSet;
use crate::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use crate::position::Position;

/// The moves worth searching for a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The player has a connection from edge to edge, or lacks a move to it: see [`winning_move`].
    Won,
    /// Only these need to be searched, row by row.
    Among(Vec<Cell>),
    /// Every move loses; these are where the opponent wins.
    Lost(Vec<Cell>),
}

/// Computes the connections of both players. On boards of more than [`MAX_CELLS`](crate::cells::MAX_CELLS) all empty
/// cells are to be searched.
///
/// The game should not be over.
pub fn advice(position: &Position, player: Player) -> Advice {
    by_width!(position.board().len(), W => by_connections::<W>(position, player))
        .unwrap_or_else(|| Advice::Among(position.empty_cells().collect()))
}

/// The move that leaves the smallest full connection from edge to edge, and how many cells that needs; `None` where
/// [`advice`] does not say [`Advice::Won`].
pub fn winning_move(position: &Position, player: Player) -> Option<(Cell, usize)> {
    by_width!(position.board().len(), W => finish(&connections::<W>(position, player))).flatten()
}

/// The connections of a player in a position.
pub fn connections<const W: usize>(position: &Position, player: Player) -> Connections<W> {
    Connections::of_position(position, player, ConnectionLimits::USUAL.on(position.board()))
}

fn by_connections<const W: usize>(position: &Position, player: Player) -> Advice {
    let mine = connections::<W>(position, player);
    if [ConnectionKind::Full, ConnectionKind::Semi].into_iter().any(|kind| carriers(&mine, kind).next().is_some()) {
        return Advice::Won;
    }
    let theirs = connections::<W>(position, player.opponent());
    let region = must_play(&theirs);
    let least = |kind| carriers(&theirs, kind).min_by_key(CellSet::len);
    match least(ConnectionKind::Full).or_else(|| least(ConnectionKind::Semi)) {
        Some(threat) if region.is_empty() => Advice::Lost(threat.iter().collect()),
        _ => Advice::Among(region.iter().collect()),
    }
}

/// The must-play region against the player whose connections these are: empty when that player cannot be stopped, all
/// empty cells when nothing threatens.
pub fn must_play<const W: usize>(threatening: &Connections<W>) -> CellSet<W> {
    if threatening.is_won() || carriers(threatening, ConnectionKind::Full).next().is_some() {
        return CellSet::EMPTY;
    }
    let empty = CellSet::all(threatening.board()) - (threatening.mine() | threatening.theirs());
    carriers(threatening, ConnectionKind::Semi).fold(empty, |region, threat| region & threat)
}

fn carriers<const W: usize>(
    connections: &Connections<W>,
    kind: ConnectionKind,
) -> impl Iterator<Item = CellSet<W>> + '_ {
    connections.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind)
}

fn finish<const W: usize>(connections: &Connections<W>) -> Option<(Cell, usize)> {
    let known = [ConnectionKind::Semi, ConnectionKind::Full].into_iter().flat_map(|kind| carriers(connections, kind));
    let carrier = known.min_by_key(CellSet::len)?;
    let left = |cell: Cell| {
        let mut after = connections.clone();
        after.add(CellSet::of(cell), CellSet::EMPTY);
        let left = if after.is_won() {
            Some(0)
        } else {
            carriers(&after, ConnectionKind::Full).map(|carrier| carrier.len()).min()
        };
        left.map(|size| (size, cell))
    };
    carrier.iter().filter_map(left).min().map(|(size, cell)| (cell, size))
}
