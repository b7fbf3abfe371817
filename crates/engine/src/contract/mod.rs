//! The contract of every engine: facts in, facts out.
//!
//! * [`Engine`]: the operations that every engine has.
//! * [`optional`]: those that some have, a trait each.
//! * [`description`]: all that is known of an engine before it is loaded.
//! * [`openness`]: the check of changes that engines share.

pub mod description;
pub mod openness;
pub mod optional;

pub use description::{EngineDescription, Load};
pub use openness::Openness;
pub use optional::{
    Changes, CompletePredicate, Count, Explain, Forget, HeldFacts, Memory, Parallel, Parts, Profiled, Replan, Retract,
    Rows, Track,
};

#[cfg(doc)]
use crate::tuples::Tuples;
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::Table;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use std::fmt;

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

/// The answers to a goal, as rows of terms or as [rows of ids](Tuples); if `stopped`, the answers found before the stop.
#[derive(Clone, Debug, Default)]
pub struct Answers<R = Vec<Vec<Term>>> {
    /// One row for each answer, without duplicates, in the order found; columns as [`Goal::variables`].
    pub rows: R,
    /// The reason why answers may be missing; `None` if the answers are complete.
    pub stopped: Option<Stopped>,
}

impl Answers {
    /// Asks an engine by rows, and makes terms of its answers.
    pub fn of(engine: &mut dyn Rows, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        let Answers { rows: tuples, stopped } = engine.solve_rows(goal, first, budget);
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
///
/// The accessors tell which of the [`optional`] operations an engine has; as provided, it has none of them.
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

    /// The predicates that have rules or facts, without auxiliary ones, sorted.
    fn predicates(&self) -> Vec<Predicate>;

    /// Work done since the engine was loaded.
    fn work(&self) -> Work;

    /// The engine by rows of ids.
    fn as_rows(&mut self) -> Option<&mut dyn Rows> {
        None
    }

    /// The removal of given facts.
    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        None
    }

    /// The numbers of facts and bytes.
    fn as_count(&self) -> Option<&dyn Count> {
        None
    }

    /// Facts that are given up.
    fn as_forget(&mut self) -> Option<&mut dyn Forget> {
        None
    }

    /// Parts that were taken out of rules.
    fn as_parts(&mut self) -> Option<&mut dyn Parts> {
        None
    }

    /// Another program in place of this one.
    fn as_replan(&mut self) -> Option<&mut dyn Replan> {
        None
    }

    /// The derivations of facts; `None` also of an engine that was not loaded to
    /// [record](EngineDescription::load_recording) them.
    fn as_explain(&mut self) -> Option<&mut dyn Explain> {
        None
    }

    /// The changes that updates make.
    fn as_track(&mut self) -> Option<&mut dyn Track> {
        None
    }

    /// The costs by stratum and rule.
    fn as_profiled(&mut self) -> Option<&mut dyn Profiled> {
        None
    }

    /// Several threads.
    fn as_parallel(&mut self) -> Option<&mut dyn Parallel> {
        None
    }
}
