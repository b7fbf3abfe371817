//! The strongly connected components of a step relation: the graph to find them in, and a quick bound of their number.

use petgraph::graph::DiGraph;

/// The graph of these steps between numbered nodes.
pub fn graph(nodes: usize, steps: &[(u32, u32)]) -> DiGraph<(), (), u32> {
    let mut graph = DiGraph::with_capacity(nodes, steps.len());
    (0..nodes).for_each(|_| _ = graph.add_node(()));
    steps.iter().for_each(|&(from, to)| _ = graph.add_edge(from.into(), to.into(), ()));
    graph
}

/// A lower bound of the number of components; the count ends when `is_enough`.
///
/// Nodes are taken away as long as no step leads to them (A. Kahn, *Topological sorting of large networks*, 1962): each of
/// them is a component. In O(nodes + steps).
pub fn at_least(nodes: usize, steps: &[(u32, u32)], is_enough: impl Fn(usize) -> bool) -> usize {
    if !is_enough(nodes) {
        return 0;
    }
    // The targets of each node, one node after the other; `ends` is where those of a node end.
    let mut ends = vec![0u32; nodes];
    let mut entering = vec![0u32; nodes];
    for &(from, to) in steps {
        ends[from as usize] += 1;
        entering[to as usize] += 1;
    }
    let mut sum = 0;
    ends.iter_mut().for_each(|end| (sum, *end) = (sum + *end, sum));
    let mut targets = vec![0u32; steps.len()];
    for &(from, to) in steps {
        targets[ends[from as usize] as usize] = to;
        ends[from as usize] += 1;
    }
    let mut taken: Vec<u32> = (0..nodes as u32).filter(|&node| entering[node as usize] == 0).collect();
    let mut next = 0;
    while next < taken.len() && !is_enough(taken.len()) {
        let node = taken[next] as usize;
        let first = if node == 0 { 0 } else { ends[node - 1] };
        for &target in &targets[first as usize..ends[node] as usize] {
            entering[target as usize] -= 1;
            if entering[target as usize] == 0 {
                taken.push(target);
            }
        }
        next += 1;
    }
    taken.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_before_a_cycle_are_components_of_their_own() {
        let at_once = |_: usize| true;
        assert_eq!(at_least(3, &[(0, 1), (1, 2)], at_once), 1);
        let all = |found: usize| found >= 5;
        // Two nodes, a cycle of two, and what comes behind it.
        let steps = [(4, 3), (3, 1), (1, 2), (2, 1), (2, 0)];
        assert_eq!(at_least(5, &steps, all), 2);
        assert_eq!(at_least(5, &[(0, 1), (0, 1), (1, 2), (3, 2), (2, 4)], all), 5);
        assert_eq!(at_least(4, &[(0, 1), (1, 2)], all), 0);
    }
}
