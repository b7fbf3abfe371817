//! A rulesheet is loaded: as written or optimized, whole or by demand, with its roles and its first state.

use super::numbers::Numbers;
use super::question::{HeldState, Predicates, StateQuestion};
use super::rival::Account;
use super::{Interpreted, Scope, rows};
use crate::contract::State;
use crate::error::GameError;
use crate::program;
use ludolog_engine::{Budget, Case, Refused, Setting, Stopped, prepare};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::analysis::hides;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::{ColdSort, MAX_NESTING};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Most facts that are derived as a whole, wanted or not.
const MAX_WHOLE: u64 = 500_000;

/// A predicate with more facts than this had a good part in reaching [`MAX_WHOLE`].
const HUGE: usize = MAX_WHOLE as usize / 50;

impl Interpreted {
    /// Reordering: over the games of the GDL corpus it makes random playouts about an eighth faster in the mean,
    /// besides a few that gain far more. Grounding and pruning add nothing measurable: engines keep what does not
    /// depend on the state.
    pub fn default_optimization() -> Optimization {
        Optimization::Reordering
    }

    /// The game of a rulesheet on an engine with rows of ids. `true` and `does` are inputs besides those of the
    /// setting. Derives what holds in every state, and what holds in the first. The budget is for this and for each
    /// later question.
    ///
    /// Some rulesheets define relations that are far too large to be derived as a whole, or infinite, and only ask for
    /// a few of their facts. When more than half a million facts come up, or ever deeper terms, those are derived by
    /// demand instead.
    ///
    /// The optimized program is compared with the one as written by the work of a few random joint moves, and given up
    /// where it takes no less. It is kept if it makes them and the one as written cannot within the budget. For a few
    /// questions only, [`Optimization::None`] starts sooner.
    ///
    /// # Errors
    ///
    /// [`GameError::NoRoles`]; [`GameError::Stopped`], when the budget ends or the engine has no rows.
    pub fn with_setting(program: &StratifiedProgram, setting: Setting, budget: Budget) -> Result<Self, GameError> {
        if !setting.engine.has(|engine| engine.as_rows().is_some()) {
            return Err(Refused::NoRows(setting.engine.name).into());
        }
        let program = Arc::new(program::relevant(program, &[]));
        let mut game = Self::as_written(&program, &setting, &budget)?;
        if setting.optimization == Optimization::None {
            return Ok(game);
        }
        // A game that cannot be optimized within the budget, or does not gain from it, runs as written. One whose moves
        // take longer than the budget as written has no sample, and gains from whatever can make them.
        let (facts, price) = match game.sample(None, &budget.renewed()) {
            Ok(sample) => (sample.facts, Some(sample.price.total)),
            Err(error) => match error.stopped() {
                Some(stopped) if stopped.is_out_of_time() => (Vec::new(), None),
                _ => return Ok(game),
            },
        };
        let optimized = game.optimized(&setting, facts, &budget).and_then(|mut optimized| {
            let sample = optimized.sample(None, &budget.renewed())?;
            Ok(price.is_none_or(|price| sample.price.total < price).then_some(optimized))
        });
        Ok(optimized.ok().flatten().unwrap_or(game))
    }

    /// The game as written, or with what is too large derived by demand, started.
    pub(super) fn as_written(
        program: &Arc<StratifiedProgram>,
        setting: &Setting,
        budget: &Budget,
    ) -> Result<Self, GameError> {
        let setting = Setting { optimization: Optimization::None, ..setting.clone() };
        let most = budget.max_facts().map_or(MAX_WHOLE, |most| most.min(MAX_WHOLE));
        let mut game = Self::load(program, &setting, Vec::new(), budget.clone().with_max_facts(most))?;
        let mut started = game.start();
        let is_huge =
            |error: &GameError| matches!(error.stopped(), Some(Stopped::TooManyFacts(_) | Stopped::TermTooLarge(_)));
        if started.as_ref().is_err_and(is_huge) {
            let huge = game.huge_predicates()?;
            if let Some(demanded) = program::demanded(program, &huge, setting.engine.cost_model, budget)? {
                game = Self::load(&Arc::new(demanded), &setting, Vec::new(), budget.clone())?;
            }
            game.budget = budget.clone();
            started = game.start();
        }
        started.map_err(|error| match error {
            GameError::Stopped(stopped) => game.grown(stopped),
            _ => error,
        })?;
        game.budget = budget.clone();
        Ok(game)
    }

    /// The same game, optimized for a sample of facts, started.
    pub(super) fn optimized(&self, setting: &Setting, sample: Vec<Atom>, budget: &Budget) -> Result<Self, GameError> {
        let mut optimized = Self::load(&self.program, setting, sample, budget.clone())?;
        optimized.scope = self.scope;
        optimized.start()?;
        Ok(optimized)
    }

    pub(super) fn load(
        program: &Arc<StratifiedProgram>,
        setting: &Setting,
        sample: Vec<Atom>,
        budget: Budget,
    ) -> Result<Self, GameError> {
        let predicates = Predicates::default();
        let roles = program.program.facts.iter().filter(|fact| fact.signature() == predicates.role);
        let roles = roles.cloned().filter_map(first_argument).collect();
        let mut setting = setting.clone();
        setting.inputs.extend([predicates.state.clone(), predicates.does.clone()]);
        let prepared = prepare(program, &Case::of_facts(sample), None, &setting, &budget.renewed())?;
        Ok(Self {
            program: program.clone(),
            scope: Scope::Whole,
            engine: prepared.load(&budget.renewed())?,
            prepared,
            budget,
            predicates,
            roles,
            role_values: Vec::new(),
            initial: State::default(),
            facts: Numbers::default(),
            moves: Numbers::default(),
            percepts: Numbers::default(),
            hides: hides(&program.program),
            entered: HeldState::default(),
            cells: Vec::new(),
            rival: None,
            grown: None,
            account: Account::default(),
        })
    }

    /// Finds the roles, those given as facts first, and the first state, and enters it.
    pub(super) fn start(&mut self) -> Result<(), GameError> {
        let budget = self.budget.renewed();
        match self.engine.update(&budget) {
            // It may be that no question depends on it.
            Ok(()) | Err(Stopped::Overflow(_)) => {}
            Err(stopped) => return Err(stopped.into()),
        }
        let found = self.constant(&self.predicates.role.clone(), &budget)?;
        let interner = rows(&mut self.engine).interner();
        let mut roles: Vec<Term> = found.cells.iter().map(|&value| interner.term(value)).collect();
        roles.cold_sort();
        self.roles.extend(roles);
        let mut seen = FxHashSet::default();
        self.roles.retain(|role| seen.insert(role.clone()));
        if self.roles.is_empty() {
            return Err(GameError::NoRoles);
        }
        self.rename();
        let initial = self.constant(&self.predicates.init.clone(), &budget)?;
        self.initial = self.state_of_cells(&initial.cells)?;
        self.ask(&self.initial.clone(), &[], StateQuestion::Terminal).map(|_| ())
    }

    /// The error for a stop, with the predicate that grew most.
    pub(super) fn grown(&mut self, stopped: Stopped) -> GameError {
        if let Stopped::Interrupted | Stopped::Overflow(_) = stopped {
            return stopped.into();
        }
        let predicates = self.engine.predicates().into_iter();
        let mut size = |predicate: &Predicate| match stopped {
            Stopped::TermTooLarge(_) => {
                let facts = self.engine.facts(predicate, &Budget::unlimited()).unwrap_or_default();
                facts.iter().flat_map(|fact| &fact.args).map(Term::depth).max().unwrap_or_default() as u64
            }
            _ => self.count(predicate),
        };
        let predicates: Vec<(u64, Predicate)> = predicates.map(|predicate| (size(&predicate), predicate)).collect();
        match predicates.into_iter().max_by_key(|(size, _)| *size) {
            Some((_, predicate)) => {
                let facts = self.count(&predicate);
                GameError::Grown { predicate, facts, stopped }
            }
            None => stopped.into(),
        }
    }

    /// The number of facts of a predicate; zero if the engine does not count them.
    fn count(&self, predicate: &Predicate) -> u64 {
        self.engine.as_count().map_or(0, |count| count.count(predicate))
    }

    /// The predicates that came to hold a good part of all facts, or deep terms.
    fn huge_predicates(&mut self) -> Result<Vec<Predicate>, Stopped> {
        let mut huge = Vec::new();
        for predicate in self.engine.predicates() {
            let facts = self.engine.facts(&predicate, &Budget::unlimited())?;
            let is_deep = |fact: &Atom| fact.args.iter().any(|arg| arg.depth() > MAX_NESTING);
            if facts.len() > HUGE || facts.iter().any(is_deep) {
                huge.push(predicate);
            }
        }
        Ok(huge)
    }
}

fn first_argument(atom: Atom) -> Option<Term> {
    atom.args.into_iter().next()
}
