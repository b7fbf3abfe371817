//! What a role knows in a game that hides its states.

use crate::error::told;
use crate::game::{PyGame, read_fact};
use crate::interrupt::interruptible;
use ludolog::engine::Budget;
use ludolog::game::{Role, canonical};
use ludolog::player::hidden::Follower;
use ludolog::player::{Game, GameReasoner, Observation};
use ludolog::syntax::ast::Term;
use pyo3::prelude::*;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// What a role knows in a game that hides its states: its moves and percepts so far. Two views are equal if the role knows the same.
#[pyclass(name = "View", module = "ludolog", frozen)]
pub struct PyView {
    #[pyo3(get)]
    pub game: Py<PyGame>,
    /// The number of the role.
    #[pyo3(get)]
    role: usize,
    pub seen: Vec<Observation>,
    /// The legal moves of the role.
    #[pyo3(get)]
    legal: Vec<String>,
}

/// Follows what a role sees from move to move, to know its legal moves.
pub struct Watcher {
    role: usize,
    follower: Follower,
    machines: Game,
    seen: Vec<Observation>,
}

impl Watcher {
    /// The beginning of a game for a role.
    pub fn new(rules: &GameReasoner, role: usize, budget: &Budget) -> PyResult<Watcher> {
        let follower = Follower::new(Role(role as u32), 0);
        Ok(Watcher { role, follower, machines: rules.game(budget).map_err(told)?, seen: Vec::new() })
    }

    /// Notes what the role sees of a joint move.
    pub fn see(&mut self, made: Option<Term>, percepts: Vec<Term>) {
        self.seen.push(Observation { made, percepts });
    }

    /// The legal moves of the role.
    pub fn legal(&mut self, budget: &Budget) -> PyResult<Vec<String>> {
        let machine = self.machines.machine();
        let legal = self.follower.legal_moves(machine, &self.seen, budget).map_err(told)?;
        Ok(legal.iter().map(|made| canonical::text(machine.move_term(*made))).collect())
    }

    /// The view of the role, which has these legal moves.
    pub fn view(&self, py: Python<'_>, game: &Py<PyGame>, legal: Vec<String>) -> PyView {
        PyView { game: game.clone_ref(py), role: self.role, seen: self.seen.clone(), legal }
    }
}

/// The view of a role after its moves, and what it saw of each joint move.
pub fn view_of(game: &Bound<'_, PyGame>, role: usize, moves: &[String], percepts: &[Vec<String>]) -> PyResult<PyView> {
    if moves.len() != percepts.len() {
        return Err(told(format!("{} moves, and percepts of {} joint moves", moves.len(), percepts.len())));
    }
    let terms = |texts: &Vec<String>| texts.iter().map(|text| read_fact(text)).collect::<PyResult<Vec<Term>>>();
    let moves = moves.iter().map(|text| read_fact(text)).collect::<PyResult<Vec<Term>>>()?;
    let percepts = percepts.iter().map(terms).collect::<PyResult<Vec<_>>>()?;
    let rules = &game.get().rules;
    let followed = interruptible(game.py(), None, |budget| {
        let mut watcher = Watcher::new(rules, role, budget)?;
        moves.into_iter().zip(percepts).for_each(|(made, seen)| watcher.see(Some(made), seen));
        let legal = watcher.legal(budget)?;
        if watcher.follower.is_refuted() {
            return Err(told("no state in which the game goes on fits these moves and percepts"));
        }
        PyResult::Ok((watcher, legal))
    });
    let (watcher, legal) = followed??;
    Ok(watcher.view(game.py(), game.as_unbound(), legal))
}

#[pymethods]
impl PyView {
    /// The role's own moves.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.seen.iter().filter_map(|seen| seen.made.as_ref()).map(canonical::text).collect()
    }

    /// By joint move: what the role saw of it, sorted.
    #[getter]
    fn percepts(&self) -> Vec<Vec<String>> {
        self.seen.iter().map(percepts_of).collect()
    }

    /// Moves and percepts, a line for each joint move.
    fn __str__(&self) -> String {
        let line = |seen: &Observation| {
            let made = seen.made.as_ref().map_or("–".to_owned(), canonical::text);
            format!("{made}: {}\n", percepts_of(seen).join(" "))
        };
        self.seen.iter().map(line).collect()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<View of {} after {} moves>", self.game.bind(py).get().roles[self.role], self.seen.len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyView>().is_ok_and(|other| {
            let other = other.get();
            other.game.is(&self.game) && other.role == self.role && self.__str__() == other.__str__()
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.role, self.__str__()).hash(&mut hasher);
        hasher.finish()
    }
}

fn percepts_of(seen: &Observation) -> Vec<String> {
    let mut texts: Vec<String> = seen.percepts.iter().map(canonical::text).collect();
    texts.sort();
    texts.dedup();
    texts
}
