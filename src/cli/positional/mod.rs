//! `ludolog positional`: one file a command.

mod matching;
mod show;
mod solve;

use super::{FILES, Failure, Outcome, case, limits};
use clap::{Args, Subcommand};
use ludolog::diagnostic::Sources;
use ludolog::positional::draw;
use ludolog::positional::gdl::{self, NotPositional};
use ludolog::positional::matching::{CoverTarget, MatchingPart};
use ludolog::positional::strong::StrongUnsolved;
use ludolog::positional::{Hypergraph, Player, Point, PointBoard, Position};
use ludolog::propnet::CompiledGame;
use ludolog::syntax::{self, Syntax};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct PositionalArgs {
    #[command(subcommand)]
    command: PositionalCommand,
}

#[derive(Subcommand)]
enum PositionalCommand {
    /// Draw a position, and say what its winning sets are like: how many are open, what they weigh, what is recognized
    Show(show::PositionalShowArgs),
    /// Find out who wins under best play, in the strong game and as Maker and Breaker
    ///
    /// Exit status: 0 when it is found out, 1 when time or memory ran out before, 2 for an error.
    Solve(solve::PositionalSolveArgs),
    /// Find pairs and matching sets that keep a player from winning
    ///
    /// A matching set has a reply to each of its markers, and covers more winning sets than pairs of them could. Exit
    /// status: 0 if a matching is found, 1 if none is, 2 for an error.
    Match(matching::MatchingArgs),
}

pub fn run(args: PositionalArgs) -> Result<Outcome, Failure> {
    match args.command {
        PositionalCommand::Show(args) => show::run(&args),
        PositionalCommand::Solve(args) => solve::run(&args),
        PositionalCommand::Match(args) => matching::run(&args),
    }
}

/// The position that a command is about.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct PositionArgs {
    /// A file of winning sets and marks, as std:positional/triangle.txt, `-` for standard input, or a rulesheet (.kif)
    /// of a game that is positional
    position: Option<PathBuf>,
    /// K in a row on an empty board of M columns and N rows, as in 4x4x4
    #[arg(long, value_name = "MxNxK", value_parser = mnk)]
    mnk: Option<PointBoard>,
    /// The lines of an empty cube of a side in D dimensions, as in 3^3 for 3-D tic-tac-toe
    #[arg(long, value_name = "SIDE^D", value_parser = cube)]
    cube: Option<PointBoard>,
}

/// Who moves first in a position.
#[derive(Args)]
pub struct BeginsArgs {
    /// Let this player move first [default: as the position says, else x]
    #[arg(long, value_name = "PLAYER", value_parser = player)]
    begins: Option<Player>,
}

impl BeginsArgs {
    /// Reads or makes the position, with this player to move.
    pub fn read(&self, position: &PositionArgs) -> Result<Position, Failure> {
        let mut position = position.read()?;
        position.to_move = self.begins.unwrap_or(position.to_move);
        Ok(position)
    }
}

fn mnk(text: &str) -> Result<PointBoard, &'static str> {
    PointBoard::parse_mnk(text).ok_or("write columns, rows and the points of a line, as in 4x5x4")
}

fn cube(text: &str) -> Result<PointBoard, &'static str> {
    PointBoard::parse_cube(text).ok_or("write side and dimensions, as in 3^3")
}

impl PositionArgs {
    /// Reads or makes the position.
    pub fn read(&self) -> Result<Position, Failure> {
        match (&self.position, self.mnk.or(self.cube)) {
            (_, Some(board)) => match board.hypergraph() {
                Ok(game) => Ok(Position::new(game)),
                Err(error) => Err(Failure::Message(error.to_string())),
            },
            (Some(path), None) => read(path),
            (None, None) => unreachable!("clap asks for one of them"),
        }
    }
}

/// Reads a position file, or finds the positional game of a rulesheet.
pub fn read(path: &Path) -> Result<Position, Failure> {
    let mut sources = Sources::new();
    if Syntax::of(path).is_some() {
        return rulesheet(path, &mut sources);
    }
    // The text is not parsed as rules; naming a syntax avoids the error for an unknown extension.
    let position = syntax::open(&FILES, path, Some(Syntax::Datalog), &mut sources);
    let position = position.map_err(Into::into).and_then(|opened| {
        let text = sources.get(opened.source).map_or("", |source| &source.text);
        Position::parse(text, opened.source)
    });
    position.map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))
}

/// Time for the net of a rulesheet and for what is asked of it.
const RULESHEET_TIME: Duration = Duration::from_secs(60);

fn rulesheet(path: &Path, sources: &mut Sources) -> Result<Position, Failure> {
    let budget = limits::budget().with_timeout(RULESHEET_TIME);
    let read = case::read(&[path], None, sources, &budget).map_err(|stopped| case::explain(&stopped))?;
    let analyzed = read.map_err(|wrong| Failure::Diagnostics(Box::new(sources.clone()), wrong))?;
    let compiled =
        CompiledGame::new(&analyzed.stratified, &budget).map_err(|error| Failure::Message(error.to_string()))?;
    gdl::position(&compiled.net, &budget).map_err(|error| match error {
        NotPositional::Stopped(stopped) => case::explain(&stopped),
        NotPositional::Because(_) => Failure::Message(error.to_string()),
    })
}

/// What to say of a game that is not solved.
pub fn explain(unsolved: &StrongUnsolved) -> Failure {
    match unsolved {
        StrongUnsolved::TooManyPoints(points) => Failure::Message(points.to_string()),
        StrongUnsolved::Stopped(stopped) => super::case::explain(stopped),
    }
}

/// The cut-offs of a search, or the means of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Means {
    /// Pairs
    Pairing,
    /// Pairs and the known configurations of matching sets
    #[default]
    Configurations,
    /// Pairs and matching sets of any form
    Search,
}

impl From<Means> for CoverTarget {
    fn from(means: Means) -> CoverTarget {
        match means {
            Means::Pairing => CoverTarget::Pairing,
            Means::Configurations => CoverTarget::Configurations,
            Means::Search => CoverTarget::Search,
        }
    }
}

/// Most parts of a matching that are printed for people.
const MOST_PARTS: usize = 100;

/// The board with the letters of parts as markers, if the game has a board, and a line for each matching set; the number
/// of parts if they are too many to be told apart.
pub fn matching_text(position: &Position, parts: &[MatchingPart]) -> String {
    if parts.len() > MOST_PARTS {
        return format!("{} pairs and matching sets\n", parts.len());
    }
    let mut text = draw::to_text(position, parts).unwrap_or_default();
    let game = position.game();
    for (index, part) in parts.iter().enumerate() {
        let markers = part.markers().into_iter().map(|marker| game.name(marker)).collect::<Vec<_>>().join(" ");
        text += &match part {
            MatchingPart::Pair(_) => format!("{}: pair {markers}\n", draw::letter(index)),
            MatchingPart::Set(_) => format!("{}: matching set {markers}\n", draw::letter(index)),
        };
        let MatchingPart::Set(set) = part else { continue };
        for covering in &set.coverings {
            let [marker, reply] = [covering.marker, covering.reply].map(|point| game.name(point));
            text += &format!("   {marker} → {reply} {}\n", rest_text(game, &covering.rest));
        }
    }
    text
}

fn rest_text(game: &Hypergraph, rest: &[MatchingPart]) -> String {
    let part = |part: &MatchingPart| {
        let markers = part.markers().into_iter().map(|marker| game.name(marker)).collect::<Vec<_>>();
        match part {
            MatchingPart::Pair(_) => format!("({})", markers.join(", ")),
            MatchingPart::Set(_) => format!("[{}]", markers.join(", ")),
        }
    };
    rest.iter().map(part).collect::<Vec<_>>().join(" ")
}

/// Parts as JSON, as in certificates.
pub fn matching_json(game: &Hypergraph, parts: &[MatchingPart]) -> Value {
    let mut name = |&point: &Point| Ok::<_, std::convert::Infallible>(game.name(point).to_owned());
    let parts: Vec<MatchingPart<String>> = parts
        .iter()
        .map(|part| match part.renamed(&mut name) {
            Ok(part) => part,
            Err(never) => match never {},
        })
        .collect();
    json!(parts)
}

/// Parses `x` or `o`.
pub fn player(text: &str) -> Result<Player, &'static str> {
    Player::of_name(text).ok_or("write `x` or `o`")
}
