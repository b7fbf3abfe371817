//! The players' clocks.
//!
//! A clock has main time, then perhaps overtime: periods in each of which a number of moves is to be made (Canadian
//! overtime, the only one that the protocol knows). The time that we think for a player is taken off that player's
//! clock; a `time_left` sets it right, since the one who keeps the time counts more than thinking.

use crate::board::Player;
use crate::player::Effort;
use std::time::Duration;

/// The players' clocks; without limit until [`set`](GameClock::set) or [`correct`](GameClock::correct) is called.
#[derive(Clone, Debug, Default)]
pub struct GameClock {
    /// The time that each player begins a game with.
    main: Option<Duration>,
    overtime: Option<Period>,
    /// By player, what is left.
    left: [Option<Left>; 2],
}

/// A time for a number of moves, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The time.
    pub time: Duration,
    /// The moves to be made in it.
    pub moves: u32,
}

impl Period {
    /// The same time for each move.
    fn per_move(self) -> Duration {
        self.time / self.moves.max(1)
    }
}

/// The time that a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// For the game, or until overtime.
    Main(Duration),
    /// For this period of overtime.
    Overtime(Period),
}

/// A move takes at most 1/`MOVES_PLANNED` of the main time left.
const MOVES_PLANNED: u32 = 12;

/// Time kept back for sending commands and answers.
const RESERVE: Duration = Duration::from_millis(50);

impl GameClock {
    /// Sets both clocks to main time and overtime; no main time is no limit.
    pub fn set(&mut self, main: Option<Duration>, overtime: Option<Period>) {
        (self.main, self.overtime) = (main, overtime);
        self.restart();
    }

    /// Sets both clocks to the beginning of a game.
    pub fn restart(&mut self) {
        self.left = [self.main.map(Left::Main); 2];
    }

    /// Sets the player's clock.
    pub fn correct(&mut self, player: Player, left: Left) {
        self.left[player as usize] = Some(left);
    }

    /// Takes the time of a move off the player's clock. A clock at zero stays there.
    pub fn spend(&mut self, player: Player, time: Duration) {
        let left = match self.left[player as usize] {
            None => return,
            Some(Left::Main(main)) => match (main.checked_sub(time), self.overtime) {
                (Some(rest), _) => Left::Main(rest),
                (None, None) => Left::Main(Duration::ZERO),
                (None, Some(period)) => self.after_move(period, time - main),
            },
            Some(Left::Overtime(period)) => self.after_move(period, time),
        };
        self.left[player as usize] = Some(left);
    }

    /// The time left after a move in this period. After its last move the next one begins.
    fn after_move(&self, period: Period, time: Duration) -> Left {
        let rest = Period { time: period.time.saturating_sub(time), moves: period.moves.saturating_sub(1) };
        match rest.moves {
            // Where only `time_left` told of a period, the next one is not known: the rest of this one has to do.
            0 => Left::Overtime(self.overtime.unwrap_or(Period { moves: 1, ..rest })),
            _ => Left::Overtime(rest),
        }
    }

    /// The effort for a move of the player with that many empty cells: the usual one without a clock; with one, what it
    /// allows, be it less or more than usual.
    pub fn effort(&self, player: Player, empty: usize, usual: &Effort) -> Effort {
        let share = match self.left[player as usize] {
            None => return usual.clone(),
            Some(Left::Main(main)) => {
                // Half of the empty cells would be ours on a full board; few games fill more than a quarter.
                let moves = MOVES_PLANNED.max(empty as u32 / 8);
                // The end of main time is no end where a period follows it.
                (main / moves).max(self.overtime.map_or(Duration::ZERO, Period::per_move))
            }
            Some(Left::Overtime(period)) => period.per_move(),
        };
        Effort { time: Some(share.saturating_sub(RESERVE)), ..usual.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Effort = Effort { time: Some(Duration::from_secs(5)), playouts: None, nodes: 1 };

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// The milliseconds for Red's next move, with 80 empty cells.
    fn planned(clock: &GameClock) -> u128 {
        clock.effort(Player::Red, 80, &USUAL).time.expect("a time").as_millis()
    }

    #[test]
    fn main_time_is_counted_down() {
        let mut clock = GameClock::default();
        assert_eq!(planned(&clock), 5000);
        clock.spend(Player::Red, seconds(3));
        assert_eq!(planned(&clock), 5000, "nothing is taken off where there is no clock");
        clock.set(Some(seconds(60)), None);
        assert_eq!(planned(&clock), 60_000 / 12 - 50);
        clock.spend(Player::Red, seconds(12));
        clock.spend(Player::Blue, seconds(40));
        assert_eq!(planned(&clock), 48_000 / 12 - 50);
        clock.correct(Player::Red, Left::Main(seconds(36)));
        assert_eq!(planned(&clock), 36_000 / 12 - 50);
        clock.spend(Player::Red, seconds(37));
        assert_eq!(planned(&clock), 0);
        clock.restart();
        assert_eq!(planned(&clock), 60_000 / 12 - 50);
        clock.set(None, None);
        assert_eq!(planned(&clock), 5000);
    }

    #[test]
    fn overtime_follows_main_time() {
        let mut clock = GameClock::default();
        clock.set(Some(seconds(60)), Some(Period { time: seconds(30), moves: 3 }));
        // A twelfth of the main time is less than a move of overtime has.
        assert_eq!(planned(&clock), 10_000 - 50);
        clock.spend(Player::Red, seconds(58));
        assert_eq!(planned(&clock), 10_000 - 50);
        // Two seconds of main time, then eight of the period; 22 are left for two moves.
        clock.spend(Player::Red, seconds(10));
        assert_eq!(clock.left[0], Some(Left::Overtime(Period { time: seconds(22), moves: 2 })));
        assert_eq!(planned(&clock), 11_000 - 50);
        clock.spend(Player::Red, seconds(20));
        assert_eq!(planned(&clock), 2000 - 50);
        // The third move of the period: the next one begins, whatever was left.
        clock.spend(Player::Red, seconds(1));
        assert_eq!(clock.left[0], Some(Left::Overtime(Period { time: seconds(30), moves: 3 })));
        assert_eq!(clock.left[1], Some(Left::Main(seconds(60))));
    }
}
