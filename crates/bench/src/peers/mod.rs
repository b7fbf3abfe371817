//! Programs on other systems that are installed beside us, from the same rules and facts.
//!
//! Every system is a process of its own, Ludolog too: it reads the rules and all facts, derives, and prints what was
//! asked for. A program for another system is the translation of what the passes have made, with the facts in the text;
//! Ludolog gets the rules as written, and the passes by name. Ludolog and crates with crepe read the facts from tables.
//!
//! * `system`: how a system is found, and how it runs a program.

mod system;

pub use system::{PEERS, Peer};

use crate::datalog::GenericProgram;
use crate::fields;
use crate::matrix::{self, *};
use crate::measure;
use crate::monitor::Monitor;
use crate::process;
use crate::report::fields::*;
use crate::report::page::section;
use crate::report::{Benchmark, Fields, Record, Report, Terminal, TextCell, TextTable};
use crate::task::TaskResult;
use crate::workload::Workload;
use ludolog_compile::{Translatable, translate};
use ludolog_engine::{Case, Setting, Stopped, prepare};
use ludolog_logic::analysis::analyze;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate, Statement};
use ludolog_syntax::diagnostic::{Diagnostics, Sources, Span};
use ludolog_syntax::{Syntax, parse, print_atom, print_statement};
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use system::Written;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "peers",
    heading: "The same programs on other systems",
    lead: |_| {
        "Generic programs on Ludolog and on the systems that are installed beside it, from the same rules and facts: counts, times, \
         memory."
            .to_owned()
    },
    method: |_| {
        "Every system is a process of its own: what is timed is the whole way from files with rules and facts to the printed facts, \
         the start of the process and the printing included. Ludolog and crepe read the facts from tables, the others have them in the \
         text. A crate with crepe is built before. Times are medians of the samples that fit a small budget after a warm-up; memory is the \
         most that the process held. All systems have to derive as many facts."
            .to_owned()
    },
    text,
    sections,
};

fields! {
    SYSTEMS: "systems" List; // The other systems.
    SYSTEM: "system" Plain;
    VERSION: "version" Plain; // The version; none if the system is not installed.
    INSTALL: "install" Plain; // How it is installed.
}

/// The name of Ludolog among the systems.
const OWN: &str = "ludolog";

/// A program with its facts.
pub struct Task {
    name: String,
    data: String,
    program: StratifiedProgram,
    facts: Vec<Atom>,
    /// The predicates whose facts are counted.
    outputs: BTreeSet<Predicate>,
}

impl Task {
    /// A generic program with the facts that are made for it.
    ///
    /// # Errors
    ///
    /// The rules have errors.
    pub fn of_program(program: &GenericProgram) -> Result<Task, Diagnostics> {
        let (rules, counted) = program.rules();
        let mut sources = Sources::new();
        let source = sources.add("rules.dl", rules);
        let analyzed = parse(source, &sources, Syntax::Datalog).into_result().and_then(|program| analyze(&program))?;
        let (facts, data) = program.facts(&[]);
        let (program, name) = (analyzed.stratified, program.name.to_owned());
        Ok(Task { name, data, program, facts, outputs: BTreeSet::from([counted]) })
    }

    /// A workload of a folder; all facts of predicates with rules are counted.
    pub fn of_workload(workload: &Workload) -> Task {
        let is_asked = |predicate: &&Predicate| !predicate.is_auxiliary();
        Task {
            name: workload.name.clone(),
            data: "all facts".to_owned(),
            program: workload.program().clone(),
            facts: workload.facts(),
            outputs: workload.derived().iter().filter(is_asked).cloned().collect(),
        }
    }

    /// The rules as written, with the facts that have no place in a table, and the declaration of what is printed.
    fn text(&self) -> String {
        let program = &self.program.program;
        let rules = program.rules.iter().map(|rule| print_statement(&Statement::from(rule), Syntax::Datalog) + "\n");
        let untabled = self.facts.iter().filter(|fact| system::row(fact).is_none());
        let facts = program.facts.iter().chain(untabled).map(|fact| print_atom(fact, Syntax::Datalog) + ".\n");
        let name = |output: &Predicate| Atom { predicate: output.name.clone(), args: Vec::new(), span: Span::NONE };
        let outputs =
            self.outputs.iter().map(|output| format!(":- output({}).\n", print_atom(&name(output), Syntax::Datalog)));
        rules.chain(facts).chain(outputs).collect()
    }
}

/// A system that runs tasks.
#[derive(Clone, Copy)]
pub struct Installed {
    /// Another system with its command; `None` for Ludolog.
    peer: Option<(&'static Peer, &'static [&'static str])>,
}

impl Runner for Installed {
    fn name(self) -> &'static str {
        self.peer.map_or(OWN, |(peer, _)| peer.system.name())
    }
}

/// The programs to measure, in which ways.
pub struct Setup<'s> {
    /// The programs.
    pub tasks: Vec<Task>,
    /// The other systems, as far as they are installed.
    pub peers: Vec<&'static Peer>,
    /// The optimizations.
    pub optimizations: Vec<Optimization>,
    /// The limits and numbers of samples.
    pub sampling: measure::Sampling,
    /// The command of Ludolog.
    pub command: &'s Path,
    /// An empty folder for what the systems read and write.
    pub folder: &'s Path,
}

/// Runs the benchmark until its end or an interruption. A system that derives another number of facts than the first is
/// a failure.
pub fn run(setup: Setup<'_>, monitor: &mut Monitor<'_>) -> Report {
    let Setup { tasks, peers, optimizations, sampling, command, folder } = setup;
    let mut report = Report::new(&BENCHMARK, &[FAILURES, SYSTEMS, ROWS]);
    let mut engines = vec![Installed { peer: None }];
    for peer in peers {
        let found = peer.installed();
        let version = found.as_ref().map(|(_, version)| version.as_str());
        let system = Record::default().with(SYSTEM, peer.system.name()).with(VERSION, version);
        report.results.push(SYSTEMS, system.with(INSTALL, peer.install));
        engines.extend(found.map(|(command, _)| Installed { peer: Some((peer, command)) }));
    }
    let variants = Variants { engines, optimizations, sampling };
    monitor.expect(tasks.len() * variants.count());
    let report = report.measure(monitor, |report, monitor| {
        let mut number = 0;
        for task in &tasks {
            variants.compare(&task.name, &task.data, report, monitor, |system, optimization, row| {
                number += 1;
                let places =
                    Places { command, target: &folder.join("target"), folder: folder.join(number.to_string()) };
                measure_cell(task, system, optimization, &places, &variants.sampling, row)
            })?;
        }
        Ok(())
    });
    matrix::with_savings(report)
}

/// Where a cell runs.
struct Places<'p> {
    command: &'p Path,
    target: &'p Path,
    folder: PathBuf,
}

fn measure_cell(
    task: &Task,
    system: Installed,
    optimization: &Optimization,
    places: &Places<'_>,
    sampling: &measure::Sampling,
    row: &mut Record,
) -> Result<(), Stopped> {
    let Some((peer, command)) = system.peer else {
        system::write_files(&places.folder, [("program.dl", task.text().as_str())])?;
        let mut command = Command::new(places.command);
        command.current_dir(&places.folder).args(["facts", "program.dl", "--optimize", &optimization.to_string()]);
        let tabled = task.facts.iter().filter(|fact| system::row(fact).is_some());
        for table in system::write_tables(&places.folder, tabled)? {
            command.args(["--facts", &table]);
        }
        return sample(&mut command, sampling, row, |ended| {
            if ended.status.success() { Ok(system::lines(&ended.output)) } else { Err(system::failure(ended)) }
        });
    };
    let setting = Setting { optimization: optimization.clone(), ..Setting::default() };
    let case = Case::of_facts(task.facts.clone());
    let budget = sampling.optimizer_budget();
    let (took, prepared) = measure::time(|| prepare(&task.program, &case, None, &setting, &budget));
    let stratified = prepared?.optimized.program.stratified;
    row.set(OPTIMIZE, took.as_nanos() as u64);
    let program = Translatable::new(&stratified, task.facts.clone(), task.outputs.clone()).with_files();
    let translation = translate(&program, peer.system).map_err(|refused| {
        let reason = refused.iter().next().map_or("", |diagnostic| &diagnostic.message);
        Stopped::Unsupported(reason.to_owned())
    })?;
    let folder = places.folder.as_path();
    let target = places.target;
    let written = Written { folder, target, translation: &translation, outputs: &task.outputs, facts: &task.facts };
    let (build, command) = measure::time(|| peer.command(command, &written, sampling));
    row.set(LOAD, build.as_nanos() as u64);
    sample(&mut command?, sampling, row, |ended| peer.count(ended, &written))
}

/// Samples a process, and enters its times, memory and count.
fn sample(
    command: &mut Command,
    sampling: &measure::Sampling,
    row: &mut Record,
    count: impl Fn(&process::Ended) -> Result<u64, Stopped>,
) -> Result<(), Stopped> {
    let (spread, run) = measure::measure(sampling, || {
        let ended = process::run(command, b"", sampling.limit, sampling)?;
        let tuples = Some(count(&ended)?);
        Ok((ended.took, TaskResult { tuples, bytes: ended.peak_bytes, ..TaskResult::default() }))
    })?;
    matrix::enter(row, spread, &run);
    Ok(())
}

fn text(report: &Report, terminal: Terminal) -> String {
    let mut text = table(report).to_text(terminal);
    for system in report.results.records(SYSTEMS).filter(|system| !system.has(VERSION)) {
        _ = writeln!(text, "not installed: {} ({})", system.text(SYSTEM), system.text(INSTALL));
    }
    let stopped = report.results.records(ROWS).filter(|row| row.has(REASON));
    for row in stopped {
        _ = writeln!(text, "{}: {}", matrix::variant(row), row.text(REASON));
    }
    text
}

/// Bytes in a megabyte.
const MEGABYTE: f64 = 1e6;

fn table(report: &Report) -> TextTable {
    let mut table = TextTable::new(["program", "optimization", "system", "facts", "time", "memory"]);
    for row in report.results.records(ROWS) {
        let names = [FORMULATION, OPTIMIZATION, ENGINE].map(|field| TextCell::from(row.text(field)));
        let memory = row.number(BYTES).map_or("–".to_owned(), |bytes| format!("{:.1} MB", bytes / MEGABYTE));
        let figures = [row.told_or_dash(TUPLES), row.told_or_dash(MEDIAN), memory].map(TextCell::right);
        table.push(names.into_iter().chain(figures));
    }
    table
}

fn sections(report: &Report) -> Markup {
    let mut systems = TextTable::new(["system", "version", "to install it"]);
    for system in report.results.records(SYSTEMS) {
        systems.push([SYSTEM, VERSION, INSTALL].map(|field| TextCell::from(system.told_or_dash(field))));
    }
    html! {
        (section(
            "Facts, time, memory",
            &html! { "How to read: a row is a program on a system. Memory is the most that the process held. A dash has no figure." },
            &table(report).to_html(),
        ))
        (matrix::sections(report))
        (section("The systems", &html! { "A system without a version is not installed." }, &systems.to_html()))
    }
}
