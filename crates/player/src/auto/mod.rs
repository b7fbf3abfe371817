//! The player that looks at the game first, and then chooses how to play it.
//!
//! A game that hides its states or has a role of chance: [`Cfr`]. One role: [`OnePlayer`]. Roles that take turns in a game whose states can all be labelled in a part of the start
//! clock: [`Zermelo`]. Two that do, with goals of constant sum, in a game short and narrow enough for alpha-beta to see
//! its end: [`AlphaBeta`]; in a greater one the winner of short matches between alpha-beta and tree search in the start
//! clock. All else: [`Mcts`]. Lengths, widths, turns and sums are those of random playouts.
//!
//! | where | what it owns |
//! | --- | --- |
//! | `judgment.rs` | the traits of a game |
//! | `contest.rs` | the short matches |
//! | `proving.rs` | tree search that leaves what is proved to alpha-beta |

mod contest;
mod judgment;
mod proving;

use crate::alpha_beta::{AlphaBeta, Training};
use crate::game::Game;
use crate::hidden::Cfr;
use crate::hidden::belief::Observation;
use crate::mcts::{Mcts, SearchSettings};
use crate::one_player::OnePlayer;
use crate::player::{Choice, Player, SearchReport, is_stop};
use crate::registry::Options;
use crate::zermelo::{NoTree, Zermelo};
use contest::Contest;
use ludolog_engine::Budget;
use ludolog_game::{GameError, Role, State, StateMachine};
use ludolog_propnet::{Net, NetMachine};
use proving::Proving;
use std::sync::Arc;
use std::time::Duration;

pub use judgment::Judgment;

/// The part of the start clock in which the game is looked at, and that in which its tree is made.
const SHARE: u32 = 4;

/// The part of what is then left of it in which alpha-beta learns, and that of the rest in which it plays tree search.
const CONTEST_SHARE: u32 = 3;

/// Decimal digits of the number of lines of play beyond which no tree is tried.
const MAX_DIGITS: f64 = 14.0;

/// The size of trees that alpha-beta sees through in a second: the square root of the number of lines (Knuth and Moore,
/// *An analysis of alpha-beta pruning*, 1975), where many lines share states.
const DIGITS_A_SECOND: f64 = 4.0;

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
        if let Some(why) = why_unknown(game.reader()) {
            let player = Cfr::new(game, role, options.memory, options.seed);
            return Ok((Box::new(player), format!("cfr: {why}")));
        }
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
        let fits = judgment.roles == 2 && judgment.takes_turns && judgment.sum.is_some();
        if fits && judgment.digits / 2.0 < seen {
            let player = AlphaBeta::with_options(game, role, options);
            return Ok((Box::new(player), format!("alpha-beta: {why}")));
        }
        match game {
            Game::Net(net, machine) if fits && judgment.sum == Some(100) && has_time(&judgment, budget) => {
                self.choose_by_contest(net, machine, &judgment, budget)
            }
            game => Ok((Box::new(Mcts::new(game, role, options.mcts())), format!("mcts: {why}"))),
        }
    }

    /// Lets alpha-beta learn and play against tree search, and chooses the better one.
    fn choose_by_contest(
        &self,
        net: Arc<Net>,
        mut machine: Box<NetMachine>,
        judgment: &Judgment,
        budget: &Budget,
    ) -> Result<(Box<dyn Player>, String), GameError> {
        let Auto { role, options, .. } = self;
        let why = judgment.text();
        let share = || budget.part_of_rest(|left| left / CONTEST_SHARE);
        let known = options.judge_of(&net, *role);
        let mut training = Training::new(&net, *role, options.seed);
        if known.is_none() {
            training.learn(&mut *machine, &share())?;
        }
        let judge = known.clone().unwrap_or_else(|| training.judge());
        let time = share();
        let setting = (judgment.length as usize, options);
        let score = Contest::new(&net, &mut machine, (*role, judge.clone()), setting, &time).play(&time)?;
        let result = score.text();
        if score.prefers_alpha_beta() {
            if known.is_none() {
                training.learn(&mut *machine, &budget.part_of_rest(|left| left / 2))?;
            }
            let learned = if known.is_some() { "a judge that is given".to_owned() } else { training.text() };
            let judge = known.unwrap_or_else(|| training.judge());
            let player = AlphaBeta::with_judge(Game::Net(net, machine), *role, options.alpha_beta(), judge);
            return Ok((Box::new(player), format!("alpha-beta: {why}; {result}; {learned}")));
        }
        let game = |machine| Game::Net(net.clone(), machine);
        let prover = AlphaBeta::with_judge(game(machine.clone()), *role, options.alpha_beta(), judge);
        // Of the memory a quarter is that of alpha-beta.
        let settings = SearchSettings { memory: options.memory - options.memory / 4, ..options.mcts() };
        let player = Proving::new(prover, Mcts::new(game(machine), *role, settings));
        Ok((Box::new(player), format!("mcts: {why}; {result}; alpha-beta looks for proofs")))
    }
}

/// Why a game is not known as it stands: by hidden states, or by chance.
fn why_unknown(machine: &dyn StateMachine) -> Option<&'static str> {
    if machine.hides() {
        Some("the game hides its states")
    } else {
        machine.has_chance().then_some("a role moves at random")
    }
}

/// Whether there is time to learn and to play a contest.
fn has_time(judgment: &Judgment, budget: &Budget) -> bool {
    let for_contest = |left: Duration| (left - left / CONTEST_SHARE) / CONTEST_SHARE;
    budget.time_left().is_some_and(|left| Contest::fits(for_contest(left), judgment.length as usize))
}

impl Auto {
    /// The player that was chosen; without a start clock to look at the game, the one for all games of its kind.
    fn player(&mut self) -> &mut dyn Player {
        if let Some(AutoStage::Looking(game)) = self.stage.take_if(|stage| matches!(stage, AutoStage::Looking(_))) {
            let Options { memory, seed, .. } = self.options;
            let player: Box<dyn Player> = if why_unknown(game.reader()).is_some() {
                Box::new(Cfr::new(game, self.role, memory, seed))
            } else {
                Box::new(Mcts::new(game, self.role, self.options.mcts()))
            };
            self.stage = Some(AutoStage::Playing(player));
        }
        match self.stage.as_mut() {
            Some(AutoStage::Playing(player)) => &mut **player,
            _ => unreachable!("a player was chosen"),
        }
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
        self.player().play(state, budget)
    }

    fn play_hidden(&mut self, seen: &[Observation], budget: &Budget) -> Result<Choice, GameError> {
        self.player().play_hidden(seen, budget)
    }
}
