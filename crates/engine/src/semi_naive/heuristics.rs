//! The heuristics of the engine, each of which can be left out to measure what it gains.
//!
//! None changes what is derived. A heuristic is asked for where a plan, an index or a set of rows is made, never for each
//! row, so that asking costs nothing. `ludolog bench ablation` runs with each of them left out; one that gains less
//! than 3 % everywhere is to be removed (docs/decisions has the last table).

use super::replanned::Inherited;
use super::{SEMI_NAIVE, SemiNaive};
use crate::contract::{EngineDescription, Load};
use std::fmt;
use std::sync::Arc;

/// A heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Unary and binary rows are members by their ids themselves, or by bits, not by row numbers.
    PairTables,
    /// Rows of three columns and more are members by one number, or by bits, not by row numbers.
    PackedRows,
    /// Binary rows whose ids are dense are members by one bit for each possible pair.
    BitTables,
    /// An index by one column whose ids are dense finds rows without hashing.
    DenseHeads,
    /// An index by two columns holds its keys, not the rows that have them.
    DoubleHeads,
    /// An index made of rows that are there is filled group by group.
    GroupedRows,
    /// Entries of an index hold the value of one more column.
    CarriedValues,
    /// Rows are looked up by the block before they are added.
    BlockedInserts,
    /// Rows that only checks follow are tested and emitted by the block.
    BlockedChecks,
    /// Heads wait until there are many to add.
    WaitingHeads,
    /// A literal that binds nothing that is needed later ends at its first match.
    ExistenceChecks,
    /// A head that is known already is not proved again.
    KnownHeads,
    /// Of literals that bind the same variables the one with the fewest rows is enumerated.
    Rivals,
    /// Rounds join in an order that fits the delta and the sizes of relations.
    RoundOrders,
    /// Plans are made anew when relations have grown.
    NewPlans,
    /// A rule that takes long tries other orders.
    Trials,
    /// Recursion that keeps a column runs in shares of its values.
    Shares,
    /// Comparisons that bound a column are answered by a sorted index.
    SortedIndices,
    /// Tuples of an aggregate are taken in as they are derived, and not kept.
    Totals,
    /// A scan passes over rows of which a value has no rows of the next subgoal.
    Partners,
    /// Rows that comparisons reject are passed over without a step of the plan each.
    Windows,
    /// Blocks of a sorted index that are outside of a window are passed over as a whole.
    Zones,
    /// A scan passes over rows that agree with an earlier one in all that is needed of them.
    Repeats,
    /// A look-up of a key that comes again and again passes over rows that fail later.
    ReducedKeys,
    /// Rounds take rows of a lattice in the order of what leads to their keys, where most were replaced before.
    Levels,
}

impl Heuristic {
    /// All of them, with names and what they are.
    pub const ALL: [(Heuristic, &'static str, &'static str); 25] = [
        (Heuristic::PairTables, "pair-tables", "Pairs are members by their ids, not by row numbers"),
        (Heuristic::PackedRows, "packed-rows", "Longer rows are members by one number, not by row numbers"),
        (Heuristic::BitTables, "bit-tables", "Dense pairs are members by a bit for each possible pair"),
        (Heuristic::DenseHeads, "dense-heads", "An index by dense ids finds rows without hashing"),
        (Heuristic::DoubleHeads, "double-heads", "An index by two columns holds its keys"),
        (Heuristic::GroupedRows, "grouped-rows", "An index of rows that are there is filled group by group"),
        (Heuristic::CarriedValues, "carried-values", "Entries of an index hold the value of one more column"),
        (Heuristic::BlockedInserts, "blocked-inserts", "Rows are looked up by the block before they are added"),
        (Heuristic::BlockedChecks, "blocked-checks", "Rows that only checks follow are tested by the block"),
        (Heuristic::WaitingHeads, "waiting-heads", "Heads wait until there are many to add"),
        (Heuristic::ExistenceChecks, "existence-checks", "A literal that binds nothing needed ends at its first match"),
        (Heuristic::KnownHeads, "known-heads", "A head that is known is not proved again"),
        (Heuristic::Rivals, "rivals", "Of literals that bind the same, the one with the fewest rows is enumerated"),
        (Heuristic::RoundOrders, "round-orders", "Rounds join in an order that fits the delta and the sizes"),
        (Heuristic::NewPlans, "new-plans", "Plans are made anew when relations have grown"),
        (Heuristic::Trials, "trials", "A rule that takes long tries other orders"),
        (Heuristic::Shares, "shares", "Recursion that keeps a column runs in shares of its values"),
        (Heuristic::SortedIndices, "sorted-indices", "Comparisons that bound a column are answered by a sorted index"),
        (Heuristic::Totals, "totals", "Tuples of an aggregate are taken in as they are derived, and not kept"),
        (Heuristic::Partners, "partners", "A scan passes over rows without a row of the next subgoal"),
        (Heuristic::Windows, "windows", "Rows that comparisons reject are passed over"),
        (Heuristic::Zones, "zones", "Blocks of sorted rows outside of a window are passed over"),
        (
            Heuristic::Repeats,
            "repeats",
            "Of rows that agree in all that is needed, a scan passes over all but the first",
        ),
        (
            Heuristic::ReducedKeys,
            "reduced-keys",
            "Rows under a key that comes again and again are left out if they fail later",
        ),
        (Heuristic::Levels, "levels", "Rows of a lattice come in the order of what leads to their keys"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Heuristic::ALL[self as usize].1
    }

    /// The semi-naive engine without this heuristic. It derives the same.
    pub fn left_out(self) -> EngineDescription {
        engine_with(Heuristics::default().without(self))
    }

    /// The semi-naive engine whose heuristics begin early, at a five hundred and twelfth of their sizes: it does with few rows what it else does with
    /// many, so that small programs test all of it. It derives the same.
    pub fn all_early() -> EngineDescription {
        engine_with(Heuristics { are_early: true, ..Heuristics::default() })
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The semi-naive engine with these heuristics.
fn engine_with(heuristics: Heuristics) -> EngineDescription {
    EngineDescription {
        make: Load::Configured(Arc::new(move |program, budget| {
            Ok(Box::new(SemiNaive::load_with(program, false, heuristics, Inherited::default(), budget)?))
        })),
        make_recording: None,
        ..SEMI_NAIVE
    }
}

/// A set of heuristics; all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heuristics {
    /// A bit for each.
    set: u32,
    are_early: bool,
}

impl Default for Heuristics {
    fn default() -> Self {
        Heuristics { set: u32::MAX, are_early: false }
    }
}

/// Heuristics that begin early do so at this part of the rows or probes: 2⁻⁹.
const EARLY_SHIFT: u32 = 9;

impl Heuristics {
    /// The set without one of them.
    pub fn without(self, heuristic: Heuristic) -> Self {
        Heuristics { set: self.set & !(1 << heuristic as u32), ..self }
    }

    /// Whether a heuristic is in it.
    pub fn has(self, heuristic: Heuristic) -> bool {
        self.set >> heuristic as u32 & 1 == 1
    }

    /// The number of rows or probes at which a heuristic begins that else begins at `count`; at least one.
    #[inline]
    pub fn begins_at(self, count: usize) -> usize {
        if self.are_early { (count >> EARLY_SHIFT).max(1) } else { count }
    }
}
