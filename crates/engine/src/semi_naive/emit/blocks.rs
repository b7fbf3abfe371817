//! Blocks of rows: the look-ups of all rows of a block come before the first row goes on, so that memory is waited for once in a block.
//!
//! Only numbers of rows and carried values are kept of a block. A row binds its slots again when its turn comes, which takes a few steps, while
//! a look-up outside of the caches takes hundreds.

use super::computed::{ComputedColumn, computes};
use super::{EntrySource, Tail};
use crate::semi_naive::cells::RowCells;
use crate::semi_naive::index::KeyedRow;
use crate::semi_naive::machine::{PlanMachine, RowStore, Scratch};
use crate::semi_naive::plan::{LiteralRows, PlanOp, SlotCheck, TotalLookup};
use crate::semi_naive::relation::BLOCK;
use crate::term::{Pattern, Slot, Template};
use crate::value::{Intern, Value};
use ludolog_syntax::budget::Stopped;
use std::ops::Range;

/// An index of fewer rows is in the cache.
const FEWEST_FAR: usize = 1 << 15;

/// One entry of so many is tested by itself: to compare all takes as long.
const FEW_PASSING: usize = 8;

/// Fewer entries are computed one by one: a column has room for a whole block.
const FEWEST_COMPUTED: u32 = 16;

/// A look-up in an index outside of the caches.
#[derive(Clone, Copy)]
pub(super) struct FarLookup<'p> {
    rows: &'p LiteralRows,
    index: usize,
    key: &'p [Template],
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The look-up of the rows of a tail, if they are many.
    #[inline]
    pub(super) fn far_lookup<'p>(&self, tail: &Tail<'p>) -> Option<FarLookup<'p>> {
        let EntrySource::Rows(rows) = tail.source else { return None };
        let (index, key) = rows.lookup.as_ref().filter(|_| rows.rivals.is_empty())?;
        let relation = &self.relations[rows.relation];
        (relation.index(*index).filled() >= relation.begins_at(FEWEST_FAR)).then_some(FarLookup {
            rows,
            index: *index,
            key,
        })
    }

    /// Emits the heads that the tail makes of each row of the operation before it, a block of which is looked up at a time.
    pub(super) fn emit_each_ahead(
        &mut self,
        before: &LiteralRows,
        tail: &Tail,
        FarLookup { rows, index, key }: FarLookup,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let at = tail.at - 1;
        let end = tail.frontiers[rows.relation].rows(rows.range).1;
        let mut block = std::mem::take(&mut scratch.ahead);
        let mut retry = false;
        loop {
            block.clear();
            while block.len() < BLOCK && self.next_row(before, at, retry, tail.frontiers, scratch) {
                retry = true;
                let value = before.chosen(scratch.chosen[at]).carried.map(|slot| scratch.slots[slot as usize]);
                let entry = KeyedRow { row: scratch.cursors[at], value: value.unwrap_or_default() };
                let place = self.place(rows, index, key, end, scratch);
                if !place.is_nowhere() {
                    block.push((entry, place));
                }
            }
            let index = self.relations[rows.relation].index(index);
            block.iter().for_each(|&(_, place)| index.touch(place));
            let before = before.chosen(scratch.chosen[at]);
            let carried = self.carried(before);
            for &(entry, place) in &block {
                // A run that is stopped goes on at this row.
                scratch.cursors[at] = entry.row;
                self.bind(EntrySource::Rows(before), carried, entry, scratch);
                (scratch.places[tail.at], scratch.chosen[tail.at]) = (place, 0);
                self.emit_placed(tail, rows, new, scratch)?;
                if *new >= self.extent.most {
                    scratch.ahead = block;
                    return Ok(());
                }
                self.poll()?;
            }
            if block.len() < BLOCK {
                break;
            }
        }
        scratch.ahead = block;
        Ok(())
    }

    /// Emits a head for each row that is scanned and passes all checks.
    pub(super) fn emit_scanned(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        numbers: Range<usize>,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let entry = |row| KeyedRow { row, value: Value::default() };
        let mut entries = std::mem::take(&mut scratch.block);
        let is_known = self.knows_distinct(rows, tail.at, scratch);
        if !is_known {
            Self::begin_scan(rows, tail.at, scratch);
        }
        let count = if is_known { scratch.distinct[tail.at].rows.len() } else { numbers.len() };
        for first in (0..count).step_by(BLOCK) {
            entries.clear();
            let block = first..count.min(first + BLOCK);
            if is_known {
                entries.extend(scratch.distinct[tail.at].rows[block].iter().copied().map(entry));
            } else {
                entries.extend(block.map(|number| entry((numbers.start + number) as u32)));
            }
            // A run that is stopped goes on at this row.
            scratch.cursors[tail.at] = entries[0].row;
            let matching = if is_known { all(&entries) } else { self.matching(rows, tail.at, &entries, scratch) };
            self.emit_matching(tail, matching, &entries, new, scratch)?;
            if *new >= self.extent.most {
                scratch.block = entries;
                return Ok(());
            }
            self.poll()?;
        }
        self.note_distinct(rows, tail.at, scratch);
        scratch.block = entries;
        Ok(())
    }

    /// Emits a head for each entry that matches and passes all checks.
    pub(super) fn emit_block(
        &mut self,
        tail: &Tail,
        entries: &[KeyedRow],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let matching = match (tail.source, tail.carried) {
            (EntrySource::Rows(rows), Some(_)) => Self::admitted(rows, tail.at, entries, scratch),
            (EntrySource::Rows(rows), None) => self.matching(rows, tail.at, entries, scratch),
            (EntrySource::Pairs(_), _) => all(entries),
        };
        self.emit_matching(tail, matching, entries, new, scratch)
    }

    /// Emits a head for each entry that passes all checks, of those whose bits are set.
    fn emit_matching(
        &mut self,
        tail: &Tail,
        matching: u64,
        entries: &[KeyedRow],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        self.work.probes += entries.len() as u64;
        let mut passing = matching;
        let mut checked = 0;
        scratch.computed.clear();
        while checked < tail.at_once && passing != 0 {
            let check = &tail.checks[checked];
            if !computes(check) {
                passing = self.check(tail, checked, passing, entries, scratch);
            } else if passing.count_ones() < FEWEST_COMPUTED || !self.compute(tail, check, passing, entries, scratch) {
                break;
            }
            checked += 1;
        }
        if passing == 0 {
            return Ok(());
        }
        let (total, others) = match &tail.checks[checked..] {
            [PlanOp::Total(total), others @ ..] => (Some(&**total), others),
            others => (None, others),
        };
        if let Some(total) = total {
            self.find_groups(tail, total, passing, entries, scratch);
        }
        let is_last = checked == tail.checks.len();
        if is_last && tail.has_plain_heads && self.should_wait(tail.head, *new, scratch) {
            let mut heads = std::mem::take(&mut scratch.waiting);
            let are_made = self.make_rows(tail, tail.template, passing, entries, BlockSlots::of(scratch), &mut heads);
            scratch.waiting = heads;
            if scratch.waiting.len() >= BLOCK * tail.template.len() {
                self.add_waiting(tail.head, new, scratch);
            }
            if are_made {
                return Ok(());
            }
        }
        let first = tail.checks.len() - others.len();
        for number in 0.. {
            if passing == 0 {
                break;
            }
            let bit = passing.trailing_zeros() as usize;
            passing &= passing - 1;
            self.bind_all(tail, bit, entries, scratch);
            if tail.carried.is_none() {
                scratch.cursors[tail.at] = entries[bit].row;
            }
            let has_total = match total {
                Some(total) => self.matches_total(total, scratch.groups[number], scratch),
                None => true,
            };
            if has_total && (first..tail.checks.len()).all(|number| self.is_passed(tail, number, scratch)) {
                self.emit_head(tail, new, scratch)?;
                if *new >= self.extent.most {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Finds the groups of the entries whose bits are set, one after the other.
    fn find_groups(
        &mut self,
        tail: &Tail,
        total: &TotalLookup,
        passing: u64,
        entries: &[KeyedRow],
        scratch: &mut Scratch,
    ) {
        self.work.probes += u64::from(passing.count_ones());
        scratch.groups.clear();
        let mut left = passing;
        while left != 0 {
            self.bind_all(tail, left.trailing_zeros() as usize, entries, scratch);
            left &= left - 1;
            self.build(&total.group, scratch);
            let group = self.relations[total.relation].any_totals().and_then(|totals| totals.find(&scratch.row));
            scratch.groups.push(group);
        }
    }

    /// Binds the slots of an entry of a block, and those that checks have computed of it.
    #[inline]
    fn bind_all(&self, tail: &Tail, number: usize, entries: &[KeyedRow], scratch: &mut Scratch) {
        self.bind(tail.source, tail.carried, entries[number], scratch);
        for column in &scratch.computed {
            scratch.slots[column.slot as usize] = column.values[number];
        }
    }

    /// Binds the slots of a row that matches: of the value that its entry carries, or of its cells.
    #[inline]
    fn bind(&self, source: EntrySource, carried: Option<Slot>, entry: KeyedRow, scratch: &mut Scratch) {
        match (carried, source) {
            (Some(slot), _) => scratch.slots[slot as usize] = entry.value,
            (None, EntrySource::Pairs(_)) => {}
            (None, EntrySource::Rows(rows)) => {
                let relation = &self.relations[rows.relation];
                Self::row_matches(relation, rows, entry.row, &mut scratch.slots, self.interner.known());
            }
        }
    }

    /// The entries, a bit each, whose rows are within the windows of a scan, match, and are not left out as repeated.
    fn matching(&self, rows: &LiteralRows, at: usize, entries: &[KeyedRow], scratch: &mut Scratch) -> u64 {
        let relation = &self.relations[rows.relation];
        let has_windows = rows.is_scan() && !rows.windows.is_empty();
        let mut matching = 0;
        for (number, entry) in entries.iter().enumerate() {
            let windows = || Self::windows(rows, at, &scratch.windows);
            let matches = (!has_windows || relation.is_admitted(entry.row as usize, windows()))
                && Self::row_matches(relation, rows, entry.row, &mut scratch.slots, self.interner.known())
                && Self::is_first(relation, rows, entry.row, at, scratch);
            matching |= u64::from(matches) << number;
        }
        matching
    }

    /// The entries, a bit each, whose values are within the windows of the operation `at`.
    #[inline]
    fn admitted(rows: &LiteralRows, at: usize, entries: &[KeyedRow], scratch: &Scratch) -> u64 {
        let all = all(entries);
        let windows = Self::windows(rows, at, &scratch.windows);
        let rejects = |value| windows.iter().any(|window| !window.admits(value));
        if windows.is_empty() {
            return all;
        }
        let rejected =
            |bits: u64, (number, entry): (usize, &KeyedRow)| bits | u64::from(rejects(entry.value)) << number;
        all & !entries.iter().enumerate().fold(0, rejected)
    }

    /// The entries, a bit each, that pass a check, of those whose bits are set.
    #[inline]
    fn check(&mut self, tail: &Tail, number: usize, passing: u64, entries: &[KeyedRow], scratch: &mut Scratch) -> u64 {
        if let PlanOp::Contains { relation, row, negated, unless, .. } = &tail.checks[number] {
            if unless.is_some_and(|(op, number)| scratch.chosen[op] == number) {
                return passing;
            }
            let found = match (tail.carried, &**row) {
                (Some(slot), &[Template::Slot(a), Template::Slot(b)]) if scratch.computed.is_empty() => {
                    scratch.pair_up(entries, [a, b], slot);
                    Some(self.relations[*relation].contains_each(scratch.pairs.as_flattened()))
                }
                (_, row) if !row.is_empty() && row.iter().all(Template::is_plain) => {
                    scratch.tested.clear();
                    let mut tested = std::mem::take(&mut scratch.tested);
                    let are_made = self.make_rows(tail, row, passing, entries, BlockSlots::of(scratch), &mut tested);
                    scratch.tested = tested;
                    let relation = &self.relations[*relation];
                    are_made.then(|| spread(relation.contains_each(&scratch.tested), passing))
                }
                _ => None,
            };
            if let Some(found) = found {
                self.work.probes += u64::from(passing.count_ones());
                return passing & if *negated { !found } else { found };
            }
        }
        let are_many = passing.count_ones() as usize * FEW_PASSING > entries.len();
        if let (PlanOp::Check { check: SlotCheck::Test(test), .. }, Some(slot)) = (&tail.checks[number], tail.carried)
            && are_many
            && scratch.computed.is_empty()
            && let Some(passed) = test.holds_of_each(slot, entries.iter().map(|entry| entry.value), &scratch.slots)
        {
            return passing & passed;
        }
        if passing.count_ones() >= FEWEST_COMPUTED
            && let Some(passed) = self.tested(tail, &tail.checks[number], passing, entries, scratch)
        {
            return passed;
        }
        let mut passed = 0;
        let mut left = passing;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            self.bind_all(tail, bit as usize, entries, scratch);
            passed |= u64::from(self.is_passed(tail, number, scratch)) << bit;
        }
        passed
    }

    /// Appends a row of slots and constants for each entry whose bit is set; `false` if a slot is bound within a compound.
    #[inline]
    fn make_rows(
        &self,
        tail: &Tail,
        template: &[Template],
        passing: u64,
        entries: &[KeyedRow],
        slots: BlockSlots,
        to: &mut Vec<Value>,
    ) -> bool {
        match *template {
            [ref a] => self.make_rows_of(tail, [a], passing, entries, slots, to),
            [ref a, ref b] => self.make_rows_of(tail, [a, b], passing, entries, slots, to),
            [ref a, ref b, ref c] => self.make_rows_of(tail, [a, b, c], passing, entries, slots, to),
            [ref a, ref b, ref c, ref d] => self.make_rows_of(tail, [a, b, c, d], passing, entries, slots, to),
            _ => false,
        }
    }

    /// The same for rows of a fixed length, which are appended without a loop.
    #[inline]
    fn make_rows_of<const N: usize>(
        &self,
        tail: &Tail,
        template: [&Template; N],
        mut passing: u64,
        entries: &[KeyedRow],
        slots: BlockSlots,
        to: &mut Vec<Value>,
    ) -> bool {
        let Some(parts) = sources(tail, template, slots) else { return false };
        let cells = match tail.source {
            EntrySource::Rows(rows) if tail.carried.is_none() => self.relations[rows.relation].row_cells(),
            _ => RowCells::default(),
        };
        while passing != 0 {
            let number = passing.trailing_zeros() as usize;
            let entry = entries[number];
            passing &= passing - 1;
            let mut row = [Value::default(); N];
            for (cell, part) in row.iter_mut().zip(&parts) {
                *cell = match *part {
                    CellSource::Value(value) => value,
                    CellSource::Carried => entry.value,
                    CellSource::Column(column) => cells.get(entry.row, column),
                    CellSource::Computed(place) => slots.computed[place].values[number],
                };
            }
            to.extend_from_slice(&row);
        }
        true
    }

    /// Emits a head for each row from the place on that the tail has.
    #[inline]
    fn emit_placed(
        &mut self,
        tail: &Tail,
        rows: &LiteralRows,
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        self.find_windows(rows, tail.at, scratch);
        self.begin_reduced(rows, tail.at, tail.frontiers, scratch);
        if !rows.windows.is_empty() && rows.carried.is_none() {
            return self.emit_admitted(tail, rows, true, new, scratch);
        }
        self.emit_begun(tail, rows, tail.frontiers, new, scratch)
    }
}

/// What slots hold while a block is checked.
#[derive(Clone, Copy)]
pub(super) struct BlockSlots<'s> {
    /// What is the same for all entries.
    slots: &'s [Value],
    computed: &'s [ComputedColumn],
}

impl BlockSlots<'_> {
    #[inline]
    pub fn of(scratch: &Scratch) -> BlockSlots<'_> {
        BlockSlots { slots: &scratch.slots, computed: &scratch.computed }
    }
}

/// The source of a part of a row that an entry makes.
#[derive(Clone, Copy)]
pub(super) enum CellSource {
    /// The same for all entries.
    Value(Value),
    /// The value that the entry carries.
    Carried,
    /// The value in a column of its row.
    Column(u16),
    /// The value that a check has computed, the number of its column.
    Computed(usize),
}

/// The sources of the parts of a row; `None` if one has none.
#[inline]
fn sources<const N: usize>(tail: &Tail, template: [&Template; N], slots: BlockSlots) -> Option<[CellSource; N]> {
    let mut sources = [CellSource::Carried; N];
    for (to, part) in sources.iter_mut().zip(template) {
        *to = source(tail, part, slots)?;
    }
    Some(sources)
}

/// The source of a part of a row; `None` if a slot is bound within a compound, or the part is neither a slot nor a constant.
#[inline]
pub(super) fn source(tail: &Tail, part: &Template, BlockSlots { slots, computed }: BlockSlots) -> Option<CellSource> {
    let slot = match *part {
        Template::Constant(value) => return Some(CellSource::Value(value)),
        Template::Slot(slot) => slot,
        _ => return None,
    };
    if tail.carried == Some(slot) {
        return Some(CellSource::Carried);
    }
    if let Some(place) = computed.iter().position(|column| column.slot == slot) {
        return Some(CellSource::Computed(place));
    }
    if let (EntrySource::Rows(rows), None) = (tail.source, tail.carried) {
        let is_compound = |(_, pattern): &(u16, Pattern)| matches!(pattern, Pattern::Compound(..));
        if rows.patterns.iter().any(is_compound) {
            return None;
        }
        if let Some((column, _)) = rows.patterns.iter().find(|(_, pattern)| *pattern == Pattern::Bind(slot)) {
            return Some(CellSource::Column(*column));
        }
    }
    Some(CellSource::Value(slots[slot as usize]))
}

/// A bit for each entry.
#[inline]
fn all(entries: &[KeyedRow]) -> u64 {
    u64::MAX >> (BLOCK - entries.len())
}

/// Bits at the places whose bits are set: the first bit at the first place, and so on.
#[inline]
fn spread(bits: u64, places: u64) -> u64 {
    if places & places.wrapping_add(1) == 0 {
        return bits & places;
    }
    let (mut bits, mut left, mut spread) = (bits, places, 0);
    while left != 0 {
        spread |= (bits & 1) << left.trailing_zeros();
        bits >>= 1;
        left &= left - 1;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_spread_over_places() {
        assert_eq!(spread(0b101, 0b1101_0000), 0b1001_0000);
        assert_eq!(spread(u64::MAX, 0b111), 0b111);
        assert_eq!(spread(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(spread(1, 0), 0);
    }
}
