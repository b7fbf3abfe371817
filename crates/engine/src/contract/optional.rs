//! The optional operations of an engine, each a trait that [`Engine`] has an accessor for.

#[cfg(doc)]
use super::Engine;
use super::{Answers, Refused};
use crate::costs::Evaluation;
use crate::derivation::Derivation;
use crate::ranks::RankRange;
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::Goal;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use std::num::NonZero;
use std::ops::Range;

/// The facts of an engine as rows of ids, by which those who ask often avoid making and reading terms.
///
/// Ids are those of the engine's [`Interner`]: they stay valid as long as the engine lives, and mean nothing to another one.
pub trait Rows {
    /// The terms of the ids.
    fn interner(&self) -> &Interner;

    /// The terms of the ids, for new ones.
    fn interner_mut(&mut self) -> &mut Interner;

    /// [`Retract::replace`] by the rows that `cells` holds one after the other; the predicate has arguments.
    ///
    /// # Errors
    ///
    /// As [`Retract::replace`].
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

    /// The facts of a predicate, if some of them can be read without all others.
    fn held(&self, _: &Predicate) -> Option<&dyn HeldFacts> {
        None
    }

    /// [`Engine::solve`] with the answers as rows.
    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers<Tuples>;
}

/// The facts of a predicate with arguments as an engine holds them, so that a reader need not copy all of them at once.
pub trait HeldFacts {
    /// Whether each is stored; others are made when they are read.
    fn are_stored(&self) -> bool;

    /// All values that occur in the facts, and perhaps others, any number of times, in parts.
    fn values(&self) -> Vec<&[Value]>;

    /// The first arguments of about so many facts, evenly spread.
    fn sample(&self, count: usize) -> Vec<Value>;

    /// Adds the facts whose first arguments are in a range, in unspecified order.
    fn copy_part(&self, range: &RankRange, to: &mut Tuples);
}

/// Removes given facts.
pub trait Retract {
    /// Removes a given fact; `false` if it was not given. A fact that rules also derive still holds. The next
    /// [`update`](Engine::update) derives the consequences.
    ///
    /// # Errors
    ///
    /// As [`Engine::insert`].
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused>;

    /// Replaces the given facts of `predicate` by `facts`, which must be ground facts of that predicate. The next
    /// update rederives the predicates that depend on it and keeps all others.
    ///
    /// # Errors
    ///
    /// As [`Engine::insert`].
    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused>;
}

/// Counts what an engine holds, without materializing facts.
pub trait Count {
    /// The number of facts of a predicate.
    fn count(&self, predicate: &Predicate) -> u64;

    /// The memory of all facts.
    fn memory(&self) -> Memory;
}

/// The memory of an engine, and the number of facts it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of rows, membership tables, indices and closures.
    pub bytes: u64,
    /// Facts held, pairs of closures included.
    pub facts: u64,
}

/// Gives up what is not asked for, so that it takes less memory to answer one question.
pub trait Forget {
    /// Gives up, in the updates from now on, the facts that no rule reads any more, but for those of these predicates. Nothing but these may be
    /// asked for then, and no fact may change.
    fn keep_only(&mut self, kept: &[Predicate]);
}

/// Runs programs of whose rules parts were taken out, to be derived on their own.
pub trait Parts {
    /// Sets whether updates [stop](Stopped::Outgrown) where a part has many more rows than what it is made of.
    fn doubt_parts(&mut self, doubts: bool);
}

/// A predicate that has all of its facts.
#[derive(Clone, Debug)]
pub struct CompletePredicate {
    /// The predicate.
    pub predicate: Predicate,
    /// The number of facts.
    pub facts: u64,
    /// Whether it has rules.
    pub is_derived: bool,
    /// Whether another program can take the facts over.
    pub is_held: bool,
}

/// Goes on with another program where predicates have not as many facts as this one was planned for.
pub trait Replan {
    /// Whether it is to be planned again wherever a size is not as expected, so that small programs test it.
    fn is_early(&self) -> bool;

    /// Sets the numbers of facts outside of which updates [stop](Stopped::Misjudged) behind a predicate that has rules. Those of all others do not
    /// matter.
    fn expect(&mut self, expected: Vec<(Predicate, Range<u64>)>);

    /// The predicates that have all facts that there will be, if no more are given.
    fn complete(&self) -> Vec<CompletePredicate>;

    /// At most so many facts of a predicate, evenly spread.
    fn sample(&self, predicate: &Predicate, most: usize) -> Vec<Atom>;

    /// Loads another program in place of this one. The facts of these predicates, which are [held](CompletePredicate::is_held) and have no rules in
    /// it, are given, and all others are forgotten. Work counts on; nothing is expected of sizes, and nothing is forgotten any more.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends; then there is no program.
    fn load_behind(&mut self, program: &OptimizedProgram, held: &[Predicate], budget: &Budget) -> Result<(), Stopped>;
}

/// Explains facts, if the engine was loaded to record derivations.
pub trait Explain {
    /// Explains a fact by the rules that first derived it; `None` if the fact does not hold.
    fn derivation(&mut self, fact: &Atom) -> Option<Derivation>;
}

/// Tells what updates change, at a cost that grows with the changes and not with the facts.
pub trait Track {
    /// Notes from now on what updates change, but for the first update, before which there are no facts. An engine that is told
    /// before that update gets ready for changes at once.
    fn start_changes(&mut self);

    /// The changes of given and derived facts by the updates since this was asked last; none if they are not noted.
    fn changes(&mut self) -> Changes;
}

/// The facts that came and the facts that went, each in unspecified order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Facts that hold now and did not before.
    pub came: Vec<Atom>,
    /// Facts that held before and do not now.
    pub went: Vec<Atom>,
}

/// Tells the costs by stratum and rule.
pub trait Profiled {
    /// Counts costs from now on.
    fn start_profile(&mut self);

    /// The costs since [`start_profile`](Self::start_profile); none if they are not counted.
    fn evaluation(&self) -> Evaluation;
}

/// Shares work among threads.
pub trait Parallel {
    /// Shares the work of updates and goals among threads from now on, with the same facts in the same order.
    fn use_threads(&mut self, threads: NonZero<usize>);
}
