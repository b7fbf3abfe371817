//! Players.

use crate::error::told;
use crate::game::{PyGame, PyState};
use crate::interrupt::interruptible;
use crate::shared::Shared;
use crate::solve::PySolution;
use crate::view::PyView;
use ludolog::engine::Budget;
use ludolog::game::canonical;
use ludolog::player::{Options, Player};
use ludolog::syntax::budget::ThreadClock;
use pyo3::prelude::*;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

/// The options of a player on one thread.
pub fn player_options(seed: u64, solution: Option<&Py<PySolution>>) -> Options {
    let databases = solution.iter().map(|solution| solution.get().database.clone()).collect();
    Options { threads: 1, seed, databases, ..Options::default() }
}

/// The time of so many seconds.
fn clock(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| told(format!("{seconds} are no seconds")))
}

/// A budget with so much time, from now on: by the clock, or of the processor on this thread.
fn within(budget: &Budget, time: Duration, cpu: bool) -> Budget {
    if cpu {
        budget.clone().with_clock(Arc::new(ThreadClock)).with_time(time)
    } else {
        budget.clone().with_timeout(time)
    }
}

/// A player of a role.
#[pyclass(name = "Player", module = "ludolog", frozen)]
pub struct PyPlayer {
    /// The player, and whether it was told to get ready.
    player: Shared<(Box<dyn Player>, bool)>,
    game: Py<PyGame>,
}

impl PyPlayer {
    pub fn new(player: Box<dyn Player>, game: Py<PyGame>) -> PyPlayer {
        PyPlayer { player: Shared::new((player, false)), game }
    }
}

/// What a player knows: the state, or its view where the game hides it.
#[derive(FromPyObject)]
enum Known {
    State(Py<PyState>),
    View(Py<PyView>),
}

#[pymethods]
impl PyPlayer {
    /// Gets ready within so many seconds, for moves of `play` seconds; what the player says of it, if anything. A player that was
    /// not told to get ready does so in a quarter of the first move's time. Seconds of processor time if `cpu`.
    #[pyo3(signature = (seconds, play = 1.0, *, cpu = false))]
    fn prepare(&self, py: Python<'_>, seconds: f64, play: f64, cpu: bool) -> PyResult<Option<String>> {
        let time = clock(seconds)?;
        let play = clock(play)?;
        let prepared = interruptible(py, None, |budget| {
            let mut guard = self.player.lock()?;
            let (player, is_ready) = &mut *guard;
            *is_ready = true;
            Ok(player.start(&within(budget, time, cpu), play).map_err(told)?.note)
        });
        prepared?
    }

    /// A move after so many seconds, and the goal that the player expects: in a state, or by a view in games that hide their states.
    /// Seconds of processor time if `cpu`.
    #[pyo3(signature = (state, seconds = 1.0, *, cpu = false))]
    fn choose(&self, py: Python<'_>, state: Known, seconds: f64, cpu: bool) -> PyResult<(String, Option<f64>)> {
        let of = match &state {
            Known::State(state) => &state.get().game,
            Known::View(view) => &view.get().game,
        };
        if !of.is(&self.game) {
            return Err(told("the state is of another game"));
        }
        let hides = self.game.get().hides()?;
        let facts = match &state {
            Known::State(_) if hides => return Err(told("the game hides its states: give the view of the role")),
            Known::State(state) if state.get().is_over(py)? => return Err(told("the game is over")),
            Known::State(state) => state.get().terms()?,
            Known::View(_) => Vec::new(),
        };
        let clock = clock(seconds)?;
        let chosen = interruptible(py, None, |budget| {
            let budget = &within(budget, clock, cpu);
            let mut guard = self.player.lock()?;
            let (player, is_ready) = &mut *guard;
            if !mem::replace(is_ready, true) {
                player.start(&budget.part_of_rest(|left| left / 4), clock).map_err(told)?;
            }
            let choice = match &state {
                Known::View(view) => player.play_hidden(&view.get().seen, budget),
                Known::State(_) => {
                    // Machines number facts and moves as they meet them.
                    player.machine().set_budget(Budget::unlimited());
                    let state = player.machine().state_of(facts).map_err(told)?;
                    player.play(&state, budget)
                }
            };
            let choice = choice.map_err(told)?;
            Ok((canonical::text(player.machine().move_term(choice.made)), choice.report.value))
        });
        chosen?
    }
}
