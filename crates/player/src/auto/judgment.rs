//! The traits of a game that the choice of its player rests on.

use crate::player::{is_stop, settled};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Move, Role, StateMachine};
use rustc_hash::FxHashSet;

/// Random playouts that the game is judged by.
const SAMPLES: usize = 64;

/// Joint moves of each of them.
const MAX_STEPS: usize = 200;

/// The traits of a game that random playouts tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgment {
    /// The number of roles.
    pub roles: usize,
    /// Whether at most one role had a choice in each state.
    pub takes_turns: bool,
    /// The sum of the goals of all roles, if it was always the same.
    pub sum: Option<i64>,
    /// The mean number of joint moves.
    pub length: f64,
    /// The mean number of decimal digits of the product of the numbers of joint moves along a line.
    pub digits: f64,
    /// The playouts that all of this is taken from.
    pub samples: usize,
}

impl Judgment {
    /// Judges a game by random playouts.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn new(machine: &mut dyn StateMachine, seed: u64, budget: &Budget) -> Result<Judgment, GameError> {
        let initial = machine.initial_state().clone();
        let roles = machine.roles().len();
        let mut judgment = Judgment { roles, takes_turns: true, ..Judgment::default() };
        let mut draw = Draw::new(seed);
        let mut sums = FxHashSet::default();
        for _ in 0..SAMPLES {
            if budget.check().is_err() {
                break;
            }
            machine.set_budget(budget.rest());
            let mut takes_turns = true;
            let mut digits = 0.0;
            let mut choosers = 0;
            let mut choose = |_: usize, role: Role, moves: &[Move]| {
                if role.0 == 0 {
                    choosers = 0;
                }
                choosers += usize::from(moves.len() > 1);
                takes_turns &= choosers <= 1;
                digits += (moves.len() as f64).log10();
                moves[draw.below(moves.len())]
            };
            let played = match machine.playouts(std::slice::from_ref(&initial), MAX_STEPS, &mut choose) {
                Ok(mut played) => played.swap_remove(0),
                Err(error) if is_stop(&error) => break,
                Err(error) => return Err(error),
            };
            judgment.samples += 1;
            judgment.takes_turns &= takes_turns;
            judgment.length += played.steps as f64;
            judgment.digits += digits;
            if played.end == ludolog_game::PlayoutEnd::Terminal {
                sums.insert(settled(&played.goals).sum::<i64>());
            }
        }
        judgment.sum = sums.iter().next().copied().filter(|_| sums.len() == 1);
        let samples = judgment.samples.max(1) as f64;
        (judgment.length, judgment.digits) = (judgment.length / samples, judgment.digits / samples);
        Ok(judgment)
    }

    /// The traits in words.
    pub fn text(&self) -> String {
        let turns = if self.takes_turns { "in turns" } else { "moves at once" };
        let sum = if self.sum.is_some() { ", constant sum" } else { "" };
        format!("{turns}{sum}, some {:.0} joint moves, 10^{:.0} lines of play", self.length, self.digits)
    }
}
