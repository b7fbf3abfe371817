//! `ludolog bench positional`: searches of positional games with different cut-offs.

use super::Output;
use crate::cli::case::duration;
use crate::cli::positional::read;
use crate::cli::{Failure, Outcome, limits};
use clap::Args;
use ludolog::bench::monitor::Monitor;
use ludolog::bench::{corpus, positional};
use ludolog::diagnostic::Sources;
use ludolog::positional::Position;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct BenchPositionalArgs {
    /// Position files, or directories of them; without it the shipped ones, std:positional, and empty boards
    #[arg(value_name = "POSITION|DIR")]
    positions: Vec<PathBuf>,
    /// The longest one search may take, as in 500ms, 5s or 15m
    #[arg(long = "timeout", value_name = "T", default_value = "5s", value_parser = duration)]
    limit: Duration,
    #[command(flatten)]
    output: Output,
}

/// Memory that the table of a search may take, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// Measures all positions.
pub fn run(args: &BenchPositionalArgs) -> Result<Outcome, Failure> {
    args.output.make_room()?;
    let positions = positions(&args.positions)?;
    let limits = limits::budget().with_max_bytes(MAX_BYTES);
    let run = |monitor: &mut Monitor<'_>| positional::run(positions, args.limit, &limits, monitor);
    let (report, outcome) = args.output.report(Outcome::Negative, run)?;
    for name in report.failures() {
        anstream::eprintln!("wrong answer: searches disagree on {name}");
    }
    Ok(outcome)
}

fn positions(paths: &[PathBuf]) -> Result<Vec<Position>, Failure> {
    let shipped = [PathBuf::from(corpus::STANDARD_POSITIONAL)];
    let files = corpus::texts(if paths.is_empty() { &shipped } else { paths });
    let files = files.map_err(|errors| Failure::Diagnostics(Box::new(Sources::new()), errors))?;
    let mut positions = Vec::new();
    for path in files {
        let mut position = read(&path)?;
        let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        position.name = position.name.or_else(stem);
        positions.push(position);
    }
    if paths.is_empty() {
        positions.extend(positional::boards());
    }
    Ok(positions)
}
