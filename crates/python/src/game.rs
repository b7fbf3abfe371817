//! Games and their states.

use crate::error::told;
use crate::interrupt::interruptible;
use crate::load;
use crate::matches::{self, Arranged, PyMatch};
use crate::player::{PyPlayer, player_options};
use crate::shared::Shared;
use crate::solve::{self, PySolution};
use crate::view::{PyView, view_of};
use ludolog::diagnostic::{SourceId, Sources};
use ludolog::engine::Budget;
use ludolog::game::grid::FactPlaces;
use ludolog::game::scene::Scene;
use ludolog::game::{GameError, JointMove, Move, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog::picture::{svg, text};
use ludolog::player::{Game, GameReasoner, PlayerKind};
use ludolog::propnet::{Lanes, Net, PlayoutPolicy, PlyGroup, TRIAL, Tally, Width, fastest};
use ludolog::syntax::ast::{Formula, Term};
use ludolog::syntax::{Syntax, parse_goal};
use pyo3::prelude::*;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::num::NonZero;
use std::path::PathBuf;
use std::slice;
use std::sync::{Arc, MutexGuard, OnceLock};
use std::time::Duration;

/// States of one batch of playouts.
const BATCH: usize = 256;

/// Joint moves of a playout at most.
const MAX_STEPS: usize = 100_000;

/// The longest time for the playouts that show what states look like, in seconds.
const SAMPLING: f64 = 1.0;

/// Columns of a picture as text.
const WIDTH: usize = 100;

/// The function that makes a pickled object again, and its arguments.
type Restored<'py, A> = (Bound<'py, PyAny>, A);

/// What a pickled game is made of again: a path or a text, and the digest of its rules.
type Origin = (Option<String>, Option<String>, u64);

/// A game: what its rulesheet says of roles, states and moves.
#[pyclass(name = "Game", module = "ludolog", frozen, weakref)]
pub struct PyGame {
    pub rules: GameReasoner,
    machine: Shared<Game>,
    scene: Scene,
    /// What plays from the first state at random, once it was asked for; `None` if it takes too much.
    rollouts: OnceLock<Option<(Lanes, Width)>>,
    #[pyo3(get)]
    pub roles: Vec<String>,
    /// What it was made of.
    path: Option<String>,
    text: Option<String>,
    /// The files of its rules.
    #[pyo3(get)]
    files: Vec<String>,
    /// A number for the texts of its rules, the same in all processes.
    #[pyo3(get)]
    digest: u64,
}

impl PyGame {
    fn lock(&self) -> PyResult<MutexGuard<'_, Game>> {
        self.machine.lock()
    }

    /// Asks the machine. A net answers at once; the rules may take long, so that Ctrl-C stops them.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut dyn StateMachine) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let within = |budget: &Budget| {
            let mut game = self.lock()?;
            let machine = game.machine();
            machine.set_budget(budget.clone());
            ask(machine)
        };
        if self.rules.net().is_some() {
            return py.detach(|| within(&Budget::unlimited()));
        }
        interruptible(py, None, within)?
    }

    /// The names of the roles.
    pub fn names(&self) -> PyResult<Vec<Term>> {
        Ok(self.lock()?.reader().roles().to_vec())
    }

    /// Plays from the first state at random until the budget ends; `None` if there is nothing that does so faster than from any state.
    fn roll(&self, seed: u64, budget: &Budget) -> Option<Tally> {
        let made = self.rollouts.get_or_init(|| {
            let net = self.rules.net()?;
            fastest(net, PlayoutPolicy::Uniform, &PlyGroup::ALL, &Width::ALL, seed, TRIAL, &Budget::unlimited()).ok()
        });
        let (lanes, width) = made.as_ref()?;
        Some(width.play_out(lanes, seed, &budget.renewed(), &budget.renewed(), &mut || ()))
    }

    /// The net, whose numbers actions and facts have.
    fn net(&self) -> PyResult<&Arc<Net>> {
        self.rules.net().ok_or_else(|| told("the game has no net, so that its actions have no numbers"))
    }

    /// Machines of one's own, with a state of this game in their numbers.
    fn own(&self, state: &State, budget: &Budget) -> PyResult<(Game, State)> {
        let facts = self.lock()?.reader().facts(state);
        let mut own = self.rules.game(budget).map_err(told)?;
        let state = own.machine().state_of(facts).map_err(told)?;
        Ok((own, state))
    }
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (path = None, *, text = None))]
    fn new(py: Python<'_>, path: Option<PathBuf>, text: Option<String>) -> PyResult<Self> {
        let path = load::spelled(path)?;
        let session = load::session(py, path.as_deref(), text.as_deref(), Syntax::Kif)?;
        let program = session.program();
        let (files, digest) = rules_of(session.sources());
        let made = interruptible(py, None, |budget| {
            let rules = GameReasoner::new(program, budget)?;
            let mut machine = rules.game(budget)?;
            let possible = machine.possible_facts();
            let board = machine.machine();
            let sampling = budget.clone().with_timeout(Duration::from_secs_f64(SAMPLING));
            let (layout, states) = FactPlaces::sample(board, &possible, &sampling);
            let stated = Scene::stated(&program.program, board.roles()).unwrap_or_default();
            let scene = stated.unwrap_or_else(|| Scene::of_grids(layout, board.roles())).of_states(&states);
            let roles = board.roles().iter().map(canonical::text).collect();
            Ok::<_, GameError>((rules, machine, scene, roles))
        });
        let (rules, machine, scene, roles) = made?.map_err(told)?;
        let rollouts = OnceLock::new();
        Ok(PyGame { rules, machine: Shared::new(machine), scene, rollouts, roles, path, text, files, digest })
    }

    /// The first state.
    #[getter]
    pub fn initial(slf: Bound<'_, Self>) -> PyResult<PyState> {
        let state = slf.get().lock()?.reader().initial_state().clone();
        Ok(PyState { game: slf.unbind(), state })
    }

    /// By role: the names of its actions. The number of an action counts those of the roles before, too.
    #[getter]
    fn actions(&self) -> PyResult<Vec<Vec<String>>> {
        let moves = self.net()?.roles.iter().map(|role| role.moves.iter());
        Ok(moves.map(|moves| moves.map(|made| canonical::text(&made.term)).collect()).collect())
    }

    /// The names of the facts that states have as bits.
    #[getter]
    fn fact_names(&self) -> PyResult<Vec<String>> {
        Ok(self.net()?.facts.iter().map(|fact| canonical::text(&fact.term)).collect())
    }

    /// The state of these facts.
    fn state(slf: Bound<'_, Self>, facts: Vec<String>) -> PyResult<PyState> {
        let terms: Vec<Term> = facts.iter().map(|fact| read_fact(fact)).collect::<PyResult<_>>()?;
        PyState::of(slf.py(), &slf.clone().unbind(), terms)
    }

    /// Whether the game hides its states (GDL-II).
    #[getter]
    pub fn hides(&self) -> PyResult<bool> {
        Ok(self.lock()?.reader().hides())
    }

    /// What a role knows in a game that hides its states, after its moves and what it saw of each joint move.
    #[pyo3(signature = (role, moves = Vec::new(), percepts = Vec::new()))]
    fn view(slf: Bound<'_, Self>, role: usize, moves: Vec<String>, percepts: Vec<Vec<String>>) -> PyResult<PyView> {
        let game = slf.get();
        if role >= game.roles.len() {
            return Err(told(format!("there is no role {role}")));
        }
        if !game.hides()? {
            return Err(told("the game hides nothing: its states are known"));
        }
        view_of(&slf, role, &moves, &percepts)
    }

    /// A player of a role, by its number, that keeps what it finds out from move to move. It plays by a solution, if it is given
    /// one.
    #[pyo3(signature = (name = "auto", role = 0, *, seed = 1, solution = None))]
    fn player(
        slf: Bound<'_, Self>,
        name: &str,
        role: usize,
        seed: u64,
        solution: Option<Py<PySolution>>,
    ) -> PyResult<PyPlayer> {
        let game = slf.get();
        if role >= game.roles.len() {
            return Err(told(format!("there is no role {role}")));
        }
        let kind: PlayerKind = name.parse().map_err(told)?;
        let options = player_options(seed, solution.as_ref());
        let role = Role(role as u32);
        let made = interruptible(slf.py(), None, |budget| {
            let own = game.rules.game(budget).map_err(told)?;
            kind.0.player(own, role, &options).map_err(told)
        });
        Ok(PyPlayer::new(made??, slf.unbind()))
    }

    /// Plays a match between a player for each role but `random`: the name of one, or a function that gets a state, or a view where the
    /// game hides its states, and returns a move.
    /// Clocks are seconds, before the first move and for each; what is late or illegal is replaced by a random move.
    #[pyo3(
        name = "match",
        signature = (players, *, start = 1.0, play = 1.0, max_steps = 1_000, seed = 1, solution = None, progress = None)
    )]
    #[allow(clippy::too_many_arguments, reason = "the keywords of Python")]
    fn play_match<'py>(
        slf: Bound<'py, Self>,
        players: Vec<Bound<'py, PyAny>>,
        start: f64,
        play: f64,
        max_steps: usize,
        seed: u64,
        solution: Option<Py<PySolution>>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<PyMatch> {
        let clocks = matches::clocks(start, play)?;
        matches::play(&slf, Arranged { players, clocks, max_steps, seed, solution, progress })
    }

    /// Solves the game: the values of all states. Raises `Error` if its roles do not take turns, or it is too large.
    #[pyo3(signature = (*, seconds = None, threads = 1, max_bytes = 4 << 30, progress = None))]
    fn solve(
        slf: Bound<'_, Self>,
        seconds: Option<f64>,
        threads: usize,
        max_bytes: u64,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PySolution> {
        let threads = NonZero::new(threads).ok_or_else(|| told("there is at least 1 thread"))?;
        solve::solved(&slf, seconds, threads, max_bytes, progress.as_ref())
    }

    /// The solution in a file that `Solution.save` or the command has written.
    fn solution(slf: Bound<'_, Self>, path: PathBuf) -> PyResult<PySolution> {
        solve::of_bytes(&slf, std::fs::read(path)?)
    }

    /// Games never change, so that a copy is the game itself.
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(slf: Bound<'py, Self>) -> PyResult<Restored<'py, Origin>> {
        let module = slf.py().import("ludolog.game")?;
        module.getattr("remember")?.call1((&slf,))?;
        let game = slf.get();
        Ok((module.getattr("restore")?, (game.path.clone(), game.text.clone(), game.digest)))
    }
}

/// The names of the texts of rules, and a number for what they say.
fn rules_of(sources: &Sources) -> (Vec<String>, u64) {
    let mut hasher = DefaultHasher::new();
    let texts = (0..).map_while(|number| sources.get(SourceId(number)));
    let names = texts.inspect(|source| source.text.hash(&mut hasher)).map(|source| source.name.clone()).collect();
    (names, hasher.finish())
}

/// The mean of goals of this sum and number.
fn mean((sum, known): (i64, u64)) -> Option<f64> {
    (known > 0).then(|| sum as f64 / known as f64)
}

/// By role: the mean of the goals of playouts.
fn means_of(tally: &Tally) -> Vec<Option<f64>> {
    let add = |(sum, known), &(goal, count): &(i64, u64)| (sum + goal * count as i64, known + count);
    tally.goals.iter().map(|goals| mean(goals.iter().fold((0, 0), add))).collect()
}

/// The role that has the turn where these are the legal moves.
fn turn(net: &Net, legal: &[Vec<Move>]) -> Option<Role> {
    let first = |role: Role| net.roles[..role.0 as usize].iter().map(|role| role.moves.len()).sum::<usize>();
    net.turn(|role| match &legal[role.0 as usize][..] {
        [only] => Some(only.0 as usize - first(role)),
        _ => None,
    })
}

/// The term of a text.
pub fn read_fact(fact: &str) -> PyResult<Term> {
    let wrong = || told(format!("`{fact}` is no fact"));
    let goal = parse_goal(&format!("(fact {fact})"), &mut Sources::new(), Some(Syntax::Kif));
    match goal.map_err(|_| wrong())?.body.as_slice() {
        [Formula::Atom(atom)] if atom.args.len() == 1 => Ok(atom.args[0].clone()),
        _ => Err(wrong()),
    }
}

/// A state of a game. It never changes: a move makes another one.
#[pyclass(name = "State", module = "ludolog", frozen)]
pub struct PyState {
    #[pyo3(get)]
    pub game: Py<PyGame>,
    pub state: State,
}

impl PyState {
    /// The state of these facts.
    pub fn of(py: Python<'_>, game: &Py<PyGame>, facts: Vec<Term>) -> PyResult<PyState> {
        let state = game.get().ask(py, |machine| machine.state_of(facts).map_err(told))?;
        Ok(PyState { game: game.clone_ref(py), state })
    }

    pub fn copy(&self, py: Python<'_>) -> PyState {
        PyState { game: self.game.clone_ref(py), state: self.state.clone() }
    }

    /// The joint move of these names, a legal one of each role.
    fn joint(&self, machine: &mut dyn StateMachine, moves: &[String]) -> PyResult<JointMove> {
        if machine.is_terminal(&self.state).map_err(told)? {
            return Err(told("the game is over"));
        }
        let roles = &self.game.get().roles;
        if moves.len() != roles.len() {
            return Err(told(format!("{} moves for {} roles", moves.len(), roles.len())));
        }
        let legal = machine.all_legal_moves(slice::from_ref(&self.state)).map_err(told)?.swap_remove(0);
        let mut joint = Vec::with_capacity(moves.len());
        for ((role, legal), wanted) in roles.iter().zip(&legal).zip(moves) {
            let named = |made: &&Move| canonical::text(machine.move_term(**made)) == *wanted;
            let made = legal.iter().find(named);
            joint.push(*made.ok_or_else(|| told(format!("`{wanted}` is not a legal move of {role}")))?);
        }
        Ok(joint.into())
    }

    /// Random playouts from here until the budget ends, at least one batch: their number, and by role the mean of the goals.
    fn play_from_here(&self, seed: u64, budget: &Budget) -> PyResult<(u64, Vec<Option<f64>>)> {
        let game = self.game.get();
        // Others may ask the game's machine meanwhile.
        let (mut own, start) = game.own(&self.state, &Budget::unlimited())?;
        let starts = vec![start; BATCH];
        let machine = own.machine();
        machine.set_budget(Budget::unlimited());
        let mut count = 0;
        let mut sums = vec![(0i64, 0u64); game.roles.len()];
        while count == 0 || budget.check().is_ok() {
            for played in machine.random_playouts(&starts, MAX_STEPS, seed.wrapping_add(count)).map_err(told)? {
                count += 1;
                for ((sum, known), goal) in sums.iter_mut().zip(&played.goals) {
                    *sum += goal.unwrap_or_default();
                    *known += u64::from(goal.is_some());
                }
            }
        }
        Ok((count, sums.into_iter().map(mean).collect()))
    }

    pub fn terms(&self) -> PyResult<Vec<Term>> {
        Ok(self.game.get().lock()?.reader().facts(&self.state))
    }
}

#[pymethods]
impl PyState {
    /// The facts, sorted.
    #[getter]
    fn facts(&self) -> PyResult<Vec<String>> {
        let mut facts: Vec<String> = self.terms()?.iter().map(canonical::text).collect();
        facts.sort();
        Ok(facts)
    }

    #[getter]
    pub fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.game.get().ask(py, |machine| machine.is_terminal(&self.state).map_err(told))
    }

    /// What the state is worth to each role; `None` where the rules do not say.
    #[getter]
    fn goals(&self, py: Python<'_>) -> PyResult<Vec<Option<i64>>> {
        self.game.get().ask(py, |machine| machine.goals(&self.state).map_err(told))
    }

    /// The legal moves of each role; none when the game is over.
    #[getter]
    fn legal(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        self.game.get().ask(py, |machine| {
            if machine.is_terminal(&self.state).map_err(told)? {
                return Ok(vec![Vec::new(); machine.roles().len()]);
            }
            let legal = machine.all_legal_moves(slice::from_ref(&self.state)).map_err(told)?.swap_remove(0);
            let text = |made: &Move| canonical::text(machine.move_term(*made));
            Ok(legal.iter().map(|moves| moves.iter().map(text).collect()).collect())
        })
    }

    /// The state after a move of each role.
    #[pyo3(signature = (*moves))]
    pub fn play(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<PyState> {
        let state = self.game.get().ask(py, |machine| {
            let joint = self.joint(machine, &moves)?;
            machine.next_state(&self.state, &joint).map_err(told)
        })?;
        Ok(PyState { game: self.game.clone_ref(py), state })
    }

    /// By role: what it sees of a move of each role, sorted; nothing where the game hides nothing.
    #[pyo3(signature = (*moves))]
    fn percepts(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<Vec<Vec<String>>> {
        let seen = self.game.get().ask(py, |machine| {
            let joint = self.joint(machine, &moves)?;
            machine.percept_terms(&self.state, &joint).map_err(told)
        })?;
        let texts = |seen: &Vec<Term>| {
            let mut texts: Vec<String> = seen.iter().map(canonical::text).collect();
            texts.sort();
            texts
        };
        Ok(seen.iter().map(texts).collect())
    }

    /// Whether the state is terminal; the role that has the turn, if one has; and the numbers of its legal actions.
    fn choices(&self, py: Python<'_>) -> PyResult<(bool, Option<u32>, Vec<u32>)> {
        let net = self.game.get().net()?;
        self.game.get().ask(py, |machine| {
            if machine.is_terminal(&self.state).map_err(told)? {
                return Ok((true, None, Vec::new()));
            }
            let legal = machine.all_legal_moves(slice::from_ref(&self.state)).map_err(told)?.swap_remove(0);
            let turn = turn(net, &legal);
            let numbers = turn.map(|role| legal[role.0 as usize].iter().map(|made| made.0).collect());
            Ok((false, turn.map(|role| role.0), numbers.unwrap_or_default()))
        })
    }

    /// The state after an action, by its number, of the role that has the turn.
    fn act(&self, py: Python<'_>, action: i64) -> PyResult<PyState> {
        let number = u32::try_from(action).ok();
        let made = Move(number.ok_or_else(|| told(format!("action {action} is not legal")))?);
        let net = self.game.get().net()?;
        let state = self.game.get().ask(py, |machine| {
            if machine.is_terminal(&self.state).map_err(told)? {
                return Err(told("the game is over"));
            }
            let legal = machine.all_legal_moves(slice::from_ref(&self.state)).map_err(told)?.swap_remove(0);
            let turn = turn(net, &legal).ok_or_else(|| told("several roles move at a time"))?;
            if !legal[turn.0 as usize].contains(&made) {
                return Err(told(format!("action {action} is not legal")));
            }
            let mut joint: Vec<Move> = legal.iter().filter_map(|moves| moves.first().copied()).collect();
            joint[turn.0 as usize] = made;
            machine.next_state(&self.state, &joint).map_err(told)
        })?;
        Ok(PyState { game: self.game.clone_ref(py), state })
    }

    /// Random playouts from here for so many seconds: their number, and by role the mean of the goals.
    #[pyo3(signature = (seconds = 1.0, *, seed = 1))]
    fn playouts(&self, py: Python<'_>, seconds: f64, seed: u64) -> PyResult<(u64, Vec<Option<f64>>)> {
        let game = self.game.get();
        let is_first = *game.lock()?.reader().initial_state() == self.state;
        interruptible(py, Some(seconds), |budget| {
            let rolled = if is_first { game.roll(seed, budget) } else { None };
            match rolled.filter(|tally| tally.playouts > 0) {
                Some(tally) => Ok((tally.playouts, means_of(&tally))),
                None => self.play_from_here(seed, budget),
            }
        })?
    }

    /// The board as a picture in SVG; `None` if the rules show no board.
    fn _repr_svg_(&self) -> PyResult<Option<String>> {
        let terms = self.terms()?;
        let view = self.game.get().scene.view(&terms);
        Ok((!view.pictures.is_empty()).then(|| svg::sheet(&view.pictures, "state")))
    }

    fn __str__(&self) -> PyResult<String> {
        let terms = self.terms()?;
        let view = self.game.get().scene.view(&terms);
        let mut others: Vec<String> = view.others.iter().map(|fact| canonical::text(fact)).collect();
        others.sort();
        Ok(text::to_text(&view.pictures, WIDTH, false) + &text::columns(&others, "", WIDTH))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<State {}>", self.facts()?.join(" ")))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyState>().is_ok_and(|other| other.get().state == self.state && other.get().game.is(&self.game))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    /// States never change, so that a copy is the state itself.
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, (Py<PyGame>, Vec<String>)>> {
        let restore = py.import("ludolog.game")?.getattr("restore_state")?;
        Ok((restore, (self.game.clone_ref(py), self.facts()?)))
    }
}
