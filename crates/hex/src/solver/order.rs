//! Move ordering: first the move through whose cell most current flows, for both players.
//!
//! As in Hexy (Anshelevich, *A hierarchical approach to computer Hex*, 2002), a position is an electrical circuit for
//! each player, whose wires are the full connections, and whose poles are the player's edges. A cell that carries much
//! of both players' current is good for one and bad for the other.

use crate::board::Board;
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, Connections};

/// The places of the poles among the ends of the board.
const FIRST: usize = ConnectionEnd::FIRST.index::<Board>();
const LAST: usize = ConnectionEnd::LAST.index::<Board>();
const EDGES: usize = <Board as ConnectionBoard>::EDGES as usize;

/// Resistance that an empty cell adds to a wire that ends there.
const EMPTY: f32 = 1.0;

/// Resistance that a stone or an edge adds: little, and not zero, so that each wire has some.
const STONE: f32 = 0.05;

/// Conductance from every end to the last edge: keeps the matrix regular where an island hangs on nothing, and is too
/// little to change the order of moves.
const LEAKAGE: f32 = 1e-6;

/// Least pivot of the decomposition, against the rounding of single precision.
const LEAST_PIVOT: f32 = 1e-9;

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
    let mut current = vec![0.0; board.len()];
    let wires: Vec<(usize, usize, f32)> = connections
        .pairs(ConnectionKind::Full)
        .map(|(x, y)| {
            (x.index::<Board>(), y.index::<Board>(), 1.0 / (resistance(connections, x) + resistance(connections, y)))
        })
        .collect();
    let Some(potential) = potentials(board, &wires) else {
        return Currents { shares: current, conductance: LEAKAGE };
    };
    let mut total = 0.0;
    for &(x, y, conductance) in &wires {
        let flow = ((potential[x] - potential[y]) * conductance).abs();
        for end in [x, y] {
            match end {
                FIRST => total += flow,
                LAST => {}
                cell => current[cell - EDGES] += flow / 2.0,
            }
        }
    }
    if total > 0.0 {
        current.iter_mut().for_each(|flow| *flow /= total);
    }
    Currents { shares: current, conductance: total.max(LEAKAGE) }
}

fn resistance<const W: usize>(connections: &Connections<W>, end: ConnectionEnd) -> f32 {
    match end {
        ConnectionEnd::Cell(cell) if !connections.mine().contains(cell) => EMPTY,
        _ => STONE,
    }
}

/// The potentials with the first edge at 1 and the last at 0, by Cholesky's decomposition of the conductance matrix;
/// `None` where no current flows.
///
/// The matrix is small and nearly full, and this runs at every node of the search: dense and in single precision it is
/// cheaper than the sparse factorization that [`resistance`](crate::evaluation::resistance) needs for large boards.
fn potentials(board: Board, wires: &[(usize, usize, f32)]) -> Option<Vec<f32>> {
    // Only ends that wires lead to take part.
    let mut place = vec![usize::MAX; board.len() + EDGES];
    let mut ends = Vec::new();
    for &(x, y, _) in wires {
        for end in [x, y] {
            if end >= EDGES && place[end] == usize::MAX {
                place[end] = ends.len();
                ends.push(end);
            }
        }
    }
    let n = ends.len();
    let mut matrix = vec![0.0f32; n * n];
    let mut known = vec![0.0f32; n];
    for &(x, y, conductance) in wires {
        for (here, there) in [(x, y), (y, x)] {
            if here >= EDGES {
                let i = place[here];
                matrix[i * n + i] += conductance;
                match there {
                    FIRST => known[i] += conductance,
                    LAST => {}
                    _ => matrix[i * n + place[there]] -= conductance,
                }
            }
        }
    }
    (0..n).for_each(|i| matrix[i * n + i] += LEAKAGE);
    for i in 0..n {
        for j in 0..=i {
            let row = &matrix[i * n..i * n + j];
            let other = &matrix[j * n..j * n + j];
            let sum = matrix[i * n + j] - row.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
            matrix[i * n + j] = if i == j { sum.max(LEAST_PIVOT).sqrt() } else { sum / matrix[j * n + j] };
        }
    }
    for i in 0..n {
        let sum: f32 = (0..i).map(|j| matrix[i * n + j] * known[j]).sum();
        known[i] = (known[i] - sum) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        known[i] /= matrix[i * n + i];
        for j in 0..i {
            known[j] -= matrix[i * n + j] * known[i];
        }
    }
    let mut potential = vec![0.0; board.len() + EDGES];
    potential[FIRST] = 1.0;
    ends.iter().zip(&known).for_each(|(&end, &value)| potential[end] = value);
    known.iter().all(|value| value.is_finite()).then_some(potential)
}
