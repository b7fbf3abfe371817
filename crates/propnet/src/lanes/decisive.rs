//! Turns that end the game won, found for many states at once.
//!
//! A decisive move ends the game with the best goal of its role (Teytaud and Teytaud, *On the huge benefit of decisive
//! moves in Monte-Carlo tree search algorithms*, 2010). A turn may be two moves of one role, as a stone and a turn of a
//! part of the board. Each first move of a state has a lane, in which second moves are made one after the other.

use super::kernel::{Block, KernelWork, widest};
use super::table::LaneStates;
use super::{LaneRole, Lanes};
use ludolog_game::State;
use std::ops::Range;

/// Words of lanes: what AVX2 takes at once. Few states are asked for together.
const WORDS: usize = 4;

const LANES: usize = Block::<WORDS>::LANES;

/// Bits of the number of a second move.
const MOVE_BITS: usize = 32;

/// Most questions that are passed over after some that have found nothing, so that a game whose end is far away loses little.
const MAX_REST: u32 = 15;

/// Most instructions of a round. Between othello (3,221), which loses no time that shows, and amazons (14,008), which
/// loses seven simulations of ten where it asks in each state.
const MAX_INSTRUCTIONS: usize = 8_000;

/// The goals of all roles at the end of a decisive turn.
pub type EndGoals = Box<[Option<i64>]>;

/// Finds decisive turns in a game in which one role has a choice at each ply.
pub struct DecisiveTurns<'l> {
    table: LaneStates<'l, WORDS>,
    /// By ply: the role that has a choice.
    movers: Vec<usize>,
    /// The values of facts after a first move.
    after: Vec<Block<WORDS>>,
    /// The states that are looked at: the place of each among those asked for, and its lanes.
    open: Vec<(usize, Range<usize>)>,
    /// The lanes of those whose turns are not known to be decisive.
    undecided: Block<WORDS>,
    found: Vec<(usize, EndGoals)>,
    /// Questions to be passed over after the next one that finds nothing.
    rest: u32,
    /// Those that are left to be passed over.
    resting: u32,
}

impl<'l> DecisiveTurns<'l> {
    /// `None` where the programs do not tell whose turn it is, or are too long, or turns have fewer moves than `least`.
    pub(crate) fn new(lanes: &'l Lanes, least: usize) -> Option<DecisiveTurns<'l>> {
        if lanes.known.is_empty() || lanes.instructions() > MAX_INSTRUCTIONS {
            return None;
        }
        let mut movers = Vec::with_capacity(lanes.plies.list.len());
        for ply in &lanes.plies.list {
            let mut choosers = (0..).zip(&ply.choices).filter(|(_, choice)| !choice.random.is_empty());
            let (mover, _) = choosers.next()?;
            if choosers.next().is_some() {
                return None;
            }
            movers.push(mover);
        }
        if moves(&movers) < least {
            return None;
        }
        Some(DecisiveTurns {
            table: LaneStates::new(lanes, 0),
            movers,
            after: vec![Block::NONE; lanes.facts.len()],
            open: Vec::new(),
            undecided: Block::NONE,
            found: Vec::new(),
            rest: 0,
            resting: 0,
        })
    }

    /// The most moves that are looked at in a turn: two where a role moves twice in a row.
    pub fn moves(&self) -> usize {
        moves(&self.movers)
    }

    /// Some of the states in which the role that has the turn can end the game with its best goal by its next move or by its
    /// next two, if both are its own: the place of each, and the goals of all roles at that end. States come with the
    /// number of legal moves of that role, and are not terminal.
    pub fn find(&mut self, states: &[(&State, usize)]) -> &[(usize, EndGoals)] {
        self.found.clear();
        if states.is_empty() || self.resting > 0 {
            self.resting = self.resting.saturating_sub(1);
            return &self.found;
        }
        let lanes = self.table.lanes;
        for ply in 0..self.movers.len() {
            let mut used = 0;
            for (place, &(state, moves)) in states.iter().enumerate() {
                if moves == 0 || moves > LANES || lanes.ply_of(state) != Some(ply) {
                    continue;
                }
                if used + moves > LANES {
                    widest(TurnSearch { turns: self, states, ply });
                    used = 0;
                }
                self.open.push((place, used..used + moves));
                used += moves;
            }
            if used > 0 {
                widest(TurnSearch { turns: self, states, ply });
            }
        }
        self.rest = if self.found.is_empty() { (2 * self.rest + 1).min(MAX_REST) } else { 0 };
        self.resting = self.rest;
        &self.found
    }

    /// Looks at the states that are open, which are at this ply.
    #[inline(always)]
    fn search(&mut self, states: &[(&State, usize)], ply: usize) {
        let mover = self.movers[ply];
        let mut number = [Block::NONE; LANES.ilog2() as usize];
        let mut placed = Vec::with_capacity(self.open.len());
        self.undecided = Block::NONE;
        for (place, range) in &self.open {
            let mut of_state = Block::NONE;
            for (made, lane) in range.clone().enumerate() {
                of_state.insert(lane);
                number.iter_mut().enumerate().for_each(|(bit, lanes)| lanes.set(lane, made >> bit & 1 == 1));
            }
            self.undecided = self.undecided | of_state;
            placed.push((states[*place].0.clone(), of_state));
        }
        (self.table.ply, self.table.alive) = (ply, Block::NONE);
        self.table.place(&placed);
        self.table.look();
        self.make(mover, &number);
        if self.movers[self.table.ply] == mover {
            self.search_second(mover);
        }
        self.open.clear();
    }

    /// Makes the second moves of turns.
    #[inline(always)]
    fn search_second(&mut self, mover: usize) {
        let ply = self.table.ply;
        self.table.copy_facts(&mut self.after);
        for made in 0.. {
            self.table.look();
            self.table.alive = self.table.alive & self.undecided & self.table.has_more(mover, made);
            if self.table.alive.is_none() {
                return;
            }
            let alive = self.table.alive;
            let number: [_; MOVE_BITS] = std::array::from_fn(|bit| Block::NONE.complemented(made >> bit & 1 == 1));
            self.make(mover, &number);
            self.table.set_facts(&self.after);
            (self.table.ply, self.table.alive) = (ply, alive);
        }
    }

    /// Makes the moves of these numbers, and notes the turns that have ended with the best goal of their role. The games
    /// that have not ended stay alive.
    #[inline(always)]
    fn make(&mut self, mover: usize, number: &[Block<WORDS>]) {
        self.table.choose(mover, number);
        self.table.make();
        self.table.advance(Block::NONE);
        let (terminal, over) = self.table.look();
        let ended = terminal & self.table.alive;
        self.table.alive = self.table.alive.without(over);
        if ended.is_none() {
            return;
        }
        self.table.keep(ended);
        self.table.find_goals();
        let roles = &self.table.lanes.roles;
        let best = roles[mover].goals.last();
        for lane in best.map_or(Block::NONE, |&(_, port)| self.table.goal(port)).lanes() {
            let goals: EndGoals = roles.iter().map(|role| self.goal(role, lane)).collect();
            if self.undecided.contains(lane)
                && goals[mover].is_some()
                && let Some((place, lanes)) = self.open.iter().find(|(_, lanes)| lanes.contains(&lane))
            {
                lanes.clone().for_each(|lane| self.undecided.set(lane, false));
                self.found.push((*place, goals));
            }
        }
        self.table.waiting = Block::NONE;
    }

    /// The only goal of a role in a lane that has ended.
    fn goal(&self, role: &LaneRole, lane: usize) -> Option<i64> {
        let mut holding = role.goals.iter().filter(|(_, port)| self.table.goal(*port).contains(lane));
        holding.next().filter(|_| holding.next().is_none()).map(|(value, _)| *value)
    }
}

fn moves(movers: &[usize]) -> usize {
    let next = movers.iter().cycle().skip(1);
    1 + usize::from(movers.iter().zip(next).any(|(mover, next)| mover == next))
}

/// A look at open states, compiled for the instructions of the processor.
struct TurnSearch<'s, 'l> {
    turns: &'s mut DecisiveTurns<'l>,
    states: &'s [(&'s State, usize)],
    ply: usize,
}

impl KernelWork for TurnSearch<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        self.turns.search(self.states, self.ply);
    }
}
