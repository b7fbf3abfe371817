//! Large relations whose rows no rule tests: the set that tells their rows apart is not made when inputs are loaded, and dropped when all rows
//! of a stratum are derived.
//!
//! A subgoal with a variable of its own is never a test, since nothing else binds that variable. A plan that tests such a relation all the same,
//! a closure whose steps may be symmetric, and a row that comes to it, have the set made again, once and for all.

use super::SemiNaive;
use super::relation::RelationId;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Comparator, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sets of fewer rows are kept: they are small, and to make them again takes time.
const FEWEST_ROWS: usize = 1 << 15;

impl SemiNaive {
    /// Whether so many rows that come to a relation are [loaded](super::relation::Relation::load) at once.
    pub(super) fn loads_first_rows(&mut self, relation: RelationId, count: usize) -> bool {
        count >= self.relations.heuristics().begins_at(FEWEST_ROWS)
            && self.given_mut(relation).is_none()
            && self.relations[relation].can_load()
    }

    /// Drops the sets of rows that no rule tests, and makes those that a rule tests.
    pub(super) fn forget_members(&mut self) {
        let fewest = self.relations.heuristics().begins_at(FEWEST_ROWS);
        let mut kept: FxHashSet<RelationId> = self.strata.iter().flat_map(|stratum| stratum.heads().to_vec()).collect();
        kept.extend(self.evaluators.iter().flat_map(|evaluator| evaluator.reads.iter().copied()));
        for rule in &self.rules {
            let atoms = tested(&rule.clause).filter_map(Literal::atom);
            kept.extend(atoms.filter_map(|atom| self.relations.get(&atom.signature())));
        }
        for (id, relation) in self.relations.as_mut_slice().iter_mut().enumerate() {
            if kept.contains(&id) {
                relation.remember_members();
            } else if relation.len() >= fewest {
                relation.forget_members();
            }
        }
    }

    /// Drops the sets of rows of a stratum that is complete, if no rule of another one tests them.
    pub(super) fn forget_derived(&mut self, stratum: usize) {
        let fewest = self.relations.heuristics().begins_at(FEWEST_ROWS);
        for number in 0..self.strata[stratum].heads().len() {
            let head = self.strata[stratum].heads()[number];
            let relation = &self.relations[head];
            let may_forget = relation.len() >= fewest && !relation.has_forgotten();
            if may_forget && !self.is_tested_elsewhere(head, stratum) {
                self.relations[head].forget_members();
            }
        }
    }

    fn is_tested_elsewhere(&self, relation: RelationId, stratum: usize) -> bool {
        let is_of = |literal: &Literal| {
            literal.atom().is_some_and(|atom| self.relations.get(&atom.signature()) == Some(relation))
        };
        let others = self.rules.iter().enumerate().filter(|(number, _)| !self.strata[stratum].rules().contains(number));
        self.evaluators.iter().any(|evaluator| evaluator.reads.contains(&relation))
            || others
                .filter(|(_, rule)| rule.clause.body.iter().any(is_of))
                .any(|(_, rule)| tested(&rule.clause).any(is_of))
    }
}

/// The literals of a clause that may test a row: all but subgoals with a variable that no other literal binds.
fn tested(clause: &Clause) -> impl Iterator<Item = &Literal> {
    let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
    for literal in clause.body.iter().filter(|literal| may_bind(literal)) {
        variables(literal).into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    }
    clause.body.iter().filter(move |literal| {
        !matches!(literal, Literal::Positive(_)) || variables(literal).iter().all(|name| counts[name] > 1)
    })
}

fn may_bind(literal: &Literal) -> bool {
    match literal {
        Literal::Positive(_) | Literal::Aggregate(_) => true,
        Literal::Compare(comparison) => matches!(comparison.comparator, Comparator::Is | Comparator::Equal),
        Literal::Member { negated, .. } => !negated,
        Literal::Negative(_) | Literal::NotCompare(_) => false,
    }
}

fn variables(literal: &Literal) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    literal.for_each_variable(&mut |name| _ = names.insert(name.clone()));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_logic::analysis;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse};

    #[test]
    fn a_subgoal_with_a_variable_of_its_own_tests_no_row() {
        let text = "p(X, Z) :- p(X, Y) & e(Y, Z). t(X) :- e(X, Y) & f(Y, X) & ~g(X). u(X) :- h(X, 1) & k(X, Y, 2).
            v(X) :- k(X, Y, Z) & Y < Z. e(1, 2). f(2, 1). g(1). h(1, 1). k(1, 1, 2). p(1, 1).";
        let mut sources = Sources::new();
        let source = sources.add("untested.dl", text);
        let parsed = parse(source, &sources, Syntax::Datalog).into_result().unwrap();
        let rules = analysis::analyze(&parsed).unwrap().stratified.program.rules;
        let mut names: Vec<String> = rules
            .iter()
            .flat_map(tested)
            .filter_map(|literal| literal.atom().map(|atom| atom.predicate.text().to_owned()))
            .collect();
        names.sort();
        assert_eq!(names, ["e", "f", "g", "h"]);
    }
}
