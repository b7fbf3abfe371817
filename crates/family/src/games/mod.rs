//! The games there are: a name, the form of its size, and the text of its rulesheet.
//!
//! * [`hex`]: Hex and its variants on the board of Hex. [`boards`]: Hex on others.
//! * [`y`]: Y with and without swap, Havannah and Tex.
//! * [`shannon`]: Shannon switching on vertices and edges, and Bridg-it.
//! * [`sets`]: k in a row, lines of cubes, set-coloring games.
//! * [`coloring`]: the vertex coloring game. [`nim`]: Nim.
//!
//! A game on a board of a size is named by both, as in `hex-swap-5x4`. Without a size it has its usual one.

pub mod boards;
pub mod coloring;
pub mod hex;
pub mod nim;
pub mod sets;
pub mod shannon;
pub mod y;

use crate::graph::UndirectedGraph;
use crate::size::{NoSuchGame, Size, SizeForm};
use ludolog_positional::Position;
use ludolog_shipped::{GAMES as FOLDER, Generator};

/// Writes the rulesheet of a size within the bounds of the form.
pub type SheetWriter = fn(&[usize]) -> Result<String, NoSuchGame>;

/// The sources of a game besides a size.
#[derive(Clone, Copy, Debug)]
pub enum GameSources {
    /// Nothing: the size is all.
    Nothing,
    /// A graph, and a size.
    Graph(fn(&[usize], &UndirectedGraph) -> Result<String, NoSuchGame>),
    /// Winning sets, with marks on them.
    Sets(fn(&Position) -> Result<String, NoSuchGame>),
}

/// A game of all its sizes.
#[derive(Debug)]
pub struct FamilyGame {
    /// The name, without size.
    pub name: &'static str,
    /// The description of the game, in a line.
    pub about: &'static str,
    /// The form of its size.
    pub form: SizeForm,
    /// Writes the rulesheet of a size.
    rules: SheetWriter,
    /// Its sources besides a size.
    pub given: GameSources,
}

/// All games.
pub const GAMES: &[FamilyGame] = &[
    hex::SWAP,
    hex::BECK,
    hex::REX,
    hex::TREX,
    hex::DARK,
    hex::IN_Y,
    boards::CYLINDER,
    boards::OCTAGONS,
    boards::DODECAGONS,
    boards::DODECAGONS_APART,
    boards::GRAPH,
    boards::CUBE,
    y::Y,
    y::SWAP,
    y::HAVANNAH,
    y::TEX,
    shannon::VERTICES,
    shannon::EDGES,
    shannon::BRIDGIT,
    sets::IN_A_ROW,
    sets::CUBE,
    sets::SET_COLORING,
    coloring::COLORING,
    nim::NIM,
];

/// The extension of rulesheets.
const EXTENSION: &str = ".kif";

/// The rulesheets of all sizes, as `std:games/y-4.kif`; each game is listed by its usual size.
pub const GENERATOR: Generator = Generator {
    names: || GAMES.iter().map(|game| format!("{FOLDER}{}{EXTENSION}", game.sized(game.form.usual))).collect(),
    text: |path| {
        let name = path.strip_prefix(FOLDER)?.strip_suffix(EXTENSION)?;
        Some(rules(name)?.map_err(|refused| refused.to_string()))
    },
};

impl FamilyGame {
    /// The name of the game of a size.
    pub fn sized(&self, size: &[usize]) -> String {
        format!("{}-{}", self.name, self.form.text(size))
    }

    /// The rulesheet of a size, as a file in `rules/games/` that includes what games share.
    ///
    /// # Errors
    ///
    /// [`NoSuchGame`] if there is no game of this size.
    pub fn rules(&self, size: &[usize]) -> Result<String, NoSuchGame> {
        let size = self.form.parse(&self.form.text(size))?;
        (self.rules)(&size)
    }
}

/// The game of a name without size.
pub fn named(name: &str) -> Option<&'static FamilyGame> {
    GAMES.iter().find(|game| game.name == name)
}

/// The game of a name with or without size, and the size.
///
/// `None` if no game has this name.
///
/// # Errors
///
/// [`NoSuchGame`], with the bounds, if what follows the name is no size of the game.
pub fn find(name: &str) -> Option<Result<(&'static FamilyGame, Size), NoSuchGame>> {
    if let Some(game) = named(name) {
        return Some(Ok((game, game.form.usual.to_vec())));
    }
    let sized = GAMES.iter().filter_map(|game| Some((game, name.strip_prefix(game.name)?.strip_prefix('-')?)));
    // Of `hex` and `hex-swap` the longer name: what follows a name begins with a digit.
    let (game, size) = sized.max_by_key(|(game, _)| game.name.len())?;
    let looks_sized = size.starts_with(|first: char| first.is_ascii_digit());
    looks_sized.then(|| {
        let told = |refused: NoSuchGame| NoSuchGame { message: format!("{}: {}", game.name, refused.message) };
        game.form.parse(size).map(|size| (game, size)).map_err(told)
    })
}

/// The rulesheet of a name with or without size; `None` if no game has this name.
///
/// # Errors
///
/// [`NoSuchGame`] if there is no game of this size.
pub fn rules(name: &str) -> Option<Result<String, NoSuchGame>> {
    Some(find(name)?.and_then(|(game, size)| game.rules(&size)))
}
