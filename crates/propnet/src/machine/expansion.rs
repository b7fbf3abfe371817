//! All successors of many states, without an allocation for each: states are rows of words in one array.

use super::batch::{LANES, LaneRows};
use super::{NetGame, NetMachine};
use crate::bits::ones_of_word;
use crate::symmetry::Symmetries;
use ludolog_engine::Stopped;
use ludolog_game::{Move, Role, State};
use std::sync::Arc;

/// Who chooses a move in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveChooser {
    /// Nobody: the state is terminal.
    Over,
    /// This role; every other role has one legal move. The first role, if all have one.
    Of(Role),
    /// Several roles have more than one legal move. Its successors are left out.
    Several,
    /// This role has no legal move, though the state is not terminal.
    Stuck(Role),
}

/// The successors of some states. Used again, it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// By state.
    pub turns: Vec<MoveChooser>,
    /// The goals of the terminal states, one for each role, in the order of the states.
    pub goals: Vec<Option<i64>>,
    /// By successor: the number of its state, ascending.
    pub parents: Vec<u32>,
    /// The successors, each a row of words.
    pub successors: Vec<u64>,
    /// The moves that lead to them, one for each role.
    moves: Vec<Move>,
    /// The numbers of the terminal states.
    terminal: Vec<u32>,
}

impl Expansion {
    fn clear(&mut self) {
        self.turns.clear();
        self.goals.clear();
        self.parents.clear();
        self.successors.clear();
        self.moves.clear();
        self.terminal.clear();
    }
}

impl NetMachine {
    /// Words of a row: 64 facts each, and one word where there are no facts.
    pub fn row_words(&self) -> usize {
        self.now.len().max(1)
    }

    /// Takes states that are symmetric to each other for the same: all have the row of the least of them from now on.
    pub fn up_to(&mut self, symmetries: Arc<Symmetries>) {
        self.symmetries = Some(symmetries);
    }

    /// Appends the row of a state to others.
    pub fn push_row(&self, state: &State, rows: &mut Vec<u64>) {
        let start = rows.len();
        rows.extend(super::words(state));
        rows.resize(start + self.row_words(), 0);
        self.canonize(&mut rows[start..]);
    }

    fn canonize(&self, rows: &mut [u64]) {
        if let Some(symmetries) = &self.symmetries {
            symmetries.canonize(rows, self.row_words());
        }
    }

    /// The state of a row.
    pub fn state_of_row(&self, row: &[u64]) -> State {
        self.game.state(row)
    }

    /// Finds who has the turn in each of some states, rows of [`row_words`](Self::row_words) words, the goals of those
    /// that are terminal, and all successors of the others, one for each legal joint move.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends; it is checked once for each batch of some hundred states.
    pub fn expand(&mut self, states: &[u64], expansion: &mut Expansion) -> Result<(), Stopped> {
        expansion.clear();
        let game = self.game.clone();
        let budget = self.budget.renewed();
        let width = self.row_words();
        let states: Vec<&[u64]> = states.chunks_exact(width).collect();
        for (number, states) in states.chunks(LANES).enumerate() {
            budget.check()?;
            let first = (LANES * number) as u32;
            let rows = self.batch.terminal(game.programs(), states);
            let over = (0..states.len()).map(|lane| rows.row(lane)[0] & 1 == 1);
            expansion.turns.extend(over.map(|over| if over { MoveChooser::Over } else { MoveChooser::Several }));
            let turns = &mut expansion.turns[first as usize..];
            let is_over = |turn: &MoveChooser| *turn == MoveChooser::Over;
            expansion.terminal.clear();
            expansion.terminal.extend((0..).zip(&*turns).filter(|(_, turn)| is_over(turn)).map(|(lane, _)| lane));
            if expansion.terminal.len() < states.len() {
                let rows = self.batch.legal(game.programs(), states);
                for (lane, turn) in turns.iter_mut().enumerate().filter(|(_, turn)| !is_over(turn)) {
                    *turn =
                        moves(&game, &rows, lane, first + lane as u32, &mut expansion.parents, &mut expansion.moves);
                }
            }
            if !expansion.terminal.is_empty() {
                let ended: Vec<&[u64]> = expansion.terminal.iter().map(|&lane| states[lane as usize]).collect();
                let rows = self.batch.goals(game.programs(), &ended);
                (0..ended.len()).for_each(|lane| expansion.goals.extend(game.goals_of(&rows, lane)));
            }
        }
        let roles = game.roles.len();
        let parents = expansion.parents.iter().map(|&parent| states[parent as usize]);
        let steps: Vec<(&[u64], &[Move])> = parents.zip(expansion.moves.chunks_exact(roles)).collect();
        expansion.successors.reserve(width * steps.len());
        for steps in steps.chunks(LANES) {
            budget.check()?;
            let rows = self.batch.next(game.programs(), steps);
            (0..steps.len()).for_each(|lane| expansion.successors.extend_from_slice(rows.row(lane)));
        }
        if self.now.is_empty() {
            expansion.successors.resize(steps.len(), 0);
        }
        self.canonize(&mut expansion.successors);
        Ok(())
    }
}

/// Finds the joint moves of the state in a lane, and who chooses among them.
fn moves(
    game: &Arc<NetGame>,
    rows: &LaneRows<'_>,
    lane: usize,
    number: u32,
    parents: &mut Vec<u32>,
    moves: &mut Vec<Move>,
) -> MoveChooser {
    let row = rows.row(lane);
    let start = moves.len();
    let mut chooser = None;
    for (role, there) in game.roles.iter().enumerate() {
        let range = &there.moves;
        let mut legal = within(row, range.start as usize, range.end as usize);
        let Some(first) = legal.next() else {
            moves.truncate(start);
            return MoveChooser::Stuck(Role(role as u32));
        };
        if legal.next().is_some() && chooser.replace(role).is_some() {
            moves.truncate(start);
            return MoveChooser::Several;
        }
        moves.push(Move(first));
    }
    parents.push(number);
    let chooser = chooser.unwrap_or_default();
    let range = &game.roles[chooser].moves;
    let roles = game.roles.len();
    for made in within(row, range.start as usize, range.end as usize).skip(1) {
        let end = moves.len();
        moves.extend_from_within(start..start + roles);
        moves[end + chooser] = Move(made);
        parents.push(number);
    }
    MoveChooser::Of(Role(chooser as u32))
}

/// The places of the bits that are set in a range, ascending.
fn within(row: &[u64], start: usize, end: usize) -> impl Iterator<Item = u32> {
    let words = start / 64..end.div_ceil(64);
    words.flat_map(move |number| {
        let low = u64::MAX << start.saturating_sub(64 * number).min(63);
        let high = match end - 64 * number {
            0..64 => (1 << (end - 64 * number)) - 1,
            _ => u64::MAX,
        };
        ones_of_word(row[number] & low & high).map(move |place| (64 * number + place) as u32)
    })
}
