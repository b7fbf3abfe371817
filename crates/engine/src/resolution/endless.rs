//! Loop detection: distinguishes endless recursion from deep recursion.
//!
//! Procedures have no side effects, so a call that repeats one of its callers, with the same arguments, never
//! terminates.

use super::code::{ClauseCode, ProcedureId};
use super::database::Database;
use super::frame::CallFrame;
use crate::value::Value;
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::budget::Stopped;
use rustc_hash::{FxHashMap, FxHashSet};

/// The depth of calls at which they are first searched for a loop; the depth doubles from search to search.
pub const LOOP_CHECK: usize = 1024;

/// The number of ancestors that each poll searches for a loop: enough for mutual recursion through a few predicates, at
/// a cost that does not show.
const NEAREST: usize = 64;

/// A procedure with the arguments it is called with.
type Call<'a> = (ProcedureId, &'a [Value]);

/// The current call and its ancestors, as a view of the machine.
#[derive(Clone, Copy)]
pub struct CallChain<'a> {
    pub frames: &'a [CallFrame],
    pub slots: &'a [Value],
    /// The current frame.
    pub frame: u32,
    pub code: &'a ClauseCode,
    pub database: &'a Database,
}

impl<'a> CallChain<'a> {
    /// The procedure and arguments of a frame; `None` for the frame of the goal.
    fn call_of(self, frame: u32) -> Option<Call<'a>> {
        let CallFrame { base, procedure, .. } = self.frames[frame as usize];
        let arguments = self.code.procedures.get(procedure as usize)?.arguments();
        Some((procedure, &self.slots[base as usize..][..arguments]))
    }

    /// The current call and its ancestors, the nearest first.
    fn line(self) -> impl Iterator<Item = Call<'a>> {
        let parent = move |&frame: &u32| (frame != 0).then(|| self.frames[frame as usize].parent);
        std::iter::successors(Some(self.frame), parent).filter_map(move |frame| self.call_of(frame))
    }

    /// Stops if the middle one of the current calls repeats among the more recent ones.
    ///
    /// An endless line of calls is periodic, except for its beginning and for recent calls that may still return. So at
    /// some depth the middle call is in the periodic part, and repeats. Searching whenever the depth has doubled takes
    /// amortized constant time per call.
    pub fn find_loop(self) -> Result<(), Stopped> {
        let middle = self.line().count() / 2;
        match self.line().nth(middle) {
            Some(call) if self.line().take(middle).any(|other| other == call) => Err(self.looping(call)),
            _ => Ok(()),
        }
    }

    /// Stops if a call repeats among the nearest ancestors. A search that branches may never get deep enough for
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
        let terms = procedure.bound.iter().enumerate().map(|(i, &bound)| {
            if bound {
                self.database.interner.term(*args.next().expect("each bound position has an argument"))
            } else {
                Term::variable(&format!("x{}", i + 1))
            }
        });
        Stopped::Loop(Box::new(Atom::new(&predicate.name, terms.collect())))
    }
}

/// Detects loops in chains of last calls, which have no ancestors on the stack.
#[derive(Clone, Default)]
pub struct LoopDetector {
    /// By frame: the last call that later ones are compared with.
    milestones: FxHashMap<u32, (ProcedureId, Box<[Value]>)>,
}

impl LoopDetector {
    /// Forgets all calls.
    pub fn clear(&mut self) {
        self.milestones.clear();
    }

    /// Stops if the current call equals the one recorded when the number of last calls was a power of two (Brent, *An
    /// improved Monte Carlo factorization algorithm*, 1980, section 2).
    pub fn watch_last_calls(&mut self, last_calls: u32, calls: CallChain<'_>) -> Result<(), Stopped> {
        let Some((procedure, args)) = calls.call_of(calls.frame) else { return Ok(()) };
        if last_calls.is_power_of_two() {
            self.milestones.insert(calls.frame, (procedure, args.into()));
        } else if self.milestones.get(&calls.frame).is_some_and(|(p, a)| *p == procedure && **a == *args) {
            return Err(calls.looping((procedure, args)));
        }
        Ok(())
    }
}
