//! Engines: facts in, facts out.
//!
//! Every engine takes an [`OptimizedProgram`](ludolog_logic::optimize::OptimizedProgram) and answers through the one
//! contract [`Engine`]; the same program gives the same answers on all engines that can take it. Other rooms know
//! engines by their [`EngineDescription`]; most query through a [`Session`].
//!
//! * [`contract`]: the operations of every engine, those that some have, and what is known before one is loaded.
//! * [`registry`]: the engines of this crate.
//! * [`resolution`], top-down: from the goal to the facts it needs, without memory.
//! * [`semi_naive`], bottom-up: from the facts to all their consequences.
//! * [`aggregate`]: the values of aggregates, as engines share them.
//! * [`case`], [`prepared`], [`session`]: a program with a case, optimized, loaded, and queried any number of times.
//! * [`listing`]: facts in canonical order, as rows of ids; [`tuples`]: such rows.
//! * [`costs`]: the time and the work of an evaluation; [`profile`]: those of a run.
//! * [`derivation`]: why a fact holds; [`refutation`]: why none does.
//! * [`value`]: ground terms as 32-bit ids; [`value::number`]: integers that do not fit 64 bits.
//! * [`term`]: terms with slots, compiled: match, build, compute, compare; `variables`: the variables of a clause, numbered.

pub mod aggregate;
pub mod case;
pub mod contract;
pub mod costs;
pub mod derivation;
pub mod listing;
pub mod prepared;
pub mod profile;
pub mod refutation;
pub mod registry;
pub mod resolution;
pub mod semi_naive;
pub mod session;
pub mod term;
pub mod tuples;
pub mod undefined;
pub mod value;
mod variables;

pub use case::{AtomSet, Case};
pub use contract::{
    AnswerRows, Answers, Changes, Count, Engine, EngineDescription, Explain, Load, Measure, Memory, Parallel, Refused,
    Retract, Rows, Track, Work,
};
pub use costs::{Evaluation, PlanCost, StratumCost, SubgoalCost};
pub use derivation::{AggregatedTuples, Check, Derivation, Inference, Support};
pub use listing::{Listed, Listing};
pub use ludolog_syntax::budget::{Budget, Excess, Stopped};
pub use prepared::{Prepared, Setting, prepare};
pub use profile::{Phases, Profile};
pub use refutation::{Cause, Denial, FailedRule, Reason, Refutation};
pub use registry::ENGINES;
pub use resolution::RESOLUTION;
pub use semi_naive::SEMI_NAIVE;
pub use session::{Session, SessionError, Solution};
pub use tuples::Tuples;
pub use undefined::{UndefinedCycle, UndefinedStep};
