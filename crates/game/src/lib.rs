//! A program in the Game Description Language as a game: roles, states, moves.
//!
//! * [`contract`]: what every reasoner about a game answers, [`StateMachine`], and what follows from it.
//! * [`interpreted`]: the rulesheet run on an engine, state by state.
//! * [`error`]: why a game could not be asked.
//! * [`beginning`]: the same game from another of its states.
//! * [`canonical`]: states and moves as text, and their digests.
//! * [`grid`]: boards among the facts of states.
//! * [`scene`]: pictures of states.
//! * `program`: the part of a rulesheet that is run.
//!
//! ```
//! use ludolog_engine::Budget;
//! use ludolog_game::{Interpreted, StateMachine, StateMachineExt};
//! use ludolog_syntax::{Syntax, parse};
//!
//! let rules = "
//!     (role counter) (init (count 3))
//!     (less 3 2) (less 2 1) (less 1 0)
//!     (<= (legal counter count) (true (count ?n)))
//!     (<= (next (count ?k)) (does counter count) (true (count ?n)) (less ?n ?k))
//!     (<= terminal (true (count 0)))
//!     (<= (goal counter 100) terminal)";
//! let mut sources = ludolog_syntax::diagnostic::Sources::new();
//! let source = sources.add("count.kif", rules);
//! let program = parse(source, &sources, Syntax::Kif).into_result().expect("the rules parse");
//! let analyzed = ludolog_logic::analysis::analyze(&program).expect("the rules are sound");
//!
//! let mut game = Interpreted::new(&analyzed.stratified, Budget::unlimited())?;
//! let start = game.initial_state().clone();
//! let played = game.playout(&start, 100, |_, legal| legal[0])?;
//! assert_eq!((played.steps, played.goals), (3, vec![Some(100)]));
//! # Ok::<(), ludolog_game::GameError>(())
//! ```

pub mod beginning;
pub mod canonical;
pub mod contract;
mod draw;
pub mod error;
pub mod grid;
pub mod interpreted;
pub mod program;
pub mod scene;
#[cfg(feature = "digest")]
pub mod trace;

pub use contract::{
    Chooser, Goals, JointMove, JointMoves, LegalMoves, Move, Percept, Percepts, Playout, PlayoutEnd, PlayoutOutcome,
    Role, State, StateMachine, StateMachineExt,
};
pub use draw::Draw;
pub use error::GameError;
pub use interpreted::Interpreted;
