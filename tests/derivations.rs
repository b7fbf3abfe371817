//! Derivations of random programs, small ones and over hundreds of rows: each step is an instance of its rule, down to given facts.

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
