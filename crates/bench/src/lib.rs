//! Benchmarks: what each wording of a question costs, under which optimization, on which engine.
//!
//! A *cell* is formulation × optimization × engine × position. Every cell is first run once and its answer held against
//! the known one; only then is anything measured, so that no table ever compares programs that say different things.
//! Times are noisy and ratios in one run are not: a cell has a median with its spread and its number of samples, the
//! work counted by the engine beside it (the same on every machine), and its runtime savings factor among the
//! optimizations of the same formulation. A cell that hits its limit did not finish, and has no time at all.
//!
//! * [`hex`]: who has won, in all wordings; growth with the board; the moves of a game.
//! * [`datalog`]: generic recursive programs, by the tuple.
//! * [`task`]: one program, optimized and loaded, that can be run again and again.
//! * [`measure`]: samples of a run within a budget, its limit, median and spread.
//! * [`monitor`]: telling how far a run is, and being told to stop.
//! * [`corpus`], [`graph`]: the positions, and the data for generic programs.
//! * [`environment`]: the command, the versions and the machine, as every report tells them.
//! * [`report`]: the rows and series of a run, and their forms: tables, JSON, CSV, and a page with plots.

pub mod corpus;
pub mod datalog;
pub mod environment;
pub mod graph;
pub mod hex;
pub mod measure;
pub mod monitor;
pub mod report;
pub mod task;
