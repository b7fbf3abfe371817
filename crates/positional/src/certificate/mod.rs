//! Certificates: proofs that players cannot win a position, for anybody to check.
//!
//! A certificate has a claim for one player or for both, that the player cannot win; with both the position is a draw.
//! A claim is a list of steps, and the last one proves it. Each step says of one position that the player P cannot win
//! it against B:
//!
//! | step | P cannot win if | because |
//! | --- | --- | --- |
//! | `matching` | the parts cover every set that P may still complete | see [`check`](crate::matching::check()) |
//! | `weights` | these sets weigh less than 1/2 with P to move, or than 1 | see [`criterion`](crate::criterion) |
//! | `stealing` | B is to move, and each of these sets contains one that B may still complete | B could steal P's strategy |
//! | `move` | B is to move, and completes a set, or the step `then` holds after the move | |
//! | `replies` | P is to move, to each live point there is a move, it completes no set, and the step behind it holds | |
//!
//! A point is live if P or B may still complete a set with it. A move of P to another point is no better than one to a
//! live point: it is as if P did not move, and a mark more never hurts its owner. Where nothing is live, P may complete
//! no set.
//!
//! * [`verify`](mod@verify): the check. This, and what it calls, has to be trusted.
//! * [`prove`](mod@prove): finds proofs.
//! * [`text`]: the file.

pub mod prove;
pub mod text;
pub mod verify;

pub use prove::{Method, Proved, prove};
pub use verify::verify;

use crate::matching::MatchingPart;
use crate::points::Point;
use crate::position::{Player, Position};
use serde::{Deserialize, Serialize};

/// A proof about a position, which may be wrong until it is [verified](verify()).
#[derive(Clone, Debug, PartialEq)]
pub struct DrawCertificate {
    /// The position.
    pub position: Position,
    /// The claim.
    pub claims: Vec<NoWinClaim>,
}

/// That a player cannot win.
#[derive(Clone, Debug, PartialEq)]
pub struct NoWinClaim {
    /// The player.
    pub player: Player,
    /// The proof: steps, which refer to steps before them. The last one is about the position.
    pub steps: Vec<ProofStep>,
}

/// A step of a proof; see the table [above](self). `P` is how points are named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ProofStep<P = Point> {
    /// A matching.
    Matching {
        /// The parts.
        parts: Vec<MatchingPart<P>>,
    },
    /// The criterion of Erdős and Selfridge.
    Weights,
    /// Strategy stealing.
    Stealing,
    /// A move of the blocker.
    Move {
        /// The point.
        to: P,
        /// The step about the position after it; none if the move completes a set.
        then: Option<usize>,
    },
    /// All moves of the player.
    Replies {
        /// Each with the step about the position after it.
        moves: Vec<(P, usize)>,
    },
}

impl DrawCertificate {
    /// Whether the claims together say that nobody wins.
    pub fn is_draw(&self) -> bool {
        Player::BOTH.iter().all(|player| self.claims.iter().any(|claim| claim.player == *player))
    }

    /// The number of steps of all claims.
    pub fn len(&self) -> usize {
        self.claims.iter().map(|claim| claim.steps.len()).sum()
    }

    /// Whether nothing is claimed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
