//! Network flow: the most that can flow from edge to edge.
//!
//! Every link of the reduced graph carries one unit, except that links at an edge, or at a group that touches it,
//! carry any amount: the flow of van Rijswijck, *Search and evaluation in Hex*, section 3.1. By the theorem of Ford and
//! Fulkerson it is also the least number of links whose loss separates the edges. Since a cell next to both edges
//! carries any amount, the flow is infinite already for a player who lacks a single stone.
//!
//! A cell's figure is the number of its links that are *bottlenecks*: links of some least cut. They do not depend on
//! which of the many largest flows was found: a full link is one exactly when no path of unused capacity leads from one
//! of its ends to the other (J.-C. Picard, M. Queyranne, *On the structure of all minimum cuts in a network*, 1980).
//!
//! Dinic's algorithm, from petgraph: with unit links at most O(V^⅔ E) steps, O(V²E) in general; V and E are both linear
//! in the number of cells.

use super::PlayerEvaluation;
use super::graph::{FIRST, LAST, PlayerGraph};
use crate::board::Player;
use crate::position::Position;
use petgraph::algo::{dinics, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// The capacity of links that carry any amount: more than all unit links of the largest board together, and small
/// enough to be added up over all links.
const UNLIMITED: u64 = 1 << 32;

/// The largest flow, and for each empty cell how many of its links are bottlenecks. 0 for who cannot win any more. For
/// who has won, and who can with one stone, infinite: then the cells with which they can have an infinite figure, and
/// no others have any.
pub fn side(position: &Position, player: Player) -> PlayerEvaluation {
    let graph = PlayerGraph::new(position, player);
    if graph.is_won() {
        return PlayerEvaluation::new(f64::INFINITY, graph.figures(|_| 0.0));
    }
    let at_edge: Vec<[bool; 2]> =
        (0..graph.len()).map(|vertex| [FIRST, LAST].map(|edge| graph.is_at(edge, vertex))).collect();
    let is_at_edge = |vertex: usize| at_edge[vertex] != [false; 2];

    let mut network: DiGraph<(), u64> = DiGraph::new();
    for _ in 0..graph.len() {
        network.add_node(());
    }
    network.extend_with_edges(graph.links().map(|(vertex, other)| {
        let capacity = if is_at_edge(vertex) || is_at_edge(other) { UNLIMITED } else { 1 };
        (vertex as u32, other as u32, capacity)
    }));
    let (value, flows) = dinics(&network, NodeIndex::new(FIRST), NodeIndex::new(LAST));
    if value >= UNLIMITED {
        let touches = |vertex: usize, edge: usize| graph.neighbors(vertex).iter().any(|&other| at_edge[other][edge]);
        let joins = |vertex: usize| touches(vertex, FIRST) && touches(vertex, LAST);
        return PlayerEvaluation::new(
            f64::INFINITY,
            graph.figures(|vertex| if joins(vertex) { f64::INFINITY } else { 0.0 }),
        );
    }
    let bottlenecks = bottlenecks(&network, &flows);
    PlayerEvaluation::new(value as f64, graph.figures(|vertex| f64::from(bottlenecks[vertex])))
}

/// For each vertex, how many of its links are in some least cut.
fn bottlenecks(network: &DiGraph<(), u64>, flows: &[u64]) -> Vec<u32> {
    let unused = network.edge_references().zip(flows).flat_map(|(link, &flow)| {
        let from = link.source();
        let to = link.target();
        let onward = (flow < *link.weight()).then_some((from, to));
        let back = (flow > 0).then_some((to, from));
        onward.into_iter().chain(back)
    });
    let mut residual: DiGraph<(), ()> = network.map(|_, ()| (), |_, _| ());
    residual.clear_edges();
    residual.extend_with_edges(unused);
    let mut component = vec![0; network.node_count()];
    for (i, vertices) in kosaraju_scc(&residual).into_iter().enumerate() {
        vertices.into_iter().for_each(|vertex| component[vertex.index()] = i);
    }

    let mut bottlenecks = vec![0; network.node_count()];
    for (link, flow) in network.edge_references().zip(flows) {
        let from = link.source().index();
        let to = link.target().index();
        if flow == link.weight() && component[from] != component[to] {
            bottlenecks[from] += 1;
            bottlenecks[to] += 1;
        }
    }
    bottlenecks
}
