//! The contract of an engine, as the dataflow keeps it.

use super::{Dataflow, POLL_EVERY, atom};
use ludolog_engine::value::{Interner, Value};
use ludolog_engine::{Answers, Changes, Engine, Refused, Retract, Rows, Track, Tuples, Work};
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::Table;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use rustc_hash::FxHashSet;
use std::sync::atomic::Ordering;

impl Engine for Dataflow {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        Ok(self.add(fact))
    }

    fn insert_table(&mut self, table: &Table, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check_predicate(table.predicate())?;
        if self.crew.is_none() && self.given.owns_table(table) {
            return self.given.facts.insert_table(table, budget);
        }
        let mut poll = Poll::new(budget, POLL_EVERY);
        for fact in table.atoms(table.rows()) {
            poll.step()?;
            self.add(&fact);
        }
        Ok(())
    }

    fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        self.stopped = self.stopped.take().filter(|_| self.shared.is_left.load(Ordering::Relaxed));
        self.run_update(budget).map_err(|stopped| self.halt(stopped))
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        Answers::of(self, goal, first, budget)
    }

    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check(event)?;
        if self.processes.count() > 1 {
            return Err(Stopped::Unsupported("events run in one process".to_owned()));
        }
        let is_new = self.add(event);
        let effects = self.effects(budget);
        if is_new {
            self.remove(event);
        }
        let [deletions, additions] = effects?;
        deletions.iter().for_each(|fact| _ = self.remove(fact));
        additions.iter().for_each(|fact| _ = self.add(fact));
        Ok(())
    }

    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        let mut rows: Vec<Vec<Value>> = Vec::new();
        self.visit(predicate, budget, &mut |row| rows.push(row.to_vec()))?;
        let interner = self.given.facts.interner();
        Ok(rows.iter().map(|row| atom(predicate, row, interner)).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let mut all = self.given.facts.predicates();
        all.extend(self.shared.plan.derived.iter().chain(&self.given.stated).cloned());
        all.retain(|predicate| !predicate.is_auxiliary());
        all.sort();
        all.dedup();
        all
    }

    fn work(&self) -> Work {
        Work { derived: self.shared.counts.derived(), probes: 0 }
    }

    fn as_rows(&mut self) -> Option<&mut dyn Rows> {
        Some(self)
    }

    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        Some(self)
    }

    fn as_track(&mut self) -> Option<&mut dyn Track> {
        Some(self)
    }
}

impl Retract for Dataflow {
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        Ok(self.remove(fact))
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.openness.check_predicate(predicate)?;
        facts.iter().try_for_each(|fact| self.openness.check(fact))?;
        let new: FxHashSet<&[Term]> = facts.iter().map(|fact| &fact.args[..]).collect();
        let old = self.given.facts.facts(predicate, &Budget::unlimited()).expect("nothing stops without limits");
        old.iter().filter(|fact| !new.contains(&fact.args[..])).for_each(|fact| _ = self.remove(fact));
        facts.iter().for_each(|fact| _ = self.add(fact));
        Ok(())
    }
}

impl Track for Dataflow {
    fn start_changes(&mut self) {
        self.noted = Some(Vec::new());
        self.is_incremental |= self.crew.is_none();
    }

    fn changes(&mut self) -> Changes {
        let mut noted = self.noted.as_mut().map(std::mem::take).unwrap_or_default();
        noted.retain(|(predicate, ..)| !predicate.is_auxiliary());
        noted.sort_unstable();
        let mut changes = Changes::default();
        for same in noted.chunk_by(|(p, row, _), (q, other, _)| (p, row) == (q, other)) {
            let (predicate, row, _) = &same[0];
            let list = match same.iter().map(|(_, _, change)| change).sum::<isize>() {
                0 => continue,
                1.. => &mut changes.came,
                _ => &mut changes.went,
            };
            list.push(atom(predicate, row, self.given.facts.interner()));
        }
        changes
    }
}

impl Rows for Dataflow {
    fn interner(&self) -> &Interner {
        self.given.facts.interner()
    }

    fn interner_mut(&mut self) -> &mut Interner {
        self.given.facts.interner_mut()
    }

    fn replace_rows(&mut self, predicate: &Predicate, cells: &[Value]) -> Result<(), Refused> {
        let interner = self.given.facts.interner();
        let rows = cells.chunks_exact(predicate.arity);
        let facts: Vec<Atom> = rows.map(|row| atom(predicate, row, interner)).collect();
        self.replace(predicate, &facts)
    }

    fn update_of(&mut self, _: &Predicate, budget: &Budget) -> Result<(), Stopped> {
        self.update(budget)
    }

    fn for_each_row(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value]),
    ) -> Result<(), Stopped> {
        self.visit(predicate, budget, visit)
    }

    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers<Tuples> {
        match self.answers(goal, budget) {
            Ok(mut tuples) => {
                tuples.truncate(if first { 1 } else { usize::MAX });
                Answers { rows: tuples, stopped: None }
            }
            Err(stopped) => Answers { rows: Tuples::new(goal.variables.len()), stopped: Some(stopped) },
        }
    }
}
