//! Measurements along an axis: board size, the moves of a game.

use super::Outcome;
use serde::Serialize;

/// The cost of one variant by board size.
#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    /// The formulation, or the generic program.
    pub formulation: String,
    /// The optimization.
    pub optimization: String,
    /// The engine.
    pub engine: String,
    /// The measured boards, in words.
    pub boards: String,
    /// The measurements, by increasing size.
    pub points: Vec<GrowthPoint>,
    /// The exponent of the growth with the number of cells: the slope of the log-log line through the larger half of
    /// the finished points (the smaller ones measure fixed costs). `None` with fewer than three finished points.
    pub slope: Option<f64>,
    /// The smallest n that did not finish.
    pub breaks_at: Option<u32>,
}

/// One board size of a [`Growth`].
#[derive(Clone, Debug, Serialize)]
pub struct GrowthPoint {
    /// The number of columns and of rows.
    pub n: u32,
    /// The number of cells, n².
    pub cells: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// The median time of a run, in nanoseconds.
    pub median_ns: Option<u64>,
    /// Facts derived in one run (resolution: heads proved).
    pub derived: Option<u64>,
    /// Memory held by the facts at the end of a run, if the engine counts it.
    pub bytes: Option<u64>,
    /// That memory divided by the number of facts.
    pub bytes_per_tuple: Option<f64>,
    /// The reason why there is no time.
    pub reason: Option<String>,
}

impl Growth {
    /// Computes [`slope`](Self::slope) and [`breaks_at`](Self::breaks_at) from the points.
    pub fn conclude(&mut self) {
        let finished: Vec<(f64, f64)> = self
            .points
            .iter()
            .filter_map(|point| Some(((point.cells as f64).ln(), (point.median_ns?.max(1) as f64).ln())))
            .collect();
        let count = finished.len();
        self.slope = (count >= FITTED).then(|| slope(&finished[(count / 2).min(count - FITTED)..]));
        self.breaks_at = self.points.iter().find(|p| p.outcome == Outcome::DidNotFinish).map(|p| p.n);
    }

    /// The variant in words.
    pub fn label(&self) -> String {
        format!("{} · {} · {}", self.formulation, self.optimization, self.engine)
    }
}

/// Fewest points for a slope: a line through two always fits.
const FITTED: usize = 3;

/// The slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let covariance: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    covariance / variance
}

/// The cost of asking "is it won?" after every move of a game, for one variant.
#[derive(Clone, Debug, Serialize)]
pub struct Game {
    /// The name of the game.
    pub game: String,
    /// The formulation, or the generic program.
    pub formulation: String,
    /// The optimization.
    pub optimization: String,
    /// The engine.
    pub engine: String,
    /// Whether one engine is updated throughout the game, instead of loading a new one for each move.
    pub incremental: bool,
    /// The first move (from 1) after which the game is won.
    pub won_at: Option<usize>,
    /// The median time of each move, in nanoseconds.
    pub move_ns: Vec<u64>,
    /// The mean over the moves, in nanoseconds.
    pub ns_per_move: Option<f64>,
    /// The reason why the game was not played to its end.
    pub reason: Option<String>,
}

impl Game {
    /// The variant in words.
    pub fn label(&self) -> String {
        let way = if self.incremental { "incremental" } else { "from scratch" };
        format!("{} · {} · {} · {way}", self.formulation, self.optimization, self.engine)
    }
}

/// The Maker-Breaker factor along a game: the paper's estimate, and the measured one.
#[derive(Clone, Debug, Serialize)]
pub struct Factors {
    /// The name of the game.
    pub game: String,
    /// The number of cells of its board.
    pub cells: u64,
    /// The factors, by increasing number of moves.
    pub points: Vec<FactorPoint>,
}

/// The factors when each player has `i` stones.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FactorPoint {
    /// The number of stones of each player.
    pub i: u32,
    /// The estimate f(i) = n²/i − 2: empty cells divided by the opponent's stones.
    pub formula: f64,
    /// Facts derived by the formulation `maker-breaker`, divided by those derived by `reachability`.
    pub derived: f64,
    /// The same ratio of the times.
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
