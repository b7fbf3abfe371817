//! Cases: the facts and events that a program is run on.

use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::{Facts, Table};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The facts and events that come to a program from outside: a position, a fact file, the moves of a game.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Facts that all cases of its kind share; grounding counts them as part of the program.
    pub geometry: Vec<Atom>,
    /// Facts of this case alone.
    pub facts: Vec<Atom>,
    /// Further facts of this case, as tables.
    pub tables: Vec<Arc<Table>>,
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
        let atoms = self.geometry.iter().chain(&self.facts).map(Atom::signature);
        let predicates: BTreeSet<Predicate> = atoms.chain(self.table_predicates()).collect();
        predicates.into_iter().collect()
    }

    /// The predicates of the tables.
    pub fn table_predicates(&self) -> impl Iterator<Item = Predicate> {
        self.tables.iter().map(|table| table.predicate().clone())
    }

    /// Adds facts that were read from files.
    pub fn extend(&mut self, facts: Facts) {
        self.facts.extend(facts.atoms);
        self.tables.extend(facts.tables.into_iter().map(Arc::new));
    }

    /// Whether `fact` is one of the facts of this case alone. Linear in their number.
    pub fn contains(&self, fact: &Atom) -> bool {
        self.facts.contains(fact) || self.tables.iter().any(|table| table.contains(fact))
    }

    /// Removes one of the facts of this case alone; `false` if it is none. Linear in their number.
    pub fn remove(&mut self, fact: &Atom) -> bool {
        let count = self.facts.len();
        self.facts.retain(|other| other != fact);
        let mut removed = self.facts.len() < count;
        for table in self.tables.iter_mut().filter(|table| table.contains(fact)) {
            removed |= Arc::make_mut(table).remove(fact);
        }
        removed
    }
}
