//! Ctrl-C: the first one lets the command stop with partial results, the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit status of an interrupted process, as in shells.
pub const EXIT_STATUS: u8 = 130;

/// The flag that Ctrl-C sets. The first call installs the handler.
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
