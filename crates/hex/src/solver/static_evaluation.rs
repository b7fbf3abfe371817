//! A position at sight: what both players' connections say without search.

use super::order;
use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionLimits, Connections, End, Kind};
use crate::inferior::{Rings, Stones};

/// What does not change during a search.
#[derive(Debug)]
pub struct Setting {
    pub board: Board,
    pub rings: Rings,
    pub limits: ConnectionLimits,
}

/// What a player to move can tell at sight.
#[derive(Clone, Debug)]
pub enum Verdict<const W: usize> {
    /// He wins within the carrier.
    Won(CellSet<W>),
    /// He loses within the carrier.
    Lost(CellSet<W>),
    /// Nobody is connected yet; the opponent threatens to be within each of these carriers.
    Open(Vec<CellSet<W>>),
}

/// The connections of both players, [`Player::Red`] first.
#[derive(Clone, Debug)]
pub struct StaticEvaluation<const W: usize> {
    connections: [Connections<W>; 2],
}

impl<const W: usize> StaticEvaluation<W> {
    pub fn new(setting: &Setting, stones: &Stones<W>) -> StaticEvaluation<W> {
        let connections = Player::BOTH.map(|player| {
            let (mine, theirs) = (stones[player as usize], stones[player.opponent() as usize]);
            Connections::new(setting.board, player, mine, theirs, setting.limits)
        });
        StaticEvaluation { connections }
    }

    /// Becomes what `before` is with the stones that have come since.
    pub fn follow(&mut self, before: &StaticEvaluation<W>, stones: &Stones<W>) {
        for player in Player::BOTH {
            let connections = &mut self.connections[player as usize];
            connections.clone_from(&before.connections[player as usize]);
            let (mine, theirs) = (connections.mine(), connections.theirs());
            connections.add(stones[player as usize] - mine, stones[player.opponent() as usize] - theirs);
        }
    }

    pub fn verdict(&self, player: Player) -> Verdict<W> {
        let mine = &self.connections[player as usize];
        let theirs = &self.connections[player.opponent() as usize];
        let smallest = |of: &Connections<W>, kind| of.carriers(End::FIRST, End::LAST, kind).min_by_key(CellSet::len);
        if mine.is_won() {
            Verdict::Won(CellSet::EMPTY)
        } else if theirs.is_won() {
            Verdict::Lost(CellSet::EMPTY)
        } else if let Some(carrier) = smallest(mine, Kind::Full).or_else(|| smallest(mine, Kind::Semi)) {
            Verdict::Won(carrier)
        } else if let Some(carrier) = smallest(theirs, Kind::Full) {
            Verdict::Lost(carrier)
        } else {
            Verdict::Open(theirs.carriers(End::FIRST, End::LAST, Kind::Semi).collect())
        }
    }

    /// The first move of the player's smallest semi-connection between his edges; an own stone there makes it full.
    /// `None` where he has none or needs none.
    pub fn key(&self, player: Player) -> Option<Cell> {
        let mine = &self.connections[player as usize];
        if mine.is_won() || mine.carriers(End::FIRST, End::LAST, Kind::Full).next().is_some() {
            return None;
        }
        let carrier = mine.carriers(End::FIRST, End::LAST, Kind::Semi).min_by_key(CellSet::len)?;
        carrier.iter().find(|&cell| {
            let mut next = mine.clone();
            next.add(CellSet::of(cell), CellSet::EMPTY);
            next.is_won() || next.carriers(End::FIRST, End::LAST, Kind::Full).next().is_some()
        })
    }

    /// The cells, those first through which most flows for both players.
    pub fn order(&self, cells: CellSet<W>) -> Vec<Cell> {
        let [red, blue] = self.connections.each_ref().map(order::currents);
        let score = |cell: Cell| red[cell.index()].min(blue[cell.index()]);
        let mut ordered: Vec<Cell> = cells.iter().collect();
        ordered.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        ordered
    }
}
