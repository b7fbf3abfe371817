//! Samples of a run: a warm-up, then as many samples as fit a budget, with median and spread.
//!
//! Fast runs are sampled often, slow ones a few times, and a run that exceeds the budget only once, since a second
//! sample would add little for a long wait. The report gives the median, which, unlike the mean, does not move when the
//! machine is busy for a moment.

use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::ColdSort;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Default time for the samples of a cell: a benchmark has hundreds of cells and should take minutes.
const BUDGET: Duration = Duration::from_millis(300);

/// Default fewest samples: the smallest number whose median ignores one outlier.
const MIN_SAMPLES: usize = 3;

/// Default most samples: the median hardly moves beyond.
const MAX_SAMPLES: usize = 200;

/// By default an optimization may take so many times the limit of a run: the generated texts of large boards need more
/// than one.
const OPTIMIZER_LIMIT: u32 = 10;

/// The limits of sampling a cell.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The longest that one run may take.
    pub limit: Duration,
    /// The longest that one optimization may take. Its time is no part of a run's.
    pub optimizer_limit: Duration,
    /// Time for the samples of one cell. No sample begins after it, except to reach `min_samples`.
    pub budget: Duration,
    /// Fewest samples, unless the warm-up alone exceeds the budget.
    pub min_samples: usize,
    /// Most samples.
    pub max_samples: usize,
    /// What stops a run besides its time: interruption, the memory of the process.
    pub limits: Budget,
}

impl Sampling {
    /// The default sampling with this time limit of a run.
    pub fn new(limit: Duration) -> Self {
        Self {
            limit,
            optimizer_limit: limit * OPTIMIZER_LIMIT,
            budget: BUDGET.min(limit),
            min_samples: MIN_SAMPLES,
            max_samples: MAX_SAMPLES,
            limits: Budget::unlimited(),
        }
    }

    /// The budget of a run that begins now.
    pub fn budget(&self) -> Budget {
        self.limits.clone().with_timeout(self.limit)
    }

    /// The budget of an optimization that begins now.
    pub fn optimizer_budget(&self) -> Budget {
        self.budget().with_time(self.optimizer_limit)
    }

    /// Whether the benchmark is interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.limits.check() == Err(Stopped::Interrupted)
    }
}

/// Median and spread of some samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The median, in nanoseconds.
    pub median_ns: u64,
    /// The fastest sample, in nanoseconds.
    pub min_ns: u64,
    /// The slowest sample, in nanoseconds.
    pub max_ns: u64,
    /// The number of samples.
    pub samples: usize,
}

impl Spread {
    /// The spread of samples. The median of an even number of samples is the mean of the middle two.
    ///
    /// # Panics
    ///
    /// If there are no samples.
    pub fn of(mut samples: Vec<Duration>) -> Spread {
        samples.cold_sort();
        let ns = |i: usize| u64::try_from(samples[i].as_nanos()).unwrap_or(u64::MAX);
        let last = samples.len() - 1;
        let middle = samples.len() / 2;
        let median_ns = if samples.len() % 2 == 1 { ns(middle) } else { ns(middle - 1).midpoint(ns(middle)) };
        Spread { median_ns, min_ns: ns(0), max_ns: ns(last), samples: samples.len() }
    }
}

/// Runs `part` and returns its time, by the monotonic clock, with its result.
pub fn time<T>(part: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = part();
    (start.elapsed(), result)
}

/// Samples `run`, which prepares itself and returns the time of the part that counts, with its result. Returns the
/// spread with the result of the last run.
///
/// # Errors
///
/// The error of the first run that fails, or [`Stopped::Timeout`] if one took longer than the limit.
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
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

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
        let limits = Budget::unlimited().with_interrupt(Arc::new(AtomicBool::new(true)));
        let sampling = Sampling { limits, ..Sampling::new(Duration::from_secs(1)) };
        assert_eq!(measure(&sampling, pretend(&[1])).unwrap().0.samples, 1);
        assert_eq!(sampling.budget().check(), Err(Stopped::Interrupted));
    }
}
