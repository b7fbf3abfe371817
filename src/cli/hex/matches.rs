//! `ludolog hex match`.

use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::hex::board::{Board, Cell};
use ludolog::hex::duel::{Duel, DuelGame, DuelScore, openings};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Args)]
pub struct HexMatchArgs {
    /// The command line of a program that speaks HTP, as "ludolog hex htp --play-clock 1s"
    first: String,
    /// The command line of its opponent
    second: String,
    /// Columns and rows, as in 11x11
    #[arg(long, value_name = "SIZE", default_value = "11x11")]
    size: Board,
    /// The number of games: each opening is played twice, so that each program has each side of it
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// First stones to play, as in a2,b4, instead of those drawn by the seed from the two lines along the edges
    #[arg(long, value_name = "CELL", value_delimiter = ',')]
    opening: Vec<String>,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// A program that has not answered after this time loses the game
    #[arg(long, value_name = "T", default_value = "5m", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &HexMatchArgs) -> Result<Outcome, Failure> {
    let board = args.size;
    let openings = first_stones(args)?;
    let mut duel = Duel::new([args.first.clone(), args.second.clone()], board, args.timeout);
    duel.ready().map_err(|(program, fault)| {
        let command = [&args.first, &args.second][program];
        Failure::Message(format!("`{command}` {fault}; give the command line as a shell takes it, in quotes"))
    })?;
    let mut score = DuelScore::default();
    let mut documents = Vec::new();
    for i in 0..args.games as usize {
        let game = duel.play(openings[i / 2 % openings.len()], i % 2);
        score.add(&game);
        match args.format {
            // Each game is told as soon as it is over: a match that is interrupted loses none.
            Format::Text => print(&line(board, i + 1, &game))?,
            Format::Json => documents.push(document(board, &game)),
        }
    }
    let (share, [least, most]) = score.share();
    match args.format {
        Format::Text => print(&format!(
            "the first program won {} of {} games: {:.0} %, {:.0} to {:.0} % with a confidence of 95 %{}\n",
            score.won,
            score.games,
            100.0 * share,
            100.0 * least,
            100.0 * most,
            score.seconds_a_move().map_or(String::new(), |[first, second]| {
                format!("\nCPU-seconds a move: {first:.3} and {second:.3}")
            })
        ))?,
        Format::Json => print_json(&json!({
            "board": board.to_string(),
            "programs": [args.first, args.second],
            "won": score.won,
            "games": documents,
            "share": share,
            "interval": [least, most],
            "cpu_seconds_per_move": score.seconds_a_move(),
        }))?,
    }
    Ok(Outcome::Success)
}

/// The openings to play.
fn first_stones(args: &HexMatchArgs) -> Result<Vec<Cell>, Failure> {
    let board = args.size;
    if args.opening.is_empty() {
        return Ok(openings(board, args.seed));
    }
    let cell = |name: &String| {
        let failure = || Failure::Message(format!("--opening {name}: no cell of {board}"));
        board.cell_of_name(name).ok_or_else(failure)
    };
    args.opening.iter().map(cell).collect()
}

fn line(board: Board, number: usize, game: &DuelGame) -> String {
    let name = |program: usize| if program == 0 { "first" } else { "second" };
    let fault = game.fault.as_ref().map_or(String::new(), |fault| format!("; the {} {fault}", name(1 - game.winner)));
    let moves: Vec<String> = game.moves.iter().map(|&cell| board.name(cell)).collect();
    format!("{number} red: {} winner: {}{fault}\n  {}\n", name(game.red), name(game.winner), moves.join(" "))
}

fn document(board: Board, game: &DuelGame) -> Value {
    json!({
        "red": game.red,
        "winner": game.winner,
        "moves": game.moves.iter().map(|&cell| board.name(cell)).collect::<Vec<_>>(),
        "asked": game.asked,
        "cpu_seconds": game.time.map(|time| time.map(|time| time.as_secs_f64())),
        "fault": game.fault.as_ref().map(ToString::to_string),
    })
}
