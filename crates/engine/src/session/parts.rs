//! Facts of predicates that analysis has split by their constants.
//!
//! Facts of the case are of whole predicates, and would not get to the parts. So the program is split again with these facts among its own, and
//! runs on the rest of the case.

use crate::case::Case;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::analysis::{well_founded, with_split_facts};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxHashSet;

/// A program with the facts of a case whose predicates are split.
pub struct Parts {
    /// The program with these facts.
    pub program: StratifiedProgram,
    /// The case without them.
    pub case: Case,
    /// The predicates of the program that may have undefined facts.
    pub undefinable: FxHashSet<Predicate>,
}

impl Parts {
    /// Splits a program with the facts of a case; `None` if the case has none of a split predicate.
    pub fn of(program: &StratifiedProgram, case: &Case, budget: &Budget) -> Result<Option<Parts>, Stopped> {
        let split: FxHashSet<Predicate> = program.split.iter().map(|rule| rule.head.signature()).collect();
        let concerned = case.predicates().into_iter().find(|predicate| split.contains(predicate));
        let Some(concerned) = concerned else { return Ok(None) };
        let is_split = |fact: &Atom| split.contains(&fact.signature());
        let mut rest = case.clone();
        let mut facts: Vec<Atom> = rest.geometry.extract_if(.., |fact| is_split(fact)).collect();
        facts.extend(rest.facts.iter().filter(|fact| is_split(fact)).cloned());
        rest.facts.retain(|fact| !is_split(fact));
        for table in case.tables.iter().filter(|table| split.contains(table.predicate())) {
            budget.check()?;
            facts.extend(table.atoms(table.rows()));
        }
        rest.tables.retain(|table| !split.contains(table.predicate()));
        let Some(program) = with_split_facts(program, facts, budget)? else {
            return Err(Stopped::Unsupported(format!(
                "with its given facts, `{concerned}` depends on its own negation or on an aggregate over itself: name apart what is given and \
                 what is derived"
            )));
        };
        let undefinable = well_founded::undefinable(&program);
        Ok(Some(Parts { program, case: rest, undefinable }))
    }
}
