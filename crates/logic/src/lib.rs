//! Programs as logic: what must hold of them before they run, and how they are made to run fast.
//!
//! * [`analysis`]: lowering to clauses; safety, arity, growth, strata, GDL's own rules; goals.
//! * [`optimize`]: named passes from program to program, their cost model and statistics.

pub mod analysis;
pub mod optimize;
