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
    let effort = session.clock.effort(player, position.empty_cells().count(), &session.effort);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Effort;
    use ludolog_syntax::budget::{Budget, Clock};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A clock that goes on by a tenth of a second whenever it is read.
    #[derive(Default)]
    struct TickingClock(AtomicU64);

    impl Clock for TickingClock {
        fn now(&self) -> Duration {
            Duration::from_millis(100 * self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    /// The seconds that are planned for Red's next move on 9x9.
    fn planned(session: &HtpSession) -> f64 {
        session.clock.effort(Player::Red, 80, &session.effort).time.expect("a time").as_secs_f64()
    }

    fn send(session: &mut HtpSession, line: &str) {
        let reply = session.answer(line).expect("a command");
        assert!(reply.result.is_ok(), "{line}: {reply}");
    }

    #[test]
    fn the_clock_is_shared_out() {
        let mut session = HtpSession::new(Effort::default(), Budget::unlimited(), 1);
        for (line, expected) in [
            ("time_settings 0 10 0", 5.0),
            ("time_left b 1200", 99.95),
            ("time_left black 12", 0.95),
            ("time_left b 12 4", 2.95),
            ("time_left b 0", 0.0),
            ("time_settings 0 6 3", 1.95),
            ("time_settings 1800 0 0", 149.95),
            ("time_settings 12 0 5", 0.95),
            ("time_settings 12 10 0", 5.0),
        ] {
            send(&mut session, line);
            assert_eq!(planned(&session), expected, "{line}");
        }
        for wrong in ["time_left b -1", "time_left b nan", "time_left x 3", "time_left b 1e99", "time_settings 1 2"] {
            assert!(session.answer(wrong).unwrap().result.is_err(), "{wrong}");
        }
    }

    #[test]
    fn our_own_thinking_is_taken_off() {
        let clock = Arc::new(TickingClock::default());
        let effort = Effort { time: None, playouts: Some(10), ..Effort::default() };
        let mut session = HtpSession::new(effort, Budget::unlimited().with_clock(clock.clone()), 1);
        let mut thought = |lines: &[&str]| {
            lines.iter().for_each(|line| send(&mut session, line));
            // A twelfth of what is left, but for the reserve.
            600.0 - 12.0 * (planned(&session) + 0.05)
        };
        assert_eq!(thought(&["boardsize 4", "time_settings 600 0 0"]).round(), 0.0);
        let before = clock.now();
        let spent = thought(&["genmove b"]);
        let all = (clock.now() - before).as_secs_f64();
        assert!(spent > 0.0 && (all - 0.4..=all).contains(&spent), "{spent} s of {all} s");
        // White's clock, moves of others and moves that are not played cost Black nothing.
        let later = thought(&["genmove w", "reg_genmove b", "undo", "play w d4"]);
        assert!((later - spent).abs() < 1e-6, "{later} s instead of {spent} s");
        assert_eq!(thought(&["clear_board"]).round(), 0.0, "a game begins with all of its time");
    }
}
