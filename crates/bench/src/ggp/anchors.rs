//! Published rates of other reasoners: playouts a CPU-second, on the machines of their authors.

use crate::fields;
use crate::report::{Fields, Record};

fields! {
    NAME: "name" Plain; // The name of a reasoner with published rates.
    ABOUT: "about" Plain; // What it is, and where it is described.
    PUBLISHED_RATE: "rate" Magnitude; // Playouts a CPU-second.
    LISTING_ALL: "listing_all" Magnitude; // Playouts a CPU-second when all legal moves are listed.
    NO_NET_AFTER: "no_net_after_seconds" Plain; // There was no net after this many seconds.
}

/// A reasoner with published rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name.
    pub name: &'static str,
    /// What it is, and where it is described.
    pub about: &'static str,
}

impl Reference {
    pub(super) fn record(self) -> Record {
        Record::default().with(NAME, self.name).with(ABOUT, self.about)
    }
}

/// The reasoners, in the order of [`Anchors::figures`].
pub const REFERENCES: [Reference; 4] = [
    Reference {
        name: "Sancho 1.61c",
        about: "the propnet of the player Sancho (Draper and Rose), which takes the same rulesheets",
    },
    Reference {
        name: "Regular Boardgames",
        about: "games as regular expressions, compiled to C++; in brackets when all legal moves are listed (Kowalski, Mika, \
                Sutowicz and Szykuła, Regular Boardgames, AAAI 2019; Kowalski and others, Efficient Reasoning in Regular \
                Boardgames, CoG 2020)",
    },
    Reference {
        name: "hand-written C++",
        about: "a program for one game alone (Kowalski and others, Efficient Reasoning in Regular Boardgames, CoG 2020)",
    },
    Reference {
        name: "Java prover",
        about: "the backward-chaining prover of ggp-base (Schreiber and others), which takes the same rulesheets",
    },
];

/// A published figure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PublishedFigure {
    /// Playouts a CPU-second.
    pub rate: Option<f64>,
    /// Playouts a CPU-second when all legal moves are listed.
    pub listing_all: Option<f64>,
    /// There was no net after this many seconds.
    pub no_net_after_seconds: Option<u32>,
}

impl PublishedFigure {
    pub(super) fn record(self) -> Record {
        let record = Record::default().with(PUBLISHED_RATE, self.rate).with(LISTING_ALL, self.listing_all);
        record.with(NO_NET_AFTER, self.no_net_after_seconds)
    }
}

/// The published figures of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchors {
    /// The names of rulesheets of the game, without extension.
    names: &'static [&'static str],
    /// By [`REFERENCES`]: the figure, if one is published.
    pub figures: [Option<PublishedFigure>; 4],
}

/// The figures of the game whose rulesheet has this name; `None` if none are published.
pub fn of(name: &str) -> Option<&'static Anchors> {
    ANCHORS.iter().find(|anchors| anchors.names.contains(&name))
}

const NO_NET: Option<PublishedFigure> =
    Some(PublishedFigure { rate: None, listing_all: None, no_net_after_seconds: Some(70) });

const fn rate(rate: f64) -> Option<PublishedFigure> {
    Some(PublishedFigure { rate: Some(rate), listing_all: None, no_net_after_seconds: None })
}

const fn rates(rate: f64, listing_all: f64) -> Option<PublishedFigure> {
    Some(PublishedFigure { rate: Some(rate), listing_all: Some(listing_all), no_net_after_seconds: None })
}

const fn anchors(names: &'static [&'static str], figures: [Option<PublishedFigure>; 4]) -> Anchors {
    Anchors { names, figures }
}

/// The figures by game. A name of the public repositories comes first, then that of other rulesheets of the same game.
const ANCHORS: [Anchors; 15] = [
    anchors(&["ticTacToe", "tic-tac-toe"], [rate(157e3), rates(3.19e6, 2.32e6), None, rate(1260.0)]),
    anchors(&["connectFour", "connect-four"], [rate(82e3), rates(1.05e6, 749e3), rate(7.43e6), rate(106.0)]),
    anchors(&["breakthrough"], [rate(19.6e3), rate(41.6e3), rate(210e3), rate(16.0)]),
    anchors(&["reversi"], [NO_NET, rate(19.7e3), rate(229e3), None]),
    anchors(&["hex", "hex-9x9"], [NO_NET, rates(74.1e3, 33.7e3), None, rate(3.1)]),
    anchors(&["englishDraughts", "english-draughts"], [rate(6.1e3), rate(67.2e3), rate(293e3), rate(7.3)]),
    anchors(&["amazons_8x8", "amazons-8x8"], [rate(2.6e3), None, None, rate(4.3)]),
    anchors(&["chess_200", "chess-200"], [rate(532.0), rate(933.0), None, None]),
    anchors(&["tictactoe_3d_2player", "tic-tac-toe-3d"], [rate(41e3), None, None, rate(18.0)]),
    anchors(&["pentago"], [rate(12e3), None, None, rate(14.0)]),
    anchors(&["sheepAndWolf", "sheep-and-wolf"], [rate(8e3), None, None, rate(45.0)]),
    anchors(&["lightsOut", "lights-out"], [rate(52e3), None, None, rate(138.0)]),
    anchors(&["knightsTour", "knights-tour"], [rate(538e3), None, None, rate(8200.0)]),
    anchors(&["speedChess", "speed-chess"], [rate(6.5e3), None, None, rate(1.5)]),
    anchors(&["checkers"], [NO_NET, None, None, rate(2.4)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_the_figures_of_all_its_names() {
        assert_eq!(of("tic-tac-toe"), of("ticTacToe"));
        let rates =
            |name| of(name).expect("it is published").figures.map(|figure| figure.and_then(|figure| figure.rate));
        assert_eq!(rates("connectFour"), [Some(82e3), Some(1.05e6), Some(7.43e6), Some(106.0)]);
        assert_eq!(rates("reversi"), [None, Some(19.7e3), Some(229e3), None]);
        assert_eq!(of("nim"), None);
    }

    #[test]
    fn no_name_has_two_games() {
        let mut names: Vec<&str> = ANCHORS.iter().flat_map(|anchors| anchors.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
