//! `ludolog check`: reports the errors and warnings of rule files.

use super::case::{duration, explain};
use super::output::{Format, print_json};
use super::watch::{self, WatchArgs};
use super::{FILES, Failure, Outcome, counted, file, limits, print, show};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::diagnostic::{Applicability, Diagnostics, Severity, Sources, render};
use ludolog::engine::{Budget, Stopped};
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Files, Syntax};
use ludolog::workspace::fix_all::{FixedFiles, LeftChange, MadeFix, count_certain, fix_all, left_to_author};
use ludolog::workspace::{self, Texts};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The processor time that a game is tried for: on a busy machine as much is told.
const PLAY: Duration = Duration::from_millis(500);

/// Most changes that are listed as left to the author.
const MOST_LISTED: usize = 20;

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
    /// Write another spelling of the same where an error or warning knows one and it helps, and show what has changed; what only may be
    /// meant is proposed, and left to you
    #[arg(long, conflicts_with = "watch")]
    fix: bool,
    /// With --fix, show what would change and leave the files as they are
    #[arg(long, requires = "fix")]
    stdout: bool,
    #[command(flatten)]
    watch: WatchArgs,
}

/// Reports all diagnostics, then fails if there are errors.
pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    if args.fix {
        let budget = limits::budget().with_timeout(args.timeout);
        return report(args, &fix(args, &budget)?, &budget);
    }
    let budget = || limits::budget().with_timeout(args.timeout);
    watch::run(&args.watch, args.format == Format::Json, || report(args, &FILES, &budget()))
}

/// Fixes the files and tells of it; the files as they are then. If time ends first, what was made until then is kept, and after Ctrl-C nothing.
fn fix(args: &CheckArgs, budget: &Budget) -> Result<Texts, Failure> {
    if args.files.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::Message("--fix changes files, and standard input is none: name them".to_owned()));
    }
    let mut texts = Texts::new(Arc::new(FILES));
    let FixedFiles { made, taken_back, stopped } =
        fix_all(&mut texts, &args.files, args.syntax, Applicability::Certain, budget);
    if let Some(Stopped::Interrupted) = stopped {
        return Err(Failure::Interrupted);
    }
    let mut told = String::new();
    for MadeFix { path, title, line, old, new } in &made {
        told.push_str(&format!("{}:{line}: {title}\n", path.display()));
        old.iter().for_each(|line| told.push_str(&format!("  - {line}\n")));
        new.iter().for_each(|line| told.push_str(&format!("  + {line}\n")));
    }
    if args.format == Format::Json {
        anstream::eprint!("{told}");
    } else {
        print(&told)?;
    }
    if taken_back > 0 {
        let changes = counted(taken_back, "change");
        anstream::eprintln!("{changes} taken back: each led to the next mistake");
    }
    let changed: BTreeSet<&Path> = made.iter().map(|fix| fix.path.as_path()).collect();
    for path in changed.into_iter().filter(|_| !args.stdout) {
        if let Some(text) = texts.get(path) {
            file::update(path, text.as_bytes())?;
        }
    }
    match stopped.map(|stopped| explain(&stopped)) {
        Some(Failure::Message(message)) if !made.is_empty() => {
            let changes = counted(made.len(), "change");
            Err(Failure::Message(format!("{message}; the {changes} above came before that, and there may be more")))
        }
        Some(failure) => Err(failure),
        None => Ok(texts),
    }
}

fn report(args: &CheckArgs, files: &dyn Files, budget: &Budget) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let (diagnostics, clauses) = check(args, files, &mut sources, budget).map_err(|stopped| explain(&stopped))?;
    let errors = diagnostics.count(Severity::Error);
    if args.format == Format::Json {
        print_json(&render::to_json(&diagnostics, &sources))?;
        return Ok(if errors > 0 { Outcome::Failed } else { Outcome::Success });
    }
    let warnings = diagnostics.count(Severity::Warning);
    let mut found = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
    if !diagnostics.is_complete() {
        found.insert_str(0, "at least ");
    }
    match diagnostics.count(Severity::Note) {
        0 => {}
        notes => found.push_str(&format!(", {}", counted(notes, "note"))),
    }
    match clauses {
        Some(clauses) => print(&format!("{}: {found}\n", counted(clauses, "clause")))?,
        None => print(&format!("{found}\n"))?,
    }
    show(&sources, &diagnostics);
    tell_changes(args, &sources, &diagnostics);
    Ok(if errors > 0 { Outcome::Failed } else { Outcome::Success })
}

/// Says for how many mistakes there are changes; after `--fix`, those that have not helped, and those that are left to the author.
fn tell_changes(args: &CheckArgs, sources: &Sources, diagnostics: &Diagnostics) {
    let certain = count_certain(&args.files, sources, diagnostics);
    if !args.fix {
        if certain > 0 {
            anstream::eprintln!("`ludolog check --fix` has changes for {certain} of them");
        }
        return;
    }
    if certain > 0 {
        anstream::eprintln!("the changes for {certain} of them do not help, and were not made");
    }
    let left = left_to_author(&args.files, sources, diagnostics);
    if left.is_empty() {
        return;
    }
    anstream::eprintln!("{} left to you, since something else may be meant:", counted(left.len(), "proposal"));
    for LeftChange { path, line, titles } in left.iter().take(MOST_LISTED) {
        anstream::eprintln!("  {}:{line}: {}", path.display(), titles.join(", or "));
    }
    if left.len() > MOST_LISTED {
        anstream::eprintln!("  and {} more", left.len() - MOST_LISTED);
    }
}

/// All diagnostics, and the number of facts and rules if there are no errors.
fn check(
    args: &CheckArgs,
    files: &dyn Files,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<(Diagnostics, Option<usize>), Stopped> {
    let loaded = match syntax::load_within(files, &args.files, args.syntax, sources, budget)? {
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
