//! Aggregates whose tuples are not kept, against walks and products that are known without them: after stops, insertions and
//! retractions, and where the order of a join changes while it runs.

use crate::engines::program;
use ludolog::engine::{Budget, Count, Engine, Retract, Session, Setting, Stopped, semi_naive::SemiNaive};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::{Atom, Predicate, Term};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;

/// A bill of materials.
const PARTS: &str = "uses(X, Y) :- part(X, Y).
    uses(X, Z) :- uses(X, Y) & part(Y, Z).
    total(X, N) :- item(X, _) & N = sum { C, Y : uses(X, Y), item(Y, C) }.
    all(0, N) :- N = count { X, Y : uses(X, Y) }.
    dear(X, N) :- item(X, _) & N = max { C, Y : uses(X, Y), item(Y, C) }.
    size(X, N) :- uses(X, _) & N = count { Y : uses(X, Y) }.
    worth(X, N) :- uses(X, _) & N = sum { Y : uses(X, Y) }.
    last(X, N) :- uses(X, _) & N = max { Y : uses(X, Y) }.
    made(X, 0) :- uses(X, _).";

/// More items than a random program has parts.
const ITEMS: i64 = 12;

/// An engine that may join bodies in any order.
fn engine(rules: &str) -> SemiNaive {
    let optimized = OptimizedProgram { any_order: true, ..program(rules).into() };
    SemiNaive::load(&optimized, false, &Budget::unlimited()).unwrap()
}

fn pair(predicate: &str, a: i64, b: i64) -> Atom {
    Atom::new(predicate, vec![Term::Integer(a), Term::Integer(b)])
}

/// The rows of a predicate of two integers.
fn rows(engine: &mut SemiNaive, predicate: &str) -> BTreeSet<(i64, i64)> {
    let facts = engine.facts(&Predicate::new(predicate, 2), &Budget::unlimited()).unwrap();
    let row = |fact: Atom| match fact.args[..] {
        [Term::Integer(a), Term::Integer(b)] => (a, b),
        _ => panic!("{fact:?}"),
    };
    facts.into_iter().map(row).collect()
}

fn cost(item: i64) -> i64 {
    item * item % 7 - 2
}

/// By item: those that it is made of, found by a walk.
fn walk(parts: &BTreeSet<(i64, i64)>) -> BTreeMap<i64, BTreeSet<i64>> {
    let reached = |item: i64| {
        let mut reached = BTreeSet::new();
        let mut next = vec![item];
        while let Some(from) = next.pop() {
            next.extend(parts.iter().filter(|part| part.0 == from && reached.insert(part.1)).map(|part| part.1));
        }
        reached
    };
    (0..ITEMS).map(|item| (item, reached(item))).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Insert(i64, i64),
    Retract(i64, i64),
    /// An update that ends at so many facts.
    Stop(u64),
    Update,
}

fn step() -> impl Strategy<Value = Step> {
    let item = || 0..ITEMS;
    prop_oneof![
        4 => (item(), item()).prop_map(|(a, b)| Step::Insert(a, b)),
        1 => (item(), item()).prop_map(|(a, b)| Step::Retract(a, b)),
        2 => (ITEMS as u64..150).prop_map(Step::Stop),
        2 => Just(Step::Update),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::random::long_run().unwrap_or(64), failure_persistence: None, ..Default::default() })]

    #[test]
    fn each_tuple_counts_once(steps in prop::collection::vec(step(), 1..40)) {
        let mut engine = engine(PARTS);
        (0..ITEMS).for_each(|item| _ = engine.insert(&pair("item", item, cost(item))).unwrap());
        let mut parts = BTreeSet::new();
        for step in steps.into_iter().chain([Step::Update]) {
            match step {
                Step::Insert(a, b) => {
                    parts.insert((a, b));
                    engine.insert(&pair("part", a, b)).unwrap();
                }
                Step::Retract(a, b) => {
                    parts.remove(&(a, b));
                    engine.retract(&pair("part", a, b)).unwrap();
                }
                Step::Stop(facts) => _ = engine.update(&Budget::unlimited().with_max_facts(facts)),
                Step::Update => {
                    engine.update(&Budget::unlimited()).unwrap();
                    let uses = walk(&parts);
                    let sum = |items: &BTreeSet<i64>| items.iter().map(|&item| cost(item)).sum();
                    let sums: BTreeSet<(i64, i64)> = uses.iter().map(|(&item, of)| (item, sum(of))).collect();
                    prop_assert_eq!(rows(&mut engine, "total"), sums);
                    let all = uses.values().map(|of| of.len() as i64).sum();
                    prop_assert_eq!(rows(&mut engine, "all"), BTreeSet::from([(0, all)]));
                    let dearest = |of: &BTreeSet<i64>| of.iter().map(|&item| cost(item)).max();
                    let dear: BTreeSet<(i64, i64)> =
                        uses.iter().filter_map(|(&item, of)| Some((item, dearest(of)?))).collect();
                    prop_assert_eq!(rows(&mut engine, "dear"), dear);
                    let of_made = |of: fn(&BTreeSet<i64>) -> i64| {
                        uses.iter().filter(|(_, of)| !of.is_empty()).map(|(&item, uses)| (item, of(uses))).collect()
                    };
                    let made: [(&str, BTreeSet<(i64, i64)>); 4] = [
                        ("size", of_made(|of| of.len() as i64)),
                        ("worth", of_made(|of| of.iter().sum())),
                        ("last", of_made(|of| *of.last().expect("some are used"))),
                        ("made", of_made(|_| 0)),
                    ];
                    for (predicate, expected) in made {
                        prop_assert_eq!(rows(&mut engine, predicate), expected, "{}", predicate);
                    }
                }
            }
        }
    }
}

/// 20 groups of 250² tuples, of which a part is derived before other orders are tried, and as many groups as facts.
#[test]
fn tuples_that_trials_derive_count_once() {
    let mut engine = engine("n(K, N) :- k(K, _) & N = count { X, Z : a(X, K), b(K, Z) }.");
    (0..20).for_each(|key| _ = engine.insert(&pair("k", key, 0)).unwrap());
    for i in 0..5000 {
        engine.insert(&pair("a", i, i % 20)).unwrap();
        engine.insert(&pair("b", i % 20, i)).unwrap();
    }
    engine.update(&Budget::unlimited()).unwrap();
    assert_eq!(rows(&mut engine, "n"), (0..20).map(|key| (key, 250 * 250)).collect());
    // The given facts, the groups and their counts: no tuple is held.
    assert_eq!(engine.memory().facts, 20 + 2 * 5000 + 20 + 20);
}

/// Sums and counts follow facts that come and go, where tuples are kept beside their totals.
#[test]
fn totals_beside_rows_follow_changes() {
    let mut session = Session::of_text(
        "sale(1, a, 5, x). sale(1, a, 5, y). sale(2, a, 7, x). of(S, N) :- shop(S) & N = sum { P, R : sale(R, S, P, _) }. shop(a).",
        Syntax::Datalog,
    )
    .unwrap();
    let mut sum = |change: &dyn Fn(&mut Session)| {
        change(&mut session);
        session.query("of(a, N)").unwrap().to_string()
    };
    assert_eq!(sum(&|_| {}), "N = 12\n");
    assert_eq!(sum(&|session| assert!(session.insert("sale(3, a, 30, x)").unwrap())), "N = 42\n");
    assert_eq!(sum(&|session| assert!(session.insert("sale(3, a, 30, y)").unwrap())), "N = 42\n");
    assert_eq!(sum(&|session| assert!(session.retract("sale(3, a, 30, x)").unwrap())), "N = 42\n");
    assert_eq!(sum(&|session| assert!(session.retract("sale(3, a, 30, y)").unwrap())), "N = 12\n");
}

/// 500 rows make 124,750 tuples of greater ones, of which no row is held: the limit counts the 500 rows and the groups, and a tuple of each group that is a fact.
#[test]
fn tuples_without_rows_are_no_facts_that_are_held() {
    let facts: String = (0..500).map(|i| format!("p({i}, {}). ", i * 7 % 500)).collect();
    let gaps = facts.clone() + "gap(A, G) :- p(A, X) & G = min { Y - X : p(_, Y) & Y > X }.";
    let pairs = facts + "sum(A, B, S) :- p(A, _) & p(B, _) & S = sum { X * Y : p(A, X) & p(B, Y) }.";
    let update = |text: &str, most: u64| {
        let session = Session::of_text(text, Syntax::Datalog).expect("the program is sound");
        let prepared = session.prepare(None).expect("nothing stops it");
        let mut engine = prepared.load(&Budget::unlimited()).expect("the engine takes all programs");
        prepared.insert_facts(&mut *engine, &Budget::unlimited()).expect("nothing stops it");
        engine.update(&Budget::unlimited().with_max_facts(most))
    };
    assert_eq!(update(&gaps, 1_600), Ok(()));
    assert_eq!(update(&gaps, 900), Err(Stopped::TooManyFacts(900)));
    assert_eq!(update(&pairs, 100_000), Err(Stopped::TooManyFacts(100_000)));
}

/// 160,000 pairs are taken in by two threads, where 1,000 facts may be held: 400 numbers, and the count.
#[test]
fn tuples_that_are_taken_in_are_not_held_by_several_threads_either() {
    let text = "p(X) :- X in 1..400. pairs(N) :- N = count { X, Y : p(X), p(Y) }.";
    for threads in [1, 2] {
        let threads = NonZero::new(threads).expect("a thread");
        let setting = Setting { threads, optimization: "none".parse().unwrap(), ..Setting::default() };
        let session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
        let mut session = session.with_budget(Budget::unlimited().with_max_facts(1_000));
        assert_eq!(session.query("pairs(N)").unwrap().to_string(), "N = 160000\n");
    }
}
