//! The player that looks at the game first, and then chooses how to play it.
//!
//! One role: [`OnePlayer`]. Roles that take turns in a game whose states can all be labelled in a part of the start
//! clock: [`Zermelo`]. Two that do, with goals of constant sum, in a game short and narrow enough for alpha-beta to see
//! its end: [`AlphaBeta`]. All else: [`Mcts`]. Lengths, widths, turns and sums are those of random playouts.

use crate::alpha_beta::AlphaBeta;
use crate::game::Game;
use crate::mcts::Mcts;
use crate::one_player::OnePlayer;
use crate::player::{Choice, Player, SearchReport, is_stop};
use crate::registry::Options;
use crate::zermelo::{NoTree, Zermelo};
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, Move, Role, State, StateMachine};
use std::time::Duration;

/// Random playouts that the game is judged by.
const SAMPLES: usize = 64;

/// Joint moves of each of them.
const MAX_STEPS: usize = 200;

/// The part of the start clock in which the game is looked at, and that in which its tree is made.
const SHARE: u32 = 4;

/// Decimal digits of the number of lines of play beyond which no tree is tried.
const MAX_DIGITS: f64 = 14.0;

/// The size of trees that alpha-beta sees through in a second: the square root of the number of lines (Knuth and Moore,
/// *An analysis of alpha-beta pruning*, 1975), where many lines share states.
const DIGITS_A_SECOND: f64 = 4.0;

/// The traits of a game that random playouts tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgment {
    /// The number of roles.
    pub roles: usize,
    /// Whether at most one role had a choice in each state.
    pub takes_turns: bool,
    /// Whether the goals of all roles always had the same sum.
    pub constant_sum: bool,
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
        let mut judgment = Judgment { roles, takes_turns: true, constant_sum: true, ..Judgment::default() };
        let mut draw = Draw::new(seed);
        let mut sum = None;
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
                let of_playout = played.goals.iter().copied().sum::<Option<i64>>();
                judgment.constant_sum &= of_playout.is_some() && sum.is_none_or(|sum| sum == of_playout);
                sum = Some(of_playout);
            }
        }
        let samples = judgment.samples.max(1) as f64;
        (judgment.length, judgment.digits) = (judgment.length / samples, judgment.digits / samples);
        Ok(judgment)
    }

    fn text(&self) -> String {
        let turns = if self.takes_turns { "in turns" } else { "moves at once" };
        let sum = if self.constant_sum { ", constant sum" } else { "" };
        format!("{turns}{sum}, some {:.0} joint moves, 10^{:.0} lines of play", self.length, self.digits)
    }
}

enum AutoStage {
    Looking(Game),
    Playing(Box<dyn Player>),
}

/// Plays as the game asks for.
pub struct Auto {
    stage: Option<AutoStage>,
    role: Role,
    options: Options,
}

impl Auto {
    /// A player of this role.
    pub fn new(game: Game, role: Role, options: Options) -> Self {
        Auto { stage: Some(AutoStage::Looking(game)), role, options }
    }

    /// Chooses a player and says why.
    fn choose(
        &self,
        mut game: Game,
        budget: &Budget,
        play_clock: Duration,
    ) -> Result<(Box<dyn Player>, String), GameError> {
        let role = self.role;
        let options = &self.options;
        if game.reader().roles().len() == 1 {
            let player = OnePlayer::new(game, options.memory, options.seed);
            return Ok((Box::new(player), "one-player: there is one role".to_owned()));
        }
        let share = || budget.part_of_rest(|left| left / SHARE);
        let judgment = Judgment::new(game.machine(), options.seed, &share())?;
        let why = judgment.text();
        if judgment.samples > 0 && judgment.takes_turns && judgment.digits < MAX_DIGITS {
            let mut zermelo = Zermelo::new(game, role, options.memory);
            match zermelo.make_tree(&share()) {
                Ok(()) => return Ok((Box::new(zermelo), format!("zermelo: {why}"))),
                Err(NoTree::Game(error)) if !is_stop(&error) => return Err(error),
                Err(_) => game = zermelo.into_game(),
            }
        }
        let seen = DIGITS_A_SECOND + play_clock.as_secs_f64().max(0.001).log10();
        let fits = judgment.samples > 0 && judgment.roles == 2 && judgment.takes_turns && judgment.constant_sum;
        if fits && judgment.digits / 2.0 < seen {
            let player = AlphaBeta::new(game, role, options.alpha_beta());
            return Ok((Box::new(player), format!("alpha-beta: {why}")));
        }
        Ok((Box::new(Mcts::new(game, role, options.mcts())), format!("mcts: {why}")))
    }
}

impl Player for Auto {
    fn machine(&mut self) -> &mut dyn StateMachine {
        match self.stage.as_mut().expect("one stage follows another") {
            AutoStage::Looking(game) => game.machine(),
            AutoStage::Playing(player) => player.machine(),
        }
    }

    fn start(&mut self, budget: &Budget, play_clock: Duration) -> Result<SearchReport, GameError> {
        let mut report = SearchReport::default();
        self.stage = match self.stage.take() {
            Some(AutoStage::Looking(game)) => {
                let (mut player, why) = self.choose(game, budget, play_clock)?;
                report = player.start(&budget.rest(), play_clock)?;
                report.note = Some(why);
                Some(AutoStage::Playing(player))
            }
            stage => stage,
        };
        Ok(report)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        if let Some(AutoStage::Looking(game)) = self.stage.take_if(|stage| matches!(stage, AutoStage::Looking(_))) {
            // There was no start clock to look at the game.
            let player = Mcts::new(game, self.role, self.options.mcts());
            self.stage = Some(AutoStage::Playing(Box::new(player)));
        }
        match self.stage.as_mut() {
            Some(AutoStage::Playing(player)) => player.play(state, budget),
            _ => unreachable!("a player was chosen"),
        }
    }
}
