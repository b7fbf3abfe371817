//! Graphs of gates: conjunctions and exclusive disjunctions, with complemented edges, each function once.
//!
//! A disjunction is a complemented conjunction of complements. Gates are hashed, so that equal ones are shared, and
//! simplified where their inputs are constants, equal, complements, or contain each other (Kuehlmann et al., *Robust
//! Boolean reasoning for equivalence checking and functional property verification*, 2002, for and-inverter graphs).

use crate::closure::{ClosureGates, Member};
use rustc_hash::FxHashMap;

/// The output of a gate, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(u32);

impl Signal {
    /// Never.
    pub const FALSE: Signal = Signal(0);
    /// Always.
    pub const TRUE: Signal = Signal(1);

    pub(crate) fn of(node: usize) -> Signal {
        Signal((node as u32) << 1)
    }

    /// The node, in [`GateGraph::nodes`].
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the same in all states.
    pub fn is_constant(self) -> bool {
        self.node() == Signal::FALSE.node()
    }

    /// Whether it is the complement of its node.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The signal, or its complement if `complemented`.
    pub fn complemented(self, complemented: bool) -> Signal {
        Signal(self.0 ^ u32::from(complemented))
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        self.complemented(true)
    }
}

/// A node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Never.
    False,
    /// A value from outside.
    Input,
    /// Both.
    And(Signal, Signal),
    /// Exactly one.
    Xor(Signal, Signal),
    /// A member of the closure of this number. All members of a closure follow each other.
    Closed(u32),
}

/// A graph of gates. Each gate comes after its inputs.
#[derive(Clone, Debug)]
pub struct GateGraph {
    nodes: Vec<Node>,
    known: FxHashMap<Node, u32>,
    /// The longest path from an input, by node.
    levels: Vec<u32>,
    closures: Vec<ClosureGates>,
    /// Most members of a closure that is unrolled.
    most_unrolled: usize,
}

/// Most members of a closure that costs lanes no less than the gates that it unrolls to.
///
/// Rounds are about half as many as members, and a closure costs about as much as five rounds of its steps, since
/// whoever looks for changes branches. At ten members (Y with four cells a side) gates are 1.2 times as fast, from
/// twelve to fifteen (Hex 3×4, Y with five) neither is, and at 49 (Hex 7×7) closures are 2.7 times as fast.
const FEW_MEMBERS: usize = 10;

impl Default for GateGraph {
    fn default() -> Self {
        GateGraph {
            nodes: vec![Node::False],
            known: FxHashMap::default(),
            levels: vec![0],
            closures: Vec::new(),
            most_unrolled: 0,
        }
    }
}

impl GateGraph {
    /// A graph without closures, as far as they come to at most two million gates each.
    pub fn unrolling() -> GateGraph {
        GateGraph { most_unrolled: usize::MAX, ..GateGraph::default() }
    }

    /// A graph in which closures of few members are unrolled: what lanes run fastest.
    pub(crate) fn for_lanes() -> GateGraph {
        GateGraph { most_unrolled: FEW_MEMBERS, ..GateGraph::default() }
    }

    /// Most members of a closure that is unrolled.
    pub(crate) fn most_unrolled(&self) -> usize {
        self.most_unrolled
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The closures.
    pub fn closures(&self) -> &[ClosureGates] {
        &self.closures
    }

    /// Adds nodes for the members of a closure, and returns its number.
    pub(crate) fn add_closure(&mut self, members: Vec<Member>) -> usize {
        let closure = self.closures.len();
        let first = self.nodes.len();
        self.closures.push(ClosureGates { members, first });
        let closed = &self.closures[closure];
        let level = 1 + closed.inputs().map(|input| self.levels[input.node()]).max().unwrap_or_default();
        self.nodes.extend(closed.members.iter().map(|_| Node::Closed(closure as u32)));
        self.levels.resize(self.nodes.len(), level);
        closure
    }

    /// Removes the nodes from this one on, which are gates that nothing else reads.
    pub(crate) fn truncate(&mut self, end: usize) {
        for gate in self.nodes.drain(end..) {
            self.known.remove(&gate);
        }
        self.levels.truncate(end);
    }

    /// Finds the values of all gates. The values of inputs, by node, are given.
    pub fn evaluate(&self, values: &mut [bool]) {
        let value = |values: &[bool], signal: Signal| values[signal.node()] != signal.is_complemented();
        let mut node = 0;
        while node < self.nodes.len() {
            match self.nodes[node] {
                Node::And(a, b) => values[node] = value(values, a) && value(values, b),
                Node::Xor(a, b) => values[node] = value(values, a) != value(values, b),
                Node::Closed(closure) => {
                    let least = self.closures[closure as usize].least(|signal| value(values, signal));
                    values[node..node + least.len()].copy_from_slice(&least);
                    node += least.len() - 1;
                }
                Node::False | Node::Input => {}
            }
            node += 1;
        }
    }

    /// A new input.
    pub fn input(&mut self) -> Signal {
        self.nodes.push(Node::Input);
        self.levels.push(0);
        Signal::of(self.nodes.len() - 1)
    }

    fn gate(&mut self, gate: Node, a: Signal, b: Signal) -> Signal {
        let nodes = &mut self.nodes;
        let levels = &mut self.levels;
        let node = *self.known.entry(gate).or_insert_with(|| {
            nodes.push(gate);
            levels.push(1 + levels[a.node()].max(levels[b.node()]));
            nodes.len() as u32 - 1
        });
        Signal::of(node as usize)
    }

    /// Both.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Signal::FALSE, _) => return Signal::FALSE,
            (Signal::TRUE, other) => return other,
            _ if a == b => return a,
            _ if a == !b => return Signal::FALSE,
            _ => {}
        }
        // One is a conjunction that contains the other, or its complement.
        for (outer, inner) in [(a, b), (b, a)] {
            if let Node::And(x, y) = self.nodes[outer.node()] {
                match outer.is_complemented() {
                    false if inner == x || inner == y => return outer,
                    false if inner == !x || inner == !y => return Signal::FALSE,
                    true if inner == !x || inner == !y => return inner,
                    true if inner == x => return self.and(inner, !y),
                    true if inner == y => return self.and(inner, !x),
                    _ => {}
                }
            }
        }
        self.gate(Node::And(a, b), a, b)
    }

    /// Either or both.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// Exactly one. Complements move to the output.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let complemented = a.is_complemented() ^ b.is_complemented();
        let a = Signal::of(a.node());
        let b = Signal::of(b.node());
        let (a, b) = (a.min(b), a.max(b));
        let either = match a {
            _ if a == b => Signal::FALSE,
            Signal::FALSE => b,
            _ => self.gate(Node::Xor(a, b), a, b),
        };
        either.complemented(complemented)
    }

    /// All of them: the lowest first, so that the tree is flat.
    pub fn all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let mut open: Vec<Signal> = signals.into_iter().collect();
        let levels = &self.levels;
        open.sort_unstable_by_key(|signal| (levels[signal.node()], *signal));
        open.dedup();
        // Each pass joins neighbors, which have similar levels; equal lists in any order give equal trees.
        while open.len() > 1 {
            open = open.chunks(2).map(|pair| if let &[a, b] = pair { self.and(a, b) } else { pair[0] }).collect();
            if open.contains(&Signal::FALSE) {
                return Signal::FALSE;
            }
        }
        open.pop().unwrap_or(Signal::TRUE)
    }

    /// Any of them.
    pub fn any(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        !self.all(signals.into_iter().map(|signal| !signal).collect::<Vec<_>>())
    }

    /// Any of these conjunctions. Common conditions are factored out, the most common first.
    pub fn any_of_all(&mut self, mut products: Vec<Vec<Signal>>) -> Signal {
        for product in &mut products {
            product.sort_unstable();
            product.dedup();
        }
        products.retain(|product| !product.windows(2).any(|pair| pair[0] == !pair[1]));
        products.sort_unstable();
        products.dedup();
        self.factored(products)
    }

    fn factored(&mut self, mut products: Vec<Vec<Signal>>) -> Signal {
        let mut terms = Vec::new();
        loop {
            if products.iter().any(Vec::is_empty) {
                return Signal::TRUE;
            }
            let mut counts: FxHashMap<Signal, usize> = FxHashMap::default();
            products.iter().flatten().for_each(|&signal| *counts.entry(signal).or_default() += 1);
            let most = counts.iter().max_by_key(|&(&signal, &count)| (count, std::cmp::Reverse(signal)));
            match most {
                Some((&common, &count)) if count > 1 => {
                    let (with, without): (Vec<_>, Vec<_>) =
                        products.into_iter().partition(|product| product.contains(&common));
                    let rest = with.into_iter().map(|mut product| {
                        product.retain(|&signal| signal != common);
                        product
                    });
                    let rest = self.factored(rest.collect());
                    terms.push(self.and(common, rest));
                    products = without;
                }
                _ => {
                    for product in products {
                        terms.push(self.all(product));
                    }
                    return self.any(terms);
                }
            }
        }
    }

    /// The nodes that these signals depend on, inputs too, ascending. A closure is in it with all its members or with
    /// none.
    pub fn cone(&self, roots: impl IntoIterator<Item = Signal>) -> Vec<usize> {
        self.cone_up_to(roots, |_| false)
    }

    /// By node: whether it depends on one of these nodes, or is one.
    pub fn dependent_on(&self, nodes: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut depends = vec![false; self.nodes.len()];
        nodes.into_iter().for_each(|node| depends[node] = true);
        for (number, node) in self.nodes.iter().enumerate() {
            match *node {
                Node::And(a, b) | Node::Xor(a, b) => depends[number] |= depends[a.node()] || depends[b.node()],
                Node::Closed(closure) => {
                    let closure = &self.closures[closure as usize];
                    let members = closure.nodes();
                    if members.start == number {
                        let depend = closure.inputs().any(|input| depends[input.node()]);
                        depends[members].fill(depend);
                    }
                }
                Node::False | Node::Input => {}
            }
        }
        depends
    }

    /// The cone without the nodes that are `known`, and what only they depend on.
    fn cone_up_to(&self, roots: impl IntoIterator<Item = Signal>, known: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut is_in = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = roots.into_iter().map(Signal::node).collect();
        while let Some(node) = open.pop() {
            if known(node) || std::mem::replace(&mut is_in[node], true) {
                continue;
            }
            match self.nodes[node] {
                Node::And(a, b) | Node::Xor(a, b) => open.extend([a.node(), b.node()]),
                Node::Closed(closure) => {
                    let closure = &self.closures[closure as usize];
                    is_in[closure.nodes()].fill(true);
                    open.extend(closure.inputs().map(Signal::node));
                }
                Node::False | Node::Input => {}
            }
        }
        (0..self.nodes.len()).filter(|&node| is_in[node]).collect()
    }

    /// Adds an input to another graph for each input here, in the same order, and returns them by node.
    pub fn inputs_in(&self, there: &mut GateGraph) -> Vec<Option<Signal>> {
        self.nodes.iter().map(|node| (*node == Node::Input).then(|| there.input())).collect()
    }

    /// Builds signals in another graph and returns them there. `built` has the signal there of each node here that is
    /// built: at first those of the inputs, and of what is to be replaced.
    ///
    /// # Panics
    ///
    /// When an input that the signals need is not built.
    pub fn build(&self, roots: &[Signal], there: &mut GateGraph, built: &mut [Option<Signal>]) -> Vec<Signal> {
        let get = |built: &[Option<Signal>], signal: Signal| {
            let there = built[signal.node()].expect("inputs are built before gates");
            there.complemented(signal.is_complemented())
        };
        built[Signal::FALSE.node()] = Some(Signal::FALSE);
        // What is built needs nothing more.
        for node in self.cone_up_to(roots.iter().copied(), |node| built[node].is_some()) {
            match self.nodes[node] {
                Node::And(a, b) => built[node] = Some(there.and(get(built, a), get(built, b))),
                Node::Xor(a, b) => built[node] = Some(there.xor(get(built, a), get(built, b))),
                Node::Closed(closure) if built[node].is_none() => {
                    let closure = &self.closures[closure as usize];
                    let signals = there.close(closure.members_by(|signal| get(built, signal)));
                    built[closure.nodes()].iter_mut().zip(signals).for_each(|(built, signal)| *built = Some(signal));
                }
                Node::Closed(_) | Node::False | Node::Input => {}
            }
        }
        roots.iter().map(|&root| get(built, root)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value of a signal, by definition.
    fn value(graph: &GateGraph, signal: Signal, inputs: &dyn Fn(usize) -> bool) -> bool {
        let of = |signal| value(graph, signal, inputs);
        signal.is_complemented()
            ^ match graph.nodes()[signal.node()] {
                Node::False => false,
                Node::Input => inputs(signal.node()),
                Node::And(a, b) => of(a) && of(b),
                Node::Xor(a, b) => of(a) != of(b),
                Node::Closed(_) => unreachable!("these graphs have no closures"),
            }
    }

    proptest! {
        /// Sums of products against their truth tables, over four inputs (nodes 1 to 4).
        #[test]
        fn factoring_keeps_the_function(products in prop::collection::vec(prop::collection::vec((1u32..5, any::<bool>()), 0..5), 0..8)) {
            let mut graph = GateGraph::default();
            (0..4).for_each(|_| _ = graph.input());
            let literal = |&(node, complemented): &(u32, bool)| Signal(node << 1).complemented(complemented);
            let sum = graph.any_of_all(products.iter().map(|product| product.iter().map(literal).collect()).collect());
            for row in 0..16u32 {
                let input = |node: usize| row >> (node - 1) & 1 == 1;
                let expected = products.iter().any(|product| product.iter().all(|&(node, complemented)| input(node as usize) != complemented));
                prop_assert_eq!(value(&graph, sum, &input), expected);
            }
        }
    }

    #[test]
    fn constants_fold_when_a_graph_is_built_again() {
        let mut graph = GateGraph::default();
        let a = graph.input();
        let b = graph.input();
        let c = graph.input();
        let both = graph.and(a, b);
        let either = graph.xor(b, c);
        let any = graph.or(both, either);
        let mut there = GateGraph::default();
        let x = there.input();
        // With b and without a, only c counts.
        let mut built = vec![None; graph.nodes().len()];
        for (signal, value) in [(a, Signal::FALSE), (b, Signal::TRUE), (c, x)] {
            built[signal.node()] = Some(value);
        }
        assert_eq!(graph.build(&[any, !any, both], &mut there, &mut built), [!x, x, Signal::FALSE]);
    }

    #[test]
    fn equal_functions_are_one_signal() {
        let mut graph = GateGraph::default();
        let a = graph.input();
        let b = graph.input();
        let c = graph.input();
        assert_eq!(graph.all([a, b, c]), graph.all([c, b, a, b]));
        let both = graph.and(a, b);
        assert_eq!((graph.and(both, a), graph.and(both, !b)), (both, Signal::FALSE));
        assert_eq!((graph.and(!both, !a), graph.or(both, a)), (!a, a));
        assert_eq!(graph.xor(!a, b), !graph.xor(b, a));
        assert_eq!(graph.xor(a, Signal::TRUE), !a);
    }
}
