//! The matrix formulation × optimization × engine × position.

use super::Setup;
use crate::corpus::Entry;
use crate::measure::{self, Spread};
use crate::monitor::Monitor;
use crate::report::{Outcome, Report, Row};
use crate::task::{Run, Task, Wording};
use ludolog_engine::Stopped;
use ludolog_formulation::Formulation;
use ludolog_hex::position::Position;
use ludolog_logic::optimize::{Optimization, Target};

/// Runs a compiled formulation on a position: once, or, if the flag is set, for all samples. A compiled formulation
/// cannot be interrupted from within, so the implementation has to run it where it can be killed.
pub type Compiled<'a> = dyn Fn(&Formulation, &Optimization, &Position, bool) -> Result<(Spread, Run), Stopped> + 'a;

struct Cell<'a> {
    row: Row,
    entry: &'a Entry,
    formulation: &'static Formulation,
    optimization: &'a Optimization,
    /// The program to run; `None` if it is compiled in.
    task: Option<Task>,
}

/// Checks all cells, then measures those that finished with the correct answer.
pub fn run<'a>(
    setup: &'a Setup,
    entries: &[&'a Entry],
    compiled: &Compiled<'_>,
    monitor: &mut Monitor<'_>,
    report: &mut Report,
) {
    let variants = setup.formulations.len() * setup.engines.len() * setup.optimizations.len();
    monitor.expect(entries.len() * variants);
    let mut cells = Vec::new();
    for entry in entries {
        for formulation in &setup.formulations {
            check(setup, entry, formulation, compiled, monitor, &mut cells);
        }
    }
    report.failures.extend(cells.iter().filter(|cell| cell.row.is_wrong()).map(|cell| failure(&cell.row)));
    let ready = |cell: &Cell| cell.row.outcome == Outcome::Finished && !cell.row.is_wrong();
    monitor.expect(cells.iter().filter(|cell| ready(cell)).count());
    for mut cell in cells {
        if ready(&cell) && monitor.begin(&format!("measuring {}", name(&cell.row))) {
            let measured = match &cell.task {
                Some(task) => measure::measure(&setup.sampling, || task.run(&setup.sampling)),
                None => compiled(cell.formulation, cell.optimization, &cell.entry.position, true),
            };
            match measured {
                Ok((spread, run)) => cell.row.enter(spread, &run),
                // The run of the check remains the only sample.
                Err(Stopped::Interrupted) => {}
                Err(stopped) => cell.row.stop(Outcome::DidNotFinish, stopped.to_string()),
            }
        }
        report.rows.push(cell.row);
    }
}

/// Runs each cell of a formulation on a position once.
fn check<'a>(
    setup: &'a Setup,
    entry: &'a Entry,
    formulation: &'static Formulation,
    compiled: &Compiled<'_>,
    monitor: &mut Monitor<'_>,
    cells: &mut Vec<Cell<'a>>,
) {
    let wording = Wording::of(formulation, entry.position.board());
    for &engine in &setup.engines {
        for optimization in &setup.optimizations {
            let limit = setup.sampling.limit.as_secs_f64();
            let mut row = Row::new(formulation.name, &optimization.to_string(), engine.name, &entry.name, limit);
            row.expected = Some(formulation.sees(&entry.position).is_some());
            if !monitor.begin(&format!("checking {}", name(&row))) {
                return;
            }
            let mut task = None;
            let checked = match &wording {
                // Only a separate process can be killed at the limit.
                _ if !engine.capabilities.interrupt => compiled(formulation, optimization, &entry.position, false),
                _ if engine.target == Target::Resolution && !formulation.top_down => Err(Stopped::Unsupported(
                    "calls itself before anything else, which resolution would follow forever".to_string(),
                )),
                Err(error) => Err(Stopped::Unsupported(error.to_string())),
                Ok(wording) => {
                    let case = wording.case(&entry.position);
                    let made = wording.optimize(optimization, engine, &case, &setup.sampling.optimizer_budget());
                    made.and_then(|made| {
                        row.optimize_ns = Some(made.optimize.as_nanos() as u64);
                        let ran = made.run(&setup.sampling);
                        task = Some(made);
                        ran.map(|(took, run)| (Spread::of(vec![took]), run))
                    })
                }
            };
            match checked {
                Ok((spread, run)) => row.enter(spread, &run),
                Err(Stopped::Interrupted) => return,
                Err(Stopped::Unsupported(reason)) => row.stop(Outcome::Unsupported, reason),
                Err(stopped) => row.stop(Outcome::DidNotFinish, stopped.to_string()),
            }
            cells.push(Cell { row, entry, formulation, optimization, task });
        }
    }
}

fn name(row: &Row) -> String {
    format!("{} · {} · {} on {}", row.formulation, row.optimization, row.engine, row.position)
}

fn failure(row: &Row) -> String {
    let said = |answer| if answer == Some(true) { "won" } else { "not won" };
    format!("{}: says {}, but it is {}", name(row), said(row.answer), said(row.expected))
}
