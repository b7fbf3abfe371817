//! `ludolog hex`: one file a command.

mod convert;
mod random;
mod rules;
mod show;
mod verify;

use super::case::read_game;
use super::{Failure, Outcome};
use crate::diagnostic::Sources;
use crate::hex::board::{Board, Player};
use crate::hex::notation::{Reading, Record};
use crate::hex::position::Position;
use clap::{Args, Subcommand};

#[derive(Args)]
pub struct HexArgs {
    #[command(subcommand)]
    command: HexCommand,
}

#[derive(Subcommand)]
enum HexCommand {
    /// Print the rules of a formulation for a size of board
    ///
    /// The text includes all that it needs, so that it can be read from a pipe or saved anywhere.
    Rules(rules::RulesArgs),
    /// Print a random position, the same for the same seed
    Random(random::RandomArgs),
    /// Write a game in another notation: SGF, HexWorld link or position
    Convert(convert::ConvertArgs),
    /// Draw a position and say who has won; a winning chain is marked
    Show(show::ShowArgs),
    /// Check a proof that a player wins, or say in which line it is wrong
    ///
    /// Exit status: 0 when it is accepted, 1 when it is refused, 2 when it cannot be read.
    Verify(verify::VerifyArgs),
}

pub fn run(args: HexArgs) -> Result<Outcome, Failure> {
    match args.command {
        HexCommand::Rules(args) => rules::run(&args),
        HexCommand::Random(args) => random::run(&args),
        HexCommand::Convert(args) => convert::run(&args),
        HexCommand::Show(args) => show::run(&args),
        HexCommand::Verify(args) => verify::run(&args),
    }
}

fn size(text: &str) -> Result<Board, String> {
    Board::from_size(text).ok_or_else(|| format!("columns, then rows, as in 9x9, each from 1 to {}", Board::MAX_SIDE))
}

fn player(text: &str) -> Result<Player, String> {
    Player::from_name(text).ok_or_else(|| "red or blue".to_owned())
}

/// What commands say of an argument that [`position_argument`] reads.
const POSITION_HELP: &str = "A position file as in bench-positions, an SGF file, a HexWorld link, `-` for standard input, or NxM, an empty board";

/// The position that an argument names; see [`POSITION_HELP`]. Warnings are shown.
fn position_argument(text: &str) -> Result<Position, Failure> {
    Ok(game_argument(text)?.position())
}

/// As [`position_argument`], with the whole game.
fn game_argument(text: &str) -> Result<Record, Failure> {
    if let Some(board) = Board::from_size(text) {
        return Ok(Record::new(board));
    }
    let mut sources = Sources::new();
    match read_game(text.as_ref(), &mut sources) {
        Ok(Reading { record, warnings }) => {
            super::show(&sources, &warnings);
            Ok(record)
        }
        Err(wrong) => Err(Failure::Diagnostics(Box::new(sources), wrong)),
    }
}
