//! Random programs over tables of hundreds of rows: no selection of passes changes an answer of the program as written.
//!
//! Small tables hide mistakes that depend on sizes, since passes choose by cost. Programs are optimized here directly,
//! so that none runs as written because it is small. Budgets count rows and facts, no time, so that a busy machine
//! compares as much.

use crate::random::long_run;
use ludolog::analysis::{
    self,
    clause::{Goal, StratifiedProgram},
};
use ludolog::diagnostic::Sources;
use ludolog::engine::semi_naive::{COST_MODEL, SemiNaive};
use ludolog::engine::{Budget, Engine, Stopped};
use ludolog::optimize::{
    Grounder, Inputs, Optimization, OptimizedProgram, PASSES, PassSettings, Unoptimized, optimize,
};
use ludolog::syntax::ast::{Atom, Predicate};
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Programs of a quick run, each under the passes alone, `auto` and one of the pairs, for all facts and one goal.
const CASES: u32 = 40;

/// Rows of `knows` in a quick run, and in a long one.
const ROWS: [Range<usize>; 2] = [100..600, 100..3_000];

/// Most rows that one evaluation may match. A program that takes more is not compared.
const MAX_PROBES: u64 = 300_000;

/// Most facts of one evaluation.
const MAX_FACTS: u64 = 100_000;

/// The variables that a chain of subgoals binds.
const VARIABLES: [&str; 5] = ["A", "B", "C", "D", "E"];

fn budget() -> Budget {
    Budget::unlimited().with_max_probes(MAX_PROBES).with_max_facts(MAX_FACTS)
}

fn analyzed(text: &str) -> Option<StratifiedProgram> {
    let mut sources = Sources::new();
    let source = sources.add("large.dl", text);
    let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result().expect("the text parses");
    Some(analysis::analyze(&parsed).ok()?.stratified)
}

/// Facts of `knows` and `likes`, which join along short steps modulo the number of nodes, and of `city`, a coarse
/// partition.
fn tables(rows: usize) -> String {
    let nodes = (rows / 3).max(1);
    let steps = [(1, 1), (7, 0), (13, 5)];
    let knows = (0..rows).map(|row| {
        let node = row % nodes;
        let (factor, more) = steps[row / nodes % 3];
        format!("knows({node}, {}).", (node * factor + more) % nodes)
    });
    let likes = (0..rows / 2).map(|row| format!("likes({}, {}).", row % nodes, (row * 5 + 2) % nodes));
    let city = (0..nodes).map(|node| format!("city({node}, {}).", node % 12));
    knows.chain(likes).chain(city).collect::<Vec<_>>().join("\n")
}

/// The rules of `p{level}`: now and then a recursion over two tables or lower predicates, in one of the shapes of a closure or nearly so, and otherwise a
/// [rule](rule).
fn rules(level: usize, bytes: &[u8]) -> String {
    let [shape, base, step, rest @ ..] = bytes else { return rule(level, bytes) };
    if shape % 3 > 0 {
        return rule(level, bytes);
    }
    let lower: Vec<String> =
        ["likes", "knows"].map(String::from).into_iter().chain((0..level).rev().map(|n| format!("p{n}"))).collect();
    let [base, step] = [base, step].map(|byte| &lower[*byte as usize % lower.len()]);
    let recursion = match shape / 3 % 8 {
        0 | 1 => format!("p{level}(A, C) :- p{level}(A, B) & {step}(B, C)."),
        2 => format!("p{level}(A, C) :- {step}(A, B) & p{level}(B, C)."),
        3 => format!("p{level}(A, C) :- p{level}(A, B) & p{level}(B, C)."),
        4 => format!("p{level}(A, C) :- {step}(C, B) & p{level}(A, B)."),
        5 => format!("p{level}(B, A) :- p{level}(A, B).\np{level}(A, C) :- p{level}(A, B) & p{level}(B, C)."),
        6 => format!("p{level}(A, C) :- p{level}(A, B) & {step}(B, C) & ~{base}(C, C)."),
        _ => format!("p{level}(A, C) :- p{level}(A, B) & {step}(B, C).\n{}", rule(level, rest)),
    };
    format!("p{level}(A, B) :- {base}(A, B).\n{recursion}")
}

/// A rule of `p{level}`: a chain of subgoals over tables, lower predicates and its own, mostly with a link between two
/// of its variables, and with tests of variables that stand far from each other, anywhere in the body.
fn rule(level: usize, bytes: &[u8]) -> String {
    let mut bytes = bytes.iter();
    let mut pick = |n: usize| bytes.next().map_or(0, |&byte| byte as usize % n);
    let lower: Vec<String> =
        ["knows", "likes", "city"].map(String::from).into_iter().chain((0..level).map(|n| format!("p{n}"))).collect();
    let last = 1 + pick(3);
    let mut body: Vec<String> = (0..last)
        .map(|at| {
            let own = at == 0 && pick(6) == 5;
            let name = if own { format!("p{level}") } else { lower[pick(lower.len())].clone() };
            format!("{name}({}, {})", VARIABLES[at], VARIABLES[at + 1])
        })
        .collect();
    let far = |pick: &mut dyn FnMut(usize) -> usize| {
        let one = pick(last);
        (VARIABLES[one], VARIABLES[one + 1 + pick(last - one)])
    };
    if pick(3) > 0 {
        let (one, other) = far(&mut pick);
        let name = ["city", "city", "likes"][pick(3)];
        body.extend([format!("{name}({one}, L)"), format!("{name}({other}, L)")]);
    }
    for number in 0..pick(4) {
        let (one, other) = far(&mut pick);
        let name = &lower[pick(lower.len())];
        let test = match pick(10) {
            0 | 1 => format!("{one} != {other}"),
            2..=4 => format!("~{name}({one}, {other})"),
            5 => format!("({one} < {other} | {name}({other}, {one}))"),
            6 => format!("{name}({one}, T{number}) & {name}({other}, T{number})"),
            7 => format!("~({name}({one}, {other}) & {one} < {other})"),
            8 => format!("N{number} = count {{ V : {name}({one}, V) }} & N{number} > 1"),
            _ => format!("M{number} is max({one}, {other}) & M{number} = {other}"),
        };
        body.insert(pick(body.len() + 1), test);
    }
    format!("p{level}(A, {}) :- {}.", VARIABLES[last], body.join(" & "))
}

/// Tables of so many rows, and rules for each of these choices.
pub fn program(rows: usize, rules: &[Vec<u8>]) -> String {
    let rules: Vec<String> = rules.iter().enumerate().map(|(level, bytes)| self::rules(level, bytes)).collect();
    format!("{}\n{}", tables(rows), rules.join("\n"))
}

/// The facts of `predicates`, or the answers to the goal; `None` if the budget is used up.
fn outcome(
    program: &StratifiedProgram,
    goal: Option<&Goal>,
    predicates: &[Predicate],
    optimization: &Optimization,
) -> Option<BTreeSet<String>> {
    let inputs = Inputs::of(program);
    let budget = budget();
    let settings = PassSettings {
        left_out: &[],
        optimization: optimization.clone(),
        cost_model: COST_MODEL,
        goal,
        inputs: &inputs,
        grounder: Grounder { cost_model: COST_MODEL, evaluate: &evaluate },
        max_facts: MAX_FACTS,
        priced: true,
        budget: &budget,
    };
    let optimized = match optimize(program.clone(), &settings) {
        Ok(optimized) => optimized,
        Err(Unoptimized::Stopped(stopped)) => return within_budget(Err(stopped)),
        Err(Unoptimized::Broken(pass)) => panic!("{pass}"),
    };
    let mut engine = SemiNaive::new(&optimized.program);
    within_budget(engine.update(&budget))?;
    let Some(goal) = optimized.goal.as_ref() else {
        let facts = predicates.iter().map(|predicate| within_budget(engine.facts(predicate, &budget)));
        return Some(facts.collect::<Option<Vec<_>>>()?.iter().flatten().map(|fact| format!("{fact:?}")).collect());
    };
    let found = engine.solve(goal, false, &budget);
    within_budget(found.stopped.map_or(Ok(()), Err))?;
    Some(found.rows.iter().map(|row| format!("{row:?}")).collect())
}

/// What was found; `None` if the budget is used up. No other stop is expected.
fn within_budget<T>(found: Result<T, Stopped>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(Stopped::TooManyProbes(_) | Stopped::TooManyFacts(_)) => None,
        Err(stopped) => panic!("{stopped}"),
    }
}

/// What grounding is given: the facts of these predicates, by the program as it stands then.
fn evaluate(program: &OptimizedProgram, wanted: &[Predicate], _max_facts: u64) -> Result<Vec<Vec<Atom>>, Stopped> {
    let budget = budget();
    let mut engine = SemiNaive::new(program);
    engine.update(&budget)?;
    wanted.iter().map(|predicate| engine.facts(predicate, &budget)).collect()
}

/// `auto`, each pass alone, and each pair.
fn selections() -> Vec<Optimization> {
    let alone = PASSES.iter().map(|pass| vec![*pass]);
    let pairs = PASSES.iter().enumerate().flat_map(|(at, one)| PASSES[at + 1..].iter().map(|other| vec![*one, *other]));
    std::iter::once(Optimization::Auto).chain(alone.chain(pairs).map(Optimization::Passes)).collect()
}

/// Comparisons made, and those left out because an evaluation used up its budget.
#[derive(Default)]
struct Counts {
    programs: Cell<usize>,
    refused: Cell<usize>,
    compared: Cell<usize>,
    skipped: Cell<usize>,
}

fn count(counter: &Cell<usize>, number: usize) {
    counter.set(counter.get() + number);
}

/// Facts, and answers to free and bound goals, under every selection against those of the program as written. A quick
/// run takes one of the goals and one of the pairs, by `turn`.
fn compare(text: &str, predicates: &[Predicate], turn: usize, counts: &Counts) -> Result<(), TestCaseError> {
    count(&counts.programs, 1);
    let Some(mut program) = analyzed(text) else {
        count(&counts.refused, 1);
        return Ok(());
    };
    let mut goals = std::mem::take(&mut program.program.queries);
    let mut selections = selections();
    if long_run().is_none() {
        goals = vec![goals.swap_remove(turn % goals.len())];
        let pair = PASSES.len() + 1 + turn % (selections.len() - PASSES.len() - 1);
        selections.swap(PASSES.len() + 1, pair);
        selections.truncate(PASSES.len() + 2);
    }
    for goal in std::iter::once(None).chain(goals.iter().map(Some)) {
        let Some(expected) = outcome(&program, goal, predicates, &Optimization::None) else {
            count(&counts.skipped, selections.len());
            continue;
        };
        for selection in &selections {
            let Some(found) = outcome(&program, goal, predicates, selection) else {
                count(&counts.skipped, 1);
                continue;
            };
            count(&counts.compared, 1);
            let rules = text.lines().rev().take(8).collect::<Vec<_>>().join("\n");
            let number = counts.programs.get();
            prop_assert!(
                found == expected,
                "program {number}, {selection}: {} for {}\n{rules}",
                found.len(),
                expected.len()
            );
        }
    }
    Ok(())
}

#[test]
fn large_tables_keep_answers_under_all_passes() {
    use proptest::collection::vec;
    use proptest::test_runner::TestRunner;
    let counts = Counts::default();
    let [quick, long] = ROWS;
    let (cases, rows) = long_run().map_or((CASES, quick), |cases| (cases, long));
    let mut runner = TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..Default::default() });
    let strategy = (rows, any::<usize>(), vec(vec(any::<u8>(), 24), 1..4));
    let outcome = runner.run(&strategy, |(rows, turn, rules)| {
        let last = rules.len() - 1;
        let goals = format!("?- p{last}(X, Y).\n?- p{last}(7, Y).\n?- p{last}(X, 7).");
        let text = format!("{}\n{goals}", program(rows, &rules));
        let predicates: Vec<Predicate> = (0..=last).map(|level| Predicate::new(&format!("p{level}"), 2)).collect();
        compare(&text, &predicates, turn, &counts)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let Counts { programs, refused, compared, skipped } = &counts;
    let programs = programs.get();
    let refused = refused.get();
    let compared = compared.get();
    let skipped = skipped.get();
    let told = format!("{programs} programs, {refused} refused; {compared} comparisons, {skipped} beyond the budget");
    println!("{told}");
    assert!(compared > skipped && programs > 4 * refused, "{told}");
}
