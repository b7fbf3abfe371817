//! The engine over differential dataflow, on threads and on processes.
//!
//! What it derives from all programs of `tests/programs` is compared in [`engines`](crate::engines), with that of all other
//! engines.

use crate::binary;
use crate::engines::{agree, program};
use crate::oracle::Oracle;
use crate::random;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::dataflow::on;
use ludolog::engine::{Budget, Engine};
use ludolog::optimize::OptimizedProgram;
use ludolog::workers::Processes;
use proptest::prelude::*;
use std::fs;
use std::net::TcpListener;
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// The engine on one worker and on three, by name; none for a program with choices, which it refuses.
pub fn engines(program: &StratifiedProgram) -> Vec<(&'static str, Box<dyn Engine>)> {
    let mut engines = Vec::new();
    for (name, workers) in [("dataflow", 1), ("dataflow on three workers", 3)] {
        let processes = Processes { workers: NonZero::new(workers).expect("a worker"), ..Processes::default() };
        match on(processes).load(&OptimizedProgram::from(program.clone()), &Budget::unlimited()) {
            Ok(engine) => engines.push((name, engine)),
            Err(stopped) => {
                let reason = stopped.to_string();
                assert!(["cannot choose", "whose values"].iter().any(|known| reason.contains(known)), "{reason}");
            }
        }
    }
    engines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// After each random insertion, retraction and event of a random program.
    #[test]
    fn agrees_with_the_oracle(case in random::case()) {
        let program = program(&case.text);
        let oracle: (&str, Box<dyn Engine>) = ("oracle", Box::new(Oracle::new(&program)));
        agree(&case, &program, [oracle].into_iter().chain(engines(&program)).collect())?;
    }
}

/// A rule that takes longer than any test.
const ENDLESS: &str = "n(0). n(X) :- n(Y) & X is Y + 1 & X < 1000000000.";

/// Two ports that are free.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("localhost:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

/// A folder with a file of hosts for two processes.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = free_ports();
    write(folder.path(), "hosts", &format!("localhost:{first}\nlocalhost:{second}\n"));
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

/// Starts the engine as one of several processes.
fn start(folder: &Path, process: usize, hosts: &str, args: &[&str]) -> Child {
    let mut command = binary::process(folder, args);
    command.args(["--engine", "dataflow", "--hosts", hosts]);
    command.args(["--process", &process.to_string()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
}

/// Runs two processes to their end.
fn both(folder: &Path, args: [&[&str]; 2]) -> [Output; 2] {
    let children = [0, 1].map(|process| start(folder, process, "hosts", args[process]));
    children.map(|child| child.wait_with_output().expect("it ends"))
}

/// The lines of standard output, sorted.
fn lines(outputs: &[Output]) -> Vec<String> {
    let texts = outputs.iter().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let mut lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.sort();
    lines
}

/// That a process has failed for this reason, and printed nothing.
#[track_caller]
fn assert_failed(output: &Output, reason: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(reason), "no `{reason}`: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{errors}");
}

/// Programs among those of the tests that dataflow does not run, with the reason.
const REFUSED: [(&str, &str); 2] = [("choices", "cannot choose"), ("lattice-orders", "whose values")];

/// Each program of `tests/programs` in two processes, of which each prints its share, against one process with another engine.
#[test]
fn processes_share_the_facts_of_all_programs() {
    let folder = folder();
    let mut shared = 0;
    for entry in fs::read_dir("tests/programs").expect("programs") {
        let path = entry.expect("a program").path().canonicalize().expect("a path");
        if !path.is_file() {
            continue;
        }
        let args = ["facts", path.to_str().expect("text"), "--all"];
        let outputs = both(folder.path(), [&args, &args]);
        let alone = binary::ludolog(".", &args).output().expect("it runs");
        let text = fs::read_to_string(&path).expect("text");
        if text.contains("==>") {
            outputs.iter().for_each(|output| assert_failed(output, "transition rules run in one process"));
            continue;
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let refused = stem.and_then(|stem| REFUSED.into_iter().find(|(program, _)| stem == *program));
        if let Some((_, reason)) = refused {
            outputs.iter().for_each(|output| assert_failed(output, reason));
            continue;
        }
        let errors = String::from_utf8_lossy(&outputs[0].stderr);
        assert!(outputs.iter().all(|output| output.status.success()), "{}: {errors}", path.display());
        assert_eq!(lines(&outputs), lines(&[alone]), "{}", path.display());
        shared += usize::from(outputs.iter().all(|output| !output.stdout.is_empty()));
    }
    assert!(shared > 25, "{shared} programs have facts in both processes");
}

/// Tables, compounds that one process makes and another reads, aggregates over all, and a goal.
#[test]
fn processes_answer_goals_over_tables() {
    let folder = folder();
    // More rows than an input keeps until it sends them.
    let edges: String = (0..3000).map(|i| format!("n{i},n{}\n", (i * 7 + 3) % 3000)).collect();
    write(folder.path(), "edge.csv", &edges);
    let rules = "step(pair(X, Y)) :- edge(X, Y). two(X, Z) :- step(pair(X, Y)) & step(pair(Y, Z)).
        ends(Z, N) :- two(_, Z) & N = count { X : two(X, Z) }. last(N) :- N = count { X, Z : two(X, Z) }.";
    write(folder.path(), "rules.dl", rules);
    let args = [
        "query",
        "rules.dl",
        "two(n0, Z) & ends(Z, N) & last(M)",
        "--facts",
        "edge.csv",
        "--format",
        "csv",
        "--workers",
        "2",
    ];
    let outputs = both(folder.path(), [&args, &args]);
    // 0 → 3 → 24; each has one successor, so that there are 3000 pairs, and one for each end.
    assert_eq!(lines(&outputs), ["Z,N,M", "Z,N,M", "n24,1,3000"]);
    let mut codes = outputs.map(|output| output.status.code());
    codes.sort();
    assert_eq!(codes, [Some(0), Some(1)], "one of them has the answer");
}

/// Terms of all kinds that one process has and another one reads: they are found by the same owner, and come back as they were.
#[test]
fn processes_tell_each_other_terms() {
    let folder = folder();
    let rules = "term(-7). term(1099511627776). term('a b'). term(''). term(2.5). term(f(1, g(x), y)).
        list(0, nil). list(M, cons(N, L)) :- list(N, L) & N < 1900 & M is N + 1. term(L) :- list(1900, L).
        key(X, 1) :- term(X). key(X, 2) :- term(X). both(X) :- key(X, 1) & key(X, 2).";
    write(folder.path(), "rules.dl", rules);
    let args = ["query", "rules.dl", "both(X)", "--format", "csv"];
    let outputs = both(folder.path(), [&args, &args]);
    let alone = binary::ludolog(folder.path(), &args).output().expect("it runs");
    let alone = lines(&[alone]);
    assert_eq!(alone.len(), 8, "the head and seven terms");
    let mut together = lines(&outputs);
    together.retain(|line| line != "X");
    assert_eq!(together, alone[..].iter().filter(|line| *line != "X").cloned().collect::<Vec<_>>());
}

#[test]
fn a_process_that_never_comes_is_told_in_time() {
    let folder = folder();
    write(folder.path(), "rules.dl", "p(1).");
    let begin = Instant::now();
    for process in [0, 1] {
        let lonely = start(folder.path(), process, "hosts", &["facts", "rules.dl", "--all", "--timeout", "1"]);
        let output = lonely.wait_with_output().expect("it ends");
        assert_failed(&output, &format!("no connection with process {} (localhost:", 1 - process));
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_process_that_is_killed_ends_the_others() {
    let folder = folder();
    write(folder.path(), "rules.dl", ENDLESS);
    for killed in [0, 1] {
        let args = ["facts", "rules.dl", "--timeout", "50"];
        let [mut first, mut second] = [0, 1].map(|process| start(folder.path(), process, "hosts", &args));
        std::thread::sleep(Duration::from_secs(2));
        let begin = Instant::now();
        let (victim, other) = if killed == 0 { (&mut first, second) } else { (&mut second, first) };
        victim.kill().expect("it runs");
        victim.wait().expect("it ends");
        assert_failed(
            &other.wait_with_output().expect("it ends"),
            "another process has ended before the work was done",
        );
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}

#[test]
fn all_processes_stop_at_their_limits() {
    let folder = folder();
    write(folder.path(), "rules.dl", ENDLESS);
    let args = ["facts", "rules.dl", "--timeout", "2"];
    let outputs = both(folder.path(), [&args, &args]);
    // One of them is first, and the other may learn of its end before its own.
    let told = |output: &Output| {
        let errors = String::from_utf8_lossy(&output.stderr);
        let reason =
            if errors.contains("did not finish in 2 s") { "did not finish" } else { "another process has ended" };
        assert_failed(output, reason);
        reason
    };
    let reasons = outputs.each_ref().map(told);
    assert!(reasons.contains(&"did not finish"), "{reasons:?}");
}

/// Tables of which each process keeps its share: a large one with rows that occur twice, that another table or the rules have
/// too, and one with a single row, which only one process holds.
#[test]
fn processes_share_the_rows_of_tables() {
    let folder = folder();
    let edge = |i: usize| format!("{},s{}\n", i * i % 10_007, i % 5_003);
    write(folder.path(), "edge.csv", &(0..30_000).map(edge).collect::<String>());
    write(folder.path(), "more.csv", &(100..200).map(edge).chain(["-1,99999999999\n".to_owned()]).collect::<String>());
    write(folder.path(), "root.csv", "4\n");
    let rules = "edge(4, s2). edge(4, new). :- input(root, 'root.csv').
        shared(X, Y) :- root(R) & edge(R, S) & edge(X, S) & edge(X, Y) & ~root(X). far(Y) :- edge(-1, Y).";
    write(folder.path(), "rules.dl", rules);
    let args = ["facts", "rules.dl", "--all", "--facts", "edge.csv", "--facts", "edge=more.csv"];
    let alone = binary::ludolog(&folder, &args).output().expect("it runs");
    let outputs = both(folder.path(), [&args, &args]);
    let errors = outputs.each_ref().map(|output| String::from_utf8_lossy(&output.stderr));
    assert!(outputs.iter().all(|output| output.status.success()), "{errors:?}");
    let facts = lines(&outputs);
    assert!(facts.contains(&"far(99999999999).".to_owned()) && facts.len() > 30_000);
    assert_eq!(facts, lines(&[alone]));
    // One row differs, far behind the first.
    write(folder.path(), "other.csv", &(0..30_000).map(|i| edge(i.min(29_998))).collect::<String>());
    let others = ["facts", "rules.dl", "--all", "--facts", "edge=other.csv", "--facts", "edge=more.csv"];
    for output in both(folder.path(), [&args, &others]) {
        assert_failed(&output, "works on something else: all need the same files and the same arguments");
    }
}

#[test]
fn processes_with_other_hosts_or_other_work_are_refused() {
    let folder = folder();
    write(folder.path(), "rules.dl", "p(X) :- q(X). q(1).");
    write(folder.path(), "others.dl", "p(X) :- q(X). q(2).");
    let [a, b] = [["facts", "rules.dl"], ["facts", "others.dl"]];
    for output in both(folder.path(), [&a, &b]) {
        assert_failed(&output, "works on something else: all need the same files and the same arguments");
    }
    let goals = ["p(1)", "p(2)"].map(|goal| ["query", "rules.dl", goal, "--optimize", "none"]);
    for output in both(folder.path(), [&goals[0], &goals[1]]) {
        assert_failed(&output, "works on something else: all need the same files and the same arguments");
    }
    let hosts = fs::read_to_string(folder.path().join("hosts")).expect("text");
    write(folder.path(), "more", &format!("{hosts}localhost:1\n"));
    let children = [(0, "hosts"), (1, "more")].map(|(process, hosts)| start(folder.path(), process, hosts, &a));
    for (child, reason) in children.into_iter().zip(["1 has 3 hosts, and this one 2", "0 has 2 hosts, and this one 3"])
    {
        assert_failed(&child.wait_with_output().expect("it ends"), reason);
    }
    let output = start(folder.path(), 2, "hosts", &a).wait_with_output().expect("it ends");
    assert_failed(&output, "--process 2: hosts has 2 lines, numbered from 0");
}

#[test]
fn a_port_in_use_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("localhost:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    write(folder.path(), "hosts", &format!("localhost:{port}\nlocalhost:{}\n", free_ports()[0]));
    write(folder.path(), "rules.dl", "p(1).");
    let output = start(folder.path(), 0, "hosts", &["facts", "rules.dl"]).wait_with_output().expect("it ends");
    assert_failed(&output, &format!("localhost:{port}: "));
}

#[test]
fn what_needs_the_engine_or_one_process_is_refused() {
    let folder = folder();
    write(folder.path(), "rules.dl", "p(1).");
    let run = |args: &[&str]| binary::ludolog(&folder, args).output().expect("it runs");
    let other = run(&["facts", "rules.dl", "--workers", "2"]);
    assert_failed(&other, "the engine semi-naive runs in one thread; --workers and --hosts are for --engine dataflow");
    let watch = run(&["watch", "rules.dl", "--engine", "dataflow", "--hosts", "hosts"]);
    assert_failed(&watch, "changes come to one process; run it with --workers, without --hosts");
}

/// Two processes with a worker each find what one does.
#[test]
fn processes_solve_together() {
    let folder = folder();
    let args =
        ["game", "solve", "std:games/connect-four-4x4.kif", "--hosts", "hosts", "--timeout", "60", "--format", "json"];
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| binary::ludolog(&folder, &[&args[..], &["--process", "1"]].concat()).output());
        let first = binary::ludolog(&folder, &args).output().expect("it runs");
        let json: serde_json::Value = serde_json::from_slice(&first.stdout).expect("JSON");
        assert_eq!((&json["states"], &json["goals"]), (&161_029.into(), &vec![50, 50].into()));
        second.join().expect("it runs").expect("it runs")
    });
    assert!(second.status.success() && second.stdout.is_empty(), "the first process alone prints");
    let lonely = ["game", "solve", "std:games/nim.kif", "--hosts", "hosts", "--timeout", "1"];
    binary::ludolog(&folder, &lonely).assert().code(2);
}
