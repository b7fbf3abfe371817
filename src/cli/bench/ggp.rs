//! `ludolog bench ggp`: random playouts of games a CPU-second.

use super::{make_room, watched};
use crate::cli::case::{self, duration};
use crate::cli::output::Format;
use crate::cli::{Failure, Outcome, file, games, interrupt, limits, print, show, table};
use clap::Args;
use ludolog::bench::corpus;
use ludolog::bench::environment::Environment;
use ludolog::bench::ggp::{self, Certainty, Game, Rate, Report, Setup, reasoners};
use ludolog::bench::report::format;
use ludolog::bench::report::html::ggp as page;
use ludolog::diagnostic::{Severity, Sources};
use ludolog::engine::Stopped;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct GgpArgs {
    /// Rulesheets, names of games that come with Ludolog, or directories whose .kif files are rulesheets
    #[arg(value_name = "GAME|DIR", default_value = corpus::STANDARD_GAMES, value_parser = games::argument())]
    games: Vec<PathBuf>,
    /// Let each reasoner play each game for this time (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "2s", value_parser = duration)]
    seconds: Duration,
    /// Stop reading a game, and grounding it, after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// Choose moves by this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name each step on standard error, a line each, instead of the progress bar
    #[arg(long)]
    verbose: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a page with the rates as a plot
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Measures all games, until the end or Ctrl-C, and tells what was measured in either case.
pub fn run(args: &GgpArgs) -> Result<Outcome, Failure> {
    make_room(args.html.as_deref())?;
    let files =
        corpus::rulesheets(&args.games).map_err(|errors| Failure::Diagnostics(Box::new(Sources::new()), errors))?;
    let mut games = Vec::new();
    for path in files {
        match read(&path, args.timeout) {
            Some(game) => games.push(game),
            None => return Err(Failure::Interrupted),
        }
    }
    let setup = Setup { seconds: args.seconds, timeout: args.timeout, seed: args.seed, limits: limits::budget() };
    let report =
        watched(args.verbose, interrupt::flag(), |monitor| ggp::run(&games, &setup, Environment::current(), monitor));
    if let Some(path) = &args.html {
        file::write(path, page::to_html(&report).as_bytes())?;
    }
    match args.format {
        Format::Json => print(&report.to_json())?,
        Format::Text => print(&text(&report))?,
    }
    Ok(match (report.interrupted, report.has_errors()) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Failed,
        (false, false) => Outcome::Success,
    })
}

/// Reads a game, and shows what is wrong or odd about it; `None` on an interruption.
fn read(path: &Path, timeout: Duration) -> Option<Game> {
    let mut sources = Sources::new();
    let budget = limits::budget().with_timeout(timeout);
    let program = match case::read(&[path], None, &mut sources, &budget) {
        Ok(Ok(analyzed)) => {
            show(&sources, &analyzed.warnings_given(&[]));
            Ok(analyzed.stratified)
        }
        Ok(Err(wrong)) => {
            show(&sources, &wrong);
            let first = wrong.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            Err(first.map_or("the rulesheet has errors".to_owned(), |diagnostic| diagnostic.message.clone()))
        }
        Err(Stopped::Interrupted) => return None,
        Err(stopped) => Err(stopped.to_string()),
    };
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Some(Game { file: path.display().to_string(), name, program })
}

/// The rates, then the sizes, then what is missing.
fn text(report: &Report) -> String {
    let none = || "–".to_owned();
    // Columns of published rates only where there are some.
    let published: Vec<usize> = (0..report.references.len())
        .filter(|&place| report.games.iter().any(|row| row.published[place].is_some()))
        .collect();
    let header = ["game"].into_iter().chain(reasoners()).chain(["lanes busy"]);
    let mut rates = table::new(header.chain(published.iter().map(|&place| report.references[place].name)));
    let sizes = ["game", "mean length", "ground rules", "gates", "grounding", "net"];
    let mut sizes = table::new(sizes);
    for row in &report.games {
        let rate = |reasoner| page::own(row.rate(reasoner));
        let cells = [row.game.clone()].into_iter().chain(reasoners().map(rate)).chain([page::busy(row)]);
        rates.add_row(cells.chain(published.iter().map(|&place| page::cell(row.published[place]))));
        let count = |n: Option<usize>| n.map_or_else(none, |n| n.to_string());
        let seconds = |seconds: Option<f64>| seconds.map_or_else(none, |seconds| format::time(seconds * 1e9));
        sizes.add_row([
            row.game.clone(),
            row.mean_length.map_or_else(none, |length| format!("{length:.1}")),
            count(row.ground_rules),
            count(row.gates),
            seconds(row.grounding_seconds),
            seconds(row.net_seconds),
        ]);
    }
    let mut text = format!("Random playouts a CPU-second, on one thread\n\n{}", table::text(&rates));
    let is_counted = |rate: &Rate| rate.certainty == Certainty::Counted;
    if !report.games.iter().all(|row| row.reasoners.iter().all(is_counted)) {
        text += "\nMany playouts were under way at the end, so a rate is estimated by joint moves (≈) or a lower bound (≥); --seconds\n\
                 gives more time.\n";
    }
    if !published.is_empty() {
        text += "\nThe rates of other systems are published ones, measured on other machines.\n";
    }
    _ = write!(text, "\n{}", table::text(&sizes));
    let notes =
        report.games.iter().flat_map(|row| row.notes().into_iter().map(|note| format!("{}: {note}\n", row.game)));
    let notes: String = notes.collect();
    if !notes.is_empty() {
        _ = write!(text, "\n{notes}");
    }
    text
}
