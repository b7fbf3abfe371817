//! The contract of every engine: facts in, facts out, and what an engine can do beyond that.

use crate::derivation::Derivation;
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;

/// Counted work: the same on every machine and in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Distinct facts derived (bottom-up), or heads proved (top-down, where the same fact may be proved many times).
    pub derived: u64,
    /// Rows and clause heads that a subgoal was tried against.
    pub probes: u64,
}

/// The answers to a goal; with `stopped`, those found until then.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One row for each answer, without duplicates, in the order found; columns as [`Goal::variables`].
    pub rows: Vec<Vec<Term>>,
    /// Why not all answers were found, if so.
    pub stopped: Option<Stopped>,
}

/// The memory of an engine, and the facts it stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of rows, membership tables, indices and closures.
    pub bytes: u64,
    /// Facts held, pairs of closures included.
    pub facts: u64,
}

/// What an engine can do beyond answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`Engine::derivation`] tells why a fact holds, when the engine was loaded to record derivations.
    pub explain: bool,
    /// [`Engine::count`] and [`Engine::memory`] count facts without materializing them.
    pub count: bool,
    /// [`Engine::retract`] and [`Engine::replace`] take facts away.
    pub retract: bool,
    /// A run ends within the budget. Without it, only the end of the process ends a run.
    pub interrupt: bool,
    /// The program is run as the optimizer left it, not as written.
    pub optimized: bool,
}

/// A change of facts that would give wrong answers, and is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The optimized program takes the facts of this predicate as final: they were grounded, pruned, or restricted to the
    /// goal.
    Closed(Predicate),
    /// The fact has a variable.
    NotGround(Atom),
    /// The engine cannot take facts away; its name.
    NoRetraction(&'static str),
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
/// Life cycle: load it from an optimized program (its facts are in), [`insert`](Engine::insert) the facts of the case at
/// hand, [`update`](Engine::update), ask; then change facts or [`fire`](Engine::fire) events, update, ask, and so on. The
/// answers are always those of the program with the facts given at that time: a change that the optimized program cannot
/// take any more is [`Refused`].
pub trait Engine {
    /// Adds a ground fact; `false` when it held already. Its consequences wait for [`update`](Engine::update).
    ///
    /// # Errors
    ///
    /// [`Refused::Closed`] and [`Refused::NotGround`]; the facts stay as they were.
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused>;

    /// Takes away a fact that was given; `false` when it was not given. A fact that rules derive stays derived. The
    /// consequences wait for [`update`](Engine::update).
    ///
    /// # Errors
    ///
    /// As [`insert`](Engine::insert), and [`Refused::NoRetraction`].
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused>;

    /// Makes `facts` (all of `predicate`, ground) the whole of what is given of a predicate. What depends on it is derived
    /// afresh at the next update; all else stays.
    ///
    /// # Errors
    ///
    /// As [`retract`](Engine::retract).
    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused>;

    /// Brings the derived facts up to date with the given ones. An engine that derives on demand has nothing to do.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends. What has been derived stays, and a later call goes on.
    fn update(&mut self, budget: &Budget) -> Result<(), Stopped>;

    /// Solves a goal over the facts as of the last update; with `first`, stops at the first answer.
    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers;

    /// Runs the transition rules for an event. The consequences wait for [`update`](Engine::update).
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends or the event's predicate is closed; then no fact has changed.
    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped>;

    /// All facts of a predicate, given and derived, without duplicates, in no promised order.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped>;

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

    /// Explains a fact by the rules that first derived it; `None` when it does not hold, or without
    /// [`Capabilities::explain`].
    fn derivation(&mut self, _fact: &Atom) -> Option<Derivation> {
        None
    }
}
