//! Straight-line programs: the gates of a graph in an order, with slots for their values.
//!
//! A slot is free again once its value is read for the last time, and the slot freed last is used first, so that few slots
//! are in use and stay in the cache. Instructions come in runs of one operation, so that an interpreter decides rarely.

use crate::graph::{Graph, Node, Signal};
use std::collections::VecDeque;
use std::ops::Range;

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Both.
    And,
    /// Any.
    Or,
    /// The second without the first.
    Without,
    /// Exactly one.
    Xor,
}

impl Operation {
    const ALL: [Operation; 4] = [Operation::And, Operation::Or, Operation::Without, Operation::Xor];
}

/// Instructions of one operation.
#[derive(Clone, Debug)]
pub struct Run {
    /// The operation.
    pub operation: Operation,
    /// The instructions.
    pub code: Range<usize>,
}

/// Instructions, to be run from the first to the last.
#[derive(Clone, Debug, Default)]
pub struct Program {
    runs: Vec<Run>,
    /// The slots of both operands and of the result.
    code: Vec<[u32; 3]>,
    /// One past the highest slot.
    slots: u32,
}

impl Program {
    /// The runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The instructions: slots of both operands and of the result, each below [`slots`](Self::slots).
    pub fn code(&self) -> &[[u32; 3]] {
        &self.code
    }

    /// The number of slots that the program needs.
    pub fn slots(&self) -> usize {
        self.slots as usize
    }

    fn push(&mut self, instruction: [u32; 3]) {
        self.slots = self.slots.max(1 + instruction.into_iter().max().unwrap_or_default());
        self.code.push(instruction);
    }
}

/// A place to read a signal from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The slot.
    pub slot: u32,
    /// Whether the slot has the complement.
    pub complemented: bool,
}

/// The slot that is always empty.
pub const EMPTY: u32 = 0;

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Slot(u32),
}

/// Schedules programs that run one after the other over the same slots.
///
/// Slots of inputs are never reused. Slots of roots are kept until they are [released](Scheduler::release).
pub struct Scheduler<'g> {
    graph: &'g Graph,
    places: Vec<Place>,
    /// Whether the slot of a node has its complement.
    complemented: Vec<bool>,
    /// The times that a node is still read, by gates and as a root.
    uses: Vec<u32>,
    free: Vec<u32>,
    slots: u32,
}

impl<'g> Scheduler<'g> {
    /// A scheduler of the cones of these roots: all those of all programs. Every input of the graph gets a slot.
    pub fn new(graph: &'g Graph, roots: impl IntoIterator<Item = Signal>) -> Self {
        let nodes = graph.nodes();
        let mut scheduler = Scheduler {
            graph,
            places: vec![Place::Nowhere; nodes.len()],
            complemented: vec![false; nodes.len()],
            uses: vec![0; nodes.len()],
            free: Vec::new(),
            slots: EMPTY + 1,
        };
        for (node, _) in nodes.iter().enumerate().filter(|(_, node)| matches!(node, Node::Input)) {
            scheduler.places[node] = Place::Slot(scheduler.slots);
            // An input is never free.
            scheduler.uses[node] = 1;
            scheduler.slots += 1;
        }
        scheduler.places[Signal::FALSE.node()] = Place::Slot(EMPTY);
        scheduler.uses[Signal::FALSE.node()] = 1;
        let roots: Vec<Signal> = roots.into_iter().collect();
        roots.iter().for_each(|root| scheduler.uses[root.node()] += 1);
        for node in graph.cone(roots) {
            if let Node::And(a, b) | Node::Xor(a, b) = nodes[node] {
                scheduler.uses[a.node()] += 1;
                scheduler.uses[b.node()] += 1;
            }
        }
        scheduler
    }

    /// One past the highest slot in use so far.
    pub fn slots(&self) -> usize {
        self.slots as usize
    }

    /// The place of a signal that is an input or in a program so far.
    ///
    /// # Panics
    ///
    /// When the signal has none.
    pub fn port(&self, signal: Signal) -> Port {
        let complemented = self.complemented[signal.node()] ^ signal.is_complemented();
        Port { slot: self.slot(signal.node()), complemented }
    }

    fn slot(&self, node: usize) -> u32 {
        match self.places[node] {
            Place::Slot(slot) => slot,
            Place::Nowhere => panic!("the signal is not in a program"),
        }
    }

    /// The program that computes what these signals need and no program before has computed.
    pub fn program(&mut self, roots: &[Signal]) -> Program {
        let nodes = self.graph.nodes();
        let is_open = |places: &[Place], node: usize| places[node] == Place::Nowhere;
        let cone: Vec<usize> =
            self.graph.cone(roots.iter().copied()).into_iter().filter(|&node| is_open(&self.places, node)).collect();
        let mut gates: Vec<(Operation, [usize; 2])> = vec![(Operation::And, [0, 0]); nodes.len()];
        let mut waits = vec![0u8; nodes.len()];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for &node in &cone {
            let (operation, operands, complemented) = self.gate(node);
            gates[node] = (operation, operands);
            self.complemented[node] = complemented;
            for operand in operands.into_iter().filter(|&operand| is_open(&self.places, operand)) {
                waits[node] += 1;
                readers[operand].push(node as u32);
            }
        }
        let mut ready: [VecDeque<usize>; 4] = Default::default();
        let queue = |operation: Operation| operation as usize;
        cone.iter().filter(|&&node| waits[node] == 0).for_each(|&node| ready[queue(gates[node].0)].push_back(node));
        let mut program = Program::default();
        while let Some(operation) = Operation::ALL.into_iter().max_by_key(|&operation| ready[queue(operation)].len())
            && !ready[queue(operation)].is_empty()
        {
            let start = program.code.len();
            while let Some(node) = ready[queue(operation)].pop_front() {
                let operands = gates[node].1.map(|operand| self.slot(operand));
                gates[node].1.into_iter().for_each(|operand| self.read(operand));
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.slots += 1;
                    self.slots - 1
                });
                self.places[node] = Place::Slot(slot);
                program.push([operands[0], operands[1], slot]);
                for &reader in &readers[node] {
                    waits[reader as usize] -= 1;
                    if waits[reader as usize] == 0 {
                        ready[queue(gates[reader as usize].0)].push_back(reader as usize);
                    }
                }
            }
            program.runs.push(Run { operation, code: start..program.code.len() });
        }
        program
    }

    /// Frees the slots of signals that were kept as roots.
    pub fn release(&mut self, roots: impl IntoIterator<Item = Signal>) {
        roots.into_iter().for_each(|root| self.read(root.node()));
    }

    fn read(&mut self, node: usize) {
        self.uses[node] -= 1;
        if self.uses[node] == 0
            && let Place::Slot(slot) = self.places[node]
        {
            self.free.push(slot);
        }
    }

    /// The operation of a gate on the slots of its inputs, and whether it gives the complement.
    fn gate(&self, node: usize) -> (Operation, [usize; 2], bool) {
        let of = |signal: Signal| (signal.node(), self.complemented[signal.node()] ^ signal.is_complemented());
        match self.graph.nodes()[node] {
            Node::Xor(a, b) => {
                let ((a, not_a), (b, not_b)) = (of(a), of(b));
                (Operation::Xor, [a, b], not_a ^ not_b)
            }
            Node::And(a, b) => match (of(a), of(b)) {
                ((a, false), (b, false)) => (Operation::And, [a, b], false),
                ((a, true), (b, false)) => (Operation::Without, [a, b], false),
                ((a, false), (b, true)) => (Operation::Without, [b, a], false),
                ((a, true), (b, true)) => (Operation::Or, [a, b], true),
            },
            Node::False | Node::Input => unreachable!("constants and inputs have a slot from the start"),
        }
    }
}
