//! The contract of an engine, as resolution keeps it.

use super::Resolution;
use crate::contract::{Answers, Engine, EngineDescription, Load, Refused, Retract, Rows, Work};
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::{Goal, Literal};
use ludolog_logic::optimize::CostModel;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};

/// The top-down engine: left to right, without memory.
pub const RESOLUTION: EngineDescription = EngineDescription {
    name: "resolution",
    summary: "Top-down, left to right, without memory",
    // The time of a unit of work is measured as that of semi-naive evaluation.
    cost_model: CostModel {
        name: "resolution",
        calls: true,
        rounds: false,
        closures: false,
        ranges: false,
        proves_once: false,
        work_nanoseconds: 23,
    },
    optimized: true,
    interrupt: true,
    well_founded: false,
    lattices: false,
    choices: false,
    make: Load::Plain(&|program, budget| Ok(Box::new(Resolution::load(program, budget)?))),
    make_recording: None,
};

impl Engine for Resolution {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        let (relation, row) = self.database.row(fact);
        Ok(self.add(relation, &row))
    }

    fn update(&mut self, _budget: &Budget) -> Result<(), Stopped> {
        Ok(())
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        Answers::of(self, goal, first, budget)
    }

    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check(event)?;
        let (relation, row) = self.database.row(event);
        let is_new = self.add(relation, &row);
        let effects = self.effects(budget);
        if is_new {
            self.database.relations[relation].table.remove(&row);
        }
        let [deletions, additions] = effects?;
        for (relation, row) in deletions {
            self.database.relations[relation].table.remove(&row);
        }
        for (relation, row) in additions {
            self.add(relation, &row);
        }
        Ok(())
    }

    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        let mut rows = Vec::new();
        self.for_each_row(predicate, budget, &mut |row| rows.push(row.to_vec()))?;
        let relation = self.database.relation(predicate);
        Ok(rows.iter().map(|row| self.database.atom(relation, row)).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let relations = self.database.relations.iter();
        let mut predicates: Vec<Predicate> = relations
            .filter(|(predicate, _)| !predicate.is_auxiliary())
            .filter(|(_, relation)| !relation.rules.is_empty() || !relation.table.is_empty())
            .map(|(predicate, _)| predicate.clone())
            .collect();
        predicates.cold_sort();
        predicates
    }

    fn work(&self) -> Work {
        self.machine.work
    }

    fn as_rows(&mut self) -> Option<&mut dyn Rows> {
        Some(self)
    }

    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        Some(self)
    }
}

impl Retract for Resolution {
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        let (relation, row) = self.database.row(fact);
        Ok(self.database.relations[relation].table.remove(&row))
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.openness.check_predicate(predicate)?;
        facts.iter().try_for_each(|fact| self.openness.check(fact))?;
        let relation = self.database.relation(predicate);
        self.database.relations[relation].table.clear();
        for fact in facts {
            let (relation, row) = self.database.row(fact);
            self.add(relation, &row);
        }
        Ok(())
    }
}

impl Rows for Resolution {
    fn interner(&self) -> &Interner {
        &self.database.interner
    }

    fn interner_mut(&mut self) -> &mut Interner {
        &mut self.database.interner
    }

    fn replace_rows(&mut self, predicate: &Predicate, cells: &[Value]) -> Result<(), Refused> {
        self.openness.check_predicate(predicate)?;
        let relation = self.database.relation(predicate);
        self.database.relations[relation].table.clear();
        cells.chunks_exact(predicate.arity).for_each(|row| _ = self.add(relation, row));
        Ok(())
    }

    fn update_of(&mut self, _predicate: &Predicate, budget: &Budget) -> Result<(), Stopped> {
        self.update(budget)
    }

    fn for_each_row(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value]),
    ) -> Result<(), Stopped> {
        let relation = self.database.relation(predicate);
        let known = &self.database.relations[relation];
        if known.rules.is_empty() {
            known.table.rows().for_each(visit);
            return Ok(());
        }
        let variables: Vec<Term> = (0..predicate.arity).map(|i| Term::variable(&format!("x{i}"))).collect();
        let body = [Literal::Positive(Atom::new(&predicate.name, variables.clone()))];
        let (answers, stopped) = self.ask(&body, &variables, false, budget);
        match stopped {
            Some(stopped) => Err(stopped),
            None => {
                answers.rows().for_each(visit);
                Ok(())
            }
        }
    }

    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers<Tuples> {
        let variables: Vec<Term> = goal.variables.iter().cloned().map(Term::Variable).collect();
        let (answers, stopped) = self.ask(&goal.body, &variables, first, budget);
        let mut tuples = Tuples::new(variables.len());
        answers.rows().for_each(|row| tuples.push(row));
        Answers { rows: tuples, stopped }
    }
}
