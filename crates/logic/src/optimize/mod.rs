//! From program to program: named passes that can be switched off, printed and read.
//!
//! [`optimize`] is the whole story: it runs the selected passes and says of each what it changed and what it expects
//! to gain. Besides the program it takes the goal, the engine ([`CostModel`]), what changes with the case at hand
//! ([`Inputs`]), and the budget.
//!
//! * [`pipeline`]: the passes, one after the other; the report of a step.
//! * [`selection`]: the list of passes, and the selections users ask for.
//! * [`pass`]: the interface of a pass; [`change`]: the changes that it reports; [`program`]: its result.
//! * [`check`]: what must hold of a pass's result.
//! * [`inputs`]: the predicates that change with the case at hand.
//! * [`cost_model`]: what decides costs on an engine, as the engine says.
//! * `samples`, [`statistics`], [`universes`], [`selectivity`], [`cost`]: sizes of relations, how many values their columns have, the
//!   shares that tests let through, and the expected cost of an order of subgoals on an engine.
//! * [`binding`]: the variables that a literal needs bound.
//! * [`prune`]: subgoals and rules that the others imply go.
//! * [`ground`]: rules that do not depend on the inputs become facts.
//! * [`closure`]: a transitive or equivalence closure is told to the engine as one.
//! * [`demand`]: only facts that the goal asks for are derived (magic sets).
//! * [`groups`]: the tuples of an aggregate are derived for the groups that occur.
//! * [`keys`]: a subgoal that others meet where both compute the same value is derived with this value.
//! * [`split`]: a part of a body of which few variables are needed further is derived on its own; [`parts`]: such parts, and whether they pay.
//! * [`reorder`]: the cheapest safe order of every body; [`round`]: its order in a round of semi-naive evaluation.
//! * [`sums`]: sums that are solved where an order knows their result first.
//! * [`bounds`]: the comparisons that bound a column of a subgoal, for engines with sorted indices.
//! * [`explain`], [`text`]: plans for people to read.
//!
//! [`Optimization::Auto`] runs each pass where the cost model expects it to pay; each pass says when that is.

pub mod binding;
pub mod bounds;
pub mod change;
pub mod check;
pub mod closure;
pub mod cost;
pub mod cost_model;
pub mod demand;
pub mod expected;
pub mod explain;
pub mod ground;
pub mod groups;
pub mod inputs;
pub mod keys;
pub mod parts;
pub mod pass;
pub mod pipeline;
pub mod program;
pub mod prune;
pub mod reorder;
pub mod round;
mod samples;
pub mod selection;
pub mod selectivity;
pub mod split;
pub mod statistics;
pub mod sums;
#[cfg(test)]
mod testing;
pub mod text;
pub mod universes;

pub use change::{ProgramChange, ProgramPart};
pub use closure::Closures;
pub use cost::Model;
pub use cost_model::CostModel;
pub use demand::Demand;
pub use expected::{Expectations, ExpectedSize, expect_sizes};
pub use ground::Grounding;
pub use groups::Groups;
pub use inputs::{CountedSample, Inputs};
pub use keys::Keys;
pub use pass::{Evaluate, Grounder, Pass};
pub use pipeline::{BrokenPass, MAX_FACTS, Optimized, PassRun, PassSettings, Unoptimized, optimize};
pub use program::{Closure, OptimizedProgram};
pub use prune::Pruning;
pub use reorder::Reordering;
pub use selection::{Optimization, PASSES};
pub use split::Split;
