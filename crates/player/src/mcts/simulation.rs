//! A simulation on its way, between the tree that began it and the machine that finds what comes of it.

use super::amaf::PlayedMoves;
use super::node::NodeId;
use ludolog_game::{LegalMoves, Move, State};

/// One simulation: the way down the tree, and what came of it. The tree begins it anew once it is over, so that its lists
/// are allocated once.
#[derive(Default)]
pub struct Simulation {
    /// The nodes passed, each with the joint move made there.
    pub path: Vec<(NodeId, u64)>,
    /// The last node, from which the simulation leaves the tree.
    pub node: NodeId,
    pub state: State,
    /// By factor: the last node; empty if the game is searched as a whole.
    pub parts: Vec<NodeId>,
    /// By factor: whether the moves of the last node were not known.
    pub opened: Vec<bool>,
    /// Whether the last state may be terminal.
    pub may_be_over: bool,
    /// Whether the moves of the last node are not known: the simulation finds them, and makes one at random.
    pub opens: bool,
    /// Whether a turn ends the game won in the last node, which has its values then.
    pub is_decided: bool,
    /// The joint move made there; empty if there is none, or before the moves are known.
    pub made: Vec<Move>,
    /// Its moves, if they were found by the simulation.
    pub legal: Option<LegalMoves>,
    /// The state reached; `None` if there is none, since a role has no legal move.
    pub next: Option<State>,
    /// Whether the state reached has no continuation.
    pub over: bool,
    /// Whether the values are guesses: a role has no single goal in the last state, or no legal move.
    pub is_guess: bool,
    /// The values of all roles.
    pub values: Vec<f32>,
    /// The playouts from the state reached, where their moves are recorded.
    pub played: PlayedMoves,
    /// Random number for the choices of the simulation.
    pub random: u64,
}

impl Simulation {
    /// Begins it anew, for this number of roles.
    pub fn reset(&mut self, roles: usize, random: u64) {
        self.path.clear();
        self.parts.clear();
        (self.opens, self.may_be_over, self.is_decided, self.is_guess) = (false, false, false, false);
        self.made.clear();
        (self.legal, self.next, self.over) = (None, None, false);
        self.values.clear();
        self.values.resize(roles, 0.0);
        self.played.clear();
        self.random = random;
    }

    /// Makes a joint move at random, of the moves found; none if a role has no legal one.
    pub fn make_random_joint(&mut self) {
        let Some(legal) = self.legal.as_ref().filter(|legal| legal.iter().all(|moves| !moves.is_empty())) else {
            return;
        };
        let count = legal.iter().map(|moves| moves.len() as u64).fold(1, u64::saturating_mul);
        let mut rest = self.random % count;
        self.made.resize(legal.len(), Move(0));
        for (made, moves) in self.made.iter_mut().zip(legal).rev() {
            *made = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
    }
}
