//! A position surveyed without search, in words: the must-play region, and the cells that do not matter.

use crate::board::{Board, Cell, Player};
use crate::cells::CellSet;
use crate::connection::{ConnectionEnd, ConnectionKind, Connections};
use crate::inferior::{FillIn, Inferior, Rings, Stones};
use crate::position::Position;
use std::fmt;

/// The names of cells, in their order.
pub fn names(board: Board, cells: impl IntoIterator<Item = Cell>) -> Vec<String> {
    cells.into_iter().map(|cell| board.name(cell)).collect()
}

/// The must-play region of a player: the cells that stand in every carrier known between the opponent's edges. Any other move leaves
/// the opponent a way (van Rijswijck, *Search and evaluation in Hex*, 2002).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MustPlay<const W: usize> {
    board: Board,
    /// The player who moves.
    pub mover: Player,
    /// The cells; `None` where no carrier is known, so that any move may do.
    pub cells: Option<CellSet<W>>,
    /// The number of carriers.
    pub carriers: usize,
}

impl<const W: usize> MustPlay<W> {
    /// The region against the player whose connections these are.
    pub fn against(opponent: &Connections<W>) -> MustPlay<W> {
        let of_kind = |kind| opponent.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind);
        let carriers: Vec<CellSet<W>> = ConnectionKind::BOTH.into_iter().flat_map(of_kind).collect();
        MustPlay {
            board: opponent.board(),
            mover: opponent.player().opponent(),
            cells: carriers.iter().copied().reduce(|common, carrier| common & carrier),
            carriers: carriers.len(),
        }
    }
}

impl<const W: usize> fmt::Display for MustPlay<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MustPlay { board, mover, cells, carriers } = *self;
        let other = mover.opponent();
        match (cells.map(|cells| names(board, cells).join(" ")), carriers) {
            (None, _) => {
                write!(f, "{mover} to move may play anywhere: no way is known in which {other} joins the edges")
            }
            (Some(cells), 1) if cells.is_empty() => {
                write!(f, "{mover} to move must play in the one known way of {other}: no cells")
            }
            (Some(cells), 1) => write!(f, "{mover} to move must play in the one known way of {other}: {cells}"),
            (Some(cells), count) if cells.is_empty() => {
                write!(f, "{mover} to move has lost: no cell is in all of {count} ways of {other}")
            }
            (Some(cells), count) => write!(f, "{mover} to move must play in all of {count} ways of {other}: {cells}"),
        }
    }
}

/// The cells of a position that do not matter, and the moves that need not be looked at.
#[derive(Clone, Debug)]
pub struct InferiorCells<const W: usize> {
    /// The position with dead and captured cells filled in.
    pub filled: Position,
    /// The cells that were filled in.
    pub added: Vec<Cell>,
    /// The reasons why.
    pub fill_in: FillIn<W>,
    /// The winner of the filled position; nobody's moves are judged then.
    pub winner: Option<Player>,
    /// The inferior moves of each player that was asked for.
    pub moves: Vec<(Player, Inferior<W>)>,
}

impl<const W: usize> InferiorCells<W> {
    /// Fills the position in, and judges the moves of these players.
    pub fn of_position(position: &Position, movers: &[Player]) -> InferiorCells<W> {
        let rings = Rings::new(position.board());
        let mut stones: Stones<W> = Player::BOTH.map(|player| position.stones_of(player).collect());
        let fill_in = rings.fill_in(&mut stones);
        let empty = CellSet::all(position.board()) - (stones[0] | stones[1]);
        let mut filled = position.clone();
        for player in Player::BOTH {
            for cell in stones[player as usize] {
                filled.place(player, cell);
            }
        }
        let winner = filled.winner();
        let judged = movers.iter().filter(|_| winner.is_none());
        let moves = judged.map(|&mover| (mover, rings.inferior_moves(mover, empty, &stones))).collect();
        let added = position.empty_cells().filter(|&cell| filled.stone(cell).is_some()).collect();
        InferiorCells { filled, added, fill_in, winner, moves }
    }

    /// A line for each kind of cells: its name, and the cells with what they are inferior to.
    pub fn lines(&self) -> Vec<String> {
        let board = self.filled.board();
        let mut lines = Vec::new();
        let mut line = |kind: &str, cells: Vec<String>| {
            let cells = if cells.is_empty() { "none".to_owned() } else { cells.join(" ") };
            lines.push(format!("{kind}: {cells}"));
        };
        line("dead", names(board, self.fill_in.dead));
        for player in Player::BOTH {
            line(&format!("captured by {player}"), names(board, self.fill_in.captured[player as usize]));
        }
        if let Some(winner) = self.winner {
            line("winner", vec![winner.to_string()]);
        }
        for (mover, inferior) in &self.moves {
            let killed = |&(cell, killers): &(Cell, CellSet<W>)| {
                format!("{} (by {})", board.name(cell), names(board, killers).join("+"))
            };
            line(&format!("vulnerable for {mover}"), inferior.vulnerable.iter().map(killed).collect());
            let better = |&(cell, by): &(Cell, Cell)| format!("{} (by {})", board.name(cell), board.name(by));
            line(&format!("dominated for {mover}"), inferior.dominated.iter().map(better).collect());
        }
        lines
    }
}
