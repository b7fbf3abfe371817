//! Tests of the tuples of aggregates as rules, for all systems: what their tuples are compared with comes from the literals before
//! the aggregate.
//!
//! ```text
//! p(Y, N) :- q(Y) & N = count { X : e(X) & X < Y }.
//! tested(Y, X) :- q(Y) & e(X) & X < Y.          p(Y, N) :- q(Y) & N = count { X : tested(Y, X) }.
//! ```

use crate::Refusals;
use crate::translatable::Translatable;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Literal, TupleTests};
use ludolog_syntax::ast::{Atom, PredicateName, Purpose, Term};
use std::sync::Arc;

/// The program without tests of tuples.
pub(crate) fn without_tests(program: &Translatable, refusals: &mut Refusals) -> Translatable {
    let mut changed = program.clone();
    let mut added = Vec::new();
    for (number, rule) in changed.rules.iter_mut().enumerate() {
        let mut literals = rule.body.to_vec();
        for place in 0..literals.len() {
            let Literal::Aggregate(aggregation) = &literals[place] else { continue };
            if aggregation.tests.alternatives.is_empty() {
                continue;
            }
            let before = &literals[..place];
            if program.has_recursive(rule, before) {
                refusals.add(aggregation.atom.span, "an aggregate that is compared with values of a recursion");
            }
            let predicate = PredicateName::from(Purpose::Tested { rule: number, place });
            let args: Vec<Term> = aggregation.outer().chain(aggregation.tuple()).cloned().collect();
            let atom = Atom { predicate, args, span: aggregation.atom.span };
            added.extend(aggregation.tests().into_iter().map(|tests| {
                let row = Literal::Positive(aggregation.atom.clone());
                let body = before.iter().cloned().chain([row]).chain(tests).collect();
                Clause { head: atom.clone(), body, span: rule.span }
            }));
            let bound = aggregation.outer().count();
            let tests = Arc::new(TupleTests { tuple: aggregation.tests.tuple, ..TupleTests::default() });
            let parameters = Vec::new();
            literals[place] = Literal::Aggregate(Aggregation { atom, bound, parameters, tests, ..aggregation.clone() });
        }
        rule.body = literals.into();
    }
    changed.rules.extend(added);
    changed
}
