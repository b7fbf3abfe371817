//! `ludolog bench ggp`: random playouts of games a CPU-second.

use super::Output;
use crate::cli::case::{self, duration};
use crate::cli::{Failure, Outcome, games, limits, show};
use clap::Args;
use ludolog::bench::corpus;
use ludolog::bench::ggp::{self, MeasuredGame};
use ludolog::bench::playouts::Play;
use ludolog::diagnostic::{Severity, Sources};
use ludolog::engine::Stopped;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct GgpArgs {
    /// Rulesheets, names of games that come with Ludolog, or directories whose .kif files are rulesheets
    #[arg(value_name = "GAME|DIR", default_value = corpus::STANDARD_GAMES, value_parser = games::argument())]
    games: Vec<PathBuf>,
    /// Let each reasoner play each game for this time (seconds, or as in 500ms, 5s)
    #[arg(long = "time", value_name = "T", default_value = "2s", value_parser = duration)]
    seconds: Duration,
    /// Stop reading a game, and grounding it, after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// Choose moves by this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Measures all games.
pub fn run(args: &GgpArgs) -> Result<Outcome, Failure> {
    args.output.make_room()?;
    let files =
        corpus::rulesheets(&args.games).map_err(|errors| Failure::Diagnostics(Box::new(Sources::new()), errors))?;
    let mut games = Vec::new();
    for path in files {
        match read(&path, args.timeout) {
            Some(game) => games.push(game),
            None => return Err(Failure::Interrupted),
        }
    }
    let play = Play { seconds: args.seconds, timeout: args.timeout, seed: args.seed, limits: limits::budget() };
    args.output.report(Outcome::Failed, |monitor| ggp::run(&games, &play, monitor)).map(|(_, outcome)| outcome)
}

/// Reads a game, and shows what is wrong or odd about it; `None` on an interruption.
fn read(path: &Path, timeout: Duration) -> Option<MeasuredGame> {
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
    Some(MeasuredGame { file: path.display().to_string(), name, program })
}
