//! The net of a single state: gates that count, of which only those are looked at whose inputs have changed.
//!
//! Conjunctions of conjunctions are one gate of many inputs. A gate knows how many of its inputs do not hold; an input
//! that changes is one addition for each gate that reads it, and goes on only where a count comes to or leaves zero.
//! (Counting is what Dowling and Gallier do for Horn formulas, *Linear-time algorithms for testing the satisfiability
//! of propositional Horn formulae*, 1984; propnets of general game players count as well.)
//!
//! Gates are visited level by level, so that each changes once at most. They come in tiers, the gates of a later tier
//! only when they are asked for: what a state allows, what a joint move leads to, what an end is worth.
//!
//! The gates of a closure read each other and have one level. Counts alone would keep facts that only support each
//! other, so when one falls, all that was derived from it falls, and what still has another derivation is derived again
//! (Gupta, Mumick and Subrahmanian, *Maintaining views incrementally*, 1993). After that gates only rise, each once.

use crate::closure::ClosureGates;
use crate::graph::{GateGraph, Node, Signal};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bit of a cell: whether the node holds, as those who read it have been told.
const HOLDS: u32 = 1;
/// Bit of a cell: whether the gate is in its queue.
const QUEUED: u32 = 2;
/// One more input that does not hold.
const MISSING: u32 = 4;

/// The counting gates of a graph.
struct GateShape {
    /// By node.
    links: Vec<Links>,
    /// Gates that read a node, doubled, plus one if they read its complement; then the places of the node in the
    /// output.
    targets: Vec<u32>,
    /// By gate: its level. Inputs have none.
    levels: Vec<u32>,
    /// By node of a closure: whether it holds when it is derived; a disjunction is a gate that holds otherwise.
    derived: Vec<Option<bool>>,
    /// By level: whether it has gates of closures.
    closed: Vec<bool>,
    /// By level, and one past the last: where its queue begins.
    queues: Vec<u32>,
    /// By tier: one past its last level.
    tiers: Vec<u32>,
    /// The cells and the output when no input holds.
    cells: Vec<u32>,
    output: Vec<u64>,
}

/// The targets of a node.
#[derive(Clone, Copy)]
struct Links {
    start: u32,
    /// The end of the gates, where the places begin.
    middle: u32,
    end: u32,
}

/// The values of all gates for the inputs that hold.
#[derive(Clone)]
pub struct IncrementalNet {
    shape: Arc<GateShape>,
    values: GateValues,
}

#[derive(Clone)]
struct GateValues {
    /// By node: the number of inputs that do not hold, and [`QUEUED`] and [`HOLDS`].
    cells: Vec<u32>,
    /// The signals asked for, a bit each.
    output: Vec<u64>,
    queue: Vec<u32>,
    /// By level: where its queue ends.
    ends: Vec<u32>,
    /// The lowest level that may have gates in its queue.
    lowest: u32,
    /// Gates of a closure that fall; empty between two questions.
    fallen: Vec<u32>,
}

impl IncrementalNet {
    /// The gates for signals in tiers; each signal has a place in the output, which are `places` in all. The number of
    /// an input is its place among `inputs`.
    pub fn new(graph: &GateGraph, inputs: &[Signal], tiers: &[Vec<(Signal, u32)>], places: u32) -> IncrementalNet {
        let shape = Arc::new(ShapeBuilder::new(graph, inputs, tiers).shape(tiers, places));
        let mut values = GateValues {
            cells: shape.cells.clone(),
            output: shape.output.clone(),
            queue: vec![0; shape.queues.last().copied().unwrap_or_default() as usize],
            ends: shape.queues.clone(),
            lowest: 0,
            fallen: Vec::new(),
        };
        // Nothing of a closure is derived yet, though it may not need inputs.
        for gate in (0..).zip(&shape.derived).filter(|(_, derived)| derived.is_some()).map(|(gate, _)| gate) {
            values.derive(&shape, gate);
        }
        values.settle(&shape, shape.tiers.last().copied().unwrap_or_default());
        IncrementalNet { shape, values }
    }

    /// Changes the value of an input.
    #[inline]
    pub fn flip(&mut self, input: u32) {
        self.values.change(&self.shape, input);
    }

    /// Looks at the gates of all tiers up to this one whose inputs have changed.
    #[inline]
    pub fn settle(&mut self, tier: usize) {
        self.values.settle(&self.shape, self.shape.tiers[tier]);
    }

    /// The signals asked for, by place, as far as they are settled.
    pub fn output(&self) -> &[u64] {
        &self.values.output
    }
}

impl GateValues {
    fn settle(&mut self, shape: &GateShape, end: u32) {
        while self.lowest < end {
            let level = self.lowest as usize;
            if shape.closed[level] {
                self.fall(shape, level);
            }
            // Gates on a level do not read each other, and those of a closure only rise.
            while self.ends[level] > shape.queues[level] {
                self.ends[level] -= 1;
                let gate = self.queue[self.ends[level] as usize];
                let cell = &mut self.cells[gate as usize];
                *cell &= !QUEUED;
                if (*cell < MISSING) != (*cell & HOLDS == HOLDS) {
                    self.change(shape, gate);
                }
            }
            self.lowest += 1;
        }
    }

    /// Whether a gate of a closure is derived, as those who read it have been told, and whether its inputs say so.
    fn is_derived(&self, shape: &GateShape, gate: u32) -> Option<(bool, bool)> {
        let cell = self.cells[gate as usize];
        shape.derived[gate as usize].map(|derived| ((cell & HOLDS == HOLDS) == derived, (cell < MISSING) == derived))
    }

    /// Takes back what was derived from gates of closures that have lost an input, and queues what is still derived
    /// otherwise.
    fn fall(&mut self, shape: &GateShape, level: usize) {
        let mut fallen = std::mem::take(&mut self.fallen);
        let queue = &self.queue[shape.queues[level] as usize..self.ends[level] as usize];
        fallen.extend(queue.iter().filter(|&&gate| self.is_derived(shape, gate) == Some((true, false))));
        let mut next = 0;
        while let Some(&gate) = fallen.get(next) {
            next += 1;
            if self.is_derived(shape, gate).is_some_and(|(was, _)| was) {
                self.change(shape, gate);
                let Links { start, middle, .. } = shape.links[gate as usize];
                let readers = shape.targets[start as usize..middle as usize].iter().map(|&edge| edge >> 1);
                fallen.extend(readers.filter(|&reader| {
                    shape.levels[reader as usize] as usize == level
                        && self.is_derived(shape, reader).is_some_and(|(was, _)| was)
                }));
            }
        }
        fallen.drain(..).for_each(|gate| self.derive(shape, gate));
        self.fallen = fallen;
    }

    /// Queues a gate of a closure if its inputs derive it.
    fn derive(&mut self, shape: &GateShape, gate: u32) {
        if self.cells[gate as usize] & QUEUED == 0 && self.is_derived(shape, gate) == Some((false, true)) {
            self.queue(shape, gate);
        }
    }

    #[inline]
    fn queue(&mut self, shape: &GateShape, gate: u32) {
        self.cells[gate as usize] |= QUEUED;
        let level = shape.levels[gate as usize];
        let end = &mut self.ends[level as usize];
        self.queue[*end as usize] = gate;
        *end += 1;
        self.lowest = self.lowest.min(level);
    }

    #[inline]
    fn change(&mut self, shape: &GateShape, node: u32) {
        let cell = &mut self.cells[node as usize];
        *cell ^= HOLDS;
        let holds = *cell & HOLDS;
        let Links { start, middle, end } = shape.links[node as usize];
        for &edge in &shape.targets[start as usize..middle as usize] {
            let gate = edge >> 1;
            let cell = &mut self.cells[gate as usize];
            let before = *cell;
            let after = if edge & 1 == holds { before + MISSING } else { before - MISSING };
            *cell = after;
            if before.min(after) < MISSING && before & QUEUED == 0 {
                self.queue(shape, gate);
            }
        }
        for &place in &shape.targets[middle as usize..end as usize] {
            self.output[place as usize / 64] ^= 1 << (place % 64);
        }
    }
}

/// A signal as a node of the shape, doubled, plus one for its complement.
type ShapeEdge = u32;

/// A gate that holds if all its inputs do.
struct CountingGate {
    inputs: Vec<ShapeEdge>,
    level: u32,
    /// If it is part of a closure: whether it holds when it is derived.
    derived: Option<bool>,
}

struct ShapeBuilder {
    /// By node of the graph: its edge.
    edges: FxHashMap<usize, ShapeEdge>,
    inputs: usize,
    /// In the order of the graph.
    gates: Vec<CountingGate>,
    /// By tier: one past its last level.
    tiers: Vec<u32>,
}

impl ShapeBuilder {
    fn new(graph: &GateGraph, inputs: &[Signal], tiers: &[Vec<(Signal, u32)>]) -> ShapeBuilder {
        let roots = || tiers.iter().flatten().map(|(signal, _)| *signal);
        let cone = graph.cone(roots());
        let mut uses: FxHashMap<usize, u32> = FxHashMap::default();
        roots().for_each(|root| *uses.entry(root.node()).or_default() += 2);
        for &node in &cone {
            match graph.nodes()[node] {
                Node::And(a, b) => [a, b].into_iter().for_each(|input| {
                    // A complemented input ends a conjunction.
                    *uses.entry(input.node()).or_default() += if input.is_complemented() { 2 } else { 1 };
                }),
                Node::Xor(a, b) => {
                    [a, b].into_iter().for_each(|input| *uses.entry(input.node()).or_default() += 2);
                }
                Node::Closed(closure) => {
                    let inputs = graph.closures()[closure as usize].inputs();
                    inputs.for_each(|input| *uses.entry(input.node()).or_default() += 2);
                }
                Node::Input | Node::False => {}
            }
        }
        let mut builder =
            ShapeBuilder { edges: FxHashMap::default(), inputs: inputs.len(), gates: Vec::new(), tiers: Vec::new() };
        for (number, input) in (0..).zip(inputs) {
            builder.edges.insert(input.node(), number << 1);
        }
        for tier in tiers {
            let first_level = builder.tiers.last().copied().unwrap_or_default();
            // Conjunctions that only one conjunction reads are a part of it.
            let mut inside: FxHashMap<usize, Vec<ShapeEdge>> = FxHashMap::default();
            for node in graph.cone(tier.iter().map(|(signal, _)| *signal)) {
                if builder.edges.contains_key(&node) {
                    continue;
                }
                match graph.nodes()[node] {
                    Node::And(a, b) => {
                        let mut all = Vec::new();
                        for input in [a, b] {
                            match inside.remove(&input.node()) {
                                Some(inputs) => all.extend(inputs),
                                None => all.push(builder.edge(input)),
                            }
                        }
                        match uses[&node] {
                            1 => _ = inside.insert(node, all),
                            _ => builder.gate(node, all, first_level),
                        }
                    }
                    Node::Xor(a, b) => {
                        let a = builder.edge(a);
                        let b = builder.edge(b);
                        let both = builder.conjunction(vec![a, b], first_level);
                        let neither = builder.conjunction(vec![a ^ 1, b ^ 1], first_level);
                        builder.gate(node, vec![both ^ 1, neither ^ 1], first_level);
                    }
                    Node::Closed(closure) => builder.close(&graph.closures()[closure as usize], first_level),
                    Node::Input | Node::False => {}
                }
            }
            let last = builder.gates.iter().map(|gate| gate.level + 1).max().unwrap_or_default();
            builder.tiers.push(last.max(first_level));
        }
        builder
    }

    fn gate(&mut self, node: usize, inputs: Vec<ShapeEdge>, first_level: u32) {
        let edge = self.conjunction(inputs, first_level);
        self.edges.insert(node, edge);
    }

    fn conjunction(&mut self, mut inputs: Vec<ShapeEdge>, first_level: u32) -> ShapeEdge {
        inputs.sort_unstable();
        inputs.dedup();
        let level = self.level(&inputs, first_level);
        self.push(CountingGate { inputs, level, derived: None })
    }

    fn push(&mut self, gate: CountingGate) -> ShapeEdge {
        self.gates.push(gate);
        ((self.inputs + self.gates.len() - 1) as u32) << 1
    }

    /// The level of a gate with these inputs.
    fn level(&self, inputs: &[ShapeEdge], first_level: u32) -> u32 {
        let level = |&edge: &ShapeEdge| match (edge >> 1) as usize {
            gate if gate < self.inputs => 0,
            gate => self.gates[gate - self.inputs].level + 1,
        };
        inputs.iter().map(level).max().unwrap_or_default().max(first_level)
    }

    /// Adds the gates of a closure. That of a member holds if neither its base nor a step does.
    fn close(&mut self, closure: &ClosureGates, first_level: u32) {
        let inputs = closure.inputs().filter(|signal| !signal.is_constant());
        let inputs: Vec<ShapeEdge> = inputs.map(|signal| self.edge(signal)).collect();
        let level = self.level(&inputs, first_level);
        let gate = |inputs, derived| CountingGate { inputs, level, derived: Some(derived) };
        let members: Vec<ShapeEdge> = closure.members.iter().map(|_| self.push(gate(Vec::new(), false)) ^ 1).collect();
        for (member, &edge) in closure.members.iter().zip(&members) {
            let base = Some(member.base).filter(|base| !base.is_constant());
            // A gate of the closure, so that a base that falls is seen to fall whatever else the member is derived
            // from.
            let base = base.map(|base| self.push(gate(vec![self.edge(base)], true)));
            let mut ways: Vec<ShapeEdge> = base.map(|base| base ^ 1).into_iter().collect();
            for step in &member.steps {
                let guard = Some(step.guard).filter(|guard| !guard.is_constant());
                let mut all: Vec<ShapeEdge> = guard.map(|guard| self.edge(guard)).into_iter().collect();
                for any in &step.any {
                    let none: Vec<ShapeEdge> = any.iter().map(|&other| members[other as usize] ^ 1).collect();
                    all.push(if let &[one] = &none[..] { one } else { self.push(gate(none, false)) } ^ 1);
                }
                ways.push(if let &[one] = &all[..] { one } else { self.push(gate(all, true)) } ^ 1);
            }
            self.gates[(edge >> 1) as usize - self.inputs].inputs = ways;
        }
        self.edges.extend(closure.nodes().zip(members));
    }

    fn edge(&self, signal: Signal) -> ShapeEdge {
        self.edges[&signal.node()] ^ u32::from(signal.is_complemented())
    }

    fn shape(self, tiers: &[Vec<(Signal, u32)>], places: u32) -> GateShape {
        let nodes = self.inputs + self.gates.len();
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        let mut levels = vec![0; self.inputs];
        let mut queues = vec![0; self.tiers.last().copied().unwrap_or_default() as usize + 1];
        // Nothing of a closure is derived.
        let holds = |gate: &CountingGate| gate.derived.map_or(0, |derived| u32::from(!derived) * HOLDS);
        let mut cells: Vec<u32> = std::iter::repeat_n(0, self.inputs).chain(self.gates.iter().map(holds)).collect();
        for (number, gate) in (self.inputs..).zip(&self.gates) {
            let mut missing = 0;
            for &edge in &gate.inputs {
                readers[(edge >> 1) as usize].push((number as u32) << 1 | edge & 1);
                let holds = cells[(edge >> 1) as usize] & HOLDS == HOLDS;
                missing += u32::from(holds == (edge & 1 == 1));
            }
            let holds = if gate.derived.is_some() { cells[number] } else { u32::from(missing == 0) * HOLDS };
            cells[number] = missing * MISSING + holds;
            levels.push(gate.level);
            queues[gate.level as usize + 1] += 1;
        }
        let mut closed = vec![false; queues.len()];
        self.gates.iter().filter(|gate| gate.derived.is_some()).for_each(|gate| closed[gate.level as usize] = true);
        for level in 1..queues.len() {
            queues[level] += queues[level - 1];
        }
        let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        let mut output = vec![0u64; places.div_ceil(64) as usize];
        for &(signal, place) in tiers.iter().flatten() {
            let mut holds = signal.is_complemented();
            if let Some(&edge) = self.edges.get(&signal.node()) {
                outputs[(edge >> 1) as usize].push(place);
                holds ^= (cells[(edge >> 1) as usize] & HOLDS == HOLDS) ^ (edge & 1 == 1);
            }
            output[place as usize / 64] |= u64::from(holds) << (place % 64);
        }
        let mut targets = Vec::new();
        let links = readers.iter().zip(&outputs).map(|(readers, places)| {
            let start = targets.len() as u32;
            targets.extend(readers);
            let middle = targets.len() as u32;
            targets.extend(places);
            Links { start, middle, end: targets.len() as u32 }
        });
        let links = links.collect();
        let derived =
            std::iter::repeat_n(None, self.inputs).chain(self.gates.iter().map(|gate| gate.derived)).collect();
        GateShape { links, targets, levels, derived, closed, queues, tiers: self.tiers, cells, output }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::tests::{closures, graph};
    use proptest::prelude::*;

    proptest! {
        /// Inputs that change one after the other, some of them before anybody asks.
        #[test]
        fn what_is_kept_is_what_is_evaluated_anew(closure in closures(), flips in prop::collection::vec((0..4u32, any::<bool>()), 0..40)) {
            let (mut graph, inputs, members) = graph(GateGraph::default(), &closure);
            let mut signals = graph.close(members);
            signals.push(graph.all(signals.iter().map(|&signal| !signal).collect::<Vec<_>>()));
            let tier: Vec<(Signal, u32)> = signals.iter().copied().zip(0..).collect();
            let mut incremental = IncrementalNet::new(&graph, &inputs, &[tier], 64);
            let mut values = vec![false; graph.nodes().len()];
            for (input, is_asked) in flips {
                incremental.flip(input);
                values[inputs[input as usize].node()] ^= true;
                if is_asked {
                    incremental.settle(0);
                    graph.evaluate(&mut values);
                    for (place, signal) in signals.iter().enumerate() {
                        let expected = values[signal.node()] != signal.is_complemented();
                        prop_assert_eq!(incremental.output()[0] >> place & 1 == 1, expected, "{}", place);
                    }
                }
            }
        }
    }
}
