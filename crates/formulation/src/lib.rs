//! The formulations: several rule texts for "player P has connected its edges".
//!
//! Each is written naively, as in the founding paper, and left to the optimizer. If one text serves boards of every
//! size, it is a file of `rules/hex/`; otherwise a function generates it. [`ALL`] lists the formulations.
//!
//! * [`compiled`]: the formulations as crepe programs; `engine`: the engine that runs them.
//! * [`LIBRARY`]: all names that begin with `std:`, of files and of generated rules.
//! * [`game`]: formulations as whole games, in GDL.
//! * [`case()`]: positions as cases of programs.
//! * [`winning_sets`]: one rule for each minimal chain.
//! * [`power_set`]: all choices of as many stones as a chain may have.
//! * [`maker_breaker`]: the counts of the Maker-Breaker reading, which rules cannot express.

mod case;
pub mod compiled;
mod engine;
pub mod game;
mod library;
pub mod maker_breaker;
pub mod power_set;
pub mod winning_sets;

pub use case::{case, position_predicates};
use compiled::Compiled;
pub use engine::{CREPE, Crepe};
pub use library::LIBRARY;

use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;
use std::fmt;
use std::str::FromStr;

/// A rule text that derives `win(P)` from a position. It is shown as its name, and read from it.
#[derive(Debug)]
pub struct Formulation {
    /// The name by which users choose it.
    pub name: &'static str,
    /// Its method, in a few words.
    pub title: &'static str,
    text: Text,
    sight: Sight,
    /// Whether it takes the stones as events, one after the other ([`Position::events`]), instead of as facts.
    pub by_events: bool,
    /// The formulation as crepe programs.
    pub compiled: Option<Compiled>,
    /// Whether resolution can run it: no rule is left-recursive.
    pub top_down: bool,
}

#[derive(Debug)]
enum Text {
    /// A file of `rules/hex/`, the same for every board.
    File(&'static str),
    Generated(fn(Board) -> Result<String, TooLarge>),
}

/// The chains that a formulation derives a win from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// All chains.
    Every,
    /// Chains with one cell on each line.
    Straight,
    /// Chains with at most half of the cells of the board.
    Half,
}

/// The rule text of a formulation would be too large for this board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The part that is too large, and the size at which the generator stopped.
    pub message: String,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TooLarge {}

/// The comment at the end of formulations that read the stones of a position.
const OF_POSITION: &str = "\n% The stones are those of a position.\n% ludolog: allow unknown-predicate\n";

/// The rules that all rule files include.
const BOARD_RULES: &str = include_str!("../rules/lib/hex-board.dl");
/// The statement that includes them.
const INCLUDE: &str = ":- include('../lib/hex-board.dl').\n";

/// All formulations, from the most to the least naive.
pub const ALL: &[Formulation] = &[
    Formulation {
        name: "winning-sets",
        title: "all minimal chains, made beforehand",
        text: Text::Generated(winning_sets::text),
        sight: Sight::Every,
        by_events: false,
        compiled: None,
        top_down: true,
    },
    Formulation {
        name: "power-set",
        title: "all choices of n stones, one a line",
        text: Text::Generated(|board| Ok(power_set::text(board))),
        sight: Sight::Straight,
        by_events: false,
        compiled: Some(compiled::POWER_SET),
        top_down: true,
    },
    Formulation {
        name: "power-set-any",
        title: "all choices of n to n·m/2 stones",
        text: Text::Generated(power_set::text_of_any_length),
        sight: Sight::Half,
        by_events: false,
        compiled: None,
        top_down: true,
    },
    Formulation {
        name: "follow-the-line",
        title: "follow the line with a list of visited cells",
        text: Text::File(include_str!("../rules/hex/follow-the-line.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: Some(compiled::FOLLOW_THE_LINE),
        top_down: true,
    },
    Formulation {
        name: "connected",
        title: "all pairs of connected stones",
        text: Text::File(include_str!("../rules/hex/connected.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: Some(compiled::CONNECTED),
        top_down: false,
    },
    Formulation {
        name: "reachability",
        title: "follow the line as plain reachability",
        text: Text::File(include_str!("../rules/hex/reachability.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: Some(compiled::REACHABILITY),
        top_down: false,
    },
    Formulation {
        name: "maker-breaker",
        title: "the opponent cannot join its edges any more",
        text: Text::File(include_str!("../rules/hex/maker-breaker.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: None,
        top_down: false,
    },
    Formulation {
        name: "cluster",
        title: "clusters merged move by move",
        text: Text::File(include_str!("../rules/hex/cluster.dl")),
        sight: Sight::Every,
        by_events: true,
        compiled: Some(compiled::CLUSTER),
        top_down: true,
    },
];

/// The formulation of that name; `None` if there is none.
pub fn named(name: &str) -> Option<&'static Formulation> {
    ALL.iter().find(|formulation| formulation.name == name)
}

impl fmt::Display for Formulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for &'static Formulation {
    type Err = UnknownFormulation;

    fn from_str(name: &str) -> Result<Self, UnknownFormulation> {
        named(name).ok_or(UnknownFormulation)
    }
}

/// No formulation has this name. The message lists the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormulation;

impl fmt::Display for UnknownFormulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the formulations are {}",
            ALL.iter().map(|formulation| formulation.name).collect::<Vec<_>>().join(", ")
        )
    }
}

impl std::error::Error for UnknownFormulation {}

impl Formulation {
    /// The rule file for boards of this size, as in `rules/hex/`.
    ///
    /// # Errors
    ///
    /// [`TooLarge`], when the generated text would be too large for the board.
    pub fn file(&self, board: Board) -> Result<String, TooLarge> {
        match self.text {
            Text::File(text) => Ok(text.to_owned()),
            Text::Generated(generate) => generate(board),
        }
    }

    /// The rule file with the included rules in place of the include.
    ///
    /// # Errors
    ///
    /// As [`file`](Self::file).
    pub fn text(&self, board: Board) -> Result<String, TooLarge> {
        Ok(self.file(board)?.replacen(INCLUDE, BOARD_RULES, 1))
    }

    /// Whether the text depends on the size of the board.
    pub fn is_generated(&self) -> bool {
        matches!(self.text, Text::Generated(_))
    }

    /// The winner that this formulation derives: the [winner](Position::winner), unless it misses the chain.
    pub fn sees(&self, position: &Position) -> Option<Player> {
        let winner = position.winner()?;
        let board = position.board();
        let longest = match self.sight {
            Sight::Every => return Some(winner),
            Sight::Straight => board.lines(winner),
            Sight::Half => power_set::lengths(board, winner).last().copied()?,
        };
        (position.chain(winner)?.len() <= longest).then_some(winner)
    }

    /// Whether its answer is correct for this position.
    pub fn decides(&self, position: &Position) -> bool {
        self.sees(position) == position.winner()
    }
}
