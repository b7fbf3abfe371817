//! The names that most programs need: `use ludolog::prelude::*`.

pub use ludolog_engine::{
    Budget, Case, Derivation, Engine, EngineDescription, Session, SessionError, Setting, Solution, Stopped,
};
pub use ludolog_logic::optimize::Optimization;
pub use ludolog_syntax::Syntax;
pub use ludolog_syntax::ast::{Atom, Predicate, Program, Term};
pub use ludolog_syntax::diagnostic::{Diagnostics, Sources};

#[cfg(feature = "hex")]
pub use ludolog_hex::solver::Solver;
#[cfg(feature = "hex")]
pub use ludolog_hex::{Board, Cell, Player, Position};
