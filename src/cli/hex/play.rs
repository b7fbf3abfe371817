//! `ludolog hex play`.

use super::{EffortArgs, POSITION_HELP, position_argument};
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::board::Player;
use ludolog::hex::player::choose;
use ludolog::hex::random::Random;

#[derive(Args)]
pub struct HexPlayArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// Who moves [default: as the position says, else who has fewer stones, else red]
    #[arg(long, value_name = "PLAYER")]
    to_move: Option<Player>,
    #[command(flatten)]
    effort: EffortArgs,
}

pub fn run(args: &HexPlayArgs) -> Result<Outcome, Failure> {
    let position = position_argument(&args.position)?;
    let player = args.to_move.unwrap_or(position.turn());
    if let Some(winner) = position.winner() {
        return Err(Failure::Message(format!("the game is over: {winner} has won")));
    }
    let choice =
        choose(&position, player, &args.effort.effort(), &args.effort.budget(), &mut Random::new(args.effort.seed));
    // A full board has a winner.
    let Some(choice) = choice else { return Err(Failure::Message("no cell is empty".to_owned())) };
    print(&format!("{} {}\n", position.board().name(choice.cell), choice.reason))?;
    Ok(Outcome::Success)
}
