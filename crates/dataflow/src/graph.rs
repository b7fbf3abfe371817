//! The graph of operators of a program, and the rows that it comes to.
//!
//! ```text
//! given rows ─input→ relation of a predicate ←─ distinct ← rules        strata in order; one that is recursive is a loop
//!                            └→ Held: the rows of this worker
//! ```
//!
//! The operators of either [kind](Operators) make it.

use crate::incremental::Incremental;
use crate::operators::{Epoch, Loop, Operators, OwnerColumns, RowCounts, Time};
use crate::plan::DataflowPlan;
use crate::row::Row;
use crate::rules::ScopeBuilder;
use crate::terms::{PackedRows, with_terms};
use differential_dataflow::input::{Input, InputSession};
use ludolog_engine::value::Value;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::Predicate;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use timely::dataflow::{ProbeHandle, Scope};
use timely::worker::Worker;

/// The graph of a program on one worker.
pub struct DataflowGraph<O: Operators, R: Row> {
    plan: Arc<DataflowPlan>,
    /// One for each predicate, and one for the relation that has one row.
    inputs: Vec<InputSession<Epoch, R, isize>>,
    probe: ProbeHandle<Epoch>,
    /// By the number of a predicate, the rows of this worker; none, if no rule derives it.
    held: Vec<O::Held<R>>,
    epoch: Epoch,
}

impl<O: Operators, R: Row> DataflowGraph<O, R> {
    /// Builds the graph. `counts` follow the numbers of rows.
    pub fn new(worker: &mut Worker, plan: &Arc<DataflowPlan>, counts: &RowCounts) -> Self {
        let held: Vec<O::Held<R>> = plan.predicates.iter().map(|_| O::Held::default()).collect();
        let probe = ProbeHandle::new();
        let is_first = worker.index() == 0;
        let mut inputs = worker.dataflow::<Epoch, _, _>(|scope| {
            let (inputs, mut given): (Vec<_>, Vec<_>) =
                (0..=plan.predicates.len()).map(|_| scope.new_collection::<R, isize>()).unzip();
            let one = O::given(given.pop().expect("the relation with one row"), OwnerColumns([].into()));
            // Rows come and go at the worker that owns them, whoever tells of them.
            let relations = plan.predicates.iter().zip(given);
            let relations =
                relations.map(|(predicate, rows)| (predicate.clone(), O::given(rows, plan.owners[predicate].clone())));
            let mut builder = ScopeBuilder::<O, Epoch, R>::new(plan, relations.collect(), one.clone());
            let holders: FxHashMap<&Predicate, &O::Held<R>> = plan.predicates.iter().zip(&held).collect();
            let sets = HeadSets::<O, R> { plan, holders, counts };
            sets.given_alone(&mut builder);
            for stratum in &plan.strata {
                if DataflowPlan::is_recursive(stratum) {
                    sets.recursive(scope, &mut builder, stratum, &one)
                } else {
                    sets.layered(&mut builder, stratum)
                }
            }
            plan.derived.iter().for_each(|predicate| O::probe(builder.relation(predicate), &probe));
            inputs
        });
        if is_first && let Some(unit) = inputs.last_mut() {
            unit.insert(R::of(std::iter::empty()));
        }
        DataflowGraph { plan: plan.clone(), inputs, probe, held, epoch: 0 }
    }

    /// Adds (or with -1, removes) given rows of a predicate.
    pub fn change(&mut self, predicate: usize, rows: &PackedRows, change: isize) {
        let arity = self.plan.predicates[predicate].arity;
        let mut all: Vec<R> = Vec::with_capacity(rows.rows);
        with_terms(|terms| {
            rows.for_each(arity, &mut terms.interner, |row, _| all.push(R::of(row.iter().copied())));
        });
        // The input sends rows on, and asks for the terms itself.
        all.into_iter().for_each(|row| self.inputs[predicate].update(row, change));
    }

    /// Ends an update: its consequences are complete when it is [over](Self::is_over).
    pub fn advance(&mut self) {
        self.epoch += 1;
        for input in &mut self.inputs {
            input.advance_to(self.epoch);
            input.flush();
        }
    }

    /// Ends the last update: there are no more given rows.
    pub fn close(&mut self) {
        self.epoch += 1;
        self.inputs.clear();
    }

    /// Whether the consequences of all updates have come, on all workers.
    pub fn is_over(&self) -> bool {
        !self.probe.less_than(&self.epoch)
    }

    /// Adds a given row.
    pub fn insert(&mut self, predicate: usize, row: &[Value]) {
        self.inputs[predicate].insert(R::of(row.iter().copied()));
    }

    /// Calls `visit` with the rows of a derived predicate that this worker owns.
    pub fn for_each(&self, predicate: usize, mut visit: impl FnMut(&[Value])) {
        let arity = self.plan.predicates[predicate].arity;
        O::for_each(&self.held[predicate], |row| visit(&row.cells()[..arity]));
    }
}

impl<R: Row> DataflowGraph<Incremental, R> {
    /// Ends an update that is [over](Self::is_over); if `told`, what it has changed of the rows of this worker: by
    /// derived predicate, rows that came and rows that went.
    pub fn changes(&mut self, told: bool) -> Vec<(usize, [PackedRows; 2])> {
        let mut all = Vec::new();
        for (number, held) in self.held.iter().enumerate() {
            let changes = held.borrow_mut().complete();
            if told && !changes.is_empty() {
                let arity = self.plan.predicates[number].arity;
                let mut packed = [PackedRows::default(), PackedRows::default()];
                with_terms(|terms| {
                    for (row, change) in &changes {
                        packed[usize::from(*change < 0)].push(&row.cells()[..arity], &terms.interner);
                    }
                });
                all.push((number, packed));
            }
        }
        all
    }
}

/// The relations of heads, which are sets: where they are held, and their number of rows.
struct HeadSets<'a, O: Operators, R: Row> {
    plan: &'a DataflowPlan,
    holders: FxHashMap<&'a Predicate, &'a O::Held<R>>,
    counts: &'a RowCounts,
}

impl<O: Operators, R: Row> HeadSets<'_, O, R> {
    /// The set of the rows of a head, of which a lattice column leaves one for each key.
    fn set<'s, T: Time>(&self, head: &Predicate, rows: O::Flow<'s, T, R>) -> O::Flow<'s, T, R> {
        let owner = self.plan.owners[head].clone();
        let held = self.holders[head];
        match self.plan.lattices.get(head) {
            Some(lattice) => O::best(rows, owner, lattice.clone(), held, self.counts),
            None => O::distinct(rows, owner, held, &self.counts.held),
        }
    }

    /// The rows of a head as later strata read them.
    fn settled<'s>(&self, head: &Predicate, rows: O::Flow<'s, Epoch, R>) -> O::Flow<'s, Epoch, R> {
        if self.plan.lattices.contains_key(head) { O::settled(rows, self.holders[head]) } else { rows }
    }

    /// Adds the relations with lattice columns that no rule derives.
    fn given_alone<'s>(&self, builder: &mut ScopeBuilder<'_, 's, O, Epoch, R>) {
        let heads: FxHashSet<Predicate> = self.plan.strata.iter().flatten().map(|rule| rule.head.signature()).collect();
        // In an order that is the same for all workers.
        for predicate in &self.plan.predicates {
            if self.plan.lattices.contains_key(predicate) && !heads.contains(predicate) {
                let settled = self.settled(predicate, self.set(predicate, builder.relation(predicate)));
                builder.add_relation(predicate.clone(), settled);
            }
        }
    }

    /// Adds the relations of a stratum that is not recursive.
    fn layered<'s>(&self, builder: &mut ScopeBuilder<'_, 's, O, Epoch, R>, stratum: &[Clause]) {
        for (head, rules) in by_head(stratum) {
            let derived: Vec<_> = rules.into_iter().map(|rule| builder.rule(rule)).collect();
            let all = O::concatenate(builder.relation(&head), derived);
            let set = self.settled(&head, self.set(&head, all));
            builder.add_relation(head, set);
        }
    }

    /// Adds the relations of a recursive stratum: the least sets that hold what is given and what follows.
    fn recursive<'s>(
        &self,
        scope: Scope<'s, Epoch>,
        builder: &mut ScopeBuilder<'_, 's, O, Epoch, R>,
        stratum: &[Clause],
        one: &O::Flow<'s, Epoch, R>,
    ) {
        let heads = by_head(stratum);
        let read = stratum.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom).map(|atom| atom.signature());
        let mut outside: Vec<Predicate> = read.filter(|read| heads.iter().all(|(head, _)| head != read)).collect();
        outside.sort();
        outside.dedup();
        let found = scope.iterative(|inner| {
            let enter = |predicate: &Predicate| O::enter(builder.relation(predicate), inner);
            let mut relations: FxHashMap<Predicate, _> =
                outside.iter().map(|predicate| (predicate.clone(), enter(predicate))).collect();
            let mut variables = Vec::new();
            for (head, _) in &heads {
                let (variable, rows) = O::variable(inner);
                variables.push(variable);
                relations.insert(head.clone(), rows);
            }
            let mut looped = ScopeBuilder::<O, Loop, R>::new(self.plan, relations, O::enter(one.clone(), inner));
            let rounds: Vec<_> = heads
                .iter()
                .map(|(head, rules)| {
                    let derived: Vec<_> = rules.iter().map(|rule| looped.rule(rule)).collect();
                    let all = O::concatenate(enter(head), derived);
                    self.set(head, all)
                })
                .collect();
            variables.into_iter().zip(&rounds).for_each(|(variable, rows)| O::set(variable, rows.clone()));
            rounds.into_iter().map(|rows| O::leave(rows, scope)).collect::<Vec<_>>()
        });
        for ((head, _), rows) in heads.into_iter().zip(found) {
            let settled = self.settled(&head, rows);
            builder.add_relation(head, settled);
        }
    }
}

/// The rules of each head, in the order in which the heads occur.
fn by_head(stratum: &[Clause]) -> Vec<(Predicate, Vec<&Clause>)> {
    let mut heads: Vec<(Predicate, Vec<&Clause>)> = Vec::new();
    for rule in stratum {
        let head = rule.head.signature();
        match heads.iter_mut().find(|(other, _)| *other == head) {
            Some((_, rules)) => rules.push(rule),
            None => heads.push((head, vec![rule])),
        }
    }
    heads
}
