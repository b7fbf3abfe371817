//! Engines: facts in, facts out.
//!
//! Every engine takes an [`OptimizedProgram`](ludolog_logic::optimize::OptimizedProgram) and answers through the one
//! contract [`Engine`]; the same program gives the same answers on all engines that can take it. Other rooms know
//! engines by their [`EngineDescription`]; most query through a [`Session`].
//!
//! From a program to its answers, type by type:
//!
//! ```text
//! StratifiedProgram ┐                                ┌─ solve ─→ Answers                            rows of terms
//! Case, Goal        ├─ prepare → Prepared ─ load → Engine
//! Setting           ┘                                └─ as_rows → Rows ─ solve_rows → Answers<Tuples>   rows of ids
//!
//! Session (program, Case, Setting, and the Engine of the last question)
//!   ├─ solve ───→ Solution   the Tuples of the answers, sorted, with an Interner of their own
//!   ├─ listing ─→ Listing    the Tuples of each predicate, sorted, some at a time, with the Interner of the engine
//!   └─ profile ─→ Profile    the Prepared that ran, with its costs
//! ```
//!
//! A [`Value`](value::Value) is the id of a term in an [`Interner`](value::Interner), and [`Tuples`] are rows of them, from which
//! `Solution` and `Listing` make terms when they are asked for.
//!
//! # Modules
//!
//! From the top to what all others use:
//!
//! * [`session`], [`profile`]: a program with a case, queried any number of times; where the time of a run goes.
//! * [`prepared`], [`registry`]: a program optimized for a case and an engine; the engines of this crate.
//! * [`resolution`], top-down: from the goal to the facts it needs, without memory.
//! * [`semi_naive`], bottom-up: from the facts to all their consequences.
//! * [`listing`]: facts in canonical order; [`refutation`]: why none holds; [`undefined`]: why one is neither true nor false.
//! * [`contract`]: the operations of every engine, those that some have, and what is known before one is loaded.
//! * [`term`]: terms with slots, compiled: match, build, compute, compare; [`aggregate`]: the values of aggregates, `float_sum`: exact
//!   sums of floats; [`tuples`]: rows of ids; [`ranks`]: the order of their terms as numbers.
//! * [`case`], [`costs`], [`derivation`]: facts and events; time and work; why a fact holds. `variables`: those of a clause,
//!   numbered.
//! * [`value`]: ground terms as 32-bit ids; [`value::number`]: integers that do not fit 64 bits.

pub mod aggregate;
pub mod case;
pub mod contract;
pub mod costs;
pub mod derivation;
pub mod explanation;
mod float_sum;
pub mod lattice;
pub mod listing;
pub mod prepared;
pub mod profile;
pub mod ranks;
pub mod refutation;
pub mod registry;
pub mod resolution;
pub mod semi_naive;
pub mod session;
pub mod term;
pub mod total_order;
pub mod tuples;
pub mod undefined;
pub mod value;
mod variables;

pub use case::{AtomSet, Case};
pub use contract::{
    Answers, Changes, Count, Engine, EngineDescription, Explain, HeldFacts, Load, Memory, Parallel, Profiled, Refused,
    Retract, Rows, Track, Work,
};
pub use costs::{Evaluation, PlanCost, StratumCost, SubgoalCost};
pub use derivation::{AggregatedTuples, Check, Derivation, Inference, Support};
pub use listing::{Listed, Listing};
pub use ludolog_syntax::budget::{Budget, Excess, Stopped};
pub use prepared::{Prepared, Setting, prepare};
pub use profile::{Phases, Profile};
pub use refutation::{Cause, Denial, FailedRule, HeldCondition, Reason, Refutation, Replacement};
pub use registry::ENGINES;
pub use resolution::RESOLUTION;
pub use semi_naive::SEMI_NAIVE;
pub use session::{Session, SessionError, Solution, WhyNot};
pub use tuples::Tuples;
pub use undefined::{UndefinedCycle, UndefinedStep};
