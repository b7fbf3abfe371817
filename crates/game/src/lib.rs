//! A program in the Game Description Language as a game: roles, states, moves.
//!
//! * [`canonical`]: states and moves as text, and their digests.
//! * [`machine`]: legal moves, the next state, the end and the goals, over the semi-naive engine.
//! * `program`: the part of a rulesheet that it runs.

pub mod canonical;
pub mod machine;
mod program;

pub use machine::{Game, GameError, State};
