//! What each heuristic of the semi-naive engine gains: all runs with it left out, beside those with all of them.
//!
//! Runs with and without take turns, and the least processor time of the samples counts, so that what else the machine
//! does has little part in the ratios. Programs and goals run as sessions run them, the formulations of Hex over all
//! positions that are given; a run that is stopped counts for as long as it was let run.

use super::datalog::GenericProgram;
use super::matrix::{PROBES, TUPLES};
use super::measure::{Sampling, Spread};
use super::monitor::Monitor;
use super::report::fields::*;
use super::report::page::section;
use super::report::{Benchmark, Fields, Record, Report, TextCell, TextTable};
use super::task::{Task, TaskResult, Wording};
use super::workload::Workload;
use crate::fields;
use ludolog_engine::semi_naive::Heuristic;
use ludolog_engine::{Case, EngineDescription, SEMI_NAIVE, Setting, Stopped};
use ludolog_formulation::Formulation;
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::{Clock, ThreadClock};
use maud::{Markup, html};
use std::time::Duration;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "ablation",
    heading: "What does each heuristic gain?",
    lead: |_| {
        "The semi-naive engine with each of its heuristics left out, on programs and on the formulations of Hex."
            .to_owned()
    },
    method: |_| {
        format!(
            "A ratio is the least processor time without the heuristic by that with all of them, of samples that take turns. A heuristic \
             earns its place if somewhere a ratio is at least {WORTH}, and the least time without it is more than the median with it."
        )
    },
    text: |report, terminal| summary(report).to_text(terminal),
    sections,
};

/// The least ratio that a heuristic has to reach somewhere.
const WORTH: f64 = 1.03;

/// A run without a heuristic may take so many times as long as the one with all of them, and a second.
const PATIENCE: u32 = 20;

fields! {
    HEURISTICS: "heuristics" List;
    HEURISTIC: "heuristic" Plain;
    SUMMARY: "summary" Plain;
    MEDIAN: "median_ratio" Decimals(3);
    MOST: "most" Decimals(2); // The ratio where the heuristic gains most.
    WHERE: "most_on" Plain;
    LEAST: "least" Decimals(2); // The ratio where it gains least, or costs most.
    LEAST_ON: "least_on" Plain;
    MOST_PROBES: "most_probes" Decimals(2); // The greatest ratio of probes.
    EARNS: "earns_its_place" Plain;

    CELLS: "cells" List;
    CELL: "cell" Plain; // The program, with its goal.
    SECONDS: "cpu_seconds" Seconds; // The least of the samples.
    WITHOUT: "without" List;
    RATIO: "ratio" Decimals(3);
    PROBES_RATIO: "probes_ratio" Decimals(3);
    IS_SLOWER: "slower_than_median" Plain;
}

/// Something to run on an engine: the processor time, and what came of it.
type Run<'c> = Box<dyn FnMut(&EngineDescription, &Sampling) -> Result<(Duration, TaskResult), Stopped> + 'c>;

/// A program to run, with its name.
pub struct AblationCell<'c> {
    name: String,
    run: Run<'c>,
}

impl<'c> AblationCell<'c> {
    /// Workloads, each with all that follows and with its goals.
    pub fn of_workloads(workloads: Vec<Workload>) -> Vec<AblationCell<'c>> {
        let mut cells = Vec::new();
        for workload in workloads {
            let goals: Vec<_> = std::iter::once(None).chain(workload.goals().iter().cloned().map(Some)).collect();
            let workload = std::rc::Rc::new(std::cell::RefCell::new(workload));
            for goal in goals {
                let name = match &goal {
                    Some((text, _)) => format!("{} ?- {text}", workload.borrow().name),
                    None => workload.borrow().name.clone(),
                };
                let workload = workload.clone();
                let run: Run<'c> = Box::new(move |engine, sampling| {
                    let setting = Setting { engine: engine.clone(), ..Setting::default() };
                    workload.borrow_mut().run(goal.as_ref().map(|(_, goal)| goal), &setting, sampling)
                });
                cells.push(AblationCell { name, run });
            }
        }
        cells
    }

    /// A program with its made facts.
    pub fn of_program(program: &'c GenericProgram) -> AblationCell<'c> {
        let facts = program.made_facts();
        let run: Run<'c> = Box::new(move |engine, sampling| {
            let (rules, counted) = program.rules();
            let wording = Wording::generic(rules, counted)?;
            let case = Case::of_facts(facts.iter().cloned());
            let task = wording.optimize(&Optimization::Auto, engine, &case, &sampling.optimizer_budget())?;
            timed(&task, sampling)
        });
        AblationCell { name: program.name.to_owned(), run }
    }

    /// A formulation of Hex on all of these positions that it takes.
    pub fn of_formulation(formulation: &'static Formulation, positions: &'c [Position]) -> AblationCell<'c> {
        let run: Run<'c> = Box::new(move |engine, sampling| {
            let mut time = Duration::ZERO;
            let mut total = TaskResult::default();
            for position in positions {
                let Ok(wording) = Wording::of(formulation, position.board()) else { continue };
                let case = wording.case(position);
                let task = wording.optimize(&Optimization::Auto, engine, &case, &sampling.optimizer_budget())?;
                let (took, run) = timed(&task, sampling)?;
                time += took;
                total.probes = Some(total.probes.unwrap_or(0) + run.probes.unwrap_or(0));
                total.tuples = Some(total.tuples.unwrap_or(0) + u64::from(run.answer == Some(true)));
            }
            Ok((time, total))
        });
        AblationCell { name: format!("hex {}", formulation.name), run }
    }
}

/// A run with its processor time, loading included.
fn timed(task: &Task, sampling: &Sampling) -> Result<(Duration, TaskResult), Stopped> {
    let start = ThreadClock.now();
    let (_, run) = task.run(sampling)?;
    Ok((ThreadClock.now().saturating_sub(start), run))
}

/// Runs the benchmark until its end or an interruption. A cell that derives another number of tuples without a
/// heuristic than with all of them is a failure.
pub fn run(
    mut cells: Vec<AblationCell<'_>>,
    heuristics: &[Heuristic],
    sampling: &Sampling,
    monitor: &mut Monitor<'_>,
) -> Report {
    monitor.expect(cells.len());
    let mut report = Report::new(&BENCHMARK, &[FAILURES, HEURISTICS, CELLS]).measure(monitor, |report, monitor| {
        for cell in &mut cells {
            monitor.begin(&cell.name)?;
            let measured = measure(cell, heuristics, sampling, monitor)?;
            for failure in measured.failures {
                report.fail(failure);
            }
            report.results.push(CELLS, measured.record);
        }
        Ok(())
    });
    for &heuristic in heuristics {
        let row = summed_up(heuristic, &report.results);
        report.results.push(HEURISTICS, row);
    }
    report
}

/// What came of a cell.
struct MeasuredCell {
    record: Record,
    failures: Vec<String>,
}

/// The samples of a cell on one engine: at least one when it is measured.
#[derive(Default)]
struct Samples {
    times: Vec<Duration>,
    last: TaskResult,
    stopped: bool,
}

impl Samples {
    /// Adds a sample. One that is stopped has taken its limit, and is the last.
    fn add(&mut self, sampled: Result<(Duration, TaskResult), Stopped>, sampling: &Sampling) -> Result<(), Stopped> {
        match sampled {
            Ok((time, last)) => {
                self.times.push(time);
                self.last = last;
            }
            Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
            Err(_) => {
                self.times.push(sampling.limit);
                self.stopped = true;
            }
        }
        Ok(())
    }
}

fn measure(
    cell: &mut AblationCell<'_>,
    heuristics: &[Heuristic],
    sampling: &Sampling,
    monitor: &Monitor<'_>,
) -> Result<MeasuredCell, super::monitor::Interrupted> {
    let interrupted = |_| super::monitor::Interrupted;
    let mut with = Samples::default();
    let mut without: Vec<(Samples, EngineDescription)> =
        heuristics.iter().map(|heuristic| (Samples::default(), heuristic.left_out())).collect();
    let record = Record::default().with(CELL, cell.name.as_str());
    // The first run warms the caches.
    with.add((cell.run)(&SEMI_NAIVE, sampling), sampling).map_err(interrupted)?;
    if with.stopped {
        return Ok(MeasuredCell { record: record.with(REASON, "did not finish"), failures: Vec::new() });
    }
    let warm = with.times.iter().sum::<Duration>();
    let limit = (warm * PATIENCE + Duration::from_secs(1)).min(sampling.limit);
    let patient = Sampling { limit, ..sampling.clone() };
    with.times.clear();
    for _ in 0..sampling.max_samples {
        with.add((cell.run)(&SEMI_NAIVE, sampling), sampling).map_err(interrupted)?;
        for (samples, engine) in without.iter_mut().filter(|(samples, _)| !samples.stopped) {
            monitor.check()?;
            samples.add((cell.run)(engine, &patient), &patient).map_err(interrupted)?;
        }
    }
    let mut failures = Vec::new();
    let mut rows = Vec::new();
    let all = Spread::of(with.times);
    for (heuristic, (samples, _)) in heuristics.iter().zip(without) {
        let row = Record::default().with(HEURISTIC, heuristic.name());
        if !samples.stopped && samples.last.tuples != with.last.tuples {
            failures.push(format!("{} derives something else without {heuristic}", cell.name));
        }
        let probes = with.last.probes.zip(samples.last.probes).filter(|(with, _)| *with > 0 && !samples.stopped);
        let left_out = Spread::of(samples.times);
        let ratio = left_out.min_ns as f64 / all.min_ns.max(1) as f64;
        let row = row.with(RATIO, ratio).with(PROBES_RATIO, probes.map(|(with, without)| without as f64 / with as f64));
        rows.push(row.with(IS_SLOWER, left_out.min_ns > all.median_ns));
    }
    let record = record.with(SECONDS, all.min_ns as f64 / 1e9).with(SAMPLES, all.samples);
    let record = record.with(PROBES, with.last.probes).with(TUPLES, with.last.tuples).with(WITHOUT, rows);
    Ok(MeasuredCell { record, failures })
}

/// What a heuristic gains over all cells.
fn summed_up(heuristic: Heuristic, results: &Record) -> Record {
    let cells = results.records(CELLS).flat_map(|cell| {
        cell.records(WITHOUT)
            .filter(|row| row.text(HEURISTIC) == heuristic.name())
            .map(move |row| (cell.text(CELL), row))
    });
    let mut ratios: Vec<(f64, &str, &Record)> =
        cells.filter_map(|(name, row)| Some((row.number(RATIO)?, name, row))).collect();
    ratios.cold_sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let summary = Heuristic::ALL[heuristic as usize].2;
    let record = Record::default().with(HEURISTIC, heuristic.name()).with(SUMMARY, summary);
    let Some(((least, least_on, _), (most, most_on, _))) = ratios.first().zip(ratios.last()) else { return record };
    let probes = ratios.iter().filter_map(|(.., row)| row.number(PROBES_RATIO)).fold(f64::NAN, f64::max);
    let earns = ratios.iter().any(|(ratio, _, row)| *ratio >= WORTH && row.is(IS_SLOWER));
    let record = record.with(MEDIAN, ratios[ratios.len() / 2].0).with(MOST, *most).with(WHERE, *most_on);
    let record = record.with(LEAST, *least).with(LEAST_ON, *least_on);
    record.with(MOST_PROBES, (!probes.is_nan()).then_some(probes)).with(EARNS, earns)
}

fn summary(report: &Report) -> TextTable {
    let header = ["without", "median", "most", "on", "least", "on", "probes", "earns its place"];
    let mut table = TextTable::new(header);
    for row in report.results.records(HEURISTICS) {
        let cells = [HEURISTIC, MEDIAN, MOST, WHERE, LEAST, LEAST_ON, MOST_PROBES].map(|field| row.told_or_dash(field));
        let earns = if row.is(EARNS) { "yes" } else { "no" };
        let name = TextCell { hint: Some(row.text(SUMMARY).to_owned()), ..cells[0].clone().into() };
        let others = cells.into_iter().skip(1).chain([earns.to_owned()]).map(TextCell::from);
        table.push([name].into_iter().chain(others));
    }
    table
}

fn sections(report: &Report) -> Markup {
    html! {
        (section(
            "Heuristics",
            &html! {
                "How to read: each row is the engine without one heuristic; ratios above 1 are slower than with it. Median, most and least are over "
                "all programs, probes the greatest ratio of rows tried."
            },
            &summary(report).to_html(),
        ))
        (section(
            "Programs",
            &html! { "How to read: each row is a program with the processor time of all heuristics, each column the ratio without one." },
            &cells(report).to_html(),
        ))
    }
}

fn cells(report: &Report) -> TextTable {
    let results = &report.results;
    let names: Vec<String> = results.records(HEURISTICS).map(|row| row.told(HEURISTIC)).collect();
    let mut table = TextTable::new(["program", "CPU time"].map(str::to_owned).into_iter().chain(names));
    for cell in results.records(CELLS) {
        let ratios = cell.records(WITHOUT).map(|row| {
            let ratio = row.number(RATIO).unwrap_or(1.0);
            TextCell { heat: Some(((ratio - 1.0) / 2.0).clamp(0.0, 1.0)), ..format!("{ratio:.2}").into() }
        });
        table.push([cell.told(CELL), cell.told_or_dash(SECONDS)].map(TextCell::from).into_iter().chain(ratios));
    }
    table
}
