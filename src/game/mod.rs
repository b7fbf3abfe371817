//! A program in the Game Description Language as a game: roles, states, moves.
//!
//! * [`canonical`]: states and moves as text, and their digests.
//! * [`machine`]: legal moves, the next state, the end and the goals, over the semi-naive engine.

pub mod canonical;
pub mod machine;

pub use machine::{Game, GameError, State};
