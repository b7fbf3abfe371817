//! The matrix formulation × optimization × engine × position.

use super::MatrixSetup;
use crate::corpus::NamedPosition;
use crate::matrix::*;
use crate::measure::{self, Spread};
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::{Fields, Record, Report};
use crate::subject::Subject;
use crate::task::{Task, TaskResult};
use ludolog_engine::Stopped;
use ludolog_formulation::Formulation;
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;

/// Runs a compiled formulation on a position: once, or, if the flag is set, for all samples. A compiled formulation
/// cannot be interrupted from within, so the implementation has to run it where it can be killed.
pub type CompiledRunner<'a> =
    dyn Fn(&Formulation, &Optimization, &Position, bool) -> Result<(Spread, TaskResult), Stopped> + 'a;

struct MatrixCell<'a> {
    row: Record,
    entry: &'a NamedPosition,
    subject: &'a Subject,
    optimization: &'a Optimization,
    /// The program to run; `None` if it is compiled in.
    task: Option<Task>,
}

/// Checks all cells, then measures those that finished with the correct answer.
pub fn run<'a>(
    setup: &'a MatrixSetup,
    entries: &[&'a NamedPosition],
    compiled: &CompiledRunner<'_>,
    monitor: &mut Monitor<'_>,
    report: &mut Report,
) -> Result<(), Interrupted> {
    monitor.expect(entries.len() * setup.formulations.len() * setup.variants.count());
    let mut cells = Vec::new();
    let subjects = entries.iter().flat_map(|entry| setup.formulations.iter().map(move |subject| (entry, subject)));
    let mut checked = Ok(());
    for (entry, subject) in subjects {
        checked = checked.and_then(|()| check(setup, entry, subject, compiled, monitor, &mut cells));
    }
    cells.iter().filter(|cell| is_wrong(&cell.row)).for_each(|cell| report.fail(failure(&cell.row)));
    let is_ready = |cell: &MatrixCell| cell.row.text(OUTCOME) == FINISHED && !is_wrong(&cell.row);
    monitor.expect(cells.iter().filter(|cell| is_ready(cell)).count());
    let sampling = &setup.variants.sampling;
    for mut cell in cells {
        if is_ready(&cell) && monitor.begin(&format!("measuring {}", name(&cell.row))).is_ok() {
            let measured = match &cell.task {
                Some(task) => measure::measure(sampling, || task.run(sampling)),
                None => run_compiled(compiled, cell.subject, cell.optimization, &cell.entry.position, true),
            };
            match measured {
                Ok((spread, run)) => enter(&mut cell.row, spread, &run),
                // The run of the check remains the only sample.
                Err(Stopped::Interrupted) => {}
                Err(stopped) => {
                    cell.row.set(OUTCOME, DID_NOT_FINISH);
                    cell.row.set(REASON, stopped.to_string());
                }
            }
        }
        monitor.row(&cell.row);
        report.results.push(ROWS, cell.row);
    }
    checked
}

/// Runs each cell of a formulation on a position once.
fn check<'a>(
    setup: &'a MatrixSetup,
    entry: &'a NamedPosition,
    subject: &'a Subject,
    compiled: &CompiledRunner<'_>,
    monitor: &mut Monitor<'_>,
    cells: &mut Vec<MatrixCell<'a>>,
) -> Result<(), Interrupted> {
    let variants = &setup.variants;
    let wording = subject.wording(entry.position.board());
    for &engine in &variants.engines {
        for optimization in &variants.optimizations {
            let mut row = variants.row(subject.name(), optimization, engine.name, &entry.name);
            let seen = subject.sees(&entry.position);
            row.set(EXPECTED, seen.is_some());
            row.set(CANNOT_SEE, seen != entry.position.winner());
            monitor.begin(&format!("checking {}", name(&row)))?;
            let mut task = None;
            let checked = match &wording {
                // Only a separate process can be killed at the limit.
                _ if !engine.interrupt => run_compiled(compiled, subject, optimization, &entry.position, false),
                _ if engine.cost_model.calls && is_left_recursive(subject) => {
                    Err(Stopped::Unsupported(LEFT_RECURSIVE.to_string()))
                }
                Err(error) => Err(Stopped::Unsupported(error.to_string())),
                Ok(wording) => {
                    let case = wording.case(&entry.position);
                    let made = wording.optimize(optimization, engine, &case, &variants.sampling.optimizer_budget());
                    made.and_then(|made| {
                        row.set(OPTIMIZE, made.optimize.as_nanos() as u64);
                        let ran = made.run(&variants.sampling);
                        if let (Subject::Own(_), Ok((_, TaskResult { answer: Some(true), .. }))) = (subject, &ran) {
                            row.set(WRONG_WINNERS, wrong_winners(&made.winners(&variants.sampling)?, &entry.position));
                        }
                        task = Some(made);
                        ran.map(|(took, run)| (Spread::of(vec![took]), run))
                    })
                }
            };
            match checked {
                Ok((spread, run)) => enter(&mut row, spread, &run),
                Err(Stopped::Interrupted) => return Err(Interrupted),
                Err(Stopped::Loop(_)) => stop(&mut row, Stopped::Unsupported(LEFT_RECURSIVE.to_string())),
                Err(stopped) => stop(&mut row, stopped),
            }
            cells.push(MatrixCell { row, entry, subject, optimization, task });
        }
    }
    Ok(())
}

/// Why resolution does not run a formulation.
const LEFT_RECURSIVE: &str = "calls itself before anything else, which resolution would follow forever";

/// Whether a shipped formulation is known to be left-recursive. Those of the user are tried.
fn is_left_recursive(subject: &Subject) -> bool {
    matches!(subject, Subject::Shipped(formulation) if !formulation.top_down)
}

fn run_compiled(
    compiled: &CompiledRunner<'_>,
    subject: &Subject,
    optimization: &Optimization,
    position: &Position,
    sample: bool,
) -> Result<(Spread, TaskResult), Stopped> {
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

fn name(row: &Record) -> String {
    format!("{} on {}", variant(row), row.text(POSITION))
}

fn failure(row: &Record) -> String {
    if row.has(WRONG_WINNERS) {
        return format!("{}: says {}", name(row), row.text(WRONG_WINNERS));
    }
    let said = |field| if row.is(field) { "won" } else { "not won" };
    format!("{}: says {}, but it is {}", name(row), said(ANSWER), said(EXPECTED))
}
