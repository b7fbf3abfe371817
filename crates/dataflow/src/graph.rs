//! The graph of operators of a program, and the rows that it comes to.
//!
//! ```text
//! given rows ─input→ relation of a predicate ←─ distinct ← rules        strata in order; one that is recursive is a loop
//!                            └→ Held: the rows of this worker
//! ```
//!
//! Time is the number of the update, and within a loop also that of the round (McSherry, Murray, Isaacs and Isard, *Differential
//! dataflow*, CIDR 2013): a change of facts is a change at a new time, and costs what it changes.

use crate::plan::Plan;
use crate::row::Row;
use crate::rules::{Builder, Rows};
use crate::terms::{Packed, with_terms};
use differential_dataflow::consolidation::consolidate;
use differential_dataflow::input::{Input, InputSession};
use differential_dataflow::operators::ThresholdTotal;
use differential_dataflow::operators::iterate::Variable;
use differential_dataflow::{AsCollection, Hashable};
use ludolog_engine::value::Value;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::Predicate;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use timely::dataflow::operators::Exchange;
use timely::dataflow::{ProbeHandle, Scope};
use timely::order::Product;
use timely::worker::Worker;

/// The number of an update.
pub type Epoch = u32;

/// The number of a round within an update.
type Round = u32;

/// The rows of a relation that a worker owns.
#[derive(Debug)]
struct Held<R> {
    /// The rows as of some update, sorted.
    settled: Vec<R>,
    /// The changes of updates after it that are complete.
    recent: Vec<(R, isize)>,
    /// Changes of the current update, or of one that other workers have begun.
    arriving: Vec<(R, Epoch, isize)>,
}

impl<R> Default for Held<R> {
    fn default() -> Self {
        Held { settled: Vec::new(), recent: Vec::new(), arriving: Vec::new() }
    }
}

/// Recent changes are settled when they are more than this and than the rows that are settled, so that a small change costs no
/// pass over all rows.
const FEW: usize = 1 << 10;

impl<R: Row> Held<R> {
    /// Takes in the changes of all updates before this one; those of the last one that do not cancel out.
    fn complete(&mut self, epoch: Epoch) -> &[(R, isize)] {
        if self.recent.len() > FEW.max(self.settled.len()) {
            self.settle();
        }
        let arrived = self.arriving.extract_if(.., |(_, time, _)| *time < epoch);
        let mut changes: Vec<(R, isize)> = arrived.map(|(row, _, change)| (row, change)).collect();
        consolidate(&mut changes);
        let start = self.recent.len();
        self.recent.append(&mut changes);
        &self.recent[start..]
    }

    /// Brings the settled rows up to date.
    fn settle(&mut self) {
        if self.recent.is_empty() {
            return;
        }
        let mut all: Vec<(R, isize)> = std::mem::take(&mut self.settled).into_iter().map(|row| (row, 1)).collect();
        all.append(&mut self.recent);
        consolidate(&mut all);
        self.settled = all.into_iter().map(|(row, _)| row).collect();
        self.settled.shrink_to_fit();
    }
}

/// The graph of a program on one worker.
pub struct Graph<R: Row> {
    plan: Arc<Plan>,
    inputs: Vec<InputSession<Epoch, R, isize>>,
    /// The row of the relation that has one.
    unit: InputSession<Epoch, R, isize>,
    probe: ProbeHandle<Epoch>,
    held: Vec<Rc<RefCell<Held<R>>>>,
    epoch: Epoch,
}

impl<R: Row> Graph<R> {
    /// Builds the graph. `count` follows the number of rows of all relations.
    pub fn new(worker: &mut Worker, plan: &Arc<Plan>, count: &Arc<AtomicI64>) -> Graph<R> {
        let held: Vec<Rc<RefCell<Held<R>>>> = plan.predicates.iter().map(|_| Rc::default()).collect();
        let probe = ProbeHandle::new();
        let is_first = worker.index() == 0;
        let (inputs, mut unit) = worker.dataflow::<Epoch, _, _>(|scope| {
            let (inputs, given): (Vec<_>, Vec<Rows<Epoch, R>>) =
                plan.predicates.iter().map(|_| scope.new_collection::<R, isize>()).unzip();
            let (unit, one) = scope.new_collection::<R, isize>();
            // Rows come and go at the worker that owns them, whoever tells of them.
            let owned = given
                .into_iter()
                .map(|rows| rows.inner.exchange(|(row, _, _): &(R, Epoch, isize)| row.hashed()).as_collection());
            let relations = plan.predicates.iter().cloned().zip(owned).collect();
            let mut builder = Builder::new(relations, one.clone());
            for stratum in &plan.strata {
                match Plan::is_recursive(stratum) {
                    true => recursive(scope, &mut builder, stratum, &one),
                    false => layered(&mut builder, stratum),
                }
            }
            for (predicate, held) in plan.predicates.iter().zip(&held) {
                let (held, count) = (held.clone(), count.clone());
                builder
                    .relation(predicate)
                    .inspect_batch(move |_, changes| {
                        count.fetch_add(changes.iter().map(|(_, _, change)| *change as i64).sum(), Ordering::Relaxed);
                        held.borrow_mut().arriving.extend_from_slice(changes);
                    })
                    .probe_with(&probe);
            }
            (inputs, unit)
        });
        if is_first {
            unit.insert(R::of(std::iter::empty()));
        }
        Graph { plan: plan.clone(), inputs, unit, probe, held, epoch: 0 }
    }

    /// Adds (or with -1, removes) given rows of a predicate.
    pub fn change(&mut self, predicate: usize, rows: &Packed, change: isize) {
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
        for input in self.inputs.iter_mut().chain([&mut self.unit]) {
            input.advance_to(self.epoch);
            input.flush();
        }
    }

    /// Whether the consequences of all updates have come, on all workers.
    pub fn is_over(&self) -> bool {
        !self.probe.less_than(&self.epoch)
    }

    /// Adds a given row.
    pub fn insert(&mut self, predicate: usize, row: &[Value]) {
        self.inputs[predicate].insert(R::of(row.iter().copied()));
    }

    /// Takes in what the last update has brought to the rows of this worker; if `told`, by predicate: rows that came, rows
    /// that went.
    pub fn changes(&mut self, told: bool) -> Vec<(usize, [Packed; 2])> {
        let mut all = Vec::new();
        for (number, held) in self.held.iter().enumerate() {
            let mut held = held.borrow_mut();
            let changes = held.complete(self.epoch);
            if told && !changes.is_empty() {
                let arity = self.plan.predicates[number].arity;
                let mut packed = [Packed::default(), Packed::default()];
                with_terms(|terms| {
                    for (row, change) in changes {
                        packed[usize::from(*change < 0)].push(&row.cells()[..arity], &terms.interner);
                    }
                });
                all.push((number, packed));
            }
        }
        all
    }

    /// Calls `visit` with the rows of a predicate that this worker owns.
    pub fn for_each(&self, predicate: usize, mut visit: impl FnMut(&[Value])) {
        let mut held = self.held[predicate].borrow_mut();
        held.settle();
        let arity = self.plan.predicates[predicate].arity;
        held.settled.iter().for_each(|row| visit(&row.cells()[..arity]));
    }
}

/// Adds the relations of a stratum that is not recursive.
fn layered<'s, R: Row>(builder: &mut Builder<'s, Epoch, R>, stratum: &[Clause]) {
    for (head, rules) in by_head(stratum) {
        let derived: Vec<_> = rules.into_iter().map(|rule| builder.rule(rule)).collect();
        let all = builder.relation(&head).concatenate(derived);
        builder.add_relation(head, all.distinct_total());
    }
}

/// Adds the relations of a recursive stratum: the least sets that hold what is given and what follows.
fn recursive<'s, R: Row>(
    scope: Scope<'s, Epoch>,
    builder: &mut Builder<'s, Epoch, R>,
    stratum: &[Clause],
    one: &Rows<'s, Epoch, R>,
) {
    let heads = by_head(stratum);
    let read = stratum.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom).map(|atom| atom.signature());
    let mut outside: Vec<Predicate> = read.filter(|read| heads.iter().all(|(head, _)| head != read)).collect();
    outside.sort();
    outside.dedup();
    let found = scope.iterative::<Round, _, _>(|inner| {
        let mut relations: FxHashMap<Predicate, _> =
            outside.iter().map(|predicate| (predicate.clone(), builder.relation(predicate).enter(inner))).collect();
        let step = Product::new(0, 1);
        let mut variables = Vec::new();
        for (head, _) in &heads {
            let (variable, rows) = Variable::new(inner, step);
            variables.push(variable);
            relations.insert(head.clone(), rows);
        }
        let mut looped = Builder::new(relations, one.clone().enter(inner));
        let rounds: Vec<_> = heads
            .iter()
            .map(|(head, rules)| {
                let derived: Vec<_> = rules.iter().map(|rule| looped.rule(rule)).collect();
                builder.relation(head).enter(inner).concatenate(derived).distinct()
            })
            .collect();
        variables.into_iter().zip(&rounds).for_each(|(variable, rows)| variable.set(rows.clone()));
        rounds.into_iter().map(|rows| rows.leave(scope)).collect::<Vec<_>>()
    });
    for ((head, _), rows) in heads.into_iter().zip(found) {
        builder.add_relation(head, rows);
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
