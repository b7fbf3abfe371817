//! The checks that a program must pass before it may run; all violations are found, not the first only.
//!
//! ```text
//! Program ─lower→ clauses ─safety→ safe clauses ─arity, gdl, growth→ CheckedProgram ─strata→ StratifiedProgram
//! ```
//!
//! * [`clause`]: the core form: disjunction and nested negation are gone, bodies are lists of literals.
//! * [`body`]: conjunctions whose order is safe by construction.
//! * `analyze`: all checks, one after the other; `report`: the wording and order of what they report.
//! * `lower`: from formulas as written to clauses; `formula`: their variables and places.
//! * `built_in`: conditions that mean something by their names; [`pattern`]: regular expressions.
//! * `safety`: every variable is bound before it is needed, or which are not; `alternatives`: those that some alternatives bind.
//! * `arity`: one predicate, one arity.
//! * `graph`: which predicate depends on which.
//! * `growth`: recursion that builds ever larger terms.
//! * `kinds`: the kinds of the values that columns and variables may have.
//! * `types`: types that a program declares of its columns.
//! * `lattice`: columns that keep the best value, also in recursion.
//! * `choice`: rules that choose one of several bindings.
//! * `strata`: no recursion through negation, or none once `specialize` has split predicates by their constants.
//! * [`well_founded`]: programs whose negation goes through recursion, rewritten to stratified ones and an operator.
//! * `gdl`: the rules of the Game Description Language, for programs that have roles.
//! * `names`: predicates that nothing defines, and the names that were probably meant.
//! * `elsewhere`: what other languages write in the place of a condition, by its name.
//! * `lint`: what is allowed and probably not meant.
//! * `goal`: goals against an analyzed program.

mod alternatives;
mod analyze;
mod arity;
pub mod body;
mod built_in;
mod choice;
pub mod clause;
mod elsewhere;
mod formula;
mod gdl;
mod given;
mod goal;
mod graph;
mod growth;
mod kinds;
mod lattice;
mod lint;
mod lower;
mod names;
pub mod pattern;
mod report;
mod safety;
mod specialize;
mod strata;
mod types;
pub mod well_founded;

pub use analyze::{Analyzed, analyze, analyze_within};
pub use arity::Arities;
pub use formula::fresh_variable;
pub use gdl::{has_roles, hides, is_random, unproduced};
pub use given::GivenColumns;
pub use goal::goal;
pub use kinds::{ColumnKinds, Kinds, VariableKinds};
pub use lint::{depends_on_kinds, lint, lint_answers, lint_goal, lint_symbols};
pub use names::{NamesBySize, Undefined, check_known, definable, unread};
pub use specialize::{split_of, split_predicates};
pub use strata::{cheapest_first, restratify, well_founded_notes, with_facts, with_split_facts};
pub use types::{TypeStatements, check_facts};
