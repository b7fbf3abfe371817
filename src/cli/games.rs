//! `ludolog games`: the games that come with Ludolog.

use super::{FILES, Failure, Outcome, case, positional, print, rules};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::family::games::{self, Game, Given};
use ludolog::family::graph::Graph;
use ludolog::family::size::{Refused, Size};
use ludolog::formulation::shipped;
use ludolog::syntax::{Files, load_facts};
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
    /// Many games have boards of every size, and each size has a name, as in hex-5x5, hex-cluster-4x6 or y-7. They are listed by
    /// one of their sizes, with the bounds of all.
    List,
    /// Print the rules of a game, with those that it includes
    ///
    /// A graph is a file of facts: edge(a, b), and what the game needs besides: source(a) and target(b) for shannon-edges and
    /// shannon-vertices, border(top, a) and so on for hex-graph. Winning sets are a file as `ludolog positional` reads it.
    Show {
        #[command(flatten)]
        game: Named,
        /// Make the game on this graph: shannon-edges, shannon-vertices, hex-graph, coloring
        #[arg(long, value_name = "FILE", conflicts_with = "sets")]
        graph: Option<PathBuf>,
        /// Make the game of these winning sets: in-a-row, set-coloring
        #[arg(long, value_name = "FILE", conflicts_with = "size")]
        sets: Option<PathBuf>,
    },
    /// Write the rules of a game into a folder, with those that it includes, to be changed
    Copy {
        #[command(flatten)]
        game: Named,
        /// The folder
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
        /// Replace a file that is there
        #[arg(long)]
        force: bool,
    },
}

/// A game that comes with Ludolog.
#[derive(Args)]
struct Named {
    /// Its name, as in nim or std:games/nim.kif, or hex-5x5
    name: String,
    /// The size of a game that has sizes: `y --size 5` is y-5
    #[arg(long)]
    size: Option<String>,
}

impl Named {
    /// The name with the size.
    fn sized(&self) -> String {
        self.size.as_ref().map_or(self.name.clone(), |size| format!("{}-{size}", self.name))
    }

    /// The name by which the game is shipped.
    fn full(&self) -> String {
        full_name(&self.sized())
    }
}

pub fn run(args: &GamesArgs) -> Result<Outcome, Failure> {
    match &args.command {
        GamesCommand::List => {
            let games = shipped::names().into_iter().filter(|name| name.starts_with(FOLDER));
            print(&rules::list(games.collect()))?;
        }
        GamesCommand::Show { game, graph: Some(path), .. } => print(&on_graph(game, path)?)?,
        GamesCommand::Show { game, sets: Some(path), .. } => print(&of_sets(game, path)?)?,
        GamesCommand::Show { game, .. } => print(&text(&game.full())?)?,
        GamesCommand::Copy { game, folder, force } => {
            let name = game.full();
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
///
/// What could only be a short name is taken for one, so that whoever reads it tells which names and sizes there are.
pub fn argument() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        let is_short =
            |name: &str| !name.contains(['/', '\\', ':']) && !name.starts_with('-') && !name.ends_with(EXTENSION);
        let shipped = path.to_str().filter(|_| !path.exists()).map(|name| (name, full_name(name)));
        match shipped {
            Some((name, full)) if is_short(name) || shipped::text(&full).is_ok() => full.into(),
            _ => path,
        }
    })
}

/// The rules of a game, in place of includes what they include: other systems know none.
fn text(name: &str) -> Result<String, Failure> {
    whole(&rules::text(name)?)
}

/// A text of the folder of games with what it includes.
fn whole(rulesheet: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for line in rulesheet.split_inclusive('\n') {
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

/// The rules of a game on a graph from a file.
fn on_graph(game: &Named, path: &Path) -> Result<String, Failure> {
    let name = game.sized();
    let (game, size) = found(&name)?;
    let Given::Graph(rules) = game.given else {
        let games = family(|given| matches!(given, Given::Graph(_)));
        return Err(Failure::Message(format!("`{name}` takes no graph; these games do: {games}")));
    };
    whole(&rules(&size, &graph(path)?).map_err(|refused| told(path, &refused))?)
}

/// Reads a graph.
pub fn graph(path: &Path) -> Result<Graph, Failure> {
    let mut sources = Sources::new();
    let facts = load_facts(&FILES, &[path.into()], None, &mut sources, &Budget::unlimited());
    let facts = facts.map_err(|stopped| case::explain(&stopped))?;
    let graph = facts.and_then(|facts| Graph::of_facts(&facts.into_atoms()));
    graph.map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))
}

/// The rules of a game of winning sets from a file.
fn of_sets(game: &Named, path: &Path) -> Result<String, Failure> {
    let name = game.sized();
    let Given::Sets(rules) = found(&name)?.0.given else {
        let games = family(|given| matches!(given, Given::Sets(_)));
        return Err(Failure::Message(format!("`{name}` takes no winning sets; these games do: {games}")));
    };
    whole(&rules(&positional::read(path)?).map_err(|refused| told(path, &refused))?)
}

fn told(path: &Path, refused: &Refused) -> Failure {
    Failure::Message(format!("{}: {refused}", path.display()))
}

/// The game of the family of a name, and the size.
fn found(name: &str) -> Result<(&'static Game, Size), Failure> {
    match games::find(name) {
        Some(found) => found.map_err(|refused| Failure::Message(refused.to_string())),
        None => Err(Failure::Message(format!("`{name}` is not made from files; `ludolog games list` lists the games"))),
    }
}

/// The names of the games that can be made so.
fn family(is_made: impl Fn(Given) -> bool) -> String {
    let games = games::GAMES.iter().filter(|game| is_made(game.given));
    games.map(|game| game.name).collect::<Vec<_>>().join(", ")
}
