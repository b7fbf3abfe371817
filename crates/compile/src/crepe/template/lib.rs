//! A rule program, compiled. `run` takes the given facts and returns the derived ones.

pub mod program;
pub mod tables;
pub mod term;

pub use program::{Inputs, Outputs, run};
