//! One game in several wordings: what does the formulation of its rules do to a general game player?
//!
//! The founding paper ends with this question. Hex is played by rulesheets that differ in how they tell who has joined their
//! edges ([`GAMES`]): first all of them in lockstep, since only the same game can be compared; then random playouts by
//! every reasoner and optimization; then matches at equal clock between the same player on two wordings.
//!
//! * `rates`: playouts a CPU-second of each wording on each reasoner.
//! * `matches`: the same player on two wordings, or with and without the optimizer.
//! * `answer`: what the figures say, in words.

mod answer;
mod matches;
mod rates;

pub use rates::{LANES, NET};

use crate::environment::Environment;
use crate::monitor::Monitor;
use ludolog_engine::{Budget, EngineDescription};
use ludolog_formulation::game::{GAMES, GameFormulation, ORDINARY};
use ludolog_formulation::shipped::Shipped;
use ludolog_game::{GameError, Interpreted, StateMachine};
use ludolog_hex::board::Board;
use ludolog_logic::analysis::analyze;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::optimize::Optimization;
use ludolog_propnet::{Compiled, Lockstep, Net, NetMachine};
use ludolog_syntax::diagnostic::Sources;
use ludolog_syntax::load;
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Random playouts by which wordings are compared before they are measured.
const COMPARED: u64 = 50;

/// How to measure.
pub struct Setup {
    /// The board.
    pub board: Board,
    /// The engines that interpret the rules.
    pub engines: Vec<&'static EngineDescription>,
    /// The optimizations of the interpreted rules.
    pub optimizations: Vec<Optimization>,
    /// The time for which each reasoner plays at random.
    pub seconds: Duration,
    /// The time that grounding, optimizing and a single playout may take, each.
    pub timeout: Duration,
    /// Matches of each pair of players.
    pub matches: u64,
    /// The time for each move of a match.
    pub play_clock: Duration,
    /// Matches at once.
    pub threads: usize,
    /// The seed of all play.
    pub seed: u64,
    /// What stops the run besides its times: interruption, the memory of the process.
    pub limits: Budget,
}

impl Setup {
    fn budget(&self, time: Duration) -> Budget {
        self.limits.clone().with_timeout(time)
    }

    fn ready(&self) -> Budget {
        self.budget(self.timeout)
    }
}

/// The results of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The benchmark: `formulations`.
    pub benchmark: &'static str,
    /// The environment of the run.
    pub environment: Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// What the figures say, in words.
    pub answer: String,
    /// Columns and rows of the board, as in `4x4`.
    pub board: String,
    /// The time for which each reasoner played.
    pub seconds: f64,
    /// The time for each move of a match.
    pub play_clock_seconds: f64,
    /// The wordings, from the most to the least naive.
    pub formulations: Vec<Row>,
    /// The rates of playouts.
    pub rates: Vec<Rate>,
    /// The pairs of players.
    pub pairings: Vec<Pairing>,
}

/// A wording.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Its name.
    pub formulation: &'static str,
    /// The game, as `ludolog games` takes it.
    pub game: String,
    /// The reason why there is no rulesheet for this board.
    pub error: Option<String>,
    /// Rules and facts of the rulesheet.
    pub rules: Option<usize>,
    /// The reason why it has no net.
    pub no_net: Option<String>,
    /// The number of ground rules.
    pub ground_rules: Option<usize>,
    /// The number of gates.
    pub gates: Option<usize>,
    /// The time of grounding and making the net.
    pub net_seconds: Option<f64>,
    /// Random playouts that were the same as by the ordinary wording.
    pub compared_playouts: u64,
    /// The states in them.
    pub compared_states: u64,
    /// Where it is another game than the ordinary wording.
    pub difference: Option<String>,
}

/// The rate of random playouts of a wording on a reasoner.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// The wording.
    pub formulation: &'static str,
    /// [`LANES`], [`NET`], or the engine that interprets the rules.
    pub reasoner: &'static str,
    /// The optimization of interpreted rules.
    pub optimization: Option<String>,
    /// Whether the rules run as written since the optimized ones took no less work.
    pub kept_as_written: bool,
    /// Playouts a CPU-second: the median, the least and the greatest of the samples.
    pub playouts_per_cpu_second: Option<[f64; 3]>,
    /// The number of samples.
    pub samples: usize,
    /// Rows and heads that the engine looked at and facts that it derived, by joint move.
    pub work_per_move: Option<f64>,
    /// The reason why there is no rate.
    pub reason: Option<String>,
}

impl Rate {
    /// The median; `None` without a rate.
    pub fn median(&self) -> Option<f64> {
        self.playouts_per_cpu_second.map(|[median, ..]| median)
    }
}

/// What differs between the players of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The wording, of rules that become a net where they can.
    Net,
    /// The wording, of interpreted rules.
    Interpreted,
    /// The optimizer, of the same interpreted rules.
    Optimizer,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Net, Kind::Interpreted, Kind::Optimizer];

    /// The kind in words.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Net => "nets",
            Kind::Interpreted => "interpreted",
            Kind::Optimizer => "the optimizer",
        }
    }
}

/// A player of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// The wording of its rules.
    pub formulation: &'static str,
    /// What answers for its rules: `net` or `interpreted`.
    pub reasoner: &'static str,
    /// The optimization of interpreted rules.
    pub optimization: Option<String>,
}

/// The matches of the same player on two sides.
#[derive(Clone, Debug, Serialize)]
pub struct Pairing {
    /// What differs.
    pub kind: Kind,
    /// The player whose score is told.
    pub player: Side,
    /// Its opponent.
    pub opponent: Side,
    /// Matches that have ended; each has had each seat as often, or once more.
    pub matches: usize,
    /// The mean of the player's goals, from 0 to 100.
    pub mean: Option<f64>,
    /// The mean is in this interval with a confidence of 95 % (bootstrap).
    pub confidence_95: Option<[f64; 2]>,
    /// Playouts a second in the search of the player and of its opponent.
    pub playouts_per_second: [Option<f64>; 2],
    /// Late, illegal and missing answers of the player and of its opponent.
    pub faults: [usize; 2],
    /// The reason why no match was played.
    pub reason: Option<String>,
}

impl Pairing {
    /// Whether one of the two is better, as far as the interval tells: by how much the player is above or below 50.
    pub fn is_decided(&self) -> bool {
        self.confidence_95.is_some_and(|[low, high]| low > 50.0 || high < 50.0)
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

    /// Whether some wording turned out to be another game.
    pub fn has_differences(&self) -> bool {
        self.formulations.iter().any(|row| row.difference.is_some())
    }

    /// The rate of a wording on a reasoner, with an optimization if it takes one; `None` if it was not measured.
    pub fn rate(&self, formulation: &str, reasoner: &str, optimization: Option<&str>) -> Option<&Rate> {
        self.rates.iter().find(|rate| {
            (rate.formulation, rate.reasoner, rate.optimization.as_deref()) == (formulation, reasoner, optimization)
        })
    }

    /// Sentences on what is missing, and why.
    pub fn notes(&self) -> Vec<String> {
        let rows = self.formulations.iter().flat_map(|row| {
            let told = [&row.error, &row.no_net, &row.difference].into_iter().flatten();
            told.map(|reason| {
                format!("{}: {}", row.formulation, reason.split_whitespace().collect::<Vec<_>>().join(" "))
            })
        });
        // The same reason for several optimizations is told once.
        let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
        for rate in &self.rates {
            let Some(reason) = &rate.reason else { continue };
            let text = format!("{} on {}: {reason}", rate.formulation, rate.reasoner);
            let optimization = rate.optimization.as_deref().unwrap_or_default();
            match reasons.iter_mut().find(|(other, _)| *other == text) {
                Some((_, optimizations)) => optimizations.push(optimization),
                None => reasons.push((text, vec![optimization])),
            }
        }
        let reasons = reasons.into_iter().map(|(text, optimizations)| match &optimizations[..] {
            [""] => text,
            optimizations => format!("{text} ({})", optimizations.join(", ")),
        });
        let pairings = self.pairings.iter().filter_map(|pairing| {
            Some(format!("{}, {}: {}", pairing.player.formulation, pairing.kind.title(), pairing.reason.as_ref()?))
        });
        rows.chain(reasons).chain(pairings).collect()
    }
}

/// A wording that can be played.
struct Game {
    formulation: &'static GameFormulation,
    program: StratifiedProgram,
    net: Option<Arc<Net>>,
}

/// The run is over before its end.
struct Interrupted;

/// Compares, measures and plays, until the end or an interruption.
pub fn run(setup: &Setup, environment: Environment, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report {
        benchmark: "formulations",
        environment,
        interrupted: false,
        answer: String::new(),
        board: setup.board.to_string(),
        seconds: setup.seconds.as_secs_f64(),
        play_clock_seconds: setup.play_clock.as_secs_f64(),
        formulations: Vec::new(),
        rates: Vec::new(),
        pairings: Vec::new(),
    };
    report.interrupted = measure(setup, &mut report, monitor).is_err();
    report.answer = answer::answer(&report);
    report
}

fn measure(setup: &Setup, report: &mut Report, monitor: &mut Monitor<'_>) -> Result<(), Interrupted> {
    monitor.expect(2 * GAMES.len());
    let mut games = Vec::new();
    for formulation in GAMES {
        begin(monitor, &format!("{}: net", formulation.name))?;
        let (row, game) = prepare(setup, formulation);
        report.formulations.push(row);
        games.extend(game);
    }
    // Rules that have turned out to be another game are not measured.
    let ordinary = games.iter().position(|game| game.formulation.name == ORDINARY.name);
    for game in &games {
        begin(monitor, &format!("{}: lockstep", game.formulation.name))?;
        let row = report.formulations.iter_mut().find(|row| row.formulation == game.formulation.name);
        if let (Some(row), Some(ordinary)) = (row, ordinary) {
            compare(setup, &games[ordinary], game, row);
        }
    }
    games.retain(|game| {
        report.formulations.iter().any(|row| row.formulation == game.formulation.name && row.difference.is_none())
    });
    rates::measure(setup, &games, report, monitor)?;
    matches::play(setup, &games, report, monitor)
}

fn begin(monitor: &mut Monitor<'_>, what: &str) -> Result<(), Interrupted> {
    if monitor.begin(what) { Ok(()) } else { Err(Interrupted) }
}

/// Reads the rulesheet of a wording and makes its net.
fn prepare(setup: &Setup, formulation: &'static GameFormulation) -> (Row, Option<Game>) {
    let mut row = Row { formulation: formulation.name, game: formulation.game(setup.board), ..Row::default() };
    if let Err(error) = formulation.file(setup.board) {
        row.error = Some(error.to_string());
        return (row, None);
    }
    let name = format!("std:games/{}", formulation.file_name(setup.board));
    let loaded = load(&Shipped(HashMap::<PathBuf, String>::new()), &[name], None, &mut Sources::new());
    let program =
        loaded.ok().and_then(|loaded| analyze(&loaded.program).ok()).expect("shipped rules are sound").stratified;
    row.rules = Some(program.program.facts.len() + program.program.rules.len());
    let mut net = None;
    match Compiled::new(&program, &setup.ready()) {
        Ok(compiled) => {
            row.ground_rules = Some(compiled.sizes.ground_rules);
            row.gates = Some(compiled.net.gates());
            row.net_seconds = Some((compiled.grounding + compiled.building).as_secs_f64());
            net = Some(compiled.net);
        }
        Err(none) => row.no_net = Some(none.to_string()),
    }
    (row, Some(Game { formulation, program, net }))
}

/// Plays a wording at random, by all that can answer for it, in lockstep with the ordinary one.
fn compare(setup: &Setup, ordinary: &Game, game: &Game, row: &mut Row) {
    let rules = |game: &Game| -> Result<Box<dyn StateMachine>, GameError> {
        Ok(Box::new(Interpreted::new(&game.program, setup.ready())?))
    };
    let net = |game: &Game| -> Option<Box<dyn StateMachine>> {
        Some(Box::new(NetMachine::new(game.net.as_ref()?, Budget::unlimited())))
    };
    let mut machines: Vec<(&str, Box<dyn StateMachine>)> = Vec::new();
    machines.extend(net(ordinary).or_else(|| rules(ordinary).ok()).map(|machine| (ORDINARY.name, machine)));
    machines.extend(net(game).map(|machine| ("net", machine)));
    machines.extend(rules(game).ok().map(|machine| ("interpreted", machine)));
    if machines.is_empty() {
        return;
    }
    let mut lockstep = Lockstep::of_rulesheets(machines);
    let budget = setup.ready();
    lockstep.set_budget(&budget);
    for number in 0..COMPARED {
        match lockstep.walk(setup.seed.wrapping_add(number), setup.board.len() + 1, &budget) {
            Ok(None) => {}
            Ok(Some(difference)) => {
                row.difference = Some(difference.to_string());
                break;
            }
            // What could be compared until then is told.
            Err(_) => break,
        }
    }
    (row.compared_playouts, row.compared_states) = (lockstep.playouts, lockstep.states);
}
