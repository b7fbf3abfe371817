//! Games by their rulesheets: how many random playouts a CPU-second each reasoner makes on one thread.
//!
//! The reasoners are the rules as they stand (*interpreted*) and the net of the game in each mode of its lanes, at the width
//! that is fastest in a short trial. Rates of one run compare; the published ones beside them ([`anchors`]) come from other
//! machines.

pub mod anchors;

use crate::environment::Environment;
use crate::monitor::Monitor;
use crate::playouts::{Played, TRIAL, Width, by_machine, by_net, fastest};
use anchors::{Figure, REFERENCES, Reference};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, Interpreted};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_propnet::{Compiled, Mode, NotCompiled};
use ludolog_syntax::budget::ThreadClock;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// The name of the reasoner that has no net.
pub const INTERPRETED: &str = "interpreted";

/// Playouts of each lane against which those that are under way at the end are few.
const MANY: u64 = 50;

/// The names of the reasoners, in the order in which they play.
pub fn reasoners() -> impl Iterator<Item = &'static str> {
    [INTERPRETED].into_iter().chain(Mode::ALL.map(Mode::name))
}

/// A rulesheet to measure.
pub struct Game {
    /// The file.
    pub file: String,
    /// The name: that of the file, without extension.
    pub name: String,
    /// The program, or the reason why there is none.
    pub program: Result<StratifiedProgram, String>,
}

/// How to measure.
pub struct Setup {
    /// The time for which each reasoner plays.
    pub seconds: Duration,
    /// The processor time that grounding and the net of a game may take, and the time of a playout by the rules beyond `seconds`.
    pub timeout: Duration,
    /// The seed of all playouts.
    pub seed: u64,
    /// What stops the run besides its times: interruption, the memory of the process.
    pub limits: Budget,
}

/// The results of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The benchmark: `ggp`.
    pub benchmark: &'static str,
    /// The environment of the run.
    pub environment: Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// The time for which each reasoner played.
    pub seconds: f64,
    /// The reasoners whose rates are published.
    pub references: [Reference; 4],
    /// The games, in the order of the arguments.
    pub games: Vec<Row>,
}

/// The results of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the rulesheet.
    pub game: String,
    /// Its file.
    pub file: String,
    /// The reason why it cannot be played.
    pub error: Option<String>,
    /// The reason why it has no net.
    pub no_net: Option<String>,
    /// The number of ground rules.
    pub ground_rules: Option<usize>,
    /// The number of gates.
    pub gates: Option<usize>,
    /// The time of grounding.
    pub grounding_seconds: Option<f64>,
    /// The time of making the net of the ground rules.
    pub net_seconds: Option<f64>,
    /// The mean number of joint moves of a playout: by the rules, or by lanes if they ended many.
    pub mean_length: Option<f64>,
    /// The reasoners that played.
    pub reasoners: Vec<Rate>,
    /// By reference: the published figure.
    pub published: [Option<Figure>; 4],
}

/// The way in which a rate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// By counting playouts.
    Counted,
    /// Joint moves by the mean length: too many playouts of free lanes, whose rounds all cost the same, were under way at the end.
    Estimated,
    /// By counting, but too many playouts of lanes in step, whose rounds cost more and more, were under way at the end.
    AtLeast,
}

/// The rate of a reasoner.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// The reasoner: `interpreted`, or a mode of lanes.
    pub reasoner: &'static str,
    /// Playouts at once.
    pub lanes: usize,
    /// Instructions a round; none if the rules are interpreted.
    pub instructions: Option<usize>,
    /// Playouts that ended.
    pub playouts: u64,
    /// The rate of playouts, if it is known.
    pub playouts_per_cpu_second: Option<f64>,
    /// The way in which it is known.
    pub certainty: Certainty,
    /// The share of rounds in which a lane made a move; none if the rules are interpreted.
    pub busy: Option<f64>,
    /// The reason why there is no rate.
    pub reason: Option<String>,
}

impl Rate {
    fn none(reasoner: &'static str, reason: String) -> Rate {
        Rate {
            reasoner,
            lanes: 0,
            instructions: None,
            playouts: 0,
            playouts_per_cpu_second: None,
            certainty: Certainty::Counted,
            busy: None,
            reason: Some(reason),
        }
    }
}

impl Row {
    fn new(game: &Game) -> Row {
        Row {
            game: game.name.clone(),
            file: game.file.clone(),
            error: None,
            no_net: None,
            ground_rules: None,
            gates: None,
            grounding_seconds: None,
            net_seconds: None,
            mean_length: None,
            reasoners: Vec::new(),
            published: anchors::of(&game.name).map_or([None; 4], |anchors| anchors.figures),
        }
    }

    /// Enters what a reasoner played.
    fn enter(&mut self, reasoner: &'static str, lanes: usize, instructions: Option<usize>, played: &Played) {
        let playouts = played.tally.playouts;
        let certainty = match instructions {
            Some(_) if playouts >= MANY * lanes as u64 => Certainty::Counted,
            Some(_) if reasoner == Mode::Free.name() => Certainty::Estimated,
            Some(_) => Certainty::AtLeast,
            None => Certainty::Counted,
        };
        let rate = match certainty {
            Certainty::Estimated => {
                self.mean_length.zip(played.moves_per_cpu_second()).map(|(length, moves)| moves / length)
            }
            _ => played.playouts_in(played.cpu),
        };
        let rate = rate.filter(|rate| *rate > 0.0);
        if certainty == Certainty::Counted && rate.is_some() {
            self.mean_length = played.mean_length();
        }
        self.reasoners.push(Rate {
            reasoner,
            lanes,
            instructions,
            playouts,
            playouts_per_cpu_second: rate,
            certainty,
            busy: played.tally.busy(),
            reason: rate.is_none().then(|| "too few playouts ended; they may need more time".to_owned()),
        });
    }

    /// What a reasoner did; `None` if it did not play.
    pub fn rate(&self, reasoner: &str) -> Option<&Rate> {
        self.reasoners.iter().find(|rate| rate.reasoner == reasoner)
    }

    /// The fastest reasoner; `None` without a rate.
    pub fn fastest(&self) -> Option<&Rate> {
        let rates = self.reasoners.iter().filter(|rate| rate.playouts_per_cpu_second.is_some());
        rates.max_by(|a, b| {
            a.playouts_per_cpu_second.unwrap_or(0.0).total_cmp(&b.playouts_per_cpu_second.unwrap_or(0.0))
        })
    }

    /// Sentences on what is missing.
    pub fn notes(&self) -> Vec<String> {
        let of_row = self.error.iter().chain(&self.no_net).cloned();
        let of_reasoners =
            self.reasoners.iter().filter_map(|rate| Some(format!("{}: {}", rate.reasoner, rate.reason.as_ref()?)));
        of_row.chain(of_reasoners).collect()
    }
}

impl Report {
    /// The report as indented JSON.
    ///
    /// # Panics
    ///
    /// Never: a report has only string keys.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has only string keys") + "\n"
    }

    /// Whether a rulesheet could not be played.
    pub fn has_errors(&self) -> bool {
        self.games.iter().any(|row| row.error.is_some())
    }
}

/// The run is over before its end.
struct Interrupted;

/// Measures games, one after the other, until the end or an interruption.
pub fn run(games: &[Game], setup: &Setup, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report {
        benchmark: "ggp",
        environment,
        interrupted: false,
        seconds: setup.seconds.as_secs_f64(),
        references: REFERENCES,
        games: Vec::new(),
    };
    monitor.expect(games.len() * (1 + reasoners().count()));
    for game in games {
        let mut row = Row::new(game);
        let measured = measure(game, setup, &mut row, monitor);
        let is_empty = row.reasoners.is_empty() && row.error.is_none() && row.no_net.is_none() && row.gates.is_none();
        match measured {
            Ok(()) => report.games.push(row),
            Err(Interrupted) => {
                report.games.extend((!is_empty).then_some(row));
                report.interrupted = true;
                break;
            }
        }
    }
    report
}

fn measure(game: &Game, setup: &Setup, row: &mut Row, monitor: &mut Monitor<'_>) -> Result<(), Interrupted> {
    let program = match &game.program {
        Ok(program) => program,
        Err(error) => {
            row.error = Some(error.clone());
            return Ok(());
        }
    };
    let ready = || setup.limits.clone().with_clock(Arc::new(ThreadClock)).with_time(setup.timeout);
    let playing = || setup.limits.clone().with_timeout(setup.seconds);
    let mut begin =
        |what: &str| if monitor.begin(&format!("{}: {what}", game.name)) { Ok(()) } else { Err(Interrupted) };
    begin("net")?;
    let compiled = match Compiled::new(program, &ready()) {
        Ok(compiled) => {
            row.ground_rules = Some(compiled.sizes.ground_rules);
            row.gates = Some(compiled.net.gates());
            row.grounding_seconds = Some(compiled.grounding.as_secs_f64());
            row.net_seconds = Some(compiled.building.as_secs_f64());
            Some(compiled)
        }
        Err(NotCompiled::Stopped(Stopped::Interrupted)) => return Err(Interrupted),
        Err(none @ NotCompiled::NoRoles) => {
            row.error = Some(none.to_string());
            return Ok(());
        }
        Err(none) => {
            row.no_net = Some(none.to_string());
            None
        }
    };
    begin(INTERPRETED)?;
    let patience = setup.limits.clone().with_timeout(setup.seconds + setup.timeout);
    let played = Interpreted::new(program, ready())
        .and_then(|mut machine| by_machine(&mut machine, setup.seed, &playing(), &patience));
    match played {
        Ok(played) => row.enter(INTERPRETED, 1, None, &played),
        Err(GameError::Stopped(Stopped::Interrupted)) => return Err(Interrupted),
        Err(GameError::Stopped(stopped)) => row.reasoners.push(Rate::none(INTERPRETED, stopped.to_string())),
        Err(error) => {
            row.error = Some(error.to_string());
            return Ok(());
        }
    }
    for mode in Mode::ALL {
        let Some(compiled) = &compiled else { break };
        begin(mode.name())?;
        let trial = setup.seconds.min(TRIAL);
        match fastest(&compiled.net, &[mode], &Width::ALL, setup.seed, trial, &ready()) {
            Ok((lanes, width)) => {
                let played = by_net(&lanes, width, 1, setup.seed, &playing(), &patience);
                row.enter(mode.name(), width.lanes(), Some(lanes.instructions()), &played);
            }
            Err(Stopped::Interrupted) => return Err(Interrupted),
            Err(stopped) => row.reasoners.push(Rate::none(mode.name(), stopped.to_string())),
        }
    }
    if monitor.is_interrupted() { Err(Interrupted) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_propnet::Tally;

    fn played(playouts: u64, steps: u64, seconds: u64) -> Played {
        let time = Duration::from_secs(seconds);
        Played {
            tally: Tally { playouts, steps, moves: steps, lane_rounds: 0, ..Tally::default() },
            endless: 0,
            wall: time,
            cpu: time,
        }
    }

    #[test]
    fn playouts_under_way_are_not_lost() {
        let game = Game { file: "reversi.kif".to_owned(), name: "reversi".to_owned(), program: Err(String::new()) };
        let mut row = Row::new(&game);
        row.enter("free", 256, Some(100), &played(3, 9_000, 1));
        assert!(row.fastest().is_none(), "without a length nothing is known");
        row.reasoners.clear();
        row.enter(INTERPRETED, 1, None, &played(4, 40, 2));
        // A playout has ten moves, so 10,000 moves are 1,000 playouts, of which few had time to end.
        row.enter("free", 256, Some(100), &played(256, 10_000, 1));
        row.enter("in-step", 256, Some(100), &played(256, 10_000, 1));
        assert_eq!(row.mean_length, Some(10.0));
        // Fifty of each lane are enough to be counted.
        row.enter("refilled", 256, Some(100), &played(12_800, 12_800 * 9, 2));
        assert_eq!(row.mean_length, Some(9.0));
        let rates = row.reasoners.iter().map(|rate| (rate.playouts_per_cpu_second, rate.certainty));
        let expected = [
            (Some(2.0), Certainty::Counted),
            (Some(1_000.0), Certainty::Estimated),
            (Some(256.0), Certainty::AtLeast),
            (Some(6_400.0), Certainty::Counted),
        ];
        assert_eq!(rates.collect::<Vec<_>>(), expected);
        assert_eq!(row.fastest().map(|rate| rate.reasoner), Some("refilled"));
        row.enter("in-step", 256, Some(100), &played(0, 10_000, 1));
        assert!(row.notes()[0].starts_with("in-step: too few playouts ended"), "{:?}", row.notes());
    }
}
