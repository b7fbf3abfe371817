//! Parts of recursive rules that outgrow what they are made of: an engine that doubts them stops there.

use crate::semi_naive::SemiNaive;
use crate::semi_naive::names::ClauseNames;
use crate::semi_naive::plan::positive;
use crate::semi_naive::relation::RelationId;
use ludolog_logic::analysis::clause::Clause;
use ludolog_syntax::ast::Purpose;
use ludolog_syntax::budget::Stopped;

/// A part of rules has outgrown what it is made of with so many times its rows, and so many besides.
const OUTGROWN: usize = 8;
const FEWEST_OUTGROWN: usize = 1 << 16;

/// The relations that a rule joins, if it derives a part of rules and reads what they derive, the `heads` of its stratum.
pub(super) fn made_of(clause: &Clause, names: &ClauseNames, heads: &[RelationId]) -> Box<[RelationId]> {
    let sources: Box<[RelationId]> = positive(clause).map(|place| names.source(place).relation).collect();
    let is_part = matches!(clause.head.predicate.purpose(), Some(Purpose::Split { .. }));
    if is_part && sources.iter().any(|source| heads.contains(source)) { sources } else { Box::default() }
}

impl SemiNaive {
    /// The most rows of the relation of a rule, if it is a part of others that may be outgrown.
    pub(super) fn most_of_part(&self, rule: usize) -> usize {
        let made_of = &self.rules[rule].made_of;
        if !self.doubts_parts || made_of.is_empty() {
            return usize::MAX;
        }
        let rows: usize = made_of.iter().map(|&relation| self.relations[relation].len()).sum();
        self.relations.heuristics().begins_at(FEWEST_OUTGROWN) + OUTGROWN * rows
    }

    /// Checks that the relation of a rule, if it is a part of others, has not many more rows than what it is made of.
    ///
    /// # Errors
    ///
    /// [`Stopped::Outgrown`].
    pub(in crate::semi_naive) fn check_part(&self, rule: usize) -> Result<(), Stopped> {
        let head = self.rules[rule].names.head;
        if self.relations[head].len() < self.most_of_part(rule) {
            return Ok(());
        }
        Err(Stopped::Outgrown(Box::new(self.relations.predicate(head).clone())))
    }
}
