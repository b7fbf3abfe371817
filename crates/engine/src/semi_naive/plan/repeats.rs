//! Scans of which many rows agree in all that the rest of the plan needs of them.
//!
//! In `total(X, N) :- p(X, _, _) & N = count { Y, Z : p(X, Y, Z) }` all rows of a group lead to the same total. The first of them is
//! joined, and a set of those that were joined tells the others. That pays where the rest of the plan takes longer for
//! a row than a look-up of it.

use super::within::rows_met;
use super::{PlanCompiler, PlanOp, RowRange, is_large};
use crate::semi_naive::heuristics::Heuristic;
use crate::term::{Pattern, Slot};

/// Fewer rows that agree are not worth a set of them.
const FEW_REPEATS: f64 = 4.0;

impl PlanCompiler<'_, '_, '_> {
    /// Notes the needed columns of scans in which many rows agree.
    pub(super) fn note_repeats(&mut self) {
        if !self.has(Heuristic::Repeats) {
            return;
        }
        for at in 0..self.ops.len() {
            let saves = self.ops.iter().skip(at + 1).rev().skip(1).any(|op| !matches!(op, PlanOp::Check { .. }));
            if saves && let Some(columns) = self.repeated(at) {
                let PlanOp::Rows(rows) = &mut self.ops[at] else { continue };
                rows.distinct = columns;
            }
        }
    }

    /// The needed columns of a scan in which many rows agree.
    fn repeated(&self, at: usize) -> Option<Box<[u16]>> {
        let PlanOp::Rows(rows) = &self.ops[at] else { return None };
        let relation = &self.tables.relations[rows.relation];
        if !rows.is_scan() || rows.once || rows.range == RowRange::Delta || !is_large(relation) {
            return None;
        }
        let others = (0..self.body.len()).filter(|&place| place != rows.literal);
        let head = self.names.variables_of_head();
        let used: Vec<Slot> = others.flat_map(|place| self.names.variables(place)).chain(head).copied().collect();
        let needed = rows.patterns.iter().filter(|(_, pattern)| match pattern {
            Pattern::Bind(slot) => used.contains(slot),
            Pattern::Compound(..) => true,
            _ => false,
        });
        let columns: Box<[u16]> = needed.map(|(column, _)| *column).collect();
        let by: Vec<usize> = columns.iter().map(|&column| column as usize).collect();
        (by.len() < relation.arity() && !by.is_empty() && rows_met(relation, &by) > FEW_REPEATS).then_some(columns)
    }
}
