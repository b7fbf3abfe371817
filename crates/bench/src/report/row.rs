//! One measured cell, and the savings among cells.

use crate::measure::Spread;
use crate::task::Run;
use serde::Serialize;

/// How measuring a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Finished,
    /// A limit of time, facts or depth was hit; [`Row::reason`] says which.
    DidNotFinish,
    /// The engine cannot run this formulation; [`Row::reason`] says why.
    Unsupported,
}

/// A cell: formulation × optimization × engine × position, and what it cost.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub formulation: String,
    pub optimization: String,
    pub engine: String,
    pub position: String,
    /// The answer of the cell, when it has one.
    pub answer: Option<bool>,
    /// What the answer is known to be, when the formulation can decide the position.
    pub expected: Option<bool>,
    pub outcome: Outcome,
    pub median_ns: Option<u64>,
    pub min_ns: Option<u64>,
    pub max_ns: Option<u64>,
    pub samples: usize,
    /// Facts derived in one run (resolution: heads proved).
    pub derived: Option<u64>,
    /// Rows and clause heads tried in one run.
    pub probes: Option<u64>,
    /// Runtime savings factor: the slowest optimization of the same formulation, engine and position, over this one.
    pub rsf: Option<f64>,
    /// Whether the slowest one did not finish, so that the factor is at least `rsf`.
    pub rsf_at_least: bool,
    /// For `auto`: its time over that of the best other optimization of the same group, where both finished.
    pub over_best: Option<f64>,
    /// The optimizer's own time.
    pub optimize_ns: Option<u64>,
    /// Making the engine and putting the facts in.
    pub load_ns: Option<u64>,
    /// The time limit of one run.
    pub limit_s: f64,
    /// Memory held by the facts at the end of a run, where the engine can tell.
    pub bytes: Option<u64>,
    pub bytes_per_tuple: Option<f64>,
    /// Facts of the predicate that a generic program is about.
    pub tuples: Option<u64>,
    pub tuples_per_second: Option<f64>,
    /// Why there is no time.
    pub reason: Option<String>,
}

impl Row {
    /// A cell of which nothing is known yet.
    pub fn new(formulation: &str, optimization: &str, engine: &str, position: &str, limit_s: f64) -> Row {
        Row {
            formulation: formulation.to_string(),
            optimization: optimization.to_string(),
            engine: engine.to_string(),
            position: position.to_string(),
            answer: None,
            expected: None,
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
        }
    }

    /// Enters what a finished cell came to.
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

    /// Enters that there is no time, and why.
    pub fn stop(&mut self, outcome: Outcome, reason: impl Into<String>) {
        self.outcome = outcome;
        self.reason = Some(reason.into());
    }

    /// Whether the cell answers otherwise than it should.
    pub fn is_wrong(&self) -> bool {
        matches!((self.answer, self.expected), (Some(answer), Some(expected)) if answer != expected)
    }

    /// The time that counts for the savings: the median, or the limit if that was hit, and whether it was.
    fn cost_ns(&self) -> Option<(f64, bool)> {
        match (self.outcome, self.median_ns) {
            (Outcome::Finished, Some(median)) => Some((median.max(1) as f64, false)),
            (Outcome::DidNotFinish, _) => Some((self.limit_s * 1e9, true)),
            _ => None,
        }
    }

    /// The cells that differ from this one only in their optimization agree on these.
    pub(super) fn group(&self) -> (&str, &str, &str) {
        (&self.formulation, &self.engine, &self.position)
    }
}

/// Sets the runtime savings factor of all rows. As in the paper, a run that did not finish counts with the limit; the
/// others' factor is then a lower bound, and its own is 1.
pub fn set_savings(rows: &mut [Row]) {
    for i in 0..rows.len() {
        let Some((own, _)) = rows[i].cost_ns() else { continue };
        let group = rows.iter().filter(|other| other.group() == rows[i].group());
        let slowest = group.filter_map(Row::cost_ns).max_by(|a, b| a.0.total_cmp(&b.0));
        let (slowest, stopped) = slowest.expect("a group has its own row");
        rows[i].rsf = Some(slowest / own);
        rows[i].rsf_at_least = stopped && rows[i].outcome == Outcome::Finished;
        let others = rows.iter().filter(|other| other.optimization != AUTO && other.group() == rows[i].group());
        let best = others.filter_map(|other| other.median_ns).min();
        if rows[i].optimization == AUTO {
            rows[i].over_best = rows[i].median_ns.zip(best).map(|(auto, best)| auto as f64 / best.max(1) as f64);
        }
    }
}

/// What the optimizer makes of the text by itself.
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
