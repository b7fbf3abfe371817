//! Ludolog: game rules as logic.

pub mod files;

pub use ludolog_bench as bench;
pub use ludolog_engine as engine;
pub use ludolog_formulation as formulation;
pub use ludolog_formulation::pipeline;
pub use ludolog_game as game;
pub use ludolog_hex as hex;
pub use ludolog_logic::{analysis, optimize};
pub use ludolog_syntax as syntax;
pub use ludolog_syntax::diagnostic;
