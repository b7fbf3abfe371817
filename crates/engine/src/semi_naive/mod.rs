//! Bottom-up, semi-naive evaluation: strata in order, each to its fixpoint, where a rule only joins combinations with
//! at least one new row (Bancilhon 1986; Ullman, *Principles of Database and Knowledge-Base Systems*, 1989, ch. 3). The
//! delta of a relation is a range of its rows.
//!
//! The same holds between updates: every stratum records how far it has read each relation, so that after an
//! [`insert`](Engine::insert) an [`update`](Engine::update) continues from the new rows. Where that would be wrong (a
//! negated relation grew, a row was removed) the stratum restarts, and so do the strata that depend on it, but no
//! others.
//!
//! * `relation`, `members`, `index`: the data.
//! * `names`, `plan`, `machine`, `parallel`: resolve the names of clauses, compile them, and run them, also on several threads;
//!   `sample`: estimates that order the joins of a round.
//! * `closure`: predicates run as a transitive closure instead of by their rules; `components`: those of its steps.
//! * `stratum`: the relations that a stratum reads, their new rows, and when to restart; `pivot`: recursion that falls into parts
//!   that do not meet.
//! * `well_founded`: predicates with negative cycles, derived from ground instances of their rules.
//! * `transition`: events.
//! * `provenance`: the rows from which a row was first derived; `count`: what a profile counts.

mod closure;
mod components;
mod count;
mod emit;
mod index;
mod machine;
mod members;
mod names;
mod parallel;
mod pivot;
mod plan;
mod provenance;
mod relation;
mod sample;
mod stratum;
mod transition;
mod trial;
mod well_founded;

use crate::contract::{
    AnswerRows, Answers, Count, Engine, EngineDescription, Explain, Load, Measure, Memory, Openness, Parallel, Refused,
    Retract, Rows, Work,
};
use crate::costs::{Evaluation, Part};
use crate::derivation::Derivation;
use crate::tuples::Tuples;
use crate::value::{Functor, Interner, Value};
use closure::{ClosureRelation, ClosureId};
use count::Costs;
use indexmap::IndexMap;
use ludolog_logic::analysis::clause::{Clause, Goal};
use ludolog_logic::analysis::well_founded::ThreeValued;
use ludolog_logic::optimize::{CostModel, OptimizedProgram};
use ludolog_syntax::ast::{Atom, Predicate, PredicateName, Purpose, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::diagnostic::Span;
use ludolog_syntax::{Content, Table};
use machine::{RunLimits, Frontier, PlanMachine, FirstDerivation, Polling, Scratch};
use parallel::Threads;
use plan::{Plan, Tables, compile};
use relation::{Relation, RelationId, Relations};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use stratum::{StratumRule, Stratum};
use transition::PlannedTransition;
use well_founded::Evaluator;

/// Rows taken in or handed out between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Rows of a table translated at once. To hash a row while its cells are still on their way to memory stalls.
const BLOCK: usize = 1024;

/// The bottom-up engine, which derives each fact once: the default.
pub static SEMI_NAIVE: EngineDescription = EngineDescription {
    name: "semi-naive",
    summary: "Bottom-up, each fact once",
    cost_model: COST_MODEL,
    optimized: true,
    interrupt: true,
    well_founded: true,
    make: Load::Plain(&|program, budget| Ok(Box::new(SemiNaive::load(program, false, budget)?))),
    make_recording: Some(Load::Plain(&|program, budget| Ok(Box::new(SemiNaive::load(program, true, budget)?)))),
};

/// The cost model of semi-naive evaluation. A unit of work takes the median of the games of the GDL corpus in which a
/// state takes some hundred units and more; the smaller the game, the more a unit takes, up to eight times as much.
pub const COST_MODEL: CostModel =
    CostModel { name: "semi-naive", calls: false, rounds: true, closures: true, work_nanoseconds: 44 };

/// The semi-naive engine.
pub struct SemiNaive {
    interner: Interner,
    openness: Openness,
    /// The functor of list cells.
    list: Functor,
    relations: Relations,
    /// Given facts of predicates that also have rules: a stratum keeps them when it restarts.
    given: IndexMap<RelationId, Relation, FxBuildHasher>,
    rules: Vec<StratumRule>,
    /// Whether bodies may be joined in another order than theirs.
    any_order: bool,
    strata: Vec<Stratum>,
    /// By predicate that was asked for: the strata that it depends on.
    needed: FxHashMap<Predicate, Arc<[usize]>>,
    transitions: Vec<PlannedTransition>,
    /// The strata that their conditions depend on, once they were asked for.
    needed_for_transitions: Option<Arc<[usize]>>,
    evaluators: Vec<Evaluator>,
    /// The predicates that they derive.
    three_valued: ThreeValued,
    /// By predicate that an evaluator derives: the one that holds its given facts.
    given_as: FxHashMap<Predicate, Predicate>,
    closures: Vec<ClosureRelation>,
    closure_of: IndexMap<Predicate, ClosureId, FxBuildHasher>,
    /// By closure: base and step.
    closure_inputs: Vec<(Predicate, Predicate)>,
    /// By closure: the epochs in which base and step were read.
    closure_epochs: Vec<(u32, u32)>,
    /// The goal solved last, compiled, with the relation that collects its answers.
    goal: Option<(Goal, Plan, RelationId)>,
    /// By relation and row, when derivations are recorded.
    derivations: Option<Vec<Vec<Option<FirstDerivation>>>>,
    work: Work,
    /// The costs so far, if they are counted.
    costs: Option<Costs>,
    scratch: Scratch,
    polling: Polling,
    threads: Threads,
    frontiers: Vec<Frontier>,
}

/// The number of new rows that a budget has room for besides `held` facts.
fn room(held: u64, budget: &Budget) -> usize {
    budget.max_facts().map_or(usize::MAX, |max| max.saturating_sub(held) as usize)
}

impl SemiNaive {
    /// An engine with the program's facts. [`update`](Engine::update) derives the others.
    ///
    /// # Panics
    ///
    /// Never: without limits, nothing stops early.
    pub fn new(program: &OptimizedProgram) -> Self {
        Self::load(program, false, &Budget::unlimited()).expect("nothing stops loading without limits")
    }

    /// As [`new`](Self::new), within a budget. With `record`, the engine records the first derivation of each fact, to
    /// [explain](Explain) it. This costs a few words per fact.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Internal`] of an unsafe program.
    pub fn load(program: &OptimizedProgram, record: bool, budget: &Budget) -> Result<Self, Stopped> {
        program.stratified.program.check_safety().map_err(Stopped::Internal)?;
        let mut poll = Poll::new(budget, POLL_EVERY);
        let checked = &program.stratified.program;
        let mut interner = Interner::new();
        let mut engine = Self {
            openness: Openness::of(program),
            list: interner.functor(&"cons".into(), 2),
            interner,
            relations: Relations::new(record),
            given: IndexMap::default(),
            rules: checked.rules.iter().map(|rule| StratumRule::new(Arc::new(rule.clone()))).collect(),
            any_order: program.any_order,
            strata: Vec::new(),
            needed: FxHashMap::default(),
            transitions: checked.transitions.iter().map(PlannedTransition::new).collect(),
            needed_for_transitions: None,
            evaluators: Vec::new(),
            three_valued: checked.three_valued.clone(),
            given_as: checked.three_valued.given_as(),
            closures: Vec::new(),
            closure_of: IndexMap::default(),
            closure_inputs: Vec::new(),
            closure_epochs: Vec::new(),
            goal: None,
            derivations: record.then(Vec::new),
            work: Work::default(),
            costs: None,
            scratch: Scratch::default(),
            polling: Polling::default(),
            threads: Threads::default(),
            frontiers: Vec::new(),
        };
        for closure in &program.closures {
            let id = engine.closures.len();
            engine.closure_of.insert(closure.predicate.clone(), id);
            engine.closures.push(ClosureRelation::new(closure.predicate.arity, 0));
            engine.closure_inputs.push((closure.base.clone(), closure.step.clone()));
            engine.closure_epochs.push((0, 0));
        }
        engine.evaluators = Evaluator::all(&checked.three_valued, &mut engine.relations, &mut engine.interner);
        let mut stratum_of: IndexMap<&Predicate, usize, FxBuildHasher> = IndexMap::default();
        for (number, stratum) in program.stratified.strata.iter().enumerate() {
            stratum_of.extend(stratum.iter().map(|predicate| (predicate, number)));
        }
        let mut rules: Vec<Vec<usize>> = vec![Vec::new(); program.stratified.strata.len()];
        for (number, rule) in checked.rules.iter().enumerate() {
            poll.step()?;
            rules[stratum_of[&rule.head.signature()]].push(number);
        }
        for (stratum, rules) in program.stratified.strata.iter().zip(rules) {
            let heads: Vec<RelationId> = stratum.iter().map(|p| engine.relations.id(p.clone())).collect();
            let evaluator = engine.evaluators.iter().position(|evaluator| evaluator.derives(&heads));
            if evaluator.is_some() {
                engine.strata.push(Stratum::of_evaluator(heads, evaluator));
            } else if !rules.is_empty() {
                heads.iter().for_each(|&head| {
                    _ = engine.given.insert(head, Relation::new(engine.relations[head].arity()));
                });
                engine.strata.push(Stratum::new(heads, rules));
            }
        }
        for stratum in 0..engine.strata.len() {
            poll.step()?;
            engine.prepare_stratum(stratum);
        }
        for fact in &checked.facts {
            poll.step()?;
            engine.add(fact);
        }
        Ok(engine)
    }

    fn tables(&mut self) -> Tables<'_> {
        Tables {
            relations: &mut self.relations,
            closures: &self.closures,
            closure_of: &self.closure_of,
            interner: &mut self.interner,
        }
    }

    /// The relation that holds the given facts of a predicate. For a closure it is its base; what an evaluator derives
    /// has one of its own.
    fn relation_of_given(&mut self, predicate: Predicate) -> RelationId {
        match (self.closure_of.get(&predicate), self.given_as.get(&predicate)) {
            (Some(&closure), _) => self.relations.id(self.closure_inputs[closure].0.clone()),
            (None, Some(given)) => self.relations.id(given.clone()),
            (None, None) => self.relations.id(predicate),
        }
    }

    /// Removes all given facts of a predicate; the relation that holds them.
    fn clear_given(&mut self, predicate: &Predicate) -> RelationId {
        let relation = self.relation_of_given(predicate.clone());
        self.relations[relation].clear();
        if let Some(given) = self.given.get_mut(&relation) {
            given.clear();
            self.restart(relation);
        }
        relation
    }

    /// Adds a given fact; `false` if it held already.
    fn add(&mut self, fact: &Atom) -> bool {
        let relation = self.relation_of_given(fact.signature());
        let row = self.row_of(fact);
        self.insert_row(relation, &row)
    }

    /// The number of rows held, derived and given.
    fn held(&self) -> u64 {
        self.relations.iter().map(|(_, relation)| relation.live() as u64).sum()
    }

    fn row_of(&mut self, fact: &Atom) -> Vec<Value> {
        fact.args.iter().map(|arg| self.interner.ground(arg)).collect()
    }

    fn atom_of(&self, relation: RelationId, row: &[Value]) -> Atom {
        self.atom(&self.relations.predicate(relation).name, row)
    }

    fn atom(&self, predicate: &PredicateName, row: &[Value]) -> Atom {
        let args = row.iter().map(|&value| self.interner.term(value)).collect();
        Atom { predicate: predicate.clone(), args, span: Span::NONE }
    }

    /// Runs a plan on this thread, and returns the number of new rows. Derivations are recorded under `rule`.
    fn run_plan(
        &mut self,
        plan: &Plan,
        rule: Option<usize>,
        frontiers: &[Frontier],
        extent: RunLimits,
        budget: &Budget,
    ) -> Result<usize, Stopped> {
        match self.costs {
            None => self.run_machine::<false>(plan, rule, frontiers, extent, budget),
            Some(_) => self.run_machine::<true>(plan, rule, frontiers, extent, budget),
        }
    }

    fn run_machine<const PROFILED: bool>(
        &mut self,
        plan: &Plan,
        rule: Option<usize>,
        frontiers: &[Frontier],
        extent: RunLimits,
        budget: &Budget,
    ) -> Result<usize, Stopped> {
        if PROFILED {
            self.scratch.counts.begin(plan.ops.len(), self.work, budget);
        }
        for &(relation, index) in &plan.indices {
            self.relations[relation].catch_up(index, &self.interner);
        }
        if PROFILED {
            self.scratch.counts.note_indexed(budget);
        }
        let derivations = match (&mut self.derivations, rule) {
            (Some(derivations), Some(rule)) => {
                derivations.resize_with(self.relations.len(), Vec::new);
                Some((derivations, rule as u32))
            }
            _ => None,
        };
        let mut machine = PlanMachine::<_, _, PROFILED> {
            relations: self.relations.as_mut_slice(),
            closures: &self.closures,
            interner: &mut self.interner,
            extent,
            work: &mut self.work,
            budget,
            polling: &mut self.polling,
            derivations,
            list: self.list,
        };
        let result = machine.run(plan, frontiers, &mut self.scratch);
        self.interner.check_overflow()?;
        result
    }

    /// Makes the budget due, and forgets terms that an earlier run stopped at: if they are still derived, they are
    /// requested again.
    fn start_run(&mut self) {
        self.polling.reset();
        self.interner.forget_excess();
    }

    /// Runs the plan of a goal or a transition rule over all rows. The new rows alone count against the budget's facts.
    fn run_once(&mut self, plan: &Plan, part: Part, most: usize, budget: &Budget) -> Result<usize, Stopped> {
        let mut frontiers = std::mem::take(&mut self.frontiers);
        frontiers.clear();
        frontiers.extend(self.relations.iter().map(|(_, relation)| Frontier { old: 0, end: relation.len() }));
        self.start_run();
        let start = self.start_of_cost(budget);
        let room = room(0, budget);
        let was_complete = self.interner.overflow().is_none();
        let result = match most {
            usize::MAX if self.shares_runs() => self.run_together([plan], &frontiers, room, budget),
            _ => self.run_plan(plan, None, &frontiers, RunLimits { scanned: None, room, most }, budget),
        };
        self.note_run(part, None, plan, start, Duration::ZERO, budget);
        self.frontiers = frontiers;
        if was_complete && result.is_err() {
            // Nothing that is kept was derived without it.
            self.interner.take_overflow();
        }
        result
    }
}

impl Engine for SemiNaive {
    fn insert(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        Ok(self.add(fact))
    }

    fn insert_table(&mut self, table: &Table, budget: &Budget) -> Result<(), Stopped> {
        self.openness.check_predicate(table.predicate())?;
        let relation = self.relation_of_given(table.predicate().clone());
        let constants: Vec<Value> = table.constants().iter().map(|term| self.interner.ground(term)).collect();
        self.relations[relation].reserve(table.len());
        let arity = table.predicate().arity;
        let mut block: Vec<Value> = Vec::with_capacity(BLOCK * arity);
        for rows in table.cells().chunks(BLOCK * arity) {
            budget.check()?;
            block.clear();
            block.extend(rows.iter().map(|cell| match cell.content() {
                Content::Integer(n) => self.interner.integer(n),
                Content::Constant(number) => constants[number],
            }));
            self.insert_rows(relation, &block);
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
        defined.sort();
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

    fn as_explain(&mut self) -> Option<&mut dyn Explain> {
        self.derivations.is_some().then_some(self)
    }

    fn as_measure(&mut self) -> Option<&mut dyn Measure> {
        Some(self)
    }

    fn as_parallel(&mut self) -> Option<&mut dyn Parallel> {
        Some(self)
    }
}

impl Retract for SemiNaive {
    fn retract(&mut self, fact: &Atom) -> Result<bool, Refused> {
        self.openness.check(fact)?;
        let relation = self.relation_of_given(fact.signature());
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

impl Explain for SemiNaive {
    fn derivation(&mut self, fact: &Atom) -> Option<Derivation> {
        self.explain(fact)
    }
}

impl Measure for SemiNaive {
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
            let mut cursor = closure.matching(&vec![None; predicate.arity]);
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

    fn solve_rows(&mut self, goal: &Goal, first: bool, budget: &Budget) -> AnswerRows {
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
        AnswerRows { tuples: answers.into_tuples(), stopped: result.err() }
    }
}
