//! Comparisons that compute with a column: the rows that they leave are looked up, against loops over all pairs, and by the rows that are met.

use crate::ablation::derived;
use ludolog::engine::SEMI_NAIVE;
use ludolog::engine::semi_naive::Heuristic;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// 2,000 points on a line and in a plane, in no order.
fn points() -> Vec<[i64; 3]> {
    (0..2_000).map(|i| [i, i * 7_919 % 20_011, i * 104_729 % 307 - 150]).collect()
}

/// The rule, and what holds of the two points that it joins.
type Case = (&'static str, fn([i64; 3], [i64; 3]) -> bool);

const CASES: [Case; 8] = [
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & abs(X - Y) < 4.", |a, b| (a[1] - b[1]).abs() < 4),
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & D is Y - X & D > 0 & D <= 5.", |a, b| (1..=5).contains(&(b[1] - a[1]))),
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & X + Y =:= 12345.", |a, b| a[1] + b[1] == 12_345),
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & 12345 is Y + X.", |a, b| a[1] + b[1] == 12_345),
    ("near(A, B) :- pt(A, X, U) & pt(B, Y, V) & abs(X - Y) + abs(U - V) < 9.", |a, b| {
        (a[1] - b[1]).abs() + (a[2] - b[2]).abs() < 9
    }),
    ("near(A, B) :- pt(A, X, U) & pt(B, Y, V) & D is (X - Y) * (X - Y) + (U - V) * (U - V) & D =< 50.", |a, b| {
        (a[1] - b[1]).pow(2) + (a[2] - b[2]).pow(2) <= 50
    }),
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & X > 5000 & X * Y < 100000.", |a, b| {
        a[1] > 5_000 && a[1] * b[1] < 100_000
    }),
    ("near(A, B) :- pt(A, X, _) & pt(B, Y, _) & Y / 100 =:= X / 10 & X > 1000.", |a, b| {
        b[1].div_euclid(100) == a[1].div_euclid(10) && a[1] > 1_000
    }),
];

#[test]
fn rows_that_comparisons_leave_are_looked_up() {
    let points = points();
    let facts: String = points.iter().map(|[at, x, y]| format!("pt({at}, {x}, {y}).\n")).collect();
    for (rule, holds) in CASES {
        let text = facts.clone() + rule;
        let (found, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
        let pairs = points.iter().flat_map(|&a| points.iter().map(move |&b| (a, b)));
        let expected: BTreeSet<String> =
            pairs.filter(|&(a, b)| holds(a, b)).map(|(a, b)| format!("near({}, {})", a[0], b[0])).collect();
        assert!(found == expected && !found.is_empty(), "{rule}: {} of {}", found.len(), expected.len());
        // Of four million pairs.
        assert!(probes < 4 * found.len() as u64 + 100_000, "{rule}: {probes} rows for {}", found.len());
    }
}

proptest! {
    /// Integers of 32 bits and more, floats and symbols: what is not computed of them is left to the comparison.
    #[test]
    fn narrowed_rows_are_those_that_pass(
        rows in prop::collection::vec(
            (0..9i64, prop::sample::select(&["-3", "0", "1", "2", "5", "2.5", "1.0", "a", "7000000000", "-7000000000"][..]), -9..9i64),
            1..40,
        ),
        test in prop::sample::select(&[
            "abs(X - Y) < 3",
            "X + Y =:= 3",
            "D is X - Y & E is D * D & E < 10",
            "D is X - Y & D > -2 & D < 2 & U + V < 5",
            "(X - Y) * (X - Y) + (U - V) * (U - V) <= 20",
            "X * Y >= 4 & X * Y < 9",
            "max(X, Y) < 3 & min(X, Y) > 0",
            "-Y > X - 2 & Y mod 3 =:= U mod 3",
            "3 is X + Y",
            "V is Y + U",
            "Y - X =:= V",
            "Y * 1000000000 < X * 1000000000",
        ][..]),
    ) {
        let rows: String = rows.iter().map(|(at, x, y)| format!("pt({at}, {x}, {y}).\n")).collect();
        let text = format!("{rows}near(A, B) :- pt(A, X, U) & pt(B, Y, V) & {test}.");
        let run = |engine| derived(&text, &engine, u64::MAX).map(|found| found.0);
        // A square that does not fit is an error, unless its rows are not met.
        if let Some(expected) = run(Heuristic::Windows.left_out()) {
            prop_assert_eq!(run(Heuristic::all_early()), Some(expected), "{}", text);
        }
    }
}
