//! Runs of plans on several threads, those of a round together: each thread goes through parts of the rows that the
//! first operations scan, and finds rows that are new; then they are inserted, plan by plan and part by part.
//!
//! So facts and their order are those of one thread. What would change them, or cannot be shared, runs on one thread:
//! plans that test a relation that they add to, those with aggregates, whose values are kept for the run, and the rest
//! of a plan that makes a term without a value. A plan that tests a relation waits for those that add to it.

use crate::semi_naive::SemiNaive;
use crate::semi_naive::machine::{Frontier, PlanMachine, Polling, RowStore, RunLimits, Scratch, check_room};
use crate::semi_naive::plan::{Plan, PlanOp};
use crate::semi_naive::relation::{BLOCK, Relation, RelationId, for_each_row};
use crate::value::{Frozen, Value};
use ludolog_syntax::budget::{Budget, Stopped};
use rayon::prelude::*;
use std::ops::{Index, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer rows are not worth the way to other threads and back.
const FEWEST_ROWS: usize = 256;

/// Parts for each thread, before what they find is inserted: some take longer than others.
const PARTS: usize = 64;

/// Rows of the first parts.
const FIRST_PART: usize = 32;

/// Probes that a part should take, and rows that it should find: enough to repay the way, few enough for memory and for
/// those who find the same row meanwhile.
const PROBES: u64 = 1 << 13;
const FOUND: u64 = 1 << 11;

/// Rows that a part finds at most, and after which no further part is begun before they are inserted: a row may match
/// many.
const MOST_FOUND: usize = 1 << 20;

/// Rows inserted between two checks of the budget.
const POLL_EVERY: usize = 4096;

/// Relations that stay as they are, with the rows that are to be added to one of them.
struct Candidates<'r> {
    relations: &'r [Relation],
    rows: Vec<Value>,
}

impl Index<RelationId> for Candidates<'_> {
    type Output = Relation;

    #[inline]
    fn index(&self, relation: RelationId) -> &Relation {
        &self.relations[relation]
    }
}

impl RowStore for Candidates<'_> {
    #[inline]
    fn insert(&mut self, relation: RelationId, row: &[Value]) -> bool {
        let is_new = !self.relations[relation].contains(row);
        if is_new {
            self.rows.extend_from_slice(row);
        }
        is_new
    }

    #[inline]
    fn insert_rows(&mut self, relation: RelationId, rows: &[Value]) -> usize {
        let before = self.rows.len();
        let arity = self.relations[relation].arity();
        for rows in rows.chunks(BLOCK * arity) {
            let found = self.relations[relation].contains_each(rows);
            for_each_row(!found, rows, arity, |row| self.rows.extend_from_slice(row));
        }
        (self.rows.len() - before) / arity
    }
}

/// A plan that runs together with others.
struct SharedPlan<'p> {
    plan: &'p Plan,
    head: RelationId,
    /// The rows that are left of those that the first operation scans.
    next: usize,
    high: usize,
    /// The rows of a part.
    size: usize,
}

/// A part of the rows that the first operation of a run scans.
struct ScanPart {
    run: usize,
    start: usize,
    end: usize,
}

/// The rows that a thread has found.
struct FoundRows {
    /// The rows of its parts, one after the other.
    cells: Vec<Value>,
    parts: Vec<PartFound>,
}

/// A part that a thread has gone through.
struct PartFound {
    number: usize,
    /// The range of its rows among the cells of the thread.
    cells: Range<usize>,
    probes: u64,
    /// Whether the rows mean nothing, since a term had no value.
    lacks_values: bool,
    /// Whether there may be more rows than it was to find.
    is_cut: bool,
    stopped: Result<(), Stopped>,
}

/// The buffers of a thread.
#[derive(Default)]
struct PartScratch {
    scratch: Scratch,
    /// The run of its last part: what is known of the keys of that one holds for further parts of it.
    run: Option<usize>,
}

/// The state that the threads on the parts of a wave share.
#[derive(Default)]
struct WaveState {
    claimed: AtomicUsize,
    /// The number of rows found.
    found: AtomicUsize,
}

/// Adds found rows to a relation, as far as there is room for new ones.
fn merge(rows: &[Value], relation: &mut Relation, room: usize, budget: &Budget) -> Result<(), Stopped> {
    let arity = relation.arity();
    let most = relation.len().saturating_add(room);
    for rows in rows.chunks(POLL_EVERY * arity) {
        budget.check()?;
        if relation.len() + rows.len() / arity <= most {
            relation.insert_rows(rows);
            continue;
        }
        for row in rows.chunks_exact(arity) {
            if relation.len() >= most {
                check_room(relation, row, budget)?;
            }
            relation.insert(row);
        }
    }
    Ok(())
}

impl<'p> SharedPlan<'p> {
    /// A run of a plan; `None` if it may not be shared.
    fn of(plan: &'p Plan, frontiers: &[Frontier]) -> Option<Self> {
        let (Some(PlanOp::Rows(rows)), Some(&PlanOp::Emit { relation: head, ref row, .. })) =
            (plan.ops.first(), plan.ops.last())
        else {
            return None;
        };
        // Each part would find anew the rows that it takes only the first of.
        let is_shareable = !rows.once
            && rows.lookup.is_none()
            && rows.distinct.is_empty()
            && !row.is_empty()
            && !plan.ops.iter().any(|op| matches!(op, PlanOp::Aggregate(_)))
            && !tests(plan, head);
        let (next, high) = frontiers[rows.relation].rows(rows.range);
        is_shareable.then_some(SharedPlan { plan, head, next, high, size: FIRST_PART })
    }

    fn left(&self) -> usize {
        self.high - self.next
    }
}

/// Whether a plan tests that rows are in a relation.
fn tests(plan: &Plan, head: RelationId) -> bool {
    plan.ops.iter().any(|op| matches!(op, PlanOp::Contains { relation, negated: false, .. } if *relation == head))
}

/// The parts of the next wave, in the order of runs and rows.
fn parts(runs: &[SharedPlan], most: usize) -> Vec<ScanPart> {
    let of_run = |(number, run): (usize, &SharedPlan)| {
        let high = run.high;
        let size = run.size;
        let starts = (run.next..high).step_by(size);
        starts.map(move |start| ScanPart { run: number, start, end: high.min(start + size) })
    };
    runs.iter().enumerate().flat_map(of_run).take(most).collect()
}

impl SemiNaive {
    /// Whether several threads share runs: not where each is to be told apart, for a profile or for derivations.
    pub(in crate::semi_naive) fn shares_runs(&self) -> bool {
        self.threads.are_several() && self.costs.is_none() && self.derivations.is_none()
    }

    /// Runs plans on several threads, as far as that is faster, with the facts that come of one after the other, and
    /// returns the number of new rows; `room` is that of the budget for them.
    #[inline(never)]
    pub(in crate::semi_naive) fn run_together<'p>(
        &mut self,
        plans: impl IntoIterator<Item = &'p Plan>,
        frontiers: &[Frontier],
        room: usize,
        budget: &Budget,
    ) -> Result<usize, Stopped> {
        let (mut new, mut runs) = (0, Vec::new());
        for plan in plans {
            let run = SharedPlan::of(plan, frontiers);
            if run.is_none() || runs.iter().any(|run: &SharedPlan| tests(plan, run.head)) {
                new += self.run_all(&mut runs, frontiers, room - new, budget)?;
            }
            match run {
                Some(run) => runs.push(run),
                None => {
                    let found = self.run_plan(plan, None, frontiers, RunLimits::all(room - new), budget)?;
                    // Tuples that are taken in are not held.
                    new += if matches!(plan.ops.last(), Some(PlanOp::TakeIn { .. })) { 0 } else { found };
                }
            }
        }
        Ok(new + self.run_all(&mut runs, frontiers, room - new, budget)?)
    }

    /// Runs plans of which none tests what another adds, and takes them out of the list.
    fn run_all(
        &mut self,
        runs: &mut Vec<SharedPlan>,
        frontiers: &[Frontier],
        room: usize,
        budget: &Budget,
    ) -> Result<usize, Stopped> {
        let mut runs = std::mem::take(runs);
        let left: usize = runs.iter().map(SharedPlan::left).sum();
        let is_worth_it = left >= self.relations.heuristics().begins_at(FEWEST_ROWS);
        let Some(pool) = self.threads.pool().filter(|_| is_worth_it) else {
            return runs.iter().try_fold(0, |new, run| {
                Ok(new + self.run_plan(run.plan, None, frontiers, RunLimits::all(room - new), budget)?)
            });
        };
        runs.iter().for_each(|run| self.catch_up(run.plan, frontiers));
        // All of it on the threads of the pool, which fall asleep where they have to wait for another one.
        let result = pool.install(|| self.run_waves(&mut runs, frontiers, room, budget));
        self.interner.check_overflow()?;
        result
    }

    /// Runs plans on parts of the rows of their first operations, some parts at the same time.
    fn run_waves(
        &mut self,
        runs: &mut [SharedPlan],
        frontiers: &[Frontier],
        room: usize,
        budget: &Budget,
    ) -> Result<usize, Stopped> {
        let threads = rayon::current_num_threads();
        let alone = budget.without_turns();
        let mut new = 0;
        let mut scratches: Vec<PartScratch> = (0..threads).map(|_| PartScratch::default()).collect();
        loop {
            let parts = parts(runs, PARTS * threads);
            if parts.is_empty() {
                return Ok(new);
            }
            let progress = WaveState::default();
            let run = |scratch| self.run_unclaimed(runs, &parts, &progress, frontiers, &alone, scratch);
            let found: Vec<FoundRows> = scratches.par_iter_mut().with_max_len(1).map(run).collect();
            let mut in_order: Vec<(&PartFound, &[Value])> = found
                .iter()
                .flat_map(|found| found.parts.iter().map(|part| (part, &found.cells[part.cells.clone()])))
                .collect();
            in_order.sort_unstable_by_key(|(part, _)| part.number);
            // Only the last run may go on.
            let last = in_order.last().map_or(0, |(part, _)| parts[part.number].run);
            let mut most_probes = 0;
            let mut most_found = 0;
            for (found, rows) in in_order {
                let ScanPart { run: number, start, end } = parts[found.number];
                let run = &mut runs[number];
                if run.next > start {
                    continue;
                }
                found.stopped.clone()?;
                let relation = &mut self.relations[run.head];
                if number == last {
                    most_probes = most_probes.max(found.probes);
                    most_found = most_found.max((rows.len() / relation.arity()) as u64);
                }
                run.next = if found.lacks_values { run.high } else { end };
                if found.lacks_values || found.is_cut {
                    let extent = RunLimits { scanned: Some((start, run.next)), ..RunLimits::all(room - new) };
                    new += self.run_plan(run.plan, None, frontiers, extent, budget)?;
                    // It may have brought an index up to date.
                    scratches.iter_mut().for_each(|scratch| scratch.run = None);
                    continue;
                }
                self.work.probes += found.probes;
                let before = relation.len();
                let merged = merge(rows, relation, room - new, budget);
                let added = relation.len() - before;
                self.work.derived += added as u64;
                new += added;
                merged?;
            }
            budget.check_probes(self.work.probes)?;
            let size = &mut runs[last].size;
            *size = match (most_probes, most_found) {
                (..PROBES, ..FOUND) => 2 * *size,
                (probes, found) if probes > 2 * PROBES || found > 2 * FOUND => size.div_ceil(2),
                _ => *size,
            };
        }
    }

    /// Goes through parts until all of them are claimed, or enough rows found.
    fn run_unclaimed(
        &self,
        runs: &[SharedPlan],
        parts: &[ScanPart],
        progress: &WaveState,
        frontiers: &[Frontier],
        budget: &Budget,
        PartScratch { scratch, run: last }: &mut PartScratch,
    ) -> FoundRows {
        let mut candidates = Candidates { relations: self.relations.as_slice(), rows: Vec::new() };
        let mut done = Vec::new();
        while progress.found.load(Ordering::Relaxed) < MOST_FOUND {
            let number = progress.claimed.fetch_add(1, Ordering::Relaxed);
            let Some(&ScanPart { run, start, end }) = parts.get(number) else { break };
            let before = candidates.rows.len();
            let mut work = self.work;
            let mut interner = Frozen::new(&self.interner);
            let mut machine = PlanMachine::<_, _, false> {
                relations: &mut candidates,
                closures: &self.closures,
                interner: &mut interner,
                extent: RunLimits {
                    scanned: Some((start, end)),
                    room: usize::MAX,
                    most: MOST_FOUND,
                    goes_on: last.replace(run) == Some(run),
                },
                work: &mut work,
                budget,
                polling: &mut Polling::new(self.relations.heuristics()),
                derivations: None,
                key_steps: None,
                list: self.list,
            };
            let found = machine.run(runs[run].plan, frontiers, scratch);
            progress.found.fetch_add(found.as_ref().copied().unwrap_or_default(), Ordering::Relaxed);
            let is_stopped = found.is_err();
            done.push(PartFound {
                number,
                cells: before..candidates.rows.len(),
                probes: work.probes - self.work.probes,
                lacks_values: interner.lacks_values(),
                is_cut: found.as_ref().is_ok_and(|&found| found >= MOST_FOUND),
                stopped: found.map(|_| ()),
            });
            if is_stopped {
                break;
            }
        }
        FoundRows { cells: candidates.rows, parts: done }
    }
}
