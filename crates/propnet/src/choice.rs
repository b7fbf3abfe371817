//! The choice of a random legal move, as gates.
//!
//! A tree of adders counts the legal moves. A random number below their total is led down the same tree: at each node
//! it is compared with the count of the left branch, goes left if it is smaller, and right, less that count, if not.
//! Where the number is uniform, so is the choice.

use crate::graph::{GateGraph, Signal};

/// The gates that choose one of some moves.
#[derive(Clone, Debug)]
pub struct ChoiceGates {
    /// The number of legal moves, lowest bit first.
    pub total: Vec<Signal>,
    /// The inputs for a random number below the total, lowest bit first; none for a single move.
    pub random: Vec<Signal>,
    /// Whether each move is chosen. Without legal moves none is.
    pub chosen: Vec<Signal>,
}

/// The counts of the legal moves of a range.
struct Count {
    /// The number of moves, legal or not.
    moves: usize,
    bits: Vec<Signal>,
    branches: Option<Box<[Count; 2]>>,
}

impl ChoiceGates {
    /// Adds the gates that choose one of the moves that are `legal`.
    pub fn new(graph: &mut GateGraph, legal: &[Signal]) -> ChoiceGates {
        let Some(count) = Count::new(graph, legal) else {
            return ChoiceGates { total: Vec::new(), random: Vec::new(), chosen: Vec::new() };
        };
        let random: Vec<Signal> = (0..bits_below(legal.len())).map(|_| graph.input()).collect();
        let any = graph.any(legal.iter().copied());
        let mut chosen = Vec::with_capacity(legal.len());
        count.select(graph, any, &random, &mut chosen);
        ChoiceGates { total: count.bits, random, chosen }
    }
}

/// The number of bits of the numbers below `n`.
fn bits_below(n: usize) -> usize {
    (usize::BITS - n.saturating_sub(1).leading_zeros()) as usize
}

impl Count {
    fn new(graph: &mut GateGraph, legal: &[Signal]) -> Option<Count> {
        match legal {
            [] => None,
            &[one] => Some(Count { moves: 1, bits: vec![one], branches: None }),
            _ => {
                let (left, right) = legal.split_at(legal.len().div_ceil(2));
                let left = Count::new(graph, left)?;
                let right = Count::new(graph, right)?;
                let bits = add(graph, &left.bits, &right.bits, bits_below(legal.len() + 1));
                Some(Count { moves: legal.len(), bits, branches: Some(Box::new([left, right])) })
            }
        }
    }

    /// Appends for each move whether it is chosen by a number below the count, where `active` holds.
    fn select(&self, graph: &mut GateGraph, active: Signal, number: &[Signal], chosen: &mut Vec<Signal>) {
        let Some(branches) = &self.branches else {
            chosen.push(active);
            return;
        };
        let [left, right] = &**branches;
        let (rest, is_left) = subtract(graph, number, &left.bits);
        let to_left = graph.and(active, is_left);
        let to_right = graph.and(active, !is_left);
        let low = |bits: &[Signal], branch: &Count| bits[..bits_below(branch.moves).min(bits.len())].to_vec();
        left.select(graph, to_left, &low(number, left), chosen);
        right.select(graph, to_right, &low(&rest, right), chosen);
    }
}

fn bit(bits: &[Signal], place: usize) -> Signal {
    bits.get(place).copied().unwrap_or(Signal::FALSE)
}

/// The lowest `width` bits of a sum.
fn add(graph: &mut GateGraph, a: &[Signal], b: &[Signal], width: usize) -> Vec<Signal> {
    let mut carry = Signal::FALSE;
    let sum = |place| {
        let x = bit(a, place);
        let y = bit(b, place);
        let either = graph.xor(x, y);
        let sum = graph.xor(either, carry);
        let both = graph.and(x, y);
        let passed = graph.and(either, carry);
        carry = graph.or(both, passed);
        sum
    };
    (0..width).map(sum).collect()
}

/// The difference of two numbers, and whether it is below zero.
fn subtract(graph: &mut GateGraph, a: &[Signal], b: &[Signal]) -> (Vec<Signal>, Signal) {
    let mut borrow = Signal::FALSE;
    let mut difference = Vec::new();
    for place in 0..a.len().max(b.len()) {
        let x = bit(a, place);
        let y = bit(b, place);
        let either = graph.xor(x, y);
        difference.push(graph.xor(either, borrow));
        let less = graph.and(!x, y);
        let passed = graph.and(!either, borrow);
        borrow = graph.or(less, passed);
    }
    (difference, borrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(graph: &GateGraph, inputs: &[bool]) -> Vec<bool> {
        let mut values = [&[false], &inputs[..graph.nodes().len() - 1]].concat();
        graph.evaluate(&mut values);
        values
    }

    #[test]
    fn each_number_chooses_another_legal_move() {
        for moves in 1..=9usize {
            let mut graph = GateGraph::default();
            let legal: Vec<Signal> = (0..moves).map(|_| graph.input()).collect();
            // Random bits are inputs too: their nodes come after gates, so they are looked up by node.
            let choice = ChoiceGates::new(&mut graph, &legal);
            for set in 1u32..1 << moves {
                let members: Vec<usize> = (0..moves).filter(|i| set >> i & 1 == 1).collect();
                for number in 0..members.len() {
                    let mut inputs = vec![false; graph.nodes().len()];
                    members.iter().for_each(|&i| inputs[legal[i].node() - 1] = true);
                    for (place, random) in choice.random.iter().enumerate() {
                        inputs[random.node() - 1] = number >> place & 1 == 1;
                    }
                    let values = value(&graph, &inputs);
                    let of = |signal: &Signal| values[signal.node()] != signal.is_complemented();
                    let chosen: Vec<usize> = (0..moves).filter(|&i| of(&choice.chosen[i])).collect();
                    assert_eq!(chosen, [members[number]], "{number} of {members:?}");
                    let total: usize = choice.total.iter().enumerate().map(|(i, bit)| usize::from(of(bit)) << i).sum();
                    assert_eq!(total, members.len());
                }
            }
        }
    }
}
