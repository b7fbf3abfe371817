//! `ludolog bench positional`: searches of positional games with different cut-offs.

use super::{make_room, watched};
use crate::cli::case::duration;
use crate::cli::output::Format;
use crate::cli::positional::read;
use crate::cli::{Failure, Outcome, file, interrupt, limits, print, table};
use clap::Args;
use ludolog::bench::corpus;
use ludolog::bench::environment::Environment;
use ludolog::bench::positional::{self, CUTOFFS, Report, Setup};
use ludolog::bench::report::html::positional as page;
use ludolog::diagnostic::Sources;
use ludolog::positional::Position;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct PositionalArgs {
    /// Position files, or directories of them; without it the shipped ones, std:positional, and empty boards
    #[arg(value_name = "POSITION|DIR")]
    positions: Vec<PathBuf>,
    /// The longest one search may take, as in 500ms, 5s or 15m
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    limit: Duration,
    /// Name each step on standard error, a line each, instead of the progress bar
    #[arg(long)]
    verbose: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a page with the boards and their matchings drawn
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Memory that the table of a search may take, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// Measures all positions, until the end or Ctrl-C, and tells what was measured in either case.
pub fn run(args: &PositionalArgs) -> Result<Outcome, Failure> {
    make_room(args.html.as_deref())?;
    let setup = Setup { limit: args.limit, max_bytes: MAX_BYTES, limits: limits::budget() };
    let positions = positions(&args.positions)?;
    let report = watched(args.verbose, interrupt::flag(), |monitor| {
        positional::run(positions, &setup, Environment::current(), monitor)
    });
    if let Some(path) = &args.html {
        file::write(path, page::to_html(&report).as_bytes())?;
    }
    match args.format {
        Format::Json => print(&report.to_json())?,
        Format::Text => print(&text(&report))?,
    }
    for name in &report.failures {
        anstream::eprintln!("wrong answer: searches disagree on {name}");
    }
    Ok(match (report.interrupted, report.failures.is_empty()) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Success,
        (false, false) => Outcome::Negative,
    })
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

fn text(report: &Report) -> String {
    let header = ["position", "open sets", "outcome"].map(str::to_owned).into_iter();
    let mut rows = table::new(
        header.chain(CUTOFFS.iter().flat_map(|(cutoff, _)| [format!("{cutoff}: nodes"), "time".to_owned()])),
    );
    for row in &report.positions {
        let cells = [row.name.clone(), row.open_sets.to_string(), page::outcome(row)].into_iter();
        rows.add_row(cells.chain(row.searches.iter().flat_map(page::cells)));
    }
    let mut text = format!("Who wins, by the same search with three cut-offs\n\n{}", table::text(&rows));
    let searches = report.positions.iter().flat_map(|row| row.searches.iter().map(|search| (&row.name, search)));
    let reasons = searches.filter_map(|(name, search)| Some((name, search.cutoff, search.reason.as_ref()?)));
    for (number, (name, cutoff, reason)) in reasons.enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        _ = writeln!(text, "{gap}{name}, {cutoff}: {reason}");
    }
    text
}
