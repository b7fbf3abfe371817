//! Work that goes on while a page asks how far it is, on a thread of its own.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The stack of the thread: as much as the main thread has.
const STACK: usize = 8 << 20;

/// The result of a run, or why there is none, in words.
pub(crate) type RunResult = Result<Value, String>;

/// The part of a run that its thread and the page share.
pub(crate) struct RunState<T> {
    /// Whether the run shall end.
    pub stop: Arc<AtomicBool>,
    progress: Mutex<T>,
}

impl<T> RunState<T> {
    /// The progress, to be read or changed.
    pub fn progress(&self) -> MutexGuard<'_, T> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the run shall end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A run, which ends when this is dropped.
pub(crate) struct LongRun<T> {
    shared: Arc<RunState<T>>,
    thread: Option<JoinHandle<RunResult>>,
    ended: Option<RunResult>,
}

impl<T: Send + 'static> LongRun<T> {
    /// Begins to work.
    ///
    /// # Errors
    ///
    /// The system has no thread for it.
    pub fn start(
        progress: T,
        work: impl FnOnce(&RunState<T>) -> RunResult + Send + 'static,
    ) -> Result<LongRun<T>, String> {
        let shared = Arc::new(RunState { stop: Arc::default(), progress: Mutex::new(progress) });
        let of_thread = shared.clone();
        let thread = thread::Builder::new().stack_size(STACK).spawn(move || work(&of_thread));
        let thread = thread.map_err(|error| format!("there is no thread for this: {error}"))?;
        Ok(LongRun { shared, thread: Some(thread), ended: None })
    }

    /// Tells how far it is, as an object, with `isRunning`, and `result` or `error` at the end.
    pub fn tell(&mut self, tell: impl FnOnce(&T) -> Value) -> Value {
        // Before the progress, so that what is told of a run that has ended is complete.
        if let Some(thread) = self.thread.take_if(|thread| thread.is_finished()) {
            let failed = |_| Err("this has failed; it is a bug".to_owned());
            self.ended = Some(thread.join().unwrap_or_else(failed));
        }
        let mut told = tell(&self.shared.progress());
        told["isRunning"] = self.ended.is_none().into();
        match &self.ended {
            Some(Ok(result)) => told["result"] = result.clone(),
            Some(Err(words)) => told["error"] = json!(words),
            None => {}
        }
        told
    }

    /// Lets it end soon.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// The progress, to be read.
    pub fn progress(&self) -> MutexGuard<'_, T> {
        self.shared.progress()
    }
}

impl<T> Drop for LongRun<T> {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}
