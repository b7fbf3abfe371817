//! Whole games solved: every reachable state, with its value under best play.
//!
//! ```text
//! net ─expand→ states, level by level ─exchange→ the peer that owns each ─attract→ values, from the ends backwards
//! ```
//!
//! States are enumerated breadth first and labelled by retrograde analysis (Ströhlein, *Untersuchungen über
//! kombinatorische Spiele*, 1970; Thompson, *Retrograde analysis of certain endgames*, 1986). Peers own the states by
//! hash; a state that a peer finds, and a value that it knows, go to the owner in the next exchange (as Stern and Dill
//! explore states in parallel, *Parallelizing the Murφ verifier*, 1997). All peers run the same code, and differ in how
//! they exchange only.
//!
//! * [`exchange`]: peers that exchange words in rounds: threads.
//! * `dataflow`: workers of several processes as peers (cargo feature `dataflow`).
//! * [`shard`]: the states that a peer owns.
//! * [`solver`]: the rounds: forward to all states, backward to their values.
//! * [`solution`]: what is found.
//! * [`checkpoint`]: a directory from which an enumeration goes on.
//! * [`database`]: the values of all states, in a file.

pub mod checkpoint;
pub mod database;
#[cfg(feature = "dataflow")]
pub mod dataflow;
pub mod exchange;
mod fingerprint;
pub mod shard;
pub mod solution;
pub mod solver;

pub use checkpoint::Checkpoint;
pub use database::Database;
pub use solution::{Level, SolvedStates, StateValue, best_moves};
pub use solver::{PeerProgress, Unsolved, solve};
