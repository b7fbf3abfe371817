//! Relations that are given up once nothing reads them any more, where an engine answers one question: the facts that it derives hold the most
//! memory together, and few of them are asked for.

use super::SemiNaive;
use super::closure::{ClosureId, ClosureRelation};
use super::relation::RelationId;
use ludolog_syntax::ast::Predicate;
use rustc_hash::FxHashMap;

/// What is given up behind each stratum.
pub struct Forgotten {
    /// By stratum: the relations that no later one reads, each with whether its rows are kept.
    relations: Vec<Vec<(RelationId, bool)>>,
    /// By stratum: the closures that no later one reads, without those that are kept.
    closures: Vec<Vec<ClosureId>>,
    /// The number of strata that have come to their end.
    complete: usize,
    /// The relations that were given up, with the number of their rows.
    given_up: FxHashMap<RelationId, u64>,
}

impl Forgotten {
    /// Whether a stratum has come to its end.
    pub fn is_complete(&self, stratum: usize) -> bool {
        stratum < self.complete
    }

    /// The number of rows of a relation that was given up.
    pub fn rows_of(&self, relation: RelationId) -> Option<u64> {
        self.given_up.get(&relation).copied()
    }
}

impl SemiNaive {
    /// Gives up, from now on, the rows and indices of relations that no later stratum reads, but for the rows of these predicates.
    pub(super) fn forget_all_but(&mut self, kept: &[Predicate]) {
        let is_kept = |predicate: &Predicate| kept.contains(predicate);
        let mut last_of_relations = vec![0; self.relations.len()];
        let mut last_of_closures = vec![0; self.closures.len()];
        for (number, stratum) in self.strata.iter().enumerate() {
            stratum.relations().for_each(|relation| last_of_relations[relation] = number);
            stratum.closures().for_each(|closure| last_of_closures[closure] = number);
        }
        let mut relations = vec![Vec::new(); self.strata.len()];
        let mut closures = vec![Vec::new(); self.strata.len()];
        for (relation, last) in last_of_relations.into_iter().enumerate() {
            if let Some(behind) = relations.get_mut(last) {
                behind.push((relation, is_kept(self.relations.predicate(relation))));
            }
        }
        for (_, &closure) in self.closure_of.iter().filter(|(predicate, _)| !is_kept(predicate)) {
            closures[last_of_closures[closure]].push(closure);
        }
        self.forgotten = Some(Forgotten { relations, closures, complete: 0, given_up: FxHashMap::default() });
    }

    /// Gives up what no stratum behind this one reads, which has come to its end.
    pub(super) fn forget_behind(&mut self, stratum: usize) {
        let Some(forgotten) = &mut self.forgotten else { return };
        forgotten.complete = stratum + 1;
        for (relation, is_kept) in std::mem::take(&mut forgotten.relations[stratum]) {
            if is_kept {
                self.relations[relation].forget_indices();
            } else {
                let rows = self.relations.take(relation).live();
                forgotten.given_up.insert(relation, rows as u64);
            }
            if let Some(given) = self.given.get_mut(relation) {
                *given = None;
            }
        }
        for closure in std::mem::take(&mut forgotten.closures[stratum]) {
            let (base, step) = &self.closure_inputs[closure];
            self.closures[closure] = ClosureRelation::new(base.arity, step.arity, self.closures[closure].version());
        }
    }
}
