//! Positional games: winning sets of points, claimed by two players in turn.
//!
//! In a *strong* game the player who first claims a whole winning set wins; tic-tac-toe is one. In a *Maker-Breaker*
//! game Maker wins with a whole winning set, and Breaker wins with a point of each. Who cannot win as Maker, cannot win
//! the strong game either.
//!
//! ```text
//! text, board, rulesheet → Position ─matching, strong→ proof ─Certificate→ verify
//! ```
//!
//! * [`points`]: sets of points as bits.
//! * [`hypergraph`]: winning sets; k in a row, and lines of cubes.
//! * [`position`]: marks on a hypergraph. [`text`]: their file.
//! * `gdl`, with the cargo feature of that name: positional games found among rulesheets.
//! * [`draw`]: pictures of positions.
//! * [`pairing`]: Hales-Jewett pairings. [`periodic`]: those of nine or more in a row. [`criterion`]: that of Erdős and Selfridge.
//! * [`matching`]: pairings and matching sets, their check and how they are found.
//! * [`maker_breaker`], [`strong`]: who wins.
//! * [`certificate`]: proofs that a player cannot win, and their check.

pub mod certificate;
pub mod criterion;
pub mod draw;
#[cfg(feature = "gdl")]
pub mod gdl;
pub mod hypergraph;
pub mod maker_breaker;
pub mod matching;
pub mod pairing;
pub mod periodic;
pub mod points;
pub mod position;
pub mod strong;
pub mod text;

pub use hypergraph::{Hypergraph, PointBoard};
pub use points::{Point, Points};
pub use position::{Player, Position};
