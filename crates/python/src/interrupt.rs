//! Work that Ctrl-C stops.

use crate::error::told;
use ludolog::engine::Budget;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The time between two looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Does work on another thread, without the interpreter's lock, within so many seconds. Ctrl-C ends its budget, and is raised
/// when the work has stopped.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    seconds: Option<f64>,
    work: impl FnOnce(&Budget) -> T + Send,
) -> PyResult<T> {
    let flag = Arc::new(AtomicBool::new(false));
    let mut budget = Budget::unlimited().with_interrupt(flag.clone());
    if let Some(seconds) = seconds {
        let time = Duration::try_from_secs_f64(seconds);
        budget = budget.with_timeout(time.map_err(|_| told(format!("{seconds} are no seconds")))?);
    }
    thread::scope(|scope| {
        let (done, mut result) = channel();
        scope.spawn(move || done.send(work(&budget)));
        loop {
            let waited;
            (waited, result) = py.detach(move || (result.recv_timeout(LOOK), result));
            match waited {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(told("the work has failed; this is a bug of ludolog"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = py.check_signals() {
                        flag.store(true, Ordering::Relaxed);
                        return Err(raised);
                    }
                }
            }
        }
    })
}
