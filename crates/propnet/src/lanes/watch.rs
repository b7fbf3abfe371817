//! Lanes under watch: rounds as they are played, read out state by state, so that other reasoners can play them again.
//!
//! The rounds are those of play and run the same code. Facts, ends, numbers of legal moves and goals are read from the
//! slots of the lanes; the moves made are found from the random numbers drawn, by the gates as they were before
//! folding.

use super::random_net::RandomNet;
use super::table::LaneStates;
use super::{Lanes, Playing, Port};
use crate::graph::Signal;
use crate::net::Net;
use ludolog_engine::Budget;
use std::collections::VecDeque;

/// A state that a lane was in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedState {
    /// The facts that were true: their places in [`Net::facts`], ascending.
    pub facts: Vec<usize>,
    /// Whether the game was over.
    pub terminal: bool,
    /// By role: the number of legal moves.
    pub legal: Vec<u64>,
    /// By role: the moves made, places in [`NetRole::moves`](crate::net::NetRole::moves), which is one if all is well;
    /// none where the game was over or a role was stuck.
    pub made: Vec<Vec<usize>>,
    /// By role: the goal if it was exactly one; `None` unless the game was over.
    pub goals: Option<Vec<Option<i64>>>,
}

/// A net, prepared for finding the moves that lanes make.
pub struct MoveFinder(RandomNet);

impl MoveFinder {
    /// The watcher for lanes of this net.
    pub fn new(net: &Net) -> MoveFinder {
        MoveFinder(RandomNet::uniform(net))
    }
}

/// The work of some rounds between their phases; nothing in play.
pub(super) trait Observer<const N: usize> {
    /// Ends and numbers of legal moves have been found.
    #[inline(always)]
    fn looked(&mut self, _: &LaneStates<'_, N>) {}

    /// Moves have been drawn and made; the facts are not moved to the next ply yet.
    #[inline(always)]
    fn stepped(&mut self, _: &LaneStates<'_, N>) {}

    /// The goals of the games that waited have been found.
    #[inline(always)]
    fn counted(&mut self, _: &LaneStates<'_, N>) {}
}

impl<const N: usize> Observer<N> for () {}

/// The states of some lanes.
struct LaneWatch<'w> {
    net: &'w RandomNet,
    lanes: Vec<WatchedLane>,
}

struct WatchedLane {
    lane: usize,
    states: Vec<WatchedState>,
    /// The states at the end of games whose goals are not known yet.
    waiting: VecDeque<usize>,
    /// Whether the last state is one in which moves are made this round.
    moves: bool,
}

impl<const N: usize> Observer<N> for LaneWatch<'_> {
    fn looked(&mut self, table: &LaneStates<'_, N>) {
        let ply = table.programs();
        for watched in &mut self.lanes {
            watched.moves = false;
            if !table.alive.contains(watched.lane) {
                continue;
            }
            let bit = |port: Port| table.read(port).contains(watched.lane);
            let facts = (0..).zip(&table.lanes.facts).filter(|(_, fact)| table.is_set(fact.slot, watched.lane));
            let number =
                |total: &Vec<Port>| (0..).zip(total).fold(0, |sum, (at, &port)| sum | u64::from(bit(port)) << at);
            let state = WatchedState {
                facts: facts.map(|(place, _)| place).collect(),
                terminal: bit(ply.terminal),
                legal: ply.choices.iter().map(|choice| number(&choice.total)).collect(),
                made: Vec::new(),
                goals: None,
            };
            watched.moves = !state.terminal && !state.legal.contains(&0);
            if !watched.moves {
                watched.waiting.push_back(watched.states.len());
            }
            watched.states.push(state);
        }
    }

    fn stepped(&mut self, table: &LaneStates<'_, N>) {
        for watched in self.lanes.iter_mut().filter(|watched| watched.moves) {
            let Some(state) = watched.states.last_mut() else { continue };
            // No program writes to the slots of random numbers.
            let bits = |slots: &Vec<u32>| slots.iter().map(|&slot| table.is_set(slot, watched.lane)).collect();
            let random = table.programs().choices.iter().map(|choice| bits(&choice.random));
            state.made = moves(self.net, &state.facts, &random.collect::<Vec<Vec<bool>>>());
        }
    }

    fn counted(&mut self, table: &LaneStates<'_, N>) {
        for watched in self.lanes.iter_mut().filter(|watched| table.waiting.contains(watched.lane)) {
            let Some(state) = watched.waiting.pop_front().map(|at| &mut watched.states[at]) else { continue };
            let goals = table.lanes.roles.iter().map(|role| {
                let holds = |port: Port| table.goal(port).contains(watched.lane);
                let mut holding = role.goals.iter().filter(|(_, port)| holds(*port)).map(|(value, _)| *value);
                holding.next().filter(|_| holding.next().is_none())
            });
            state.goals = state.terminal.then(|| goals.collect());
        }
    }
}

/// By role, the moves that these random bits choose. Bits that are not drawn are zero.
fn moves(net: &RandomNet, facts: &[usize], random: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let mut values = vec![false; net.graph.nodes().len()];
    facts.iter().for_each(|&fact| values[net.facts[fact].0.node()] = true);
    for (choice, bits) in net.choices.iter().zip(random) {
        choice.random.iter().zip(bits).for_each(|(input, &bit)| values[input.node()] = bit);
    }
    let value = |values: &[bool], signal: Signal| values[signal.node()] != signal.is_complemented();
    net.graph.evaluate(&mut values);
    let chosen =
        net.choices.iter().map(|choice| (0..).zip(&choice.chosen).filter(|(_, signal)| value(&values, **signal)));
    chosen.map(|chosen| chosen.map(|(place, _)| place).collect()).collect()
}

impl Lanes {
    /// Plays some rounds as [`play`](Self::play) does with this seed, and tells of each of these lanes the states in
    /// which it was, in order. The first state of a game follows the last of the one before. Fewer rounds if the budget
    /// ends.
    ///
    /// # Panics
    ///
    /// When there is no such lane.
    pub fn watch<const N: usize>(
        &self,
        watcher: &MoveFinder,
        lanes: &[usize],
        seed: u64,
        rounds: usize,
        budget: &Budget,
    ) -> Vec<Vec<WatchedState>> {
        let lane = |&lane: &usize| WatchedLane { lane, states: Vec::new(), waiting: VecDeque::new(), moves: false };
        let mut watch = LaneWatch { net: &watcher.0, lanes: lanes.iter().map(lane).collect() };
        let mut playing = Playing::<N>::new(self, seed);
        for _ in 0..rounds {
            if budget.check().is_err() {
                break;
            }
            playing.round(&mut watch);
        }
        playing.count_goals(&mut watch);
        watch.lanes.into_iter().map(|watched| watched.states).collect()
    }
}
