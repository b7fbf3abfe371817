//! From rule texts to answers: the whole story on one page.
//!
//! ```text
//! files ─syntax→ Program ─analysis→ StratifiedProgram ─optimize→ OptimizedProgram ─engine→ answers
//!                                        ↑ geometry                   ↑ the case: facts, events
//! ```

use crate::{self as formulation, Formulation};
use ludolog_engine::resolution::Resolution;
use ludolog_engine::semi_naive::SemiNaive;
use ludolog_engine::{Budget, Engine, Stopped};
use ludolog_hex::position::{Position, PositionFacts};
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::{self, Analyzed};
use ludolog_logic::optimize::{
    Inputs, MAX_FACTS, Optimization, Optimized, OptimizedProgram, Settings, Target, optimize,
};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::diagnostic::{Diagnostics, Sources};
use ludolog_syntax::{self as syntax, Files, Syntax};
use std::path::Path;

/// Which engine runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// Top-down, left to right, without memory
    Resolution,
    /// Bottom-up, each fact once
    #[default]
    SemiNaive,
    /// The Hex formulations as compiled in
    Crepe,
}

/// What a program is asked about: a position, a fact file, the events of a game.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Facts that all cases of its kind share; grounding counts them as part of the program.
    pub geometry: Vec<Atom>,
    /// Facts of this case alone.
    pub facts: Vec<Atom>,
    /// What happens then, in order.
    pub events: Vec<Atom>,
    /// The position it was made from; the compiled formulations start from that.
    pub position: Option<Position>,
}

impl Case {
    /// A position as a program wants it: stones one after the other for a program with transition rules on `place/2`, at
    /// once for any other.
    pub fn of_position(position: &Position, program: &StratifiedProgram) -> Case {
        let PositionFacts { geometry, position: facts } = position.facts();
        let place = Predicate::new("place", 2);
        let conditions = program.program.transitions.iter().flat_map(|transition| &transition.conditions);
        match conditions.filter_map(|literal| literal.atom()).any(|atom| atom.signature() == place) {
            true => Case { geometry, facts: Vec::new(), events: position.events(), position: Some(position.clone()) },
            false => Case { geometry, facts, events: Vec::new(), position: Some(position.clone()) },
        }
    }

    /// The predicates that this case has facts for.
    pub fn predicates(&self) -> Vec<Predicate> {
        let mut predicates: Vec<Predicate> = self.geometry.iter().chain(&self.facts).map(Atom::signature).collect();
        predicates.sort();
        predicates.dedup();
        predicates
    }
}

/// Reads and analyzes rule files.
pub fn read<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<Analyzed, Diagnostics> {
    let loaded = syntax::load(files, paths, syntax, sources)?;
    let mut analyzed = analysis::analyze(&loaded.program)?;
    let mut warnings = loaded.diagnostics;
    warnings.extend(analyzed.warnings);
    analyzed.warnings = warnings;
    Ok(analyzed)
}

/// Optimizes a program for a case, an engine and, if given, one goal.
pub fn plan(
    mut program: StratifiedProgram,
    case: &Case,
    goal: Option<&Goal>,
    engine: EngineKind,
    optimization: Optimization,
    budget: &Budget,
) -> Optimized {
    program.program.facts.extend(case.geometry.iter().cloned());
    let program = analysis::restratify(program.program).expect("facts add no dependency");
    let events = case.events.iter().map(Atom::signature);
    let inputs = Inputs::of(&program).with_predicates(events).with_sample(case.facts.iter().cloned());
    let evaluate = |program: &OptimizedProgram, wanted: &[Predicate], max_facts: u64| {
        let budget = budget.clone().with_max_facts(max_facts);
        let mut engine = SemiNaive::new(program);
        let facts = engine.update(&budget).and_then(|()| {
            let found = wanted.iter().map(|predicate| engine.facts(predicate, &budget));
            Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
        });
        facts.map_err(|stopped| stopped.to_string())
    };
    let target = match engine {
        EngineKind::Resolution => Target::Resolution,
        EngineKind::SemiNaive | EngineKind::Crepe => Target::SemiNaive,
    };
    let settings = Settings { optimization, target, goal, inputs: &inputs, evaluate: &evaluate, max_facts: MAX_FACTS };
    optimize(program, &settings)
}

/// An engine that is ready to be asked.
pub struct Ready {
    pub engine: Box<dyn Engine>,
    /// The goal to ask instead of the one given: the same variables, perhaps other predicates.
    pub goal: Option<Goal>,
    /// Why not all is derived, if so.
    pub stopped: Option<Stopped>,
}

/// Optimizes, loads and derives: everything before the asking.
pub fn ready(
    program: &StratifiedProgram,
    case: &Case,
    goal: Option<&Goal>,
    engine: EngineKind,
    optimization: Optimization,
    budget: &Budget,
) -> Result<Ready, Stopped> {
    if engine == EngineKind::Crepe {
        let engine = Box::new(compiled(program, case)?);
        return Ok(Ready { engine, goal: goal.cloned(), stopped: None });
    }
    let optimized = plan(program.clone(), case, goal, engine, optimization, budget);
    let mut engine: Box<dyn Engine> = match engine {
        EngineKind::Resolution => Box::new(Resolution::new(&optimized.program)),
        EngineKind::SemiNaive | EngineKind::Crepe => Box::new(SemiNaive::new(&optimized.program)),
    };
    let stopped = feed(&mut *engine, case, budget).and_then(|()| engine.update(budget)).err();
    Ok(Ready { engine, goal: optimized.goal, stopped })
}

/// Puts the facts of a case into an engine and fires its events.
pub fn feed(engine: &mut dyn Engine, case: &Case, budget: &Budget) -> Result<(), Stopped> {
    case.facts.iter().for_each(|fact| _ = engine.insert(fact));
    case.events.iter().try_for_each(|event| engine.fire(event, budget))
}

/// Runs the compiled formulation that says the same as `program`, and holds what it derives.
fn compiled(program: &StratifiedProgram, case: &Case) -> Result<SemiNaive, Stopped> {
    let unsupported = |reason: &str| Stopped::Unsupported(format!("the engine crepe {reason}"));
    let Some(position) = &case.position else {
        return Err(unsupported("runs compiled Hex formulations only; give it a --position"));
    };
    let same = |formulation: &&Formulation| {
        let text = formulation.text(position.board()).ok()?;
        let mut sources = Sources::new();
        let source = sources.add(formulation.name, text);
        let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result().ok()?;
        let analyzed = analysis::analyze(&parsed).ok()?;
        Some(analyzed.stratified.program.says_the_same_as(&program.program))
    };
    let formulation = formulation::ALL.iter().find(|formulation| same(formulation) == Some(true));
    let formulation = formulation.ok_or_else(|| unsupported("has only the formulations of rules/hex compiled in"))?;
    let compiled = formulation.compiled.as_ref().ok_or_else(|| unsupported("has no program for this formulation"))?;
    let run = compiled.prepare(false, true, position);
    let run = run.ok_or_else(|| unsupported("has no program of this formulation for boards of this size"))?;
    let facts = compiled.facts(position).unwrap_or_else(|| {
        // A program that keeps its lines as bit sets still says who has won.
        run().into_iter().map(|player| Atom::new("win", vec![Term::symbol(player.name())])).collect()
    });
    let mut engine = SemiNaive::new(&OptimizedProgram::default());
    facts.iter().chain(&case.geometry).chain(&case.facts).for_each(|fact| _ = engine.insert(fact));
    Ok(engine)
}
