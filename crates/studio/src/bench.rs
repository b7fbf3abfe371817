//! Benchmarks that run while the page shows their rows.

use crate::runs::{LongRun, RunResult, RunState};
use ludolog_bench::corpus::{self, NamedPosition, STANDARD};
use ludolog_bench::hex::{self, MatrixSetup};
use ludolog_bench::matrix::Variants;
use ludolog_bench::measure::Sampling;
use ludolog_bench::monitor::{Monitor, RunProgress};
use ludolog_bench::report::{Record, Report};
use ludolog_bench::subject::Subject;
use ludolog_bench::workload::{self, Workload};
use ludolog_engine::{ENGINES, EngineDescription, Session, SessionError, Stopped};
use ludolog_formulation::{ALL, LIBRARY};
use ludolog_hex::position::Position;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::Sources;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// The name of the open program, in reports and among formulations.
pub(crate) const PROGRAM: &str = "this program";

/// The position that is chosen at first: that of the founding paper.
const FIRST_POSITION: &str = "p9";

/// The progress of a benchmark.
#[derive(Default)]
pub(crate) struct BenchProgress {
    done: usize,
    total: usize,
    step: String,
    rows: Vec<Value>,
}

impl BenchProgress {
    /// As JSON, with the rows from this one on.
    pub fn tell(&self, from: usize) -> Value {
        let rows = self.rows.get(from..).unwrap_or_default();
        json!({ "done": self.done, "total": self.total, "step": self.step, "rows": rows })
    }
}

/// The ways of running that a page has chosen, by their names.
pub(crate) struct BenchChoice<'a> {
    /// The engines.
    pub engines: &'a [String],
    /// The optimizations.
    pub optimizations: &'a [String],
    /// The limit of a run.
    pub limit: Duration,
    /// What holds for all work.
    pub limits: &'a Budget,
}

impl BenchChoice<'_> {
    /// The variants of these names.
    ///
    /// # Errors
    ///
    /// There is no such engine or optimization, or none is named.
    fn variants(&self) -> Result<Variants, String> {
        let engine = |name: &String| {
            let found = ENGINES.into_iter().find(|engine| engine.name == *name);
            found.ok_or_else(|| format!("there is no engine `{name}`"))
        };
        let engines = self.engines.iter().map(engine).collect::<Result<Vec<&'static EngineDescription>, String>>()?;
        let optimizations = self.optimizations.iter().map(|name| name.parse());
        let optimizations = optimizations.collect::<Result<Vec<Optimization>, String>>()?;
        if engines.is_empty() || optimizations.is_empty() {
            return Err("choose an engine and an optimization".to_owned());
        }
        let mut sampling = Sampling::new(self.limit);
        sampling.limits = self.limits.clone();
        Ok(Variants { engines, optimizations, sampling })
    }
}

/// All that can be chosen, with what is chosen at first.
///
/// # Errors
///
/// The positions cannot be read.
pub(crate) fn choices() -> Result<Value, String> {
    let engines = ENGINES.map(|engine| json!({ "name": engine.name, "isChosen": true }));
    let optimizations = Optimization::NAMED.map(|named| json!({ "name": named.to_string(), "isChosen": true }));
    let formulation = |name: &str, title: &str| json!({ "name": name, "title": title, "isChosen": true });
    let mut formulations: Vec<Value> = ALL.iter().map(|one| formulation(one.name, one.title)).collect();
    let own = json!({ "name": PROGRAM, "title": "the open rules, which derive win(P)", "isChosen": false });
    formulations.push(own);
    let named = |one: NamedPosition| {
        let caption = corpus::caption(&one.position);
        json!({ "name": one.name, "title": caption, "isChosen": one.name == FIRST_POSITION })
    };
    let positions: Vec<Value> = positions()?.into_iter().map(named).collect();
    Ok(
        json!({ "engines": engines, "optimizations": optimizations, "formulations": formulations, "positions": positions }),
    )
}

/// The positions that come with Ludolog.
fn positions() -> Result<Vec<NamedPosition>, String> {
    let files = LIBRARY.with(HashMap::<PathBuf, String>::new());
    let read = corpus::read(&files, &[STANDARD.into()], &mut Sources::new());
    read.map_err(|wrong| wrong.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("\n"))
}

/// Measures a goal of a program, or all that it derives if the goal is empty.
///
/// # Errors
///
/// The goal is rejected, or the names are wrong.
pub(crate) fn program(
    mut session: Session,
    goal: &str,
    chosen: &BenchChoice<'_>,
) -> Result<LongRun<BenchProgress>, SessionError> {
    let goals = if goal.trim().is_empty() { Vec::new() } else { vec![(goal.to_owned(), session.goal(goal)?)] };
    let mut workload = Workload::new(PROGRAM.to_owned(), session, goals);
    let variants = chosen.variants().map_err(unsupported)?;
    start(variants, move |variants, monitor| workload::run_one(&mut workload, &variants, monitor)).map_err(unsupported)
}

fn unsupported(words: String) -> SessionError {
    SessionError::Stopped(Stopped::Unsupported(words))
}

/// The formulations of these names; the open program is one that the caller has.
///
/// # Errors
///
/// There is none of a name.
pub(crate) fn formulations(
    names: &[String],
    own: impl Fn() -> Result<Subject, String>,
) -> Result<Vec<Subject>, String> {
    let subject = |name: &String| match ludolog_formulation::named(name) {
        Some(formulation) => Ok(Subject::Shipped(formulation)),
        None if name == PROGRAM => own(),
        None => Err(format!("there is no formulation `{name}`")),
    };
    let subjects = names.iter().map(subject).collect::<Result<Vec<Subject>, String>>()?;
    if subjects.is_empty() { Err("choose a formulation".to_owned()) } else { Ok(subjects) }
}

/// Measures formulations of the Hex win on a position: one that comes with Ludolog, by its name, or a text.
///
/// # Errors
///
/// There is no such position, or the names are wrong.
pub(crate) fn hex(
    formulations: Vec<Subject>,
    name: &str,
    text: &str,
    chosen: &BenchChoice<'_>,
) -> Result<LongRun<BenchProgress>, String> {
    let entry = if text.is_empty() {
        let found = positions()?.into_iter().find(|one| one.name == name);
        found.ok_or_else(|| format!("there is no position `{name}`"))?
    } else {
        let source = Sources::new().add("position", text);
        let read = Position::parse(text, source);
        let position = read.map_err(|_| "this is no position of Hex".to_owned())?;
        NamedPosition { name: name.to_owned(), position }
    };
    let variants = chosen.variants()?;
    start(variants, move |variants, monitor| {
        let setup = MatrixSetup { entries: vec![entry], formulations, variants, sizes: Vec::new() };
        let none = || Err(Stopped::Unsupported("it runs in `ludolog bench hex`".to_owned()));
        hex::run(&setup, &|_, _, _, _| none(), monitor)
    })
}

fn start(
    mut variants: Variants,
    run: impl FnOnce(Variants, &mut Monitor<'_>) -> Report + Send + 'static,
) -> Result<LongRun<BenchProgress>, String> {
    LongRun::start(BenchProgress::default(), move |shared: &RunState<BenchProgress>| {
        variants.sampling.limits = variants.sampling.limits.with_interrupt(shared.stop.clone());
        let mut tell = |progress: RunProgress<'_>| {
            let mut told = shared.progress();
            told.done = progress.done;
            told.total = progress.total;
            told.step = progress.what.to_owned();
        };
        let mut rows = |row: &Record| shared.progress().rows.push(Value::Object(row.clone()));
        let mut monitor = Monitor::new(shared.stop.clone(), &mut tell).with_rows(&mut rows);
        let report = run(variants, &mut monitor);
        RunResult::Ok(json!({ "report": report.to_json(), "failures": report.failures().collect::<Vec<_>>() }))
    })
}
