//! Progress of long work: a line on the terminal that says what is done and for how long.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Time between two drawings.
const TICK: Duration = Duration::from_millis(200);

/// A line on standard error, if that is a terminal, until it is dropped.
pub struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Shows what is done from now on.
    pub fn new(what: &str) -> ProgressLine {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{elapsed:>4} {spinner} {wide_msg}");
        bar.set_style(style.expect("the template is well formed"));
        bar.set_message(what.to_owned());
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        ProgressLine(bar)
    }

    /// Says how far the work is.
    pub fn say(&self, message: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(message());
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
