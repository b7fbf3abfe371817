//! `ludolog hex convert`.

use super::{POSITION_HELP, game_argument};
use crate::cli::choice::choice;
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::notation::{Notation, hexworld, sgf};

#[derive(Args)]
pub struct ConvertArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// How to write it
    #[arg(long, value_parser = choice::<Notation>(), default_value = "position")]
    to: Notation,
}

pub fn run(args: &ConvertArgs) -> Result<Outcome, Failure> {
    let record = game_argument(&args.position)?;
    print(&match args.to {
        Notation::Position => record.position().to_string(),
        Notation::Sgf => sgf::write(&record),
        Notation::HexWorld => hexworld::write(&record) + "\n",
    })?;
    Ok(Outcome::Success)
}
