//! The games there are: a name, the form of its size, and the text of its rulesheet.
//!
//! * [`hex`]: Hex and its variants on boards with four borders.
//! * [`y`]: Y.
//! * [`shannon`]: Shannon switching.
//!
//! A game on a board of a size is named by both, as in `hex-swap-5x4`. Without a size it has its usual one.

pub mod hex;
pub mod shannon;
pub mod y;

use crate::size::{Form, Refused, Size};

/// A game of all its sizes.
#[derive(Debug)]
pub struct Game {
    /// The name, without size.
    pub name: &'static str,
    /// What the game is, in a line.
    pub about: &'static str,
    /// The form of its size.
    pub form: Form,
    /// Writes the rulesheet of a size within the bounds of the form.
    rules: fn(&[usize]) -> Result<String, Refused>,
}

/// All games.
pub const GAMES: &[Game] = &[hex::SWAP, y::Y, shannon::VERTICES];

impl Game {
    /// The name of the game of a size.
    pub fn sized(&self, size: &[usize]) -> String {
        format!("{}-{}", self.name, self.form.text(size))
    }

    /// The rulesheet of a size, as a file in `rules/games/` that includes what games share.
    ///
    /// # Errors
    ///
    /// [`Refused`] if there is no game of this size.
    pub fn rules(&self, size: &[usize]) -> Result<String, Refused> {
        let size = self.form.parse(&self.form.text(size))?;
        (self.rules)(&size)
    }
}

/// The game of a name without size.
pub fn named(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.name == name)
}

/// The game of a name with or without size, and the size.
///
/// `None` if no game has this name.
///
/// # Errors
///
/// [`Refused`], with the bounds, if what follows the name is no size of the game.
pub fn find(name: &str) -> Option<Result<(&'static Game, Size), Refused>> {
    if let Some(game) = named(name) {
        return Some(Ok((game, game.form.usual())));
    }
    let sized = GAMES.iter().filter_map(|game| Some((game, name.strip_prefix(game.name)?.strip_prefix('-')?)));
    // Of `hex` and `hex-swap` the longer name: what follows a name begins with a digit.
    let (game, size) = sized.max_by_key(|(game, _)| game.name.len())?;
    let looks_sized = size.starts_with(|first: char| first.is_ascii_digit());
    looks_sized.then(|| {
        let told = |refused: Refused| Refused { message: format!("{}: {}", game.name, refused.message) };
        game.form.parse(size).map(|size| (game, size)).map_err(told)
    })
}

/// The rulesheet of a name with or without size; `None` if no game has this name.
///
/// # Errors
///
/// [`Refused`] if there is no game of this size.
pub fn rules(name: &str) -> Option<Result<String, Refused>> {
    Some(find(name)?.and_then(|(game, size)| game.rules(&size)))
}
