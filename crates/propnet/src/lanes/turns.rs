//! Facts that tell whose turn it is: they come and go in a cycle of plies, whatever moves are made.
//!
//! A state that agrees with what is known at a ply of the cycle leads to states that agree with what is known at the
//! next, which gates tell without looking at moves, so that it holds for all states, reachable or not. Programs that know whose turn it is have
//! no gates for the moves of the others. Unlike the plies from the first state on (`ply`), these are few and take up
//! states of any age.

use crate::graph::{Node, Signal};
use crate::net::Net;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::State;

/// Most plies of a cycle: three roles with two moves each.
const MAX_PLIES: usize = 6;

/// The cycles that a fact has to come and go in from the first state on, to be looked at.
const CYCLES: usize = 2;

/// By ply of the cycle and fact: its value, where it is known.
pub struct Turns(pub Vec<Vec<Option<bool>>>);

impl Turns {
    /// The turns of a game; `None` if no facts tell them. Goes through the gates some dozen times.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(net: &Net, budget: &Budget) -> Result<Option<Turns>, Stopped> {
        let mut plies: Vec<Vec<Option<bool>>> = vec![net.facts.iter().map(|fact| Some(fact.initial)).collect()];
        while plies.len() < CYCLES * MAX_PLIES {
            plies.push(following(net, &plies[plies.len() - 1], budget)?);
        }
        let mut best: Option<Turns> = None;
        for count in 2..=MAX_PLIES {
            let mut turns = Turns::likely(&plies[..CYCLES * count], count);
            turns.prove(net, budget)?;
            if turns.known() > best.as_ref().map_or(0.0, Turns::known) {
                best = Some(turns);
            }
        }
        Ok(best)
    }

    /// The facts that come and go in cycles of this length in the first plies.
    fn likely(plies: &[Vec<Option<bool>>], count: usize) -> Turns {
        let mut turns: Vec<Vec<Option<bool>>> = plies[..count].to_vec();
        for fact in 0..plies[0].len() {
            let value = |ply: usize| plies[ply][fact];
            let recurs = (0..plies.len()).all(|ply| value(ply).is_some() && value(ply) == value(ply % count));
            let changes = (1..count).any(|ply| value(ply) != value(0));
            if !recurs || !changes {
                turns.iter_mut().for_each(|known| known[fact] = None);
            }
        }
        Turns(turns)
    }

    /// Leaves those facts that follow from the others at the ply before.
    fn prove(&mut self, net: &Net, budget: &Budget) -> Result<(), Stopped> {
        let count = self.0.len();
        loop {
            let mut is_proved = true;
            for ply in 0..count {
                let follows = following(net, &self.0[ply], budget)?;
                let next = &self.0[(ply + 1) % count];
                let failed: Vec<usize> =
                    (0..next.len()).filter(|&fact| next[fact].is_some() && next[fact] != follows[fact]).collect();
                is_proved &= failed.is_empty();
                failed.iter().for_each(|&fact| self.0.iter_mut().for_each(|known| known[fact] = None));
            }
            if is_proved {
                return Ok(());
            }
        }
    }

    /// The number of facts that are known at a ply, on the average.
    fn known(&self) -> f64 {
        let known: usize = self.0.iter().map(|known| known.iter().flatten().count()).sum();
        known as f64 / self.0.len() as f64
    }
}

/// What is known after any moves made where this is known.
fn following(net: &Net, known: &[Option<bool>], budget: &Budget) -> Result<Vec<Option<bool>>, Stopped> {
    budget.check()?;
    let nodes = net.graph.nodes();
    let mut values: Vec<Option<bool>> = vec![None; nodes.len()];
    values[Signal::FALSE.node()] = Some(false);
    net.facts.iter().zip(known).for_each(|(fact, &value)| values[fact.now.node()] = value);
    let value =
        |values: &[Option<bool>], signal: Signal| values[signal.node()].map(|value| value != signal.is_complemented());
    for (node, gate) in nodes.iter().enumerate() {
        values[node] = match *gate {
            Node::And(a, b) => match (value(&values, a), value(&values, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Node::Xor(a, b) => value(&values, a).zip(value(&values, b)).map(|(a, b)| a != b),
            // What depends on itself tells no turns.
            Node::Closed(_) => None,
            Node::False | Node::Input => values[node],
        };
    }
    Ok(net.facts.iter().map(|fact| value(&values, fact.next)).collect())
}

/// The words of the facts that are known at a ply, and of those of them that hold.
pub struct KnownFacts {
    known: Vec<u32>,
    holding: Vec<u32>,
}

impl KnownFacts {
    /// What is known at a ply.
    pub fn new(facts: &[Option<bool>]) -> KnownFacts {
        let words = |is_in: &dyn Fn(Option<bool>) -> bool| {
            let word = |facts: &[Option<bool>]| {
                (0..).zip(facts).fold(0, |word, (place, &fact)| word | u32::from(is_in(fact)) << place)
            };
            facts.chunks(u32::BITS as usize).map(word).collect()
        };
        KnownFacts { known: words(&|fact| fact.is_some()), holding: words(&|fact| fact == Some(true)) }
    }

    /// Whether a state agrees with it.
    pub fn agrees(&self, state: &State) -> bool {
        state
            .words()
            .iter()
            .zip(&self.known)
            .zip(&self.holding)
            .all(|((word, known), holding)| word & known == *holding)
    }
}
