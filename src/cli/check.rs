//! `ludolog check`: reports the errors and warnings of rule files.

use super::output::{Format, print_json};
use super::watch::{self, WatchArgs};
use super::{FILES, Failure, Outcome, counted, print, show};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::analysis;
use ludolog::diagnostic::{Diagnostics, Severity, Sources, render};
use ludolog::engine::Budget;
use ludolog::syntax::{self, Syntax};
use std::path::PathBuf;

#[derive(Args)]
pub struct CheckArgs {
    /// Rule files, read as one program (`-` is standard input)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// For people on standard error, or for tools on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Reports all diagnostics, then fails if there are errors.
pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == Format::Json, || report(args))
}

fn report(args: &CheckArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let (diagnostics, clauses) = check(args, &mut sources);
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.format == Format::Json {
        print_json(&render::to_json(&diagnostics, &sources))?;
        return Ok(if errors > 0 { Outcome::Failed } else { Outcome::Success });
    }
    let found = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
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
fn check(args: &CheckArgs, sources: &mut Sources) -> (Diagnostics, Option<usize>) {
    let loaded = match syntax::load(&FILES, &args.files, args.syntax, sources) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return (diagnostics, None),
    };
    let mut diagnostics = loaded.diagnostics;
    match analysis::analyze(&loaded.program) {
        Ok(analyzed) => {
            diagnostics.extend(analyzed.warnings);
            let linted = analysis::lint(&loaded.program, &Budget::unlimited());
            diagnostics.extend(linted.expect("nothing stops it without limits"));
            let program = &analyzed.stratified.program;
            (diagnostics, Some(program.facts.len() + program.rules.len() + program.transitions.len()))
        }
        Err(found) => {
            diagnostics.extend(found);
            (diagnostics, None)
        }
    }
}
