//! `ludolog bench formulations`: one game in several wordings, by playouts and in matches.

use super::Output;
use crate::cli::case::duration;
use crate::cli::{Failure, Outcome, limits};
use clap::Args;
use ludolog::bench::formulations::{self, WordingSetup};
use ludolog::bench::playouts::Play;
use ludolog::hex::board::Board;
use std::time::Duration;

#[derive(Args)]
pub struct FormulationsArgs {
    /// Columns and rows of the board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=19))]
    size: u8,
    /// Let each reasoner play each wording at random for this time (seconds, or as in 500ms, 5s)
    #[arg(long = "time", value_name = "T", default_value = "1s", value_parser = duration)]
    seconds: Duration,
    /// Stop making a net, optimizing, and a single playout after this time
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration)]
    timeout: Duration,
    /// Matches of each pair of players; seats change after each. 0 for none
    #[arg(long, value_name = "N", default_value_t = 20)]
    matches: u64,
    /// The time for each move of a match (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "50ms", value_parser = duration)]
    play_clock: Duration,
    /// Matches at once; with more than one, their players disturb each other a little
    #[arg(long = "parallel", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
    /// Choose moves by this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Measures all wordings.
pub fn run(args: &FormulationsArgs) -> Result<Outcome, Failure> {
    args.output.make_room()?;
    let size = usize::from(args.size);
    let board = Board::new(size, size).expect("boards of these sizes exist");
    let setup = WordingSetup {
        board,
        play: Play { seconds: args.seconds, timeout: args.timeout, seed: args.seed, limits: limits::budget() },
        matches: args.matches,
        play_clock: args.play_clock,
        threads: args.threads as usize,
    };
    args.output.report(Outcome::Negative, |monitor| formulations::run(&setup, monitor)).map(|(_, outcome)| outcome)
}
