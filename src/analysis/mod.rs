//! What must hold of a program before it may run; all violations are found, not the first only.
//!
//! * [`clause`]: the core form: disjunction and nested negation are gone, bodies are lists of literals.

pub mod clause;
