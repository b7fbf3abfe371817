//! `ludolog games`: the games that come with Ludolog.

use super::rulesheet::{GameVariant, OpenedSheet};
use super::{Failure, Outcome, print, rules};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use ludolog::family::games::GAMES;
use ludolog::formulation::LIBRARY;
use std::collections::BTreeSet;
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
    /// Many games have boards of every size, and each size has a name, as in hex-5x5, hex-cluster-4x6 or y-7. They are
    /// listed by one of their sizes, with the bounds of all.
    List,
    /// Print the rules of a game, with those that it includes
    ///
    /// A graph is a file of facts: edge(a, b), and what the game needs besides: source(a) and target(b) for
    /// shannon-edges and shannon-vertices, border(top, a) and so on for hex-graph. Winning sets are a file as `ludolog
    /// positional` reads it.
    Show {
        #[command(flatten)]
        game: NamedGame,
    },
    /// Write the rules of a game into a folder, with those that it includes, to be changed
    Copy {
        #[command(flatten)]
        game: NamedGame,
        /// The folder
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
}

/// A game that comes with Ludolog.
#[derive(Args)]
struct NamedGame {
    /// Its name, as in nim or std:games/nim.kif, or hex-5x5
    name: String,
    #[command(flatten)]
    variant: GameVariant,
}

impl NamedGame {
    /// The rulesheet of the game.
    fn rulesheet(&self) -> Result<OpenedSheet, Failure> {
        self.variant.of(Path::new(&full_name(&self.name)), None)
    }
}

pub fn run(args: &GamesArgs) -> Result<Outcome, Failure> {
    match &args.command {
        GamesCommand::List => {
            let games = LIBRARY.names().into_iter().filter(|name| name.starts_with(FOLDER));
            print(&rules::list(games.collect()))?;
        }
        GamesCommand::Show { game } => print(&text(&game.rulesheet()?)?)?,
        GamesCommand::Copy { game, folder } => {
            let rulesheet = game.rulesheet()?;
            rules::copy(&rulesheet.path.to_string_lossy(), &text(&rulesheet)?, folder)?;
        }
    }
    Ok(Outcome::Success)
}

/// The short names of all games; those of games that have sizes also without one.
pub fn names() -> Vec<String> {
    let shipped = LIBRARY.names();
    let listed = shipped.iter().filter_map(|name| short_name(Path::new(name)));
    let names: BTreeSet<&str> = listed.chain(GAMES.iter().map(|game| game.name)).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// The name by which a game is shipped.
pub fn full_name(name: &str) -> String {
    let name = name.strip_prefix(FOLDER).unwrap_or(name);
    format!("{FOLDER}{}{EXTENSION}", name.strip_suffix(EXTENSION).unwrap_or(name))
}

/// The full name of a game with its size: that of a square board for one number, and the listed one for none. A square
/// board that is too large is named all the same, so that whoever reads it tells the bound.
pub fn with_size(path: &Path) -> PathBuf {
    let exists = |full: &String| LIBRARY.text(full).is_ok();
    let Some(name) = short_name(path).filter(|name| !exists(&full_name(name))) else { return path.to_owned() };
    let square = name.rsplit_once('-').map(|(game, side)| full_name(&format!("{game}-{side}x{side}")));
    let too_large = || {
        let is_told = |full: &String| LIBRARY.is_generated(full);
        square.clone().filter(|square| is_told(square) && !is_told(&full_name(name)))
    };
    let listed = || {
        let has_size = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.');
        let is_meant =
            |game: &str| game.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(has_size);
        LIBRARY.names().into_iter().find(|full| short_name(Path::new(full)).is_some_and(is_meant))
    };
    square.clone().filter(exists).or_else(listed).or_else(too_large).map_or_else(|| path.to_owned(), PathBuf::from)
}

/// The short name of a game by its [`full_name`]; `None` if the path is another.
pub fn short_name(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(FOLDER)?.strip_suffix(EXTENSION)
}

/// Parses a GAME: a file, or the name of a game that comes with Ludolog, the short one if no file has it.
///
/// What could only be a short name is taken for one, so that whoever reads it tells which names and sizes there are.
pub fn argument() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        let is_short =
            |name: &str| !name.contains(['/', '\\', ':']) && !name.starts_with('-') && !name.ends_with(EXTENSION);
        let shipped = path.to_str().filter(|_| !path.exists()).map(|name| (name, full_name(name)));
        match shipped {
            Some((name, full)) if is_short(name) || LIBRARY.text(&full).is_ok() => full.into(),
            _ => path,
        }
    })
}

/// The rules of a game, in place of includes what they include: other systems know none.
fn text(rulesheet: &OpenedSheet) -> Result<String, Failure> {
    let mut text = String::new();
    for line in rulesheet.text()?.split_inclusive('\n') {
        let included = LIBRARY.included_by(FOLDER, line);
        match included.map_err(|error| Failure::Message(error.to_string()))? {
            Some((_, name)) => text += &rules::text(&name)?,
            None => text += line,
        }
    }
    Ok(text)
}
