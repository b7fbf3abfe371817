//! Functional choices: against their definition, and by what spanning trees, matchings and orders are.

use crate::binary::run;
use crate::engines::program;
use crate::oracle::Oracle;
use ludolog::engine::{Budget, Engine, Retract, semi_naive::SemiNaive};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::ast::{Atom, Predicate, Program, Term};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tempfile::TempDir;

const TREE: &str = "tree(root, 0). tree(X, Y) :- tree(_, X) & edge(X, Y) & Y != 0 & choice(Y; X).";

/// Programs that choose, each with the predicates to compare.
const PROGRAMS: [&str; 6] = [
    TREE,
    "match(X, Y) :- edge(X, Y) & choice(X; Y) & choice(Y; X).",
    "one(X, Y) :- edge(X, Y) & choice(; X, Y). other(X) :- edge(X, Y) & ~one(X, Y).",
    // Candidates of the second rule are what the first has chosen.
    "next(X, Y) :- edge(X, Y) & X < Y & choice(X; Y). last(Y, X) :- next(X, Y) & choice(Y; X). free(X) :- edge(X, _) & ~last(_, X).",
    // Two rules that choose in one recursion.
    "in(0). in(Y) :- out(X) & edge(X, Y) & choice(X; Y). out(Y) :- in(X) & edge(X, Y) & choice(Y; X).",
    "paired(X, Y, Z) :- edge(X, Y) & (edge(Y, Z) | Z = X) & choice(X; Z) & choice(Z; Y). n(N) :- N = count { X : paired(X, _, _) }.",
];

fn edge((x, y): (i64, i64)) -> Atom {
    Atom::new("edge", vec![Term::Integer(x), Term::Integer(y)])
}

fn edges(most: usize) -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((0..7i64, 0..7i64), 0..most)
}

fn engine(rules: &str, edges: &[(i64, i64)]) -> SemiNaive {
    let optimized = OptimizedProgram::from(program(rules));
    let mut engine = SemiNaive::load(&optimized, true, &Budget::unlimited()).unwrap();
    edges.iter().for_each(|&one| _ = engine.insert(&edge(one)).unwrap());
    engine.update(&Budget::unlimited()).unwrap();
    engine
}

fn rows(engine: &mut SemiNaive, predicate: &Predicate) -> BTreeSet<Vec<Term>> {
    let facts = engine.facts(predicate, &Budget::unlimited()).unwrap();
    facts.into_iter().map(|fact| fact.args).collect()
}

/// The model of the rules as their text means it.
fn model(rules: &str, edges: &[(i64, i64)]) -> BTreeMap<Predicate, BTreeSet<Vec<Term>>> {
    let facts: String = edges.iter().map(|(x, y)| format!("edge({x}, {y}). ")).collect();
    let text: Program = (facts + rules).parse().unwrap();
    Oracle::of_text(&text).derive().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn choices_are_those_of_the_definition(edges in edges(16), number in 0..PROGRAMS.len()) {
        let mut engine = engine(PROGRAMS[number], &edges);
        for (predicate, expected) in model(PROGRAMS[number], &edges) {
            prop_assert_eq!(rows(&mut engine, &predicate), expected, "{}", predicate);
        }
    }

    /// What comes later changes the choice as if it had been there before.
    #[test]
    fn choices_do_not_depend_on_when_facts_come(first in edges(10), later in edges(6), number in 0..PROGRAMS.len()) {
        let mut engine = engine(PROGRAMS[number], &first);
        later.iter().for_each(|&one| _ = engine.insert(&edge(one)).unwrap());
        if let Some(&gone) = first.first().filter(|gone| !later.contains(gone)) {
            engine.retract(&edge(gone)).unwrap();
        }
        engine.update(&Budget::unlimited()).unwrap();
        let kept = first.iter().filter(|one| first.first() != Some(one) || later.contains(one));
        let all: Vec<(i64, i64)> = kept.chain(&later).copied().collect();
        for (predicate, expected) in model(PROGRAMS[number], &all) {
            prop_assert_eq!(rows(&mut engine, &predicate), expected, "{}", predicate);
        }
    }
}

/// A grid of nodes with arcs both ways.
fn grid(width: usize) -> String {
    let mut edges = String::new();
    for node in 0..width * width {
        let right = (node % width + 1 < width).then_some(node + 1);
        let below = (node + width < width * width).then_some(node + width);
        for other in right.into_iter().chain(below) {
            edges += &format!("edge({node}, {other}). edge({other}, {node}).\n");
        }
    }
    edges
}

fn folder(rules: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rules.dl"), rules).unwrap();
    directory
}

fn tree_of(directory: &TempDir, args: &[&str]) -> Vec<(String, String)> {
    let (status, out, told) =
        run(directory, &[&["query", "rules.dl", "tree(X, Y)", "--format", "csv"], args].concat(), "");
    assert_eq!(status, 0, "{told}");
    let rows = out.lines().skip(1).map(|line| line.split_once(',').unwrap());
    rows.map(|(x, y)| (x.to_owned(), y.to_owned())).collect()
}

/// Each node but the root has one parent, and following parents leads to the root.
#[test]
fn a_spanning_tree_is_one_by_every_seed_and_pass() {
    let directory = folder(&(grid(12) + TREE));
    let mut trees = BTreeSet::new();
    for args in
        [&[][..], &["--optimize", "none"], &["--threads", "2"], &["--seed", "0"], &["--seed", "1"], &["--seed", "2"]]
    {
        let tree = tree_of(&directory, args);
        let parents: BTreeMap<&str, &str> = tree.iter().map(|(x, y)| (&**y, &**x)).collect();
        assert_eq!((tree.len(), parents.len()), (144, 144), "{args:?}");
        for mut node in parents.keys().copied() {
            let mut steps = 0;
            while node != "root" {
                node = parents[node];
                steps += 1;
                assert!(steps <= 144, "{args:?}: a cycle");
            }
        }
        assert_eq!(tree, tree_of(&directory, args), "{args:?} twice");
        trees.insert(tree);
    }
    assert_eq!(trees.len(), 3, "the order of output, and two seeds");
}

#[test]
fn choices_are_explained() {
    let directory =
        folder("student(ann). advisor(eve). advisor(tom).\nadvised(S, A) :- student(S) & advisor(A) & choice(S; A).\n");
    let (status, why, _) = run(&directory, &["why", "rules.dl", "advised(ann, eve)"], "");
    assert!(status == 0 && why.contains("rules.dl:2") && why.contains("student(ann)"), "{why}");
    assert!(!why.contains('@'), "{why}");
    let (_, why_not, _) = run(&directory, &["why-not", "rules.dl", "advised(ann, tom)"], "");
    assert!(why_not.contains("'choice@1'(ann, eve) is chosen") && why_not.contains("✓ advisor(tom)"), "{why_not}");
    let (_, facts, _) = run(&directory, &["facts", "rules.dl"], "");
    assert_eq!(facts, "advised(ann, eve).\n");
}

/// The examples of the reference: a goal in a comment, and its answers behind it.
#[test]
fn the_examples_of_the_reference_answer_as_it_says() {
    let reference = include_str!("../docs/language.md");
    let section = reference.split("**Choices.**").nth(1).and_then(|rest| rest.split("**Ranges.**").next()).unwrap();
    let mut asked = 0;
    for rules in section.split("```dl\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let examples = rules.lines().filter_map(|line| line.strip_prefix("% ?- ")?.split_once(".  "));
        for (goal, answers) in examples {
            let (_, out, told) = run(&folder(rules), &["query", "rules.dl", goal, "--format", "csv"], "");
            let value = |binding: &str| binding.split(" = ").nth(1).unwrap_or_default().to_owned();
            let row = |answer: &str| answer.split(", ").map(value).collect::<Vec<_>>().join(",");
            let expected: Vec<String> = answers.split("; ").map(row).collect();
            assert_eq!(out.lines().skip(1).collect::<Vec<_>>(), expected, "{told}");
            asked += 1;
        }
    }
    assert_eq!(asked, 2);
}

#[test]
fn what_cannot_choose_says_so() {
    let directory = folder("p(1). p(2).\nq(X) :- p(X) & choice(; X).\n");
    let (status, _, told) = run(&directory, &["query", "rules.dl", "q(X)", "--engine", "resolution"], "");
    assert!(status == 2 && told.contains("the engine resolution cannot choose, as a rule for `q` does"), "{told}");
    for system in ["souffle", "clingo", "prolog", "crepe"] {
        let (status, _, told) = run(&directory, &["compile", "rules.dl", "--to", system], "");
        assert!(status == 2 && told.contains("cannot have choices"), "{system} {told}");
    }
}
