//! Random programs over tables of hundreds of rows: no selection of passes changes an answer of the program as written.
//!
//! Small tables hide mistakes that depend on sizes, since passes choose by cost. Programs are optimized here directly, so that
//! none runs as written because it is small.

use ludolog::analysis::clause::{Goal, StratifiedProgram};
use ludolog::analysis::{self};
use ludolog::diagnostic::Sources;
use ludolog::engine::semi_naive::SemiNaive;
use ludolog::engine::{Budget, Engine, Stopped};
use ludolog::optimize::{Inputs, MAX_FACTS, Optimization, OptimizedProgram, PASSES, Settings, Target, optimize};
use ludolog::syntax::ast::{Atom, Predicate};
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

/// Programs of a quick run; the variable `LUDOLOG_RANDOM` says another number.
const CASES: u32 = 12;

/// Most time of one evaluation. A program that takes longer is not compared.
const LIMIT: Duration = Duration::from_millis(500);

fn analyzed(text: &str) -> Option<StratifiedProgram> {
    let mut sources = Sources::new();
    let source = sources.add("large.dl", text);
    let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result().expect("the text parses");
    Some(analysis::analyze(&parsed).ok()?.stratified)
}

/// Facts of `knows` and `likes`, which join along short steps modulo the number of nodes, and of `city`, a coarse partition.
fn tables(rows: usize) -> String {
    let nodes = (rows / 3).max(1);
    let steps = [(1, 1), (7, 0), (13, 5)];
    let knows = (0..rows).map(|row| {
        let (node, (factor, more)) = (row % nodes, steps[row / nodes % 3]);
        format!("knows({node}, {}).", (node * factor + more) % nodes)
    });
    let likes = (0..rows / 2).map(|row| format!("likes({}, {}).", row % nodes, (row * 5 + 2) % nodes));
    let city = (0..nodes).map(|node| format!("city({node}, {}).", node % 12));
    knows.chain(likes).chain(city).collect::<Vec<_>>().join("\n")
}

/// A rule of `p{level}` that reads tables, lower predicates and its own.
fn rule(level: usize, bytes: &[u8]) -> String {
    let mut bytes = bytes.iter();
    let mut pick = |n: usize| bytes.next().map_or(0, |&byte| byte as usize % n);
    let variables = ["A", "B", "C", "D"];
    let lower: Vec<String> =
        ["knows", "likes", "city"].map(String::from).into_iter().chain((0..level).map(|n| format!("p{n}"))).collect();
    let last = 1 + pick(3);
    let mut body: Vec<String> = (0..last)
        .map(|at| {
            let own = at == 0 && pick(4) == 3;
            let name = if own { format!("p{level}") } else { lower[pick(lower.len())].clone() };
            format!("{name}({}, {})", variables[at], variables[at + 1])
        })
        .collect();
    for number in 0..pick(4) {
        let (one, other) = (variables[pick(last + 1)], variables[pick(last + 1)]);
        let name = &lower[pick(lower.len())];
        let test = match pick(8) {
            0 | 1 => format!("{one} != {other}"),
            2 => format!("~{name}({one}, {other})"),
            3 => format!("({one} < {other} | {name}({other}, {one}))"),
            4 => format!("{name}({one}, T{number}) & {name}({other}, T{number})"),
            5 => format!("~({name}({one}, {other}) & {one} < {other})"),
            6 => format!("N{number} = count {{ V : {name}({one}, V) }} & N{number} > 1"),
            _ => format!("M{number} is max({one}, {other}) & M{number} = {other}"),
        };
        body.insert(pick(body.len() + 1), test);
    }
    format!("p{level}(A, {}) :- {}.", variables[last], body.join(" & "))
}

/// The facts of `predicates`, or the answers to the goal; `None` if time is over.
fn outcome(
    program: &StratifiedProgram,
    goal: Option<&Goal>,
    predicates: &[Predicate],
    optimization: &Optimization,
) -> Option<BTreeSet<String>> {
    let inputs = Inputs::of(program);
    let budget = Budget::unlimited().with_timeout(LIMIT);
    let settings = Settings {
        left_out: &[],
        optimization: optimization.clone(),
        target: Target::SemiNaive,
        goal,
        inputs: &inputs,
        evaluate: &evaluate,
        max_facts: MAX_FACTS,
        priced: true,
        budget: &budget,
    };
    let optimized = optimize(program.clone(), &settings).ok()?;
    let mut engine = SemiNaive::new(&optimized.program);
    engine.update(&budget).ok()?;
    let Some(goal) = optimized.goal.as_ref() else {
        let facts = predicates.iter().map(|predicate| engine.facts(predicate, &budget).ok());
        return Some(facts.collect::<Option<Vec<_>>>()?.iter().flatten().map(|fact| format!("{fact:?}")).collect());
    };
    let found = engine.solve(goal, false, &budget);
    found.stopped.is_none().then(|| found.rows.iter().map(|row| format!("{row:?}")).collect())
}

/// What grounding is given: the facts of these predicates, by the program as it stands then.
fn evaluate(program: &OptimizedProgram, wanted: &[Predicate], _max_facts: u64) -> Result<Vec<Vec<Atom>>, Stopped> {
    let budget = Budget::unlimited().with_timeout(LIMIT);
    let mut engine = SemiNaive::new(program);
    engine.update(&budget)?;
    wanted.iter().map(|predicate| engine.facts(predicate, &budget)).collect()
}

/// Each pass alone, each pair, and `auto`.
fn selections() -> Vec<Optimization> {
    let pairs = PASSES.iter().enumerate().flat_map(|(at, one)| {
        PASSES[at..]
            .iter()
            .map(move |other| Optimization::Passes(if one == other { vec![*one] } else { vec![*one, *other] }))
    });
    pairs.chain([Optimization::Auto]).collect()
}

/// The number of programs to try.
fn cases() -> u32 {
    std::env::var("LUDOLOG_RANDOM").ok().and_then(|number| number.parse().ok()).unwrap_or(CASES)
}

/// Facts, and answers to free and bound goals, under every selection against those of the program as written. Returns whether the
/// program was compared.
fn compare(text: &str, predicates: &[Predicate]) -> Result<bool, TestCaseError> {
    let Some(mut program) = analyzed(text) else { return Ok(false) };
    let goals = std::mem::take(&mut program.program.queries);
    for goal in std::iter::once(None).chain(goals.iter().map(Some)) {
        let Some(expected) = outcome(&program, goal, predicates, &Optimization::None) else { return Ok(false) };
        for selection in selections() {
            if let Some(found) = outcome(&program, goal, predicates, &selection) {
                let rules = text.lines().rev().take(8).collect::<Vec<_>>().join("\n");
                prop_assert!(found == expected, "{selection}: {} for {}\n{rules}", found.len(), expected.len());
            }
        }
    }
    Ok(true)
}

#[test]
fn large_tables_keep_answers_under_all_passes() {
    use proptest::collection::vec;
    use proptest::test_runner::TestRunner;
    use std::cell::Cell;
    let (tried, compared) = (Cell::new(0), Cell::new(0));
    let mut runner =
        TestRunner::new(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() });
    let strategy = (100..600usize, vec(vec(any::<u8>(), 24), 2..5));
    let outcome = runner.run(&strategy, |(rows, rules)| {
        let last = rules.len() - 1;
        let rules: Vec<String> = rules.iter().enumerate().map(|(level, bytes)| rule(level, bytes)).collect();
        let goals = format!("?- p{last}(X, Y).\n?- p{last}(7, Y).\n?- p{last}(X, 7).");
        let text = format!("{}\n{}\n{goals}", tables(rows), rules.join("\n"));
        let predicates: Vec<Predicate> = (0..=last).map(|level| Predicate::new(&format!("p{level}"), 2)).collect();
        tried.set(tried.get() + 1);
        compared.set(compared.get() + usize::from(compare(&text, &predicates)?));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(2 * compared.get() >= tried.get(), "only {} of {} programs were compared", compared.get(), tried.get());
}
