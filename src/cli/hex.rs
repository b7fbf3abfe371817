//! `ludolog hex`: rule texts, random positions, pictures.

use super::case::read_position;
use super::{Failure, Outcome};
use crate::diagnostic::Sources;
use crate::hex::board::{Board, Player};
use crate::hex::draw;
use crate::hex::formulation::{self, Formulation};
use crate::hex::position::{Known, Position};
use crate::hex::random::{Random, scatter, scatter_without_win};
use clap::{Args, Subcommand};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

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
    Rules {
        /// winning-sets, power-set, power-set-any, follow-the-line, connected, reachability, maker-breaker or cluster
        #[arg(value_parser = formulation)]
        formulation: &'static Formulation,
        /// Columns and rows, as in 9x9
        #[arg(value_parser = size)]
        board: Board,
        /// Include the shared board rules by file name, as the files in rules/hex do
        #[arg(long)]
        as_file: bool,
    },
    /// Print a random position, the same for the same seed
    Random {
        /// Columns and rows, as in 50x50
        #[arg(value_parser = size)]
        board: Board,
        /// How many stones there are in all; half of the cells unless given
        #[arg(long, value_name = "K")]
        stones: Option<usize>,
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Only stones of this player, instead of both by turns
        #[arg(long, value_name = "PLAYER", value_parser = player)]
        only: Option<Player>,
        /// Try until nobody has joined their edges
        #[arg(long)]
        no_win: bool,
    },
    /// Draw a position and say who has won; a winning chain is marked
    Show {
        /// A position file, as in bench-positions
        position: PathBuf,
        /// Write the picture as SVG to this file too
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
}

/// How often `random --no-win` tries.
const TRIES: usize = 1000;

pub fn run(args: HexArgs) -> Result<Outcome, Failure> {
    match args.command {
        HexCommand::Rules { formulation, board, as_file } => {
            let text = if as_file { formulation.file(board) } else { formulation.text(board) };
            anstream::print!("{}", text.map_err(|error| Failure::Message(error.to_string()))?);
        }
        HexCommand::Random { board, stones, seed, only, no_win } => {
            anstream::print!("{}", random(board, stones, seed, only, no_win)?);
        }
        HexCommand::Show { position, svg } => show(&position, svg.as_deref())?,
    }
    Ok(Outcome::Success)
}

fn size(text: &str) -> Result<Board, String> {
    Board::from_size(text).ok_or_else(|| format!("columns, then rows, as in 9x9, each from 1 to {}", Board::MAX_SIDE))
}

fn player(text: &str) -> Result<Player, String> {
    Player::from_name(text).ok_or_else(|| "red or blue".to_owned())
}

fn formulation(text: &str) -> Result<&'static Formulation, String> {
    formulation::named(text).ok_or_else(|| {
        let names: Vec<&str> = formulation::ALL.iter().map(|formulation| formulation.name).collect();
        format!("the formulations are {}", names.join(", "))
    })
}

fn random(
    board: Board,
    stones: Option<usize>,
    seed: u64,
    only: Option<Player>,
    no_win: bool,
) -> Result<Position, Failure> {
    let stones = stones.unwrap_or(board.len() / 2);
    if stones > board.len() {
        return Err(Failure::Message(format!("{stones} stones do not fit on the {} cells of {board}", board.len())));
    }
    let source = &mut Random::new(seed);
    let mut position = match no_win {
        false => scatter(board, stones, only, source),
        true => scatter_without_win(board, stones, only, source, TRIES).ok_or_else(|| {
            Failure::Message(format!(
                "somebody has won in each of {TRIES} random positions with {stones} stones on {board}; try fewer stones"
            ))
        })?,
    };
    position.known = Some(position.winner().map_or(Known::NoWin, Known::Wins));
    let only = only.map_or(String::new(), |player| format!(" --only {player}"));
    let no_win = if no_win { " --no-win" } else { "" };
    position.from = Some(format!("ludolog hex random {board} --stones {stones} --seed {seed}{only}{no_win}"));
    Ok(position)
}

fn show(path: &Path, svg: Option<&Path>) -> Result<(), Failure> {
    let mut sources = Sources::new();
    let position = read_position(path, &mut sources).map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))?;
    let winner = position.winner();
    let chain = winner.and_then(|winner| position.chain(winner)).unwrap_or_default();
    if let Some(name) = &position.name {
        anstream::println!("{name}");
    }
    anstream::print!("{}", draw::to_text(&position, &chain, std::io::stdout().is_terminal()));
    match winner {
        Some(winner) => anstream::println!("{winner} wins with a chain of {} cells", chain.len()),
        None => anstream::println!("nobody has won"),
    }
    if let Some(file) = svg {
        std::fs::write(file, draw::to_svg(&position, &chain))
            .map_err(|error| Failure::Message(format!("cannot write {}: {error}", file.display())))?;
    }
    Ok(())
}
