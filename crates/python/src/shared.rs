//! Data of an object that several threads may use, and a process that forks.

use crate::error::told;
use pyo3::prelude::*;
use std::process;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// The message where data stay locked in a process that another one has become by a fork.
const FORKED: &str = "a thread was at work with the object when the process forked, and is not in this one: make the object here, or start \
                      processes by \"spawn\"";

/// Looks for data that are free again after a fork, and the time between two: two seconds in all.
const LOOKS: u32 = 200;
const BETWEEN: Duration = Duration::from_millis(10);

/// Data that one thread at a time uses.
pub struct Shared<T> {
    data: Mutex<T>,
    /// The process that made them.
    process: u32,
}

impl<T> Shared<T> {
    pub fn new(data: T) -> Self {
        Shared { data: Mutex::new(data), process: process::id() }
    }

    /// The data, when other threads have done with them. In another process than that which made them, a thread that has them may be
    /// none of it, so that they are waited for no longer than two seconds.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, T>> {
        for _ in 0..LOOKS {
            match self.data.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::Poisoned(_)) => return Err(failed()),
                Err(TryLockError::WouldBlock) if self.is_of_this_process() => {
                    return self.data.lock().map_err(|_| failed());
                }
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN),
            }
        }
        Err(told(FORKED))
    }

    /// The data, if no other thread uses them.
    pub fn try_lock(&self) -> PyResult<MutexGuard<'_, T>> {
        match self.data.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(_)) => Err(failed()),
            Err(TryLockError::WouldBlock) if self.is_of_this_process() => Err(told("another thread uses the object")),
            Err(TryLockError::WouldBlock) => Err(told(FORKED)),
        }
    }

    /// Asks the system, which takes longer than a lock: only where the data are not free.
    fn is_of_this_process(&self) -> bool {
        self.process == process::id()
    }
}

fn failed() -> PyErr {
    told("the object has failed before; this is a bug of ludolog")
}
