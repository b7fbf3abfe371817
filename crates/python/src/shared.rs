//! Data of an object that several threads may use, and a process that forks.

use crate::error::told;
use pyo3::prelude::*;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// The message where a thread that is not in this process was at work.
const FORKED: &str = "another thread was at work with the object when the process forked, and is not in this one: make the object here, \
                      or start processes by \"spawn\"";

/// Looks for who holds the data, and the time between two: a thread that has just locked them has yet to say so.
const LOOKS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(1);

/// Data that one thread at a time uses.
pub struct Shared<T> {
    data: Mutex<T>,
    /// The process whose thread locked the data last.
    holder: AtomicU32,
}

impl<T> Shared<T> {
    pub fn new(data: T) -> Self {
        Shared { data: Mutex::new(data), holder: AtomicU32::new(process::id()) }
    }

    /// The data, when other threads have done with them.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, T>> {
        for _ in 0..LOOKS {
            match self.data.try_lock() {
                Ok(guard) => return Ok(self.held(guard)),
                Err(TryLockError::Poisoned(_)) => return Err(failed()),
                Err(TryLockError::WouldBlock) if self.is_held_here() => {
                    return self.data.lock().map(|guard| self.held(guard)).map_err(|_| failed());
                }
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN),
            }
        }
        Err(told(FORKED))
    }

    /// The data, if no other thread uses them.
    pub fn try_lock(&self) -> PyResult<MutexGuard<'_, T>> {
        match self.data.try_lock() {
            Ok(guard) => Ok(self.held(guard)),
            Err(TryLockError::Poisoned(_)) => Err(failed()),
            Err(TryLockError::WouldBlock) if self.is_held_here() => Err(told("another thread uses the object")),
            Err(TryLockError::WouldBlock) => Err(told(FORKED)),
        }
    }

    fn held<'g>(&self, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
        self.holder.store(process::id(), Ordering::Relaxed);
        guard
    }

    fn is_held_here(&self) -> bool {
        self.holder.load(Ordering::Relaxed) == process::id()
    }
}

fn failed() -> PyErr {
    told("the object has failed before; this is a bug of ludolog")
}
