//! Rule texts: two surfaces, one abstract syntax, convertible both ways without loss.
//!
//! * [`ast`]: the abstract syntax.

pub mod ast;
