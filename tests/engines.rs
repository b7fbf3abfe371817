//! All engines agree with answers worked out by hand, with the oracle, and with each other.

use crate::oracle::Oracle;
use crate::random;
use ludolog::analysis::{self, clause::StratifiedProgram};
use ludolog::diagnostic::{Diagnostics, Sources, render};
use ludolog::engine::semi_naive::{Heuristic, SemiNaive};
use ludolog::engine::{
    Budget, Count, ENGINES, Engine, EngineDescription, Parallel, Refused, Retract, SEMI_NAIVE, Session, Setting,
    Stopped, resolution::Resolution,
};
use ludolog::files::FileSystem;
use ludolog::game::Draw;
use ludolog::optimize::{Optimization, OptimizedProgram};
use ludolog::syntax::ast::{Atom, Formula, Predicate, Program, Statement, Term};
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZero;
use std::time::Duration;

/// The engines under test, by name.
fn engines(program: &StratifiedProgram) -> Vec<(&'static str, Box<dyn Engine>)> {
    let engines = engines_without_threads(program).into_iter();
    #[cfg(feature = "dataflow")]
    let engines = engines.chain(crate::dataflow::engines(program));
    engines.collect()
}

/// Those that are loaded and asked in no time, thousands of times.
fn engines_without_threads(program: &StratifiedProgram) -> [(&'static str, Box<dyn Engine>); 3] {
    let optimized = OptimizedProgram::from(program.clone());
    [
        ("oracle", Box::new(Oracle::new(program))),
        ("semi-naive", Box::new(SemiNaive::new(&optimized))),
        ("resolution", Box::new(Resolution::new(&optimized))),
    ]
}

fn explain(diagnostics: &Diagnostics, sources: &Sources) -> String {
    render::to_text(diagnostics, sources, false)
}

/// Parses a `.dl` text.
fn read(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test.dl", text);
    let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result();
    parsed.unwrap_or_else(|found| panic!("{text}\n{}", explain(&found, &sources)))
}

/// Parses and analyzes a `.dl` text.
pub fn program(text: &str) -> StratifiedProgram {
    let analyzed = analysis::analyze(&read(text));
    analyzed.unwrap_or_else(|found| panic!("{text}\n{}", explain(&found, &Sources::new()))).stratified
}

/// Parses a ground atom.
fn atom(text: &str) -> Atom {
    let query = syntax::parse_goal(text, &mut Sources::new(), Some(Syntax::Datalog));
    match query.unwrap_or_else(|_| panic!("no goal: {text}")).body.remove(0) {
        Formula::Atom(atom) => atom,
        other => panic!("no atom: {other:?}"),
    }
}

fn retract(engine: &mut dyn Engine, fact: &str) -> Result<bool, Refused> {
    engine.as_retract().expect("it can take facts away").retract(&atom(fact))
}

fn replace(engine: &mut dyn Engine, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
    engine.as_retract().expect("it can take facts away").replace(predicate, facts)
}

/// All facts, sorted, one per line.
fn facts(engine: &mut dyn Engine, budget: &Budget) -> Result<String, Stopped> {
    let mut lines = String::new();
    for predicate in engine.predicates() {
        let mut facts = engine.facts(&predicate, budget)?;
        facts.sort_by(|a, b| a.args.cmp(&b.args));
        for fact in facts {
            writeln!(lines, "{}.", syntax::print_atom(&fact, Syntax::Datalog)).unwrap();
        }
    }
    Ok(lines)
}

/// The answers of a goal, sorted, one per line: `yes` or `X = 1, Y = a`.
fn answers(
    engine: &mut dyn Engine,
    goal: &analysis::clause::Goal,
    first: bool,
    budget: &Budget,
) -> Result<Vec<String>, Stopped> {
    let answers = engine.solve(goal, first, budget);
    let mut rows = answers.rows;
    rows.sort();
    let show = |row: &Vec<ludolog::syntax::ast::Term>| {
        let bindings = goal.variables.iter().zip(row);
        let bindings: Vec<String> =
            bindings.map(|(name, term)| format!("{name} = {}", syntax::print_term(term, Syntax::Datalog))).collect();
        if bindings.is_empty() { "yes".to_string() } else { bindings.join(", ") }
    };
    match answers.stopped {
        Some(stopped) => Err(stopped),
        None => Ok(rows.iter().map(show).collect()),
    }
}

/// The answers of `goal` over `text`, on which all engines agree.
#[track_caller]
fn check(text: &str, goal: &str, expected: &[&str]) {
    let program = program(&format!("{text}\n?- {goal}."));
    let goal = &program.program.queries[0];
    for (name, mut engine) in engines(&program) {
        engine.update(&Budget::unlimited()).unwrap();
        let found = answers(&mut *engine, goal, false, &Budget::unlimited());
        assert_eq!(found.as_deref(), Ok(&expected.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..]), "{name}");
        let first = answers(&mut *engine, goal, true, &Budget::unlimited()).unwrap();
        assert_eq!(first.len(), expected.len().min(1), "{name}, first answer");
        assert!(first.iter().all(|answer| expected.contains(&answer.as_str())), "{name}, first answer");
    }
}

#[test]
fn arithmetic() {
    check("n(7). n(-7).", "n(X) & Y is X / 2 & Z is X mod 2", &["x = -7, y = -4, z = 1", "x = 7, y = 3, z = 1"]);
    check("n(7). n(-7).", "n(X) & Y is X / -2 & Z is X mod -2", &["x = -7, y = 3, z = -1", "x = 7, y = -4, z = -1"]);
    check("n(1). n(a).", "n(X) & Y is X + 1", &["x = 1, y = 2"]);
    check("n(0). n(2).", "n(X) & Y is 4 / X", &["x = 2, y = 2"]);
    check("n(9223372036854775806).", "n(X) & Y is X + 1", &["x = 9223372036854775806, y = 9223372036854775807"]);
    check(
        "n(1073741823).",
        "n(X) & Y is X + 1 & Z is Y - 1 & Z = X",
        &["x = 1073741823, y = 1073741824, z = 1073741823"],
    );
    check("n(-1, a). n(-1, b).", "n(-1, X)", &["x = a", "x = b"]);
    check("n(3).", "n(X) & 2 + 1 is X & X * X - 1 >= 8", &["x = 3"]);
    check("n(3).", "n(X) & -X < 0 & Y = -X", &["x = 3, y = -3"]);
}

/// -1 has the highest id.
#[test]
fn minus_one_is_looked_up() {
    check("p(-1, a). p(-1, b).", "p(-1, X)", &["x = a", "x = b"]);
}

#[test]
fn comparisons_of_what_is_no_integer() {
    check("p(a). p(1).", "p(X) & X < 2", &["x = 1"]);
    check("p(a). p(b). p(f(a)).", "p(X) & X != a & X != f(a)", &["x = b"]);
    check("p(a). p(1).", "p(X) & X = 2 - 1", &["x = 1"]);
    check("p(a). p(b).", "p(X) & Y = f(X, 1 + 1) & Y != f(a, 2)", &["x = b, y = f(b, 2)"]);
    check("p(a).", "p(X) & Y = X + 1 & Y != 2", &["x = a, y = a + 1"]);
}

/// A comparison that cannot be computed does not hold, so its negation does.
#[test]
fn negated_comparisons_of_what_is_no_integer() {
    check("n(a). n(1). n(3).", "n(X) & ~(X > 2)", &["x = 1", "x = a"]);
    check("n(a). n(1). n(3).", "n(X) & ~(X <= 2)", &["x = 3", "x = a"]);
    check("n(a). n(1). n(3).", "n(X) & ~(X > 2) & ~(X <= 2)", &["x = a"]);
    check("n(a). n(1). n(3).", "n(X) & ~ ~(X > 2)", &["x = 3"]);
    check("n(a). n(1). n(3). p(a). p(3).", "n(X) & ~(p(X) & X > 2)", &["x = 1", "x = a"]);
    check("n(a). n(1). n(3).", "n(X) & ~(X < 2 | X > 2)", &["x = a"]);
    check("n(a). n(1). n(3).", "n(X) & ~(~(X < 2) & ~(X > 2))", &["x = 1", "x = 3"]);
    check("n(a). n(0). n(2).", "n(X) & ~(4 / X > 1)", &["x = 0", "x = a"]);
    check("n(9223372036854775806). n(1).", "n(X) & ~(X + 1 > 2)", &["x = 1"]);
    check("n(a). n(1).", "n(X) & ~(X is X)", &["x = a"]);
    check("n(a). n(1).", "n(X) & ~(2 is X + 1)", &["x = a"]);
    check(
        "n(a). n(1). n(2).",
        "n(X) & n(Y) & ~(X = Y + 1)",
        &[
            "x = 1, y = 1",
            "x = 1, y = 2",
            "x = 1, y = a",
            "x = 2, y = 2",
            "x = 2, y = a",
            "x = a, y = 1",
            "x = a, y = 2",
            "x = a, y = a",
        ],
    );
    check("n(a + 1). n(2).", "n(X) & ~(X != a + 1)", &["x = a + 1"]);
}

/// The negation of a comparison is that of a predicate which the comparison defines.
#[test]
fn a_negated_comparison_is_as_a_negated_predicate() {
    let values = "v(0). v(1). v(-1). v(9223372036854775806). v(a). v(b). v(f(0)). v(f(a)). v(a + 1). v(1 + 1).";
    for comparator in ["is", "=", "!=", "<", "<=", ">", ">="] {
        for (left, right) in [("X", "Y"), ("X", "Y + 1"), ("X / Y", "Y"), ("f(X)", "Y"), ("X", "2")] {
            let test = format!("{left} {comparator} {right}");
            let text = format!(
                "{values} holds(X, Y) :- v(X) & v(Y) & {test}. as_predicate(X, Y) :- v(X) & v(Y) & ~holds(X, Y).
                 direct(X, Y) :- v(X) & v(Y) & ~({test}). nested(X, Y) :- v(X) & v(Y) & ~(v(X) & ~ ~({test})).
                 differs(X, Y) :- as_predicate(X, Y) & ~direct(X, Y) | direct(X, Y) & ~as_predicate(X, Y).
                 differs(X, Y) :- as_predicate(X, Y) & ~nested(X, Y) | nested(X, Y) & ~as_predicate(X, Y)."
            );
            check(&text, "differs(X, Y)", &[]);
        }
    }
}

#[test]
fn members_of_lists() {
    let lists = "l([]). l([a, b, a]). l([f(1), f(2), 3 | x]). l(a).";
    check(lists, "l(L) & member(a, L)", &["l = [a, b, a]"]);
    check("l([a, b, a]).", "l(L) & member(X, L)", &["l = [a, b, a], x = a", "l = [a, b, a], x = b"]);
    check(lists, "l(_L) & member(f(X), _L)", &["x = 1", "x = 2"]);
    check("l([1, 2]). l([2]). p(1).", "l(L) & p(X) & ~member(X, L)", &["l = [2], x = 1"]);
    check("member(a, b).", "member(X, Y)", &["x = a, y = b"]);
}

#[test]
fn negation_with_what_occurs_nowhere_else() {
    let text = "p(1). p(2). p(3). q(1, a). q(2, f(b)). r(X) :- q(X, f(_)).";
    check(text, "p(X) & ~q(X, _)", &["x = 3"]);
    check(text, "p(X) & ~r(X)", &["x = 1", "x = 3"]);
    check(text, "~q(3, _) & ~q(_, b)", &["yes"]);
    check(text, "~r(_)", &[]);
}

#[test]
fn the_same_variable_twice() {
    let text = "e(1, 1). e(1, 2). e(f(2), 2). d(X, Y) :- e(X, Y). s(X, X) :- e(X, _).";
    check(text, "e(X, X)", &["x = 1"]);
    check(text, "d(X, X)", &["x = 1"]);
    check(text, "d(f(X), X)", &["x = 2"]);
    check(text, "s(1, X)", &["x = 1"]);
    check(text, "s(X, 1)", &["x = 1"]);
    check(text, "s(1, f(2))", &[]);
    check(text, "s(f(X), Y)", &["x = 2, y = f(2)"]);
}

#[test]
fn a_long_chain_of_rules() {
    let mut text = String::from("p0(a). q(b).\n");
    (1..5000).for_each(|i| writeln!(text, "p{i}(X) :- p{}(X) & ~q(X).", i - 1).unwrap());
    let program = program(&format!("{text}?- p4999(X)."));
    for (name, mut engine) in engines(&program).into_iter().skip(1) {
        engine.update(&Budget::unlimited()).unwrap();
        let found = answers(&mut *engine, &program.program.queries[0], false, &Budget::unlimited());
        assert_eq!(found.unwrap(), ["x = a"], "{name}");
    }
}

/// The work of a round is that of the rows which join, however the body is written: a delta that shares no variable with
/// the literal that stands next is not multiplied by it.
#[test]
fn a_round_joins_no_product() {
    const NODES: u64 = 200;
    let rules = "q(X, Y) :- e(X, Y). q(X, Y) :- q(X, Z) & e(Z, Y). q(Z, W) :- s(Y, X) & q(Y, Z) & q(X, W). ";
    let edges: String = (1..NODES).map(|node| format!("e({}, {node}). ", node - 1)).collect();
    let program = program(&format!("{rules}{edges}s(198, 199)."));
    let mut engine = SemiNaive::new(&OptimizedProgram::from(program));
    engine.update(&Budget::unlimited()).expect("nothing stops it");
    // Each pair of the closure is found once and tried in three places; the product of all pairs would be 400 million.
    let pairs = NODES * (NODES - 1) / 2;
    assert_eq!(engine.count(&Predicate::new("q", 2)), pairs);
    assert!(engine.work().probes < 5 * pairs, "{:?}", engine.work());
}

/// Cells of a grid that are reached from a corner, by rules that look for the neighbor before: a round knows the neighbor and solves the sums, so that
/// each cell is met as often as it has neighbors, where all cells of a row or of the grid were met before. Few cells, and as many as large relations have.
#[test]
fn a_round_solves_sums() {
    for side in [20, 200] {
        let text = format!(
            "x(X) :- X in 0..{side}. cell(X, Y) :- x(X) & x(Y). on(0, 0). on(10, 20).
            on(X, Y) :- cell(X, Y) & P is X - 1 & on(P, Y).
            on(X, Y) :- cell(X, Y) & Q is Y - 2 & on(X, Q).
            near(X, Y) :- cell(X, Y) & D in 0..1 & P is X - 4 * D & Q is D + Y & on(P, Q)."
        );
        let mut engine = SemiNaive::new(&OptimizedProgram::from(program(&text)));
        engine.update(&Budget::unlimited()).expect("nothing stops it");
        let all = (side + 1) * (side + 1);
        // Rows of an even number; of each other cell, that below is one of those.
        let even = (side + 1) * (side / 2 + 1);
        assert_eq!(engine.count(&Predicate::new("on", 2)), even);
        assert_eq!(engine.count(&Predicate::new("near", 2)), even + (side + 1 - 4) * (side / 2));
        assert!(engine.work().probes < 16 * all, "{:?} for {all} cells", engine.work());
    }
}

#[test]
fn insertion_brings_facts_and_takes_back_what_was_denied() {
    let text = "lonely(X) :- node(X) & ~edge(X, _). path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y) & path(Y, Z).";
    let program = program(&format!("{text} node(1). node(2). node(3). edge(1, 2)."));
    for (name, mut engine) in engines(&program) {
        engine.update(&Budget::unlimited()).unwrap();
        let show = |engine: &mut dyn Engine, predicate: &Predicate| {
            let mut facts = engine.facts(predicate, &Budget::unlimited()).unwrap();
            facts.sort_by(|a, b| a.args.cmp(&b.args));
            facts.iter().map(|fact| syntax::print_atom(fact, Syntax::Datalog)).collect::<Vec<_>>()
        };
        let lonely = Predicate::new("lonely", 1);
        let path = Predicate::new("path", 2);
        assert_eq!(show(&mut *engine, &lonely), ["lonely(2)", "lonely(3)"], "{name}");
        assert_eq!(engine.insert(&atom("edge(2, 3)")), Ok(true), "{name}");
        assert_eq!(engine.insert(&atom("edge(1, 2)")), Ok(false), "{name}");
        engine.update(&Budget::unlimited()).unwrap();
        assert_eq!(show(&mut *engine, &lonely), ["lonely(3)"], "{name}");
        assert_eq!(show(&mut *engine, &path), ["path(1, 2)", "path(1, 3)", "path(2, 3)"], "{name}");
        assert_eq!(engine.insert(&atom("path(9, 9)")), Ok(true), "{name}: a fact of a derived predicate");
        engine.update(&Budget::unlimited()).unwrap();
        assert_eq!(show(&mut *engine, &path).last().unwrap(), "path(9, 9)", "{name}");
        assert_eq!(retract(&mut *engine, "edge(1, 2)"), Ok(true), "{name}");
        assert_eq!(retract(&mut *engine, "path(9, 9)"), Ok(true), "{name}");
        assert_eq!(retract(&mut *engine, "path(2, 3)"), Ok(false), "{name}: derived, not given");
        engine.update(&Budget::unlimited()).unwrap();
        assert_eq!(show(&mut *engine, &path), ["path(2, 3)"], "{name}");
        assert_eq!(show(&mut *engine, &lonely), ["lonely(1)", "lonely(3)"], "{name}");
        replace(&mut *engine, &Predicate::new("edge", 2), &[atom("edge(3, 1)")]).unwrap();
        engine.update(&Budget::unlimited()).unwrap();
        assert_eq!(show(&mut *engine, &path), ["path(3, 1)"], "{name}");
        assert!(engine.insert(&Atom::new("edge", vec![Term::variable("X"), Term::Integer(1)])).is_err(), "{name}");
    }
}

/// Rows say what facts say, coming out and going in, also those of a predicate that has rules.
#[test]
fn rows_are_facts_by_ids() {
    let text = "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y) & path(Y, Z). end(X) :- path(_, X) & ~path(X, _). edge(1, 2).";
    let program = program(text);
    let given = ["edge(1, f(2))", "edge(f(2), [c])", "path(a, b)", "edge(a, a)", "path(1, a)", "edge(-7, 5000000000)"];
    let mut by_facts = engines(&program);
    let mut by_rows = engines(&program);
    let mut compared = 0;
    for (number, first) in given.iter().enumerate() {
        let facts: Vec<Atom> = [first, given[(number + 2) % given.len()]].map(atom).to_vec();
        let predicate = facts[0].signature();
        let facts: Vec<Atom> = facts.into_iter().filter(|fact| fact.signature() == predicate).collect();
        for ((name, by_facts), (_, by_rows)) in by_facts.iter_mut().zip(&mut by_rows) {
            let Some(rows) = by_rows.as_rows() else { continue };
            let cells: Vec<_> =
                facts.iter().flat_map(|fact| &fact.args).map(|arg| rows.interner_mut().ground(arg)).collect();
            rows.replace_rows(&predicate, &cells).expect("everything is open");
            replace(&mut **by_facts, &predicate, &facts).expect("everything is open");
            by_facts.update(&Budget::unlimited()).unwrap();
            by_rows.update(&Budget::unlimited()).unwrap();
            let Ok(expected) = self::facts(&mut **by_facts, &Budget::unlimited()) else { continue };
            assert_eq!(self::facts(&mut **by_rows, &Budget::unlimited()), Ok(expected), "{name}");
            for (predicate, arity) in [("edge", 2), ("path", 2), ("end", 1), ("none", 1)] {
                let predicate = Predicate::new(predicate, arity);
                let mut terms = Vec::new();
                let rows = by_rows.as_rows().expect("it has rows");
                let mut cells = Vec::new();
                rows.for_each_row(&predicate, &Budget::unlimited(), &mut |row| cells.push(row.to_vec())).unwrap();
                for row in cells {
                    terms.push(row.iter().map(|&value| rows.interner().term(value)).collect::<Vec<_>>());
                }
                let arguments = |engine: &mut dyn Engine| {
                    let facts = engine.facts(&predicate, &Budget::unlimited()).unwrap();
                    facts.into_iter().map(|fact| fact.args).collect::<Vec<_>>()
                };
                let mut expected = arguments(&mut **by_facts);
                let same = arguments(&mut **by_rows);
                assert_eq!(terms, same, "{name}");
                // Workers that run at the same time give ids in any order, and so rows.
                terms.sort();
                expected.sort();
                assert_eq!(terms, expected, "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 24, "{compared}");
}

/// Grounding treats `edge` and `path` as final; the session replans when an edge is inserted or removed.
#[test]
fn a_session_answers_for_the_facts_given_so_far() {
    let text =
        "edge(1, 2). path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y) & path(Y, Z). hit(Y) :- start(X) & path(X, Y).";
    for engine in ENGINES {
        for optimization in Optimization::NAMED {
            let setting = Setting { engine: engine.clone(), optimization: optimization.clone(), ..Setting::default() };
            let mut session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
            let hit = |session: &mut Session| {
                let found = session.query("hit(Y)").unwrap();
                assert_eq!(found.stopped, None, "{engine} {optimization}");
                found.to_string()
            };
            assert!(session.insert("start(1)").unwrap());
            assert_eq!(hit(&mut session), "Y = 2\n", "{engine} {optimization}");
            assert!(session.insert("edge(2, 3)").unwrap());
            assert_eq!(hit(&mut session), "Y = 2\nY = 3\n", "{engine} {optimization}");
            assert!(session.retract("edge(2, 3)").unwrap());
            assert!(!session.retract("edge(2, 3)").unwrap());
            assert_eq!(hit(&mut session), "Y = 2\n", "{engine} {optimization}");
        }
    }
}

#[test]
fn conditions_are_read_in_the_old_state() {
    // Two objects swap places, each reading the other's old place. An event that is already a fact remains one.
    let text = "at(a, 1). at(b, 2). bell(x).
        swap(P, Q) & at(P, X) & at(Q, Y) ==> ~at(P, X) & ~at(Q, Y) & at(P, Y) & at(Q, X).
        swap(P, _) ==> log(P).
        bell(X) ==> heard(X).";
    for (name, mut engine) in engines(&program(text)) {
        for event in ["swap(a, b)", "bell(x)", "bell(y)"] {
            engine.update(&Budget::unlimited()).unwrap();
            engine.fire(&atom(event), &Budget::unlimited()).unwrap();
        }
        engine.update(&Budget::unlimited()).unwrap();
        let expected = "at(a, 2).\nat(b, 1).\nbell(x).\nheard(x).\nheard(y).\nlog(a).\n";
        assert_eq!(facts(&mut *engine, &Budget::unlimited()).unwrap(), expected, "{name}");
    }
}

/// The directives in the comments of a rule file of `tests/programs`: `engines: a, b` (default: all engines) and
/// `event: atom`, once per event.
struct Script {
    engines: Option<String>,
    events: Vec<Atom>,
}

fn script(program: &Program) -> Script {
    let comments = program.items.iter().flat_map(|item| &item.comments).chain(&program.trailing);
    let mut script = Script { engines: None, events: Vec::new() };
    for line in comments.flat_map(|comment| comment.lines()) {
        match line.trim().split_once(": ") {
            Some(("engines", names)) => script.engines = Some(names.to_string()),
            Some(("event", event)) => script.events.push(atom(event)),
            _ => {}
        }
    }
    script
}

/// All facts before the events, all facts after them, and then the answers of the file's queries.
fn run(engine: &mut dyn Engine, program: &StratifiedProgram, events: &[Atom], queries: &[String]) -> String {
    let budget = Budget::unlimited().with_timeout(Duration::from_secs(20));
    engine.update(&budget).unwrap();
    let mut report = facts(engine, &budget).unwrap();
    for event in events {
        engine.fire(event, &budget).unwrap();
        engine.update(&budget).unwrap();
        writeln!(report, "\n==> {}", syntax::print_atom(event, Syntax::Datalog)).unwrap();
    }
    if !events.is_empty() {
        report.push_str(&facts(engine, &budget).unwrap());
    }
    for (goal, text) in program.program.queries.iter().zip(queries) {
        let answers = answers(engine, goal, false, &budget).unwrap();
        writeln!(report, "\n{text}\n{}", if answers.is_empty() { "no".to_string() } else { answers.join("\n") })
            .unwrap();
    }
    report
}

#[test]
fn programs() {
    insta::glob!("programs/*.*", |path: &Path| {
        let mut sources = Sources::new();
        let loaded = syntax::load(&FileSystem, &[path], None, &mut sources);
        let loaded = loaded.unwrap_or_else(|found| panic!("{}", explain(&found, &sources))).program;
        let analyzed = analysis::analyze(&loaded);
        let program = analyzed.unwrap_or_else(|found| panic!("{}", explain(&found, &sources))).stratified;
        let Script { engines: wanted, events } = script(&loaded);
        let queries: Vec<String> = loaded
            .items
            .iter()
            .filter(|item| matches!(item.statement, Statement::Query(_)))
            .map(|item| syntax::print_statement(&item.statement, Syntax::Datalog))
            .collect();
        let mut reports = BTreeMap::new();
        for (name, mut engine) in engines(&program) {
            if wanted.as_ref().is_none_or(|wanted| wanted.contains(name)) || name == "oracle" {
                reports.insert(name, run(&mut *engine, &program, &events, &queries));
            }
        }
        let expected = reports.remove("oracle").unwrap();
        for (name, report) in reports {
            assert_eq!(report, expected, "{name} and the oracle differ on {}", path.display());
        }
        // The same in each binary of tests that has this one.
        insta::with_settings!({ prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(expected);
        });
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// After each random insertion and event of a random program, all engines hold the same facts and give the same
    /// answers. Resolution may stop on recursion; its answers before the stop must be correct.
    #[test]
    fn engines_agree(case in random::case()) {
        let program = program(&case.text);
        agree(&case, &program, engines_without_threads(&program).into())?;
    }
}

/// That engines agree with the oracle, which is the first of them, on a random program after each insertion and event.
pub fn agree(
    case: &random::Case,
    program: &StratifiedProgram,
    mut engines: Vec<(&'static str, Box<dyn Engine>)>,
) -> Result<(), TestCaseError> {
    let mut compare = |step: &str, act: &dyn Fn(&mut dyn Engine)| -> Result<(), TestCaseError> {
        let mut expected: Vec<Vec<String>> = Vec::new();
        for (name, engine) in &mut engines {
            act(&mut **engine);
            match engine.update(&Budget::unlimited()) {
                // Tests of orders have such programs.
                Err(Stopped::Unordered(_)) => return Err(TestCaseError::reject("an order does not mention a value")),
                updated => updated.unwrap(),
            }
            let resolution = *name == "resolution";
            let budget = if resolution {
                Budget::unlimited().with_timeout(Duration::from_millis(50))
            } else {
                Budget::unlimited()
            };
            for (number, goal) in program.program.queries.iter().enumerate() {
                let found = engine.solve(goal, false, &budget);
                let complete = found.stopped.is_none();
                prop_assert!(complete || resolution, "{} stopped", name);
                let mut rows: Vec<String> = found.rows.iter().map(|row| format!("{row:?}")).collect();
                rows.sort();
                let holds = !rows.is_empty();
                if *name == "oracle" {
                    expected.push(rows);
                } else if complete {
                    prop_assert_eq!(&rows, &expected[number], "{}, query {}, {}\n{}", name, number, step, case.text);
                } else {
                    let wrong: Vec<_> = rows.iter().filter(|row| !expected[number].contains(row)).collect();
                    prop_assert!(wrong.is_empty(), "{:?}: query {}, {}\n{}", wrong, number, step, case.text);
                }
                if complete {
                    let first = engine.solve(goal, true, &budget);
                    prop_assert!(first.stopped.is_none() || resolution, "{} stopped", name);
                    let found = first.rows.len();
                    let is_right = found == usize::from(holds) || first.stopped.is_some() && found == 0;
                    prop_assert!(is_right, "{}, first of {}\n{}", name, number, case.text);
                }
            }
        }
        Ok(())
    };
    compare("at first", &|_| ())?;
    for insertions in &case.insertions {
        let atoms: Vec<Atom> = insertions.iter().map(|text| atom(text)).collect();
        compare(&format!("after {insertions:?}"), &|engine| {
            atoms.iter().for_each(|fact| _ = engine.insert(fact).expect("everything is open"));
        })?;
    }
    for fact in case.insertions.iter().flatten().map(|text| atom(text)).chain(program.program.facts.iter().cloned()) {
        compare(&format!("without {fact:?}"), &|engine| {
            let engine = engine.as_retract().expect("it can take facts away");
            engine.retract(&fact).expect("everything is open");
        })?;
    }
    for event in &case.events {
        let fact = atom(event);
        compare(&format!("after {event}"), &|engine| engine.fire(&fact, &Budget::unlimited()).unwrap())?;
    }
    Ok(())
}

/// The facts of `p` over pairs of numbers.
fn pairs(p: &str, pairs: impl IntoIterator<Item = (usize, usize)>) -> String {
    pairs.into_iter().map(|(a, b)| format!("{p}({a}, {b}). ")).collect()
}

fn derived(rules: &str, facts: &str) -> SemiNaive {
    let mut engine = SemiNaive::new(&program(&format!("{rules} {facts}")).into());
    engine.update(&Budget::unlimited()).expect("no limits");
    engine
}

/// A hub with arcs to and from all points of a rim.
fn wheel(rim: usize) -> String {
    pairs("arc", (1..=rim).flat_map(|i| [(0, i), (i, 0), (i, i + 1)]).filter(|&(_, b)| b <= rim))
}

/// Any two of the three subgoals have a million matches in common; the triangles, three rotations for each arc of the rim, are no
/// more than the arcs, and so is the work.
#[test]
fn the_triangles_of_a_wheel_cost_no_more_than_its_arcs() {
    let rim = 1_000;
    let engine = derived("tri(A, B, C) :- arc(A, B) & arc(B, C) & arc(C, A).", &wheel(rim));
    assert_eq!(engine.count(&Predicate::new("tri", 3)), 3 * (rim as u64 - 1));
    let probes = engine.work().probes;
    assert!(probes < 10 * 3 * rim as u64, "{probes} probes for {} arcs", 3 * rim);
}

/// A ring whose points lead to the next two: where no point leads to many, rivals are not looked at. Each of 600 arcs is read, with
/// the two that follow it, and both are tested: 600 (1 + 2 + 2) probes.
#[test]
fn the_triangles_of_a_ring_cost_what_plain_joins_do() {
    let arcs = (0..300).flat_map(|i| [(i, (i + 1) % 300), (i, (i + 2) % 300)]);
    let engine = derived("tri(A, B, C) :- arc(A, B) & arc(B, C) & arc(A, C).", &pairs("arc", arcs));
    assert_eq!(engine.count(&Predicate::new("tri", 3)), 300, "i, i + 1, i + 2");
    assert_eq!(engine.work().probes, 3_000);
}

/// A rule, a goal and an event that are first run over few arcs, and then over those of a wheel, cost no more than one plan
/// that is made for a wheel: a million probes is what they take in the order of the first.
#[test]
fn plans_follow_what_is_inserted_after_they_are_made() {
    let rim = 1_000;
    let text = "tri(A, B, C) :- arc(A, B) & arc(B, C) & arc(C, A).
        ask & arc(A, B) & arc(B, C) & arc(C, A) ==> seen(A).
        arc(0, 0).
        ?- arc(A, B) & arc(B, C) & arc(C, A).";
    let program = program(text);
    let goal = &program.program.queries[0];
    let mut engine = SemiNaive::new(&program.clone().into());
    let insert = |engine: &mut SemiNaive, arcs: &str| {
        for fact in arcs.split_inclusive(". ") {
            engine.insert(&atom(fact.trim_end_matches(". "))).expect("arcs are open");
        }
        let mut triangles = 0;
        let mut probes = Vec::new();
        for part in ["rule", "goal", "event"] {
            let before = engine.work().probes;
            match part {
                "rule" => engine.update(&Budget::unlimited()).expect("no limits"),
                "goal" => triangles = engine.solve(goal, false, &Budget::unlimited()).rows.len(),
                _ => engine.fire(&atom("ask"), &Budget::unlimited()).expect("no limits"),
            }
            probes.push((part, engine.work().probes - before));
        }
        (triangles, probes)
    };
    // Closed walks of three steps: three loops, the loop with a spoke and back, an arc of the rim with two spokes.
    let walks = |rim: usize| 1 + 3 * rim + 3 * (rim - 1);
    assert_eq!(insert(&mut engine, "arc(0, 0). ").0, 1);
    assert_eq!(insert(&mut engine, &wheel(3)).0, walks(3));
    let (triangles, probes) = insert(&mut engine, &wheel(rim));
    assert_eq!(triangles, walks(rim));
    for (part, probes) in probes {
        assert!(probes < 20 * 3 * rim as u64, "{part}: {probes} probes for {} arcs", 3 * rim);
    }
}

/// A body that begins with the wrong end: each of 1,000 points looks for a goal among 2,000 points that its class leads to, and
/// there are three. From the goals it is 3 points, 30 classes and their 2,900 points (class 3 leads to no goal). The rules
/// before and after it are run in their turn.
#[test]
fn another_order_of_a_body_is_found_by_trials() {
    let rules = "before(Z) :- goal(Z).
        hit(X, Z) :- class(X, Y) & leads(Y, Z) & goal(Z).
        late(X) :- class(X, Y) & leads(Y, Z) & goal(Z) & class(W, Y) & W < X.";
    let facts = pairs("class", (0..1000).map(|x| (x, x % 10)))
        + &pairs("leads", (0..20_000).map(|i| (i % 10, i / 10)).filter(|&(y, z)| y != 3 || z < 1500))
        + "goal(1990). goal(1995). goal(1999).";
    let written = OptimizedProgram::from(program(&format!("{rules} {facts}")));
    let probes_of = |program: &OptimizedProgram, engine: &EngineDescription| {
        let mut engine = engine.load(program, &Budget::unlimited()).expect("no limits");
        engine.update(&Budget::unlimited()).expect("no limits");
        let facts = engine.as_count().expect("it counts");
        let count = |name: &str, arity| facts.count(&Predicate::new(name, arity));
        assert_eq!(
            (count("before", 1), count("hit", 2), count("late", 1)),
            (3, 900 * 3, 900 - 9),
            "all of a class but its first are late"
        );
        engine.work().probes
    };
    let any_order = OptimizedProgram { any_order: true, ..written.clone() };
    let probes = |program| probes_of(program, &Heuristic::ReducedKeys.left_out());
    let as_written = probes(&written);
    let tried = probes(&any_order);
    assert!(as_written > 4_000_000 && 6 * tried < as_written, "{as_written} and {tried} probes");
    // Where the rows of a class are asked for goals once, no other order is needed.
    let reduced = probes_of(&written, &SEMI_NAIVE);
    assert!(6 * reduced < as_written, "{as_written} and {reduced} probes");
    let expected = run_on(1, &any_order, &Budget::unlimited());
    for threads in [2, 3, 8] {
        assert!(run_on(threads, &any_order, &Budget::unlimited()) == expected, "on {threads} threads");
        for most in [21_100, 22_000, 24_000] {
            let budget = Budget::unlimited().with_max_facts(most);
            assert!(run_on(threads, &any_order, &budget) == run_on(1, &any_order, &budget), "{most} facts");
        }
    }
}

/// Scans that take longer than a trial, with a test, a negation, a look-up or two after each row: half of the 40,000 pairs
/// have what is asked for. A run that a trial has cut goes on where it was.
#[test]
fn runs_that_a_trial_cuts_are_brought_to_their_end() {
    let rules = "tested(X, Y) :- a(X, Y) & b(Y, X).
        denied(X, Y) :- a(X, Y) & ~b(Y, X).
        joined(X, Z) :- a(X, Y) & b(Y, Z).
        chained(X, W) :- a(X, Y) & b(Y, Z) & a(Z, W).";
    let facts = pairs("a", (0..40_000).map(|x| (x, x + 1))) + &pairs("b", (0..40_000).step_by(2).map(|x| (x + 1, x)));
    let written = OptimizedProgram::from(program(&format!("{rules} {facts}")));
    for any_order in [false, true] {
        for threads in [1, 2] {
            let program = OptimizedProgram { any_order, ..written.clone() };
            let mut engine = SemiNaive::new(&program);
            engine.use_threads(NonZero::new(threads).expect("a thread"));
            engine.update(&Budget::unlimited()).expect("no limits");
            for name in ["tested", "denied", "joined", "chained"] {
                assert_eq!(engine.count(&Predicate::new(name, 2)), 20_000, "{name}, {any_order}, {threads}");
            }
        }
    }
}

/// Bodies joined in the order that trials find derive what they derive in their own, on any number of threads.
#[test]
fn bodies_in_any_order_derive_the_same() {
    let mut draw = Draw::new(11);
    let mut next = |below: usize| draw.below(below);
    let mut in_other_order = 0;
    for _ in 0..40 {
        let facts = |name: &str, rows: usize, next: &mut dyn FnMut(usize) -> usize| {
            let left = 10 + next(60);
            let right = 10 + next(60);
            pairs(name, (0..rows).map(|_| (next(left), next(right))).collect::<BTreeSet<_>>())
        };
        let facts = [("r", 2500), ("s", 1400), ("t", 40)].map(|(name, rows)| facts(name, rows, &mut next)).concat();
        let variables = ["A", "B", "C", "D", "E", "F"];
        // A chain of five subgoals, some turned round or joined to an earlier variable.
        let subgoals = (0..5).map(|i| {
            let from = variables[if next(4) == 0 { next(i + 1) } else { i }];
            let to = variables[i + 1];
            let name = ["r", "r", "s", "t"][next(4)];
            if next(2) == 0 { format!("{name}({from}, {to})") } else { format!("{name}({to}, {from})") }
        });
        let body = subgoals.collect::<Vec<_>>().join(" & ");
        let x = variables[next(6)];
        let y = variables[next(6)];
        let rule = format!("p({x}, {y}) :- {body} & ~t({x}, {y}) & {x} <= {y}. q({y}, {x}) :- {body}.");
        let written = OptimizedProgram::from(program(&format!("{facts} {rule}")));
        let any_order = OptimizedProgram { any_order: true, ..written.clone() };
        let [as_written, as_tried] = [&written, &any_order].map(|program| run_on(1, program, &Budget::unlimited()));
        let sorted = |(facts, _): &(Vec<Vec<Atom>>, _)| {
            facts.iter().flatten().map(|fact| syntax::print_atom(fact, Syntax::Datalog)).collect::<BTreeSet<_>>()
        };
        assert_eq!(sorted(&as_tried), sorted(&as_written), "{rule}");
        assert!(run_on(2, &any_order, &Budget::unlimited()) == as_tried, "{rule} on two threads");
        in_other_order += usize::from(as_tried != as_written);
    }
    assert!(in_other_order >= 5, "{in_other_order} of 40");
}

/// Cyclic bodies over relations that are large enough for rivals, plain and recursive, against loops over a matrix.
#[test]
fn cyclic_bodies_agree_with_loops() {
    const NODES: usize = 48;
    let mut draw = Draw::new(7);
    let mut arc = [[false; NODES]; NODES];
    for _ in 0..700 {
        arc[draw.below(NODES)][draw.below(NODES)] = true;
    }
    let all = || (0..NODES).flat_map(|a| (0..NODES).map(move |b| (a, b)));
    let facts = pairs("e", all().filter(|&(a, b)| arc[a][b])) + "s(0, 1). s(2, 3). s(4, 5).";
    let rules = "k4(X, Y, Z, W) :- e(X, Y) & e(X, Z) & e(X, W) & e(Y, Z) & e(Y, W) & e(Z, W).
        t(X, Y) :- s(X, Y).
        t(Y, Z) :- t(X, Y) & e(Y, Z) & e(X, Z).
        t(Z, X) :- e(Y, Z) & t(X, Y) & e(Z, X) & t(W, X) & e(W, Z).";
    let engine = derived(rules, &facts);
    let cliques = all().filter(|&(x, y)| arc[x][y]).map(|(x, y)| {
        let both = |z: &usize| arc[x][*z] && arc[y][*z];
        (0..NODES).filter(both).map(|z| (0..NODES).filter(both).filter(|&w| arc[z][w]).count() as u64).sum::<u64>()
    });
    assert_eq!(engine.count(&Predicate::new("k4", 4)), cliques.sum::<u64>());
    let mut reached = [[false; NODES]; NODES];
    for (a, b) in [(0, 1), (2, 3), (4, 5)] {
        reached[a][b] = true;
    }
    loop {
        let before = reached;
        for (x, y) in all().filter(|&(x, y)| before[x][y]) {
            for z in (0..NODES).filter(|&z| arc[y][z]) {
                reached[y][z] |= arc[x][z];
                reached[z][x] |= arc[z][x] && (0..NODES).any(|w| before[w][x] && arc[w][z]);
            }
        }
        if before == reached {
            break;
        }
    }
    let count = reached.iter().flatten().filter(|&&reached| reached).count();
    assert!(count > 300, "the recursion goes far: {count}");
    assert_eq!(engine.count(&Predicate::new("t", 2)), count as u64);
}

/// Checks of the rows that a subgoal looks up go through blocks of 64 rows: hubs have more successors than two blocks, and some arcs
/// are taken away after others were derived from them.
#[test]
fn checks_of_whole_blocks() {
    const NODES: usize = 150;
    let is_arc = |x: usize, y: usize| x != y && (x.is_multiple_of(10) || (x * 7 + y * 3).is_multiple_of(11));
    let (is_bad, is_good) =
        (|x: usize, y: usize| (x + y).is_multiple_of(5), |x: usize, y: usize| (x * y).is_multiple_of(3));
    let all = || (0..NODES).flat_map(|x| (0..NODES).map(move |y| (x, y)));
    let facts = [
        pairs("e", all().filter(|&(x, y)| is_arc(x, y))),
        pairs("bad", all().filter(|&(x, y)| is_bad(x, y))),
        pairs("good", all().filter(|&(x, y)| is_good(x, y))),
    ];
    let rules = "two(X, Z) :- e(X, Y) & e(Y, Z) & ~bad(X, Z) & good(Z, Y).
        tri(X, Y, Z) :- e(X, Y) & e(Y, Z) & e(X, Z) & ~bad(Y, Y).
        from(f(X), Y) :- start(X) & e(X, Y) & good(Y, X).
        start(0).";
    let mut engine = derived(rules, &facts.concat());
    let gone = |x: usize, y: usize| x == 0 && y % 4 == 1;
    for takes_away in [false, true] {
        if takes_away {
            for (x, y) in all().filter(|&(x, y)| is_arc(x, y) && gone(x, y)) {
                assert_eq!(engine.retract(&atom(&format!("e({x}, {y})"))), Ok(true));
            }
            engine.update(&Budget::unlimited()).expect("no limits");
        }
        let is_arc = |x: usize, y: usize| is_arc(x, y) && !(takes_away && gone(x, y));
        let arcs: Vec<(usize, usize)> = all().filter(|&(x, y)| is_arc(x, y)).collect();
        let chains =
            arcs.iter().flat_map(|&(x, y)| arcs.iter().filter(move |arc| arc.0 == y).map(move |arc| (x, y, arc.1)));
        let chains: Vec<(usize, usize, usize)> = chains.collect();
        let two = chains.iter().filter(|&&(x, y, z)| !is_bad(x, z) && is_good(z, y)).map(|&(x, _, z)| (x, z));
        let two: BTreeSet<(usize, usize)> = two.collect();
        let tri = chains.iter().filter(|&&(x, y, z)| is_arc(x, z) && !is_bad(y, y)).count();
        let from = (0..NODES).filter(|&y| is_arc(0, y) && is_good(y, 0)).count();
        assert!(two.len() > 1_000 && tri > 1_000 && from > 64, "{} {tri} {from}", two.len());
        assert_eq!(engine.count(&Predicate::new("two", 2)), two.len() as u64);
        assert_eq!(engine.count(&Predicate::new("tri", 3)), tri as u64);
        assert_eq!(engine.count(&Predicate::new("from", 2)), from as u64);
    }
}

/// Heads of relations that are not small wait until there are many to add. With p = {1..100} × {1, 2}, all of it but {1, 2} × {1, 2} is
/// in q, with its converse; so `two` has 98 · 98 + 2 · 2 pairs and the one stated, and `path` has 98 · 2 · 98 + 2 · 98 · 2 rows. A limit
/// ends the run with as many facts as it allows.
#[test]
fn heads_that_wait_are_added_up_to_any_limit() {
    let rules = "q(X, Y) :- p(X, Y) & ~p(Y, X). q(Y, X) :- q(X, Y) & p(X, Y).
        two(-1, -1). two(X, Z) :- q(X, Y) & q(Y, Z).
        path(X, Y, Z) :- q(X, Y) & q(Y, Z).";
    let facts = pairs("p", (1..=100).flat_map(|x| [(x, 1), (x, 2)]));
    let program = program(&format!("{rules} {facts}")).into();
    let counts = [("p", 2, 200), ("q", 2, 392), ("two", 2, 9_609), ("path", 3, 19_600)];
    let all: u64 = counts.iter().map(|(.., count)| count).sum();
    for most in [all, all - 1, all - 63, all - 64, all - 65, 10_000, 5_000, 1_500] {
        let mut engine = SemiNaive::new(&program);
        let result = engine.update(&Budget::unlimited().with_max_facts(most));
        let held = counts.map(|(name, arity, _)| engine.count(&Predicate::new(name, arity)));
        assert_eq!(held.iter().sum::<u64>(), most);
        if most == all {
            assert_eq!((result, held), (Ok(()), counts.map(|(.., count)| count)))
        } else {
            assert_eq!(result, Err(Stopped::TooManyFacts(most)))
        }
    }
}

/// An engine whose probes end before its work goes on later, with the round that was stopped: turns have to be as long as the
/// longest of them.
#[test]
fn work_in_turns_comes_to_the_same_facts() {
    let rules = "t(X, Y) :- e(X, Y). t(X, Z) :- t(X, Y) & t(Y, Z). far(X) :- t(X, Y) & ~e(X, Y).";
    let facts = pairs("e", (0..60).flat_map(|i| [(i, i + 1), (i, (i * 7) % 60)]));
    let at_once = derived(rules, &facts);
    let mut engine = SemiNaive::new(&program(&format!("{rules} {facts}")).into());
    let mut turns = 0;
    let mut turn = 5_000;
    while let Err(stopped) = engine.update(&Budget::unlimited().with_max_probes(engine.work().probes + turn)) {
        assert!(matches!(stopped, Stopped::TooManyProbes(_)), "{stopped}");
        (turns, turn) = (turns + 1, turn * 4);
    }
    assert!(turns > 2, "{turns} turns");
    for predicate in [Predicate::new("t", 2), Predicate::new("far", 1)] {
        assert_eq!(engine.count(&predicate), at_once.count(&predicate), "{predicate}");
    }
}

/// A stop costs no more than its round. The paths of a chain of 400 edges take 400 rounds of some 400 probes, or of half as many on
/// the average; a turn of 4,000 probes loses at most one of them.
#[test]
fn turns_lose_no_more_than_a_round_each() {
    let rules = "path(X, Y) :- e(X, Y). path(X, Z) :- path(X, Y) & e(Y, Z).";
    let facts = pairs("e", (0..400).map(|i| (i, i + 1)));
    let at_once = derived(rules, &facts);
    let mut engine = SemiNaive::new(&program(&format!("{rules} {facts}")).into());
    let mut turns = 0;
    while engine.update(&Budget::unlimited().with_max_probes(engine.work().probes + 4_000)).is_err() {
        turns += 1;
        assert!(turns < 1_000, "no end");
    }
    assert!(turns > 10, "{turns} turns");
    assert_eq!(engine.count(&Predicate::new("path", 2)), 400 * 401 / 2);
    let (probes, least) = (engine.work().probes, at_once.work().probes);
    assert!(probes <= least + turns * 2 * 400, "{probes} probes in {turns} turns, {least} at once");
}

/// The plans of a round are made while a path of 200 edges is all there is, which is too little to look at. They do not stay a product
/// of two copies of it while the paths become 20,101: each has some four probes, and the round of the products twice 200 · 200.
#[test]
fn plans_made_for_few_rows_are_made_anew_for_more() {
    let rules = "q(X, Y) :- e(X, Y).
        q(X, Y) :- q(X, Z) & e(Z, Y).
        q(Z, W) :- q(Y, Z) & q(X, W) & s(Y, X).
        s(198, 199).";
    let engine = derived(rules, &pairs("e", (0..200).map(|i| (i, i + 1))));
    let paths = engine.count(&Predicate::new("q", 2));
    assert!(
        engine.work().probes < 4 * paths + 2 * 200 * 200 + 100,
        "{} probes for {paths} paths",
        engine.work().probes
    );
}

/// All facts that an engine has in the end, in their order, and why it stopped.
fn run_on(threads: usize, program: &OptimizedProgram, budget: &Budget) -> (Vec<Vec<Atom>>, Option<Stopped>) {
    let mut engine = SemiNaive::new(program);
    engine.use_threads(NonZero::new(threads).expect("a thread"));
    let stopped = engine.update(budget).err();
    let names = engine.predicates();
    let facts = |predicate: &Predicate| engine.facts(predicate, &Budget::unlimited()).expect("no limits");
    (names.iter().map(facts).collect(), stopped)
}

/// Two hubs of 2,000 points, of whose pairs few lead on: from all of them would be 4,000,000 probes, on one thread or on several, which go through parts of
/// the points of one hub. Each thread asks for the rows of a hub four times at most.
#[test]
fn what_threads_know_of_a_key_lasts_from_part_to_part() {
    let hub = 2_000;
    let spokes = || 0..hub;
    let facts = pairs("r", spokes().map(|i| (i, hub)))
        + &pairs("s", spokes().flat_map(|i| [(i, 0), (hub, i + 1)]))
        + &pairs("t", spokes().map(|i| (0, i)).chain([(hub, hub)]));
    let written = program(&format!("q(W, Z) :- r(W, X) & s(X, Y) & t(Y, Z). {facts}"));
    for threads in [1, 2, 3] {
        let mut engine = SemiNaive::new(&written.clone().into());
        engine.use_threads(NonZero::new(threads).expect("a thread"));
        engine.update(&Budget::unlimited()).expect("no limits");
        assert_eq!(engine.count(&Predicate::new("q", 2)), hub as u64);
        let probes = engine.work().probes;
        assert!(probes < 100_000, "{probes} probes on {threads} threads");
    }
}

/// Several threads: the same facts in the same order, also where values are made, limits end the run, or a rule tests what it
/// or another one of its round adds to. The numbers are large enough for work to be shared, and some are too large to be their own ids.
#[test]
fn threads_make_the_same_facts_in_the_same_order() {
    let rules = "path(X, Y) :- e(X, Y).
        path(X, Z) :- path(X, Y) & e(Y, Z).
        back(X, Y) :- path(X, Y) & path(Y, X) & X < Y.
        both(X, Y) :- e(X, Y).
        both(X, Z) :- both(X, Y) & e(Y, Z) & both(Z, X).
        out(X, Y) :- n(X) & e(Y, _) & ~path(X, Y).
        weight(X, Y, W) :- e(X, Y) & W is X * 40000000 + Y.
        heavy(W) :- weight(_, _, W) & W > 3000000000.
        pair(f(X, Y)) :- path(X, Y) & Y < 20.
        first(X) :- pair(f(X, _)).
        degree(X, N) :- n(X) & N = count { Y : path(X, Y) }.
        near(X, Z) :- e(X, Y) & Z in 0..3 & ~path(Z, Y).
        loop :- path(X, X).
        left(X, Y) :- e(X, Y).
        right(X, Y) :- left(Y, X).
        level(X, Y) :- left(X, Y) & right(X, Y).
        large(X, W) :- right(X, Y) & W is Y * 40000000.
        left(X, Z) :- level(X, Y) & e(Y, Z).
        left(X, Y) :- large(X, W) & e(Z, Y) & W is Z * 40000000.";
    let edges = (0..120).flat_map(|i| [(i, (i * 7 + 3) % 120), (i, (i * i + 1) % 120), (i, (i + 17) % 120), (0, i)]);
    let facts = pairs("e", edges) + &(0..400).map(|i| format!("n({i}). ")).collect::<String>();
    let program = program(&format!("{rules} {facts}")).into();
    let run = |threads: usize, budget: &Budget| run_on(threads, &program, budget);
    let count = |facts: &[Vec<Atom>], name: &str| facts.iter().flatten().filter(|fact| fact.predicate == name).count();
    let unlimited = Budget::unlimited();
    let (expected, _) = run(1, &unlimited);
    assert!(count(&expected, "path") > 10_000, "{} paths", count(&expected, "path"));
    let heavy = (0..120).flat_map(|i: i64| [(i, (i * 7 + 3) % 120), (i, (i * i + 1) % 120), (i, (i + 17) % 120)]);
    let heavy: BTreeSet<i64> = heavy.map(|(x, y)| x * 40_000_000 + y).filter(|&w| w > 3_000_000_000).collect();
    assert_eq!(count(&expected, "heavy"), heavy.len(), "by hand");
    for threads in [2, 3, 8] {
        assert!(run(threads, &unlimited) == (expected.clone(), None), "on {threads} threads");
        for most in [700, 5_000, 12_000] {
            let budget = Budget::unlimited().with_max_facts(most);
            assert!(run(threads, &budget) == run(1, &budget), "{most} facts on {threads} threads");
        }
    }
}

/// Literals get rivals in the middle of a recursion, when a point has more than a few successors: on any number of threads in the
/// same round, since that decides the order of the facts. Arcs of a triangle are turned round.
#[test]
fn threads_choose_between_rivals_alike() {
    let rules = "arc(X, Y) :- turned(X, Y).
        turned(Z, X) :- arc(X, Y) & arc(Y, Z) & arc(X, Z).";
    let arcs: BTreeSet<(usize, usize)> =
        (0..150).flat_map(|i| [1, 2, 3, 5, 8, 13, 21, 34].map(|step| (i, (i + step + i * i % 4) % 150))).collect();
    let program = program(&format!("{rules} {}", pairs("arc", arcs.iter().copied()))).into();
    let expected = run_on(1, &program, &Budget::unlimited());
    let mut reached = arcs;
    loop {
        let is_arc = |x: usize, y: usize| reached.contains(&(x, y));
        let turned = reached.iter().flat_map(|&(x, y)| (0..150).map(move |z| (x, y, z)));
        let turned: Vec<_> = turned.filter(|&(x, y, z)| is_arc(y, z) && is_arc(x, z)).map(|(x, _, z)| (z, x)).collect();
        let before = reached.len();
        reached.extend(turned);
        if reached.len() == before {
            break;
        }
    }
    let most = (0..150).map(|x| reached.iter().filter(|arc| arc.0 == x).count()).max();
    assert!(most > Some(16), "one has many: {most:?}");
    let arcs = expected.0.iter().flatten().filter(|fact| fact.predicate == "arc").count();
    assert_eq!((arcs, &expected.1), (reached.len(), &None));
    for threads in [2, 3, 8] {
        assert!(run_on(threads, &program, &Budget::unlimited()) == expected, "on {threads} threads");
    }
}

/// Rows that match very many others each, which no thread finds all of at once: the same facts in the same order, and as soon at
/// a limit.
#[test]
fn threads_find_no_more_rows_than_are_taken_in_soon() {
    let dense = program(
        "n(X) :- X in 1..300.
        pair(X, Z) :- n(X) & X < 40 & n(Y) & n(Z) & Y + Z < 480.",
    );
    let product = program("n(X) :- X in 1..300. q(X, Y, Z, U, V) :- n(X) & n(Y) & n(Z) & n(U) & n(V).");
    let dense = dense.into();
    let product = product.into();
    let (pairs, stopped) = run_on(1, &dense, &Budget::unlimited());
    assert_eq!((pairs.iter().flatten().count(), stopped), (300 + 39 * 300, None));
    let limited = || Budget::unlimited().with_max_facts(5_000).with_timeout(Duration::from_secs(20));
    for threads in [2, 3] {
        assert!(run_on(threads, &dense, &Budget::unlimited()).0 == pairs, "on {threads} threads");
        let (facts, stopped) = run_on(threads, &product, &limited());
        assert_eq!(stopped, Some(Stopped::TooManyFacts(5_000)), "on {threads} threads");
        assert!(facts == run_on(1, &product, &limited()).0, "on {threads} threads");
    }
}

/// From each of 70 sources, 31 places of 100: more than enough rows for a recursion that keeps the source to fall into shares.
fn starts() -> impl Iterator<Item = (usize, usize)> {
    (0..31).flat_map(|i| (0..70).map(move |source| (source, (source + 3 * i) % 100)))
}

/// The pairs that are reached from some, where `next` leads from place to place.
fn reached(
    starts: impl Iterator<Item = (usize, usize)>,
    next: impl Fn(usize) -> Vec<usize>,
) -> BTreeSet<(usize, usize)> {
    let mut reached = BTreeSet::new();
    let mut open = starts.collect::<Vec<_>>();
    while let Some((source, place)) = open.pop() {
        if reached.insert((source, place)) {
            open.extend(next(place).into_iter().map(|next| (source, next)));
        }
    }
    reached
}

/// The facts of a predicate with two integers.
fn pairs_of(facts: &[Vec<Atom>], name: &str) -> BTreeSet<(usize, usize)> {
    let facts = facts.iter().flatten().filter(|fact| fact.predicate == name);
    let integer = |term: &Term| match term {
        Term::Integer(n) => usize::try_from(*n).expect("no negative number"),
        _ => panic!("{term} is no integer"),
    };
    facts.map(|fact| (integer(&fact.args[0]), integer(&fact.args[1]))).collect()
}

/// A recursion that falls into shares: the same facts in the same order on any number of threads, and no others. One has given
/// facts and two rules; one makes numbers, those of the later sources too large to be their own ids; and one makes compounds.
#[test]
fn shares_of_a_recursion_make_the_same_facts_in_the_same_order() {
    let rules = "r(S, X) :- start(S, X).
        r(S, Y) :- r(S, X) & step(X, Y) & ~closed(Y).
        r(S, Y) :- jump(X, Y) & r(S, X).
        n(S, X, N) :- start(S, X) & N is S * 30000000 + X.
        n(S, Y, M) :- n(S, X, N) & X < 97 & Y is X + 3 & M is N + 3.
        l(S, X) :- start(S, X).
        l(S, t(X)) :- l(S, X) & leaf(X).
        opposite(S) :- r(S, X) & Y is X + 50 & r(S, Y).";
    let step = |place: usize| [(place + 1) % 100, place * 2 % 100];
    let jump = [(9, 14), (50, 3)];
    let is_closed = |place: usize| place % 10 == 4;
    let given = || (0..70).map(|source| (source, 98)).chain([(200, 1)]);
    let facts = pairs("start", starts())
        + &pairs("r", given())
        + &pairs("step", (0..100).flat_map(|x| step(x).map(|y| (x, y))))
        + &pairs("jump", jump)
        + &(0..100).filter(|&x| is_closed(x)).map(|x| format!("closed({x}). ")).collect::<String>()
        + "leaf(5). leaf(6).";
    let program: OptimizedProgram = program(&format!("{rules} {facts}")).into();
    let unlimited = Budget::unlimited();
    let (expected, _) = run_on(1, &program, &unlimited);
    let all = expected.iter().flatten().count() as u64;
    for threads in [2, 3, 8] {
        assert!(run_on(threads, &program, &unlimited) == (expected.clone(), None), "on {threads} threads");
        for most in [3 * all / 8, all / 2, 3 * all / 4, all - 1] {
            let limited = Budget::unlimited().with_max_facts(most);
            let (facts, stopped) = run_on(threads, &program, &limited);
            assert_eq!(stopped, Some(Stopped::TooManyFacts(most)));
            assert!((facts, stopped) == run_on(1, &program, &limited), "{most} facts on {threads} threads");
        }
    }
    let next = |place: usize| {
        let steps = step(place).into_iter().filter(|&place| !is_closed(place));
        steps.chain(jump.into_iter().filter(|&(from, _)| from == place).map(|(_, to)| to)).collect()
    };
    let by_hand = reached(starts().chain(given()), next);
    assert_eq!(pairs_of(&expected, "r"), by_hand);
    let count = |name: &str| expected.iter().flatten().filter(|fact| fact.predicate == name).count();
    assert_eq!(count("n"), reached(starts(), |x| if x < 97 { vec![x + 3] } else { vec![] }).len());
    assert_eq!(count("l"), starts().count() + starts().filter(|(_, x)| [5, 6].contains(x)).count());
    let opposite = by_hand.iter().filter(|&&(source, place)| by_hand.contains(&(source, place + 50)));
    assert_eq!(count("opposite"), opposite.map(|(source, _)| source).collect::<BTreeSet<_>>().len());
}

/// Facts that come after an update, few or many, make what they would have made at first; and so do turns that a limit ends, none
/// of which loses more than a share. A count begins again in the turn in which it ends.
#[test]
fn shares_of_a_recursion_go_on_where_they_stopped() {
    let rules = "r(S, X) :- start(S, X).
        r(S, Y) :- r(S, X) & step(X, Y).
        count(N) :- N = count { S, X : r(S, X) }.";
    let next = |place: usize| vec![(place + 1) % 100, place * 2 % 100];
    let facts = pairs("step", (0..100).flat_map(|x| next(x).into_iter().map(move |y| (x, y))));
    let far = |(source, place): (usize, usize)| (source + 1000, place);
    let all: Vec<(usize, usize)> = starts().chain(starts().map(far)).collect();
    let program: OptimizedProgram = program(&format!("{rules} {facts}")).into();
    for threads in [1, 2] {
        let mut engine = SemiNaive::new(&program);
        engine.use_threads(NonZero::new(threads).expect("a thread"));
        let check = |engine: &mut SemiNaive, starts: &[(usize, usize)]| {
            let facts = engine.facts(&Predicate::new("r", 2), &Budget::unlimited()).expect("no limits");
            let by_hand = reached(starts.iter().copied(), next);
            assert_eq!(facts.len(), by_hand.len(), "no row twice");
            assert_eq!(pairs_of(&[facts], "r"), by_hand);
            assert!(
                engine.facts(&Predicate::new("count", 1), &Budget::unlimited()).expect("no limits")
                    == [atom(&format!("count({})", by_hand.len()))]
            );
        };
        for upto in [5, starts().count(), starts().count() + 9, all.len()] {
            for &(source, place) in &all[..upto] {
                engine.insert(&atom(&format!("start({source}, {place})"))).expect("an open predicate");
            }
            engine.update(&Budget::unlimited()).expect("no limits");
            check(&mut engine, &all[..upto]);
        }
        let in_turns = |turn: &dyn Fn(u64) -> u64| {
            let mut engine = SemiNaive::new(&program);
            engine.use_threads(NonZero::new(threads).expect("a thread"));
            for (source, place) in &all {
                engine.insert(&atom(&format!("start({source}, {place})"))).expect("an open predicate");
            }
            let mut turns = 1;
            while engine.update(&Budget::unlimited().with_max_probes(engine.work().probes + turn(turns))).is_err() {
                turns += 1;
            }
            check(&mut engine, &all);
            (turns, engine.work().probes)
        };
        let (_, at_once) = in_turns(&|_| u64::MAX / 2);
        let (turns, probes) = in_turns(&|turns| at_once / 4 * (3 + turns) / 4);
        assert!(turns > 2, "{turns} turns");
        let counted = reached(all.iter().copied(), next).len() as u64;
        assert!(
            probes <= at_once + at_once / 4 + counted,
            "{probes} probes, {at_once} at once, {counted} of the count"
        );
    }
}
