//! Strata whose predicate is a closure, which takes the place of their rules.

use super::StratumState;
use crate::semi_naive::SemiNaive;
use crate::semi_naive::closure::{ClosureId, ClosureRelation};
use crate::semi_naive::relation::RelationId;
use ludolog_syntax::budget::{Budget, Stopped};

impl SemiNaive {
    /// Brings a closure up to date with its base and step.
    #[inline(never)]
    pub(super) fn run_closure(
        &mut self,
        stratum: usize,
        closure: ClosureId,
        base: RelationId,
        step: RelationId,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let epochs = (self.relations[base].epoch(), self.relations[step].epoch());
        if self.closure_epochs[closure] != epochs {
            let [base, step] = [base, step].map(|relation| self.relations[relation].arity());
            self.closures[closure] = ClosureRelation::new(base, step, self.closures[closure].version() + 1);
            self.closure_epochs[closure] = epochs;
        }
        if self.relations[step].lacks_members() && self.closures[closure].may_be_symmetric(&self.relations[step]) {
            self.relations[step].remember_members();
        }
        self.closures[closure].update(&self.relations[base], &self.relations[step], budget)?;
        self.strata[stratum].progress = StratumState::Done;
        Ok(())
    }
}
