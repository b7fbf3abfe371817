//! Profiles: a run with the time of each phase and the [costs](crate::costs) of its evaluation.

use crate::contract::{Memory, Work};
use crate::costs::Evaluation;
use crate::prepared::Prepared;
use ludolog_syntax::budget::Stopped;
use std::time::Duration;

/// A run with its costs.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The program that ran, with the steps of the optimizer.
    pub prepared: Prepared,
    /// The time of each phase.
    pub phases: Phases,
    /// The costs by stratum and rule.
    pub evaluation: Evaluation,
    /// The answers to the goal, or the derived facts listed; `None` if the run stopped before it had any.
    pub answers: Option<usize>,
    /// All work of the engine.
    pub work: Work,
    /// The memory of the engine at the end.
    pub memory: Option<Memory>,
    /// The reason why the run ended early. All costs are those until then.
    pub stopped: Option<Stopped>,
}

/// The time of a run by phase. The phases follow each other, so that their sum is the time of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The optimizer, with what it evaluates on the way.
    pub optimizing: Duration,
    /// Loading the program and the facts that it states.
    pub loading: Duration,
    /// Inserting the facts and tables of the case.
    pub inserting: Duration,
    /// Firing the events of the case.
    pub events: Duration,
    /// Deriving: all strata.
    pub deriving: Duration,
    /// The goal, or listing the facts.
    pub answering: Duration,
    /// The program that took turns with this one because the optimizer was not sure, and lost.
    pub rival: Duration,
}

impl Phases {
    /// The sum of all phases.
    pub fn total(&self) -> Duration {
        let Phases { optimizing, loading, inserting, events, deriving, answering, rival } = *self;
        optimizing + loading + inserting + events + deriving + answering + rival
    }
}
