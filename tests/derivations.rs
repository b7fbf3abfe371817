//! Derivations of random programs, small ones and over hundreds of rows: each step is an instance of its rule, down to given facts.

use crate::binary::run;
use crate::random::{self, accepted, cases, lattices};
use crate::refutation::{Binding, all_match};
use ludolog::analysis::clause::{Literal, StratifiedProgram};
use ludolog::engine::semi_naive::SemiNaive;
use ludolog::engine::{Budget, Derivation, Engine, Inference, Support};
use ludolog::optimize::OptimizedProgram;
use ludolog::syntax::ast::{AggregateFunction, Atom, Join};
use petgraph::algo::is_cyclic_directed;
use petgraph::graph::DiGraph;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashSet;

/// The facts of a program that are explained: of more, some from all over.
const EXPLAINED: usize = 200;

/// Checks that a derivation is one of this fact, from these given ones.
fn verify(derivation: &Derivation, fact: &Atom, given: &HashSet<&Atom>) -> Result<(), TestCaseError> {
    prop_assert_eq!(&derivation.inferences[0].fact, fact);
    let mut needs: Vec<(u32, u32)> = Vec::new();
    for (number, Inference { fact, support }) in derivation.inferences.iter().enumerate() {
        match support {
            Support::Given => prop_assert!(given.contains(fact), "{} is not given", fact),
            Support::Rule { clause, premises, .. } => {
                let mut binding = Binding::new();
                prop_assert_eq!(clause.head.signature(), fact.signature());
                prop_assert!(all_match(&clause.head.args, &fact.args, &mut binding), "{} is no {}", fact, clause.head);
                let subgoals: Vec<&Atom> = clause.body.iter().filter_map(positive).collect();
                prop_assert_eq!(premises.len(), subgoals.len());
                for (subgoal, &premise) in subgoals.into_iter().zip(premises) {
                    let found = &derivation.inferences[premise].fact;
                    prop_assert_eq!(subgoal.signature(), found.signature());
                    let is_instance = all_match(&subgoal.args, &found.args, &mut binding);
                    prop_assert!(is_instance, "{} is no {} of {}", found, subgoal, fact);
                    needs.push((number as u32, premise as u32));
                }
            }
            Support::Unfounded { .. } => prop_assert!(false, "{} holds", fact),
        }
    }
    prop_assert!(!is_cyclic_directed(&DiGraph::<(), ()>::from_edges(needs)), "{} needs itself", fact);
    Ok(())
}

fn positive(literal: &Literal) -> Option<&Atom> {
    match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    }
}

/// Explains the facts of a program. None of one that takes longer than a test has time for, and of values that are united.
fn explain(program: StratifiedProgram) -> Result<(), TestCaseError> {
    let mut lattices = program.program.lattices.values();
    if lattices.any(|lattice| lattice.join == Join::Function(AggregateFunction::Union)) {
        return Ok(());
    }
    let given: HashSet<&Atom> = program.program.facts.iter().collect();
    let budget = Budget::unlimited().with_max_facts(20_000).with_max_probes(2_000_000);
    let mut engine = SemiNaive::load(&OptimizedProgram::from(program.clone()), true, &budget).expect("it loads");
    if engine.update(&budget).is_err() {
        return Ok(());
    }
    let predicates = engine.predicates().into_iter();
    let facts: Vec<Atom> =
        predicates.flat_map(|predicate| engine.facts(&predicate, &budget).expect("they are derived")).collect();
    for fact in facts.iter().step_by(facts.len().div_ceil(EXPLAINED).max(1)) {
        let derivation = engine.as_explain().and_then(|explain| explain.derivation(fact));
        prop_assert!(derivation.is_some(), "{} holds", fact);
        derivation.map_or(Ok(()), |derivation| verify(&derivation, fact, &given))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn facts_follow_from_given_ones(case in random::rich_case(), other in lattices::rich_case()) {
        [case, other].iter().filter_map(|case| accepted(&case.text)).try_for_each(explain)?;
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn facts_of_large_relations_follow_from_given_ones(
        rows in 100..600usize,
        shape in vec(any::<u8>(), 28),
        rules in vec(vec(any::<u8>(), 48), 1..6),
    ) {
        let texts = [lattices::large_program(rows, &shape, &rules), crate::large::program(rows, &rules)];
        texts.iter().filter_map(|text| accepted(text)).try_for_each(explain)?;
    }
}

/// The tree of `ludolog why`, of a fact in a file of this name.
fn why(file: &str, rules: &str, fact: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), rules).expect("a file");
    run(&folder, &["why", file, fact], "").1
}

/// Analysis splits `goal` and `p` by their constants. A derivation names the predicates, by the rules as written.
#[test]
fn split_predicates_show_as_written() {
    let robots = "broken(b).
robot(a). robot(b).
goal(R, 0) :- robot(R) & broken(R).
goal(R, 100) :- robot(R) & ~goal(R, 0).
happy(R) :- goal(R, 100).
";
    let expected = "happy(a)    r.dl:5
└─ goal(a, 100)    r.dl:4
   ├─ robot(a)
   └─ ~goal(a, 0)
";
    assert_eq!(why("r.dl", robots, "happy(a)"), expected);
    let expected = "goal(b, 0)    r.dl:3
├─ robot(b)
└─ broken(b)
";
    assert_eq!(why("r.dl", robots, "goal(b, 0)"), expected);
    // No rule derives the part that the last one negates.
    let other = "t(ab).\np(3, a) :- t(ab).\np(3, b) :- t(ab) & ~p(0, b).\n";
    assert_eq!(why("r.dl", other, "p(3, b)"), "p(3, b)    r.dl:3\n├─ t(ab)\n└─ ~p(0, b)\n");
    let game = "(role robot) (init ok)
(<= (goal robot 100) (not (goal robot 0)))
(<= (goal robot 0) (true bad))
(<= (legal robot noop))
(<= terminal (true ok))
(<= (next ok) (true ok))
";
    assert_eq!(why("r.kif", game, "(goal robot 100)"), "(goal robot 100)    r.kif:2\n└─ (not (goal robot 0))\n");
}

/// A given fact of a part, a disjunction with a computed value, and a recursion within the part; the arguments that are no constants of the
/// rules are told apart by comparisons that nobody has written.
#[test]
fn steps_of_split_predicates_have_the_conditions_of_their_rules() {
    let rules = "e(1). e(2). q(1, 5). q(2, 7). f(4, z).
p(9, c).
p(X, b) :- e(X) & (q(X, M) & X = 9 | q(X, N) & M is N + 1 & M > 7) & ~p(M, c).
p(X, a) :- e(X) & p(X, b) & ~p(_, d) & X != 1.
p(X, Y) :- f(X, Y).
";
    let expected = "p(2, a)    r.dl:4
├─ e(2)
├─ p(2, b)    r.dl:3
│  ├─ e(2)
│  ├─ q(2, 7)
│  ├─ 8 is 7 + 1
│  ├─ 8 > 7
│  └─ ~p(8, c)
├─ ~p(_1, d)
└─ 2 != 1
";
    assert_eq!(why("r.dl", rules, "p(2, a)"), expected);
    assert_eq!(why("r.dl", rules, "p(9, c)"), "p(9, c)\n");
    assert_eq!(why("r.dl", rules, "p(4, z)"), "p(4, z)    r.dl:5\n└─ f(4, z)\n");
}
