//! Subgoals that meet where both compute the same value: looked up by it, against loops over all pairs and the program as written.

use ludolog::engine::{Session, Setting};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Atom;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn session(text: &str, optimization: &str) -> Session {
    let setting = Setting { optimization: optimization.parse().expect("an optimization"), ..Setting::default() };
    Session::of_text(text, Syntax::Datalog).expect("the program is sound").with_setting(setting)
}

/// The derived facts of a predicate, and the rows that were tried.
fn derived(text: &str, optimization: &str, predicate: &str) -> (BTreeSet<String>, u64) {
    let mut session = session(text, optimization);
    let probes = session.engine(None).expect("no limits").work().probes;
    let (facts, _) = session.facts(|_| true).expect("no limits");
    let facts = facts.iter().filter(|fact| fact.predicate.text() == predicate).map(Atom::to_string).collect();
    (facts, probes)
}

/// The rule, and what holds of the two numbers that it joins.
type Case = (&'static str, fn(i64, i64) -> bool);

const CASES: [Case; 6] = [
    ("met(A, B) :- n(A) & n(B) & A < B & A * 7 mod 1009 =:= B * 3 mod 1009.", |a, b| {
        a < b && a * 7 % 1_009 == b * 3 % 1_009
    }),
    ("met(A, B) :- n(A) & K is A * 5 mod 997 & n(B) & K is B mod 997 & A != B.", |a, b| {
        a != b && a * 5 % 997 == b % 997
    }),
    ("met(A, B) :- n(A) & n(B) & K is A mod 1000 & L is B / 3 & K = L.", |a, b| a % 1_000 == b / 3),
    ("met(A, B) :- n(A) & n(B) & B > 10 & bxor(A, 5) =:= B / 2 + 1 & B mod 3 =:= 1.", |a, b| {
        b > 10 && a ^ 5 == b / 2 + 1 && b % 3 == 1
    }),
    ("met(A, B) :- n(A) & n(B) & substring(to_string(A), 0, 3) =:= substring(to_string(B + 7), 1, 3).", |a, b| {
        let (a, b) = (a.to_string(), (b + 7).to_string());
        b.len() > 3 && a.len() > 2 && a[..3] == b[1..4]
    }),
    (
        "met(A, B) :- n(A) & n(B) & ~odd(B) & A in 5..900 & A * A =:= B - B mod 4. odd(B) :- n(B) & B mod 2 =:= 1.",
        |a, b| b % 2 == 0 && (5..=900).contains(&a) && a * a == b - b % 4,
    ),
];

#[test]
fn what_computes_the_same_is_looked_up() {
    const NUMBERS: i64 = 3_000;
    let facts: String = (0..NUMBERS).map(|n| format!("n({n}). ")).collect();
    for (rule, holds) in CASES {
        let (found, probes) = derived(&(facts.clone() + rule), "auto", "met");
        let pairs = (0..NUMBERS).flat_map(|a| (0..NUMBERS).map(move |b| (a, b)));
        let expected: BTreeSet<String> =
            pairs.filter(|&(a, b)| holds(a, b)).map(|(a, b)| format!("met({a}, {b})")).collect();
        assert!(found == expected && !found.is_empty(), "{rule}: {} of {}", found.len(), expected.len());
        // Of nine million pairs.
        assert!(probes < 4 * found.len() as u64 + 60_000, "{rule}: {probes} rows for {}", found.len());
    }
}

/// Each word comes after the one without its last letter: a round looks up the words that go on where those that are new end.
#[test]
fn a_recursion_looks_up_what_is_computed_of_the_next() {
    const WORDS: usize = 4_000;
    let facts: String = (2..WORDS).map(|n| format!("word('{n:b}'). ")).collect();
    let text = facts + "known('1'). known(W) :- known(V) & word(W) & V is substring(W, 0, length(W) - 1).";
    let (found, probes) = derived(&text, "auto", "known");
    assert_eq!(found.len(), WORDS - 1);
    assert!(probes < 10 * WORDS as u64, "{probes}");
}

proptest! {
    /// Integers of 32 bits and more, floats, symbols and compounds, of which some have no value.
    #[test]
    fn rows_by_keys_are_those_of_the_program_as_written(
        rows in prop::collection::vec(
            (
                prop::sample::select(&["-3", "0", "1", "2", "5", "2.5", "2.0", "-0.0", "0.0", "a", "abc", "'1'", "f(1)", "7000000000"][..]),
                -4..9i64,
            ),
            1..30,
        ),
        rule in prop::sample::select(&[
            "met(A, B) :- p(A, U) & p(B, V) & A + 1 =:= B * 1 + 1.",
            "met(A, B) :- p(A, U) & p(B, V) & U mod 3 =:= V mod 2 & A != B.",
            "met(A, B) :- p(A, U) & p(B, V) & abs(U) =:= A + V.",
            "met(U, V) :- p(A, U) & p(B, V) & substring(A, 0, 1) =:= substring(B, 0, 1) & U < V.",
            "met(K, V) :- p(A, U) & p(B, V) & K is U * U & K is V + 2.",
            "met(K, L) :- p(A, U) & K is U / 2 & p(B, V) & L is V - 1 & K = L & V > 0.",
            "met(A, N) :- p(A, U) & p(N, V) & p(_, W) & U + V =:= W * 2 & ~p(A, V).",
            "met(U, V) :- p(_, U) & V in -2..5 & U mod 4 =:= V * V mod 4.",
            "met(U, 0) :- p(_, U) & U > 5. met(V, U) :- met(U, _) & p(A, V) & U is V + 1. met(V, U) :- met(U, _) & p(_, V) & U mod 2 =:= V / 2.",
            "met(U, N) :- p(_, U) & N = count { A, V : p(A, V) & V mod 3 =:= U mod 3 }.",
            "met(U, V) :- p(U, X) & p(V, Y) & to_string(X) =:= to_string(Y) & X mod 0 =:= Y mod 0.",
        ][..]),
    ) {
        let rows: String = rows.iter().map(|(value, number)| format!("p({value}, {number}).\n")).collect();
        let text = rows + rule;
        let expected = derived(&text, "none", "met").0;
        for optimization in ["keys", "keys,reordering", "demand,keys,split,reordering"] {
            prop_assert_eq!(&derived(&text, optimization, "met").0, &expected, "{} of {}", optimization, text);
        }
    }
}
