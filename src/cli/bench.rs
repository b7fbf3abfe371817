//! `ludolog bench`: the cost of each formulation, on every engine, with and without the optimizer; and of playing
//! games.

mod ablation;
mod compiled;
mod formulations;
mod ggp;
mod peers;
mod players;
mod positional;

use super::case::{duration, explain};
use super::output::{Format, TableFormat};
use super::{FILES, Failure, Outcome, case, file, has_color, interrupt, limits, print, print_styled, show};
use crate::cli::choice::choice;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use ludolog::bench::matrix::{self, Variants};
use ludolog::bench::measure::Sampling;
use ludolog::bench::monitor::{Monitor, RunProgress};
use ludolog::bench::report::{PAGE, Report, Terminal};
use ludolog::bench::subject::Subject;
use ludolog::bench::{corpus, datalog, hex, workload};
use ludolog::diagnostic::{Diagnostics, Sources};
use ludolog::engine::{Budget, ENGINES, EngineDescription, SEMI_NAIVE};
use ludolog::formulation::{self, CREPE, Formulation};
use ludolog::hex::position::Position;
use ludolog::optimize::{Closures, Optimization};
use ludolog::syntax::{FactFile, Syntax};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Who has won a Hex position? All wordings, optimizations and engines
    ///
    /// Prints the founding paper's two tables and a line on each further finding, or with --all every table; writes
    /// everything as JSON, CSV and one page with plots. Tables fit the terminal; elsewhere they take the width they
    /// need. Exit status 1 when a variant gives a wrong answer, 130 when interrupted.
    Hex(BenchHexArgs),
    /// Generic recursive programs: tuples a second, bytes a tuple; or the workloads of a folder: `auto` against the
    /// best by hand
    ///
    /// A workload is a folder with a program and its tables, as in closure/closure.dl and closure/edge.tsv, and perhaps
    /// goals.txt with a goal a line, asked besides deriving everything. What is timed is the whole way from tables in
    /// memory to the answer. Exit status 1 when variants derive or answer differently, 130 when interrupted.
    Datalog(DatalogArgs),
    /// The same programs on Soufflé, clingo, SWI-Prolog and crepe, as far as they are installed: facts, times, memory
    ///
    /// Every system is a process that reads the rules and all facts, as `compile` prints them, and prints what it
    /// derives; Ludolog is one too. Those that are not installed are told, with how to install them. Exit status 1 when
    /// a system derives another number of facts, 130 when interrupted.
    Peers(peers::PeersArgs),
    /// Tree search against itself without one ingredient: who wins at equal time?
    ///
    /// Time is that of the processor, so that what else the machine does has no part in it. Exit status 130 when
    /// interrupted.
    Players(players::PlayersArgs),
    /// Games by their rulesheets: random playouts a CPU-second, by the rules and by nets
    ///
    /// For each game the rates of all reasoners on one thread, beside published ones of other systems, with the sizes
    /// of its net. A net plays with free lanes, in step, and in step with lanes refilled, as `game playouts` does;
    /// lanes are busy in the rounds in which they make a move, and the share is that of the fastest. Exit status 2 when
    /// a rulesheet cannot be played, 130 when interrupted.
    Ggp(ggp::GgpArgs),
    /// Positional games: nodes and time of a search, with nothing, pairings and matching sets as cut-offs
    ///
    /// Exit status: 0, 1 when searches disagree about who wins, 130 when interrupted.
    Positional(positional::BenchPositionalArgs),
    /// The semi-naive engine with each of its heuristics left out: what does it gain?
    ///
    /// Exit status: 0, 1 when something else is derived without a heuristic, 130 when interrupted.
    Ablation(ablation::AblationArgs),
    /// Hex in several wordings of its rules: what does the wording do to a general game player?
    ///
    /// Plays all wordings in lockstep, then at random by every reasoner and optimization, then matches at equal clock
    /// between the same player on two wordings, and with and without the optimizer. The first paragraph of the output
    /// is the answer. Exit status 1 when a wording turns out to be another game, 130 when interrupted.
    Formulations(formulations::FormulationsArgs),
    /// One compiled formulation on a position from standard input, as JSON
    #[command(hide = true)]
    Compiled(compiled::CompiledArgs),
}

#[derive(Args)]
struct BenchHexArgs {
    /// Position files, or directories of them, as std:positions; without it a selection of those, and growth with the
    /// board
    #[arg(long = "position", value_name = "FILE|DIR", num_args = 1..)]
    positions: Vec<PathBuf>,
    /// Only these formulations: shipped ones by name, and rule files of your own that derive win(P)
    #[arg(long, value_name = "NAME|FILE", num_args = 1..)]
    formulation: Vec<String>,
    #[command(flatten)]
    engines: Engines,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct DatalogArgs {
    /// A folder with a workload, or of such folders, instead of the programs made here
    #[arg(value_name = "DIR", conflicts_with_all = ["facts", "program"])]
    workloads: Option<PathBuf>,
    /// Facts instead of the made ones: `edge.tsv` for the closure, `parent.tsv` for same generation
    #[arg(long, value_name = "FILE", num_args = 1..)]
    facts: Vec<FactFile>,
    /// Only these programs
    #[arg(long, value_name = "NAME", num_args = 1..)]
    program: Vec<&'static datalog::GenericProgram>,
    #[command(flatten)]
    engines: Engines,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Engines {
    /// Only these engines
    #[arg(long, value_parser = choice::<&'static EngineDescription>(), value_name = "NAME", num_args = 1..)]
    engine: Vec<&'static EngineDescription>,
}

#[derive(Args)]
struct Common {
    /// Less of everything: some 20 seconds
    #[arg(long)]
    quick: bool,
    /// The longest one run may take (seconds, or as in 500ms, 5s) [default: 5s; quick: 250ms]
    #[arg(long = "timeout", value_name = "T", value_parser = duration)]
    limit: Option<Duration>,
    /// The most samples of a cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Only these optimizations: none, grounding, reordering, both, auto, or passes joined by commas
    #[arg(long = "optimize", value_name = "NAME", num_args = 1..)]
    optimization: Vec<Optimization>,
    /// Name each step on standard error, a line each, instead of the progress bar
    #[arg(long)]
    verbose: bool,
    /// Print every table, not only the most telling ones
    #[arg(long)]
    all: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// Where to write report.json, report.csv and report.html; those of an earlier benchmark are replaced
    #[arg(short, long, value_name = "DIR", default_value = DIRECTORY)]
    output: PathBuf,
}

/// Default time limit of a run: the default benchmark then takes some minutes.
const LIMIT: Duration = Duration::from_secs(5);

/// Default time limit of a run of the quick benchmark, which takes some 20 seconds.
const QUICK_LIMIT: Duration = Duration::from_millis(250);

/// An optimization of the quick benchmark may take so many times the limit of a run.
const QUICK_OPTIMIZER_LIMIT: u32 = 2;

/// Time for the samples of a cell of the quick benchmark.
const QUICK_BUDGET: Duration = Duration::from_millis(20);

/// The names of the files of a report beside its page: all of it, and its rows.
const DATA: &str = "report.json";
const ROWS: &str = "report.csv";

/// The default directory of reports.
const DIRECTORY: &str = "ludolog-report";

/// Runs a benchmark.
pub fn run(args: BenchArgs) -> Result<Outcome, Failure> {
    match args.command {
        BenchCommand::Hex(args) => run_hex(&args),
        BenchCommand::Datalog(args) => run_datalog(&args),
        BenchCommand::Ablation(args) => ablation::run(&args),
        BenchCommand::Peers(args) => peers::run(&args),
        BenchCommand::Players(args) => players::run(&args),
        BenchCommand::Ggp(args) => ggp::run(&args),
        BenchCommand::Positional(args) => positional::run(&args),
        BenchCommand::Formulations(args) => formulations::run(&args),
        BenchCommand::Compiled(args) => compiled::run(&args),
    }
}

fn run_hex(args: &BenchHexArgs) -> Result<Outcome, Failure> {
    let common = &args.common;
    let mut sources = Sources::new();
    let read = if args.positions.is_empty() {
        corpus::read(&FILES, &[corpus::STANDARD.into()], &mut sources)
            .map(|entries| hex::selection(entries, common.quick))
    } else {
        corpus::read(&FILES, &args.positions, &mut sources)
    };
    let entries = read.map_err(|diagnostics| failure(sources.clone(), diagnostics))?;
    let setup = hex::MatrixSetup {
        entries,
        formulations: subjects(&args.formulation, &mut sources)?,
        variants: common.variants(
            or_all(&args.engines.engine, ENGINES.into_iter().chain([&CREPE])),
            Optimization::NAMED.into_iter(),
        ),
        sizes: if args.positions.is_empty() { hex::sizes(common.quick) } else { Vec::new() },
    };
    let compiled = |formulation: &Formulation, optimization: &Optimization, position: &Position, sample: bool| {
        compiled::in_child(formulation, optimization, position, sample, &setup.variants.sampling)
    };
    if common.quick {
        anstream::eprintln!(
            "Who has won this position of Hex? The question is asked in {} wordings, as\n\
             written and as optimized, on {} engines. This takes some 20 seconds.\n",
            setup.formulations.len(),
            setup.variants.engines.len()
        );
    }
    common.report(|monitor| hex::run(&setup, &compiled, monitor))
}

fn run_workloads(folder: &Path, engines: Vec<&'static EngineDescription>, common: &Common) -> Result<Outcome, Failure> {
    let mut workloads = workload::read(&FILES, folder, &limits::budget())?;
    let variants = common.variants(engines, Optimization::NAMED.into_iter());
    common.report(|monitor| workload::run(&mut workloads, &variants, monitor))
}

fn run_datalog(args: &DatalogArgs) -> Result<Outcome, Failure> {
    let common = &args.common;
    if let Some(folder) = &args.workloads {
        return run_workloads(folder, or_all(&args.engines.engine, [&SEMI_NAIVE].into_iter()), common);
    }
    let mut sources = Sources::new();
    let facts = ludolog::syntax::load_facts(&FILES, &args.facts, None, None, &mut sources, &limits::budget())
        .map_err(|stopped| explain(&stopped))?
        .map_err(|errors| failure(sources, errors))?
        .into_atoms();
    let closure = Optimization::Passes(vec![&Closures]);
    let optimizations = [Optimization::None, Optimization::Reordering, closure, Optimization::Auto];
    let programs = or_all(&args.program, datalog::PROGRAMS.iter());
    let variants = common.variants(or_all(&args.engines.engine, [&SEMI_NAIVE].into_iter()), optimizations.into_iter());
    common.report(|monitor| datalog::run(&programs, &facts, &variants, monitor))
}

/// The formulations that the user names, or all shipped ones. What is no name of one is a rule file.
fn subjects(chosen: &[String], sources: &mut Sources) -> Result<Vec<Subject>, Failure> {
    if chosen.is_empty() {
        return Ok(formulation::ALL.iter().map(Subject::Shipped).collect());
    }
    let mut subjects: Vec<Subject> = Vec::new();
    for text in chosen {
        let subject = match text.parse() {
            Ok(formulation) => Subject::Shipped(formulation),
            Err(unknown) if Syntax::of(Path::new(text)).is_none() => {
                return Err(Failure::Message(format!(
                    "there is no formulation `{text}`; {unknown}; for one of your own, name its rule file (.dl, .kif)"
                )));
            }
            Err(_) => own(text, sources)?,
        };
        if subjects.iter().any(|other| other.name() == subject.name()) {
            return Err(Failure::Message(format!("two formulations have the name `{}`", subject.name())));
        }
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The formulation of the user in a rule file. It has the name of the file.
fn own(file: &str, sources: &mut Sources) -> Result<Subject, Failure> {
    let read = case::read(&[file], None, sources, &Budget::unlimited()).map_err(|stopped| case::explain(&stopped))?;
    let analyzed = read.map_err(|wrong| failure(sources.clone(), wrong))?;
    show(sources, &analyzed.warnings_given(&formulation::position_predicates()));
    let name = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
    Subject::own(&name, analyzed.stratified).map_err(|wrong| failure(sources.clone(), wrong))
}

fn or_all<T: Clone>(chosen: &[T], all: impl Iterator<Item = T>) -> Vec<T> {
    if chosen.is_empty() { all.collect() } else { chosen.to_vec() }
}

fn failure(sources: Sources, diagnostics: Diagnostics) -> Failure {
    Failure::Diagnostics(Box::new(sources), diagnostics)
}

impl Common {
    /// These engines, the optimizations that the user names, or else these, and the sampling.
    fn variants(
        &self,
        engines: Vec<&'static EngineDescription>,
        optimizations: impl Iterator<Item = Optimization>,
    ) -> Variants {
        Variants { engines, optimizations: or_all(&self.optimization, optimizations), sampling: self.sampling() }
    }

    fn sampling(&self) -> Sampling {
        let default = if self.quick { QUICK_LIMIT } else { LIMIT };
        let mut sampling = Sampling::new(self.limit.unwrap_or(default));
        sampling.limits = limits::budget();
        if self.quick {
            sampling.budget = QUICK_BUDGET.min(sampling.limit);
            sampling.optimizer_limit = sampling.limit * QUICK_OPTIMIZER_LIMIT;
        }
        if let Some(samples) = self.samples {
            sampling.max_samples = samples as usize;
            sampling.min_samples = sampling.min_samples.min(sampling.max_samples);
        }
        sampling
    }

    /// Runs a benchmark under a progress bar, until its end or Ctrl-C. Writes and prints the report in either case.
    fn report(&self, run: impl FnOnce(&mut Monitor<'_>) -> Report) -> Result<Outcome, Failure> {
        // Fail before the run, not after it, if the directory cannot be written.
        file::create_directory(&self.output)?;
        if !is_report(&self.output.join(DATA)) {
            [DATA, ROWS, PAGE].iter().try_for_each(|name| file::check_kept(&self.output.join(name)))?;
        }
        let report = watched(self.verbose, interrupt::flag(), run);
        let json = report.to_json();
        let rows = matrix::to_csv(&report);
        let page = self.output.join(PAGE);
        for (name, text) in [(DATA, &json), (ROWS, &rows), (PAGE, &report.to_html())] {
            file::update(&self.output.join(name), text.as_bytes())?;
        }
        match self.format {
            TableFormat::Text => {
                let terminal = Terminal { color: has_color(), ..terminal() };
                let text = if self.all { matrix::to_text(&report, terminal) } else { report.to_text(terminal) };
                let rest = if self.all { "" } else { "; every table: --all" };
                print_styled(&format!("{text}The report with plots: {}{rest}\n", page.display()))?;
            }
            TableFormat::Json => print(&json)?,
            TableFormat::Csv => print(&rows)?,
        }
        let red = anstyle::AnsiColor::Red.on_default().bold();
        for failure in report.failures() {
            anstream::eprintln!("{red}wrong answer: {failure}{red:#}");
        }
        if report.interrupted {
            anstream::eprintln!("{} has what was measured until then", self.output.display());
        }
        Ok(outcome(&report, Outcome::Negative))
    }
}

/// Whether a file is the data of a report of a benchmark, which the next one replaces with what lies beside it.
fn is_report(path: &Path) -> bool {
    // A device may have no end.
    let content = path.is_file().then(|| std::fs::read(path).ok()).flatten();
    let data = content.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    data.is_some_and(|data| data["benchmark"].is_string() && data["environment"]["ludolog"].is_string())
}

/// Makes the directory of a page before a run, and checks that no file there is lost, so that a run does not fail at
/// its end.
pub fn make_room(page: Option<&Path>) -> Result<(), Failure> {
    page.map_or(Ok(()), file::check_kept)?;
    match page.and_then(Path::parent).filter(|path| *path != Path::new("")) {
        Some(directory) => file::create_directory(directory),
        None => Ok(()),
    }
}

/// How a benchmark is told.
#[derive(Args)]
struct Output {
    /// Name each step on standard error, a line each, instead of the progress bar
    #[arg(long)]
    verbose: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a page with plots or pictures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Output {
    fn make_room(&self) -> Result<(), Failure> {
        make_room(self.html.as_deref())
    }

    /// Runs a benchmark until its end or Ctrl-C, and tells what was measured in either case. One that has failed has
    /// the outcome `failed`.
    fn report(
        &self,
        failed: Outcome,
        run: impl FnOnce(&mut Monitor<'_>) -> Report,
    ) -> Result<(Report, Outcome), Failure> {
        let report = watched(self.verbose, interrupt::flag(), run);
        if let Some(path) = &self.html {
            file::write(path, report.to_html().as_bytes())?;
        }
        match self.format {
            Format::Json => print(&report.to_json())?,
            Format::Text => print(&report.to_text(Terminal { gap: 2, ..terminal() }))?,
        }
        let outcome = outcome(&report, failed);
        Ok((report, outcome))
    }
}

fn terminal() -> Terminal {
    Terminal { width: super::table::width(), ..Terminal::default() }
}

fn outcome(report: &Report, failed: Outcome) -> Outcome {
    match (report.interrupted, report.has_failed) {
        (true, _) => Outcome::Interrupted,
        (false, true) => failed,
        (false, false) => Outcome::Success,
    }
}

/// Runs a benchmark under a progress bar, or with a line on standard error for each step.
fn watched<T>(verbose: bool, interrupted: Arc<AtomicBool>, run: impl FnOnce(&mut Monitor<'_>) -> T) -> T {
    let bar = if std::io::stderr().is_terminal() && !verbose { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}");
    bar.set_style(style.expect("the template is well formed"));
    let mut tell = |progress: RunProgress<'_>| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.what.to_owned());
        if verbose {
            anstream::eprintln!("{}/{} {}", progress.done, progress.total, progress.what);
        }
    };
    let result = run(&mut Monitor::new(interrupted, &mut tell));
    bar.finish_and_clear();
    result
}
