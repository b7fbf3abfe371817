//! Random programs mean what their text says: every engine, with every optimization and on several threads, derives and answers what
//! the oracle reads off the syntax tree.
//!
//! The whole way is under test, but for the parser: each program is printed in one of the syntaxes and read again, with plain names or
//! with names that need quotes. `LUDOLOG_RANDOM=10000 cargo test --test suite -- meaning` tries 10,000 of them, each under all
//! optimizations and with two of its queries.

use crate::oracle::Oracle;
use crate::random::{self, long_run};
use crate::renaming::{Names, map_atom, map_program, read};
use ludolog::analysis::{
    self,
    clause::{Goal, StratifiedProgram},
};
use ludolog::diagnostic::{Code, Severity};
use ludolog::engine::semi_naive::Heuristic;
use ludolog::engine::{
    Budget, Case, ENGINES, Engine, EngineDescription, Prepared, SEMI_NAIVE, Setting, Stopped, prepare,
};
use ludolog::optimize::{Optimization, PASSES};
use ludolog::syntax::ast::{Atom, Name, Program, Statement, Term};
use ludolog::syntax::budget::OrderFault;
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::time::Duration;

/// Programs of a quick run, each under `auto` and one other optimization, with one of its queries.
const CASES: u32 = 300;

/// Those of them with lattice columns.
const LATTICE_CASES: u32 = 60;

/// The time that resolution has for each question, since it may go round in circles.
const PATIENCE: Duration = Duration::from_millis(5);

/// The names of random programs, and names that only quotes make names.
const NAMES: [(&str, &str); 12] = [
    ("a", "New York"),
    ("b", "it's"),
    ("p", "not"),
    ("q", "Q"),
    ("s", "m) (terminal) (x"),
    ("c", "|"),
    ("r", "count@1"),
    ("t", "q@bf"),
    ("x", "X"),
    ("f", "?- %"),
    ("d", "été, 1"),
    ("go", "count"),
];

/// Exchanges the names that need quotes for others.
struct Quoted(BTreeMap<&'static str, &'static str>);

impl Quoted {
    fn name(&self, name: &Name) -> Name {
        self.0.get(&**name).map_or_else(|| name.clone(), |&other| other.into())
    }
}

impl Names for Quoted {
    fn predicate(&mut self, name: &Name) -> Name {
        self.name(name)
    }

    fn constant(&mut self, name: &Name) -> Name {
        self.name(name)
    }

    fn variable(&mut self, name: &Name) -> Name {
        name.clone()
    }
}

/// A random program with its case.
#[derive(Debug)]
struct RandomText {
    program: Program,
    facts: Vec<Atom>,
    events: Vec<Atom>,
}

impl RandomText {
    fn new(case: &random::Case, is_quoted: bool) -> RandomText {
        let mut names = Quoted(if is_quoted { BTreeMap::from(NAMES) } else { BTreeMap::new() });
        let program = map_program(&read(&case.text, Syntax::Datalog), &mut names);
        let mut atom = |text: &String| map_atom(&text.parse().expect("an atom"), &mut names);
        let facts = case.insertions.iter().flatten().map(&mut atom).collect();
        RandomText { program, facts, events: case.events.iter().map(atom).collect() }
    }
}

/// What is derived, and the answers to each query.
struct Meaning {
    facts: BTreeSet<String>,
    answers: Vec<BTreeSet<String>>,
}

impl Meaning {
    fn of(text: &RandomText) -> Meaning {
        let mut oracle = Oracle::of_text(&text.program);
        text.facts.iter().for_each(|fact| _ = oracle.insert(fact));
        let budget = Budget::unlimited();
        text.events.iter().for_each(|event| oracle.fire(event, &budget).expect("nothing stops it"));
        let model = oracle.derive();
        let atoms = model.iter().flat_map(|(p, rows)| rows.iter().map(|row| Atom::new(&p.name, row.clone())));
        let facts = atoms.map(|atom| syntax::print_atom(&atom, Syntax::Datalog)).collect();
        let queries = text.program.items.iter().filter_map(|item| match &item.statement {
            Statement::Query(query) => Some(lines(oracle.answers(&query.body))),
            _ => None,
        });
        Meaning { facts, answers: queries.collect() }
    }
}

fn lines(rows: impl IntoIterator<Item = Vec<Term>>) -> BTreeSet<String> {
    rows.into_iter().map(|row| format!("{row:?}")).collect()
}

/// The optimizations of a long run.
fn selections() -> Vec<Optimization> {
    let alone = PASSES.map(|pass| Optimization::Passes(vec![pass]));
    Optimization::NAMED.into_iter().rev().chain(alone).collect()
}

/// The settings to compare: `auto`, first of the selections, and another one by `turn`, or all of them.
fn settings(turn: usize) -> Vec<Setting> {
    let selections = selections();
    let chosen: Vec<Optimization> = match long_run() {
        Some(_) => selections,
        None => vec![selections[0].clone(), selections[1 + turn % (selections.len() - 1)].clone()],
    };
    let setting = |engine: &EngineDescription, optimization: &Optimization, threads| Setting {
        engine: engine.clone(),
        optimization: optimization.clone(),
        threads: NonZero::new(threads).expect("a thread"),
        ..Setting::default()
    };
    let mut settings: Vec<Setting> =
        ENGINES.iter().flat_map(|engine| chosen.iter().map(|chosen| setting(engine, chosen, 1))).collect();
    settings.extend(chosen.iter().map(|chosen| setting(&SEMI_NAIVE, chosen, 3)));
    // What else only large relations run.
    let threads = if turn.is_multiple_of(2) { 1 } else { 3 };
    settings.push(setting(&Heuristic::all_early(), &chosen[turn / 2 % chosen.len()], threads));
    #[cfg(feature = "dataflow")]
    settings.extend(chosen.iter().map(|chosen| setting(&ludolog::dataflow::DATAFLOW, chosen, 1)));
    settings
}

/// The answers to the goal that a program is prepared for, or all facts.
fn outcome(prepared: &Prepared, budget: &Budget) -> Result<BTreeSet<String>, Stopped> {
    let mut engine = prepared.load(budget)?;
    prepared.insert_facts(&mut *engine, budget)?;
    prepared.fire_events(&mut *engine, budget)?;
    engine.update(budget)?;
    if let Some(goal) = prepared.goal() {
        let found = engine.solve(goal, false, budget);
        return found.stopped.map_or(Ok(lines(found.rows)), Err);
    }
    let mut facts = BTreeSet::new();
    for predicate in engine.predicates() {
        let atoms = engine.facts(&predicate, budget)?;
        facts.extend(atoms.iter().map(|atom| syntax::print_atom(atom, Syntax::Datalog)));
    }
    Ok(facts)
}

/// Whether the fault is a value that the given facts of orders have nowhere.
fn is_unmentioned(fault: &OrderFault, program: &StratifiedProgram) -> bool {
    let OrderFault::Unmentioned { value, .. } = fault else { return false };
    let orders = program.program.facts.iter().filter(|fact| fact.predicate == "c" || fact.predicate == "next");
    !orders.flat_map(|fact| &fact.args).any(|arg| arg == value)
}

/// The comparisons made, those left out since resolution went round in circles or a value has no order, and the programs that were to be refused.
#[derive(Default)]
struct Counts {
    compared: Cell<usize>,
    left_out: Cell<usize>,
    refused: Cell<usize>,
}

impl Counts {
    /// Compares one setting: the answers to a goal, or all facts.
    fn compare(
        &self,
        program: &StratifiedProgram,
        text: &RandomText,
        setting: &Setting,
        goal: Option<&Goal>,
        expected: &BTreeSet<String>,
    ) -> Result<(), String> {
        let case = Case { events: text.events.clone(), ..Case::of_facts(text.facts.iter().cloned()) };
        let budget = Budget::unlimited();
        let prepared = prepare(program, &case, goal, setting, &budget).map_err(|stopped| stopped.to_string())?;
        if let Some(broken) = prepared.optimized.broken.first() {
            return Err(broken.to_string());
        }
        let is_resolution = setting.engine.name == "resolution";
        let budget = if is_resolution { budget.with_timeout(PATIENCE) } else { budget };
        match outcome(&prepared, &budget) {
            Ok(found) if found == *expected => self.compared.set(self.compared.get() + 1),
            Ok(found) => {
                let [missing, wrong] = [(expected, &found), (&found, expected)].map(|(a, b)| a.difference(b));
                return Err(format!(
                    "missing {:#?}, wrong {:#?}",
                    missing.collect::<Vec<_>>(),
                    wrong.collect::<Vec<_>>()
                ));
            }
            // Others have no lattice columns, or no orders of them.
            Err(Stopped::Unsupported(_))
                if !program.program.lattices.is_empty() && setting.engine.name != SEMI_NAIVE.name => {}
            // A random value may be none of those that are ordered.
            Err(Stopped::Unordered(unordered)) if is_unmentioned(&unordered.fault, program) => {
                self.left_out.set(self.left_out.get() + 1);
            }
            Err(Stopped::Timeout(_) | Stopped::Loop(_) | Stopped::TooDeep(_) | Stopped::TermTooLarge(_))
                if is_resolution =>
            {
                self.left_out.set(self.left_out.get() + 1);
            }
            Err(stopped) => return Err(stopped.to_string()),
        }
        Ok(())
    }

    /// Compares a program, printed in one of the syntaxes and read again, by `turn`.
    fn check(&self, text: &RandomText, turn: usize) -> Result<(), TestCaseError> {
        let syntax = if turn.is_multiple_of(2) { Syntax::Datalog } else { Syntax::Kif };
        let written = syntax::print(&text.program, syntax);
        let again = read(&written, syntax);
        prop_assert!(again == text.program, "not the same when read again:\n{written}");
        let program = match analysis::analyze(&again) {
            Ok(analyzed) => analyzed.stratified,
            Err(found)
                if found.iter().all(|one| one.severity != Severity::Error || one.code == Code::LatticeColumn) =>
            {
                self.refused.set(self.refused.get() + 1);
                return Ok(());
            }
            Err(found) => return Err(TestCaseError::fail(format!("{found:?}\n{written}"))),
        };
        let meaning = Meaning::of(text);
        let goals: Vec<(Option<&Goal>, &BTreeSet<String>)> =
            program.program.queries.iter().map(Some).zip(&meaning.answers).collect();
        let number = if long_run().is_some() { 2 } else { 1 };
        let goals = [goals[turn % goals.len()], goals[turn / goals.len() % goals.len()]].into_iter().take(number);
        for (goal, expected) in goals.chain([(None, &meaning.facts)]) {
            for setting in settings(turn) {
                let same = self.compare(&program, text, &setting, goal, expected);
                let Setting { engine, optimization, threads, .. } = &setting;
                let asked = goal.map_or_else(|| "all facts".to_owned(), |goal| format!("{:?}", goal.body));
                let way = format!("{engine}, {optimization}, {threads} threads, {asked}");
                let case = format!("facts {:?}, events {:?}", text.facts, text.events);
                prop_assert!(same.is_ok(), "{way}: {}\n{written}\n{case}", same.unwrap_err());
            }
        }
        Ok(())
    }
}

/// Compares so many programs, or as many as a long run has.
fn compare_all(cases: impl Strategy<Value = random::Case>, usual: u32) {
    let counts = Counts::default();
    let config = ProptestConfig { cases: long_run().unwrap_or(usual), failure_persistence: None, ..Default::default() };
    let strategy = (cases, any::<bool>(), any::<usize>());
    let outcome = TestRunner::new(config)
        .run(&strategy, |(case, is_quoted, turn)| counts.check(&RandomText::new(&case, is_quoted), turn));
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let compared = counts.compared.get();
    let left_out = counts.left_out.get();
    let refused = counts.refused.get();
    println!("{compared} comparisons, {left_out} left out, {refused} programs refused");
    assert!(
        compared > 2 * left_out && compared > refused,
        "{compared} comparisons, {left_out} left out, {refused} refused"
    );
}

#[test]
fn texts_mean_what_the_oracle_reads() {
    compare_all(random::rich_case(), CASES);
}

#[test]
fn texts_with_lattice_columns_mean_what_the_oracle_reads() {
    compare_all(random::lattices::rich_case(), LATTICE_CASES);
}
