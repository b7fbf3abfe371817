//! `ludolog prove`: proofs that anybody can check.

mod draw;
mod short;

use super::{Failure, Outcome, file};
use clap::{Args, Subcommand};
use ludolog::certificate::Certificate;
use std::path::Path;

#[derive(Args)]
pub struct ProveArgs {
    #[command(subcommand)]
    command: ProveCommand,
}

#[derive(Subcommand)]
enum ProveCommand {
    /// Prove that nobody can win a position of a positional game
    ///
    /// Takes the cheapest proof for each player: that no winning set is left or that the opponent could steal the strategy,
    /// a pairing, the criterion of Erdős and Selfridge, a matching, else a search with these as cut-offs. Exit status: 0 if
    /// it is a draw, 1 if a player wins or time ran out, 2 for an error.
    Draw(draw::DrawArgs),
    /// Prove that Short wins Shannon switching on the edges of a graph, or Bridg-it
    ///
    /// Short wins exactly if two trees without a common edge span source and target (Lehman, 1964); they are the strategy.
    /// Exit status: 0 if Short wins, 1 if Cut does, 2 for an error.
    Short(short::ShortArgs),
}

pub fn run(args: &ProveArgs) -> Result<Outcome, Failure> {
    match &args.command {
        ProveCommand::Draw(args) => draw::run(args),
        ProveCommand::Short(args) => short::run(args),
    }
}

/// Writes a certificate, after it was read again and checked as anybody would.
fn write<C: Certificate>(path: &Path, certificate: &C) -> Result<(), Failure> {
    let text = certificate.to_text();
    match C::accept(text.as_bytes()) {
        Ok(_) => file::write(path, text.as_bytes()),
        Err(refusal) => Err(Failure::Message(format!("the proof is not written, being wrong: {refusal}"))),
    }
}
