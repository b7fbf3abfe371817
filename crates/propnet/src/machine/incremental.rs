//! The net of a single state: gates that count, of which only those are looked at whose inputs have changed.
//!
//! Conjunctions of conjunctions are one gate of many inputs. A gate knows how many of its inputs do not hold; an input that
//! changes is one addition for each gate that reads it, and goes on only where a count comes to or leaves zero. (Counting
//! is what Dowling and Gallier do for Horn formulas, *Linear-time algorithms for testing the satisfiability of
//! propositional Horn formulae*, 1984; propnets of general game players count as well.)
//!
//! Gates are visited level by level, so that each changes once at most. They come in tiers, the gates of a later tier only
//! when they are asked for: what a state allows, what a joint move leads to, what an end is worth.

use crate::graph::{Graph, Node, Signal};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bit of a cell: whether the node holds, as those who read it have been told.
const HOLDS: u32 = 1;
/// Bit of a cell: whether the gate is in its queue.
const QUEUED: u32 = 2;
/// One more input that does not hold.
const MISSING: u32 = 4;

/// The counting gates of a graph.
struct Shape {
    /// By node.
    links: Vec<Links>,
    /// Gates that read a node, doubled, plus one if they read its complement; then the places of the node in the output.
    targets: Vec<u32>,
    /// By gate: its level. Inputs have none.
    levels: Vec<u32>,
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
    /// Where the gates end and the places begin.
    middle: u32,
    end: u32,
}

/// The values of all gates for the inputs that hold.
#[derive(Clone)]
pub struct Incremental {
    shape: Arc<Shape>,
    values: Values,
}

#[derive(Clone)]
struct Values {
    /// By node: the number of inputs that do not hold, and [`QUEUED`] and [`HOLDS`].
    cells: Vec<u32>,
    /// The signals asked for, a bit each.
    output: Vec<u64>,
    queue: Vec<u32>,
    /// By level: where its queue ends.
    ends: Vec<u32>,
    /// The lowest level that may have gates in its queue.
    lowest: u32,
}

impl Incremental {
    /// The gates for signals in tiers; each signal has a place in the output, which are `places` in all. The number of an
    /// input is its place among `inputs`.
    pub fn new(graph: &Graph, inputs: &[Signal], tiers: &[Vec<(Signal, u32)>], places: u32) -> Incremental {
        let shape = Arc::new(Builder::new(graph, inputs, tiers).shape(tiers, places));
        let values = Values {
            cells: shape.cells.clone(),
            output: shape.output.clone(),
            queue: vec![0; shape.queues.last().copied().unwrap_or_default() as usize],
            ends: shape.queues.clone(),
            lowest: 0,
        };
        Incremental { shape, values }
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

impl Values {
    fn settle(&mut self, shape: &Shape, end: u32) {
        while self.lowest < end {
            let level = self.lowest as usize;
            let queue = shape.queues[level]..std::mem::replace(&mut self.ends[level], shape.queues[level]);
            // Gates on a level do not read each other.
            for place in queue {
                let gate = self.queue[place as usize];
                let cell = &mut self.cells[gate as usize];
                *cell &= !QUEUED;
                if (*cell < MISSING) != (*cell & HOLDS == HOLDS) {
                    self.change(shape, gate);
                }
            }
            self.lowest += 1;
        }
    }

    #[inline]
    fn change(&mut self, shape: &Shape, node: u32) {
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
                *cell |= QUEUED;
                let level = shape.levels[gate as usize];
                let end = &mut self.ends[level as usize];
                self.queue[*end as usize] = gate;
                *end += 1;
                self.lowest = self.lowest.min(level);
            }
        }
        for &place in &shape.targets[middle as usize..end as usize] {
            self.output[place as usize / 64] ^= 1 << (place % 64);
        }
    }
}

/// A signal as a node of the shape, doubled, plus one for its complement.
type Edge = u32;

/// A gate that holds if all its inputs do.
struct Gate {
    inputs: Vec<Edge>,
    level: u32,
}

struct Builder {
    /// By node of the graph: its edge.
    edges: FxHashMap<usize, Edge>,
    inputs: usize,
    /// In the order of the graph.
    gates: Vec<Gate>,
    /// By tier: one past its last level.
    tiers: Vec<u32>,
}

impl Builder {
    fn new(graph: &Graph, inputs: &[Signal], tiers: &[Vec<(Signal, u32)>]) -> Builder {
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
                Node::Input | Node::False => {}
            }
        }
        let mut builder =
            Builder { edges: FxHashMap::default(), inputs: inputs.len(), gates: Vec::new(), tiers: Vec::new() };
        for (number, input) in (0..).zip(inputs) {
            builder.edges.insert(input.node(), number << 1);
        }
        for tier in tiers {
            let first_level = builder.tiers.last().copied().unwrap_or_default();
            // Conjunctions that only one conjunction reads are a part of it.
            let mut inside: FxHashMap<usize, Vec<Edge>> = FxHashMap::default();
            for node in graph.cone(tier.iter().map(|(signal, _)| *signal)) {
                if builder.edges.contains_key(&node) {
                    continue;
                }
                let edge = |builder: &Builder, signal: Signal| {
                    builder.edges[&signal.node()] ^ u32::from(signal.is_complemented())
                };
                match graph.nodes()[node] {
                    Node::And(a, b) => {
                        let mut all = Vec::new();
                        for input in [a, b] {
                            match inside.remove(&input.node()) {
                                Some(inputs) => all.extend(inputs),
                                None => all.push(edge(&builder, input)),
                            }
                        }
                        match uses[&node] {
                            1 => _ = inside.insert(node, all),
                            _ => builder.gate(node, all, first_level),
                        }
                    }
                    Node::Xor(a, b) => {
                        let (a, b) = (edge(&builder, a), edge(&builder, b));
                        let both = builder.conjunction(vec![a, b], first_level);
                        let neither = builder.conjunction(vec![a ^ 1, b ^ 1], first_level);
                        builder.gate(node, vec![both ^ 1, neither ^ 1], first_level);
                    }
                    Node::Input | Node::False => {}
                }
            }
            let last = builder.gates.iter().map(|gate| gate.level + 1).max().unwrap_or_default();
            builder.tiers.push(last.max(first_level));
        }
        builder
    }

    fn gate(&mut self, node: usize, inputs: Vec<Edge>, first_level: u32) {
        let edge = self.conjunction(inputs, first_level);
        self.edges.insert(node, edge);
    }

    fn conjunction(&mut self, mut inputs: Vec<Edge>, first_level: u32) -> Edge {
        inputs.sort_unstable();
        inputs.dedup();
        let level = |&edge: &Edge| match (edge >> 1) as usize {
            gate if gate < self.inputs => 0,
            gate => self.gates[gate - self.inputs].level + 1,
        };
        let level = inputs.iter().map(level).max().unwrap_or_default().max(first_level);
        self.gates.push(Gate { inputs, level });
        ((self.inputs + self.gates.len() - 1) as u32) << 1
    }

    fn shape(self, tiers: &[Vec<(Signal, u32)>], places: u32) -> Shape {
        let nodes = self.inputs + self.gates.len();
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        let mut levels = vec![0; self.inputs];
        let mut queues = vec![0; self.tiers.last().copied().unwrap_or_default() as usize + 1];
        let mut cells = vec![0; self.inputs];
        for (number, gate) in (self.inputs..).zip(&self.gates) {
            let mut missing = 0;
            for &edge in &gate.inputs {
                readers[(edge >> 1) as usize].push((number as u32) << 1 | edge & 1);
                let holds = cells[(edge >> 1) as usize] & HOLDS == HOLDS;
                missing += u32::from(holds == (edge & 1 == 1));
            }
            cells.push(missing * MISSING + u32::from(missing == 0) * HOLDS);
            levels.push(gate.level);
            queues[gate.level as usize + 1] += 1;
        }
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
        Shape { links: links.collect(), targets, levels, queues, tiers: self.tiers, cells, output }
    }
}
