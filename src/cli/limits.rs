//! The limits that hold for all commands: Ctrl-C, and the memory of the process.

use super::interrupt;
use ludolog::engine::Budget;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

/// The limit of memory, where there is one.
static MAX_MEMORY: OnceLock<Option<u64>> = OnceLock::new();

/// Whether the user has set it.
static IS_GIVEN: AtomicBool = AtomicBool::new(false);

/// Sets the limit of memory; without one, three quarters of what there is.
pub fn set_max_memory(bytes: Option<u64>) {
    IS_GIVEN.store(bytes.is_some(), Ordering::Relaxed);
    MAX_MEMORY.get_or_init(|| bytes.or_else(|| Some(available()? / 4 * 3)));
}

/// Whether the user has limited memory.
pub fn is_memory_given() -> bool {
    IS_GIVEN.load(Ordering::Relaxed)
}

/// A budget that ends by Ctrl-C and at the limit of memory.
pub fn budget() -> Budget {
    memory().with_interrupt(interrupt::flag())
}

/// A budget that ends at the limit of memory, for a command that Ctrl-C is to end at once.
pub fn memory() -> Budget {
    let budget = Budget::unlimited();
    match MAX_MEMORY.get().copied().flatten() {
        Some(max) => budget.with_max_memory(max, resident),
        None => budget,
    }
}

/// The time between two measurements of memory, each of which takes as long as thousands of probes.
const MEASURE_EVERY: Duration = Duration::from_millis(2);

/// The bytes of memory that the process holds, as measured within the last [`MEASURE_EVERY`]; 0 where that cannot be told.
fn resident() -> Option<u64> {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    /// When the next measurement is due, in nanoseconds from the start.
    static DUE: AtomicU64 = AtomicU64::new(0);
    static HELD: AtomicU64 = AtomicU64::new(0);
    let now = START.elapsed().as_nanos() as u64;
    if now >= DUE.load(Ordering::Relaxed) {
        DUE.store(now + MEASURE_EVERY.as_nanos() as u64, Ordering::Relaxed);
        let held = memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64);
        HELD.store(held, Ordering::Relaxed);
    }
    Some(HELD.load(Ordering::Relaxed))
}

/// The bytes of memory that the process can have, where the system is Linux: the machine's, or those of its control group.
fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = machine.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"))?;
    let machine = kibibytes.trim().parse::<u64>().ok()? << 10;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(group.unwrap_or(machine).min(machine))
}

/// Parses a number of bytes: a number with K, M, G or T behind it, or without.
pub fn bytes(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
    let exponent = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(1),
        "M" => Some(2),
        "G" => Some(3),
        "T" => Some(4),
        _ => None,
    };
    let size = exponent.and_then(|exponent| number.parse::<u64>().ok()?.checked_mul(1 << (10 * exponent)));
    size.ok_or_else(|| "write a size as in 500M or 16G".to_owned())
}
