//! Static evaluation: what both players' connections prove of a position without search.

use super::order;
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use crate::inferior::{Rings, Stones};

/// The constants of a search.
#[derive(Debug)]
pub struct SearchConstants {
    /// The board.
    pub board: Board,
    /// Its rings.
    pub rings: Rings,
    /// The limits of connections.
    pub limits: ConnectionLimits,
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

/// The connections of both players, [`Player::Red`] first.
#[derive(Clone, Debug)]
pub struct StaticEvaluation<const W: usize> {
    connections: [Connections<W>; 2],
}

impl<const W: usize> StaticEvaluation<W> {
    /// The evaluation of a position.
    pub fn new(setting: &SearchConstants, stones: &Stones<W>) -> StaticEvaluation<W> {
        let connections = Player::BOTH.map(|player| {
            let mine = stones[player as usize];
            let theirs = stones[player.opponent() as usize];
            Connections::new(setting.board, player, mine, theirs, setting.limits)
        });
        StaticEvaluation { connections }
    }

    /// Becomes the evaluation of a position that has more stones than that of `before`.
    pub fn follow(&mut self, before: &StaticEvaluation<W>, stones: &Stones<W>) {
        for player in Player::BOTH {
            let connections = &mut self.connections[player as usize];
            connections.clone_from(&before.connections[player as usize]);
            let mine = connections.mine();
            let theirs = connections.theirs();
            connections.add(stones[player as usize] - mine, stones[player.opponent() as usize] - theirs);
        }
    }

    /// The verdict for the player to move.
    pub fn verdict(&self, player: Player) -> StaticVerdict<W> {
        let mine = &self.connections[player as usize];
        let theirs = &self.connections[player.opponent() as usize];
        let smallest = |of: &Connections<W>, kind| {
            of.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind).min_by_key(CellSet::len)
        };
        if mine.is_won() {
            StaticVerdict::Won(CellSet::EMPTY)
        } else if theirs.is_won() {
            StaticVerdict::Lost(CellSet::EMPTY)
        } else if let Some(carrier) =
            smallest(mine, ConnectionKind::Full).or_else(|| smallest(mine, ConnectionKind::Semi))
        {
            StaticVerdict::Won(carrier)
        } else if let Some(carrier) = smallest(theirs, ConnectionKind::Full) {
            StaticVerdict::Lost(carrier)
        } else {
            StaticVerdict::Open(
                theirs.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Semi).collect(),
            )
        }
    }

    /// The first move of the player's smallest semi-connection between his edges; an own stone there makes it full.
    /// `None` where he has none or needs none.
    pub fn key(&self, player: Player) -> Option<Cell> {
        let mine = &self.connections[player as usize];
        if mine.is_won()
            || mine.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Full).next().is_some()
        {
            return None;
        }
        let carrier =
            mine.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Semi).min_by_key(CellSet::len)?;
        carrier.iter().find(|&cell| {
            let mut next = mine.clone();
            next.add(CellSet::of(cell), CellSet::EMPTY);
            next.is_won()
                || next.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, ConnectionKind::Full).next().is_some()
        })
    }

    /// The cells, ordered by the current that flows through them for both players, most first.
    pub fn order(&self, cells: CellSet<W>) -> Vec<Cell> {
        let [red, blue] = self.connections.each_ref().map(order::currents);
        let score = |cell: Cell| red[cell.index()].min(blue[cell.index()]);
        let mut ordered: Vec<Cell> = cells.iter().collect();
        ordered.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        ordered
    }
}
