//! Limits of the closure.

use crate::board::Board;

/// Bounds on the connections that [`Connections`](super::Connections) keeps, and so on its time and memory. The smallest
/// carriers come first, so a bound drops the largest ones. A bound can only lose connections, never make a wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Fulls kept for each pair of ends.
    pub fulls: usize,
    /// Semis kept for each pair of ends.
    pub semis: usize,
    /// Semis that one application of the OR rule joins at most.
    pub alternatives: usize,
    /// Cells in a carrier at most.
    pub carrier: usize,
    /// Whether the AND rule may take an edge of the board as its middle.
    pub over_edges: bool,
    /// Whether [edge templates](crate::template) are connections to begin with.
    pub templates: bool,
}

impl ConnectionLimits {
    /// Everything that the AND and OR rules derive. Its cost is exponential: for small or crowded boards.
    pub const NONE: ConnectionLimits = ConnectionLimits {
        fulls: usize::MAX,
        semis: usize::MAX,
        alternatives: usize::MAX,
        carrier: usize::MAX,
        over_edges: true,
        templates: false,
    };

    /// The limits for playing and looking: larger ones cost more time than they are worth.
    pub const USUAL: ConnectionLimits = ConnectionLimits {
        fulls: 10,
        semis: 25,
        alternatives: 4,
        carrier: usize::MAX,
        over_edges: false,
        templates: true,
    };

    /// The limits for solving: most positions are decided before all connections are derived, and each connection more
    /// saves search. Templates save none, and cost time.
    pub const SOLVING: ConnectionLimits =
        ConnectionLimits { fulls: 25, semis: 50, templates: false, ..ConnectionLimits::USUAL };

    /// The same on a board up to 14×14; half of it on larger boards, where crowded positions would take ten times as long
    /// and the empty board loses one full connection of fifteen. [`USUAL`](ConnectionLimits::USUAL) limits cost some seconds
    /// and 100 MB at most up to 19×19, in crowded positions too.
    pub fn on(self, board: Board) -> ConnectionLimits {
        match board.len() {
            0..=196 => self,
            _ => ConnectionLimits { fulls: self.fulls / 2, semis: self.semis / 2, ..self },
        }
    }
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits::USUAL
    }
}
