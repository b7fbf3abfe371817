//! Ctrl-C: the first asks the running work to stop with what it has, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit status of a process that was interrupted, as shells count it.
pub const EXIT_STATUS: u8 = 130;

/// The flag that Ctrl-C sets; the handler is installed with the first call.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let handler = flag.clone();
        // Without a handler Ctrl-C ends the process, which is no worse.
        _ = ctrlc::set_handler(move || {
            if handler.swap(true, Ordering::Relaxed) {
                std::process::exit(EXIT_STATUS.into());
            }
        });
        flag
    });
    flag.clone()
}
