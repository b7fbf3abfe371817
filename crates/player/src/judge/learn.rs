//! Weights learned from random games.
//!
//! A sample is a state after some random moves, with the mean goal of a few random playouts from there, which are a
//! better estimate than the end of its own game. Weights go down the gradient of the cross entropy, each by steps of
//! its own (Duchi, Hazan and Singer, *Adaptive subgradient methods*, 2011).

use super::products::{Columns, SAMPLES};
use super::{Judge, MAX_FACTS, logistic};
use crate::player::{is_stop, place, values};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, PlayoutEnd, Role, State, StateMachine};
use ludolog_syntax::ColdSort;

/// States of a batch, all after the same number of moves.
const STATES: usize = 128;

/// Playouts from each of them.
const PLAYOUTS: usize = 4;

/// Joint moves after which a playout is given up.
const MAX_STEPS: usize = 1_000;

/// Random games that tell how long a game is.
const GAMES: usize = 64;

/// The size of steps.
const RATE: f32 = 0.05;

/// The size of steps from states of the search's own games, whose outcomes are fewer and more alike.
const LATE_RATE: f32 = 0.02;

/// The sum of squares that a weight begins with, so that its first steps are not the largest.
const LEAST_SQUARE: f32 = 1e-2;

/// Most products.
const MAX_PRODUCTS: usize = 1_024;

/// Most products that a round adds.
const PRODUCTS_A_ROUND: usize = 256;

/// A judge that learns.
pub struct Learner {
    role: Role,
    facts: usize,
    /// The weight of every state, those of facts, then those of products.
    weights: Vec<f32>,
    /// By weight: the sum of squares of its gradients.
    squares: Vec<f32>,
    /// By product: its facts, ascending.
    products: Vec<Box<[u32]>>,
    /// The states that products are chosen by, of late, in a ring.
    recent: Vec<(State, f32)>,
    seen: usize,
    /// The number of samples at which products are added next.
    next_round: usize,
    active: Vec<u32>,
    draw: Draw,
    /// The length of random games, in joint moves.
    length: usize,
}

impl Learner {
    /// A learner for a role of a net with so many facts.
    pub fn new(role: Role, facts: usize, seed: u64) -> Learner {
        Learner {
            role,
            facts,
            weights: vec![0.0; facts + 1],
            squares: vec![LEAST_SQUARE; facts + 1],
            products: Vec::new(),
            recent: Vec::new(),
            seen: 0,
            next_round: 2 * SAMPLES,
            active: Vec::new(),
            draw: Draw::new(seed),
            length: 0,
        }
    }

    /// The judge as learned so far.
    pub fn judge(&self) -> Judge {
        let after_facts = self.facts + 1;
        let products = self.products.iter().cloned().zip(self.weights[after_facts..].iter().copied());
        Judge::new(self.weights[0], &self.weights[1..after_facts], products)
    }

    /// Samples learned from.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The number of products.
    pub fn products(&self) -> usize {
        self.products.len()
    }

    /// Learns from random games until the budget ends.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn from_random_games(&mut self, machine: &mut dyn StateMachine, budget: &Budget) -> Result<(), GameError> {
        loop {
            match self.batch(machine, budget) {
                Ok(()) => {}
                Err(error) if is_stop(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.seen >= self.next_round && budget.check().is_ok() {
                self.add_products();
                self.next_round = self.seen + SAMPLES;
            }
        }
    }

    /// Learns from one batch of states.
    fn batch(&mut self, machine: &mut dyn StateMachine, budget: &Budget) -> Result<(), GameError> {
        budget.check()?;
        machine.set_budget(budget.rest());
        let initial = machine.initial_state().clone();
        if self.length == 0 {
            let seed = self.draw.below(1 << 30) as u64;
            let played = machine.random_playouts(&vec![initial.clone(); GAMES], MAX_STEPS, seed)?;
            self.length = (played.iter().map(|playout| playout.steps).sum::<usize>() / GAMES).max(1);
        }
        let steps = self.draw.below(self.length + self.length / 4 + 1);
        let draw = &mut self.draw;
        let mut choose = |_: usize, _: Role, moves: &[ludolog_game::Move]| moves[draw.below(moves.len())];
        let reached = machine.playouts(&vec![initial; STATES], steps, &mut choose)?;
        let states: Vec<State> = reached
            .into_iter()
            .filter(|playout| playout.end == PlayoutEnd::MaxSteps)
            .map(|playout| playout.state)
            .collect();
        let starts: Vec<State> = states.iter().flat_map(|state| std::iter::repeat_n(state.clone(), PLAYOUTS)).collect();
        let seed = self.draw.below(1 << 30) as u64;
        let outcomes = machine.random_playouts(&starts, MAX_STEPS, seed)?;
        let me = place(self.role);
        for (state, outcomes) in states.into_iter().zip(outcomes.chunks(PLAYOUTS)) {
            let goals = outcomes.iter().filter_map(|outcome| values(&outcome.goals).nth(me));
            let target = goals.sum::<f32>() / PLAYOUTS as f32;
            self.learn(state, target, RATE);
        }
        Ok(())
    }

    /// Learns that a state is worth a target, from 0 to 1, and remembers it for the choice of products.
    fn learn(&mut self, state: State, target: f32, rate: f32) {
        self.step(&state, target, rate);
        if self.recent.len() < SAMPLES {
            self.recent.push((state, target));
        } else {
            self.recent[self.seen % SAMPLES] = (state, target);
        }
        self.seen += 1;
    }

    /// Learns that a state of other than random games is worth a target, from 0 to 1.
    pub fn from_game(&mut self, state: State, target: f32) {
        self.learn(state, target, LATE_RATE);
        if self.seen >= self.next_round {
            self.add_products();
            self.next_round = self.seen + SAMPLES;
        }
    }

    /// Lets the weights move again as far as those of a new learner, nearly.
    pub fn loosen(&mut self) {
        self.squares.iter_mut().for_each(|square| *square = (*square / 100.0).max(LEAST_SQUARE));
        self.recent.clear();
        self.next_round = self.seen + SAMPLES;
    }

    /// The mean length of random games, in joint moves; zero until one was played.
    pub fn length(&self) -> usize {
        self.length
    }

    fn step(&mut self, state: &State, target: f32, rate: f32) {
        let mut active = std::mem::take(&mut self.active);
        self.activate(state, &mut active);
        let z: f32 = active.iter().map(|&feature| self.weights[feature as usize]).sum();
        let gradient = logistic(z) - target;
        for &feature in &active {
            let square = &mut self.squares[feature as usize];
            *square += gradient * gradient;
            self.weights[feature as usize] -= rate * gradient / square.sqrt();
        }
        self.active = active;
    }

    /// The features of a state: that of every state, its facts, and the products that hold.
    fn activate(&self, state: &State, active: &mut Vec<u32>) {
        active.clear();
        active.push(0);
        let words = state.words();
        let holds = |fact: u32| words[fact as usize / 32] >> (fact % 32) & 1 == 1;
        active.extend((0..self.facts as u32).filter(|&fact| holds(fact)).map(|fact| fact + 1));
        let first = self.facts as u32 + 1;
        let products = (first..).zip(&self.products);
        active.extend(products.filter(|(_, facts)| facts.iter().all(|&fact| holds(fact))).map(|(place, _)| place));
    }

    /// Adds the products that explain best what the weights do not.
    fn add_products(&mut self) {
        if self.recent.len() < SAMPLES || self.products.len() >= MAX_PRODUCTS {
            return;
        }
        let mut columns = Columns::new(self.weights.len());
        let mut active = Vec::new();
        for (number, (state, target)) in self.recent.iter().enumerate() {
            self.activate(state, &mut active);
            let z: f32 = active.iter().map(|&feature| self.weights[feature as usize]).sum();
            columns.enter(number, active.iter().copied(), target - logistic(z));
        }
        for (first, second) in columns.best_pairs(self.facts + 1, PRODUCTS_A_ROUND) {
            let mut facts: Vec<u32> = [first, second].into_iter().flat_map(|feature| self.facts_of(feature)).collect();
            facts.cold_sort();
            facts.dedup();
            let facts = facts.into_boxed_slice();
            if (2..=MAX_FACTS).contains(&facts.len())
                && self.products.len() < MAX_PRODUCTS
                && !self.products.contains(&facts)
            {
                self.products.push(facts);
                self.weights.push(0.0);
                self.squares.push(LEAST_SQUARE);
            }
        }
    }

    /// The facts of a feature; none of that of every state.
    fn facts_of(&self, feature: u32) -> Vec<u32> {
        match (feature as usize).checked_sub(self.facts + 1) {
            Some(product) => self.products[product].to_vec(),
            None => feature.checked_sub(1).into_iter().collect(),
        }
    }
}
