//! Random playouts, timed: by the rules of a game, or by its net in the fastest mode and at the fastest width.

use cpu_time::ThreadTime;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{Draw, GameError, Playout, PlayoutEnd, StateMachine, StateMachineExt};
use ludolog_propnet::{Lanes, MAX_STEPS, Tally, Width};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Joint moves of an interpreted playout between two looks at the time. Each look also asks for the goals, which adds
/// little to so many moves.
const STRETCH: usize = 100;

/// How to play at random.
pub struct Play {
    /// The time for which each reasoner plays.
    pub seconds: Duration,
    /// The time that a reasoner may take to get ready, and a playout beyond `seconds`.
    pub timeout: Duration,
    /// The seed of all playouts.
    pub seed: u64,
    /// What stops the run besides its times: interruption, the memory of the process.
    pub limits: Budget,
}

/// What came of some playouts.
pub struct PlayoutCount {
    /// The outcomes.
    pub tally: Tally,
    /// Playouts that were given up: too many moves, terms too large, or patience at its end. Their moves count for no
    /// length.
    pub endless: u64,
    /// The time in which [`Tally::steps`] were made.
    pub wall: Duration,
    /// The processor time of all threads for them.
    pub cpu: Duration,
}

impl PlayoutCount {
    /// Joint moves a CPU-second; `None` if none was made.
    pub fn moves_per_cpu_second(&self) -> Option<f64> {
        per_second(self.tally.steps, self.cpu)
    }

    /// The mean number of joint moves of the playouts that ended; `None` if none has.
    pub fn mean_length(&self) -> Option<f64> {
        (self.tally.playouts > 0).then(|| self.tally.moves as f64 / self.tally.playouts as f64)
    }

    /// Playouts in this time: the joint moves made in it, by the mean length, so that neither playouts under way at the
    /// deadline nor the lanes that wait for the last ones count; where some were given up, whose joint moves led to no end,
    /// the playouts that ended. `None` if none has.
    pub fn playouts_in(&self, time: Duration) -> Option<f64> {
        match self.mean_length()? {
            length if length == 0.0 || self.endless > 0 => per_second(self.tally.playouts, time),
            length => Some(per_second(self.tally.steps, time)? / length),
        }
    }
}

/// This many of something a second; `None` if there is none.
pub fn per_second(count: u64, time: Duration) -> Option<f64> {
    (count > 0 && !time.is_zero()).then(|| count as f64 / time.as_secs_f64())
}

/// Plays on lanes until the budget ends. Playouts that have begun then are played to their ends, unless patience ends
/// before.
pub fn by_net(
    lanes: &Lanes,
    width: Width,
    threads: u64,
    seed: u64,
    budget: &Budget,
    patience: &Budget,
) -> PlayoutCount {
    let wall = Instant::now();
    let play = |thread: u64| {
        let cpu = ThreadTime::now();
        // Seeds of neighboring runs shall not be seeds of neighboring threads.
        let seed = seed.wrapping_add(thread.wrapping_mul(0xD1B5_4A32_D192_ED03));
        let mut times = (Duration::ZERO, Duration::ZERO);
        let tally = width.play_out(lanes, seed, budget, patience, &mut || times = (wall.elapsed(), cpu.elapsed()));
        (tally, times)
    };
    let mut tally = Tally::default();
    let mut passed = Duration::ZERO;
    let mut cpu = Duration::ZERO;
    std::thread::scope(|scope| {
        let play = &play;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || play(thread))).collect();
        for (played, (until, took)) in threads.into_iter().filter_map(|thread| thread.join().ok()) {
            tally.add(&played);
            passed = passed.max(until);
            cpu += took;
        }
    });
    PlayoutCount { endless: tally.endless, tally, wall: passed, cpu }
}

/// Plays on a machine, state by state, until the budget ends. A playout that has begun then is played to its end, since
/// short ones would count for too much otherwise, unless `patience` ends as well.
///
/// # Errors
///
/// [`GameError`], for other reasons than the end of a budget.
pub fn by_machine(
    game: &mut impl StateMachine,
    seed: u64,
    budget: &Budget,
    patience: &Budget,
) -> Result<PlayoutCount, GameError> {
    let wall = Instant::now();
    let cpu = ThreadTime::now();
    game.set_budget(patience.clone());
    let mut draw = Draw::new(seed);
    let roles = game.roles().len();
    let mut goals: Vec<BTreeMap<i64, u64>> = vec![BTreeMap::new(); roles];
    let mut endless = 0;
    let mut tally = Tally { without_goal: vec![0; roles], ..Tally::default() };
    while budget.check().is_ok() {
        let played = match playout(game, &mut draw, patience) {
            Ok(Some(played)) if played.end != PlayoutEnd::MaxSteps => played,
            Ok(None) => break,
            Err(error) if !matches!(error.stopped(), Some(Stopped::TermTooLarge(_))) => return Err(error),
            Ok(Some(_)) | Err(_) => {
                endless += 1;
                continue;
            }
        };
        tally.playouts += 1;
        tally.steps += played.steps as u64;
        tally.moves += played.steps as u64;
        let is_stuck = matches!(played.end, PlayoutEnd::Stuck(_));
        tally.stuck += u64::from(is_stuck);
        for (role, goal) in played.goals.into_iter().enumerate() {
            match goal.filter(|_| !is_stuck) {
                Some(goal) => *goals[role].entry(goal).or_default() += 1,
                None => tally.without_goal[role] += 1,
            }
        }
    }
    tally.goals = goals.into_iter().map(|counts| counts.into_iter().collect()).collect();
    Ok(PlayoutCount { tally, endless, wall: wall.elapsed(), cpu: cpu.elapsed() })
}

/// A random playout; `None` if patience ends before it.
fn playout(game: &mut impl StateMachine, draw: &mut Draw, patience: &Budget) -> Result<Option<Playout>, GameError> {
    let mut state = game.initial_state().clone();
    let mut steps = 0;
    while patience.check().is_ok() {
        let played = match game.playout(&state, STRETCH, |_, legal| legal[draw.below(legal.len())]) {
            Err(GameError::Stopped(stopped)) if stopped.is_out_of_time() => return Ok(None),
            played => played?,
        };
        steps += played.steps;
        if played.end != PlayoutEnd::MaxSteps || steps as u64 >= MAX_STEPS {
            return Ok(Some(Playout { steps, ..played }));
        }
        state = played.state;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes that never end make joint moves without a playout: they are in no rate of playouts.
    #[test]
    fn a_rate_is_that_of_playouts_that_ended() {
        let tally = Tally { playouts: 300, steps: 1_000_000_000, moves: 1_500, ..Tally::default() };
        let [wall, cpu] = [2, 3].map(Duration::from_secs);
        let mut played = PlayoutCount { tally, endless: 187, wall, cpu };
        assert_eq!([wall, cpu].map(|time| played.playouts_in(time)), [Some(150.0), Some(100.0)]);
        // All end after five joint moves: those that were under way at the deadline count in part.
        (played.endless, played.tally.steps) = (0, 1_600);
        assert_eq!(played.playouts_in(wall), Some(160.0));
    }
}
