//! Playouts from given states that have ended: a record each, in lists that are allocated once.

use ludolog_game::{Move, PlayoutEnd, PlayoutOutcome};

/// A playout that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedPlayout<'e> {
    /// The number of the state that it began with.
    pub number: usize,
    /// Why it ended.
    pub end: PlayoutEnd,
    /// The number of joint moves.
    pub steps: usize,
    /// The goals of all roles in the last state.
    pub goals: &'e [Option<i64>],
    /// The moves made by roles in their turn, each once, in no order; none where they are not recorded.
    pub moves: &'e [Move],
}

impl EndedPlayout<'_> {
    /// The same by itself.
    pub fn outcome(&self) -> PlayoutOutcome {
        PlayoutOutcome { end: self.end, steps: self.steps, goals: self.goals.to_vec(), moves: self.moves.to_vec() }
    }
}

/// A playout whose goals are not known.
#[derive(Clone, Debug)]
pub(super) struct KeptPlayout {
    pub number: usize,
    pub end: PlayoutEnd,
    pub steps: usize,
    pub moves: Vec<Move>,
}

impl KeptPlayout {
    /// A place for one.
    pub fn empty() -> KeptPlayout {
        KeptPlayout { number: 0, end: PlayoutEnd::Terminal, steps: 0, moves: Vec::new() }
    }
}

/// Playouts that have ended.
#[derive(Clone, Debug)]
pub struct EndedPlayouts {
    roles: usize,
    /// The number of the state, the end, the steps, and one past the last move of each.
    ends: Vec<(usize, PlayoutEnd, usize, usize)>,
    /// Of each the goals of all roles.
    goals: Vec<Option<i64>>,
    moves: Vec<Move>,
}

impl EndedPlayouts {
    /// None yet, of a game with this number of roles.
    pub(super) fn new(roles: usize) -> EndedPlayouts {
        EndedPlayouts { roles, ends: Vec::new(), goals: Vec::new(), moves: Vec::new() }
    }

    /// Adds a playout, whose list of moves is emptied.
    pub(super) fn push(&mut self, kept: &mut KeptPlayout, goals: &[Option<i64>]) {
        self.goals.extend_from_slice(goals);
        self.moves.append(&mut kept.moves);
        self.ends.push((kept.number, kept.end, kept.steps, self.moves.len()));
    }

    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.goals.clear();
        self.moves.clear();
    }

    /// The number of playouts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them, in the order of their ends.
    pub fn iter(&self) -> impl Iterator<Item = EndedPlayout<'_>> {
        let mut first = 0;
        self.ends.iter().enumerate().map(move |(place, &(number, end, steps, last))| {
            let moves = &self.moves[first..last];
            first = last;
            let goals = &self.goals[place * self.roles..][..self.roles];
            EndedPlayout { number, end, steps, goals, moves }
        })
    }
}
