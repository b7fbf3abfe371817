//! One game in several wordings: what does the formulation of its rules do to a general game player?
//!
//! The founding paper ends with this question. Hex is played by rulesheets that differ in how they tell who has joined
//! their edges ([`GAMES`]): first all of them in lockstep, since only the same game can be compared; then random
//! playouts by every reasoner and optimization; then matches at equal clock between the same player on two wordings.
//!
//! * `rates`: playouts a CPU-second of each wording on each reasoner.
//! * `matches`: the same player on two wordings, or with and without the optimizer.
//! * `page`: the tables and plots.
//! * `answer`: what the figures say, in words.

mod answer;
mod matches;
mod page;
mod rates;

use crate::fields;
use crate::monitor::{Interrupted, Monitor};
use crate::playouts::Play;
use crate::report::fields::*;
use crate::report::{Benchmark, Fields, Record, Report};
use ludolog_engine::{Budget, ENGINES};
use ludolog_formulation::LIBRARY;
use ludolog_formulation::game::{GAMES, GameFormulation, ORDINARY};
use ludolog_game::{GameError, Interpreted, StateMachine};
use ludolog_hex::board::Board;
use ludolog_logic::analysis::analyze;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_logic::optimize::Optimization;
use ludolog_propnet::{CompiledGame, Lockstep, Net, NetMachine};
use ludolog_syntax::diagnostic::Sources;
use ludolog_syntax::load;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Random playouts by which wordings are compared before they are measured.
const COMPARED: u64 = 50;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "formulations",
    heading: "Does the wording of its rules matter to a player?",
    lead: |report| report.results.told(ANSWER),
    method: |report| {
        format!(
            "First all wordings were played in lockstep: what is compared is the same game. Then each reasoner played at random for {} s \
             on one thread, in five turns between which all others had theirs; a rate is the median of the five, by processor time, \
             with their range. Matches are between two equal tree searches that differ in the rules they run; seats change after each, \
             clocks count processor time ({} a move), and the interval of a score is that of a bootstrap over matches, of 95 % confidence.",
            report.results.told(PLAYED_FOR),
            report.results.told(PLAY_CLOCK)
        )
    },
    text: page::text,
    sections: page::sections,
};

fields! {
    ANSWER: "answer" Plain; // What the figures say, in words.
    BOARD: "board" Plain; // Columns and rows of the board, as in `4x4`.
    PLAY_CLOCK: "play_clock_seconds" Seconds; // The time for each move of a match.
    FORMULATIONS: "formulations" List; // The wordings, from the most to the least naive.
    RATES: "rates" List; // Rates of playouts.
    PAIRINGS: "pairings" List; // Pairs of players.

    RULES: "rules" Magnitude; // Rules and facts of the rulesheet.
    COMPARED_PLAYOUTS: "compared_playouts" Plain; // Random playouts that were the same as by the ordinary wording.
    COMPARED_STATES: "compared_states" Plain; // The states in them.
    DIFFERENCE: "difference" Plain; // Where it is another game than the ordinary wording.
}

// A wording.
fields! {
    ROW =
        FORMULATION GAME ERROR RULES NO_NET GROUND_RULES GATES NET_TIME COMPARED_PLAYOUTS COMPARED_STATES
        DIFFERENCE
}

fields! {
    // Whether the rules run as written since the optimized ones took no less work.
    KEPT_AS_WRITTEN: "kept_as_written" Plain;
    // Rows and heads that the engine looked at and facts that it derived, by joint move.
    WORK: "work_per_move" Magnitude;
}

// The rate of a wording on [`LANES`](rates::LANES), [`NET`](rates::NET), or an engine under an optimization: the
// median, the least and the greatest of the samples.
fields! { RATE_ROW = FORMULATION REASONER OPTIMIZATION KEPT_AS_WRITTEN RATE SAMPLES WORK REASON }

fields! {
    KIND: "kind" Plain; // What differs between the players of a pair.
    PLAYER: "player" Plain; // The player whose score is told.
    OPPONENT: "opponent" Plain;
    MATCHES: "matches" Plain; // Matches that have ended; each has had each seat as often, or once more.
    MEAN: "mean" Decimals(0); // The mean of the player's goals, from 0 to 100.
    CONFIDENCE: "confidence_95" Decimals(0); // The mean is in this interval with a confidence of 95 % (bootstrap).
    SEARCH_RATES: "playouts_per_second" Plain; // Playouts a second in the search of the player and of its opponent.
    FAULTS: "faults" Plain; // Late, illegal and missing answers of the player and of its opponent.
}

// A pair of players.
fields! { PAIRING = KIND PLAYER OPPONENT MATCHES MEAN CONFIDENCE SEARCH_RATES FAULTS REASON }

/// What differs is the wording, of rules that become a net where they can.
const NETS: &str = "net";
/// What differs is the wording, of interpreted rules.
const INTERPRETED: &str = "interpreted";
/// What differs is the optimizer, of the same interpreted rules.
const OPTIMIZER: &str = "optimizer";

/// What can differ between the players of a pair, with titles.
const KINDS: [(&str, &str); 3] = [(NETS, "nets"), (INTERPRETED, "interpreted"), (OPTIMIZER, "the optimizer")];

fn title(kind: &str) -> &'static str {
    KINDS.iter().find(|(name, _)| *name == kind).map_or("", |(_, title)| title)
}

/// How to measure.
pub struct WordingSetup {
    /// The board.
    pub board: Board,
    /// How each reasoner plays at random.
    pub play: Play,
    /// Matches of each pair of players.
    pub matches: u64,
    /// The time for each move of a match.
    pub play_clock: Duration,
    /// Matches at once.
    pub threads: usize,
}

impl WordingSetup {
    fn budget(&self, time: Duration) -> Budget {
        self.play.limits.clone().with_timeout(time)
    }

    fn ready(&self) -> Budget {
        self.budget(self.play.timeout)
    }
}

/// Whether one of a pair is better, as far as the interval tells: by how much the player is above or below 50.
fn is_decided(pairing: &Record) -> bool {
    pairing.numbers(CONFIDENCE).is_some_and(|[low, high]| low > 50.0 || high < 50.0)
}

/// The median of a rate.
fn median(rate: &Record) -> Option<f64> {
    rate.numbers(RATE).map(|[median, _, _]| median)
}

/// The rate of a wording on a reasoner, with an optimization if it takes one; `None` if it was not measured.
fn rate<'r>(results: &'r Record, formulation: &str, reasoner: &str, optimization: &str) -> Option<&'r Record> {
    results.records(RATES).find(|rate| {
        [FORMULATION, REASONER, OPTIMIZATION].map(|field| rate.text(field)) == [formulation, reasoner, optimization]
    })
}

/// Sentences on what is missing, and why.
fn notes(results: &Record) -> Vec<String> {
    let rows = results.records(FORMULATIONS).flat_map(|row| {
        let told = [ERROR, NO_NET, DIFFERENCE].into_iter().filter(|field| row.has(*field));
        told.map(|field| {
            let reason: Vec<&str> = row.text(field).split_whitespace().collect();
            format!("{}: {}", row.text(FORMULATION), reason.join(" "))
        })
    });
    // The same reason for several optimizations is told once.
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for rate in results.records(RATES).filter(|rate| rate.has(REASON)) {
        let text = format!("{} on {}: {}", rate.text(FORMULATION), rate.text(REASONER), rate.text(REASON));
        match reasons.iter_mut().find(|(other, _)| *other == text) {
            Some((_, optimizations)) => optimizations.push(rate.text(OPTIMIZATION)),
            None => reasons.push((text, vec![rate.text(OPTIMIZATION)])),
        }
    }
    let reasons = reasons.into_iter().map(|(text, optimizations)| match &optimizations[..] {
        [""] => text,
        optimizations => format!("{text} ({})", optimizations.join(", ")),
    });
    let pairings = results.records(PAIRINGS).filter(|pairing| pairing.has(REASON)).map(|pairing| {
        let player = pairing.inner(PLAYER).map_or("", |player| player.text(FORMULATION));
        format!("{player}, {}: {}", title(pairing.text(KIND)), pairing.text(REASON))
    });
    rows.chain(reasons).chain(pairings).collect()
}

/// A wording that can be played.
struct PlayableWording {
    formulation: &'static GameFormulation,
    program: StratifiedProgram,
    net: Option<Arc<Net>>,
}

/// Compares, measures and plays, until the end or an interruption. A wording that turns out to be another game is a
/// failure.
pub fn run(setup: &WordingSetup, monitor: &mut Monitor<'_>) -> Report {
    let fields = [ANSWER, BOARD, PLAYED_FOR, PLAY_CLOCK, FORMULATIONS, RATES, PAIRINGS];
    let mut report = Report::new(&BENCHMARK, &fields);
    report.results.set(BOARD, setup.board.to_string());
    report.results.set(PLAYED_FOR, setup.play.seconds.as_secs_f64());
    report.results.set(PLAY_CLOCK, setup.play_clock.as_secs_f64());
    let mut report = report.measure(monitor, |report, monitor| measure(setup, &mut report.results, monitor));
    report.has_failed = report.results.records(FORMULATIONS).any(|row| row.has(DIFFERENCE));
    report.results.set(ANSWER, answer::answer(&report.results));
    report
}

fn measure(setup: &WordingSetup, results: &mut Record, monitor: &mut Monitor<'_>) -> Result<(), Interrupted> {
    monitor.expect(2 * GAMES.len());
    let mut games = Vec::new();
    for formulation in GAMES {
        monitor.begin(&format!("{}: net", formulation.name))?;
        let (row, game) = prepare(setup, formulation);
        results.push(FORMULATIONS, row);
        games.extend(game);
    }
    // Rules that have turned out to be another game are not measured.
    let ordinary = games.iter().position(|game| game.formulation.name == ORDINARY.name);
    for game in &games {
        monitor.begin(&format!("{}: lockstep", game.formulation.name))?;
        let row = results.records_mut(FORMULATIONS).find(|row| row.text(FORMULATION) == game.formulation.name);
        if let (Some(row), Some(ordinary)) = (row, ordinary) {
            compare(setup, &games[ordinary], game, row);
        }
    }
    games.retain(|game| {
        results.records(FORMULATIONS).any(|row| row.text(FORMULATION) == game.formulation.name && !row.has(DIFFERENCE))
    });
    rates::measure(setup, &games, results, monitor)?;
    matches::play(setup, &games, results, monitor)
}

/// Reads the rulesheet of a wording and makes its net.
fn prepare(setup: &WordingSetup, formulation: &'static GameFormulation) -> (Record, Option<PlayableWording>) {
    let mut row = Record::of(ROW).with(FORMULATION, formulation.name).with(GAME, formulation.game(setup.board));
    row.set(COMPARED_PLAYOUTS, 0);
    row.set(COMPARED_STATES, 0);
    if let Err(error) = formulation.file(setup.board) {
        row.set(ERROR, error.to_string());
        return (row, None);
    }
    let name = format!("std:games/{}", formulation.file_name(setup.board));
    let loaded = load(&LIBRARY.with(HashMap::<PathBuf, String>::new()), &[name], None, &mut Sources::new());
    let program =
        loaded.ok().and_then(|loaded| analyze(&loaded.program).ok()).expect("shipped rules are sound").stratified;
    row.set(RULES, program.program.facts.len() + program.program.rules.len());
    let mut net = None;
    match CompiledGame::new(&program, &setup.ready()) {
        Ok(compiled) => {
            row.set(GROUND_RULES, compiled.sizes.ground_rules);
            row.set(GATES, compiled.net.gates());
            row.set(NET_TIME, (compiled.grounding + compiled.building).as_secs_f64());
            net = Some(compiled.net);
        }
        Err(none) => row.set(NO_NET, none.to_string()),
    }
    (row, Some(PlayableWording { formulation, program, net }))
}

/// Plays a wording at random, by all that can answer for it, in lockstep with the ordinary one.
fn compare(setup: &WordingSetup, ordinary: &PlayableWording, game: &PlayableWording, row: &mut Record) {
    let rules = |game: &PlayableWording| -> Result<Box<dyn StateMachine>, GameError> {
        Ok(Box::new(Interpreted::new(&game.program, setup.ready())?))
    };
    let net = |game: &PlayableWording| -> Option<Box<dyn StateMachine>> {
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
        match lockstep.walk(setup.play.seed.wrapping_add(number), setup.board.len() + 1, &budget) {
            Ok(None) => {}
            Ok(Some(difference)) => {
                row.set(DIFFERENCE, difference.to_string());
                break;
            }
            // What could be compared until then is told.
            Err(_) => break,
        }
    }
    row.set(COMPARED_PLAYOUTS, lockstep.playouts);
    row.set(COMPARED_STATES, lockstep.states);
}
