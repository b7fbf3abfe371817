//! Ludolog: game rules as logic.

pub mod analysis;
pub mod bench;
pub mod cli;
pub mod diagnostic;
pub mod engine;
pub mod game;
pub mod hex;
pub mod optimize;
pub mod pipeline;
pub mod snapshot;
pub mod syntax;
