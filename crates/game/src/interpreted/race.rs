//! The choice of what answers for a rulesheet: a race by work.
//!
//! No way of deriving is best for all rulesheets. Semi-naive evaluation derives what nobody asks for (all jumps between
//! all cells, where only those of one piece are legal); resolution derives the same again and again, or without end
//! (reachability on a board with cycles). Each can take a thousand times the work of the other, and where calls repeat
//! that ask for a small part of a relation, both do what demand saves. So all make the same random joint moves, and the
//! one that takes the least work answers. Work is counted, not timed: the choice is the same on every machine, however
//! busy it is.
//!
//! Engines run the rulesheet as written first, in turns with allowances of work that grow, until one has made all
//! moves. So the race costs a constant factor of the work of the winner. Then each runs the optimized rulesheet, with
//! no more work than the best has taken. The second best stays as a [rival](super::rival).

use super::question::{Predicates, StateQuestion};
use super::rival::{Account, PATIENCE, Rival};
use super::{Interpreted, Scope};
use crate::contract::{Move, State, StateMachine};
use crate::draw::Draw;
use crate::error::GameError;
use crate::program;
use ludolog_engine::{Budget, EngineDescription, RESOLUTION, SEMI_NAIVE, Setting, Stopped};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Atom;
use std::slice;
use std::sync::Arc;

/// The random joint moves that are made. The optimizer gets the state after them as its sample: the first state is
/// often nearly empty, and orders that are good for it are bad for all others.
const STEPS: u64 = 20;

/// The engines that are raced with the rulesheet as written, that which is ready at once first.
const RACED: [&EngineDescription; 2] = [&RESOLUTION, &SEMI_NAIVE];

/// The first allowance, in nanoseconds of work.
const ALLOWANCE: u64 = 50_000_000;

/// The factor by which allowances grow.
const GROWTH: u64 = 8;

/// The work of deriving what holds in every state, in nanoseconds, at which an engine gives up where another is ready.
const READY_ALLOWANCE: u64 = 1_000_000_000;

/// Some random joint moves from the first state.
pub(super) struct Opening {
    /// The facts of `true` and `does` after them.
    pub facts: Vec<Atom>,
    /// The work of getting there.
    pub price: Price,
}

/// The work of a sample.
pub(super) struct Price {
    /// In nanoseconds.
    pub total: u64,
    /// The states that were asked about.
    states: u64,
}

impl Interpreted {
    /// The game of a rulesheet on the engine that takes the least work for some random joint moves. While the game is
    /// played, another engine takes over if that one fails or takes far more work. The budget is for this and for each
    /// later question.
    ///
    /// # Errors
    ///
    /// [`GameError::NoRoles`]; [`GameError::Stopped`], when the budget ends before an engine is ready.
    pub fn new(program: &StratifiedProgram, budget: Budget) -> Result<Self, GameError> {
        let mut race = Race::new(program, budget.renewed());
        race.enter_demanded()?;
        race.run()?;
        race.end(budget)
    }

    /// The game of a rulesheet without preparations: on the first engine that is ready, which is soon, with the other
    /// one as its rival.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn at_once(program: &StratifiedProgram, budget: Budget) -> Result<Self, GameError> {
        let mut race = Race::new(program, budget.renewed());
        // As if all had been tried, so that one which takes very long makes room.
        race.entrants.iter_mut().for_each(|entrant| entrant.tried = ALLOWANCE);
        race.get_one_ready()?;
        race.end(budget)
    }

    /// Makes random joint moves from the first state, with at most this much work. All machines for a rulesheet make
    /// the same moves.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`], when the budget or the allowance ends.
    pub(super) fn sample(&mut self, allowance: Option<u64>, budget: &Budget) -> Result<Opening, GameError> {
        let before = self.spent();
        let budget = match allowance {
            Some(allowance) => budget.clone().with_max_probes(self.probes_for(allowance)),
            None => budget.clone(),
        };
        let usual = std::mem::replace(&mut self.budget, budget.clone());
        let played = self.play_sample(&budget);
        self.budget = usual;
        let (facts, states) = played?;
        Ok(Opening { facts, price: Price { total: self.spent() - before, states } })
    }

    /// The facts at the end of the first playout, and the number of states that were asked about. Short games are
    /// played several times.
    fn play_sample(&mut self, budget: &Budget) -> Result<(Vec<Atom>, u64), GameError> {
        let mut draw = Draw::new(1);
        let mut facts = None;
        let mut states = 0;
        while states <= STEPS {
            let (mut state, mut joint): (State, Vec<Move>) = (self.initial_state().clone(), Vec::new());
            while let Some(next) = self.play_step(&state, &mut joint, &mut draw, budget)? {
                states += 1;
                state = next;
                if states >= STEPS {
                    break;
                }
            }
            states += 1;
            self.ask(&state, &[], StateQuestion::Goal)?;
            facts.get_or_insert_with(|| [self.facts_of_true(&state), self.facts_of_does(&joint)].concat());
        }
        Ok((facts.unwrap_or_default(), states))
    }

    /// Makes a random joint move; `None` if the game is over or a role has no move.
    fn play_step(
        &mut self,
        state: &State,
        joint: &mut Vec<Move>,
        draw: &mut Draw,
        budget: &Budget,
    ) -> Result<Option<State>, GameError> {
        // All questions have one time together.
        budget.check()?;
        self.budget = budget.rest();
        if self.is_terminal(state)? {
            return Ok(None);
        }
        let legal = self.all_legal_moves(slice::from_ref(state))?.swap_remove(0);
        if legal.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        *joint = legal.iter().map(|moves| moves[draw.below(moves.len())]).collect();
        self.next_state(state, joint).map(Some)
    }
}

/// An engine in the race.
struct Entrant {
    /// The program that it runs: the rulesheet as written or by demand.
    program: Arc<StratifiedProgram>,
    scope: Scope,
    /// The engine, without passes.
    setting: Setting,
    /// The game, once it has started: in the end with the passes that make it fastest.
    game: Option<Interpreted>,
    /// The sample, once all moves are made, without its facts.
    played: Option<Price>,
    /// The most work in which not all moves were made.
    tried: u64,
    /// Why it has not started or has not made the moves.
    error: Option<GameError>,
    /// Whether more work and more time would not help.
    has_failed: bool,
}

impl Entrant {
    fn new(engine: &EngineDescription, program: Arc<StratifiedProgram>, scope: Scope) -> Entrant {
        let setting = Setting { engine: engine.clone(), optimization: Optimization::None, ..Setting::default() };
        Entrant { program, scope, setting, game: None, played: None, tried: 0, error: None, has_failed: false }
    }

    /// Starts the game, if that is not done and takes no more than this much work.
    ///
    /// # Errors
    ///
    /// [`GameError::NoRoles`] and [`Stopped::Interrupted`], which hold for all engines.
    fn get_ready(&mut self, allowance: u64, budget: &Budget) -> Result<(), GameError> {
        if self.game.is_some() || self.has_failed {
            return Ok(());
        }
        let limited = budget.clone().with_max_probes(allowance / self.scope.work_nanoseconds(&self.setting.engine));
        match Interpreted::as_written(&self.program, &self.setting, &limited) {
            Ok(game) => self.game = Some(Interpreted { scope: self.scope, ..game }),
            Err(error) => self.note(error)?,
        }
        Ok(())
    }

    /// Makes the moves with at most this much work; the facts after them, if they are made.
    ///
    /// # Errors
    ///
    /// As [`get_ready`](Self::get_ready).
    fn play(&mut self, allowance: u64, budget: &Budget) -> Result<Option<Vec<Atom>>, GameError> {
        let Some(game) = self.game.as_mut().filter(|_| self.played.is_none()) else { return Ok(None) };
        match game.sample(Some(allowance), budget) {
            Ok(sample) => {
                (self.played, self.error) = (Some(sample.price), None);
                Ok(Some(sample.facts))
            }
            Err(error) => {
                self.tried = allowance;
                self.note(error).map(|()| None)
            }
        }
    }

    fn note(&mut self, error: GameError) -> Result<(), GameError> {
        match error.stopped() {
            None | Some(Stopped::Interrupted) => return Err(error),
            Some(Stopped::Timeout(_) | Stopped::TooManyProbes(_)) => {}
            Some(_) => (self.game, self.has_failed) = (None, true),
        }
        // What grew while it got ready tells more than a later stop.
        if !(matches!(self.error, Some(GameError::Grown { .. })) && matches!(error, GameError::Stopped(_))) {
            self.error = Some(error);
        }
        Ok(())
    }

    /// Lets the optimized rulesheet run instead, if it makes the moves with less than this much work.
    fn optimize(&mut self, sample: &[Atom], least: u64, budget: &Budget) {
        let Some(game) = &self.game else { return };
        let setting = Setting { optimization: Interpreted::default_optimization(), ..self.setting.clone() };
        let limited = budget.clone().with_max_probes(READY_ALLOWANCE / self.scope.work_nanoseconds(&setting.engine));
        let played = game.optimized(&setting, sample.to_vec(), &limited).and_then(|mut game| {
            let played = game.sample(Some(least), budget)?;
            Ok((game, played.price))
        });
        if let Ok((game, price)) = played
            && self.played.as_ref().is_none_or(|as_written| price.total < as_written.total)
        {
            (self.game, self.played) = (Some(game), Some(price));
        }
    }

    /// The rest of it if another one has won, which asked about this many states.
    fn into_rival(self, states: u64) -> Option<Rival> {
        let prepared = self.game.map(|game| game.prepared);
        // The bound may be far below the price: what has not made the moves does not take over soon.
        let at_least = (self.tried > 0).then_some(PATIENCE.saturating_mul(self.tried) / states);
        let price = self.played.map(|price| price.total / price.states).or(at_least);
        let setting = prepared.as_ref().map_or(self.setting, |prepared| prepared.setting().clone());
        (!self.has_failed).then_some(Rival { program: self.program, scope: self.scope, setting, prepared, price })
    }
}

/// A race of all engines with one rulesheet.
struct Race {
    entrants: Vec<Entrant>,
    budget: Budget,
}

impl Race {
    fn new(program: &StratifiedProgram, budget: Budget) -> Race {
        let program = Arc::new(program::relevant(program, &[]));
        let entrants = RACED.map(|engine| Entrant::new(engine, program.clone(), Scope::Whole)).into();
        Race { entrants, budget }
    }

    /// Lets bottom-up evaluation enter once more, with what depends on the state derived by demand, if demand helps. It
    /// stands before the one of everything, which is the last to fail.
    fn enter_demanded(&mut self) -> Result<(), GameError> {
        let Predicates { state, does, .. } = Predicates::default();
        let program = &self.entrants[0].program;
        let share = self.budget.part_of_rest(|left| left / 2);
        match program::demanded(program, &[state, does], SEMI_NAIVE.cost_model, &share) {
            Ok(Some(demanded)) => {
                self.entrants.insert(1, Entrant::new(&SEMI_NAIVE, Arc::new(demanded), Scope::Demanded));
                Ok(())
            }
            Err(Stopped::Interrupted) => Err(Stopped::Interrupted.into()),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    fn run(&mut self) -> Result<(), GameError> {
        let Some(sample) = self.run_as_written()? else { return Ok(()) };
        for number in 0..self.entrants.len() {
            if let Some(least) = self.least() {
                self.entrants[number].optimize(&sample, least, &self.budget);
            }
        }
        Ok(())
    }

    /// Races with the rulesheet as written, until one has made the moves; the facts after them. `None` if none can in
    /// time.
    fn run_as_written(&mut self) -> Result<Option<Vec<Atom>>, GameError> {
        let mut sample = None;
        let mut allowance = ALLOWANCE;
        while sample.is_none() && self.entrants.iter().any(|entrant| !entrant.has_failed) {
            for number in 0..self.entrants.len() {
                let least = self.least();
                let entrant = &mut self.entrants[number];
                // Each leaves some of the time to the others.
                let share = self.budget.part_of_rest(|left| left / 2);
                entrant.get_ready(least.map_or(allowance, |_| READY_ALLOWANCE), &share)?;
                sample = entrant.play(least.unwrap_or(allowance), &share)?.or(sample);
                match self.budget.check() {
                    Err(Stopped::Interrupted) => return Err(Stopped::Interrupted.into()),
                    Err(_) => return Ok(sample),
                    Ok(()) => {}
                }
            }
            allowance = allowance.saturating_mul(GROWTH);
        }
        Ok(sample)
    }

    /// Lets one of them start the game.
    fn get_one_ready(&mut self) -> Result<(), GameError> {
        let mut allowance = ALLOWANCE;
        while self.entrants.iter().any(|entrant| !entrant.has_failed) {
            for entrant in &mut self.entrants {
                entrant.get_ready(allowance, &self.budget)?;
                if entrant.game.is_some() || self.budget.check().is_err() {
                    return Ok(());
                }
            }
            allowance = allowance.saturating_mul(GROWTH);
        }
        Ok(())
    }

    /// The least work of all moves.
    fn least(&self) -> Option<u64> {
        self.entrants.iter().filter_map(|entrant| Some(entrant.played.as_ref()?.total)).min()
    }

    /// The winner with its rival. Questions have this budget from now on.
    fn end(self, budget: Budget) -> Result<Interpreted, GameError> {
        let mut entrants = self.entrants;
        let errors: Vec<GameError> = entrants.iter_mut().rev().filter_map(|entrant| entrant.error.take()).collect();
        // Where none has made the moves, the last one wins: after a stop it goes on, and it knows which predicates
        // grow.
        entrants.reverse();
        entrants.cold_sort_by_key(|entrant| {
            let total = entrant.played.as_ref().map(|price| price.total);
            (entrant.game.is_none(), total.is_none(), total)
        });
        let mut entrants = entrants.into_iter();
        let Some(Entrant { game: Some(mut game), played, .. }) = entrants.next() else {
            // Allowances end before the budget does; they are no reason.
            let is_reason = |error: &GameError| !matches!(error.stopped(), Some(Stopped::TooManyProbes(_)));
            let late = self.budget.check().err().map(GameError::from);
            return Err(errors.into_iter().find(is_reason).or(late).unwrap_or(GameError::NoRoles));
        };
        let states = played.map_or(STEPS, |price| price.states);
        errors.iter().for_each(|error| game.note_growth(error));
        game.rival = entrants.next().and_then(|entrant| entrant.into_rival(states));
        game.account = Account::new(game.spent());
        game.budget = budget;
        Ok(game)
    }
}
