//! The Hex benchmark: has anybody won, in all wordings, under all optimizations, on all engines?
//!
//! * [`matrix`]: formulation × optimization × engine × position, answers checked before anything is measured.
//! * [`growth`]: how the cost grows with the board, and where the explosive wordings break.
//! * [`game`]: after each move of a game, is it won? From scratch against incrementally.
//! * [`factors`]: what following the empty cells instead of the opponent's stones costs, beside the paper's formula.

mod factors;
mod game;
mod growth;
mod matrix;

pub use matrix::Compiled;

use super::corpus::{Entry, caption};
use super::environment::Environment;
use super::measure::Sampling;
use super::monitor::Monitor;
use super::report::{Board, Report, set_savings};
use crate::hex::draw;
use crate::hex::formulation::Formulation;
use crate::optimize::Optimization;
use crate::pipeline::EngineKind;

/// What to measure.
pub struct Setup {
    /// Positions; those with a game record are replayed move by move instead.
    pub entries: Vec<Entry>,
    pub formulations: Vec<&'static Formulation>,
    pub engines: Vec<EngineKind>,
    pub optimizations: Vec<Optimization>,
    pub sampling: Sampling,
    /// The board sizes to watch growth on; none leaves growth out.
    pub sizes: Vec<u32>,
}

impl Setup {
    fn has(&self, formulation: &str, engine: EngineKind) -> bool {
        self.engines.contains(&engine)
            && self.optimizations.contains(&Optimization::Auto)
            && self.formulations.iter().any(|other| other.name == formulation)
    }
}

/// Boards beyond this many cells are not drawn in the report.
const DRAWN_CELLS: usize = 19 * 19;

/// Runs the whole benchmark, or until it is interrupted. `compiled` runs a compiled formulation within a time limit.
pub fn run(setup: &Setup, compiled: &Compiled<'_>, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report::new("hex", environment);
    let (games, positions): (Vec<&Entry>, Vec<&Entry>) =
        setup.entries.iter().partition(|entry| entry.position.moves().len() > 0);
    matrix::run(setup, &positions, compiled, monitor, &mut report);
    growth::run(setup, monitor, &mut report);
    for game in &games {
        game::run(setup, game, monitor, &mut report);
        factors::run(setup, game, monitor, &mut report);
    }
    set_savings(&mut report.rows);
    report.interrupted = monitor.is_interrupted();
    let drawn = setup.entries.iter().filter(|entry| entry.position.board().len() <= DRAWN_CELLS);
    report.boards = drawn
        .map(|entry| {
            let chain = entry.position.winner().and_then(|winner| entry.position.chain(winner)).unwrap_or_default();
            Board {
                position: entry.name.clone(),
                caption: caption(&entry.position),
                svg: draw::to_svg(&entry.position, &chain),
            }
        })
        .collect();
    report
}

/// The positions of the usual run, by name: the paper's, won and unwon ones, chains that wind.
const USUAL: [&str; 9] =
    ["p9", "game11", "3x3 longest", "4x4 random", "5x5 straight", "7x7 random", "9x9 straight", "9x9 snake", "p11"];

/// Those of the quick run.
const QUICK: [&str; 4] = ["p9", "game11", "4x4 random", "9x9 snake"];

/// Those of the project's positions that a run without a choice measures.
pub fn selection(mut entries: Vec<Entry>, quick: bool) -> Vec<Entry> {
    let names: &[&str] = if quick { &QUICK } else { &USUAL };
    entries.retain(|entry| names.contains(&entry.name.as_str()));
    entries
}

/// The board sizes on which growth is watched.
pub fn sizes(quick: bool) -> Vec<u32> {
    let all = [5, 10, 20, 50, 100, 200, 500];
    all[..if quick { 5 } else { all.len() }].to_vec()
}
