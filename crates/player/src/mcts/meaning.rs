//! The meaning of moves: whether a move is the same thing whenever it is made.

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

/// How long the moves of a game mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveMeaning {
    /// They are legal until somebody makes them, and are made once, as stones of connection games.
    Kept,
    /// They are made once at most, and legal at some times only, as stones of othello and steps of breakthrough.
    Once,
    /// They are made again and again, as stones in a column of connect four.
    Changing,
}

impl MoveMeaning {
    /// The meaning of the moves of a game, as far as random playouts from the first state tell; `Changing` where the budget ends.
    pub fn of(machine: &mut dyn StateMachine, seed: u64, budget: &Budget) -> MoveMeaning {
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
                return MoveMeaning::Changing;
            }
        }
        counts.meaning()
    }
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

    fn meaning(&self) -> MoveMeaning {
        let [others, staying, made, repeated] = [self.others, self.staying, self.made, self.repeated].map(f64::from);
        if others == 0.0 || repeated > MOST_REPEATED * made {
            MoveMeaning::Changing
        } else if staying >= LEAST_STAYING * others {
            MoveMeaning::Kept
        } else {
            MoveMeaning::Once
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, GameReasoner};
    use crate::mcts::{MAX_GUIDING_MOVES, SearchSettings, prepare_playouts};
    use ludolog_engine::Session;
    use ludolog_propnet::PlayoutPolicy;
    use ludolog_syntax::Syntax;

    /// Things that may be taken until somebody has taken them.
    const ONCE: &str = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t) (not (true (taken ?t))))
        (<= (next (taken ?t)) (true (taken ?t)))";

    /// Two take things in turn until none is left; `rules` say which things may be taken, and what happens to them.
    fn game(things: usize, rules: &str) -> Game {
        let things: String = (1..=things).map(|thing| format!("(thing {thing}) ")).collect();
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

    fn meaning(rules: &str) -> MoveMeaning {
        MoveMeaning::of(game(40, rules).machine(), 1, &Budget::unlimited())
    }

    #[test]
    fn moves_keep_their_meaning_where_they_stay_until_they_are_made() {
        assert_eq!(meaning(ONCE), MoveMeaning::Kept, "of forty things one goes in between");
        let again = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t))";
        assert_eq!(meaning(again), MoveMeaning::Changing, "what was taken may be taken again");
        let tens: String =
            (0..400).map(|pair| format!("(ten {} {}) ", pair / 10 + 1, pair / 100 * 10 + pair % 10 + 1)).collect();
        let with_it = "(<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t) (not (gone ?t)))
            (<= (gone ?t) (true (taken ?s)) (ten ?s ?t)) (<= (next (taken ?t)) (true (taken ?t)))";
        assert_eq!(meaning(&(tens + with_it)), MoveMeaning::Once, "each takes nine others with it");
    }

    /// Each thing is two moves, one of each role; they may wait besides.
    #[test]
    fn playouts_are_guided_by_few_moves() {
        let is_guided = |things| {
            let Game::Net(_, mut machine) = game(things, ONCE) else { return false };
            let settings = SearchSettings { playout_policy: PlayoutPolicy::Uniform, ..SearchSettings::default() };
            prepare_playouts(&mut machine, &settings, &Budget::unlimited());
            assert!(machine.move_use().told, "they keep their meaning");
            machine.move_use().guiding
        };
        assert_eq!([40, MAX_GUIDING_MOVES / 2].map(is_guided), [true, false]);
    }
}
