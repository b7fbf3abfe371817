//! The contract of every engine: facts in, facts out, and optional capabilities.

use crate::derivation::Derivation;
use crate::profile::Evaluation;
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::Table;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use std::fmt;
use std::num::NonZero;

/// Facts inserted, or answers made terms, between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Counts of work, the same on every machine and in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Distinct facts derived (bottom-up), or heads proved (top-down, where the same fact may be proved many times).
    pub derived: u64,
    /// Rows and clause heads that subgoals were matched against.
    pub probes: u64,
}

/// The answers to a goal; if `stopped`, the answers found before the stop.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One row for each answer, without duplicates, in the order found; columns as [`Goal::variables`].
    pub rows: Vec<Vec<Term>>,
    /// The reason why answers may be missing; `None` if the answers are complete.
    pub stopped: Option<Stopped>,
}

impl Answers {
    /// Asks an engine by rows, and makes terms of its answers.
    pub fn of(engine: &mut dyn Rows, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        let AnswerRows { tuples, stopped } = engine.solve_rows(goal, first, budget);
        let mut answers = Answers { rows: Vec::new(), stopped };
        let mut poll = Poll::new(budget, POLL_EVERY);
        for row in tuples.rows() {
            answers.rows.push(row.iter().map(|&value| engine.interner().term(value)).collect());
            if let Err(stopped) = poll.step() {
                _ = answers.stopped.get_or_insert(stopped);
                break;
            }
        }
        answers
    }
}

/// [`Answers`] as rows of ids.
#[derive(Clone, Debug, Default)]
pub struct AnswerRows {
    /// One row for each answer, without duplicates, in the order found; columns as [`Goal::variables`].
    pub tuples: Tuples,
    /// The reason why answers may be missing; `None` if the answers are complete.
    pub stopped: Option<Stopped>,
}

/// The memory of an engine, and the number of facts it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of rows, membership tables, indices and closures.
    pub bytes: u64,
    /// Facts held, pairs of closures included.
    pub facts: u64,
}

/// The optional operations that an engine supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`Engine::derivation`] explains facts, if the engine was loaded to record derivations.
    pub explain: bool,
    /// [`Engine::count`] and [`Engine::memory`] count facts without materializing them.
    pub count: bool,
    /// [`Engine::retract`] and [`Engine::replace`] remove facts.
    pub retract: bool,
    /// A run stops when its budget ends. Otherwise only ending the process stops it.
    pub interrupt: bool,
    /// The engine runs optimized programs. Otherwise it needs the program as written.
    pub optimized: bool,
    /// [`Engine::as_rows`] hands out and takes facts as rows of ids.
    pub rows: bool,
    /// [`Engine::evaluation`] tells the costs by stratum and rule.
    pub profile: bool,
    /// [`Engine::use_threads`] shares work among threads.
    pub threads: bool,
    /// [`Engine::changes`] tells what updates change, at a cost that grows with the changes and not with the facts.
    pub changes: bool,
    /// Predicates that depend on their own negation get their well-founded model.
    pub well_founded: bool,
}

/// The facts that came and the facts that went, each in unspecified order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Facts that hold now and did not before.
    pub came: Vec<Atom>,
    /// Facts that held before and do not now.
    pub went: Vec<Atom>,
}

/// The reason why a change of facts is rejected: it would lead to wrong answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The optimized program treats the facts of this predicate as final: a pass grounded them, pruned them, or
    /// restricted them to the goal.
    Closed(Predicate),
    /// The fact has a variable.
    NotGround(Atom),
    /// The engine of this name cannot remove facts.
    NoRetraction(&'static str),
    /// The engine of this name has no facts as rows of ids.
    NoRows(&'static str),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Closed(predicate) => {
                write!(f, "the plan takes the facts of `{predicate}` as final; plan with it as an input to change them")
            }
            Refused::NotGround(fact) => {
                write!(f, "a fact of `{}` has a variable; facts are ground", fact.signature())
            }
            Refused::NoRetraction(engine) => write!(f, "the engine {engine} cannot take facts away"),
            Refused::NoRows(engine) => write!(f, "the engine {engine} cannot play games: it has no rows of ids"),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Stopped {
        Stopped::Unsupported(refused.to_string())
    }
}

/// A loaded program with its facts.
///
/// Life cycle: load an optimized program (with its facts), [`insert`](Engine::insert) the facts of the case,
/// [`update`](Engine::update), [`solve`](Engine::solve); then change facts or [`fire`](Engine::fire) events, update,
/// solve, and so on. Answers are always those of the program with the facts given at that time: a change that the
/// optimized program no longer permits is [`Refused`].
pub trait Engine: Send {
    /// Adds a ground fact; `false` if it held already. The next [`update`](Engine::update) derives its consequences.
    ///
    /// # Errors
    ///
    /// [`Refused::Closed`] and [`Refused::NotGround`]; the facts stay as they were.
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused>;

    /// Adds the facts of a table. As provided, they are [inserted](Engine::insert) one by one.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends or the predicate is closed.
    fn insert_table(&mut self, table: &Table, budget: &Budget) -> Result<(), Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        for fact in table.atoms(table.rows()) {
            poll.step()?;
            self.insert(&fact)?;
        }
        Ok(())
    }

    /// Removes a given fact; `false` if it was not given. A fact that rules also derive still holds. The next
    /// [`update`](Engine::update) derives the consequences.
    ///
    /// # Errors
    ///
    /// As [`insert`](Engine::insert), and [`Refused::NoRetraction`].
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused>;

    /// Replaces the given facts of `predicate` by `facts`, which must be ground facts of that predicate. The next
    /// update rederives the predicates that depend on it and keeps all others.
    ///
    /// # Errors
    ///
    /// As [`retract`](Engine::retract).
    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused>;

    /// Brings the derived facts up to date with the given ones. An engine that derives on demand has nothing to do.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends. Facts derived before the stop are kept, and a later call continues.
    fn update(&mut self, budget: &Budget) -> Result<(), Stopped>;

    /// Solves a goal over the facts as of the last update; with `first`, stops at the first answer.
    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers;

    /// Applies the transition rules to an event: reads all conditions in the old state, then deletes, then adds. The
    /// next [`update`](Engine::update) derives the consequences.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends or the event's predicate is closed. No fact has changed then.
    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped>;

    /// All facts of a predicate, given and derived, without duplicates, in unspecified order.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped>;

    /// The engine by rows of ids; `None` without [`Capabilities::rows`].
    fn as_rows(&mut self) -> Option<&mut dyn Rows> {
        None
    }

    /// The predicates that have rules or facts, without auxiliary ones, sorted.
    fn predicates(&self) -> Vec<Predicate>;

    /// Work done since the engine was loaded.
    fn work(&self) -> Work;

    /// Counts the facts of a predicate without materializing them; `None` without [`Capabilities::count`].
    fn count(&self, _predicate: &Predicate) -> Option<u64> {
        None
    }

    /// Counts memory; `None` without [`Capabilities::count`].
    fn memory(&self) -> Option<Memory> {
        None
    }

    /// Explains a fact by the rules that first derived it; `None` if the fact does not hold, or without
    /// [`Capabilities::explain`].
    fn derivation(&mut self, _fact: &Atom) -> Option<Derivation> {
        None
    }

    /// Shares the work of updates and goals among threads from now on, with the same facts in the same order; nothing without
    /// [`Capabilities::threads`].
    fn use_threads(&mut self, _threads: NonZero<usize>) {}

    /// Notes from now on what updates change, but for the first update, before which there are no facts; nothing without
    /// [`Capabilities::changes`]. An engine that is told before that update gets ready for changes at once.
    fn start_changes(&mut self) {}

    /// The changes of given and derived facts by the updates since this was asked last; `None` if they are not noted.
    fn changes(&mut self) -> Option<Changes> {
        None
    }

    /// Counts costs by stratum and rule from now on; nothing without [`Capabilities::profile`].
    fn start_profile(&mut self) {}

    /// The costs since [`start_profile`](Engine::start_profile); `None` if they are not counted.
    fn evaluation(&self) -> Option<Evaluation> {
        None
    }
}

/// The facts of an engine as rows of ids, by which those who ask often avoid making and reading terms.
///
/// Ids are those of the engine's [`Interner`]: they stay valid as long as the engine lives, and mean nothing to another one.
pub trait Rows {
    /// The terms of the ids.
    fn interner(&self) -> &Interner;

    /// The terms of the ids, for new ones.
    fn interner_mut(&mut self) -> &mut Interner;

    /// [`Engine::replace`] by the rows that `cells` holds one after the other; the predicate has arguments.
    ///
    /// # Errors
    ///
    /// As [`Engine::replace`].
    fn replace_rows(&mut self, predicate: &Predicate, cells: &[Value]) -> Result<(), Refused>;

    /// [`Engine::update`] of what a predicate depends on, and no more: the facts of others may lag behind until they are
    /// updated.
    ///
    /// # Errors
    ///
    /// As [`Engine::update`].
    fn update_of(&mut self, predicate: &Predicate, budget: &Budget) -> Result<(), Stopped>;

    /// Calls `visit` with the arguments of each fact that [`Engine::facts`] returns, in the same order.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    fn for_each_row(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value]),
    ) -> Result<(), Stopped>;

    /// [`Engine::solve`] with the answers as rows.
    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> AnswerRows;
}
