//! HTP, the Hex Text Protocol, in which HexGui speaks with programs that play.
//!
//! It is the Go Text Protocol, version 2, with the commands of Hex. A command is a line, perhaps with a number in
//! front; `#` begins a comment. The answer is `=` or `?`, the number, a text, and an empty line. Red is `black` here
//! and Blue `white`; edges are `north`, `south`, `west` and `east`.
//!
//! Time is that of `time_settings MAIN EXTRA MOVES`: MAIN seconds for the game, then EXTRA seconds for every MOVES
//! moves; EXTRA 0 is no such overtime, MOVES 0 with an EXTRA no limit. From then on each `genmove` plans with the
//! player's clock, less or more than the [`Effort`]'s time, and takes the time that it needed off it. `time_left` sets
//! one clock right, `boardsize` and `clear_board` restart both.
//!
//! `vc-get-mustplay` lists the cells that a move has to be among. It lists none in a game that is over or decided by
//! connections: whoever cannot be stopped need not move in any cell, and whoever cannot stop it has no cell to move in.
//!
//! A [`HtpSession`] answers lines; reading and writing them is up to the caller. `game` holds the commands that play,
//! `clock` the time for them, `analyze` those that explain.

mod analyze;
mod clock;
mod game;
mod words;

pub(crate) use words::color_name;

use super::board::{Board, Player};
use super::notation::GameRecord;
use super::player::{Effort, HexPlayer};
use super::random::Random;
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::Budget;
use std::fmt;

/// The longest side of a board that the protocol's programs know.
pub const MAX_SIDE: usize = 19;

/// The board that a session begins with.
const DEFAULT_BOARD: Board = Board::new(11, 11).unwrap();

/// A game and the other state that commands change.
#[derive(Debug)]
pub struct HtpSession {
    record: GameRecord,
    player: HexPlayer,
    effort: Effort,
    budget: Budget,
    clock: clock::GameClock,
    random: Random,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtpReply {
    /// The number of the command, if it had one.
    pub id: Option<u64>,
    /// The text of the answer, or of the error.
    pub result: Result<String, String>,
    /// Whether the session is over.
    pub quits: bool,
}

impl fmt::Display for HtpReply {
    /// With the empty line that closes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, text) = match &self.result {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let id = self.id.map_or(String::new(), |id| id.to_string());
        // An empty line would close the answer too early.
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let gap = if text.starts_with('\n') { "\n" } else { " " };
        if lines.is_empty() {
            writeln!(f, "{mark}{id} \n")
        } else {
            writeln!(f, "{mark}{id}{gap}{}\n", lines.join("\n"))
        }
    }
}

type HtpAnswer = Result<String, String>;

/// A command of the protocol.
struct HtpCommand {
    name: &'static str,
    /// The arguments, for the error that they are wrong.
    usage: &'static str,
    /// `None` when the arguments are too few, too many, or not of their kind.
    run: fn(&mut HtpSession, &[&str]) -> Option<HtpAnswer>,
}

/// All commands, by name.
fn commands() -> impl Iterator<Item = &'static HtpCommand> {
    ADMINISTRATION.iter().chain(game::COMMANDS).chain(analyze::COMMANDS)
}

const ADMINISTRATION: &[HtpCommand] = &[
    HtpCommand { name: "name", usage: "", run: |_, args| args.is_empty().then(|| Ok("Ludolog".to_owned())) },
    HtpCommand {
        name: "version",
        usage: "",
        run: |_, args| args.is_empty().then(|| Ok(env!("CARGO_PKG_VERSION").to_owned())),
    },
    HtpCommand { name: "protocol_version", usage: "", run: |_, args| args.is_empty().then(|| Ok("2".to_owned())) },
    HtpCommand {
        name: "list_commands",
        usage: "",
        run: |_, args| {
            let mut names: Vec<&str> = commands().map(|command| command.name).collect();
            names.cold_sort();
            args.is_empty().then(|| Ok(names.join("\n")))
        },
    },
    HtpCommand {
        name: "known_command",
        usage: "COMMAND",
        run: |_, args| match args {
            [name] => Some(Ok(commands().any(|command| command.name == *name).to_string())),
            _ => None,
        },
    },
    HtpCommand { name: QUIT, usage: "", run: |_, args| args.is_empty().then(|| Ok(String::new())) },
];

const QUIT: &str = "quit";

/// The word for a swap, which answers the first stone.
pub(crate) const SWAP: &str = "swap-pieces";

/// The word for giving up.
pub(crate) const RESIGN: &str = "resign";

impl HtpSession {
    /// An empty board; moves are chosen with this effort, by chance from this seed. `budget` has the clock that
    /// measures the time of a move, and may interrupt.
    pub fn new(effort: Effort, budget: Budget, seed: u64) -> HtpSession {
        HtpSession {
            record: GameRecord::new(DEFAULT_BOARD),
            player: HexPlayer::new(DEFAULT_BOARD),
            effort,
            budget,
            clock: clock::GameClock::default(),
            random: Random::new(seed),
        }
    }

    /// Begins a game.
    fn begin(&mut self, board: Board) {
        self.record = GameRecord::new(board);
        self.player = HexPlayer::new(board);
        self.clock.restart();
    }

    /// The effort for the next move of the player: the usual one, or what the clock leaves for it.
    pub fn effort(&self, player: Player) -> Effort {
        self.clock.effort(player, self.record.position().empty_cells().count(), &self.effort)
    }

    /// Answers a line; `None` where there is nothing but a comment.
    pub fn answer(&mut self, line: &str) -> Option<HtpReply> {
        let line: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        let line = line.split('#').next().unwrap_or_default();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let id = words.first().and_then(|word| word.parse().ok());
        if id.is_some() {
            words.remove(0);
        }
        let (name, args) = match (words.split_first(), id) {
            (Some((name, args)), _) => (*name, args),
            (None, None) => return None,
            (None, Some(_)) => {
                return Some(HtpReply { id, result: Err("a number without a command".to_owned()), quits: false });
            }
        };
        let result = match commands().find(|command| command.name == name) {
            Some(command) => (command.run)(self, args).unwrap_or_else(|| {
                let usage = format!("{name} {}", command.usage);
                Err(format!("wrong arguments, use: {}", usage.trim_end()))
            }),
            None => Err("unknown command".to_owned()),
        };
        let quits = name == QUIT && result.is_ok();
        Some(HtpReply { id, result, quits })
    }
}
