//! The facts and rules of the program and the inserted facts, by predicate.

use super::table::Table;
use crate::value::{Functor, Interner, Value};
use indexmap::IndexMap;
use ludolog_logic::analysis::clause::{CheckedProgram, Clause};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Facts and rules read between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// The number of a predicate in a [`Database`].
pub type RelationId = usize;

/// A fact: its predicate and its arguments.
pub type Fact = (RelationId, Vec<Value>);

/// The facts and rules of one predicate.
#[derive(Clone, Debug)]
pub struct ClauseRelation {
    pub table: Table,
    /// In program order.
    pub rules: Vec<Arc<Clause>>,
    /// Whether calls have to read the table; stays true once the predicate had a fact.
    pub has_facts: bool,
}

#[derive(Clone)]
pub struct Database {
    pub interner: Interner,
    pub relations: IndexMap<Predicate, ClauseRelation, FxBuildHasher>,
    /// The relation asked for last: facts of a predicate stand together.
    last: RelationId,
    cons: Functor,
}

impl Database {
    pub fn new(program: &CheckedProgram, budget: &Budget) -> Result<Self, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut interner = Interner::new();
        let cons = interner.functor(&"cons".into(), 2);
        let mut database = Self { interner, relations: IndexMap::default(), last: 0, cons };
        for fact in &program.facts {
            poll.step()?;
            let (relation, row) = database.row(fact);
            database.insert(relation, &row);
        }
        for rule in &program.rules {
            poll.step()?;
            let relation = database.relation(&rule.head.signature());
            database.relations[relation].rules.push(Arc::new(rule.clone()));
        }
        Ok(database)
    }

    /// The number of `predicate`, which is added if it is unknown.
    pub fn relation(&mut self, predicate: &Predicate) -> RelationId {
        if self.relations.get_index(self.last).is_some_and(|(last, _)| last == predicate) {
            return self.last;
        }
        self.last = match self.relations.get_index_of(predicate) {
            Some(id) => id,
            None => {
                let relation =
                    ClauseRelation { table: Table::new(predicate.arity), rules: Vec::new(), has_facts: false };
                self.relations.insert_full(predicate.clone(), relation).0
            }
        };
        self.last
    }

    /// The relation and row of a ground atom.
    pub fn row(&mut self, fact: &Atom) -> Fact {
        let row = fact.args.iter().map(|arg| self.interner.ground(arg)).collect();
        (self.relation(&fact.signature()), row)
    }

    /// Adds a fact; `false` if it is in the table already.
    pub fn insert(&mut self, relation: RelationId, row: &[Value]) -> bool {
        let relation = &mut self.relations[relation];
        relation.has_facts = true;
        relation.table.insert(row)
    }

    /// The first element and the rest of a list; `None` if `list` is no `cons`.
    #[inline]
    pub fn as_pair(&self, list: Value) -> Option<(Value, Value)> {
        match self.interner.as_compound(list)? {
            (functor, &[first, rest]) if functor == self.cons => Some((first, rest)),
            _ => None,
        }
    }

    pub fn atom(&self, relation: RelationId, row: &[Value]) -> Atom {
        let (predicate, _) = self.relations.get_index(relation).expect("relations are never taken away");
        Atom::new(&predicate.name, row.iter().map(|&value| self.interner.term(value)).collect())
    }
}
