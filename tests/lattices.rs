//! Lattice columns against the algorithms that they take the place of, as petgraph has them: shortest ways with costs that only
//! grow and with some that fall, components, minimax.

use crate::binary::run;
use crate::engines::program;
use ludolog::engine::{Budget, Engine, Retract, Stopped, semi_naive::SemiNaive};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::ast::{Atom, Predicate, Term};
use petgraph::algo::{bellman_ford, connected_components, dijkstra};
use petgraph::graph::{DiGraph, NodeIndex, UnGraph};
use petgraph::visit::Dfs;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZero;

const WAYS: &str = "way(0, min 0). way(Y, min D) :- way(X, C) & edge(X, Y, W) & D is C + W.";

/// Two nodes and a weight.
type Edge = (usize, usize, i64);

fn edges(nodes: usize, weights: std::ops::Range<i64>, most: usize) -> impl Strategy<Value = Vec<Edge>> {
    prop::collection::vec((0..nodes, 0..nodes, weights), 0..most)
}

fn edge((x, y, w): Edge) -> Atom {
    Atom::new("edge", vec![Term::Integer(x as i64), Term::Integer(y as i64), Term::Integer(w)])
}

fn engine(rules: &str, edges: &[Edge], record: bool) -> SemiNaive {
    let optimized = OptimizedProgram::from(program(rules));
    let mut engine = SemiNaive::load(&optimized, record, &Budget::unlimited()).unwrap();
    edges.iter().for_each(|&one| _ = engine.insert(&edge(one)).unwrap());
    engine
}

/// The rows of a predicate of two integers; each first one has one second one.
fn values(engine: &mut dyn Engine, predicate: &str) -> BTreeMap<usize, i64> {
    engine.update(&Budget::unlimited()).unwrap();
    let facts = engine.facts(&Predicate::new(predicate, 2), &Budget::unlimited()).unwrap();
    let mut values = BTreeMap::new();
    for fact in facts {
        let [Term::Integer(key), Term::Integer(value)] = fact.args[..] else { panic!("{fact:?}") };
        assert_eq!(values.insert(key as usize, value), None, "one value for {key}");
    }
    values
}

fn graph(nodes: usize, edges: &[Edge]) -> DiGraph<(), i64> {
    let mut graph = DiGraph::new();
    (0..nodes).for_each(|_| _ = graph.add_node(()));
    edges.iter().for_each(|&(x, y, w)| _ = graph.add_edge(NodeIndex::new(x), NodeIndex::new(y), w));
    graph
}

fn shortest(nodes: usize, edges: &[Edge]) -> BTreeMap<usize, i64> {
    let costs = dijkstra(&graph(nodes, edges), NodeIndex::new(0), None, |edge| *edge.weight());
    costs.into_iter().map(|(node, cost)| (node.index(), cost)).collect()
}

proptest! {
    #[test]
    fn shortest_ways_are_those_of_dijkstra(edges in edges(12, 0..20, 60)) {
        prop_assert_eq!(values(&mut engine(WAYS, &edges, false), "way"), shortest(12, &edges));
        prop_assert_eq!(values(&mut engine(WAYS, &edges, true), "way"), shortest(12, &edges));
    }

    /// Potentials make weights negative and no cycle: what a way gains at its end it has lost at its beginning.
    #[test]
    fn ways_with_negative_costs_are_those_of_bellman_and_ford(
        edges in edges(10, 0..20, 40),
        potentials in prop::collection::vec(-30..30i64, 10),
    ) {
        let edges: Vec<Edge> = edges.iter().map(|&(x, y, w)| (x, y, w + potentials[x] - potentials[y])).collect();
        let float = graph(10, &edges).map(|_, ()| (), |_, w| *w as f64);
        let paths = bellman_ford(&float, NodeIndex::new(0)).expect("no negative cycle");
        let reached = paths.distances.iter().enumerate().filter(|(_, cost)| cost.is_finite());
        let expected: BTreeMap<usize, i64> = reached.map(|(node, cost)| (node, *cost as i64)).collect();
        prop_assert_eq!(values(&mut engine(WAYS, &edges, false), "way"), expected);
    }

    /// The greatest of negated costs is the negated least one.
    #[test]
    fn a_maximum_is_a_negated_minimum(edges in edges(10, 0..20, 40)) {
        let rules = "way(0, max 0). way(Y, max D) :- way(X, C) & edge(X, Y, W) & D is C - W.";
        let negated: BTreeMap<usize, i64> = shortest(10, &edges).into_iter().map(|(node, cost)| (node, -cost)).collect();
        prop_assert_eq!(values(&mut engine(rules, &edges, false), "way"), negated);
    }

    /// Ways that are joined of ways, whose recursion reads the lattice column by an index.
    #[test]
    fn ways_of_ways_are_shortest_too(edges in edges(8, 0..20, 30)) {
        let rules = "way(X, Y, min W) :- edge(X, Y, W).
            way(X, Z, min D) :- way(X, Y, C) & way(Y, Z, E) & D is C + E.
            from(0, 0).
            from(Y, D) :- way(0, Y, D) & Y != 0.";
        prop_assert_eq!(values(&mut engine(rules, &edges, false), "from"), shortest(8, &edges));
    }

    /// The sources from which a node is reached, as bits, against a search from each.
    #[test]
    fn unions_are_the_sets_of_what_reaches_a_node(edges in edges(12, 0..1, 40), larger in 0..2usize) {
        // Bits beyond the first 30 are integers that are no ids of their own.
        let shift = 40 * larger as i64;
        let rules = format!(
            "from(X, union B) :- X in 0..11 & B is bshl(1, X + {shift}). from(Y, union B) :- from(X, B) & edge(X, Y, _)."
        );
        let graph = graph(12, &edges);
        let mut expected: BTreeMap<usize, i64> = (0..12).map(|node| (node, 0)).collect();
        for source in 0..12 {
            let mut search = Dfs::new(&graph, NodeIndex::new(source));
            while let Some(node) = search.next(&graph) {
                *expected.entry(node.index()).or_default() |= 1 << (source as i64 + shift);
            }
        }
        prop_assert_eq!(values(&mut engine(&rules, &edges, false), "from"), expected.clone());
        prop_assert_eq!(values(&mut engine(&rules, &edges, true), "from"), expected);
    }

    #[test]
    fn components_have_their_least_node(edges in edges(40, 0..1, 40)) {
        let rules = "both(X, Y) :- edge(X, Y, _). both(Y, X) :- edge(X, Y, _). node(X) :- X in 0..39.
            label(X, min X) :- node(X). label(Y, min L) :- label(X, L) & both(X, Y).";
        let labels = values(&mut engine(rules, &edges, false), "label");
        let mut graph: UnGraph<(), ()> = UnGraph::new_undirected();
        (0..40).for_each(|_| _ = graph.add_node(()));
        for &(x, y, _) in &edges {
            graph.add_edge(NodeIndex::new(x), NodeIndex::new(y), ());
            prop_assert_eq!(labels[&x], labels[&y]);
        }
        let least = labels.iter().filter(|(node, label)| **node as i64 == **label).count();
        prop_assert_eq!(least, connected_components(&graph));
        prop_assert!(labels.iter().all(|(node, label)| *label <= *node as i64 && labels[&(*label as usize)] == *label));
    }

    /// The value of each position of a game that ends, against what looks at all lines of play.
    #[test]
    fn minimax_is_what_all_lines_of_play_come_to(
        moves in prop::collection::vec(prop::collection::vec(1..5usize, 0..4), 12),
        worth in prop::collection::vec(0..100i64, 16),
    ) {
        let next = |position: usize| moves.get(position).into_iter().flatten().map(move |step| position + step);
        let mut expected = BTreeMap::new();
        for position in (0..16).rev() {
            let values = next(position).map(|after| expected[&after]);
            let best = if position % 2 == 0 { values.max() } else { values.min() };
            expected.insert(position, best.unwrap_or(worth[position]));
        }
        let mut text = String::new();
        for (position, worth) in worth.iter().enumerate() {
            let count = next(position).count();
            let _ = writeln!(text, "moves({position}, {count}). turn({position}, {}).", position % 2);
            (1..).zip(next(position)).for_each(|(k, after)| _ = writeln!(text, "next({position}, {k}, {after})."));
            if count == 0 {
                let _ = writeln!(text, "value({position}, {worth}).");
            }
        }
        let rules = "value(P, max V) :- turn(P, 0) & next(P, _, Q) & value(Q, V).
            value(P, max V) :- turn(P, 1) & moves(P, N) & upto(P, N, V).
            upto(P, 1, max V) :- next(P, 1, Q) & value(Q, V).
            upto(P, K, max V) :- upto(P, J, A) & next(P, K, Q) & K is J + 1 & value(Q, B) & V is min(A, B).";
        prop_assert_eq!(values(&mut engine(&format!("{text}{rules}"), &[], false), "value"), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Edges come and go, between which ways are asked for, as are what they are read by.
    #[test]
    fn ways_follow_their_edges(
        edges in edges(8, 0..20, 20),
        changes in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), (0..8usize, 0..8usize, 0..20i64)), 1..12),
    ) {
        let rules = format!("{WAYS} cost(X, D) :- way(X, D) & D > 0.");
        let mut edges = edges;
        edges.sort();
        edges.dedup();
        let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![("semi-naive", Box::new(engine(&rules, &[], false)))];
        #[cfg(feature = "dataflow")]
        engines.extend(crate::dataflow::engines(&program(&rules)));
        for (_, engine) in &mut engines {
            edges.iter().for_each(|&one| _ = engine.insert(&edge(one)).unwrap());
        }
        for (adds, index, added) in changes {
            if adds || edges.is_empty() {
                if !edges.contains(&added) {
                    edges.push(added);
                }
                engines.iter_mut().for_each(|(_, engine)| _ = engine.insert(&edge(added)).unwrap());
            } else {
                let removed = edges.swap_remove(index.index(edges.len()));
                for (name, engine) in &mut engines {
                    let engine = engine.as_retract().expect("it can take facts away");
                    prop_assert!(engine.retract(&edge(removed)).unwrap(), "{name}");
                }
            }
            let expected = shortest(8, &edges);
            let positive: BTreeMap<usize, i64> =
                expected.iter().map(|(node, cost)| (*node, *cost)).filter(|(_, cost)| *cost > 0).collect();
            for (name, engine) in &mut engines {
                prop_assert_eq!(&values(&mut **engine, "way"), &expected, "{}", name);
                prop_assert_eq!(&values(&mut **engine, "cost"), &positive, "{}", name);
            }
        }
    }
}

/// More nodes than a round takes all of, on one thread and on two.
#[test]
fn many_ways_are_shortest() {
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut random_edge = || (random(5000) as usize, random(5000) as usize, random(1000) as i64);
    let edges: Vec<Edge> = (0..30_000).map(|_| random_edge()).collect();
    let expected = shortest(5000, &edges);
    let mut engine = engine(WAYS, &edges, false);
    assert_eq!(values(&mut engine, "way"), expected);
    let mut shared = self::engine(WAYS, &edges, false);
    shared.as_parallel().unwrap().use_threads(NonZero::new(2).unwrap());
    assert_eq!(values(&mut shared, "way"), expected);
}

#[test]
fn given_values_come_and_go() {
    let mut engine = engine("value(a, min 3). value(a, min 5). twice(X, V) :- value(X, C) & V is 2 * C.", &[], false);
    let value = |value: i64| Atom::new("value", vec![Term::symbol("a"), Term::Integer(value)]);
    let twice = |engine: &mut SemiNaive| {
        engine.update(&Budget::unlimited()).unwrap();
        let facts = engine.facts(&Predicate::new("twice", 2), &Budget::unlimited()).unwrap();
        facts.iter().map(|fact| fact.args[1].clone()).collect::<Vec<_>>()
    };
    assert_eq!(twice(&mut engine), [Term::Integer(6)]);
    engine.insert(&value(2)).unwrap();
    assert_eq!(twice(&mut engine), [Term::Integer(4)]);
    assert!(engine.retract(&value(3)).unwrap());
    assert_eq!(twice(&mut engine), [Term::Integer(4)]);
    assert!(engine.retract(&value(2)).unwrap());
    assert_eq!(twice(&mut engine), [Term::Integer(10)]);
    assert!(!engine.retract(&value(2)).unwrap());
}

#[test]
fn a_cost_that_falls_for_ever_is_told_with_its_place() {
    let edges = [(0, 1, 3), (1, 0, -4)];
    let mut engine = engine(WAYS, &edges, false);
    let stopped = engine.update(&Budget::unlimited().with_max_facts(1000)).unwrap_err();
    let Stopped::Unsupported(reason) = &stopped else { panic!("{stopped}") };
    assert!(reason.starts_with("`way/2` still gets better values after ") && reason.contains("as `way("), "{reason}");
    // A bound ends it.
    let bounded = WAYS.replace("C + W", "max(C + W, -100)");
    assert_eq!(values(&mut self::engine(&bounded, &edges, false), "way")[&0], -100);
}

/// The derivation of the best value, and the better one of any other.
#[test]
fn why_the_best_value_holds_and_why_not_another() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "edge(a, b, 3). edge(b, c, 4). edge(a, c, 9).\nway(a, min 0).\n\
        way(Y, min D) :- way(X, C) & edge(X, Y, W) & D is C + W.\n";
    std::fs::write(folder.path().join("rules.dl"), rules).unwrap();
    let told = |args: &[&str]| run(&folder, args, "");
    let why = "way(c, 7)    rules.dl:3\n├─ way(b, 3)    rules.dl:3\n│  ├─ way(a, 0)\n│  ├─ edge(a, b, 3)\n│  └─ 3 is 0 + 3\n\
        ├─ edge(b, c, 4)\n└─ 7 is 3 + 4\n";
    assert_eq!(told(&["why", "rules.dl", "way(c, D)"]), (0, why.to_owned(), String::new()));
    let worse = "way(c, 9) does not hold    way(c, 7) is better\n";
    assert_eq!(told(&["why-not", "rules.dl", "way(c, 9)"]), (0, worse.to_owned(), String::new()));
    let better = told(&["why-not", "rules.dl", "way(c, 5)"]).1;
    assert!(better.contains("way(Y, min D) :- way(X, C)") && better.contains("✗ 5 is 0 + 9    false"), "{better}");
    let (_, json, _) = told(&["why-not", "rules.dl", "way(c, 9)", "--format", "json"]);
    assert!(json.contains("\"better\": \"way(c, 7)\"") || json.contains("\"better\":\"way(c, 7)\""), "{json}");
    for engine in ["resolution", "crepe"] {
        let (status, _, complaint) = told(&["query", "rules.dl", "way(c, D)", "--engine", engine]);
        assert!(status == 2 && complaint.contains("cannot run `way/2`"), "{complaint}");
    }
}

/// Values that get better many times, so that rows which were replaced are dropped between rounds.
#[test]
fn a_long_critical_path_has_its_latest_end() {
    const NODES: usize = 400;
    let edges: Vec<Edge> = (0..NODES).flat_map(|x| (x + 1..NODES.min(x + 40)).map(move |y| (x, y, 1))).collect();
    let rules = "late(0, max 0). late(Y, max D) :- late(X, C) & edge(X, Y, W) & D is C + W.";
    let expected: BTreeMap<usize, i64> = (0..NODES).map(|node| (node, node as i64)).collect();
    let mut engine = engine(rules, &edges, false);
    assert_eq!(values(&mut engine, "late"), expected);
    engine.insert(&edge((0, NODES - 1, 1000))).unwrap();
    assert_eq!(values(&mut engine, "late")[&(NODES - 1)], 1000);
}
