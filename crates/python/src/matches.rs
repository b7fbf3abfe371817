//! Matches between players.

use crate::error::told;
use crate::game::{PyGame, PyState, read_fact};
use crate::interrupt::watched;
use crate::player::player_options;
use crate::solve::PySolution;
use crate::view::Watcher;
use ludolog::analysis::is_random;
use ludolog::engine::Budget;
use ludolog::game::{PlayoutEnd, Role, canonical};
use ludolog::player::matches::{Nature, RecordedPly, SeatFault, Thought, ToldMove};
use ludolog::player::{Clocks, Local, Match, MatchRecord, PlayerKind, Seat};
use ludolog::syntax::ast::Term;
use ludolog::syntax::budget::SystemClock;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A fault: the number of the joint move, `None` before the first; the role; and what was wrong.
type Fault = (Option<usize>, usize, String);

/// A match as it was played.
#[pyclass(name = "Match", module = "ludolog", frozen)]
pub struct PyMatch {
    #[pyo3(get)]
    game: Py<PyGame>,
    /// The players, by role.
    #[pyo3(get)]
    players: Vec<String>,
    record: MatchRecord,
}

/// The clocks of a match.
pub fn clocks(start: f64, play: f64) -> PyResult<Clocks> {
    let [start, play] = [start, play]
        .map(|seconds| Duration::try_from_secs_f64(seconds).map_err(|_| told(format!("{seconds} are no seconds"))));
    Ok(Clocks { start: start?, play: play? })
}

/// What is to be played of a game, and by whom.
pub struct Arranged<'py> {
    pub players: Vec<Bound<'py, PyAny>>,
    pub clocks: Clocks,
    pub max_steps: usize,
    pub seed: u64,
    pub solution: Option<Py<PySolution>>,
    pub progress: Option<Bound<'py, PyAny>>,
}

/// Plays a match.
pub fn play(game: &Bound<'_, PyGame>, arranged: Arranged<'_>) -> PyResult<PyMatch> {
    let py = game.py();
    let Arranged { players, clocks, max_steps, seed, solution, progress } = arranged;
    let rules = &game.get().rules;
    let roles = game.get().names()?;
    let hides = game.get().hides()?;
    let playing: Vec<usize> = (0..roles.len()).filter(|&role| !is_random(&roles[role])).collect();
    if players.len() != playing.len() {
        return Err(told(format!("{} players for {} roles", players.len(), playing.len())));
    }
    let mut seats: Vec<Box<dyn Seat>> = roles.iter().map(|_| Box::new(Nature) as Box<dyn Seat>).collect();
    for (&role, player) in playing.iter().zip(&players) {
        if player.is_callable() {
            seats[role] = Box::new(Called::new(game, role, player)?);
            continue;
        }
        let name = player.cast::<PyString>().map_err(|_| told("a player is a name, or a function of a state"))?;
        let kind: PlayerKind = name.to_cow()?.parse().map_err(told)?;
        kind.0.check(&roles, hides).map_err(told)?;
        let options = player_options(seed.wrapping_add(role as u64), solution.as_ref());
        seats[role] = Box::new(Local::of(rules.clone(), Role(role as u32), kind, options));
    }
    let done = AtomicUsize::new(0);
    let count = || done.load(Ordering::Relaxed) as u64;
    let record = watched(py, None, progress.as_ref(), count, |budget| {
        let budget = budget.clone().with_clock(Arc::new(SystemClock::default()));
        let mut referee = rules.game(&budget).map_err(told)?;
        let seats = &mut seats;
        let watch = |record: &MatchRecord| done.store(record.plies.len(), Ordering::Relaxed);
        Match { game: &mut referee, seats, clocks, max_steps, seed }.play(&budget, watch).map_err(told)
    })??;
    Ok(PyMatch { game: game.clone().unbind(), players: record.players.clone(), record })
}

fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(canonical::text).collect()
}

fn fault_text(fault: &SeatFault) -> String {
    match fault {
        SeatFault::Late(took) => format!("late, after {:.3} s", took.as_secs_f64()),
        SeatFault::Illegal(term) => format!("`{}` is not legal", canonical::text(term)),
        SeatFault::Failed(reason) => reason.clone(),
    }
}

#[pymethods]
impl PyMatch {
    /// The goal of each role at the end; `None` where the rules do not say.
    #[getter]
    fn goals(&self) -> Vec<Option<i64>> {
        self.record.goals.clone()
    }

    /// Why the match ended: `terminal`, `max_steps`, or `stuck` where a role had no legal move.
    #[getter]
    fn end(&self) -> &'static str {
        match self.record.end {
            Some(PlayoutEnd::Terminal) => "terminal",
            Some(PlayoutEnd::MaxSteps) => "max_steps",
            Some(PlayoutEnd::Stuck(_)) => "stuck",
            None => "interrupted",
        }
    }

    /// The joint moves: a move of each role.
    #[getter]
    fn moves(&self) -> Vec<Vec<String>> {
        self.record.plies.iter().map(|ply| texts(&ply.joint)).collect()
    }

    /// By joint move and role: what the role saw of it; nothing where the game hides nothing.
    #[getter]
    fn percepts(&self) -> Vec<Vec<Vec<String>>> {
        let of_ply = |ply: &RecordedPly| ply.percepts.iter().flatten().map(|seen| texts(seen)).collect();
        self.record.plies.iter().map(of_ply).collect()
    }

    /// The states, the first one at first.
    #[getter]
    fn states(&self, py: Python<'_>) -> PyResult<Vec<PyState>> {
        self.record.states.iter().map(|facts| PyState::of(py, &self.game, facts.clone())).collect()
    }

    /// By joint move and role: the seconds that the player took.
    #[getter]
    fn times(&self) -> Vec<Vec<f64>> {
        let seconds = |ply: &RecordedPly| ply.times.iter().map(Duration::as_secs_f64).collect();
        self.record.plies.iter().map(seconds).collect()
    }

    /// By joint move and role: the goal that the player expected; `None` where it did not say.
    #[getter]
    fn expected(&self) -> Vec<Vec<Option<f64>>> {
        let value = |thought: &Option<Thought>| thought.as_ref().and_then(|thought| thought.report.value);
        self.record.plies.iter().map(|ply| ply.thoughts.iter().map(value).collect()).collect()
    }

    /// The moves that are not the player's own but random: number, role, reason.
    #[getter]
    fn faults(&self) -> Vec<Fault> {
        let of = |number: Option<usize>, faults: &[Option<SeatFault>]| -> Vec<Fault> {
            let told = |(role, fault): (usize, &Option<SeatFault>)| Some((number, role, fault_text(fault.as_ref()?)));
            faults.iter().enumerate().filter_map(told).collect()
        };
        let mut faults = of(None, &self.record.unready);
        faults.extend(self.record.plies.iter().enumerate().flat_map(|(number, ply)| of(Some(number), &ply.faults)));
        faults
    }

    fn __len__(&self) -> usize {
        self.record.plies.len()
    }

    fn __repr__(&self) -> String {
        let goals = self.record.goals.iter().map(|goal| goal.map_or("–".to_owned(), |goal| goal.to_string()));
        let sides = self.players.iter().zip(goals).map(|(player, goal)| format!("{player} {goal}"));
        format!("<Match {} after {} moves>", sides.collect::<Vec<_>>().join(", "), self.record.plies.len())
    }
}

/// A seat whose moves a Python function chooses.
struct Called {
    name: String,
    choose: Py<PyAny>,
    game: Py<PyGame>,
    role: usize,
    state: Option<PyState>,
    /// What it sees of a game that hides its states.
    watcher: Option<Watcher>,
}

impl Called {
    fn new(game: &Bound<'_, PyGame>, role: usize, choose: &Bound<'_, PyAny>) -> PyResult<Called> {
        let name = match choose.getattr_opt("__name__")? {
            Some(name) => name.to_string(),
            None => choose.get_type().name()?.to_string(),
        };
        let choose = choose.clone().unbind();
        Ok(Called { name, choose, game: game.clone().unbind(), role, state: None, watcher: None })
    }

    /// Asks the function in the state after a joint move.
    fn ask(&mut self, py: Python<'_>, made: Option<&[Term]>) -> PyResult<Term> {
        let game = self.game.bind(py);
        let state = match (made, self.state.take()) {
            (Some(made), Some(before)) => before.play(py, texts(made))?,
            _ => PyGame::initial(game.clone())?,
        };
        let chosen = self.choose.call1(py, (state.copy(py),));
        self.state = Some(state);
        read_fact(&chosen?.extract::<String>(py)?)
    }

    /// Asks the function by what the role knows after a joint move, of which it saw this.
    fn ask_of_view(&mut self, seen: Option<(Option<Term>, Vec<Term>)>, budget: &Budget) -> PyResult<Term> {
        let watcher = match &mut self.watcher {
            Some(watcher) => watcher,
            none => {
                let rules = Python::attach(|py| self.game.bind(py).get().rules.clone());
                none.insert(Watcher::new(&rules, self.role, budget)?)
            }
        };
        if let Some((made, percepts)) = seen {
            watcher.see(made, percepts);
        }
        let legal = watcher.legal(budget)?;
        Python::attach(|py| {
            let view = watcher.view(py, &self.game, legal);
            read_fact(&self.choose.call1(py, (view,))?.extract::<String>(py)?)
        })
    }
}

impl Seat for Called {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, _: Clocks, _: &Budget) -> Result<Thought, String> {
        Ok(Thought::default())
    }

    fn play(&mut self, told: &ToldMove, _: Clocks, budget: &Budget) -> Result<(Term, Thought), String> {
        let asked = match told {
            ToldMove::Nothing => Python::attach(|py| self.ask(py, None)),
            ToldMove::Joint(made) => Python::attach(|py| self.ask(py, Some(made))),
            ToldMove::Percepts { turn, own, percepts } => {
                self.ask_of_view((*turn > 0).then(|| (own.clone(), percepts.clone())), budget)
            }
        };
        asked.map(|term| (term, Thought::default())).map_err(|error| error.to_string())
    }

    fn stop(&mut self, _: Option<&ToldMove>) {}
}
