//! Trials: the order in which a rule joins all rows, chosen by running several orders for a while.
//!
//! The optimizer orders bodies by the sizes that it expects. Where these are far off, as those of derived predicates
//! may be, its order can take many times the work of another. So a plan over all rows has some time to end. After that,
//! if it has come so far only that much work is left, orders that begin with other subgoals are tried at spots spread
//! over the rows that they scan, and one that binds the head first. How far a run has come tells what it will take in all, as Kilby, Slaney, Thiébaux and
//! Walsh, *Estimating search tree size*, AAAI 2006, tell the size of a search tree from its left part. What a trial
//! derives holds, so that nothing is lost but its time, which is a fraction of what the order of the body is expected
//! to take.
//!
//! All of it runs on one thread, so that the order of facts is the same with any number of threads.

use super::heuristics::Heuristic;
use super::machine::{Frontier, PlanMachine, RowStore, RunLimits, Scratch};
use super::plan::{
    JoinOrder, LiteralRows, Plan, PlanOp, compile_in_order, is_large, order_from, order_from_head, positive,
};
use super::sorted::SortedIndex;
use super::stratum::{Held, Taken};
use super::{SemiNaive, room};
use crate::costs::{Part, now};
use crate::value::{Frozen, Intern};
use ludolog_syntax::budget::{Budget, Stopped};
use std::ops::Range;
use std::time::Duration;

/// Probes before another order is looked for, and those of a trial: a millisecond.
const PROBES: usize = 1 << 15;

/// Other orders are tried where this many times the probes of a trial are expected.
const WORTH_TRIALS: f64 = 16.0;

/// The part of the expected work that all trials together may take, with the indices that they need.
const TRIALS_SHARE: f64 = 1.0 / 16.0;

/// The spots of a trial, spread over the rows that the plan scans, since rows next to each other are often alike.
const SPOTS: usize = 8;

/// Another order is taken where the order of the body is expected to take this many times its work.
const BETTER: f64 = 2.0;

/// A plan to run, and the rows that its first operation scans.
struct PlanTrial<'t> {
    rule: usize,
    plan: &'t Plan,
    scanned: Range<usize>,
    planning: Duration,
}

/// The end of a run within a limit.
enum TrialEnd {
    Complete,
    /// The limit came first, after this part of the run, in this row of those that are scanned.
    Cut {
        part: f64,
        row: usize,
    },
}

impl SemiNaive {
    /// Runs plans over all rows of rules whose bodies may be joined in any order.
    #[inline(never)]
    pub(super) fn run_tried(
        &mut self,
        plans: &mut [Taken],
        frontiers: &mut Vec<Frontier>,
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let mut rest = plans;
        loop {
            let next = rest.iter().position(|taken| self.has_choice(taken)).unwrap_or(rest.len());
            let (together, others) = rest.split_at_mut(next);
            self.run_plans(together, frontiers, held, budget)?;
            let Some((taken, left)) = others.split_first_mut() else { return Ok(()) };
            self.run_best(taken, frontiers, held, budget)?;
            self.check_part(taken.rule)?;
            rest = left;
        }
    }

    /// The probes of a trial.
    fn trial_probes(&self) -> u64 {
        self.relations.heuristics().begins_at(PROBES) as u64
    }

    /// Whether a plan joins a large relation with others, and begins with a scan, of which a part can run.
    fn has_choice(&self, taken: &Taken) -> bool {
        let rule = &self.rules[taken.rule];
        let sources = || positive(&rule.clause).map(|place| rule.names.source(place));
        self.derivations.is_none()
            && self.relations.heuristics().has(Heuristic::Trials)
            && sources().nth(1).is_some()
            && sources().any(|source| source.closure.is_none() && is_large(&self.relations[source.relation]))
            && begins_with_scan(&taken.plan)
    }

    /// Runs a plan, or one of another order that is expected to take less.
    fn run_best(
        &mut self,
        taken: &mut Taken,
        frontiers: &mut Vec<Frontier>,
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let scanned = self.scanned(&taken.plan, frontiers);
        let whole = PlanTrial { rule: taken.rule, plan: &taken.plan, scanned, planning: taken.planning };
        let probes = self.trial_probes();
        let TrialEnd::Cut { part, row } = self.run_for(probes, &whole, frontiers, held, budget)? else { return Ok(()) };
        let better = if part * WORTH_TRIALS < 1.0 { self.better(&whole, frontiers, held, budget)? } else { None };
        let head = self.rules[taken.rule].names.head;
        let has_totals = self.relations[head].totals().is_some();
        if has_totals {
            // A total may not have a tuple twice.
            self.relations[head].clear();
        }
        match better {
            None if !self.shares_runs() && !has_totals => {
                let rest = PlanTrial { scanned: row..whole.scanned.end, planning: Duration::ZERO, ..whole };
                return self.run_for(u64::MAX, &rest, frontiers, held, budget).map(|_| ());
            }
            None => {}
            Some(better) => *taken.plan = better,
        }
        taken.planning = Duration::ZERO;
        self.run_plans(std::slice::from_ref(taken), frontiers, held, budget)
    }

    /// A plan that is expected to take less work than this one, which is known to take much.
    fn better(
        &mut self,
        of_body: &PlanTrial,
        frontiers: &mut Vec<Frontier>,
        held: Held,
        budget: &Budget,
    ) -> Result<Option<Plan>, Stopped> {
        let rule = of_body.rule;
        let clause = self.rules[rule].clause.clone();
        let names = self.rules[rule].names.clone();
        let expected = self.expected(of_body, frontiers, held, budget)?;
        let mut left = TRIALS_SHARE * expected - self.trial_probes() as f64;
        let mut orders = vec![JoinOrder::of_body(&clause).literals];
        let mut best = None;
        let mut least = expected / BETTER;
        let from_head = order_from_head(&clause, &names, &self.tables());
        let firsts = positive(&clause).map(Err);
        for order in from_head.map(Ok).into_iter().chain(firsts) {
            let start = self.start_of_cost(budget);
            let order = order.unwrap_or_else(|first| order_from(&clause, &names, first, &mut self.tables()));
            if orders.contains(&order.literals) {
                continue;
            }
            orders.push(order.literals.clone());
            let plan = compile_in_order(&clause, &names, None, order, &mut self.tables());
            frontiers.resize(self.relations.len(), Frontier::default());
            let hashed = plan.indices.iter().map(|&(id, index)| (id, self.relations[id].index(index).filled()));
            let sorted = plan.sorted.iter().map(|&(id, index)| (id, self.relations[id].sorted(index).filled()));
            let missing = hashed.chain(sorted).map(|(id, filled)| self.relations[id].len() - filled);
            let price = self.trial_probes() as f64 + missing.sum::<usize>() as f64;
            if !begins_with_scan(&plan) || price > left {
                continue;
            }
            left -= price;
            let planning = start.map_or(Duration::ZERO, |start| now(budget).saturating_sub(start));
            let scanned = self.scanned(&plan, frontiers);
            let trial = PlanTrial { rule, plan: &plan, scanned, planning };
            let expected = self.expected(&trial, frontiers, held, budget)?;
            if expected < least {
                (best, least) = (Some(plan), expected);
            }
        }
        Ok(best)
    }

    /// The probes that a plan is expected to take over all of its rows.
    fn expected(
        &mut self,
        trial: &PlanTrial,
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<f64, Stopped> {
        let PlanTrial { rule, plan, ref scanned, mut planning } = *trial;
        let mut expected = 0.0;
        for spot in 0..SPOTS {
            let bound = |spot: usize| scanned.start + scanned.len() * spot / SPOTS;
            let trial = PlanTrial { rule, plan, scanned: bound(spot)..bound(spot + 1), planning };
            let before = self.work.probes;
            // A run ends some probes after its limit, when it looks at the budget.
            let end = self.run_for((self.trial_probes() / SPOTS as u64 / 2).max(1), &trial, frontiers, held, budget)?;
            let probes = (self.work.probes - before) as f64;
            expected += match end {
                TrialEnd::Complete => probes,
                TrialEnd::Cut { part, .. } => probes / part,
            };
            planning = Duration::ZERO;
        }
        Ok(expected)
    }

    /// Runs a plan until it ends, or for about so many probes.
    fn run_for(
        &mut self,
        probes: u64,
        trial: &PlanTrial,
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<TrialEnd, Stopped> {
        let PlanTrial { rule, plan, ref scanned, planning } = *trial;
        let most = self.work.probes.saturating_add(probes);
        let limited = budget.clone().with_max_probes(budget.max_probes().map_or(most, |max| max.min(most)));
        let scanned = Some((scanned.start, scanned.end));
        let extent = RunLimits { scanned, ..RunLimits::all(room(held.now(self.work), budget)) };
        let start = self.start_of_cost(budget);
        // So that the run ends at the same row whatever ran before, and on however many threads.
        self.polling.reset();
        let result = self.run_plan(plan, Some(rule), frontiers, extent, &limited);
        self.note_run(Part::Rule(rule), None, plan, start, planning, budget);
        match result {
            Ok(_) => Ok(TrialEnd::Complete),
            Err(Stopped::TooManyProbes(_)) => {
                budget.check_probes(self.work.probes)?;
                let part = self.progress(plan, frontiers, extent);
                let row = self.scratch.cursors[0] as usize;
                Ok(TrialEnd::Cut { part, row })
            }
            Err(stopped) => Err(stopped),
        }
    }

    /// The part of the run of a plan that is done, after it was stopped.
    fn progress(&mut self, plan: &Plan, frontiers: &[Frontier], extent: RunLimits) -> f64 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut machine = PlanMachine::<_, _, false> {
            relations: self.relations.as_mut_slice(),
            closures: &self.closures,
            interner: &mut Frozen::new(&self.interner),
            extent,
            work: &mut self.work,
            budget: &Budget::unlimited(),
            polling: &mut self.polling,
            derivations: None,
            key_steps: None,
            list: self.list,
        };
        let progress = machine.progress(plan, frontiers, &mut scratch);
        self.scratch = scratch;
        progress
    }

    /// The rows that the first operation of a plan scans.
    fn scanned(&self, plan: &Plan, frontiers: &[Frontier]) -> Range<usize> {
        let Some(PlanOp::Rows(rows)) = plan.ops.first() else { return 0..0 };
        let (low, high) = frontiers[rows.relation].rows(rows.range);
        low..high
    }
}

/// Whether a plan scans rows, and does more with each than to test it.
fn begins_with_scan(plan: &Plan) -> bool {
    plan.ops.len() > 2 && matches!(plan.ops.first(), Some(PlanOp::Rows(rows)) if rows.lookup.is_none() && !rows.once)
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The rows of an operation that are done, without the current one, and all of them.
    fn progress_of_rows(
        &mut self,
        rows: &LiteralRows,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> [f64; 2] {
        let rows = rows.chosen(scratch.chosen[at]);
        let part = match (&rows.lookup, &rows.sorted) {
            (_, Some(sorted)) => {
                let left = SortedIndex::count(&scratch.parts[at]);
                self.find_within(rows, sorted, at, scratch);
                let all = SortedIndex::count(&scratch.parts[at]);
                [all.saturating_sub(left + 1), all]
            }
            (Some(_), None) if !rows.filters.is_empty() && scratch.reduced[at].is_reduced() => {
                let left = scratch.reduced[at].left();
                self.begin(rows, at, frontiers, scratch);
                let all = scratch.reduced[at].left();
                [all.saturating_sub(left + 1), all]
            }
            (Some((index, key)), None) => {
                let left = self.relations[rows.relation].index(*index).count(scratch.places[at]);
                let end = frontiers[rows.relation].rows(rows.range).1;
                let first = self.place(rows, *index, key, end, scratch);
                let all = self.relations[rows.relation].index(*index).count(first);
                [all.saturating_sub(left + 1) as usize, all as usize]
            }
            (None, None) => {
                let (low, high) = self.scanned(rows, at, frontiers);
                [(scratch.cursors[at] as usize).clamp(low, high) - low, high - low]
            }
        };
        part.map(|count| count as f64)
    }

    /// The part of the run of a plan that is done, if all rows under a binding take the same work. The state of
    /// `scratch` is that of the run when it was stopped, where operations behind the last one may have that of an
    /// earlier binding: they matter little.
    fn progress(&mut self, plan: &Plan, frontiers: &[Frontier], scratch: &mut Scratch) -> f64 {
        let mut progress = 0.0;
        let mut share = 1.0;
        for (at, op) in plan.ops.iter().enumerate() {
            let part = match op {
                PlanOp::Rows(rows) if rows.once => break,
                PlanOp::Rows(rows) => Some(self.progress_of_rows(rows, at, frontiers, scratch)),
                PlanOp::Closure { once: true, .. } => break,
                PlanOp::Closure { pairs, .. } => {
                    let cursor = scratch.closure_cursors.get(at);
                    cursor.and_then(|cursor| self.closures[pairs.closure].progress(cursor))
                }
                _ => continue,
            };
            let Some([done, all]) = part.filter(|[_, all]| *all > 0.0) else { break };
            share /= all;
            progress += share * done;
        }
        // Where it cannot be told, it is less than any row of the last operation.
        if progress > 0.0 { progress } else { share }
    }
}
