//! The budget that every phase takes, from reading to printing: time, facts, memory, and interruption.
//!
//! A phase that can run long polls [`Budget::check`] every millisecond or so, where its steps are short by a [`Poll`],
//! and hands a [`Stopped`] to its caller. All that was found until then stays valid; whether it is kept is the caller's
//! decision.
//!
//! This crate reads no clock of its own: whoever sets a time limit hands in a [`Clock`]. The cargo feature `clock` adds
//! the operating system's.

use crate::ast::{Atom, Predicate, Term};
use crate::diagnostic::Span;
use crate::{Syntax, print_atom, print_term};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// A source of time.
pub trait Clock: Send + Sync {
    /// The time since some fixed moment. It never goes back.
    fn now(&self) -> Duration;
}

// In a browser time is the page's, which the standard library does not know.
#[cfg(all(feature = "clock", not(target_family = "wasm")))]
use std::time::Instant;
#[cfg(all(feature = "clock", target_family = "wasm"))]
use web_time::Instant;

/// The clock of the operating system; in a browser, that of the page.
#[cfg(feature = "clock")]
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

#[cfg(feature = "clock")]
impl Default for SystemClock {
    fn default() -> Self {
        SystemClock(Instant::now())
    }
}

#[cfg(feature = "clock")]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The processor time of the thread that reads it, which what else the machine does takes nothing of; in a browser, which
/// does not tell it, the time of the page.
#[cfg(feature = "clock")]
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadClock;

#[cfg(feature = "clock")]
impl Clock for ThreadClock {
    #[cfg(not(target_family = "wasm"))]
    fn now(&self) -> Duration {
        cpu_time::ThreadTime::now().as_duration()
    }

    #[cfg(target_family = "wasm")]
    fn now(&self) -> Duration {
        static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// The time since a moment, by the clock of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch<'b>(&'b Budget, Option<Duration>);

impl<'b> Stopwatch<'b> {
    /// Starts now.
    pub fn start(budget: &'b Budget) -> Self {
        Stopwatch(budget, budget.now())
    }

    /// The time since the start; zero without a clock.
    pub fn elapsed(&self) -> Duration {
        self.0.now().zip(self.1).map_or(Duration::ZERO, |(now, start)| now.saturating_sub(start))
    }
}

/// Looks at the budget between two questions for the memory of the process.
const LOOKS: u32 = 16;

/// The memory of the process, and how much of it there may be.
struct MemoryLimit {
    max: u64,
    resident: fn() -> Option<u64>,
    looks: AtomicU32,
}

impl MemoryLimit {
    fn check(&self) -> Result<(), Stopped> {
        let is_measured = self.looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKS);
        if is_measured && (self.resident)().is_some_and(|bytes| bytes > self.max) {
            return Err(Stopped::TooMuchMemory { max: self.max, largest: None });
        }
        Ok(())
    }
}

/// A limit of time by a clock of its own.
#[derive(Clone)]
struct Deadline {
    clock: Arc<dyn Clock>,
    at: Duration,
    time: Duration,
}

/// A limit of time by the clock of a budget.
#[derive(Clone, Copy)]
struct TimeLimit {
    at: Duration,
    /// The time that there was.
    time: Duration,
    /// The time of which that is the rest, as the user is told.
    told: Duration,
}

/// Work of something else that gets turns where a budget is checked. It is told the probes of the engine that checks, and returns whether
/// that engine's own work is wanted no more.
pub type Turns = Arc<dyn Fn(u64) -> bool + Send + Sync>;

/// When to stop. Clones share the clock, the deadline, the interrupt flag and the turns.
#[derive(Clone, Default)]
pub struct Budget {
    clock: Option<Arc<dyn Clock>>,
    deadline: Option<TimeLimit>,
    limit: Option<Deadline>,
    max_facts: Option<u64>,
    max_bytes: Option<u64>,
    memory: Option<Arc<MemoryLimit>>,
    max_probes: Option<u64>,
    interrupted: Option<Arc<AtomicBool>>,
    turns: Option<Turns>,
}

impl Budget {
    /// A budget without any limit.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Limits time to `timeout` from now, by the clock of the operating system.
    #[cfg(feature = "clock")]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        self.with_clock(Arc::new(SystemClock::default())).with_time(timeout)
    }

    /// Measures time by this clock.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        (self.clock, self.deadline) = (Some(clock), None);
        self
    }

    /// Limits time to `timeout` from now. Without a clock this is no limit.
    pub fn with_time(mut self, timeout: Duration) -> Self {
        let limit = |clock: &Arc<dyn Clock>| TimeLimit {
            at: clock.now().saturating_add(timeout),
            time: timeout,
            told: timeout,
        };
        self.deadline = self.clock.as_ref().map(limit);
        self
    }

    /// Limits time by a clock of its own, besides the limit that there may be: that of the user is by the clock on the
    /// wall, say, and this one by processor time. Renewed budgets keep it as it is.
    pub fn with_limit(mut self, clock: Arc<dyn Clock>, time: Duration) -> Self {
        self.limit = Some(Deadline { at: clock.now().saturating_add(time), clock, time });
        self
    }

    /// Limits the facts that an engine may hold (for resolution: the calls on its stack, and the answers).
    pub fn with_max_facts(mut self, max_facts: u64) -> Self {
        self.max_facts = Some(max_facts);
        self
    }

    /// Limits the memory that tables may take, in bytes.
    pub fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// Limits the memory of the process to `max` bytes, as `resident` measures it; where it cannot, this is no limit.
    pub fn with_max_memory(mut self, max: u64, resident: fn() -> Option<u64>) -> Self {
        self.memory = Some(Arc::new(MemoryLimit { max, resident, looks: AtomicU32::new(0) }));
        self
    }

    /// Limits the rows that an engine may match subgoals against, since it was loaded.
    pub fn with_max_probes(mut self, max_probes: u64) -> Self {
        self.max_probes = Some(max_probes);
        self
    }

    /// Stops as soon as `flag` is set (by Ctrl-C, say).
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupted = Some(flag);
        self
    }

    /// Gives turns to something else at each check of probes. The engine that checks stops as at its limit of probes when its work is
    /// wanted no more.
    pub fn with_turns(mut self, turns: Turns) -> Self {
        self.turns = Some(turns);
        self
    }

    /// The same budget without turns, for what runs beside the checks of an engine, or in them.
    pub fn without_turns(&self) -> Self {
        Budget { turns: None, ..self.clone() }
    }

    /// The same budget with its whole time ahead, for the next of several questions.
    pub fn renewed(&self) -> Self {
        let mut renewed = self.clone();
        renewed.renew();
        renewed
    }

    /// Makes this the [renewed](Self::renewed) budget, where a copy for each question would cost.
    pub fn renew(&mut self) {
        if let (Some(limit), Some(clock)) = (&mut self.deadline, &self.clock) {
            limit.at = clock.now().saturating_add(limit.time);
        }
    }

    /// Sets or lifts the limit of [`with_max_probes`](Self::with_max_probes).
    pub fn set_max_probes(&mut self, max_probes: Option<u64>) {
        self.max_probes = max_probes;
    }

    /// The same budget with the time that is left as its whole time, for several questions that share it.
    pub fn rest(&self) -> Self {
        self.part_of_rest(|left| left)
    }

    /// The same budget with a part of the time that is left as its whole time. Where it ends, the time of this one is told.
    pub fn part_of_rest(&self, part: impl FnOnce(Duration) -> Duration) -> Self {
        let mut rest = match self.time_left() {
            Some(left) => self.clone().with_time(part(left)),
            None => self.clone(),
        };
        if let (Some(limit), Some(whole)) = (&mut rest.deadline, self.deadline) {
            limit.told = whole.told;
        }
        rest
    }

    /// The most facts that may be held.
    pub fn max_facts(&self) -> Option<u64> {
        self.max_facts
    }

    /// The most rows that an engine may match subgoals against.
    pub fn max_probes(&self) -> Option<u64> {
        self.max_probes
    }

    /// The time by the clock, where there is one; differences are elapsed time.
    pub fn now(&self) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.now())
    }

    /// The time left, where time is limited.
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.deadline?.at.saturating_sub(self.now()?))
    }

    /// Checks time, interruption and, at each sixteenth call, the memory of the process.
    ///
    /// # Errors
    ///
    /// [`Stopped::Interrupted`], [`Stopped::Timeout`] or [`Stopped::TooMuchMemory`].
    pub fn check(&self) -> Result<(), Stopped> {
        if self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stopped::Interrupted);
        }
        match (self.deadline, &self.clock) {
            (Some(limit), Some(clock)) if clock.now() >= limit.at => return Err(Stopped::Timeout(limit.told)),
            _ => {}
        }
        match &self.limit {
            Some(limit) if limit.clock.now() >= limit.at => Err(Stopped::Timeout(limit.time)),
            _ => self.memory.as_ref().map_or(Ok(()), |memory| memory.check()),
        }
    }

    /// Checks all of the budget for a caller that holds `facts` facts.
    ///
    /// # Errors
    ///
    /// [`Stopped::TooManyFacts`], or as [`check`](Self::check).
    pub fn check_facts(&self, facts: u64) -> Result<(), Stopped> {
        match self.max_facts {
            Some(max) if facts > max => Err(Stopped::TooManyFacts(max)),
            _ => self.check(),
        }
    }

    /// Checks all of the budget for an engine that has matched subgoals against `probes` rows.
    ///
    /// # Errors
    ///
    /// [`Stopped::TooManyProbes`], or as [`check`](Self::check).
    pub fn check_probes(&self, probes: u64) -> Result<(), Stopped> {
        match self.max_probes {
            Some(max) if probes > max => return Err(Stopped::TooManyProbes(max)),
            _ => self.check()?,
        }
        match &self.turns {
            Some(turns) if turns(probes) => Err(Stopped::TooManyProbes(probes)),
            _ => Ok(()),
        }
    }

    /// Checks all of the budget for a caller whose tables take `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Stopped::TooMuchMemory`], or as [`check`](Self::check).
    pub fn check_bytes(&self, bytes: u64) -> Result<(), Stopped> {
        match self.max_bytes {
            Some(max) if bytes > max => Err(Stopped::TooMuchMemory { max, largest: None }),
            _ => self.check(),
        }
    }
}

/// Checks a budget once in so many steps, for loops whose steps are too short for a look at the clock.
#[derive(Debug)]
pub struct Poll<'b> {
    budget: &'b Budget,
    every: u32,
    left: u32,
}

impl<'b> Poll<'b> {
    /// Checks `budget` at the first step and then at every step after `every` others.
    pub fn new(budget: &'b Budget, every: u32) -> Self {
        Poll { budget, every, left: 0 }
    }

    /// Counts a step.
    ///
    /// # Errors
    ///
    /// As [`Budget::check`].
    #[inline]
    pub fn step(&mut self) -> Result<(), Stopped> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => {
                self.left = self.every;
                self.budget.check()?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("time", &self.deadline.map(|limit| limit.time))
            .field("limit", &self.limit.as_ref().map(|limit| limit.time))
            .field("max_facts", &self.max_facts)
            .field("max_bytes", &self.max_bytes)
            .field("max_probes", &self.max_probes)
            .finish_non_exhaustive()
    }
}

/// Why something stopped before it was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// Time is over; how much there was.
    Timeout(Duration),
    /// More facts than this would have to be held.
    TooManyFacts(u64),
    /// More bytes than `max` would have to be held.
    TooMuchMemory {
        /// The most bytes that may be held.
        max: u64,
        /// What takes most of them, in words, where it is known.
        largest: Option<String>,
    },
    /// Subgoals would have to be matched against more rows than this.
    TooManyProbes(u64),
    /// Somebody interrupted.
    Interrupted,
    /// Resolution: the goal calls itself again with the same arguments.
    Loop(Box<Atom>),
    /// Resolution: more calls within calls than the engine keeps.
    TooDeep(usize),
    /// A term exceeds what the engines take.
    TermTooLarge(Excess),
    /// The answer depends on an integer that does not fit 64 bits.
    Overflow(Box<Overflow>),
    /// An aggregate ranges over undefined facts, so that it has no value.
    Undecided(Box<Undecided>),
    /// A lattice column has no best value, since its values are not ordered.
    Unordered(Box<Unordered>),
    /// This relation, a part that was taken out of rules, has many more rows than what it is made of: the program with the rules as they were may be
    /// less work. An engine that goes on derives the same facts.
    Outgrown(Box<Predicate>),
    /// This predicate has many more or fewer facts than the program was planned for: another plan of what comes behind it may be less work. An
    /// engine that goes on derives the same facts.
    Misjudged(Box<Predicate>),
    /// The engine cannot run this program; the reason.
    Unsupported(String),
    /// An invariant of Ludolog does not hold: a fault of it, not of the program.
    Internal(String),
}

/// A computation whose result does not fit 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Overflow {
    /// The operation with the values of its operands, or the aggregate.
    pub operation: String,
    /// Its result.
    pub value: String,
    /// The rule that computes it, if it is known.
    pub rule: Option<String>,
    /// The place of the comparison or aggregate in the rule; [`Span::NONE`] if it stands in no text.
    pub span: Span,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, which does not fit 64 bits", self.operation, self.value)?;
        match &self.rule {
            Some(rule) => write!(f, ", in `{rule}`"),
            None => Ok(()),
        }
    }
}

/// An aggregate whose tuples are not decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    /// The predicate that has undefined facts.
    pub over: Predicate,
    /// The place of the aggregate; [`Span::NONE`] if it stands in no text.
    pub span: Span,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an aggregate ranges over undefined facts of `{}`, so that it has no value", self.over)
    }
}

/// A predicate that does not order the values of a lattice column.
#[derive(Clone, Debug, PartialEq)]
pub struct Unordered {
    /// The predicate.
    pub order: Predicate,
    /// The fault.
    pub fault: OrderFault,
    /// The place where the column names it; [`Span::NONE`] if it stands in no text.
    pub span: Span,
}

/// The reason why a predicate is no total order of values.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderFault {
    /// Each of the values is better than the next one, and the last better than the first.
    Cycle(Vec<Term>),
    /// Neither of two values is better than the other.
    Unrelated(Box<[Term; 2]>),
    /// A fact has a value that the order does not mention.
    Unmentioned {
        /// The fact.
        fact: Atom,
        /// Its value.
        value: Term,
    },
}

impl Unordered {
    /// What makes an order of it.
    pub fn way_out(&self) -> String {
        let order = &self.order.name;
        match &self.fault {
            OrderFault::Cycle(_) => format!("leave one of these facts of `{order}` out"),
            OrderFault::Unrelated(values) => {
                let [a, b] = values.each_ref().map(shown);
                format!("say `{order}({a}, {b})` or `{order}({b}, {a})`: of any two values one has to be better")
            }
            OrderFault::Unmentioned { value, .. } => {
                format!("say by `{order}` what `{}` is better than, or what is better than that", shown(value))
            }
        }
    }
}

fn shown(term: &Term) -> String {
    print_term(term, Syntax::Datalog)
}

/// Values of a cycle that are shown.
const SHOWN_OF_CYCLE: usize = 12;

impl fmt::Display for Unordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = &self.order;
        match &self.fault {
            OrderFault::Cycle(values) => {
                let first = values.first().filter(|_| values.len() <= SHOWN_OF_CYCLE).map(shown);
                let shown = values.iter().take(SHOWN_OF_CYCLE).map(shown).chain([first.unwrap_or("…".to_owned())]);
                let cycle: Vec<String> = shown.collect();
                write!(f, "`{order}` is no order, since a value is better than itself: {}", cycle.join(" → "))
            }
            OrderFault::Unrelated(values) => {
                let [a, b] = values.each_ref().map(shown);
                write!(f, "`{order}` does not say which of `{a}` and `{b}` is better")
            }
            OrderFault::Unmentioned { fact, .. } => {
                write!(f, "`{}` has a value that `{order}` does not mention", print_atom(fact, Syntax::Datalog))
            }
        }
    }
}

/// The limit that a term exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// Of its nesting.
    Depth(u32),
    /// Of its symbols and integers, each occurrence counted.
    Symbols(u32),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Depth(depth) => write!(f, "nests more than {depth} deep"),
            Excess::Symbols(symbols) => write!(f, "has more than {symbols} symbols"),
        }
    }
}

impl Stopped {
    /// Whether time is over or somebody interrupted: the caller wants no more work done.
    pub fn is_out_of_time(&self) -> bool {
        matches!(self, Stopped::Timeout(_) | Stopped::Interrupted)
    }

    /// Whether it is a limit of time or room, which says nothing of the program.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Stopped::Timeout(_) | Stopped::TooManyFacts(_) | Stopped::TooMuchMemory { .. } | Stopped::TooManyProbes(_)
        )
    }

    /// The same reason as an earlier stop knows it: memory that was short before is short for what took it then.
    pub fn as_known(self, earlier: Option<&Stopped>) -> Stopped {
        match (&self, earlier) {
            (Stopped::TooMuchMemory { largest: None, .. }, Some(known @ Stopped::TooMuchMemory { .. })) => {
                known.clone()
            }
            _ => self,
        }
    }

    /// Whether something has no value by its meaning, so that nothing that depends on it does.
    pub fn lacks_value(&self) -> bool {
        matches!(self, Stopped::Undecided(_) | Stopped::Unordered(_))
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Timeout(after) => write!(f, "did not finish in {} s", after.as_secs_f64()),
            Stopped::TooManyFacts(max) => write!(f, "stopped at the limit of {max} facts"),
            Stopped::TooMuchMemory { max, largest } => {
                write!(f, "stopped at the limit of {max} bytes")?;
                if let Some(short) = short_size(*max) {
                    write!(f, " ({short})")?;
                }
                match largest {
                    Some(largest) => write!(f, "; most are taken by {largest}"),
                    None => Ok(()),
                }
            }
            Stopped::TooManyProbes(max) => write!(f, "stopped at the limit of {max} probes"),
            Stopped::Interrupted => write!(f, "interrupted"),
            Stopped::Loop(goal) => {
                let name = &goal.predicate;
                let arity = goal.args.len();
                write!(f, "the goal `{name}/{arity}` calls itself again with the same arguments")
            }
            Stopped::TooDeep(depth) => write!(f, "calls are nested more than {depth} deep"),
            Stopped::TermTooLarge(excess) => write!(f, "a term (or list) {excess}"),
            Stopped::Overflow(overflow) => write!(f, "{overflow}"),
            Stopped::Undecided(undecided) => write!(f, "{undecided}"),
            Stopped::Unordered(unordered) => write!(f, "{unordered}"),
            Stopped::Outgrown(part) => write!(f, "`{part}` has many more rows than what it is made of"),
            Stopped::Misjudged(predicate) => write!(f, "`{predicate}` has not as many facts as expected"),
            Stopped::Unsupported(reason) => write!(f, "{reason}"),
            Stopped::Internal(fault) => write!(f, "internal error: {fault}"),
        }
    }
}

impl std::error::Error for Stopped {}

/// Least number of units from which a size is no shorter in them.
const LONG_SIZE: u64 = 10_000;

/// A number of bytes as users give it, as in `300M`; `None` if that says no less than the number.
fn short_size(bytes: u64) -> Option<String> {
    let units = [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')].into_iter();
    let mut sizes = units.map(|(bits, unit)| (bytes >> bits, bytes.trailing_zeros() >= bits, unit));
    let (count, _, unit) = sizes.find(|(count, is_whole, _)| *count > 0 && *is_whole)?;
    (count < LONG_SIZE).then(|| format!("{count}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// A clock that a test sets, in seconds.
    #[derive(Default)]
    struct HandClock(AtomicU64);

    impl Clock for HandClock {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn time_is_over_at_the_deadline_and_a_renewed_budget_has_all_of_it() {
        let clock = Arc::new(HandClock::default());
        let budget = Budget::unlimited().with_clock(clock.clone()).with_time(Duration::from_secs(5));
        clock.0.store(4, Ordering::Relaxed);
        assert_eq!((budget.check(), budget.time_left()), (Ok(()), Some(Duration::from_secs(1))));
        clock.0.store(5, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Stopped::Timeout(Duration::from_secs(5))));
        assert_eq!(budget.renewed().time_left(), Some(Duration::from_secs(5)));
    }

    #[test]
    fn a_part_of_a_budget_tells_the_time_of_the_whole() {
        let clock = Arc::new(HandClock::default());
        let budget = Budget::unlimited().with_clock(clock.clone()).with_time(Duration::from_secs(9));
        clock.0.store(1, Ordering::Relaxed);
        let part = budget.part_of_rest(|left| left / 2).rest();
        assert_eq!(part.time_left(), Some(Duration::from_secs(4)));
        clock.0.store(5, Ordering::Relaxed);
        assert_eq!((part.check(), budget.check()), (Err(Stopped::Timeout(Duration::from_secs(9))), Ok(())));
    }

    #[test]
    fn a_limit_by_a_clock_of_its_own_ends_the_budget_too() {
        let wall = Arc::new(HandClock::default());
        let work = Arc::new(HandClock::default());
        let budget = Budget::unlimited().with_clock(wall.clone()).with_time(Duration::from_secs(5));
        let budget = budget.with_limit(work.clone(), Duration::from_secs(2));
        wall.0.store(4, Ordering::Relaxed);
        work.0.store(1, Ordering::Relaxed);
        assert_eq!((budget.check(), budget.time_left()), (Ok(()), Some(Duration::from_secs(1))));
        work.0.store(2, Ordering::Relaxed);
        assert_eq!(budget.renewed().check(), Err(Stopped::Timeout(Duration::from_secs(2))));
        wall.0.store(5, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Stopped::Timeout(Duration::from_secs(5))));
    }

    #[test]
    fn facts_and_bytes_may_reach_their_limit() {
        let budget = Budget::unlimited().with_max_facts(3).with_max_bytes(10);
        assert_eq!((budget.check_facts(3), budget.check_bytes(10)), (Ok(()), Ok(())));
        assert_eq!(budget.check_facts(4), Err(Stopped::TooManyFacts(3)));
        assert_eq!(budget.check_bytes(11), Err(Stopped::TooMuchMemory { max: 10, largest: None }));
    }

    #[test]
    fn memory_is_measured_at_the_first_look_and_each_sixteenth() {
        let budget = Budget::unlimited().with_max_memory(10, || Some(11));
        let too_much = Err(Stopped::TooMuchMemory { max: 10, largest: None });
        let looks: Vec<bool> = (0..33).map(|_| budget.check() == too_much).collect();
        assert_eq!((0..33).filter(|&look| looks[look]).collect::<Vec<_>>(), [0, 16, 32]);
        assert_eq!(Budget::unlimited().with_max_memory(10, || Some(10)).check(), Ok(()));
        assert_eq!(Budget::unlimited().with_max_memory(10, || None).check(), Ok(()));
    }

    #[test]
    fn a_poll_checks_the_first_step_and_every_fourth() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let mut poll = Poll::new(&budget, 3);
        assert_eq!(poll.step(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        let steps = [poll.step(), poll.step(), poll.step(), poll.step()];
        assert_eq!(steps, [Ok(()), Ok(()), Ok(()), Err(Stopped::Interrupted)]);
    }

    #[test]
    fn a_flag_interrupts_every_clone() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let clone = budget.clone();
        flag.store(true, Ordering::Relaxed);
        assert_eq!(clone.check(), Err(Stopped::Interrupted));
    }
}
