//! Generic recursive programs: tuples per second and bytes per tuple, with and without the optimizer's passes.

use super::environment::Environment;
use super::graph::{board_graph, half_full, random_edges, random_tree};
use super::measure::{self, Sampling};
use super::monitor::Monitor;
use super::report::{Outcome, Report, Row, set_savings};
use super::task::{Task, Wording};
use ludolog_engine::{Budget, Case, EngineDescription, SEMI_NAIVE, Stopped};
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate};
use std::fmt;
use std::str::FromStr;

/// A generic program with its data. It is shown as its name, and read from it.
pub struct Program {
    /// The name by which users choose it.
    pub name: &'static str,
    /// The relation that it derives, in a few words.
    pub title: &'static str,
    rules: &'static str,
    /// The name and arity of the predicate whose facts are counted.
    derives: (&'static str, usize),
    /// The predicate of the data.
    reads: &'static str,
    /// Generates the data of a size.
    data: fn(usize) -> Vec<Atom>,
    size: usize,
    /// The unit of the size.
    unit: &'static str,
}

/// All programs.
pub const PROGRAMS: [Program; 4] = [
    Program {
        name: "transitive-closure",
        title: "all paths of a random graph",
        rules: include_str!("../rules/datalog/transitive-closure.dl"),
        derives: ("path", 2),
        reads: "edge",
        data: |nodes| random_edges(nodes, 2 * nodes),
        size: 2000,
        unit: "nodes, twice as many edges",
    },
    Program {
        name: "same-generation",
        title: "pairs equally deep in a random tree",
        rules: include_str!("../rules/datalog/same-generation.dl"),
        derives: ("same", 2),
        reads: "parent",
        data: random_tree,
        size: 2000,
        unit: "nodes",
    },
    Program {
        name: "connected-pairs",
        title: "all pairs of joined stones",
        rules: include_str!("../rules/datalog/connected-pairs.dl"),
        derives: ("connected", 2),
        reads: "stone",
        data: |n| board_graph(&half_full(n, Some(Player::Blue))),
        size: 50,
        unit: "cells a side, half of them stones",
    },
    Program {
        name: "reachability",
        title: "the stones joined to the first column",
        rules: include_str!("../rules/datalog/reachability.dl"),
        derives: ("reach", 1),
        reads: "stone",
        data: |n| board_graph(&half_full(n, Some(Player::Blue))),
        size: 500,
        unit: "cells a side, half of them stones",
    },
];

/// The programs, engines and optimizations to measure, and the sampling.
pub struct Setup {
    /// The programs.
    pub programs: Vec<&'static Program>,
    /// The engines.
    pub engines: Vec<&'static EngineDescription>,
    /// The optimizations.
    pub optimizations: Vec<Optimization>,
    /// The limit and number of samples of a cell.
    pub sampling: Sampling,
    /// The user's facts. They replace the generated facts of the programs that read their predicate.
    pub facts: Vec<Atom>,
}

impl Setup {
    fn variants(&self) -> Variants<'_> {
        Variants { engines: &self.engines, optimizations: &self.optimizations, sampling: &self.sampling }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for &'static Program {
    type Err = UnknownProgram;

    fn from_str(name: &str) -> Result<Self, UnknownProgram> {
        PROGRAMS.iter().find(|program| program.name == name).ok_or(UnknownProgram)
    }
}

/// No program has this name. The message lists the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownProgram;

impl fmt::Display for UnknownProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the programs are {}", PROGRAMS.each_ref().map(|program| program.name).join(", "))
    }
}

impl std::error::Error for UnknownProgram {}

impl Program {
    /// The generated facts, the same in every run.
    pub fn made_facts(&self) -> Vec<Atom> {
        (self.data)(self.size)
    }

    /// The user's facts for this program, or else the generated ones, with a description.
    fn facts(&self, given: &[Atom]) -> (Vec<Atom>, String) {
        let given: Vec<Atom> = given.iter().filter(|fact| fact.predicate == self.reads).cloned().collect();
        match given.len() {
            0 => (self.made_facts(), format!("{} {}", self.size, self.unit)),
            n => (given, format!("{n} facts given")),
        }
    }

    /// The task of deriving all facts on the semi-naive engine, from the given ones.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn task(&self, facts: Vec<Atom>, optimization: &Optimization, budget: &Budget) -> Result<Task, Stopped> {
        let (name, arity) = self.derives;
        let wording = Wording::generic(self.rules, Predicate::new(name, arity))?;
        wording.optimize(optimization, &SEMI_NAIVE, &Case::of_facts(facts), budget)
    }
}

/// Runs the benchmark until its end or an interruption. A variant that derives a different number of tuples than the
/// first one is a failure.
pub fn run(setup: &Setup, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report::new("datalog", environment);
    monitor.expect(setup.programs.len() * setup.engines.len() * setup.optimizations.len());
    for program in &setup.programs {
        let (facts, data) = program.facts(&setup.facts);
        let measure = |engine, optimization: &Optimization, row: &mut Row| {
            measure_cell(program, facts.clone(), engine, optimization, &setup.sampling, row)
        };
        compare_variants(program.name, &data, &setup.variants(), &mut report, monitor, measure);
    }
    set_savings(&mut report.rows);
    report.interrupted = monitor.is_interrupted();
    report
}

/// The ways in which a task is run.
pub(crate) struct Variants<'s> {
    pub engines: &'s [&'static EngineDescription],
    pub optimizations: &'s [Optimization],
    pub sampling: &'s Sampling,
}

/// Measures a task in all ways, a row each. One that counts other tuples than the first one is a failure.
pub(crate) fn compare_variants(
    task: &str,
    data: &str,
    variants: &Variants<'_>,
    report: &mut Report,
    monitor: &mut Monitor<'_>,
    mut measure: impl FnMut(&'static EngineDescription, &Optimization, &mut Row) -> Result<(), Stopped>,
) {
    let mut agreed: Option<u64> = None;
    for &engine in variants.engines {
        for optimization in variants.optimizations {
            let limit = variants.sampling.limit.as_secs_f64();
            let mut row = Row::new(task, &optimization.to_string(), engine.name, data, limit);
            let what = format!("{task} · {optimization} · {}", engine.name);
            if !monitor.begin(&what) {
                return;
            }
            match measure(engine, optimization, &mut row) {
                Err(Stopped::Interrupted) => return,
                Err(Stopped::Unsupported(reason)) => row.stop(Outcome::Unsupported, reason),
                Err(stopped) => row.stop(Outcome::DidNotFinish, stopped.to_string()),
                Ok(()) => {}
            }
            if let (Some(tuples), Some(others)) = (row.tuples, agreed)
                && tuples != others
            {
                report.failures.push(format!("{what}: {tuples} tuples instead of {others}"));
            }
            agreed = agreed.or(row.tuples);
            report.rows.push(row);
        }
    }
}

fn measure_cell(
    program: &Program,
    facts: Vec<Atom>,
    engine: &'static EngineDescription,
    optimization: &Optimization,
    sampling: &Sampling,
    row: &mut Row,
) -> Result<(), Stopped> {
    if engine != &SEMI_NAIVE {
        return Err(Stopped::Unsupported("only semi-naive derives all there is".to_string()));
    }
    let task = program.task(facts, optimization, &sampling.optimizer_budget())?;
    row.optimize_ns = Some(task.optimize.as_nanos() as u64);
    let (spread, run) = measure::measure(sampling, || task.run(sampling))?;
    row.enter(spread, &run);
    Ok(())
}
