//! A program that has turns while another runs: a share of the other's work, so that it costs little where it is the worse one.
//!
//! The other is not interrupted, since a round that is stopped begins anew. It lets the turns be taken where it looks at its budget,
//! and stops when they have derived all. Where it stops at the limit of facts, the program with turns goes on alone. Work is counted in probes, so that every machine comes to the same.

use super::case_engine::CaseEngine;
use crate::prepared::Prepared;
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::budget::{Budget, Stopped};
use std::sync::{Arc, Mutex, PoisonError};

/// The factor by which the work of the other program grows from turn to turn: each may begin its last round anew.
const GROWTH: u64 = 2;

/// A program that has turns.
pub struct Beside {
    program: Waiting,
    /// Its work is at most one part in so many of the other's, besides what it did before.
    share: u64,
    before: u64,
    /// The probes of the other program at its next turn.
    next: u64,
    /// Whether it has derived all.
    is_done: bool,
    budget: Budget,
}

/// The state of the program.
enum Waiting {
    /// It is loaded at its first turn.
    Prepared {
        prepared: Box<Prepared>,
        goal: Option<Goal>,
        profile: bool,
    },
    Loaded(Box<CaseEngine>),
    /// It was given up at a limit.
    GivenUp,
}

impl Beside {
    /// A program that has not run.
    pub fn new(prepared: Prepared, goal: Option<&Goal>, profile: bool, share: u64, budget: &Budget) -> Self {
        let program = Waiting::Prepared { prepared: Box::new(prepared), goal: goal.cloned(), profile };
        Beside { program, share, before: 0, next: 0, is_done: false, budget: budget.clone() }
    }

    /// A program that has run.
    pub fn of_engine(loaded: CaseEngine, share: u64, budget: &Budget) -> Self {
        let before = loaded.engine.work().probes;
        let program = Waiting::Loaded(Box::new(loaded));
        Beside { program, share, before, next: 0, is_done: false, budget: budget.clone() }
    }

    /// Lets `update` run `loaded`, after so much of whose work the first turn comes. The engine of the program that ends first, and whether it
    /// could be updated.
    pub fn race(
        mut self,
        mut loaded: CaseEngine,
        first: u64,
        update: impl FnOnce(&mut CaseEngine, &Budget) -> Result<(), Stopped>,
    ) -> (CaseEngine, Result<(), Stopped>) {
        let budget = self.budget.clone();
        self.next = first;
        let beside = Arc::new(Mutex::new(self));
        let turns = {
            let beside = beside.clone();
            Arc::new(move |probes| beside.lock().unwrap_or_else(PoisonError::into_inner).turn(probes))
        };
        let updated = update(&mut loaded, &budget.with_turns(turns));
        let mut beside = beside.lock().unwrap_or_else(PoisonError::into_inner);
        if !beside.is_done && matches!(loaded.stopped, Some(Stopped::TooManyFacts(_))) {
            beside.end();
        }
        let Waiting::Loaded(other) = std::mem::replace(&mut beside.program, Waiting::GivenUp) else {
            return (loaded, updated);
        };
        // The turns were taken while it derived.
        loaded.phases.deriving = loaded.phases.deriving.saturating_sub(other.phases.total());
        let is_won = beside.is_done && updated.is_ok();
        let [mut winner, loser] = if is_won { [*other, loaded] } else { [loaded, *other] };
        winner.phases.rival = loser.phases.total();
        winner.given_up = loser.engine.work().probes;
        (winner, updated)
    }

    /// Takes a turn if it is time to; whether all is derived.
    fn turn(&mut self, probes: u64) -> bool {
        if self.is_done || probes < self.next {
            return self.is_done;
        }
        self.next = probes.saturating_mul(GROWTH);
        let Some(mut loaded) = self.take() else { return false };
        let most = (self.before + probes / self.share).saturating_sub(loaded.engine.work().probes);
        let updated = loaded.update_for(most, &self.budget);
        self.is_done = updated == Some(Ok(())) && loaded.stopped.is_none();
        // Other limits than that of the turn hold for the next one too.
        if self.is_done || updated.is_none() {
            self.program = Waiting::Loaded(loaded);
        }
        self.is_done
    }

    /// Takes all turns that it needs, since the other program has more facts than may be.
    fn end(&mut self) {
        let Some(mut loaded) = self.take() else { return };
        self.is_done = loaded.update(&self.budget).is_ok() && loaded.stopped.is_none();
        if self.is_done {
            self.program = Waiting::Loaded(loaded);
        }
    }

    /// The engine, which is loaded at the first turn; `None` if it was given up.
    fn take(&mut self) -> Option<Box<CaseEngine>> {
        match std::mem::replace(&mut self.program, Waiting::GivenUp) {
            Waiting::Prepared { prepared, goal, profile } => {
                CaseEngine::new(*prepared, goal.as_ref(), profile, &self.budget).ok().map(Box::new)
            }
            Waiting::Loaded(loaded) => Some(loaded),
            Waiting::GivenUp => None,
        }
    }
}
