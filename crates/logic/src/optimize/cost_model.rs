//! The cost model of an engine: all that the optimizer knows of the engine that will run a program.

/// The properties of an engine that decide costs and passes, as the engine hands them to the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostModel {
    /// The name of the evaluation in plans and in remarks of passes.
    pub name: &'static str,
    /// Whether a predicate with rules is derived again at each call, for the arguments bound there (top-down), and not once and
    /// as a whole, to be looked up (bottom-up). An engine that calls follows a left recursion forever.
    pub calls: bool,
    /// Whether recursion goes on from the rows that the round before has found. `false` for an engine that [calls](Self::calls).
    pub rounds: bool,
    /// Whether a [closure](super::Closure) is run as one, and not by its rules.
    pub closures: bool,
    /// Whether comparisons that [bound](super::bounds) a column are answered by a sorted index.
    pub ranges: bool,
    /// Whether one proof of a head suffices: once the head is bound, what is left of a body ends at its first match.
    pub proves_once: bool,
    /// The time that a unit of work, a probe or a derived fact, takes on common hardware, in nanoseconds: to compare the work of
    /// different engines.
    pub work_nanoseconds: u64,
}
