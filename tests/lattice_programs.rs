//! Random programs with lattice columns: facts that come and go against the oracle, and tables of hundreds of rows with and without the
//! heuristics of large relations. What texts mean is compared in [`meaning`](crate::meaning).

use crate::binary::run;
use crate::engines::{agree, program};
use crate::oracle::Oracle;
use crate::random::{accepted, cases, lattices, long_run};
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::semi_naive::{Heuristic, SemiNaive};
use ludolog::engine::{Budget, Engine, SEMI_NAIVE, Session, Stopped};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::ast::{Predicate, Term};
use ludolog::syntax::{Syntax, print_atom};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Loads semi-naive: as it is, recording derivations, and with heuristics that begin early.
fn engines(program: StratifiedProgram) -> Vec<(&'static str, Box<dyn Engine>)> {
    let optimized = OptimizedProgram::from(program);
    let budget = Budget::unlimited();
    vec![
        ("semi-naive", SEMI_NAIVE.load(&optimized, &budget).expect("it loads")),
        ("recording", Box::new(SemiNaive::load(&optimized, true, &budget).expect("it loads"))),
        ("early", Heuristic::all_early().load(&optimized, &budget).expect("it loads")),
        ("unsorted", Heuristic::SortedIndices.left_out().load(&optimized, &budget).expect("it loads")),
    ]
}

/// All facts; `None` if there are more than a test has time for, or a value that its order does not mention, which no engine has facts of.
fn facts(engine: &mut dyn Engine) -> Option<BTreeSet<String>> {
    let budget = Budget::unlimited().with_max_facts(20_000).with_max_probes(2_000_000);
    match engine.update(&budget) {
        Ok(()) => {}
        // At the limit of facts the best values are not known.
        Err(Stopped::TooManyFacts(_) | Stopped::TooManyProbes(_) | Stopped::Unsupported(_)) => return None,
        Err(Stopped::Unordered(_)) => return None,
        Err(stopped) => panic!("{stopped}"),
    }
    let facts = engine.predicates().into_iter().flat_map(|predicate| {
        let facts = engine.facts(&predicate, &budget).expect("they are derived");
        let count = engine.as_count().map(|count| count.count(&predicate));
        assert_eq!(count, Some(facts.len() as u64), "{predicate}");
        facts
    });
    Some(facts.map(|fact| print_atom(&fact, Syntax::Datalog)).collect())
}

proptest! {
    #![proptest_config(cases(24))]

    /// Values get better as facts come, and worse as they go.
    #[test]
    fn values_follow_their_facts(case in lattices::case()) {
        if let Some(program) = accepted(&case.text) {
            let mut all: Vec<(&str, Box<dyn Engine>)> = vec![("oracle", Box::new(Oracle::new(&program)))];
            all.extend(engines(program.clone()));
            #[cfg(feature = "dataflow")]
            all.extend(crate::dataflow::engines(&program));
            // Without its order a column has no values: it stays.
            let mut changing = program;
            changing.program.facts.retain(|fact| fact.predicate != "c" && fact.predicate != "next");
            agree(&case, &changing, all)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn large_relations_have_the_same_values(
        rows in 100..if long_run().is_some() { 3_000usize } else { 500 },
        shape in vec(any::<u8>(), 28),
        rules in vec(vec(any::<u8>(), 48), 1..6),
    ) {
        let text = lattices::large_program(rows, &shape, &rules);
        if let Some(program) = accepted(&text) {
            let mut found = engines(program).into_iter().map(|(name, mut engine)| (name, facts(&mut *engine)));
            let expected = found.next().and_then(|(_, facts)| facts);
            for (name, found) in found.filter(|(_, found)| found.is_some() && expected.is_some()) {
                let rules: Vec<&str> = text.lines().filter(|line| line.contains(":-")).collect();
                prop_assert!(found == expected, "{}, {} rows\n{}", name, rows, rules.join("\n"));
            }
        }
    }

    /// Values that get better in the round in which a sorted index is made of their column: what lies below a limit is what the best values say.
    #[test]
    fn limits_are_compared_with_the_best_values(seed in any::<u64>()) {
        let mut state = seed;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut text = String::from(
            "way(K, N, min D) :- start(K, N, D).
             way(K, M, min E) :- way(K, N, C) & link(N, L, M, W) & E is C + W.
             way(K, M, min E) :- way(K, N, C) & link(N, L, M, _) & way(K, P, D) & D < L & cut(P, W) & E is max(C - W, 0).
             way(K, M, min E) :- turn(N, L, M) & way(K, N, D) & D < L & E is D + 3.
             below(K, P, L) :- limit(K, L) & way(K, P, D) & D < L.\n",
        );
        let mut limits = Vec::new();
        for _ in 0..60 {
            let _ = writeln!(text, "start({}, {}, {}).", random(2), random(120), 50 + random(300));
        }
        for _ in 0..300 {
            let _ = writeln!(text, "link({}, {}, {}, {}).", random(120), random(60), random(120), random(9));
            let _ = writeln!(text, "turn({}, {}, {}). cut({}, {}).", random(120), random(90), random(120), random(120), random(3));
            limits.push((random(2) as i64, random(300) as i64));
        }
        limits.iter().for_each(|(key, limit)| _ = write!(text, "limit({key}, {limit}). "));
        let mut engine = Heuristic::all_early().load(&OptimizedProgram::from(program(&text)), &Budget::unlimited()).unwrap();
        engine.update(&Budget::unlimited()).unwrap();
        let mut rows = |name: &str| -> Vec<Vec<i64>> {
            let facts = engine.facts(&Predicate::new(name, 3), &Budget::unlimited()).unwrap();
            let integer = |term: &Term| if let Term::Integer(n) = term { *n } else { panic!("{term:?}") };
            facts.iter().map(|fact| fact.args.iter().map(integer).collect()).collect()
        };
        let ways: BTreeMap<(i64, i64), i64> = rows("way").iter().map(|row| ((row[0], row[1]), row[2])).collect();
        let below = |&(key, limit): &(i64, i64)| -> Vec<Vec<i64>> {
            let ways = ways.iter().filter(|((of, _), value)| *of == key && **value < limit);
            ways.map(|((_, place), _)| vec![key, *place, limit]).collect()
        };
        let expected: BTreeSet<Vec<i64>> = limits.iter().flat_map(below).collect();
        prop_assert_eq!(rows("below").into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

/// Of 300 keys each gets better values while others come between: `why` names the fact of the best one.
#[test]
fn derivations_are_those_of_the_best_values() {
    let mut text = String::from("best(X, max V) :- rank(X, V).\nbest(X, max 1) :- key(X).\n");
    for number in 0..900 {
        let key = number * 7 % 300;
        let _ = writeln!(text, "key({key}). rank({key}, {}).", 10 * (number / 300) + key % 10);
    }
    let mut session = Session::of_text(&text, Syntax::Datalog).unwrap();
    for key in 0..300 {
        let goal = session.goal(&format!("best({key}, V)")).unwrap();
        let derivation = session.why(&goal).unwrap().expect("it has a value");
        let facts: Vec<String> =
            derivation.inferences.iter().map(|step| print_atom(&step.fact, Syntax::Datalog)).collect();
        let value = 20 + key % 10;
        assert_eq!(facts, [format!("best({key}, {value})"), format!("rank({key}, {value})")]);
    }
}

/// What does not fit 64 bits is an error where it is the best value, or has bits of the union, and none where another value is better.
#[test]
fn values_that_do_not_fit_are_told_where_they_would_be_kept() {
    let given = "r(-9223372036854775807). r(4611686018427387905). r(1).\n";
    let table = [
        ("q(min D) :- r(C) & D is C - 10.", Err("-9223372036854775817")),
        ("q(max D) :- r(C) & D is C - 10.", Ok("q(4611686018427387895).\n")),
        ("q(max D) :- r(C) & C > 0 & D is bshl(C, 1).", Err("9223372036854775810")),
        ("q(min D) :- r(C) & C > 0 & D is bshl(C, 1).", Ok("q(2).\n")),
        ("q(union D) :- r(C) & C > 0 & D is bshl(C, 1).", Err("9223372036854775810")),
        ("q(union 5). q(union D) :- q(C) & D is bshl(C, 1).", Err("does not fit 64 bits")),
        ("q(union 5). q(union D) :- q(C) & D is band(bshl(C, 1), 31).", Ok("q(31).\n")),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (rules, expected) in table {
        std::fs::write(folder.path().join("rules.dl"), format!("{given}{rules}\n")).unwrap();
        let (status, facts, complaint) = run(&folder, &["facts", "rules.dl", "--predicate", "q/1"], "");
        match expected {
            Ok(expected) => assert_eq!((status, &*facts, &*complaint), (0, expected, ""), "{rules}"),
            Err(value) => {
                assert_eq!((status, &*facts), (2, ""), "{rules}");
                assert!(complaint.contains("integer-overflow") && complaint.contains(value), "{rules} {complaint}");
            }
        }
    }
}
