//! A compiled formulation in a process of its own, since nothing else can stop it at the limit.

use super::failure;
use crate::cli::case::duration;
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::bench::measure::{Sampling, Spread, measure, time};
use ludolog::bench::process;
use ludolog::bench::task::TaskResult;
use ludolog::diagnostic::Sources;
use ludolog::engine::Stopped;
use ludolog::formulation::Formulation;
use ludolog::hex::position::Position;
use ludolog::optimize::Optimization;
use std::io::Read;
use std::process::Command;
use std::time::Duration;

#[derive(Args)]
pub struct CompiledArgs {
    formulation: &'static Formulation,
    optimization: Optimization,
    /// Sample, instead of running once
    #[arg(long)]
    sample: bool,
    #[arg(long, value_parser = duration)]
    limit: Duration,
    #[arg(long, value_parser = duration)]
    budget: Duration,
    #[arg(long)]
    samples: usize,
}

/// Most time for a child process to start.
const STARTUP: Duration = Duration::from_secs(1);

/// Runs a compiled formulation in a separate process, since nothing else can stop it at the limit.
pub fn in_child(
    formulation: &Formulation,
    optimization: &Optimization,
    position: &Position,
    sample: bool,
    sampling: &Sampling,
) -> Result<(Spread, TaskResult), Stopped> {
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
    // The child reports the time of the run itself, which excludes starting the process.
    let runs = if sample { sampling.min_samples as u32 + 1 } else { 1 };
    let patience = sampling.limit * runs + sampling.budget + STARTUP;
    let ended = process::run(&mut command, position.to_string().as_bytes(), patience, sampling)?;
    let told: Result<Told, _> = serde_json::from_slice(&ended.output);
    match told {
        Ok(Told::Finished(spread, _)) if spread.min_ns > sampling.limit.as_nanos() as u64 => {
            Err(Stopped::Timeout(sampling.limit))
        }
        Ok(Told::Finished(spread, run)) => Ok((spread, run)),
        Ok(Told::TooSlow) => Err(Stopped::Timeout(sampling.limit)),
        Ok(Told::Unsupported(reason)) => Err(Stopped::Unsupported(reason)),
        Err(_) if sampling.is_interrupted() => Err(Stopped::Interrupted),
        Err(_) => Err(Stopped::Unsupported(format!("its process ended with {}", ended.status))),
    }
}

/// The result that a child process prints for its parent.
#[derive(serde::Serialize, serde::Deserialize)]
enum Told {
    Finished(Spread, TaskResult),
    TooSlow,
    Unsupported(String),
}

/// Runs a compiled formulation, and prints the result for the parent.
pub fn run(args: &CompiledArgs) -> Result<Outcome, Failure> {
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

fn compiled(args: &CompiledArgs, position: &Position) -> Result<(Spread, TaskResult), Stopped> {
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
        Ok((took, TaskResult { answer: Some(!winners.is_empty()), ..TaskResult::default() }))
    };
    let mut sampling = Sampling { budget: args.budget, ..Sampling::new(args.limit) };
    sampling.max_samples = args.samples;
    sampling.min_samples = sampling.min_samples.min(args.samples);
    if args.sample { measure(&sampling, run) } else { run().map(|(took, run)| (Spread::of(vec![took]), run)) }
}
