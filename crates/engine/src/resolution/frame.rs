//! One call at work.

use super::code::{Address, ProcedureId};

/// A call: where its slots and results are, and whom it returns to.
#[derive(Clone, Copy)]
pub struct Frame {
    /// Where its slots begin and end.
    pub base: u32,
    pub end: u32,
    /// Where the results go, a position in the slots.
    pub results: u32,
    pub return_to: Address,
    /// The frame of the caller.
    pub parent: u32,
    /// How many choices there were when it was made.
    pub choices: u32,
    /// What is called.
    pub procedure: ProcedureId,
    /// How many calls this frame has taken over by last calls.
    pub last_calls: u32,
}
