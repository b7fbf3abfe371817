//! The time and the work of an evaluation, by stratum, rule and subgoal.
//!
//! Time is read around phases and around runs of plans, never around rows, from the clock of the budget; without a clock all
//! times are zero. Work is counted by subgoal, in a machine compiled for it, so that a run without a profile pays nothing.
//! A run of a plan joins one rule once: in the first round over all rows, in each other round from the new rows of one subgoal.

use ludolog_syntax::ast::Predicate;
use ludolog_syntax::budget::Budget;
use std::time::Duration;

/// The costs of an evaluation since the engine was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// The strata with rules, in evaluation order.
    pub strata: Vec<StratumCost>,
    /// The plans that ran, in the order of their first run.
    pub plans: Vec<PlanCost>,
}

/// The cost of a stratum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StratumCost {
    /// The predicates that it derives.
    pub predicates: Vec<Predicate>,
    /// The numbers of its rules in the optimized program.
    pub rules: Vec<usize>,
    /// Rounds in which a plan ran, of all updates.
    pub rounds: u64,
    /// The whole time, of its plans and of what is between them.
    pub time: Duration,
    /// The time in which a closure took the place of the rules.
    pub closure: Duration,
    /// Facts of its predicates at the end, given ones included.
    pub facts: u64,
}

/// Owner of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The rule of this number in the optimized program.
    Rule(usize),
    /// The transition rule of this number.
    Transition(usize),
    /// The goal.
    Goal,
}

/// The cost of a body joined in one way: over all rows, or from the new rows of one subgoal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanCost {
    /// The rule, or the goal.
    pub part: Part,
    /// The subgoal whose new rows it starts from; `None` if it joins all rows.
    pub delta: Option<usize>,
    /// The number of its runs.
    pub runs: u64,
    /// The time of all runs, with bringing indices up to date.
    pub time: Duration,
    /// The part of `time` in which indices were brought up to date.
    pub indexing: Duration,
    /// The time to compile the plan, also again when sizes have changed, with the indices by which it chooses; not in `time`.
    pub planning: Duration,
    /// Rows that subgoals were matched against.
    pub probes: u64,
    /// Heads found that were facts before.
    pub duplicates: u64,
    /// New facts; for a goal, its answers.
    pub derived: u64,
    /// The subgoals in the order of the last run.
    pub order: Vec<usize>,
    /// The subgoals that a sorted index has answered, each while it looked up the rows of the subgoal of the second number.
    pub answered: Vec<(usize, usize)>,
    /// The costs by subgoal, in the order of the body.
    pub subgoals: Vec<SubgoalCost>,
}

/// The cost of a subgoal within a plan.
///
/// Of several subgoals that could bind the same variables, the one with the fewest rows is enumerated each time; the rows count
/// to the first of them in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubgoalCost {
    /// Bindings of the subgoals before it that came to it.
    pub entered: u64,
    /// Rows that it was matched against.
    pub probes: u64,
    /// Bindings that it passed on.
    pub matched: u64,
}

/// The time by the clock of a budget, zero without a clock.
pub(crate) fn now(budget: &Budget) -> Duration {
    budget.now().unwrap_or_default()
}
