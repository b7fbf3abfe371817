//! Move ordering: first the move through whose cell most current flows, for both players.
//!
//! As in Hexy (Anshelevich, *A hierarchical approach to computer Hex*, 2002), a position is an electrical circuit for
//! each player, whose wires are the full connections, and whose poles are the player's edges. A cell that carries much
//! of both players' current is good for one and bad for the other.
//!
//! The circuit of a player who goes around a cylinder has no poles: a voltage of 1 acts once in each turn, as in the winding
//! of a coil.

use crate::board::Board;
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, Connections};
use crate::envelope::EnvelopeMatrix;

/// The places of the poles among the ends of the board.
const FIRST: usize = ConnectionEnd::FIRST.index::<Board>();
const LAST: usize = ConnectionEnd::LAST.index::<Board>();
const EDGES: usize = <Board as ConnectionBoard>::EDGES as usize;

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
    let wire = |(x, y)| {
        let conductance = 1.0 / (resistance(connections, x) + resistance(connections, y));
        let [(x, from), (y, to)] = [x, y].map(|end: ConnectionEnd| match end {
            ConnectionEnd::Edge(_) => (end.index::<Board>(), 0),
            ConnectionEnd::Cell(place) => (EDGES + board.cell_of_place(place).index(), place.index() / board.len()),
        });
        Wire { x, y, conductance, voltage: to as f64 - from as f64 }
    };
    let wires: Vec<Wire> = connections.pairs(ConnectionKind::Full).map(wire).filter(|wire| wire.x != wire.y).collect();
    let potential = potentials(board, &wires);
    let mut current = vec![0.0; board.len()];
    let mut total = 0.0;
    for &Wire { x, y, conductance, voltage } in &wires {
        let flow = ((potential[x] - potential[y] + voltage) * conductance).abs();
        if voltage > 0.0 {
            total += flow;
        }
        for end in [x, y] {
            match end {
                FIRST => total += flow,
                LAST => {}
                cell => current[cell - EDGES] += flow / 2.0,
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

/// By end, the potentials with the first edge at 1 and the last at 0.
fn potentials(board: Board, wires: &[Wire]) -> Vec<f64> {
    // Only ends that wires lead to take part. In the order of the board, most wires are short, and so are the rows of the matrix.
    let mut is_wired = vec![false; board.len() + EDGES];
    wires.iter().for_each(|&Wire { x, y, .. }| (is_wired[x], is_wired[y]) = (true, true));
    let ends: Vec<usize> = (EDGES..is_wired.len()).filter(|&end| is_wired[end]).collect();
    let mut row_of = vec![usize::MAX; is_wired.len()];
    ends.iter().enumerate().for_each(|(row, &end)| row_of[end] = row);
    let mut entries: Vec<(usize, usize, f64)> = (0..ends.len()).map(|row| (row, row, LEAKAGE)).collect();
    let mut inflow = vec![0.0; ends.len()];
    for &Wire { x, y, conductance, voltage } in wires {
        for (here, there, voltage) in [(x, y, voltage), (y, x, -voltage)] {
            if here < EDGES {
                continue;
            }
            let row = row_of[here];
            entries.push((row, row, conductance));
            inflow[row] -= conductance * voltage;
            match there {
                FIRST => inflow[row] += conductance,
                // The entry on the other side of the diagonal is the same.
                _ if there >= EDGES && row_of[there] < row => entries.push((row, row_of[there], -conductance)),
                _ => {}
            }
        }
    }
    let mut potential = vec![0.0; is_wired.len()];
    potential[FIRST] = 1.0;
    ends.iter()
        .zip(EnvelopeMatrix::new(ends.len(), &entries).solve(inflow))
        .for_each(|(&end, value)| potential[end] = value);
    potential
}
