//! The sizes that a program is planned for, and the work that rests on each: what an engine checks while it runs.
//!
//! Progressive optimization plans a query again where a size turns out to be another one than expected (V. Markl et al., *Robust query processing
//! through progressive optimization*, SIGMOD 2004). It pays the more, the sooner sizes are known, so the cheapest strata come first.

use super::cost::Model;
use super::cost_model::CostModel;
use super::groups::TAKE_IN;
use super::inputs::Inputs;
use super::program::OptimizedProgram;
use crate::analysis::cheapest_first;
use crate::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The expected size of a predicate that a later stratum joins.
#[derive(Clone, Debug)]
pub struct ExpectedSize {
    /// The predicate, which has rules and is none of those that are made up.
    pub predicate: Predicate,
    /// The number of its facts.
    pub facts: f64,
    /// The expected cost of all strata that join it, with those of the parts and tuples that they read.
    pub cost_of_joins: f64,
}

/// The expected work of a program, and the sizes that it rests on.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// The sizes, in no order.
    pub sizes: Vec<ExpectedSize>,
    /// The cost of all strata.
    pub cost: f64,
}

/// Puts the cheapest strata first, and tells the sizes for which the joins of later ones are planned.
///
/// # Errors
///
/// The reason, when the budget ends first.
pub fn expect_sizes(
    program: &mut OptimizedProgram,
    inputs: &Inputs,
    cost_model: CostModel,
    budget: &Budget,
) -> Result<Expectations, Stopped> {
    let model = Model::new(&program.stratified, inputs, cost_model, budget)?;
    let closures: FxHashSet<&Predicate> = program.closures.iter().map(|closure| &closure.predicate).collect();
    let strata = &program.stratified.strata;
    let numbers = strata.iter().enumerate().flat_map(|(number, stratum)| stratum.iter().map(move |one| (one, number)));
    let numbers: FxHashMap<&Predicate, usize> = numbers.collect();
    let mut costs = Vec::with_capacity(strata.len());
    for stratum in strata {
        let run = stratum.iter().filter(|predicate| !closures.contains(predicate));
        let rules = run.flat_map(|predicate| model.rules_of(predicate));
        let joins = rules.map(|rule| model.rule_join(rule, 0, 0));
        costs.push(joins.map(|join| join.map(|join| join.cost + TAKE_IN * join.bindings)).sum::<Result<f64, _>>()?);
    }
    // By predicate: the strata of which something depends on its size.
    let mut joins: FxHashMap<Predicate, BTreeSet<usize>> = FxHashMap::default();
    for rule in &program.stratified.program.rules {
        let read: Vec<Predicate> = joined(rule).collect();
        let head = rule.head.signature();
        let parts = read.iter().filter(|one| one.is_auxiliary());
        let strata: Vec<usize> = parts.chain([&head]).filter_map(|one| numbers.get(one).copied()).collect();
        for predicate in read {
            joins.entry(predicate).or_default().extend(&strata);
        }
    }
    let mut sizes = Vec::with_capacity(joins.len());
    for (predicate, strata) in joins {
        let is_planned = !predicate.is_auxiliary() && !closures.contains(&predicate);
        let Some(own) = numbers.get(&predicate).filter(|_| is_planned && !model.rules_of(&predicate).is_empty()) else {
            continue;
        };
        let cost_of_joins = strata.iter().filter(|stratum| *stratum != own).map(|&stratum| costs[stratum]).sum();
        let facts = model.statistics.rows(&predicate);
        sizes.push(ExpectedSize { predicate, facts, cost_of_joins });
    }
    cheapest_first(&mut program.stratified, &costs);
    Ok(Expectations { sizes, cost: costs.iter().sum() })
}

/// The predicates that a rule joins with others.
fn joined(rule: &Clause) -> impl Iterator<Item = Predicate> {
    let reads = |literal: &&Literal| matches!(literal, Literal::Positive(_) | Literal::Aggregate(_));
    let is_join = rule.body.iter().filter(reads).count() > 1;
    rule.body.iter().filter(reads).filter_map(Literal::atom).map(Atom::signature).filter(move |_| is_join)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::{BOTTOM_UP, program};

    /// Of ten nodes in a circle all have a way of two steps, and a lookup by the first of three meets one edge.
    #[test]
    fn the_cheapest_strata_come_first_and_sizes_have_the_cost_of_their_joins() {
        let edges: String = (0..10).map(|i| format!("e({i}, {}). ", (i + 1) % 10)).collect();
        let text = format!(
            "{edges} two(X, Z) :- e(X, Y) & e(Y, Z). few(X) :- e(X, Y) & X < 3. last(X, Z) :- few(X) & two(X, Z).
             copy(X) :- last(X, Z)."
        );
        let mut optimized = OptimizedProgram::from(program(&text));
        let inputs = Inputs::of(&optimized.stratified);
        let Expectations { mut sizes, cost } =
            expect_sizes(&mut optimized, &inputs, BOTTOM_UP, &Budget::unlimited()).expect("no limits");
        let names = optimized.stratified.strata.iter().map(|stratum| stratum[0].name.text().to_owned());
        assert_eq!(names.collect::<Vec<_>>(), ["e", "few", "two", "last", "copy"]);
        sizes.sort_by_key(|size| size.predicate.name.text().to_owned());
        let facts: Vec<(&str, f64)> = sizes.iter().map(|size| (size.predicate.name.text(), size.facts)).collect();
        // A comparison lets six tenths through, and nothing joins `last`.
        assert_eq!(facts, [("few", 6.0), ("two", 10.0)]);
        assert_eq!(sizes[0].cost_of_joins, sizes[1].cost_of_joins);
        assert!(sizes[0].cost_of_joins < cost);
    }
}
