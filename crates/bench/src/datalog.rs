//! Generic recursive programs: tuples per second and bytes per tuple, with and without the optimizer's passes.

use super::graph::{board_graph, half_full, random_edges, random_tree};
use super::matrix::{self, OPTIMIZE, ROWS, Variants};
use super::measure;
use super::monitor::Monitor;
use super::report::fields::*;
use super::report::{Benchmark, Fields, Record, Report};
use super::task::{Task, Wording};
use ludolog_engine::{Budget, Case, EngineDescription, SEMI_NAIVE, Stopped};
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Predicate};
use std::fmt;
use std::str::FromStr;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "datalog",
    heading: "Datalog, by the tuple",
    lead: |_| {
        "Generic recursive programs: how many tuples a second, and how many bytes a tuple, with and without the passes."
            .to_owned()
    },
    method: matrix::method,
    text: matrix::summary,
    sections: matrix::sections,
};

/// A generic program with its data. It is shown as its name, and read from it.
pub struct GenericProgram {
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
pub const PROGRAMS: [GenericProgram; 4] = [
    GenericProgram {
        name: "transitive-closure",
        title: "all paths of a random graph",
        rules: include_str!("../rules/datalog/transitive-closure.dl"),
        derives: ("path", 2),
        reads: "edge",
        data: |nodes| random_edges(nodes, 2 * nodes),
        size: 2000,
        unit: "nodes, twice as many edges",
    },
    GenericProgram {
        name: "same-generation",
        title: "pairs equally deep in a random tree",
        rules: include_str!("../rules/datalog/same-generation.dl"),
        derives: ("same", 2),
        reads: "parent",
        data: random_tree,
        size: 2000,
        unit: "nodes",
    },
    GenericProgram {
        name: "connected-pairs",
        title: "all pairs of joined stones",
        rules: include_str!("../rules/datalog/connected-pairs.dl"),
        derives: ("connected", 2),
        reads: "stone",
        data: |n| board_graph(&half_full(n, Some(Player::Blue))),
        size: 50,
        unit: "cells a side, half of them stones",
    },
    GenericProgram {
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

impl fmt::Display for GenericProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for &'static GenericProgram {
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

impl GenericProgram {
    /// The generated facts, the same in every run.
    pub fn made_facts(&self) -> Vec<Atom> {
        (self.data)(self.size)
    }

    /// The user's facts for this program, or else the generated ones, with a description.
    pub(crate) fn facts(&self, given: &[Atom]) -> (Vec<Atom>, String) {
        let given: Vec<Atom> = given.iter().filter(|fact| fact.predicate == self.reads).cloned().collect();
        match given.len() {
            0 => (self.made_facts(), format!("{} {}", self.size, self.unit)),
            n => (given, format!("{n} facts given")),
        }
    }

    /// The rules, and the predicate whose facts are counted.
    pub(crate) fn rules(&self) -> (&'static str, Predicate) {
        let (name, arity) = self.derives;
        (self.rules, Predicate::new(name, arity))
    }

    /// The task of deriving all facts on the semi-naive engine, from the given ones.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn task(&self, facts: Vec<Atom>, optimization: &Optimization, budget: &Budget) -> Result<Task, Stopped> {
        let (rules, counted) = self.rules();
        let wording = Wording::generic(rules, counted)?;
        wording.optimize(optimization, &SEMI_NAIVE, &Case::of_facts(facts), budget)
    }
}

/// Runs the benchmark until its end or an interruption. The given facts replace the made ones of the programs that read
/// their predicate. A variant that derives a different number of tuples than the first one is a failure.
pub fn run(programs: &[&GenericProgram], given: &[Atom], variants: &Variants, monitor: &mut Monitor<'_>) -> Report {
    monitor.expect(programs.len() * variants.count());
    let report = Report::new(&BENCHMARK, &[FAILURES, ROWS]).measure(monitor, |report, monitor| {
        for program in programs {
            let (facts, data) = program.facts(given);
            variants.compare(program.name, &data, report, monitor, |engine, optimization, row| {
                measure_cell(program, facts.clone(), engine, optimization, variants, row)
            })?;
        }
        Ok(())
    });
    matrix::with_savings(report)
}

fn measure_cell(
    program: &GenericProgram,
    facts: Vec<Atom>,
    engine: &'static EngineDescription,
    optimization: &Optimization,
    Variants { sampling, .. }: &Variants,
    row: &mut Record,
) -> Result<(), Stopped> {
    if engine != &SEMI_NAIVE {
        return Err(Stopped::Unsupported("only semi-naive derives all there is".to_string()));
    }
    let task = program.task(facts, optimization, &sampling.optimizer_budget())?;
    row.set(OPTIMIZE, task.optimize.as_nanos() as u64);
    let (spread, run) = measure::measure(sampling, || task.run(sampling))?;
    matrix::enter(row, spread, &run);
    Ok(())
}
