//! What connections and inferior cells say of a position of the tree.
//!
//! Cells that do not matter are filled in; the connections of both players then decide the position, or leave the
//! must-play region, without inferior moves, as the moves to search. Each has a weight: the lesser of the shares of both
//! players' currents that flow through its cell, since such a cell is good for one and bad for the other (Anshelevich, *A
//! hierarchical approach to computer Hex*, 2002).
//!
//! Connections are the costly part. They are kept for some positions, and those of a new one are made from the kept ones
//! of the nearest position before it. Where there are too many, those go that nothing has followed from for longest.

use super::playout::{BorderedBoard, EMPTY, stone};
use crate::board::{Board, Cell, Player};
use crate::by_width;
use crate::cells::CellSet;
use crate::connection::{ConnectionLimits, Connections};
use crate::inferior::Stones;
use crate::solver::order::{Currents, currents};
use crate::solver::static_evaluation::{SearchConstants, StaticVerdict, own_verdict, verdict_against};

/// Pairs of cells in all positions whose connections are kept: some 130 megabytes, which is 150 positions of each player
/// on 11×11.
const KEPT_PAIRS: usize = 150 * 121 * 121;

/// The least and the most positions that are kept, whatever the board: on small ones there are not as many to ask of.
const KEPT_POSITIONS: [usize; 2] = [8, 300];

/// The expert's opinion on a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Opinion {
    /// The player to move wins.
    Won,
    /// The player to move loses.
    Lost,
    /// Not decided.
    Open {
        /// Empty cells that may as well have these stones.
        filled: Vec<(Cell, Player)>,
        /// The moves worth searching, with the share of current through each, at most 1.
        moves: Vec<(Cell, f32)>,
        /// How well the player to move stands by the conductances of both players: their ratio's logarithm.
        advantage: f32,
    },
}

/// An expert for the positions of one board.
pub trait Expert: Send {
    /// The opinion on a position that nobody has won, `player` to move.
    fn opinion(&mut self, field: &BorderedBoard, player: Player) -> Opinion;
}

/// The expert for a board; `None` if the board has more than [`MAX_CELLS`](crate::cells::MAX_CELLS) cells.
pub fn expert(board: Board) -> Option<Box<dyn Expert>> {
    by_width!(board.len(), W => Box::new(ConnectionExpert::<W>::new(board)) as Box<dyn Expert>)
}

pub(super) struct ConnectionExpert<const W: usize> {
    setting: SearchConstants,
    /// By player, connections of positions that were asked for, those last that were asked for or followed last.
    kept: [Vec<Connections<W>>; 2],
    /// The most positions that are kept of each player.
    limit: usize,
}

impl<const W: usize> ConnectionExpert<W> {
    pub(super) fn new(board: Board) -> ConnectionExpert<W> {
        let setting = SearchConstants::new(board, ConnectionLimits::USUAL);
        let [least, most] = KEPT_POSITIONS;
        let limit = (KEPT_PAIRS / board.len().pow(2)).clamp(least, most);
        ConnectionExpert { setting, kept: [Vec::new(), Vec::new()], limit }
    }

    /// Keeps the connections of a position as the last ones of the player.
    fn connect(&mut self, stones: &Stones<W>, player: Player) {
        let [mine, theirs] = [player, player.opponent()].map(|player| stones[player as usize]);
        let kept = &mut self.kept[player as usize];
        let before = |connections: &Connections<W>| {
            let fits = connections.mine().is_subset(&mine) && connections.theirs().is_subset(&theirs);
            fits.then(|| connections.mine().len() + connections.theirs().len())
        };
        let nearest = kept.iter().enumerate().filter_map(|(i, connections)| Some((before(connections)?, i))).max();
        // What others follow from is kept longer.
        if let Some((_, nearest)) = nearest {
            kept[nearest..].rotate_left(1);
        }
        let oldest = (kept.len() >= self.limit).then(|| kept.remove(0));
        let next = match (nearest.and(kept.last()), oldest) {
            (None, _) => self.setting.connections(stones, player),
            (Some(base), Some(mut next)) => {
                next.follow(base, mine - base.mine(), theirs - base.theirs(), None);
                next
            }
            (Some(base), None) => {
                let mut next = base.clone();
                next.add(mine - base.mine(), theirs - base.theirs());
                next
            }
        };
        kept.push(next);
    }

    fn last(&self, player: Player) -> Option<&Connections<W>> {
        self.kept[player as usize].last()
    }
}

impl<const W: usize> Expert for ConnectionExpert<W> {
    fn opinion(&mut self, field: &BorderedBoard, player: Player) -> Opinion {
        let board = self.setting.board;
        let of = |content| board.cells().filter(|&cell| field.content(field.place(cell)) == content).collect();
        let before: Stones<W> = Player::BOTH.map(|player| of(stone(player)));
        let empty: CellSet<W> = of(EMPTY);
        let mut stones = before;
        self.setting.rings.fill_in(&mut stones);
        self.connect(&stones, player);
        let Some(mine) = self.last(player) else { return Opinion::Lost };
        if own_verdict(mine).is_some() {
            return Opinion::Won;
        }
        self.connect(&stones, player.opponent());
        let (Some(mine), Some(theirs)) = (self.last(player), self.last(player.opponent())) else {
            return Opinion::Lost;
        };
        let StaticVerdict::Open(threats) = verdict_against(theirs) else { return Opinion::Lost };
        let mut moves = empty - (stones[0] | stones[1]);
        threats.iter().for_each(|threat| moves &= *threat);
        let inferior = self.setting.rings.inferior_moves(player, moves, &stones);
        inferior.cells().for_each(|cell| moves.remove(cell));
        if moves.is_empty() {
            return Opinion::Lost;
        }
        let [Currents { shares: mine, conductance }, theirs] = [mine, theirs].map(currents);
        let weight = |cell: Cell| (cell, mine[cell.index()].min(theirs.shares[cell.index()]));
        let filled =
            |player: Player| (stones[player as usize] & empty).iter().map(move |cell| (cell, player)).collect();
        let filled: [Vec<(Cell, Player)>; 2] = Player::BOTH.map(filled);
        Opinion::Open {
            filled: filled.concat(),
            moves: moves.iter().map(weight).collect(),
            advantage: (conductance / theirs.conductance).ln(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::random::{Random, scatter_without_win};
    use std::collections::HashMap;

    /// Whether the player to move wins, by trying all games.
    fn wins(position: &Position, player: Player, known: &mut HashMap<(Vec<Cell>, Vec<Cell>), bool>) -> bool {
        let key = (position.stones_of(Player::Red).collect(), position.stones_of(Player::Blue).collect());
        if let Some(&known) = known.get(&key) {
            return known;
        }
        let wins = position.winner().is_none()
            && position.empty_cells().any(|cell| {
                let mut next = position.clone();
                next.place(player, cell);
                !wins(&next, player.opponent(), known)
            });
        known.insert(key, wins);
        wins
    }

    #[test]
    fn opinions_agree_with_all_games() {
        let board = Board::new(4, 4).unwrap();
        // As on small boards, and as on large ones, where the oldest make room.
        let [mut many, mut few] = [0, 0].map(|_| ConnectionExpert::<1>::new(board));
        few.limit = KEPT_POSITIONS[0];
        for seed in 0..60 {
            let Some(position) = scatter_without_win(board, 7, None, &mut Random::new(seed), 100) else { continue };
            let player = Player::BOTH[seed as usize % 2];
            let is_won = wins(&position, player, &mut HashMap::new());
            for expert in [&mut many, &mut few] {
                match expert.opinion(&BorderedBoard::new(&position), player) {
                    Opinion::Won => assert!(is_won, "seed {seed}, {player}:\n{position}"),
                    Opinion::Lost => assert!(!is_won, "seed {seed}, {player}:\n{position}"),
                    Opinion::Open { .. } => {}
                }
            }
        }
        assert!(many.kept[0].len() > few.limit && few.kept.iter().all(|kept| kept.len() == few.limit));
    }
}
