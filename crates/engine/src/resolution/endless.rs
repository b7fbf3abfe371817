//! Telling a recursion without end from one that is only deep.

use super::code::{Code, ProcedureId};
use super::database::Database;
use super::frame::Frame;
use crate::Stopped;
use crate::value::Value;
use ludolog_syntax::ast::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls within calls from which on they are searched for a loop, whenever their number has doubled.
pub const LOOP_CHECK: usize = 1024;

/// Ancestors that every poll searches for a loop.
const NEAREST: usize = 64;

/// A procedure with the arguments it is called with.
type Call<'a> = (ProcedureId, &'a [Value]);

/// The present call and its ancestors, as the machine lends them.
#[derive(Clone, Copy)]
pub struct Calls<'a> {
    pub frames: &'a [Frame],
    pub slots: &'a [Value],
    /// The present frame.
    pub frame: u32,
    pub code: &'a Code,
    pub database: &'a Database,
}

impl<'a> Calls<'a> {
    /// The procedure and arguments of a frame, unless it is the goal's.
    fn call_of(self, frame: u32) -> Option<Call<'a>> {
        let Frame { base, procedure, .. } = self.frames[frame as usize];
        let arguments = self.code.procedures.get(procedure as usize)?.arguments();
        Some((procedure, &self.slots[base as usize..][..arguments]))
    }

    /// The present call and its ancestors, the nearest first.
    fn line(self) -> impl Iterator<Item = Call<'a>> {
        let parent = move |&frame: &u32| (frame != 0).then(|| self.frames[frame as usize].parent);
        std::iter::successors(Some(self.frame), parent).filter_map(move |frame| self.call_of(frame))
    }

    /// Stops if one call stands twice in the line of ancestors: what led from the one to the other will lead from there
    /// to the next, for ever.
    ///
    /// An endless line is periodic but for its beginning and for an end that may yet return. So sooner or later the
    /// call in the middle is one that comes again: it is compared with those above it. That is done whenever the stack has
    /// doubled and so costs a constant for each call, amortized.
    pub fn find_loop(self) -> Result<(), Stopped> {
        let middle = self.line().count() / 2;
        match self.line().nth(middle) {
            Some(call) if self.line().take(middle).any(|other| other == call) => Err(self.looping(call)),
            _ => Ok(()),
        }
    }

    /// Stops if one call stands twice among the nearest ancestors: a search that branches may never get deep enough for
    /// [`find_loop`](Self::find_loop).
    pub fn find_repeat(self) -> Result<(), Stopped> {
        let mut seen = FxHashSet::default();
        match self.line().take(NEAREST).find(|&call| !seen.insert(call)) {
            Some(call) => Err(self.looping(call)),
            None => Ok(()),
        }
    }

    fn looping(self, (procedure, args): Call<'_>) -> Stopped {
        let procedure = &self.code.procedures[procedure as usize];
        let (predicate, _) =
            self.database.relations.get_index(procedure.relation).expect("a called predicate is known");
        let mut args = args.iter();
        let terms = procedure.bound.iter().enumerate().map(|(i, &bound)| match bound {
            true => self.database.interner.term(*args.next().expect("each bound position has an argument")),
            false => Term::variable(&format!("x{}", i + 1)),
        });
        Stopped::Loop(Box::new(Atom::new(&predicate.name, terms.collect())))
    }
}

/// Finds loops in chains of last calls, which leave no ancestors.
#[derive(Clone, Default)]
pub struct LoopDetector {
    /// For a frame with many last calls, one of them, to be compared with those that follow.
    milestones: FxHashMap<u32, (ProcedureId, Box<[Value]>)>,
}

impl LoopDetector {
    /// Forgets all calls.
    pub fn clear(&mut self) {
        self.milestones.clear();
    }

    /// Stops if the present call is the one noted when the number of last calls was a power of two (Brent, *An improved
    /// Monte Carlo factorization algorithm*, 1980, section 2).
    pub fn watch_last_calls(&mut self, last_calls: u32, calls: Calls<'_>) -> Result<(), Stopped> {
        let Some((procedure, args)) = calls.call_of(calls.frame) else { return Ok(()) };
        if last_calls.is_power_of_two() {
            self.milestones.insert(calls.frame, (procedure, args.into()));
        } else if self.milestones.get(&calls.frame).is_some_and(|(p, a)| *p == procedure && **a == *args) {
            return Err(calls.looping((procedure, args)));
        }
        Ok(())
    }
}
