//! All moves as first: the value of a move wherever its role makes it later, in the tree or in a playout.
//!
//! A simulation says something about all moves that it makes, not about the first alone (Gelly and Silver, *Monte-Carlo
//! tree search and rapid action value estimation in computer Go*, 2011). Nodes that were visited often keep such values of
//! all moves of the game; others use those of the nearest of them above (Cazenave, *Generalized rapid action value
//! estimation*, 2015). That helps where a move means the same later on: where it stays legal until somebody makes it, and
//! is made once.

use ludolog_game::Move;

/// Most moves of a game, of all roles: a node that keeps their values has 8 bytes for each.
pub const MAX_MOVES: usize = 1 << 12;

/// The visits with which a node begins to keep values of its own. They are used from twice as many on.
pub const REFERENCE: u32 = 20;

/// The visits of a move whose own value weighs as much as that of the same move made at any time.
const EQUIVALENCE: f32 = 1_000.0;

/// The part of exploration that is left where these values are used: they explore as well.
pub const EXPLORATION: f32 = 0.5;

/// The value of a move made at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct AmafStats {
    visits: f32,
    total: f32,
}

impl AmafStats {
    /// Adds visits, with the sum of their values.
    pub fn add(&mut self, visits: f32, total: f32) {
        self.visits += visits;
        self.total += total;
    }

    /// The value of a move that was visited so often in its node, with the value that it has there.
    pub fn mixed(self, value: f32, visits: u32) -> f32 {
        if self.visits <= 0.0 {
            return value;
        }
        let own = visits as f32;
        let share = self.visits / (self.visits + own + self.visits * own / EQUIVALENCE);
        value + share * (self.total / self.visits - value)
    }
}

/// The moves of some playouts, and the values of all roles in each, in lists that are allocated once.
#[derive(Default)]
pub struct PlayedMoves {
    /// Of each playout one past its last move, and one past its last value.
    ends: Vec<(usize, usize)>,
    moves: Vec<Move>,
    values: Vec<f32>,
}

impl PlayedMoves {
    /// Adds a playout.
    pub fn push(&mut self, moves: &[Move], values: impl Iterator<Item = f32>) {
        self.moves.extend_from_slice(moves);
        self.values.extend(values);
        self.ends.push((self.moves.len(), self.values.len()));
    }

    /// The number of playouts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The moves and the values of each playout.
    pub fn iter(&self) -> impl Iterator<Item = (&[Move], &[f32])> {
        let mut first = (0, 0);
        self.ends.iter().map(move |&last| {
            let played = (&self.moves[first.0..last.0], &self.values[first.1..last.1]);
            first = last;
            played
        })
    }

    /// Removes all playouts.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.moves.clear();
        self.values.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_worth_what_it_brings_itself_once_it_was_made_often() {
        let mut any_time = AmafStats::default();
        assert_eq!(any_time.mixed(0.25, 0), 0.25, "nothing is known");
        any_time.add(1_000_000.0, 750_000.0);
        assert!((any_time.mixed(0.25, 0) - 0.75).abs() < 1e-6, "it was not made here");
        let even = any_time.mixed(0.25, EQUIVALENCE as u32);
        assert!((even - 0.5).abs() < 1e-3, "both weigh alike: {even}");
        assert!(any_time.mixed(0.25, 1_000_000) < 0.26);
    }
}
