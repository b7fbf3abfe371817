//! What checks compute of the rows of a block: a column of values for a slot that they bind, and a bit for each row that passes.
//!
//! Integers that are their own ids, and what is computed from such, need nothing but the slots. Where another value comes, or a result that is none of
//! these, rows are checked one by one, which also notes what does not fit.

use super::blocks::{BlockSlots, CellSource, source};
use super::{EntrySource, Tail};
use crate::semi_naive::index::KeyedRow;
use crate::semi_naive::machine::{PlanMachine, RowStore, Scratch};
use crate::semi_naive::plan::{PlanOp, SlotCheck};
use crate::semi_naive::relation::BLOCK;
use crate::term::{Pattern, Slot, Template, apply};
use crate::value::{Intern, Value};

/// The values of a slot, by the numbers of entries.
pub struct ComputedColumn {
    pub slot: Slot,
    pub values: [Value; BLOCK],
}

/// An integer for each entry, by number.
type Integers = [i64; BLOCK];

/// The integers of the entries whose bits are set; `None` if one has none.
#[inline]
fn integers_of(passing: u64, of: impl Fn(usize) -> Option<i64>) -> Option<Integers> {
    let mut integers = [0; BLOCK];
    for_each_bit(passing, |number| {
        integers[number] = of(number)?;
        Some(())
    })?;
    Some(integers)
}

/// Visits the numbers of the bits that are set, until one says no.
#[inline]
fn for_each_bit(bits: u64, mut visit: impl FnMut(usize) -> Option<()>) -> Option<()> {
    let mut left = bits;
    while left != 0 {
        visit(left.trailing_zeros() as usize)?;
        left &= left - 1;
    }
    Some(())
}

/// Whether a check binds a slot to what may be [computed of a block](PlanMachine::compute).
pub(super) fn computes(check: &PlanOp) -> bool {
    let PlanOp::Check { check: SlotCheck::Assign { pattern: Pattern::Bind(_), template, .. }, .. } = check else {
        return false;
    };
    template.operation().is_some()
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// Computes what a check binds, for the entries whose bits are set; `false` if that is to be done one by one.
    pub(super) fn compute(
        &self,
        tail: &Tail,
        check: &PlanOp,
        passing: u64,
        entries: &[KeyedRow],
        scratch: &mut Scratch,
    ) -> bool {
        let PlanOp::Check { check: SlotCheck::Assign { pattern: Pattern::Bind(slot), template, .. }, .. } = check
        else {
            return false;
        };
        let Some(integers) = self.integers(tail, template, passing, entries, scratch) else { return false };
        let mut values = [Value::default(); BLOCK];
        let are_small = for_each_bit(passing, |number| {
            values[number] = Value::small_integer(integers[number])?;
            Some(())
        });
        if are_small.is_some() {
            scratch.computed.push(ComputedColumn { slot: *slot, values });
        }
        are_small.is_some()
    }

    /// The entries, a bit each, that pass a test of integers, of those whose bits are set; `None` if they are to be tested one by one.
    pub(super) fn tested(
        &self,
        tail: &Tail,
        check: &PlanOp,
        passing: u64,
        entries: &[KeyedRow],
        scratch: &Scratch,
    ) -> Option<u64> {
        let integers = |template| self.integers(tail, template, passing, entries, scratch);
        let mut passed = 0;
        match check {
            PlanOp::Check { check: SlotCheck::Test(test), .. } => {
                let [left, right] = [integers(&test.left)?, integers(&test.right)?];
                for_each_bit(passing, |number| {
                    passed |= u64::from(test.relates(left[number], right[number])?) << number;
                    Some(())
                })?;
            }
            PlanOp::Check { check: SlotCheck::Range { element, bounds: [from, to], negated }, .. } => {
                let [element, from, to] = [integers(element)?, integers(from)?, integers(to)?];
                for_each_bit(passing, |number| {
                    let range = from[number]..=to[number];
                    passed |= u64::from(range.contains(&element[number]) != *negated) << number;
                    Some(())
                })?;
            }
            _ => return None,
        }
        Some(passed)
    }

    /// The integers that a template is, or computes, of the entries whose bits are set; `None` if one is not its own id, or cannot be computed.
    fn integers(
        &self,
        tail: &Tail,
        template: &Template,
        passing: u64,
        entries: &[KeyedRow],
        scratch: &Scratch,
    ) -> Option<Integers> {
        if let Some((operation, [left, right])) = template.operation() {
            let [left, right] = [left, right].map(|part| self.integers(tail, part, passing, entries, scratch));
            let (left, right) = left.zip(right)?;
            return integers_of(passing, |number| apply(operation, left[number], right[number]));
        }
        match source(tail, template, BlockSlots::of(scratch))? {
            CellSource::Value(value) => value.as_small_integer().map(|integer| [integer; BLOCK]),
            CellSource::Carried => integers_of(passing, |number| entries[number].value.as_small_integer()),
            CellSource::Computed(place) => {
                let values = &scratch.computed[place].values;
                integers_of(passing, |number| values[number].as_small_integer())
            }
            CellSource::Column(column) => {
                let EntrySource::Rows(rows) = tail.source else { return None };
                let cells = self.relations[rows.relation].row_cells();
                integers_of(passing, |number| cells.get(entries[number].row, column).as_small_integer())
            }
        }
    }
}
