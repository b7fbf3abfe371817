//! One run of a plan on several threads: each goes through a part of the rows that the first operation scans, and finds rows
//! that are new; then they are inserted, part by part.
//!
//! So facts and their order are those of one thread. What would change them, or cannot be shared, runs on one thread: plans
//! that test a relation that they add to, those with aggregates, whose values are kept for the run, and the rest of a plan
//! that makes a term without a value.

use crate::semi_naive::SemiNaive;
use crate::semi_naive::machine::{Frontier, Machine, Polling, Scratch, Store, check_room};
use crate::semi_naive::plan::{Op, Plan, Rows};
use crate::semi_naive::relation::{BLOCK, Relation, RelationId, for_each_row};
use crate::value::{Frozen, Value};
use crate::{Budget, Stopped};
use rayon::prelude::*;
use std::ops::{Index, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer rows are not worth the way to other threads and back.
const FEWEST_ROWS: usize = 256;

/// Parts for each thread, before what they find is inserted: some take longer than others.
const PARTS: usize = 64;

/// Rows of the first parts.
const FIRST_PART: usize = 32;

/// Probes that a part should take, and rows that it should find: enough to repay the way, few enough for memory and for those
/// who find the same row meanwhile.
const PROBES: u64 = 1 << 13;
const FOUND: u64 = 1 << 11;

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

impl Store for Candidates<'_> {
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
        let (before, arity) = (self.rows.len(), self.relations[relation].arity());
        for rows in rows.chunks(BLOCK * arity) {
            let found = self.relations[relation].contains_each(rows);
            for_each_row(!found, rows, arity, |row| self.rows.extend_from_slice(row));
        }
        (self.rows.len() - before) / arity
    }
}

/// What has been done of a run.
pub struct Parts {
    /// The rows of the first operation that are left to one thread.
    pub rest: Option<(usize, usize)>,
    /// The number of new rows.
    pub new: usize,
}

/// What a thread has found.
struct Found {
    /// Those of its parts, one after the other.
    rows: Vec<Value>,
    parts: Vec<Part>,
}

/// A part that has been run.
struct Part {
    number: usize,
    /// Where its rows are among the cells that the thread has found.
    cells: Range<usize>,
    probes: u64,
    /// Whether the rows mean nothing, since a term had no value.
    lacks_values: bool,
    stopped: Result<(), Stopped>,
}

/// Adds found rows to a relation, as far as there is room for new ones.
fn merge(rows: &[Value], relation: &mut Relation, room: usize, budget: &Budget) -> Result<(), Stopped> {
    let (arity, most) = (relation.arity(), relation.len().saturating_add(room));
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

/// The first operation of a plan that may run on several threads, and the relation of its head.
fn shareable(plan: &Plan) -> Option<(&Rows, RelationId)> {
    let (Some(Op::Rows(rows)), Some(&Op::Emit { relation: head, ref row, .. })) = (plan.ops.first(), plan.ops.last())
    else {
        return None;
    };
    let is_shareable = |op: &Op| match op {
        Op::Aggregate { .. } => false,
        Op::Contains { relation, negated: false, .. } => *relation != head,
        _ => true,
    };
    (rows.lookup.is_none() && !rows.once && !row.is_empty() && plan.ops.iter().all(is_shareable))
        .then_some((rows, head))
}

impl SemiNaive {
    /// Runs a plan, whose indices are up to date, on several threads, as far as it can; `room` is that of the budget for new
    /// rows. Does nothing where one thread is as fast.
    pub(in crate::semi_naive) fn run_parts(
        &mut self,
        plan: &Plan,
        frontiers: &[Frontier],
        room: usize,
        budget: &Budget,
    ) -> Result<Option<Parts>, Stopped> {
        if !self.threads.are_several() {
            return Ok(None);
        }
        let Some((rows, head)) = shareable(plan) else { return Ok(None) };
        let (low, high) = frontiers[rows.relation].rows(rows.range);
        if high - low < FEWEST_ROWS {
            return Ok(None);
        }
        let Some(pool) = self.threads.pool() else { return Ok(None) };
        // All of it on the threads of the pool, which fall asleep where they have to wait for another one.
        pool.install(|| self.run_waves(plan, head, frontiers, (low, high), room, budget)).map(Some)
    }

    /// Runs a plan on parts of some rows of its first operation, some parts at the same time.
    fn run_waves(
        &mut self,
        plan: &Plan,
        head: RelationId,
        frontiers: &[Frontier],
        (low, high): (usize, usize),
        room: usize,
        budget: &Budget,
    ) -> Result<Parts, Stopped> {
        let threads = rayon::current_num_threads();
        let (mut next, mut size, mut new) = (low, FIRST_PART, 0);
        let arity = self.relations[head].arity();
        while next < high {
            let parts: Vec<(usize, usize)> =
                (next..high).step_by(size).take(PARTS * threads).map(|start| (start, high.min(start + size))).collect();
            let unclaimed = AtomicUsize::new(0);
            let run = |_| self.run_unclaimed(plan, frontiers, &parts, &unclaimed, budget);
            let found: Vec<Found> = (0..threads).into_par_iter().with_max_len(1).map(run).collect();
            let mut in_order: Vec<(&Part, &[Value])> = found
                .iter()
                .flat_map(|found| found.parts.iter().map(|part| (part, &found.rows[part.cells.clone()])))
                .collect();
            in_order.sort_unstable_by_key(|(part, _)| part.number);
            let (mut probes, mut most_found) = (0, 0);
            for (part, rows) in in_order {
                let (start, end) = parts[part.number];
                part.stopped.clone()?;
                if part.lacks_values {
                    return Ok(Parts { rest: Some((start, high)), new });
                }
                self.work.probes += part.probes;
                probes = probes.max(part.probes);
                most_found = most_found.max((rows.len() / arity) as u64);
                let relation = &mut self.relations[head];
                let before = relation.len();
                let merged = merge(rows, relation, room - new, budget);
                let added = relation.len() - before;
                self.work.derived += added as u64;
                new += added;
                merged?;
                next = end;
            }
            budget.check_probes(self.work.probes)?;
            size = match (probes, most_found) {
                (..PROBES, ..FOUND) => 2 * size,
                (probes, found) if probes > 2 * PROBES || found > 2 * FOUND => size.div_ceil(2),
                _ => size,
            };
        }
        Ok(Parts { rest: None, new })
    }

    /// Runs a plan on parts of the rows that its first operation scans, until all of them are claimed.
    fn run_unclaimed(
        &self,
        plan: &Plan,
        frontiers: &[Frontier],
        parts: &[(usize, usize)],
        unclaimed: &AtomicUsize,
        budget: &Budget,
    ) -> Found {
        let mut candidates = Candidates { relations: self.relations.as_slice(), rows: Vec::new() };
        let (mut scratch, mut done) = (Scratch::default(), Vec::new());
        loop {
            let number = unclaimed.fetch_add(1, Ordering::Relaxed);
            let Some(&scanned) = parts.get(number) else { break };
            let (before, mut work) = (candidates.rows.len(), self.work);
            let mut interner = Frozen::new(&self.interner);
            let mut machine = Machine::<_, _, false> {
                relations: &mut candidates,
                closures: &self.closures,
                interner: &mut interner,
                scanned: Some(scanned),
                work: &mut work,
                budget,
                polling: &mut Polling::default(),
                room: usize::MAX,
                most: usize::MAX,
                derivations: None,
                list: self.list,
            };
            let stopped = machine.run(plan, frontiers, &mut scratch).map(|_| ());
            let is_stopped = stopped.is_err();
            done.push(Part {
                number,
                cells: before..candidates.rows.len(),
                probes: work.probes - self.work.probes,
                lacks_values: interner.lacks_values(),
                stopped,
            });
            if is_stopped {
                break;
            }
        }
        Found { rows: candidates.rows, parts: done }
    }
}
