//! Hex: positions, virtual connections, evaluations, solver, certificates and a player.
//!
//! * [`board`]: cells, their names and numbers, and neighbors.
//! * [`cells`]: sets of cells as bits.
//! * [`hexagon`]: boards of hexagons, of which the rhombus is one.
//! * [`position`]: stones on a board; its text format, its facts, and the winner, by union-find.
//! * [`draw`]: a position for the terminal and as SVG.
//! * [`notation`]: game records in SGF and as HexWorld links.
//! * [`player`]: choosing a move.
//! * [`htp`]: the protocol of HexGui.
//! * [`duel`]: games of two programs over that protocol.
//! * [`random`]: random positions from a seed.
//! * [`connection`]: virtual connections by the AND and OR rules.
//! * [`template`]: connections of a cell to an edge, proved beforehand.
//! * [`inferior`]: dead, captured, dominated and vulnerable cells.
//! * [`survey`]: must-play regions and inferior cells in words.
//! * [`solver`]: the winner under best play.
//! * [`certificate`]: proofs that a player wins, and their check.
//! * [`evaluation`]: evaluations without search.

pub mod board;
pub mod cells;
pub mod certificate;
pub mod connection;
pub mod draw;
pub mod duel;
mod envelope;
pub mod evaluation;
pub mod hexagon;
pub mod htp;
pub mod inferior;
pub mod notation;
pub mod player;
pub mod position;
pub mod random;
pub mod solver;
pub mod survey;
pub mod template;
#[cfg(test)]
mod triangle;

pub use board::{Board, Cell, Player};
pub use cells::CellSet;
pub use position::{HeaderClaim, Position};
