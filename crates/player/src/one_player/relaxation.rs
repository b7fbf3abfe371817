//! The distance of a state from a goal, read off the net: the cost of making each signal hold, and of making it not
//! hold, when nothing that was once achieved is lost.
//!
//! A fact costs nothing while it is as wanted; a move costs one more than its being legal; a conjunction costs the sum
//! of its parts (the additive heuristic of Bonet and Geffner, *Planning as heuristic search*, 2001, here for both
//! values of each signal, so that what can never become false again is known as well). A goal of infinite cost is out
//! of reach.

use ludolog_game::State;
use ludolog_propnet::Net;
use ludolog_propnet::graph::{Node, Signal};
use rustc_hash::FxHashMap;

/// A cost that cannot be paid.
const INFINITE: u32 = 1 << 28;

/// Most rounds over the net for one state. Costs that change after as many are far off anyway.
const MAX_ROUNDS: usize = 64;

/// A signal as a node of the relaxation, doubled, plus one if it is complemented.
type RelaxedEdge = u32;

enum RelaxedGate {
    Input,
    Never,
    And(RelaxedEdge, RelaxedEdge),
    Xor(RelaxedEdge, RelaxedEdge),
}

/// The part of a net that decides about a goal.
pub struct Relaxation {
    /// In an order in which inputs come first.
    gates: Vec<RelaxedGate>,
    /// By fact: its node, and its value in the next state.
    facts: Vec<(u32, RelaxedEdge)>,
    /// By move: its node, and whether it is legal.
    moves: Vec<(u32, RelaxedEdge)>,
    goal: RelaxedEdge,
    /// The facts that the goal is a conjunction of, each with its value: those of its parts that are facts.
    conjuncts: Vec<(usize, bool)>,
    /// By fact: whether it changes by itself, whatever moves are made.
    clocks: Vec<bool>,
    /// By node: the cost of its holding, and of its not holding.
    costs: Vec<[u32; 2]>,
}

impl Relaxation {
    /// The relaxation of a net of one role for its greatest goal value; `None` if it has no goal, or a closure that is
    /// too large.
    pub fn new(net: &Net) -> Option<(Relaxation, i64)> {
        let net = &net.unrolled();
        let role = net.roles.first()?;
        let &(value, goal) = role.goals.last()?;
        let next = net.facts.iter().map(|fact| fact.next);
        let legal = role.moves.iter().map(|made| made.legal);
        let inputs = net.facts.iter().map(|fact| fact.now).chain(role.moves.iter().map(|made| made.does));
        let mut gates = Vec::new();
        let mut number: FxHashMap<usize, u32> = FxHashMap::default();
        for node in net.graph.cone(next.chain(legal).chain([goal]).chain(inputs)) {
            let edge = |signal: Signal| number[&signal.node()] << 1 | u32::from(signal.is_complemented());
            gates.push(match net.graph.nodes()[node] {
                Node::Closed(_) => return None,
                Node::False => RelaxedGate::Never,
                Node::Input => RelaxedGate::Input,
                Node::And(a, b) => RelaxedGate::And(edge(a), edge(b)),
                Node::Xor(a, b) => RelaxedGate::Xor(edge(a), edge(b)),
            });
            number.insert(node, gates.len() as u32 - 1);
        }
        let edge = |signal: Signal| number[&signal.node()] << 1 | u32::from(signal.is_complemented());
        let facts: Vec<(u32, RelaxedEdge)> =
            net.facts.iter().map(|fact| (number[&fact.now.node()], edge(fact.next))).collect();
        let moves: Vec<(u32, RelaxedEdge)> =
            role.moves.iter().map(|made| (number[&made.does.node()], edge(made.legal))).collect();
        let clocks = clocks(&gates, &facts, &moves);
        let costs = vec![[0; 2]; gates.len()];
        let conjuncts = conjuncts(net, goal);
        Some((Relaxation { goal: edge(goal), gates, facts, moves, conjuncts, clocks, costs }, value))
    }

    /// Whether there are facts that change by themselves.
    pub fn has_clocks(&self) -> bool {
        self.clocks.contains(&true)
    }

    /// The state without the facts that change by themselves.
    pub fn without_clocks(&self, state: &State) -> State {
        let mut words = state.words().to_vec();
        for (fact, _) in self.clocks.iter().enumerate().filter(|(_, clock)| **clock) {
            words[fact / 32] &= !(1 << (fact % 32));
        }
        State::of_words(words)
    }

    /// Whether some parts of the goal can be achieved one by one.
    pub fn has_conjuncts(&self) -> bool {
        self.conjuncts.len() > 1
    }

    /// Of the states that can follow a state, those that achieve the part of the goal that fewest of them achieve.
    pub fn most_constrained(&self, state: &State, next: &[State]) -> Vec<usize> {
        let holds = |state: &State, &(fact, value): &(usize, bool)| holds(state, fact) == value;
        let open = self.conjuncts.iter().filter(|conjunct| !holds(state, conjunct));
        let achievers = open.map(|conjunct| {
            let achieve = |number: &usize| holds(&next[*number], conjunct);
            (0..next.len()).filter(achieve).collect::<Vec<usize>>()
        });
        achievers.min_by_key(Vec::len).unwrap_or_default()
    }

    /// The cost of the goal in a state; `None` if it is out of reach.
    pub fn distance(&mut self, state: &State) -> Option<u32> {
        self.costs.fill([INFINITE; 2]);
        for (fact, &(node, _)) in self.facts.iter().enumerate() {
            self.costs[node as usize][usize::from(!holds(state, fact))] = 0;
        }
        for &(node, _) in &self.moves {
            self.costs[node as usize] = [INFINITE, 0];
        }
        for _ in 0..MAX_ROUNDS {
            self.evaluate();
            let mut changed = false;
            for &(node, next) in &self.facts {
                let next = self.cost(next);
                for (now, next) in self.costs[node as usize].iter_mut().zip(next) {
                    if next < *now {
                        (*now, changed) = (next, true);
                    }
                }
            }
            for &(node, legal) in &self.moves {
                let cost = (self.cost(legal)[0] + 1).min(INFINITE);
                let known = &mut self.costs[node as usize][0];
                if cost < *known {
                    (*known, changed) = (cost, true);
                }
            }
            if !changed {
                break;
            }
        }
        let cost = self.cost(self.goal)[0];
        (cost < INFINITE).then_some(cost)
    }

    #[inline]
    fn cost(&self, edge: RelaxedEdge) -> [u32; 2] {
        let [holds, fails] = self.costs[(edge >> 1) as usize];
        if edge & 1 == 0 { [holds, fails] } else { [fails, holds] }
    }

    fn evaluate(&mut self) {
        for node in 0..self.gates.len() {
            self.costs[node] = match self.gates[node] {
                RelaxedGate::Input => continue,
                RelaxedGate::Never => [INFINITE, 0],
                RelaxedGate::And(a, b) => {
                    let a = self.cost(a);
                    let b = self.cost(b);
                    [(a[0] + b[0]).min(INFINITE), a[1].min(b[1])]
                }
                RelaxedGate::Xor(a, b) => {
                    let a = self.cost(a);
                    let b = self.cost(b);
                    let either = (a[0] + b[1]).min(a[1] + b[0]);
                    [either.min(INFINITE), (a[0] + b[0]).min(a[1] + b[1]).min(INFINITE)]
                }
            };
        }
    }
}

/// Whether a fact of the net is true.
fn holds(state: &State, fact: usize) -> bool {
    state.words()[fact / 32] >> (fact % 32) & 1 == 1
}

/// The facts among the parts of a conjunction.
fn conjuncts(net: &Net, goal: Signal) -> Vec<(usize, bool)> {
    let facts: FxHashMap<usize, usize> = net.facts.iter().enumerate().map(|(fact, of)| (of.now.node(), fact)).collect();
    let mut open = vec![goal];
    let mut conjuncts = Vec::new();
    while let Some(signal) = open.pop() {
        match net.graph.nodes()[signal.node()] {
            Node::And(a, b) if !signal.is_complemented() => open.extend([a, b]),
            Node::Input => {
                conjuncts.extend(facts.get(&signal.node()).map(|&fact| (fact, !signal.is_complemented())));
            }
            _ => {}
        }
    }
    conjuncts
}

/// By fact: whether no move has a part in its next value, nor in those of the facts that do.
fn clocks(gates: &[RelaxedGate], facts: &[(u32, RelaxedEdge)], moves: &[(u32, RelaxedEdge)]) -> Vec<bool> {
    let mut moved = vec![false; gates.len()];
    moves.iter().for_each(|(node, _)| moved[*node as usize] = true);
    loop {
        for node in 0..gates.len() {
            if let RelaxedGate::And(a, b) | RelaxedGate::Xor(a, b) = gates[node] {
                moved[node] = moved[(a >> 1) as usize] || moved[(b >> 1) as usize];
            }
        }
        let mut changed = false;
        for &(node, next) in facts {
            if moved[(next >> 1) as usize] && !moved[node as usize] {
                (moved[node as usize], changed) = (true, true);
            }
        }
        if !changed {
            return facts.iter().map(|(node, next)| !moved[*node as usize] && next >> 1 != *node).collect();
        }
    }
}
