//! Frames of calls.

use super::code::{Address, ProcedureId};

/// A call: its slots, the slots of its results, and its return address.
#[derive(Clone, Copy)]
pub struct CallFrame {
    /// The first of its slots.
    pub base: u32,
    /// One past the last of its slots.
    pub end: u32,
    /// The first slot that receives the results.
    pub results: u32,
    pub return_to: Address,
    /// The frame of the caller.
    pub parent: u32,
    /// The number of choices at the time of the call.
    pub choices: u32,
    /// The called procedure.
    pub procedure: ProcedureId,
    /// The number of last calls that reused this frame.
    pub last_calls: u32,
}
