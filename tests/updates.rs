//! `ludolog watch`: derived facts while given ones come and go.

use crate::binary::run;

const RULES: &str = "path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y) & edge(Y, Z).
lonely(X) :- node(X) & ~path(X, _).
degree(X, N) :- node(X) & N = count { Y : edge(X, Y) }.
";

/// The engines, as arguments.
fn engines() -> Vec<&'static [&'static str]> {
    let all: &[&[&str]] = &[&["semi-naive"], &["dataflow"], &["dataflow", "--workers", "3"]];
    all[..if cfg!(feature = "dataflow") { 3 } else { 1 }].to_vec()
}

/// Exit status, standard output and standard error of a run on nodes 1 to 3 and one edge.
fn watch(engine: &[&str], args: &[&str], input: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("rules.dl", RULES);
    write("node.csv", "1\n2\n3\n");
    write("edge.csv", "1,2\n");
    run(
        folder.path(),
        &[&["watch", "rules.dl", "--facts", "node.csv", "--facts", "edge.csv", "--engine"], engine, args].concat(),
        input,
    )
}

/// Worked by hand. The second batch takes an edge of 1 and gives it another, so that its degree stays; the third to the fifth
/// change nothing.
#[test]
fn each_batch_tells_what_went_and_what_came() {
    let input = "+edge(2, 3).\n\n-edge(1, 2).\n+edge(1, 3).\n\n+edge(1, 3).\n\n-edge(9, 9)\n\n\n-node(3).\n";
    let expected = "-degree(2, 0).
-lonely(2).
+degree(2, 1).
+path(1, 3).
+path(2, 3).

-path(1, 2).




-degree(3, 0).
-lonely(3).

";
    for engine in engines() {
        let (code, output, errors) = watch(engine, &[], input);
        assert_eq!((code, output.as_str()), (0, expected), "{engine:?}: {errors}");
        assert_eq!(errors.contains("derives again what a change may touch"), engine == ["semi-naive"], "{errors}");
    }
}

#[test]
fn one_predicate_is_told_of_also_as_json() {
    for engine in engines() {
        let (code, output, _) = watch(engine, &["--predicate", "lonely/1"], "+edge(3, f(x)).\n+edge(2, [a]).\n");
        assert_eq!((code, output.as_str()), (0, "-lonely(2).\n-lonely(3).\n\n"), "{engine:?}");
        let (_, output, _) = watch(engine, &["--predicate", "edge/2", "--format", "json"], "+edge(f(x), 2).");
        let document: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        let came = serde_json::json!([{ "predicate": "edge", "arguments": ["f(x)", 2] }]);
        assert_eq!(document, serde_json::json!({ "went": [], "came": came }), "{engine:?}");
    }
}

/// A batch with an error changes nothing, and those behind it go on.
#[test]
fn a_batch_is_all_or_nothing() {
    let input = "+edge(2, 3).\n+edge(X, 1).\n\n+edge(2,\n\nedge(2, 1).\n\n+edge(3, 1).\n";
    for engine in engines() {
        let (code, output, errors) = watch(engine, &["--predicate", "path/2"], input);
        assert_eq!((code, output.as_str()), (2, "+path(3, 1).\n+path(3, 2).\n\n"), "{engine:?}");
        for line in ["line 2, and so its batch, is refused", "line 4, and", "line 6, and", "as in +edge(a, b)."] {
            assert!(errors.contains(line), "no `{line}`: {errors}");
        }
    }
}

/// Stones are placed before the first batch, so that it tells of its own changes alone.
#[test]
fn the_events_of_the_case_are_no_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("rules.dl", "place(P, X) ==> stone(P, X).\nhas(P) :- stone(P, _).\n");
    write("position.txt", "R .\n . B\n");
    let args = ["watch", "rules.dl", "--position", "position.txt", "--engine"];
    for engine in engines() {
        let (code, output, errors) = run(folder.path(), &[&args, engine].concat(), "+stone(green, a3).\n");
        assert_eq!((code, output.as_str()), (0, "+has(green).\n+stone(green, a3).\n\n"), "{engine:?}: {errors}");
    }
}

/// What a stream gets wrong is told, as by the prompt: numbers of arguments, also of what goes, and names that nothing reads, once each.
#[test]
fn slips_are_told() {
    let input = "+edge(2, 3, 4).\n\n-edge(1).\n\n+edeg(2, 3).\n+edeg(2, 1).\n\n+edge(2, 3).\n";
    for engine in engines() {
        let (code, output, errors) = watch(engine, &["--predicate", "path/2"], input);
        assert_eq!((code, output.as_str()), (2, "\n+path(1, 3).\n+path(2, 3).\n\n"), "{engine:?}: {errors}");
        for told in [
            "line 1, and so its batch, is refused",
            "`edge` has 2 arguments in the program, and 3 arguments here",
            "line 3, and so its batch, is refused",
            "`edge` has 2 arguments in the program, and 1 argument here",
            "nothing reads `edeg/2`, which got facts",
            "did you mean `edge`?",
        ] {
            assert_eq!(errors.matches(told).count(), 1, "`{told}`: {errors}");
        }
    }
}
