//! Floats and the types of columns: against the arithmetic of Rust, shortest ways of petgraph, and tables by hand.

use crate::binary::run;
use crate::engines::program;
use ludolog::engine::{Budget, ENGINES, Engine, Session, Setting, semi_naive::SemiNaive};
use ludolog::optimize::{Optimization, OptimizedProgram};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::{Atom, Float, Predicate, Term};
use petgraph::algo::dijkstra;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(directory.path().join(name), text).unwrap());
    directory
}

fn float(number: f64) -> Term {
    Term::Float(Float::new(number).unwrap())
}

/// The answers to a goal, a line each, on an engine.
fn answers(text: &str, goal: &str, engine: usize) -> String {
    let setting = Setting { engine: ENGINES[engine].clone(), optimization: Optimization::None, ..Setting::default() };
    let mut session = Session::of_text(text, Syntax::Datalog).unwrap().with_setting(setting);
    let solution = session.query(goal).unwrap();
    assert!(solution.stopped.is_none(), "{:?}", solution.stopped);
    solution.answers().map(|row| row.iter().map(Term::to_string).collect::<Vec<_>>().join(" ") + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The length of a way is the sum from its beginning, and addition is monotone: the least of them is the one that Dijkstra's algorithm has.
    #[test]
    fn shortest_ways_with_lengths_are_those_of_dijkstra(
        edges in prop::collection::vec((0..12usize, 0..12usize, 0.0..10.0f64), 0..60),
    ) {
        let rules = "way(0, min 0.0). way(Y, min D) :- way(X, C) & edge(X, Y, W) & D is C + W.";
        let optimized = OptimizedProgram::from(program(rules));
        let mut engine = SemiNaive::load(&optimized, false, &Budget::unlimited()).unwrap();
        let mut graph: DiGraph<(), f64> = DiGraph::new();
        (0..12).for_each(|_| _ = graph.add_node(()));
        for &(x, y, length) in &edges {
            let nodes = [x, y].map(|node| Term::Integer(node as i64));
            engine.insert(&Atom::new("edge", nodes.into_iter().chain([float(length)]).collect())).unwrap();
            graph.add_edge(NodeIndex::new(x), NodeIndex::new(y), length);
        }
        engine.update(&Budget::unlimited()).unwrap();
        let facts = engine.facts(&Predicate::new("way", 2), &Budget::unlimited()).unwrap();
        let found: BTreeMap<i64, Float> = facts.into_iter().map(|fact| match fact.args[..] {
            [Term::Integer(node), Term::Float(length)] => (node, length),
            _ => panic!("{fact:?}"),
        }).collect();
        let expected = dijkstra(&graph, NodeIndex::new(0), None, |edge| *edge.weight());
        let expected = expected.into_iter().map(|(node, length)| (node.index() as i64, Float::new(length).unwrap()));
        prop_assert_eq!(found, expected.collect::<BTreeMap<_, _>>());
    }

    /// Each engine takes tuples in in an order of its own, and facts come in any order.
    #[test]
    fn sums_and_means_do_not_depend_on_an_order(numbers in prop::collection::vec(-1e9..1e9f64, 1..30)) {
        let facts = |numbers: &mut dyn Iterator<Item = (usize, &f64)>| -> String {
            numbers.map(|(i, number)| format!("x({i}, {number:?}).")).collect()
        };
        let rules = "s(S, M) :- S = sum { X, I : x(I, X) } & M = avg { X, I : x(I, X) }.";
        let forwards = facts(&mut numbers.iter().enumerate()) + rules;
        let backwards = facts(&mut numbers.iter().enumerate().rev()) + rules;
        let expected = answers(&forwards, "s(S, M)", 0);
        prop_assert_eq!(expected.lines().count(), 1);
        for engine in 0..ENGINES.len() {
            prop_assert_eq!(&answers(&backwards, "s(S, M)", engine), &expected);
        }
        // Close to the sum in order, whose error grows with the number of its terms.
        let sum: f64 = expected.split(' ').next().unwrap().parse().unwrap();
        prop_assert!((sum - numbers.iter().sum::<f64>()).abs() <= 1e-4);
    }

    #[test]
    fn arithmetic_is_that_of_ieee(a in -1e6..1e6f64, b in -1e6..1e6f64) {
        let text = format!("x({a:?}, {b:?}).");
        for (expression, value) in [
            ("A + B", a + b), ("A - B", a - b), ("A * B", a * b), ("A / B", a / b), ("-A", -a),
            ("min(A, B)", a.min(b)), ("max(A, B)", a.max(b)), ("abs(A)", a.abs()), ("sqrt(abs(A))", a.abs().sqrt()),
            ("to_float(floor(A))", a.floor()), ("to_float(ceiling(A))", a.ceil()), ("to_float(round(A))", a.round()),
            ("to_float(to_string(A))", a),
        ] {
            for engine in 0..ENGINES.len() {
                let found = answers(&text, &format!("x(A, B) & Z is {expression}"), engine);
                let last = found.trim_end().rsplit(' ').next().unwrap_or_default();
                prop_assert_eq!(last, float(value).to_string(), "{}", expression);
            }
        }
    }
}

#[test]
fn tables_of_floats_come_in_and_go_out_in_every_format() {
    let rules = "t(A, B, C) :- s(A, B, C).";
    let rules = &format!(":- type(s, integer, float, symbol).\n{rules}");
    let table = "1,1.5,2.50\n2,-0.25,x\n3,1e300,1.2.3\n4,100000.0,y\n";
    let files = folder(&[("r.dl", rules), ("s.csv", "1,1.50,\"2.50\"\n2,-.25,x\n3,1e300,1.2.3\n4,1e5,y\n")]);
    let (status, csv, told) = run(&files, &["facts", "r.dl", "--facts", "s.csv", "--format", "csv"], "");
    assert_eq!((status, &*csv, &*told), (0, table, ""));
    for format in ["csv", "jsonl", "dl", "kif"] {
        let (_, out, _) = run(&files, &["facts", "r.dl", "--facts", "s.csv", "--format", format], "");
        let written = match format {
            "csv" => out,
            "jsonl" => {
                let arrays = out.lines().map(|line| line.split_once("\"arguments\":").unwrap().1.trim_end_matches('}'));
                arrays.map(|array| array.to_owned() + "\n").collect()
            }
            _ => out.replace("t(", "s(").replace("(t ", "(s "),
        };
        fs::write(files.path().join(format!("again.{format}")), written).unwrap();
        let again =
            if matches!(format, "csv" | "jsonl") { format!("s=again.{format}") } else { format!("again.{format}") };
        let (_, out, told) = run(&files, &["facts", "r.dl", "--facts", &again, "--format", "csv"], "");
        assert_eq!((&*out, &*told), (table, ""), "{format}");
    }
    let (_, out, told) = run(&files, &["facts", "r.dl", "--facts", "s.csv", "--format", "tsv"], "");
    assert_eq!((out.replace('\t', ","), &*told), (table.to_owned(), ""));
}

/// Of columns that are not declared, and what is said where such a decimal would be taken for a number.
#[test]
fn decimals_of_tables_are_symbols_unless_declared() {
    let files = folder(&[("p.csv", "bread,2.50\nmilk,1.25\n"), ("d.csv", "a,2026-11-26\nb,2026-02-01\n")]);
    let ask = |rules: &str, table: &str| {
        fs::write(files.path().join("r.dl"), rules).unwrap();
        run(&files, &["facts", "r.dl", "--facts", table], "")
    };
    let silent = |rules: &str, table: &str, expected: &str| {
        assert_eq!(ask(rules, table), (0, expected.to_owned(), String::new()), "{rules}");
    };
    silent("q(X, P) :- p(X, P).", "p.csv", "q(bread, '2.50').\nq(milk, '1.25').\n");
    silent("q(X) :- p(X, P) & P != '1.25' & to_float(P) > 2.0.", "p.csv", "q(bread).\n");
    silent("q(X) :- d(X, D) & D < '2026-03-01'.", "d.csv", "q(b).\n");
    silent("q(X) :- p(X, P) & member(P, ['1.25', '2.5']).", "p.csv", "q(milk).\n");
    silent(
        ":- type(p, symbol, float).\nq(X, D) :- p(X, P) & D is 2.0 * P.",
        "p.csv",
        "q(bread, 5.0).\nq(milk, 2.5).\n",
    );
    silent(":- type(p, symbol, symbol).\nq(X) :- p(X, P) & P > '2'.", "p.csv", "q(bread).\n");
    for (rules, label) in [
        ("q(D) :- p(X, P) & D is 2.0 * P.", "`2.0 * P` has no value of the symbol `P`"),
        ("q(N) :- p(_, P) & N is to_number(P).", "`to_number(P)` has no value of the symbol `P`"),
        ("q(X) :- p(X, P) & P > 2.", "`P` is compared by its characters"),
        ("q(X) :- p(X, 2.5).", "`2.5` is a float, and the column has none"),
        ("q(X) :- p(X, P) & P = 2.5.", "a float and a symbol are never equal"),
        ("q(S) :- S = sum { P, X : p(X, P) }.", "`sum` takes the values as symbols"),
        ("q(X) :- p(X, P) & member(P, [1, 2]).", "each member is an integer, and `P` is none"),
        ("q(X) :- p(X, P) & ~member(P, [1.25, 2.5]).", "each member is a float, and `P` is none"),
        ("q(X) :- p(X, P) & P in 1..3.", "a range has integers, and `P` is none"),
        // What is copied is what it was.
        ("q(P) :- p(_, P). r(X) :- q(X) & X < 9.0.", "`X` is compared by its characters"),
    ] {
        let (_, _, told) = ask(rules, "p.csv");
        assert!(told.contains("warning[mixed-numbers]") && told.contains(label), "{rules}: {told}");
        assert!(told.contains(":- type(price, symbol, float)."), "{told}");
    }
    // Integers beside decimals are told, whether they are computed with or not.
    fs::write(files.path().join("m.csv"), "a,2\nb,2.5\n").unwrap();
    let (status, out, told) = ask("q(X, P) :- m(X, P).", "m.csv");
    assert_eq!((status, &*out), (0, "q(a, 2).\nq(b, '2.5').\n"));
    assert!(
        told.contains("column 2 of `m.csv` has integers and decimals") && told.contains(":- type(m, any, float)."),
        "{told}"
    );
    silent(":- type(m, any, float).\nq(X, P) :- m(X, P).", "m.csv", "q(a, 2.0).\nq(b, 2.5).\n");
    silent(":- type(m, symbol, symbol).\nq(X, P) :- m(X, P).", "m.csv", "q(a, '2').\nq(b, '2.5').\n");
}

/// Integers of more than 64 bits in a table, as hashes and numbers of cards are: symbols or floats if a type says so, and an error if none does.
#[test]
fn integers_of_more_than_64_bits_are_what_a_type_says() {
    let table =
        "18446744073709551615,id\n18446744073709551615,1\n-9223372036854775809,2\n \"99999999999999999999\" ,3\n7,4\n";
    let files = folder(&[("t.csv", table)]);
    let ask = |rules: &str, input: &[&str]| {
        fs::write(files.path().join("r.dl"), rules).unwrap();
        run(&files, &[&["facts", "r.dl"], input].concat(), "")
    };
    let given = ["--facts", "t.csv", "--header"];
    let symbols =
        "q('-9223372036854775809', 2).\nq('18446744073709551615', 1).\nq('7', 4).\nq('99999999999999999999', 3).\n";
    let rules = ":- type(t, symbol, integer).\nq(X, Y) :- t(X, Y).\n";
    assert_eq!(ask(rules, &given), (0, symbols.to_owned(), String::new()));
    let named = format!("{rules}:- input(t, 't.csv', header).\n");
    assert_eq!(ask(&named, &[]), (0, symbols.to_owned(), String::new()));
    let large = "r(3).\n";
    assert_eq!(
        ask(":- type(t, float, any).\nr(Y) :- t(X, Y) & X > 5e19.", &given),
        (0, large.to_owned(), String::new())
    );
    // Of a column the first one is told, and how many there are; the names of columns are none.
    for rules in ["q(X) :- t(X, _).", ":- type(t, any, integer).\nq(X) :- t(X, _)."] {
        let (status, out, told) = ask(rules, &given);
        assert_eq!((status, &*out), (2, ""), "{told}");
        assert!(told.contains("this integer is too large") && told.contains("t.csv:2:1"), "{told}");
        assert!(told.contains("the first of 3 in its column") && told.contains(":- type(t, symbol, any)."), "{told}");
    }
    let (_, _, told) = ask(":- type(t, integer, any).\nq(X) :- t(X, _).", &given);
    assert!(
        told.contains("is declared `integer`, and row 1 of `t.csv` has `'18446744073709551615'`, the first of 3"),
        "{told}"
    );
    assert!(!told.contains("too large"), "{told}");
}

#[test]
fn numbers_of_json_are_integers_or_floats_as_they_are_written() {
    let lines = "[1, 2.0]\n[9223372036854775807, 0.1]\n[3, 1e22]\n[\"1.5\", -0.0]\n";
    let files = folder(&[("r.dl", "t(A, B) :- s(A, B)."), ("s.jsonl", lines)]);
    let (_, out, told) = run(&files, &["facts", "r.dl", "--facts", "s.jsonl"], "");
    assert_eq!(out, "t(1, 2.0).\nt(3, 1e22).\nt(9223372036854775807, 0.1).\nt('1.5', 0.0).\n", "{told}");
    for (line, reason) in [
        ("[10000000000000000000000]", "10000000000000000000000.0 has more than 64 bits"),
        ("[\"1.5\\\"\", 9223372036854775808]", "9223372036854775808 has more than 64 bits"),
        ("[1e999]", "number out of range"),
    ] {
        fs::write(files.path().join("s.jsonl"), format!("[1.5]\n{line}\n")).unwrap();
        let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "s.jsonl"], "");
        assert!(status == 2 && out.is_empty() && told.contains("s.jsonl:2:"), "{line}: {told}");
        assert!(told.contains("64 bits") || told.contains(reason), "{line}: {told}");
    }
}

#[test]
fn declared_columns_are_read_as_what_they_are() {
    let rules = ":- type(price, symbol, float).\n:- input(price, 'price.csv').\n:- output(price).\nsum(S) :- S = sum { P, X : price(X, P) }.\n";
    let files = folder(&[("r.dl", rules), ("price.csv", "bread,2\nmilk,1.25\n007,3\n7,0.5\n")]);
    let (status, out, told) = run(&files, &["query", "r.dl", "sum(S)"], "");
    assert_eq!((status, &*told), (0, ""), "{out}");
    assert!(out.contains("\n6.75\n"), "{out}");
    // An integer in a column of symbols is the symbol that spells it.
    let (_, out, _) = run(&files, &["facts", "r.dl"], "");
    assert_eq!(out, "price('007', 3.0).\nprice('7', 0.5).\nprice(bread, 2.0).\nprice(milk, 1.25).\n");
    let given =
        folder(&[("r.dl", ":- type(price, symbol, float).\nt(P) :- price(_, P).\n"), ("price.csv", "a,1\nb,2\n")]);
    let (_, out, told) = run(&given, &["facts", "r.dl", "--facts", "price.csv"], "");
    assert_eq!((&*out, &*told), ("t(1.0).\nt(2.0).\n", ""));
    fs::write(given.path().join("price.csv"), "a,1\nb,x\nc,2\nd,y\n").unwrap();
    let (status, out, told) = run(&given, &["facts", "r.dl", "--facts", "price.csv"], "");
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(
        told.contains("column 2 of `price` is declared `float`, and row 2 of `price.csv` has `x`, the first of 2"),
        "{told}"
    );
    fs::write(given.path().join("price.csv"), "a,1,2\n").unwrap();
    let (_, _, told) = run(&given, &["facts", "r.dl", "--facts", "price.csv"], "");
    assert!(told.contains("`price` is declared with 2 columns, and `price.csv` has 3"), "{told}");
}

#[test]
fn types_of_used_files_follow_their_predicates() {
    let part = ":- type(edge, symbol, symbol, float).\n:- type(long, symbol).\nlong(X) :- edge(X, _, D) & D > 1.0.\n:- output(long).\n";
    let main = ":- use('part.dl', edge = road).\n:- input(road, 'road.csv').\n";
    let files = folder(&[("main.dl", main), ("part.dl", part), ("road.csv", "a,b,2\nb,c,1\n")]);
    let (status, out, told) = run(&files, &["facts", "main.dl"], "");
    assert_eq!((status, &*out, &*told), (0, "long(a).\n", ""));
}

#[test]
fn mixtures_are_told_with_answers_and_why_not_says_so() {
    let files = folder(&[("r.dl", "p(X) :- q(X) & X > 1.\n"), ("q.jsonl", "[0.5]\n[2.5]\n")]);
    let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "q.jsonl"], "");
    assert!(status == 0 && out.is_empty(), "{out}");
    assert!(told.contains("warning[mixed-numbers]") && told.contains("write `1.0`"), "{told}");
    let (_, out, _) = run(&files, &["why-not", "r.dl", "p(2.5)", "--facts", "q.jsonl"], "");
    assert!(out.contains("`2.5` is a float, `1` is an integer"), "{out}");
    // Tables of integers alone, and programs without floats, are no matter of this check.
    fs::write(files.path().join("q.csv"), "1\n2\n").unwrap();
    let (_, out, told) = run(&files, &["facts", "r.dl", "--facts", "q.csv"], "");
    assert_eq!((&*out, &*told), ("p(2).\n", ""));
    fs::write(files.path().join("q.jsonl"), "[1.5]\n[2]\n").unwrap();
    let (_, out, told) = run(&files, &["facts", "r.dl", "--facts", "q.jsonl"], "");
    assert_eq!(out, "p(2).\n");
    assert!(told.contains("integers may be compared with floats") || told.contains("may be"), "{told}");
}

#[test]
fn integers_of_floats_beyond_64_bits_are_an_error_where_an_answer_depends_on_them() {
    let text = "x(1.5). x(1e30).\nn(N) :- x(X) & N is floor(X).\nsmall(N) :- x(X) & N is floor(X) & N < 10.\n";
    let files = folder(&[("r.dl", text)]);
    let (status, out, told) = run(&files, &["query", "r.dl", "n(N)"], "");
    assert!(status == 2 && out.is_empty() && told.contains("`floor(1e30)`"), "{out} {told}");
    let (status, out, told) = run(&files, &["query", "r.dl", "small(N)"], "");
    assert!(status == 0 && out.contains("\n1\n") && told.is_empty(), "{out} {told}");
}

#[test]
fn sums_of_nothing_are_floats_where_their_terms_are_written_so() {
    let text = "x(0.5). s(S) :- S = sum { X : x(X) & X > 1.0 }. t(S) :- S = sum { to_float(X) : x(X) & X > 1.0 }.";
    for engine in 0..ENGINES.len() {
        assert_eq!((&*answers(text, "s(S)", engine), &*answers(text, "t(S)", engine)), ("0\n", "0.0\n"));
    }
}

#[test]
fn counters_of_floats_are_seen_to_end_or_not() {
    let sound = "s(0.0). s(Y) :- s(X) & Y is X + 0.5 & Y < 3.0.";
    assert_eq!(answers(sound, "s(X)", 1).lines().count(), 6);
    for endless in ["s(0.0). s(Y) :- s(X) & Y is X + 0.5.", "s(0.0). s(Y) :- s(X) & Y is X + 0.5 & ~(Y > 3)."] {
        assert!(Session::of_text(endless, Syntax::Datalog).is_err(), "{endless}");
    }
}

/// What is odd about a goal is told as it is of a rule: no integer is a float, no term is a function's value.
#[test]
fn goals_are_told_what_rules_are() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("prices.dl"), "price(bread, 2.5). price(milk, 2.0).\n").expect("a file");
    for command in ["why", "why-not"] {
        let told = crate::binary::run(&folder, &[command, "prices.dl", "price(X, 2)"], "").2;
        assert!(told.starts_with("warning[mixed-numbers]"), "{command}: {told}");
    }
    for command in ["query", "plan", "profile"] {
        let told = |goal: &str| crate::binary::run(&folder, &[command, "prices.dl", goal], "").2;
        for goal in ["price(X, 2)", "price(X, P) & P < 2"] {
            let told = told(goal);
            assert!(told.starts_with("warning[mixed-numbers]"), "{command} {goal}: {told}");
            assert!(told.contains("--> goal:1:") && told.contains("write `2.0`"), "{command} {goal}: {told}");
        }
        let term = told("price(X, P) & abs(P) != 2.0");
        assert!(term.starts_with("warning[uncomputed-function]"), "{command}: {term}");
        assert_eq!(told("price(X, 2.0)"), "", "{command}");
    }
    // At the prompt it is told by the facts so far, in either syntax.
    let asked = "price(X, 2)\nprice(egg, 2).\nprice(X, 2)\nretract price(egg, 2)\nprice(X, P) & abs(P) != 2.0\nprice(X, P) & P =:= 2.0\n?- price(X, 3).\n";
    let (_, out, told) = crate::binary::run(&folder, &["repl", "prices.dl"], asked);
    let codes: Vec<&str> = told.lines().filter(|line| line.starts_with("warning[")).collect();
    assert!(out.contains("egg") && out.contains("milk"), "{out}");
    assert_eq!(codes.len(), 3, "{told}");
    assert!(codes[0].contains("mixed-numbers") && codes[1].contains("uncomputed-function"), "{told}");
    assert!(told.contains("--> input 7:1:4"), "{told}");
    let asked = "(price bread 2.5)\n?- (price ?x 2)\n";
    let (_, _, told) = crate::binary::run(&folder, &["repl", "--syntax", "kif"], asked);
    assert_eq!(told.matches("warning[mixed-numbers]").count(), 1, "{told}");
    // A constant of the goal does not make one of a rule that is meant as a variable.
    std::fs::write(folder.path().join("paths.dl"), "edge(a, b).\npath(x, y) :- edge(x, y).\n").expect("a file");
    let told = crate::binary::run(&folder, &["query", "paths.dl", "path(x, Y)"], "").2;
    assert!(told.contains("warning[lowercase-variable]"), "{told}");
}
