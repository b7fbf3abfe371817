//! Aggregates over the tuples within bounds, for many bounds: against loops that go through all tuples, with tuples that repeat, with values of other
//! kinds, and by the rows that they take.

use crate::ablation::derived;
use ludolog::engine::SEMI_NAIVE;
use ludolog::engine::semi_naive::Heuristic;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A sale: who, in which shop, when, for how much.
type Sale = (i64, i64, i64, i64);

fn facts(sales: &[Sale]) -> String {
    sales.iter().map(|(who, shop, time, price)| format!("sale({who}, {shop}, {time}, {price}).\n")).collect()
}

/// What a function of the distinct tuples makes of the sales that pass.
fn over<T: Ord>(sales: &[Sale], passes: impl Fn(&Sale) -> bool, tuple: impl Fn(&Sale) -> T) -> BTreeSet<T> {
    sales.iter().filter(|sale| passes(sale)).map(tuple).collect()
}

const RULES: &str = "
    ahead(W, S, T, N) :- sale(W, S, T, _) & N = count { V : sale(V, S, U, _) & U > T }.
    place(W, S, T, N) :- sale(W, S, T, _) & N = count { V : sale(V, S, U, _) & (U > T | U = T & V < W) }.
    before(S, T, N) :- sale(_, S, T, _) & N = sum { P, V : sale(V, S, U, P) & U <= T }.
    late(T, N) :- sale(_, _, T, _) & N = max { P : sale(_, _, U, P) & U < T }.
    early(T, N) :- sale(_, _, T, _) & N = min { P : sale(_, _, U, P) & U >= T }.
    lately(S, T, N) :- sale(_, S, T, _) & F is T - 3 & N = avg { P, V, U : sale(V, S, U, P) & U <= T & U > F }.
    visits(T, N) :- sale(_, _, T, _) & N = count { V : sale(V, _, U, _) & U in T..T + 2 }.
";

/// What the rules derive, by loops over all sales.
fn expected(sales: &[Sale]) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for &(who, shop, time, _) in sales {
        let ahead = over(sales, |s| s.1 == shop && s.2 > time, |s| s.0).len();
        facts.insert(format!("ahead({who}, {shop}, {time}, {ahead})"));
        let place = over(sales, |s| s.1 == shop && (s.2 > time || s.2 == time && s.0 < who), |s| s.0).len();
        facts.insert(format!("place({who}, {shop}, {time}, {place})"));
        let before: i64 = over(sales, |s| s.1 == shop && s.2 <= time, |s| (s.3, s.0)).iter().map(|pair| pair.0).sum();
        facts.insert(format!("before({shop}, {time}, {before})"));
        if let Some(late) = over(sales, |s| s.2 < time, |s| s.3).last() {
            facts.insert(format!("late({time}, {late})"));
        }
        let early = over(sales, |s| s.2 >= time, |s| s.3);
        facts.insert(format!("early({time}, {})", early.first().expect("the sale itself")));
        let lately = over(sales, |s| s.1 == shop && s.2 <= time && s.2 > time - 3, |s| (s.3, s.0, s.2));
        let mean = lately.iter().map(|tuple| tuple.0).sum::<i64>().div_euclid(lately.len() as i64);
        facts.insert(format!("lately({shop}, {time}, {mean})"));
        let visits = over(sales, |s| (time..=time + 2).contains(&s.2), |s| s.0).len();
        facts.insert(format!("visits({time}, {visits})"));
    }
    facts
}

proptest! {
    #[test]
    fn totals_within_bounds_are_those_of_loops(
        sales in prop::collection::vec((0..6i64, 0..3i64, -4..9i64, -5..20i64), 1..60),
    ) {
        let text = facts(&sales) + RULES;
        let expected = expected(&sales);
        for engine in [SEMI_NAIVE, Heuristic::all_early()] {
            prop_assert_eq!(&derived(&text, &engine, u64::MAX).expect("there is no limit").0, &expected);
        }
    }

    /// Floats, symbols and integers beyond 32 bits, as what is summed and as what is bounded.
    #[test]
    fn values_of_other_kinds_are_left_to_the_rows(
        rows in prop::collection::vec(
            (0..5i64, prop::sample::select(&["1", "2", "3", "2.5", "0.5", "a", "b", "5000000000", "-5000000000"][..]),
             prop::sample::select(&["1", "2", "4", "1.5", "a", "6000000000", "9000000000000000000"][..])),
            1..50,
        ),
        function in prop::sample::select(&["count", "sum", "avg", "min", "max"][..]),
        bound in prop::sample::select(&["U <= T", "U > T", "U >= T & U < 3", "U < T & U > 1"][..]),
    ) {
        let rows: String = rows.iter().map(|(who, at, value)| format!("p({who}, {at}, {value}).\n")).collect();
        let text = format!("{rows}q(T, N) :- p(_, T, _) & N = {function} {{ V, W : p(W, U, V) & {bound} }}.");
        let by_rows = derived(&text, &Heuristic::SortedIndices.left_out(), u64::MAX).map(|found| found.0);
        let early = derived(&text, &Heuristic::all_early(), u64::MAX).map(|found| found.0);
        prop_assert_eq!(early, by_rows, "{}", text);
    }
}

/// 3,000 days and 3,000 scores: where each goes through all of its tuples, nine million rows are met for each rule.
#[test]
fn many_bounds_go_through_the_tuples_once() {
    let number = |i: i64| i * 7_919 % 3_001;
    let rows: String = (0..3_000).map(|i| format!("day({i}, {}).\nscore({i}, {}).\n", number(i), number(i))).collect();
    let text = rows
        + "sum(D, S) :- day(D, _) & S = sum { V, E : day(E, V) & E <= D }.
           week(D, S) :- day(D, _) & F is D - 7 & S = sum { V, E : day(E, V) & E <= D & E > F }.
           rank(X, N) :- score(X, S) & N = count { Y : score(Y, T) & T > S }.";
    let (found, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    let mut sum = 0;
    for day in 0..3_000 {
        sum += number(day);
        assert!(found.contains(&format!("sum({day}, {sum})")), "{day}");
        let week: i64 = ((day - 6).max(0)..=day).map(number).sum();
        assert!(found.contains(&format!("week({day}, {week})")), "{day}");
        let rank = (0..3_000).filter(|&other| number(other) > number(day)).count();
        assert!(found.contains(&format!("rank({day}, {rank})")), "{day}");
    }
    assert_eq!(found.len(), 9_000);
    assert!(probes < 60_000, "{probes}");
}

/// Ranks of 600 candidates, of which the one with the lower number comes first of those with equal scores: no tuple is made for each pair of them.
#[test]
fn ties_make_no_tuple_for_each_pair() {
    let score = |i: i64| i * 7_919 % 50;
    let rows: String = (0..600).map(|i| format!("cand({i}, {}).\n", score(i))).collect();
    let text = rows + "rank(I, N) :- cand(I, S) & N = count { J : cand(J, T) & (T > S | T = S & J < I) }.";
    let (found, _, bytes) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    let ahead = |i: i64| (0..600).filter(|&j| (score(j), -j) > (score(i), -i)).count();
    let expected: BTreeSet<String> = (0..600).map(|i| format!("rank({i}, {})", ahead(i))).collect();
    assert_eq!(found, expected);
    // 180,000 pairs of four columns take three million bytes.
    assert!(bytes < 500_000, "{bytes}");
}
