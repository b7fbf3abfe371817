//! Programs that are planned again while they run: an engine that expects sizes stops where they are others, and takes the relations that are
//! complete over into the next program. Their rows, ids and indices stay as they are.

use super::SemiNaive;
use super::relation::{Relation, RelationId};
use super::stratum::Stratum;
use crate::contract::{CompletePredicate, Count, Replan};
use crate::value::Interner;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What an engine begins with.
#[derive(Default)]
pub struct Inherited {
    pub interner: Interner,
    /// Relations of predicates without rules, with ids of this interner.
    pub relations: FxHashMap<Predicate, Relation>,
}

impl Replan for SemiNaive {
    fn is_early(&self) -> bool {
        self.relations.heuristics().begins_at(2) == 1
    }

    fn expect(&mut self, expected: Vec<(Predicate, Range<u64>)>) {
        let relations = &self.relations;
        self.expected = expected.into_iter().filter_map(|(one, sizes)| Some((relations.get(&one)?, sizes))).collect();
    }

    fn complete(&self) -> Vec<CompletePredicate> {
        let strata = self.strata.iter().flat_map(|stratum| stratum.heads().iter().map(move |&head| (head, stratum)));
        let strata: FxHashMap<RelationId, &Stratum> = strata.collect();
        (0..self.relations.len()).filter_map(|id| self.complete_predicate(id, strata.get(&id).copied())).collect()
    }

    fn sample(&self, predicate: &Predicate, most: usize) -> Vec<Atom> {
        let Some(id) = self.relations.get(predicate) else { return Vec::new() };
        let relation = &self.relations[id];
        let stride = relation.live().div_ceil(most.max(1)).max(1);
        relation.rows().step_by(stride).take(most).map(|row| self.atom_of(id, row)).collect()
    }

    fn load_behind(&mut self, program: &OptimizedProgram, held: &[Predicate], budget: &Budget) -> Result<(), Stopped> {
        let mut inherited = Inherited { interner: std::mem::take(&mut self.interner), ..Inherited::default() };
        for predicate in held {
            let id = self.relations.id(predicate);
            inherited.relations.insert(predicate.clone(), self.relations.take(id).into_plain());
        }
        let next = Self::load_with(program, false, self.relations.heuristics(), inherited, budget)?;
        let threads = std::mem::take(&mut self.threads);
        *self = Self { threads, work: self.work, doubts_parts: self.doubts_parts, ..next };
        Ok(())
    }
}

impl SemiNaive {
    /// The predicate of a relation, which this stratum derives, if it has all facts. What a closure derives and reads is not held for another program.
    fn complete_predicate(&self, relation: RelationId, stratum: Option<&Stratum>) -> Option<CompletePredicate> {
        let predicate = self.relations.predicate(relation);
        let given_up = self.forgotten.as_ref().and_then(|forgotten| forgotten.rows_of(relation));
        let of_closure = self.closure_of.contains_key(predicate)
            || self.closure_inputs.iter().any(|(base, step)| base == predicate || step == predicate);
        let has_rows = self.relations[relation].totals().is_none();
        stratum.is_none_or(Stratum::is_done).then(|| CompletePredicate {
            predicate: predicate.clone(),
            facts: given_up.unwrap_or_else(|| self.count(predicate)),
            is_derived: stratum.is_some(),
            is_held: given_up.is_none() && !of_closure && has_rows,
        })
    }

    /// Checks that the predicates of a stratum that is complete have as many facts as expected.
    ///
    /// # Errors
    ///
    /// [`Stopped::Misjudged`].
    pub(super) fn check_size(&self, stratum: usize) -> Result<(), Stopped> {
        let is_misjudged = |head: &&RelationId| {
            let sizes = self.expected.get(*head);
            sizes.is_some_and(|sizes| !sizes.contains(&(self.relations[**head].live() as u64)))
        };
        let heads = if self.expected.is_empty() { &[][..] } else { self.strata[stratum].heads() };
        heads
            .iter()
            .find(is_misjudged)
            .map_or(Ok(()), |&head| Err(Stopped::Misjudged(Box::new(self.relations.predicate(head).clone()))))
    }
}
