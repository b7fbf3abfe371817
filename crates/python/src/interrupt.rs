//! Work that Ctrl-C stops.

use crate::error::told;
use ludolog::engine::Budget;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The time between two looks for Ctrl-C, and between two calls of a progress callback.
const LOOK: Duration = Duration::from_millis(50);

/// Does work on another thread, without the interpreter's lock, within so many seconds. Ctrl-C ends its budget, and is raised
/// when the work has stopped.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    seconds: Option<f64>,
    work: impl FnOnce(&Budget) -> T + Send,
) -> PyResult<T> {
    watched(py, seconds, None, || 0, work)
}

/// As [`interruptible`], and tells a callable how far the work is, as a number. What the callable raises ends the work as Ctrl-C
/// does.
pub fn watched<T: Send>(
    py: Python<'_>,
    seconds: Option<f64>,
    progress: Option<&Bound<'_, PyAny>>,
    done: impl Fn() -> u64,
    work: impl FnOnce(&Budget) -> T + Send,
) -> PyResult<T> {
    let flag = Arc::new(AtomicBool::new(false));
    let mut budget = Budget::unlimited().with_interrupt(flag.clone());
    if let Some(seconds) = seconds {
        let time = Duration::try_from_secs_f64(seconds);
        budget = budget.with_timeout(time.map_err(|_| told(format!("{seconds} are no seconds")))?);
    }
    let tell = || progress.map_or(Ok(()), |progress| progress.call1((done(),)).map(drop));
    let result = thread::scope(|scope| {
        let (sender, mut result) = channel();
        scope.spawn(move || sender.send(work(&budget)));
        loop {
            let waited;
            (waited, result) = py.detach(move || (result.recv_timeout(LOOK), result));
            match waited {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(told("the work has failed; this is a bug of ludolog"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = py.check_signals().and_then(|()| tell()) {
                        flag.store(true, Ordering::Relaxed);
                        // The work may need the interpreter's lock to come to its end.
                        py.detach(move || drop(result.recv()));
                        return Err(raised);
                    }
                }
            }
        }
    })?;
    tell()?;
    Ok(result)
}
