//! `--watch`: the command runs again when a file changes, and only then.

use crate::binary;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Most time until a line comes, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running command with `--watch`.
struct Watching {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Watching {
    fn start(directory: &Path, args: &[&str]) -> Watching {
        let mut command = binary::process(directory, &[args, &["--watch"]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Watching { child, out, err }
    }

    /// Waits for the next line of standard output, which is this.
    fn prints(&self, wanted: &str) {
        let line = self.out.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no `{wanted}`: {error}"));
        assert_eq!(line, wanted);
    }

    /// Waits for a line of standard error with this text.
    fn tells(&self, wanted: &str) {
        let mut told = Vec::new();
        while !told.last().is_some_and(|line: &String| line.contains(wanted)) {
            told.push(self.err.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{error}: {told:?}")));
        }
    }

    #[cfg(unix)]
    fn interrupt(mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn write(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("a file");
}

#[cfg(unix)]
#[test]
fn check_runs_again_whatever_happens_to_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "main.dl", ":- include('lib/more.dl').\np(1).\n");
    let watching = Watching::start(at, &["check", "main.dl"]);
    watching.prints("1 error, 0 warnings");
    watching.tells("watching");
    // An included file whose directory did not exist.
    std::fs::create_dir(at.join("lib")).expect("a directory");
    write(at, "lib/more.dl", "q(1).\n");
    watching.prints("2 clauses: 0 errors, 0 warnings");
    watching.tells("changed: lib/more.dl");
    // A change of what is included.
    write(at, "lib/more.dl", "q(1).\nq(2).\n");
    watching.prints("3 clauses: 0 errors, 0 warnings");
    // As an editor saves a file: it writes another one, which takes its place.
    write(at, "main.dl~", ":- include('lib/more.dl').\np(1).\np(2).\n");
    std::fs::rename(at.join("main.dl~"), at.join("main.dl")).expect("a file that takes the place");
    watching.prints("4 clauses: 0 errors, 0 warnings");
    // Errors do not end it, nor does a file that is gone.
    write(at, "main.dl", "p(X) :- q(Y).\n");
    watching.prints("1 error, 0 warnings");
    watching.tells("error[unsafe-variable]");
    std::fs::remove_file(at.join("main.dl")).expect("a file");
    watching.prints("1 error, 0 warnings");
    watching.tells("error[unreadable-file]");
    write(at, "main.dl", "p(1).\n");
    watching.prints("1 clause: 0 errors, 0 warnings");
    // A change of a file that was not read makes no run.
    write(at, "other.dl", "p(X) :- q(Y).\n");
    write(at, "main.dl", "p(1).\np(2).\n");
    watching.prints("2 clauses: 0 errors, 0 warnings");
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn queries_and_facts_follow_tables_and_positions() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "rules.dl", "path(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y) & path(Y, Z).\n");
    write(at, "edge.csv", "a,b\n");
    let args = ["query", "rules.dl", "path(a, X)", "--facts", "edge.csv", "--format", "csv"];
    let query = Watching::start(at, &args);
    ["X", "b"].iter().for_each(|line| query.prints(line));
    write(at, "edge.csv", "a,b\nb,c\n");
    ["X", "b", "c"].iter().for_each(|line| query.prints(line));

    write(at, "owner.dl", "owns(P, X) :- stone(P, X).\n");
    write(at, "board.txt", "R .\n . .\n");
    let facts = Watching::start(at, &["facts", "owner.dl", "--position", "board.txt"]);
    facts.prints("owns(red, 1).");
    write(at, "board.txt", "R .\n . B\n");
    ["owns(blue, 4).", "owns(red, 1)."].iter().for_each(|line| facts.prints(line));
    facts.tells("changed: board.txt");
}

#[test]
fn tests_run_again_for_rule_files_and_snapshots() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "one.dl", "p(X) :- q(X).\nq(1).\n");
    let accept = || {
        let mut command = binary::process(at, &["test", ".", "--accept"]);
        assert!(command.stdout(Stdio::null()).status().expect("it runs").success());
    };
    accept();
    let watching = Watching::start(at, &["test", "."]);
    watching.prints("1 passed, 0 failed");
    // A second file, without a snapshot, which another process accepts. That a snapshot is proposed is no change.
    write(at, "two.dl", "r(X) :- q(X).\nq(1).\n");
    watching.prints("./two.dl: no snapshot yet; proposed as ./snapshots/two.dl.snap.new");
    watching.prints("1 passed, 1 failed");
    watching.prints("look at them one by one with --review, or accept all with --accept");
    accept();
    watching.prints("2 passed, 0 failed");
}

#[test]
fn standard_input_and_shipped_files_are_not_watched() {
    let directory = tempfile::tempdir().expect("a directory");
    for (file, told) in [("-", "standard input cannot be watched"), ("std:hex/cluster.dl", "no file to watch")] {
        let mut command = binary::ludolog(&directory, &["check", file, "--syntax", "dl", "--watch"]);
        let output = command.write_stdin("p(1).").timeout(PATIENCE).assert().code(2).get_output().clone();
        let errors = String::from_utf8(output.stderr).expect("text");
        assert!(errors.contains(told), "{errors}");
    }
}
