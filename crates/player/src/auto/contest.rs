//! Short matches between alpha-beta and tree search, which tell which of the two plays a game better.

use crate::alpha_beta::AlphaBeta;
use crate::game::Game;
use crate::judge::Judge;
use crate::mcts::{Mcts, prepare_playouts};
use crate::player::{Choice, Player, after_random_moves, is_stop, place, values};
use crate::registry::Options;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Role, State, StateMachine};
use ludolog_propnet::{Net, NetMachine};
use std::sync::Arc;
use std::time::Duration;

/// Games that the time should suffice for.
const GAMES: u32 = 12;

/// The least time for a move. Players that have less show little of their strength.
const LEAST_TIME: Duration = Duration::from_millis(4);

/// Games by which one leads when the contest is over.
const LEAD: f64 = 4.0;

/// The least games that say something.
const LEAST_GAMES: u32 = 4;

/// The share of the goals from which alpha-beta is preferred.
const PREFERRED: f64 = 0.6;

/// The part of the time of two moves that alpha-beta has: one in so many. Moves take some 10 ms, and tree search gains more than
/// alpha-beta by the clocks of matches.
const ALPHA_BETA_SHARE: u32 = 5;

/// A game begins after at most this part of its length in random moves.
const OPENING_SHARE: usize = 6;

/// Joint moves after which a game counts as a draw.
const MAX_STEPS: usize = 400;

/// The goal of a game that does not end, or in which a role has no move.
const UNDECIDED: f64 = 0.5;

/// Bytes for the tables and trees of each player.
const MEMORY: usize = 32 << 20;

/// The outcome of the games played.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContestScore {
    games: u32,
    /// The sum of the goals of alpha-beta, from 0 to 1 each.
    sum: f64,
}

impl ContestScore {
    /// Whether alpha-beta plays better, as far as the games tell.
    pub fn prefers_alpha_beta(self) -> bool {
        self.games >= LEAST_GAMES && self.sum >= PREFERRED * f64::from(self.games)
    }

    fn is_clear(self) -> bool {
        (2.0 * self.sum - f64::from(self.games)).abs() >= LEAD
    }

    /// The result in words.
    pub fn text(self) -> String {
        let ContestScore { games, sum } = self;
        format!("alpha-beta {sum} of {games} against mcts, with 1/{ALPHA_BETA_SHARE} of the time")
    }
}

/// The two players, a game of two roles whose goals sum to 100, and the clock of their moves.
pub struct Contest<'c> {
    net: &'c Arc<Net>,
    machine: &'c mut NetMachine,
    /// The machine of tree search, with the playouts that it affords.
    searching: NetMachine,
    /// By role: its judge.
    judges: [Arc<Judge>; 2],
    /// The mean time of a move.
    time: Duration,
    length: usize,
    /// The options of both players.
    options: Options,
}

impl<'c> Contest<'c> {
    /// Whether so much time suffices for a game of some length.
    pub fn fits(time: Duration, length: usize) -> bool {
        time / (GAMES * length.max(1) as u32) >= LEAST_TIME
    }

    /// A contest with the judge of a role, in a game of some length.
    pub fn new(
        net: &'c Arc<Net>,
        machine: &'c mut NetMachine,
        (role, judge): (Role, Arc<Judge>),
        (length, options): (usize, &Options),
        budget: &Budget,
    ) -> Contest<'c> {
        let mut searching = machine.clone();
        prepare_playouts(&mut searching, &options.mcts(), &budget.part_of_rest(|left| left / 4));
        let time = budget.time_left().unwrap_or(Duration::MAX) / (GAMES * length.max(1) as u32);
        let opposite = Arc::new(judge.opposite());
        let judges = if role.0 == 0 { [judge, opposite] } else { [opposite, judge] };
        let options = Options { memory: MEMORY, ..options.clone() };
        Contest { net, machine, searching, judges, time, length, options }
    }

    /// Plays pairs of games, with seats exchanged, until one of them leads clearly or the budget ends.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn play(mut self, budget: &Budget) -> Result<ContestScore, GameError> {
        let mut draw = Draw::new(self.options.seed);
        let mut score = ContestScore::default();
        while !score.is_clear() {
            let played = self.opening(&mut draw, budget).and_then(|opening| {
                let Some(opening) = opening else { return Ok(0.0) };
                let first = self.game(&opening, Role(0), budget)?;
                Ok(first + self.game(&opening, Role(1), budget)?)
            });
            match played {
                Ok(sum) => (score.games, score.sum) = (score.games + 2, score.sum + sum),
                Err(error) if is_stop(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(score)
    }

    /// A state after a few random moves; `None` if the game is over there.
    fn opening(&mut self, draw: &mut Draw, budget: &Budget) -> Result<Option<State>, GameError> {
        budget.check()?;
        self.machine.set_budget(budget.rest());
        let plies = 1 + draw.below(self.length / OPENING_SHARE + 1);
        after_random_moves(self.machine, plies, draw)
    }

    /// The goal of alpha-beta in a role.
    fn game(&mut self, opening: &State, role: Role, budget: &Budget) -> Result<f64, GameError> {
        let mut players = [Role(0), Role(1)].map(|seat| self.player(seat, seat == role));
        let mut state = opening.clone();
        for _ in 0..MAX_STEPS {
            if self.machine.is_terminal(&state)? {
                let goals = self.machine.all_goals(std::slice::from_ref(&state))?.swap_remove(0);
                return Ok(values(&goals).nth(place(role)).map_or(0.0, f64::from));
            }
            let legal = self.machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
            if legal.iter().any(Vec::is_empty) {
                return Ok(UNDECIDED);
            }
            let mut joint = Vec::new();
            for (seat, player) in players.iter_mut().enumerate() {
                budget.check()?;
                let time = self.time_of(seat == place(role));
                let clock = budget.part_of_rest(|left| left.min(time));
                let Choice { made, report } = player.play(&state, &clock)?;
                if let (true, Some(value)) = (report.proven, report.value) {
                    return Ok(if seat == place(role) { value / 100.0 } else { 1.0 - value / 100.0 });
                }
                joint.push(made);
            }
            state = self.machine.next_state(&state, &joint)?;
        }
        Ok(UNDECIDED)
    }

    /// The time of a move.
    fn time_of(&self, is_alpha_beta: bool) -> Duration {
        let of_both = 2 * self.time;
        let of_alpha_beta = of_both / ALPHA_BETA_SHARE;
        if is_alpha_beta { of_alpha_beta } else { of_both - of_alpha_beta }
    }

    fn player(&self, seat: Role, is_alpha_beta: bool) -> Box<dyn Player> {
        let game = |machine: &NetMachine| Game::Net(self.net.clone(), Box::new(machine.clone()));
        let options = &self.options;
        if is_alpha_beta {
            let judge = self.judges[place(seat)].clone();
            Box::new(AlphaBeta::with_judge(game(self.machine), seat, options.alpha_beta(), judge))
        } else {
            Box::new(Mcts::new(game(&self.searching), seat, options.mcts()))
        }
    }
}
