//! Which predicate depends on which.

use super::clause::{CheckedProgram, Clause, Literal};
use super::well_founded::ThreeValued;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::diagnostic::Span;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// That a rule for one predicate reads another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependency {
    pub negative: bool,
    /// Whether it orders the values of the head.
    pub orders: bool,
    /// The literal that reads.
    pub span: Span,
}

/// The dependency graph: an edge from a head's predicate to each predicate that the body reads, one positive and one
/// negative at most.
pub(super) struct DependencyGraph {
    pub graph: DiGraph<Predicate, Dependency>,
    nodes: FxHashMap<Predicate, NodeIndex>,
}

/// A strongly connected component.
pub(super) struct Component {
    pub nodes: Vec<NodeIndex>,
    /// Whether its predicates depend on themselves.
    pub recursive: bool,
}

impl DependencyGraph {
    pub(super) fn new(program: &CheckedProgram) -> Self {
        let mut this = Self { graph: DiGraph::new(), nodes: FxHashMap::default() };
        for fact in &program.facts {
            this.node(fact);
        }
        let mut edges = FxHashSet::default();
        for rule in &program.rules {
            let head = this.node(&rule.head);
            for literal in &rule.body {
                let (atom, negative) = match literal {
                    Literal::Positive(atom) => (atom, false),
                    Literal::Negative(atom) => (atom, true),
                    Literal::Aggregate(aggregation) => (&aggregation.atom, true),
                    Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } => continue,
                };
                let body = this.node(atom);
                if edges.insert((head, body, negative)) {
                    this.graph.add_edge(head, body, Dependency { negative, orders: false, span: atom.span });
                }
            }
        }
        this.add_derivations(&program.three_valued);
        // The best value is known when all of the order is.
        for (of, order) in program.orders() {
            let ends = [this.node_of(of.clone()), this.node(order)];
            if edges.insert((ends[0], ends[1], true)) {
                this.graph.add_edge(ends[0], ends[1], Dependency { negative: true, orders: true, span: order.span });
            }
        }
        this
    }

    /// Adds what is derived without rules: it needs all of what it reads, and each group is one component.
    fn add_derivations(&mut self, three_valued: &ThreeValued) {
        for (derived, read) in three_valued.derivations() {
            let derived: Vec<NodeIndex> = derived.into_iter().map(|one| self.node_of(one.clone())).collect();
            let mut edge = |from, to, negative| {
                _ = self.graph.add_edge(from, to, Dependency { negative, orders: false, span: Span::NONE })
            };
            derived
                .iter()
                .zip(derived.iter().cycle().skip(1))
                .filter(|_| derived.len() > 1)
                .for_each(|(&a, &b)| edge(a, b, false));
            for predicate in read {
                let read = self.node_of(predicate);
                self.graph.add_edge(derived[0], read, Dependency { negative: true, orders: false, span: Span::NONE });
            }
        }
    }

    fn node(&mut self, atom: &Atom) -> NodeIndex {
        self.node_of(atom.signature())
    }

    fn node_of(&mut self, predicate: Predicate) -> NodeIndex {
        let graph = &mut self.graph;
        *self.nodes.entry(predicate).or_insert_with_key(|predicate| graph.add_node(predicate.clone()))
    }

    /// The node of a predicate that occurs in a fact or rule.
    pub(super) fn find(&self, predicate: &Predicate) -> Option<NodeIndex> {
        self.nodes.get(predicate).copied()
    }

    /// The shortest path from a node to a node through others that are `inside`; empty if they are the same, `None` if there
    /// is none. Breadth-first.
    pub(super) fn path(
        &self,
        start: NodeIndex,
        goal: NodeIndex,
        inside: impl Fn(NodeIndex) -> bool,
    ) -> Option<Vec<EdgeIndex>> {
        let mut reached_by: FxHashMap<NodeIndex, EdgeIndex> = FxHashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front().filter(|&node| node != goal) {
            for next in self.graph.edges(node).filter(|next| inside(next.target())) {
                if next.target() != start && !reached_by.contains_key(&next.target()) {
                    reached_by.insert(next.target(), next.id());
                    queue.push_back(next.target());
                }
            }
        }
        let mut path = Vec::new();
        let mut node = goal;
        while node != start {
            let step = *reached_by.get(&node)?;
            path.push(step);
            node = self.graph.edge_endpoints(step)?.0;
        }
        path.reverse();
        Some(path)
    }

    /// The components in evaluation order: each depends on earlier ones and on itself only.
    ///
    /// Kosaraju's algorithm (S. R. Sharir, 1981), as petgraph has it without recursion; linear.
    pub(super) fn components(&self) -> Vec<Component> {
        kosaraju_scc(&self.graph)
            .into_iter()
            .map(|mut nodes| {
                nodes.cold_sort();
                let recursive = nodes.len() > 1 || self.graph.contains_edge(nodes[0], nodes[0]);
                Component { nodes, recursive }
            })
            .collect()
    }
}

impl Component {
    pub(super) fn predicates<'a>(&'a self, graph: &'a DependencyGraph) -> impl Iterator<Item = &'a Predicate> {
        self.nodes.iter().map(|&node| &graph.graph[node])
    }

    /// Whether no predicate of it depends on itself through negation.
    pub(super) fn is_stratified(&self, graph: &DependencyGraph) -> bool {
        !self.recursive || self.negative_edges(graph).next().is_none()
    }

    /// The negative dependencies between its predicates.
    pub(super) fn negative_edges<'a>(&'a self, graph: &'a DependencyGraph) -> impl Iterator<Item = EdgeIndex> + 'a {
        let inside: FxHashSet<NodeIndex> = self.nodes.iter().copied().collect();
        let edges = self.nodes.iter().flat_map(|&node| graph.graph.edges(node));
        edges.filter(move |edge| edge.weight().negative && inside.contains(&edge.target())).map(|edge| edge.id())
    }

    /// The rules whose head is in this component, by their index in the program.
    pub(super) fn rules(&self, graph: &DependencyGraph, rules_of: &FxHashMap<Predicate, Vec<usize>>) -> Vec<usize> {
        let of = |predicate| rules_of.get(predicate).map(Vec::as_slice).unwrap_or_default();
        self.predicates(graph).flat_map(of).copied().collect()
    }
}

/// The indices of the rules for each predicate.
pub(super) fn rules_by_head(rules: &[Clause]) -> FxHashMap<Predicate, Vec<usize>> {
    let mut by_head: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
    for (i, rule) in rules.iter().enumerate() {
        by_head.entry(rule.head.signature()).or_default().push(i);
    }
    by_head
}
