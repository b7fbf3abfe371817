//! Bottom-up, semi-naive evaluation: strata in order, each to its fixpoint, where a rule only joins combinations with
//! at least one new row (Bancilhon 1986; Ullman, *Principles of Database and Knowledge-Base Systems*, 1989, ch. 3). The
//! delta of a relation is a range of its rows.
//!
//! The same holds between updates: every stratum records how far it has read each relation, so that after an
//! [`insert`](crate::Engine::insert) an [`update`](crate::Engine::update) continues from the new rows. Where that would
//! be wrong (a negated relation grew, a row was removed) the stratum restarts, and so do the strata that depend on it,
//! but no others.
//!
//! * `contract`: the engine as others see it.
//! * `relation`, `members`, `packed`, `pair_bits`, `index`, `sorted`: the data; `cells`: those of rows; `repeated`: rows of tables that came before; `lists`: lists one after the other.
//! * `names`, `plan`, `machine`, `parallel`: resolve the names of clauses, compile them, and run them, also on several threads;
//!   `enumerate`: the choices of operations; `window`: the rows that comparisons leave of them; `emit`: the end of a plan at once; `sample`: estimates that order the joins of
//!   a round.
//! * `closure`: predicates run as a transitive closure instead of by their rules; `components`: those of its steps.
//! * `choice`: rules that choose among their candidates.
//! * `lattice`: relations that keep the best value of a column; `levels`: the order in which values are passed on once; `totals`: those that keep what an aggregate needs of its tuples;
//!   `running`: totals within bounds.
//! * `stratum`: the relations that a stratum reads, their new rows, and when to restart; `pivot`: recursion that falls into parts
//!   that do not meet.
//! * `untested`: inputs whose rows need not be told apart; `forgotten`: relations that nothing reads any more; `replanned`: another program in
//!   place of this one.
//! * `well_founded`: predicates with negative cycles, derived from ground instances of their rules.
//! * `heuristics`: what may be left out to measure what it gains.
//! * `transition`: events.
//! * `provenance`: the rows from which a row was first derived; `count`: what a profile counts.

mod aggregates;
mod cells;
mod choice;
mod closure;
mod components;
mod contract;
mod count;
mod emit;
mod enumerate;
mod forgotten;
mod heuristics;
mod index;
mod lattice;
mod levels;
mod lines;
mod lists;
mod machine;
mod members;
mod names;
mod packed;
mod pair_bits;
mod parallel;
mod pivot;
mod plan;
mod provenance;
mod reduced;
mod relation;
mod repeated;
mod replanned;
mod running;
mod sample;
mod sorted;
mod stratum;
mod totals;
mod transition;
mod trial;
mod untested;
mod well_founded;
mod window;

pub use contract::{COST_MODEL, SEMI_NAIVE};
pub use heuristics::Heuristic;

use crate::contract::{Openness, Work};
use crate::costs::Part;
use crate::value::{Functor, Interner, Value};
use closure::{ClosureId, ClosureRelation};
use count::Costs;
use forgotten::Forgotten;
use heuristics::Heuristics;
use indexmap::IndexMap;
use levels::KeySteps;
use ludolog_logic::analysis::clause::FunctionalChoice;
use ludolog_logic::analysis::clause::Goal;
use ludolog_logic::analysis::well_founded::ThreeValued;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate, PredicateName};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::diagnostic::Span;
use machine::{FirstDerivation, Frontier, PlanMachine, Polling, RunLimits, Scratch};
use parallel::Threads;
use plan::{Plan, Tables};
use relation::{Relation, RelationId, Relations};
use replanned::Inherited;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use stratum::{Stratum, StratumRule, Taken};
use totals::GroupedAggregate;
use transition::PlannedTransition;
use well_founded::Evaluator;

/// Rows taken in or handed out between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Rows of a table translated at once. To hash a row while its cells are still on their way to memory stalls, and a set makes
/// room for the ids of the first block.
const BLOCK: usize = 1 << 18;

/// The semi-naive engine.
pub struct SemiNaive {
    interner: Interner,
    openness: Openness,
    /// The functor of list cells.
    list: Functor,
    relations: Relations,
    /// By relation, the given facts of predicates that also have rules: a stratum keeps them when it restarts.
    given: Vec<Option<Relation>>,
    rules: Vec<StratumRule>,
    /// Whether bodies may be joined in another order than theirs.
    any_order: bool,
    /// Whether it may stop where a part of rules is outgrown.
    doubts_parts: bool,
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
    /// Whether a table was loaded since the last run.
    has_new_table: bool,
    /// The predicates whose facts are chosen.
    choices: FxHashMap<Predicate, FunctionalChoice>,
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
    /// What is given up on the way, if one question is asked.
    forgotten: Option<Forgotten>,
    /// By relation, the sizes that the program was planned for.
    expected: FxHashMap<RelationId, Range<u64>>,
    /// Takes what keys lead to, while rules run for that.
    key_steps: Option<KeySteps>,
    work: Work,
    /// The costs so far, if they are counted.
    costs: Option<Costs>,
    scratch: Scratch,
    polling: Polling,
    threads: Threads,
    frontiers: Vec<Frontier>,
    /// The plans that run; empty between runs.
    taken: Vec<Taken>,
}

/// The number of new rows that a budget has room for besides `held` facts.
fn room(held: u64, budget: &Budget) -> usize {
    budget.max_facts().map_or(usize::MAX, |max| usize::try_from(max.saturating_sub(held)).unwrap_or(usize::MAX))
}

impl SemiNaive {
    /// An engine with the program's facts. [`update`](crate::Engine::update) derives the others.
    ///
    /// # Panics
    ///
    /// Never: without limits, nothing stops early.
    pub fn new(program: &OptimizedProgram) -> Self {
        Self::load(program, false, &Budget::unlimited()).expect("nothing stops loading without limits")
    }

    /// As [`new`](Self::new), within a budget. With `record`, the engine records the first derivation of each fact, to
    /// [explain](crate::Explain) it. This costs a few words per fact.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends, and [`Stopped::Internal`] of an unsafe program.
    pub fn load(program: &OptimizedProgram, record: bool, budget: &Budget) -> Result<Self, Stopped> {
        Self::load_with(program, record, Heuristics::default(), Inherited::default(), budget)
    }

    fn load_with(
        program: &OptimizedProgram,
        record: bool,
        heuristics: Heuristics,
        inherited: Inherited,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        program.stratified.program.check_safety().map_err(Stopped::Internal)?;
        let mut poll = Poll::new(budget, POLL_EVERY);
        let checked = &program.stratified.program;
        let Inherited { mut interner, relations: held } = inherited;
        // A recorded derivation names the tuples of an aggregate.
        let keeps_totals = !record && heuristics.has(Heuristic::Totals);
        let aggregates =
            if keeps_totals { GroupedAggregate::all(checked, &mut interner) } else { FxHashMap::default() };
        let mut engine = Self {
            openness: Openness::of(program),
            list: interner.functor(&"cons".into(), 2),
            interner,
            relations: Relations::new(record, heuristics)
                .with_lattices(checked.lattices.clone())
                .with_totals(aggregates),
            given: Vec::new(),
            rules: checked.rules.iter().map(|rule| StratumRule::new(Arc::new(rule.clone()))).collect(),
            any_order: program.any_order,
            doubts_parts: false,
            strata: Vec::new(),
            needed: FxHashMap::default(),
            transitions: checked.transitions.iter().map(PlannedTransition::new).collect(),
            needed_for_transitions: None,
            evaluators: Vec::new(),
            three_valued: checked.three_valued.clone(),
            given_as: checked.three_valued.given_as(),
            has_new_table: false,
            choices: checked.choices.clone(),
            closures: Vec::new(),
            closure_of: IndexMap::default(),
            closure_inputs: Vec::new(),
            closure_epochs: Vec::new(),
            goal: None,
            derivations: record.then(Vec::new),
            forgotten: None,
            expected: FxHashMap::default(),
            key_steps: None,
            work: Work::default(),
            costs: None,
            scratch: Scratch::default(),
            polling: Polling::new(heuristics),
            threads: Threads::default(),
            frontiers: Vec::new(),
            taken: Vec::new(),
        };
        let given = checked.facts.iter().filter(|fact| held.is_empty() || !held.contains_key(&fact.signature()));
        let given: Vec<&Atom> = given.collect();
        held.into_iter().for_each(|(predicate, relation)| engine.relations.adopt(&predicate, relation));
        for closure in &program.closures {
            let id = engine.closures.len();
            engine.closure_of.insert(closure.predicate.clone(), id);
            engine.closures.push(ClosureRelation::new(closure.base.arity, closure.step.arity, 0));
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
            let heads: Vec<RelationId> = stratum.iter().map(|p| engine.relations.id(p)).collect();
            let evaluator = engine.evaluators.iter().position(|evaluator| evaluator.derives(&heads));
            if evaluator.is_some() {
                engine.strata.push(Stratum::of_evaluator(heads, evaluator));
            } else if !rules.is_empty() || stratum.iter().any(|predicate| checked.lattices.contains_key(predicate)) {
                heads.iter().for_each(|&head| {
                    let arity = engine.relations[head].arity();
                    let relations = engine.given.len().max(head + 1);
                    engine.given.resize_with(relations, || None);
                    engine.given[head] = Some(Relation::with_heuristics(arity, heuristics));
                });
                engine.strata.push(Stratum::new(heads, rules));
            }
        }
        for stratum in 0..engine.strata.len() {
            poll.step()?;
            engine.prepare_stratum(stratum);
        }
        for fact in given {
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
    fn relation_of_given(&mut self, predicate: &Predicate) -> RelationId {
        match (self.closure_of.get(predicate), self.given_as.get(predicate)) {
            (Some(&closure), _) => self.relations.id(&self.closure_inputs[closure].0),
            (None, Some(given)) => self.relations.id(given),
            (None, None) => self.relations.id(predicate),
        }
    }

    /// The given facts of the predicate of a relation, if it also has rules.
    fn given_mut(&mut self, relation: RelationId) -> Option<&mut Relation> {
        self.given.get_mut(relation)?.as_mut()
    }

    /// Removes all given facts of a predicate; the relation that holds them.
    fn clear_given(&mut self, predicate: &Predicate) -> RelationId {
        let relation = self.relation_of_given(predicate);
        self.relations[relation].clear();
        if let Some(given) = self.given_mut(relation) {
            given.clear();
            self.restart(relation);
        }
        relation
    }

    /// Adds a given fact; `false` if it held already.
    fn add(&mut self, fact: &Atom) -> bool {
        let relation = self.relation_of_given(&fact.signature());
        let row = self.row_of(fact);
        self.insert_row(relation, &row)
    }

    /// The number of rows held, derived and given.
    fn held(&self) -> u64 {
        self.relations.iter().map(|(_, relation)| relation.live() as u64).sum()
    }

    /// The reason for which a run stops, with the largest relation if it is the limit of memory.
    fn with_largest(&self, stopped: Stopped) -> Stopped {
        let Stopped::TooMuchMemory { max, largest: None } = stopped else { return stopped };
        let largest = self.relations.iter().max_by_key(|(_, relation)| relation.bytes());
        let largest = largest
            .map(|(predicate, relation)| format!("`{predicate}`: {} for {} facts", relation.bytes(), relation.live()));
        Stopped::TooMuchMemory { max, largest }
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

    /// Brings the indices of a plan up to date for a run with these frontiers.
    #[inline]
    fn catch_up(&mut self, plan: &Plan, frontiers: &[Frontier]) {
        for &relation in &plan.tested {
            self.relations[relation].remember_members();
        }
        for &(relation, index) in &plan.before_delta {
            if frontiers[relation].old < frontiers[relation].end {
                self.relations[relation].number_rows(index);
            }
        }
        for &(relation, index) in &plan.indices {
            self.relations[relation].catch_up(index, frontiers[relation].end, &self.interner);
        }
        for &(relation, index) in &plan.sorted {
            self.relations[relation].catch_up_sorted(index, &self.interner);
        }
        for &relation in &plan.totals {
            self.relations[relation].catch_up_totals(&self.interner);
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
        self.catch_up(plan, frontiers);
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
            key_steps: self.key_steps.as_mut(),
            list: self.list,
        };
        let result = machine.run(plan, frontiers, &mut self.scratch);
        let fits = self.interner.check_overflow();
        match result {
            Ok(new) => fits.map(|()| new),
            Err(stopped) => Err(fits.err().unwrap_or(stopped)),
        }
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
            _ => self.run_plan(plan, None, &frontiers, RunLimits { most, ..RunLimits::all(room) }, budget),
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
