//! Hex: board, positions, the formulations of its win.
//!
//! * [`board`]: cells, their names and numbers, who is whose neighbor. Needs nothing.
//! * [`position`]: stones on a board; its text format, its facts, and who has won, by union-find.
//! * [`draw`]: a position for the terminal and as SVG.
//! * [`formulation`]: the rule texts that say who has won.
//! * [`random`]: random positions from a seed.

pub mod board;
pub mod draw;
pub mod formulation;
pub mod position;
pub mod random;

pub use board::{Board, Cell, Player};
pub use position::{Known, Position};
