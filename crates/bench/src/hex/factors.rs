//! The cost of following the empty cells relative to following the opponent's stones, beside the paper's estimate
//! f(i) = n²/i − 2.

use super::MatrixSetup;
use crate::corpus::NamedPosition;
use crate::matrix::*;
use crate::measure;
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::{Fields, Record};
use crate::task::Wording;
use ludolog_engine::{EngineDescription, SEMI_NAIVE};
use ludolog_formulation::{maker_breaker, named};
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;

/// Approximate number of points along a game.
const MEASURED: usize = 15;

/// Measures both formulations at several points of the game.
pub fn run(
    setup: &MatrixSetup,
    entry: &NamedPosition,
    monitor: &mut Monitor<'_>,
    results: &mut Record,
) -> Result<(), Interrupted> {
    const ENGINE: &EngineDescription = &SEMI_NAIVE;
    let names = ["maker-breaker", "reachability"];
    let board = entry.position.board();
    let wordings = names.map(|name| {
        if setup.has(name, ENGINE) {
            named(name).and_then(|formulation| Wording::of(formulation, board).ok())
        } else {
            None
        }
    });
    let [Some(empty), Some(stones)] = wordings else { return Ok(()) };
    let moves: Vec<_> = entry.position.moves().collect();
    let each = moves.len() / 2;
    let mut points = Vec::new();
    let mut ended = Ok(());
    for i in (1..=each).step_by(each.div_ceil(MEASURED).max(1)) {
        ended = monitor.begin(&format!("Maker-Breaker factor of {} at i = {i}", entry.name));
        if ended.is_err() {
            break;
        }
        let mut position = Position::new(board);
        moves[..2 * i].iter().for_each(|&(player, cell)| _ = position.place(player, cell));
        let cost = |wording: &Wording| {
            let case = wording.case(&position);
            let task = wording
                .optimize(&Optimization::Auto, ENGINE, &case, &setup.variants.sampling.optimizer_budget())
                .ok()?;
            let (spread, run) =
                measure::measure(&setup.variants.sampling, || task.run(&setup.variants.sampling)).ok()?;
            Some((run.derived? as f64, spread.median_ns as f64))
        };
        if let (Some(empty), Some(stones)) = (cost(&empty), cost(&stones)) {
            let point = Record::default().with(STONES, i).with(FORMULA, maker_breaker::factor(board, i));
            let point = point.with(DERIVED_FACTOR, empty.0 / stones.0.max(1.0));
            points.push(point.with(TIME_FACTOR, empty.1 / stones.1.max(1.0)));
        }
    }
    if !points.is_empty() {
        let factors = Record::default().with(GAME, entry.name.as_str()).with(CELLS, board.len());
        results.set(MAKER_BREAKER, factors.with(POINTS, points));
    }
    ended
}
