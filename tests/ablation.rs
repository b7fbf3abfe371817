//! The heuristics of the semi-naive engine: each left out, and all begun early, the same is derived; those whose gain is counted save what they
//! are for; and the benchmark that measures them.

use crate::binary::ludolog;
use crate::large;
use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::semi_naive::Heuristic;
use ludolog::engine::{Budget, Case, EngineDescription, Prepared, SEMI_NAIVE, Setting, prepare};
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::Predicate;
use ludolog::syntax::{self, Syntax};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Most rows that one evaluation may match. A program that takes more is not compared.
const MAX_PROBES: u64 = 300_000;

/// A program, on an engine, and its predicates with rules, without those of tuples that an aggregate takes in.
fn prepared(
    text: &str,
    engine: &EngineDescription,
    optimization: Optimization,
) -> Option<(Prepared, BTreeSet<Predicate>)> {
    let mut sources = Sources::new();
    let source = sources.add("test.dl", text);
    let program = syntax::parse(source, &sources, Syntax::Datalog).into_result().expect("the text parses");
    let program = analysis::analyze(&program).ok()?.stratified;
    let heads = program.program.rules.iter().map(|rule| rule.head.signature());
    let derived = heads.filter(|predicate| !predicate.is_auxiliary()).collect();
    let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
    let prepared = prepare(&program, &Case::default(), None, &setting, &Budget::unlimited());
    Some((prepared.expect("nothing stops it"), derived))
}

/// The facts that a program derives as written, the rows that it tries, and the bytes that it holds; `None` if it tries too many.
pub fn derived(text: &str, engine: &EngineDescription, most: u64) -> Option<(BTreeSet<String>, u64, usize)> {
    derived_by(text, engine, Optimization::None, most)
}

/// As [`derived`], by an optimization.
fn derived_by(
    text: &str,
    engine: &EngineDescription,
    optimization: Optimization,
    most: u64,
) -> Option<(BTreeSet<String>, u64, usize)> {
    let (prepared, predicates) = prepared(text, engine, optimization)?;
    let budget = Budget::unlimited().with_max_probes(most);
    let mut engine = prepared.load(&budget).expect("it loads");
    prepared.insert_facts(&mut *engine, &budget).expect("they fit");
    engine.update(&budget).ok()?;
    let facts = predicates.iter().flat_map(|predicate| engine.facts(predicate, &budget).expect("there is time"));
    let facts = facts.map(|fact| fact.to_string()).collect();
    let bytes = engine.as_count().expect("it counts").memory().bytes;
    Some((facts, engine.work().probes, bytes as usize))
}

#[test]
fn names_are_those_of_the_heuristics() {
    for (number, (heuristic, name, _)) in Heuristic::ALL.into_iter().enumerate() {
        let named = Heuristic::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(named, ..)| named);
        assert_eq!((heuristic as usize, heuristic.name(), named), (number, name, Some(heuristic)));
    }
}

/// Facts for the numbers below `n`.
fn facts(n: usize, fact: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| fact(i) + ".\n").collect()
}

/// What a heuristic saves.
#[derive(Clone, Copy, Debug)]
enum Saved {
    Probes,
    Bytes,
}

/// Programs for the heuristics whose gain is counted, with the least factor that they save. Figures are worked by hand,
/// as the comments say.
fn owners() -> Vec<(Heuristic, Saved, f64, String)> {
    use Heuristic::*;
    use Saved::*;
    // From each of the spokes through the hub to each other: 600² pairs, of which the rim closes two for each spoke.
    let wheel = facts(600, |i| format!("e(0, {0}). e({0}, 0). e({0}, {1})", i + 1, (i + 1) % 600 + 1))
        + "t(X, Y, Z) :- e(X, Y) & e(Y, Z) & e(Z, X).";
    // A new row of `r` has one successor; joined as written, it meets all 400 rows of `big` before.
    let apart = facts(400, |i| format!("step({i}, {}). big({i}, {i})", i + 1))
        + "r(0). r(Z) :- r(Y) & big(U, V) & step(Y, Z) & big(V, Y).";
    // All relations are small when the plan is made, and are joined as written; `big` grows to 41² rows.
    let grown = facts(40, |i| format!("step({i}, {})", i + 1))
        + "r(0, 0). r(Z, Y) :- r(X, Y) & big(U, V) & step(X, Z) & big(V, X).
           r(X, Z) :- r(X, Y) & step(Y, Z). big(X, Y) :- r(X, Y).";
    // Each head is known by the first rule, and each proof of the second fails after 20 · 20 rows.
    let twenty = |name: &str| facts(400, |i| format!("{name}({}, {})", i / 20, i % 20));
    let known = twenty("b")
        + &twenty("c")
        + &facts(20, |i| format!("a({i})"))
        + "never(-1). p(X) :- a(X).
        p(X) :- a(X) & b(X, Y) & c(Y, Z) & never(Z).";
    // One of 20 rows of `b` suffices, and each more would lead to the same 20 rows of `c`.
    let once = twenty("b") + &twenty("c") + &facts(20, |i| format!("a({i})")) + "q(X, Z) :- a(X) & b(X, Y) & c(X, Z).";
    // 300² pairs are as many bits, or as many words of a hash table beside the rows. A later rule tests them, so that they stay.
    let complete = facts(300, |i| format!("e({i}, {})", (i + 1) % 300))
        + "path(X, Y) :- e(X, Y). path(X, Z) :- path(X, Y) & e(Y, Z). no(X, Y) :- e(X, Y) & ~path(Y, X).";
    // 120² pairs with each of three labels, of which no two columns tell the third.
    let labelled = facts(120, |i| format!("e({i}, {})", (i + 1) % 120))
        + "l(1). l(2). l(3). p(X, Y, L) :- e(X, Y) & l(L). p(X, Z, L) :- p(X, Y, L) & e(Y, Z).
        no(X, Y) :- e(X, Y) & ~p(Y, X, 1).";
    // 20 groups of 20 · 20 tuples, each of three ids, or one total each.
    let counted = twenty("b")
        + &twenty("c")
        + &facts(20, |i| format!("a({i})"))
        + "n(X, N) :- a(X) & N = count { Y, Z : b(X, Y), c(Y, Z) }.";
    // Intervals in the order of their places, 600 of 5 each: each reaches into the next one, and into no other. Sorted by their starts, half of
    // them begin before the end of one, and the blocks of all but the last one or two end before its start.
    let intervals = facts(600, |i| format!("iv({i}, {}, {})", 4 * i, 4 * i + 5))
        + "cross(A, B) :- iv(A, S, E) & iv(B, T, F) & S < F & T < E & A != B.";
    // 600 rows of 20 groups, each of which meets 400 rows: 20 · 400, or 600 · 400.
    let repeated = facts(600, |i| format!("p({i}, {})", i % 20))
        + &twenty("b")
        + "q(X, Y) :- p(_, X) & b(Y, Z) & b(Z, X) & ~p(Y, X).";
    // One key of `s` comes with 398 rows of `r`, and has 398 rows, of which one has a row of `t`; the other way round it is the same.
    let spread = facts(399, |i| format!("r({0}, 399). s({i}, 0). s(399, {0}). t(0, {i})", i + 1))
        + "r(0, 0). t(399, 399). q(W, X, Y, Z) :- r(W, X) & s(X, Y) & t(Y, Z).";
    // 600 tasks, each before the eight behind it: as values come, the end of each is found again for most of those before it.
    let tasks = facts(600, |i| (1..=8).map(|d| format!("next({i}, {})", i + d)).collect::<Vec<_>>().join(". "))
        + "late(0, max 0). late(Y, max D) :- late(X, C) & next(X, Y) & D is C + 1.";
    vec![
        (Levels, Probes, 5.0, tasks),
        (Totals, Bytes, 3.0, counted),
        (Rivals, Probes, 50.0, wheel),
        (RoundOrders, Probes, 50.0, apart),
        (Zones, Probes, 3.0, intervals),
        (Repeats, Probes, 5.0, repeated),
        (NewPlans, Probes, 3.0, grown),
        (KnownHeads, Probes, 5.0, known),
        (ExistenceChecks, Probes, 5.0, once),
        (BitTables, Bytes, 1.5, complete.clone()),
        (PairTables, Bytes, 1.5, complete),
        (PackedRows, Bytes, 1.3, labelled),
        (ReducedKeys, Probes, 20.0, spread),
    ]
}

#[test]
fn counted_heuristics_save_what_they_are_for() {
    for (heuristic, saved, factor, text) in owners() {
        let run = |engine: &EngineDescription| derived(&text, engine, u64::MAX).expect("there is no limit");
        let (with, probes, bytes) = run(&SEMI_NAIVE);
        let (without, more_probes, more_bytes) = run(&heuristic.left_out());
        assert_eq!(with, without, "{heuristic}");
        let found = match saved {
            Saved::Probes => more_probes as f64 / probes as f64,
            Saved::Bytes => more_bytes as f64 / bytes as f64,
        };
        assert!(found >= factor, "{heuristic} saves {found:.2} times {saved:?}");
    }
}

/// A key comes with each of 400 numbers, and has 400 rows, of which one in forty passes: by rows of a relation, by none, by a member, by none, by a
/// comparison; where other subgoals stand between, and where rows pass by the key too.
#[test]
fn rows_of_a_key_that_comes_again_are_asked_once() {
    let numbers = facts(400, |i| format!("r({i}, 0). s(0, {i}). all({i})"))
        + &facts(10, |i| format!("few({}). tens({}, 1). pair(0, {0})", 40 * i, 40 * i))
        + &facts(400, |i| if i % 40 == 0 { format!("apart({i}, {i})") } else { format!("many({i}). apart(0, {i})") });
    for filter in
        ["few(Y)", "tens(Y, 1)", "tens(Y, _)", "pair(X, Y)", "~many(Y)", "all(W) & tens(Y, _)", "tens(Y, Z) & Z <= 1"]
    {
        let text = format!("{numbers}q(W, Y) :- r(W, X) & s(X, Y) & {filter}.");
        let (found, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
        let without = Heuristic::ReducedKeys.left_out();
        let (as_before, more, _) = derived(&text, &without, u64::MAX).expect("there is no limit");
        assert_eq!(found.len(), 4000, "{filter}");
        assert_eq!(found, as_before, "{filter}");
        // 4,000 pairs, some steps each, where 160,000 were met.
        assert!(probes < 30_000 && more > 160_000, "{filter}: {probes} of {more}");
    }
}

/// Each of 400 users has clicks at 0, 10, …, 790, and starts at 0, 20, …, 780: the last start before a click and the next one behind it are one row
/// each of an index, where a user has 40 starts.
#[test]
fn the_greatest_within_bounds_is_one_row() {
    let text = facts(32_000, |i| format!("click({}, {})", i / 80, i % 80 * 10))
        + &facts(16_000, |i| format!("start({}, {})", i / 40, i % 40 * 20))
        + "within(U, T, S) :- click(U, T) & S = max { X : start(U, X) & X <= T }.
           next(U, T, S) :- click(U, T) & S = min { X : start(U, X) & X > T & X < 600 }.";
    let (facts, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    // Of 80 clicks of a user 58 come before the start at 580, the last one below 600.
    assert_eq!(facts.len(), 32_000 + 400 * 58);
    for user in [0, 399] {
        for time in (0..800).step_by(10) {
            assert!(facts.contains(&format!("within({user}, {time}, {})", time / 20 * 20)));
            let next = (time / 20 + 1) * 20;
            assert_eq!(facts.contains(&format!("next({user}, {time}, {next})")), next < 600);
        }
    }
    assert!(probes < 200_000, "{probes}");
    let early = derived(&text, &Heuristic::all_early(), u64::MAX).expect("there is no limit");
    let without = derived(&text, &Heuristic::SortedIndices.left_out(), u64::MAX).expect("there is no limit");
    assert!(facts == early.0 && facts == without.0);
    assert!(without.1 > 5 * probes, "{} without a sorted index", without.1);
}

/// Each of 100 nodes has 80 others, of which about half come behind it. Where each node is looked up once, all are met and nothing is sorted;
/// where it is looked up eight times, the others are passed over.
#[test]
fn rows_are_sorted_for_keys_that_are_looked_up_often() {
    let edges = facts(8_000, |i| format!("e({}, {})", i / 80, (i / 80 + 1 + i % 80 * 7) % 100));
    let once = facts(100, |i| format!("node({i})")) + &edges + "up(X, Y) :- node(X) & e(X, Y) & X < Y.";
    let often = facts(800, |i| format!("node({}, {})", i / 8, i % 8 * 12))
        + &edges
        + "up(X, N, Y) :- node(X, N) & e(X, Y) & N < Y.";
    let probes = |text: &str, engine: &EngineDescription| derived(text, engine, u64::MAX).expect("there is no limit").1;
    let unsorted = Heuristic::SortedIndices.left_out();
    assert_eq!(probes(&once, &SEMI_NAIVE), probes(&once, &unsorted));
    assert!(2 * probes(&often, &unsorted) > 3 * probes(&often, &SEMI_NAIVE));
}

/// Each of 200 users meets each of the 40 tags, which stand in 4,000 rows: these are scanned once, not for each user.
#[test]
fn a_scan_knows_the_rows_that_it_found_before() {
    let text = facts(200, |i| format!("user({i})"))
        + &facts(4_000, |i| format!("tag({i}, {})", i % 40))
        + &facts(9_000, |i| format!("saw({}, {})", i % 200, i * 7 % 4_000))
        + "share(U, T, N) :- user(U) & tag(_, T) & N = count { V : saw(U, V) & tag(V, T) }.";
    let (facts, probes, _) = derived(&text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    assert_eq!(facts.len(), 200 * 40);
    // User 0 saw the multiples of 1,400, of which 20 differ by 4,000: all have the tag 0.
    assert!(facts.contains("share(0, 0, 20)") && facts.contains("share(0, 1, 0)"));
    assert!(probes < 100_000, "{probes}");
}

/// Rows of a large index that are looked up a block ahead, tests of rows that are scanned, and totals that are read by the block: the same as without blocks,
/// at a size at which all of them run.
#[test]
fn blocks_of_rows_derive_what_single_rows_do() {
    let text = facts(60_000, |i| format!("e({}, {})", i * 7919 % 20_011, i * 104_729 % 30_011))
        + &facts(20_000, |i| format!("mark({})", i * 3))
        + &facts(40_000, |i| format!("w({}, {}, {})", i % 20_011, i * 31 % 30_011, i % 5))
        + "marked(X, Y) :- e(X, Y) & mark(X) & ~mark(Y).
           two(X, Z) :- marked(X, Y) & w(Y, Z, _).
           kept(X, Z, C) :- marked(X, Y) & w(Y, Z, C) & ~e(X, Z) & X < Z & mark(Z).
           degree(X, N) :- mark(X) & N = count { Y : e(X, Y) } & N > 1.
           level(X, D, C) :- marked(X, Y) & D is X + Y & w(Y, _, C) & D > 900.";
    assert_same_by_the_block(&text, 32_000);
}

/// What checks bind is computed of a block: of values that entries carry and of columns, in tests, ranges, look-ups and heads. Where one is a symbol or is large, or a
/// result is, rows are checked one by one.
#[test]
fn blocks_compute_what_single_rows_do() {
    let value = |i: usize| match i % 211 {
        0 => format!("a{i}"),
        1 => format!("{}", (1_usize << 40) + i),
        2 => format!("{}", (1_usize << 30) - 4 + i % 7),
        _ => i.to_string(),
    };
    let text = facts(20_000, |i| format!("e({}, {})", i * 7919 % 601, i * 104_729 % 30_011))
        + &facts(300, |i| format!("mark({})", i * 2))
        + &facts(9_000, |i| format!("v({}, {})", value(i), i % 90))
        + "shifted(X, Z) :- mark(X) & e(X, Y) & Z is Y * 2 - X & Z < 20000 & ~e(X, Z) & Z mod 3 != 1 & X < Z.
           paired(Y, Z, W) :- mark(X) & e(X, Y) & Z is Y mod 90 & W is Z + X & W in 50..400 & ~mark(Z) & Y != W.
           summed(S, K) :- v(X, K) & S is X + K & S > 100 & D is S / 2 - K & D in 0..1000000000.
           windowed(X, S) :- v(X, K) & K < 40 & K > 3 & S is max(X, K) * 2 & S mod 7 != K.
           same(X, Y) :- v(X, K) & Y = K + 1 & Y > 80 & v(X, K).";
    assert_same_by_the_block(&text, 18_000);
}

/// Facts by the block are those row by row, and more than so many.
fn assert_same_by_the_block(text: &str, few: usize) {
    let (facts, probes, _) = derived(text, &SEMI_NAIVE, u64::MAX).expect("there is no limit");
    let (without, ..) = derived(text, &Heuristic::BlockedChecks.left_out(), u64::MAX).expect("there is no limit");
    assert!(facts == without);
    assert!(facts.len() > few, "{}", facts.len());
    assert!(probes > 32_000);
}

/// Of 60 roots all reach the 601 nodes of a chain: joined by these, a root meets each of 60 at each node; the pairs of roots are known before, and
/// the first node proves each.
#[test]
fn an_order_that_binds_the_head_first_is_tried() {
    let text = facts(60, |i| format!("root(r{i})"))
        + &facts(600, |i| format!("step({i}, {})", i + 1))
        + "reach(P, 0) :- root(P). reach(P, Y) :- reach(P, X) & step(X, Y).
           meet(P, Q) :- root(P) & reach(P, X) & reach(Q, X) & root(Q).";
    let run = |engine: &EngineDescription| {
        derived_by(&text, engine, Optimization::Reordering, u64::MAX).expect("there is no limit")
    };
    let (with, probes, _) = run(&SEMI_NAIVE);
    let (without, more_probes, _) = run(&Heuristic::Trials.left_out());
    assert_eq!(with, without);
    assert!(more_probes > 5 * probes, "{probes} and {more_probes}");
}

/// 100 shops with 400 sales each, of which a count leaves the price out: a sale may come twice, and is kept. The tuples take a row of each of 40,000
/// sales, the counts one of each shop and one total; without totals they take all rows again. The greatest price is the same however
/// often a price comes: of its tuples no row is kept.
#[test]
fn tuples_that_may_repeat_have_totals() {
    let sales = facts(100, |i| format!("shop({i})")) + &facts(40_000, |i| format!("sale({i}, {}, {})", i % 100, i % 7));
    let run = |rule: &str, engine: &EngineDescription| {
        derived(&format!("{sales} {rule}"), engine, u64::MAX).expect("there is no limit")
    };
    let left_out = Heuristic::Totals.left_out();
    let counts = "sold(S, N) :- shop(S) & N = count { R : sale(R, S, _) }.";
    let (with, probes, _) = run(counts, &SEMI_NAIVE);
    let (without, more_probes, _) = run(counts, &left_out);
    assert_eq!(with, without);
    assert!(with.contains("sold(99, 400)"));
    assert_eq!((probes, more_probes), (40_000 + 100 + 100, 40_000 + 100 + 40_000));
    let greatest = "best(S, P) :- shop(S) & P = max { P1 : sale(_, S, P1) }.";
    let (with, probes, bytes) = run(greatest, &SEMI_NAIVE);
    let (without, _, more_bytes) = run(greatest, &left_out);
    assert_eq!(with, without);
    assert!(with.contains("best(99, 6)"));
    assert_eq!(probes, 40_000 + 100 + 100);
    assert!(bytes < more_bytes, "{bytes} and {more_bytes}");
}

/// A trunk of 2,000 commits with 30 branches of ten at its end: 870 pairs of heads meet some 2,000 commits each as written, of which most are of both
/// heads. Files first would be met for each head: 30 times 3 files of 2,000 commits, and these with each of 30 heads. A trial of
/// either order ends within the commits of one head, so that it has to tell how far it came in them.
#[test]
fn trials_tell_how_far_closures_are_enumerated() {
    let trunk = facts(2_000, |i| format!("parent({}, {i})", i + 1));
    let branches = facts(300, |i| {
        let before = if i % 10 == 0 { 2_000 - i / 10 } else { 10_000 + i - 1 };
        format!("parent({}, {before})", 10_000 + i)
    });
    let heads = facts(30, |i| format!("head({})", 10_009 + 10 * i));
    let commit = |i: usize| if i <= 2_000 { i } else { 10_000 + i - 2_001 };
    let files = facts(3 * 2_301, |i| format!("touches({}, {})", commit(i / 3), (i / 3) * (i % 3 + 7) % 97));
    let text = trunk
        + &branches
        + &heads
        + &files
        + "anc(X, X) :- head(X). anc(X, Y) :- parent(X, Y). anc(X, Z) :- anc(X, Y) & parent(Y, Z).
           since(A, B, F) :- head(A) & head(B) & A != B & anc(A, C) & ~anc(B, C) & touches(C, F).";
    let run = |passes: &str| {
        let passes = passes.parse().expect("there are such passes");
        derived_by(&text, &SEMI_NAIVE, passes, u64::MAX).expect("there is no limit")
    };
    let (written, probes, _) = run("closure");
    let (ordered, tried, _) = run("closure,reordering");
    assert!(written == ordered, "the same is derived");
    assert!(tried < probes + probes / 5, "{tried} rows, {probes} as written");
}

/// 1,000 users, each member of one of 128 leaves of a tree of 255 roles, and of the seven roles above it. The users of a role are pairs of a closure
/// with its second end bound, the roles of a user pairs with the first one; both are tested by the block, and are what numbers say.
#[test]
fn pairs_of_a_closure_are_tested_by_the_block() {
    let role = |user: usize| 128 + user % 128;
    let text = facts(254, |i| format!("inherits({}, {})", i + 2, (i + 2) / 2))
        + &facts(1_000, |i| format!("member({i}, {})", role(i)))
        + &facts(255, |i| format!("grants({}, {})", i + 1, (i + 1) % 7))
        + &facts(51, |i| format!("denies({}, {})", 5 * (i + 1), 5 * (i + 1) % 7))
        + "has(U, R) :- member(U, R). has(U, S) :- has(U, R) & inherits(R, S).
           refused(U, A) :- denies(R, A) & has(U, R).
           may(U, A) :- grants(R, A) & has(U, R) & ~refused(U, A).
           free(U, R) :- member(U, _) & has(U, R) & ~denies(R, _).
           of(R, U) :- grants(R, _) & has(U, R) & U >= 500.";
    let mut expected = BTreeSet::new();
    for user in 0..1_000 {
        let roles: Vec<usize> = (0..8).map(|level| role(user) >> level).collect();
        let actions = |denied: bool| roles.iter().filter(move |&role| !denied || role % 5 == 0).map(|role| role % 7);
        let refused: BTreeSet<usize> = actions(true).collect();
        expected.extend(roles.iter().map(|role| format!("has({user}, {role})")));
        expected.extend(refused.iter().map(|action| format!("refused({user}, {action})")));
        let allowed = actions(false).filter(|action| !refused.contains(action));
        expected.extend(allowed.map(|action| format!("may({user}, {action})")));
        expected.extend(roles.iter().filter(|&role| role % 5 != 0).map(|role| format!("free({user}, {role})")));
        expected.extend(roles.iter().filter(|_| user >= 500).map(|role| format!("of({role}, {user})")));
    }
    for engine in [SEMI_NAIVE.clone(), Heuristic::BlockedChecks.left_out()] {
        for passes in ["none", "closure", "closure,reordering", "auto"] {
            let passes = passes.parse().expect("there are such passes");
            let (found, ..) = derived_by(&text, &engine, passes, u64::MAX).expect("there is no limit");
            assert_eq!(found, expected, "{}", engine.name);
        }
    }
}

#[test]
fn the_benchmark_tells_what_each_gains() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("tri")).expect("a folder");
    let of_rivals = owners().into_iter().find(|(heuristic, ..)| *heuristic == Heuristic::Rivals);
    let (.., text) = of_rivals.expect("they have a program");
    std::fs::write(folder.path().join("tri/tri.dl"), text + "\n?- t(1, Y, Z).\n").expect("a file");
    std::fs::write(folder.path().join("tri/goals.txt"), "t(1, Y, Z)\n").expect("a file");
    let args = ["bench", "ablation", "tri", "--heuristic", "rivals", "trials", "--samples", "1", "--html", "page.html"];
    let output = ludolog(&folder, &args).args(["--format", "json"]).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("a document");
    let rows = report["heuristics"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["heuristic"].as_str()).collect();
    assert_eq!(names, ["rivals", "trials"]);
    assert_eq!((&report["failures"], report["cells"].as_array().map(Vec::len)), (&Value::Array(vec![]), Some(2)));
    // Whether it earns its place is a matter of time, which a busy machine may take from either run.
    assert!(rows[0]["most_probes"].as_f64() > Some(10.0) && rows[0]["earns_its_place"].is_boolean(), "{rows:?}");
    assert!(folder.path().join("page.html").exists());
    let told = |args: &[&str]| {
        let output = ludolog(&folder, args).assert().code(2).get_output().stderr.clone();
        String::from_utf8(output).expect("a text")
    };
    assert!(told(&["bench", "ablation", "tri", "--heuristic", "rivalz"]).contains("rivals"));
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    assert!(told(&["bench", "ablation", "empty"]).contains("has no program"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::random::long_run().unwrap_or(24), failure_persistence: None, ..Default::default() })]

    /// Random programs over tables of hundreds of rows.
    #[test]
    fn nothing_else_is_derived_without_a_heuristic_or_with_all_early(
        rows in 100..1_500_usize,
        rules in prop::collection::vec(prop::collection::vec(any::<u8>(), 24), 1..4),
    ) {
        let text = large::program(rows, &rules);
        if let Some((expected, ..)) = derived(&text, &SEMI_NAIVE, MAX_PROBES) {
            for (heuristic, ..) in Heuristic::ALL {
                let found = derived(&text, &heuristic.left_out(), 20 * MAX_PROBES);
                let Some((found, ..)) = found else { continue };
                prop_assert!(found == expected, "without {heuristic}: {} for {}", found.len(), expected.len());
            }
            for optimization in [Optimization::None, "reordering".parse().expect("a pass")] {
                let found = derived_by(&text, &Heuristic::all_early(), optimization.clone(), 20 * MAX_PROBES);
                let Some((found, ..)) = found else { continue };
                prop_assert!(found == expected, "all early, {optimization}: {} for {}", found.len(), expected.len());
            }
        }
    }
}
