//! A judge of states that are not terminal: the goal that a role may expect, as a function of the facts.
//!
//! ```text
//! value = 1 / (1 + exp(-z)),  z = w + Σ w(f) over facts f that hold + Σ w(f, g, …) over products whose facts all hold
//! ```
//!
//! The weights are learned for any game with a net: first from random games ([`learn`]), whose outcomes lanes give by the
//! hundred thousand a second; products of facts are those that explain best what is left (`products`). Learning
//! evaluation functions from features that are conjunctions goes back to Buro (*From simple features to sophisticated
//! evaluation functions*, 1998). A state that differs by few facts from the one before is valued by them alone.

pub mod file;
pub mod learn;
mod products;

use ludolog_game::State;
use std::sync::Arc;

/// The steps of a weight: sums of whole numbers do not drift.
const STEPS: f32 = 4_096.0;

/// Most facts of a product.
const MAX_FACTS: usize = 64;

/// A value of states, for one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judge {
    /// The weight of every state.
    bias: i32,
    /// By fact: its weight.
    facts: Vec<i32>,
    products: Vec<Product>,
    /// By fact: the products that it is part of.
    products_of: Vec<Vec<u32>>,
}

/// Facts that count when all of them hold.
#[derive(Clone, Debug, PartialEq)]
struct Product {
    facts: Box<[u32]>,
    weight: i32,
}

impl Judge {
    /// A judge of these weights.
    fn new(bias: f32, facts: &[f32], products: impl Iterator<Item = (Box<[u32]>, f32)>) -> Judge {
        let steps = |weight: f32| (weight * STEPS) as i32;
        let mut judge = Judge {
            bias: steps(bias),
            facts: facts.iter().copied().map(steps).collect(),
            products: Vec::new(),
            products_of: vec![Vec::new(); facts.len()],
        };
        for (facts, weight) in products.filter(|(_, weight)| steps(*weight) != 0) {
            facts.iter().for_each(|&fact| judge.products_of[fact as usize].push(judge.products.len() as u32));
            judge.products.push(Product { facts, weight: steps(weight) });
        }
        judge
    }
}

impl Judge {
    /// The judge of the other role where the goals of two sum to 100.
    pub fn opposite(&self) -> Judge {
        let turned = |weight: &i32| -weight;
        let products =
            self.products.iter().map(|Product { facts, weight }| Product { facts: facts.clone(), weight: -weight });
        Judge {
            bias: -self.bias,
            facts: self.facts.iter().map(turned).collect(),
            products: products.collect(),
            products_of: self.products_of.clone(),
        }
    }
}

/// A judge with the state that it valued last.
#[derive(Clone, Debug)]
pub struct Evaluator {
    judge: Arc<Judge>,
    now: Vec<u32>,
    sum: i64,
    /// By product: the number of its facts that do not hold.
    missing: Vec<u8>,
}

impl Evaluator {
    /// The evaluator of a judge.
    pub fn new(judge: Arc<Judge>) -> Evaluator {
        let missing = judge.products.iter().map(|product| product.facts.len() as u8).collect();
        Evaluator { sum: judge.bias.into(), now: Vec::new(), missing, judge }
    }

    /// The expected goal in a state of the net's machines, from 0 to 1. The cost is that of what changed since the last
    /// state: its facts and their products.
    pub fn value(&mut self, state: &State) -> f32 {
        let words = state.words();
        self.now.resize(words.len(), 0);
        for (number, &word) in words.iter().enumerate() {
            let mut changed = word ^ self.now[number];
            self.now[number] = word;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                self.change(32 * number + bit as usize, word >> bit & 1 == 1);
            }
        }
        logistic(self.sum as f32 / STEPS)
    }

    fn change(&mut self, fact: usize, holds: bool) {
        let judge = &*self.judge;
        let weight = i64::from(judge.facts[fact]);
        self.sum += if holds { weight } else { -weight };
        for &product in &judge.products_of[fact] {
            let missing = &mut self.missing[product as usize];
            let weight = i64::from(judge.products[product as usize].weight);
            if holds {
                *missing -= 1;
                self.sum += if *missing == 0 { weight } else { 0 };
            } else {
                self.sum -= if *missing == 0 { weight } else { 0 };
                *missing += 1;
            }
        }
    }
}

fn logistic(z: f32) -> f32 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Three facts, of which the first two form a product.
    fn judge() -> Judge {
        let products = [(Box::from([0, 1]), 2.0), (Box::from([0, 2]), 0.0)];
        Judge::new(0.5, &[1.0, -1.0, 0.25], products.into_iter())
    }

    proptest! {
        #[test]
        fn a_state_is_valued_by_its_facts_whatever_came_before(states in prop::collection::vec(0..8u32, 1..20)) {
            let mut evaluator = Evaluator::new(Arc::new(judge()));
            for bits in states {
                let holds = |fact: u32| f32::from(bits >> fact & 1 == 1);
                let z = 0.5 + holds(0) - holds(1) + 0.25 * holds(2) + 2.0 * holds(0) * holds(1);
                let value = evaluator.value(&State::of_words([bits]));
                prop_assert!((value - 1.0 / (1.0 + (-z).exp())).abs() < 1e-3, "{} {}", bits, value);
            }
        }
    }

    #[test]
    fn the_opposite_expects_the_rest() {
        let mut seats = [judge(), judge().opposite()].map(|judge| Evaluator::new(Arc::new(judge)));
        for bits in 0..8 {
            let [mine, other] = seats.each_mut().map(|seat| seat.value(&State::of_words([bits])));
            assert!((mine + other - 1.0).abs() < 1e-6, "{bits}");
        }
    }

    #[test]
    fn products_without_weight_are_left_out() {
        assert_eq!(judge().products.len(), 1);
    }
}
