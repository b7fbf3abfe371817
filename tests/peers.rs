//! `ludolog bench peers`: other systems, real ones where they are installed, and scripts in their place.

use assert_cmd::Command;
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A folder with the closure of a chain of 4 nodes, which has 3 + 2 + 1 pairs, and a folder `bin` of scripts.
fn folder(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    };
    write("closure/closure.dl", "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\n");
    write("closure/edge.tsv", "1\t2\n2\t3\n3\t4\n");
    std::fs::create_dir(directory.path().join("bin")).expect("a folder");
    for (name, text) in scripts {
        let path = write(&format!("bin/{name}"), &format!("#!/bin/sh\n{VERSION}{text}"));
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("a script");
    }
    directory
}

/// The scripts tell a version, as the systems do.
const VERSION: &str = "[ \"$1\" = --version ] && echo version 7 && exit 0\n";

/// Scripts that print six facts as Soufflé, clingo and SWI-Prolog do.
const PATHS: [(&str, &str); 3] = [
    ("souffle", "[ -f program.dl ] && printf '1\\t2\\n1\\t3\\n1\\t4\\n2\\t3\\n2\\t4\\n3\\t4\\n' > path.csv\n"),
    ("clingo", "echo 'path(1,2) path(1,3) path(1,4) path(2,3) path(2,4) path(3,4)'\necho SATISFIABLE\nexit 30\n"),
    ("swipl", "for i in 1 2 3 4 5 6; do echo \"path(1, $i).\"; done\n"),
];

fn bench(directory: &Path, path: &str, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("ludolog").expect("the binary is built");
    command.current_dir(directory).env("PATH", path).args(["bench", "peers", "closure", "--samples", "1"]).args(args);
    command
}

fn report(directory: &Path, path: &str, args: &[&str]) -> Value {
    let assert = bench(directory, path, &[args, &["--format", "json"]].concat()).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).expect("JSON on standard output")
}

#[test]
fn systems_are_measured_and_counted() {
    let directory = folder(&PATHS);
    let bin = directory.path().join("bin").display().to_string();
    let report = report(directory.path(), &bin, &[]);
    assert_eq!((&report["benchmark"], &report["failures"]), (&"peers".into(), &Value::Array(vec![])));
    let systems: Vec<(&str, Option<&str>)> = report["systems"].as_array().expect("systems").iter().map(told).collect();
    let version = Some("version 7");
    assert_eq!(systems, [("souffle", version), ("clingo", version), ("prolog", version), ("crepe", None)]);
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2 * 4, "under none and auto, on Ludolog and three systems");
    for row in rows {
        assert_eq!((&row["tuples"], &row["outcome"]), (&6.into(), &"finished".into()), "{row}");
        assert!(row["median_ns"].as_u64() > Some(0), "{row}");
    }
    let file = |name: &str| std::fs::read_to_string(directory.path().join("ludolog-report").join(name)).expect(name);
    assert_eq!(file("report.csv").lines().count(), 1 + rows.len());
    assert!(file("report.html").contains("cargo fetch"));
}

fn told(system: &Value) -> (&str, Option<&str>) {
    (system["system"].as_str().expect("a name"), system["version"].as_str())
}

#[test]
fn a_system_that_counts_otherwise_is_a_failure() {
    let directory = folder(&[("swipl", "echo 'path(1, 2).'\n")]);
    let bin = directory.path().join("bin").display().to_string();
    let output = bench(directory.path(), &bin, &["--optimize", "none"]).assert().code(1).get_output().clone();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("closure · none · prolog: 1 tuples instead of 6"), "{told}");
}

#[test]
fn missing_and_broken_systems_are_told() {
    let directory = folder(&[("clingo", "echo out of luck >&2\nexit 1\n")]);
    let bin = directory.path().join("bin").display().to_string();
    let output = bench(directory.path(), &bin, &["--optimize", "none"]).assert().success().get_output().clone();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "not installed: souffle (https://souffle-lang.github.io/install)",
        "not installed: prolog (apt-get install swi-prolog)",
        "closure · none · clingo: its process ended with exit status: 1: out of luck",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    let output = bench(directory.path(), &bin, &["--system", "souffle"]).assert().success().get_output().clone();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("swi-prolog"), "only one system is asked for");
}

#[test]
fn a_system_that_takes_too_long_is_stopped() {
    let directory = folder(&[("swipl", "/bin/sleep 600\n")]);
    let bin = directory.path().join("bin").display().to_string();
    let args = ["--optimize", "none", "--timeout", "2s", "--system", "prolog"];
    let report = report(directory.path(), &format!("{bin}:/bin:/usr/bin"), &args);
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!((&rows[1]["engine"], &rows[1]["outcome"]), (&"prolog".into(), &"did-not-finish".into()));
}

/// Those that are installed, but for crepe, whose crates take long to build.
#[test]
fn installed_systems_derive_as_much() {
    let directory = folder(&[]);
    let path = std::env::var("PATH").expect("a path");
    let report = report(directory.path(), &path, &["--timeout", "60s", "--system", "souffle", "clingo", "prolog"]);
    let installed = report["systems"].as_array().expect("systems").iter().filter(|system| !system["version"].is_null());
    assert_eq!(report["rows"].as_array().expect("rows").len(), 2 * (1 + installed.count()));
    for row in report["rows"].as_array().expect("rows") {
        assert_eq!(row["tuples"], 6, "{row}");
    }
}
