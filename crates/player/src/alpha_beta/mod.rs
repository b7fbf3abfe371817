//! Alpha-beta search by iterative deepening, for two players that take turns.
//!
//! The player maximizes its goal, all others minimize it: with two players whose goals have a constant sum this is
//! minimax, and values that rest on terminal states alone are exact. States at the horizon are valued by a [judge](crate::judge)
//! that is learned in the start clock; without a net, by playouts.
//!
//! | where | what it owns |
//! | --- | --- |
//! | `search.rs` | the search of one state: windows, order of moves, reductions |
//! | `table.rs` | values of states that were searched |
//! | `training.rs` | the judge: learned from random games, then from games of the search against itself |
//!
//! If several roles choose at once, the others are taken to know the player's move.

mod search;
mod table;
mod training;

use crate::game::Game;
use crate::judge::{Evaluator, Judge};
use crate::player::{Choice, Player, SearchReport, is_stop, legal_moves, place};
use crate::registry::Options;
use ludolog_engine::Budget;
use ludolog_game::{Draw, GameError, JointMove, Move, Role, State, StateMachine};
use ludolog_syntax::budget::Stopwatch;
use search::{Horizon, Ordering, Search};
use std::sync::Arc;
use std::time::Duration;
use table::TranspositionTable;

pub use training::Training;

/// A value: a goal, times a hundred.
type Hundredths = i32;

/// The value of a goal of 100.
const MAX: Hundredths = 10_000;

/// Deepest iteration.
const MAX_DEPTH: u32 = 512;

/// The part of the start clock in which the judge is learned.
const LEARNING_SHARE: u32 = 2;

/// The part of the first move's clock in which it is learned if there was no start clock.
const LATE_LEARNING_SHARE: u32 = 8;

/// A value with the reason to trust it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Valued {
    value: Hundredths,
    /// Whether it rests on terminal states alone.
    exact: bool,
    /// The joint moves until the end, at most, by the moves that prove the value; 0 without a proof.
    steps: u32,
}

/// The settings of the player.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaBetaSettings {
    /// Most bytes of the table.
    pub memory: usize,
    /// The deepest iteration; `None` to go on until time is over.
    pub depth: Option<u32>,
    /// Whether to think when there is but one legal move.
    pub ponder: bool,
    /// The seed of learning, and of playouts at the horizon.
    pub seed: u64,
}

impl Default for AlphaBetaSettings {
    fn default() -> Self {
        AlphaBetaSettings { memory: 128 << 20, depth: None, ponder: false, seed: 1 }
    }
}

/// Plays by alpha-beta search.
pub struct AlphaBeta {
    game: Game,
    role: Role,
    settings: AlphaBetaSettings,
    table: TranspositionTable,
    ordering: Ordering,
    horizon: Horizon,
}

impl AlphaBeta {
    /// A player of this role, whose judge is to be learned.
    pub fn new(game: Game, role: Role, settings: AlphaBetaSettings) -> Self {
        let table = TranspositionTable::new(settings.memory);
        let horizon = Horizon::Playouts(Draw::new(settings.seed));
        AlphaBeta { game, role, settings, table, ordering: Ordering::default(), horizon }
    }

    /// A player of this role as users choose it: with the judge that they give, if it is of the game.
    pub fn with_options(game: Game, role: Role, options: &Options) -> Self {
        let judge = match &game {
            Game::Net(net, _) => options.judge_of(net, role),
            Game::Interpreted(_) => None,
        };
        match judge {
            Some(judge) => AlphaBeta::with_judge(game, role, options.alpha_beta(), judge),
            None => AlphaBeta::new(game, role, options.alpha_beta()),
        }
    }

    /// A player of this role with a judge of it.
    pub fn with_judge(game: Game, role: Role, settings: AlphaBetaSettings, judge: Arc<Judge>) -> Self {
        let mut player = AlphaBeta::new(game, role, settings);
        player.horizon = Horizon::Judge(Evaluator::new(judge));
        player
    }

    /// Learns the judge, unless it is known or the game has no net.
    fn learn(&mut self, budget: &Budget) -> Result<Option<String>, GameError> {
        match &mut self.game {
            Game::Net(net, machine) if matches!(self.horizon, Horizon::Playouts(_)) => {
                let mut training = Training::new(net, self.role, self.settings.seed);
                training.learn(&mut **machine, budget)?;
                self.horizon = Horizon::Judge(Evaluator::new(training.judge()));
                Ok(Some(training.text()))
            }
            _ => Ok(None),
        }
    }

    /// Finds the best move of a state that is not terminal, deeper and deeper until the budget ends or the value is
    /// exact.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the machine fails for another reason than time.
    pub fn search(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        self.table.begin();
        self.ordering.begin();
        let greatest = self.game.greatest_goal(self.role);
        let deepest = self.settings.depth.unwrap_or(MAX_DEPTH);
        let machine = self.game.machine();
        machine.set_budget(budget.rest());
        let mut search =
            Search::new(machine, self.role, &mut self.table, &mut self.ordering, &mut self.horizon, budget)
                .up_to(greatest);
        let mut report = SearchReport::default();
        let mut best = None;
        for depth in 1..=deepest {
            let searched = search.root(state, depth);
            // A line that is lost for certain is worse than one that was not seen to be.
            let keeps = matches!(searched, Ok(Valued { value: ..=0, exact: true, .. })) && best.is_some();
            best = search.best.filter(|_| !keeps).or(best);
            match searched {
                Ok(valued) => {
                    report.depth = depth as usize;
                    (report.value, report.proven) = (Some(f64::from(valued.value) / 100.0), valued.exact);
                    if valued.exact {
                        break;
                    }
                }
                Err(error) if is_stop(&error) => break,
                Err(error) => return Err(error),
            }
        }
        (report.nodes, report.playouts) = (search.nodes, search.playouts);
        report.line = self.line(state, best, report.depth)?;
        report.time = watch.elapsed();
        Ok(report)
    }

    /// The joint moves that the table holds for best, from a state on; the first one is given.
    fn line(&mut self, state: &State, mut best: Option<Move>, most: usize) -> Result<Vec<JointMove>, GameError> {
        let mut state = state.clone();
        let mut line = Vec::new();
        let machine = self.game.machine();
        machine.set_budget(Budget::unlimited());
        while line.len() < most.max(1) && !machine.is_terminal(&state)? {
            let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
            let decider = search::deciders(&legal, self.role).next();
            let Some(mut joint) = legal.iter().map(|moves| moves.first().copied()).collect::<Option<JointMove>>()
            else {
                break;
            };
            match (decider, best) {
                (Some(role), Some(best)) if legal[role].contains(&best) => joint[role] = best,
                (None, _) => {}
                _ => break,
            }
            state = machine.next_state(&state, &joint)?;
            line.push(joint);
            best = self.table.get(&state).and_then(|entry| entry.best);
        }
        Ok(line)
    }
}

impl Player for AlphaBeta {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        let note = self.learn(&budget.part_of_rest(|left| left / LEARNING_SHARE))?;
        let initial = self.game.machine().initial_state().clone();
        let report = match self.game.machine().is_terminal(&initial) {
            Ok(false) => self.search(&initial, budget)?,
            Ok(true) => SearchReport::default(),
            Err(error) if is_stop(&error) => SearchReport::default(),
            Err(error) => return Err(error),
        };
        Ok(SearchReport { note, ..report })
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        if legal.len() == 1 && !self.settings.ponder {
            return Ok(Choice { made: legal[0], report: SearchReport::default() });
        }
        self.learn(&budget.part_of_rest(|left| left / LATE_LEARNING_SHARE))?;
        let report = self.search(state, budget)?;
        let best = report.line.first().map(|joint| joint[place(self.role)]);
        Ok(Choice { made: best.filter(|made| legal.contains(made)).unwrap_or(legal[0]), report })
    }
}
