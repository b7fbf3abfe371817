//! The costs that a profile shows, counted while the strata run.

use super::SemiNaive;
use super::machine::Scratch;
use super::plan::Plan;
use crate::contract::{Count, Work};
use crate::costs::{Evaluation, Part, PlanCost, StratumCost, SubgoalCost, now};
use indexmap::IndexMap;
use ludolog_syntax::budget::Budget;
use rustc_hash::FxBuildHasher;
use std::time::Duration;

/// The costs so far.
#[derive(Default)]
pub struct Costs {
    strata: Vec<StratumCost>,
    plans: IndexMap<(Part, Option<usize>), PlanCost, FxBuildHasher>,
}

/// Counts of one run of a plan, by operation.
#[derive(Default)]
pub struct Counts {
    /// Bindings that came to each operation.
    entered: Vec<u64>,
    /// Rows that each operation was matched against.
    probes: Vec<u64>,
    /// The operation that runs, and the work done before it.
    at: usize,
    counted: u64,
    before: Work,
    began: Duration,
    indexing: Duration,
}

impl Counts {
    /// Begins a run of a plan with so many operations.
    pub fn begin(&mut self, operations: usize, before: Work, budget: &Budget) {
        for counts in [&mut self.entered, &mut self.probes] {
            counts.clear();
            counts.resize(operations, 0);
        }
        (self.at, self.counted, self.before, self.began) = (0, before.probes, before, now(budget));
    }

    /// Notes that all indices are up to date.
    pub fn note_indexed(&mut self, budget: &Budget) {
        self.indexing = now(budget).saturating_sub(self.began);
    }

    /// Goes to an operation: all probes until then are those of the operation before it.
    #[inline]
    pub fn step(&mut self, at: usize, retry: bool, probes: u64) {
        self.probes[self.at] += probes - self.counted;
        (self.at, self.counted) = (at, probes);
        self.entered[at] += u64::from(!retry);
    }

    /// Notes heads that come to the last operation without a step of their own.
    #[inline]
    pub fn emit(&mut self, heads: u64) {
        if let Some(entered) = self.entered.last_mut() {
            *entered += heads;
        }
    }

    fn end(&mut self, after: Work) {
        self.probes[self.at] += after.probes - self.counted;
    }
}

impl SemiNaive {
    /// Counts costs from now on.
    pub(super) fn start_costs(&mut self) {
        let strata = self.strata.iter().map(|stratum| StratumCost {
            predicates: stratum.heads().iter().map(|&head| self.relations.predicate(head).clone()).collect(),
            rules: stratum.rules().to_vec(),
            ..StratumCost::default()
        });
        self.costs = Some(Costs { strata: strata.collect(), ..Costs::default() });
    }

    /// The costs so far; none if they are not counted.
    pub(super) fn costs_so_far(&self) -> Evaluation {
        let Some(costs) = &self.costs else { return Evaluation::default() };
        let mut strata = costs.strata.clone();
        for stratum in &mut strata {
            stratum.facts = stratum.predicates.iter().map(|predicate| self.count(predicate)).sum();
        }
        Evaluation { strata, plans: costs.plans.values().cloned().collect() }
    }

    /// The time by the clock; `None` if costs are not counted.
    pub(super) fn start_of_cost(&self, budget: &Budget) -> Option<Duration> {
        self.costs.as_ref().map(|_| now(budget))
    }

    pub(super) fn note_stratum(&mut self, stratum: usize, start: Option<Duration>, budget: &Budget) {
        if let (Some(costs), Some(start)) = (&mut self.costs, start) {
            costs.strata[stratum].time += now(budget).saturating_sub(start);
        }
    }

    pub(super) fn note_closure(&mut self, stratum: usize, start: Option<Duration>, budget: &Budget) {
        if let (Some(costs), Some(start)) = (&mut self.costs, start) {
            costs.strata[stratum].closure += now(budget).saturating_sub(start);
        }
    }

    pub(super) fn note_round(&mut self, stratum: usize, has_run: bool) {
        if let Some(costs) = &mut self.costs {
            costs.strata[stratum].rounds += u64::from(has_run);
        }
    }

    /// Adds a run of a plan that began at `start`, after it was looked up or made in the time of `planning`.
    pub(super) fn note_run(
        &mut self,
        part: Part,
        delta: Option<usize>,
        plan: &Plan,
        start: Option<Duration>,
        planning: Duration,
        budget: &Budget,
    ) {
        let (Some(costs), Some(start)) = (&mut self.costs, start) else { return };
        let work = self.work;
        let Scratch { counts, .. } = &mut self.scratch;
        counts.end(work);
        let cost = costs.plans.entry((part, delta)).or_insert_with(|| PlanCost::new(part, delta, plan.body));
        let derived = work.derived - counts.before.derived;
        cost.runs += 1;
        cost.time += now(budget).saturating_sub(start);
        cost.indexing += counts.indexing;
        cost.planning += planning;
        cost.probes += work.probes - counts.before.probes;
        cost.derived += derived;
        // A run that stops in the middle of a block has counted all heads of the block.
        let last = plan.ops.len() - 1;
        cost.duplicates += counts.entered[last].saturating_sub(derived);
        cost.order.clear();
        cost.answered = plan.answered.to_vec();
        for (at, literal) in plan.literals.iter().enumerate() {
            let Some(literal) = *literal else {
                // Before the last operation comes only the test that the head is unknown.
                if at < last {
                    cost.duplicates += counts.entered[at] - counts.entered[at + 1];
                }
                continue;
            };
            let subgoal = &mut cost.subgoals[literal];
            subgoal.probes += counts.probes[at];
            if at == 0 || plan.literals[at - 1] != Some(literal) {
                cost.order.push(literal);
                subgoal.entered += counts.entered[at];
            }
            if plan.literals[at + 1] != Some(literal) {
                subgoal.matched += counts.entered[at + 1];
            }
        }
    }
}

impl PlanCost {
    fn new(part: Part, delta: Option<usize>, body: usize) -> Self {
        let none = Duration::ZERO;
        let order = Vec::with_capacity(body);
        let answered = Vec::new();
        let subgoals = vec![SubgoalCost::default(); body];
        let runs = 0;
        let probes = 0;
        let duplicates = 0;
        let derived = 0;
        PlanCost {
            part,
            delta,
            runs,
            time: none,
            indexing: none,
            planning: none,
            probes,
            duplicates,
            derived,
            order,
            answered,
            subgoals,
        }
    }
}
