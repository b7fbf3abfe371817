//! One program, optimized, with the facts of one case: what can be run again and again.

use super::measure::{Sampling, time};
use ludolog_engine::{Budget, Case, Engine, EngineDescription, Prepared, Setting, Stopped, prepare};
use ludolog_formulation::{Formulation, case};
use ludolog_hex::board::Board;
use ludolog_hex::position::Position;
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::{analyze, goal};
use ludolog_logic::optimize::Optimization;
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
        case(position, &self.program)
    }

    /// Optimizes for a case on an engine.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn optimize(
        &self,
        optimization: &Optimization,
        engine: &'static EngineDescription,
        case: &Case,
        budget: &Budget,
    ) -> Result<Task, Stopped> {
        let setting = Setting { engine, optimization: optimization.clone(), ..Setting::default() };
        let (optimize, prepared) = time(|| prepare(&self.program, case, self.goal.as_ref(), &setting, budget));
        Ok(Task { prepared: prepared?, counted: self.counted.clone(), optimize })
    }
}

fn first(diagnostics: Diagnostics) -> String {
    diagnostics.iter().next().map_or_else(String::new, |diagnostic| diagnostic.message.clone())
}

/// An optimized program with the facts of one case.
pub struct Task {
    prepared: Prepared,
    counted: Option<Predicate>,
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
    /// Loads the facts into a new engine, then fires the events, derives and asks. Only the latter is timed.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the run hits its limit.
    pub fn run(&self, sampling: &Sampling) -> Result<(Duration, Run), Stopped> {
        let (load, engine) = time(|| {
            let mut engine = self.start()?;
            self.prepared.insert_facts(&mut *engine)?;
            Ok::<_, Stopped>(engine)
        });
        let mut engine = engine?;
        let before = engine.work();
        let budget = sampling.budget();
        let (took, answer) = time(|| {
            self.prepared.fire_events(&mut *engine, &budget)?;
            engine.update(&budget)?;
            self.ask(&mut *engine, &budget)
        });
        let answer = answer?;
        let after = engine.work();
        let memory = engine.memory();
        let run = Run {
            answer,
            derived: Some(after.derived - before.derived),
            probes: Some(after.probes - before.probes),
            load_ns: Some(load.as_nanos() as u64),
            bytes: memory.map(|memory| memory.bytes),
            facts: memory.map(|memory| memory.facts),
            tuples: self.counted.as_ref().and_then(|predicate| engine.count(predicate)),
        };
        Ok((took, run))
    }

    /// A new engine with what is the same in all cases.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine cannot run the program.
    pub fn start(&self) -> Result<Box<dyn Engine>, Stopped> {
        self.prepared.load()
    }

    /// Whether the goal has an answer; the first is enough. `None` when there is no goal.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends before the first answer.
    pub fn ask(&self, engine: &mut dyn Engine, budget: &Budget) -> Result<Option<bool>, Stopped> {
        let Some(goal) = self.prepared.goal() else { return Ok(None) };
        let answers = engine.solve(goal, true, budget);
        match answers.stopped {
            Some(stopped) if answers.rows.is_empty() => Err(stopped),
            _ => Ok(Some(!answers.rows.is_empty())),
        }
    }
}
