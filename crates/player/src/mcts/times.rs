//! The work of a search, and the times that its batches take.

use super::SearchSettings;
use crate::player::SearchTimes;
use ludolog_engine::Budget;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Least batches of a search: one of fewer learns too little from one for the next.
const BATCHES: u32 = 4;

/// Sizes of batches in playouts: few, where each takes its time; then more.
const SIZES: [usize; 5] = [1, 8, 64, 256, 512];

/// The factor by which a batch of the next size takes longer at most, as far as is known before it is tried.
const WIDER: u32 = 3;

/// The work of all threads of a search so far; times in nanoseconds.
#[derive(Default)]
pub struct Effort {
    pub playouts: AtomicU64,
    pub batches: AtomicU64,
    pub choosing: AtomicU64,
    pub playing: AtomicU64,
    pub entering: AtomicU64,
}

impl Effort {
    /// The times.
    pub fn times(&self) -> SearchTimes {
        let of = |time: &AtomicU64| Duration::from_nanos(time.load(Ordering::Relaxed));
        SearchTimes { choosing: of(&self.choosing), playing: of(&self.playing), entering: of(&self.entering) }
    }
}

/// Adds the time since the last look at the clock of a budget, which has one.
pub fn add_time(to: &AtomicU64, since: &mut Option<Duration>, budget: &Budget) {
    let now = budget.now();
    if let (Some(before), Some(now)) = (*since, now) {
        to.fetch_add(now.saturating_sub(before).as_nanos() as u64, Ordering::Relaxed);
    }
    *since = now;
}

/// The times that batches have taken.
pub struct BatchTimes {
    most: usize,
    /// The longest time that a batch may take.
    share: Option<Duration>,
    /// By size: the longest time of late.
    times: [Option<Duration>; SIZES.len()],
}

impl BatchTimes {
    /// No times yet.
    pub fn new(settings: &SearchSettings, budget: &Budget) -> BatchTimes {
        let share = budget.time_left().map(|left| left / BATCHES);
        BatchTimes { most: settings.playouts, share, times: [None; SIZES.len()] }
    }

    /// The size of the next batch: the greatest that is expected to take no more than its share and what is left of the
    /// time, or else the least. One that time interrupts is forgotten, but most take less than the longest of late.
    pub fn next(&self, budget: &Budget) -> usize {
        let Some((share, left)) = self.share.zip(budget.time_left()) else { return self.most };
        let mut size = SIZES[0].min(self.most);
        for (place, &playouts) in SIZES.iter().enumerate() {
            let expected = match (self.times[place], place.checked_sub(1).and_then(|before| self.times[before])) {
                (Some(time), _) => time,
                // One playout after the other at worst.
                (None, Some(time)) => time * ((playouts / SIZES[place - 1]) as u32).min(WIDER),
                (None, _) if place == 0 => Duration::ZERO,
                (None, None) => break,
            };
            if expected > left || expected > share && place > 0 || playouts > self.most {
                break;
            }
            size = playouts;
        }
        size
    }

    /// Notes the time of a batch.
    pub fn took(&mut self, size: usize, time: Duration) {
        let place = SIZES.iter().position(|&playouts| size <= playouts).unwrap_or(SIZES.len() - 1);
        // One slow batch is forgotten in some ten.
        self.times[place] = Some(self.times[place].map_or(time, |before| time.max(before.mul_f64(0.9))));
    }
}
