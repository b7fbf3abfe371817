//! Game managers and general game players, near and far.
//!
//! * [`message`]: what they say to each other, as texts.

pub mod message;

pub use message::{Made, Malformed, Message, Refusal, Reply};
