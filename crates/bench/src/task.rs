//! One program, optimized, with the facts of one case: what can be run again and again.

use super::measure::{Sampling, time};
use ludolog_engine::resolution::Resolution;
use ludolog_engine::semi_naive::SemiNaive;
use ludolog_engine::{Budget, Engine, Stopped};
use ludolog_formulation::Formulation;
use ludolog_formulation::pipeline::{Case, EngineKind, plan};
use ludolog_hex::board::Board;
use ludolog_hex::position::Position;
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::{analyze, goal};
use ludolog_logic::optimize::{Optimization, OptimizedProgram};
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::diagnostic::{Diagnostics, Sources};
use ludolog_syntax::{Syntax, parse, parse_goal};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A program as written, and the goal that it will be asked.
pub struct Wording {
    program: StratifiedProgram,
    goal: Option<Goal>,
    /// The predicate whose facts count, where all is derived.
    counted: Option<Predicate>,
}

/// What an engine is called in reports.
pub fn engine_name(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Resolution => "resolution",
        EngineKind::SemiNaive => "semi-naive",
        EngineKind::Crepe => "crepe",
    }
}

impl Wording {
    /// A formulation of the Hex win for boards of this size; the goal is `win(P)`. The error is a sentence.
    pub fn of(formulation: &Formulation, board: Board) -> Result<Wording, String> {
        let text = formulation.text(board).map_err(|too_large| too_large.to_string())?;
        Self::read(&text, Some("win(P)"), None)
    }

    /// A program of which all is derived; what counts is `counted`.
    pub fn generic(rules: &str, counted: Predicate) -> Result<Wording, String> {
        Self::read(rules, None, Some(counted))
    }

    fn read(rules: &str, asked: Option<&str>, counted: Option<Predicate>) -> Result<Wording, String> {
        let mut sources = Sources::new();
        let source = sources.add("rules.dl", rules);
        let program = parse(source, &sources, Syntax::Datalog).into_result().map_err(first)?;
        let program = analyze(&program).map_err(first)?.stratified;
        let goal = match asked {
            Some(text) => {
                let query = parse_goal(text, &mut sources, Some(Syntax::Datalog)).map_err(first)?;
                Some(goal(&query, &program, &[]).map_err(first)?)
            }
            None => None,
        };
        Ok(Wording { program, goal, counted })
    }

    /// The case that a position is for this program.
    pub fn case(&self, position: &Position) -> Case {
        Case::of_position(position, &self.program)
    }

    /// Optimizes for a case on an engine.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn optimize(
        &self,
        optimization: &Optimization,
        engine: EngineKind,
        case: Case,
        budget: &Budget,
    ) -> Result<Task, Stopped> {
        let (optimize, optimized) =
            time(|| plan(self.program.clone(), &case, self.goal.as_ref(), engine, optimization.clone(), budget));
        let (counted, optimized) = (self.counted.clone(), optimized?);
        Ok(Task { program: optimized.program, goal: optimized.goal, counted, engine, case, optimize })
    }
}

fn first(diagnostics: Diagnostics) -> String {
    diagnostics.iter().next().map_or_else(String::new, |diagnostic| diagnostic.message.clone())
}

/// An optimized program with the facts of one case.
pub struct Task {
    program: OptimizedProgram,
    goal: Option<Goal>,
    counted: Option<Predicate>,
    engine: EngineKind,
    case: Case,
    /// The optimizer's own time.
    pub optimize: Duration,
}

/// What one run came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// Whether the goal has an answer; nothing without a goal.
    pub answer: Option<bool>,
    pub derived: Option<u64>,
    pub probes: Option<u64>,
    pub load_ns: Option<u64>,
    /// Memory held by the facts, and how many they are.
    pub bytes: Option<u64>,
    pub facts: Option<u64>,
    /// The facts that count.
    pub tuples: Option<u64>,
}

impl Run {
    /// Memory over facts.
    pub fn bytes_per_tuple(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.facts.filter(|&facts| facts > 0)? as f64)
    }
}

impl Task {
    /// Loads the facts into a new engine, then hears the events, derives and asks. Only the latter is timed.
    pub fn run(&self, sampling: &Sampling) -> Result<(Duration, Run), Stopped> {
        let (load, mut engine) = time(|| {
            let mut engine = self.start();
            self.case.facts.iter().for_each(|fact| _ = engine.as_dyn().insert(fact));
            engine
        });
        let before = engine.as_dyn().work();
        let budget = sampling.budget();
        let (took, answer) = time(|| {
            self.case.events.iter().try_for_each(|event| engine.as_dyn().fire(event, &budget))?;
            engine.as_dyn().update(&budget)?;
            self.ask(&mut engine, &budget)
        });
        let answer = answer?;
        let after = engine.as_dyn().work();
        let memory = engine.memory();
        let run = Run {
            answer,
            derived: Some(after.derived - before.derived),
            probes: Some(after.probes - before.probes),
            load_ns: Some(load.as_nanos() as u64),
            bytes: memory.map(|(bytes, _)| bytes as u64),
            facts: memory.map(|(_, facts)| facts),
            tuples: self.counted.as_ref().and_then(|predicate| engine.count(predicate)),
        };
        Ok((took, run))
    }

    /// A new engine with what is the same in all cases.
    pub fn start(&self) -> Loaded {
        match self.engine {
            EngineKind::Resolution => Loaded::Resolution(Box::new(Resolution::new(&self.program))),
            EngineKind::SemiNaive | EngineKind::Crepe => Loaded::SemiNaive(Box::new(SemiNaive::new(&self.program))),
        }
    }

    /// Whether the goal has an answer; the first is enough. Nothing when there is no goal.
    pub fn ask(&self, engine: &mut Loaded, budget: &Budget) -> Result<Option<bool>, Stopped> {
        let Some(goal) = &self.goal else { return Ok(None) };
        let answers = engine.as_dyn().solve(goal, true, budget);
        match answers.stopped {
            Some(stopped) if answers.rows.is_empty() => Err(stopped),
            _ => Ok(Some(!answers.rows.is_empty())),
        }
    }
}

/// A running engine.
pub enum Loaded {
    Resolution(Box<Resolution>),
    SemiNaive(Box<SemiNaive>),
}

impl Loaded {
    pub fn as_dyn(&mut self) -> &mut dyn Engine {
        match self {
            Loaded::Resolution(engine) => &mut **engine,
            Loaded::SemiNaive(engine) => &mut **engine,
        }
    }

    /// How many facts of a predicate there are, where the engine can tell.
    fn count(&self, predicate: &Predicate) -> Option<u64> {
        match self {
            Loaded::Resolution(_) => None,
            Loaded::SemiNaive(engine) => Some(engine.count(predicate)),
        }
    }

    /// Bytes held and the facts they stand for, where the engine can tell.
    fn memory(&self) -> Option<(usize, u64)> {
        match self {
            Loaded::Resolution(_) => None,
            Loaded::SemiNaive(engine) => Some(engine.memory()),
        }
    }
}
