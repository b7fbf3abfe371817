//! Limits on what can run long, and how a stop is told.

use ludolog_syntax::ast::Atom;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to stop. Engines poll [`check`](Limits::check) every thousand steps or so.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    deadline: Option<(Instant, Duration)>,
    /// Most facts an engine may hold (for resolution: proved heads on its stack).
    pub max_facts: Option<u64>,
    interrupted: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// No limit at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// Stop `timeout` from now.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.deadline = Instant::now().checked_add(timeout).map(|at| (at, timeout));
        self
    }

    pub fn with_max_facts(mut self, max_facts: u64) -> Self {
        self.max_facts = Some(max_facts);
        self
    }

    /// Stop as soon as `flag` is set (by Ctrl-C, say).
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupted = Some(flag);
        self
    }

    /// Whether time is over or somebody interrupted; `facts` are how many the caller holds.
    pub fn check(&self, facts: u64) -> Result<(), Stopped> {
        if self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stopped::Interrupted);
        }
        if let Some(max) = self.max_facts
            && facts > max
        {
            return Err(Stopped::TooManyFacts(max));
        }
        match self.deadline {
            Some((at, timeout)) if Instant::now() >= at => Err(Stopped::Timeout(timeout)),
            _ => Ok(()),
        }
    }
}

/// Why an engine stopped before it was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    Timeout(Duration),
    TooManyFacts(u64),
    Interrupted,
    /// Resolution: the goal calls itself again with the same arguments.
    Loop(Box<Atom>),
    /// Resolution: more calls within calls than the engine keeps.
    TooDeep(usize),
    /// A term nests deeper than the engines take.
    TermTooDeep,
    /// The engine cannot run this program; the reason.
    Unsupported(String),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Timeout(after) => write!(f, "did not finish in {} s", after.as_secs_f64()),
            Stopped::TooManyFacts(max) => write!(f, "stopped at the limit of {max} facts"),
            Stopped::Interrupted => write!(f, "interrupted"),
            Stopped::Loop(goal) => {
                write!(
                    f,
                    "the goal `{}/{}` calls itself again with the same arguments",
                    goal.predicate,
                    goal.args.len()
                )
            }
            Stopped::TooDeep(depth) => write!(f, "calls are nested more than {depth} deep"),
            Stopped::TermTooDeep => {
                write!(f, "a term (or list) nests more than {} deep", super::value::MAX_DEPTH)
            }
            Stopped::Unsupported(reason) => write!(f, "{reason}"),
        }
    }
}

impl std::error::Error for Stopped {}
