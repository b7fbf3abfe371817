//! Lanes: as many random playouts as a block has bits, at once.
//!
//! A round looks at all states (which are terminal, how many moves are legal), draws a number for each role and lane, and
//! steps to the next states. The goals of finished games wait until one lane has finished twice, so that the gates of goals
//! are run rarely.
//!
//! Lanes run *free*: one whose game is over starts anew at once, and every round runs the same gates. Or they run *in step*:
//! all are at the same ply (`ply`), whose gates are fewer because much is known at each ply; a lane whose game is over starts
//! anew where the first state agrees with what is known, if lanes are `refilled`, or with all others.

pub mod kernel;
mod ply;
mod random;
mod random_net;
mod watch;

pub use watch::{Watched, Watcher};

use crate::net::Net;
use crate::program::{Port, Program, Scheduler};
use kernel::{Block, Work, run, widest};
use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::ast::Term;
use ply::{Plies, Ply, PlyChoice};
use random::Random;
use random_net::RandomNet;
use watch::Observer;

/// Rounds between two checks of the budget.
const POLL_EVERY: u64 = 16;

/// Most bits of a number of legal moves.
const MAX_BITS: usize = 32;

/// Where playouts are when they are evaluated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// At any ply.
    Free,
    /// At the same ply; games that are over begin anew together.
    InStep,
    /// At the same ply; games that are over begin anew at the next ply that agrees with the first state.
    Refilled,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 3] = [Mode::Free, Mode::InStep, Mode::Refilled];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Free => "free",
            Mode::InStep => "in-step",
            Mode::Refilled => "refilled",
        }
    }
}

/// The programs that play a game at random.
pub struct Lanes {
    mode: Mode,
    plies: Plies,
    /// Finds the goals of states in slots of their own.
    goals: Program,
    goal_slots: usize,
    facts: Vec<LaneFact>,
    roles: Vec<LaneRole>,
}

struct LaneFact {
    slot: u32,
    goal_slot: u32,
    initial: bool,
}

struct LaneRole {
    term: Term,
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
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(net: &Net, mode: Mode, budget: &Budget) -> Result<Lanes, Stopped> {
        let random = RandomNet::new(net);
        let plies = match mode {
            Mode::Free => Plies::free(&random),
            Mode::InStep | Mode::Refilled => Plies::in_step(&random, budget)?,
        };
        let goal_signals: Vec<_> =
            net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal)).collect();
        let mut scheduler = Scheduler::new(&net.graph, goal_signals.iter().copied());
        let goals = scheduler.program(&goal_signals);
        let facts = net.facts.iter().zip(&plies.facts).map(|(fact, &slot)| LaneFact {
            slot,
            goal_slot: scheduler.port(fact.now).slot,
            initial: fact.initial,
        });
        let facts = facts.collect();
        let roles = net.roles.iter().map(|role| LaneRole {
            term: role.term.clone(),
            goals: role.goals.iter().map(|&(value, signal)| (value, scheduler.port(signal))).collect(),
        });
        let roles = roles.collect();
        Ok(Lanes { mode, plies, goals, goal_slots: scheduler.slots(), facts, roles })
    }

    /// The names of the roles.
    pub fn roles(&self) -> impl Iterator<Item = &Term> {
        self.roles.iter().map(|role| &role.term)
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The number of plies with programs of their own.
    pub fn plies(&self) -> usize {
        self.plies.list.len()
    }

    /// The instructions that each round runs, on the average of the plies that repeat.
    pub fn instructions(&self) -> usize {
        self.plies.instructions()
    }

    /// Plays at random on `64·N` lanes until the budget ends.
    pub fn play<const N: usize>(&self, seed: u64, budget: &Budget) -> Tally {
        let mut playing = Playing::<N>::new(self, seed);
        while budget.check().is_ok() {
            widest(Rounds(&mut playing));
        }
        playing.count_goals(&mut ());
        playing.tally
    }
}

/// Lanes in play.
struct Playing<'l, const N: usize> {
    lanes: &'l Lanes,
    ply: usize,
    /// The lanes whose game is not over.
    alive: Block<N>,
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
            self.0.round(&mut ());
        }
    }
}

impl<'l, const N: usize> Playing<'l, N> {
    /// Lanes at the first state.
    fn new(lanes: &'l Lanes, seed: u64) -> Self {
        let goals = |role: &LaneRole| role.goals.iter().map(|&(value, _)| (value, 0)).collect();
        let mut playing = Playing {
            lanes,
            ply: 0,
            alive: Block::ALL,
            slots: vec![Block::<N>::NONE; lanes.plies.slots],
            goal_slots: vec![Block::NONE; lanes.goal_slots],
            waiting: Block::NONE,
            stuck: Block::NONE,
            moved: vec![Block::NONE; lanes.facts.len()],
            random: Random::new(seed),
            tally: Tally {
                goals: lanes.roles.iter().map(goals).collect(),
                without_goal: vec![0; lanes.roles.len()],
                ..Tally::default()
            },
        };
        playing.begin();
        playing
    }

    /// Begins a game on all lanes.
    fn begin(&mut self) {
        for fact in &self.lanes.facts {
            self.slots[fact.slot as usize] = Block::NONE.complemented(fact.initial);
        }
        (self.ply, self.alive) = (0, Block::ALL);
    }

    #[inline(always)]
    fn read(&self, port: Port) -> Block<N> {
        self.slots[port.slot as usize].complemented(port.complemented)
    }

    #[inline(always)]
    fn round(&mut self, observer: &mut impl Observer<N>) {
        let lanes = self.lanes;
        let ply = &lanes.plies.list[self.ply];
        run(&ply.look, &mut self.slots);
        observer.looked(self, ply);
        let terminal = self.read(ply.terminal);
        let mut over = terminal;
        for choice in &ply.choices {
            let any = choice.total.iter().fold(Block::NONE, |any, &bit| any | self.read(bit));
            over = over | !any;
        }
        let ended = over & self.alive;
        self.alive = self.alive.without(ended);
        if !ended.is_none() {
            self.end(ended, ended.without(terminal), observer);
        }
        if self.alive.is_none() {
            self.begin();
            return;
        }
        for choice in &ply.choices {
            self.draw(choice);
        }
        observer.drawn(self, ply);
        run(&ply.step, &mut self.slots);
        self.tally.steps += self.alive.count();
        self.advance(ply);
    }

    /// Moves facts to the next ply.
    #[inline(always)]
    fn advance(&mut self, ply: &Ply) {
        let lanes = self.lanes;
        let new = match lanes.mode != Mode::InStep && lanes.plies.list[ply.next].starts {
            true => !self.alive,
            false => Block::NONE,
        };
        for (&(fact, port), moved) in ply.moves.iter().zip(&mut self.moved) {
            let next = self.slots[port.slot as usize].complemented(port.complemented);
            *moved = if lanes.facts[fact].initial { next | new } else { next.without(new) };
        }
        for (&(fact, _), &moved) in ply.moves.iter().zip(&self.moved) {
            self.slots[lanes.facts[fact].slot as usize] = moved;
        }
        for &(fact, value) in &ply.constants {
            self.slots[lanes.facts[fact].slot as usize] = Block::NONE.complemented(value);
        }
        self.alive = self.alive | new;
        self.ply = ply.next;
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
                let (x, y) = (number[place], total[place]);
                is_less = y.without(x) | is_less.without(x ^ y);
            }
            open = open.without(is_less);
        }
        for (&slot, &bit) in choice.random.iter().zip(&number) {
            self.slots[slot as usize] = bit;
        }
    }

    /// Keeps the states of games that have ended until their goals are counted.
    #[inline(always)]
    fn end(&mut self, ended: Block<N>, stuck: Block<N>, observer: &mut impl Observer<N>) {
        if !(ended & self.waiting).is_none() {
            self.count_goals(observer);
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
    fn count_goals(&mut self, observer: &mut impl Observer<N>) {
        run(&self.lanes.goals, &mut self.goal_slots);
        observer.counted(self);
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
