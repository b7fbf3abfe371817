//! Positional games: how many positions a search looks at, and for how long, with nothing, with pairings and with matching
//! sets as cut-offs.

use crate::environment::Environment;
use crate::monitor::Monitor;
use ludolog_engine::{Budget, Stopped};
use ludolog_positional::matching::{Effort, Part, cover};
use ludolog_positional::strong::{Outcome, Unsolved, solve};
use ludolog_positional::{Board, Position};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The cut-offs that are compared, with their names.
pub const CUTOFFS: [(&str, Option<Effort>); 3] =
    [("none", None), ("pairings", Some(Effort::Pairing)), ("matching sets", Some(Effort::Configurations))];

/// Empty boards, columns × rows × points in a line, that are measured besides the positions.
const BOARDS: [(usize, usize, usize); 14] = [
    (3, 3, 3),
    (4, 3, 3),
    (4, 4, 3),
    (4, 4, 4),
    (5, 4, 4),
    (6, 4, 4),
    (5, 5, 4),
    (6, 5, 4),
    (5, 5, 5),
    (6, 5, 5),
    (6, 6, 5),
    (7, 6, 5),
    (7, 7, 5),
    (8, 8, 5),
];

/// The empty boards that are measured besides the positions.
pub fn boards() -> Vec<Position> {
    let position = |(width, height, k)| {
        let mut position = Position::new(Board::Mnk { width, height, k }.hypergraph().ok()?);
        position.name = Some(format!("{width}x{height}, {k} in a row"));
        Some(position)
    };
    BOARDS.into_iter().filter_map(position).collect()
}

/// How to measure.
pub struct Setup {
    /// The time that each search may take.
    pub limit: Duration,
    /// The memory that the table of a search may take, in bytes.
    pub max_bytes: u64,
    /// What stops the run besides its times: interruption, the memory of the process.
    pub limits: Budget,
}

/// The results of a run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The benchmark: `positional`.
    pub benchmark: &'static str,
    /// The environment of the run.
    pub environment: Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// The time that each search may take.
    pub limit_seconds: f64,
    /// Positions of which two searches say different things.
    pub failures: Vec<String>,
    /// The positions, in the order of the arguments.
    pub positions: Vec<Row>,
}

/// The results of a position.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The number of winning sets that the player to move may still complete.
    pub open_sets: usize,
    /// Who wins: `x`, `o` or `draw`; none if no search ended.
    pub outcome: Option<String>,
    /// The searches, in the order of [`CUTOFFS`].
    pub searches: Vec<Searched>,
    /// The position.
    #[serde(skip)]
    pub position: Position,
    /// The matching against the player to move that is found without search.
    #[serde(skip)]
    pub matching: Option<Vec<Part>>,
}

/// A search.
#[derive(Clone, Debug, Serialize)]
pub struct Searched {
    /// The cut-off.
    pub cutoff: &'static str,
    /// The number of positions that were looked at; none if it did not finish.
    pub nodes: Option<u64>,
    /// The time; none if it did not finish.
    pub seconds: Option<f64>,
    /// Why it did not finish.
    pub reason: Option<String>,
}

/// Solves each position with each cut-off.
pub fn run(positions: Vec<Position>, setup: &Setup, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report {
        benchmark: "positional",
        environment,
        interrupted: false,
        limit_seconds: setup.limit.as_secs_f64(),
        failures: Vec::new(),
        positions: Vec::new(),
    };
    monitor.expect(positions.len() * CUTOFFS.len());
    for position in positions {
        let name = position.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut searches = Vec::new();
        for (cutoff, effort) in CUTOFFS {
            if !monitor.begin(&format!("{name}, {cutoff}")) {
                report.interrupted = true;
                return report;
            }
            let budget = budget(setup);
            let start = Instant::now();
            let solved = solve(&position, effort, &budget);
            let seconds = start.elapsed().as_secs_f64();
            match solved {
                Ok(solved) => {
                    outcomes.push(solved.outcome);
                    let (nodes, seconds) = (Some(solved.nodes), Some(seconds));
                    searches.push(Searched { cutoff, nodes, seconds, reason: None });
                }
                Err(Unsolved::Stopped(Stopped::Interrupted)) => {
                    report.interrupted = true;
                    return report;
                }
                Err(unsolved) => {
                    let reason = match unsolved {
                        Unsolved::TooManyPoints(points) => points.to_string(),
                        Unsolved::Stopped(stopped) => stopped.to_string(),
                    };
                    searches.push(Searched { cutoff, nodes: None, seconds: None, reason: Some(reason) });
                }
            }
        }
        if outcomes.windows(2).any(|pair| pair[0] != pair[1]) {
            report.failures.push(name.clone());
        }
        let outcome = outcomes.first().map(|outcome| match outcome {
            Outcome::Win(player) => player.name().to_owned(),
            Outcome::Draw => "draw".to_owned(),
        });
        let open = position.bits().map(|bits| bits.open_sets(position.to_move)).unwrap_or_default();
        let matching = cover(&open, Effort::Configurations, &budget(setup)).ok().flatten();
        report.positions.push(Row { name, open_sets: open.len(), outcome, searches, position, matching });
    }
    report
}

fn budget(setup: &Setup) -> Budget {
    setup.limits.clone().with_timeout(setup.limit).with_max_bytes(setup.max_bytes)
}

impl Report {
    /// The report as JSON.
    ///
    /// # Panics
    ///
    /// Never: a report is numbers and texts.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report is JSON") + "\n"
    }
}
