//! `ludolog hex`: one file a command.

mod connections;
mod convert;
mod evaluate;
mod htp;
mod inferior;
mod matches;
mod play;
mod random;
mod show;
mod solve;
mod templates;

use super::case::{duration, read_game};
use super::{Failure, Outcome, limits, verify};
use clap::{Args, Subcommand};
use cpu_time::ProcessTime;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::family::games::{self, FamilyGame, boards::CYLINDER, y::Y};
use ludolog::hex::board::Board;
use ludolog::hex::cells::MAX_CELLS;
use ludolog::hex::notation::{GameRecord, ReadGame};
use ludolog::hex::player::Effort;
use ludolog::hex::position::Position;
use ludolog::syntax::budget::{Clock, SystemClock};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Args)]
pub struct HexArgs {
    #[command(subcommand)]
    command: HexCommand,
}

#[derive(Subcommand)]
enum HexCommand {
    /// Print a random position, the same for the same seed
    Random(random::RandomArgs),
    /// Write a game in another notation: SGF, HexWorld link or position
    Convert(convert::HexConvertArgs),
    /// Draw a position and say who has won; a winning chain is marked
    Show(show::HexShowArgs),
    /// Choose a move, and say why
    Play(play::HexPlayArgs),
    /// Speak HTP, the protocol of HexGui, on standard input and output
    ///
    /// Once `time_settings` or `time_left` has set a player's clock, moves are planned from it, be it less or more than
    /// --play-clock: a share of the main time left, or of the period in overtime. The time of each `genmove` is taken
    /// off the clock; `time_left` sets it right; a new game begins with all of its time.
    Htp(htp::HtpArgs),
    /// Play a match between two programs that speak HTP, and say which is stronger
    ///
    /// A program that ends, is silent or plays an illegal move loses that game, and is started again for the next one.
    Match(matches::HexMatchArgs),
    /// Find out who wins under best play, and prove it
    ///
    /// Exit status: 0 when all that was asked is answered, 1 when time ran out before, 2 for an error.
    Solve(solve::HexSolveArgs),
    /// Check a proof that a player wins
    #[command(hide = true)]
    Verify(verify::VerifyArgs),
    /// Say who stands better, and which cells matter: five evaluations and their heat maps
    Evaluate(evaluate::EvaluateArgs),
    /// List what is virtually connected, by the AND and OR rules or by exact search, and show why
    ///
    /// Exit status: 0, or with --between 0 where there is a connection and 1 where none was found; 2 on error.
    Connections(connections::ConnectionsArgs),
    /// List the connections to an edge that are known beforehand, with pictures, carriers and proofs; find others
    ///
    /// A template is a red stone, or the top, and a carrier, marked in the picture, within which Red joins it to the bottom
    /// though Blue moves first. `hex connections`, the solver and the player begin with them, along all edges and for both players.
    Templates(templates::TemplatesArgs),
    /// Find cells whose color does not matter, or where a player need not move
    Inferior(inferior::InferiorArgs),
}

pub fn run(args: HexArgs) -> Result<Outcome, Failure> {
    match args.command {
        HexCommand::Random(args) => random::run(&args),
        HexCommand::Convert(args) => convert::run(&args),
        HexCommand::Show(args) => show::run(&args),
        HexCommand::Play(args) => play::run(&args),
        HexCommand::Htp(args) => htp::run(&args),
        HexCommand::Match(args) => matches::run(&args),
        HexCommand::Solve(args) => solve::run(&args),
        HexCommand::Verify(args) => verify::run(&args),
        HexCommand::Evaluate(args) => evaluate::run(&args),
        HexCommand::Connections(args) => connections::run(&args),
        HexCommand::Templates(args) => templates::run(&args),
        HexCommand::Inferior(args) => inferior::run(&args),
    }
}

/// Calls a function with the least width of cell sets that the board fits in.
macro_rules! by_width {
    ($board:expr, $function:ident($($argument:expr),*)) => {
        ludolog::hex::by_width!($board.len(), W => $function::<W>($($argument),*))
            .unwrap_or_else(|| Err($crate::cli::hex::too_large($board)))
    };
}
use by_width;

fn too_large(board: Board) -> Failure {
    Failure::Message(format!("a board of {board} is too large; the limit is {MAX_CELLS} cells, and 19x19 has 361"))
}

/// The help for an argument that [`position_argument`] reads.
const POSITION_HELP: &str = "A position file, as std:positions/p9.txt, an SGF file, a HexWorld link, `-` for standard input, or NxM, an empty board";

/// The position that an argument names; see [`POSITION_HELP`]. Warnings are shown.
pub fn position_argument(text: &str) -> Result<Position, Failure> {
    Ok(game_argument(text)?.position())
}

/// As [`position_argument`], or the empty board of a cylinder or triangle by the name of its game.
pub fn board_or_position_argument(text: &str) -> Result<Position, Failure> {
    let is_of = |name: &str| text.strip_prefix(name).is_some_and(|size| size.starts_with('-'));
    let board = match games::find(text) {
        Some(Ok((game, size))) if game.name == CYLINDER.name => Board::cylinder(size[0], size[1]),
        Some(Ok((game, size))) if game.name == Y.name => Board::triangle(size[0]),
        Some(Err(refused)) if is_of(CYLINDER.name) || is_of(Y.name) => return Err(Failure::Message(refused.message)),
        _ => return position_argument(text),
    };
    board.map(Position::new).ok_or_else(|| Failure::Message(format!("{text} is no board")))
}

/// What names of games [`board_or_position_argument`] reads besides.
const BOARD_HELP: &str = "hex-cylinder-NxM, one around a cylinder, or y-N, the triangle of Y";

/// As [`position_argument`], with the whole game.
fn game_argument(text: &str) -> Result<GameRecord, Failure> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if text.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height)) {
        let board = text.parse::<Board>();
        return board.map(GameRecord::new).map_err(|help| Failure::Message(format!("no board size: {text}; {help}")));
    }
    let is_other_board = |game: &FamilyGame| [CYLINDER.name, Y.name].contains(&game.name);
    if !Path::new(text).exists()
        && games::find(text).is_some_and(|found| found.is_ok_and(|(game, _)| is_other_board(game)))
    {
        let message = format!("`{text}` is no rhombus, and this command takes boards that are; `hex solve` takes it");
        return Err(Failure::Message(message));
    }
    let mut sources = Sources::new();
    match read_game(text.as_ref(), &mut sources) {
        Ok(ReadGame { record, warnings, .. }) => {
            super::show(&sources, &warnings);
            Ok(record)
        }
        Err(wrong) => Err(Failure::Diagnostics(Box::new(sources), wrong)),
    }
}

/// The processor time of this process, all threads together.
struct ProcessClock;

impl Clock for ProcessClock {
    fn now(&self) -> Duration {
        ProcessTime::now().as_duration()
    }
}

/// The effort for a move.
#[derive(Args)]
struct EffortArgs {
    /// The time for each move (seconds, or as in 500ms, 5s); in HTP only until a game clock is set
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    play_clock: Duration,
    /// Number of random games for a move instead, the same on every machine
    #[arg(long, value_name = "N")]
    playouts: Option<u64>,
    /// Measure the time for moves in processor time: for comparing players on a machine that has other work
    #[arg(long)]
    cpu_time: bool,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl EffortArgs {
    /// A budget for moves, whose time the effort limits.
    fn budget(&self) -> Budget {
        let clock: Arc<dyn Clock> =
            if self.cpu_time { Arc::new(ProcessClock) } else { Arc::new(SystemClock::default()) };
        limits::memory().with_clock(clock)
    }

    fn effort(&self) -> Effort {
        let time = self.playouts.is_none().then_some(self.play_clock);
        Effort { time, playouts: self.playouts, ..Effort::default() }
    }
}
