//! `ludolog hex show`.

use super::{POSITION_HELP, game_argument};
use crate::cli::{Failure, Outcome, file, has_color, print};
use clap::Args;
use ludolog::hex::draw;
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Args)]
pub struct HexShowArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// Write the picture as SVG to this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub fn run(args: &HexShowArgs) -> Result<Outcome, Failure> {
    let record = game_argument(&args.position)?;
    let position = record.position();
    let winner = position.winner();
    let chain = winner.and_then(|winner| position.chain(winner)).unwrap_or_default();
    let mut text = String::new();
    if let Some(name) = &position.name {
        let _ = writeln!(text, "{name}");
    }
    text += &draw::to_text(&position, &chain, has_color());
    let _ = match (winner, record.lost()) {
        (Some(winner), _) => writeln!(text, "{winner} wins with a chain of {} cells", chain.len()),
        (None, Some(loser)) => writeln!(text, "nobody has a chain, and {loser} has given up"),
        (None, None) => writeln!(text, "nobody has won"),
    };
    print(&text)?;
    if let Some(path) = &args.svg {
        file::write(path, draw::to_svg(&position, &chain).as_bytes())?;
    }
    Ok(Outcome::Success)
}
