//! Elimination of variables: a rule is split so that its ground rules are fewer.
//!
//! A rule with `n` variables over `d` values has up to `dⁿ` ground rules. Where some variable occurs in few literals,
//! these become a rule of their own, whose head has the variables that the others share with them:
//!
//! ```text
//! p(X) :- q(X, Y) & r(Y, Z) & s(Z).      p(X) :- q(X, Y) & part(Y).     part(Y) :- r(Y, Z) & s(Z).
//! ```
//!
//! This is bucket elimination (Dechter, *Bucket elimination: a unifying framework for reasoning*, 1999) of the variable
//! with the smallest bucket first.

use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The variables of a literal or a head.
type VariableSet = BTreeSet<Name>;

/// The literals that one variable is eliminated with.
struct Bucket {
    literals: Vec<usize>,
    /// All variables in them.
    variables: VariableSet,
    /// Those that the rest of the rule needs.
    shared: VariableSet,
}

/// Splits a rule whose head is `dynamic`; the new predicates are added to `dynamic`. Other rules stay.
pub fn eliminate(rule: Clause, dynamic: &mut FxHashSet<Predicate>) -> Vec<Clause> {
    if !dynamic.contains(&rule.head.signature()) {
        return vec![rule];
    }
    let mut rules = Vec::new();
    let mut rest = rule;
    while let Some(bucket) = smallest_bucket(&rest) {
        let args = bucket.shared.iter().cloned().map(Term::Variable).collect();
        let head = Atom::new(Purpose::Eliminated(dynamic.len()), args);
        dynamic.insert(head.signature());
        let first = bucket.literals[0];
        let mut body = Vec::new();
        let mut part = Vec::new();
        for (i, literal) in std::mem::take(&mut rest.body).into_iter().enumerate() {
            if i == first {
                body.push(Literal::Positive(head.clone()));
            }
            if bucket.literals.contains(&i) { &mut part } else { &mut body }.push(literal);
        }
        rules.push(Clause { head, body: part.into(), span: rest.span });
        rest.body = body.into();
    }
    rules.push(rest);
    rules
}

/// The smallest bucket that makes the rule smaller and leaves both parts safe.
fn smallest_bucket(rule: &Clause) -> Option<Bucket> {
    let head = names(|visit| rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| visit(name))));
    let of: Vec<VariableSet> =
        rule.body.iter().map(|literal| names(|visit| literal.for_each_variable(&mut |name| visit(name)))).collect();
    let all: VariableSet = of.iter().flatten().chain(&head).cloned().collect();
    let buckets = all.difference(&head).filter_map(|variable| {
        let mut literals: Vec<usize> = (0..of.len()).filter(|&i| of[i].contains(variable)).collect();
        let variables: VariableSet = literals.iter().flat_map(|&i| of[i].iter().cloned()).collect();
        if variables.len() == all.len() {
            return None;
        }
        // What only tests these variables comes along.
        let tests = (0..of.len()).filter(|&i| {
            !matches!(rule.body[i], Literal::Positive(_)) && !of[i].is_empty() && of[i].is_subset(&variables)
        });
        literals.extend(tests.collect::<Vec<_>>());
        literals.sort_unstable();
        literals.dedup();
        let outside = (0..of.len()).filter(|i| !literals.contains(i)).flat_map(|i| &of[i]).chain(&head);
        let outside: VariableSet = outside.cloned().collect();
        let shared: VariableSet = variables.intersection(&outside).cloned().collect();
        let bucket = Bucket { literals, variables, shared };
        is_split_safe(rule, &bucket).then_some(bucket)
    });
    buckets.min_by_key(|bucket| (bucket.variables.len(), bucket.shared.len()))
}

fn is_split_safe(rule: &Clause, bucket: &Bucket) -> bool {
    let args: Vec<Term> = bucket.shared.iter().cloned().map(Term::Variable).collect();
    let head = Atom::new("", args);
    let part: Body = bucket.literals.iter().map(|&i| rule.body[i].clone()).collect();
    let others = (0..rule.body.len()).filter(|i| !bucket.literals.contains(i)).map(|i| rule.body[i].clone());
    let rest: Body = [Literal::Positive(head.clone())].into_iter().chain(others).collect();
    part.is_safe_for(&head.args) && rest.is_safe_for(&rule.head.args)
}

fn names(visit: impl FnOnce(&mut dyn FnMut(&Name))) -> VariableSet {
    let mut names = VariableSet::new();
    visit(&mut |name| _ = names.insert(name.clone()));
    names
}
