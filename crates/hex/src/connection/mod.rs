//! Virtual connections: what a player can join, whatever the opponent does.
//!
//! A *connection* joins two *ends*, each an edge of the player, a group of the player's stones or an empty cell, within
//! a set of empty cells, its *carrier*. A *full* connection is one that the player can make although the opponent moves
//! first; a *semi-connection* needs the first move.
//!
//! Large connections are built from small ones (V. Anshelevich, *A hierarchical approach to computer Hex*, 2002):
//!
//! * the AND rule puts two in a row, whose carriers have no cell in common: full, if the end where they meet is the
//!   player's; semi, if it is empty, or if one of them is semi;
//! * the OR rule puts semi-connections beside each other that have no cell common to all: the opponent cannot cut all at
//!   once, so they make a full one.
//!
//! What the rules derive is true, but not all that is true: [`complete`] finds the rest, at a price.
//!
//! * `closure`: [`Connections`], everything the rules derive within [`Limits`], kept up as stones are added;
//!   `closure/rules`: the rules themselves.
//! * `derivation`: how a connection follows, as [`Step`]s.
//! * [`complete`]: exact search within a carrier.

mod closure;
pub mod complete;
mod derivation;
mod limits;

pub use closure::Connections;
pub use derivation::{Rule, Step};
pub use limits::Limits;

use super::board::{Board, Cell, Player};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a connection joins at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// The player's first edge: top for Red, left for Blue.
    First,
    /// The player's last edge: bottom for Red, right for Blue.
    Last,
    /// An empty cell, or the group of the stone on it.
    Cell(Cell),
}

impl End {
    /// The edge's name for that player, or the cell's name.
    pub fn name(self, board: Board, player: Player) -> String {
        match (self, player) {
            (End::First, Player::Red) => "top".to_owned(),
            (End::Last, Player::Red) => "bottom".to_owned(),
            (End::First, Player::Blue) => "left".to_owned(),
            (End::Last, Player::Blue) => "right".to_owned(),
            (End::Cell(cell), _) => board.name(cell),
        }
    }

    /// The cell, where the end is no edge.
    pub fn cell(self) -> Option<Cell> {
        match self {
            End::Cell(cell) => Some(cell),
            End::First | End::Last => None,
        }
    }

    /// The end of that [`name`](End::name), if it is one of this player's on this board.
    pub fn from_name(name: &str, board: Board, player: Player) -> Option<End> {
        [End::First, End::Last]
            .into_iter()
            .find(|edge| edge.name(board, player) == name)
            .or_else(|| board.cell_of_name(name).map(End::Cell))
    }
}

/// Whether the player may wait for the opponent's move or has to move first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Full,
    Semi,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Full => "full",
            Kind::Semi => "semi",
        })
    }
}
