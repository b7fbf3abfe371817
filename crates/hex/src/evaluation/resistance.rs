//! Electrical resistance: the board as a circuit, with a battery between the player's edges.
//!
//! An empty cell resists with 1, a stone of the player with 0, and a stone of the opponent lets nothing through.
//! Between neighbors there is a wire with the resistance of both together; the edges are stones. The resistance from
//! edge to edge counts all chains, short ones most. Shannon and Moore built such a machine; Hexy's evaluation is the
//! quotient E = R(red)/R(blue): 0 when Red has won, infinite when Blue has (V. Anshelevich, *A hierarchical approach to
//! computer Hex*, 2002; Walderhaug 2022, section 4.3).
//!
//! Hexy counts what is joined by a virtual connection as neighbors too. [`side`] takes such pairs; two ends that cost
//! nothing, groups or edges, become one.
//!
//! Kirchhoff's laws give one linear equation for each vertex of the circuit, solved by Cholesky factorization within an envelope.
//! Vertices are numbered along the shorter side of the board, so without extra wires the matrix is a band: time
//! O(n·s²) and space O(n·s) for n cells and a shorter side of s. With many extra wires, O(n³) and O(n²).

use super::PlayerEvaluation;
use super::graph::{FIRST, LAST, PlayerGraph};
use crate::board::Player;
use crate::connection::ConnectionEnd;
use crate::envelope::EnvelopeMatrix;
use crate::position::Position;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashSet;

/// Currents below this are noise of the computation.
const NOISE: f64 = 1e-12;

/// The resistance between the edges, and for each empty cell which part of the current goes through it. 0 for who has
/// won, infinite for who cannot win any more; no current flows then.
///
/// `connections` are pairs of ends that count as neighbors, for instance all full connections; an end at a stone of the
/// opponent counts for nothing.
pub fn side(position: &Position, player: Player, connections: &[(ConnectionEnd, ConnectionEnd)]) -> PlayerEvaluation {
    let graph = PlayerGraph::new(position, player);
    let circuit = Circuit::new(&graph, connections);
    match circuit.potentials() {
        Potentials::Joined => PlayerEvaluation::new(0.0, graph.figures(|_| 0.0)),
        Potentials::Apart => PlayerEvaluation::new(f64::INFINITY, graph.figures(|_| 0.0)),
        Potentials::Volts(volts) => {
            let mut through = vec![0.0; graph.len()];
            for &(a, b, conductance) in &circuit.wires {
                let current = (volts[a] - volts[b]).abs() * conductance;
                through[a] += current;
                through[b] += current;
            }
            let total = through[circuit.first];
            // Each current is counted at both ends of its wire, going in and coming out.
            let share = |vertex: usize| {
                let share = through[vertex] / total / 2.0;
                if share < NOISE { 0.0 } else { share }
            };
            PlayerEvaluation::new(1.0 / total, graph.figures(share))
        }
    }
}

/// Wires between nodes. A node is named by one of the vertices that are joined without resistance.
struct Circuit {
    nodes: usize,
    first: usize,
    last: usize,
    /// Two nodes and the conductance between them.
    wires: Vec<(usize, usize, f64)>,
}

enum Potentials {
    /// The edges are one node.
    Joined,
    /// No current can flow.
    Apart,
    /// For each node that current can reach, with one volt at the first edge and none at the last; 0 elsewhere.
    Volts(Vec<f64>),
}

impl Circuit {
    fn new(graph: &PlayerGraph, connections: &[(ConnectionEnd, ConnectionEnd)]) -> Circuit {
        let vertex = |end: ConnectionEnd| match end {
            ConnectionEnd::Edge(edge) => Some(edge.into()),
            ConnectionEnd::Cell(cell) => graph.vertex(cell),
        };
        let extra: Vec<(usize, usize)> =
            connections.iter().filter_map(|&(a, b)| Some((vertex(a)?, vertex(b)?))).collect();

        let resistance = |vertex: usize| if graph.cell(vertex).is_some() { 1.0 } else { 0.0 };
        let mut joined: UnionFind<usize> = UnionFind::new(graph.len());
        for (a, b) in graph.links().chain(extra.iter().copied()) {
            if resistance(a) + resistance(b) == 0.0 {
                joined.union(a, b);
            }
        }
        let nodes: Vec<usize> = joined.into_labeling();

        let mut wired: FxHashSet<(usize, usize)> = FxHashSet::default();
        let mut wires = Vec::new();
        let links = graph.links().filter(|(a, b)| a < b).map(|link| (link, false));
        for ((a, b), is_extra) in links.chain(extra.iter().map(|&pair| (pair, true))) {
            let from = nodes[a].min(nodes[b]);
            let to = nodes[a].max(nodes[b]);
            // Neighbors on the board have a wire for each pair of cells; connections add none between neighbors.
            if from != to && (wired.insert((from, to)) || !is_extra) {
                wires.push((from, to, 1.0 / (resistance(a) + resistance(b))));
            }
        }
        Circuit { nodes: graph.len(), first: nodes[FIRST], last: nodes[LAST], wires }
    }

    fn potentials(&self) -> Potentials {
        if self.first == self.last {
            return Potentials::Joined;
        }
        let mut reached: UnionFind<usize> = UnionFind::new(self.nodes);
        for &(a, b, _) in &self.wires {
            reached.union(a, b);
        }
        if !reached.equiv(self.first, self.last) {
            return Potentials::Apart;
        }
        // The unknowns: nodes in the circuit whose potential the battery does not fix.
        let unknowns: Vec<usize> = (0..self.nodes)
            .filter(|&node| node != self.first && node != self.last && reached.equiv(node, self.first))
            .collect();
        let mut row_of: Vec<Option<usize>> = vec![None; self.nodes];
        unknowns.iter().enumerate().for_each(|(row, &node)| row_of[node] = Some(row));
        let mut laplacian = Vec::new();
        let mut inflow = vec![0.0; unknowns.len()];
        for &(a, b, conductance) in &self.wires {
            for (node, other) in [(a, b), (b, a)] {
                let Some(row) = row_of[node] else { continue };
                laplacian.push((row, row, conductance));
                match row_of[other] {
                    // The entry on the other side of the diagonal is the same.
                    Some(column) if column < row => laplacian.push((row, column, -conductance)),
                    None if other == self.first => inflow[row] += conductance,
                    Some(_) | None => {}
                }
            }
        }
        // Positive definite: every unknown is wired, by way of others, to a fixed potential.
        let solution = EnvelopeMatrix::new(unknowns.len(), &laplacian).solve(inflow);
        let mut volts = vec![0.0; self.nodes];
        unknowns.iter().enumerate().for_each(|(row, &node)| volts[node] = solution[row]);
        volts[self.first] = 1.0;
        Potentials::Volts(volts)
    }
}
