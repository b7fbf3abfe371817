//! The matrix formulation × optimization × engine × position.

use super::Setup;
use crate::corpus::Entry;
use crate::measure::{self, Spread};
use crate::monitor::Monitor;
use crate::report::{Outcome, Report, Row};
use crate::subject::Subject;
use crate::task::{Run, Task};
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
    subject: &'a Subject,
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
        for subject in &setup.formulations {
            check(setup, entry, subject, compiled, monitor, &mut cells);
        }
    }
    report.failures.extend(cells.iter().filter(|cell| cell.row.is_wrong()).map(|cell| failure(&cell.row)));
    let ready = |cell: &Cell| cell.row.outcome == Outcome::Finished && !cell.row.is_wrong();
    monitor.expect(cells.iter().filter(|cell| ready(cell)).count());
    for mut cell in cells {
        if ready(&cell) && monitor.begin(&format!("measuring {}", name(&cell.row))) {
            let measured = match &cell.task {
                Some(task) => measure::measure(&setup.sampling, || task.run(&setup.sampling)),
                None => run_compiled(compiled, cell.subject, cell.optimization, &cell.entry.position, true),
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
    subject: &'a Subject,
    compiled: &Compiled<'_>,
    monitor: &mut Monitor<'_>,
    cells: &mut Vec<Cell<'a>>,
) {
    let wording = subject.wording(entry.position.board());
    for &engine in &setup.engines {
        for optimization in &setup.optimizations {
            let limit = setup.sampling.limit.as_secs_f64();
            let mut row = Row::new(subject.name(), &optimization.to_string(), engine.name, &entry.name, limit);
            let seen = subject.sees(&entry.position);
            row.expected = Some(seen.is_some());
            row.cannot_see = seen != entry.position.winner();
            if !monitor.begin(&format!("checking {}", name(&row))) {
                return;
            }
            let mut task = None;
            let checked = match &wording {
                // Only a separate process can be killed at the limit.
                _ if !engine.capabilities.interrupt => {
                    run_compiled(compiled, subject, optimization, &entry.position, false)
                }
                _ if engine.target == Target::Resolution && is_left_recursive(subject) => {
                    Err(Stopped::Unsupported(LEFT_RECURSIVE.to_string()))
                }
                Err(error) => Err(Stopped::Unsupported(error.to_string())),
                Ok(wording) => {
                    let case = wording.case(&entry.position);
                    let made = wording.optimize(optimization, engine, &case, &setup.sampling.optimizer_budget());
                    made.and_then(|made| {
                        row.optimize_ns = Some(made.optimize.as_nanos() as u64);
                        let ran = made.run(&setup.sampling);
                        if let (Subject::Own(_), Ok((_, Run { answer: Some(true), .. }))) = (subject, &ran) {
                            row.wrong_winners = wrong_winners(&made.winners(&setup.sampling)?, &entry.position);
                        }
                        task = Some(made);
                        ran.map(|(took, run)| (Spread::of(vec![took]), run))
                    })
                }
            };
            match checked {
                Ok((spread, run)) => row.enter(spread, &run),
                Err(Stopped::Interrupted) => return,
                Err(Stopped::Unsupported(reason)) => row.stop(Outcome::Unsupported, reason),
                Err(Stopped::Loop(_)) => row.stop(Outcome::Unsupported, LEFT_RECURSIVE),
                Err(stopped) => row.stop(Outcome::DidNotFinish, stopped.to_string()),
            }
            cells.push(Cell { row, entry, subject, optimization, task });
        }
    }
}

/// Why resolution does not run a formulation.
const LEFT_RECURSIVE: &str = "calls itself before anything else, which resolution would follow forever";

/// Whether a shipped formulation is known to be left-recursive. Those of the user are tried.
fn is_left_recursive(subject: &Subject) -> bool {
    matches!(subject, Subject::Shipped(formulation) if !formulation.top_down)
}

fn run_compiled(
    compiled: &Compiled<'_>,
    subject: &Subject,
    optimization: &Optimization,
    position: &Position,
    sample: bool,
) -> Result<(Spread, Run), Stopped> {
    match subject {
        Subject::Shipped(formulation) => compiled(formulation, optimization, position, sample),
        Subject::Own(_) => Err(Stopped::Unsupported("not compiled in".to_string())),
    }
}

/// The derived winners and the true one, in words, unless they are the same.
fn wrong_winners(derived: &[String], position: &Position) -> Option<String> {
    let winner = position.winner().map(|winner| winner.name());
    let truth = winner.map_or("nobody has won".to_string(), |winner| format!("{winner} has"));
    (derived.iter().map(String::as_str).ne(winner)).then(|| format!("won by {}, but {truth}", derived.join(" and ")))
}

fn name(row: &Row) -> String {
    format!("{} · {} · {} on {}", row.formulation, row.optimization, row.engine, row.position)
}

fn failure(row: &Row) -> String {
    if let Some(winners) = &row.wrong_winners {
        return format!("{}: says {winners}", name(row));
    }
    let said = |answer| if answer == Some(true) { "won" } else { "not won" };
    format!("{}: says {}, but it is {}", name(row), said(row.answer), said(row.expected))
}
