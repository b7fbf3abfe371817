//! Predicates that analysis splits by their constants: with facts of a case, by hand, and whatever the number of facts.

use crate::binary::run;
use std::fmt::Write as _;
use tempfile::TempDir;

const RANKS: &str = "rank(2, X, S) :- page(X) & S = sum { V, Y : rank(1, Y, V) & link(Y, X) }.
page(a). page(b). link(a, b). link(b, a).
";

const NEGATION: &str = "goal(robot, 100) :- ~goal(robot, 0).\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("ranks.dl", RANKS),
        ("input.dl", &format!(":- input(rank, 'rank.csv').\n{RANKS}")),
        ("goal.dl", NEGATION),
        ("rank.csv", "1,a,5\n1,b,7\n"),
        ("facts.dl", "rank(1, a, 5). rank(1, b, 7).\n"),
        ("half.csv", "robot,50\n"),
        ("none.csv", "robot,0\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Standard output of a run that succeeds.
#[track_caller]
fn told(args: &[&str], script: &str) -> String {
    let (code, told, errors) = run(&folder(), args, script);
    assert_eq!(code, 0, "{args:?}: {errors}");
    told
}

/// By hand: what links to `a` is `b`, of 7, and the other way round.
#[test]
fn facts_of_a_case_get_to_the_parts() {
    let expected = "rank(1, a, 5).\nrank(1, b, 7).\nrank(2, a, 7).\nrank(2, b, 5).\n";
    for optimization in ["none", "auto", "demand"] {
        let with = |args: &[&str]| told(&[args, &["--optimize", optimization]].concat(), "");
        assert_eq!(with(&["facts", "ranks.dl", "--facts", "rank.csv"]), expected);
        assert_eq!(with(&["facts", "ranks.dl", "--facts", "facts.dl"]), expected);
        assert_eq!(with(&["facts", "input.dl"]), expected);
        let answers = with(&["query", "input.dl", "rank(2, X, S)", "--format", "csv"]);
        assert_eq!(answers, "X,S\na,7\nb,5\n");
    }
    assert_eq!(told(&["facts", "goal.dl", "--facts", "goal=half.csv"], ""), "goal(robot, 50).\ngoal(robot, 100).\n");
    assert_eq!(told(&["facts", "goal.dl", "--facts", "goal=none.csv"], ""), "goal(robot, 0).\n");
    assert!(told(&["profile", "input.dl"], "").contains("rank/3"));
}

#[test]
fn explanations_name_the_predicates() {
    let expected = "rank(2, a, 7)    input.dl:2
├─ page(a)
└─ 7 = sum { V, Y : rank(1, Y, V) & link(Y, a) }
   └─ 7, b
";
    assert_eq!(told(&["why", "input.dl", "rank(2, a, 7)"], ""), expected);
    let expected = "rank(2, a, 8) does not hold
└─ rank(2, X, S) :- page(X) & S = sum { V, Y : rank(1, Y, V) & link(Y, X) }.    input.dl:2    X = a, S = 8
   ├─ ✓ page(a)
   └─ ✗ 8 = sum { V, Y : rank(1, Y, V) & link(Y, a) }    it is 7
";
    assert_eq!(told(&["why-not", "input.dl", "rank(2, a, 8)"], ""), expected);
    let expected = "goal(robot, 100) does not hold
└─ goal(robot, 100) :- ~goal(robot, 0).    goal.dl:1
   └─ ✗ ~goal(robot, 0)    goal(robot, 0) holds
";
    assert_eq!(told(&["why-not", "goal.dl", "goal(robot, 100)", "--facts", "goal=none.csv"], ""), expected);
}

#[test]
fn facts_come_and_go_in_a_session() {
    let script = "rank(1, b, 8).\nrank(2, a, S)\nretract rank(1, b, 8).\nrank(1, b, 3).\nrank(2, a, S)\n";
    let told = told(&["repl", "ranks.dl"], script);
    let numbers: Vec<&str> = told.lines().filter(|line| line.parse::<u32>().is_ok()).collect();
    assert_eq!(numbers, ["8", "3"], "{told}");
}

/// By hand. What is not split comes and goes between.
#[test]
fn changes_are_told() {
    let batches = "+rank(1, a, 5).\n\n+rank(1, b, 7).\n+link(a, a).\n\n-rank(1, a, 5).\n\n-link(b, a).\n";
    let expected = "-rank(2, b, 0).
+rank(1, a, 5).
+rank(2, b, 5).

-rank(2, a, 0).
+rank(1, b, 7).
+rank(2, a, 12).

-rank(1, a, 5).
-rank(2, a, 12).
-rank(2, b, 5).
+rank(2, a, 7).
+rank(2, b, 0).

-rank(2, a, 7).
+rank(2, a, 0).

";
    assert_eq!(told(&["watch", "ranks.dl"], batches), expected);
}

/// The negation of all parts has a variable of its own for each, at the positions that are not split too.
#[test]
fn variables_of_a_negation_are_its_own() {
    let rules = "n(5).
p(0, X) :- n(X) & ~n(5).
p(1, X) :- n(X) & q(2).
q(1) :- ~p(0, _).
q(2) :- q(1) & ~p(0, 7).
q(3) :- ~p(_, _).
";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rules.dl"), rules).expect("a file");
    let (code, told, errors) = run(&folder, &["facts", "rules.dl"], "");
    assert_eq!((code, told.as_str()), (0, "p(1, 5).\nq(1).\nq(2).\n"), "{errors}");
}

/// Three predicates are split, by the rounds in their rules; facts have many constants at the same positions.
#[test]
fn rules_are_accepted_whatever_the_number_of_facts() {
    let rules: String = (1..=3)
        .map(|round| {
            let before = round - 1;
            format!(
                "t({round}, X, S) :- node(X) & S = sum {{ V, Y : s({before}, Y, V) & link(Y, X) }}.
u({round}, X, S) :- t({round}, X, V) & S is V mod 97.
s({round}, X, S) :- u({round}, X, S).\n"
            )
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    for nodes in [5, 300] {
        let mut text = rules.clone();
        for node in 0..nodes {
            // Each value goes on to the next node, three times.
            writeln!(text, "node({node}). link({node}, {}). s(0, {node}, {}).", (node + 1) % nodes, node % 97).unwrap();
        }
        std::fs::write(folder.path().join("rules.dl"), text).expect("a file");
        let (code, told, errors) = run(&folder, &["query", "rules.dl", "s(3, 4, V)", "--format", "csv"], "");
        assert_eq!((code, told.as_str()), (0, "V\n1\n"), "{errors}");
    }
}
