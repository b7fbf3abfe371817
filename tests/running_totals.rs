//! Aggregates over the tuples within bounds, for many bounds: against loops that go through all tuples, with tuples that repeat, with values of other
//! kinds, and by the rows that they take.

use crate::ablation::derived;
use crate::numbers::outcome;
use ludolog::engine::semi_naive::Heuristic;
use ludolog::engine::{SEMI_NAIVE, Setting};
use ludolog::optimize::Optimization;
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
        bound in prop::sample::select(&[
            "U <= T", "U > T", "U >= T & U < 3", "U < T & U > 1", "abs(U - T) < 2", "U - T =< 1 & W != A", "V >= T & U =< T",
            "U > T & V != T", "D is U - T & D =< 1 & D > -2", "U * U < T + 3",
        ][..]),
    ) {
        let rows: String = rows.iter().map(|(who, at, value)| format!("p({who}, {at}, {value}).\n")).collect();
        let text = format!("{rows}q(A, T, N) :- p(A, T, _) & N = {function} {{ V, W : p(W, U, V) & {bound} }}.");
        // As a session answers: an engine that computes the square of 5,000,000,000 stops, and another one may not need it.
        let [by_rows, early] = [Heuristic::SortedIndices.left_out(), Heuristic::all_early()].map(|engine| {
            let setting = Setting { engine, optimization: Optimization::None, ..Setting::default() };
            outcome(&text, "q(A, T, N)", &setting)
        });
        prop_assert_eq!(early, by_rows, "{}", text);
    }
}

/// Rules with more tests than the bounds of one column. A seller may sell twice at the same time.
const MORE_TESTS: &str = "
    near(W, T, N) :- sale(W, _, T, _) & N = count { V, I : sale(V, I, U, _) & abs(T - U) < 3 }.
    around(S, T, N) :- sale(_, S, T, _) & N = sum { P, V : sale(V, S, U, P) & (U - T) * (U - T) =< 4 & V != 2 }.
    others(W, T, N) :- sale(W, _, T, _) & N = count { V, I, P : sale(V, I, U, P) & U < T & V != W & I != 1 }.
    beaten(W, T, P, N) :- sale(W, _, T, P) & N = count { V, I, U, Q : sale(V, I, U, Q) & U >= T & Q >= P }.
    cheaper(W, T, P, N) :- sale(W, S, T, P) & N = sum { Q, V, U : sale(V, S, U, Q) & U - T > -3 & Q < P & V != W }.
    mean(S, T, N) :- sale(_, S, T, P) & N = avg { Q, V, U : sale(V, S, U, Q) & Q > P - 5 & Q < P + 5 & U =< T }.
    next(W, T, U) :- sale(W, _, T, _) & U = min { V : sale(O, _, V, _) & V > T & O != W }.
    higher(W, T, P, U) :- sale(W, _, T, P) & U = max { V : sale(_, _, V, Q) & V =< T & Q > P }.
    doubled(T, N) :- sale(_, _, T, _) & N = count { V, I : sale(V, I, U, _) & D is 2 * U - T & D > -4 & D =< 9 }.
";

/// What these rules derive, by loops over all sales.
fn expected_of_more_tests(sales: &[Sale]) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    let sum = |terms: BTreeSet<(i64, i64, i64)>| terms.iter().map(|term| term.0).sum::<i64>();
    for &(who, shop, time, price) in sales {
        let near = over(sales, |s| (time - s.2).abs() < 3, |s| (s.0, s.1)).len();
        facts.insert(format!("near({who}, {time}, {near})"));
        let around = over(sales, |s| s.1 == shop && (s.2 - time).pow(2) <= 4 && s.0 != 2, |s| (s.3, s.0, 0));
        facts.insert(format!("around({shop}, {time}, {})", sum(around)));
        let others = over(sales, |s| s.2 < time && s.0 != who && s.1 != 1, |s| (s.0, s.1, s.3)).len();
        facts.insert(format!("others({who}, {time}, {others})"));
        let beaten = over(sales, |s| s.2 >= time && s.3 >= price, |s| *s).len();
        facts.insert(format!("beaten({who}, {time}, {price}, {beaten})"));
        let is_cheaper = |s: &Sale| s.1 == shop && s.2 - time > -3 && s.3 < price && s.0 != who;
        let cheaper = over(sales, is_cheaper, |s| (s.3, s.0, s.2));
        facts.insert(format!("cheaper({who}, {time}, {price}, {})", sum(cheaper)));
        let is_like = |s: &Sale| s.1 == shop && (s.3 - price).abs() < 5 && s.2 <= time;
        let like = over(sales, is_like, |s| (s.3, s.0, s.2));
        let count = like.len() as i64;
        facts.insert(format!("mean({shop}, {time}, {})", sum(like).div_euclid(count)));
        if let Some(next) = over(sales, |s| s.2 > time && s.0 != who, |s| s.2).first() {
            facts.insert(format!("next({who}, {time}, {next})"));
        }
        if let Some(higher) = over(sales, |s| s.2 <= time && s.3 > price, |s| s.2).last() {
            facts.insert(format!("higher({who}, {time}, {price}, {higher})"));
        }
        let doubled = over(sales, |s| (-3..=9).contains(&(2 * s.2 - time)), |s| (s.0, s.1)).len();
        facts.insert(format!("doubled({time}, {doubled})"));
    }
    facts
}

proptest! {
    #[test]
    fn totals_within_more_tests_are_those_of_loops(
        sales in prop::collection::vec((0..6i64, 0..3i64, -4..9i64, -5..20i64), 1..90),
    ) {
        let text = facts(&sales) + MORE_TESTS;
        let expected = expected_of_more_tests(&sales);
        for engine in [SEMI_NAIVE, Heuristic::all_early()] {
            prop_assert_eq!(&derived(&text, &engine, u64::MAX).expect("there is no limit").0, &expected);
        }
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

/// 3,000 points, each of which is asked how many are near it, which others are below it, and how many lie to the right and above it: nine million rows are
/// met for each rule where each goes through all of them.
#[test]
fn more_tests_go_through_the_tuples_once() {
    let points: Vec<(i64, i64, i64)> = (0..3_000).map(|i| (i, i * 7_919 % 3_001, i * 104_729 % 2_999)).collect();
    let rows: String = points.iter().map(|(i, x, y)| format!("pt({i}, {x}, {y}).\n")).collect();
    let text = rows
        + "near(A, N) :- pt(A, X, _) & N = count { B : pt(B, Z, _) & abs(X - Z) < 40 }.
           below(A, N) :- pt(A, X, _) & N = sum { W, B : pt(B, Z, W) & Z < X & B != A }.
           beaten(A, N) :- pt(A, X, Y) & N = count { B : pt(B, Z, W) & Z >= X & W >= Y & B != A }.
           next(A, N) :- pt(A, X, Y) & N = min { Z : pt(B, Z, W) & Z > X & W != Y }.";
    let (found, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    let mut expected = BTreeSet::new();
    for &(a, x, y) in &points {
        let count = |passes: &dyn Fn(i64, i64) -> bool| points.iter().filter(|(_, z, w)| passes(*z, *w)).count();
        expected.insert(format!("near({a}, {})", count(&|z, _| (x - z).abs() < 40)));
        let below: i64 = points.iter().filter(|(_, z, _)| *z < x).map(|(_, _, w)| w).sum();
        expected.insert(format!("below({a}, {below})"));
        expected.insert(format!("beaten({a}, {})", count(&|z, w| z >= x && w >= y) - 1));
        let next = points.iter().filter(|(_, z, w)| *z > x && *w != y).map(|(_, z, _)| z).min();
        expected.extend(next.map(|next| format!("next({a}, {next})")));
    }
    assert_eq!(found, expected);
    assert!(probes < 80_000, "{probes}");
}

/// Running sums and means of prices: 3,000 floats are added once, not once for each day.
#[test]
fn floats_before_a_bound_are_added_once() {
    let price = |i: i64| (i * 7_919 % 3_001) as f64 / 8.0;
    let rows: String = (0..3_000).map(|i| format!("price({i}, {:?}).\n", price(i))).collect();
    let text = rows
        + "total(D, S) :- price(D, _) & S = sum { P, E : price(E, P) & E =< D }.
           mean(D, S) :- price(D, _) & S = avg { P, E : price(E, P) & E >= D }.";
    let (found, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    let mut expected = BTreeSet::new();
    // Eighths are added without rounding.
    for day in 0..3_000 {
        expected.insert(format!("total({day}, {:?})", (0..=day).map(price).sum::<f64>()));
        expected.insert(format!("mean({day}, {:?})", (day..3_000).map(price).sum::<f64>() / (3_000 - day) as f64));
    }
    assert_eq!(found, expected);
    assert!(probes < 40_000, "{probes}");
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
