//! Questions about a state: it is put into the engine, and what the question depends on is derived.

use super::extension::Extension;
use super::{Interpreted, rows};
use crate::contract::{Move, State};
use crate::error::GameError;
use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::ast::Predicate;

/// The engine is loaded afresh after this many changes of state, because engines keep every term that they have ever
/// derived. The changes before take minutes, loading takes seconds at most.
pub(super) const CHANGES_PER_LOAD: u32 = 1 << 20;

/// The state and joint move that the engine holds.
#[derive(Default)]
pub(super) struct HeldState {
    /// The whole of `true`; `None` before the first.
    pub(super) state: Option<State>,
    /// The whole of `does`.
    pub(super) joint: Vec<Move>,
    /// By question.
    pub(super) answers: [Extension; 5],
    /// Changes of state since the engine was loaded.
    pub(super) changes: u32,
}

impl HeldState {
    fn forget_answers(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.is_known = false);
    }
}

/// The predicates of GDL that the machine reads and writes.
pub(super) struct Predicates {
    pub(super) role: Predicate,
    pub(super) init: Predicate,
    pub(super) state: Predicate,
    pub(super) does: Predicate,
    pub(super) next: Predicate,
    pub(super) legal: Predicate,
    pub(super) goal: Predicate,
    pub(super) terminal: Predicate,
    pub(super) sees: Predicate,
}

/// The questions of the machine about a state, by the predicate that answers.
#[derive(Clone, Copy)]
pub(super) enum StateQuestion {
    Next,
    Legal,
    Goal,
    Terminal,
    Sees,
}

impl Predicates {
    fn of(&self, question: StateQuestion) -> &Predicate {
        match question {
            StateQuestion::Next => &self.next,
            StateQuestion::Legal => &self.legal,
            StateQuestion::Goal => &self.goal,
            StateQuestion::Terminal => &self.terminal,
            StateQuestion::Sees => &self.sees,
        }
    }
}

impl Default for Predicates {
    fn default() -> Self {
        Self {
            role: Predicate::new("role", 1),
            init: Predicate::new("init", 1),
            state: Predicate::new("true", 1),
            does: Predicate::new("does", 2),
            next: Predicate::new("next", 1),
            legal: Predicate::new("legal", 2),
            goal: Predicate::new("goal", 2),
            terminal: Predicate::new("terminal", 0),
            sees: Predicate::new("sees", 2),
        }
    }
}

impl Interpreted {
    /// Takes the ids of the engine for all terms.
    pub(super) fn rename(&mut self) {
        let Self { engine, facts, moves, percepts, roles, role_values, .. } = self;
        let interner = rows(engine).interner_mut();
        facts.rename(interner);
        moves.rename(interner);
        percepts.rename(interner);
        *role_values = roles.iter().map(|role| interner.ground(role)).collect();
    }

    #[cold]
    fn load_afresh(&mut self, budget: &Budget) -> Result<(), GameError> {
        self.engine = self.prepared.load(budget)?;
        self.entered = HeldState::default();
        self.account = self.account.afresh();
        self.rename();
        Ok(())
    }

    /// Makes `state` and `joint` all that `true` and `does` hold of.
    fn enter(&mut self, state: &State, joint: &[Move], budget: &Budget) -> Result<(), GameError> {
        if self.entered.changes >= CHANGES_PER_LOAD {
            self.load_afresh(budget)?;
        }
        let mut cells = std::mem::take(&mut self.cells);
        if self.entered.state.as_ref() != Some(state) {
            cells.clear();
            cells.extend(state.words().iter().map(|&fact| self.facts.value(fact)));
            self.entered.forget_answers();
            rows(&mut self.engine).replace_rows(&self.predicates.state, &cells)?;
            self.entered.state = Some(state.clone());
            self.entered.changes += 1;
            self.account.enter_state();
        }
        if self.entered.joint != joint {
            cells.clear();
            let made = joint.iter().map(|made| self.moves.value(made.0));
            cells.extend(self.role_values.iter().zip(made).flat_map(|(&role, made)| [role, made]));
            self.entered.forget_answers();
            rows(&mut self.engine).replace_rows(&self.predicates.does, &cells)?;
            self.entered.joint = joint.to_vec();
        }
        self.cells = cells;
        Ok(())
    }

    /// The answer to a question about a state and a joint move. Only what the question depends on is derived. An engine
    /// that fails, or takes far more work than its rival would, makes room for the rival.
    pub(super) fn ask(
        &mut self,
        state: &State,
        joint: &[Move],
        question: StateQuestion,
    ) -> Result<&mut Extension, GameError> {
        match self.ask_engines(state, joint, question) {
            Ok(()) => Ok(&mut self.entered.answers[question as usize]),
            Err(GameError::Stopped(stopped)) => Err(self.stopped(stopped)),
            Err(error) => Err(error),
        }
    }

    fn ask_engines(&mut self, state: &State, joint: &[Move], question: StateQuestion) -> Result<(), GameError> {
        loop {
            if self.is_outrun() {
                self.change(None)?;
            }
            match self.ask_engine(state, joint, question) {
                Err(error) if self.is_for_rival(&error) => self.change(Some(error))?,
                asked => return asked,
            }
        }
    }

    fn ask_engine(&mut self, state: &State, joint: &[Move], question: StateQuestion) -> Result<(), GameError> {
        let budget = self.allowed(self.budget.renewed());
        self.enter(state, joint, &budget)?;
        if self.entered.answers[question as usize].is_known {
            return Ok(());
        }
        let predicate = self.predicates.of(question);
        // After a stop, the next question goes on from here.
        let read = match rows(&mut self.engine).update_of(predicate, &budget) {
            Ok(()) => self.entered.answers[question as usize].read(&mut self.engine, predicate, &budget),
            Err(stopped @ Stopped::Overflow(_)) => Err(stopped),
            Err(stopped) if stopped.is_out_of_time() => return Err(stopped.into()),
            Err(stopped) => return Err(self.grown(stopped)),
        };
        match read {
            Ok(()) => Ok(()),
            Err(Stopped::Overflow(_)) => {
                let settled = self.settle(&predicate.clone(), state, joint, &self.budget.renewed())?;
                self.entered.answers[question as usize] = settled;
                Ok(())
            }
            Err(stopped) => Err(stopped.into()),
        }
    }

    /// The facts of a predicate that does not depend on the state.
    pub(super) fn constant(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Extension, Stopped> {
        let mut found = Extension::default();
        let updated = rows(&mut self.engine).update_of(predicate, budget);
        match updated.and_then(|()| found.read(&mut self.engine, predicate, budget)) {
            Err(Stopped::Overflow(_)) => self.settle(predicate, &State::default(), &[], budget),
            read => read.map(|()| found),
        }
    }
}
