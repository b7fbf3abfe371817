//! Benchmarks: the cost of each formulation of a question, under each optimization, on each engine.
//!
//! A *cell* is formulation × optimization × engine × position. Every cell first runs once, and its answer is compared
//! with the known one. Measuring starts only then, so that no table compares programs with different answers. Times are
//! noisy, but ratios within one run are not: a cell has a median with its spread and number of samples, the work
//! counted by the engine (the same on every machine), and its runtime savings factor among the optimizations of the
//! same formulation. A cell that hits its limit did not finish, and has no time.
//!
//! * [`hex`]: all formulations of the Hex win; growth with the board; the moves of a game.
//! * [`datalog`]: generic recursive programs, measured by the tuple.
//! * [`workload`]: programs in folders, with tables and goals: the optimizer's choice against the best by hand.
//! * [`ablation`]: the engine without each of its heuristics.
//! * [`peers`]: programs on other systems that are installed, from the same rules; [`process`]: runs of other programs.
//! * [`ggp`]: games by their rulesheets, playouts a CPU-second; [`playouts`] are timed there.
//! * [`positional`]: positional games, solved with different cut-offs.
//! * [`formulations`]: one game in several wordings, playouts and matches.
//! * [`profile`]: one run of rules, by phase, rule and subgoal.
//! * [`subject`]: the formulations to measure, shipped ones and the user's own.
//! * [`task`]: a program, optimized for a case, that can be run any number of times.
//! * [`measure`]: samples of a run within a budget, with median and spread.
//! * [`monitor`]: progress and interruption of a run.
//! * [`corpus`], [`graph`]: the positions, and the data of generic programs.
//! * [`environment`]: the command, the versions and the machine of a run.
//! * [`matrix`]: what the benchmarks of rules have in common: a task on all engines under all optimizations.
//! * [`report`]: the records of a run, and their forms: tables, JSON, CSV, and a page with plots.

pub mod ablation;
pub mod corpus;
pub mod datalog;
pub mod environment;
pub mod formulations;
pub mod ggp;
pub mod graph;
pub mod hex;
pub mod matrix;
pub mod measure;
pub mod monitor;
pub mod peers;
pub mod playouts;
pub mod positional;
pub mod process;
pub mod profile;
pub mod report;
pub mod subject;
pub mod task;
pub mod workload;
