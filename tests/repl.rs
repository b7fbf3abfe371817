//! `ludolog repl` as a script on standard input.

use crate::binary;
use ludolog::diagnostic::Sources;
use ludolog::syntax::{OpenText, Syntax, ends_statement, parse_goal};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;

/// Exit status, standard output and standard error of a script, run in a folder.
fn run(folder: &Path, args: &[&str], script: &str) -> (i32, String, String) {
    binary::run(folder, &[&["repl"], args].concat(), script)
}

/// What a script prints, without the lines below the headings of tables.
fn answers(output: &str) -> String {
    output.split_inclusive('\n').filter(|line| !line.starts_with('─')).collect()
}

/// A script without files, with all that it prints.
fn transcript(args: &[&str], script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) = run(folder.path(), args, script);
    let mut all = format!("{script}\n--- {code}\n{output}");
    if !errors.is_empty() {
        write!(all, "--- errors\n{errors}").unwrap();
    }
    all
}

#[test]
fn statements_goals_and_questions() {
    insta::assert_snapshot!(transcript(
        &[],
        "edge(a, b). edge(b, c).
path(X, Y) :- edge(X, Y).
path(X, Z) :-
    path(X, Y) & edge(Y, Z).   % over two lines
path(a, X)
?- path(c, X).
path(a, c) & ~edge(a, c)
edge(c, d).
path(a, X)
why path(a, c)
whynot path(b, a)
why not path(a, c)
why path(b, a)
"
    ));
}

/// Why an aggregate has its value: by its tuples, of which the first ones are listed.
#[test]
fn why_of_aggregates() {
    insta::assert_snapshot!(transcript(
        &[],
        "price(apple, 3). price(pear, 5). price(plum, 5). n(X) :- X in 1..30.
total(S) :- S = sum { P, X : price(X, P) }.
why total(S)
dearest(X) :- price(X, P) & P >= max { Q : price(_, Q) }.
why dearest(plum)
% Of 30 numbers, those of a group and by tests.
count(X, N) :- price(X, P) & N = count { I : n(I) & (I < P | I > 29) }.
why count(apple, N)
why count(plum, N)
none(N) :- N = count { X : price(X, 7) }.
why none(N)
% A pair counts once, whatever else its tests read.
pairs(N) :- N = count { X, P : price(X, P) & n(I) & I > P }.
why pairs(N)
sum(S) :- S = sum { I : n(I) }.
why sum(S)
"
    ));
}

#[test]
fn facts_and_rules_come_and_go() {
    insta::assert_snapshot!(transcript(
        &[],
        "edge(a, b).
edge(a, b).
path(X, Y) :- edge(X, Y).
back(X, Y) :- edge(Y, X).
edge(b, c).
rules
facts
retract edge(a, b)
retract path(X, Y) :- edge(X, Y).
facts
retract 1
rules
edge(X, c)
retract edge(b, c).
facts edge/2
"
    ));
}

#[test]
fn kif_speaks_in_parentheses() {
    insta::assert_snapshot!(transcript(
        &["--syntax", "kif"],
        "(edge a b) (edge b c)
(<= (path ?x ?y)
    (edge ?x ?y))
?- (path a ?x)
(?- (path ?x c))
rules
why (path a b)
why not (path b a)
retract (edge a b)
facts
(rules)
facts rules/0
"
    ));
}

#[test]
fn settings() {
    insta::assert_snapshot!(transcript(
        &["--optimize", "none"],
        "edge(a, b).
path(X, Y) :- edge(X, Y).
engine
optimize
time
engine resolution
optimize reordering
engine
optimize
path(X, Y)
plan path(a, X)
help
quit
path(never, asked)
"
    ));
}

/// After each of these, the program is as before.
#[test]
fn what_is_wrong_changes_nothing() {
    insta::assert_snapshot!(transcript(
        &[],
        "edge(a, b).
edge(a, b, c).
good(X) :- edge(X, _). bad(X, Y) :- edge(X, _).
even(X) :- edge(X, _) & ~odd(X).
odd(X) :- edge(X, _) & 0 = count { Y : even(Y) }.
foo bar.
nothing(X)
retract 7
retract edge(b, c)
retract
load missing.dl
load -
:- include('missing.dl').
engine crystal
optimize everything
time maybe
facts edge
why edge(a, b) & edge(b, a)
rules
facts
"
    ));
}

/// A rule that another needs to be finite cannot go: without `small`, the counter has no bound.
#[test]
fn a_retraction_that_is_wrong_changes_nothing() {
    let script = "n(0).\nn(Y) :- n(X) & X < 3 & Y is X + 1.\nn(Y) :- n(X) & Y is X + 1.\nn(X)\n";
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) = run(folder.path(), &[], script);
    assert_eq!((code, answers(&output).as_str()), (2, "X\n0\n1\n2\n3\n4 answers\n"), "{errors}");
    let script = "member(a, b).\np(X) :- q(X) & member(X, Y) & ~r(Y).\nretract member(a, b)\nrules\nfacts\n";
    let (code, output, errors) = run(folder.path(), &[], script);
    assert!(code == 2 && errors.contains("unsafe-variable"), "{errors}");
    assert_eq!(output, "  1  p(X) :- q(X) & member(X, Y) & ~r(Y).\nmember(a, b).\n");
}

#[test]
fn files_are_loaded_once() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("rules.dl", "path(X, Y) :- edge(X, Y).\nedge(a, b).\n?- path(X, Y).\n");
    write("edge.csv", "b,c\na,b\n");
    write("board.txt", "R .\n . .\n");
    let script = "load edge.csv\nload rules.dl\npath(X, Y)\nrules\nload board.txt\nstone(P, X)\n";
    let (code, output, errors) = run(folder.path(), &["rules.dl"], script);
    let expected = "X  Y\na  b\nb  c\n2 answers\n  1  path(X, Y) :- edge(X, Y).\nP    X\nred  1\n1 answer\n";
    assert_eq!((code, answers(&output).as_str()), (0, expected), "{errors}");
}

/// A parenthesis is missing in the first of many lines: what is gathered is bounded, and the rest is read.
#[test]
fn an_unclosed_statement_does_not_swallow_a_long_script() {
    let lines: String = (0..50_000).map(|n| format!("(cell {n})\n")).collect();
    let script = format!("(<= (p ?x) (cell ?x)\n{lines}?- (cell 49999)\n?- (cell 17)\n");
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) = run(folder.path(), &["--syntax", "kif"], &script);
    assert_eq!((code, output.as_str()), (2, "yes\nno\n"), "{errors}");
}

/// What an unfinished statement waits for is told where somebody wants to end.
#[test]
fn quit_within_a_statement_tells_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    for (syntax, script, awaited) in [
        ("dl", "p(X) :- q(X) &\nquit\n", "a period"),
        ("dl", "p(X, f(\n1\nexit\n", "its closing parentheses and a period"),
        ("dl", "p(1). /* p(2).\nquit\n", "`*/`, the end of its comment"),
        ("dl", ".decl p(x: number,\nquit\n", "the closing parentheses of its directive"),
        ("kif", "(<= (p ?x)\n (q\nquit\n", "2 closing parentheses"),
    ] {
        let (code, _, errors) = run(folder.path(), &["--syntax", syntax], script);
        let note = format!("note: `quit` is read as part of an unfinished statement, which waits for {awaited}\n");
        assert!(code == 2 && errors.starts_with(&note), "{script}{errors}");
    }
    for script in ["p(1).\nquit\n", "p(X) &\nquit.\n", "p(X) :-\n  quit(X).\n"] {
        let (_, _, errors) = run(folder.path(), &[], script);
        assert!(!errors.contains("note: `quit`"), "{errors}");
    }
}

proptest! {
    /// A text that comes line by line is ended where it is as a whole, and goals are among what may be one.
    #[test]
    fn lines_are_followed_as_the_whole_text_is_read(
        tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..30), is_kif in any::<bool>()
    ) {
        let syntax = if is_kif { Syntax::Kif } else { Syntax::Datalog };
        let text = tokens.concat();
        let mut open = OpenText::new(syntax);
        let mut so_far = String::new();
        for line in text.lines() {
            so_far.push_str(line);
            so_far.push('\n');
            open.line(line);
            prop_assert_eq!(open.is_ended(), ends_statement(&so_far, syntax), "{}", so_far);
            prop_assert_eq!(open.is_ended(), open.awaited().is_none());
            if !is_kif && parse_goal(&so_far, &mut Sources::new(), Some(syntax)).is_ok() {
                prop_assert!(open.may_be_goal(), "{}", so_far);
            }
        }
    }
}

const TOKENS: [&str; 25] = [
    "\n", "\n", "\n", "p", "(", ")", ".", "1", "X", " ", "&", "~", "/*", "*/", "#|", "|#", ";", "%", "\"", "'", "|",
    "\\", "{", "}", ", ",
];

/// 60^6 combinations; each question has its own time.
#[test]
fn a_question_that_takes_too_long_is_the_only_one_that_fails() {
    let numbers: String = (0..60).map(|n| format!("n({n}). ")).collect();
    let slow = "n(A) & n(B) & n(C) & n(D) & n(E) & n(F) & A + B + C + D + E + F = 1000";
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{numbers}\n{slow}\nn(59)\n{slow}\nn(60)\n");
    let (code, output, errors) = run(folder.path(), &["--timeout", "1s"], &script);
    assert_eq!((code, output.as_str()), (2, "yes\nno\n"), "{errors}");
    assert_eq!(errors.matches("did not finish in 1 s").count(), 2, "{errors}");
    assert!(errors.ends_with("error: 2 of 5 inputs failed\n"), "{errors}");
}

/// Ctrl-C ends a script, at once.
#[cfg(unix)]
#[test]
fn an_interrupted_script_ends() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let mut command = binary::process(".", &["repl"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let numbers: String = (0..60).map(|n| format!("n({n}). ")).collect();
    let slow = "n(A) & n(B) & n(C) & n(D) & n(E) & n(F) & A + B + C + D + E + F = 1000";
    write!(input, "{numbers}\nn(1)\n{slow}\nn(2)\n").unwrap();
    drop(input);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "yes");
    // The slow question is begun by then.
    std::thread::sleep(Duration::from_secs(1));
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(lines.next().is_none());
}

/// Two edges are matched for a goal that is one subgoal over edges, whatever was asked before.
#[test]
fn time_shows_the_probes_of_each_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (_, output, _) = run(folder.path(), &[], "time on\nedge(a, b). edge(b, c).\nedge(X, Y)\nedge(X, Y)\n");
    let probes: Vec<&str> = output.lines().filter_map(|line| Some(line.split_once(", ")?.1)).collect();
    assert_eq!(probes, ["2 probes", "2 probes"], "{output}");
}

/// Answers with facts added and removed one by one are those of the program as it then is.
#[test]
fn facts_one_by_one_are_as_facts_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "p(X, Y) :- e(X, Y).\np(X, Z) :- p(X, Y) & e(Y, Z).\nlast(X) :- p(_, X) & ~e(X, _).\ne(0, 1).\n";
    let mut script = rules.to_owned();
    let mut edges = vec![(0, 1)];
    let mut expected = String::new();
    // A path that grows at its end and shrinks at its start.
    for n in 1..20 {
        edges.push((n, n + 1));
        script += &format!("e({n}, {}).\n", n + 1);
        if n % 3 == 0 {
            let (a, b) = edges.remove(0);
            script += &format!("retract e({a}, {b})\n");
        }
        script += "p(X, 7)\nlast(X)\n";
        let first = edges[0].0;
        let end = n + 1;
        let starts: Vec<i32> = if end >= 7 { (first..7).collect() } else { Vec::new() };
        expected += &match starts.len() {
            0 => "no answers\n".to_owned(),
            count => {
                let rows: String = starts.iter().map(|start| format!("{start}\n")).collect();
                format!("X\n{rows}{count} answer{}\n", if count == 1 { "" } else { "s" })
            }
        };
        expected += &format!("X\n{end}\n1 answer\n");
    }
    let (code, output, errors) = run(folder.path(), &[], &script);
    assert_eq!((code, answers(&output)), (0, expected), "{errors}");
}

/// The rest of a script that ends within a statement is reported.
#[test]
fn an_unfinished_statement_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) = run(folder.path(), &[], "p(a).\nq(X) :-\n  p(X)");
    assert_eq!((code, output.as_str()), (2, ""));
    assert!(errors.contains("error[syntax]") && errors.contains("input 2:"), "{errors}");
}
