//! The data that all machines of a net share: its terms by number, the places of answers among words, and the programs of its lanes.

use super::batch::{LaneRows, Programs};
use crate::lanes::{Lanes, MoveUse, PlayoutPolicy};
use crate::net::Net;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Percept, State};
use ludolog_syntax::ast::Term;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The data that all machines of a net share.
pub(super) struct NetGame {
    pub(super) net: Arc<Net>,
    pub(super) numbers: FxHashMap<Term, usize>,
    pub(super) names: Vec<Term>,
    pub(super) moves: Vec<Term>,
    pub(super) roles: Vec<MachineRole>,
    /// By role: the words that say which goals hold.
    pub(super) goals: Vec<Range<usize>>,
    /// The percepts of all roles, in the order of their terms.
    pub(super) percepts: Vec<Term>,
    /// By role: the numbers of its percepts, and the words that say which of them it has.
    pub(super) sees: Vec<(Vec<Percept>, Range<usize>)>,
    /// The words that say which facts hold next.
    pub(super) next: Range<usize>,
    /// The word that says whether the state is terminal.
    pub(super) terminal: usize,
    pub(super) initial: State,
    pub(super) programs: OnceLock<Programs>,
    /// By policy, in the order of [`PlayoutPolicy::ALL`], and use of the moves made.
    pub(super) lanes: [[OnceLock<Lanes>; MoveUse::COUNT]; PlayoutPolicy::ALL.len()],
    /// The same, for states that those do not suit.
    pub(super) lanes_of_any: [[OnceLock<Lanes>; MoveUse::COUNT]; PlayoutPolicy::ALL.len()],
}

pub(super) struct MachineRole {
    pub(super) moves: Range<u32>,
    /// The words of the incremental net's output that say which moves are legal, if it has the turn.
    pub(super) legal: Range<usize>,
    /// The move that it makes otherwise, and the word that says whether that is so.
    pub(super) idle: Option<(u32, usize)>,
}

impl NetGame {
    pub(super) fn programs(&self) -> &Programs {
        self.programs.get_or_init(|| Programs::new(&self.net))
    }

    pub(super) fn lanes(&self, policy: PlayoutPolicy, uses: MoveUse, budget: &Budget) -> Result<&Lanes, Stopped> {
        let made = &self.lanes[policy as usize][uses.number()];
        get_or_make(made, || Lanes::for_states(&self.net, policy, uses, budget))
    }

    pub(super) fn lanes_of_any(
        &self,
        policy: PlayoutPolicy,
        uses: MoveUse,
        budget: &Budget,
    ) -> Result<&Lanes, Stopped> {
        let made = &self.lanes_of_any[policy as usize][uses.number()];
        get_or_make(made, || Lanes::for_any_states(&self.net, policy, uses, budget))
    }

    /// Lanes that suit these states.
    pub(super) fn lanes_for(
        &self,
        states: &[State],
        policy: PlayoutPolicy,
        uses: MoveUse,
        budget: &Budget,
    ) -> Result<&Lanes, Stopped> {
        let lanes = self.lanes(policy, uses, budget)?;
        if lanes.suit(states) { Ok(lanes) } else { self.lanes_of_any(policy, uses, budget) }
    }

    /// The value of the only goal that holds.
    pub(super) fn goal(&self, role: usize, mut holding: impl Iterator<Item = usize>) -> Option<i64> {
        let one = holding.next()?;
        holding.next().is_none().then(|| self.net.roles[role].goals[one].0)
    }

    /// The goals of all roles in a lane.
    pub(super) fn goals_of(&self, rows: &LaneRows<'_>, lane: usize) -> impl Iterator<Item = Option<i64>> {
        let ranges = self.net.roles.iter().scan(0, |end, role| {
            let start = *end;
            *end += role.goals.len() as u32;
            Some(start..*end)
        });
        let goal = move |(role, range): (usize, Range<u32>)| {
            self.goal(role, rows.ones(lane, &range).map(|place| (place - range.start) as usize))
        };
        ranges.enumerate().map(goal)
    }

    pub(super) fn state_of(&self, facts: impl IntoIterator<Item = usize>) -> State {
        let mut words = vec![0; self.net.facts.len().div_ceil(64)];
        facts.into_iter().for_each(|fact| words[fact / 64] |= 1 << (fact % 64));
        self.state(&words)
    }

    /// The state of a row of words.
    pub(super) fn state(&self, words: &[u64]) -> State {
        let half = |number: usize| (words[number / 2] >> (32 * (number % 2))) as u32;
        State::of_words((0..self.net.facts.len().div_ceil(32)).map(half))
    }
}

fn get_or_make<T>(made: &OnceLock<T>, make: impl FnOnce() -> Result<T, Stopped>) -> Result<&T, Stopped> {
    match made.get() {
        Some(made) => Ok(made),
        None => {
            let new = make()?;
            Ok(made.get_or_init(|| new))
        }
    }
}
