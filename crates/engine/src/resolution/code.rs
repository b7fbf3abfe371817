//! The code that clauses are compiled to.
//!
//! A procedure is a predicate under one binding pattern. Its arguments are the values of the bound positions, in the
//! first slots of its frame. Its results are the values of the free positions; the caller chooses the consecutive slots
//! that receive them. Each slot of a clause is written by one operation only, so backtracking does not need to unbind
//! slots.

use super::database::RelationId;
use super::table::TableAccess;
use crate::aggregate::Aggregator;
use crate::term::{Pattern, Slot, Template, Test};
use crate::value::{Functor, Interner, Value};
use rustc_hash::FxHashMap;

pub type ProcedureId = u32;

/// An address in [`ClauseCode::ops`].
pub type Address = u32;

/// One operation. After success the next one runs; after failure the machine backtracks to the last choice.
#[derive(Clone, Debug)]
pub enum ClauseOp {
    /// Ends the leading tests of a clause: makes the clauses after it a choice.
    Commit,
    Match {
        slot: Slot,
        pattern: Pattern,
    },
    Test(Test),
    /// Sets a slot to the value of a template.
    Let {
        slot: Slot,
        template: Template,
    },
    /// Sets a slot to the value that a template computes; fails if it computes none.
    Compute {
        slot: Slot,
        template: Template,
    },
    /// Succeeds if a row matches, or, unless `expected`, if none does.
    Probe {
        rows: MatchingRows,
        expected: bool,
    },
    /// Enumerates the matching rows.
    Scan(MatchingRows),
    Call {
        procedure: ProcedureId,
        args: Box<[Template]>,
        results: Slot,
    },
    /// A call that ends the clause: its results are those of the clause, and it reuses the frame unless a choice needs
    /// it. A `Return` without results follows for that case.
    LastCall {
        procedure: ProcedureId,
        args: Box<[Template]>,
    },
    /// Succeeds if the list has the element, or, unless `expected`, if it does not.
    Contains {
        list: Template,
        element: Template,
        expected: bool,
    },
    /// Enumerates the matching elements of a list.
    Each {
        list: Template,
        pattern: Pattern,
    },
    /// Succeeds if the element is an integer of the range, or, unless `expected`, if it is not.
    InRange {
        element: Template,
        bounds: [Template; 2],
        expected: bool,
    },
    /// Enumerates the matching integers of a range.
    Integers {
        bounds: [Template; 2],
        pattern: Pattern,
    },
    /// Stores the number of choices in `slot`, and makes a choice that continues at `otherwise`.
    Not {
        slot: Slot,
        otherwise: Address,
    },
    /// The negated conjunction succeeded: drops all choices since `Not` and fails.
    Refute {
        slot: Slot,
    },
    /// Begins an empty set of tuples, and makes a choice that continues at `otherwise` when all are found.
    Gather {
        otherwise: Address,
    },
    /// Adds a tuple to the last set that was begun, and fails.
    Take {
        row: Box<[Template]>,
    },
    /// Ends the last set that was begun, and sets a slot to its value; fails if it has none.
    Total {
        of: Aggregator,
        slot: Slot,
    },
    /// The head is proved. With `once`, drops the choices of other proofs.
    Return {
        results: Box<[Template]>,
        once: bool,
    },
    /// The goal is solved; only in goals.
    Answer {
        results: Box<[Template]>,
    },
}

/// The rows of a fact table that agree with a key and match patterns in the other columns.
#[derive(Clone, Debug)]
pub struct MatchingRows {
    pub relation: RelationId,
    pub access: TableAccess,
    pub key: Box<[Template]>,
    pub columns: Box<[(usize, Pattern)]>,
}

/// A test of an argument that decides whether to try a clause: the first constant or functor of its head.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    None,
    Value(Slot, Value),
    Functor(Slot, Functor),
}

impl Guard {
    #[inline]
    pub fn admits(self, args: &[Value], interner: &Interner) -> bool {
        match self {
            Guard::None => true,
            Guard::Value(slot, value) => args[slot as usize] == value,
            Guard::Functor(slot, functor) => {
                interner.as_compound(args[slot as usize]).is_some_and(|(other, _)| other == functor)
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub relation: RelationId,
    /// Which argument positions are bound.
    pub bound: Box<[bool]>,
    /// The clauses to try, in order; `None` until the first call.
    pub clauses: Option<Vec<(Guard, Address)>>,
    /// The number of slots of a frame.
    pub size: Slot,
}

impl Procedure {
    /// The number of arguments, that is, of bound positions.
    pub fn arguments(&self) -> usize {
        self.bound.iter().filter(|&&bound| bound).count()
    }
}

#[derive(Clone, Debug, Default)]
pub struct ClauseCode {
    pub ops: Vec<ClauseOp>,
    pub procedures: Vec<Procedure>,
    ids: FxHashMap<(RelationId, Box<[bool]>), ProcedureId>,
}

impl ClauseCode {
    /// The procedure of a predicate under a binding pattern; it is compiled on its first call.
    pub fn procedure(&mut self, relation: RelationId, bound: Box<[bool]>) -> ProcedureId {
        let procedures = &mut self.procedures;
        *self.ids.entry((relation, bound)).or_insert_with_key(|(relation, bound)| {
            procedures.push(Procedure { relation: *relation, bound: bound.clone(), clauses: None, size: 0 });
            procedures.len() as ProcedureId - 1
        })
    }

    pub fn here(&self) -> Address {
        self.ops.len() as Address
    }
}
