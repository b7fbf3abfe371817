//! All integration tests in one binary, so that they link once.
//!
//! Commands are tested as users run them, crates by their public contracts, and both against oracles that share no code
//! with them: [`brute`] searches all lines of play, [`oracle`] reads off a text what it means, [`specification`] derives
//! connections in Datalog.

mod ablation;
mod analysis;
mod answers;
mod binary;
mod browser;
mod brute;
mod certificate;
mod claims;
mod command;
mod compile;
mod connections;
mod corpus;
#[cfg(feature = "dataflow")]
mod dataflow;
mod editors;
mod engines;
mod evaluation;
mod examples;
mod explain;
mod family;
mod family_playouts;
mod formulations;
mod games;
mod games_in_commands;
mod hex;
mod htp;
mod inferior;
mod language;
mod large;
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
mod solve;
mod solve_command;
mod solver;
mod specification;
mod studio;
mod switching;
mod syntax;
mod tables;
mod theorems;
mod twins;
mod updates;
mod watch;
mod well_founded;
mod workloads;
mod written_files;
