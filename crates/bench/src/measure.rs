//! Samples of a run: a warm-up, then as many as fit a budget, and their median with its spread.
//!
//! Quick runs are sampled often, slow ones a few times, and a run that takes more than the budget only once, since a
//! second one would tell nothing new for a lot of waiting. The median is what is reported: it does not move when the
//! machine is busy for a moment, as the mean does.

use ludolog_engine::{Budget, Stopped};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a cell is sampled.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The longest that one run may take.
    pub limit: Duration,
    /// Time to spend on the samples of one cell, beyond which no further one is begun (but see `min_samples`).
    pub budget: Duration,
    /// Taken even when they go beyond the budget, unless the warm-up alone did.
    pub min_samples: usize,
    pub max_samples: usize,
    /// Set when the user wants the whole run to stop.
    pub interrupted: Arc<AtomicBool>,
}

impl Sampling {
    pub fn new(limit: Duration) -> Self {
        Self {
            limit,
            budget: Duration::from_millis(300).min(limit),
            min_samples: 3,
            max_samples: 200,
            interrupted: Arc::default(),
        }
    }

    /// Budget for one run that begins now.
    pub fn budget(&self) -> Budget {
        Budget::unlimited().with_timeout(self.limit).with_interrupt(self.interrupted.clone())
    }

    /// Whether the user wants the whole run to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// Median and spread of some samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    pub median_ns: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    pub samples: usize,
}

impl Spread {
    /// The spread of at least one sample. The median of an even number of samples is the mean of the middle two.
    pub fn of(mut samples: Vec<Duration>) -> Spread {
        samples.sort_unstable();
        let ns = |i: usize| u64::try_from(samples[i].as_nanos()).unwrap_or(u64::MAX);
        let (last, middle) = (samples.len() - 1, samples.len() / 2);
        let median_ns = if samples.len() % 2 == 1 { ns(middle) } else { ns(middle - 1).midpoint(ns(middle)) };
        Spread { median_ns, min_ns: ns(0), max_ns: ns(last), samples: samples.len() }
    }
}

/// Times `part` of a run with the monotonic clock.
pub fn time<T>(part: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = part();
    (start.elapsed(), result)
}

/// Samples `run`, which does its own preparation and returns how long the part that counts took, with its result; the
/// result of the last run is returned. Stops with the reason of the first run that is stopped; a run that came
/// through, but took longer than the limit, did not finish in time either.
pub fn measure<T>(
    sampling: &Sampling,
    mut run: impl FnMut() -> Result<(Duration, T), Stopped>,
) -> Result<(Spread, T), Stopped> {
    let mut run = || match run()? {
        (took, _) if took > sampling.limit => Err(Stopped::Timeout(sampling.limit)),
        finished => Ok(finished),
    };
    let start = Instant::now();
    let (warm_up, mut result) = run()?;
    if start.elapsed() > sampling.budget {
        return Ok((Spread::of(vec![warm_up]), result));
    }
    let start = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < sampling.min_samples
        || (samples.len() < sampling.max_samples && start.elapsed() < sampling.budget)
    {
        let (took, last) = run()?;
        samples.push(took);
        result = last;
        if sampling.is_interrupted() {
            break;
        }
    }
    Ok((Spread::of(samples), result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: &[u64]) -> Vec<Duration> {
        milliseconds.iter().copied().map(Duration::from_millis).collect()
    }

    /// A run that claims to take what the list says, one after the other, and repeats the last.
    fn pretend(times: &[u64]) -> impl FnMut() -> Result<(Duration, usize), Stopped> + use<> {
        let times = ms(times);
        let mut calls = 0;
        move || {
            calls += 1;
            Ok((times[(calls - 1).min(times.len() - 1)], calls))
        }
    }

    #[test]
    fn median_and_spread() {
        let odd = Spread::of(ms(&[9, 1, 4]));
        assert_eq!((odd.median_ns, odd.min_ns, odd.max_ns, odd.samples), (4_000_000, 1_000_000, 9_000_000, 3));
        let even = Spread::of(ms(&[8, 2, 4, 100]));
        assert_eq!((even.median_ns, even.min_ns, even.max_ns, even.samples), (6_000_000, 2_000_000, 100_000_000, 4));
    }

    #[test]
    fn the_warm_up_is_not_a_sample() {
        let sampling = Sampling { max_samples: 5, ..Sampling::new(Duration::from_secs(5)) };
        let (spread, calls) = measure(&sampling, pretend(&[900, 1, 1, 1, 1, 1])).unwrap();
        assert_eq!((spread.samples, spread.max_ns, calls), (5, 1_000_000, 6));
    }

    #[test]
    fn a_run_beyond_the_budget_is_its_only_sample() {
        let sampling = Sampling { budget: Duration::ZERO, ..Sampling::new(Duration::from_secs(5)) };
        let (spread, calls) = measure(&sampling, pretend(&[700, 1])).unwrap();
        assert_eq!((spread.samples, spread.median_ns, calls), (1, 700_000_000, 1));
    }

    #[test]
    fn a_run_over_the_limit_is_no_number() {
        let sampling = Sampling::new(Duration::from_secs(1));
        assert_eq!(measure(&sampling, pretend(&[1001])).unwrap_err(), Stopped::Timeout(Duration::from_secs(1)));
        let stopped = measure(&sampling, || Err::<(Duration, ()), _>(Stopped::TooDeep(7)));
        assert_eq!(stopped.unwrap_err(), Stopped::TooDeep(7));
    }

    #[test]
    fn an_interrupt_ends_the_sampling() {
        let sampling = Sampling::new(Duration::from_secs(1));
        sampling.interrupted.store(true, Ordering::Relaxed);
        assert_eq!(measure(&sampling, pretend(&[1])).unwrap().0.samples, 1);
        assert_eq!(sampling.budget().check(), Err(Stopped::Interrupted));
    }
}
