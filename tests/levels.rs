//! Values of a lattice that are passed on once they are the best ones: longest ways against a topological order of petgraph, tables of texts against
//! loops that fill them, and the work that it takes.

use crate::ablation::derived;
use ludolog::engine::semi_naive::Heuristic;
use ludolog::engine::{EngineDescription, SEMI_NAIVE};
use petgraph::algo::toposort;
use petgraph::graph::DiGraph;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Two nodes and a weight.
type Edge = (usize, usize, i64);

/// Ends of tasks that wait for each other, from each task on that waits for none or from the first one alone.
const LATE: &str = "late(X, max 0) :- edge(X, _, _).\nlate(Y, max D) :- late(X, C) & edge(X, Y, W) & D is C + W.\n";
const LATE_FROM_FIRST: &str = "late(0, max 0).\nlate(Y, max D) :- late(X, C) & edge(X, Y, W) & D is C + W.\n";

fn facts(edges: &[Edge]) -> String {
    edges.iter().map(|(x, y, w)| format!("edge({x}, {y}, {w}).\n")).collect()
}

/// Edges between numbered nodes without a cycle: `places` is the order of nodes, the first of which stays the first.
fn acyclic(nodes: usize, most: usize) -> impl Strategy<Value = Vec<Edge>> {
    let places = Just((1..nodes).collect::<Vec<_>>()).prop_shuffle();
    let edges = prop::collection::vec((0..nodes, 0..nodes, 0..50i64), 1..most);
    (places, edges).prop_map(|(places, edges)| {
        let place = |node: usize| node.checked_sub(1).map_or(0, |node| places[node]);
        let forward = edges.into_iter().filter(|(x, y, _)| x != y);
        forward.map(|(x, y, w)| (place(x.min(y)), place(x.max(y)), w)).collect()
    })
}

/// The length of the longest way to each node that is reached, from all nodes with an edge or from the first one.
fn longest(edges: &[Edge], from_first: bool) -> BTreeSet<String> {
    let graph = DiGraph::<(), i64>::from_edges(edges.iter().map(|&(x, y, w)| (x as u32, y as u32, w)));
    let mut longest: BTreeMap<usize, i64> =
        if from_first { BTreeMap::from([(0, 0)]) } else { edges.iter().map(|&(x, ..)| (x, 0)).collect() };
    for node in toposort(&graph, None).expect("there is no cycle") {
        let Some(&length) = longest.get(&node.index()) else { continue };
        for &(_, y, w) in edges.iter().filter(|(x, ..)| *x == node.index()) {
            let known = longest.entry(y).or_insert(length + w);
            *known = (*known).max(length + w);
        }
    }
    longest.into_iter().map(|(node, length)| format!("late({node}, {length})")).collect()
}

fn run(text: &str, engine: &EngineDescription) -> (BTreeSet<String>, u64) {
    let (facts, probes, _) = derived(text, engine, u64::MAX).expect("there is no limit");
    (facts, probes)
}

/// Labels that go along links both ways: of a path, from either end, and of a grid. All keys lead to all, so that no order of keys helps; the best label
/// goes first, and each node is improved a few times. Each label would go half of the way before a better one comes after it.
#[test]
fn the_best_labels_go_first_where_all_lead_to_all() {
    const NODES: usize = 4_000;
    let path: Vec<Edge> = (1..NODES).map(|node| (node - 1, node, 1)).collect();
    let back: Vec<Edge> = path.iter().map(|(x, y, w)| (NODES - 1 - x, NODES - 1 - y, *w)).collect();
    let to_right = (0..NODES).filter(|node| node % 80 != 79).map(|node| (node, node + 1, 1));
    let grid: Vec<Edge> = to_right.chain((80..NODES).map(|node| (node - 80, node, 1))).collect();
    for (edges, join, best) in [(&path, "min", 0), (&path, "max", NODES - 1), (&back, "min", 0), (&grid, "min", 0)] {
        let rules = format!(
            "link(X, Y) :- edge(X, Y, _) | edge(Y, X, _). label(X, {join} X) :- link(X, _).
             label(Y, {join} L) :- label(X, L) & link(X, Y). component(L) :- label(_, L)."
        );
        let (found, probes) = run(&(facts(edges) + &rules), &SEMI_NAIVE);
        let labels = (0..NODES).map(|node| format!("label({node}, {best})"));
        let expected: BTreeSet<String> = labels.chain([format!("component({best})")]).collect();
        assert!(found.iter().filter(|fact| !fact.starts_with("link")).eq(&expected));
        assert!(probes < 80 * NODES as u64, "{probes}");
    }
}

proptest! {
    #[test]
    fn longest_ways_are_those_of_a_topological_order(edges in acyclic(40, 200)) {
        for (rules, from_first) in [(LATE, false), (LATE_FROM_FIRST, true)] {
            let text = facts(&edges) + rules;
            let expected = longest(&edges, from_first);
            for engine in [SEMI_NAIVE, Heuristic::all_early(), Heuristic::Levels.left_out()] {
                prop_assert_eq!(&run(&text, &engine).0, &expected);
            }
        }
    }

    /// Two predicates in one recursion, where some ways come back; sums that fall and are bounded; sets; two that join.
    #[test]
    fn levels_change_no_value(
        edges in prop::collection::vec((0..30usize, 0..30usize, -3..9i64), 1..120),
        rules in prop::sample::select(&[
            "odd(0, min 0). even(Y, min D) :- odd(X, C) & edge(X, Y, W) & D is max(C + W, -40).
             odd(Y, min D) :- even(X, C) & edge(X, Y, W) & D is max(C - W, -40).",
            "way(X, max 0) :- edge(X, _, _). way(Y, max D) :- way(X, C) & edge(X, Y, W) & D is min(C + W, 60).",
            "from(X, union B) :- edge(X, _, W) & W >= 0 & B is bshl(1, W). from(Y, union B) :- from(X, B) & edge(X, Y, _).",
            "way(X, max 0) :- edge(X, _, _). way(Y, max D) :- ~edge(99, _, _) & way(X, C) & edge(X, Y, W) & D is min(C + W, 60).",
            "label(X, min X) :- edge(X, _, _). label(Y, min L) :- label(X, L) & edge(X, Y, _). label(X, min L) :- label(Y, L) & edge(X, Y, _).",
            "label(X, max L) :- edge(X, _, W) & L is W * 1000000000. label(X, max to_5) :- edge(X, 5, _). label(Y, max L) :- label(X, L) & edge(X, Y, _).
             label(X, max L) :- label(Y, L) & edge(X, Y, _).",
            "way(X, Y, min W) :- edge(X, Y, W) & W >= 0. way(X, Z, min D) :- way(X, Y, C) & way(Y, Z, E) & D is C + E.",
        ][..]),
    ) {
        let text = facts(&edges) + rules;
        let (expected, _) = run(&text, &Heuristic::Levels.left_out());
        for engine in [SEMI_NAIVE, Heuristic::all_early()] {
            prop_assert_eq!(&run(&text, &engine).0, &expected);
        }
    }
}

/// 3,000 tasks, of which each waits for up to five of the 60 before it. Where values are passed on as soon as they are there, the end of a task is found again for
/// nearly each task before it.
#[test]
fn ends_of_tasks_are_passed_on_once() {
    let mut state = 5u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as usize
    };
    // A multiplier without a common divisor names tasks in no order.
    let name = |task: usize| task * 1_103 % 3_000;
    let waits = |task: usize| (name(task), name(task + 1 + random(60)), 1 + random(99) as i64);
    let edges: Vec<Edge> = (0..5 * 2_940).map(|edge| edge / 5).map(waits).collect();
    for (rules, from_first) in [(LATE, false), (LATE_FROM_FIRST, true)] {
        let text = facts(&edges) + rules;
        let (found, probes) = run(&text, &SEMI_NAIVE);
        assert_eq!(found, longest(&edges, from_first));
        let (same, more) = run(&text, &Heuristic::Levels.left_out());
        assert_eq!(found, same);
        assert!(more > 5 * probes, "{probes} rows of {more}, from the first task: {from_first}");
    }
}

/// The longest common subsequence of two texts, filled from both borders: a key for each pair of places.
#[test]
fn a_table_of_two_texts_is_filled_once() {
    let texts: [Vec<usize>; 2] =
        [(0..90).map(|i| i * i % 7 % 4).collect(), (0..80).map(|i| i * i * i % 11 % 4).collect()];
    let letters = |name: &str, text: &[usize]| -> String {
        text.iter().enumerate().map(|(at, letter)| format!("{name}({}, {letter}).\n", at + 1)).collect()
    };
    let rules = "l(0, J, max 0) :- b(J, _). l(I, 0, max 0) :- a(I, _). l(0, 0, max 0).
        l(I, J, max N) :- a(I, C) & b(J, C) & P is I - 1 & Q is J - 1 & l(P, Q, M) & N is M + 1.
        l(I, J, max N) :- l(P, J, N) & I is P + 1 & a(I, _).
        l(I, J, max N) :- l(I, Q, N) & J is Q + 1 & b(J, _).";
    let mut table = vec![vec![0; texts[1].len() + 1]; texts[0].len() + 1];
    for (i, a) in texts[0].iter().enumerate() {
        for (j, b) in texts[1].iter().enumerate() {
            let longer = table[i][j] + usize::from(a == b);
            table[i + 1][j + 1] = longer.max(table[i][j + 1]).max(table[i + 1][j]);
        }
    }
    let cell = |(i, j): (usize, usize)| format!("l({i}, {j}, {})", table[i][j]);
    let expected = (0..table.len()).flat_map(|i| (0..table[0].len()).map(move |j| (i, j))).map(cell).collect();
    let text = letters("a", &texts[0]) + &letters("b", &texts[1]) + rules;
    let (found, probes) = run(&text, &SEMI_NAIVE);
    assert_eq!(found, expected);
    let (_, more) = run(&text, &Heuristic::Levels.left_out());
    assert!(more > 3 * probes, "{probes} rows of {more}");
}
