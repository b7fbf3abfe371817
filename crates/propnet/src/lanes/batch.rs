//! Playouts from given states: a lane each, and the next state in a lane that is done.

use super::kernel::{Block, KernelWork, widest};
use super::table::LaneStates;
use super::{Lanes, PlyGroup};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Move, PlayoutEnd, PlayoutOutcome, State};
use std::collections::VecDeque;

impl Lanes {
    /// One random playout from each of these states, with at most `max_steps` joint moves, on `64·N` lanes.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    ///
    /// # Panics
    ///
    /// When the mode is not [`PlyGroup::Free`].
    pub fn play_from<const N: usize>(
        &self,
        starts: &[State],
        max_steps: usize,
        seed: u64,
        budget: &Budget,
    ) -> Result<Vec<PlayoutOutcome>, Stopped> {
        assert!(self.mode == PlyGroup::Free, "games in step begin with the first state");
        let none = PlayoutOutcome { end: PlayoutEnd::Terminal, steps: 0, goals: Vec::new(), moves: Vec::new() };
        let mut batch = LaneBatch {
            table: LaneStates::<N>::new(self, seed),
            starts,
            placed: 0,
            places: vec![(0, 0); Block::<N>::LANES],
            kept: vec![0; Block::<N>::LANES],
            round: 0,
            max_steps: u64::try_from(max_steps).unwrap_or(u64::MAX),
            longest: VecDeque::new(),
            outcomes: vec![none; starts.len()],
        };
        while !widest(BatchRounds(&mut batch)) {
            budget.check()?;
        }
        Ok(batch.outcomes)
    }
}

/// Playouts under way.
struct LaneBatch<'b, const N: usize> {
    table: LaneStates<'b, N>,
    starts: &'b [State],
    /// The states that have been placed in a lane.
    placed: usize,
    /// By lane: the number of its state, and the round in which its playout began.
    places: Vec<(usize, u64)>,
    /// By lane whose goals are not found yet: the number of its state.
    kept: Vec<usize>,
    round: u64,
    max_steps: u64,
    /// The rounds in which lanes have made most steps, unless they are done before; the first round first.
    longest: VecDeque<(u64, Block<N>)>,
    outcomes: Vec<PlayoutOutcome>,
}

/// Some rounds, compiled for the instructions of the processor; whether all playouts are done.
struct BatchRounds<'p, 'b, const N: usize>(&'p mut LaneBatch<'b, N>);

impl<const N: usize> KernelWork for BatchRounds<'_, '_, N> {
    type Output = bool;

    #[inline(always)]
    fn work(self) -> bool {
        (0..super::POLL_EVERY).any(|_| self.0.round())
    }
}

impl<const N: usize> LaneBatch<'_, N> {
    /// Plays a round; whether all playouts are done.
    #[inline(always)]
    fn round(&mut self) -> bool {
        self.place();
        if self.table.alive.is_none() {
            self.find_goals();
            return true;
        }
        let (terminal, over) = self.table.look();
        let longest = self.longest();
        let ended = (over | longest) & self.table.alive;
        self.table.alive = self.table.alive.without(ended);
        if !ended.is_none() {
            self.end(ended, terminal, longest);
        }
        self.table.step();
        self.table.advance(Block::NONE);
        self.round += 1;
        false
    }

    /// Places states in the lanes that are done.
    fn place(&mut self) {
        if self.placed == self.starts.len() || self.table.alive == Block::ALL {
            return;
        }
        let mut began = Block::NONE;
        let left = self.placed..self.starts.len();
        let idle = !self.table.alive;
        for (lane, start) in idle.lanes().zip(left) {
            self.table.place(lane, &self.starts[start]);
            self.places[lane] = (start, self.round);
            began.insert(lane);
            self.placed += 1;
        }
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
            self.kept[lane] = start;
            let outcome = &mut self.outcomes[start];
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
                self.outcomes[self.places[lane].0].moves.push(Move(number));
            }
            *made = made.without(ended);
        }
    }

    fn find_goals(&mut self) {
        self.table.find_goals();
        for role in &self.table.lanes.roles {
            let goals: Vec<(i64, Block<N>)> =
                role.goals.iter().map(|&(value, port)| (value, self.table.goal(port))).collect();
            for lane in self.table.waiting.lanes() {
                let mut values = goals.iter().filter(|(_, lanes)| lanes.contains(lane)).map(|(value, _)| *value);
                let goal = values.next().filter(|_| values.next().is_none());
                self.outcomes[self.kept[lane]].goals.push(goal);
            }
        }
        self.table.waiting = Block::NONE;
    }
}
