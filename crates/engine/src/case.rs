//! Cases: the facts and events that a program is run on.

use ludolog_syntax::ast::{Atom, Predicate};

/// The facts and events that come to a program from outside: a position, a fact file, the moves of a game.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Facts that all cases of its kind share; grounding counts them as part of the program.
    pub geometry: Vec<Atom>,
    /// Facts of this case alone.
    pub facts: Vec<Atom>,
    /// The events that follow, in order.
    pub events: Vec<Atom>,
}

impl Case {
    /// A case of facts alone.
    pub fn of_facts(facts: Vec<Atom>) -> Case {
        Case { facts, ..Case::default() }
    }

    /// The predicates that this case has facts for, sorted.
    pub fn predicates(&self) -> Vec<Predicate> {
        let mut predicates: Vec<Predicate> = self.geometry.iter().chain(&self.facts).map(Atom::signature).collect();
        predicates.sort();
        predicates.dedup();
        predicates
    }
}
