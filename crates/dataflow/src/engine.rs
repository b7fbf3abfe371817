//! The engine: given facts here, everything else with the workers.
//!
//! The first update brings the workers to life: this process connects with the others, and every process hands the
//! given facts that it owns to its workers, which derive what follows [once](crate::once). The first change of facts
//! makes them begin again, with operators that [keep it up to date](crate::incremental), unless the engine was told
//! before that changes will come.

mod contract;

use crate::crew::Crew;
use crate::given::GivenFacts;
use crate::operators::RowCounts;
use crate::plan::DataflowPlan;
use crate::rules::names_in;
use crate::terms::PackedRows;
use crate::worker::{RowChange, WorkerReply, WorkerShared, WorkerTask};
use ludolog_engine::contract::Openness;
use ludolog_engine::value::{Interner, Value};
use ludolog_engine::{Engine, Retract, Rows, Tuples};
use ludolog_logic::analysis::clause::{Clause, Goal, Literal, TransitionClause};
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Effect, Name, Predicate, Purpose, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::diagnostic::Span;
use ludolog_workers::{LOOK, Processes, Unconnected};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Facts inserted between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Most looks at workers that have nothing left to do but to say so to those of other processes.
const GRACE: usize = 100;

/// A predicate, a row of it, and how often it came.
type Noted = (Predicate, Box<[Value]>, isize);

/// The engine over differential dataflow.
pub struct Dataflow {
    processes: Processes,
    openness: Openness,
    shared: WorkerShared,
    /// By predicate of the program: its number.
    numbers: FxHashMap<Predicate, usize>,
    transitions: Vec<TransitionClause>,
    given: GivenFacts,
    /// The workers, once there was an update.
    crew: Option<Crew>,
    /// Changes of given facts since the last update, to be handed out.
    changes: Vec<RowChange>,
    /// Whether workers keep what they derive up to date. They do from the first change on, for it costs several times
    /// as much.
    is_incremental: bool,
    /// Whether facts may have changed since the last update, here or in another process.
    is_outdated: bool,
    /// Whether changes of facts are noted, and those that nobody has asked for.
    noted: Option<Vec<Noted>>,
    /// Why there are no facts to be told: the last update was stopped.
    stopped: Option<Stopped>,
}

impl Dataflow {
    /// An engine with the program's facts on these processes.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, or when the program has transition rules and there are several processes.
    pub fn load(program: &OptimizedProgram, processes: &Processes, budget: &Budget) -> Result<Dataflow, Stopped> {
        let checked = &program.stratified.program;
        if processes.count() > 1 && !checked.transitions.is_empty() {
            return Err(Stopped::Unsupported(
                "transition rules run in one process: an event reads facts that no single process has".to_owned(),
            ));
        }
        let plan = Arc::new(DataflowPlan::of(program)?);
        let numbers = plan.predicates.iter().cloned().zip(0..).collect();
        let mut engine = Dataflow {
            processes: processes.clone(),
            openness: Openness::of(program),
            numbers,
            transitions: checked.transitions.clone(),
            given: GivenFacts::new(processes, &plan),
            shared: WorkerShared { plan, counts: RowCounts::default(), is_left: Arc::default() },
            crew: None,
            changes: Vec::new(),
            is_incremental: false,
            is_outdated: true,
            noted: None,
            stopped: None,
        };
        let mut poll = Poll::new(budget, POLL_EVERY);
        for fact in &checked.facts {
            poll.step()?;
            engine.add(fact);
        }
        Ok(engine)
    }

    /// Adds a given fact; `false` if it was given.
    fn add(&mut self, fact: &Atom) -> bool {
        self.is_outdated = true;
        let is_new = self.given.owns(fact, self.crew.is_none())
            && self.given.facts.insert(fact).expect("everything is open without rules");
        if is_new {
            self.note(fact, true);
        }
        is_new
    }

    /// Removes a given fact; `false` if it was not given.
    fn remove(&mut self, fact: &Atom) -> bool {
        self.is_outdated = true;
        let was_given = self.given.owns(fact, self.crew.is_none())
            && self.given.facts.retract(fact).expect("everything is open without rules");
        if was_given {
            self.note(fact, false);
        }
        was_given
    }

    /// Notes a change for the workers, if they have the facts before it.
    fn note(&mut self, fact: &Atom, comes: bool) {
        if self.crew.is_none() {
            return;
        }
        let row: Vec<Value> = fact.args.iter().map(|arg| self.given.facts.interner_mut().ground(arg)).collect();
        let predicate = fact.signature();
        if let Some(&predicate) = self.numbers.get(&predicate) {
            if self.changes.last().is_none_or(|last| (last.predicate, last.comes) != (predicate, comes)) {
                self.changes.push(RowChange { predicate, rows: PackedRows::default(), comes });
            }
            if let Some(change) = self.changes.last_mut() {
                change.rows.push(&row, self.given.facts.interner());
            }
        }
        // Workers tell of the others.
        if let Some(noted) = &mut self.noted
            && !self.shared.plan.derived.contains(&predicate)
        {
            noted.push((predicate, row.into(), if comes { 1 } else { -1 }));
        }
    }

    /// Connects with the other processes, and starts the workers.
    fn start(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let connected =
            self.processes.connect(self.given.fingerprint, budget).map_err(|unconnected| match unconnected {
                Unconnected::Stopped(Stopped::Interrupted, _) => Stopped::Interrupted,
                unconnected => Stopped::Unsupported(unconnected.to_string()),
            })?;
        let crew = Crew::start(&self.processes, connected, &self.shared, budget)?;
        self.crew = Some(crew);
        Ok(())
    }

    /// Notes why an update has stopped.
    fn halt(&mut self, stopped: Stopped) -> Stopped {
        if let Stopped::TermTooLarge(_) | Stopped::Overflow(_) | Stopped::Unsupported(_) = stopped {
            self.shared.is_left.store(true, Ordering::Relaxed);
        }
        self.stopped = Some(stopped.clone());
        stopped
    }

    fn run_update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        if self.shared.is_left.load(Ordering::Relaxed) {
            return Err(self.stopped.clone().unwrap_or(Stopped::Interrupted));
        }
        if self.crew.is_none() {
            self.start(budget)?;
            let given = self.given.as_changes(&self.shared.plan.predicates);
            self.is_outdated = false;
            if self.is_incremental {
                self.send(given, |changes| WorkerTask::Update { changes, tells: false });
            } else {
                self.send(given, WorkerTask::Derive);
            }
            return self.wait(budget);
        }
        // One that was stopped goes on.
        self.wait(budget)?;
        if !std::mem::take(&mut self.is_outdated) {
            return Ok(());
        }
        self.shared.counts.replaced.store(0, Ordering::Relaxed);
        let changes = std::mem::take(&mut self.changes);
        if changes.is_empty() && self.processes.count() == 1 {
            return Ok(());
        }
        if !std::mem::replace(&mut self.is_incremental, true) {
            let mut before = self.given.as_changes(&self.shared.plan.predicates);
            before.extend(changes.iter().map(|change| RowChange { comes: !change.comes, ..change.clone() }));
            self.shared.counts.held.store(0, Ordering::Relaxed);
            self.send(before, |changes| WorkerTask::Update { changes, tells: false });
        }
        let tells = self.noted.is_some();
        self.send(changes, |changes| WorkerTask::Update { changes, tells });
        self.wait(budget)
    }

    /// Hands each worker a share of the changes.
    fn send(&mut self, changes: Vec<RowChange>, command: impl Fn(Vec<RowChange>) -> WorkerTask) {
        let Some(crew) = &mut self.crew else { return };
        let mut shares: Vec<Vec<RowChange>> = crew.workers.iter().map(|_| Vec::new()).collect();
        let count = shares.len();
        let DataflowPlan { predicates, derived, .. } = &*self.shared.plan;
        for (number, change) in changes.into_iter().enumerate() {
            if !derived.contains(&predicates[change.predicate]) {
                let rows = change.rows.rows as i64;
                self.shared.counts.held.fetch_add(if change.comes { rows } else { -rows }, Ordering::Relaxed);
            }
            shares[number % count].push(change);
        }
        crew.send(shares.into_iter().map(command));
    }

    /// Waits until updates are complete, and takes in what workers tell of them.
    fn wait(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let Some(crew) = &mut self.crew else { return Ok(()) };
        let numbers = &self.shared.plan.predicates;
        let noted = &mut self.noted;
        let interner = self.given.facts.interner_mut();
        crew.wait(budget, &self.shared.counts, |reply| take_changes(reply, numbers, interner, noted))
    }

    /// The rows that workers reply with.
    fn rows(&mut self, command: impl Fn(usize) -> WorkerTask, budget: &Budget) -> Result<Vec<PackedRows>, Stopped> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let Some(crew) = &mut self.crew else { return Ok(Vec::new()) };
        crew.send((0..crew.workers.len()).map(command));
        let mut all = Vec::new();
        let waited = crew.wait(budget, &self.shared.counts, |reply| match reply {
            WorkerReply::Rows(worker, rows) => all.push((worker, rows)),
            reply => unreachable!("rows were asked for, not {reply:?}"),
        });
        waited.map_err(|stopped| self.halt(stopped))?;
        // The same order each time.
        all.sort_unstable_by_key(|(worker, _)| *worker);
        Ok(all.into_iter().map(|(_, rows)| rows).collect())
    }

    /// The answers to a goal of which this process has a share.
    fn answers(&mut self, goal: &Goal, budget: &Budget) -> Result<Tuples, Stopped> {
        let mut read = goal.body.iter().filter_map(Literal::atom).map(Atom::signature);
        if self.processes.count() == 1 && read.all(|predicate| !self.shared.plan.derived.contains(&predicate)) {
            self.given.facts.update(budget)?;
            let answers = self.given.facts.solve_rows(goal, false, budget);
            return answers.stopped.map_or(Ok(answers.rows), Err);
        }
        let args = goal.variables.iter().map(|name| Term::Variable(name.clone())).collect();
        let rule = Clause { head: Atom::new(Purpose::Answer, args), body: goal.body.clone(), span: goal.span };
        let mut others: Vec<(Predicate, PackedRows)> = Vec::new();
        for atom in goal.body.iter().filter_map(Literal::atom) {
            let predicate = atom.signature();
            if self.shared.plan.derived.contains(&predicate) || others.iter().any(|(other, _)| *other == predicate) {
                continue;
            }
            let packed = self.given.pieces(&predicate, usize::MAX, budget)?.pop().unwrap_or_default();
            others.push((predicate, packed));
        }
        let rule = Arc::new(rule);
        let command = |worker: usize| WorkerTask::Solve {
            rule: rule.clone(),
            others: if worker == 0 { others.clone() } else { Vec::new() },
        };
        let packed = self.rows(command, budget)?;
        let arity = goal.variables.len();
        let mut tuples = Tuples::new(arity);
        for packed in packed {
            packed.for_each(arity, self.given.facts.interner_mut(), |row, _| tuples.push(row));
        }
        Ok(tuples)
    }

    /// The deletions and additions of the transition rules, in the old state with the event.
    fn effects(&mut self, budget: &Budget) -> Result<[Vec<Atom>; 2], Stopped> {
        self.update(budget)?;
        let mut deletions = Vec::new();
        let mut additions = Vec::new();
        for transition in self.transitions.clone() {
            let args = transition.effects.iter().flat_map(|(Effect::Add(atom) | Effect::Delete(atom))| &atom.args);
            let variables = names_in(args);
            let goal = Goal { body: transition.conditions.clone(), variables, span: transition.span };
            let tuples = self.answers(&goal, budget)?;
            for row in tuples.rows() {
                let place = |name: &Name| goal.variables.iter().position(|other| other == name);
                let mut value = |name: &Name| place(name).map(|place| self.given.facts.interner().term(row[place]));
                for effect in &transition.effects {
                    let (list, atom) = match effect {
                        Effect::Add(atom) => (&mut additions, atom),
                        Effect::Delete(atom) => (&mut deletions, atom),
                    };
                    let args = atom.args.iter().map(|arg| arg.replace_variables(&mut value)).collect();
                    list.push(Atom { args, ..atom.clone() });
                }
            }
        }
        Ok([deletions, additions])
    }

    /// Calls `visit` with the rows of a predicate that this process owns.
    fn visit(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value]),
    ) -> Result<(), Stopped> {
        if !self.shared.plan.derived.contains(predicate) {
            return self.given.facts.for_each_row(predicate, budget, visit);
        }
        let number = self.numbers[predicate];
        for packed in self.rows(|_| WorkerTask::Rows(number), budget)? {
            packed.for_each(predicate.arity, self.given.facts.interner_mut(), |row, _| visit(row));
        }
        Ok(())
    }
}

/// Takes in what a worker tells of an update.
fn take_changes(reply: WorkerReply, predicates: &[Predicate], interner: &mut Interner, noted: &mut Option<Vec<Noted>>) {
    let (WorkerReply::Updated(changes), Some(noted)) = (reply, noted) else { return };
    for (number, packed) in changes {
        let predicate = &predicates[number];
        for (packed, change) in packed.iter().zip([1, -1]) {
            packed.for_each(predicate.arity, interner, |row, _| noted.push((predicate.clone(), row.into(), change)));
        }
    }
}

/// The fact of a row.
fn atom(predicate: &Predicate, row: &[Value], interner: &Interner) -> Atom {
    let args = row.iter().map(|&value| interner.term(value)).collect();
    Atom { predicate: predicate.name.clone(), args, span: Span::NONE }
}

impl Drop for Dataflow {
    /// Workers that have done their work say so to those of other processes; those that have not are left.
    fn drop(&mut self) {
        let Some(crew) = self.crew.take() else { return };
        if crew.awaited > 0 || self.stopped.is_some() {
            self.shared.is_left.store(true, Ordering::Relaxed);
        }
        let Crew { workers, running, .. } = crew;
        for (sender, thread) in workers {
            drop(sender);
            thread.unpark();
        }
        let has_others = self.processes.count() > 1 && !self.shared.is_left.load(Ordering::Relaxed);
        for _ in 0..if has_others { GRACE } else { 0 } {
            if !matches!(running.wait(LOOK), Ok(None)) {
                return;
            }
        }
    }
}
