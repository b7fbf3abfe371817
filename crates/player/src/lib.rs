//! General game players: they get a rulesheet, think within clocks, and play.
//!
//! * [`game`]: what answers for a game, its net or its rules.
//! * [`player`]: the contract of players.
//! * [`registry`]: the players there are, by name.
//! * [`simple`]: the first legal move, and a random one.
//! * [`alpha_beta`]: minimax search for two players. [`judge`]: what it takes a state to be worth, learned.
//! * [`one_player`]: a line to the best goal of a game for one.
//! * [`zermelo`]: the labelled tree of a small game.
//! * [`mcts`]: tree search by playouts, for any number of players.
//! * [`hidden`]: games that hide their states, and games of chance.
//! * [`analysis`]: matches looked at again by a longer search.
//! * [`openings`]: states from which a series of matches begins.
//! * [`perfect`]: perfect play by the database of a solved game.
//! * [`auto`]: the one of these that the game asks for.
//! * [`mod@matches`]: matches between players, and their records.
//! * [`trial`]: random playouts that look for faults of a rulesheet.

pub mod alpha_beta;
pub mod analysis;
pub mod auto;
pub mod game;
pub mod hidden;
pub mod judge;
pub mod matches;
pub mod mcts;
pub mod one_player;
pub mod openings;
pub mod perfect;
pub mod player;
pub mod registry;
pub mod score;
pub mod simple;
pub mod trial;
pub mod zermelo;

pub use alpha_beta::AlphaBeta;
pub use auto::Auto;
pub use game::{Game, GameReasoner};
pub use hidden::Cfr;
pub use hidden::belief::Observation;
pub use matches::{Clocks, Local, Match, MatchRecord, Seat};
pub use mcts::Mcts;
pub use one_player::OnePlayer;
pub use openings::Opening;
pub use perfect::Perfect;
pub use player::{Choice, Player, SearchReport, SearchTimes};
pub use registry::{Options, PLAYERS, PlayerKind};
pub use zermelo::{GameTree, Zermelo};
