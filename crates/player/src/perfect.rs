//! Perfect play from the values of all states, as a database of the solved game has them.
//!
//! A move that keeps the value is made: the fastest of those that win, the slowest of those that lose. Among moves that
//! are equally good by that, one after which the largest part of the opponent's moves gives value away. States whose
//! value is not known, since play need not end, are left to another player.

use crate::player::{Choice, Player, SearchReport, place};
use ludolog_engine::Budget;
use ludolog_game::{GameError, JointMove, Role, State, StateMachine, StateMachineExt};
use ludolog_propnet::NetMachine;
use ludolog_solve::Database;
use ludolog_syntax::budget::Stopwatch;
use std::sync::Arc;
use std::time::Duration;

/// Most joint moves of the line that is reported.
const LINE: usize = 8;

/// Plays by a database.
pub struct Perfect {
    machine: Box<NetMachine>,
    role: Role,
    database: Arc<Database>,
    /// Plays where the value is not known.
    other: Box<dyn Player>,
}

impl Perfect {
    /// A player of this role. The machine and the database are those of the same game, and the other player has the
    /// same numbers.
    pub fn new(machine: Box<NetMachine>, role: Role, database: Arc<Database>, other: Box<dyn Player>) -> Self {
        Perfect { machine, role, database, other }
    }

    /// A best joint move of a state, with the state that it leads to; `None` at ends, and where the value is not known.
    fn best(&mut self, state: &State, budget: &Budget) -> Result<Option<(JointMove, State)>, GameError> {
        let Perfect { machine, database, .. } = self;
        let Some(value) = database.label(machine, state).and_then(|label| label.value) else { return Ok(None) };
        let best = database.best_moves(machine, state)?;
        if best.len() < 2 {
            return Ok(best.into_iter().next());
        }
        let legal = machine.all_legal_moves(std::slice::from_ref(state))?.swap_remove(0);
        let chooser = legal.iter().position(|moves| moves.len() > 1).map_or(Role(0), |place| Role(place as u32));
        let mut chances = Vec::with_capacity(best.len());
        for (_, next) in &best {
            // Without time for more, the first of them will do.
            let chance = if budget.check().is_ok() && !machine.is_terminal(next)? {
                chance(database, machine, next, chooser, value)?
            } else {
                0.0
            };
            chances.push(chance);
        }
        let greatest = chances.iter().copied().fold(0.0, f64::max);
        Ok(best.into_iter().zip(chances).find(|(_, chance)| *chance >= greatest).map(|(best, _)| best))
    }

    /// The value of a state, with a line of best play; `None` without a value.
    fn known(&mut self, state: &State, budget: &Budget) -> Result<Option<SearchReport>, GameError> {
        let watch = Stopwatch::start(budget);
        // Each question is short; loops poll the budget.
        self.machine.set_budget(Budget::unlimited());
        let Some(label) = self.database.label(&self.machine, state) else { return Ok(None) };
        let Some(value) = label.value.and_then(|value| self.database.goal(self.role, value)) else { return Ok(None) };
        let mut line = Vec::new();
        let mut at = state.clone();
        while line.len() < LINE
            && (line.is_empty() || budget.check().is_ok())
            && let Some((joint, next)) = self.best(&at, budget)?
        {
            line.push(joint);
            at = next;
        }
        let note = match label.distance {
            Some(distance) => format!("by the database, over in {distance}"),
            None => "by the database".to_owned(),
        };
        Ok(Some(SearchReport {
            depth: label.distance.map_or(0, |distance| distance as usize),
            value: Some(value as f64),
            proven: true,
            line,
            time: watch.elapsed(),
            note: Some(note),
            ..SearchReport::default()
        }))
    }
}

/// The part of the joint moves of a state that lead to a better value for a role than this one of the first role.
fn chance(
    database: &Database,
    machine: &mut NetMachine,
    state: &State,
    role: Role,
    value: i64,
) -> Result<f64, GameError> {
    let joints: Vec<JointMove> = machine.legal_joint_moves(state)?.collect();
    let steps: Vec<_> = joints.iter().map(|joint| (state, &**joint)).collect();
    let next = machine.next_states(&steps)?;
    let known = database.goal(role, value);
    let is_better = |next: &&State| {
        let value = database.label(machine, next).and_then(|label| label.value);
        value.and_then(|value| database.goal(role, value)) > known
    };
    Ok(next.iter().filter(is_better).count() as f64 / next.len().max(1) as f64)
}

impl Player for Perfect {
    fn machine(&mut self) -> &mut dyn StateMachine {
        &mut *self.machine
    }

    fn start(&mut self, budget: &Budget, play_clock: Duration) -> Result<SearchReport, GameError> {
        let initial = self.machine.initial_state().clone();
        if let Some(report) = self.known(&initial, budget)? {
            return Ok(report);
        }
        self.other.start(budget, play_clock)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        if let Some(report) = self.known(state, budget)?
            && let Some(joint) = report.line.first()
        {
            return Ok(Choice { made: joint[place(self.role)], report });
        }
        self.other.play(state, budget)
    }
}
