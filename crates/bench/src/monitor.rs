//! Telling how far a run is, and being told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub done: usize,
    /// Known so far; grows when a run sees what it has to do.
    pub total: usize,
    /// What is begun now.
    pub what: &'a str,
}

/// What a run talks to.
pub struct Monitor<'a> {
    interrupted: Arc<AtomicBool>,
    tell: &'a mut dyn FnMut(Progress<'_>),
    done: usize,
    total: usize,
}

impl<'a> Monitor<'a> {
    /// `interrupted` is set by whoever wants the run to stop.
    pub fn new(interrupted: Arc<AtomicBool>, tell: &'a mut dyn FnMut(Progress<'_>)) -> Self {
        Self { interrupted, tell, done: 0, total: 0 }
    }

    /// Announces more steps.
    pub fn expect(&mut self, steps: usize) {
        self.total += steps;
    }

    /// Begins a step, unless the run is to stop.
    pub fn begin(&mut self, what: &str) -> bool {
        if self.is_interrupted() {
            return false;
        }
        (self.tell)(Progress { done: self.done, total: self.total.max(self.done + 1), what });
        self.done += 1;
        true
    }

    /// Whether the run is to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
