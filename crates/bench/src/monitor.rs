//! Progress and interruption of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The run is over before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunProgress<'a> {
    /// The number of steps completed.
    pub done: usize,
    /// The number of steps known so far; it grows while a run plans its steps.
    pub total: usize,
    /// The step that begins, in words.
    pub what: &'a str,
}

/// Receives the progress of a run, and interrupts it.
pub struct Monitor<'a> {
    interrupted: Arc<AtomicBool>,
    tell: &'a mut dyn FnMut(RunProgress<'_>),
    done: usize,
    total: usize,
}

impl<'a> Monitor<'a> {
    /// A monitor that calls `tell` at each step. Setting `interrupted` stops the run.
    pub fn new(interrupted: Arc<AtomicBool>, tell: &'a mut dyn FnMut(RunProgress<'_>)) -> Self {
        Self { interrupted, tell, done: 0, total: 0 }
    }

    /// Announces more steps.
    pub fn expect(&mut self, steps: usize) {
        self.total += steps;
    }

    /// Begins a step.
    ///
    /// # Errors
    ///
    /// [`Interrupted`], if the run is.
    pub fn begin(&mut self, what: &str) -> Result<(), Interrupted> {
        self.check()?;
        (self.tell)(RunProgress { done: self.done, total: self.total.max(self.done + 1), what });
        self.done += 1;
        Ok(())
    }

    /// Goes on.
    ///
    /// # Errors
    ///
    /// [`Interrupted`], if the run is.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }
}
