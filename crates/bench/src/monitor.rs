//! Progress and interruption of a run.

use crate::report::Record;
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
    rows: Option<&'a mut dyn FnMut(&Record)>,
    done: usize,
    total: usize,
}

impl<'a> Monitor<'a> {
    /// A monitor that calls `tell` at each step. Setting `interrupted` stops the run.
    pub fn new(interrupted: Arc<AtomicBool>, tell: &'a mut dyn FnMut(RunProgress<'_>)) -> Self {
        Self { interrupted, tell, rows: None, done: 0, total: 0 }
    }

    /// The same, which hands rows of reports on as soon as they are measured; the comparisons with other rows are missing in them.
    #[must_use]
    pub fn with_rows(self, rows: &'a mut dyn FnMut(&Record)) -> Self {
        Self { rows: Some(rows), ..self }
    }

    /// Tells a row that has been measured.
    pub(crate) fn row(&mut self, row: &Record) {
        if let Some(rows) = &mut self.rows {
            rows(row);
        }
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
