//! `ludolog hex inferior`.

use super::{POSITION_HELP, by_width, position_argument};
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, file, has_color, print};
use clap::Args;
use ludolog::hex::board::Player;
use ludolog::hex::draw;
use ludolog::hex::position::Position;
use ludolog::hex::survey::{InferiorCells, names};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args)]
pub struct InferiorArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// Whose moves to judge; those of the player to move unless given, and of both where nobody is
    #[arg(long, value_name = "PLAYER")]
    player: Option<Player>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the picture as SVG to this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub fn run(args: &InferiorArgs) -> Result<Outcome, Failure> {
    let position = position_argument(&args.position)?;
    by_width!(position.board(), inferior(args, &position))
}

fn inferior<const W: usize>(args: &InferiorArgs, position: &Position) -> Result<Outcome, Failure> {
    let board = position.board();
    let movers = match args.player.or(position.to_move) {
        Some(mover) => vec![mover],
        None => Player::BOTH.to_vec(),
    };
    let found = InferiorCells::<W>::of_position(position, &movers);
    let InferiorCells { filled, added, fill_in, winner, moves } = &found;
    if let Some(path) = &args.svg {
        file::write(path, draw::to_svg(filled, added).as_bytes())?;
    }
    if args.format == Format::Json {
        let captured =
            Player::BOTH.map(|player| (player.to_string(), json!(names(board, fill_in.captured[player as usize]))));
        let moves = moves.iter().map(|(mover, inferior)| {
            let vulnerable = inferior
                .vulnerable
                .iter()
                .map(|&(cell, killers)| json!({ "cell": board.name(cell), "killed_by": names(board, killers) }));
            let dominated = inferior
                .dominated
                .iter()
                .map(|&(cell, by)| json!({ "cell": board.name(cell), "dominated_by": board.name(by) }));
            let (vulnerable, dominated): (Vec<_>, Vec<_>) = (vulnerable.collect(), dominated.collect());
            (mover.to_string(), json!({ "vulnerable": vulnerable, "dominated": dominated }))
        });
        let value = json!({
            "board": board.to_string(),
            "dead": names(board, fill_in.dead),
            "captured": Value::Object(captured.into_iter().collect()),
            "winner": winner.map(Player::name),
            "moves": Value::Object(moves.collect()),
        });
        print_json(&value)?;
        return Ok(Outcome::Success);
    }

    let lines = found.lines().join("\n");
    print(&format!("{}{lines}\n", draw::to_text(filled, added, has_color())))?;
    Ok(Outcome::Success)
}
