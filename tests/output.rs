//! The formats of standard output: one JSON document wherever JSON is asked for, also from a command that fails.

use crate::binary;
use serde_json::{Value, json};
use std::process::Output;

const FAMILY: &str = "parent(ann, bob).
parent(bob, cid).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y) & ancestor(Y, Z).
?- ancestor(ann, X).
?- ancestor(X, ann).
";

/// A directory with a sound rule file, one with two unsafe rules, and a position.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    file("family.dl", FAMILY);
    file("unsafe.dl", "p(X) :- q(Y).\nr(X) :- q(Y).\nq(1).\n");
    file("won.txt", "R B .\n R B .\n  R . .\n");
    directory
}

fn ludolog(directory: &tempfile::TempDir, args: &[&str]) -> Output {
    binary::ludolog(directory, args).output().expect("the command runs")
}

/// The exit status, and the document on standard output.
fn document(directory: &tempfile::TempDir, args: &[&str]) -> (i32, Value) {
    let output = ludolog(directory, &[args, &["--format", "json"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&output.stdout)));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    (output.status.code().expect("a status"), document)
}

#[test]
fn every_command_that_fails_says_so_in_json() {
    let directory = directory();
    let commands: [(&[&str], &str); 27] = [
        (&["query", "unsafe.dl", "p(X)"], "X"),
        (&["query", "family.dl", "ancester(ann, X)"], "no predicate `ancester/2`"),
        (&["query", "won.txt", "p(X)", "--syntax", "dl"], ""),
        (&["query", "missing.dl", "p(X)"], "missing.dl"),
        (&["query", "family.dl", "parent(X, Y)", "--timeout", "soon"], "invalid value 'soon'"),
        (&["query", "--bogus"], "--bogus"),
        (&["why", "family.dl"], "no fact"),
        (&["facts", "unsafe.dl"], "X"),
        (&["facts", "family.dl", "--max-facts", "2"], "limit of 2 facts"),
        (&["test", "missing"], "cannot read missing"),
        (&["plan", "unsafe.dl"], "X"),
        (&["profile", "unsafe.dl"], "X"),
        (&["bench", "hex", "--position", "missing.txt"], "missing.txt"),
        (&["game", "show", "missing.kif"], "missing.kif"),
        (&["game", "explain", "missing.kif", "terminal"], "missing.kif"),
        (&["game", "explain", "std:games/nim.kif", "terminals"], "terminal"),
        (&["bench", "ggp", "."], "no rulesheet"),
        (&["game", "show", "std:games/nim.kif", "--move", "noop"], "move"),
        (&["game", "tree", "std:games/nim.kif", "--max-states", "10"], "more than 10 states"),
        (&["match", "missing.kif", "mcts", "random"], "missing.kif"),
        (&["match", "std:games/nim.kif", "random"], "a player for each role is needed: first, second; 1 player given"),
        (&["match", "std:games/nim.kif", "one-player", "random"], "does not play games of 2 roles"),
        (&["hex", "solve", "20x20"], "too large"),
        (&["verify", "missing.txt"], "cannot read missing.txt"),
        (&["hex", "evaluate", "missing.txt"], "missing.txt"),
        (&["hex", "connections", "won.txt", "--between", "a1", "z9"], "z9"),
        (&["hex", "inferior", "missing.txt"], "missing.txt"),
    ];
    for (args, told) in commands {
        let (status, document) = document(&directory, args);
        let message = document["error"]["message"].as_str().unwrap_or_else(|| panic!("{args:?}: {document}"));
        assert_eq!(status, 2, "{args:?}: {document}");
        assert!(message.contains(told), "{args:?}: {message}");
        assert!(document["error"]["diagnostics"].is_array(), "{args:?}: {document}");
    }
    let (_, document) = document(&directory, &["facts", "unsafe.dl"]);
    let diagnostics = document["error"]["diagnostics"].as_array().expect("diagnostics");
    let places: Vec<_> = diagnostics.iter().map(|diagnostic| (&diagnostic["code"], &diagnostic["line"])).collect();
    assert_eq!(places, [(&json!("unsafe-variable"), &json!(1)), (&json!("unsafe-variable"), &json!(2))]);
}

#[test]
fn reports_that_tell_of_errors_are_the_only_document() {
    let directory = directory();
    // Both errors, as a bare array: the diagnostics are what `check` reports.
    let (status, diagnostics) = document(&directory, &["check", "unsafe.dl"]);
    assert_eq!((status, diagnostics.as_array().map(Vec::len)), (2, Some(2)));
    assert_eq!(document(&directory, &["check", "std:hex/cluster.dl"]), (0, json!([])));
    let (status, report) = document(&directory, &["test", "."]);
    assert_eq!((status, &report["passed"], &report["failed"]), (2, &json!(0), &json!(2)));
    let (status, answers) = document(&directory, &["query", "family.dl", "ancestor(X, Y)", "--max-facts", "2"]);
    assert_eq!(status, 2);
    assert!(answers[0]["stopped"].as_str().expect("a reason").contains("limit of 2 facts"), "{answers}");
}

#[test]
fn queries_are_an_array_for_one_and_for_several() {
    let directory = directory();
    let (status, one) = document(&directory, &["query", "family.dl", "parent(X, Y)"]);
    assert_eq!(status, 0);
    let expected = json!([{
        "goal": "parent(X, Y)",
        "variables": ["X", "Y"],
        "holds": true,
        "answers": [{ "X": "ann", "Y": "bob" }, { "X": "bob", "Y": "cid" }],
        "stopped": null,
        "warnings": [],
    }]);
    assert_eq!(one, expected);
    let (status, two) = document(&directory, &["query", "family.dl"]);
    let holds: Vec<&Value> = two.as_array().expect("an array").iter().map(|report| &report["holds"]).collect();
    assert_eq!((status, holds), (1, vec![&json!(true), &json!(false)]));
}

#[test]
fn facts_are_an_array_of_objects() {
    let directory = directory();
    let file = "p(1, a, f(b, 2)). p(-3, 'Big B', [c, d]). q. r(X) :- p(X, a, Y). s(X) :- p(X, a, _) & X > 1.";
    std::fs::write(directory.path().join("terms.dl"), file).expect("a file");
    let (status, facts) = document(&directory, &["facts", "terms.dl", "--all"]);
    assert_eq!(status, 0);
    let fact = |predicate: &str, arguments: Value| json!({ "predicate": predicate, "arguments": arguments });
    let expected = json!([
        fact("p", json!([-3, "Big B", "[c, d]"])),
        fact("p", json!([1, "a", "f(b, 2)"])),
        fact("q", json!([])),
        fact("r", json!([1])),
    ]);
    assert_eq!(facts, expected);
    assert_eq!(document(&directory, &["facts", "terms.dl", "--predicate", "s/1"]), (0, json!([])));
}

#[test]
fn no_derivation_is_one_without_steps() {
    let directory = directory();
    assert_eq!(
        document(&directory, &["why", "family.dl", "ancestor(cid, ann)"]),
        (1, json!({ "steps": [], "warnings": [] }))
    );
    let (status, derivation) = document(&directory, &["why", "family.dl", "ancestor(ann, bob)"]);
    assert_eq!((status, &derivation["steps"][0]["fact"]), (0, &json!("ancestor(ann, bob)")));
}

#[test]
fn color_is_by_option_then_by_environment_then_by_terminal() {
    let directory = directory();
    // Standard output is a pipe here, as is standard error.
    let cases: [(&[&str], &[&str], bool); 8] = [
        (&[], &[], false),
        (&[], &["CLICOLOR_FORCE"], true),
        (&[], &["CLICOLOR_FORCE", "NO_COLOR"], false),
        (&["--color", "auto"], &["CLICOLOR_FORCE"], true),
        (&["--color", "always"], &[], true),
        (&["--color", "always"], &["NO_COLOR"], true),
        (&["--color", "never"], &["CLICOLOR_FORCE"], false),
        (&["--color", "never"], &[], false),
    ];
    // A picture and a plan on standard output, and a diagnostic on standard error.
    let commands: [&[&str]; 3] =
        [&["hex", "show", "won.txt"], &["plan", "family.dl", "ancestor(ann, X)"], &["check", "unsafe.dl"]];
    for (option, variables, is_colored) in cases {
        for args in commands {
            let mut command = binary::ludolog(&directory, &[args, option].concat());
            for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
                command.env_remove(variable);
            }
            command.envs(variables.iter().map(|variable| (variable, "1")));
            let output = command.output().expect("the command runs");
            let (told, other) = match args[0] {
                "check" => (output.stderr, output.stdout),
                _ => (output.stdout, output.stderr),
            };
            assert!(!told.is_empty());
            assert_eq!(told.contains(&b'\x1b'), is_colored, "{args:?} {option:?} {variables:?}");
            assert!(!other.contains(&b'\x1b'), "{args:?} {option:?} {variables:?}");
        }
    }
}

#[test]
fn tables_have_a_line_under_their_headers() {
    let directory = directory();
    let output = ludolog(&directory, &["hex", "connections", "2x2"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    for header in ["player  kind  pairs", "player  kind  cells"] {
        let at = lines.iter().position(|line| line.starts_with(header)).unwrap_or_else(|| panic!("{header} in {text}"));
        assert!(lines[at - 1].is_empty() && lines[at + 1].chars().all(|c| c == '─'), "{text}");
    }
}

#[test]
fn a_syntax_has_the_names_that_the_library_reads() {
    let directory = directory();
    for (name, rules) in [("kif", "(p 1)"), ("gdl", "(p 1)"), ("dl", "p(1)."), ("datalog", "p(1).")] {
        std::fs::write(directory.path().join("rules"), rules).expect("a file");
        assert_eq!(document(&directory, &["check", "rules", "--syntax", name]), (0, json!([])), "{name}");
    }
}

/// The tuples of an aggregate stand beside the condition that has its value.
#[test]
fn why_lists_the_tuples_of_aggregates() {
    let directory = tempfile::tempdir().unwrap();
    let rules = "n(X) :- X in 1..25. p(N, S) :- N is 2 + 2 & S = sum { X, a : n(X) }.";
    std::fs::write(directory.path().join("n.dl"), rules).unwrap();
    let output = ludolog(&directory, &["why", "n.dl", "p(N, S)", "--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let step = &document["steps"][0];
    assert_eq!(step["checks"], serde_json::json!(["4 is 2 + 2", "325 = sum { X, a : n(X) }"]));
    let tuples: Vec<Value> = (1..=20).map(|n| serde_json::json!([n, "a"])).collect();
    assert_eq!(step["aggregates"], serde_json::json!([{ "check": 1, "tuples": tuples, "more": 5 }]));
}
