//! The score of a player: the mean of its goals, with an interval.

use ludolog_game::Draw;

/// Samples of the bootstrap.
const SAMPLES: usize = 2_000;

/// The part of samples below a confidence interval, and above it.
const TAIL: f64 = 0.025;

/// The mean of some goals, and the interval that it is in with a confidence of 95 %; `None` without goals.
///
/// The interval is that of the percentile bootstrap (Efron, *Bootstrap methods: another look at the jackknife*, 1979).
pub fn mean_with_confidence_95(goals: &[f64]) -> Option<(f64, [f64; 2])> {
    let count = goals.len();
    if count == 0 {
        return None;
    }
    let mut draw = Draw::new(count as u64);
    let sample = |_| (0..count).map(|_| goals[draw.below(count)]).sum::<f64>() / count as f64;
    let mut means: Vec<f64> = (0..SAMPLES).map(sample).collect();
    means.sort_by(f64::total_cmp);
    let low = (SAMPLES as f64 * TAIL) as usize;
    Some((goals.iter().sum::<f64>() / count as f64, [means[low], means[SAMPLES - 1 - low]]))
}
