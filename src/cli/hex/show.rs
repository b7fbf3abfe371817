//! `ludolog hex show`.

use crate::cli::case::read_position;
use crate::cli::{Failure, Outcome, print};
use crate::diagnostic::Sources;
use crate::hex::draw;
use clap::Args;
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;

#[derive(Args)]
pub struct ShowArgs {
    /// A position file, as in bench-positions
    position: PathBuf,
    /// Write the picture as SVG to this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub fn run(args: &ShowArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let position =
        read_position(&args.position, &mut sources).map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))?;
    let winner = position.winner();
    let chain = winner.and_then(|winner| position.chain(winner)).unwrap_or_default();
    let mut text = String::new();
    if let Some(name) = &position.name {
        let _ = writeln!(text, "{name}");
    }
    text += &draw::to_text(&position, &chain, std::io::stdout().is_terminal());
    let _ = match winner {
        Some(winner) => writeln!(text, "{winner} wins with a chain of {} cells", chain.len()),
        None => writeln!(text, "nobody has won"),
    };
    print(&text)?;
    if let Some(file) = &args.svg {
        std::fs::write(file, draw::to_svg(&position, &chain))
            .map_err(|error| Failure::Message(format!("cannot write {}: {error}", file.display())))?;
    }
    Ok(Outcome::Success)
}
