//! Several threads: `parts` shares the runs of a round, `shares` a whole recursion where it falls into parts that do not meet.

mod parts;
mod shares;

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::sync::{Arc, OnceLock};

/// The threads that runs are shared by.
#[derive(Default)]
pub struct Threads {
    /// More than one, or 0.
    count: usize,
    /// Started when the first run needs them; none if they cannot be.
    pool: OnceLock<Option<Arc<ThreadPool>>>,
}

impl Threads {
    pub fn new(count: NonZero<usize>) -> Self {
        Threads { count: if count.get() > 1 { count.get() } else { 0 }, pool: OnceLock::new() }
    }

    /// Whether there is more than one. A page has one, so that the code of several is left out of its package.
    pub fn are_several(&self) -> bool {
        !cfg!(target_family = "wasm") && self.count > 0
    }

    pub fn pool(&self) -> Option<Arc<ThreadPool>> {
        let start = || ThreadPoolBuilder::new().num_threads(self.count).build().ok().map(Arc::new);
        if self.are_several() { self.pool.get_or_init(start).clone() } else { None }
    }
}
