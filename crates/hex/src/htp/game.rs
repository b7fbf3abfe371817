//! Commands that set up a board, play and look at the game.

use super::clock::{Left, Period};
use super::words::{color, color_name};
use super::{HtpAnswer, HtpCommand, HtpSession, MAX_SIDE, RESIGN, SWAP};
use crate::board::{Board, Player};
use crate::draw;
use crate::notation::GameRecord;
use crate::notation::record::{Action, Turn};
use std::time::Duration;

/// The commands, by name.
pub const COMMANDS: &[HtpCommand] = &[
    HtpCommand { name: "boardsize", usage: "COLUMNS [ROWS]", run: boardsize },
    HtpCommand { name: "clear_board", usage: "", run: clear_board },
    HtpCommand { name: "play", usage: "COLOR CELL|swap-pieces|resign", run: play },
    HtpCommand { name: "undo", usage: "", run: undo },
    HtpCommand { name: "genmove", usage: "COLOR", run: genmove },
    HtpCommand { name: "reg_genmove", usage: "COLOR", run: reg_genmove },
    HtpCommand { name: "showboard", usage: "", run: showboard },
    HtpCommand { name: "final_score", usage: "", run: final_score },
    HtpCommand { name: "time_left", usage: "COLOR SECONDS [MOVES]", run: time_left },
    HtpCommand { name: "time_settings", usage: "SECONDS EXTRA_SECONDS EXTRA_MOVES", run: time_settings },
];

fn boardsize(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let (width, height) = match args {
        [side] => (side, side),
        [width, height] => (width, height),
        _ => return None,
    };
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let board = side(width).zip(side(height)).and_then(|(width, height)| Board::new(width, height));
    Some(match board {
        Some(board) => {
            session.begin(board);
            Ok(String::new())
        }
        None => Err(format!("unacceptable size: a side is 1 to {MAX_SIDE}")),
    })
}

fn clear_board(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    args.is_empty().then(|| {
        session.begin(session.record.board());
        Ok(String::new())
    })
}

fn play(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[player, word] = args else { return None };
    let player = color(player)?;
    let record = &mut session.record;
    let action = match word.to_ascii_lowercase().as_str() {
        RESIGN => Ok(Action::Resign),
        SWAP => swap(record, player),
        name => record.board().cell_of_name(name).map(Action::Play).ok_or_else(|| "not on the board".to_owned()),
    };
    let played = action.and_then(|action| record.take(player, action).map_err(|illegal| illegal.to_string()));
    let illegal = |why| format!("illegal move: {} {word} ({why})", color_name(player));
    Some(played.map(|()| String::new()).map_err(illegal))
}

/// A swap answers the first stone, which is the opponent's.
fn swap(record: &GameRecord, player: Player) -> Result<Action, String> {
    match record.position().stones().collect::<Vec<_>>()[..] {
        [(owner, _)] if owner != player && record.nodes().len() == 1 => Ok(Action::SwapPieces),
        _ => Err("only right after the opponent's first stone".to_owned()),
    }
}

fn undo(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    args.is_empty().then(|| match session.record.undo() {
        Some(_) => Ok(String::new()),
        None => Err("cannot undo".to_owned()),
    })
}

/// Chooses a move and plays it, on the player's clock.
fn genmove(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let start = session.budget.now();
    let answer = reg_genmove(session, args)?;
    if let (Ok(name), [player]) = (&answer, args) {
        let player = color(player)?;
        let cell = session.record.board().cell_of_name(name)?;
        if let Err(illegal) = session.record.take(player, Action::Play(cell)) {
            return Some(Err(illegal.to_string()));
        }
        if let (Some(start), Some(end)) = (start, session.budget.now()) {
            session.clock.spend(player, end.saturating_sub(start));
        }
    }
    Some(answer)
}

fn reg_genmove(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[player] = args else { return None };
    let player = color(player)?;
    if let Some(winner) = winner(&session.record) {
        return Some(Err(format!("the game is over: {} has won", color_name(winner))));
    }
    let position = session.record.position();
    let effort = session.effort(player);
    let choice = session.player.choose(&position, player, &effort, &session.budget, &mut session.random);
    // A full board has a winner.
    Some(choice.map(|choice| position.board().name(choice.cell)).ok_or_else(|| "no cell is empty".to_owned()))
}

/// The player who has joined the edges, or whose opponent has resigned.
fn winner(record: &GameRecord) -> Option<Player> {
    record.position().winner().or(record.lost().map(Player::opponent))
}

fn showboard(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    args.is_empty().then(|| {
        let record = &session.record;
        let last = match record.nodes().last().and_then(|node| node.turn) {
            Some(Turn { action: Action::Play(cell), .. }) => Some(cell),
            _ => None,
        };
        Ok(format!("\n{}", draw::to_text(&record.position(), &Vec::from_iter(last), false)))
    })
}

fn final_score(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    args.is_empty().then(|| {
        Ok(match winner(&session.record) {
            Some(Player::Red) => "B+",
            Some(Player::Blue) => "W+",
            None => "cannot score",
        }
        .to_owned())
    })
}

/// Time, and with a number of moves the time for them in overtime.
fn time_left(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let (player, seconds, moves) = match *args {
        [player, seconds] => (color(player)?, seconds, "0"),
        [player, seconds, moves] => (color(player)?, seconds, moves),
        _ => return None,
    };
    let time = duration(seconds)?;
    let left = match moves.parse().ok()? {
        0 => Left::Main(time),
        moves => Left::Overtime(Period { time, moves }),
    };
    session.clock.correct(player, left);
    Some(Ok(String::new()))
}

/// Main time, then a number of moves in each extra time. Extra time without a number of moves is no limit at all.
fn time_settings(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[main, extra, moves] = args else { return None };
    let main = duration(main)?;
    let time = duration(extra)?;
    let moves = moves.parse::<u32>().ok()?;
    let overtime = (!time.is_zero() && moves > 0).then_some(Period { time, moves });
    let has_limit = time.is_zero() || moves > 0;
    session.clock.set(has_limit.then_some(main), overtime);
    Some(Ok(String::new()))
}

fn duration(text: &str) -> Option<Duration> {
    text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}
