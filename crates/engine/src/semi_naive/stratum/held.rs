//! The facts that are held while a stratum runs.

use crate::contract::Work;

/// The facts that a budget counts while a stratum runs.
#[derive(Clone, Copy)]
pub struct Held {
    /// Those held before, and those derived until then.
    pub(super) before: u64,
    pub(super) derived: u64,
    /// Whether the stratum holds totals of what it derives, not the facts.
    pub(super) has_totals_alone: bool,
}

impl Held {
    pub fn now(self, work: Work) -> u64 {
        self.before + if self.has_totals_alone { 0 } else { work.derived - self.derived }
    }
}
