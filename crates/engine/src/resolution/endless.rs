//! Telling a recursion without end from one that is only deep.

use super::code::{Code, ProcedureId};
use super::database::Database;
use super::machine::{Frame, Machine};
use crate::Stopped;
use crate::value::Value;
use ludolog_syntax::ast::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls within calls from which on they are searched for a loop, whenever their number has doubled.
pub const LOOP_CHECK: usize = 1024;

/// How many ancestors are looked at for a loop with every poll.
const NEAREST: usize = 64;

/// For a frame with many last calls, one of them, to be compared with those that follow.
pub type Milestones = FxHashMap<u32, (ProcedureId, Box<[Value]>)>;

impl Machine {
    /// The procedure and arguments of a frame, unless it is the goal's.
    fn call_of(&self, frame: u32, code: &Code) -> Option<(ProcedureId, &[Value])> {
        let Frame { base, procedure, .. } = self.frames[frame as usize];
        let arguments = code.procedures.get(procedure as usize)?.arguments();
        Some((procedure, &self.slots[base as usize..][..arguments]))
    }

    /// The present call and its ancestors, the nearest first.
    fn line<'a>(&'a self, code: &'a Code) -> impl Iterator<Item = (ProcedureId, &'a [Value])> {
        let parent = |&frame: &u32| (frame != 0).then(|| self.frames[frame as usize].parent);
        std::iter::successors(Some(self.frame), parent).filter_map(|frame| self.call_of(frame, code))
    }

    /// Stops if one call stands twice in the line of ancestors: what led from the one to the other will lead from there
    /// to the next, for ever.
    ///
    /// An endless line is periodic but for its beginning and for an end that may yet return. So sooner or later the
    /// call in the middle is one that comes again: it is compared with those above it. That is done whenever the stack has
    /// doubled and so costs a constant for each call, amortized.
    pub(super) fn find_loop(&self, code: &Code, database: &Database) -> Result<(), Stopped> {
        let middle = self.line(code).count() / 2;
        match self.line(code).nth(middle) {
            Some(call) if self.line(code).take(middle).any(|other| other == call) => {
                Err(self.looping(call, code, database))
            }
            _ => Ok(()),
        }
    }

    /// Stops if one call stands twice among the nearest ancestors: a search that branches may never get deep enough for
    /// [`find_loop`](Self::find_loop).
    pub(super) fn find_repeat(&self, code: &Code, database: &Database) -> Result<(), Stopped> {
        let mut seen = FxHashSet::default();
        match self.line(code).take(NEAREST).find(|&call| !seen.insert(call)) {
            Some(call) => Err(self.looping(call, code, database)),
            None => Ok(()),
        }
    }

    /// The same for a chain of last calls, which leave no ancestors: compares each with the one noted when their number
    /// was a power of two (Brent, *An improved Monte Carlo factorization algorithm*, 1980, section 2).
    pub(super) fn watch_last_calls(
        &mut self,
        last_calls: u32,
        procedure: ProcedureId,
        code: &Code,
        database: &Database,
    ) -> Result<(), Stopped> {
        let args = &self.slots[self.base..][..code.procedures[procedure as usize].arguments()];
        if last_calls.is_power_of_two() {
            self.milestones.insert(self.frame, (procedure, args.into()));
        } else if self.milestones.get(&self.frame).is_some_and(|(p, a)| *p == procedure && **a == *args) {
            return Err(self.looping((procedure, args), code, database));
        }
        Ok(())
    }

    fn looping(&self, (procedure, args): (ProcedureId, &[Value]), code: &Code, database: &Database) -> Stopped {
        let procedure = &code.procedures[procedure as usize];
        let (predicate, _) = database.relations.get_index(procedure.relation).expect("a called predicate is known");
        let mut args = args.iter();
        let terms = procedure.bound.iter().enumerate().map(|(i, &bound)| match bound {
            true => database.interner.term(*args.next().expect("each bound position has an argument")),
            false => Term::variable(&format!("x{}", i + 1)),
        });
        Stopped::Loop(Box::new(Atom::new(&predicate.name, terms.collect())))
    }
}
