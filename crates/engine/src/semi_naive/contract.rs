//! The contract of an engine, as semi-naive evaluation keeps it.

use super::cells::Cells;
use super::closure::{ClosureRelation, Cursor};
use super::parallel::Threads;
use super::plan::compile;
use super::relation::Relation;
use super::{BLOCK, POLL_EVERY, SemiNaive};
use crate::contract::{
    Answers, Count, Engine, EngineDescription, Explain, Forget, HeldFacts, Load, Memory, Parallel, Parts, Profiled,
    Refused, Replan, Retract, Rows, Work,
};
use crate::costs::{Evaluation, Part};
use crate::derivation::Derivation;
use crate::ranks::RankRange;
use crate::tuples::Tuples;
use crate::value::{Interner, Value};
use ludolog_logic::analysis::clause::{Clause, Goal, Literal};
use ludolog_logic::optimize::CostModel;
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::{ColdSort, Content, Table};
use std::num::NonZero;
use std::sync::Arc;

/// The bottom-up engine, which derives each fact once: the default.
pub const SEMI_NAIVE: EngineDescription = EngineDescription {
    name: "semi-naive",
    summary: "Bottom-up, each fact once",
    cost_model: COST_MODEL,
    optimized: true,
    interrupt: true,
    well_founded: true,
    lattices: true,
    choices: true,
    make: Load::Plain(&|program, budget| Ok(Box::new(SemiNaive::load(program, false, budget)?))),
    make_recording: Some(Load::Plain(&|program, budget| Ok(Box::new(SemiNaive::load(program, true, budget)?)))),
};

/// The cost model of semi-naive evaluation. A unit of work takes the median of the games of the GDL corpus in which a
/// state takes some hundred units and more; the smaller the game, the more a unit takes, up to eight times as much.
pub const COST_MODEL: CostModel = CostModel {
    name: "semi-naive",
    calls: false,
    rounds: true,
    closures: true,
    ranges: true,
    proves_once: true,
    work_nanoseconds: 44,
};

impl Engine for SemiNaive {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        Ok(self.add(fact))
    }

    fn insert_table(&mut self, table: &Table, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check_predicate(table.predicate())?;
        let relation = self.relation_of_given(table.predicate());
        budget.check()?;
        self.has_new_table = true;
        let is_loaded = self.loads_first_rows(relation, table.len());
        if let (true, Some(cells)) = (is_loaded, table.shared_cells()) {
            self.relations[relation].load(Cells::Shared(cells.clone()));
            return Ok(());
        }
        let constants: Vec<Value> = table.constants().iter().map(|term| self.interner.ground(term)).collect();
        let arity = table.predicate().arity;
        let block_rows = self.relations.heuristics().begins_at(BLOCK);
        if !is_loaded {
            self.relations[relation].reserve(table.len());
        }
        let room = if is_loaded { table.len() } else { block_rows.min(table.len()) };
        let mut translated: Vec<Value> = Vec::with_capacity(room * arity);
        for rows in table.cells().chunks(block_rows * arity) {
            budget.check()?;
            translated.extend(rows.iter().map(|cell| match cell.content() {
                Content::Integer(_) => *cell,
                Content::Constant(number) => constants[number],
            }));
            if !is_loaded {
                self.insert_rows(relation, &translated);
                translated.clear();
            }
        }
        if is_loaded {
            self.relations[relation].load(Cells::Owned(translated));
        }
        Ok(())
    }

    fn update(&mut self, budget: &Budget) -> Result<(), Stopped> {
        self.run_strata(0..self.strata.len(), budget)
    }

    fn solve(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers {
        Answers::of(self, goal, first, budget)
    }

    fn fire(&mut self, event: &Atom, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check(event)?;
        self.run_transitions(event, budget)
    }

    fn facts(&mut self, predicate: &Predicate, budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        let mut tuples = Tuples::new(predicate.arity);
        self.for_each_row(predicate, budget, &mut |row| tuples.push(row))?;
        Ok(tuples.rows().map(|row| self.atom(&predicate.name, row)).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let defined = self.strata.iter().flat_map(|stratum| stratum.heads().to_vec());
        let mut defined: Vec<Predicate> = defined.map(|head| self.relations.predicate(head).clone()).collect();
        defined.extend(self.relations.iter().filter(|(_, relation)| relation.live() > 0).map(|(p, _)| p.clone()));
        defined.retain(|predicate| !predicate.is_auxiliary());
        defined.cold_sort();
        defined.dedup();
        defined
    }

    fn work(&self) -> Work {
        let pairs = self.closures.iter().map(ClosureRelation::pairs).sum::<u64>();
        Work { derived: self.work.derived + pairs, ..self.work }
    }

    fn as_rows(&mut self) -> Option<&mut dyn Rows> {
        Some(self)
    }

    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        Some(self)
    }

    fn as_count(&self) -> Option<&dyn Count> {
        Some(self)
    }

    fn as_forget(&mut self) -> Option<&mut dyn Forget> {
        self.derivations.is_none().then_some(self)
    }

    fn as_parts(&mut self) -> Option<&mut dyn Parts> {
        Some(self)
    }

    fn as_replan(&mut self) -> Option<&mut dyn Replan> {
        self.derivations.is_none().then_some(self)
    }

    fn as_explain(&mut self) -> Option<&mut dyn Explain> {
        self.derivations.is_some().then_some(self)
    }

    fn as_profiled(&mut self) -> Option<&mut dyn Profiled> {
        Some(self)
    }

    fn as_parallel(&mut self) -> Option<&mut dyn Parallel> {
        Some(self)
    }
}

impl Retract for SemiNaive {
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        let relation = self.relation_of_given(&fact.signature());
        let row = self.row_of(fact);
        let was_given = self.delete_row(relation, &row);
        if was_given {
            self.restart(relation);
        }
        Ok(was_given)
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.openness.check_predicate(predicate)?;
        facts.iter().try_for_each(|fact| self.openness.check(fact))?;
        let relation = self.clear_given(predicate);
        for fact in facts {
            let row = self.row_of(fact);
            self.insert_row(relation, &row);
        }
        Ok(())
    }
}

impl Count for SemiNaive {
    fn count(&self, predicate: &Predicate) -> u64 {
        match self.closure_of.get(predicate) {
            Some(&closure) => self.closures[closure].pairs(),
            None => self.relations.get(predicate).map_or(0, |id| self.relations[id].live() as u64),
        }
    }

    fn memory(&self) -> Memory {
        let bytes = self.relations.iter().map(|(_, relation)| relation.bytes()).sum::<usize>()
            + self.closures.iter().map(ClosureRelation::bytes).sum::<usize>();
        let facts = self.held() + self.closures.iter().map(ClosureRelation::pairs).sum::<u64>();
        Memory { bytes: bytes as u64, facts }
    }
}

impl SemiNaive {
    /// The predicate whose facts are the answers to a goal, if its only subgoal has a variable for each argument, and nothing but time and memory limits
    /// or counts what is asked.
    fn all_facts_of(&self, goal: &Goal, budget: &Budget) -> Option<Predicate> {
        let [Literal::Positive(atom)] = &goal.body[..] else { return None };
        let is_answer = |(arg, name): (&Term, &Name)| matches!(arg, Term::Variable(variable) if variable == name);
        let are_answers = !atom.args.is_empty()
            && atom.args.len() == goal.variables.len()
            && atom.args.iter().zip(&goal.variables).all(is_answer);
        let predicate = Some(atom.signature()).filter(|_| are_answers && self.costs.is_none())?;
        let fits = budget.max_facts().is_none_or(|max| self.count(&predicate) <= max);
        (fits && budget.max_probes().is_none()).then_some(predicate)
    }

    /// The facts of a predicate as answers: since they differ, none is looked up among the others.
    fn facts_as_answers(&mut self, predicate: &Predicate, budget: &Budget) -> Answers<Tuples> {
        let mut rows = Tuples::new(predicate.arity);
        rows.reserve(self.count(predicate) as usize);
        let stopped = self.for_each_row(predicate, budget, &mut |row| rows.push(row)).err();
        self.work.probes += rows.count() as u64;
        Answers { rows, stopped }
    }
}

impl HeldFacts for Relation {
    fn are_stored(&self) -> bool {
        true
    }

    fn values(&self) -> Vec<&[Value]> {
        vec![self.cells_from(0)]
    }

    fn sample(&self, count: usize) -> Vec<Value> {
        (0..self.len()).step_by(self.len().div_ceil(count).max(1)).map(|row| self.row(row)[0]).collect()
    }

    fn copy_part(&self, range: &RankRange, to: &mut Tuples) {
        for row in self.cells_from(0).chunks_exact(self.arity()).filter(|row| range.contains(row[0])) {
            to.push(row);
        }
    }
}

impl Forget for SemiNaive {
    fn keep_only(&mut self, kept: &[Predicate]) {
        self.forget_all_but(kept);
    }
}

impl Parts for SemiNaive {
    fn doubt_parts(&mut self, doubts: bool) {
        self.doubts_parts = doubts;
    }
}

impl Explain for SemiNaive {
    fn derivation(&mut self, fact: &Atom) -> Option<Derivation> {
        self.explain(fact)
    }
}

impl Profiled for SemiNaive {
    fn start_profile(&mut self) {
        self.start_costs();
    }

    fn evaluation(&self) -> Evaluation {
        self.costs_so_far()
    }
}

impl Parallel for SemiNaive {
    fn use_threads(&mut self, threads: NonZero<usize>) {
        self.threads = Threads::new(threads);
    }
}

impl Rows for SemiNaive {
    fn interner(&self) -> &Interner {
        &self.interner
    }

    fn interner_mut(&mut self) -> &mut Interner {
        &mut self.interner
    }

    fn replace_rows(&mut self, predicate: &Predicate, cells: &[Value]) -> Result<(), Refused> {
        self.openness.check_predicate(predicate)?;
        let relation = self.clear_given(predicate);
        self.insert_rows(relation, cells);
        Ok(())
    }

    fn update_of(&mut self, predicate: &Predicate, budget: &Budget) -> Result<(), Stopped> {
        let needed = match self.needed.get(predicate) {
            Some(needed) => needed.clone(),
            None => {
                let needed: Arc<[usize]> = self.strata_of(self.relations.get(predicate)).into();
                self.needed.insert(predicate.clone(), needed.clone());
                needed
            }
        };
        self.run_strata(needed.iter().copied(), budget)
    }

    fn for_each_row(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
        visit: &mut dyn FnMut(&[Value]),
    ) -> Result<(), Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        if let Some(&closure) = self.closure_of.get(predicate) {
            let closure = &self.closures[closure];
            let mut cursor = Cursor::default();
            closure.begin(std::iter::repeat_n(None, predicate.arity), &mut cursor);
            let mut row = Vec::new();
            let mut count = 0;
            while closure.next(&mut cursor, &mut row) {
                poll.step()?;
                if let Some(max) = budget.max_facts().filter(|&max| count >= max) {
                    return Err(Stopped::TooManyFacts(max));
                }
                count += 1;
                visit(&row);
            }
            return Ok(());
        }
        let Some(relation) = self.relations.get(predicate) else { return Ok(()) };
        for row in self.relations[relation].rows() {
            poll.step()?;
            visit(row);
        }
        Ok(())
    }

    fn held(&self, predicate: &Predicate) -> Option<&dyn HeldFacts> {
        if let Some(&closure) = self.closure_of.get(predicate) {
            return Some(&self.closures[closure]);
        }
        let relation = &self.relations[self.relations.get(predicate)?];
        // Totals have no rows.
        let has_all = !relation.has_removed() && relation.live() == relation.len();
        (relation.arity() > 0 && has_all).then_some(relation as &dyn HeldFacts)
    }

    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> Answers<Tuples> {
        if let Some(predicate) = self.all_facts_of(goal, budget).filter(|_| !first) {
            return self.facts_as_answers(&predicate, budget);
        }
        let (plan, collector) = match self.goal.take() {
            Some((other, plan, collector))
                if other == *goal && !plan.is_outdated(&mut self.relations, &self.interner) =>
            {
                (plan, collector)
            }
            _ => {
                let args = goal.variables.iter().map(|name| Term::Variable(name.clone())).collect();
                let clause =
                    Clause { head: Atom::new(Purpose::Answer, args), body: goal.body.clone(), span: goal.span };
                let names = self.tables().names(&clause);
                (compile(&clause, &names, None, &mut self.tables()), names.head)
            }
        };
        let derived = self.work.derived;
        let result = self.run_once(&plan, Part::Goal, if first { 1 } else { usize::MAX }, budget);
        // Answers do not count as derived facts.
        self.work.derived = derived;
        self.goal = Some((goal.clone(), plan, collector));
        let answers = self.relations.take(collector);
        Answers { rows: answers.into_tuples(), stopped: result.err() }
    }
}
