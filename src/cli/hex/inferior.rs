//! `ludolog hex inferior`.

use super::{POSITION_HELP, by_width, names, position_argument};
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, file, has_color, print};
use clap::Args;
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::draw;
use ludolog::hex::inferior::{Rings, Stones};
use ludolog::hex::position::Position;
use serde_json::{Value, json};
use std::fmt::Write;
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
    let rings = Rings::new(board);
    let mut stones: Stones<W> = Player::BOTH.map(|player| position.stones_of(player).collect());
    let fill_in = rings.fill_in(&mut stones);
    let empty = CellSet::all(board) - (stones[0] | stones[1]);
    let movers = match args.player.or(position.to_move) {
        Some(mover) => vec![mover],
        None => Player::BOTH.to_vec(),
    };

    let mut filled = position.clone();
    for player in Player::BOTH {
        for cell in stones[player as usize] {
            filled.place(player, cell);
        }
    }
    // A game that is over has no moves to judge.
    let winner = filled.winner();
    let judged: Vec<_> = movers
        .into_iter()
        .filter(|_| winner.is_none())
        .map(|mover| (mover, rings.inferior_moves(mover, empty, &stones)))
        .collect();
    let new: Vec<Cell> = position.empty_cells().filter(|&cell| filled.stone(cell).is_some()).collect();
    if let Some(path) = &args.svg {
        file::write(path, draw::to_svg(&filled, &new).as_bytes())?;
    }
    if args.format == Format::Json {
        let captured =
            Player::BOTH.map(|player| (player.to_string(), json!(names(board, fill_in.captured[player as usize]))));
        let moves = judged.iter().map(|(mover, inferior)| {
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

    let mut text = draw::to_text(&filled, &new, has_color());
    let mut line = |what: &str, cells: Vec<String>| {
        let cells = if cells.is_empty() { "none".to_owned() } else { cells.join(" ") };
        let _ = writeln!(text, "{what}: {cells}");
    };
    line("dead", names(board, fill_in.dead));
    for player in Player::BOTH {
        line(&format!("captured by {player}"), names(board, fill_in.captured[player as usize]));
    }
    if let Some(winner) = winner {
        line("winner", vec![winner.to_string()]);
    }
    for (mover, inferior) in &judged {
        let vulnerable = inferior.vulnerable.iter();
        let killed = |&(cell, killers): &(Cell, CellSet<W>)| {
            format!("{} (by {})", board.name(cell), names(board, killers).join("+"))
        };
        line(&format!("vulnerable for {mover}"), vulnerable.map(killed).collect());
        let dominated = inferior.dominated.iter();
        let better = |&(cell, by): &(Cell, Cell)| format!("{} (by {})", board.name(cell), board.name(by));
        line(&format!("dominated for {mover}"), dominated.map(better).collect());
    }
    print(&text)?;
    Ok(Outcome::Success)
}
