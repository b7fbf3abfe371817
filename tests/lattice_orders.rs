//! Lattice columns that a predicate orders: against positions in a chain, against the oracle, while facts of the order come and go, and what
//! is told of an order that is none.

use crate::binary::run;
use crate::engines::program;
use crate::oracle::Oracle;
use ludolog::engine::{Budget, Engine, Retract, Session, Stopped, semi_naive::SemiNaive};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::{Atom, Predicate, Program, Term};
use petgraph::algo::{has_path_connecting, is_cyclic_directed};
use petgraph::graph::DiGraph;
use petgraph::visit::Dfs;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;

const LEVELS: &str = "level(X, best(above) L) :- start(X, L). level(Y, best(above) L) :- level(X, L) & edge(X, Y).";

/// A fact of two integers.
type Pair = (usize, usize);

fn fact(predicate: &str, (a, b): Pair) -> Atom {
    Atom::new(predicate, [a, b].map(|n| Term::Integer(n as i64)).into())
}

fn load(rules: &str, record: bool) -> SemiNaive {
    SemiNaive::load(&OptimizedProgram::from(program(rules)), record, &Budget::unlimited()).unwrap()
}

/// The level of each node, each of which has one.
fn levels(rows: impl IntoIterator<Item = Vec<Term>>) -> BTreeMap<usize, usize> {
    let mut levels = BTreeMap::new();
    for row in rows {
        let [Term::Integer(node), Term::Integer(level)] = row[..] else { panic!("{row:?}") };
        assert_eq!(levels.insert(node as usize, level as usize), None, "one level for {node}");
    }
    levels
}

fn derived(engine: &mut SemiNaive) -> Result<BTreeMap<usize, usize>, Stopped> {
    engine.update(&Budget::unlimited())?;
    let facts = engine.facts(&Predicate::new("level", 2), &Budget::unlimited())?;
    Ok(levels(facts.into_iter().map(|fact| fact.args)))
}

fn graph<'a>(edges: impl IntoIterator<Item = &'a Pair>) -> DiGraph<(), ()> {
    let mut graph = DiGraph::from_edges(edges.into_iter().map(|&(x, y)| (x as u32, y as u32)));
    (graph.node_count()..12).for_each(|_| _ = graph.add_node(()));
    graph
}

/// The best level that reaches each node, where `position` says how good a level is: 0 is the best.
fn best(starts: &[Pair], edges: &[Pair], position: impl Fn(usize) -> usize) -> BTreeMap<usize, usize> {
    let graph = graph(edges);
    let mut best: BTreeMap<usize, usize> = BTreeMap::new();
    for &(node, level) in starts {
        let mut search = Dfs::new(&graph, (node as u32).into());
        while let Some(reached) = search.next(&graph) {
            let known = best.entry(reached.index()).or_insert(level);
            if position(level) < position(*known) {
                *known = level;
            }
        }
    }
    best
}

/// Whether all values of an order are comparable, and none is better than itself.
fn is_chain(above: &BTreeSet<Pair>) -> bool {
    let graph = graph(above);
    let values: BTreeSet<usize> = above.iter().flat_map(|&(a, b)| [a, b]).collect();
    let leads = |a: usize, b: usize| has_path_connecting(&graph, (a as u32).into(), (b as u32).into(), None);
    !is_cyclic_directed(&graph) && values.iter().all(|&a| values.iter().all(|&b| leads(a, b) || leads(b, a)))
}

fn pairs(below: usize, most: usize) -> impl Strategy<Value = Vec<Pair>> {
    prop::collection::vec((0..below, 0..below), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// A chain of shuffled levels, with facts that follow from it.
    #[test]
    fn the_best_level_is_the_first_of_its_chain(
        chain in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
        more in pairs(8, 6),
        starts in prop::collection::vec((0..10usize, 0..8usize), 0..10),
        edges in pairs(10, 25),
        order_is_derived in any::<bool>(),
    ) {
        let position = |level: usize| chain.iter().position(|one| *one == level).expect("one of them");
        let mut above: Vec<Pair> = chain.windows(2).map(|two| (two[0], two[1])).collect();
        above.extend(more.into_iter().filter(|&(a, b)| position(a) < position(b)));
        let expected = best(&starts, &edges, position);
        // A closure is run as one.
        let closure = "above(A, B) :- next(A, B). above(A, C) :- above(A, B) & next(B, C). ";
        let (order, prefix) = if order_is_derived { ("next", closure) } else { ("above", "") };
        let rules = format!("{prefix}{LEVELS}");
        let lists = [(order, &above), ("start", &starts), ("edge", &edges)];
        let facts: Vec<Atom> =
            lists.into_iter().flat_map(|(predicate, list)| list.iter().map(move |&pair| fact(predicate, pair))).collect();
        for record in [false, true] {
            let mut engine = load(&rules, record);
            engine.as_parallel().unwrap().use_threads(NonZero::new(2).unwrap());
            facts.iter().for_each(|fact| _ = engine.insert(fact).unwrap());
            prop_assert_eq!(derived(&mut engine), Ok(expected.clone()));
        }
        let text: Program = rules.parse().unwrap();
        let mut oracle = Oracle::of_text(&text);
        facts.iter().for_each(|fact| _ = oracle.insert(fact).unwrap());
        let model = oracle.derive();
        let rows = model.get(&Predicate::new("level", 2)).into_iter().flatten().cloned();
        prop_assert_eq!(levels(rows), expected);
    }

    /// Facts of the order, levels and edges come and go; between them the order may be none.
    #[test]
    fn levels_follow_their_order(
        chain in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        changes in prop::collection::vec((prop::sample::select(vec!["above", "start", "edge"]), (0..5usize, 0..4usize)), 1..25),
    ) {
        let mut held: BTreeSet<(&str, Pair)> = chain.windows(2).map(|two| ("above", (two[0], two[1]))).collect();
        let mut engine = load(LEVELS, false);
        held.iter().for_each(|&(predicate, pair)| _ = engine.insert(&fact(predicate, pair)).unwrap());
        for change in changes {
            let atom = fact(change.0, change.1);
            if held.remove(&change) {
                prop_assert!(engine.retract(&atom).unwrap());
            } else {
                held.insert(change);
                prop_assert!(engine.insert(&atom).unwrap());
            }
            let of = |predicate: &str| -> Vec<Pair> {
                held.iter().filter(|(of, _)| *of == predicate).map(|&(_, pair)| pair).collect()
            };
            let above: BTreeSet<Pair> = of("above").into_iter().collect();
            let starts = of("start");
            let mentioned: BTreeSet<usize> = above.iter().flat_map(|&(a, b)| [a, b]).collect();
            let order = graph(&above);
            let is_ordered = is_chain(&above) && starts.iter().all(|(_, level)| mentioned.contains(level));
            match derived(&mut engine) {
                Err(stopped) => prop_assert!(!is_ordered && matches!(stopped, Stopped::Unordered(_)), "{stopped} {held:?}"),
                Ok(found) => {
                    prop_assert!(is_ordered, "{held:?}");
                    let position = |level: usize| {
                        let leads = |a: &&usize| {
                            **a != level && has_path_connecting(&order, (**a as u32).into(), (level as u32).into(), None)
                        };
                        mentioned.iter().filter(leads).count()
                    };
                    prop_assert_eq!(found, best(&starts, &of("edge"), position));
                }
            }
        }
    }
}

/// What is told of an order that is none, with the way out; and what does not depend on it is answered.
#[test]
fn an_order_that_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "level(X, best(above) L) :- start(X, L).\nlevel(Y, best(above) L) :- level(X, L) & edge(X, Y).\n\
        start(x, low). edge(x, y). edge(y, x).\n";
    let table = [
        (
            "above(high, low). above(low, middle). above(middle, low).",
            "a value is better than itself: low → middle → low",
        ),
        ("above(high, low). above(high, middle).", "does not say which of `low` and `middle` is better"),
        ("above(high, low). above(high, middle).", "say `above(low, middle)` or `above(middle, low)`"),
        ("above(high, middle).", "`level(x, low)` has a value that `above/2` does not mention"),
        ("above(high, low). level(z, other).", "`level(z, other)` has a value that `above/2` does not mention"),
    ];
    for (facts, message) in table {
        std::fs::write(folder.path().join("rules.dl"), format!("{rules}{facts}\n")).unwrap();
        for goal in ["level(x, L)", "level(z, L)"] {
            let (status, answers, complaint) = run(&folder, &["query", "rules.dl", goal], "");
            assert_eq!((status, &*answers), (2, ""), "{facts} {complaint}");
            assert!(complaint.contains(message) && complaint.contains("rules.dl:1:15"), "{facts} {complaint}");
        }
        assert_eq!(run(&folder, &["facts", "rules.dl"], "").1, "", "{facts}");
        let (status, answers, complaint) = run(&folder, &["query", "rules.dl", "edge(x, Y)"], "");
        assert_eq!((status, &*answers, &*complaint), (0, "Y\n───\ny\n1 answer\n", ""), "{facts}");
    }
}

/// A value that the order does not mention is told of facts that come after a run as well, whether their key has a value or not, and until
/// they go.
#[test]
fn a_value_without_a_place_is_told_when_it_comes_later() {
    let rules = "above(high, low). start(x, high).\nlevel(X, best(above) L) :- start(X, L).\n";
    for late in ["level(x, other)", "level(y, other)"] {
        let mut session = Session::of_text(rules, Syntax::Datalog).unwrap();
        assert_eq!(session.query("level(x, L)").unwrap().to_string(), "L = high\n");
        session.insert(late).unwrap();
        let told = format!("`{late}` has a value that `above/2` does not mention");
        for _ in 0..2 {
            let asked = session.query("level(x, L)").map(|found| found.to_string());
            assert!(asked.is_err_and(|error| error.to_string().contains(&told)), "{late}");
        }
        session.retract(late).unwrap();
        assert_eq!(session.query("level(x, L)").unwrap().to_string(), "L = high\n", "{late}");
    }
}

/// Each use of a file has its order, under the name outside.
#[test]
fn a_file_that_is_used_takes_its_order_along() {
    let folder = tempfile::tempdir().unwrap();
    let used = "top(X, best(above) L) :- has(X, L).\nabove(A, C) :- next(A, B) & above(B, C).\nabove(A, B) :- next(A, B).\n:- output(top).\n";
    std::fs::write(folder.path().join("top.dl"), used).unwrap();
    let rules = ":- use('top.dl', top = best, next = up). :- use('top.dl', top = worst, next = down).\n\
        up(2, 1). up(1, 0). down(A, B) :- up(B, A).\nhas(x, 0). has(x, 2). has(x, 1). above(0, 9).\n";
    std::fs::write(folder.path().join("main.dl"), rules).unwrap();
    let asked = run(&folder, &["query", "main.dl", "best(x, B) & worst(x, W)", "--format", "csv"], "");
    assert_eq!(asked, (0, "B,W\n2,0\n".to_owned(), String::new()));
}

/// The derivation of the best value, and the better one of any other.
#[test]
fn why_the_best_level_holds_and_why_not_another() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "above(high, middle). above(middle, low).\nstart(a, low). start(b, high). edge(b, c). edge(a, c).\n\
        level(X, best(above) L) :- start(X, L).\nlevel(Y, best(above) L) :- level(X, L) & edge(X, Y).\n";
    std::fs::write(folder.path().join("rules.dl"), rules).unwrap();
    let told = |args: &[&str]| run(&folder, args, "");
    let why = "level(c, high)    rules.dl:4\n├─ level(b, high)    rules.dl:3\n│  └─ start(b, high)\n└─ edge(b, c)\n";
    assert_eq!(told(&["why", "rules.dl", "level(c, L)"]), (0, why.to_owned(), String::new()));
    let worse = "level(c, low) does not hold    level(c, high) is better\n";
    assert_eq!(told(&["why-not", "rules.dl", "level(c, low)"]), (0, worse.to_owned(), String::new()));
    assert!(told(&["why-not", "rules.dl", "level(a, high)"]).1.contains("✗ start(a, high)"));
    let engines: &[&str] = if cfg!(feature = "dataflow") { &["resolution", "dataflow"] } else { &["resolution"] };
    for engine in engines {
        let (status, _, complaint) = told(&["query", "rules.dl", "level(c, L)", "--engine", engine]);
        assert!(status == 2 && complaint.contains("cannot run `level/2`"), "{complaint}");
    }
}
