//! `ludolog test`: compares derived facts with snapshots, and reviews the differences.

use super::case::{CaseArgs, explain};
use super::facts::{Selection, collect, to_text};
use super::output::{Format, print_json};
use super::snapshot::{FOLDER, Snapshot, stale};
use super::watch::{self, WatchArgs};
use super::{Failure, Outcome, constraints, file, print, show};
use clap::Args;
use ludolog::diagnostic::render;
use ludolog::shipped;
use ludolog::syntax::{ColdSort, Syntax};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct TestArgs {
    /// A directory of rule files (subdirectories too), or single rule files
    #[arg(required = true, value_name = "DIR")]
    paths: Vec<PathBuf>,
    /// Write the snapshots as the facts are now, and remove stale ones
    #[arg(long, conflicts_with = "watch")]
    accept: bool,
    /// Show the differences one by one, and ask for each whether to accept it
    #[arg(long, conflicts_with_all = ["accept", "format", "watch"])]
    review: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    case: CaseArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// What happens to differences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SnapshotMode {
    /// They are told. Nothing is written.
    Tell,
    /// They are told, and written as proposals.
    Propose,
    /// They become the snapshots.
    Accept,
    /// The user decides one by one.
    Review,
}

/// Tests all files. The outcome is negative if any snapshot differs or is stale.
pub fn run(args: &TestArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == Format::Json, || test(args))
}

fn test(args: &TestArgs) -> Result<Outcome, Failure> {
    let mode = match (is_ci(), args.accept, args.review) {
        (true, false, false) => SnapshotMode::Tell,
        (true, ..) => return Err(Failure::Message("the variable CI is set: no snapshot is written".to_owned())),
        (false, true, _) => SnapshotMode::Accept,
        (false, _, true) => SnapshotMode::Review,
        (false, false, false) => SnapshotMode::Propose,
    };
    let mut files = Vec::new();
    let mut folders = Vec::new();
    for path in &args.paths {
        if shipped::is_name(path) {
            let name = path.display();
            return Err(Failure::Message(format!(
                "`{name}` has no folder; `ludolog rules copy {name}` writes it into one"
            )));
        }
        rule_files(path, &mut files, &mut folders).map_err(|error| file::unreadable(path, &error))?;
    }
    let mut run = TestRun { mode, format: args.format, reviewing: true, found: Vec::new() };
    for file in &files {
        run.file(&args.case, file)?;
    }
    for folder in &folders {
        let stale = stale(folder).map_err(|error| unusable("read", folder, &error))?;
        stale.into_iter().try_for_each(|(path, source)| run.stale(&path, &source))?;
    }
    if files.is_empty() && run.found.is_empty() {
        let places: Vec<String> = args.paths.iter().map(|place| path(place)).collect();
        let places = places.join(", ");
        return Err(Failure::Message(format!("there are no rule files (.dl, .kif, .gdl) in {places}")));
    }
    run.conclude()
}

/// Whether the command runs in continuous integration, where what it writes would be lost or end up in a commit.
fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// The state of a snapshot after the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum SnapshotVerdict {
    Same,
    Accepted,
    Different,
    New,
    Damaged,
    Stale,
    /// The rule file cannot be run.
    Error,
}

struct TestRun {
    mode: SnapshotMode,
    format: Format,
    /// Whether the user still decides; `false` after "quit".
    reviewing: bool,
    /// The verdicts so far, each as JSON too.
    found: Vec<(SnapshotVerdict, Value)>,
}

/// The decision of a reviewer.
enum Decision {
    Accept,
    Reject,
    Skip,
}

impl TestRun {
    /// Tests a rule file.
    fn file(&mut self, case: &CaseArgs, file: &Path) -> Result<(), Failure> {
        let snapshot = Snapshot::beside(file, case.position.as_deref());
        let shown = snapshot.path().display().to_string();
        let text = match derived(case, file) {
            Ok(text) => text,
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => {
                let reason = self.error(file, failure);
                self.enter(SnapshotVerdict::Error, json!({ "file": path(file), "snapshot": shown, "reason": reason }));
                return Ok(());
            }
        };
        let (verdict, heading, difference, reason) = match snapshot.read() {
            Ok(Some(expected)) if expected == text => {
                if self.mode != SnapshotMode::Tell {
                    snapshot.withdraw()?;
                }
                self.enter(SnapshotVerdict::Same, json!({ "file": path(file), "snapshot": shown }));
                return Ok(());
            }
            Ok(Some(expected)) => {
                let heading = format!("{}: differs from its snapshot", file.display());
                (SnapshotVerdict::Different, heading, LineDifference::between(&expected, &text), None)
            }
            Ok(None) => {
                let heading = format!("{}: no snapshot yet", file.display());
                (SnapshotVerdict::New, heading, LineDifference::between("", &text), None)
            }
            Err(reason) => {
                let heading = format!("{}: its snapshot {shown} is damaged: {reason}", file.display());
                (SnapshotVerdict::Damaged, heading, LineDifference::between("", &text), Some(reason))
            }
        };
        // The facts of a file without a sound snapshot are all new: only a review shows them.
        let lines = if verdict == SnapshotVerdict::Different || self.mode == SnapshotMode::Review {
            difference.lines()
        } else {
            String::new()
        };
        let settled = match self.decide(&heading, &lines)? {
            Decision::Accept => {
                snapshot.accept(&text)?;
                self.tell(&format!("{}: accepted\n", file.display()))?;
                SnapshotVerdict::Accepted
            }
            Decision::Reject => {
                snapshot.withdraw()?;
                verdict
            }
            Decision::Skip => {
                let proposed = match self.mode {
                    SnapshotMode::Tell => String::new(),
                    _ => {
                        snapshot.propose(&text)?;
                        format!("; proposed as {}", snapshot.proposal().display())
                    }
                };
                if self.mode != SnapshotMode::Review {
                    self.tell(&format!("{heading}{proposed}\n{lines}"))?;
                }
                verdict
            }
        };
        let LineDifference { missing, added } = difference;
        self.enter(
            settled,
            json!({ "file": path(file), "snapshot": shown, "missing": missing, "added": added, "reason": reason }),
        );
        Ok(())
    }

    /// Tells of a snapshot without a rule file.
    fn stale(&mut self, stale: &Path, source: &str) -> Result<(), Failure> {
        let heading = format!("{}: stale, there is no {source} any more", stale.display());
        let verdict = match self.decide(&heading, "")? {
            Decision::Accept => {
                std::fs::remove_file(stale).map_err(|error| unusable("remove", stale, &error))?;
                self.tell(&format!("{}: removed\n", stale.display()))?;
                SnapshotVerdict::Accepted
            }
            Decision::Reject | Decision::Skip => {
                if self.mode != SnapshotMode::Review {
                    self.tell(&format!("{heading}\n"))?;
                }
                SnapshotVerdict::Stale
            }
        };
        self.enter(verdict, json!({ "file": Value::Null, "snapshot": path(stale) }));
        Ok(())
    }

    /// What to do about a difference: as the mode says, or as the user does.
    fn decide(&mut self, heading: &str, lines: &str) -> Result<Decision, Failure> {
        match self.mode {
            SnapshotMode::Accept => return Ok(Decision::Accept),
            SnapshotMode::Tell | SnapshotMode::Propose => return Ok(Decision::Skip),
            SnapshotMode::Review if !self.reviewing => return Ok(Decision::Skip),
            SnapshotMode::Review => {}
        }
        print(&format!("{heading}\n{lines}"))?;
        loop {
            print("[a]ccept, [r]eject, [s]kip or [q]uit? ")?;
            let mut answer = String::new();
            let read = io::stdin().lock().read_line(&mut answer);
            let end = read.map_err(|error| Failure::Message(format!("cannot read standard input: {error}")))? == 0;
            match answer.trim() {
                "a" | "accept" => return Ok(Decision::Accept),
                "r" | "reject" => return Ok(Decision::Reject),
                "s" | "skip" => return Ok(Decision::Skip),
                "q" | "quit" => self.reviewing = false,
                _ if end => self.reviewing = false,
                _ => continue,
            }
            return Ok(Decision::Skip);
        }
    }

    /// Shows the error of a rule file; as JSON, it is part of the report.
    fn error(&self, file: &Path, failure: Failure) -> Value {
        match failure {
            Failure::Diagnostics(sources, diagnostics) => {
                if self.format == Format::Text {
                    show(&sources, &diagnostics);
                }
                json!(render::to_json(&diagnostics, &sources))
            }
            Failure::Message(message) => {
                if self.format == Format::Text {
                    anstream::eprintln!("{}: {message}", file.display());
                }
                json!(message)
            }
            Failure::Interrupted => Value::Null,
        }
    }

    fn tell(&self, text: &str) -> Result<(), Failure> {
        match self.format {
            Format::Text => print(text),
            Format::Json => Ok(()),
        }
    }

    fn enter(&mut self, verdict: SnapshotVerdict, mut value: Value) {
        value["verdict"] = json!(verdict);
        self.found.push((verdict, value));
    }

    /// Prints the counts, or the report as JSON.
    fn conclude(self) -> Result<Outcome, Failure> {
        let count =
            |wanted: &[SnapshotVerdict]| self.found.iter().filter(|(verdict, _)| wanted.contains(verdict)).count();
        let of_files = self.found.iter().filter(|(_, value)| !value["file"].is_null()).count();
        let [different, stale, errors] = [
            count(&[SnapshotVerdict::Different, SnapshotVerdict::New, SnapshotVerdict::Damaged]),
            count(&[SnapshotVerdict::Stale]),
            count(&[SnapshotVerdict::Error]),
        ];
        let failed = different + errors;
        let passed = of_files - different - errors;
        match self.format {
            Format::Text => {
                let stale = if stale > 0 { format!(", {stale} stale") } else { String::new() };
                print(&format!("{passed} passed, {failed} failed{stale}\n"))?;
            }
            Format::Json => {
                let files: Vec<Value> = self.found.into_iter().map(|(_, value)| value).collect();
                let report = json!({ "passed": passed, "failed": failed, "stale": stale, "snapshots": files });
                print_json(&report)?;
            }
        }
        if errors > 0 && self.format == Format::Json {
            return Ok(Outcome::Failed);
        }
        if errors > 0 {
            return Err(Failure::Message(format!("{errors} of {of_files} files could not be run")));
        }
        if different + stale == 0 {
            return Ok(Outcome::Success);
        }
        if self.format == Format::Text && self.mode == SnapshotMode::Propose {
            print("look at them one by one with --review, or accept all with --accept\n")?;
        }
        Ok(Outcome::Negative)
    }
}

fn unusable(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Message(format!("cannot {what} {}: {error}", path.display()))
}

/// A path as text. JSON has no other.
fn path(path: &Path) -> String {
    path.display().to_string()
}

/// The derived facts of a rule file, a line each.
fn derived(case: &CaseArgs, file: &Path) -> Result<String, Failure> {
    let mut loaded = case.load(&[file.to_owned()])?;
    constraints::check(&mut loaded, case)?;
    let syntax = loaded.syntax;
    let budget = loaded.session.budget().clone();
    let selection = Selection::of(&loaded);
    let listing = match collect(&mut loaded, &selection) {
        Ok(listing) => listing,
        Err(stopped) => return Err(case.explain(&loaded.session, &stopped, None)),
    };
    match &listing.stopped {
        None => to_text(&listing, syntax, &budget),
        Some(stopped) => Err(explain(stopped)),
    }
}

/// The lines that only one side has. Facts are in canonical order, so no line moves.
struct LineDifference {
    /// The lines of the snapshot alone.
    missing: Vec<String>,
    /// The lines of the facts alone.
    added: Vec<String>,
}

impl LineDifference {
    fn between(expected: &str, found: &str) -> Self {
        let only = |text: &str, other: &str| -> Vec<String> {
            let other: HashSet<&str> = other.lines().collect();
            text.lines().filter(|line| !other.contains(line)).map(str::to_owned).collect()
        };
        Self { missing: only(expected, found), added: only(found, expected) }
    }

    fn lines(&self) -> String {
        let marked = |mark: char, lines: &[String]| -> String {
            lines.iter().map(|line| format!("  {mark} {line}\n")).collect()
        };
        if self.missing.is_empty() && self.added.is_empty() {
            "  the same lines in another order\n".to_owned()
        } else {
            marked('-', &self.missing) + &marked('+', &self.added)
        }
    }
}

/// The rule files and the folders of snapshots in a directory and those below it; a path that is no directory is a rule
/// file.
fn rule_files(path: &Path, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>) -> io::Result<()> {
    watch::record(path);
    if !path.is_dir() {
        std::fs::metadata(path)?;
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.cold_sort();
    for entry in entries {
        if entry.is_dir() {
            if entry.file_name().is_some_and(|name| name == FOLDER) {
                folders.push(entry.clone());
            }
            rule_files(&entry, files, folders)?;
        } else if Syntax::of(&entry).is_some() {
            files.push(entry);
        }
    }
    Ok(())
}
