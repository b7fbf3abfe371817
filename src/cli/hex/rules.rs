//! `ludolog hex rules`.

use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::formulation::Formulation;
use ludolog::hex::board::Board;

#[derive(Args)]
pub struct RulesArgs {
    /// winning-sets, power-set, power-set-any, follow-the-line, connected, reachability, maker-breaker or cluster
    formulation: &'static Formulation,
    /// Columns and rows, as in 9x9
    board: Board,
    /// Include the shared board rules by file name, as the files in rules/hex do
    #[arg(long)]
    as_file: bool,
}

pub fn run(args: &RulesArgs) -> Result<Outcome, Failure> {
    let text = if args.as_file { args.formulation.file(args.board) } else { args.formulation.text(args.board) };
    print(&text.map_err(|error| Failure::Message(error.to_string()))?)?;
    Ok(Outcome::Success)
}
