//! Constraints, `:- conditions.`: what breaks them is told on every engine, in every command that has facts, and in both syntaxes.

use crate::binary;
use serde_json::Value;
use tempfile::TempDir;

/// Three guests share a seat, and one has two.
const SEATS: &str = "seat(ann, 1). seat(bob, 2). seat(cem, 2). seat(dan, 2). seat(dan, 3).
taken(N) :- seat(_, N).
:- seat(A, N) & seat(B, N) & A != B.
:- seat(A, M) & seat(A, N) & M < N.
:- taken(4) | seat(eve, _).
";

/// The first two of them.
const FIRST: &str = "error[broken-constraint]: a constraint is broken by 6 bindings";
const SECOND: &str = "error[broken-constraint]: a constraint is broken by 1 binding";

fn folder(texts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in texts {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// The status and the outputs of a command.
fn run(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    binary::run(folder, args, "")
}

#[test]
fn what_breaks_a_constraint_is_told_after_the_answers() {
    let folder = folder(&[("seats.dl", SEATS)]);
    for engine in ["semi-naive", "resolution"] {
        let (status, out, told) = run(&folder, &["query", "seats.dl", "seat(ann, N)", "--engine", engine]);
        assert_eq!((status, out.contains('1')), (2, true), "{engine}: {told}");
        assert!(told.contains(FIRST) && told.contains(SECOND), "{engine}: {told}");
        assert!(
            told.contains("seats.dl:3:1") && told.contains("seats.dl:4:1") && !told.contains("seats.dl:5"),
            "{told}"
        );
        assert!(told.contains("A = dan, M = 2, N = 3") && told.contains("and 1 more"), "{engine}: {told}");
        let (status, out, told) = run(&folder, &["facts", "seats.dl", "--engine", engine]);
        assert_eq!((status, &*out), (2, "taken(1).\ntaken(2).\ntaken(3).\n"), "{told}");
        assert!(told.contains(FIRST), "{told}");
    }
}

#[test]
fn facts_of_the_case_keep_or_break_it() {
    let rules = ":- edge(X, X).\n:- edge(X, Y) & ~node(Y).\n?- edge(a, X).\n";
    let folder = folder(&[("rules.dl", rules), ("good.dl", "edge(a, b). node(b)."), ("bad.dl", "edge(a, b).")]);
    assert_eq!(run(&folder, &["query", "rules.dl", "--facts", "good.dl"]).0, 0);
    let (status, _, told) = run(&folder, &["query", "rules.dl", "--facts", "bad.dl"]);
    assert_eq!((status, told.contains("rules.dl:2:1"), told.contains("X = a, Y = b")), (2, true, true), "{told}");
}

/// The prompt keeps constraints of files and takes more, and tells those that are broken until the facts have changed.
#[test]
fn the_prompt_asks_constraints() {
    let folder =
        folder(&[("seats.dl", "seat(ann, 1). seat(bob, 2). seat(cem, 2).\n:- seat(A, N) & seat(B, N) & A != B.\n")]);
    let errors = |script: &str| {
        let (status, _, told) = binary::run(&folder, &["repl", "seats.dl"], script);
        (status, told.matches("error[broken-constraint]").count())
    };
    assert_eq!(errors("seat(ann, N)\n"), (2, 1));
    assert_eq!(errors("seat(ann, N)\nfacts\n?- seat(ann, N).\n"), (2, 3));
    assert_eq!(errors("seat(ann, N)\nretract seat(cem, 2).\nseat(ann, N)\n"), (2, 1));
    assert_eq!(errors("retract seat(cem, 2).\nseat(ann, N)\nfacts\n"), (0, 0));
    assert_eq!(errors("retract 1\nseat(ann, N)\n"), (0, 0));
    assert_eq!(errors("retract seat(cem, 2).\n:- seat(ann, _).\nseat(bob, N)\n"), (2, 1));
}

/// `win(a)` and `win(b)` are undefined: each position leads to the other one alone.
#[test]
fn an_undefined_constraint_is_told_and_not_broken() {
    let folder = folder(&[("game.dl", "move(a, b). move(b, a).\nwin(X) :- move(X, Y) & ~win(Y).\n:- win(a).\n")]);
    let (status, _, told) = run(&folder, &["query", "game.dl", "move(a, X)"]);
    assert_eq!((status, told.matches("warning[undefined-constraint]").count()), (0, 1), "{told}");
    assert!(told.contains("game.dl:3:1") && !told.contains("broken-constraint"), "{told}");
}

#[test]
fn json_is_one_document() {
    let folder = folder(&[("seats.dl", SEATS)]);
    for command in [&["query", "seats.dl", "seat(ann, N)"][..], &["facts", "seats.dl"]] {
        let (status, out, _) = run(&folder, &[command, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
        assert_eq!(status, 2);
        assert!(document.to_string().contains("broken-constraint"), "{document}");
    }
}

#[test]
fn a_snapshot_does_not_hide_a_broken_constraint() {
    let folder =
        folder(&[("good.dl", "p(1). q(X) :- p(X).\n:- q(2).\n"), ("bad.dl", "p(1). q(X) :- p(X).\n:- q(1).\n")]);
    let accept = |name: &str| run(&folder, &["test", name, "--accept"]);
    assert_eq!(accept("good.dl").0, 0);
    let (status, _, told) = accept("bad.dl");
    assert_eq!((status, told.contains("broken-constraint")), (2, true), "{told}");
}

#[test]
fn both_syntaxes_print_what_they_read() {
    let text = ":- p(X) & (q(X) | ~r(X)).\n:- (input(X, Y)) & X != Y.\n";
    let folder = folder(&[("rules.dl", text), ("directive.dl", ":- input(X, Y).\n")]);
    assert_eq!(run(&folder, &["fmt", "--check", "rules.dl"]).0, 0);
    let (_, kif, _) = run(&folder, &["convert", "rules.dl", "--to", "kif"]);
    assert!(kif.contains("(<= () (p ?x) (or (q ?x) (not (r ?x))))"), "{kif}");
    std::fs::write(folder.path().join("rules.kif"), &kif).expect("a file");
    assert_eq!(run(&folder, &["convert", "rules.kif", "--to", "dl"]).1, text);
    let (status, _, told) = run(&folder, &["check", "directive.dl"]);
    assert_eq!((status, told.contains("this directive has other arguments")), (2, true), "{told}");
}

#[test]
fn a_constraint_is_checked_as_a_rule_is() {
    let folder = folder(&[
        ("unsafe.dl", "p(1).\n:- p(X) & X < Y.\n"),
        ("empty.kif", "(<= ())\n"),
        ("sound.dl", "p(1).\n:- p(2).\n"),
    ]);
    let (status, _, told) = run(&folder, &["check", "unsafe.dl"]);
    assert_eq!((status, told.contains("unsafe-variable")), (2, true), "{told}");
    let (status, _, told) = run(&folder, &["check", "empty.kif"]);
    assert_eq!((status, told.contains("forbids nothing")), (2, true), "{told}");
    assert_eq!(run(&folder, &["check", "sound.dl"]).0, 0);
    let (status, _, told) = run(&folder, &["compile", "sound.dl", "--to", "souffle"]);
    assert_eq!((status, told.contains("untranslatable")), (2, true), "{told}");
}
