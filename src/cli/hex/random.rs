//! `ludolog hex random`.

use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::board::{Board, Player};
use ludolog::hex::position::{HeaderClaim, Position};
use ludolog::hex::random::{Random, scatter, scatter_without_win};

#[derive(Args)]
pub struct RandomArgs {
    /// Columns and rows, as in 50x50
    board: Board,
    /// Number of stones in all; half of the cells unless given
    #[arg(long, value_name = "K")]
    stones: Option<usize>,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only stones of this player, instead of both by turns
    #[arg(long, value_name = "PLAYER")]
    only: Option<Player>,
    /// Try until nobody has joined their edges
    #[arg(long)]
    no_win: bool,
}

/// The number of times that `random --no-win` tries.
const TRIES: usize = 1000;

pub fn run(args: &RandomArgs) -> Result<Outcome, Failure> {
    print(&random(args)?.to_string())?;
    Ok(Outcome::Success)
}

fn random(args: &RandomArgs) -> Result<Position, Failure> {
    let &RandomArgs { board, stones, seed, only, no_win } = args;
    let stones = stones.unwrap_or(board.len() / 2);
    if stones > board.len() {
        return Err(Failure::Message(format!("{stones} stones do not fit on the {} cells of {board}", board.len())));
    }
    let source = &mut Random::new(seed);
    let mut position = if no_win {
        scatter_without_win(board, stones, only, source, TRIES).ok_or_else(|| {
            Failure::Message(format!(
                "somebody has won in each of {TRIES} random positions with {stones} stones on {board}; try fewer stones"
            ))
        })?
    } else {
        scatter(board, stones, only, source)
    };
    position.known = Some(position.winner().map_or(HeaderClaim::NoWin, HeaderClaim::Wins));
    let only = only.map_or(String::new(), |player| format!(" --only {player}"));
    let no_win = if no_win { " --no-win" } else { "" };
    position.from = Some(format!("ludolog hex random {board} --stones {stones} --seed {seed}{only}{no_win}"));
    Ok(position)
}
