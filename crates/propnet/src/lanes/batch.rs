//! Playouts from given states: a lane each, and further states in lanes that are done.
//!
//! States come as lanes get free, some at a time, so that few lanes wait for the longest playouts: whoever gives them
//! may let them depend on how the playouts before have ended.

use super::Lanes;
use super::ended::{EndedPlayouts, KeptPlayout};
use super::guide::Guide;
use super::kernel::{Block, KernelWork, widest};
use super::table::LaneStates;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Move, PlayoutEnd, PlayoutOutcome, State};
use std::collections::VecDeque;

/// The part of the lanes that is free before states are asked for: one in so many.
const FREE_SHARE: usize = 4;

/// A state to play from.
#[derive(Clone, Debug)]
pub struct PlayoutStart {
    /// The number by which its playouts are told apart from those of other states.
    pub number: usize,
    /// The state.
    pub state: State,
    /// The number of playouts.
    pub playouts: usize,
}

/// What goes on between rounds of playouts: gets those that have ended since, and the number of free lanes, and adds
/// states to play from. Playouts beyond the free lanes wait. Whether to go on.
pub type PlayoutFeed<'f> = dyn FnMut(&EndedPlayouts, usize, &mut Vec<PlayoutStart>) -> bool + 'f;

impl Lanes {
    /// Random playouts, with at most `max_steps` joint moves, on `64·N` lanes, from the states of a feed, until it ends
    /// them, or adds none when no lane is in play. Their own moves guide them if `is_guided` and the programs are made for that.
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
        is_guided: bool,
        budget: &Budget,
        feed: &mut PlayoutFeed<'_>,
    ) -> Result<(), Stopped> {
        let mut batch = LaneBatch::<N>::new(self, max_steps, seed);
        batch.guide = is_guided.then(|| self.guide()).flatten();
        loop {
            let before = batch.free();
            batch.find_goals();
            if let Some(guide) = &mut batch.guide {
                guide.rank(batch.ended.len() as u64);
            }
            let goes_on = feed(&batch.ended, before, &mut batch.starts);
            batch.ended.clear();
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
        let none = PlayoutOutcome { end: PlayoutEnd::Terminal, steps: 0, goals: Vec::new(), moves: Vec::new() };
        let mut outcomes = vec![none; starts.len()];
        let mut given = starts.iter().cloned().enumerate();
        self.play_fed::<N>(max_steps, seed, false, budget, &mut |ended, free, starts| {
            ended.iter().for_each(|ended| outcomes[ended.number] = ended.outcome());
            let more = given.by_ref().take(free);
            starts.extend(more.map(|(number, state)| PlayoutStart { number, state, playouts: 1 }));
            true
        })?;
        Ok(outcomes)
    }

    /// What guides playouts; `None` if nothing does.
    fn guide(&self) -> Option<Guide> {
        let moves = self.roles.iter().map(|role| role.recorded.clone()).collect();
        self.uses.guiding.then(|| Guide::new(moves, self.roles.iter().map(|role| role.goals.len()))).flatten()
    }
}

/// Playouts under way.
struct LaneBatch<'b, const N: usize> {
    table: LaneStates<'b, N>,
    /// The worth of moves; `None` where it is not used.
    guide: Option<Guide>,
    /// The states that the feed has added.
    starts: Vec<PlayoutStart>,
    /// By ply: the states that begin there, with the playouts that have no lane yet.
    waiting: Vec<VecDeque<PlayoutStart>>,
    /// The number of playouts without a lane.
    queued: usize,
    /// The states that were placed last, and their lanes.
    placed: Vec<(State, Block<N>)>,
    /// By lane: the number of its state, and the round in which its playout began.
    places: Vec<(usize, u64)>,
    /// By lane that waits for its goals: its playout.
    kept: Vec<KeptPlayout>,
    /// By lane and role: its goal.
    goals: Vec<Option<i64>>,
    /// The playouts whose goals are known.
    ended: EndedPlayouts,
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
        // A closure would be a function of its own, with the instructions of any processor.
        for _ in 0..super::POLL_EVERY {
            if self.0.round() {
                return true;
            }
        }
        false
    }
}

impl<'b, const N: usize> LaneBatch<'b, N> {
    fn new(lanes: &'b Lanes, max_steps: usize, seed: u64) -> Self {
        LaneBatch {
            table: LaneStates::new(lanes, seed),
            guide: None,
            starts: Vec::new(),
            waiting: vec![VecDeque::new(); lanes.known.len()],
            queued: 0,
            placed: Vec::new(),
            places: vec![(0, 0); Block::<N>::LANES],
            kept: vec![KeptPlayout::empty(); Block::<N>::LANES],
            goals: vec![None; Block::<N>::LANES * lanes.roles.len()],
            ended: EndedPlayouts::new(lanes.roles.len()),
            most_free: 0,
            round: 0,
            max_steps: u64::try_from(max_steps).unwrap_or(u64::MAX),
            longest: VecDeque::new(),
        }
    }

    /// The lanes that no playout waits for.
    fn free(&self) -> usize {
        (Block::<N>::LANES - self.table.alive.count() as usize).saturating_sub(self.queued)
    }

    /// Lets states wait for the plies at which they begin.
    fn enqueue(&mut self) {
        for start in self.starts.drain(..) {
            let ply = self.table.lanes.ply_of(&start.state).expect("lanes suit the states");
            self.queued += start.playouts;
            self.waiting[ply].push_back(start);
        }
    }

    /// Plays a round; whether as many lanes are free as there should be at most. The others make their moves before
    /// states are asked for: what was found of their states would have to be found again beside the new ones.
    #[inline(always)]
    fn round(&mut self) -> bool {
        self.place();
        if let Some(guide) = &self.guide {
            self.table.ask_for(guide.ranks());
        }
        let (terminal, over) = self.table.look();
        let longest = self.longest();
        let ended = (over | longest) & self.table.alive;
        self.table.alive = self.table.alive.without(ended);
        if !ended.is_none() {
            self.end(ended, terminal, longest);
        }
        if !self.table.alive.is_none() {
            self.table.step();
            self.table.advance(Block::NONE);
        }
        self.round += 1;
        self.free() >= self.most_free
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
        let mut idle = idle.lanes().peekable();
        self.placed.clear();
        while idle.peek().is_some()
            && let Some(start) = waiting.front_mut()
        {
            let mut lanes = Block::NONE;
            for lane in idle.by_ref().take(start.playouts) {
                self.places[lane] = (start.number, self.round);
                lanes.insert(lane);
            }
            began = began | lanes;
            let count = lanes.count() as usize;
            self.queued -= count;
            start.playouts -= count;
            self.placed.push((start.state.clone(), lanes));
            if start.playouts == 0 {
                waiting.pop_front();
            }
        }
        // The moves of the playouts before are read when their goals are found: one look at all moves for many playouts.
        if !self.table.made.is_empty() && !(began & self.table.waiting).is_none() {
            self.find_goals();
        }
        self.table.place(&self.placed);
        self.longest.push_back((self.round.saturating_add(self.max_steps), began));
    }

    /// The lanes that have made most steps.
    #[inline(always)]
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
    #[inline(always)]
    fn end(&mut self, ended: Block<N>, terminal: Block<N>, longest: Block<N>) {
        if !(ended & self.table.waiting).is_none() {
            self.find_goals();
        }
        self.table.keep(ended);
        for lane in ended.lanes() {
            let (start, began) = self.places[lane];
            let kept = &mut self.kept[lane];
            kept.number = start;
            kept.steps = (self.round - began) as usize;
            kept.end = match (terminal.contains(lane), longest.contains(lane)) {
                (true, _) => PlayoutEnd::Terminal,
                (false, true) => PlayoutEnd::MaxSteps,
                (false, false) => PlayoutEnd::Stuck(self.table.first_stuck(lane)),
            };
        }
    }

    /// Finds the goals and the moves of playouts that have ended.
    #[inline(always)]
    fn find_goals(&mut self) {
        if self.table.waiting.is_none() {
            return;
        }
        self.table.find_goals();
        let waiting = self.table.waiting;
        let lanes = self.table.lanes;
        let roles = lanes.roles.len();
        waiting.lanes().for_each(|lane| self.goals[lane * roles..][..roles].fill(None));
        for (place, role) in lanes.roles.iter().enumerate() {
            let mut one = Block::NONE;
            let mut several = Block::NONE;
            for &(_, port) in &role.goals {
                let goal = self.table.goal(port);
                several = several | (one & goal);
                one = one | goal;
            }
            for &(value, port) in &role.goals {
                let reached = self.table.goal(port).without(several);
                for lane in reached.lanes() {
                    self.goals[lane * roles + place] = Some(value);
                }
                if let Some(guide) = &mut self.guide {
                    guide.enter(place, value, reached, &self.table.made);
                }
            }
        }
        for (made, &number) in self.table.made.iter_mut().zip(&lanes.recorded) {
            if lanes.uses.told {
                for lane in (*made & waiting).lanes() {
                    self.kept[lane].moves.push(Move(number));
                }
            }
            *made = made.without(waiting);
        }
        for lane in waiting.lanes() {
            self.ended.push(&mut self.kept[lane], &self.goals[lane * roles..][..roles]);
        }
        self.table.waiting = Block::NONE;
    }
}
