//! The plans of a stratum's rules: taken out while they run, compiled anew where sizes have changed.

use super::Held;
use crate::costs::{Part, now};
use crate::semi_naive::machine::{Frontier, RunLimits};
use crate::semi_naive::plan::{Plan, compile_rule};
use crate::semi_naive::{SemiNaive, room};
use ludolog_syntax::budget::{Budget, Stopped};
use std::time::Duration;

/// A plan that is taken out of its rule while it runs.
pub struct Taken {
    pub rule: usize,
    /// The body literal whose delta it begins with.
    pub(in crate::semi_naive) delta: Option<usize>,
    pub plan: Box<Plan>,
    /// The time that it took to make the plan, if a profile is made.
    pub planning: Duration,
}

impl SemiNaive {
    /// Takes the plan of a rule out and adds it to `plans`, compiled anew where sizes have changed.
    pub(super) fn take_plan(
        &mut self,
        rule: usize,
        delta: Option<usize>,
        frontiers: &mut Vec<Frontier>,
        budget: &Budget,
        plans: &mut Vec<Taken>,
    ) {
        let start = self.start_of_cost(budget);
        let plan = self.rules[rule].plan(delta).take().filter(|plan| !plan.scans_for_constants);
        let plan = plan.filter(|plan| !plan.is_outdated(&mut self.relations, &self.interner)).unwrap_or_else(|| {
            let clause = self.rules[rule].clause.clone();
            let names = self.rules[rule].names.clone();
            let is_first = !std::mem::replace(&mut self.rules[rule].has_run, true);
            let plan = compile_rule(&clause, &names, delta, is_first, &mut self.tables());
            frontiers.resize(self.relations.len(), Frontier::default());
            Box::new(plan)
        });
        let planning = start.map_or(Duration::ZERO, |start| now(budget).saturating_sub(start));
        plans.push(Taken { rule, delta, plan, planning });
    }

    /// Takes out the plans of rules that begin with a delta, if it has rows.
    pub(in crate::semi_naive) fn take_plans(
        &mut self,
        rules: &[usize],
        frontiers: &mut Vec<Frontier>,
        budget: &Budget,
        plans: &mut Vec<Taken>,
    ) {
        for &rule in rules {
            for place in 0..self.rules[rule].starts.len() {
                let Some(relation) = self.rules[rule].starts[place] else { continue };
                if frontiers[relation].old < frontiers[relation].end {
                    self.take_plan(rule, Some(place), frontiers, budget, plans);
                }
            }
        }
    }

    pub(in crate::semi_naive) fn put_plans_back(&mut self, plans: &mut Vec<Taken>) {
        for Taken { rule, delta, plan, .. } in plans.drain(..) {
            *self.rules[rule].plan(delta) = Some(plan);
        }
    }

    /// Runs plans that were taken out at the same time, so that all of them are made for the same sizes.
    pub(in crate::semi_naive) fn run_plans(
        &mut self,
        plans: &[Taken],
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        if self.shares_runs() {
            let room = room(held.now(self.work), budget);
            self.run_together(plans.iter().map(|taken| &*taken.plan), frontiers, room, budget)?;
            return plans.iter().try_for_each(|taken| self.check_part(taken.rule));
        }
        plans.iter().try_for_each(|Taken { rule, delta, plan, planning }| {
            let start = self.start_of_cost(budget);
            let extent = RunLimits::all(room(held.now(self.work), budget));
            let derived = self.relations[self.rules[*rule].names.head].len();
            let most = self.most_of_part(*rule).saturating_sub(derived);
            let result = self.run_plan(plan, Some(*rule), frontiers, RunLimits { most, ..extent }, budget);
            self.note_run(Part::Rule(*rule), *delta, plan, start, *planning, budget);
            result.and_then(|_| self.check_part(*rule))
        })
    }
}
