//! The operations of plans. A plan runs them with backtracking: each finds the next match, or goes back to the one before it
//! that has a choice.

use crate::aggregate::Aggregator;
use crate::semi_naive::closure::ClosureId;
use crate::semi_naive::relation::RelationId;
use crate::term::{LimitTemplate, Narrowing, Pattern, Slot, Template, Test};
use std::cmp::Ordering;

/// The rows of a relation that a literal reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRange {
    /// All rows that existed when the round began.
    Full,
    /// All rows before the delta.
    Old,
    /// The rows that are new since the rule last ran.
    Delta,
}

/// A literal with unbound arguments: enumerates matching rows.
#[derive(Debug)]
pub struct LiteralRows {
    pub relation: RelationId,
    pub range: RowRange,
    /// The index and the key to look up; without it and without `sorted`, the range is scanned.
    pub lookup: Option<(usize, Box<[Template]>)>,
    /// The look-up between bounds, instead of another one.
    pub sorted: Option<Box<SortedLookup>>,
    /// The patterns of the columns that the key does not determine; columns that match anything are omitted.
    pub patterns: Box<[(u16, Pattern)]>,
    /// The slot to bind, if that is all that a row has to do, and the entries of the index hold its value.
    pub carried: Option<Slot>,
    /// The windows that comparisons behind the literal leave for its columns.
    pub windows: Box<[WindowTemplate]>,
    /// Of a scan: the next subgoal, if a value of each row tells whether it has rows.
    pub partner: Option<Box<Partner>>,
    /// Of a scan: the columns that are needed, if many rows agree in them: the first of these suffices.
    pub distinct: Box<[u16]>,
    /// Of a look-up: what later operations ask of a row and its key alone.
    pub filters: Box<[RowFilter]>,
    /// Other literals that bind the same variables: whichever has the fewest rows is enumerated.
    pub rivals: Box<[LiteralRows]>,
    /// Whether one match suffices, since no variable bound here is needed later.
    pub once: bool,
    /// The index of the literal in the body, for derivations.
    pub literal: usize,
    pub back: usize,
}

impl LiteralRows {
    /// Whether the range is scanned.
    #[inline]
    pub fn is_scan(&self) -> bool {
        self.lookup.is_none() && self.sorted.is_none()
    }

    /// Whether all rows of the range are looked at.
    #[inline]
    pub fn is_plain_scan(&self) -> bool {
        self.is_scan() && self.partner.is_none() && self.windows.is_empty() && self.distinct.is_empty()
    }

    /// The rival of this number; 0 is the operation itself.
    #[inline]
    pub fn chosen(&self, number: u32) -> &LiteralRows {
        match number {
            0 => self,
            _ => &self.rivals[number as usize - 1],
        }
    }
}

/// A column that comparisons bound, which test the rows that are left.
#[derive(Debug)]
pub struct WindowTemplate {
    pub column: u16,
    /// Whether the entries of the index hold its value.
    pub is_carried: bool,
    pub limits: Box<[LimitTemplate]>,
    /// What other comparisons leave of it.
    pub narrowings: Box<[Narrowing]>,
}

/// The index of the next subgoal, whose key is the value in a column of the rows that are scanned.
#[derive(Clone, Copy, Debug)]
pub struct Partner {
    pub relation: RelationId,
    pub index: usize,
    pub column: usize,
}

/// What a later operation asks of a row and its key, wherever in the plan it stands.
#[derive(Debug)]
pub enum RowFilter {
    /// There are rows in a range of a relation under a key of an index.
    Lookup { relation: RelationId, range: RowRange, index: usize, key: Box<[Template]> },
    /// A row is (or, negated, is not) in a relation.
    Contains { relation: RelationId, row: Box<[Template]>, negated: bool },
    /// A comparison holds.
    Test(Test),
}

/// A look-up of the rows under a key whose values in a column are within limits.
#[derive(Debug)]
pub struct SortedLookup {
    /// The number of the sorted index.
    pub index: usize,
    pub key: Box<[Template]>,
    pub limits: Box<[LimitTemplate]>,
    /// What comparisons behind it leave of the column, which test the rows that are left.
    pub narrowings: Box<[Narrowing]>,
}

/// Binds or matches the value of an aggregate over the matching rows that pass its tests.
#[derive(Debug)]
pub struct AggregateRows {
    pub rows: LiteralRows,
    pub of: Aggregator,
    /// The terms that the value depends on.
    pub group: Box<[Template]>,
    /// The order of the value and the others, if the rows within bounds come in the order of their first terms, so that the value is that of the first or
    /// of the last one that passes the tests.
    pub extreme: Option<Ordering>,
    /// The tests of rows within bounds, if running totals tell which of them pass.
    pub running: Option<RunningTests>,
    /// The slots of a tuple.
    pub tuple: Box<[Slot]>,
    /// The column of the first of them.
    pub first: usize,
    /// Whether several rows may have the same tuple.
    pub repeats: bool,
    /// A row passes if all checks of one of these do, or if there are none.
    pub tests: Box<[Box<[SlotCheck]>]>,
    pub result: Pattern,
}

/// What rows within bounds have to pass beside these.
#[derive(Debug)]
pub struct RunningTests {
    /// The limits of another column.
    pub second: Option<WindowTemplate>,
    /// Columns, and what is not their value.
    pub unlike: Box<[(u16, Template)]>,
    /// Tests that all rows pass between two that do.
    pub convex: Box<[SlotCheck]>,
}

/// Binds or matches the value of an aggregate over tuples of which the relation has totals.
#[derive(Debug)]
pub struct TotalLookup {
    pub relation: RelationId,
    pub of: Aggregator,
    /// The terms that the value depends on.
    pub group: Box<[Template]>,
    pub result: Pattern,
    pub back: usize,
}

/// Pairs of a closure that match a literal.
#[derive(Debug)]
pub struct Pairs {
    pub closure: ClosureId,
    /// By column: what is bound.
    pub row: Box<[Option<Template>]>,
    /// The patterns of the other columns.
    pub patterns: Box<[(u16, Pattern)]>,
    pub ends: PairEnds,
}

/// The ends of the pairs of a closure that are enumerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairEnds {
    #[default]
    Both,
    /// Each source once, whatever it reaches.
    Sources,
    /// Each target once, whatever reaches it.
    Targets,
}

impl Pairs {
    /// The slot of one end, if that is all that is not bound before.
    pub fn carried(&self) -> Option<Slot> {
        let free = self.row.iter().filter(|part| part.is_none()).count();
        match *self.patterns {
            [(column, Pattern::Bind(slot))] if free == 1 && column as usize + 2 >= self.row.len() => Some(slot),
            _ => None,
        }
    }
}

/// One operation. When it fails or is exhausted, the plan backtracks to the next choice of the operation `back`. What is seldom is boxed, so
/// that the plans of small programs stay in the processor's caches.
#[derive(Debug)]
pub enum PlanOp {
    Rows(LiteralRows),
    /// Enumerates the matching pairs of a closure; `once` as in [`LiteralRows`].
    Closure {
        pairs: Pairs,
        once: bool,
        back: usize,
    },
    /// Tests that no pair of a closure matches: a negative literal with local variables.
    ClosureNone {
        pairs: Pairs,
        back: usize,
    },
    /// Tests that a bound row is (or, negated, is not) in a relation.
    Contains {
        relation: RelationId,
        row: Box<[Template]>,
        negated: bool,
        literal: usize,
        /// Nothing is tested where the operation of this number enumerates its rival of this number (0 for itself): the
        /// row comes from the relation.
        unless: Option<(usize, u32)>,
        back: usize,
    },
    ClosureContains {
        closure: ClosureId,
        row: Box<[Template]>,
        negated: bool,
        back: usize,
    },
    /// Tests that no row matches: a negative literal with local variables.
    None {
        rows: Box<LiteralRows>,
    },
    Aggregate(Box<AggregateRows>),
    Total(Box<TotalLookup>),
    Check {
        check: SlotCheck,
        back: usize,
    },
    /// Enumerates the elements of a list that match; `once` as in [`LiteralRows`].
    Member {
        element: Pattern,
        list: Template,
        once: bool,
        back: usize,
    },
    /// Enumerates the integers of a range; `once` as in [`LiteralRows`].
    Range {
        element: Pattern,
        bounds: [Template; 2],
        once: bool,
        back: usize,
    },
    /// Tests that the head is not yet a fact.
    UnlessKnown {
        relation: RelationId,
        row: Box<[Template]>,
        back: usize,
    },
    Emit {
        relation: RelationId,
        row: Box<[Template]>,
        back: usize,
    },
    /// As `Emit`, where the relation has a lattice column.
    Improve {
        relation: RelationId,
        row: Box<[Template]>,
        back: usize,
    },
    /// As `Emit`, where the relation has totals instead of rows.
    TakeIn {
        relation: RelationId,
        row: Box<[Template]>,
        back: usize,
    },
}

/// An operation on slots alone that has one choice.
#[derive(Debug)]
pub enum SlotCheck {
    Test(Test),
    /// Binds or matches a computed value.
    Assign {
        pattern: Pattern,
        template: Template,
        integer: bool,
    },
    /// Tests that a bound element is (or, negated, is not) an integer of a range.
    Range {
        element: Template,
        bounds: [Template; 2],
        negated: bool,
    },
    /// Tests that a list has (or, negated, has not) an element that matches.
    Member {
        element: Pattern,
        list: Template,
        negated: bool,
    },
}
