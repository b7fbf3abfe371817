//! Solved games.

use crate::error::told;
use crate::game::{PyGame, PyState};
use crate::interrupt::watched;
use crate::shared::Shared;
use ludolog::game::{Move, Role, State, StateMachine, canonical};
use ludolog::player::GameReasoner;
use ludolog::propnet::{Net, NetMachine};
use ludolog::solve::{Database, PeerProgress, StateValue, Unsolved, solve};
use pyo3::prelude::*;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};

/// A value: the goal of each role under best play, `None` if play need not end; and the joint moves to the end, `None` where
/// nobody forces it.
type Value = (Option<Vec<Option<i64>>>, Option<u32>);

/// The values of all states of a game.
#[pyclass(name = "Solution", module = "ludolog", frozen)]
pub struct PySolution {
    #[pyo3(get)]
    game: Py<PyGame>,
    machine: Shared<NetMachine>,
    pub database: Arc<Database>,
    /// The file of the database.
    bytes: Vec<u8>,
}

/// The net of a game, with a machine.
fn net(game: &PyGame) -> PyResult<(Arc<Net>, NetMachine)> {
    match &game.rules {
        GameReasoner::Net(net, machine) => Ok((net.clone(), (**machine).clone())),
        _ => Err(told("the game has no net, and only games with one are solved")),
    }
}

/// Solves a game, with tables of so many bytes at most.
pub fn solved(
    game: &Bound<'_, PyGame>,
    seconds: Option<f64>,
    threads: NonZero<usize>,
    max_bytes: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySolution> {
    let (net, mut machine) = net(game.get())?;
    let done = AtomicU64::new(0);
    let count = || done.load(Ordering::Relaxed);
    let found = watched(game.py(), seconds, progress, count, |budget| {
        let budget = budget.clone().with_max_bytes(max_bytes);
        let mut watch = |progress: &PeerProgress| done.store(progress.states, Ordering::Relaxed);
        machine.set_budget(budget.clone());
        let solution = solve(&machine, threads, None, &budget, &mut watch);
        match (&solution.ended, solution.database(&net)) {
            (None, Some(bytes)) => Ok(bytes),
            (ended, _) => {
                let facts = ended.as_ref().and_then(Unsolved::state).map(|state| machine.facts(state));
                let texts = facts.into_iter().flatten().map(|fact| format!(" {}", canonical::text(&fact)));
                let place: String = texts.collect();
                let reason = ended.as_ref().map_or(String::new(), Unsolved::to_string);
                Err(told(if place.is_empty() { reason } else { format!("{reason}; in the state{place}") }))
            }
        }
    });
    of_bytes(game, found??)
}

/// The solution that a database has.
pub fn of_bytes(game: &Bound<'_, PyGame>, bytes: Vec<u8>) -> PyResult<PySolution> {
    let (net, machine) = net(game.get())?;
    let database = Database::read(bytes.clone()).map_err(told)?;
    if !database.is_of(&net) {
        return Err(told("this is the database of another game"));
    }
    let game = game.clone().unbind();
    Ok(PySolution { game, machine: Shared::new(machine), database: Arc::new(database), bytes })
}

#[pymethods]
impl PySolution {
    /// The value of a state, by default of the first one: the goal of each role under best play, `None` if play need not end; and
    /// the joint moves to the end, if who forces the value hurries and the other one delays.
    #[pyo3(signature = (state = None))]
    fn value(&self, state: Option<&PyState>) -> PyResult<Value> {
        let machine = self.lock()?;
        let state = self.state(state)?.unwrap_or_else(|| machine.initial_state().clone());
        let label = self.database.label(&machine, &state);
        let StateValue { value, distance } = label.ok_or_else(|| told("the state cannot be reached"))?;
        let roles = machine.roles().len() as u32;
        let goals = |value| (0..roles).map(|role| self.database.goal(Role(role), value)).collect();
        Ok((value.map(goals), distance))
    }

    /// The joint moves that keep the value of a state, and are as fast as who forces it can be; none at ends.
    #[pyo3(signature = (state = None))]
    fn best_moves(&self, state: Option<&PyState>) -> PyResult<Vec<Vec<String>>> {
        let mut machine = self.lock()?;
        let state = self.state(state)?.unwrap_or_else(|| machine.initial_state().clone());
        let best = self.database.best_moves(&mut machine, &state).map_err(told)?;
        let texts = |joint: &[Move]| joint.iter().map(|made| canonical::text(machine.move_term(*made))).collect();
        Ok(best.iter().map(|(joint, _)| texts(joint)).collect())
    }

    /// Writes the values into a file, which `Game.solution` reads, and `--database` of the command.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(std::fs::write(path, &self.bytes)?)
    }

    /// The number of states.
    fn __len__(&self) -> usize {
        self.database.states() as usize
    }

    fn __repr__(&self) -> String {
        format!("<Solution of {} states>", self.database.states())
    }
}

impl PySolution {
    fn lock(&self) -> PyResult<MutexGuard<'_, NetMachine>> {
        self.machine.lock()
    }

    fn state(&self, state: Option<&PyState>) -> PyResult<Option<State>> {
        match state {
            Some(state) if !state.game.is(&self.game) => Err(told("the state is of another game")),
            Some(state) => Ok(Some(state.state.clone())),
            None => Ok(None),
        }
    }
}
