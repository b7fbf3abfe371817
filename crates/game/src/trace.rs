//! Reproducible walks through a game, in the terms of the corpus of rulesheets: seeded playouts, and the states that
//! can be reached with so many joint moves, both with digests that tell any difference between reasoners.

use crate::canonical;
use crate::contract::{JointMoves, LegalMoves, Move, State, StateMachine, StateMachineExt};
use crate::draw::Draw;
use crate::error::GameError;
use indexmap::IndexMap;
use ludolog_engine::{Budget, Stopped};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Poll;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;

/// States, and steps, that are asked about at once.
const BATCH: usize = 1024;

/// Digests between two checks of the budget.
const POLL_EVERY: u32 = 256;

/// The end of a traced playout.
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
    /// Its end.
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
    let mut moves_text = String::new();
    let mut steps = 0;
    let mut legal_moves = 0;
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

/// The texts of facts, made once for each.
#[derive(Default)]
struct FactTexts {
    texts: FxHashMap<Term, Rc<str>>,
    /// The texts of the facts of one state.
    lines: Vec<Rc<str>>,
    state: String,
}

impl FactTexts {
    fn digest<M: StateMachine + ?Sized>(&mut self, game: &M, state: &State) -> String {
        let Self { texts, lines, state: text } = self;
        lines.clear();
        lines.extend(game.facts(state).into_iter().map(|fact| match texts.get(&fact) {
            Some(text) => text.clone(),
            None => {
                let text: Rc<str> = canonical::text(&fact).into();
                texts.insert(fact, text.clone());
                text
            }
        }));
        lines.cold_sort();
        text.clear();
        for line in &*lines {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
        canonical::digest(text)
    }
}

/// The states that so many joint moves lead to, each with the number of ways.
#[derive(Clone, Debug)]
pub struct StateCounts(IndexMap<State, u128, FxBuildHasher>);

/// The counts of a level, without the states that come next. Numbers beyond 128 bits are told as the greatest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// The states that are terminal.
    pub terminal_states: u64,
    /// The sequences of joint moves that lead to them.
    pub terminal_sequences: u128,
    /// The sequences with one joint move more.
    pub next_sequences: u128,
}

impl StateCounts {
    /// The first state.
    pub fn first<M: StateMachine + ?Sized>(game: &M) -> StateCounts {
        StateCounts(IndexMap::from_iter([(game.initial_state().clone(), 1)]))
    }

    /// The states, in the order in which they were found, and the number of sequences of joint moves that lead to each.
    pub fn states(&self) -> impl ExactSizeIterator<Item = (&State, u128)> {
        self.0.iter().map(|(state, &ways)| (state, ways))
    }

    /// The number of sequences of joint moves.
    pub fn sequences(&self) -> u128 {
        self.0.values().fold(0, |sum, &ways| sum.saturating_add(ways))
    }

    /// The digest of the digests of the states.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when `budget` ends.
    pub fn digest<M: StateMachine + ?Sized>(&self, game: &M, budget: &Budget) -> Result<String, GameError> {
        let mut texts = FactTexts::default();
        let mut poll = Poll::new(budget, POLL_EVERY);
        let digest = |state: &State| poll.step().map(|()| texts.digest(game, state));
        let mut digests = self.0.keys().map(digest).collect::<Result<Vec<String>, _>>()?;
        digests.cold_sort();
        Ok(canonical::digest(&digests.join("\n")))
    }

    /// Counts what can be counted without the states that come next.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question or `budget` ends.
    pub fn counts<M: StateMachine + ?Sized>(&self, game: &mut M, budget: &Budget) -> Result<LevelCounts, GameError> {
        let mut counts = LevelCounts::default();
        self.for_each_batch(game, budget, |_, batch| {
            for (_, ways, legal) in batch {
                let add = |sum: &mut u128, more: u128| *sum = sum.saturating_add(more);
                match legal {
                    None => {
                        counts.terminal_states += 1;
                        add(&mut counts.terminal_sequences, ways);
                    }
                    Some(legal) => {
                        let joint = legal.iter().fold(ways, |all, moves| all.saturating_mul(moves.len() as u128));
                        add(&mut counts.next_sequences, joint);
                    }
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// The states after one more joint move, of which terminal states and those with a stuck role have none. At most
    /// `max_states` states. `tell` is called with the number of states done and of those found, now and then.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when a question or `budget` ends, or there are more states.
    pub fn next<M: StateMachine + ?Sized>(
        &self,
        game: &mut M,
        max_states: usize,
        budget: &Budget,
        mut tell: impl FnMut(usize, usize),
    ) -> Result<StateCounts, GameError> {
        let mut next: IndexMap<State, u128, FxBuildHasher> = IndexMap::default();
        let mut done = 0;
        let mut make = |game: &mut M, steps: &mut Vec<(&State, Box<[Move]>, u128)>, done: usize| {
            budget.check()?;
            let batch: Vec<(&State, &[Move])> = steps.iter().map(|(state, joint, _)| (*state, &joint[..])).collect();
            for (state, (.., ways)) in game.next_states(&batch)?.into_iter().zip(&*steps) {
                let sum: &mut u128 = next.entry(state).or_default();
                *sum = sum.saturating_add(*ways);
            }
            steps.clear();
            tell(done, next.len());
            if next.len() > max_states {
                Err(GameError::Stopped(Stopped::TooManyFacts(max_states as u64)))
            } else {
                Ok(())
            }
        };
        self.for_each_batch(game, budget, |game, batch| {
            let mut steps: Vec<(&State, Box<[Move]>, u128)> = Vec::new();
            for (state, ways, legal) in batch {
                for joint in legal.into_iter().flat_map(JointMoves::new) {
                    steps.push((state, joint, ways));
                    if steps.len() == BATCH {
                        make(game, &mut steps, done)?;
                    }
                }
                done += 1;
            }
            make(game, &mut steps, done)
        })?;
        Ok(StateCounts(next))
    }

    /// Asks for the legal moves of all states, many at once. Terminal states have none.
    fn for_each_batch<'l, M: StateMachine + ?Sized>(
        &'l self,
        game: &mut M,
        budget: &Budget,
        mut visit: impl FnMut(&mut M, Vec<(&'l State, u128, Option<LegalMoves>)>) -> Result<(), GameError>,
    ) -> Result<(), GameError> {
        let mut open = self.states();
        while open.len() > 0 {
            budget.check()?;
            let part: Vec<(&State, u128)> = open.by_ref().take(BATCH).collect();
            let states: Vec<State> = part.iter().map(|(state, _)| (*state).clone()).collect();
            let terminal = game.are_terminal(&states)?;
            let legal = game.all_legal_moves(&states)?;
            let batch = part.into_iter().zip(terminal.into_iter().zip(legal));
            visit(game, batch.map(|((state, ways), (over, legal))| (state, ways, (!over).then_some(legal))).collect())?;
        }
        Ok(())
    }
}
