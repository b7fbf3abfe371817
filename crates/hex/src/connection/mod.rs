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
//! A player who goes around a cylinder joins a cell to itself, one turn on. That is a connection of two ends where the board is
//! unrolled, whose carrier is a set of cells of the board itself.
//!
//! The rules are sound but not complete: [`complete`] finds the rest, at a price. Connections to an edge that it has found
//! are kept as [templates](crate::template), and are there before the rules begin.
//!
//! * `end`: [`ConnectionBoard`], what all of this needs of a board; [`ConnectionEnd`].
//! * `closure`: [`Connections`], everything the rules derive within [`ConnectionLimits`], kept up as stones are added;
//!   `closure/rules`: the rules themselves.
//! * `derivation`: how a connection follows, as [`DerivationStep`]s; `writer`: the same as lines of a proof.
//! * [`complete`]: exact search within a carrier.

mod closure;
pub mod complete;
mod derivation;
mod end;
mod limits;
mod writer;

pub use closure::Connections;
pub use derivation::{ConnectionRule, DerivationStep};
pub use end::{ConnectionBoard, ConnectionEnd};
pub use limits::ConnectionLimits;
pub use writer::DerivationWriter;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Whether the player may wait for the opponent's move or has to move first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConnectionKind {
    /// The opponent may move first.
    Full,
    /// The player has to move first.
    Semi,
}

impl ConnectionKind {
    /// Both kinds.
    pub const BOTH: [ConnectionKind; 2] = [ConnectionKind::Full, ConnectionKind::Semi];
}

impl FromStr for ConnectionKind {
    type Err = ParseKindError;

    fn from_str(text: &str) -> Result<ConnectionKind, ParseKindError> {
        ConnectionKind::BOTH.into_iter().find(|kind| kind.to_string() == text).ok_or(ParseKindError)
    }
}

/// A text names no kind of connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseKindError;

impl fmt::Display for ParseKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("full or semi")
    }
}

impl std::error::Error for ParseKindError {}

impl fmt::Display for ConnectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConnectionKind::Full => "full",
            ConnectionKind::Semi => "semi",
        })
    }
}
