//! `ludolog bench datalog DIR`: folders of programs, tables and goals.

use crate::binary::ludolog;
use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn bench(directory: &Path, args: &[&str]) -> Command {
    ludolog(directory, &[&["bench", "datalog"], args, &["--samples", "1", "--output", "out"]].concat())
}

/// A directory with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    directory
}

const CLOSURE: &str = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n";

/// Three folders: one with two programs that share a table, one with two goals, one whose program says what its table holds.
const WORKLOADS: [(&str, &str); 9] = [
    ("w/closure/closure.dl", CLOSURE),
    ("w/closure/edge.tsv", "1\t2\n2\t3\n3\t4\n"),
    ("w/closure/goals.txt", "% from one node, and a pair\npath(2, Y)\n\npath(4, 1)\n"),
    ("w/pairs/pairs.dl", "both(X) :- p(X) & q(X).\neither(X) :- p(X).\neither(X) :- q(X).\n"),
    ("w/pairs/first.dl", "only(X) :- p(X) & ~q(X).\n"),
    ("w/pairs/p.csv", "a\nb\nc\n"),
    ("w/pairs/q.tsv", "b\nc\nd\n"),
    ("w/prices/dear.dl", ":- type(price, symbol, float, symbol).\ndear(X) :- price(X, P, _) & P > 2.0.\n"),
    ("w/prices/price.csv", "a,3,18446744073709551616\nb,2.5,7\nc,1.25,8\n"),
];

#[test]
fn a_folder_of_workloads_is_measured_under_all_optimizations() {
    let directory = folder(&WORKLOADS);
    let output = bench(directory.path(), &["w", "--format", "json"]).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).expect("JSON on standard output");
    assert_eq!((&report["benchmark"], &report["failures"]), (&"workloads".into(), &Value::Array(vec![])));

    // The closure of a chain of 4 nodes has 3 + 2 + 1 pairs; {b, c} are in both tables, {a, b, c, d} in either, a only in p; a and b cost more than 2.
    let expected = [
        ("closure", "all facts", 6),
        ("closure ?- path(2, Y)", "goals", 2),
        ("closure ?- path(4, 1)", "goals", 0),
        ("pairs/first", "all facts", 1),
        ("pairs", "all facts", 6),
        ("prices", "all facts", 2),
    ];
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 5 * expected.len());
    for (variants, (program, data, tuples)) in rows.chunks(5).zip(expected) {
        for row in variants {
            assert_eq!((&row["formulation"], &row["position"]), (&program.into(), &data.into()));
            assert_eq!((&row["tuples"], &row["outcome"]), (&tuples.into(), &"finished".into()), "{row}");
        }
        let optimizations: BTreeSet<&str> = variants.iter().filter_map(|row| row["optimization"].as_str()).collect();
        assert_eq!(optimizations, BTreeSet::from(["none", "grounding", "reordering", "both", "auto"]));
        let auto = variants.iter().find(|row| row["optimization"] == "auto").expect("auto");
        let time = |row: &Value| row["median_ns"].as_u64().expect("a time");
        let best = variants.iter().filter(|row| row["optimization"] != "auto").map(time).min().expect("others");
        let over = auto["over_best"].as_f64().expect("a ratio");
        assert!((over - time(auto) as f64 / best.max(1) as f64).abs() < 1e-9, "{over}");
    }
    let file = |name: &str| std::fs::read_to_string(directory.path().join("out").join(name)).expect(name);
    assert_eq!(file("report.csv").lines().count(), 1 + rows.len());
    assert!(file("report.html").contains("closure ?- path(2, Y)"));
}

#[test]
fn the_text_ends_with_what_auto_is_worth() {
    let directory = folder(&WORKLOADS);
    let args = ["w/closure", "--optimize", "none", "auto"];
    let output = bench(directory.path(), &args).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("text");
    for told in ["all facts", "closure ?- path(4, 1)", "auto is within 1.3× of the best optimization by hand in "] {
        assert!(text.contains(told), "{told:?} is not told:\n{text}");
    }
    assert!(!text.contains("pairs"), "one workload is asked for:\n{text}");
}

#[test]
fn a_report_among_workloads_is_none() {
    let directory = folder(&WORKLOADS);
    for _ in 0..2 {
        let output = bench(&directory.path().join("w"), &[".", "--optimize", "none"]).assert().success();
        assert!(String::from_utf8_lossy(&output.get_output().stdout).contains("pairs/first"));
    }
}

#[test]
fn a_wrong_folder_is_told_with_a_way_out() {
    let directory = folder(&[
        ("empty/.hidden", ""),
        ("some/good/good.dl", "p(X) :- q(X)."),
        ("some/tables-only/q.tsv", "1\n"),
        ("arity/arity.dl", CLOSURE),
        ("arity/edge.tsv", "1\t2\t3\n"),
        ("unread/unread.dl", CLOSURE),
        ("unread/egde.tsv", "1\t2\n"),
        ("ragged/ragged.dl", CLOSURE),
        ("ragged/edge.tsv", "1\t2\n3\n"),
        ("program/program.dl", "path(X, Y) :- edge(X, Y)"),
        ("goal/goal.dl", CLOSURE),
        ("goal/goals.txt", "% typo\npath(1 Y)\n"),
    ]);
    for (name, told) in [
        ("missing", &["cannot read the folder missing", "closure/closure.dl"][..]),
        ("empty", &["empty has no program (.dl)", "closure/closure.dl"]),
        ("some", &["some/tables-only has no program (.dl)", "closure/edge.tsv"]),
        ("arity", &["arity/edge.tsv", "`edge/3`", "2 columns"]),
        ("unread", &["unread/egde.tsv", "nothing reads `egde/2`", "did you mean `edge`"]),
        ("ragged", &["ragged/edge.tsv:2"]),
        ("program", &["program/program.dl:1"]),
        ("goal", &["goal/goals.txt, line 2"]),
    ] {
        let failed = bench(directory.path(), &[name]).assert().code(2);
        let output = failed.get_output();
        let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
        for part in told {
            assert!(text.contains(part), "{name}: {part:?} is not told:\n{text}");
        }
        assert!(!directory.path().join("out").exists(), "{name} has a report");
    }
    let both = bench(directory.path(), &["arity", "--program", "reachability"]).assert().code(2);
    assert!(String::from_utf8_lossy(&both.get_output().stderr).contains("cannot be used with"));
}

/// A report is renewed; what is none stays, and is told before anything is measured.
#[test]
fn a_report_replaces_reports_alone() {
    let directory = folder(&[("w/a.dl", "p(1). q(X) :- p(X).\n"), ("out/report.html", "precious\n")]);
    let page = || std::fs::read_to_string(directory.path().join("out/report.html")).expect("the page");
    let refused = bench(directory.path(), &["w"]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&refused).contains("report.html: it is there already; --force replaces it"));
    assert_eq!(page(), "precious\n");
    bench(directory.path(), &["w", "--force"]).assert().success();
    assert!(page().contains("ludolog bench datalog"));
    bench(directory.path(), &["w", "--timeout", "1s"]).assert().success();
    assert!(page().contains("--timeout 1s"));
}
