//! The graph of a step relation, in which its strongly connected components are found.

use petgraph::graph::DiGraph;

/// The graph of these steps between numbered nodes.
pub fn graph(nodes: usize, steps: &[(u32, u32)]) -> DiGraph<(), (), u32> {
    let mut graph = DiGraph::with_capacity(nodes, steps.len());
    (0..nodes).for_each(|_| _ = graph.add_node(()));
    steps.iter().for_each(|&(from, to)| _ = graph.add_edge(from.into(), to.into(), ()));
    graph
}
