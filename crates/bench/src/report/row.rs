//! One measured cell, and the savings among cells.

use crate::measure::Spread;
use crate::task::Run;
use serde::Serialize;

/// The outcome of measuring a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All runs finished.
    Finished,
    /// A limit of time, facts or depth was hit; [`Row::reason`] says which.
    DidNotFinish,
    /// The engine cannot run this formulation; [`Row::reason`] says why.
    Unsupported,
}

/// A cell, formulation × optimization × engine × position, with its cost.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The formulation, or the generic program.
    pub formulation: String,
    /// The optimization.
    pub optimization: String,
    /// The engine.
    pub engine: String,
    /// The position, or the data of a generic program.
    pub position: String,
    /// The answer of the program, if it has one.
    pub answer: Option<bool>,
    /// The correct answer of the formulation, if it is known.
    pub expected: Option<bool>,
    /// Whether the position is won, but by a chain that the formulation does not look for, so that no is expected.
    pub cannot_see: bool,
    /// The outcome.
    pub outcome: Outcome,
    /// The median time of a run, in nanoseconds.
    pub median_ns: Option<u64>,
    /// The time of the fastest run, in nanoseconds.
    pub min_ns: Option<u64>,
    /// The time of the slowest run, in nanoseconds.
    pub max_ns: Option<u64>,
    /// The number of samples.
    pub samples: usize,
    /// Facts derived in one run (resolution: heads proved).
    pub derived: Option<u64>,
    /// Rows and clause heads tried in one run.
    pub probes: Option<u64>,
    /// Runtime savings factor: the time of the slowest optimization of the same formulation, engine and position,
    /// divided by the time of this one.
    pub rsf: Option<f64>,
    /// Whether the slowest one did not finish, so that the factor is at least `rsf`.
    pub rsf_at_least: bool,
    /// For `auto`: its time divided by that of the best other optimization, if both finished.
    pub over_best: Option<f64>,
    /// The time of optimizing, in nanoseconds.
    pub optimize_ns: Option<u64>,
    /// The time of loading the program and its facts, in nanoseconds.
    pub load_ns: Option<u64>,
    /// The time limit of one run, in seconds.
    pub limit_s: f64,
    /// Memory held by the facts at the end of a run, if the engine counts it.
    pub bytes: Option<u64>,
    /// That memory divided by the number of facts.
    pub bytes_per_tuple: Option<f64>,
    /// Facts of the counted predicate of a generic program.
    pub tuples: Option<u64>,
    /// Tuples, or else derived facts, divided by the median time.
    pub tuples_per_second: Option<f64>,
    /// The reason why there is no time.
    pub reason: Option<String>,
    /// The winners that the user's own formulation derives and the true one, in words, if they are not the same.
    #[serde(skip)]
    pub wrong_winners: Option<String>,
}

impl Row {
    /// A cell without results. `limit_s` is the time limit of a run, in seconds.
    pub fn new(formulation: &str, optimization: &str, engine: &str, position: &str, limit_s: f64) -> Row {
        Row {
            formulation: formulation.to_string(),
            optimization: optimization.to_string(),
            engine: engine.to_string(),
            position: position.to_string(),
            answer: None,
            expected: None,
            cannot_see: false,
            outcome: Outcome::DidNotFinish,
            median_ns: None,
            min_ns: None,
            max_ns: None,
            samples: 0,
            derived: None,
            probes: None,
            rsf: None,
            rsf_at_least: false,
            over_best: None,
            optimize_ns: None,
            load_ns: None,
            limit_s,
            bytes: None,
            bytes_per_tuple: None,
            tuples: None,
            tuples_per_second: None,
            reason: None,
            wrong_winners: None,
        }
    }

    /// Enters the results of a finished cell.
    pub fn enter(&mut self, spread: Spread, run: &Run) {
        self.outcome = Outcome::Finished;
        self.answer = run.answer;
        self.median_ns = Some(spread.median_ns);
        self.min_ns = Some(spread.min_ns);
        self.max_ns = Some(spread.max_ns);
        self.samples = spread.samples;
        self.derived = run.derived;
        self.probes = run.probes;
        self.load_ns = run.load_ns;
        self.bytes = run.bytes;
        self.bytes_per_tuple = run.bytes_per_tuple();
        self.tuples = run.tuples;
        let rate = |tuples| tuples as f64 * 1e9 / spread.median_ns.max(1) as f64;
        self.tuples_per_second = run.tuples.or(run.derived).map(rate);
    }

    /// Enters the outcome of a cell without a time, and its reason.
    pub fn stop(&mut self, outcome: Outcome, reason: impl Into<String>) {
        self.outcome = outcome;
        self.reason = Some(reason.into());
    }

    /// Whether the answer is known to be wrong.
    pub fn is_wrong(&self) -> bool {
        self.wrong_winners.is_some()
            || matches!((self.answer, self.expected), (Some(answer), Some(expected)) if answer != expected)
    }

    /// The time that counts for the savings, in nanoseconds: the median, or the limit if the run hit it; and whether it
    /// did.
    fn cost_ns(&self) -> Option<(f64, bool)> {
        match (self.outcome, self.median_ns) {
            (Outcome::Finished, Some(median)) => Some((median.max(1) as f64, false)),
            (Outcome::DidNotFinish, _) => Some((self.limit_s * 1e9, true)),
            _ => None,
        }
    }

    /// The key of the cells that differ only in their optimization.
    pub(super) fn group(&self) -> (&str, &str, &str) {
        (&self.formulation, &self.engine, &self.position)
    }
}

/// Sets the runtime savings factors of all rows. As in the paper, a run that did not finish counts with its limit: its
/// own factor is 1, and the factors of the others are lower bounds.
pub fn set_savings(rows: &mut [Row]) {
    for i in 0..rows.len() {
        let Some((own, _)) = rows[i].cost_ns() else { continue };
        let group = rows.iter().filter(|other| other.group() == rows[i].group());
        let slowest = group.filter_map(Row::cost_ns).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((slowest, stopped)) = slowest else { continue };
        rows[i].rsf = Some(slowest / own);
        rows[i].rsf_at_least = stopped && rows[i].outcome == Outcome::Finished;
        let others = rows.iter().filter(|other| other.optimization != AUTO && other.group() == rows[i].group());
        let best = others.filter_map(|other| other.median_ns).min();
        if rows[i].optimization == AUTO {
            rows[i].over_best = rows[i].median_ns.zip(best).map(|(auto, best)| auto as f64 / best.max(1) as f64);
        }
    }
}

/// The name of the optimization that the optimizer chooses by itself.
const AUTO: &str = "auto";

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn finished(optimization: &str, engine: &str, milliseconds: u64) -> Row {
        let mut row = Row::new("cluster", optimization, engine, "p9", 5.0);
        row.enter(Spread::of(vec![Duration::from_millis(milliseconds)]), &Run::default());
        row
    }

    #[test]
    fn savings_are_within_formulation_engine_and_position() {
        let mut rows = vec![
            finished("none", "resolution", 40),
            finished("both", "resolution", 8),
            finished("none", "semi-naive", 3),
        ];
        set_savings(&mut rows);
        assert_eq!(rows.iter().map(|row| row.rsf.unwrap()).collect::<Vec<_>>(), [1.0, 5.0, 1.0]);
        assert!(rows.iter().all(|row| row.over_best.is_none()), "there is no auto");
        assert!(rows.iter().all(|row| !row.rsf_at_least));
    }

    #[test]
    fn auto_is_held_against_the_best_by_hand() {
        let mut rows = vec![
            finished("both", "resolution", 10),
            finished("auto", "resolution", 15),
            finished("none", "resolution", 90),
        ];
        set_savings(&mut rows);
        assert_eq!(rows.iter().map(|row| row.over_best).collect::<Vec<_>>(), [None, Some(1.5), None]);
    }

    #[test]
    fn a_cell_over_the_limit_makes_the_savings_a_lower_bound() {
        let stopped = Row::new("cluster", "none", "resolution", "p9", 5.0);
        let mut unsupported = Row::new("cluster", "grounding", "resolution", "p9", 5.0);
        unsupported.stop(Outcome::Unsupported, "no such text");
        let mut rows = vec![stopped, finished("both", "resolution", 50), unsupported];
        set_savings(&mut rows);
        assert_eq!(rows.iter().map(|row| row.rsf).collect::<Vec<_>>(), [Some(1.0), Some(100.0), None]);
        assert_eq!(rows.iter().map(|row| row.rsf_at_least).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn only_a_known_answer_can_be_contradicted() {
        let mut row = finished("none", "resolution", 1);
        row.answer = Some(false);
        assert!(!row.is_wrong());
        row.expected = Some(true);
        assert!(row.is_wrong());
    }
}
