//! `ludolog test`: compares derived facts with snapshots that `cargo insta review` understands.

use super::case::{CaseArgs, explain};
use super::facts::{Selection, collect, to_text};
use super::{Failure, Outcome, print, show};
use crate::cli::snapshot::Snapshot;
use clap::Args;
use ludolog::syntax::Syntax;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct TestArgs {
    /// A directory of rule files (subdirectories too), or single rule files
    #[arg(required = true, value_name = "DIR")]
    paths: Vec<PathBuf>,
    /// Write the snapshots as the facts are now
    #[arg(long)]
    accept: bool,
    #[command(flatten)]
    case: CaseArgs,
}

/// Tests all files. The outcome is negative if any snapshot differs.
pub fn run(args: TestArgs) -> Result<Outcome, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        rule_files(path, &mut files)
            .map_err(|error| Failure::Message(format!("cannot read {}: {error}", path.display())))?;
    }
    if files.is_empty() {
        return Err(Failure::Message("no rule files (.dl, .kif, .gdl) there".to_owned()));
    }
    let (mut same, mut different, mut failed) = (0, 0, 0);
    for file in &files {
        match check(&args, file) {
            Ok(Verdict::Same) => same += 1,
            Ok(Verdict::Accepted) => {
                same += 1;
                print(&format!("{}: accepted\n", file.display()))?;
            }
            Ok(Verdict::Different(difference)) => {
                different += 1;
                print(&format!("{}: differs from its snapshot\n{difference}\n", file.display()))?;
            }
            Ok(Verdict::New(path)) => {
                different += 1;
                print(&format!("{}: no snapshot yet; proposed as {}\n", file.display(), path.display()))?;
            }
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(Failure::Diagnostics(sources, diagnostics)) => {
                failed += 1;
                show(&sources, &diagnostics);
            }
            Err(Failure::Message(message)) => {
                failed += 1;
                anstream::eprintln!("{}: {message}", file.display());
            }
        }
    }
    print(&format!("{same} passed, {} failed\n", different + failed))?;
    if failed > 0 {
        return Err(Failure::Message(format!("{failed} of {} files could not be run", files.len())));
    }
    if different > 0 {
        print("accept with --accept, or review with cargo insta review\n")?;
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Success)
}

enum Verdict {
    Same,
    Accepted,
    Different(String),
    New(PathBuf),
}

fn check(args: &TestArgs, file: &Path) -> Result<Verdict, Failure> {
    let mut loaded = args.case.load(&[file.to_owned()])?;
    let (facts, stopped) = collect(&mut loaded, &Selection::Derived)?;
    if let Some(stopped) = stopped {
        return Err(explain(&stopped));
    }
    let snapshot = Snapshot::beside(file, args.case.position.as_deref());
    let text = to_text(&facts, loaded.syntax, loaded.session.budget()).map_err(|stopped| explain(&stopped))?;
    if args.accept {
        let changed = snapshot.accept(&text)?;
        return Ok(if changed { Verdict::Accepted } else { Verdict::Same });
    }
    match snapshot.read() {
        Some(expected) if expected == text => Ok(Verdict::Same),
        Some(expected) => {
            snapshot.propose(&text)?;
            Ok(Verdict::Different(difference(&expected, &text)))
        }
        None => Ok(Verdict::New(snapshot.propose(&text)?)),
    }
}

/// The lines that only one side has. Facts are in canonical order, so no line moves.
fn difference(expected: &str, found: &str) -> String {
    let only = |mark: char, text: &str, other: &str| -> String {
        let other: std::collections::HashSet<&str> = other.lines().collect();
        text.lines().filter(|line| !other.contains(line)).map(|line| format!("  {mark} {line}\n")).collect()
    };
    only('-', expected, found) + &only('+', found, expected)
}

fn rule_files(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        std::fs::metadata(path)?;
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            rule_files(&entry, files)?;
        } else if Syntax::of(&entry).is_some() {
            files.push(entry);
        }
    }
    Ok(())
}
