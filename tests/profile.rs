//! `ludolog profile`: counts worked by hand, stops, failures and pages.

use crate::binary::ludolog;
use serde_json::{Value, json};
use std::process::Output;

/// A chain of three edges, its paths, and who is more than one edge from the end of a path.
const CHAIN: &str = "edge(1, 2).
edge(2, 3).
edge(3, 4).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y) & edge(Y, Z).
far(X) :- path(X, Y) & ~edge(X, Y).
";

/// More combinations than any test waits for.
const PRODUCT: &str = "quick(X) :- digit(X).
tuple(A, B, C, D, E, F, G, H) :- digit(A) & digit(B) & digit(C) & digit(D) & digit(E) & digit(F) & digit(G) & digit(H).
digit(0). digit(1). digit(2). digit(3). digit(4). digit(5). digit(6). digit(7). digit(8). digit(9).
";

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [("chain.dl", CHAIN), ("product.dl", PRODUCT), ("unsafe.dl", "p(X) :- q(Y).\nq(1).\n")] {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

fn profile(directory: &tempfile::TempDir, args: &[&str]) -> Output {
    ludolog(directory, &[&["profile"], args].concat()).output().expect("the command runs")
}

/// The exit status and the document.
fn document(args: &[&str]) -> (i32, Value) {
    let output = profile(&directory(), &[args, &["--format", "json"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().expect("a status"), document)
}

/// A document without what differs from run to run.
fn without_times(document: &Value) -> Value {
    match document {
        Value::Object(entries) => {
            let lasting = entries.iter().filter(|(name, _)| {
                !name.ends_with("_ns") && *name != "ns" && *name != "environment" && *name != "bytes"
            });
            Value::Object(lasting.map(|(name, value)| (name.clone(), without_times(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_times).collect(),
        other => other.clone(),
    }
}

/// The rule of this line.
fn rule(document: &Value, line: u64) -> Value {
    let rules = document["rules"].as_array().expect("rules");
    without_times(rules.iter().find(|rule| rule["line"] == line).expect("a rule of this line"))
}

fn subgoal(literal: &str, [bindings, probes, matched]: [u64; 3]) -> Value {
    json!({ "literal": literal, "bindings": bindings, "probes": probes, "matched": matched })
}

#[test]
fn counts_are_those_worked_by_hand() {
    let (status, document) = document(&["chain.dl", "--optimize", "none"]);
    assert_eq!((status, &document["stopped"], &document["answers"]), (0, &Value::Null, &json!(8)));
    // The round over all rows sees the edges only. Then come paths of two edges, of three, and a round that finds nothing.
    let strata = json!([
        { "predicates": ["path/2"], "rules": 2, "rounds": 4, "facts": 6 },
        { "predicates": ["far/1"], "rules": 1, "rounds": 1, "facts": 2 },
    ]);
    assert_eq!(without_times(&document["strata"]), strata);
    let edges = json!({
        "kind": "rule",
        "rule": "path(X, Y) :- edge(X, Y).",
        "source": null,
        "file": "chain.dl",
        "line": 4,
        "stratum": 0,
        "runs": 1,
        "probes": 3,
        "derived": 3,
        "duplicates": 0,
        "joins": [{
            "from_new": null, "runs": 1, "probes": 3, "derived": 3, "duplicates": 0,
            "subgoals": [subgoal("edge(X, Y)", [1, 3, 3])],
        }],
    });
    assert_eq!(rule(&document, 4), edges);
    let longer = rule(&document, 5);
    // Paths ending in 4 find no edge: one in each of the three rounds, which begin with three, two and one new paths.
    let joins = json!([
        {
            "from_new": null, "runs": 1, "probes": 0, "derived": 0, "duplicates": 0,
            "subgoals": [subgoal("path(X, Y)", [1, 0, 0]), subgoal("edge(Y, Z)", [0, 0, 0])],
        },
        {
            "from_new": "path(X, Y)", "runs": 3, "probes": 9, "derived": 3, "duplicates": 0,
            "subgoals": [subgoal("path(X, Y)", [3, 6, 6]), subgoal("edge(Y, Z)", [6, 3, 3])],
        },
    ]);
    assert_eq!(longer["joins"], joins);
    // 1 is far from 3 and from 4, so that it is found twice.
    let far = rule(&document, 6);
    let subgoals = json!([subgoal("path(X, Y)", [1, 6, 6]), subgoal("~edge(X, Y)", [6, 6, 3])]);
    assert_eq!((&far["derived"], &far["duplicates"], &far["joins"][0]["subgoals"]), (&json!(2), &json!(1), &subgoals));
}

#[test]
fn phases_sum_up_to_the_whole_time() {
    let (_, document) = document(&["chain.dl", "far(X)"]);
    let ns = |value: &Value| value.as_u64().expect("nanoseconds");
    let phases: u64 = document["phases"].as_array().expect("phases").iter().map(|phase| ns(&phase["ns"])).sum();
    assert_eq!(ns(&document["total_ns"]), phases);
    let rules: u64 = document["rules"].as_array().expect("rules").iter().map(|rule| ns(&rule["ns"])).sum();
    assert!(0 < rules && rules < phases, "{document:#}");
}

#[test]
fn a_closure_has_its_pairs_and_no_joins() {
    let (_, document) = document(&["chain.dl", "--optimize", "closure"]);
    let rules = document["rules"].as_array().expect("rules");
    let closure = without_times(rules.iter().find(|rule| rule["kind"] == "closure").expect("a closure"));
    assert_eq!((&closure["derived"], &closure["joins"], &closure["line"]), (&json!(6), &json!([]), &json!(4)));
}

#[test]
fn a_rewritten_rule_tells_how_it_was_written() {
    let (_, document) = document(&["chain.dl", "path(2, X)", "--optimize", "demand"]);
    let rules = document["rules"].as_array().expect("rules");
    let written = "path(X, Z) :- path(X, Y) & edge(Y, Z).";
    let rewritten = rules.iter().find(|rule| rule["source"] == written).expect("a rewritten rule");
    assert_eq!((&rewritten["file"], &rewritten["line"]), (&json!("chain.dl"), &json!(5)));
    assert_ne!(rewritten["rule"], written);
    assert!(rules.iter().any(|rule| rule["kind"] == "goal" && rule["derived"] == 2), "{document:#}");
}

#[test]
fn a_run_that_is_stopped_tells_its_costs_until_then() {
    for limit in [["--timeout", "300ms"], ["--max-facts", "20000"]] {
        let (status, document) = document(&[&["product.dl", "--optimize", "none"][..], &limit].concat());
        assert_eq!(status, 2, "{limit:?}");
        assert!(document["stopped"].is_string(), "{limit:?}");
        let tuples = rule(&document, 2);
        assert!(tuples["derived"].as_u64() > Some(1000), "{limit:?}: {tuples:#}");
    }
    let output = profile(&directory(), &["product.dl", "--timeout", "300ms", "--html", "page.html"]);
    let told = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(told[0].contains("digit(H).    product.dl:2"), "{}", told[0]);
    assert!(told[1].contains("did not finish in 0.3 s"), "{}", told[1]);
}

#[test]
fn the_page_names_rules_and_subgoals() {
    let directory = directory();
    let output = profile(&directory, &["chain.dl", "--optimize", "none", "--html", "new/page.html"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(directory.path().join("new/page.html")).expect("a page");
    for part in ["<!DOCTYPE html>", "chain.dl:5", "From new <code>path(X, Y)</code>", "<code>~edge(X, Y)</code>"] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[test]
fn failures_say_why() {
    let directory = directory();
    let failures: [(&[&str], &str); 4] = [
        (&["unsafe.dl"], "no positive literal of the body binds it"),
        (&["missing.dl"], "missing.dl"),
        (&["chain.dl", "road(X, Y)"], "road/2"),
        (
            &["chain.dl", "--engine", "resolution"],
            "the engine resolution cannot tell what a rule costs; use --engine semi-naive",
        ),
    ];
    for (args, why) in failures {
        let output = profile(&directory, args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(why), "{args:?}: {told}");
    }
}

/// The aggregate ranges over undefined facts and has no value. Only what depends on it is stopped.
#[test]
fn an_aggregate_over_undefined_facts_stops_what_depends_on_it() {
    let directory = directory();
    let draws = "move(a, b). move(b, a).\nwin(X) :- move(X, Y) & ~win(Y).\nwins(N) :- N = count { X : win(X) }.\n";
    std::fs::write(directory.path().join("draws.dl"), format!("{CHAIN}{draws}")).expect("a file");
    let asked = |goal: &str| profile(&directory, &["draws.dl", goal, "--format", "json"]);
    let sound = asked("path(1, X)");
    let document: Value = serde_json::from_slice(&sound.stdout).expect("JSON");
    assert_eq!((sound.status.code(), &document["answers"]), (Some(0), &json!(3)));
    let stopped = asked("wins(N)");
    assert_eq!(stopped.status.code(), Some(2));
}

#[test]
fn strata_are_named_after_what_is_written() {
    let directory = directory();
    let rules = "edge(a, b). edge(b, c). edge(c, d).\nnode(X) :- edge(X, _).\n\
                 out(X, N) :- node(X) & N = count { Y : edge(X, Y) }.\n";
    std::fs::write(directory.path().join("out.dl"), rules).unwrap();
    let names = |args: &[&str]| -> Vec<String> {
        let output = profile(&directory, &[args, &["--format", "json"]].concat());
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let strata = document["strata"].as_array().expect("strata").iter();
        strata
            .flat_map(|stratum| stratum["predicates"].as_array().expect("names").clone())
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect()
    };
    let mut strata = names(&["out.dl", "--optimize", "none"]);
    strata.sort();
    assert_eq!(strata, ["N = count { Y : edge(X, Y) }", "node/1", "out/2"]);
    let mut demanded = names(&["chain.dl", "path(2, X)", "--optimize", "demand"]);
    demanded.sort();
    assert_eq!(demanded, ["part of path/2"]);
}
