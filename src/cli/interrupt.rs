//! Ctrl-C: the first one lets the command stop with partial results, the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The exit status of an interrupted process, as in shells.
pub const EXIT_STATUS: u8 = 130;

/// A signal that comes sooner is the same one: `timeout` sends it to a process and once more to its group.
const LEAST_BETWEEN: Duration = Duration::from_millis(500);

/// The flag that Ctrl-C sets. The first call installs the handler.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let handler = flag.clone();
        let mut first: Option<Instant> = None;
        // Without a handler Ctrl-C ends the process, which is no worse.
        _ = ctrlc::set_handler(move || {
            handler.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > LEAST_BETWEEN {
                std::process::exit(EXIT_STATUS.into());
            }
        });
        flag
    });
    flag.clone()
}
