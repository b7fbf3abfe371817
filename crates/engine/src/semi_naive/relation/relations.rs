//! All relations of an engine, by predicate and by number.

use super::Relation;
use crate::semi_naive::heuristics::Heuristics;
use crate::semi_naive::lattice::KeyedRows;
use crate::semi_naive::members::Members;
use crate::semi_naive::totals::{GroupedAggregate, Totals, TotalsOfRows};
use indexmap::IndexSet;
use ludolog_syntax::ast::{Lattice, Predicate};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::{Index as At, IndexMut as AtMut};

/// The number of a relation in the engine.
pub type RelationId = usize;

/// All relations of an engine by predicate; ids count up from zero.
#[derive(Default)]
pub struct Relations {
    predicates: IndexSet<Predicate, FxBuildHasher>,
    list: Vec<Relation>,
    numbered: bool,
    heuristics: Heuristics,
    lattices: FxHashMap<Predicate, Lattice>,
    aggregates: FxHashMap<Predicate, GroupedAggregate>,
    /// The one asked for last: facts of a predicate stand together.
    last: RelationId,
}

impl Relations {
    /// No relations; with `numbered`, all future ones [keep row numbers](Relation::keep_row_numbers).
    pub fn new(numbered: bool, heuristics: Heuristics) -> Self {
        Self { numbered, heuristics, ..Self::default() }
    }

    /// The same, where relations of these predicates have lattice columns.
    pub fn with_lattices(self, lattices: FxHashMap<Predicate, Lattice>) -> Self {
        Self { lattices, ..self }
    }

    /// The same, where relations of these predicates have totals instead of rows.
    pub fn with_totals(self, aggregates: FxHashMap<Predicate, GroupedAggregate>) -> Self {
        Self { aggregates, ..self }
    }

    /// The heuristics of the engine.
    pub fn heuristics(&self) -> Heuristics {
        self.heuristics
    }

    /// The relation of a predicate, created if there is none.
    pub fn id(&mut self, predicate: &Predicate) -> RelationId {
        if self.predicates.get_index(self.last) != Some(predicate) {
            self.last = self.get(predicate).unwrap_or_else(|| self.add(predicate));
        }
        self.last
    }

    /// Creates the relation of a predicate.
    fn add(&mut self, predicate: &Predicate) -> RelationId {
        let mut relation = self.empty(predicate.arity);
        if let Some(lattice) = self.lattices.get(predicate) {
            relation.members = Members::Keyed(Box::new(KeyedRows::new(lattice)));
        } else if let Some(&aggregate) = self.aggregates.get(predicate) {
            if aggregate.keeps_rows {
                relation.totals_of_rows = Some(Box::new(TotalsOfRows::new(aggregate)));
            } else {
                relation.members = Members::Totals(Box::new(Totals::new(aggregate)));
            }
        }
        self.list.push(relation);
        self.predicates.insert_full(predicate.clone()).0
    }

    fn empty(&self, arity: usize) -> Relation {
        let mut relation = Relation::with_heuristics(arity, self.heuristics);
        if self.numbered {
            relation.keep_row_numbers();
        }
        relation
    }

    /// Makes a relation, which is of an engine with the same interner, that of a predicate with neither rules nor rows.
    pub fn adopt(&mut self, predicate: &Predicate, relation: Relation) {
        let id = self.id(predicate);
        self.list[id] = relation;
    }

    /// Takes a relation away, which leaves an empty one without indices.
    pub fn take(&mut self, id: RelationId) -> Relation {
        let empty = self.empty(self.list[id].arity);
        std::mem::replace(&mut self.list[id], empty)
    }

    /// Whether all relations keep row numbers, so that derivations can be recorded.
    pub fn are_numbered(&self) -> bool {
        self.numbered
    }

    /// Whether indices of a relation have to tell row numbers, whatever a plan reads: for recorded derivations, and where rows are removed.
    pub fn must_tell_rows(&self, id: RelationId) -> bool {
        self.numbered || self.list[id].has_removed() || self.list[id].has_lattice()
    }

    pub fn get(&self, predicate: &Predicate) -> Option<RelationId> {
        self.predicates.get_index_of(predicate)
    }

    pub fn predicate(&self, id: RelationId) -> &Predicate {
        &self.predicates[id]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Predicate, &Relation)> {
        self.predicates.iter().zip(&self.list)
    }

    pub fn as_slice(&self) -> &[Relation] {
        &self.list
    }

    pub fn as_mut_slice(&mut self) -> &mut [Relation] {
        &mut self.list
    }
}

impl At<RelationId> for Relations {
    type Output = Relation;

    fn index(&self, id: RelationId) -> &Relation {
        &self.list[id]
    }
}

impl AtMut<RelationId> for Relations {
    fn index_mut(&mut self, id: RelationId) -> &mut Relation {
        &mut self.list[id]
    }
}
