//! All moves as first: the value of a move wherever its role makes it later, in the tree or in a playout.
//!
//! A simulation says something about all moves that it makes, not about the first alone (Gelly and Silver, *Monte-Carlo
//! tree search and rapid action value estimation in computer Go*, 2011). Nodes that were visited often keep such values of
//! all moves of the game; others use those of the nearest of them above (Cazenave, *Generalized rapid action value
//! estimation*, 2015). That helps where a move means the same later on: where it stays legal until somebody makes it, and
//! is made once.

use ludolog_engine::Budget;
use ludolog_game::{Draw, Move, Role, StateMachine};

/// Random playouts by which a game is judged.
const SAMPLES: usize = 16;

/// Joint moves of each of them.
const MAX_STEPS: usize = 200;

/// The least share of moves that stay legal until the next turn of their role: between hex, where these values gain, and
/// breakthrough (0.905), where nothing was measured.
const LEAST_STAYING: f64 = 0.93;

/// The greatest share of moves that are legal again after they were made.
const MOST_REPEATED: f64 = 0.05;

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

/// Whether moves mean the same later on, as far as random playouts from the first state tell.
pub fn keep_meaning(machine: &mut dyn StateMachine, seed: u64, budget: &Budget) -> bool {
    let initial = machine.initial_state().clone();
    let roles = machine.roles().len();
    let mut draw = Draw::new(seed);
    let mut counts = MoveCounts::default();
    for _ in 0..SAMPLES {
        machine.set_budget(budget.rest());
        // By role: its legal moves at its last turn, and the one it made.
        let mut last: Vec<(Vec<Move>, Option<Move>)> = vec![(Vec::new(), None); roles];
        let mut choose = |_: usize, Role(role): Role, moves: &[Move]| {
            let made = moves[draw.below(moves.len())];
            if moves.len() > 1 {
                let before = std::mem::replace(&mut last[role as usize], (moves.to_vec(), Some(made)));
                counts.note(&before, moves);
            }
            made
        };
        if machine.playouts(std::slice::from_ref(&initial), MAX_STEPS, &mut choose).is_err() {
            return false;
        }
    }
    counts.keep_meaning()
}

/// Moves that were legal at a turn, counted at the next one of the same role.
#[derive(Default)]
struct MoveCounts {
    others: u32,
    staying: u32,
    made: u32,
    repeated: u32,
}

impl MoveCounts {
    fn note(&mut self, (before, made): &(Vec<Move>, Option<Move>), legal: &[Move]) {
        let is_legal = |other: &Move| legal.binary_search(other).is_ok();
        for other in before {
            let stays = u32::from(is_legal(other));
            if Some(*other) == *made {
                self.made += 1;
                self.repeated += stays;
            } else {
                self.others += 1;
                self.staying += stays;
            }
        }
    }

    fn keep_meaning(&self) -> bool {
        let [others, staying, made, repeated] = [self.others, self.staying, self.made, self.repeated].map(f64::from);
        others > 0.0 && staying >= LEAST_STAYING * others && repeated <= MOST_REPEATED * made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, GameReasoner};
    use ludolog_engine::Session;
    use ludolog_syntax::Syntax;

    /// Two take things in turn until none is left; `rules` say which things may be taken, and what happens to them.
    fn game(rules: &str) -> Game {
        let things: String = (1..=40).map(|thing| format!("(thing {thing}) ")).collect();
        let rules = format!(
            "(role left) (role right) (init (control left)) (other left right) (other right left) {things}
             (<= (base (control ?p)) (role ?p)) (<= (base (taken ?t)) (thing ?t))
             (<= (input ?p (take ?t)) (role ?p) (thing ?t)) (<= (input ?p wait) (role ?p))
             (<= (legal ?q wait) (true (control ?p)) (other ?p ?q))
             (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
             (<= (next (taken ?t)) (does ?p (take ?t))) (<= open (thing ?t) (not (true (taken ?t))))
             (<= terminal (not open)) (<= (goal ?p 50) (role ?p)) {rules}"
        );
        let session = Session::of_text(&rules, Syntax::Kif).expect("the rulesheet is sound");
        let rules = GameReasoner::new(session.program(), &Budget::unlimited()).expect("nothing stops it");
        rules.game(&Budget::unlimited()).expect("it is a game")
    }

    fn keep_meaning(rules: &str) -> bool {
        super::keep_meaning(game(rules).machine(), 1, &Budget::unlimited())
    }

    #[test]
    fn moves_keep_their_meaning_where_each_is_made_once() {
        let once = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t) (not (true (taken ?t))))
            (<= (next (taken ?t)) (true (taken ?t)))";
        assert!(keep_meaning(once), "of forty things one goes in between");
        let again = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t))";
        assert!(!keep_meaning(again), "what was taken may be taken again");
        let tens: String =
            (0..400).map(|pair| format!("(ten {} {}) ", pair / 10 + 1, pair / 100 * 10 + pair % 10 + 1)).collect();
        let with_it = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t) (not (gone ?t)))
            (<= (gone ?t) (true (taken ?s)) (ten ?s ?t)) (<= (next (taken ?t)) (true (taken ?t)))";
        assert!(!keep_meaning(&(tens + with_it)), "each takes nine others with it");
    }

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
