//! `ludolog games`: the games that come with Ludolog.

use super::{FILES, Failure, Outcome, print, rules};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use ludolog::formulation::shipped;
use ludolog::syntax::Files;
use std::path::{Path, PathBuf};

/// The beginning of the names of all games.
const FOLDER: &str = "std:games/";

/// The end of their names.
const EXTENSION: &str = ".kif";

#[derive(Args)]
pub struct GamesArgs {
    #[command(subcommand)]
    command: GamesCommand,
}

#[derive(Subcommand)]
enum GamesCommand {
    /// List the games, a line each. Every GAME argument takes these names, and the short ones, as in nim
    ///
    /// Hex is listed on its smallest board and goes up to 19x19: every size has a name, as in hex-5x5 or hex-cluster-4x6.
    List,
    /// Print the rules of a game, with those that it includes
    Show {
        /// Its name, as in nim or std:games/nim.kif, or hex-5x5
        name: String,
    },
    /// Write the rules of a game into a folder, with those that it includes, to be changed
    Copy {
        /// Its name, as in nim or std:games/nim.kif, or hex-5x5
        name: String,
        /// The folder
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
        /// Replace a file that is there
        #[arg(long)]
        force: bool,
    },
}

pub fn run(args: &GamesArgs) -> Result<Outcome, Failure> {
    match &args.command {
        GamesCommand::List => {
            let games = shipped::names().into_iter().filter(|name| name.starts_with(FOLDER));
            print(&rules::list(games.collect()))?;
        }
        GamesCommand::Show { name } => print(&text(&full_name(name))?)?,
        GamesCommand::Copy { name, folder, force } => {
            let name = full_name(name);
            rules::copy(&name, &text(&name)?, folder, *force)?;
        }
    }
    Ok(Outcome::Success)
}

/// The name by which a game is shipped.
fn full_name(name: &str) -> String {
    let name = name.strip_prefix(FOLDER).unwrap_or(name);
    format!("{FOLDER}{}{EXTENSION}", name.strip_suffix(EXTENSION).unwrap_or(name))
}

/// Parses a GAME: a file, or the name of a game that comes with Ludolog, the short one if no file has it.
pub fn argument() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        let shipped = path.to_str().filter(|_| !path.exists()).map(full_name);
        shipped.filter(|name| shipped::text(name).is_ok()).map_or(path, PathBuf::from)
    })
}

/// The rules of a game, in place of includes what they include: other systems know none.
fn text(name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for line in rules::text(name)?.split_inclusive('\n') {
        match line.trim_end().strip_prefix("(include \"").and_then(|rest| rest.strip_suffix("\")")) {
            Some(included) => {
                let folder = Path::new(FOLDER.trim_end_matches('/'));
                let included = FILES.included(folder, included).map_err(|error| Failure::Message(error.to_string()))?;
                text += &rules::text(&included.to_string_lossy())?;
            }
            None => text += line,
        }
    }
    Ok(text)
}
