//! Commands that set up a board, play and look at the game.

use super::words::{color, color_name};
use super::{Answer, Command, MAX_SIDE, Session};
use crate::board::{Board, Player};
use crate::draw;
use crate::notation::Record;
use crate::notation::record::{Action, Turn};
use crate::player::{self, Effort};
use std::time::Duration;

/// The commands, by name.
pub const COMMANDS: &[Command] = &[
    Command { name: "boardsize", usage: "COLUMNS [ROWS]", run: boardsize },
    Command { name: "clear_board", usage: "", run: clear_board },
    Command { name: "play", usage: "COLOR CELL|swap-pieces|resign", run: play },
    Command { name: "undo", usage: "", run: undo },
    Command { name: "genmove", usage: "COLOR", run: genmove },
    Command { name: "reg_genmove", usage: "COLOR", run: reg_genmove },
    Command { name: "showboard", usage: "", run: showboard },
    Command { name: "final_score", usage: "", run: final_score },
    Command { name: "time_left", usage: "COLOR SECONDS [MOVES]", run: time_left },
    Command { name: "time_settings", usage: "SECONDS EXTRA_SECONDS EXTRA_MOVES", run: time_settings },
];

/// The players' clocks.
#[derive(Clone, Debug, Default)]
pub struct GameClock {
    /// By player: the time left, and for how many moves if that is said.
    left: [Option<(Duration, u32)>; 2],
}

/// A move takes at most 1/`MOVES_PLANNED` of the time left for the game.
const MOVES_PLANNED: u32 = 12;

/// Time kept back for sending commands and answers.
const RESERVE: Duration = Duration::from_millis(50);

impl GameClock {
    /// The effort for a move of the player: the usual one, unless the clock allows less.
    fn effort(&self, player: Player, empty: usize, usual: &Effort) -> Effort {
        let Some((left, moves)) = self.left[player as usize] else { return usual.clone() };
        let moves = match moves {
            // Half of the empty cells would be ours on a full board; few games fill more than a quarter.
            0 => MOVES_PLANNED.max(empty as u32 / 8),
            moves => moves,
        };
        let share = (left / moves.max(1)).saturating_sub(RESERVE);
        Effort { time: Some(usual.time.map_or(share, |time| time.min(share))), ..usual.clone() }
    }
}

fn boardsize(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let (width, height) = match args {
        [side] => (side, side),
        [width, height] => (width, height),
        _ => return None,
    };
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let board = side(width).zip(side(height)).and_then(|(width, height)| Board::new(width, height));
    Some(match board {
        Some(board) => {
            session.record = Record::new(board);
            Ok(String::new())
        }
        None => Err(format!("unacceptable size: a side is 1 to {MAX_SIDE}")),
    })
}

fn clear_board(session: &mut Session, args: &[&str]) -> Option<Answer> {
    args.is_empty().then(|| {
        session.record = Record::new(session.record.board());
        Ok(String::new())
    })
}

fn play(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let &[player, word] = args else { return None };
    let player = color(player)?;
    let record = &mut session.record;
    let action = match word.to_ascii_lowercase().as_str() {
        "resign" => Ok(Action::Resign),
        "swap-pieces" => swap(record, player),
        name => record.board().cell_of_name(name).map(Action::Play).ok_or_else(|| "not on the board".to_owned()),
    };
    let played = action.and_then(|action| record.take(player, action).map_err(|illegal| illegal.to_string()));
    let illegal = |why| format!("illegal move: {} {word} ({why})", color_name(player));
    Some(played.map(|()| String::new()).map_err(illegal))
}

/// A swap answers the first stone, which is the opponent's.
fn swap(record: &Record, player: Player) -> Result<Action, String> {
    match record.position().stones().collect::<Vec<_>>()[..] {
        [(owner, _)] if owner != player && record.nodes().len() == 1 => Ok(Action::SwapPieces),
        _ => Err("only right after the opponent's first stone".to_owned()),
    }
}

fn undo(session: &mut Session, args: &[&str]) -> Option<Answer> {
    args.is_empty().then(|| match session.record.undo() {
        Some(_) => Ok(String::new()),
        None => Err("cannot undo".to_owned()),
    })
}

fn genmove(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let answer = reg_genmove(session, args)?;
    if let (Ok(name), [player]) = (&answer, args) {
        let cell = session.record.board().cell_of_name(name)?;
        if let Err(illegal) = session.record.take(color(player)?, Action::Play(cell)) {
            return Some(Err(illegal.to_string()));
        }
    }
    Some(answer)
}

fn reg_genmove(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let &[player] = args else { return None };
    let player = color(player)?;
    if let Some(winner) = winner(&session.record) {
        return Some(Err(format!("the game is over: {} has won", color_name(winner))));
    }
    let position = session.record.position();
    let effort = session.clock.effort(player, position.empty_cells().count(), &session.effort);
    let choice = player::choose(&position, player, &effort, &session.budget, &mut session.random);
    // A full board has a winner.
    Some(choice.map(|choice| position.board().name(choice.cell)).ok_or_else(|| "no cell is empty".to_owned()))
}

/// The player who has joined the edges, or whose opponent has resigned.
fn winner(record: &Record) -> Option<Player> {
    record.position().winner().or(record.lost().map(Player::opponent))
}

fn showboard(session: &mut Session, args: &[&str]) -> Option<Answer> {
    args.is_empty().then(|| {
        let record = &session.record;
        let last = match record.nodes().last().and_then(|node| node.turn) {
            Some(Turn { action: Action::Play(cell), .. }) => Some(cell),
            _ => None,
        };
        Ok(format!("\n{}", draw::to_text(&record.position(), &Vec::from_iter(last), false)))
    })
}

fn final_score(session: &mut Session, args: &[&str]) -> Option<Answer> {
    args.is_empty().then(|| {
        Ok(match winner(&session.record) {
            Some(Player::Red) => "B+",
            Some(Player::Blue) => "W+",
            None => "cannot score",
        }
        .to_owned())
    })
}

fn time_left(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let (player, seconds, moves) = match *args {
        [player, seconds] => (color(player)?, seconds, "0"),
        [player, seconds, moves] => (color(player)?, seconds, moves),
        _ => return None,
    };
    session.clock.left[player as usize] = Some((duration(seconds)?, moves.parse().ok()?));
    Some(Ok(String::new()))
}

/// Main time, then a number of moves in each extra time; without extra moves but with extra time there is no limit.
fn time_settings(session: &mut Session, args: &[&str]) -> Option<Answer> {
    let &[main, extra, moves] = args else { return None };
    let (main, extra, moves) = (duration(main)?, duration(extra)?, moves.parse::<u32>().ok()?);
    let left = match (main.is_zero(), moves) {
        (_, 0) if !extra.is_zero() => None,
        (true, 1..) => Some((extra, moves)),
        _ => Some((main, 0)),
    };
    session.clock.left = [left; 2];
    Some(Ok(String::new()))
}

fn duration(text: &str) -> Option<Duration> {
    text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::budget::Budget;

    #[test]
    fn the_clock_is_shared_out() {
        let usual = Effort { time: Some(Duration::from_secs(5)), playouts: None, nodes: 1 };
        let mut session = Session::new(usual.clone(), Budget::unlimited(), 1);
        let mut time = |line: &str| {
            assert!(session.answer(line).unwrap().result.is_ok(), "{line}");
            session.clock.effort(Player::Red, 80, &usual).time.unwrap().as_millis()
        };
        assert_eq!(time("time_left b 1200"), 5000);
        assert_eq!(time("time_left black 12"), 950);
        assert_eq!(time("time_left b 12 4"), 2950);
        assert_eq!(time("time_left b 0"), 0);
        assert_eq!(time("time_settings 0 6 3"), 1950);
        assert_eq!(time("time_settings 0 10 0"), 5000);
        for wrong in ["time_left b -1", "time_left b nan", "time_left x 3", "time_left b 1e99", "time_settings 1 2"] {
            assert!(session.answer(wrong).unwrap().result.is_err(), "{wrong}");
        }
    }
}
