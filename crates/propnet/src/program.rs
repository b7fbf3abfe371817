//! Straight-line programs: the gates of a graph in an order, with slots for their values.
//!
//! A slot is free again once its value is read for the last time, and the slot freed last is used first, so that few
//! slots are in use and stay in the cache. Instructions come in runs of one operation, so that an interpreter decides
//! rarely. A gate that one other gate alone reads is part of its instruction, where there is an operation of three
//! values for both: an instruction takes about as long for three values as for two.

use crate::closure::ClosureGates;
use crate::graph::{GateGraph, Node, Signal};
use GateOperation::{And, AndAnd, AndOr, AndWithout, Or, OrAnd, OrOr, OrWithout, Without, Xor, XorXor};
use std::ops::Range;

/// An operation on two or three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateOperation {
    /// Both.
    And,
    /// Any.
    Or,
    /// The second without the first.
    Without,
    /// Exactly one.
    Xor,
    /// All three.
    AndAnd,
    /// Any of three.
    OrOr,
    /// An odd number of three.
    XorXor,
    /// Any of the first two, and the third.
    OrAnd,
    /// The first two, or the third.
    AndOr,
    /// The last two without the first.
    AndWithout,
    /// The third without the first two.
    OrWithout,
}

impl GateOperation {
    const ALL: [GateOperation; 11] = [And, Or, Without, Xor, AndAnd, OrOr, XorXor, OrAnd, AndOr, AndWithout, OrWithout];

    /// The number of values.
    pub fn values(self) -> usize {
        match self {
            And | Or | Without | Xor => 2,
            _ => 3,
        }
    }
}

/// A gate as an instruction: the operation, and the nodes that it reads.
#[derive(Clone, Copy, Debug)]
struct Gate {
    operation: GateOperation,
    operands: [usize; 3],
}

impl Gate {
    fn of_two(operation: GateOperation, a: usize, b: usize) -> Gate {
        Gate { operation, operands: [a, b, b] }
    }

    fn operands(&self) -> &[usize] {
        &self.operands[..self.operation.values()]
    }

    /// This gate of two values with another one in the place of its operand of this number; `None` if there is no such
    /// operation.
    fn around(&self, place: usize, inner: &Gate) -> Option<Gate> {
        let [a, b, _] = inner.operands;
        let other = self.operands[1 - place];
        let (operation, operands) = match (self.operation, place, inner.operation) {
            (And, _, And) => (AndAnd, [a, b, other]),
            (And, _, Or) => (OrAnd, [a, b, other]),
            (And, _, Without) | (Without, 1, And) => {
                (AndWithout, if self.operation == And { [a, b, other] } else { [other, a, b] })
            }
            (Or, _, Or) => (OrOr, [a, b, other]),
            (Or, _, And) => (AndOr, [a, b, other]),
            (Without, 0, Or) => (OrWithout, [a, b, other]),
            (Without, 1, Without) => (OrWithout, [other, a, b]),
            (Xor, _, Xor) => (XorXor, [a, b, other]),
            _ => return None,
        };
        Some(Gate { operation, operands })
    }
}

/// A part of a program.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Instructions of one operation.
    Run(GateOperation, Range<usize>),
    /// A closure.
    Close(Closing),
}

/// The steps of a closure, to be repeated until they change nothing.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    members: Vec<ClosingMember>,
    steps: Vec<ClosingStep>,
    lists: Vec<Range<usize>>,
    slots: Vec<u32>,
}

/// A member of a closure.
#[derive(Clone, Debug)]
pub struct ClosingMember {
    /// Its slot.
    pub slot: u32,
    /// Its base.
    pub base: Port,
    /// Its steps, in [`Closing::steps`].
    pub steps: Range<usize>,
    /// The members whose steps read it, by number.
    pub readers: Vec<u32>,
}

/// A step of a closure.
#[derive(Clone, Debug)]
pub struct ClosingStep {
    /// The condition without members.
    pub guard: Port,
    /// Lists of members, in [`Closing::lists`], of each of which one has to hold.
    pub any: Range<usize>,
}

impl Closing {
    /// The members.
    pub fn members(&self) -> &[ClosingMember] {
        &self.members
    }

    /// The steps, by member.
    pub fn steps(&self) -> &[ClosingStep] {
        &self.steps
    }

    /// The lists of members that steps read, in [`Closing::slots`].
    pub fn lists(&self) -> &[Range<usize>] {
        &self.lists
    }

    /// The slots of the members that steps read.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The code of a closure, whose members have these slots, where signals have ports.
    fn new(closure: &ClosureGates, slots: &[u32], port: impl Fn(Signal) -> Port) -> Closing {
        let mut closing = Closing::default();
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); slots.len()];
        for (number, member) in (0..).zip(&closure.members) {
            let first_step = closing.steps.len();
            for step in &member.steps {
                let first_list = closing.lists.len();
                for any in &step.any {
                    let first = closing.slots.len();
                    any.iter().for_each(|&other| readers[other as usize].push(number));
                    closing.slots.extend(any.iter().map(|&other| slots[other as usize]));
                    closing.lists.push(first..closing.slots.len());
                }
                closing.steps.push(ClosingStep { guard: port(step.guard), any: first_list..closing.lists.len() });
            }
            closing.members.push(ClosingMember {
                slot: slots[number as usize],
                base: port(member.base),
                steps: first_step..closing.steps.len(),
                readers: Vec::new(),
            });
        }
        for (member, mut readers) in closing.members.iter_mut().zip(readers) {
            readers.dedup();
            member.readers = readers;
        }
        closing
    }

    /// All slots in it.
    fn all_slots(&self) -> impl Iterator<Item = u32> {
        let members = self.members.iter().flat_map(|member| [member.slot, member.base.slot]);
        members.chain(self.steps.iter().map(|step| step.guard.slot)).chain(self.slots.iter().copied())
    }
}

/// Instructions and closures, to be run from the first to the last.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    parts: Vec<Segment>,
    /// Of each instruction [`SLOT_STRIDE`] times the slots of the operands and of the result.
    code: Vec<u32>,
    /// The number of instructions that are no closures.
    gates: usize,
    /// One past the highest slot.
    slots: u32,
}

impl Instructions {
    /// The parts.
    pub fn parts(&self) -> &[Segment] {
        &self.parts
    }

    /// The number of instructions, where a closure has one for each member that its steps read.
    pub fn instructions(&self) -> usize {
        let reads = |part: &Segment| if let Segment::Close(closing) = part { closing.slots.len() } else { 0 };
        self.gates + self.parts.iter().map(reads).sum::<usize>()
    }

    /// The instructions: [`SLOT_STRIDE`] times the slots of the operands and of the result of each, all of them slots
    /// below [`slots`](Self::slots).
    pub fn code(&self) -> &[u32] {
        &self.code
    }

    /// The number of slots that the program needs.
    pub fn slots(&self) -> usize {
        self.slots as usize
    }

    fn push(&mut self, operands: impl Iterator<Item = u32> + Clone, result: u32) {
        let slots = operands.chain([result]);
        self.reserve(slots.clone());
        self.code.extend(slots.map(|slot| SLOT_STRIDE * slot));
        self.gates += 1;
    }

    fn push_closing(&mut self, closing: Closing) {
        self.reserve(closing.all_slots());
        self.parts.push(Segment::Close(closing));
    }

    fn reserve(&mut self, slots: impl IntoIterator<Item = u32>) {
        self.slots = self.slots.max(1 + slots.into_iter().max().unwrap_or_default());
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

/// The queue of closures, after those of operations.
const CLOSURES: usize = GateOperation::ALL.len();

/// The distance of slots as code numbers them. The processor multiplies an index by up to eight where it reads and
/// writes, which is an eighth of a slot of 512 lanes: the address needs no instruction of its own.
pub const SLOT_STRIDE: u32 = 8;

/// The slot that is always empty.
pub const EMPTY: u32 = 0;

/// The place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodePlace {
    Nowhere,
    /// In the instruction of the only gate that reads it.
    Within,
    Slot(u32),
}

/// Schedules programs that run one after the other over the same slots.
///
/// Slots of inputs are never reused. Slots of roots are kept until they are [released](Scheduler::release).
pub struct Scheduler<'g> {
    graph: &'g GateGraph,
    places: Vec<NodePlace>,
    /// Whether the slot of a node has its complement.
    complemented: Vec<bool>,
    /// The times that a node is still read, by gates and as a root.
    uses: Vec<u32>,
    free: Vec<u32>,
    slots: u32,
}

impl<'g> Scheduler<'g> {
    /// A scheduler of the cones of these roots: all those of all programs. Every input of the graph gets a slot.
    pub fn new(graph: &'g GateGraph, roots: impl IntoIterator<Item = Signal>) -> Self {
        let nodes = graph.nodes();
        let mut scheduler = Scheduler {
            graph,
            places: vec![NodePlace::Nowhere; nodes.len()],
            complemented: vec![false; nodes.len()],
            uses: vec![0; nodes.len()],
            free: Vec::new(),
            slots: EMPTY + 1,
        };
        for (node, _) in nodes.iter().enumerate().filter(|(_, node)| matches!(node, Node::Input)) {
            scheduler.places[node] = NodePlace::Slot(scheduler.slots);
            // An input is never free.
            scheduler.uses[node] = 1;
            scheduler.slots += 1;
        }
        scheduler.places[Signal::FALSE.node()] = NodePlace::Slot(EMPTY);
        scheduler.uses[Signal::FALSE.node()] = 1;
        let roots: Vec<Signal> = roots.into_iter().collect();
        roots.iter().for_each(|root| scheduler.uses[root.node()] += 1);
        for node in graph.cone(roots) {
            match nodes[node] {
                Node::And(a, b) | Node::Xor(a, b) => [a, b].iter().for_each(|read| scheduler.uses[read.node()] += 1),
                Node::Closed(closure) if graph.closures()[closure as usize].first == node => {
                    let inputs = scheduler.inputs(node);
                    inputs.for_each(|read| scheduler.uses[read] += 1);
                }
                Node::Closed(_) | Node::False | Node::Input => {}
            }
        }
        scheduler
    }

    /// The nodes that the closure of this node depends on, as often as it does.
    fn inputs(&self, node: usize) -> impl Iterator<Item = usize> + use<'g> {
        let Node::Closed(closure) = self.graph.nodes()[node] else { unreachable!("the node is in a closure") };
        self.graph.closures()[closure as usize].inputs().map(Signal::node)
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
            NodePlace::Slot(slot) => slot,
            NodePlace::Nowhere | NodePlace::Within => panic!("the signal is not in a program"),
        }
    }

    /// The program that computes what these signals need and no program before has computed.
    pub fn program(&mut self, roots: &[Signal]) -> Instructions {
        let nodes = self.graph.nodes();
        let is_open = |places: &[NodePlace], node: usize| places[node] == NodePlace::Nowhere;
        let cone: Vec<usize> =
            self.graph.cone(roots.iter().copied()).into_iter().filter(|&node| is_open(&self.places, node)).collect();
        let gates = self.gates(&cone);
        let cone: Vec<usize> = cone.into_iter().filter(|&node| is_open(&self.places, node)).collect();
        let mut waits = vec![0u32; nodes.len()];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        let mut wait = |node: usize, read: usize| {
            if is_open(&self.places, read) {
                waits[node] += 1;
                readers[read].push(node as u32);
            }
        };
        for &node in &cone {
            match nodes[node] {
                // The first member stands for the closure.
                Node::Closed(closure) if self.graph.closures()[closure as usize].first == node => {
                    self.inputs(node).for_each(|read| wait(node, read));
                }
                Node::Closed(closure) => wait(node, self.graph.closures()[closure as usize].first),
                _ => gates[node].operands().iter().for_each(|&read| wait(node, read)),
            }
        }
        let mut ready: [Vec<usize>; CLOSURES + 1] = Default::default();
        let queue = |node: usize| match nodes[node] {
            Node::Closed(_) => CLOSURES,
            _ => gates[node].operation as usize,
        };
        cone.iter().filter(|&&node| waits[node] == 0).for_each(|&node| ready[queue(node)].push(node));
        let mut program = Instructions::default();
        while ready.iter().any(|ready| !ready.is_empty()) {
            let longest =
                (0..CLOSURES).max_by_key(|&queue| ready[queue].len()).filter(|&queue| !ready[queue].is_empty());
            let start = program.code.len();
            let longest = longest.unwrap_or(CLOSURES);
            // What became ready last reads what was found last, whose slots are in the cache and may be free then.
            while let Some(node) = ready[longest].pop() {
                match nodes[node] {
                    Node::Closed(closure) => {
                        let closure = &self.graph.closures()[closure as usize];
                        if closure.first == node {
                            let closing = self.closing(closure);
                            program.push_closing(closing);
                        }
                    }
                    _ => self.instruct(node, &gates[node], &mut program),
                }
                for &reader in &readers[node] {
                    waits[reader as usize] -= 1;
                    if waits[reader as usize] == 0 {
                        ready[queue(reader as usize)].push(reader as usize);
                    }
                }
            }
            if longest != CLOSURES {
                program.parts.push(Segment::Run(GateOperation::ALL[longest], start..program.code.len()));
            }
        }
        program
    }

    /// The gates of a cone, by node: each with one of its operands within it, where nothing else reads that one.
    fn gates(&mut self, cone: &[usize]) -> Vec<Gate> {
        let nodes = self.graph.nodes();
        let mut gates = vec![Gate::of_two(And, 0, 0); nodes.len()];
        for &node in cone.iter().filter(|&&node| matches!(nodes[node], Node::And(..) | Node::Xor(..))) {
            let (operation, [a, b], complemented) = self.gate(node);
            self.complemented[node] = complemented;
            let gate = Gate::of_two(operation, a, b);
            let is_alone = |read: usize| {
                let is_gate = matches!(nodes[read], Node::And(..) | Node::Xor(..));
                is_gate && self.places[read] == NodePlace::Nowhere && self.uses[read] == 1
            };
            let is_of_two = |read: usize| gates[read].operation.values() == 2;
            let mut within = [(0, a), (1, b)].into_iter().filter(|&(_, read)| is_alone(read) && is_of_two(read));
            let joined = within.find_map(|(place, read)| Some((read, gate.around(place, &gates[read])?)));
            gates[node] = joined.map_or(gate, |(read, joined)| {
                self.places[read] = NodePlace::Within;
                joined
            });
        }
        gates
    }

    /// Adds the instruction of a node, which gets a slot.
    fn instruct(&mut self, node: usize, gate: &Gate, program: &mut Instructions) {
        let read = gate.operands.map(|operand| self.slot(operand));
        gate.operands().iter().for_each(|&operand| self.read(operand));
        let slot = self.new_slot();
        self.places[node] = NodePlace::Slot(slot);
        program.push(read.into_iter().take(gate.operands().len()), slot);
    }

    /// Gives the members of a closure their slots, and what it reads back.
    fn closing(&mut self, closure: &ClosureGates) -> Closing {
        let slots: Vec<u32> = closure.members.iter().map(|_| self.new_slot()).collect();
        closure.nodes().zip(&slots).for_each(|(node, &slot)| self.places[node] = NodePlace::Slot(slot));
        let closing = Closing::new(closure, &slots, |signal| self.port(signal));
        self.inputs(closure.first).for_each(|input| self.read(input));
        // Nobody reads some members but other members.
        for node in closure.nodes().filter(|&node| self.uses[node] == 0) {
            self.free.push(slots[node - closure.first]);
        }
        closing
    }

    fn new_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// Frees the slots of signals that were kept as roots.
    pub fn release(&mut self, roots: impl IntoIterator<Item = Signal>) {
        roots.into_iter().for_each(|root| self.read(root.node()));
    }

    fn read(&mut self, node: usize) {
        self.uses[node] -= 1;
        if self.uses[node] == 0
            && let NodePlace::Slot(slot) = self.places[node]
        {
            self.free.push(slot);
        }
    }

    /// The operation of a gate on the slots of its inputs, and whether it gives the complement.
    fn gate(&self, node: usize) -> (GateOperation, [usize; 2], bool) {
        let of = |signal: Signal| (signal.node(), self.complemented[signal.node()] ^ signal.is_complemented());
        match self.graph.nodes()[node] {
            Node::Xor(a, b) => {
                let (a, not_a) = of(a);
                let (b, not_b) = of(b);
                (Xor, [a, b], not_a ^ not_b)
            }
            Node::And(a, b) => match (of(a), of(b)) {
                ((a, false), (b, false)) => (And, [a, b], false),
                ((a, true), (b, false)) => (Without, [a, b], false),
                ((a, false), (b, true)) => (Without, [b, a], false),
                ((a, true), (b, true)) => (Or, [a, b], true),
            },
            Node::False | Node::Input | Node::Closed(_) => unreachable!("only gates have an operation"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::kernel::{Block, run};
    use proptest::prelude::*;

    /// Inputs of the graphs: all their combinations are lanes of a word.
    const INPUTS: usize = 6;

    /// The values of these roots in all lanes, by two programs that run one after the other.
    fn by_programs(graph: &GateGraph, inputs: &[Signal], roots: &[Signal]) -> Vec<u64> {
        let (first, second) = roots.split_at(roots.len() / 2);
        let mut scheduler = Scheduler::new(graph, roots.iter().copied());
        let programs = [scheduler.program(first), scheduler.program(second)];
        let mut slots = vec![Block::NONE; scheduler.slots()];
        for (place, &input) in inputs.iter().enumerate() {
            let word = (0..64).filter(|lane| lane >> place & 1 == 1).fold(0u64, |word, lane| word | 1 << lane);
            slots[scheduler.port(input).slot as usize] = Block([word]);
        }
        programs.iter().for_each(|program| run(program, &mut slots));
        let value = |root: &Signal| {
            let port = scheduler.port(*root);
            slots[port.slot as usize].complemented(port.complemented).0[0]
        };
        roots.iter().map(value).collect()
    }

    fn inputs(graph: &mut GateGraph) -> Vec<Signal> {
        (0..INPUTS).map(|_| graph.input()).collect()
    }

    #[test]
    fn a_gate_that_one_other_reads_is_part_of_its_instruction() {
        let mut graph = GateGraph::default();
        let inputs = inputs(&mut graph);
        let [a, b, c, d, e, f] = inputs[..] else { unreachable!("there are six inputs") };
        let any = graph.or(a, b);
        let most = graph.and(any, c);
        let both = graph.and(d, e);
        let sum = graph.xor(both, f);
        let mut scheduler = Scheduler::new(&graph, [most, both, sum]);
        let program = scheduler.program(&[most, both, sum]);
        assert_eq!(program.instructions(), 3, "any and most in one, and what is a root by itself");
    }

    proptest! {
        /// Programs of random gates against the values of their graph.
        #[test]
        fn programs_find_the_values_of_their_graph(
            gates in prop::collection::vec((any::<bool>(), 0usize..1_000, 0usize..1_000, any::<[bool; 2]>()), 1..80),
            roots in prop::collection::vec((0usize..1_000, any::<bool>()), 1..8),
        ) {
            let mut graph = GateGraph::default();
            let inputs = inputs(&mut graph);
            let mut signals = inputs.clone();
            for (is_xor, a, b, complements) in gates {
                // Mostly of what was made last, so that chains of gates come up that one other gate reads.
                let near = |back: usize| signals[signals.len() - 1 - back % 12 % signals.len()];
                let a = near(a).complemented(complements[0]);
                let b = near(b).complemented(complements[1]);
                let gate = if is_xor { graph.xor(a, b) } else { graph.and(a, b) };
                signals.push(gate);
            }
            let roots: Vec<Signal> =
                roots.iter().map(|&(root, complemented)| signals[root % signals.len()].complemented(complemented)).collect();
            let found = by_programs(&graph, &inputs, &roots);
            for lane in 0..64 {
                let mut values = vec![false; graph.nodes().len()];
                inputs.iter().enumerate().for_each(|(place, input)| values[input.node()] = lane >> place & 1 == 1);
                graph.evaluate(&mut values);
                for (root, found) in roots.iter().zip(&found) {
                    prop_assert_eq!(found >> lane & 1 == 1, values[root.node()] != root.is_complemented());
                }
            }
        }
    }
}
