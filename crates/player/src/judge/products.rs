//! Products of facts that explain what a sum of weights does not.
//!
//! Samples are columns of bits, a row for each feature. The residuals of the samples (outcome less value) are numbers of
//! four bits, each a row as well, so that the sum of residuals over the samples in which two features hold is a
//! few population counts a word. Two features are worth a product if that sum is far from what chance makes of it.
//! With `F` facts, `P` products and `n` samples a round takes O((F + P) · F · n / 64).

use ludolog_syntax::ColdSort;
use std::cmp::Reverse;

/// Samples that products are chosen by.
pub const SAMPLES: usize = 1 << 14;

/// Bits of a residual.
const PLANES: usize = 4;

/// The middle of the numbers that stand for residuals.
const MIDDLE: i64 = 1 << (PLANES - 1);

/// Most features that are paired with each other: those that hold and do not hold most evenly.
const MAX_FEATURES: usize = 1_200;

/// The least samples in which a product holds.
const LEAST: u32 = 64;

/// The least distance of a sum from zero, in standard deviations.
const DEVIATIONS: f64 = 4.5;

/// A set of features as columns of samples, with the residual of each sample.
pub struct Columns {
    /// By feature, a bit for each sample.
    rows: Vec<Vec<u64>>,
    planes: [Vec<u64>; PLANES],
    /// The mean square of the residuals as numbers.
    variance: f64,
}

impl Columns {
    /// No samples of so many features.
    pub fn new(features: usize) -> Columns {
        let empty = vec![0; SAMPLES / 64];
        Columns { rows: vec![empty.clone(); features], planes: std::array::from_fn(|_| empty.clone()), variance: 0.0 }
    }

    /// Enters sample `number`: the features that hold, and its residual, from -1 to 1.
    pub fn enter(&mut self, number: usize, features: impl Iterator<Item = u32>, residual: f32) {
        features.for_each(|feature| self.rows[feature as usize][number / 64] |= 1 << (number % 64));
        let step = (residual * (MIDDLE - 1) as f32).round();
        let level = (step as i64 + MIDDLE).clamp(0, 2 * MIDDLE - 1) as u64;
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            plane[number / 64] |= (level >> bit & 1) << (number % 64);
        }
        self.variance += f64::from(step * step) / SAMPLES as f64;
    }

    /// The pairs of a feature and one of the first `facts` features whose product explains most, at most `most` of them.
    pub fn best_pairs(&self, facts: usize, most: usize) -> Vec<(u32, u32)> {
        let counts: Vec<u32> = self.rows.iter().map(|row| row.iter().map(|word| word.count_ones()).sum()).collect();
        let mut features: Vec<usize> = (0..self.rows.len()).filter(|&feature| counts[feature] >= LEAST).collect();
        features.cold_sort_by_key(|&feature| Reverse(counts[feature].min(SAMPLES as u32 - counts[feature])));
        features.truncate(MAX_FEATURES);
        features.sort_unstable();
        let mut found = Vec::new();
        for (place, &first) in features.iter().enumerate() {
            let others = &features[..place];
            for &second in others.iter().filter(|&&second| second < facts) {
                let deviations = self.deviations(first, second, counts[first].min(counts[second]));
                if deviations >= DEVIATIONS {
                    found.push((deviations, (first as u32, second as u32)));
                }
            }
        }
        found.cold_sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().take(most).map(|(_, pair)| pair).collect()
    }

    /// The distance from zero of the sum of residuals where both features hold, in standard deviations. Zero if they hold
    /// together rarely, or whenever the rarer of them does, `least` times.
    fn deviations(&self, first: usize, second: usize, least: u32) -> f64 {
        let mut count = 0;
        let mut sums = [0u32; PLANES];
        for (word, (first, second)) in self.rows[first].iter().zip(&self.rows[second]).enumerate() {
            let both = first & second;
            count += both.count_ones();
            for (sum, plane) in sums.iter_mut().zip(&self.planes) {
                *sum += (both & plane[word]).count_ones();
            }
        }
        if count < LEAST || count == least {
            return 0.0;
        }
        let levels: i64 = sums.iter().enumerate().map(|(bit, &sum)| i64::from(sum) << bit).sum();
        let sum = (levels - MIDDLE * i64::from(count)) as f64;
        sum.abs() / (f64::from(count) * self.variance).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_game::Draw;

    #[test]
    fn the_product_that_residuals_were_made_of_is_found() {
        let mut columns = Columns::new(5);
        let mut draw = Draw::new(1);
        for number in 0..SAMPLES {
            let holds: Vec<bool> = (0..5).map(|_| draw.below(2) == 1).collect();
            let noise = draw.below(100) as f32 / 100.0 - 0.5;
            let residual = if holds[1] && holds[4] { 0.3 } else { -0.1 } + noise;
            columns.enter(number, (0..5).filter(|&feature| holds[feature as usize]), residual);
        }
        assert_eq!(columns.best_pairs(5, 1), [(4, 1)]);
        assert!(columns.best_pairs(1, 9).iter().all(|&(_, fact)| fact == 0));
    }
}
