//! Predicates that no rule derives: those of negative cycles, from the ground instances of their rules, and copies of what has
//! no undefined facts ([`ThreeValued`] has the rewriting that leads here).
//!
//! A component is derived at once: its instances are read into a ground program over the rows of the envelopes, that one's
//! well-founded model is computed, and the rows are given out as true or possible. When something below has changed, it
//! starts afresh.
//!
//! * `instances`: from rows to the ground program.
//! * `ground`: the ground program; `model`: its well-founded model.
//! * `explain`: the reasons why facts are true or false.

mod explain;
mod ground;
mod instances;
mod model;

use super::relation::{RelationId, Relations};
use super::{SemiNaive, room};
use crate::value::Interner;
use explain::Ranks;
use instances::GroundedComponent;
use ludolog_logic::analysis::well_founded::ThreeValued;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::budget::{Budget, Stopped, Undecided};
use model::Truth;

/// An evaluator of predicates without rules.
pub struct Evaluator {
    /// The relations that it fills.
    pub heads: Vec<RelationId>,
    /// The relations that it reads.
    pub reads: Vec<RelationId>,
    how: How,
    /// The order in which facts were decided, if derivations are recorded.
    ranks: Ranks,
}

enum How {
    Component(GroundedComponent),
    Decided(DecidedRelations),
}

/// Copies a relation that has all rows of another one.
#[derive(Clone)]
struct DecidedRelations {
    from: RelationId,
    possible: RelationId,
    /// The aggregate that has no value where they differ.
    undecided: Undecided,
}

impl Evaluator {
    /// All evaluators of a program.
    pub fn all(three_valued: &ThreeValued, relations: &mut Relations, interner: &mut Interner) -> Vec<Evaluator> {
        let mut how: Vec<How> = Vec::new();
        for component in &three_valued.components {
            how.push(How::Component(GroundedComponent::new(component, relations, interner)));
        }
        for decided in &three_valued.decided {
            let [from, possible] = [&decided.predicate, &decided.possible].map(|one| relations.id(one));
            let undecided = Undecided { over: decided.over.clone(), span: decided.span };
            how.push(How::Decided(DecidedRelations { from, possible, undecided }));
        }
        let mut ids = |(derived, read): (Vec<&Predicate>, Vec<Predicate>)| {
            let heads = derived.into_iter().map(|one| relations.id(one)).collect();
            (heads, read.into_iter().map(|one| relations.id(&one)).collect())
        };
        let ids = three_valued.derivations().map(&mut ids);
        ids.zip(how).map(|((heads, reads), how)| Evaluator { heads, reads, how, ranks: Ranks::default() }).collect()
    }
}

impl Evaluator {
    /// Whether it fills these relations.
    pub fn derives(&self, heads: &[RelationId]) -> bool {
        heads.iter().any(|head| self.heads.contains(head))
    }
}

impl SemiNaive {
    /// Derives the rows of an evaluator; its relations are empty, and `elsewhere` facts of others are held.
    #[inline(never)]
    pub(super) fn run_evaluator(&mut self, number: usize, elsewhere: u64, budget: &Budget) -> Result<(), Stopped> {
        match &self.evaluators[number].how {
            How::Component(component) => {
                let ground = component.ground(&mut self.relations, &mut self.interner, budget)?;
                let model = model::well_founded(ground, budget)?;
                let derived = component.give_out(&model.truth, &mut self.relations, room(elsewhere, budget), budget);
                self.work.derived += derived?;
                if self.derivations.is_some() {
                    self.evaluators[number].ranks = Ranks::of(&model);
                }
                Ok(())
            }
            How::Decided(decided) => self.copy_decided(number, &decided.clone(), elsewhere, budget),
        }
    }

    fn copy_decided(
        &mut self,
        number: usize,
        decided: &DecidedRelations,
        elsewhere: u64,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let DecidedRelations { from, possible, undecided } = decided;
        let from = *from;
        if self.relations[from].live() != self.relations[*possible].live() {
            return Err(Stopped::Undecided(Box::new(undecided.clone())));
        }
        budget.check_facts(elsewhere + self.relations[from].live() as u64)?;
        let to = self.evaluators[number].heads[0];
        let rows: Vec<_> = self.relations[from].rows().map(<[_]>::to_vec).collect();
        rows.iter().for_each(|row| _ = self.relations[to].insert(row));
        self.work.derived += rows.len() as u64;
        Ok(())
    }
}

/// Whether a fact of this truth is possible.
fn is_possible(truth: Truth) -> bool {
    truth != Truth::False
}
