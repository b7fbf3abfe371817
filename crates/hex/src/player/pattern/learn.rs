//! Weights from the moves of games, by gradient descent.
//!
//! The weights make the choices that were seen as likely as possible; each step goes along one choice's gradient, the
//! features of the move that was chosen less those that were expected, by a rate of its own for each feature (AdaGrad:
//! Duchi, Hazan, Singer, *Adaptive subgradient methods*, 2011).

use super::{FEATURES, PatternWeights};

/// The rate of learning before any step.
const RATE: f32 = 0.15;

/// By how much each step pulls weights towards zero, so that features that are hardly seen keep little.
const DECAY: f32 = 1e-4;

/// The sum of squares that the rate of each feature begins with, against division by zero.
const LEAST_SQUARES: f32 = 1e-4;

/// A move that was chosen among others, by their features.
#[derive(Clone, Debug)]
pub struct MoveChoice {
    pub(super) chosen: Vec<u32>,
    pub(super) others: Vec<Vec<u32>>,
}

impl MoveChoice {
    /// All moves with their chances, the chosen one first.
    fn chances<'c>(&'c self, weights: &PatternWeights) -> impl Iterator<Item = (&'c [u32], f32)> {
        let moves = || std::iter::once(&self.chosen).chain(&self.others).map(Vec::as_slice);
        let sums: Vec<f32> = moves().map(|features| weights.sum(features)).collect();
        let most = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = sums.iter().map(|sum| (sum - most).exp()).sum();
        moves().zip(sums).map(move |(features, sum)| (features, (sum - most).exp() / total))
    }
}

/// Weights that make these choices likely, after this many passes through them.
pub fn learn(choices: &[MoveChoice], passes: usize) -> PatternWeights {
    let mut weights = PatternWeights::none();
    let mut squares = vec![LEAST_SQUARES; FEATURES];
    let mut gradient = vec![0.0; FEATURES];
    let mut touched: Vec<u32> = Vec::new();
    for choice in (0..passes).flat_map(|_| choices) {
        for (i, (features, chance)) in choice.chances(&weights).enumerate() {
            let excess = if i == 0 { chance - 1.0 } else { chance };
            features.iter().for_each(|&feature| gradient[feature as usize] += excess);
            touched.extend(features);
        }
        touched.sort_unstable();
        touched.dedup();
        for feature in touched.drain(..).map(|feature| feature as usize) {
            let slope = std::mem::take(&mut gradient[feature]) + DECAY * weights.0[feature];
            squares[feature] += slope * slope;
            weights.0[feature] -= RATE * slope / squares[feature].sqrt();
        }
    }
    weights
}

/// The mean surprise at the choices, the negative logarithm of the chance of what was chosen, and the share of choices
/// of the move with the greatest chance. Not a number without choices.
pub fn surprise(choices: &[MoveChoice], weights: &PatternWeights) -> (f32, f32) {
    let mut surprise = 0.0;
    let mut foreseen = 0;
    for choice in choices {
        let chances: Vec<f32> = choice.chances(weights).map(|(_, chance)| chance).collect();
        surprise -= chances[0].ln();
        foreseen += usize::from(chances[1..].iter().all(|&chance| chance < chances[0]));
    }
    let count = choices.len() as f32;
    (surprise / count, foreseen as f32 / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_logarithms_of_odds() {
        // One move is chosen three times of four before another that has another feature besides a common one.
        let choice = |chosen: u32, other: u32| MoveChoice { chosen: vec![chosen, 9], others: vec![vec![other, 9]] };
        let choices = [choice(1, 2), choice(2, 1), choice(1, 2), choice(1, 2)];
        let weights = learn(&choices, 2000);
        assert!((weights.0[1] - weights.0[2] - 3f32.ln()).abs() < 0.05, "{} {}", weights.0[1], weights.0[2]);
        assert!(weights.0[9].abs() < 1e-3 && weights.0[3] == 0.0);
        let (surprised, foreseen) = surprise(&choices, &PatternWeights::none());
        assert!((surprised - 2f32.ln()).abs() < 1e-6 && foreseen == 0.0);
        assert_eq!(surprise(&choices, &weights).1, 0.75);
    }
}
