//! The command line: one file a command.
//!
//! Exit status: 0 for success or "yes", 1 for "no" (no answer, a difference found), 2 for an error.

mod hex;

use crate::diagnostic::{Diagnostics, Sources, render};
use clap::{Parser, Subcommand};
use std::io::IsTerminal;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "ludolog", version, about = "Game rules as logic: check, query, explain, benchmark and play them")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Work with Hex positions and the rules that judge them
    Hex(hex::HexArgs),
}

/// How a command that did its work answers the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, or "yes": exit status 0.
    Success,
    /// The answer is "no", or a difference was found: exit status 1.
    Negative,
}

/// Why a command could not do its work: exit status 2.
pub enum Failure {
    /// Something is wrong with what the user gave us.
    Diagnostics(Box<Sources>, Diagnostics),
    /// Anything that has no place in a text.
    Message(String),
}

/// Runs the command that the process was called with.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let result: Result<Outcome, Failure> = match cli.command {
        Some(Command::Hex(args)) => hex::run(args),
        None => Ok(Outcome::Success),
    };
    match result {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(failure) => {
            report(&failure);
            ExitCode::from(2)
        }
    }
}

fn report(failure: &Failure) {
    match failure {
        Failure::Diagnostics(sources, diagnostics) => {
            let color = std::io::stderr().is_terminal();
            anstream::eprint!("{}", render::to_text(diagnostics, sources, color));
        }
        Failure::Message(message) => anstream::eprintln!("error: {message}"),
    }
}
