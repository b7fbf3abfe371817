//! Lanes: as many random playouts as a block has bits, at once.
//!
//! Lanes run free: one whose game is over starts anew at once. A round looks at all states (which are terminal, how many
//! moves are legal), draws a number for each role and lane, and steps to the next states. The goals of finished games wait
//! until one lane has finished twice, so that the gates of goals are run rarely.

pub mod kernel;
mod random;

use crate::choice::Choice;
use crate::graph::{Graph, Signal};
use crate::net::Net;
use crate::program::{Port, Program, Scheduler};
use kernel::{Block, Work, run, widest};
use ludolog_engine::Budget;
use ludolog_syntax::ast::Term;
use random::Random;
use rustc_hash::FxHashMap;

/// Rounds between two checks of the budget.
const POLL_EVERY: u64 = 16;

/// Most bits of a number of legal moves.
const MAX_BITS: usize = 32;

/// The programs that play a game at random.
pub struct Lanes {
    /// Finds which states are terminal and how many moves each role has.
    look: Program,
    /// Finds the next states.
    step: Program,
    /// Finds the goals of states in slots of their own.
    goals: Program,
    slots: usize,
    goal_slots: usize,
    terminal: Port,
    facts: Vec<LaneFact>,
    roles: Vec<LaneRole>,
}

struct LaneFact {
    slot: u32,
    goal_slot: u32,
    next: Port,
    initial: bool,
}

struct LaneRole {
    term: Term,
    /// The number of legal moves, lowest bit first.
    total: Vec<Port>,
    /// The slots of a random number below it.
    random: Vec<u32>,
    goals: Vec<(i64, Port)>,
}

/// The outcomes of the playouts of some lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Playouts that have ended.
    pub playouts: u64,
    /// Joint moves made, of playouts that have not ended, too.
    pub steps: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
    /// By role: the playouts that ended with each goal value, ascending by value.
    pub goals: Vec<Vec<(i64, u64)>>,
    /// By role: the playouts that ended without exactly one goal value, among them those that were stuck.
    pub without_goal: Vec<u64>,
}

impl Tally {
    /// Adds the outcomes of other lanes of the same game.
    pub fn add(&mut self, other: &Tally) {
        if self.goals.is_empty() {
            *self = other.clone();
            return;
        }
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.stuck += other.stuck;
        for (mine, theirs) in self.goals.iter_mut().flatten().zip(other.goals.iter().flatten()) {
            mine.1 += theirs.1;
        }
        self.without_goal.iter_mut().zip(&other.without_goal).for_each(|(mine, theirs)| *mine += theirs);
    }
}

impl Lanes {
    /// Makes the programs of a net.
    pub fn new(net: &Net) -> Lanes {
        let mut graph: Graph = net.graph.clone();
        let mut made: FxHashMap<usize, Signal> = FxHashMap::default();
        let choices: Vec<Choice> = net
            .roles
            .iter()
            .map(|role| {
                let legal: Vec<Signal> = role.moves.iter().map(|made| made.legal).collect();
                let choice = Choice::new(&mut graph, &legal);
                made.extend(role.moves.iter().zip(&choice.chosen).map(|(made, &chosen)| (made.does.node(), chosen)));
                choice
            })
            .collect();
        let next: Vec<Signal> = net.facts.iter().map(|fact| fact.next).collect();
        let next = graph.substitute(&next, &made);
        let seen: Vec<Signal> =
            choices.iter().flat_map(|choice| choice.total.iter().copied()).chain([net.terminal]).collect();
        let mut scheduler = Scheduler::new(&graph, seen.iter().chain(&next).copied());
        let look = scheduler.program(&seen);
        let terminal = scheduler.port(net.terminal);
        let totals: Vec<Vec<Port>> =
            choices.iter().map(|choice| choice.total.iter().map(|&bit| scheduler.port(bit)).collect()).collect();
        scheduler.release(seen);
        let step = scheduler.program(&next);
        let goal_signals: Vec<Signal> =
            net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal)).collect();
        let mut goal_scheduler = Scheduler::new(&net.graph, goal_signals.iter().copied());
        let goals = goal_scheduler.program(&goal_signals);
        let facts = net.facts.iter().zip(&next).map(|(fact, &next)| LaneFact {
            slot: scheduler.port(fact.now).slot,
            goal_slot: goal_scheduler.port(fact.now).slot,
            next: scheduler.port(next),
            initial: fact.initial,
        });
        let facts = facts.collect();
        let roles = net.roles.iter().zip(&choices).zip(totals).map(|((role, choice), total)| LaneRole {
            term: role.term.clone(),
            total,
            random: choice.random.iter().map(|&bit| scheduler.port(bit).slot).collect(),
            goals: role.goals.iter().map(|&(value, signal)| (value, goal_scheduler.port(signal))).collect(),
        });
        let roles = roles.collect();
        let (slots, goal_slots) = (scheduler.slots(), goal_scheduler.slots());
        Lanes { look, step, goals, slots, goal_slots, terminal, facts, roles }
    }

    /// The names of the roles.
    pub fn roles(&self) -> impl Iterator<Item = &Term> {
        self.roles.iter().map(|role| &role.term)
    }

    /// The instructions that each round runs.
    pub fn instructions(&self) -> usize {
        self.look.code().len() + self.step.code().len()
    }

    /// Plays at random on `64·N` lanes until the budget ends.
    pub fn play<const N: usize>(&self, seed: u64, budget: &Budget) -> Tally {
        let goals = |role: &LaneRole| role.goals.iter().map(|&(value, _)| (value, 0)).collect();
        let mut playing = Playing {
            lanes: self,
            slots: vec![Block::<N>::NONE; self.slots],
            goal_slots: vec![Block::NONE; self.goal_slots],
            waiting: Block::NONE,
            stuck: Block::NONE,
            moved: vec![Block::NONE; self.facts.len()],
            random: Random::new(seed),
            tally: Tally {
                goals: self.roles.iter().map(goals).collect(),
                without_goal: vec![0; self.roles.len()],
                ..Tally::default()
            },
        };
        for fact in self.facts.iter().filter(|fact| fact.initial) {
            playing.slots[fact.slot as usize] = Block::ALL;
        }
        while budget.check().is_ok() {
            widest(Rounds(&mut playing));
        }
        playing.count_goals();
        playing.tally
    }
}

/// Lanes in play.
struct Playing<'l, const N: usize> {
    lanes: &'l Lanes,
    slots: Vec<Block<N>>,
    /// The states of finished games whose goals are not counted yet.
    goal_slots: Vec<Block<N>>,
    /// The lanes with such a state.
    waiting: Block<N>,
    /// Those of them that were stuck.
    stuck: Block<N>,
    /// The new values of facts.
    moved: Vec<Block<N>>,
    random: Random<N>,
    tally: Tally,
}

/// Some rounds, compiled for the instructions of the processor.
struct Rounds<'p, 'l, const N: usize>(&'p mut Playing<'l, N>);

impl<const N: usize> Work for Rounds<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for _ in 0..POLL_EVERY {
            self.0.round();
        }
    }
}

impl<const N: usize> Playing<'_, N> {
    #[inline(always)]
    fn read(&self, port: Port) -> Block<N> {
        self.slots[port.slot as usize].complemented(port.complemented)
    }

    #[inline(always)]
    fn round(&mut self) {
        let lanes = self.lanes;
        run(&lanes.look, &mut self.slots);
        let terminal = self.read(lanes.terminal);
        let mut ended = terminal;
        for role in &lanes.roles {
            let any = role.total.iter().fold(Block::NONE, |any, &bit| any | self.read(bit));
            ended = ended | !any;
        }
        for role in &lanes.roles {
            self.draw(role, ended);
        }
        if !ended.is_none() {
            self.end(ended, ended.without(terminal));
        }
        run(&lanes.step, &mut self.slots);
        for (fact, moved) in lanes.facts.iter().zip(&mut self.moved) {
            let next = self.slots[fact.next.slot as usize].complemented(fact.next.complemented);
            *moved = if fact.initial { next | ended } else { next.without(ended) };
        }
        for (fact, moved) in lanes.facts.iter().zip(&self.moved) {
            self.slots[fact.slot as usize] = *moved;
        }
        self.tally.steps += (!ended).count();
    }

    /// Draws a random number below the total of a role for each lane, but for those that have `ended`: bits up to the
    /// highest of the greatest number, again where the number is too large.
    #[inline(always)]
    fn draw(&mut self, role: &LaneRole, ended: Block<N>) {
        let bits = role.random.len();
        if bits == 0 {
            return;
        }
        let mut total = [Block::NONE; MAX_BITS];
        let mut highest = [Block::NONE; MAX_BITS];
        // The greatest number is one less than the total.
        let mut borrow = Block::ALL;
        for (place, &port) in role.total.iter().enumerate() {
            total[place] = self.read(port);
            highest[place] = total[place] ^ borrow;
            borrow = borrow.without(total[place]);
        }
        for place in (0..role.total.len() - 1).rev() {
            highest[place] = highest[place] | highest[place + 1];
        }
        let mut open = !ended;
        let mut number = [Block::NONE; MAX_BITS];
        while !open.is_none() {
            let mut is_less = Block::NONE;
            for place in 0..role.total.len() {
                if place < bits {
                    let drawn = self.random.bits() & highest[place];
                    number[place] = (drawn & open) | number[place].without(open);
                }
                let (x, y) = (number[place], total[place]);
                is_less = y.without(x) | is_less.without(x ^ y);
            }
            open = open.without(is_less);
        }
        for (&slot, &bit) in role.random.iter().zip(&number) {
            self.slots[slot as usize] = bit;
        }
    }

    /// Keeps the states of games that have ended until their goals are counted.
    #[inline(always)]
    fn end(&mut self, ended: Block<N>, stuck: Block<N>) {
        if !(ended & self.waiting).is_none() {
            self.count_goals();
        }
        for fact in &self.lanes.facts {
            let kept = &mut self.goal_slots[fact.goal_slot as usize];
            *kept = kept.without(ended) | (self.slots[fact.slot as usize] & ended);
        }
        self.waiting = self.waiting | ended;
        self.stuck = self.stuck | stuck;
        self.tally.playouts += ended.count();
        self.tally.stuck += stuck.count();
    }

    #[inline(always)]
    fn count_goals(&mut self) {
        run(&self.lanes.goals, &mut self.goal_slots);
        for (place, role) in self.lanes.roles.iter().enumerate() {
            let mut one = Block::NONE;
            let mut several = self.stuck;
            let read = |port: Port| self.goal_slots[port.slot as usize].complemented(port.complemented) & self.waiting;
            for &(_, port) in &role.goals {
                several = several | (one & read(port));
                one = one | read(port);
            }
            let good = one.without(several);
            for (&(_, port), (_, count)) in role.goals.iter().zip(&mut self.tally.goals[place]) {
                *count += (read(port) & good).count();
            }
            self.tally.without_goal[place] += self.waiting.without(good).count();
        }
        (self.waiting, self.stuck) = (Block::NONE, Block::NONE);
    }
}
