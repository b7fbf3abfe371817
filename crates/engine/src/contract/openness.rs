//! Checks that a loaded program permits a change of facts.

use crate::contract::Refused;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate};
use rustc_hash::FxHashSet;

/// The predicates whose facts are final, as the optimized program says.
#[derive(Clone, Debug)]
pub struct Openness {
    closed: FxHashSet<Predicate>,
}

impl Openness {
    /// The closed predicates of an optimized program.
    pub fn of(program: &OptimizedProgram) -> Openness {
        Openness { closed: program.closed.clone() }
    }

    /// Refuses a fact of a closed predicate, and one that is not ground.
    ///
    /// # Errors
    ///
    /// [`Refused::Closed`] and [`Refused::NotGround`].
    pub fn check(&self, fact: &Atom) -> Result<(), Refused> {
        if fact.is_ground() { self.check_predicate(&fact.signature()) } else { Err(Refused::NotGround(fact.clone())) }
    }

    /// Refuses a closed predicate.
    ///
    /// # Errors
    ///
    /// [`Refused::Closed`].
    pub fn check_predicate(&self, predicate: &Predicate) -> Result<(), Refused> {
        if self.closed.contains(predicate) { Err(Refused::Closed(predicate.clone())) } else { Ok(()) }
    }
}
