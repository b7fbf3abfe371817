//! Lanes at a table: states in slots, and what one round does with them.

use super::Lanes;
use super::guide::MoveRank;
use super::kernel::{Block, run};
use super::ply::{PlyChoice, PlyPrograms};
use super::random::RandomBlocks;
use crate::bits::{SIDE, StateBits, ones_of_word};
use crate::program::Port;
use ludolog_game::{Role, State};

/// Most bits of a number of legal moves.
const MAX_BITS: usize = 32;

/// The states of lanes.
pub struct LaneStates<'l, const N: usize> {
    /// The programs.
    pub lanes: &'l Lanes,
    /// The ply that all states are at.
    pub ply: usize,
    /// The lanes whose game is not over.
    pub alive: Block<N>,
    slots: Vec<Block<N>>,
    /// The states of finished games whose goals are not found yet.
    goal_slots: Vec<Block<N>>,
    /// The lanes with such a state.
    pub waiting: Block<N>,
    /// The values of facts at the next ply.
    moved: Vec<Block<N>>,
    /// By recorded move: the lanes that have made it in the playout under way.
    pub made: Vec<Block<N>>,
    random: RandomBlocks<N>,
}

impl<'l, const N: usize> LaneStates<'l, N> {
    /// Lanes without states.
    pub fn new(lanes: &'l Lanes, seed: u64) -> Self {
        LaneStates {
            lanes,
            ply: 0,
            alive: Block::NONE,
            slots: vec![Block::NONE; lanes.plies.slots],
            goal_slots: vec![Block::NONE; lanes.goal_slots],
            waiting: Block::NONE,
            moved: vec![Block::NONE; lanes.facts.len()],
            made: vec![Block::NONE; lanes.recorded.len()],
            random: RandomBlocks::new(seed),
        }
    }

    /// Begins a game on all lanes.
    pub fn begin(&mut self) {
        for fact in &self.lanes.facts {
            self.slots[fact.slot as usize] = Block::NONE.complemented(fact.initial);
        }
        (self.ply, self.alive) = (0, Block::ALL);
    }

    /// Puts states of the net into lanes, which are free: each into some, so that it is gone through once.
    #[inline(always)]
    pub fn place(&mut self, placed: &[(State, Block<N>)]) {
        let facts = &self.lanes.facts;
        let taken = placed.iter().fold(Block::NONE, |taken, (_, lanes)| taken | *lanes);
        for fact in facts {
            let holding = &mut self.slots[fact.slot as usize];
            *holding = holding.without(taken);
        }
        for (state, lanes) in placed {
            for (number, facts) in facts.chunks(SIDE).enumerate() {
                for fact in ones_of_word(state.word(number)) {
                    let holding = &mut self.slots[facts[fact].slot as usize];
                    *holding = *holding | *lanes;
                }
            }
        }
        self.alive = self.alive | taken;
    }

    /// Asks on half of the lanes for the better moves, and on half of these for the best ones.
    #[inline(always)]
    pub fn ask_for(&mut self, ranks: &[MoveRank]) {
        let better = self.random.bits();
        let only_better = better & self.random.bits();
        for &(place, slot) in &self.lanes.plies.list[self.ply].hints {
            self.slots[slot as usize] = match ranks[place] {
                MoveRank::Best => better,
                MoveRank::Better => only_better,
                MoveRank::Other => Block::NONE,
            };
        }
    }

    /// The lanes whose state is terminal, and those where that is so or a role has no legal move.
    #[inline(always)]
    pub fn look(&mut self) -> (Block<N>, Block<N>) {
        let ply = &self.lanes.plies.list[self.ply];
        run(&ply.look, &mut self.slots);
        let terminal = self.read(ply.terminal);
        let mut over = terminal;
        for choice in &ply.choices {
            let any = choice.total.iter().fold(Block::NONE, |any, &bit| any | self.read(bit));
            over = over | !any;
        }
        (terminal, over)
    }

    /// The first role that has no legal move in a lane, where there is one.
    pub fn first_stuck(&self, lane: usize) -> Role {
        let is_set = |port: &Port| self.slots[port.slot as usize].contains(lane) != port.complemented;
        let choices = &self.lanes.plies.list[self.ply].choices;
        let stuck = choices.iter().position(|choice| !choice.total.iter().any(is_set));
        Role(stuck.unwrap_or_default() as u32)
    }

    /// Makes a random legal move of each role on the lanes in play.
    #[inline(always)]
    pub fn step(&mut self) {
        let ply = &self.lanes.plies.list[self.ply];
        for choice in &ply.choices {
            self.draw(choice);
        }
        self.make();
    }

    /// Lets a role make the legal move of this number in each lane; bits, the lowest first.
    #[inline(always)]
    pub fn choose(&mut self, role: usize, number: &[Block<N>]) {
        let choice = &self.lanes.plies.list[self.ply].choices[role];
        for (&slot, &bit) in choice.random.iter().zip(number) {
            self.slots[slot as usize] = bit;
        }
    }

    /// The lanes in which a role has more legal moves than this, by the last look.
    #[inline(always)]
    pub fn has_more(&self, role: usize, than: u32) -> Block<N> {
        let mut has_more = Block::NONE;
        for (place, &port) in self.lanes.plies.list[self.ply].choices[role].total.iter().enumerate() {
            let bit = self.read(port);
            has_more = if than >> place & 1 == 1 { has_more & bit } else { has_more | bit };
        }
        has_more
    }

    /// Makes the moves that are chosen on the lanes in play.
    #[inline(always)]
    pub fn make(&mut self) {
        let ply = &self.lanes.plies.list[self.ply];
        run(&ply.step, &mut self.slots);
        for (made, &port) in self.made.iter_mut().zip(&ply.recorded) {
            *made = *made | self.slots[port.slot as usize].complemented(port.complemented) & self.alive;
        }
    }

    /// Copies the values of facts.
    #[inline(always)]
    pub fn copy_facts(&self, to: &mut [Block<N>]) {
        to.iter_mut().zip(&self.lanes.facts).for_each(|(to, fact)| *to = self.slots[fact.slot as usize]);
    }

    /// Sets the values of facts.
    #[inline(always)]
    pub fn set_facts(&mut self, from: &[Block<N>]) {
        from.iter().zip(&self.lanes.facts).for_each(|(&from, fact)| self.slots[fact.slot as usize] = from);
    }

    /// The ply that [`advance`](Self::advance) leads to.
    pub fn next_ply(&self) -> usize {
        self.lanes.plies.list[self.ply].next
    }

    /// Moves facts to the next ply, and begins a game on the lanes `anew`.
    #[inline(always)]
    pub fn advance(&mut self, anew: Block<N>) {
        let lanes = self.lanes;
        let ply = &lanes.plies.list[self.ply];
        for (&(fact, port), moved) in ply.moves.iter().zip(&mut self.moved) {
            let next = self.slots[port.slot as usize].complemented(port.complemented);
            *moved = if lanes.facts[fact].initial { next | anew } else { next.without(anew) };
        }
        for (&(fact, _), &moved) in ply.moves.iter().zip(&self.moved) {
            self.slots[lanes.facts[fact].slot as usize] = moved;
        }
        for &(fact, value) in &ply.constants {
            self.slots[lanes.facts[fact].slot as usize] = Block::NONE.complemented(value);
        }
        self.alive = self.alive | anew;
        self.ply = ply.next;
    }

    /// Keeps the states of these lanes until their goals are found.
    #[inline(always)]
    pub fn keep(&mut self, ended: Block<N>) {
        for fact in &self.lanes.facts {
            let kept = &mut self.goal_slots[fact.goal_slot as usize];
            *kept = kept.without(ended) | (self.slots[fact.slot as usize] & ended);
        }
        self.waiting = self.waiting | ended;
    }

    /// Finds the goals of the states that were kept.
    #[inline(always)]
    pub fn find_goals(&mut self) {
        run(&self.lanes.goals, &mut self.goal_slots);
    }

    /// The lanes whose kept state has a goal.
    #[inline(always)]
    pub fn goal(&self, port: Port) -> Block<N> {
        self.goal_slots[port.slot as usize].complemented(port.complemented) & self.waiting
    }

    /// The programs of the ply that all states are at.
    pub fn programs(&self) -> &'l PlyPrograms {
        &self.lanes.plies.list[self.ply]
    }

    /// Whether a slot is set in a lane.
    pub fn is_set(&self, slot: u32, lane: usize) -> bool {
        self.slots[slot as usize].contains(lane)
    }

    /// The lanes where a port of the ply is set.
    #[inline(always)]
    pub fn read(&self, port: Port) -> Block<N> {
        self.slots[port.slot as usize].complemented(port.complemented)
    }

    /// Draws a random number below the total of a role for each lane in play: bits up to the highest of the greatest
    /// number, again where the number is too large.
    #[inline(always)]
    fn draw(&mut self, choice: &PlyChoice) {
        let bits = choice.random.len();
        if bits == 0 {
            return;
        }
        let mut total = [Block::NONE; MAX_BITS];
        let mut highest = [Block::NONE; MAX_BITS];
        // The greatest number is one less than the total.
        let mut borrow = Block::ALL;
        for (place, &port) in choice.total.iter().enumerate() {
            total[place] = self.read(port);
            highest[place] = total[place] ^ borrow;
            borrow = borrow.without(total[place]);
        }
        for place in (0..choice.total.len() - 1).rev() {
            highest[place] = highest[place] | highest[place + 1];
        }
        let mut open = self.alive;
        let mut number = [Block::NONE; MAX_BITS];
        while !open.is_none() {
            let mut is_less = Block::NONE;
            for place in 0..choice.total.len() {
                if place < bits {
                    let drawn = self.random.bits() & highest[place];
                    number[place] = (drawn & open) | number[place].without(open);
                }
                let x = number[place];
                let y = total[place];
                is_less = y.without(x) | is_less.without(x ^ y);
            }
            open = open.without(is_less);
        }
        for (&slot, &bit) in choice.random.iter().zip(&number) {
            self.slots[slot as usize] = bit;
        }
    }
}
