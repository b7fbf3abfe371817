//! Many states of a game at once.

use crate::error::told;
use crate::interrupt::interruptible;
use crate::load;
use crate::shared::Shared;
use ludolog::engine::Budget;
use ludolog::game::grid::FactPlaces;
use ludolog::game::{Move, Role, StateMachine, canonical};
use ludolog::player::Game;
use ludolog::propnet::{CompiledGame, Net, NetMachine, SteppedStates};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard};
use std::thread::available_parallelism;
use std::{iter, slice};

/// Most bytes of the states of all lanes.
const MOST_BYTES: usize = 1 << 32;

/// The action of all roles of a lane that keeps its state.
const STAY: i32 = -2;

/// The lanes of a game. All arrays are bytes, lane by lane.
#[pyclass(name = "Lanes", module = "ludolog._ludolog", frozen)]
pub struct PyLanes {
    states: Shared<SteppedStates>,
    names: Arc<Names>,
    threads: usize,
}

/// A grid of facts: its name, the names of its columns and rows, and of each fact its number, what it puts on a cell, and the place of
/// that one, by column and row.
type Board = (String, Vec<String>, Vec<String>, Vec<(usize, String, usize, usize)>);

/// The names of a game, and the numbers of its moves.
struct Names {
    net: Arc<Net>,
    /// By role: its name, and the names of its moves.
    roles: Vec<(String, Vec<String>)>,
    facts: Vec<String>,
    /// By role: the number of its first move.
    starts: Vec<u32>,
    /// Whether the game hides its states.
    hides: bool,
}

impl PyLanes {
    fn lock(&self) -> PyResult<MutexGuard<'_, SteppedStates>> {
        self.states.try_lock()
    }

    /// The states, of which there is this one.
    fn lane(&self, lane: usize) -> PyResult<MutexGuard<'_, SteppedStates>> {
        let states = self.lock()?;
        if lane < states.lanes() { Ok(states) } else { Err(told(format!("there is no lane {lane}"))) }
    }

    /// The names of a role's moves.
    fn moves(&self, role: usize) -> PyResult<&[String]> {
        let found = self.names.roles.get(role);
        found.map(|(_, moves)| &**moves).ok_or_else(|| told(format!("there is no role {role}")))
    }

    /// The joint moves of these actions: one a lane, for the role that has the turn, or one a lane and role. Lanes that are over stay,
    /// whatever their actions if those are ignored.
    fn joint(&self, states: &SteppedStates, actions: &[u8], ignores: bool) -> PyResult<Vec<Move>> {
        let roles = self.names.roles.len();
        let actions: Vec<i32> = actions.as_chunks::<4>().0.iter().map(|bytes| i32::from_ne_bytes(*bytes)).collect();
        let each = actions.len() / states.lanes().max(1);
        if actions.len() != each * states.lanes() || ![1, roles].contains(&each) && states.lanes() > 0 {
            return Err(told(format!("{} lanes of {roles} roles take as many actions", states.lanes())));
        }
        let mut joint = Vec::with_capacity(states.lanes() * roles);
        for (lane, actions) in actions.chunks(each.max(1)).enumerate() {
            let stays = actions.contains(&STAY);
            if stays && actions.iter().any(|action| *action != STAY) {
                return Err(told(format!("lane {lane}: some roles stay ({STAY}), and others do not")));
            }
            if stays || ignores && states.is_terminal(lane) {
                joint.extend(iter::repeat_n(SteppedStates::STAY, roles));
            } else if each == roles {
                for (role, action) in actions.iter().enumerate() {
                    joint.push(self.made(states, lane, role, *action)?);
                }
            } else {
                self.alone(states, lane, actions[0], &mut joint)?;
            }
        }
        Ok(joint)
    }

    /// Adds the joint move of a lane in which the role that has the turn makes an action.
    fn alone(&self, states: &SteppedStates, lane: usize, action: i32, joint: &mut Vec<Move>) -> PyResult<()> {
        let turn = if states.is_terminal(lane) { Some(Role(0)) } else { states.turn(lane) };
        let several = || format!("lane {lane}: several roles move at a time: give an action for each lane and role");
        let turn = turn.ok_or_else(|| told(several()))?.0 as usize;
        for role in 0..self.names.roles.len() {
            let idle = if role == turn { None } else { states.idle(lane, Role(role as u32)) };
            joint.push(match idle {
                Some(idle) => idle,
                None => self.made(states, lane, role, if role == turn { action } else { -1 })?,
            });
        }
        Ok(())
    }

    /// The move of a role's action in a lane; -1 is that of a role without the turn, and of a lane that is over.
    fn made(&self, states: &SteppedStates, lane: usize, role: usize, action: i32) -> PyResult<Move> {
        let (name, moves) = &self.names.roles[role];
        let is_over = states.is_terminal(lane);
        let of_role = Role(role as u32);
        match usize::try_from(action) {
            Err(_) if action == -1 && is_over => Ok(SteppedStates::STAY),
            Err(_) if action == -1 => {
                states.idle(lane, of_role).ok_or_else(|| told(format!("lane {lane}: {name} has to move")))
            }
            Ok(_) if is_over => Err(told(format!("lane {lane} is over, and action {action} is not -1"))),
            Ok(place) if place < moves.len() => {
                let made = Move(self.names.starts[role] + place as u32);
                let told =
                    || told(format!("lane {lane}: action {action}, `{}`, is not legal for {name}", moves[place]));
                states.is_legal(lane, of_role, made).then_some(made).ok_or_else(told)
            }
            _ => Err(told(format!("lane {lane}: there is no action {action}"))),
        }
    }
}

#[pymethods]
impl PyLanes {
    #[new]
    #[pyo3(signature = (path, text, lanes, threads))]
    fn new(py: Python<'_>, path: Option<PathBuf>, text: Option<&str>, lanes: usize, threads: usize) -> PyResult<Self> {
        let path = load::spelled(path)?;
        let session = load::session(py, path.as_deref(), text, Syntax::Kif)?;
        // More threads than processors help nobody.
        let threads = available_parallelism().map_or(1, |most| threads.min(most.get()));
        let program = session.program();
        let states = interruptible(py, None, |budget| {
            let net = CompiledGame::new(program, budget).map_err(told)?.net;
            let bytes = lanes.saturating_mul(
                8 * (net.facts.len() / 64 + net.roles.iter().map(|role| role.moves.len()).sum::<usize>() / 64 + 4),
            );
            if bytes > MOST_BYTES {
                return Err(told(format!(
                    "{lanes} lanes take {bytes} bytes, more than the {MOST_BYTES} that are allowed"
                )));
            }
            let machine = NetMachine::new(&net, Budget::unlimited());
            let states = machine.stepped_states(lanes);
            let names = |role: u32| states.moves(Role(role)).map(|made| canonical::text(machine.move_term(made)));
            let roles = (0..).zip(machine.roles()).map(|(role, term)| (canonical::text(term), names(role).collect()));
            let roles: Vec<(String, Vec<String>)> = roles.collect();
            let starts = (0..roles.len() as u32).map(|role| states.moves(Role(role)).next().map_or(0, |made| made.0));
            PyResult::Ok((starts.collect(), roles, states, net, machine.hides()))
        });
        let (starts, roles, states, net, hides): (_, _, SteppedStates, _, _) = states??;
        let facts = states.fact_terms().map(canonical::text).collect();
        Ok(Self { states: Shared::new(states), names: Arc::new(Names { net, roles, facts, starts, hides }), threads })
    }

    /// By role: its name, and the names of its moves.
    #[getter]
    fn roles(&self) -> Vec<(String, Vec<String>)> {
        self.names.roles.clone()
    }

    /// The names of the facts.
    #[getter]
    fn facts(&self) -> Vec<String> {
        self.names.facts.clone()
    }

    /// Whether the game hides its states (GDL-II).
    #[getter]
    fn hides(&self) -> bool {
        self.names.hides
    }

    /// The grids among the facts, the rows from below.
    fn boards(&self, py: Python<'_>) -> PyResult<Vec<Board>> {
        let net = &self.names.net;
        interruptible(py, None, |budget| {
            let mut game = Game::Net(net.clone(), Box::new(NetMachine::new(net, budget.clone())));
            let possible = game.possible_facts();
            let (places, _) = FactPlaces::sample(game.machine(), &possible, budget);
            let texts = |terms: &[Term]| terms.iter().map(canonical::text).collect();
            let mut boards: Vec<Board> = Vec::new();
            for board in places.view(&[]).boards {
                boards.push((board.title(), texts(board.columns), texts(board.rows), Vec::new()));
            }
            for (number, fact) in net.facts.iter().enumerate() {
                let view = places.view(slice::from_ref(&fact.term));
                for (board, (_, columns, _, cells)) in view.boards.iter().zip(&mut boards) {
                    let found = board.cells.iter().zip(0..).find_map(|(cell, at)| Some((cell.as_ref()?, at)));
                    if let Some((content, at)) = found {
                        cells.push((number, board.text(content), at % columns.len(), at / columns.len()));
                    }
                }
            }
            boards
        })
    }

    fn copy(&self) -> PyResult<Self> {
        let states = Shared::new(self.lock()?.clone());
        Ok(Self { states, names: self.names.clone(), threads: self.threads })
    }

    fn take(&self, lanes: Vec<usize>) -> PyResult<Self> {
        let states = self.lock()?;
        if let Some(lane) = lanes.iter().find(|&&lane| lane >= states.lanes()) {
            return Err(told(format!("there is no lane {lane}")));
        }
        let states = Shared::new(states.take(&lanes));
        Ok(Self { states, names: self.names.clone(), threads: self.threads })
    }

    /// Whether the state of one lane is terminal, and the role that has the turn, if one has.
    fn turn(&self, lane: usize) -> PyResult<(bool, Option<u32>)> {
        let states = self.lane(lane)?;
        Ok((states.is_terminal(lane), states.turn(lane).map(|role| role.0)))
    }

    /// The legal actions of a role in one lane; none if it is over.
    fn legal(&self, lane: usize, role: usize) -> PyResult<Vec<u32>> {
        let states = self.lane(lane)?;
        self.moves(role)?;
        if states.is_terminal(lane) {
            return Ok(Vec::new());
        }
        let role = Role(role as u32);
        let moves = (0..).zip(states.moves(role));
        Ok(moves.filter(|(_, made)| states.is_legal(lane, role, *made)).map(|(place, _)| place).collect())
    }

    /// Makes the actions, an `int32` for each lane, or for each lane and role. Nothing changes if one is illegal. Lanes that were over
    /// before begin anew if that is wanted.
    fn step(&self, py: Python<'_>, actions: &[u8], resets: bool) -> PyResult<()> {
        py.detach(|| {
            let mut states = self.lock()?;
            let joint = self.joint(&states, actions, resets)?;
            let over: Vec<usize> = (0..states.lanes()).filter(|&lane| resets && states.is_terminal(lane)).collect();
            states.step(&joint, self.threads);
            states.restart(over);
            Ok(())
        })
    }

    /// Puts the first state into these lanes.
    fn restart(&self, lanes: Vec<usize>) -> PyResult<()> {
        let mut states = self.lock()?;
        if let Some(lane) = lanes.iter().find(|&&lane| lane >= states.lanes()) {
            return Err(told(format!("there is no lane {lane}")));
        }
        states.restart(lanes);
        Ok(())
    }

    /// The facts, a byte each.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        rows(py, &states, self.names.facts.len(), |lane| (states.facts(lane), 0))
    }

    /// The legal moves of a role, a byte each; none of a lane that is over.
    fn masks<'py>(&self, py: Python<'py>, role: usize) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        let moves = self.moves(role)?;
        let first = self.names.starts[role] as usize + 1;
        rows(py, &states, moves.len(), |lane| (if states.is_terminal(lane) { &[] } else { states.row(lane) }, first))
    }

    /// The legal moves of the role that has the turn, a byte each, as many as the role with the most has; none where the lane is over,
    /// or several roles move.
    fn mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        let width = self.names.roles.iter().map(|(_, moves)| moves.len()).max().unwrap_or_default();
        PyByteArray::new_with(py, states.lanes() * width, |bytes| {
            for (lane, bytes) in bytes.chunks_mut(width.max(1)).enumerate() {
                if let Some(turn) = states.turn(lane).filter(|_| !states.is_terminal(lane)) {
                    let role = turn.0 as usize;
                    let first = self.names.starts[role] as usize + 1;
                    spread(states.row(lane), first, &mut bytes[..self.names.roles[role].1.len()]);
                }
            }
            Ok(())
        })
    }

    /// Whether each lane is over, a byte each.
    fn terminal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        rows(py, &states, 1, |lane| (states.row(lane), 0))
    }

    /// By lane the role that has the turn, -1 where several have, a byte each.
    fn turns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        PyByteArray::new_with(py, states.lanes(), |bytes| {
            let turn = |lane| states.turn(lane).map_or(u8::MAX, |role| role.0 as u8);
            bytes.iter_mut().enumerate().for_each(|(lane, byte)| *byte = turn(lane));
            Ok(())
        })
    }

    /// The goals of all roles in the lanes that are over, an `int64` each; zero where there is none.
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let states = self.lock()?;
        let width = 8 * self.names.roles.len();
        let mut goals = vec![0; states.lanes() * width];
        for (lane, goals) in goals.chunks_mut(width.max(1)).enumerate() {
            if states.is_terminal(lane) {
                let bytes = states.goals(lane).flat_map(|goal| goal.unwrap_or_default().to_ne_bytes());
                goals.iter_mut().zip(bytes).for_each(|(byte, value)| *byte = value);
            }
        }
        Ok(PyByteArray::new(py, &goals))
    }
}

/// A byte for each of so many bits of each lane, from a bit of its words on; zeros without words.
fn rows<'py, 's>(
    py: Python<'py>,
    states: &'s SteppedStates,
    width: usize,
    words: impl Fn(usize) -> (&'s [u64], usize),
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, states.lanes() * width, |bytes| {
        for (lane, bytes) in bytes.chunks_mut(width.max(1)).enumerate() {
            let (words, first) = words(lane);
            spread(words, first, bytes);
        }
        Ok(())
    })
}

/// Writes the bits of words from one on, a byte each; zeros behind them.
fn spread(words: &[u64], first: usize, bytes: &mut [u8]) {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    for (number, bytes) in bytes.chunks_mut(64).enumerate() {
        let bit = first + 64 * number;
        // Shifted in two steps, since it may be by 64.
        let bits = word(bit / 64) >> (bit % 64) | word(bit / 64 + 1) << (63 - bit % 64) << 1;
        let (eights, rest) = bytes.as_chunks_mut::<8>();
        for (eight, bytes) in bits.to_le_bytes().into_iter().zip(&mut *eights) {
            *bytes = SPREAD[usize::from(eight)];
        }
        if !rest.is_empty() {
            let eight = bits.to_le_bytes()[eights.len()];
            rest.copy_from_slice(&SPREAD[usize::from(eight)][..rest.len()]);
        }
    }
}

/// By byte: its bits, a byte each.
const SPREAD: [[u8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut at = 0;
    while at < 8 * 256 {
        spread[at / 8][at % 8] = ((at / 8) >> (at % 8) & 1) as u8;
        at += 1;
    }
    spread
};
