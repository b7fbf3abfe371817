//! Strata whose predicate is a closure, which takes the place of their rules.

use super::{StratumRule, StratumState};
use crate::semi_naive::SemiNaive;
use crate::semi_naive::closure::{ClosureId, ClosureRelation, Incomplete};
use crate::semi_naive::relation::RelationId;
use ludolog_syntax::budget::Budget;

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
    ) -> Result<(), Incomplete> {
        let epochs = (self.relations[base].epoch(), self.relations[step].epoch());
        if self.closure_epochs[closure] != epochs {
            self.closures[closure] =
                ClosureRelation::new(self.relations[base].arity(), self.closures[closure].version() + 1);
            self.closure_epochs[closure] = epochs;
        }
        self.closures[closure].update(&self.relations[base], &self.relations[step], budget)?;
        self.strata[stratum].progress = StratumState::Done;
        Ok(())
    }

    /// Drops a closure: its predicate and the strata that read it are run by their rules.
    pub(super) fn drop_closure(&mut self, closure: ClosureId) {
        self.closure_of.retain(|_, id| *id != closure);
        self.rules.iter_mut().for_each(StratumRule::forget_plans);
        self.goal = None;
        for stratum in 0..self.strata.len() {
            let concerned = self.strata[stratum].closure() == Some(closure)
                || self.strata[stratum].closures_read().any(|read| read == closure);
            if concerned {
                self.prepare_stratum(stratum);
            }
        }
    }
}
