//! Playouts from given states: a lane each, and further states in lanes that are done.
//!
//! States come as lanes get free, some at a time, so that few lanes wait for the longest playouts: whoever gives them
//! may let them depend on how the playouts before have ended.

use super::Lanes;
use super::kernel::{Block, KernelWork, widest};
use super::table::LaneStates;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Move, PlayoutEnd, PlayoutOutcome, State};
use std::collections::VecDeque;

/// The part of the lanes that is free before states are asked for: one in so many.
const FREE_SHARE: usize = 4;

/// What goes on between rounds of playouts: gets those that have ended, by the numbers of their states, and the number of
/// free lanes, and adds states with numbers of their own. States beyond the free lanes wait. Whether to go on.
pub type PlayoutFeed<'f> = dyn FnMut(&mut Vec<(usize, PlayoutOutcome)>, usize, &mut Vec<(usize, State)>) -> bool + 'f;

impl Lanes {
    /// Random playouts, with at most `max_steps` joint moves, on `64·N` lanes, from the states of a feed, until it ends
    /// them, or adds none when no lane is in play.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    ///
    /// # Panics
    ///
    /// When the lanes do not [`suit`](Lanes::suit) a state.
    pub fn play_fed<const N: usize>(
        &self,
        max_steps: usize,
        seed: u64,
        budget: &Budget,
        feed: &mut PlayoutFeed<'_>,
    ) -> Result<(), Stopped> {
        let mut batch = LaneBatch::<N>::new(self, max_steps, seed);
        loop {
            let before = batch.free();
            batch.find_goals();
            let goes_on = feed(&mut batch.ended, before, &mut batch.starts);
            batch.enqueue();
            if !goes_on || batch.free() == Block::<N>::LANES {
                return Ok(());
            }
            // Where the feed has run dry, lanes go on with what they have.
            batch.most_free = (batch.free() + Block::<N>::LANES / FREE_SHARE).min(Block::<N>::LANES);
            while !widest(BatchRounds(&mut batch)) {
                budget.check()?;
            }
        }
    }

    /// One random playout from each of these states, with at most `max_steps` joint moves, on `64·N` lanes.
    ///
    /// # Errors
    ///
    /// As for [`play_fed`](Self::play_fed).
    ///
    /// # Panics
    ///
    /// As for [`play_fed`](Self::play_fed).
    pub fn play_from<const N: usize>(
        &self,
        starts: &[State],
        max_steps: usize,
        seed: u64,
        budget: &Budget,
    ) -> Result<Vec<PlayoutOutcome>, Stopped> {
        let mut outcomes = vec![no_outcome(); starts.len()];
        let mut given = starts.iter().cloned().enumerate();
        self.play_fed::<N>(max_steps, seed, budget, &mut |ended, free, starts| {
            ended.drain(..).for_each(|(number, outcome)| outcomes[number] = outcome);
            starts.extend(given.by_ref().take(free));
            true
        })?;
        Ok(outcomes)
    }
}

fn no_outcome() -> PlayoutOutcome {
    PlayoutOutcome { end: PlayoutEnd::Terminal, steps: 0, goals: Vec::new(), moves: Vec::new() }
}

/// Playouts under way.
struct LaneBatch<'b, const N: usize> {
    table: LaneStates<'b, N>,
    /// The states that the feed has added.
    starts: Vec<(usize, State)>,
    /// By ply: the states that begin there and have no lane yet.
    waiting: Vec<VecDeque<(usize, State)>>,
    /// The number of states without a lane.
    queued: usize,
    /// The lanes that were placed last, and their states.
    placed: Vec<(usize, State)>,
    /// By lane: the number of its state, and the round in which its playout began.
    places: Vec<(usize, u64)>,
    /// By lane that waits for its goals: the number of its state, and its playout.
    kept: Vec<(usize, PlayoutOutcome)>,
    /// The playouts whose goals are known, by the numbers of their states.
    ended: Vec<(usize, PlayoutOutcome)>,
    /// The number of free lanes at which states are asked for.
    most_free: usize,
    round: u64,
    max_steps: u64,
    /// The rounds in which lanes have made most steps, unless they are done before; the first round first.
    longest: VecDeque<(u64, Block<N>)>,
}

/// Some rounds, compiled for the instructions of the processor; whether states are asked for.
struct BatchRounds<'p, 'b, const N: usize>(&'p mut LaneBatch<'b, N>);

impl<const N: usize> KernelWork for BatchRounds<'_, '_, N> {
    type Output = bool;

    #[inline(always)]
    fn work(self) -> bool {
        (0..super::POLL_EVERY).any(|_| self.0.round())
    }
}

impl<'b, const N: usize> LaneBatch<'b, N> {
    fn new(lanes: &'b Lanes, max_steps: usize, seed: u64) -> Self {
        LaneBatch {
            table: LaneStates::new(lanes, seed),
            starts: Vec::new(),
            waiting: vec![VecDeque::new(); lanes.known.len()],
            queued: 0,
            placed: Vec::new(),
            places: vec![(0, 0); Block::<N>::LANES],
            kept: vec![(0, no_outcome()); Block::<N>::LANES],
            ended: Vec::new(),
            most_free: 0,
            round: 0,
            max_steps: u64::try_from(max_steps).unwrap_or(u64::MAX),
            longest: VecDeque::new(),
        }
    }

    /// The lanes that no state waits for.
    fn free(&self) -> usize {
        (Block::<N>::LANES - self.table.alive.count() as usize).saturating_sub(self.queued)
    }

    /// Lets states wait for the plies at which they begin.
    fn enqueue(&mut self) {
        self.queued += self.starts.len();
        for (number, start) in self.starts.drain(..) {
            let ply = self.table.lanes.ply_of(&start).expect("lanes suit the states");
            self.waiting[ply].push_back((number, start));
        }
    }

    /// Plays a round; whether as many lanes are free as there should be at most.
    #[inline(always)]
    fn round(&mut self) -> bool {
        self.place();
        let (terminal, over) = self.table.look();
        let longest = self.longest();
        let ended = (over | longest) & self.table.alive;
        self.table.alive = self.table.alive.without(ended);
        if !ended.is_none() {
            self.end(ended, terminal, longest);
            if self.free() >= self.most_free {
                return true;
            }
        }
        self.table.step();
        self.table.advance(Block::NONE);
        self.round += 1;
        false
    }

    /// Places states that begin at this ply in the lanes that are done; where all are done, at the first ply of those
    /// that are left.
    #[inline(always)]
    fn place(&mut self) {
        if self.queued == 0 {
            return;
        }
        if self.table.alive.is_none()
            && let Some(ply) = self.waiting.iter().position(|waiting| !waiting.is_empty())
        {
            self.table.ply = ply;
        }
        let waiting = &mut self.waiting[self.table.ply];
        if waiting.is_empty() || self.table.alive == Block::ALL {
            return;
        }
        let mut began = Block::NONE;
        let idle = !self.table.alive;
        let count = waiting.len().min(idle.count() as usize);
        self.placed.clear();
        for (lane, (number, start)) in idle.lanes().zip(waiting.drain(..count)) {
            self.placed.push((lane, start));
            self.places[lane] = (number, self.round);
            began.insert(lane);
        }
        self.queued -= count;
        self.table.place(&self.placed);
        self.longest.push_back((self.round.saturating_add(self.max_steps), began));
    }

    /// The lanes that have made most steps.
    fn longest(&mut self) -> Block<N> {
        let mut longest = Block::NONE;
        while let Some(&(round, lanes)) = self.longest.front()
            && round <= self.round
        {
            self.longest.pop_front();
            // A lane may have got another state since.
            for lane in lanes.lanes().filter(|&lane| self.round - self.places[lane].1 >= self.max_steps) {
                longest.insert(lane);
            }
        }
        longest
    }

    /// Tells how playouts have ended, and keeps their states until their goals are found.
    fn end(&mut self, ended: Block<N>, terminal: Block<N>, longest: Block<N>) {
        if !(ended & self.table.waiting).is_none() {
            self.find_goals();
        }
        self.table.keep(ended);
        for lane in ended.lanes() {
            let (start, began) = self.places[lane];
            let (number, outcome) = &mut self.kept[lane];
            *number = start;
            outcome.steps = (self.round - began) as usize;
            outcome.end = match (terminal.contains(lane), longest.contains(lane)) {
                (true, _) => PlayoutEnd::Terminal,
                (false, true) => PlayoutEnd::MaxSteps,
                (false, false) => PlayoutEnd::Stuck(self.table.first_stuck(lane)),
            };
            outcome.moves.reserve(if self.table.made.is_empty() { 0 } else { outcome.steps });
        }
        for (made, &number) in self.table.made.iter_mut().zip(&self.table.lanes.recorded) {
            for lane in (*made & ended).lanes() {
                self.kept[lane].1.moves.push(Move(number));
            }
            *made = made.without(ended);
        }
    }

    /// Finds the goals of playouts that have ended.
    fn find_goals(&mut self) {
        if self.table.waiting.is_none() {
            return;
        }
        self.table.find_goals();
        let waiting = self.table.waiting;
        let lanes = self.table.lanes;
        waiting.lanes().for_each(|lane| self.kept[lane].1.goals.resize(lanes.roles.len(), None));
        for (place, role) in lanes.roles.iter().enumerate() {
            let mut one = Block::NONE;
            let mut several = Block::NONE;
            for &(_, port) in &role.goals {
                let goal = self.table.goal(port);
                several = several | (one & goal);
                one = one | goal;
            }
            for &(value, port) in &role.goals {
                for lane in self.table.goal(port).without(several).lanes() {
                    self.kept[lane].1.goals[place] = Some(value);
                }
            }
        }
        let kept = &mut self.kept;
        self.ended.extend(waiting.lanes().map(|lane| std::mem::replace(&mut kept[lane], (0, no_outcome()))));
        self.table.waiting = Block::NONE;
    }
}
