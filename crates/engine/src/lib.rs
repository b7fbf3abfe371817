//! Engines: facts in, facts out.
//!
//! Every engine takes an [`OptimizedProgram`](ludolog_logic::optimize::OptimizedProgram) and answers through the one trait
//! [`Engine`]; the same program gives the same answers on all engines that can take it.
//!
//! * [`resolution`], top-down: from the goal to the facts it needs, without memory.
//! * [`semi_naive`], bottom-up: from the facts to all that follows.
//! * [`value`]: ground terms as 32-bit ids.
//! * [`term`]: terms with slots, compiled: match, build, compute, compare.

pub mod resolution;
pub mod semi_naive;
pub mod term;
pub mod value;

pub use ludolog_syntax::budget::{Budget, Stopped};

use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::ast::{Atom, Predicate, Term};

/// Counted work: the same on every machine and in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Distinct facts derived (semi-naive), or heads proved (resolution, where the same fact may be proved many times).
    pub derived: u64,
    /// Rows and clause heads that a subgoal was tried against.
    pub probes: u64,
}

/// What a goal came to. With `stopped`, the answers found until then.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One row for each answer, without duplicates, in the order found; columns as [`Goal::variables`].
    pub rows: Vec<Vec<Term>>,
    pub stopped: Option<Stopped>,
}

/// A loaded program with its facts.
///
/// Life cycle: make it from an optimized program (its facts are in), [`insert`](Engine::insert) the facts of the
/// case at hand, [`update`](Engine::update), ask; then insert more, or [`fire`](Engine::fire) events, and so on.
pub trait Engine {
    /// Adds a ground fact; `false` when it was there. Its consequences wait for [`update`](Engine::update).
    fn insert(&mut self, fact: &Atom) -> bool;

    /// Brings the derived facts up to date with the inserted ones. An engine that derives on demand has nothing to do.
    /// After an error what has been derived stays, and a later call goes on.
    fn update(&mut self, budget: &Budget) -> Result<(), Stopped>;

    /// Solves a goal over the facts as of the last update; with `first`, stops at the first answer.
    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers;

    /// Runs the transition rules for an event. The consequences wait for [`update`](Engine::update).
    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped>;

    /// All facts of a predicate, given and derived, without duplicates, in no promised order.
    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped>;

    /// The predicates that have rules or facts, without auxiliary ones, sorted.
    fn predicates(&self) -> Vec<Predicate>;

    /// Work done since the engine was made.
    fn work(&self) -> Work;
}
