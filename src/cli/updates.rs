//! `ludolog watch`: the derived facts while given ones come and go.
//!
//! A line of standard input is a change, and an empty line (or the end) ends a batch. A batch is all or nothing: with
//! an error in it, nothing changes. What it changes is printed with an empty line behind it, so that who reads on knows
//! that it is whole.

use super::case::{CaseArgs, LoadedCase, explain};
use super::facts::{derived_predicates, predicate};
use super::output::{Format, print_json};
use super::processes::ProcessArgs;
use super::{Failure, Outcome, conclude, interrupt, print, show};
use clap::Args;
use ludolog::engine::explanation::term_to_json;
use ludolog::engine::{Budget, Changes, Engine, Refused, Session, SessionError, Setting, Stopped};
use ludolog::syntax::ast::{Atom, Formula, Predicate};
use ludolog::syntax::{ColdSort, Syntax, parse_goal, print_atom};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::io::{BufRead, stdin};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Time between two looks at the flag of Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Lines that are read ahead.
const AHEAD: usize = 1 << 12;

#[derive(Args)]
pub struct UpdateArgs {
    /// Rule files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only changes of this predicate, as in reach/2; given facts too
    #[arg(long, value_name = "P/N", value_parser = predicate)]
    predicate: Vec<Predicate>,
    /// A document of JSON for each batch, or lines as those of the input
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    case: CaseArgs,
    #[command(flatten)]
    processes: ProcessArgs,
}

/// A change of the given facts.
struct GivenChange {
    fact: Atom,
    comes: bool,
}

/// Carries out all batches. Errors are shown, and make the command fail at its end.
pub fn run(args: &UpdateArgs) -> Result<Outcome, Failure> {
    let mut loaded = args.case.load(&args.files)?;
    args.processes.apply_to_one(&mut loaded.session)?;
    loaded.check_known(&args.predicate)?;
    let mut watched = WatchedEngine::new(&mut loaded, &args.predicate)?;
    let lines = lines();
    let mut outcome = Outcome::Success;
    let mut number = 0;
    loop {
        let mut batch = Ok(Vec::new());
        let is_last = loop {
            let Some(line) = next(&lines)? else { break true };
            number += 1;
            match (line.trim(), &mut batch) {
                ("", _) => break false,
                (_, Err(())) => {}
                (line, Ok(changes)) => match change(line, &loaded) {
                    Ok(change) => {
                        watched.warn_of_unread(&change, &loaded.session);
                        changes.push(change);
                    }
                    Err(failure) => {
                        anstream::eprintln!("line {number}, and so its batch, is refused:");
                        conclude(Err(failure), false);
                        batch = Err(());
                    }
                },
            }
        };
        match batch {
            // There is no batch behind the last empty line.
            Ok(changes) if is_last && changes.is_empty() => {}
            Ok(changes) => {
                let changes = watched.carry_out(&changes, &mut loaded.session)?;
                match args.format {
                    Format::Text => print(&text(&changes, loaded.syntax))?,
                    Format::Json => print_json(&json(&changes, loaded.syntax))?,
                }
            }
            Err(()) => outcome = Outcome::Failed,
        }
        if is_last {
            return Ok(outcome);
        }
    }
}

/// The lines of standard input, read by a thread of their own, so that Ctrl-C need not wait for one.
fn lines() -> Receiver<std::io::Result<String>> {
    let (sender, receiver) = sync_channel(AHEAD);
    std::thread::spawn(move || stdin().lock().lines().try_for_each(|line| sender.send(line)));
    receiver
}

/// The next line; `None` at the end.
fn next(lines: &Receiver<std::io::Result<String>>) -> Result<Option<String>, Failure> {
    let interrupted = interrupt::flag();
    loop {
        match lines.recv_timeout(POLL_INTERVAL) {
            Ok(Ok(line)) => return Ok(Some(line)),
            Ok(Err(error)) => return Err(Failure::Message(format!("cannot read standard input: {error}"))),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => return Err(Failure::Interrupted),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Parses a line.
fn change(line: &str, loaded: &LoadedCase) -> Result<GivenChange, Failure> {
    let syntax = loaded.syntax;
    let wrong = || Failure::Message("a change is + or - and a ground fact, as in +edge(a, b).".to_owned());
    let (comes, text) = match line.split_at_checked(1) {
        Some(("+", text)) => (true, text),
        Some(("-", text)) => (false, text),
        _ => return Err(wrong()),
    };
    let text = text.trim();
    let text = if syntax == Syntax::Datalog { text.strip_suffix('.').unwrap_or(text) } else { text };
    let mut sources = loaded.session.sources().clone();
    let goal = parse_goal(text, &mut sources, Some(syntax));
    let rejected = |wrong| Failure::Diagnostics(Box::new(sources), wrong);
    let goal = match goal {
        Ok(goal) => goal,
        Err(wrong) => return Err(rejected(wrong)),
    };
    match &goal.body[..] {
        [Formula::Atom(fact)] if fact.is_ground() => {
            let session = &loaded.session;
            let checked = if comes { session.check_facts([fact]) } else { session.check_arities([fact]) };
            checked.map_err(|error| match error {
                SessionError::Rejected(_, wrong) => rejected(wrong),
                other => Failure::Message(other.to_string()),
            })?;
            Ok(GivenChange { fact: fact.clone(), comes })
        }
        _ => Err(wrong()),
    }
}

/// An engine whose changes are told.
struct WatchedEngine {
    engine: Box<dyn Engine>,
    /// The name of the engine.
    name: &'static str,
    wanted: BTreeSet<Predicate>,
    /// The predicates of which no warning says that nothing reads them: the case has facts of them, or one was said.
    known: BTreeSet<Predicate>,
    /// The predicates that are split by their constants: the engine is loaded anew for facts of theirs.
    split: BTreeSet<Predicate>,
    /// The facts that are told of, where the engine does not tell changes itself, or is loaded anew.
    facts: Option<HashSet<Atom>>,
    budget: Budget,
}

impl WatchedEngine {
    fn new(loaded: &mut LoadedCase, predicates: &[Predicate]) -> Result<WatchedEngine, Failure> {
        let session = &mut loaded.session;
        let program = &session.program().program;
        let mut wanted = match predicates {
            [] => derived_predicates(session.program()),
            _ => predicates.iter().cloned().collect(),
        };
        wanted.retain(|predicate| !predicate.is_auxiliary());
        // Facts of all predicates may come and go.
        let mut inputs: BTreeSet<Predicate> = session.case().predicates().into_iter().collect();
        inputs.extend(program.mentioned());
        let setting = Setting { inputs: inputs.into_iter().collect(), ..session.setting().clone() };
        let name = setting.engine.name;
        if !setting.engine.has(|engine| engine.as_track().is_some()) {
            anstream::eprintln!(
                "note: the engine {name} derives again what a change may touch, and all facts are compared; --engine dataflow \
                 does only what a change needs{}",
                if cfg!(feature = "dataflow") { "" } else { " (install with `--features dataflow` to have it)" }
            );
        }
        session.set_setting(setting);
        let budget = session.budget().clone();
        let split: BTreeSet<Predicate> = session.program().split.iter().map(|rule| rule.head.signature()).collect();
        let engine = load(session, &budget)?;
        let known = session.case().predicates().into_iter().collect();
        let mut watched = WatchedEngine { engine, name, wanted, known, split, facts: None, budget };
        match watched.engine.as_track() {
            // The events of the case are no changes to tell of.
            Some(track) if watched.split.is_empty() => _ = track.changes(),
            _ => watched.facts = Some(watched.all()?),
        }
        Ok(watched)
    }

    /// Warns of the first fact of a predicate that nothing reads.
    fn warn_of_unread(&mut self, change: &GivenChange, session: &Session) {
        let predicate = change.fact.signature();
        if change.comes && !self.known.contains(&predicate) {
            show(session.sources(), &session.unread([predicate.clone()]));
            self.known.insert(predicate);
        }
    }

    /// All facts that are told of.
    fn all(&mut self) -> Result<HashSet<Atom>, Failure> {
        let mut all = HashSet::new();
        for predicate in &self.wanted {
            all.extend(self.engine.facts(predicate, &self.budget).map_err(|stopped| explain(&stopped))?);
        }
        Ok(all)
    }

    /// Changes the facts of the engine, and derives what follows.
    fn change(&mut self, changes: &[GivenChange]) -> Result<(), Failure> {
        for GivenChange { fact, comes } in changes {
            let changed = if *comes {
                self.engine.insert(fact)
            } else {
                self.engine.as_retract().ok_or(Refused::NoRetraction(self.name)).and_then(|engine| engine.retract(fact))
            };
            changed.map_err(|refused| Failure::Message(refused.to_string()))?;
        }
        self.engine.update(&self.budget).map_err(|stopped| explain(&stopped))
    }

    /// Carries out a batch; what it changes, in canonical order.
    fn carry_out(&mut self, changes: &[GivenChange], session: &mut Session) -> Result<Changes, Failure> {
        self.budget = self.budget.renewed();
        // Whoever loads an engine anew needs all changes so far.
        for GivenChange { fact, comes } in changes.iter().filter(|_| !self.split.is_empty()) {
            if *comes {
                session.insert_fact(fact.clone());
            } else {
                session.retract_fact(fact);
            }
        }
        if changes.iter().any(|change| self.split.contains(&change.fact.signature())) {
            session.set_budget(self.budget.clone());
            self.engine = load(session, &self.budget)?;
        } else {
            self.change(changes)?;
        }
        let mut changes = match (self.engine.as_track(), self.facts.take()) {
            (Some(track), None) => {
                let mut changes = track.changes();
                changes.came.retain(|fact| self.wanted.contains(&fact.signature()));
                changes.went.retain(|fact| self.wanted.contains(&fact.signature()));
                changes
            }
            (_, before) => {
                let before = before.unwrap_or_default();
                let after = self.all()?;
                let changes = Changes {
                    came: after.difference(&before).cloned().collect(),
                    went: before.difference(&after).cloned().collect(),
                };
                self.facts = Some(after);
                changes
            }
        };
        for facts in [&mut changes.came, &mut changes.went] {
            facts.cold_sort_by(|a, b| (a.signature(), &a.args).cmp(&(b.signature(), &b.args)));
        }
        Ok(changes)
    }
}

/// An engine that has run the program on the case, and tells changes from then on if it can.
fn load(session: &Session, budget: &Budget) -> Result<Box<dyn Engine>, Failure> {
    let load = || {
        let prepared = session.prepare(None)?;
        let mut engine = prepared.load(budget)?;
        if let Some(track) = engine.as_track() {
            track.start_changes();
        }
        prepared.insert_facts(&mut *engine, budget)?;
        prepared.fire_events(&mut *engine, budget)?;
        engine.update(budget)?;
        Ok(engine)
    };
    load().map_err(|stopped: Stopped| explain(&stopped))
}

/// The changes as lines: what went, what came, and an empty one.
fn text(changes: &Changes, syntax: Syntax) -> String {
    let period = if syntax == Syntax::Datalog { "." } else { "" };
    let mut text = String::new();
    for (sign, facts) in [('-', &changes.went), ('+', &changes.came)] {
        for fact in facts {
            _ = writeln!(text, "{sign}{}{period}", print_atom(fact, syntax));
        }
    }
    text + "\n"
}

fn json(changes: &Changes, syntax: Syntax) -> Value {
    let facts = |facts: &[Atom]| -> Vec<Value> {
        let arguments = |fact: &Atom| fact.args.iter().map(|arg| term_to_json(arg, syntax)).collect::<Vec<_>>();
        facts.iter().map(|fact| json!({ "predicate": fact.predicate.text(), "arguments": arguments(fact) })).collect()
    };
    json!({ "went": facts(&changes.went), "came": facts(&changes.came) })
}
