//! Tasks: a program optimized for a case, which can be run any number of times.

use super::measure::{Sampling, time};
use ludolog_engine::{Budget, Case, Engine, EngineDescription, Prepared, Setting, Stopped, prepare};
use ludolog_formulation::{Formulation, TooLarge, case};
use ludolog_hex::board::Board;
use ludolog_hex::position::Position;
use ludolog_logic::analysis::clause::{Goal, StratifiedProgram};
use ludolog_logic::analysis::{analyze, goal};
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::diagnostic::{Diagnostics, Sources};
use ludolog_syntax::{ColdSort, Syntax, parse, parse_goal, print_term};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A program as written, with the goal to ask.
#[derive(Clone)]
pub struct Wording {
    program: StratifiedProgram,
    goal: Option<Goal>,
    /// The predicate whose facts are counted.
    counted: Option<Predicate>,
}

impl Wording {
    /// A formulation of the Hex win for boards of this size; the goal is `win(P)`.
    ///
    /// # Errors
    ///
    /// [`WordingError::TooLarge`], when the text would be too large for the board.
    pub fn of(formulation: &Formulation, board: Board) -> Result<Wording, WordingError> {
        let text = formulation.text(board).map_err(WordingError::TooLarge)?;
        Ok(Self::of_winner(Self::read(&text)?)?)
    }

    /// A program that derives `win(P)` from a position; the goal is `win(P)`.
    ///
    /// # Errors
    ///
    /// The program neither derives nor mentions `win/1`.
    pub fn of_winner(program: StratifiedProgram) -> Result<Wording, Diagnostics> {
        let query = parse_goal("win(P)", &mut Sources::new(), Some(Syntax::Datalog))?;
        let goal = goal(&query, &program, &[])?;
        Ok(Wording { program, goal: Some(goal), counted: None })
    }

    /// A Datalog program without a goal: all facts are derived, those of `counted` are counted.
    ///
    /// # Errors
    ///
    /// [`WordingError::Rejected`], when the rules have errors.
    pub fn generic(rules: &str, counted: Predicate) -> Result<Wording, WordingError> {
        Ok(Wording { program: Self::read(rules)?, goal: None, counted: Some(counted) })
    }

    fn read(rules: &str) -> Result<StratifiedProgram, Diagnostics> {
        let mut sources = Sources::new();
        let source = sources.add("rules.dl", rules);
        let program = parse(source, &sources, Syntax::Datalog).into_result()?;
        Ok(analyze(&program)?.stratified)
    }

    /// The case of a position, as this program reads it.
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
        engine: &EngineDescription,
        case: &Case,
        budget: &Budget,
    ) -> Result<Task, Stopped> {
        let setting = Setting { engine: engine.clone(), optimization: optimization.clone(), ..Setting::default() };
        let (optimize, prepared) = time(|| prepare(&self.program, case, self.goal.as_ref(), &setting, budget));
        Ok(Task { prepared: prepared?, counted: self.counted.clone(), optimize })
    }
}

/// The reason why a wording cannot be read.
#[derive(Clone, Debug)]
pub enum WordingError {
    /// The rule text of the formulation would be too large for the board.
    TooLarge(TooLarge),
    /// The rules or the goal have errors.
    Rejected(Diagnostics),
}

impl fmt::Display for WordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordingError::TooLarge(too_large) => too_large.fmt(f),
            WordingError::Rejected(diagnostics) => {
                f.write_str(diagnostics.iter().next().map_or("", |diagnostic| &diagnostic.message))
            }
        }
    }
}

impl std::error::Error for WordingError {}

impl From<Diagnostics> for WordingError {
    fn from(diagnostics: Diagnostics) -> WordingError {
        WordingError::Rejected(diagnostics)
    }
}

impl From<WordingError> for Stopped {
    fn from(error: WordingError) -> Stopped {
        Stopped::Unsupported(error.to_string())
    }
}

/// An optimized program with the facts of one case.
pub struct Task {
    prepared: Prepared,
    counted: Option<Predicate>,
    /// The time that optimizing took.
    pub optimize: Duration,
}

/// The result of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TaskResult {
    /// Whether the goal has an answer; `None` without a goal.
    pub answer: Option<bool>,
    /// The number of facts derived (resolution: heads proved), if the engine counts.
    pub derived: Option<u64>,
    /// The number of rows and clause heads tried, if the engine counts.
    pub probes: Option<u64>,
    /// The time of loading the program and its facts, in nanoseconds.
    pub load_ns: Option<u64>,
    /// The memory held by the facts, in bytes.
    pub bytes: Option<u64>,
    /// The number of facts held.
    pub facts: Option<u64>,
    /// The number of facts of the counted predicate.
    pub tuples: Option<u64>,
}

impl TaskResult {
    /// Memory divided by the number of facts.
    pub fn bytes_per_tuple(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.facts.filter(|&facts| facts > 0)? as f64)
    }
}

impl Task {
    /// Loads the facts into a new engine, then fires the events, derives and asks. The time excludes loading.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the run hits its limit.
    pub fn run(&self, sampling: &Sampling) -> Result<(Duration, TaskResult), Stopped> {
        let (load, engine) = time(|| {
            let mut engine = self.start()?;
            self.prepared.insert_facts(&mut *engine, &sampling.budget())?;
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
        let count = engine.as_count();
        let memory = count.map(|count| count.memory());
        let run = TaskResult {
            answer,
            derived: Some(after.derived - before.derived),
            probes: Some(after.probes - before.probes),
            load_ns: Some(load.as_nanos() as u64),
            bytes: memory.map(|memory| memory.bytes),
            facts: memory.map(|memory| memory.facts),
            tuples: count.zip(self.counted.as_ref()).map(|(count, predicate)| count.count(predicate)),
        };
        Ok((took, run))
    }

    /// The players of whom the goal `win(P)` holds, in their order: all answers, by a run of its own.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the run hits its limit.
    pub fn winners(&self, sampling: &Sampling) -> Result<Vec<String>, Stopped> {
        let Some(goal) = self.prepared.goal() else { return Ok(Vec::new()) };
        let mut engine = self.start()?;
        let budget = sampling.budget();
        self.prepared.insert_facts(&mut *engine, &budget)?;
        self.prepared.fire_events(&mut *engine, &budget)?;
        engine.update(&budget)?;
        let answers = engine.solve(goal, false, &budget);
        if let Some(stopped) = answers.stopped {
            return Err(stopped);
        }
        let mut winners: Vec<String> =
            answers.rows.iter().flatten().map(|term| print_term(term, Syntax::Datalog)).collect();
        winners.cold_sort();
        winners.dedup();
        Ok(winners)
    }

    /// A new engine with the program, without the facts of the case.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the engine cannot run the program.
    pub fn start(&self) -> Result<Box<dyn Engine>, Stopped> {
        self.prepared.load(&Budget::unlimited())
    }

    /// Whether the goal has an answer; stops at the first one. `None` without a goal.
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
