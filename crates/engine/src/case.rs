//! Cases: the facts and events that a program is run on.

use indexmap::IndexSet;
use ludolog_logic::analysis::GivenColumns;
use ludolog_logic::analysis::clause::CheckedProgram;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::{Facts, Table};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Atoms, each once.
pub type AtomSet = IndexSet<Atom, FxBuildHasher>;

/// The facts and events that come to a program from outside: a position, a fact file, the moves of a game.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Facts that all cases of its kind share; grounding counts them as part of the program.
    pub geometry: Vec<Atom>,
    /// Facts of this case alone.
    pub facts: AtomSet,
    /// Further facts of this case, as tables.
    pub tables: Vec<Arc<Table>>,
    /// The events that follow, in order.
    pub events: Vec<Atom>,
}

impl Case {
    /// A case of facts alone.
    pub fn of_facts(facts: impl IntoIterator<Item = Atom>) -> Case {
        Case { facts: facts.into_iter().collect(), ..Case::default() }
    }

    /// The predicates that this case has facts for, sorted.
    pub fn predicates(&self) -> Vec<Predicate> {
        // Facts of a predicate mostly stand together, so that few are looked up.
        let atoms = self.geometry.iter().chain(&self.facts);
        let mut atoms: Vec<&Atom> = atoms.collect();
        atoms.dedup_by(|one, other| one.predicate == other.predicate && one.args.len() == other.args.len());
        let atoms = atoms.into_iter().map(Atom::signature);
        let predicates: BTreeSet<Predicate> = atoms.chain(self.table_predicates()).collect();
        predicates.into_iter().collect()
    }

    /// The predicates that this case has facts for, with the kinds of values in their columns, for a program.
    pub fn columns(&self, program: &CheckedProgram) -> GivenColumns<'_> {
        let tables = self.tables.iter().map(|table| &**table);
        GivenColumns::new(program, self.geometry.iter().chain(&self.facts), tables)
    }

    /// The arguments of its facts and the terms of its tables; those of a table each once, with some that rows had that are gone.
    pub fn terms(&self) -> impl Iterator<Item = &Term> + Clone {
        let tables = self.tables.iter().flat_map(|table| table.constants());
        self.geometry.iter().chain(&self.facts).flat_map(|fact| &fact.args).chain(tables)
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

    /// Whether `fact` is one of the facts of this case alone. In constant time, except for the first look into a table.
    pub fn contains(&self, fact: &Atom) -> bool {
        self.facts.contains(fact) || self.tables.iter().any(|table| table.contains(fact))
    }

    /// Removes one of the facts of this case alone; `false` if it is none. Others may change their order. In constant time, except for
    /// a table that another case shares.
    pub fn remove(&mut self, fact: &Atom) -> bool {
        let mut removed = self.facts.swap_remove(fact);
        for table in self.tables.iter_mut().filter(|table| table.contains(fact)) {
            removed |= Arc::make_mut(table).remove(fact);
        }
        removed
    }
}
