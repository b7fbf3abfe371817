//! No optimization changes an answer; and `ludolog plan` says what each did.

use crate::binary::run;
use crate::oracle::Oracle;
use crate::random;
use ludolog::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog::analysis::{self};
use ludolog::diagnostic::Sources;
use ludolog::engine::resolution::Resolution;
use ludolog::engine::semi_naive::{COST_MODEL, SemiNaive};
use ludolog::engine::{
    Budget, Case, ENGINES, Engine, EngineDescription, RESOLUTION, SEMI_NAIVE, Setting, Stopped, prepare,
};
use ludolog::optimize::pass::{Pass, PassContext, PassProgram, PassReport};
use ludolog::optimize::{
    Grounder, Inputs, MAX_FACTS, Optimization, Optimized, OptimizedProgram, PASSES, PassSettings, Pruning, Reordering,
    optimize,
};
use ludolog::syntax::ast::{Atom, Formula, Predicate};
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

fn program(text: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let source = sources.add("test.dl", text);
    let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result();
    analysis::analyze(&parsed.expect("the text parses")).expect("the program is sound").stratified
}

fn atom(text: &str) -> Atom {
    let query = syntax::parse_goal(text, &mut Sources::new(), Some(Syntax::Datalog));
    match query.expect("the goal parses").body.remove(0) {
        Formula::Atom(atom) => atom,
        other => panic!("no atom: {other:?}"),
    }
}

/// The facts of these predicates, by the oracle: what grounding is given.
fn evaluate(program: &OptimizedProgram, wanted: &[Predicate], _max_facts: u64) -> Result<Vec<Vec<Atom>>, Stopped> {
    let mut oracle = Oracle::new(&program.stratified);
    oracle.update(&Budget::unlimited())?;
    wanted.iter().map(|predicate| oracle.facts(predicate, &Budget::unlimited())).collect()
}

/// The oracle, as the engine that grounding uses: orders are those of semi-naive evaluation.
const GROUNDER: Grounder = Grounder { cost_model: COST_MODEL, evaluate: &evaluate };

fn optimized(
    program: &StratifiedProgram,
    goal: &Goal,
    inputs: &Inputs,
    engine: &EngineDescription,
    optimization: &Optimization,
) -> Optimized {
    let settings = PassSettings {
        left_out: &[],
        optimization: optimization.clone(),
        cost_model: engine.cost_model,
        goal: Some(goal),
        inputs,
        grounder: GROUNDER,
        max_facts: MAX_FACTS,
        priced: true,
        budget: &Budget::unlimited(),
    };
    optimize(program.clone(), &settings).expect("no limits")
}

/// Every pass alone, the named selections, and all passes at once.
fn selections() -> Vec<Optimization> {
    let alone = PASSES.map(|pass| Optimization::Passes(vec![pass]));
    let all = Optimization::Passes(PASSES.to_vec());
    alone.into_iter().chain(Optimization::NAMED).chain([all]).collect()
}

/// A tenth of a second of the thread's own time, whatever else the machine does.
fn short() -> Budget {
    Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(Duration::from_millis(100))
}

/// The answers to a goal, sorted; `None` when the engine stopped.
fn answers(engine: &mut dyn Engine, goal: &Goal) -> Option<Vec<String>> {
    let found = engine.solve(goal, false, &short());
    let mut rows: Vec<String> = found.rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    found.stopped.is_none().then_some(rows)
}

/// The rules of an optimized program, for a failure's message.
fn source(optimized: &Optimized) -> String {
    let program = (&optimized.program.stratified.program).into();
    syntax::print(&program, Syntax::Datalog)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Random programs and goals, with insertions and events coming after optimization: each selection of passes gives
    /// the answers of the oracle on the program as written.
    #[test]
    fn optimization_preserves_answers(case in random::case(), number: usize, sampled: bool) {
        let mut program = program(&case.text);
        let goals = std::mem::take(&mut program.program.queries);
        let goal = &goals[number % goals.len()];
        let insertions: Vec<Atom> = case.insertions.iter().flatten().map(|text| atom(text)).collect();
        let events: Vec<Atom> = case.events.iter().map(|text| atom(text)).collect();
        let coming = insertions.iter().chain(&events).map(Atom::signature);
        let mut inputs = Inputs::of(&program).with_predicates(coming);
        if sampled {
            inputs = inputs.with_sample(insertions.iter().cloned());
        }

        let run = |engine: &mut dyn Engine, goal: &Goal| -> Option<Vec<Vec<String>>> {
            let mut found = Vec::new();
            engine.update(&Budget::unlimited()).ok()?;
            found.push(answers(engine, goal)?);
            insertions.iter().for_each(|fact| _ = engine.insert(fact).expect("inputs are open"));
            engine.update(&Budget::unlimited()).ok()?;
            found.push(answers(engine, goal)?);
            for event in &events {
                engine.fire(event, &short()).ok()?;
                engine.update(&Budget::unlimited()).ok()?;
                found.push(answers(engine, goal)?);
            }
            Some(found)
        };
        let expected = run(&mut Oracle::new(&program), goal).expect("the oracle does not stop");

        for selection in selections() {
            for engine in [&SEMI_NAIVE, &RESOLUTION] {
                let new = optimized(&program, goal, &inputs, engine, &selection);
                let new_goal = new.goal.as_ref().expect("a goal stays a goal");
                prop_assert_eq!(&new_goal.variables, &goal.variables);
                // The rewritten rules mean the same to an engine that runs closures as rules.
                let as_rules = OptimizedProgram { closures: Vec::new(), ..new.program.clone() };
                let mut engines: Vec<(&str, Box<dyn Engine>)> = if engine.cost_model.calls {
                    // Demands are made for bottom-up engines; top-down they may not end.
                    vec![("resolution", Box::new(Resolution::new(&new.program)))]
                } else {
                    vec![
                        ("semi-naive", Box::new(SemiNaive::new(&new.program))),
                        ("without closures", Box::new(SemiNaive::new(&as_rules))),
                    ]
                };
                for (name, loaded) in &mut engines {
                    if let Some(found) = run(&mut **loaded, new_goal) {
                        prop_assert_eq!(
                            &found, &expected, "{} {}\n{}\n---\n{}", name, selection, case.text, source(&new)
                        );
                    } else {
                        prop_assert_eq!(engine, &RESOLUTION, "{} {}\n{}", name, selection, case.text);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Facts come and go although nobody declared them as inputs: after each selection of passes, on each engine, each
    /// change is either refused or has the consequences that the oracle finds in the program as written.
    #[test]
    fn changes_are_refused_or_have_their_consequences(
        case in random::case(), number: usize, order in any::<[u8; 12]>()
    ) {
        let mut program = program(&case.text);
        let goals = std::mem::take(&mut program.program.queries);
        let goal = &goals[number % goals.len()];
        let insertions = case.insertions.iter().flatten().map(|text| atom(text));
        let facts: Vec<Atom> = program.program.facts.iter().cloned().chain(insertions).collect();
        // Any of these facts comes or goes, one after the other.
        let changes: Vec<(bool, &Atom)> =
            order.iter().map(|&byte| (byte % 2 == 0, &facts[usize::from(byte / 2) % facts.len()])).collect();
        let inputs = Inputs::of(&program);
        let budget = short();
        for selection in selections() {
            for description in [&SEMI_NAIVE, &RESOLUTION] {
                let new = optimized(&program, goal, &inputs, description, &selection);
                let mut engine = description.load(&new.program, &Budget::unlimited()).expect("nothing is recorded");
                let mut oracle = Oracle::new(&program);
                for (comes, fact) in &changes {
                    let change = |engine: &mut dyn Engine| {
                        if *comes {
                            engine.insert(fact)
                        } else {
                            engine.as_retract().expect("it can take facts away").retract(fact)
                        }
                    };
                    let open = new.program.is_open(&fact.signature());
                    prop_assert!(open || !inputs.predicates.contains(&fact.signature()), "{}: an input is closed", selection);
                    let changed = change(&mut *engine);
                    prop_assert_eq!(changed.is_ok(), open, "{} {}\n{}", selection, fact.signature(), case.text);
                    if open {
                        change(&mut oracle).expect("the oracle refuses nothing");
                    }
                    oracle.update(&budget).expect("the oracle does not stop");
                    // Resolution may stop on recursion.
                    if engine.update(&budget).is_err() { break }
                    let Some(found) = answers(&mut *engine, new.goal.as_ref().expect("a goal stays a goal")) else { break };
                    let expected = answers(&mut oracle, goal).expect("the oracle does not stop");
                    prop_assert_eq!(
                        found, expected, "{:?} {} after {:?}\n{}\n---\n{}", description, selection, (comes, fact), case.text, source(&new)
                    );
                }
            }
        }
    }
}

/// What resolution can run as written it can run after every pass that is meant for it.
#[test]
fn resolution_does_not_lose_termination() {
    for text in [
        "path(X, Y) :- e(X, Y). path(X, Z) :- e(X, Y) & path(Y, Z). e(1, 2). e(2, 3). e(3, 4). ?- path(1, X).",
        "down(N, M) :- n(N) & n(M) & M is N - 1. low(N) :- n(N) & N < 2. low(N) :- n(N) & N > 1 & down(N, M) & low(M).
         n(1). n(2). n(3). n(4). ?- low(4).",
        "walk(X, [X]) :- first(X). walk(Y, [Y | V]) :- walk(X, V) & node(Y) & ~member(Y, V) & e(X, Y).
         first(1). node(1). node(2). e(1, 2). e(2, 1). ?- walk(2, [2, 1]).",
    ] {
        let mut program = program(text);
        let goal = program.program.queries.remove(0);
        for selection in [Optimization::Reordering, Optimization::Both, Optimization::Auto] {
            let new = optimized(&program, &goal, &Inputs::of(&program), &RESOLUTION, &selection);
            let mut engine = Resolution::new(&new.program);
            let found = answers(&mut engine, new.goal.as_ref().expect("a goal stays a goal"));
            assert!(found.is_some_and(|rows| !rows.is_empty()), "{selection}\n{}", source(&new));
        }
    }
}

/// What semi-naive evaluation derives once anyway is grounded only while it is small: 200 · 200 pairs are, 400 · 400
/// are not, since as facts of the program they take longer than the rule does.
#[test]
fn grounding_for_semi_naive_stays_small() {
    for (points, grounded) in [(200, true), (400, false)] {
        let facts: String = (0..points).map(|n| format!("n({n}). ")).collect();
        let program = program(&format!("{facts} pair(X, Y) :- n(X) & n(Y). q(X) :- pair(X, Y) & given(Y)."));
        let settings = PassSettings {
            left_out: &[],
            optimization: Optimization::Auto,
            cost_model: SEMI_NAIVE.cost_model,
            goal: None,
            inputs: &Inputs::of(&program).with_predicates([Predicate::new("given", 1)]),
            grounder: GROUNDER,
            max_facts: MAX_FACTS,
            priced: false,
            budget: &Budget::unlimited(),
        };
        let optimized = optimize(program.clone(), &settings).expect("no limits").program.stratified.program;
        let pairs = optimized.facts.iter().filter(|fact| fact.predicate == "pair").count();
        assert_eq!(pairs, if grounded { points * points } else { 0 }, "{points} points");
    }
}

/// `ludolog plan` on the rules of this project.
#[test]
fn plans() {
    for (name, arguments) in [
        ("power-set-none-to-auto", "rules/hex/power-set-9x9.dl win(P) --position bench-positions/p9.txt"),
        ("connected-closure", "rules/hex/connected.dl win(P) --position bench-positions/p9.txt"),
        ("reachability-demand", "rules/hex/reachability.dl win(blue) --position bench-positions/p9.txt"),
        ("cluster-resolution", "rules/hex/cluster.dl win(P) --position bench-positions/p9.txt --engine resolution"),
        ("same-generation-source", "tests/programs/same-generation.dl --format source"),
    ] {
        let args: Vec<&str> = ["plan"].into_iter().chain(arguments.split(' ')).collect();
        let (status, text, told) = run(".", &args, "");
        assert_eq!(status, 0, "{told}");
        insta::with_settings!({ prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("plan-{name}"), text);
        });
    }
}

/// Acquaintances of acquaintances in the same city, of 100 people in a ring with some ties across it. 86 pairs were
/// counted by comprehension over the relations, and by clingo.
#[test]
fn a_split_body_keeps_its_tests_behind_what_binds_them() {
    let knows: BTreeSet<(u32, u32)> = (0..100)
        .flat_map(|a| [(a + 1) % 100, (a + 99) % 100, 7 * a % 100, (13 * a + 5) % 100].map(|b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    let knows: String = knows.iter().map(|(a, b)| format!("knows({a}, {b}). ")).collect();
    let city: String = (0..100).map(|a| format!("city({a}, {}). ", a % 12)).collect();
    let rule = "fof(A, C) :- knows(A, B), knows(B, C), A != C, ~knows(A, C), city(A, X), city(C, X).";
    let program = program(&format!("{rule} {knows} {city} ?- fof(A, C)."));
    let goal = program.program.queries[0].clone();
    let facts = Inputs::of(&program);
    for selection in selections() {
        let new = optimized(&program, &goal, &facts, &SEMI_NAIVE, &selection);
        let mut engine = SemiNaive::new(&new.program);
        engine.update(&Budget::unlimited()).expect("no limits");
        let found = engine.solve(new.goal.as_ref().expect("a goal stays a goal"), false, &Budget::unlimited());
        assert_eq!(found.rows.len(), 86, "{selection}\n{}", source(&new));
    }
}

/// A pass that takes the first positive literal out of every body, so that tests and heads lose what binds their
/// variables.
struct Careless;

impl Pass for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn run(&self, work: &mut PassProgram, _: &PassContext) -> Result<PassReport, Stopped> {
        for rule in &mut work.program.stratified.program.rules {
            let mut literals = rule.body.to_vec();
            literals.retain({
                let mut first = true;
                move |literal| !(matches!(literal, Literal::Positive(_)) && std::mem::take(&mut first))
            });
            rule.body = literals.into();
        }
        Ok(PassReport::default())
    }
}

/// A pass that closes a predicate of the case.
struct Closing;

impl Pass for Closing {
    fn name(&self) -> &'static str {
        "closing"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        work.program.closed.extend(context.inputs.predicates.iter().cloned());
        Ok(PassReport::default())
    }
}

/// A pass that reverses the strata.
struct Reversing;

impl Pass for Reversing {
    fn name(&self) -> &'static str {
        "reversing"
    }

    fn run(&self, work: &mut PassProgram, _: &PassContext) -> Result<PassReport, Stopped> {
        work.program.stratified.strata.reverse();
        Ok(PassReport::default())
    }
}

#[test]
fn a_broken_pass_is_left_out_and_told() {
    let rules = "p(X, Z) :- e(X, Y) & e(Y, Z) & X != Z. q(X) :- e(X, _) & ~p(X, _).";
    let mut program = program(&format!("{rules} e(1, 2). e(2, 3). e(3, 3). ?- q(X)."));
    let goal = program.program.queries.remove(0);
    let broken: [&'static dyn Pass; 3] = [&Careless, &Closing, &Reversing];
    let faults = [
        "an unsafe rule: p(X, Z) :- e(Y, Z) & X != Z.",
        "`s/1` is closed, though its facts change with the case",
        "`p/2` needs `e/2` of a later stratum: p(X, Z) :- e(X, Y) & e(Y, Z) & X != Z.",
    ];
    for (pass, fault) in broken.into_iter().zip(faults) {
        let optimization = Optimization::Passes(vec![&Reordering, pass, &Pruning]);
        let inputs = vec![Predicate::new("s", 1)];
        let setting = Setting { optimization, inputs, ..Setting::default() };
        let prepared =
            prepare(&program, &Case::default(), Some(&goal), &setting, &Budget::unlimited()).expect("no limits");
        let told: Vec<String> = prepared.optimized.broken.iter().map(ToString::to_string).collect();
        assert_eq!(told, [format!("the pass {pass} is left out, since its result is faulty: {fault}")]);
        let passes: Vec<&str> = prepared.optimized.steps.iter().map(|step| step.pass.name()).collect();
        assert_eq!(passes, ["pruning", "reordering"]);
        let mut engine = prepared.load(&Budget::unlimited()).expect("no limits");
        engine.update(&Budget::unlimited()).expect("no limits");
        // 1 has a way of two steps to another node, 2 has one to 3, 3 only to itself.
        assert_eq!(
            answers(&mut *engine, prepared.goal().expect("a goal stays a goal")).map(|rows| rows.len()),
            Some(1)
        );
    }
}

#[test]
fn engines_refuse_what_would_run_unbound() {
    let mut program = OptimizedProgram::from(program("p(X) :- e(X) & ~f(X)."));
    program.stratified.program.rules[0].body.retain(|literal| matches!(literal, Literal::Negative(_)));
    for engine in ENGINES {
        let refused = engine.load(&program, &Budget::unlimited()).err();
        assert_eq!(refused, Some(Stopped::Internal("an unsafe rule: p(X) :- ~f(X).".to_owned())), "{engine}");
    }
}
