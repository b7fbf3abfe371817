//! What is measured along something: board size, the moves of a game.

use super::Outcome;
use serde::Serialize;

/// How the cost of one variant grows with the board.
#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    pub formulation: String,
    pub optimization: String,
    pub engine: String,
    /// The boards that were measured, in words.
    pub boards: String,
    pub points: Vec<GrowthPoint>,
    /// Exponent of the growth with the number of cells: the slope of the log-log line through the larger half of the
    /// finished points (the smaller ones measure fixed costs). Absent with fewer than three finished points.
    pub slope: Option<f64>,
    /// The smallest n that did not finish.
    pub breaks_at: Option<u32>,
}

/// One board size of a [`Growth`].
#[derive(Clone, Debug, Serialize)]
pub struct GrowthPoint {
    /// The board is n×n.
    pub n: u32,
    pub cells: u64,
    pub outcome: Outcome,
    pub median_ns: Option<u64>,
    pub derived: Option<u64>,
    pub bytes: Option<u64>,
    pub bytes_per_tuple: Option<f64>,
    pub reason: Option<String>,
}

impl Growth {
    /// Enters what follows from the points.
    pub fn conclude(&mut self) {
        let finished: Vec<(f64, f64)> = self
            .points
            .iter()
            .filter_map(|point| Some(((point.cells as f64).ln(), (point.median_ns?.max(1) as f64).ln())))
            .collect();
        self.slope = (finished.len() >= 3).then(|| slope(&finished[(finished.len() / 2).min(finished.len() - 3)..]));
        self.breaks_at = self.points.iter().find(|p| p.outcome == Outcome::DidNotFinish).map(|p| p.n);
    }

    /// The variant in words.
    pub fn label(&self) -> String {
        format!("{} · {} · {}", self.formulation, self.optimization, self.engine)
    }
}

/// The slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let covariance: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    covariance / variance
}

/// The cost of asking "is it won?" after every move of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Game {
    pub game: String,
    pub formulation: String,
    pub optimization: String,
    pub engine: String,
    /// Whether one engine lives through the game, or a new one is filled at every move.
    pub incremental: bool,
    /// The first move (from 1) after which the game is won.
    pub won_at: Option<usize>,
    /// Median over the samples, for each move.
    pub move_ns: Vec<u64>,
    /// The mean over the moves.
    pub ns_per_move: Option<f64>,
    /// Why the game was not played to its end.
    pub reason: Option<String>,
}

impl Game {
    /// The variant in words.
    pub fn label(&self) -> String {
        let way = if self.incremental { "incremental" } else { "from scratch" };
        format!("{} · {} · {} · {way}", self.formulation, self.optimization, self.engine)
    }
}

/// The Maker-Breaker factor along a game: what the paper's formula expects, and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Factors {
    pub game: String,
    pub cells: u64,
    pub points: Vec<FactorPoint>,
}

/// The board when each player has `i` stones.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FactorPoint {
    pub i: u32,
    /// f(i) = n²/i − 2: empty cells over the opponent's stones.
    pub formula: f64,
    /// Facts derived by the Maker-Breaker reading over those derived by following the opponent's stones.
    pub derived: f64,
    /// The same for the times.
    pub time: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(times: &[Option<u64>]) -> Growth {
        let point = |(i, &median_ns): (usize, &Option<u64>)| GrowthPoint {
            n: 10 << i,
            cells: 100 << (2 * i),
            outcome: if median_ns.is_some() { Outcome::Finished } else { Outcome::DidNotFinish },
            median_ns,
            derived: None,
            bytes: None,
            bytes_per_tuple: None,
            reason: None,
        };
        let mut growth = Growth {
            formulation: "cluster".to_string(),
            optimization: "auto".to_string(),
            engine: "semi-naive".to_string(),
            boards: "half full".to_string(),
            points: times.iter().enumerate().map(point).collect(),
            slope: None,
            breaks_at: None,
        };
        growth.conclude();
        growth
    }

    #[test]
    fn slope_of_proportional_and_quadratic_growth() {
        // Cells grow by 4 from point to point.
        let proportional = growth(&[Some(1_000), Some(4_000), Some(16_000)]);
        assert!((proportional.slope.unwrap() - 1.0).abs() < 1e-9);
        let quadratic = growth(&[Some(7), Some(1_000), Some(16_000), Some(256_000)]);
        assert!((quadratic.slope.unwrap() - 2.0).abs() < 1e-9, "the first point is left out");
        assert_eq!(quadratic.breaks_at, None);
    }

    #[test]
    fn the_first_size_that_does_not_finish_is_told() {
        let exploding = growth(&[Some(10), Some(1_000), None, None]);
        assert_eq!((exploding.slope, exploding.breaks_at), (None, Some(40)));
    }
}
