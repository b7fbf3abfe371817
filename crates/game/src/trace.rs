//! Reproducible walks through a game, in the terms of the corpus of rulesheets: seeded playouts, and the states that can be
//! reached with so many joint moves, both with digests that tell any difference between reasoners.

use crate::canonical;
use crate::contract::{JointMoves, Move, State, StateMachine, StateMachineExt};
use crate::draw::Draw;
use crate::error::GameError;
use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::ast::Term;
use std::collections::BTreeMap;

/// States, and steps, that are asked about at once.
const BATCH: usize = 4096;

/// How a traced playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEnd {
    /// In a terminal state.
    Terminal,
    /// A role had no legal move.
    Stuck,
    /// All the joint moves were made.
    MaxSteps,
}

/// A seeded playout.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// How it ended.
    pub end: TraceEnd,
    /// The number of joint moves.
    pub steps: u64,
    /// The legal moves of all roles, summed over the states in which moves were made.
    pub legal_moves: u64,
    /// The digest of all moves, `role move` a line, and of `STUCK role` at last if a role was stuck.
    pub moves_digest: String,
    /// The digest of the last state.
    pub state_digest: String,
    /// The goals, of a playout that ended in a terminal state.
    pub goals: Option<Vec<Option<i64>>>,
}

/// Plays by a seed: each role draws from its legal moves in the order of their texts.
///
/// # Errors
///
/// [`GameError::Stopped`], when a question or `budget` ends.
pub fn playout<M: StateMachine + ?Sized>(
    game: &mut M,
    seed: u64,
    max_steps: u64,
    budget: &Budget,
) -> Result<Trace, GameError> {
    let mut draw = Draw::new(seed);
    let mut state = game.initial_state().clone();
    let (mut moves_text, mut steps, mut legal_moves) = (String::new(), 0, 0);
    let end = 'game: loop {
        budget.check()?;
        if game.is_terminal(&state)? {
            break TraceEnd::Terminal;
        }
        if steps == max_steps {
            break TraceEnd::MaxSteps;
        }
        let mut joint: Vec<Term> = Vec::new();
        for (role, mut moves) in game.legal_terms(&state)? {
            if moves.is_empty() {
                moves_text += &format!("STUCK {}\n", canonical::text(&role));
                break 'game TraceEnd::Stuck;
            }
            legal_moves += moves.len() as u64;
            moves.sort_by_cached_key(canonical::text);
            let chosen = moves.swap_remove(draw.below(moves.len()));
            moves_text += &format!("{}\n", canonical::move_text(&role, &chosen));
            joint.push(chosen);
        }
        let joint = game.joint_move(&state, &joint)?;
        state = game.next_state(&state, &joint)?;
        steps += 1;
    };
    Ok(Trace {
        end,
        steps,
        legal_moves,
        moves_digest: canonical::digest(&moves_text),
        state_digest: state_digest(game, &state),
        goals: if end == TraceEnd::Terminal { Some(game.goals(&state)?) } else { None },
    })
}

/// The digest of a state.
pub fn state_digest<M: StateMachine + ?Sized>(game: &M, state: &State) -> String {
    canonical::digest(&canonical::state_text(&game.facts(state)))
}

/// The states that so many joint moves lead to, each with the number of ways.
#[derive(Clone, Debug)]
pub struct Level(BTreeMap<State, u128>);

impl Level {
    /// The first state.
    pub fn first<M: StateMachine + ?Sized>(game: &M) -> Level {
        Level(BTreeMap::from([(game.initial_state().clone(), 1)]))
    }

    /// The states, and the number of sequences of joint moves that lead to each.
    pub fn states(&self) -> &BTreeMap<State, u128> {
        &self.0
    }

    /// The number of sequences of joint moves.
    pub fn sequences(&self) -> u128 {
        self.0.values().sum()
    }

    /// The digest of the digests of the states.
    pub fn digest<M: StateMachine + ?Sized>(&self, game: &M) -> String {
        let mut digests: Vec<String> = self.0.keys().map(|state| state_digest(game, state)).collect();
        digests.sort();
        canonical::digest(&digests.join("\n"))
    }

    /// The number of terminal states, and of the sequences that lead to them.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn terminal<M: StateMachine + ?Sized>(&self, game: &mut M) -> Result<(u64, u128), GameError> {
        let states: Vec<State> = self.0.keys().cloned().collect();
        let is_terminal = game.are_terminal(&states)?;
        let terminal = self.0.values().zip(is_terminal).filter(|(_, is_terminal)| *is_terminal);
        Ok(terminal.fold((0, 0), |(states, sequences), (ways, _)| (states + 1, sequences + ways)))
    }

    /// The states after one more joint move, of which terminal states and those with a stuck role have none. At most
    /// `max_states` states.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question or `budget` ends, or there are more states.
    pub fn next<M: StateMachine + ?Sized>(
        &self,
        game: &mut M,
        max_states: usize,
        budget: &Budget,
    ) -> Result<Level, GameError> {
        let mut next: BTreeMap<State, u128> = BTreeMap::new();
        let mut steps: Vec<(&State, Box<[Move]>, u128)> = Vec::new();
        let mut make = |game: &mut M, steps: &mut Vec<(&State, Box<[Move]>, u128)>| {
            let batch: Vec<(&State, &[Move])> = steps.iter().map(|(state, joint, _)| (*state, &joint[..])).collect();
            for (state, (.., ways)) in game.next_states(&batch)?.into_iter().zip(&*steps) {
                *next.entry(state).or_default() += ways;
            }
            steps.clear();
            match next.len() > max_states {
                true => Err(GameError::Stopped(Stopped::TooManyFacts(max_states as u64))),
                false => Ok(()),
            }
        };
        let all: Vec<(&State, u128)> = self.0.iter().map(|(state, &ways)| (state, ways)).collect();
        for part in all.chunks(BATCH) {
            budget.check()?;
            let states: Vec<State> = part.iter().map(|(state, _)| (*state).clone()).collect();
            let is_terminal = game.are_terminal(&states)?;
            let legal = game.all_legal_moves(&states)?;
            for ((&(state, ways), legal), _) in
                part.iter().zip(legal).zip(is_terminal).filter(|(_, is_terminal)| !is_terminal)
            {
                for joint in JointMoves::new(legal) {
                    steps.push((state, joint, ways));
                    if steps.len() == BATCH {
                        budget.check()?;
                        make(game, &mut steps)?;
                    }
                }
            }
        }
        make(game, &mut steps)?;
        Ok(Level(next))
    }
}
