//! From rule texts to answers: the whole story on one page.
//!
//! ```text
//! files ─syntax→ Program ─analysis→ StratifiedProgram ─optimize→ OptimizedProgram ─engine→ answers
//!                                        ↑ geometry                   ↑ the case: facts, events
//! ```

use crate::analysis::clause::{Goal, StratifiedProgram};
use crate::analysis::{self, Analyzed};
use crate::diagnostic::{Diagnostics, Sources};
use crate::engine::resolution::Resolution;
use crate::engine::semi_naive::SemiNaive;
use crate::engine::{Answers, Engine, Limits, Stopped};
use crate::hex::position::Position;
use crate::optimize::{Inputs, MAX_FACTS, Optimization, Optimized, OptimizedProgram, Settings, Target, optimize};
use crate::syntax::ast::{Atom, Predicate};
use crate::syntax::{self, Syntax};
use std::path::Path;

/// Which engine runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
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
}

impl Case {
    /// A position as a program wants it: stones one after the other for a program with transition rules on `place/2`, at
    /// once for any other.
    pub fn of_position(position: &Position, program: &StratifiedProgram) -> Case {
        let facts = position.facts();
        let place = Predicate::new("place", 2);
        let conditions = program.program.transitions.iter().flat_map(|transition| &transition.conditions);
        match conditions.filter_map(|literal| literal.atom()).any(|atom| atom.signature() == place) {
            true => Case { geometry: facts.geometry, facts: Vec::new(), events: position.events() },
            false => Case { geometry: facts.geometry, facts: facts.position, events: Vec::new() },
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
    files: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<Analyzed, Diagnostics> {
    let loaded = syntax::load(files, syntax, sources)?;
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
    limits: &Limits,
) -> Optimized {
    program.program.facts.extend(case.geometry.iter().cloned());
    let program = analysis::restratify(program.program).expect("facts add no dependency");
    let events = case.events.iter().map(Atom::signature);
    let inputs = Inputs::of(&program).with_predicates(events).with_sample(case.facts.iter().cloned());
    let evaluate = |program: &OptimizedProgram, wanted: &[Predicate], max_facts: u64| {
        let limits = limits.clone().with_max_facts(max_facts);
        let mut engine = SemiNaive::new(program);
        let facts = engine.update(&limits).and_then(|()| {
            let found = wanted.iter().map(|predicate| engine.facts(predicate, &limits));
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

/// An engine with the program and the case in it, its events fired; nothing else derived yet.
pub fn load(
    program: &OptimizedProgram,
    case: &Case,
    engine: EngineKind,
    limits: &Limits,
) -> Result<Box<dyn Engine>, Stopped> {
    let mut engine: Box<dyn Engine> = match engine {
        EngineKind::Resolution => Box::new(Resolution::new(program)),
        EngineKind::SemiNaive | EngineKind::Crepe => Box::new(SemiNaive::new(program)),
    };
    feed(&mut *engine, case, limits)?;
    Ok(engine)
}

/// Puts the facts of a case into an engine and fires its events.
pub fn feed(engine: &mut dyn Engine, case: &Case, limits: &Limits) -> Result<(), Stopped> {
    case.facts.iter().for_each(|fact| _ = engine.insert(fact));
    case.events.iter().try_for_each(|event| engine.fire(event, limits))
}

/// Answers a goal from scratch.
pub fn answer(
    optimized: &Optimized,
    case: &Case,
    goal: &Goal,
    engine: EngineKind,
    first: bool,
    limits: &Limits,
) -> Answers {
    let goal = optimized.goal.as_ref().unwrap_or(goal);
    let loaded = load(&optimized.program, case, engine, limits).and_then(|mut engine| {
        engine.update(limits)?;
        Ok(engine)
    });
    match loaded {
        Ok(mut engine) => engine.solve(goal, first, limits),
        Err(stopped) => Answers { rows: Vec::new(), stopped: Some(stopped) },
    }
}
