//! Questions at which the engine stopped since an integer does not fit 64 bits.
//!
//! The answers may not depend on that integer. A second look with engines of its own tells ([`settled_facts`]), for the state and the
//! joint move as they stand; the engine of the game stays as it is. It costs two evaluations from the beginning, for each question.

use super::extension::Extension;
use super::{Interpreted, rows};
use crate::contract::{Move, State};
use ludolog_engine::session::settled_facts;
use ludolog_engine::{Budget, Case, Stopped};
use ludolog_syntax::ast::{Atom, Predicate, Term};

impl Interpreted {
    /// The facts of a predicate in a state with a joint move, for a question at which the engine stopped.
    ///
    /// # Errors
    ///
    /// [`Stopped::Overflow`], if they depend on an integer that does not fit; others when the budget ends.
    pub(super) fn settle(
        &mut self,
        predicate: &Predicate,
        state: &State,
        joint: &[Move],
        budget: &Budget,
    ) -> Result<Extension, Stopped> {
        let held = [self.facts_of_true(state), self.facts_of_does(joint)].concat();
        let facts = settled_facts(&self.program, &Case::of_facts(held), predicate, self.prepared.setting(), budget)?;
        let interner = rows(&mut self.engine).interner_mut();
        let args: Vec<&Term> = facts.iter().flat_map(|fact: &Atom| &fact.args).collect();
        let cells = args.into_iter().map(|arg| interner.ground(arg)).collect();
        Ok(Extension { is_known: true, count: facts.len(), cells })
    }
}
