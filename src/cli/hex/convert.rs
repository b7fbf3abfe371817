//! `ludolog hex convert`.

use super::{POSITION_HELP, game_argument};
use crate::cli::choice::choice;
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::notation::{GameNotation, hexworld, sgf};

#[derive(Args)]
pub struct HexConvertArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// How to write it
    #[arg(long, value_parser = choice::<GameNotation>(), default_value = "position")]
    to: GameNotation,
}

pub fn run(args: &HexConvertArgs) -> Result<Outcome, Failure> {
    let record = game_argument(&args.position)?;
    print(&match args.to {
        GameNotation::Position => record.position().to_string(),
        GameNotation::Sgf => sgf::write(&record),
        GameNotation::HexWorld => hexworld::write(&record) + "\n",
    })?;
    Ok(Outcome::Success)
}
