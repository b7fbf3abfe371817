//! Runs plans: backtracking over the rows that match, without recursion.

use super::aggregates::GroupValues;
use super::closure::{ClosureRelation, Cursor};
use super::count::Counts;
use super::emit::ComputedColumn;
use super::heuristics::Heuristics;
use super::index::{END, KeyPlace, KeyedRow};
use super::levels::KeySteps;
use super::plan::{EXIT, Plan, PlanOp, RowRange, SlotCheck};
use super::reduced::ReducedKeys;
use super::relation::{Relation, RelationId};
use super::running::RunningTotals;
use super::sorted::RunPart;
use super::window::ColumnWindow;
use crate::contract::Work;
use crate::term::{Template, is_in_range, range};
use crate::value::{Functor, Intern, Interner, Value};
use hashbrown::HashTable;
use ludolog_syntax::budget::{Budget, Stopped};
use std::ops::Index;

/// The bounds of the old rows and of the visible rows of a relation in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// Rows before this one are old; the delta begins here.
    pub old: usize,
    /// Rows from this one on are not yet visible.
    pub end: usize,
}

impl Frontier {
    /// The row numbers of a range: the first, and one past the last.
    #[inline]
    pub fn rows(self, range: RowRange) -> (usize, usize) {
        match range {
            RowRange::Full => (0, self.end),
            RowRange::Old => (0, self.old),
            RowRange::Delta => (self.old, self.end),
        }
    }
}

/// Checks that a row needs no room in a relation, where the budget has none left for facts.
#[cold]
pub fn check_room(relation: &Relation, row: &[Value], budget: &Budget) -> Result<(), Stopped> {
    match budget.max_facts() {
        Some(max) if !relation.contains(row) => Err(Stopped::TooManyFacts(max)),
        _ => Ok(()),
    }
}

/// The first derivation of a row: the rule, and the row of each body literal, or [`NO_ROW`] if it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDerivation {
    pub rule: u32,
    pub rows: Box<[u32]>,
}

/// The row number of a literal without a row: a comparison, a negation.
pub const NO_ROW: u32 = END;

/// The relations that a plan reads, and where the rows go that it makes.
pub trait RowStore: Index<RelationId, Output = Relation> {
    /// Adds a row; `false` if the relation has it already.
    fn insert(&mut self, relation: RelationId, row: &[Value]) -> bool;

    /// Adds rows that stand one after the other; the number of those that the relation has not.
    fn insert_rows(&mut self, relation: RelationId, rows: &[Value]) -> usize;

    /// Adds a row to a relation with a lattice column, as [`Relation::improve`]. Only the relations themselves do so, since
    /// plans with such a head run alone.
    fn improve(&mut self, _: RelationId, _: &[Value], _keeps: bool, _: &mut impl Intern) -> bool {
        false
    }

    /// Takes in a tuple of an aggregate, as [`Relation::add_tuple`]. Only the relations themselves do so.
    fn add_tuple(&mut self, _: RelationId, _tuple: &[Value], _: &Interner) {}

    /// Takes in tuples of one group, as [`Relation::add_tuples`]. Only the relations themselves do so.
    fn add_tuples(&mut self, _: RelationId, _group: &[Value], _firsts: impl Iterator<Item = Value>, _: &Interner) {}
}

impl RowStore for [Relation] {
    #[inline]
    fn insert(&mut self, relation: RelationId, row: &[Value]) -> bool {
        self[relation].insert(row)
    }

    #[inline]
    fn insert_rows(&mut self, relation: RelationId, rows: &[Value]) -> usize {
        self[relation].insert_rows(rows)
    }

    fn improve(&mut self, relation: RelationId, row: &[Value], keeps: bool, interner: &mut impl Intern) -> bool {
        self[relation].improve(row, keeps, interner)
    }

    fn add_tuple(&mut self, relation: RelationId, tuple: &[Value], interner: &Interner) {
        self[relation].add_tuple(tuple, interner);
    }

    #[inline]
    fn add_tuples(
        &mut self,
        relation: RelationId,
        group: &[Value],
        firsts: impl Iterator<Item = Value>,
        interner: &Interner,
    ) {
        self[relation].add_tuples(group, firsts, interner);
    }
}

/// The limits of a run of a plan.
#[derive(Clone, Copy)]
pub struct RunLimits {
    /// The rows that the first operation scans, if it does: those of its range, or a part of them.
    pub scanned: Option<(usize, usize)>,
    /// The number of new rows that the budget has room for.
    pub room: usize,
    /// The number of new rows after which the run stops.
    pub most: usize,
    /// Whether it goes on where the last run on the same scratch has ended: with the same plan, and no relation has got a row that it sees.
    pub goes_on: bool,
}

impl RunLimits {
    /// All rows.
    pub fn all(room: usize) -> Self {
        RunLimits { scanned: None, room, most: usize::MAX, goes_on: false }
    }
}

/// The state that plans run on. A `PROFILED` one counts by operation, and records nothing else that another does not.
pub struct PlanMachine<'a, S: ?Sized, I, const PROFILED: bool> {
    pub relations: &'a mut S,
    pub closures: &'a [ClosureRelation],
    pub interner: &'a mut I,
    pub extent: RunLimits,
    pub work: &'a mut Work,
    pub budget: &'a Budget,
    pub polling: &'a mut Polling,
    /// The recorded derivations, by relation and row, and the rule that runs; `None` if none are recorded.
    pub derivations: Option<(&'a mut Vec<Vec<Option<FirstDerivation>>>, u32)>,
    /// Takes what heads with a lattice column would be; `None` if they are to be improved.
    pub key_steps: Option<&'a mut KeySteps>,
    /// The functor of list cells.
    pub list: Functor,
}

/// Buffers, reused from run to run.
#[derive(Default)]
pub struct Scratch {
    pub(super) slots: Vec<Value>,
    /// The current row (or list) of each operation.
    pub(super) cursors: Vec<u32>,
    /// The place in the index of each operation that looks up.
    pub(super) places: Vec<KeyPlace>,
    /// Which of its rivals each operation enumerates; 0 is itself.
    pub(super) chosen: Vec<u32>,
    /// The parts of a sorted index that are left of each operation that looks rows up between bounds.
    pub(super) parts: Vec<Vec<RunPart>>,
    /// The windows of each operation that has some.
    pub(super) windows: Vec<Vec<ColumnWindow>>,
    /// The rows that each scan has found, without those that repeat one of them.
    pub(super) distinct: Vec<DistinctRows>,
    /// What is remembered of the keys of each operation that has filters.
    pub(super) reduced: Vec<ReducedKeys>,
    pub(super) closure_cursors: Vec<Cursor>,
    /// The values of the aggregate of each operation, by group.
    pub(super) group_values: Vec<GroupValues>,
    /// The tuples of a group that were taken in.
    pub(super) taken: GroupValues,
    /// The running totals of each operation that has some.
    pub(super) running: Vec<RunningTotals>,
    /// The integers that are left of the range of each operation: the first and the last.
    ranges: Vec<Option<(i64, i64)>>,
    pub(super) row: Vec<Value>,
    pub(super) block: Vec<KeyedRow>,
    /// The rows of a block whose look-ups come first, with the places that they lead to.
    pub(super) ahead: Vec<(KeyedRow, KeyPlace)>,
    /// The values that checks bind of the entries of a block.
    pub(super) computed: Vec<ComputedColumn>,
    /// The groups of the rows of a block.
    pub(super) groups: Vec<Option<u32>>,
    /// The rows that a block looks up.
    pub(super) tested: Vec<Value>,
    /// The pairs that the entries of a block make.
    pub(super) pairs: Vec<[Value; 2]>,
    /// Rows that are not yet added to the relation of the head.
    pub(super) waiting: Vec<Value>,
    /// The scanned rows that had a partner, one after the other.
    pub(super) partnered: u32,
    /// The counts of the last run of a profiled machine.
    pub counts: Counts,
}

/// The rows that a scan has found, without those that repeat one of them.
#[derive(Default)]
pub struct DistinctRows {
    pub table: HashTable<u32>,
    /// The rows in their order.
    pub rows: Vec<u32>,
    /// Whether the scan has been at its end, and finds the same rows each time.
    pub is_complete: bool,
}

impl DistinctRows {
    pub fn clear(&mut self) {
        self.table.clear();
        self.rows.clear();
        self.is_complete = false;
    }
}

/// The number of steps between two checks of the budget.
const POLL_EVERY: usize = 4096;

/// When to check the budget next. It lasts from run to run, since a fixpoint may consist of many short runs.
pub struct Polling {
    /// The number of steps between two checks.
    every: u64,
    /// The number of runs so far. Each is a step, and so is each probe.
    runs: u64,
    /// The number of steps at which the budget is due.
    due: u64,
}

impl Polling {
    /// Nothing has run, and the budget is due.
    pub fn new(heuristics: Heuristics) -> Self {
        Polling { every: heuristics.begins_at(POLL_EVERY) as u64, runs: 0, due: 0 }
    }

    /// The number of runs so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Makes the budget due at once.
    pub fn reset(&mut self) {
        self.due = 0;
    }
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// Runs `plan`, whose indices are up to date, and returns the number of new rows. `frontiers` are by relation.
    pub fn run(&mut self, plan: &Plan, frontiers: &[Frontier], scratch: &mut Scratch) -> Result<usize, Stopped> {
        scratch.slots.clear();
        scratch.slots.resize(plan.slots, Value::default());
        scratch.cursors.clear();
        scratch.cursors.resize(plan.ops.len(), END);
        scratch.places.resize(plan.ops.len(), KeyPlace::NOWHERE);
        scratch.chosen.clear();
        scratch.chosen.resize(plan.ops.len(), 0);
        scratch.group_values.clear();
        if !self.extent.goes_on {
            scratch.running.clear();
        }
        scratch.partnered = 0;
        if !plan.sorted.is_empty() {
            scratch.parts.clear();
            scratch.parts.resize_with(plan.ops.len(), Vec::new);
        }
        if plan.has_windows {
            scratch.windows.resize_with(plan.ops.len().max(scratch.windows.len()), Vec::new);
        }
        if plan.has_repeats {
            scratch.distinct.resize_with(plan.ops.len().max(scratch.distinct.len()), DistinctRows::default);
            scratch.distinct.iter_mut().for_each(DistinctRows::clear);
        }
        if plan.has_filters {
            scratch.reduced.resize_with(plan.ops.len().max(scratch.reduced.len()), ReducedKeys::default);
            if !self.extent.goes_on {
                scratch.reduced.iter_mut().for_each(ReducedKeys::clear);
            }
        }
        let mut new = 0;
        self.polling.runs += 1;
        let result = self.backtrack(plan, frontiers, &mut new, scratch);
        if let (false, Some(&PlanOp::Emit { relation, .. })) = (scratch.waiting.is_empty(), plan.ops.last()) {
            self.add_waiting(relation, &mut new, scratch);
        }
        result.map(|()| new)
    }

    /// Runs the operations of a plan; `new` is the number of new rows.
    fn backtrack(
        &mut self,
        plan: &Plan,
        frontiers: &[Frontier],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let tail = self.tail(plan, frontiers);
        let mut at = 0;
        let mut retry = false;
        loop {
            if PROFILED {
                scratch.counts.step(at, retry, self.work.probes);
            }
            self.poll()?;
            let (success, back) = match &plan.ops[at] {
                PlanOp::Rows(rows) => {
                    if !(retry && rows.once) {
                        let before = tail.as_ref().and_then(|tail| tail.rows_before(at));
                        match (&tail, before) {
                            (Some(tail), _) if tail.at == at => self.emit_all(tail, frontiers, new, scratch)?,
                            (Some(tail), Some(rows)) => self.emit_each(rows, tail, frontiers, new, scratch)?,
                            _ if self.next_row(rows, at, retry, frontiers, scratch) => {
                                (at, retry) = (at + 1, false);
                                continue;
                            }
                            _ => {}
                        }
                        if *new >= self.extent.most {
                            return Ok(());
                        }
                    }
                    (false, rows.back)
                }
                PlanOp::Contains { unless: Some((op, number)), .. } if scratch.chosen[*op] == *number => {
                    (at, retry) = (at + 1, false);
                    continue;
                }
                PlanOp::Contains { relation, row, negated, back, .. } => {
                    self.build(row, scratch);
                    self.work.probes += 1;
                    let relation = &self.relations[*relation];
                    let found = relation.contains(&scratch.row);
                    if found && !negated && self.derivations.is_some() {
                        scratch.cursors[at] = relation.find(&scratch.row).map_or(NO_ROW, |row| row as u32);
                    }
                    (found != *negated, *back)
                }
                PlanOp::None { rows } => (!self.next_row(rows, at, false, frontiers, scratch), rows.back),
                PlanOp::Aggregate(aggregate) => {
                    let value = self.total(aggregate, at, frontiers, scratch)?;
                    let matches = |value| aggregate.result.matches(value, &mut scratch.slots, self.interner.known());
                    (value.is_some_and(matches), aggregate.rows.back)
                }
                PlanOp::Total(total) => (self.passes_total(total, scratch), total.back),
                PlanOp::Closure { pairs, once, back } => match &tail {
                    Some(tail) if tail.at == at => {
                        self.emit_all(tail, frontiers, new, scratch)?;
                        if *new >= self.extent.most {
                            return Ok(());
                        }
                        (false, *back)
                    }
                    _ => (!(retry && *once) && self.next_pair(pairs, at, retry, scratch), *back),
                },
                PlanOp::ClosureNone { pairs, back } => (!self.next_pair(pairs, at, false, scratch), *back),
                PlanOp::ClosureContains { closure, row, negated, back } => {
                    self.build(row, scratch);
                    self.work.probes += 1;
                    (self.closures[*closure].contains(&scratch.row) != *negated, *back)
                }
                PlanOp::Check { check, back } => (self.passes(check, &mut scratch.slots), *back),
                PlanOp::Member { element, list, once, back } => {
                    let success = !(retry && *once) && {
                        if !retry {
                            scratch.cursors[at] = list.value(&scratch.slots, self.interner).0;
                        }
                        self.next_element(element, &mut scratch.cursors[at], &mut scratch.slots)
                    };
                    (success, *back)
                }
                PlanOp::Range { element, bounds, once, back } => {
                    let success = !(retry && *once) && {
                        if !retry {
                            scratch.ranges.resize(plan.ops.len(), None);
                            scratch.ranges[at] = range(bounds, &scratch.slots, self.interner.known());
                        }
                        self.next_integer(element, &mut scratch.ranges[at], &mut scratch.slots)?
                    };
                    (success, *back)
                }
                PlanOp::UnlessKnown { relation, row, back } => {
                    self.build(row, scratch);
                    (self.key_steps.is_some() || !self.relations[*relation].contains(&scratch.row), *back)
                }
                PlanOp::Emit { relation, row, back } => {
                    let may_wait = plan.heads_may_wait && self.derivations.is_none();
                    if self.emit(*relation, row, may_wait, new, scratch)? {
                        self.note_derivation(*relation, plan, &scratch.cursors);
                    }
                    if *new >= self.extent.most {
                        return Ok(());
                    }
                    (false, *back)
                }
                PlanOp::Improve { relation, row, back } => {
                    if self.improve(*relation, row, new, scratch)? {
                        self.note_derivation(*relation, plan, &scratch.cursors);
                    }
                    if *new >= self.extent.most {
                        return Ok(());
                    }
                    (false, *back)
                }
                PlanOp::TakeIn { relation, row, back } => {
                    self.take_in(*relation, row, new, scratch)?;
                    (false, *back)
                }
            };
            (at, retry) = if success {
                (at + 1, false)
            } else if back == EXIT {
                break;
            } else {
                (back, true)
            };
        }
        Ok(())
    }

    /// Whether the slots pass a check, which may bind some.
    #[inline(always)]
    pub(super) fn passes(&mut self, check: &SlotCheck, slots: &mut [Value]) -> bool {
        match check {
            SlotCheck::Test(test) => test.holds(slots, self.interner),
            SlotCheck::Assign { pattern, template, integer } => {
                // Most are small integers, computed from such.
                let small = template.integer_of_small(slots).and_then(Value::small_integer);
                let value = match small {
                    None if *integer => template.computed(slots, self.interner),
                    None => Some(template.value(slots, self.interner)),
                    small => small,
                };
                value.is_some_and(|value| pattern.matches(value, slots, self.interner.known()))
            }
            SlotCheck::Range { element, bounds, negated } => {
                is_in_range(element, bounds, slots, self.interner.known()) != *negated
            }
            SlotCheck::Member { element, list, negated } => {
                let mut list = list.value(slots, self.interner).0;
                self.next_element(element, &mut list, slots) != *negated
            }
        }
    }

    /// Emits a head with a lattice column; whether it is better than what is known.
    fn improve(
        &mut self,
        relation: RelationId,
        row: &[Template],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<bool, Stopped> {
        self.build(row, scratch);
        if let Some(steps) = &mut self.key_steps {
            *new += usize::from(steps.note(&scratch.cursors, &self.relations[relation], &scratch.row));
            return Ok(false);
        }
        let keeps = self.derivations.is_some();
        let is_better = self.relations.improve(relation, &scratch.row, keeps, self.interner);
        *new += usize::from(is_better);
        self.work.derived += u64::from(is_better);
        match (self.interner.known().excess(), self.budget.max_facts()) {
            (Some(excess), _) => Err(Stopped::TermTooLarge(excess)),
            (None, Some(max)) if *new > self.extent.room => Err(Stopped::TooManyFacts(max)),
            _ => Ok(is_better),
        }
    }

    /// Checks the budget when it is due.
    #[inline]
    pub(super) fn poll(&mut self) -> Result<(), Stopped> {
        let steps = self.work.probes + self.polling.runs;
        if steps >= self.polling.due {
            self.polling.due = steps + self.polling.every;
            self.budget.check_probes(self.work.probes)?;
        }
        Ok(())
    }

    /// Inserts a row after `new` others of this run; `false` if it is known.
    #[inline]
    pub(super) fn insert(&mut self, relation: RelationId, row: &[Value], new: usize) -> Result<bool, Stopped> {
        if new >= self.extent.room {
            check_room(&self.relations[relation], row, self.budget)?;
        }
        Ok(self.relations.insert(relation, row))
    }

    #[inline]
    pub(super) fn build(&mut self, row: &[Template], scratch: &mut Scratch) {
        if scratch.row.len() != row.len() {
            scratch.row.resize(row.len(), Value::default());
        }
        for (value, part) in scratch.row.iter_mut().zip(row) {
            *value = part.value(&scratch.slots, self.interner);
        }
    }

    /// Appends the values of a row.
    #[inline]
    pub(super) fn append(&mut self, row: &[Template], slots: &[Value], to: &mut Vec<Value>) {
        to.extend(row.iter().map(|part| part.value(slots, self.interner)));
    }

    fn note_derivation(&mut self, relation: RelationId, plan: &Plan, cursors: &[u32]) {
        let Some((derivations, rule)) = &mut self.derivations else { return };
        let mut rows = vec![NO_ROW; plan.body].into_boxed_slice();
        for (op, &cursor) in plan.ops.iter().zip(cursors) {
            match op {
                PlanOp::Rows(source) => rows[source.literal] = cursor,
                PlanOp::Contains { literal, negated: false, .. } => rows[*literal] = cursor,
                _ => {}
            }
        }
        let notes = &mut derivations[relation];
        notes.resize(self.relations[relation].len() - 1, None);
        notes.push(Some(FirstDerivation { rule: *rule, rows }));
    }
}
