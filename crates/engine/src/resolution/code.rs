//! The code that clauses are compiled to.
//!
//! A procedure is a predicate under one binding pattern. Its arguments are the values of the bound positions; they
//! stand in the first slots of its frame. Its results are the values of the free positions; the caller says into
//! which consecutive slots they go. A slot is written at one place of a clause only, so that undoing a step means no
//! more than going back: nothing needs to be unbound.

use super::database::RelationId;
use super::table::Access;
use crate::term::{Pattern, Slot, Template, Test};
use crate::value::{Functor, Interner, Value};
use rustc_hash::FxHashMap;

pub type ProcedureId = u32;

/// An address in [`Code::ops`].
pub type Address = u32;

/// One operation. It succeeds, and the next one follows, or it fails, and the machine goes back to the last choice.
#[derive(Clone, Debug)]
pub enum Op {
    /// Ends the leading tests of a clause: from here on, the clauses after it are an ordinary choice.
    Commit,
    Match {
        slot: Slot,
        pattern: Pattern,
    },
    Test(Test),
    /// Sets a slot to what the template builds or computes.
    Let {
        slot: Slot,
        template: Template,
    },
    /// Sets a slot to the integer that the template computes; fails when it is none.
    Compute {
        slot: Slot,
        template: Template,
    },
    /// Whether a row matches is as `expected`.
    Probe {
        rows: Rows,
        expected: bool,
    },
    /// One row after another.
    Scan(Rows),
    Call {
        procedure: ProcedureId,
        args: Box<[Template]>,
        results: Slot,
    },
    /// A call after which the clause has nothing left to do: the results go where the clause's own would go, and the
    /// frame is given up if no choice needs it. A `Return` without results follows for the case that one does.
    LastCall {
        procedure: ProcedureId,
        args: Box<[Template]>,
    },
    /// Whether an element of the list matches is as `expected`.
    Contains {
        list: Template,
        element: Template,
        expected: bool,
    },
    /// One element of the list after another.
    Each {
        list: Template,
        pattern: Pattern,
    },
    /// Notes in `slot` how many choices there are, and makes one that goes on at `otherwise`.
    Not {
        slot: Slot,
        otherwise: Address,
    },
    /// What stands between `Not` and here has succeeded: takes back all choices since then and fails.
    Refute {
        slot: Slot,
    },
    /// The head is proved. With `once`, no other proof of it is looked for.
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
pub struct Rows {
    pub relation: RelationId,
    pub access: Access,
    pub key: Box<[Template]>,
    pub columns: Box<[(usize, Pattern)]>,
}

/// What an argument must be for a clause to be worth a try: the first constant or compound of its head.
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
    /// What can be tried, in order; `None` until the procedure is called for the first time.
    pub clauses: Option<Vec<(Guard, Address)>>,
    /// How many slots a frame needs.
    pub size: Slot,
}

impl Procedure {
    /// How many arguments it has: the bound positions.
    pub fn arguments(&self) -> usize {
        self.bound.iter().filter(|&&bound| bound).count()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub procedures: Vec<Procedure>,
    ids: FxHashMap<(RelationId, Box<[bool]>), ProcedureId>,
}

impl Code {
    /// The procedure of a predicate under a binding pattern; it is compiled when it is called first.
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
