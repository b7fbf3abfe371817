//! What later operations ask of the rows of a look-up.
//!
//! Where a key comes again and again, its rows are asked once for all that depends on them and on the key alone
//! ([`reduced`](crate::semi_naive::reduced)), however many operations stand between.

use super::op::{LiteralRows, RowFilter, SlotCheck};
use super::{PlanCompiler, PlanOp};
use crate::semi_naive::heuristics::Heuristic;
use crate::term::{Pattern, Slot, Template};

impl PlanCompiler<'_, '_, '_> {
    /// Notes the filters of look-ups that may begin more than once.
    pub(super) fn note_filters(&mut self) {
        if !self.has(Heuristic::ReducedKeys) {
            return;
        }
        for at in 1..self.ops.len() {
            let PlanOp::Rows(rows) = &self.ops[at] else { continue };
            let filters = match &rows.lookup {
                Some((_, key)) if !rows.once && rows.rivals.is_empty() && rows.windows.is_empty() => {
                    let known = KnownSlots::of(rows, key);
                    self.ops[at + 1..].iter().filter_map(|op| self.filter(op, &known)).collect()
                }
                _ => continue,
            };
            if let PlanOp::Rows(rows) = &mut self.ops[at] {
                rows.filters = filters;
            }
        }
    }

    /// What an operation asks of the rows that bind these slots, if it depends on nothing else.
    fn filter(&self, op: &PlanOp, known: &KnownSlots) -> Option<RowFilter> {
        match op {
            PlanOp::Rows(LiteralRows { relation, range, lookup: Some((index, key)), rivals, .. })
                if rivals.is_empty() && known.tell(key) =>
            {
                Some(RowFilter::Lookup { relation: *relation, range: *range, index: *index, key: key.clone() })
            }
            PlanOp::Contains { relation, row, negated, unless: None, .. }
                if *relation != self.names.head && known.tell(row) =>
            {
                Some(RowFilter::Contains { relation: *relation, row: row.clone(), negated: *negated })
            }
            PlanOp::Check { check: SlotCheck::Test(test), .. } if known.tell([&test.left, &test.right]) => {
                Some(RowFilter::Test(test.clone()))
            }
            _ => None,
        }
    }
}

/// The slots that a row and its key tell.
struct KnownSlots {
    of_row: Vec<Slot>,
    of_key: Vec<Slot>,
}

impl KnownSlots {
    fn of(rows: &LiteralRows, key: &[Template]) -> KnownSlots {
        let bound = |(_, pattern): &(u16, Pattern)| match pattern {
            Pattern::Bind(slot) => Some(*slot),
            _ => None,
        };
        let slot = |part: &Template| match part {
            Template::Slot(slot) => Some(*slot),
            _ => None,
        };
        KnownSlots {
            of_row: rows.patterns.iter().filter_map(bound).collect(),
            of_key: key.iter().filter_map(slot).collect(),
        }
    }

    /// Whether the row and its key tell all parts, and the row tells one of them.
    fn tell<'t>(&self, parts: impl IntoIterator<Item = &'t Template>) -> bool {
        let mut of_row = false;
        parts.into_iter().all(|part| match part {
            Template::Constant(_) => true,
            Template::Slot(slot) if self.of_row.contains(slot) => {
                of_row = true;
                true
            }
            Template::Slot(slot) => self.of_key.contains(slot),
            _ => false,
        }) && of_row
    }
}
