//! `ludolog check`: reports the errors and warnings of rule files.

use super::case::{duration, explain};
use super::output::{Format, print_json};
use super::watch::{self, WatchArgs};
use super::{FILES, Failure, Outcome, counted, limits, print, show};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::diagnostic::{Diagnostics, Severity, Sources, render};
use ludolog::engine::{Budget, Stopped};
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Syntax};
use ludolog::workspace;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The processor time that a game is tried for: on a busy machine as much is told.
const PLAY: Duration = Duration::from_millis(500);

#[derive(Args)]
pub struct CheckArgs {
    /// Rule files, read as one program (`-` is standard input)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// For people on standard error, or for tools on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// Do not try games by random playouts
    #[arg(long)]
    no_play: bool,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Reports all diagnostics, then fails if there are errors.
pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == Format::Json, || report(args))
}

fn report(args: &CheckArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let budget = limits::budget().with_timeout(args.timeout);
    let (diagnostics, clauses) = check(args, &mut sources, &budget).map_err(|stopped| explain(&stopped))?;
    let errors = diagnostics.count(Severity::Error);
    if args.format == Format::Json {
        print_json(&render::to_json(&diagnostics, &sources))?;
        return Ok(if errors > 0 { Outcome::Failed } else { Outcome::Success });
    }
    let warnings = diagnostics.count(Severity::Warning);
    let mut found = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
    match diagnostics.count(Severity::Note) {
        0 => {}
        notes => found.push_str(&format!(", {}", counted(notes, "note"))),
    }
    match clauses {
        Some(clauses) => print(&format!("{}: {found}\n", counted(clauses, "clause")))?,
        None => print(&format!("{found}\n"))?,
    }
    if errors > 0 {
        return Err(Failure::Diagnostics(Box::new(sources), diagnostics));
    }
    show(&sources, &diagnostics);
    Ok(Outcome::Success)
}

/// All diagnostics, and the number of facts and rules if there are no errors.
fn check(args: &CheckArgs, sources: &mut Sources, budget: &Budget) -> Result<(Diagnostics, Option<usize>), Stopped> {
    let loaded = match syntax::load_within(&FILES, &args.files, args.syntax, sources, budget)? {
        Ok(loaded) => loaded,
        Err(diagnostics) => return Ok((diagnostics, None)),
    };
    let (mut diagnostics, analyzed) = workspace::check(&loaded, budget)?;
    let Some(analyzed) = analyzed else { return Ok((diagnostics, None)) };
    if !args.no_play {
        let time = budget.time_left().map_or(PLAY, |left| left.min(PLAY));
        let budget = budget.clone().with_clock(Arc::new(ThreadClock)).with_time(time);
        diagnostics.extend(workspace::try_out(&loaded.program, &analyzed, &diagnostics, &budget)?);
    }
    let program = &analyzed.stratified.program;
    Ok((diagnostics, Some(program.facts.len() + program.rules.len() + program.transitions.len())))
}
