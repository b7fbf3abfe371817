//! `ludolog bench formulations`: one game in several wordings, by playouts and in matches.

use super::{make_room, watched};
use crate::cli::case::duration;
use crate::cli::output::Format;
use crate::cli::{Failure, Outcome, file, interrupt, limits, print, table};
use clap::Args;
use ludolog::bench::environment::Environment;
use ludolog::bench::formulations::{self, Report, Setup};
use ludolog::bench::report::format;
use ludolog::bench::report::html::formulations as page;
use ludolog::engine::ENGINES;
use ludolog::hex::board::Board;
use ludolog::optimize::Optimization;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct FormulationsArgs {
    /// Columns and rows of the board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=19))]
    size: u8,
    /// Let each reasoner play each wording at random for this time (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "1s", value_parser = duration)]
    seconds: Duration,
    /// Stop making a net, optimizing, and a single playout after this time
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration)]
    timeout: Duration,
    /// Matches of each pair of players; seats change after each. 0 for none
    #[arg(long, value_name = "N", default_value_t = 20)]
    matches: u64,
    /// The time for each move of a match (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "50ms", value_parser = duration)]
    play_clock: Duration,
    /// Matches at once; with more than one, their players disturb each other a little
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
    /// Choose moves by this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name each step on standard error, a line each, instead of the progress bar
    #[arg(long)]
    verbose: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Measures until the end or Ctrl-C, and tells what was measured in either case.
pub fn run(args: &FormulationsArgs) -> Result<Outcome, Failure> {
    make_room(args.html.as_deref())?;
    let size = usize::from(args.size);
    let board = Board::new(size, size).expect("boards of these sizes exist");
    let setup = Setup {
        board,
        engines: ENGINES.into(),
        optimizations: Optimization::NAMED.into(),
        seconds: args.seconds,
        timeout: args.timeout,
        matches: args.matches,
        play_clock: args.play_clock,
        threads: args.threads as usize,
        seed: args.seed,
        limits: limits::budget(),
    };
    let report =
        watched(args.verbose, interrupt::flag(), |monitor| formulations::run(&setup, Environment::current(), monitor));
    if let Some(path) = &args.html {
        file::write(path, page::to_html(&report).as_bytes())?;
    }
    match args.format {
        Format::Json => print(&report.to_json())?,
        Format::Text => print(&text(&report))?,
    }
    Ok(match (report.interrupted, report.has_differences()) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Negative,
        (false, false) => Outcome::Success,
    })
}

/// The answer, then the nets, the interpreted rules and the matches, then what is missing.
fn text(report: &Report) -> String {
    let count = |n: Option<usize>| n.map_or_else(|| "–".to_owned(), |n| format::count(n as f64));
    let mut text = format!("{}\n", report.answer);
    let mut nets =
        table::new(["as a net", "rules", "ground rules", "gates", "lanes", "state by state", "same in states"]);
    for row in &report.formulations {
        let rate = |reasoner| page::cell(report.rate(row.formulation, reasoner, None));
        nets.add_row([
            row.formulation.to_owned(),
            count(row.rules),
            count(row.ground_rules),
            count(row.gates),
            rate(formulations::LANES),
            rate(formulations::NET),
            row.compared_states.to_string(),
        ]);
    }
    _ = write!(text, "\nRandom playouts a CPU-second on {}, on one thread\n\n{}", report.board, table::text(&nets));
    let names = Optimization::NAMED.map(|optimization| optimization.to_string());
    let header = ["interpreted", "engine"].into_iter().chain(names.iter().map(String::as_str));
    let mut rules = table::new(header);
    for row in report.formulations.iter().filter(|row| row.error.is_none()) {
        for engine in ENGINES {
            let rate = |name: &String| page::cell(report.rate(row.formulation, engine.name, Some(name)));
            rules.add_row([row.formulation, engine.name].map(str::to_owned).into_iter().chain(names.iter().map(rate)));
        }
    }
    _ = write!(text, "\n{}", table::text(&rules));
    if report.rates.iter().any(|rate| rate.kept_as_written) {
        text += "\n* The optimized rules took no less work, so those as written run.\n";
    }
    if report.pairings.iter().any(|pairing| pairing.mean.is_some()) {
        let header =
            ["player", "opponent", "matches", "score", "95 %", "playouts a second", "of the opponent", "faults"];
        let mut matches = table::new(header);
        for pairing in report.pairings.iter().filter(|pairing| pairing.mean.is_some()) {
            matches.add_row(page::fields(pairing));
        }
        let clock = format::time(report.play_clock_seconds * 1e9);
        _ = write!(text, "\nThe same tree search on two wordings, {clock} a move\n\n{}", table::text(&matches));
    }
    let notes: String = report.notes().iter().map(|note| format!("{note}\n")).collect();
    if !notes.is_empty() {
        _ = write!(text, "\n{notes}");
    }
    text
}
