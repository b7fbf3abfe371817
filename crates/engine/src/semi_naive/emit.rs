//! The end of a plan at once: the last literal that enumerates rows or pairs of a closure, checks of these rows (look-ups, comparisons,
//! existence), and the heads that they make.
//!
//! Rows come from an index in blocks. Each check goes through a whole block: its look-ups do not depend on each other,
//! so that the processor waits for many of them at a time. For the same reason heads wait until there are many to add.

mod blocks;
mod computed;

use super::index::KeyedRow;
use super::machine::{Frontier, PlanMachine, RowStore, Scratch};
use super::plan::{LiteralRows, Pairs, Plan, PlanOp, SlotCheck};
use super::relation::{BLOCK, RelationId};
use crate::term::{Slot, Template};
use crate::value::{Intern, Value};
pub use computed::ComputedColumn;
use ludolog_syntax::budget::Stopped;

/// An operation whose choices are entries of blocks.
#[derive(Clone, Copy)]
enum EntrySource<'p> {
    /// Rows, of which entries may hold a value.
    Rows(&'p LiteralRows),
    /// Pairs of a closure, one end of which is bound before: entries hold the other one.
    Pairs(&'p Pairs),
}

/// The last operations of a plan.
pub struct Tail<'p> {
    source: EntrySource<'p>,
    /// The number of the operation that enumerates the entries.
    pub at: usize,
    /// The slot of the value that entries hold, if that is all that they bind.
    pub carried: Option<Slot>,
    /// Checks of the rows: by relations that contain them or not, that have rows for them or none, and by what their values are.
    pub checks: &'p [PlanOp],
    /// The number of checks before one that binds what is not [computed of a block](computed::computes): each row passes that one and those behind
    /// it, and makes its head, before the next one.
    at_once: usize,
    pub head: RelationId,
    pub template: &'p [Template],
    /// Whether heads are tuples of an aggregate.
    takes_in: bool,
    /// Whether heads may wait: nothing that the plan does depends on them.
    pub may_wait: bool,
    frontiers: &'p [Frontier],
    /// Whether rows that pass all checks make heads of slots and constants, which may wait.
    has_plain_heads: bool,
    /// The operation before it, if the tail goes back to that one, which enumerates rows.
    before: Option<&'p LiteralRows>,
}

impl<'p> Tail<'p> {
    /// The rows of the operation `at`, if the tail comes next and goes back to it.
    #[inline]
    pub fn rows_before(&self, at: usize) -> Option<&'p LiteralRows> {
        self.before.filter(|_| at + 1 == self.at)
    }
}

/// A smaller relation is in the cache: its rows are not tested by the block, and its heads do not wait.
const FEWEST_ROWS: usize = 1024;

/// Fewer rows are scanned one by one.
const FEWEST_SCANNED: usize = 8;

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The end of a plan, if it can run at once and nothing is recorded of each row.
    pub fn tail<'p>(&self, plan: &'p Plan, frontiers: &'p [Frontier]) -> Option<Tail<'p>> {
        let at = plan.tail.filter(|_| self.derivations.is_none())?;
        let [op, checks @ .., head] = &plan.ops[at..] else { return None };
        let (PlanOp::Emit { relation, row, .. } | PlanOp::TakeIn { relation, row, .. }) = head else { return None };
        let takes_in = matches!(head, PlanOp::TakeIn { .. });
        if PROFILED && !checks.is_empty() {
            return None;
        }
        let (source, carried, back) = match op {
            PlanOp::Rows(rows) => (EntrySource::Rows(rows), self.carried(rows), (!rows.once).then_some(rows.back)),
            PlanOp::Closure { pairs, back, .. } if !PROFILED => {
                (EntrySource::Pairs(pairs), pairs.carried(), Some(*back))
            }
            _ => return None,
        };
        let before = at.checked_sub(1).filter(|&before| !PROFILED && back == Some(before));
        let before = before.and_then(|before| match &plan.ops[before] {
            PlanOp::Rows(rows) if !rows.once => Some(rows),
            _ => None,
        });
        let may_wait = plan.heads_may_wait;
        let has_plain_heads = may_wait && !takes_in && row.iter().all(Template::is_plain);
        let binds = |op: &PlanOp| match op {
            PlanOp::Total(_) => true,
            PlanOp::Check { check: SlotCheck::Assign { .. }, .. } => !computed::computes(op),
            _ => false,
        };
        let at_once = checks.iter().position(binds).unwrap_or(checks.len());
        let head = *relation;
        let template = &**row;
        Some(Tail {
            source,
            at,
            carried,
            checks,
            at_once,
            head,
            template,
            takes_in,
            may_wait,
            frontiers,
            has_plain_heads,
            before,
        })
    }

    /// Emits the heads that the tail makes of each row of the operation before it.
    pub fn emit_each(
        &mut self,
        before: &LiteralRows,
        tail: &Tail,
        frontiers: &[Frontier],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let at = tail.at - 1;
        if let Some(lookup) = self.far_lookup(tail) {
            return self.emit_each_ahead(before, tail, lookup, new, scratch);
        }
        if before.is_scan() {
            let (low, high) = self.scanned(before, at, frontiers);
            Self::begin_scan(before, at, scratch);
            for row in low..high {
                // A run that is stopped goes on at this row.
                scratch.cursors[at] = row as u32;
                self.work.probes += 1;
                let relation = &self.relations[before.relation];
                if Self::row_matches(relation, before, row as u32, &mut scratch.slots, self.interner.known())
                    && Self::is_first(relation, before, row as u32, at, scratch)
                {
                    self.emit_all(tail, frontiers, new, scratch)?;
                    if *new >= self.extent.most {
                        break;
                    }
                }
                self.poll()?;
            }
            return Ok(());
        }
        let mut retry = false;
        while self.next_row(before, at, retry, frontiers, scratch) {
            self.emit_all(tail, frontiers, new, scratch)?;
            if *new >= self.extent.most {
                break;
            }
            self.poll()?;
            retry = true;
        }
        Ok(())
    }

    /// Emits a head for each matching row.
    pub fn emit_all(
        &mut self,
        tail: &Tail,
        frontiers: &[Frontier],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let rows = match tail.source {
            EntrySource::Rows(rows) => rows,
            EntrySource::Pairs(pairs) => return self.emit_pairs(tail, pairs, new, scratch),
        };
        let has_windows = !PROFILED && !rows.windows.is_empty() && rows.carried.is_none();
        if has_windows && !self.scans_blocks(tail, rows) {
            return self.emit_admitted(tail, rows, false, new, scratch);
        }
        let begun = self.begin(rows, tail.at, frontiers, scratch);
        // A tail is not copied for each row of the operation before it.
        if std::ptr::eq(begun, rows) {
            return self.emit_begun(tail, rows, frontiers, new, scratch);
        }
        let rival = Tail { source: EntrySource::Rows(begun), carried: self.carried(begun), ..*tail };
        self.emit_begun(&rival, begun, frontiers, new, scratch)
    }

    /// The slot of the value that entries hold, if that is all that a row binds: no row is removed while heads are added.
    #[inline]
    fn carried(&self, rows: &LiteralRows) -> Option<Slot> {
        rows.carried.filter(|_| !self.relations[rows.relation].has_removed())
    }

    /// Emits a head for each matching row of an operation that has begun.
    fn emit_begun(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        frontiers: &[Frontier],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        if rows.is_scan() {
            let (low, high) = self.scanned(rows, tail.at, frontiers);
            if self.scans_blocks(tail, rows) {
                return self.emit_scanned(tail, rows, low..high, new, scratch);
            }
            Self::begin_scan(rows, tail.at, scratch);
            for row in low..high {
                // A run that is stopped goes on at this row.
                scratch.cursors[tail.at] = row as u32;
                self.emit_row(tail, rows, row as u32, new, scratch)?;
                if *new >= self.extent.most {
                    break;
                }
            }
            return Ok(());
        }
        if rows.sorted.is_none()
            && let Some(row) = scratch.places[tail.at].only_row()
        {
            return self.emit_row(tail, rows, row, new, scratch);
        }
        // A copy, because the head may be of the same relation.
        let mut entries = std::mem::take(&mut scratch.block);
        entries.resize(BLOCK, KeyedRow::default());
        let emitted = self.emit_entries(tail, rows, new, &mut entries, scratch);
        scratch.block = entries;
        emitted
    }

    /// Emits a head for each matching row within windows: few are, so that the loop over the others is what matters. The operation may have begun.
    fn emit_admitted(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        has_begun: bool,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let mut retry = has_begun;
        while self.next_row(rows, tail.at, retry, tail.frontiers, scratch) {
            self.emit_passing(tail, new, scratch)?;
            if *new >= self.extent.most {
                break;
            }
            self.poll()?;
            retry = true;
        }
        Ok(())
    }

    /// Emits a head for each matching row that an operation looks up.
    fn emit_entries(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        new: &mut usize,
        entries: &mut [KeyedRow],
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        while let count @ 1.. = self.read(tail, rows, entries, scratch) {
            let entries = &entries[..count];
            if tail.carried.is_some() {
                self.emit_carried(tail, entries, new, scratch)?;
            } else if self.tests_blocks(tail, rows) {
                self.emit_block(tail, entries, new, scratch)?;
            } else {
                for entry in entries {
                    self.emit_row(tail, rows, entry.row, new, scratch)?;
                    if *new >= self.extent.most {
                        return Ok(());
                    }
                }
            }
            if *new >= self.extent.most {
                return Ok(());
            }
            self.poll()?;
            if count < BLOCK {
                break;
            }
        }
        Ok(())
    }

    /// Emits a head for each pair that passes all checks.
    #[inline(never)]
    fn emit_pairs(
        &mut self,
        tail: &Tail,
        pairs: &Pairs,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        self.begin_pairs(pairs, tail.at, scratch);
        let closure = &self.closures[pairs.closure];
        let mut entries = std::mem::take(&mut scratch.block);
        entries.resize(BLOCK, KeyedRow::default());
        while let count @ 1.. = closure.read(&mut scratch.closure_cursors[tail.at], &mut entries) {
            self.emit_carried(tail, &entries[..count], new, scratch)?;
            if count < BLOCK || *new >= self.extent.most {
                break;
            }
            self.poll()?;
        }
        scratch.block = entries;
        Ok(())
    }

    /// Emits a head for each entry, which holds all that it binds, and passes all checks.
    #[inline]
    fn emit_carried(
        &mut self,
        tail: &Tail,
        entries: &[KeyedRow],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        if PROFILED {
            scratch.counts.emit(entries.len() as u64);
        }
        if tail.takes_in && tail.checks.is_empty() && self.take_in_each(tail, entries, new, scratch)? {
            self.work.probes += entries.len() as u64;
            return Ok(());
        }
        match tail.carried {
            Some(slot)
                if tail.checks.is_empty() && tail.has_plain_heads && self.should_wait(tail.head, *new, scratch) =>
            {
                self.work.probes += entries.len() as u64;
                scratch.wait_for_each(entries, tail.template, slot);
                if scratch.waiting.len() >= BLOCK * tail.template.len() {
                    self.add_waiting(tail.head, new, scratch);
                }
                Ok(())
            }
            _ => self.emit_block(tail, entries, new, scratch),
        }
    }

    /// Whether the rows of a tail are tested by the block: each row that passes is bound twice then, which does not pay where the rows are few.
    #[inline]
    fn tests_blocks(&self, tail: &Tail, rows: &LiteralRows) -> bool {
        let relation = &self.relations[rows.relation];
        !tail.checks.is_empty() && relation.len() >= relation.begins_at(FEWEST_ROWS)
    }

    /// Whether a tail scans its rows by the block.
    #[inline]
    fn scans_blocks(&self, tail: &Tail, rows: &LiteralRows) -> bool {
        let (low, high) = self.scanned(rows, tail.at, tail.frontiers);
        rows.is_scan() && high - low >= FEWEST_SCANNED && self.tests_blocks(tail, rows)
    }

    /// Whether a block of heads more should wait: a small relation is in the cache anyway, and no limit on the new rows
    /// is near.
    #[inline]
    fn should_wait(&self, head: RelationId, new: usize, scratch: &Scratch) -> bool {
        self.relations[head].len() >= self.relations[head].begins_at(FEWEST_ROWS)
            && new + scratch.waiting.len() + BLOCK < self.extent.room.min(self.extent.most)
    }

    /// Adds the rows that wait.
    #[inline(never)]
    pub fn add_waiting(&mut self, head: RelationId, new: &mut usize, scratch: &mut Scratch) {
        let added = self.relations.insert_rows(head, &scratch.waiting);
        scratch.waiting.clear();
        *new += added;
        self.work.derived += added as u64;
    }

    /// Copies the next entries that an operation looks up; their number, which is 0 at the end.
    #[inline]
    fn read(&self, tail: &Tail, rows: &LiteralRows, entries: &mut [KeyedRow], scratch: &mut Scratch) -> usize {
        let at = tail.at;
        if let Some(sorted) = &rows.sorted {
            let end = Self::range(rows, tail.frontiers).1 as u32;
            return self.relations[rows.relation].sorted(sorted.index).read(&mut scratch.parts[at], end, entries);
        }
        if !rows.filters.is_empty() && scratch.reduced[at].is_reduced() {
            return scratch.reduced[at].read(entries);
        }
        let place = &mut scratch.places[at];
        let index = rows.lookup.as_ref().map(|(index, _)| *index);
        index.map_or(0, |index| self.relations[rows.relation].read(index, place, entries))
    }

    /// Whether the bound slots pass the check of this number.
    #[inline]
    fn is_passed(&mut self, tail: &Tail, number: usize, scratch: &mut Scratch) -> bool {
        let at = tail.at + 1 + number;
        match &tail.checks[number] {
            PlanOp::Contains { unless: Some((op, number)), .. } if scratch.chosen[*op] == *number => true,
            PlanOp::Contains { relation, row, negated, .. } => {
                self.work.probes += 1;
                self.build(row, scratch);
                self.relations[*relation].contains(&scratch.row) != *negated
            }
            PlanOp::Check { check, .. } => self.passes(check, &mut scratch.slots),
            PlanOp::Total(total) => self.passes_total(total, scratch),
            PlanOp::Rows(rows) => self.next_row(rows, at, false, tail.frontiers, scratch),
            PlanOp::None { rows } => !self.next_row(rows, at, false, tail.frontiers, scratch),
            _ => true,
        }
    }

    /// Emits a head if a row matches and passes all checks.
    #[inline]
    fn emit_row(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        row: u32,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        self.work.probes += 1;
        let relation = &self.relations[rows.relation];
        if Self::row_matches(relation, rows, row, &mut scratch.slots, self.interner.known())
            && Self::is_first(relation, rows, row, tail.at, scratch)
        {
            self.emit_passing(tail, new, scratch)?;
        }
        self.poll()
    }

    /// Emits the head of the bound slots if these pass all checks.
    #[inline]
    fn emit_passing(&mut self, tail: &Tail, new: &mut usize, scratch: &mut Scratch) -> Result<(), Stopped> {
        for number in 0..tail.checks.len() {
            if !self.is_passed(tail, number, scratch) {
                return Ok(());
            }
        }
        if PROFILED {
            scratch.counts.emit(1);
        }
        self.emit_head(tail, new, scratch)
    }

    /// Emits the head of the bound slots.
    #[inline]
    fn emit_head(&mut self, tail: &Tail, new: &mut usize, scratch: &mut Scratch) -> Result<(), Stopped> {
        if tail.takes_in {
            return self.take_in(tail.head, tail.template, new, scratch);
        }
        self.emit(tail.head, tail.template, tail.may_wait, new, scratch).map(|_| ())
    }

    /// Emits a head; whether it is new, where heads may not wait.
    #[inline]
    pub fn emit(
        &mut self,
        head: RelationId,
        template: &[Template],
        may_wait: bool,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<bool, Stopped> {
        let is_new = if may_wait && self.should_wait(head, *new, scratch) {
            match template {
                // A row of a fixed length is appended without a loop.
                &[Template::Slot(a), Template::Slot(b)] => {
                    scratch.waiting.extend([scratch.slots[a as usize], scratch.slots[b as usize]]);
                }
                _ => self.append(template, &scratch.slots, &mut scratch.waiting),
            }
            if scratch.waiting.len() >= BLOCK * template.len() {
                self.add_waiting(head, new, scratch);
            }
            false
        } else {
            if !scratch.waiting.is_empty() {
                self.add_waiting(head, new, scratch);
            }
            self.build(template, scratch);
            let is_new = self.insert(head, &scratch.row, *new)?;
            *new += usize::from(is_new);
            self.work.derived += u64::from(is_new);
            is_new
        };
        match self.interner.known().excess() {
            Some(excess) => Err(Stopped::TermTooLarge(excess)),
            None => Ok(is_new),
        }
    }
}

impl Scratch {
    /// Appends a head of slots and constants for each entry, whose value goes into a slot, to those that wait.
    #[inline]
    fn wait_for_each(&mut self, entries: &[KeyedRow], template: &[Template], slot: Slot) {
        match template {
            &[Template::Slot(a), Template::Slot(b)] => {
                self.pair_up(entries, [a, b], slot);
                self.waiting.extend_from_slice(self.pairs.as_flattened());
            }
            [a, b, c] => self.wait_in_rows(entries, [a, b, c], slot),
            [a, b, c, d] => self.wait_in_rows(entries, [a, b, c, d], slot),
            _ => {
                let Scratch { slots, waiting, .. } = self;
                waiting.reserve(entries.len() * template.len());
                for entry in entries {
                    slots[slot as usize] = entry.value;
                    waiting.extend(template.iter().map(|part| plain_value(part, slots)));
                }
            }
        }
    }

    /// The same for heads of a fixed length, which are appended without a loop.
    #[inline]
    fn wait_in_rows<const N: usize>(&mut self, entries: &[KeyedRow], template: [&Template; N], slot: Slot) {
        let Scratch { slots, waiting, .. } = self;
        let row = template.map(|part| plain_value(part, slots));
        let is_entry = template.map(|part| matches!(part, Template::Slot(other) if *other == slot));
        let first = waiting.len();
        waiting.resize(first + N * entries.len(), Value::default());
        for (to, entry) in waiting[first..].as_chunks_mut::<N>().0.iter_mut().zip(entries) {
            *to = std::array::from_fn(|column| if is_entry[column] { entry.value } else { row[column] });
        }
    }

    /// Makes a pair for each entry, whose value goes into a slot.
    #[inline]
    fn pair_up(&mut self, entries: &[KeyedRow], [a, b]: [Slot; 2], slot: Slot) {
        let Scratch { slots, pairs, .. } = self;
        let [first, second] = [a, b].map(|slot| slots[slot as usize]);
        pairs.clear();
        match (a == slot, b == slot) {
            (true, false) => pairs.extend(entries.iter().map(|entry| [entry.value, second])),
            (false, true) => pairs.extend(entries.iter().map(|entry| [first, entry.value])),
            (true, true) => pairs.extend(entries.iter().map(|entry| [entry.value; 2])),
            (false, false) => pairs.extend(entries.iter().map(|_| [first, second])),
        }
    }
}

/// The value of a part of a head that is a slot or a constant.
#[inline]
fn plain_value(part: &Template, slots: &[Value]) -> Value {
    match part {
        Template::Slot(slot) => slots[*slot as usize],
        Template::Constant(value) => *value,
        _ => Value::default(),
    }
}
