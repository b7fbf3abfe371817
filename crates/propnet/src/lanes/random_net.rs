//! A net in which each role makes a random legal move, and what is left of it where some facts are known.

use super::MoveUse;
use super::foresight::{Foresight, PlayoutPolicy};
use crate::choice::ChoiceGates;
use crate::graph::{GateGraph, Signal};
use crate::net::Net;
use ludolog_engine::{Budget, Stopped};

/// A net whose moves are gates of random bits.
pub struct RandomNet {
    /// The gates; inputs are facts and random bits.
    pub graph: GateGraph,
    /// By fact: the input, the value in the next state, and the value in the first.
    pub facts: Vec<(Signal, Signal, bool)>,
    /// By role.
    pub choices: Vec<ChoiceGates>,
    /// Whether the state is terminal.
    pub terminal: Signal,
    /// By role: whether it has each of its goal values, in their order.
    pub goals: Vec<Vec<Signal>>,
    /// The moves that are recorded, those of a role after those of the one before.
    pub recorded: Vec<RecordedMove>,
}

/// A move that is recorded.
#[derive(Clone, Copy)]
pub struct RecordedMove {
    /// Its number among the moves of all roles.
    pub number: u32,
    pub role: usize,
    /// Whether it is made.
    pub made: Signal,
    /// The input that asks for it; `None` where playouts are not guided.
    pub hint: Option<Signal>,
}

/// The rest of a random net after folding.
pub struct Folded {
    /// The gates, with the same inputs in the same order.
    pub graph: GateGraph,
    /// By fact: the value in the next state.
    pub next: Vec<Signal>,
    /// By role: the number of moves to choose from, and the inputs of the random bits that make a difference.
    pub choices: Vec<(Vec<Signal>, Vec<Signal>)>,
    /// Whether the state is terminal.
    pub terminal: Signal,
    /// By recorded move: whether it is made.
    pub recorded: Vec<Signal>,
    /// The recorded moves that may be asked for: the place of each, and the input.
    pub hints: Vec<(usize, Signal)>,
}

impl RandomNet {
    /// The random net of a net, with moves that have all the same chance.
    pub fn uniform(net: &Net) -> RandomNet {
        RandomNet::new(net, PlayoutPolicy::Uniform, &Budget::unlimited()).expect("nothing stops it")
    }

    /// The random net of a net, whose moves are chosen by a policy.
    ///
    /// # Errors
    ///
    /// As for [`Foresight::new`], where the policy looks ahead.
    pub fn new(net: &Net, policy: PlayoutPolicy, budget: &Budget) -> Result<RandomNet, Stopped> {
        RandomNet::for_states(net, policy, MoveUse::default(), budget)
    }

    /// As [`new`](Self::new), where all moves that are used are recorded but those that a role makes out of its turn. Where they guide,
    /// a move that is asked for is made before others, unless one of them is decisive or it is not safe.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn for_states(net: &Net, policy: PlayoutPolicy, uses: MoveUse, budget: &Budget) -> Result<RandomNet, Stopped> {
        let mut graph = GateGraph::for_lanes();
        let mut built = vec![None; net.graph.nodes().len()];
        let inputs: Vec<Signal> = net.facts.iter().map(|_| graph.input()).collect();
        for (fact, &input) in net.facts.iter().zip(&inputs) {
            built[fact.now.node()] = Some(input);
        }
        let terminal = net.graph.build(&[net.terminal], &mut graph, &mut built)[0];
        let goals = net.roles.iter().map(|role| {
            let goals: Vec<Signal> = role.goals.iter().map(|&(_, signal)| signal).collect();
            net.graph.build(&goals, &mut graph, &mut built)
        });
        let goals = goals.collect();
        let moves = net.roles.iter().map(|role| net.graph.build(&role.legal(), &mut graph, &mut built));
        let mut moves: Vec<Vec<Signal>> = moves.collect();
        if policy == PlayoutPolicy::Cautious {
            let foresight = Foresight::new(net, budget)?;
            let safe = foresight.safe(&mut graph, &inputs, budget)?;
            let decisive = foresight.decisive(&mut graph, &inputs);
            for preferred in [safe, decisive] {
                moves.iter_mut().zip(&preferred).for_each(|(moves, preferred)| prefer(&mut graph, moves, preferred));
            }
        }
        let guided = if uses.guiding { &moves[..] } else { &[] };
        let hints: Vec<Vec<Signal>> =
            guided.iter().map(|moves| moves.iter().map(|_| graph.input()).collect()).collect();
        for (moves, hints) in moves.iter_mut().zip(&hints) {
            let asked: Vec<Signal> = moves.iter().zip(hints).map(|(&made, &hint)| graph.and(made, hint)).collect();
            prefer(&mut graph, moves, &asked);
        }
        let choices: Vec<ChoiceGates> = moves.iter().map(|moves| ChoiceGates::new(&mut graph, moves)).collect();
        for (role, choice) in net.roles.iter().zip(&choices) {
            for (made, &chosen) in role.moves.iter().zip(&choice.chosen) {
                built[made.does.node()] = Some(chosen);
            }
        }
        let next: Vec<Signal> = net.facts.iter().map(|fact| fact.next).collect();
        let next = net.graph.build(&next, &mut graph, &mut built);
        let recorded = if uses == MoveUse::default() { Vec::new() } else { recorded(net, &choices, &hints) };
        let facts = net.facts.iter().zip(inputs).zip(next).map(|((fact, input), next)| (input, next, fact.initial));
        Ok(RandomNet { facts: facts.collect(), graph, terminal, goals, recorded, choices })
    }

    /// The rest of the net where facts are known to be true or false.
    pub fn fold(&self, known: &[Option<bool>]) -> Folded {
        let mut graph = GateGraph::for_lanes();
        let mut built = self.graph.inputs_in(&mut graph);
        for ((input, ..), known) in self.facts.iter().zip(known) {
            if let Some(value) = known {
                built[input.node()] = Some(Signal::FALSE.complemented(*value));
            }
        }
        let terminal = self.graph.build(&[self.terminal], &mut graph, &mut built)[0];
        let mut choices: Vec<(Vec<Signal>, Vec<Signal>)> = Vec::with_capacity(self.choices.len());
        for choice in &self.choices {
            let total = self.graph.build(&choice.total, &mut graph, &mut built);
            // The random number is below the total, so its bits above those of the greatest one are zero.
            let greatest = (0..)
                .zip(&total)
                .filter(|(_, bit)| **bit != Signal::FALSE)
                .fold(0u64, |sum, (place, _)| sum | 1 << place);
            let bits = (u64::BITS - greatest.saturating_sub(1).leading_zeros()) as usize;
            let (used, unused) = choice.random.split_at(bits.min(choice.random.len()));
            unused.iter().for_each(|bit| built[bit.node()] = Some(Signal::FALSE));
            choices.push((total, used.iter().filter_map(|bit| built[bit.node()]).collect()));
        }
        let next: Vec<Signal> = self.facts.iter().map(|&(_, next, _)| next).collect();
        let next = self.graph.build(&next, &mut graph, &mut built);
        let recorded: Vec<Signal> = self.recorded.iter().map(|recorded| recorded.made).collect();
        let recorded = self.graph.build(&recorded, &mut graph, &mut built);
        // A role without a choice is asked for nothing.
        let chooses = |role: usize| !choices[role].1.is_empty();
        let asked = self.recorded.iter().enumerate().filter(|(_, recorded)| chooses(recorded.role));
        let hints = asked.filter_map(|(place, recorded)| Some((place, built[recorded.hint?.node()]?))).collect();
        Folded { graph, next, choices, terminal, recorded, hints }
    }
}

/// The moves that are recorded, all but those that a role makes out of its turn.
fn recorded(net: &Net, choices: &[ChoiceGates], hints: &[Vec<Signal>]) -> Vec<RecordedMove> {
    let mut recorded = Vec::new();
    let mut number = 0;
    for (role, choice) in choices.iter().enumerate() {
        for (place, &made) in choice.chosen.iter().enumerate() {
            if net.roles[role].idle != Some(place) {
                recorded.push(RecordedMove { number, role, made, hint: hints.get(role).map(|hints| hints[place]) });
            }
            number += 1;
        }
    }
    recorded
}

/// Leaves of some moves the preferred ones, where there are any.
fn prefer(graph: &mut GateGraph, moves: &mut [Signal], preferred: &[Signal]) {
    let any = graph.any(preferred.iter().copied());
    for (made, &preferred) in moves.iter_mut().zip(preferred) {
        let other = graph.and(!any, *made);
        *made = graph.or(preferred, other);
    }
}
