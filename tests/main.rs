//! All integration tests in one binary, so that they link once.
//!
//! Commands are tested as users run them, crates by their public contracts, and both against oracles that share no code
//! with them: [`brute`] searches all lines of play, [`oracle`] reads off a text what it means, [`specification`] derives
//! connections in Datalog.

mod ablation;
mod analysis;
mod analyze;
mod answers;
mod binary;
mod bounds;
mod browser;
mod brute;
mod certificate;
mod choice;
mod claims;
mod command;
mod compile;
mod connect_four;
mod connections;
mod constraints;
mod corpus;
mod cylinders;
#[cfg(feature = "dataflow")]
mod dataflow;
mod derivations;
mod editors;
mod engines;
mod evaluation;
mod examples;
mod explain;
mod family;
mod family_playouts;
mod floats;
mod formulations;
mod functions;
mod games;
mod games_in_commands;
mod hex;
mod hidden;
mod htp;
mod inferior;
mod language;
mod large;
mod lattice_orders;
mod lattice_programs;
mod lattices;
mod learning;
mod limits;
mod lsp;
mod meaning;
mod notation;
mod numbers;
mod openings;
mod optimize;
mod oracle;
mod output;
mod packaging;
#[cfg(feature = "parquet")]
mod parquet;
mod peers;
mod pictures;
mod play;
mod players;
mod positional;
mod profile;
mod propnet;
mod protocol;
mod random;
mod readme;
mod refutation;
mod renaming;
mod repaired;
mod repl;
mod sessions;
mod simultaneous;
mod solve;
mod solve_command;
mod solver;
mod specification;
#[cfg(feature = "sqlite")]
mod sqlite;
mod studio;
mod switching;
mod syntax;
mod tables;
mod templates;
mod theorems;
mod totals;
mod twins;
mod types;
mod updates;
mod uses;
mod watch;
mod well_founded;
mod workloads;
mod written_files;
