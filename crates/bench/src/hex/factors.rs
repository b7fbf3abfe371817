//! The cost of following the empty cells relative to following the opponent's stones, beside the paper's estimate
//! f(i) = n²/i − 2.

use super::Setup;
use crate::corpus::Entry;
use crate::measure;
use crate::monitor::Monitor;
use crate::report::{FactorPoint, Factors, Report};
use crate::task::Wording;
use ludolog_engine::{EngineDescription, SEMI_NAIVE};
use ludolog_formulation::{maker_breaker, named};
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;

/// Approximate number of points along a game.
const POINTS: usize = 15;

/// Measures both formulations at several points of the game.
pub fn run(setup: &Setup, entry: &Entry, monitor: &mut Monitor<'_>, report: &mut Report) {
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
    let [Some(empty), Some(stones)] = wordings else { return };
    let mut factors = Factors { game: entry.name.clone(), cells: board.len() as u64, points: Vec::new() };
    let moves: Vec<_> = entry.position.moves().collect();
    let each = moves.len() / 2;
    for i in (1..=each).step_by(each.div_ceil(POINTS).max(1)) {
        if !monitor.begin(&format!("Maker-Breaker factor of {} at i = {i}", entry.name)) {
            break;
        }
        let mut position = Position::new(board);
        moves[..2 * i].iter().for_each(|&(player, cell)| _ = position.place(player, cell));
        let cost = |wording: &Wording| {
            let case = wording.case(&position);
            let task = wording.optimize(&Optimization::Auto, ENGINE, &case, &setup.sampling.optimizer_budget()).ok()?;
            let (spread, run) = measure::measure(&setup.sampling, || task.run(&setup.sampling)).ok()?;
            Some((run.derived? as f64, spread.median_ns as f64))
        };
        if let (Some(empty), Some(stones)) = (cost(&empty), cost(&stones)) {
            factors.points.push(FactorPoint {
                i: i as u32,
                formula: maker_breaker::factor(board, i),
                derived: empty.0 / stones.0.max(1.0),
                time: empty.1 / stones.1.max(1.0),
            });
        }
    }
    report.maker_breaker = Some(factors).filter(|factors| !factors.points.is_empty()).or(report.maker_breaker.take());
}
