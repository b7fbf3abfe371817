//! The judge of a search: learned from random games, then from games of the search against itself.
//!
//! The search plays to little depth, from states after some random moves. The target of a state is a mean of the values that the
//! search found later in its game and of the end, those that are nearer weighing more (Sutton, *Learning to predict by the methods
//! of temporal differences*, 1988; with a search as Veness, Silver, Uther and Blair, *Bootstrapping from game tree search*,
//! 2009).

use super::search::{Horizon, Ordering, Search};
use super::table::TranspositionTable;
use super::{MAX, Valued};
use crate::judge::learn::Learner;
use crate::judge::{Evaluator, Judge};
use crate::player::{after_random_moves, is_stop, place, values};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use ludolog_propnet::Net;
use std::sync::Arc;

/// The part of the time in which random games are learned from.
const RANDOM_SHARE: u32 = 3;

/// The depth of the search that plays against itself.
const DEPTH: u32 = 2;

/// The weight of what comes after the next state, in a target.
const LAMBDA: f32 = 0.8;

/// One move of so many is a random one.
const RANDOM_EVERY: usize = 10;

/// Joint moves after which a game is given up.
const MAX_STEPS: usize = 400;

/// Games between two looks at what was learned.
const GAMES_A_JUDGE: u64 = 16;

/// Bytes of the table of a search that plays against itself.
const TABLE: usize = 1 << 20;

/// Learns a judge of a game with a net, as long as it is given time.
pub struct Training {
    role: Role,
    learner: Learner,
    draw: Draw,
    /// States of random games that were learned from.
    random: usize,
    /// Games of the search against itself.
    games: u64,
}

impl Training {
    /// Nothing learned of a net for a role.
    pub fn new(net: &Net, role: Role, seed: u64) -> Training {
        let learner = Learner::new(role, net.facts.len(), seed);
        Training { role, learner, draw: Draw::new(seed), random: 0, games: 0 }
    }

    /// Learns from a machine of the net until the budget ends: at first from random games, in a part of the time.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn learn(&mut self, machine: &mut dyn StateMachine, budget: &Budget) -> Result<(), GameError> {
        if self.random == 0 {
            self.learner.from_random_games(machine, &budget.part_of_rest(|left| left / RANDOM_SHARE))?;
            self.random = self.learner.seen();
            self.learner.loosen();
        }
        let mut self_play = SelfPlay::new(self.role, &self.learner);
        loop {
            match self_play.game(machine, &mut self.learner, &mut self.draw, budget) {
                Ok(()) => self.games += 1,
                Err(error) if is_stop(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.games.is_multiple_of(GAMES_A_JUDGE) {
                self_play = SelfPlay::new(self.role, &self.learner);
            }
        }
    }

    /// The judge as learned so far.
    pub fn judge(&self) -> Arc<Judge> {
        Arc::new(self.learner.judge())
    }

    /// A phrase on what the judge was learned from.
    pub fn text(&self) -> String {
        let products = self.learner.products();
        format!(
            "a judge of {products} products, from {} states of random games and {} games against itself",
            self.random, self.games
        )
    }
}

/// The search as it plays against itself, with a judge as learned so far.
struct SelfPlay {
    role: Role,
    horizon: Horizon,
    table: TranspositionTable,
    ordering: Ordering,
}

impl SelfPlay {
    fn new(role: Role, learner: &Learner) -> SelfPlay {
        let horizon = Horizon::Judge(Evaluator::new(Arc::new(learner.judge())));
        SelfPlay { role, horizon, table: TranspositionTable::new(TABLE), ordering: Ordering::default() }
    }

    /// Plays a game and learns from it.
    fn game(
        &mut self,
        machine: &mut dyn StateMachine,
        learner: &mut Learner,
        draw: &mut Draw,
        budget: &Budget,
    ) -> Result<(), GameError> {
        budget.check()?;
        machine.set_budget(budget.rest());
        let opening = draw.below(learner.length() / 2 + 1);
        let Some(mut state) = after_random_moves(machine, opening, draw)? else { return Ok(()) };
        let mut seen = Vec::new();
        let mut target = loop {
            if machine.is_terminal(&state)? {
                let goals = machine.all_goals(std::slice::from_ref(&state))?.swap_remove(0);
                break values(&goals).nth(place(self.role)).unwrap_or(0.0);
            }
            let (valued, joint) = self.choose(machine, &state, draw, budget)?;
            let value = valued.value as f32 / MAX as f32;
            let Some(joint) = joint.filter(|_| !valued.exact && seen.len() < MAX_STEPS) else { break value };
            let next = machine.next_state(&state, &joint)?;
            seen.push((std::mem::replace(&mut state, next), value));
        };
        for (state, value) in seen.into_iter().rev() {
            learner.from_game(state, target);
            target = LAMBDA * target + (1.0 - LAMBDA) * value;
        }
        Ok(())
    }

    /// The value of a state by the search, and the joint move it makes, which now and then is a random one; no move if a
    /// role has none.
    fn choose(
        &mut self,
        machine: &mut dyn StateMachine,
        state: &State,
        draw: &mut Draw,
        budget: &Budget,
    ) -> Result<(Valued, Option<Vec<Move>>), GameError> {
        let mut search =
            Search::new(machine, self.role, &mut self.table, &mut self.ordering, &mut self.horizon, budget);
        let valued = search.root(state, DEPTH)?;
        let best = search.best;
        let legal = machine.all_legal_moves(std::slice::from_ref(state))?.swap_remove(0);
        let is_random = draw.below(RANDOM_EVERY) == 0;
        let joint = legal.iter().map(|moves| {
            let random = moves.get(draw.below(moves.len().max(1))).copied();
            best.filter(|best| !is_random && moves.contains(best)).or(random)
        });
        Ok((valued, joint.collect()))
    }
}
