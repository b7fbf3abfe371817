//! Generic recursive programs: how many tuples a second, how many bytes a tuple, with and without the passes.

use super::environment::Environment;
use super::graph::{board_graph, half_full, random_edges, random_tree};
use super::measure::{self, Sampling};
use super::monitor::Monitor;
use super::report::{Outcome, Report, Row, set_savings};
use super::task::{Task, Wording, engine_name};
use ludolog_engine::{Budget, Stopped};
use ludolog_formulation::pipeline::{Case, EngineKind};
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate};

/// A generic program with its data.
pub struct Program {
    pub name: &'static str,
    /// What it derives, in a few words.
    pub title: &'static str,
    rules: &'static str,
    /// The predicate that it is about.
    derives: (&'static str, usize),
    /// The predicate that the data are for, and the data of a size.
    reads: &'static str,
    data: fn(usize) -> Vec<Atom>,
    size: usize,
    /// What the size counts.
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

/// What to measure.
pub struct Setup {
    pub programs: Vec<&'static Program>,
    pub engines: Vec<EngineKind>,
    pub optimizations: Vec<Optimization>,
    pub sampling: Sampling,
    /// The user's facts, which take the place of the made ones for the programs that read their predicate.
    pub facts: Vec<Atom>,
}

impl Program {
    /// The made facts, the same in every run.
    pub fn made_facts(&self) -> Vec<Atom> {
        (self.data)(self.size)
    }

    /// The user's facts for this program or else the made ones, and what to call them.
    fn facts(&self, given: &[Atom]) -> (Vec<Atom>, String) {
        let given: Vec<Atom> = given.iter().filter(|fact| &*fact.predicate == self.reads).cloned().collect();
        match given.len() {
            0 => (self.made_facts(), format!("{} {}", self.size, self.unit)),
            n => (given, format!("{n} facts given")),
        }
    }

    /// Deriving all there is on semi-naive, from these facts.
    pub fn task(&self, facts: Vec<Atom>, optimization: &Optimization, budget: &Budget) -> Result<Task, Stopped> {
        let (name, arity) = self.derives;
        let wording = Wording::generic(self.rules, Predicate::new(name, arity)).map_err(Stopped::Unsupported)?;
        let case = Case { facts, ..Case::default() };
        wording.optimize(optimization, EngineKind::SemiNaive, case, budget)
    }
}

/// Runs the whole benchmark, or until it is interrupted. A variant that derives another number of tuples than the first
/// one is a failure.
pub fn run(setup: &Setup, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report::new("datalog", environment);
    monitor.expect(setup.programs.len() * setup.engines.len() * setup.optimizations.len());
    for program in &setup.programs {
        let (facts, data) = program.facts(&setup.facts);
        let mut agreed: Option<u64> = None;
        for &engine in &setup.engines {
            for optimization in &setup.optimizations {
                let limit = setup.sampling.limit.as_secs_f64();
                let mut row = Row::new(program.name, &optimization.to_string(), engine_name(engine), &data, limit);
                let what = format!("{} · {optimization} · {}", program.name, row.engine);
                if !monitor.begin(&what) {
                    break;
                }
                match measure_cell(program, facts.clone(), engine, optimization, &setup.sampling, &mut row) {
                    Err(Stopped::Interrupted) => break,
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
    set_savings(&mut report.rows);
    report.interrupted = monitor.is_interrupted();
    report
}

fn measure_cell(
    program: &Program,
    facts: Vec<Atom>,
    engine: EngineKind,
    optimization: &Optimization,
    sampling: &Sampling,
    row: &mut Row,
) -> Result<(), Stopped> {
    if engine != EngineKind::SemiNaive {
        return Err(Stopped::Unsupported("only semi-naive derives all there is".to_string()));
    }
    let task = program.task(facts, optimization, &sampling.budget())?;
    row.optimize_ns = Some(task.optimize.as_nanos() as u64);
    let (spread, run) = measure::measure(sampling, || task.run(sampling))?;
    row.enter(spread, &run);
    Ok(())
}
