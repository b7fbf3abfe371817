//! Predicates that analysis splits by their constants, whatever the number of facts.

use crate::binary::run;
use std::fmt::Write as _;

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
