//! The solution of a game.

use crate::shard::{NO_DISTANCE, Shard, hash, owner};
use crate::solver::{PeerResult, Unsolved};
use ludolog_game::{GameError, JointMove, State, StateMachine, StateMachineExt};
use ludolog_propnet::NetMachine;

/// Most joint moves of a line of best play.
const LONGEST_LINE: usize = 10_000;

/// The states that are found first after some number of joint moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The states.
    pub states: u64,
    /// Those of them that are terminal.
    pub terminal: u64,
    /// By value, in the order of [`SolvedStates::values`]: the states that have it.
    pub values: Vec<u64>,
}

/// The value of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateValue {
    /// The goal of the first role under best play; `None` if play need not end.
    pub value: Option<i64>,
    /// The joint moves to the end, if the side that forces the value hurries and the other one delays; `None` where
    /// nobody forces more than the half of the sum.
    pub distance: Option<u32>,
}

impl StateValue {
    /// The label of a shard, and its distance.
    pub(crate) fn new(values: &[i64], label: u8, distance: u32) -> StateValue {
        StateValue {
            value: values.get(usize::from(label)).copied(),
            distance: Some(distance).filter(|&distance| distance != NO_DISTANCE),
        }
    }
}

/// A game, as far as it is solved.
pub struct SolvedStates {
    /// The states, by the joint moves that it takes to reach them. After a stop, of the levels that are complete.
    pub levels: Vec<Level>,
    /// The goals of the first role at the ends, descending.
    pub values: Vec<i64>,
    /// The sum of the goals of two roles; `None` for one role.
    pub sum: Option<i128>,
    /// The legal joint moves of all states.
    pub joint_moves: u64,
    /// Why the states have no labels; `None` if they have.
    pub ended: Option<Unsolved>,
    initial: Option<StateValue>,
    /// The shards of this process, and the number of the first of them among those of all.
    pub(crate) shards: Vec<Shard>,
    first: usize,
    peers: usize,
}

impl SolvedStates {
    /// A game of which nothing is known.
    pub(crate) fn unsolved(ended: Unsolved) -> SolvedStates {
        SolvedStates {
            levels: Vec::new(),
            values: Vec::new(),
            sum: None,
            joint_moves: 0,
            ended: Some(ended),
            initial: None,
            shards: Vec::new(),
            first: 0,
            peers: 0,
        }
    }

    /// The parts of the peers of this process, of which there is at least one: the number of the first, and of all
    /// peers.
    pub(crate) fn of_parts(parts: Vec<PeerResult>, first: usize, peers: usize) -> SolvedStates {
        let mut solution = SolvedStates { first, peers, ..SolvedStates::unsolved(Unsolved::Elsewhere) };
        // Another peer's reason is better than that there is one.
        let ended = |part: &PeerResult| part.ended.clone();
        let reasons = parts.iter().filter_map(ended);
        solution.ended = reasons.reduce(|a, b| if a == Unsolved::Elsewhere { b } else { a });
        for PeerResult { shard, values, sum, levels, edges, initial, .. } in parts {
            (solution.levels, solution.values, solution.joint_moves) = (levels, values, edges);
            (solution.sum, solution.initial) = (sum, initial);
            solution.shards.push(shard);
        }
        solution
    }

    /// Whether it knows the labels of all states, not of those of its process alone.
    pub(crate) fn is_whole(&self) -> bool {
        self.ended.is_none() && self.shards.len() == self.peers
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.levels.iter().map(|level| level.states).sum()
    }

    /// The value of the first state; `None` after a stop.
    pub fn initial(&self) -> Option<StateValue> {
        self.initial
    }

    /// The value of a state of the machine that was solved; `None` if it cannot be reached, or belongs to another
    /// process, and after a stop.
    pub fn label(&self, machine: &NetMachine, state: &State) -> Option<StateValue> {
        let mut row = Vec::new();
        machine.push_row(state, &mut row);
        let shard = self.shards.get(owner(hash(&row), self.peers).checked_sub(self.first)?)?;
        let number = shard.rows.find(&row)? as usize;
        self.ended.is_none().then(|| self.label_at(shard, number))
    }

    pub(crate) fn label_at(&self, shard: &Shard, number: usize) -> StateValue {
        let known = shard.known[number];
        StateValue::new(&self.values, known.label, known.count)
    }

    /// A line of best play from the first state to an end: those who force hurry, the others delay. Without a distance
    /// it ends where a state comes again. Empty without labels of all states.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn line(&self, machine: &mut NetMachine) -> Result<Vec<JointMove>, GameError> {
        let mut line = Vec::new();
        let mut state = machine.initial_state().clone();
        let mut seen = vec![state.clone()];
        while self.is_whole()
            && line.len() < LONGEST_LINE
            && let Some((joint, next)) = self.best_moves(machine, &state)?.into_iter().next()
        {
            line.push(joint);
            if seen.contains(&next) {
                break;
            }
            seen.push(next.clone());
            state = next;
        }
        Ok(line)
    }

    fn best_moves(&self, machine: &mut NetMachine, state: &State) -> Result<Vec<(JointMove, State)>, GameError> {
        best_moves(machine, state, |machine, state| self.label(machine, state))
    }
}

/// The joint moves that keep the value of a state, with the states that they lead to; where there is a distance, those
/// that are as fast as the side that forces the value can be, and as slow as the other one can. None at ends, and where
/// no label is known.
///
/// # Errors
///
/// [`GameError::Stopped`].
pub fn best_moves(
    machine: &mut NetMachine,
    state: &State,
    label: impl Fn(&NetMachine, &State) -> Option<StateValue>,
) -> Result<Vec<(JointMove, State)>, GameError> {
    let Some(here) = label(machine, state) else { return Ok(Vec::new()) };
    if machine.is_terminal(state)? {
        return Ok(Vec::new());
    }
    let joints: Vec<JointMove> = machine.legal_joint_moves(state)?.collect();
    let steps: Vec<_> = joints.iter().map(|joint| (state, &**joint)).collect();
    let next = machine.next_states(&steps)?;
    let is_best = |next: StateValue| {
        let is_timely = here.distance.is_none() || next.distance.map(|n| n + 1) == here.distance;
        next.value == here.value && is_timely
    };
    let moves = joints.into_iter().zip(next);
    Ok(moves.filter(|(_, next)| label(machine, next).is_some_and(is_best)).collect())
}
