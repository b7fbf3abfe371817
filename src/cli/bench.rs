//! `ludolog bench`: the cost of each formulation, on every engine, with and without the optimizer; and of playing games.

mod formulations;
mod ggp;
mod players;
mod positional;

use super::case::explain;
use super::output::TableFormat;
use super::{FILES, Failure, Outcome, case, file, has_color, interrupt, limits, print, print_styled, show};
use crate::cli::choice::choice;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use ludolog::bench::environment::Environment;
use ludolog::bench::measure::{Sampling, Spread, measure, time};
use ludolog::bench::monitor::{Monitor, Progress};
use ludolog::bench::report::table::{self, Terminal};
use ludolog::bench::report::{PAGE, Report, csv, html};
use ludolog::bench::subject::Subject;
use ludolog::bench::task::Run;
use ludolog::bench::{corpus, datalog, hex, workload};
use ludolog::diagnostic::{Diagnostics, Sources};
use ludolog::engine::{Budget, EngineDescription, SEMI_NAIVE, Stopped};
use ludolog::formulation::{self, ENGINES, Formulation};
use ludolog::hex::position::Position;
use ludolog::optimize::{Closures, Optimization};
use ludolog::syntax::{FactFile, Syntax};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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
    Hex(HexArgs),
    /// Generic recursive programs: tuples a second, bytes a tuple; or the workloads of a folder: `auto` against the best by hand
    ///
    /// A workload is a folder with a program and its tables, as in closure/closure.dl and closure/edge.tsv, and perhaps
    /// goals.txt with a goal a line, asked besides deriving everything. What is timed is the whole way from tables in memory
    /// to the answer. Exit status 1 when variants derive or answer differently, 130 when interrupted.
    Datalog(DatalogArgs),
    /// Tree search against itself without one ingredient: who wins at equal time?
    ///
    /// Time is that of the processor, so that what else the machine does has no part in it. Exit status 130 when interrupted.
    Players(players::PlayersArgs),
    /// Games by their rulesheets: random playouts a CPU-second, by the rules and by nets
    ///
    /// For each game the rates of all reasoners on one thread, beside published ones of other systems, with the sizes of its
    /// net. A net plays with free lanes, in step, and in step with lanes refilled, as `game playouts` does; lanes are busy in
    /// the rounds in which they make a move, and the share is that of the fastest. Exit status 2 when a rulesheet cannot be played, 130 when interrupted.
    Ggp(ggp::GgpArgs),
    /// Positional games: nodes and time of a search, with nothing, pairings and matching sets as cut-offs
    ///
    /// Exit status: 0, 1 when searches disagree about who wins, 130 when interrupted.
    Positional(positional::PositionalArgs),
    /// Hex in several wordings of its rules: what does the wording do to a general game player?
    ///
    /// Plays all wordings in lockstep, then at random by every reasoner and optimization, then matches at equal clock between the
    /// same player on two wordings, and with and without the optimizer. The first paragraph of the output is the answer. Exit status
    /// 1 when a wording turns out to be another game, 130 when interrupted.
    Formulations(formulations::FormulationsArgs),
    /// One compiled formulation on a position from standard input, as JSON
    #[command(hide = true)]
    Compiled(CompiledArgs),
}

#[derive(Args)]
struct HexArgs {
    /// Position files, or directories of them, as std:positions; without it a selection of those, and growth with the board
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    positions: Vec<PathBuf>,
    /// Only these formulations: shipped ones by name, and rule files of your own that derive win(P)
    #[arg(long, value_name = "NAME|FILE", num_args = 1..)]
    formulation: Vec<String>,
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
    program: Vec<&'static datalog::Program>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct CompiledArgs {
    formulation: &'static Formulation,
    optimization: Optimization,
    /// Sample, instead of running once
    #[arg(long)]
    sample: bool,
    #[arg(long, value_parser = humantime::parse_duration)]
    limit: Duration,
    #[arg(long, value_parser = humantime::parse_duration)]
    budget: Duration,
    #[arg(long)]
    samples: usize,
}

#[derive(Args)]
struct Common {
    /// Less of everything: some 20 seconds
    #[arg(long)]
    quick: bool,
    /// The longest one run may take, as in 500ms, 5s or 15m [default: 5s; quick: 250ms]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    limit: Option<Duration>,
    /// The most samples of a cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Only these engines
    #[arg(long, value_parser = choice::<&'static EngineDescription>(), value_name = "NAME", num_args = 1..)]
    engine: Vec<&'static EngineDescription>,
    /// Only these optimizations: none, grounding, reordering, both, auto, or passes joined by commas
    #[arg(long, value_name = "NAME", num_args = 1..)]
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
    /// Where to write report.json, report.csv and report.html
    #[arg(long, value_name = "DIR", default_value = DIRECTORY)]
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

/// The default directory of reports.
const DIRECTORY: &str = "ludolog-report";

/// Runs a benchmark.
pub fn run(args: BenchArgs) -> Result<Outcome, Failure> {
    match args.command {
        BenchCommand::Hex(args) => run_hex(&args),
        BenchCommand::Datalog(args) => run_datalog(&args),
        BenchCommand::Players(args) => players::run(&args),
        BenchCommand::Ggp(args) => ggp::run(&args),
        BenchCommand::Positional(args) => positional::run(&args),
        BenchCommand::Formulations(args) => formulations::run(&args),
        BenchCommand::Compiled(args) => run_compiled(&args),
    }
}

fn run_hex(args: &HexArgs) -> Result<Outcome, Failure> {
    let common = &args.common;
    let mut sources = Sources::new();
    let read = if args.positions.is_empty() {
        corpus::read(&FILES, &[corpus::STANDARD.into()], &mut sources)
            .map(|entries| hex::selection(entries, common.quick))
    } else {
        corpus::read(&FILES, &args.positions, &mut sources)
    };
    let entries = read.map_err(|diagnostics| failure(sources.clone(), diagnostics))?;
    let sampling = common.sampling();
    let setup = hex::Setup {
        entries,
        formulations: subjects(&args.formulation, &mut sources)?,
        engines: or_all(&common.engine, ENGINES.into_iter()),
        optimizations: or_all(&common.optimization, Optimization::NAMED.into_iter()),
        sizes: if args.positions.is_empty() { hex::sizes(common.quick) } else { Vec::new() },
        sampling: sampling.clone(),
    };
    let compiled = |formulation: &Formulation, optimization: &Optimization, position: &Position, sample: bool| {
        in_child(formulation, optimization, position, sample, &sampling)
    };
    if common.quick {
        anstream::eprintln!(
            "Who has won this position of Hex? The question is asked in {} wordings, as\n\
             written and as optimized, on {} engines. This takes some 20 seconds.\n",
            setup.formulations.len(),
            setup.engines.len()
        );
    }
    common.report(|monitor| hex::run(&setup, &compiled, Environment::current(), monitor))
}

fn run_workloads(folder: &Path, common: &Common) -> Result<Outcome, Failure> {
    let sampling = common.sampling();
    let mut setup = workload::Setup {
        workloads: workload::read(&FILES, folder, &limits::budget())?,
        engines: or_all(&common.engine, [&SEMI_NAIVE].into_iter()),
        optimizations: or_all(&common.optimization, Optimization::NAMED.into_iter()),
        sampling: sampling.clone(),
    };
    common.report(|monitor| workload::run(&mut setup, Environment::current(), monitor))
}

fn run_datalog(args: &DatalogArgs) -> Result<Outcome, Failure> {
    let common = &args.common;
    if let Some(folder) = &args.workloads {
        return run_workloads(folder, common);
    }
    let mut sources = Sources::new();
    let sampling = common.sampling();
    let facts = ludolog::syntax::load_facts(&FILES, &args.facts, None, &mut sources, &limits::budget())
        .map_err(|stopped| explain(&stopped))?
        .map_err(|errors| failure(sources, errors))?
        .into_atoms();
    let closure = Optimization::Passes(vec![&Closures]);
    let optimizations = [Optimization::None, Optimization::Reordering, closure, Optimization::Auto];
    let setup = datalog::Setup {
        programs: or_all(&args.program, datalog::PROGRAMS.iter()),
        engines: or_all(&common.engine, [&SEMI_NAIVE].into_iter()),
        optimizations: or_all(&common.optimization, optimizations.into_iter()),
        sampling: sampling.clone(),
        facts,
    };
    common.report(|monitor| datalog::run(&setup, Environment::current(), monitor))
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
        let report = watched(self.verbose, interrupt::flag(), run);
        let json = report.to_json();
        let rows = csv::to_csv(&report.rows);
        let page = self.output.join(PAGE);
        for (name, text) in [("report.json", &json), ("report.csv", &rows), (PAGE, &html::to_html(&report))] {
            file::update(&self.output.join(name), text.as_bytes())?;
        }
        match self.format {
            TableFormat::Text => {
                let terminal = Terminal { color: has_color(), width: super::table::width() };
                let text = if self.all { table::to_text(&report, terminal) } else { table::summary(&report, terminal) };
                let rest = if self.all { "" } else { "; every table: --all" };
                print_styled(&format!("{text}The report with plots: {}{rest}\n", page.display()))?;
            }
            TableFormat::Json => print(&json)?,
            TableFormat::Csv => print(&rows)?,
        }
        let red = anstyle::AnsiColor::Red.on_default().bold();
        for failure in &report.failures {
            anstream::eprintln!("{red}wrong answer: {failure}{red:#}");
        }
        if report.interrupted {
            anstream::eprintln!("{} has what was measured until then", self.output.display());
            return Ok(Outcome::Interrupted);
        }
        Ok(if report.failures.is_empty() { Outcome::Success } else { Outcome::Negative })
    }
}

/// Makes the directory of a page before a run, and checks that no file there is lost, so that a run does not fail at its end.
pub fn make_room(page: Option<&Path>) -> Result<(), Failure> {
    page.map_or(Ok(()), file::check_kept)?;
    match page.and_then(Path::parent).filter(|path| *path != Path::new("")) {
        Some(directory) => file::create_directory(directory),
        None => Ok(()),
    }
}

/// Runs a benchmark under a progress bar, or with a line on standard error for each step.
fn watched<T>(verbose: bool, interrupted: Arc<AtomicBool>, run: impl FnOnce(&mut Monitor<'_>) -> T) -> T {
    let bar = if std::io::stderr().is_terminal() && !verbose { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}");
    bar.set_style(style.expect("the template is well formed"));
    let mut tell = |progress: Progress<'_>| {
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

/// Most time for a child process to start.
const STARTUP: Duration = Duration::from_secs(1);

/// Time between two looks at a child process: short against any time limit.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Runs a compiled formulation in a separate process, since nothing else can stop it at the limit.
fn in_child(
    formulation: &Formulation,
    optimization: &Optimization,
    position: &Position,
    sample: bool,
    sampling: &Sampling,
) -> Result<(Spread, Run), Stopped> {
    let failed = |error: std::io::Error| Stopped::Unsupported(format!("cannot run a process for it: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(["bench", "compiled", formulation.name, &optimization.to_string()]);
    command.args(["--limit", &humantime::format_duration(sampling.limit).to_string()]);
    command.args(["--budget", &humantime::format_duration(sampling.budget).to_string()]);
    command.args(["--samples", &sampling.max_samples.to_string()]);
    if sample {
        command.arg("--sample");
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
    // The child reports the time of the run itself, which excludes starting the process.
    let runs = if sample { sampling.min_samples as u32 + 1 } else { 1 };
    let patience = sampling.limit * runs + sampling.budget + STARTUP;
    if let Some(mut stdin) = child.stdin.take() {
        // The loop below notices a child that ended early.
        _ = stdin.write_all(position.to_string().as_bytes());
    }
    let start = Instant::now();
    loop {
        if child.try_wait().map_err(failed)?.is_some() {
            break;
        }
        let stopped = match (sampling.is_interrupted(), start.elapsed() > patience) {
            (true, _) => Some(Stopped::Interrupted),
            (_, true) => Some(Stopped::Timeout(sampling.limit)),
            _ => None,
        };
        if let Some(stopped) = stopped {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Err(stopped);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let output = child.wait_with_output().map_err(failed)?;
    let told: Result<Told, _> = serde_json::from_slice(&output.stdout);
    match told {
        Ok(Told::Finished(spread, _)) if spread.min_ns > sampling.limit.as_nanos() as u64 => {
            Err(Stopped::Timeout(sampling.limit))
        }
        Ok(Told::Finished(spread, run)) => Ok((spread, run)),
        Ok(Told::TooSlow) => Err(Stopped::Timeout(sampling.limit)),
        Ok(Told::Unsupported(reason)) => Err(Stopped::Unsupported(reason)),
        Err(_) if sampling.is_interrupted() => Err(Stopped::Interrupted),
        Err(_) => Err(Stopped::Unsupported(format!("its process ended with {}", output.status))),
    }
}

/// The result that a child process prints for its parent.
#[derive(serde::Serialize, serde::Deserialize)]
enum Told {
    Finished(Spread, Run),
    TooSlow,
    Unsupported(String),
}

fn run_compiled(args: &CompiledArgs) -> Result<Outcome, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure::Message(format!("cannot read standard input: {error}")))?;
    let mut sources = Sources::new();
    let source = sources.add("standard input", text.as_str());
    let position = Position::parse(&text, source).map_err(|errors| failure(sources, errors))?;
    let told = match compiled(args, &position) {
        Ok((spread, run)) => Told::Finished(spread, run),
        Err(Stopped::Timeout(_)) => Told::TooSlow,
        Err(stopped) => Told::Unsupported(stopped.to_string()),
    };
    let json = serde_json::to_string(&told).map_err(|error| Failure::Message(error.to_string()))?;
    print(&format!("{json}\n"))?;
    Ok(Outcome::Success)
}

fn compiled(args: &CompiledArgs, position: &Position) -> Result<(Spread, Run), Stopped> {
    let unsupported = |reason: &str| Stopped::Unsupported(reason.to_string());
    let compiled = args.formulation.compiled.as_ref().ok_or_else(|| unsupported("not written for crepe"))?;
    let (grounding, reordering) = match args.optimization {
        Optimization::None => (false, false),
        Optimization::Grounding => (true, false),
        Optimization::Reordering => (false, true),
        Optimization::Both => (true, true),
        _ => return Err(unsupported("crepe runs what it was given to compile")),
    };
    let run = compiled.prepare(grounding, reordering, position);
    let run = run.ok_or_else(|| unsupported("not compiled for boards of this size"))?;
    let run = || {
        let (took, winners) = time(&run);
        Ok((took, Run { answer: Some(!winners.is_empty()), ..Run::default() }))
    };
    let mut sampling = Sampling { budget: args.budget, ..Sampling::new(args.limit) };
    sampling.max_samples = args.samples;
    sampling.min_samples = sampling.min_samples.min(args.samples);
    if args.sample { measure(&sampling, run) } else { run().map(|(took, run)| (Spread::of(vec![took]), run)) }
}
