//! The change to another engine while a game is played.
//!
//! The race at the start sees the first moves of one playout. Later states may be of another kind: resolution comes
//! upon a loop, or a relation grows with the game. So an engine keeps an account of its work, and where it fails, or
//! takes [`PATIENCE`] times what its rival took in the race, the rival takes over. An engine that was outrun stays the
//! rival of its successor, with twice the start: changes to and fro end, and cost no more than a constant factor.

use super::question::HeldState;
use super::{Interpreted, Scope};
use crate::error::GameError;
use ludolog_engine::{Budget, Prepared, Setting, Stopped};
use ludolog_logic::analysis::clause::StratifiedProgram;
use std::sync::Arc;

/// An engine makes room when it takes this many times the work of its rival.
pub(super) const PATIENCE: u64 = 4;

/// Work that is not held against an engine, in nanoseconds: states differ, and a change costs some.
const START: u64 = 200_000_000;

/// An engine that could take over.
pub(super) struct Rival {
    /// The rulesheet, as written or by demand.
    pub program: Arc<StratifiedProgram>,
    pub scope: Scope,
    /// The engine, and the passes if they are to run.
    pub setting: Setting,
    /// The program that it runs; `None` if that is the one as written and has not been prepared.
    pub prepared: Option<Prepared>,
    /// The work for a state; `None` if that is not known.
    pub price: Option<u64>,
}

/// The work since an engine took over.
#[derive(Clone, Copy)]
pub(super) struct Account {
    /// States entered.
    states: u64,
    /// The work when it took over.
    paid: u64,
    /// Work that is not held against it.
    start: u64,
}

impl Default for Account {
    fn default() -> Self {
        Account { states: 0, paid: 0, start: START }
    }
}

impl Account {
    /// The account of an engine that has done this much work before.
    pub fn new(paid: u64) -> Account {
        Account { paid, ..Account::default() }
    }

    /// The account of an engine that has been loaded afresh.
    pub fn afresh(self) -> Account {
        Account { states: 0, paid: 0, ..self }
    }

    pub fn enter_state(&mut self) {
        self.states += 1;
    }
}

impl Interpreted {
    /// The work since the engine was loaded, in nanoseconds.
    pub(super) fn spent(&self) -> u64 {
        let work = self.engine.work();
        (work.probes + work.derived).saturating_mul(self.work_nanoseconds())
    }

    /// The work that the engine may still do before its rival takes over; `None` without one whose price is known.
    fn left_to_spend(&self) -> Option<u64> {
        let price = self.rival.as_ref()?.price?;
        let Account { states, paid, start } = self.account;
        let allowed = PATIENCE.saturating_mul(price).saturating_mul(states + 1);
        Some(allowed.saturating_add(paid).saturating_add(start).saturating_sub(self.spent()))
    }

    /// The budget of a question, with no more work than the engine may do.
    pub(super) fn allowed(&self, budget: Budget) -> Budget {
        match self.left_to_spend() {
            Some(left) => budget.with_max_probes(self.probes_for(left)),
            None => budget,
        }
    }

    /// The probes after which this much more work is done.
    pub(super) fn probes_for(&self, price: u64) -> u64 {
        self.engine.work().probes.saturating_add(price / self.work_nanoseconds())
    }

    fn work_nanoseconds(&self) -> u64 {
        self.scope.work_nanoseconds(&self.prepared.setting().engine)
    }

    /// Whether the engine has taken so much work that its rival should take over.
    pub(super) fn is_outrun(&self) -> bool {
        self.left_to_spend() == Some(0)
    }

    /// Whether a rival might have an answer where the engine has none.
    pub(super) fn is_for_rival(&self, error: &GameError) -> bool {
        let is_for_both = |stopped: &Stopped| {
            stopped.is_out_of_time() || matches!(stopped, Stopped::TooMuchMemory { .. } | Stopped::Overflow(_))
        };
        self.rival.is_some() && error.stopped().is_some_and(|stopped| !is_for_both(stopped))
    }

    /// Notes what an engine tells of the predicate that grew when it could not get ready.
    pub(super) fn note_growth(&mut self, error: &GameError) {
        if let GameError::Grown { predicate, facts, .. } = error {
            self.grown = Some((predicate.clone(), *facts));
        }
    }

    /// The error for a stop, with the predicate that grew if any engine has told of one.
    pub fn stopped(&self, stopped: Stopped) -> GameError {
        let is_limit =
            matches!(stopped, Stopped::Timeout(_) | Stopped::TooManyFacts(_) | Stopped::TooMuchMemory { .. });
        match &self.grown {
            Some((predicate, facts)) if is_limit => {
                GameError::Grown { predicate: predicate.clone(), facts: *facts, stopped }
            }
            _ => stopped.into(),
        }
    }

    /// Lets the rival take over. After an error other than the end of its allowance, the engine does not come back.
    ///
    /// # Errors
    ///
    /// The error, or that of the rival if there was none. A rival that had too little time takes over only after
    /// another failure.
    #[cold]
    pub(super) fn change(&mut self, error: Option<GameError>) -> Result<(), GameError> {
        let Some(rival) = self.rival.take() else { return error.map_or(Ok(()), Err) };
        let is_outrun = error.as_ref().is_none_or(|error| matches!(error.stopped(), Some(Stopped::TooManyProbes(_))));
        let budget = self.budget.renewed();
        let loaded = match &rival.prepared {
            Some(prepared) => prepared.load(&budget).map(|engine| (prepared.clone(), engine)).map_err(GameError::from),
            None => Self::as_written(&rival.program, &rival.setting, &budget).map(|game| (game.prepared, game.engine)),
        };
        let (prepared, engine) = match loaded {
            Ok(loaded) => loaded,
            Err(failed) => {
                let is_late = failed.stopped().is_some_and(Stopped::is_out_of_time);
                self.rival = is_late.then_some(Rival { price: None, ..rival });
                self.note_growth(&failed);
                return Err(if is_late { failed } else { error.unwrap_or(failed) });
            }
        };
        let Account { states, paid, start } = self.account;
        let outrun = Rival {
            price: Some(self.spent().saturating_sub(paid) / states.max(1)),
            program: std::mem::replace(&mut self.program, rival.program),
            scope: std::mem::replace(&mut self.scope, rival.scope),
            setting: self.prepared.setting().clone(),
            prepared: Some(std::mem::replace(&mut self.prepared, prepared)),
        };
        self.engine = engine;
        self.rival = is_outrun.then_some(outrun);
        self.entered = HeldState::default();
        self.rename();
        self.account = Account { states: 0, paid: self.spent(), start: start.saturating_mul(2) };
        Ok(())
    }
}
