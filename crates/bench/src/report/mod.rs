//! The results of a benchmark, and their output formats.
//!
//! The model is [`Report`]: plain data that serializes to JSON. All other formats are views of it.
//!
//! * [`row`]: one measured cell, and the savings among cells.
//! * [`series`]: measurements along an axis: board size, the moves of a game.
//! * [`mod@format`]: times and counts with units.
//! * [`table`]: for a terminal. [`csv`]: the rows for other programs. [`html`]: one page, with the plots of [`plot`].

pub mod csv;
pub mod format;
pub mod html;
pub mod plot;
pub mod row;
pub mod series;
pub mod table;

pub use row::{Outcome, Row, set_savings};
pub use series::{FactorPoint, Factors, Game, Growth, GrowthPoint};

use super::environment::Environment;
use serde::Serialize;

/// The name of the page in the folder that a report is written to.
pub const PAGE: &str = "report.html";

/// The results of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The benchmark: `hex`, `datalog` or `workloads`.
    pub benchmark: String,
    /// The environment of the run.
    pub environment: Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// One sentence for each cell with a wrong answer. A run with failures has failed.
    pub failures: Vec<String>,
    /// The cells.
    pub rows: Vec<Row>,
    /// The growth of cost with the board, by variant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<Growth>,
    /// The cost of following a game, by variant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub game: Vec<Game>,
    /// The Maker-Breaker factor along a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maker_breaker: Option<Factors>,
    /// The positions of the rows, drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Board>,
}

/// The name of the benchmark of workloads, whose first finding is the optimizer's choice.
pub const WORKLOADS: &str = "workloads";

/// Greatest ratio of two times that count as level: the noise of a shared machine stays below it.
const LEVEL: f64 = 1.3;

/// A position that rows refer to.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// The name of the position.
    pub position: String,
    /// Its size, number of stones and winner, in words.
    pub caption: String,
    /// The picture, as SVG.
    #[serde(skip)]
    pub svg: String,
}

impl Report {
    /// An empty report.
    pub fn new(benchmark: &str, environment: Environment) -> Report {
        Report {
            benchmark: benchmark.to_string(),
            environment,
            interrupted: false,
            failures: Vec::new(),
            rows: Vec::new(),
            growth: Vec::new(),
            game: Vec::new(),
            maker_breaker: None,
            boards: Vec::new(),
        }
    }

    /// The report as indented JSON.
    ///
    /// # Panics
    ///
    /// Never: a report has only string keys.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a report has only string keys");
        json.push('\n');
        json
    }

    /// The rows of a position, grouped by formulation and engine: the groups of which some row ran, and a sentence on
    /// each of the others.
    fn matrix(&self, position: &str) -> (Vec<Vec<&Row>>, Vec<String>) {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.position == position).collect();
        let same = |a: &&Row, b: &&Row| (&a.formulation, &a.engine) == (&b.formulation, &b.engine);
        let groups = rows.chunk_by(same).map(<[&Row]>::to_vec);
        let (ran, not): (Vec<_>, Vec<_>) =
            groups.partition(|group| group.iter().any(|row| row.outcome != Outcome::Unsupported));
        let sentence = |group: &Vec<&Row>| {
            let reason = group[0].reason.as_deref().unwrap_or_default();
            format!("{} on {}: {reason}", group[0].formulation, group[0].engine)
        };
        (ran, not.iter().map(sentence).collect())
    }

    /// Compares `auto` with the best other optimization: a sentence, and the cells where `auto` is worse. `None`
    /// without cells to compare.
    fn auto_against_best(&self) -> Option<(String, Vec<&Row>)> {
        let autos = || self.rows.iter().filter(|row| row.optimization == "auto");
        // A cell where only auto finished counts as good, a cell where only others finished as bad.
        let any = |row: &Row| self.rows.iter().any(|other| other.group() == row.group() && other.median_ns.is_some());
        let compared = autos().filter(|row| row.outcome != Outcome::Unsupported && any(row)).count();
        let worse: Vec<&Row> = autos()
            .filter(|row| {
                row.outcome == Outcome::DidNotFinish && any(row) || row.over_best.is_some_and(|over| over > LEVEL)
            })
            .collect();
        let good = compared - worse.len();
        (compared > 0).then(|| {
            (format!("auto is within {LEVEL}× of the best optimization by hand in {good} of {compared} cases"), worse)
        })
    }

    /// The distinct values of a field of the rows, in the order of first occurrence.
    fn distinct<'a>(&'a self, field: impl Fn(&'a Row) -> &'a str) -> Vec<&'a str> {
        let mut seen = Vec::new();
        for row in &self.rows {
            if !seen.contains(&field(row)) {
                seen.push(field(row));
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Spread;
    use crate::task::Run;
    use std::time::Duration;

    use table::Terminal;

    /// A report with made-up numbers, one of each kind of row and series.
    fn made_up() -> Report {
        let environment = Environment {
            command: "ludolog bench hex --limit 5s".to_string(),
            ludolog: "0.1.0".to_string(),
            rustc: Some("rustc 1.88.0".to_string()),
            profile: "release".to_string(),
            os: "linux 6.1 x86_64".to_string(),
            cpu: Some("Abacus 9000".to_string()),
            cores: 2,
            date: "2026-01-02T03:04:05Z".to_string(),
        };
        let mut report = Report::new("hex", environment);
        let row = |formulation, optimization, engine, microseconds: &[u64]| {
            let mut row = Row::new(formulation, optimization, engine, "p9", 5.0);
            (row.expected, row.optimize_ns) = (Some(false), Some(1_500_000));
            let run = Run { answer: Some(false), derived: Some(137), probes: Some(4_096), ..Run::default() };
            row.enter(Spread::of(microseconds.iter().copied().map(Duration::from_micros).collect()), &run);
            row
        };
        let mut blind = row("power-set", "auto", "resolution", &[120, 130, 140]);
        (blind.position, blind.cannot_see) = ("9x9 snake".to_string(), true);
        let mut stopped = Row::new("power-set", "none", "resolution", "p9", 5.0);
        stopped.stop(Outcome::DidNotFinish, "did not finish in 5 s");
        let mut unsupported = Row::new("cluster", "auto", "crepe", "p9", 5.0);
        unsupported.stop(Outcome::Unsupported, "compiled as written only");
        let mut wrong = row("cluster", "none", "crepe", &[20, 30]);
        wrong.answer = Some(true);
        report.failures.push("cluster, none, crepe on p9 answers yes; the position says no".to_string());
        report.rows = vec![
            stopped,
            row("power-set", "both", "resolution", &[400, 410, 900]),
            row("power-set", "auto", "resolution", &[310, 320, 330]),
            row("cluster", "none", "resolution", &[2_000, 1_000, 3_000]),
            row("cluster", "both", "resolution", &[500]),
            row("cluster", "auto", "resolution", &[250]),
            wrong,
            unsupported,
            blind,
        ];
        set_savings(&mut report.rows);
        let point = |(n, median_ns): (u32, Option<u64>)| GrowthPoint {
            n,
            cells: u64::from(n * n),
            outcome: if median_ns.is_some() { Outcome::Finished } else { Outcome::DidNotFinish },
            median_ns,
            derived: Some(u64::from(n * n) / 2),
            bytes: Some(u64::from(n * n) * 40),
            bytes_per_tuple: Some(80.0),
            reason: None,
        };
        let growth = |formulation: &str, points: &[(u32, Option<u64>)]| {
            let mut growth = Growth {
                formulation: formulation.to_string(),
                optimization: "auto".to_string(),
                engine: "semi-naive".to_string(),
                boards: "half full".to_string(),
                points: points.iter().copied().map(point).collect(),
                slope: None,
                breaks_at: None,
            };
            growth.conclude();
            growth
        };
        let proportional = [(10, Some(10_000)), (100, Some(1_000_000)), (500, Some(25_000_000))];
        report.growth = vec![
            growth("cluster", &proportional),
            growth("winning-sets", &[(2, Some(2_000)), (3, Some(90_000)), (4, None)]),
        ];
        let game = |incremental, ns: u64| Game {
            game: "game11".to_string(),
            formulation: "reachability".to_string(),
            optimization: "auto".to_string(),
            engine: "semi-naive".to_string(),
            incremental,
            won_at: Some(3),
            move_ns: vec![ns, ns * 2, ns * 3],
            ns_per_move: Some(ns as f64 * 2.0),
            reason: None,
        };
        report.game = vec![game(false, 9_000), game(true, 1_200)];
        let factor = |i: u32| FactorPoint { i, formula: 121.0 / f64::from(i) - 2.0, derived: 3.5, time: 0.8 };
        report.maker_breaker =
            Some(Factors { game: "game11".to_string(), cells: 121, points: [10, 30, 50].map(factor).to_vec() });
        report.boards = vec![Board {
            position: "p9".to_string(),
            caption: "9×9, 17 stones, no win".to_string(),
            svg: "<svg viewBox=\"0 0 9 9\"></svg>".to_string(),
        }];
        report
    }

    #[test]
    fn json_has_the_promised_fields() {
        insta::assert_snapshot!(made_up().to_json());
    }

    #[test]
    fn csv_is_one_line_a_row() {
        insta::assert_snapshot!(csv::to_csv(&made_up().rows));
    }

    #[test]
    fn tables_for_a_terminal() {
        insta::assert_snapshot!(table::to_text(&made_up(), Terminal::default()));
    }

    #[test]
    fn a_summary_for_a_terminal() {
        let summary = table::summary(&made_up(), Terminal::default());
        assert!(summary.lines().all(|line| line.chars().count() <= 80), "{summary}");
        insta::assert_snapshot!(summary);
    }

    #[test]
    fn tables_fit_the_terminal() {
        for width in [60, 80, 100] {
            let text = table::to_text(&made_up(), Terminal { color: false, width: Some(width) });
            let is_table = |line: &&str| line.contains("  ") || line.contains('─');
            for line in text.lines().filter(is_table) {
                assert!(line.chars().count() <= width.into(), "{width}: {line}\n{text}");
            }
        }
    }

    #[test]
    fn only_wrong_answers_are_red() {
        let colored = table::to_text(&made_up(), Terminal { color: true, width: None });
        let red: Vec<&str> = colored.lines().filter(|line| line.contains("\u{1b}[38;5;9m")).collect();
        assert!(!red.is_empty() && red.iter().all(|line| line.contains("WRONG")), "{red:?}");
    }

    #[test]
    fn the_page_stands_alone_and_tells_all() {
        let page = html::to_html(&made_up());
        for needle in ["src=", "@import", "url(", "<script"] {
            assert!(!page.contains(needle), "the page needs {needle}");
        }
        let links = page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(links, 0, "no link leads outside");
        for told in [
            "ludolog bench hex --limit 5s",
            "Abacus 9000",
            "did not finish",
            "≥ 15.6k",
            "wrong: yes",
            "Wrong answers: this run has failed.",
            "breaks at n = 4",
            "slope 1.00",
            "won with move 3",
            "2.40 µs a move",
            "f(i) = n²/i − 2",
            "9×9, 17 stones, no win",
        ] {
            assert!(page.contains(told), "the page does not tell {told:?}");
        }
    }
}
