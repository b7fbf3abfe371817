//! Factors: parts of a game in which the moves of one have no effect on the facts and legal moves of another.
//!
//! Facts that no move has an effect on, as whose turn it is, belong to no factor, and all factors read them. Facts and moves
//! are otherwise in one factor if one follows from the other: the next value of a fact from a fact or a move, the legality
//! of a move from a fact. Goals and ends may read several factors. Sancho (Draper and Rose, 2014) searches factors apart.
//!
//! Found in O(facts · gates), by the inputs that each fact and each move depends on.

use crate::graph::Signal;
use crate::net::Net;

/// Most pairs of a fact or move and a gate in a net whose factors are looked for: less than a tenth of a second's work.
const MAX_WORK: usize = 1 << 24;

/// The factors of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factors {
    /// The number of factors, two at least.
    pub count: usize,
    /// By fact: its factor; `None` if no move has an effect on it.
    pub of_fact: Vec<Option<usize>>,
    /// By move of the game, those of the first role first: its factor; `None` if it has no effect.
    pub of_move: Vec<Option<usize>>,
}

impl Factors {
    /// The factors of a game, as small as they are; `None` if there is but one.
    pub fn of(net: &Net) -> Option<Factors> {
        let moves: usize = net.roles.iter().map(|role| role.moves.len()).sum();
        if (net.facts.len() + moves).saturating_mul(net.graph.nodes().len()) > MAX_WORK {
            return None;
        }
        let mut parts = Parts::new(net, moves);
        parts.leave_out_facts_without_moves();
        parts.join_all();
        parts.factors()
    }

    /// Makes two factors one.
    pub fn join(&mut self, one: usize, other: usize) {
        let kept = one.min(other);
        let gone = one.max(other);
        if kept != gone {
            for factor in self.of_fact.iter_mut().chain(&mut self.of_move).flatten() {
                *factor = if *factor == gone { kept } else { *factor - usize::from(*factor > gone) };
            }
            self.count -= 1;
        }
    }
}

/// Facts and moves, numbered one after the other, with what they follow from.
struct Parts {
    facts: usize,
    /// By fact the facts and moves that its next value follows from, by move the facts that its legality follows from.
    sources: Vec<Vec<usize>>,
    /// Whether a move has an effect on it; moves have one on themselves.
    is_moved: Vec<bool>,
    /// By fact and move: another one of the same factor, nearer to the one that stands for it.
    joined: Vec<usize>,
}

impl Parts {
    fn new(net: &Net, moves: usize) -> Parts {
        let facts = net.facts.len();
        let of_role = net.roles.iter().flat_map(|role| &role.moves);
        let mut of_node = vec![None; net.graph.nodes().len()];
        let inputs = net.facts.iter().map(|fact| fact.now).chain(of_role.clone().map(|made| made.does));
        for (number, input) in inputs.enumerate().filter(|(_, input)| !input.is_constant()) {
            of_node[input.node()] = Some(number);
        }
        let outputs = net.facts.iter().map(|fact| fact.next).chain(of_role.map(|made| made.legal));
        let cone = |output: Signal| net.graph.cone([output]).into_iter().filter_map(|node| of_node[node]).collect();
        let is_moved = (0..facts + moves).map(|number| number >= facts).collect();
        Parts { facts, sources: outputs.map(cone).collect(), is_moved, joined: (0..facts + moves).collect() }
    }

    /// Finds the facts that moves have an effect on, directly or by other facts.
    fn leave_out_facts_without_moves(&mut self) {
        loop {
            let follows =
                |&fact: &usize| !self.is_moved[fact] && self.sources[fact].iter().any(|&of| self.is_moved[of]);
            let found: Vec<usize> = (0..self.facts).filter(follows).collect();
            if found.is_empty() {
                return;
            }
            found.into_iter().for_each(|fact| self.is_moved[fact] = true);
        }
    }

    /// Joins what follows from each other.
    fn join_all(&mut self) {
        for number in (0..self.sources.len()).filter(|&number| self.is_moved[number]).collect::<Vec<_>>() {
            for source in std::mem::take(&mut self.sources[number]) {
                if self.is_moved[source] {
                    let first = self.representative(number);
                    let second = self.representative(source);
                    self.joined[first.max(second)] = first.min(second);
                }
            }
        }
    }

    fn representative(&mut self, mut number: usize) -> usize {
        while self.joined[number] != number {
            self.joined[number] = self.joined[self.joined[number]];
            number = self.joined[number];
        }
        number
    }

    fn factors(mut self) -> Option<Factors> {
        // Moves come after facts, so that each factor with a fact is represented by one.
        let mut representatives = Vec::new();
        let mut of = vec![None; self.joined.len()];
        for (number, of) in of.iter_mut().enumerate() {
            let representative = self.representative(number);
            if self.is_moved[number] && representative < self.facts {
                let known = representatives.iter().position(|&other| other == representative);
                *of = Some(known.unwrap_or(representatives.len()));
                if known.is_none() {
                    representatives.push(representative);
                }
            }
        }
        let count = representatives.len();
        let of_move = of.split_off(self.facts);
        (count > 1).then_some(Factors { count, of_fact: of, of_move })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_factors_are_numbered_without_a_gap() {
        let of_move = vec![Some(3), Some(1)];
        let mut factors = Factors { count: 4, of_fact: vec![Some(0), Some(1), None, Some(2), Some(3)], of_move };
        factors.join(2, 1);
        assert_eq!(factors.of_fact, [Some(0), Some(1), None, Some(1), Some(2)]);
        assert_eq!((factors.count, &*factors.of_move), (3, &[Some(2), Some(1)][..]));
    }
}
