//! Move ordering: first the move through whose cell most current flows, for both players.
//!
//! As in Hexy (Anshelevich, *A hierarchical approach to computer Hex*, 2002), a position is an electrical circuit for
//! each player, whose wires are the full connections, and whose poles are the player's edges. A cell that carries much
//! of both players' current is good for one and bad for the other.
//!
//! The circuit of a player who goes around a cylinder has no poles: a voltage of 1 acts once in each turn, as in the winding
//! of a coil. In Y there are three circuits, from each edge to both others, and a cell carries the sum of their currents.

use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, Connections};
use crate::envelope::EnvelopeMatrix;

/// Resistance that an empty cell adds to a wire that ends there.
const EMPTY: f64 = 1.0;

/// Resistance that a stone or an edge adds: little, and not zero, so that each wire has some.
const STONE: f64 = 0.05;

/// Conductance from every end to the last edge: keeps the matrix regular where an island hangs on nothing, and is too
/// little to change the order of moves.
const LEAKAGE: f64 = 1e-6;

/// The currents between a player's edges.
#[derive(Clone, Debug)]
pub struct Currents {
    /// By cell, the share of the current that flows through it; zero where none does.
    pub shares: Vec<f32>,
    /// The current in all at a voltage of 1; never zero.
    pub conductance: f32,
}

/// The currents in the circuit of a player's connections.
pub fn currents<const W: usize>(connections: &Connections<W>) -> Currents {
    let board = connections.board();
    let edges = usize::from(board.edge_count());
    let wire = |(x, y)| {
        let conductance = 1.0 / (resistance(connections, x) + resistance(connections, y));
        let [(x, from), (y, to)] = [x, y].map(|end: ConnectionEnd| match end {
            ConnectionEnd::Edge(edge) => (edge.into(), 0),
            ConnectionEnd::Cell(place) => (edges + board.cell_of_place(place).index(), place.index() / board.len()),
        });
        Wire { x, y, conductance, voltage: to as f64 - from as f64 }
    };
    let wires: Vec<Wire> = connections.pairs(ConnectionKind::Full).map(wire).filter(|wire| wire.x != wire.y).collect();
    let circuit = ConnectionCircuit { ends: edges + board.len(), edges, wires };
    let poles = if board.edges_join() { 1 } else { edges };
    let mut current = vec![0.0; board.len()];
    let mut total = 0.0;
    for (pole, potential) in circuit.potentials(poles).into_iter().enumerate() {
        for &Wire { x, y, conductance, voltage } in &circuit.wires {
            let flow = ((potential[x] - potential[y] + voltage) * conductance).abs();
            if voltage > 0.0 {
                total += flow;
            }
            for end in [x, y] {
                match end.checked_sub(edges) {
                    Some(cell) => current[cell] += flow / 2.0,
                    None if end == pole => total += flow,
                    None => {}
                }
            }
        }
    }
    let share = |flow: f64| if total > 0.0 { (flow / total) as f32 } else { 0.0 };
    Currents { shares: current.into_iter().map(share).collect(), conductance: total.max(LEAKAGE) as f32 }
}

/// A full connection between two ends, by their places in an array over them.
struct Wire {
    x: usize,
    y: usize,
    conductance: f64,
    /// What acts from x to y besides their potentials: the turns that the wire makes around the board.
    voltage: f64,
}

fn resistance<const W: usize>(connections: &Connections<W>, end: ConnectionEnd) -> f64 {
    match end {
        ConnectionEnd::Cell(place) if !connections.mine().contains(connections.board().cell_of_place(place)) => EMPTY,
        _ => STONE,
    }
}

/// The circuit of a player.
struct ConnectionCircuit {
    /// The number of ends: the edges, then the cells.
    ends: usize,
    edges: usize,
    wires: Vec<Wire>,
}

impl ConnectionCircuit {
    /// For each of the first `poles` edges, by end, the potentials with this edge at 1 and the others at 0.
    fn potentials(&self, poles: usize) -> Vec<Vec<f64>> {
        // Only ends that wires lead to take part. In the order of the board, most wires are short, and so are the rows of the matrix.
        let mut is_wired = vec![false; self.ends];
        self.wires.iter().for_each(|&Wire { x, y, .. }| (is_wired[x], is_wired[y]) = (true, true));
        let ends: Vec<usize> = (self.edges..self.ends).filter(|&end| is_wired[end]).collect();
        let mut row_of = vec![usize::MAX; self.ends];
        ends.iter().enumerate().for_each(|(row, &end)| row_of[end] = row);
        let mut entries: Vec<(usize, usize, f64)> = (0..ends.len()).map(|row| (row, row, LEAKAGE)).collect();
        let mut inflows = vec![vec![0.0; ends.len()]; poles];
        for &Wire { x, y, conductance, voltage } in &self.wires {
            for (here, there, voltage) in [(x, y, voltage), (y, x, -voltage)] {
                if here < self.edges {
                    continue;
                }
                let row = row_of[here];
                entries.push((row, row, conductance));
                inflows.iter_mut().for_each(|inflow| inflow[row] -= conductance * voltage);
                if let Some(inflow) = inflows.get_mut(there) {
                    inflow[row] += conductance;
                } else if there >= self.edges && row_of[there] < row {
                    // The entry on the other side of the diagonal is the same.
                    entries.push((row, row_of[there], -conductance));
                }
            }
        }
        let factor = EnvelopeMatrix::new(ends.len(), &entries).factored();
        let potentials = inflows.into_iter().enumerate().map(|(pole, inflow)| {
            let mut potential = vec![0.0; self.ends];
            potential[pole] = 1.0;
            ends.iter().zip(factor.solve(inflow)).for_each(|(&end, value)| potential[end] = value);
            potential
        });
        potentials.collect()
    }
}
