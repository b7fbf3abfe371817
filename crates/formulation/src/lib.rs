//! The formulations: several ways to say "P has joined its edges" in rules.
//!
//! Each is a text in the founding paper's naive wording, for the optimizer to improve: a file of `rules/hex/` where one
//! text serves boards of every size, the work of a generator where it does not. [`ALL`] lists them.
//!
//! * [`compiled`]: the same as crepe programs; `engine`: the engine that runs them.
//! * [`case`]: positions as cases of programs.
//! * [`winning_sets`]: all minimal chains, made beforehand.
//! * [`power_set`]: all choices of as many stones as a chain may have.
//! * [`maker_breaker`]: what cannot be said in rules about the Maker-Breaker reading, namely counting.

mod case;
pub mod compiled;
mod engine;
pub mod maker_breaker;
pub mod power_set;
pub mod winning_sets;

pub use case::case;
use compiled::Compiled;
pub use engine::{CREPE, Crepe, ENGINES};

use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;

/// One way to say who has won.
#[derive(Debug)]
pub struct Formulation {
    pub name: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
    text: Text,
    sight: Sight,
    /// Whether it wants the stones as events, one after the other ([`Position::events`]), instead of as facts.
    pub by_events: bool,
    /// The same as programs for crepe.
    pub compiled: Option<Compiled>,
    /// Whether resolution can run it: nothing in it calls itself before anything else.
    pub top_down: bool,
}

#[derive(Debug)]
enum Text {
    /// A file of `rules/hex/`, the same for every board.
    File(&'static str),
    Generated(fn(Board) -> Result<String, TooLarge>),
}

/// Which chains a formulation can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Every,
    /// With one cell on each line.
    Straight,
    /// On no more than half of the cells.
    Half,
}

/// The rule text of a formulation would be too large for this board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of, and where the generator stopped.
    pub message: String,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TooLarge {}

/// What all rule files share, and how they ask for it.
const BOARD_RULES: &str = include_str!("../rules/lib/hex-board.dl");
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
        compiled: Some(compiled::power_set::COMPILED),
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
        compiled: Some(compiled::follow_the_line::COMPILED),
        top_down: true,
    },
    Formulation {
        name: "connected",
        title: "all pairs of connected stones",
        text: Text::File(include_str!("../rules/hex/connected.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: Some(compiled::connected::COMPILED),
        top_down: false,
    },
    Formulation {
        name: "reachability",
        title: "follow the line as plain reachability",
        text: Text::File(include_str!("../rules/hex/reachability.dl")),
        sight: Sight::Every,
        by_events: false,
        compiled: Some(compiled::reachability::COMPILED),
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
        compiled: Some(compiled::connected::CLUSTERS),
        top_down: true,
    },
];

/// The formulation of that name.
pub fn named(name: &str) -> Option<&'static Formulation> {
    ALL.iter().find(|formulation| formulation.name == name)
}

impl Formulation {
    /// The rule file for boards of this size, as it stands or would stand in `rules/hex/`.
    pub fn file(&self, board: Board) -> Result<String, TooLarge> {
        match self.text {
            Text::File(text) => Ok(text.to_owned()),
            Text::Generated(generate) => generate(board),
        }
    }

    /// The same as one text that includes nothing.
    pub fn text(&self, board: Board) -> Result<String, TooLarge> {
        Ok(self.file(board)?.replacen(INCLUDE, BOARD_RULES, 1))
    }

    /// Whether the text depends on the size of the board.
    pub fn is_generated(&self) -> bool {
        matches!(self.text, Text::Generated(_))
    }

    /// Who this formulation says has won: the [winner](Position::winner), unless it cannot see the chain.
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

    /// Whether its answer is the truth about this position.
    pub fn decides(&self, position: &Position) -> bool {
        self.sees(position) == position.winner()
    }
}
