//! Openings: where a series of matches begins, so that a game that is decided from its first state tells players apart.

use ludolog_game::{Draw, GameError, Move, State, StateMachine, StateMachineExt};
use ludolog_syntax::ast::Term;
use std::fmt;

/// Drawings of an opening before it is given up.
const TRIES: usize = 200;

/// Most joint moves after an opening that are looked at.
const MAX_NEXT: usize = 20_000;

/// A state to begin in, and the way to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opening {
    /// The joint moves that lead to it from the first state.
    pub moves: Vec<Vec<Term>>,
    /// Its facts.
    pub state: Vec<Term>,
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq)]
pub enum NoOpening {
    /// The machine failed.
    Game(GameError),
    /// All that were drawn end the game, or let it end at once.
    Decided {
        /// Their joint moves.
        plies: usize,
    },
}

impl fmt::Display for NoOpening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoOpening::Game(error) => error.fmt(f),
            NoOpening::Decided { plies } => write!(
                f,
                "the game is over, or can be at the next move, after each of {TRIES} openings of {plies} random joint \
                 moves; take fewer"
            ),
        }
    }
}

impl std::error::Error for NoOpening {}

impl From<GameError> for NoOpening {
    fn from(error: GameError) -> Self {
        NoOpening::Game(error)
    }
}

impl Opening {
    /// Draws an opening of so many random joint moves, the same for the same seed. It ends in a state that is not
    /// terminal, and no joint move from there leads to one (of the first 20,000).
    ///
    /// # Errors
    ///
    /// [`NoOpening`].
    pub fn draw(machine: &mut dyn StateMachine, plies: usize, seed: u64) -> Result<Opening, NoOpening> {
        let mut draw = Draw::new(seed);
        for _ in 0..TRIES {
            if let Some(opening) = try_one(machine, plies, &mut draw)? {
                return Ok(opening);
            }
        }
        Err(NoOpening::Decided { plies })
    }
}

fn try_one(machine: &mut dyn StateMachine, plies: usize, draw: &mut Draw) -> Result<Option<Opening>, GameError> {
    let mut state = machine.initial_state().clone();
    let mut moves = Vec::with_capacity(plies);
    for _ in 0..plies {
        let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
        if machine.is_terminal(&state)? || legal.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let joint: Vec<Move> = legal.iter().map(|moves| moves[draw.below(moves.len())]).collect();
        moves.push(joint.iter().map(|&made| machine.move_term(made).clone()).collect());
        state = machine.next_state(&state, &joint)?;
    }
    let is_open = !machine.is_terminal(&state)? && !can_end(machine, &state)?;
    Ok(is_open.then(|| Opening { moves, state: machine.facts(&state) }))
}

/// Whether the game can be over after the next joint move.
fn can_end(machine: &mut dyn StateMachine, state: &State) -> Result<bool, GameError> {
    let joint: Vec<_> = machine.legal_joint_moves(state)?.take(MAX_NEXT).collect();
    let steps: Vec<(&State, &[Move])> = joint.iter().map(|joint| (state, &**joint)).collect();
    let next = machine.next_states(&steps)?;
    Ok(joint.is_empty() || machine.are_terminal(&next)?.contains(&true))
}
