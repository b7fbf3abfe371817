//! The net as a game machine: states and joint moves in, answers out, as many at once as there are.
//!
//! A state is a lane. A batch of states is evaluated in blocks of 64 to 512 lanes; a single state is a batch of one.

use crate::graph::Signal;
use crate::lanes::kernel::{Block, Work, run, widest};
use crate::net::Net;
use crate::program::{Port, Program, Scheduler};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, LegalMoves, Move, Role, State, StateMachine};
use ludolog_syntax::ast::Term;
use rustc_hash::FxHashMap;

/// A game machine that evaluates a net.
pub struct NetMachine {
    /// Finds legal moves, terminal states and goals.
    look: Program,
    /// Finds next states.
    step: Program,
    slots: usize,
    terminal: Port,
    facts: Vec<MachineFact>,
    numbers: FxHashMap<Term, u32>,
    /// The names of the roles.
    names: Vec<Term>,
    roles: Vec<MachineRole>,
    /// The terms of all moves of all roles.
    moves: Vec<Term>,
    initial: State,
    budget: Budget,
}

struct MachineFact {
    term: Term,
    slot: u32,
    next: Port,
}

struct MachineRole {
    /// The number of its first move.
    first: u32,
    /// By move: whether it is legal, and the slot that says whether it is made.
    moves: Vec<(Port, u32)>,
    goals: Vec<(i64, Port)>,
}

impl NetMachine {
    /// The machine of a net. Each question has the whole budget.
    pub fn new(net: &Net, budget: Budget) -> NetMachine {
        let legal = net.roles.iter().flat_map(|role| role.moves.iter().map(|made| made.legal));
        let goals = net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal));
        let seen: Vec<Signal> = legal.chain(goals).chain([net.terminal]).collect();
        let next: Vec<Signal> = net.facts.iter().map(|fact| fact.next).collect();
        let mut scheduler = Scheduler::new(&net.graph, seen.iter().chain(&next).copied());
        let look = scheduler.program(&seen);
        let step = scheduler.program(&next);
        let facts = net.facts.iter().map(|fact| MachineFact {
            term: fact.term.clone(),
            slot: scheduler.port(fact.now).slot,
            next: scheduler.port(fact.next),
        });
        let facts: Vec<MachineFact> = facts.collect();
        let mut moves = Vec::new();
        let roles = net.roles.iter().map(|role| {
            let first = moves.len() as u32;
            moves.extend(role.moves.iter().map(|made| made.term.clone()));
            MachineRole {
                first,
                moves: role
                    .moves
                    .iter()
                    .map(|made| (scheduler.port(made.legal), scheduler.port(made.does).slot))
                    .collect(),
                goals: role.goals.iter().map(|&(value, signal)| (value, scheduler.port(signal))).collect(),
            }
        });
        let roles = roles.collect();
        let initial = (0..).zip(&net.facts).filter(|(_, fact)| fact.initial).map(|(number, _)| number).collect();
        NetMachine {
            terminal: scheduler.port(net.terminal),
            numbers: (0..).zip(&facts).map(|(number, fact)| (fact.term.clone(), number)).collect(),
            slots: scheduler.slots(),
            look,
            step,
            facts,
            names: net.roles.iter().map(|role| role.term.clone()).collect(),
            roles,
            moves,
            initial: State::new(initial),
            budget,
        }
    }

    /// Runs the net on states, with the joint moves made in them if it shall step, and reads each lane.
    fn evaluate<T>(
        &self,
        states: &[&State],
        joint: Option<&[&[Move]]>,
        read: impl Fn(&dyn Fn(Port) -> bool) -> T,
    ) -> Result<Vec<T>, GameError> {
        match states.len() {
            0..=64 => self.evaluate_in::<1, T>(states, joint, read),
            65..=256 => self.evaluate_in::<4, T>(states, joint, read),
            _ => self.evaluate_in::<8, T>(states, joint, read),
        }
    }

    fn evaluate_in<const N: usize, T>(
        &self,
        states: &[&State],
        joint: Option<&[&[Move]]>,
        read: impl Fn(&dyn Fn(Port) -> bool) -> T,
    ) -> Result<Vec<T>, GameError> {
        let budget = self.budget.renewed();
        let mut results = Vec::with_capacity(states.len());
        let mut slots = vec![Block::<N>::NONE; self.slots];
        for (number, batch) in states.chunks(Block::<N>::LANES).enumerate() {
            budget.check()?;
            slots.fill(Block::NONE);
            for (lane, state) in batch.iter().enumerate() {
                for &fact in state.numbers() {
                    slots[self.facts[fact as usize].slot as usize].insert(lane);
                }
                let made = joint.map_or(&[][..], |joint| joint[number * Block::<N>::LANES + lane]);
                for (role, made) in self.roles.iter().zip(made) {
                    if let Some((_, slot)) = made.0.checked_sub(role.first).and_then(|at| role.moves.get(at as usize)) {
                        slots[*slot as usize].insert(lane);
                    }
                }
            }
            let step = joint.map(|_| &self.step);
            widest(Evaluation { look: &self.look, step, slots: &mut slots });
            for lane in 0..batch.len() {
                let bit = |port: Port| slots[port.slot as usize].contains(lane) != port.complemented;
                results.push(read(&bit));
            }
        }
        Ok(results)
    }

    fn legal_of(&self, role: Role, bit: &dyn Fn(Port) -> bool) -> Vec<Move> {
        let role = &self.roles[role.0 as usize];
        (role.first..).zip(&role.moves).filter(|(_, (legal, _))| bit(*legal)).map(|(number, _)| Move(number)).collect()
    }
}

/// One evaluation, compiled for the instructions of the processor.
struct Evaluation<'e, const N: usize> {
    look: &'e Program,
    step: Option<&'e Program>,
    slots: &'e mut [Block<N>],
}

impl<const N: usize> Work for Evaluation<'_, N> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        run(self.look, self.slots);
        if let Some(step) = self.step {
            run(step, self.slots);
        }
    }
}

impl StateMachine for NetMachine {
    fn roles(&self) -> &[Term] {
        &self.names
    }

    fn initial_state(&self) -> &State {
        &self.initial
    }

    fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<Move>, GameError> {
        Ok(self.evaluate(&[state], None, |bit| self.legal_of(role, bit))?.swap_remove(0))
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, GameError> {
        Ok(self.next_states(&[(state, joint)])?.swap_remove(0))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, GameError> {
        Ok(self.evaluate(&[state], None, |bit| bit(self.terminal))?.swap_remove(0))
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Option<i64>, GameError> {
        let goals = &self.roles[role.0 as usize].goals;
        let one = self.evaluate(&[state], None, |bit| {
            let mut values = goals.iter().filter(|(_, port)| bit(*port)).map(|(value, _)| *value);
            values.next().filter(|_| values.next().is_none())
        });
        Ok(one?.swap_remove(0))
    }

    fn facts(&self, state: &State) -> Vec<Term> {
        state.numbers().iter().map(|&fact| self.facts[fact as usize].term.clone()).collect()
    }

    fn state_of(&mut self, facts: Vec<Term>) -> Result<State, GameError> {
        let number = |fact: Term| {
            let unknown = || Stopped::Unsupported("the state has a fact that no reachable state has".to_owned());
            self.numbers.get(&fact).copied().ok_or_else(|| GameError::Stopped(unknown()))
        };
        Ok(State::new(facts.into_iter().map(number).collect::<Result<_, _>>()?))
    }

    fn move_term(&self, made: Move) -> &Term {
        &self.moves[made.0 as usize]
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    fn are_terminal(&mut self, states: &[State]) -> Result<Vec<bool>, GameError> {
        let states: Vec<&State> = states.iter().collect();
        self.evaluate(&states, None, |bit| bit(self.terminal))
    }

    fn all_legal_moves(&mut self, states: &[State]) -> Result<Vec<LegalMoves>, GameError> {
        let states: Vec<&State> = states.iter().collect();
        let roles = 0..self.roles.len() as u32;
        self.evaluate(&states, None, |bit| roles.clone().map(|role| self.legal_of(Role(role), bit)).collect())
    }

    fn next_states(&mut self, steps: &[(&State, &[Move])]) -> Result<Vec<State>, GameError> {
        if let Some((_, joint)) = steps.iter().find(|(_, joint)| joint.len() != self.names.len()) {
            return Err(GameError::WrongCount { given: joint.len(), roles: self.names.clone() });
        }
        let (states, joint): (Vec<&State>, Vec<&[Move]>) = steps.iter().copied().unzip();
        self.evaluate(&states, Some(&joint), |bit| {
            let holds = (0..).zip(&self.facts).filter(|(_, fact)| bit(fact.next));
            State::new(holds.map(|(number, _)| number).collect())
        })
    }
}
