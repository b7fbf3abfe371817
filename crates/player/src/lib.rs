//! General game players: they get a rulesheet, think within clocks, and play.
//!
//! * [`game`]: what answers for a game, its net or its rules.
//! * [`player`]: the contract of players.
//! * [`registry`]: the players there are, by name.
//! * [`simple`]: the first legal move, and a random one.
//! * [`alpha_beta`]: minimax search for two players.
//! * [`mcts`]: tree search by playouts, for any number of players.
//! * [`matches`]: matches between players, and their records.

pub mod alpha_beta;
pub mod game;
pub mod matches;
pub mod mcts;
pub mod player;
pub mod registry;
pub mod simple;

pub use alpha_beta::AlphaBeta;
pub use game::{Game, Rules};
pub use matches::{Clocks, Local, Match, Record, Seat};
pub use mcts::Mcts;
pub use player::{Choice, Player, Report};
pub use registry::{Options, PLAYERS, PlayerKind};
