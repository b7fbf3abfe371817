//! Prepared programs: a program optimized for a case, an engine and, optionally, a goal. It can be loaded and run any
//! number of times.

use crate::case::Case;
use crate::contract::{Engine, EngineDescription};
use crate::semi_naive::{self, SEMI_NAIVE, SemiNaive};
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::well_founded::rewritten;
use ludolog_logic::analysis::with_facts;
use ludolog_logic::optimize::{
    CountedSample, Expectations, Grounder, Inputs, MAX_FACTS, Model, Optimization, Optimized, OptimizedProgram, Pass,
    PassSettings, Unoptimized, expect_sizes, optimize,
};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::FxHashMap;
use std::num::NonZero;

/// Facts inserted between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Evaluating the ground part may take 1/GROUNDING_SHARE of the time left, so that a program whose grounding is too
/// much still runs by its rules.
const GROUNDING_SHARE: u32 = 2;

/// The engine and options of a run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The engine.
    pub engine: EngineDescription,
    /// The passes that the optimizer runs. Engines that run programs as written ignore them.
    pub optimization: Optimization,
    /// Passes to leave out of them.
    pub left_out: Vec<&'static dyn Pass>,
    /// Predicates that will change besides those of the case.
    pub inputs: Vec<Predicate>,
    /// Whether the steps of the optimizer tell the expected costs. They take time to estimate.
    pub priced: bool,
    /// Whether derivations are recorded.
    pub record: bool,
    /// Whether each question is asked once, so that facts that it does not need any more are given up while it is answered.
    pub asked_once: bool,
    /// The threads that an engine may share its work among, if it [can](Engine::as_parallel).
    pub threads: NonZero<usize>,
}

impl Default for Setting {
    /// Semi-naive with `auto`, on one thread.
    fn default() -> Self {
        Setting {
            engine: SEMI_NAIVE.clone(),
            optimization: Optimization::Auto,
            left_out: Vec::new(),
            inputs: Vec::new(),
            priced: false,
            record: false,
            asked_once: false,
            threads: NonZero::<usize>::MIN,
        }
    }
}

/// An optimized program with the case that it was optimized for.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The optimized program, the rewritten goal, and the steps of the optimizer.
    pub optimized: Optimized,
    /// The facts and events to run it on.
    pub case: Case,
    held: Held,
    setting: Setting,
}

/// The facts that an engine holds already when it loads a program.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The predicates of those that the program states or the case has.
    pub given: Vec<Predicate>,
    /// The predicates that were derived, which have no rules any more, each with a sample of its facts if it has any.
    pub derived: Vec<(Predicate, Option<CountedSample>)>,
}

impl Held {
    /// The predicates, in no order.
    pub fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.given.iter().chain(self.derived.iter().map(|(predicate, _)| predicate))
    }
}

/// Optimizes a program for a case and, if given, one goal. The result answers no other goal.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn prepare(
    program: &StratifiedProgram,
    case: &Case,
    goal: Option<&Goal>,
    setting: &Setting,
    budget: &Budget,
) -> Result<Prepared, Stopped> {
    prepare_behind(program, case, Held::default(), goal, setting, budget)
}

/// Optimizes what is left of a program where an engine holds some of its facts, as [`prepare`] does.
///
/// # Errors
///
/// As [`prepare`].
pub fn prepare_behind(
    program: &StratifiedProgram,
    case: &Case,
    held: Held,
    goal: Option<&Goal>,
    setting: &Setting,
    budget: &Budget,
) -> Result<Prepared, Stopped> {
    let with_geometry = || rewritten(with_facts(program, case.geometry.iter().cloned()));
    let mut program = with_geometry();
    let inputs = inputs(&program, case, &held, setting);
    let optimization = if setting.engine.optimized { setting.optimization.clone() } else { Optimization::None };
    let evaluate = |program: &OptimizedProgram, wanted: &[Predicate], max_facts: u64| {
        let budget = budget.part_of_rest(|left| left / GROUNDING_SHARE).with_max_facts(max_facts);
        let mut engine = SemiNaive::load(program, false, &budget)?;
        engine.update(&budget)?;
        wanted.iter().map(|predicate| engine.facts(predicate, &budget)).collect()
    };
    let grounder = Grounder { cost_model: semi_naive::COST_MODEL, evaluate: &evaluate };
    // A bet on what a goal demands is judged by them.
    let priced = setting.priced || optimization == Optimization::Auto && goal.is_some();
    let mut left_out = setting.left_out.clone();
    let mut broken = Vec::new();
    loop {
        let settings = PassSettings {
            optimization: optimization.clone(),
            left_out: &left_out,
            cost_model: setting.engine.cost_model,
            goal,
            inputs: &inputs,
            grounder,
            max_facts: MAX_FACTS,
            priced,
            budget,
        };
        match optimize(program, &settings) {
            Ok(optimized) => {
                let optimized = Optimized { broken, ..optimized };
                return Ok(Prepared { optimized, case: case.clone(), held, setting: setting.clone() });
            }
            Err(Unoptimized::Stopped(stopped)) => return Err(stopped),
            // Each attempt leaves out one pass more.
            Err(Unoptimized::Broken(fault)) => {
                left_out.push(fault.pass);
                broken.push(fault);
                program = with_geometry();
            }
        }
    }
}

/// The predicates that change with the case.
fn inputs(program: &StratifiedProgram, case: &Case, held: &Held, setting: &Setting) -> Inputs {
    let changing = case.events.iter().map(Atom::signature).chain(setting.inputs.iter().cloned());
    let inputs = Inputs::of(program).with_predicates(changing).with_sample(case.facts.iter().cloned());
    let inputs = case.tables.iter().fold(inputs, |inputs, table| inputs.with_table(table));
    held.derived.iter().fold(inputs, |inputs, (predicate, sample)| inputs.with_all(predicate, sample.clone()))
}

impl Prepared {
    /// The orders in which the rounds of semi-naive evaluation are expected to join each rule of the optimized program:
    /// one for each recursive subgoal, which comes first. The engine chooses by the sizes that it finds at run time.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn rounds(&self, budget: &Budget) -> Result<Vec<Vec<Vec<usize>>>, Stopped> {
        let stratified = &self.optimized.program.stratified;
        let inputs = inputs(stratified, &self.case, &self.held, &self.setting);
        let model = Model::new(stratified, &inputs, self.setting.engine.cost_model, budget)?;
        stratified.program.rules.iter().map(|rule| model.rounds(rule)).collect()
    }

    /// The program with changes that were not expected to pay, for one thread; `None` if there are none.
    pub fn take_declined(&mut self) -> Option<Prepared> {
        let optimized = *self.optimized.declined.take()?;
        let setting = Setting { threads: NonZero::<usize>::MIN, ..self.setting.clone() };
        Some(Prepared { optimized, case: self.case.clone(), held: self.held.clone(), setting })
    }

    /// Puts the cheapest strata first, and tells the sizes for which the joins of later ones are planned.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn expect(&mut self, budget: &Budget) -> Result<Expectations, Stopped> {
        let program = &mut self.optimized.program;
        let inputs = inputs(&program.stratified, &self.case, &self.held, &self.setting);
        expect_sizes(program, &inputs, self.setting.engine.cost_model, budget)
    }

    /// The work that is left, and its sizes, when all facts of these predicates are derived, each with a sample of its facts if it has any.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn expect_rest(
        &self,
        derived: &FxHashMap<Predicate, Option<CountedSample>>,
        budget: &Budget,
    ) -> Result<Expectations, Stopped> {
        let mut rest = self.optimized.program.clone();
        let is_derived = |predicate: &Predicate| derived.contains_key(predicate);
        rest.stratified.program.rules.retain(|rule| !is_derived(&rule.head.signature()));
        rest.stratified.program.facts.retain(|fact| !is_derived(&fact.signature()));
        rest.stratified.strata.retain(|stratum| !stratum.iter().any(is_derived));
        let inputs = inputs(&rest.stratified, &self.case, &self.held, &self.setting);
        let inputs = derived.iter().fold(inputs, |inputs, (one, sample)| inputs.with_all(one, sample.clone()));
        expect_sizes(&mut rest, &inputs, self.setting.engine.cost_model, budget)
    }

    /// The facts that the engine that loads it has to hold.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// The expected costs before this pass and of the optimized program, if `auto` has chosen the pass by what it
    /// expects.
    pub fn bet_on(&self, pass: &dyn Pass) -> Option<(f64, f64)> {
        let steps = &self.optimized.steps;
        let chosen = steps.iter().find(|step| step.pass.name() == pass.name() && !step.changes.is_empty());
        let (before, _) = chosen?.cost?;
        let (_, after) = steps.last()?.cost?;
        (self.setting.optimization == Optimization::Auto).then_some((before, after))
    }

    /// The engine and options that it is prepared for.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The goal to ask: the same variables as the one given, perhaps other predicates.
    pub fn goal(&self) -> Option<&Goal> {
        self.optimized.goal.as_ref()
    }

    /// A new engine with the program alone, without the facts of the case.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine cannot run it, or [`Stopped`], when the budget ends.
    pub fn load(&self, budget: &Budget) -> Result<Box<dyn Engine>, Stopped> {
        let Setting { engine, record, threads, .. } = &self.setting;
        let program = &self.optimized.program;
        let mut engine = if *record { engine.load_recording(program, budget) } else { engine.load(program, budget) }?;
        if let Some(parallel) = engine.as_parallel() {
            parallel.use_threads(*threads);
        }
        Ok(engine)
    }

    /// Inserts the facts of the case, but for those that the engine holds.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends or a fact is not ground.
    pub fn insert_facts(&self, engine: &mut dyn Engine, budget: &Budget) -> Result<(), Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let is_held = |predicate: &Predicate| self.held.given.contains(predicate);
        let holds_none = self.held.given.is_empty();
        for fact in self.case.facts.iter().filter(|fact| holds_none || !is_held(&fact.signature())) {
            poll.step()?;
            engine.insert(fact)?;
        }
        let mut tables = self.case.tables.iter().filter(|table| !is_held(table.predicate()));
        tables.try_for_each(|table| engine.insert_table(table, budget))
    }

    /// Fires the events of the case, one after the other.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn fire_events(&self, engine: &mut dyn Engine, budget: &Budget) -> Result<(), Stopped> {
        self.case.events.iter().try_for_each(|event| engine.fire(event, budget))
    }
}
