//! A recursion that falls into [shares](crate::semi_naive::pivot), several of them at the same time.
//!
//! Each thread brings shares to their end in relations of its own, and the caller appends what they came to, in the
//! order of the shares: facts and their order are those of one thread. So that there is less to append, the caller runs
//! those shares that are next in the relation itself.

use crate::contract::Work;
use crate::semi_naive::machine::{Frontier, PlanMachine, Polling, RowStore, RunLimits, Scratch};
use crate::semi_naive::pivot::{Shares, SharesReached};
use crate::semi_naive::relation::{Relation, RelationId};
use crate::semi_naive::stratum::{Held, Taken};
use crate::semi_naive::{SemiNaive, room};
use crate::value::{Frozen, Value};
use ludolog_syntax::budget::{Budget, Stopped};
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// Shares after those that are done that other threads leave to the caller.
const LEFT_TO_CALLER: usize = 4;

/// The relations of an engine, with another one in the place of that of the head.
struct Replaced<'r> {
    relations: &'r [Relation],
    head: RelationId,
    by: &'r mut Relation,
}

impl Index<RelationId> for Replaced<'_> {
    type Output = Relation;

    #[inline]
    fn index(&self, relation: RelationId) -> &Relation {
        if relation == self.head { self.by } else { &self.relations[relation] }
    }
}

impl RowStore for Replaced<'_> {
    #[inline]
    fn insert(&mut self, _: RelationId, row: &[Value]) -> bool {
        self.by.insert(row)
    }

    #[inline]
    fn insert_rows(&mut self, _: RelationId, rows: &[Value]) -> usize {
        self.by.insert_rows(rows)
    }
}

/// The shares that no thread has taken.
struct Unclaimed {
    /// By share.
    is_claimed: Vec<AtomicBool>,
    /// The number of shares that the caller is done with, which are the first ones.
    done: AtomicUsize,
    is_closed: AtomicBool,
}

impl Unclaimed {
    /// Claims a share, if one is left: the next after the first `skipped` of those that the caller has not done, or
    /// else another.
    fn claim(&self, skipped: usize) -> Option<usize> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let shares = self.is_claimed.len();
        let from = shares.min(self.done.load(Ordering::Relaxed) + skipped);
        (from..shares).chain(0..from).find(|&share| !self.is_claimed[share].swap(true, Ordering::Relaxed))
    }
}

/// The rows of a share in a relation of its own.
struct Apart {
    relation: Relation,
    /// The number of its first new row.
    first: usize,
    end: ShareEnd,
}

/// The end of a share.
struct ShareEnd {
    probes: u64,
    /// Whether its rows mean nothing, since a term had no value.
    lacks_values: bool,
    stopped: Result<(), Stopped>,
}

/// The recursion of a relation, as it was before any share ran.
struct ShareRecursion<'r> {
    engine: &'r SemiNaive,
    head: RelationId,
    arity: usize,
    /// The plans of its rules that begin with the delta.
    plans: &'r [Taken],
    frontiers: &'r [Frontier],
    /// By share: the numbers of its rows of the delta.
    deltas: &'r [Frontier],
    /// By share: these rows, for threads that cannot read the relation while it grows.
    new: Vec<Vec<Value>>,
    /// By share: its rows from before the delta.
    old: Vec<Vec<Value>>,
    /// Relations of shares that are appended: their memory serves again.
    spare: Mutex<Vec<Relation>>,
    room: usize,
    budget: &'r Budget,
    /// The budget of the shares themselves: turns of others are taken between them, by one thread.
    alone: Budget,
}

impl SemiNaive {
    /// Brings shares to their end on several threads. They are left to one thread where there is no other one, or where
    /// a profile is made, and so are those from one on that makes a term without a value.
    pub(in crate::semi_naive) fn run_shares_at_once(
        &mut self,
        plans: &[Taken],
        shares: &mut Shares,
        frontiers: &[Frontier],
        held: Held,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let Some(pool) = self.threads.pool().filter(|_| self.costs.is_none()) else { return Ok(()) };
        let head = shares.head;
        plans.iter().for_each(|taken| self.catch_up(&taken.plan, frontiers));
        let mut relation = self.relations.take(head);
        let mut work = self.work;
        let recursion = ShareRecursion {
            engine: self,
            head,
            arity: relation.arity(),
            plans,
            frontiers,
            deltas: &shares.deltas,
            new: shares.rows(&relation, frontiers[head].old, frontiers[head].end),
            old: shares.rows(&relation, 0, frontiers[head].old),
            spare: Mutex::default(),
            room: room(held.now(work), budget),
            budget,
            alone: budget.without_turns(),
        };
        // On a thread of the pool, which has memory of its own for what it writes all the time.
        let result = pool.install(|| recursion.run(&mut relation, &mut shares.reached, &mut work));
        (self.relations[head], self.work) = (relation, work);
        self.interner.check_overflow()?;
        result
    }
}

impl ShareRecursion<'_> {
    /// Brings the shares to their end, on this thread and on all others of its pool.
    fn run(&self, relation: &mut Relation, reached: &mut SharesReached, work: &mut Work) -> Result<(), Stopped> {
        let unclaimed = Unclaimed {
            is_claimed: self.deltas.iter().map(|_| AtomicBool::new(false)).collect(),
            done: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        };
        let (sender, receiver) = channel();
        rayon::in_place_scope(|scope| {
            for _ in 1..rayon::current_num_threads() {
                let sender = sender.clone();
                let unclaimed = &unclaimed;
                let probes = work.probes;
                scope.spawn(move |_| {
                    let mut scratch = Scratch::default();
                    while let Some(share) = unclaimed.claim(LEFT_TO_CALLER) {
                        let apart = self.run_apart(share, probes, &mut scratch);
                        unclaimed.is_closed.fetch_or(apart.end.lacks_values, Ordering::Relaxed);
                        // Where nobody receives it, nobody needs it.
                        _ = sender.send((share, apart));
                    }
                });
            }
            drop(sender);
            let result = self.gather(&unclaimed, &receiver, relation, reached, work);
            unclaimed.is_closed.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Runs shares, and appends in their order what those that ran apart have come to.
    fn gather(
        &self,
        unclaimed: &Unclaimed,
        others: &Receiver<(usize, Apart)>,
        relation: &mut Relation,
        reached: &mut SharesReached,
        work: &mut Work,
    ) -> Result<(), Stopped> {
        let derived = work.derived;
        let probes = work.probes;
        let mut scratch = Scratch::default();
        let mut waiting = BTreeMap::new();
        for (done, delta) in self.deltas.iter().enumerate() {
            unclaimed.done.store(done, Ordering::Relaxed);
            let len = relation.len();
            let room = self.room - (work.derived - derived) as usize;
            let end = loop {
                waiting.extend(others.try_iter());
                if let Some(apart) = waiting.remove(&done) {
                    break self.append(apart, relation, room);
                }
                match unclaimed.claim(0) {
                    Some(share) if share == done => {
                        break self.run_share(relation, *delta, room, probes, &mut scratch);
                    }
                    Some(share) => _ = waiting.insert(share, self.run_apart(share, probes, &mut scratch)),
                    None => match others.recv() {
                        Ok((share, apart)) => _ = waiting.insert(share, apart),
                        // Nobody runs it: another share lacks values.
                        Err(_) => return Ok(()),
                    },
                }
            };
            if end.lacks_values {
                relation.truncate(len);
                return Ok(());
            }
            work.derived += (relation.len() - len) as u64;
            work.probes += end.probes;
            end.stopped?;
            *reached = SharesReached { delta: delta.end, derived: relation.len() };
            self.budget.check_probes(work.probes)?;
        }
        Ok(())
    }

    /// Appends the rows of a share, as far as there is room.
    fn append(&self, apart: Apart, relation: &mut Relation, room: usize) -> ShareEnd {
        let Apart { relation: share, first, mut end } = apart;
        let rows = share.cells_from(first);
        let fitting = rows.len().min(room.saturating_mul(self.arity));
        if !end.lacks_values {
            relation.append(&rows[..fitting]);
        }
        if let Some(max) = self.budget.max_facts().filter(|_| fitting < rows.len()) {
            end.stopped = Err(Stopped::TooManyFacts(max));
        }
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(share);
        }
        end
    }

    /// Brings a share to its end in a relation of its own.
    fn run_apart(&self, share: usize, probes: u64, scratch: &mut Scratch) -> Apart {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut relation = spare.map_or_else(|| Relation::new(self.arity), Relation::emptied);
        relation.append(&self.old[share]);
        let old = relation.len();
        relation.append(&self.new[share]);
        let first = relation.len();
        let end = self.run_share(&mut relation, Frontier { old, end: first }, self.room, probes, scratch);
        Apart { relation, first, end }
    }

    /// Adds to a relation all that follows from a delta of it.
    fn run_share(
        &self,
        relation: &mut Relation,
        delta: Frontier,
        room: usize,
        probes: u64,
        scratch: &mut Scratch,
    ) -> ShareEnd {
        let first = relation.len();
        let mut frontiers = self.frontiers.to_vec();
        frontiers[self.head] = delta;
        let mut interner = Frozen::new(&self.engine.interner);
        let mut work = Work { probes, ..Work::default() };
        let mut polling = Polling::new(self.engine.relations.heuristics());
        let mut run_round = |relation: &mut Relation, frontiers: &[Frontier]| {
            self.plans.iter().try_for_each(|Taken { plan, .. }| {
                let room = room - (relation.len() - first);
                let mut machine = PlanMachine::<_, _, false> {
                    relations: &mut Replaced {
                        relations: self.engine.relations.as_slice(),
                        head: self.head,
                        by: relation,
                    },
                    closures: &self.engine.closures,
                    interner: &mut interner,
                    extent: RunLimits::all(room),
                    work: &mut work,
                    budget: &self.alone,
                    polling: &mut polling,
                    derivations: None,
                    key_steps: None,
                    list: self.engine.list,
                };
                machine.run(plan, frontiers, scratch).map(|_| ())
            })
        };
        let stopped = loop {
            let old = relation.len();
            let round = run_round(relation, &frontiers);
            let end = relation.len();
            if round.is_err() || old == end {
                break round;
            }
            frontiers[self.head] = Frontier { old, end };
        };
        ShareEnd { probes: work.probes - probes, lacks_values: interner.lacks_values(), stopped }
    }
}
