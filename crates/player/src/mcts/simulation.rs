//! A simulation on its way, between the tree that began it and the machine that finds what comes of it.

use super::amaf::PlayedMoves;
use super::node::NodeId;
use ludolog_game::{LegalMoves, Move, State};

/// One simulation: the way down the tree, and what came of it.
pub struct Simulation {
    /// The nodes passed, each with the joint move made there.
    pub path: Vec<(NodeId, u64)>,
    /// The last node, from which the simulation leaves the tree.
    pub node: NodeId,
    pub state: State,
    /// The joint move made there; `None` if its moves are not known.
    pub joint: Option<Box<[Move]>>,
    /// Its moves, if they were found by the simulation.
    pub legal: Option<LegalMoves>,
    /// The state reached; `None` if there is none, since a role has no legal move.
    pub next: Option<State>,
    /// Whether the state reached has no continuation.
    pub over: bool,
    /// The values of all roles.
    pub values: Vec<f32>,
    /// The playouts from the state reached, where their moves are recorded.
    pub played: Vec<PlayedMoves>,
    /// Random number for the choices of the simulation.
    pub random: u64,
}

impl Simulation {
    /// Whether it leaves the tree at its root, whose moves it found.
    pub fn is_at_root(&self) -> bool {
        self.path.is_empty()
    }

    /// A joint move at random, of legal moves.
    pub fn random_joint(legal: &LegalMoves, random: u64) -> Option<Box<[Move]>> {
        if legal.iter().any(|moves| moves.is_empty()) {
            return None;
        }
        let count = legal.iter().map(|moves| moves.len() as u64).fold(1, u64::saturating_mul);
        let mut rest = random % count;
        let mut joint = vec![Move(0); legal.len()];
        for (made, moves) in joint.iter_mut().zip(legal).rev() {
            *made = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
        Some(joint.into_boxed_slice())
    }
}
