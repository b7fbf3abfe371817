//! Information sets by number: everything that a role has done and seen since the first state.
//!
//! An information set of a game that hides its states is a sequence of own moves, each with the percepts after it. The
//! sequences of all roles are a trie whose nodes are numbered, so that a step is one look-up. In a game that hides
//! nothing a role knows the state, which then is the information set.

use crate::player::place;
use ludolog_game::{GameError, Move, Percept, Role, State, StateMachine};
use rustc_hash::FxHashMap;

/// The number of an information set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InformationSet(u32);

/// The bytes of a node of the trie, about.
const NODE_BYTES: usize = 48;

/// The information sets that came up.
#[derive(Debug, Default)]
pub struct Histories {
    /// By an information set, a move and the number of a list of percepts.
    after: FxHashMap<(InformationSet, Move, u32), InformationSet>,
    percepts: FxHashMap<Box<[Percept]>, u32>,
    /// By a role and a state, where nothing is hidden.
    known: FxHashMap<(Role, State), InformationSet>,
    count: u32,
}

impl Histories {
    /// The information sets of all roles in the first state.
    pub fn first(&mut self, machine: &dyn StateMachine) -> Box<[InformationSet]> {
        let roles = machine.roles().len() as u32;
        if !machine.hides() {
            return self.of_state(machine.initial_state(), roles);
        }
        self.count = self.count.max(roles);
        (0..roles).map(InformationSet).collect()
    }

    /// The information sets of all roles after a joint move that led from one state to another.
    ///
    /// # Errors
    ///
    /// As [`StateMachine::percepts`].
    pub fn after(
        &mut self,
        machine: &mut dyn StateMachine,
        before: &[InformationSet],
        (state, joint, next): (&State, &[Move], &State),
    ) -> Result<Box<[InformationSet]>, GameError> {
        if !machine.hides() {
            return Ok(self.of_state(next, before.len() as u32));
        }
        let seen = machine.percepts(state, joint)?;
        Ok(before.iter().zip(joint).zip(&seen).map(|((&before, &made), seen)| self.child(before, made, seen)).collect())
    }

    /// The information set after an own move and what was seen of the joint move.
    pub fn child(&mut self, before: InformationSet, made: Move, seen: &[Percept]) -> InformationSet {
        let list = match self.percepts.get(seen) {
            Some(&list) => list,
            None => {
                let list = self.percepts.len() as u32;
                self.percepts.insert(seen.into(), list);
                list
            }
        };
        let count = &mut self.count;
        *self.after.entry((before, made, list)).or_insert_with(|| numbered(count))
    }

    /// The information sets of all roles in a state that they know.
    pub(super) fn of_state(&mut self, state: &State, roles: u32) -> Box<[InformationSet]> {
        let count = &mut self.count;
        let known = &mut self.known;
        let of_role = |role| *known.entry((role, state.clone())).or_insert_with(|| numbered(count));
        (0..roles).map(Role).map(of_role).collect()
    }

    /// The bytes that they take, about.
    pub fn bytes(&self) -> usize {
        NODE_BYTES * (self.after.len() + self.known.len())
    }
}

/// The next number; the last one stands for all that come when there are no more.
fn numbered(count: &mut u32) -> InformationSet {
    let number = *count;
    *count = count.saturating_add(1);
    InformationSet(number)
}

/// The information set of a role.
pub(super) fn of_role(sets: &[InformationSet], role: Role) -> InformationSet {
    sets[place(role)]
}
