//! `ludolog bench players`: tree search against itself without one of its ingredients, or against the values of a
//! solved game.

mod kept;

use super::{terminal, watched};
use crate::cli::case::duration;
use crate::cli::choice::{Choice, choice};
use crate::cli::game::explain;
use crate::cli::game::reasoner::rules;
use crate::cli::matches::Arena;
use crate::cli::openings::OpeningArgs;
use crate::cli::output::{Format, print_json};
use crate::cli::rulesheet::OpenedSheet;
use crate::cli::{Failure, Outcome, games, interrupt, limits, print};
use clap::Args;
use ludolog::bench::fields;
use ludolog::bench::monitor::Monitor;
use ludolog::bench::playouts::per_second;
use ludolog::bench::report::{Field, Fields, Record, Terminal, TextTable};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::Role;
use ludolog::player::mcts::{SearchSettings, VARIATIONS, Variation};
use ludolog::player::score::mean_with_confidence_95;
use ludolog::player::{Clocks, GameReasoner, Local, Match, MatchRecord, Mcts, Player, Seat};
use ludolog::syntax::Syntax;
use ludolog::syntax::budget::ThreadClock;
use serde_json::json;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Joint moves after which a match is over.
const MAX_STEPS: usize = 1_000;

/// The time for reading and grounding a game.
const READY: Duration = Duration::from_secs(60);

#[derive(Args)]
pub struct PlayersArgs {
    /// Rulesheets of games for two
    #[arg(value_name = "GAME", required = true, value_parser = games::argument())]
    games: Vec<PathBuf>,
    /// Only these variations; with --database these besides the full search
    #[arg(long, value_parser = choice::<&'static Variation>(), value_name = "NAME", num_args = 1..)]
    variation: Vec<&'static Variation>,
    /// Matches of a variation in each game, in pairs that begin in the same state, with seats changed
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    matches: u64,
    /// The time for each move (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "100ms", value_parser = duration)]
    play_clock: Duration,
    /// Instead of matches, count the moves that keep the value of their state, by this database of the game
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// States of random play that are asked about, each with moves that keep its value and others that do not
    #[arg(long = "states", value_name = "N", default_value_t = 200, requires = "database", value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    #[command(flatten)]
    opening: OpeningArgs,
    /// The seed of the first match; each further one has the next
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Choice for &'static Variation {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        VARIATIONS.iter().map(|variation| (variation, vec![variation.name], variation.summary)).collect()
    }
}

fields! {
    GAME: "game" Plain;
    VARIATION: "variation" Plain;
    MATCHES: "matches" Plain;
    GOAL: "goal" Decimals(1); // The mean goal of the full search.
    // Pairs of matches with the same beginning in which the full search got more than the variation, as much, and less.
    PAIRS: "pairs" Plain;
    // The interval in which a mean goal, or a share of values kept, is with a confidence of 95 %.
    CONFIDENCE: "confidence_95" Decimals(1);
    RATE: "playouts_per_second" Decimals(0); // Of the full search.
    VARIATION_RATE: "variation_playouts_per_second" Decimals(0);
    FAULTS: "faults" Plain;
}

const COLUMNS: [(&str, Field); 9] = [
    ("game", GAME),
    ("against", VARIATION),
    ("matches", MATCHES),
    ("pairs", PAIRS),
    ("goal", GOAL),
    ("95 %", CONFIDENCE),
    ("playouts a second", RATE),
    ("of the variation", VARIATION_RATE),
    ("faults", FAULTS),
];

/// Plays the matches, or asks about the values.
pub fn run(args: &PlayersArgs) -> Result<Outcome, Failure> {
    if let Some(database) = &args.database {
        return kept::run(args, database);
    }
    let variations = if args.variation.is_empty() { VARIATIONS.iter().collect() } else { args.variation.clone() };
    let budget = budget();
    let records = watched(false, interrupt::flag(), |monitor| {
        monitor.expect(variations.len() * args.games.len() * args.matches as usize);
        let mut records = Vec::new();
        for path in &args.games {
            let ready = limits::budget().with_timeout(READY);
            let arena = Arena::read(&OpenedSheet::file(path, None), &ready)?;
            for variation in &variations {
                records.push(matches(args, &arena, variation, &budget, monitor)?);
                if budget.check().is_err() {
                    return Ok(records);
                }
            }
        }
        Ok::<_, Failure>(records)
    });
    tell(&records?, &COLUMNS, args.format, &budget)
}

/// Prints records, as JSON or as a table.
fn tell(records: &[Record], columns: &[(&str, Field)], format: Format, budget: &Budget) -> Result<Outcome, Failure> {
    match format {
        Format::Json => print_json(&json!(records))?,
        Format::Text => print(&TextTable::of(records, columns).to_text(Terminal { gap: 2, ..terminal() }))?,
    }
    Ok(if budget.check().is_err() { Outcome::Interrupted } else { Outcome::Success })
}

/// A budget without end, whose clock is that of the thread.
fn budget() -> Budget {
    let clock = Arc::new(ThreadClock);
    limits::budget().with_clock(clock).with_time(Duration::MAX)
}

/// The name of a game, and its rules.
fn read(path: &Path) -> Result<(String, GameReasoner), Failure> {
    let ready = limits::budget().with_timeout(READY);
    let sheet = OpenedSheet::file(path, None);
    let program = sheet.analyze(&mut Sources::new(), &ready)?.stratified;
    Ok((sheet.name(), rules(&program, &ready)?))
}

/// The matches of the full search against a variation in a game.
fn matches(
    args: &PlayersArgs,
    arena: &Arena,
    variation: &'static Variation,
    budget: &Budget,
    monitor: &mut Monitor<'_>,
) -> Result<Record, Failure> {
    let game = &*arena.name;
    if arena.roles.len() != 2 || arena.hides {
        return Err(Failure::Message(format!("{game} is no game for two that see its states")));
    }
    let mut series = Series::default();
    'pairs: for pair in 0..args.matches.div_ceil(2) {
        let ready = limits::budget().with_timeout(READY);
        let begun = args.opening.begin(arena, args.seed.wrapping_add(pair), &ready)?;
        for number in 2 * pair..(2 * pair + 2).min(args.matches) {
            if monitor.begin(&format!("{game}: {}", variation.name)).is_err() {
                break 'pairs;
            }
            let full = (number % 2) as usize;
            let record = play(args, begun.as_ref().unwrap_or(arena), variation, number, budget)?;
            if record.end.is_none() {
                break 'pairs;
            }
            series.add(&record, full);
        }
    }
    let goal = mean_with_confidence_95(&series.goals);
    let [rate, variation_rate] = series.playouts.map(|(playouts, time)| per_second(playouts, time));
    let record = Record::default().with(GAME, game).with(VARIATION, variation.name).with(MATCHES, series.goals.len());
    let record = record.with(PAIRS, series.pairs()).with(GOAL, goal.map(|(goal, _)| goal));
    let record = record.with(CONFIDENCE, goal.map(|(_, interval)| interval)).with(RATE, rate);
    Ok(record.with(VARIATION_RATE, variation_rate).with(FAULTS, series.faults))
}

/// A match of this number: the full search has the seats in turn.
fn play(
    args: &PlayersArgs,
    arena: &Arena,
    variation: &'static Variation,
    number: u64,
    budget: &Budget,
) -> Result<MatchRecord, Failure> {
    let full = (number % 2) as usize;
    let seed = args.seed.wrapping_add(number);
    let mut seats: Vec<Box<dyn Seat>> = Vec::new();
    for place in 0..arena.roles.len() {
        let mut settings = SearchSettings { seed: 2 * seed + place as u64, ..SearchSettings::default() };
        let name = if place == full { "mcts" } else { variation.name };
        if place != full {
            (variation.change)(&mut settings);
        }
        let make = Box::new(move |game, role| Ok(Box::new(Mcts::new(game, role, settings.clone())) as Box<dyn Player>));
        seats.push(Box::new(Local::new(arena.rules().clone(), Role(place as u32), name, make)));
    }
    let clocks = Clocks { start: args.play_clock, play: args.play_clock };
    let mut referee = arena.referee(budget)?;
    let played = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: MAX_STEPS, seed };
    played.play(budget, |_| {}).map_err(|error| explain(&error, Syntax::Kif))
}

/// What came of the matches of a variation.
#[derive(Default)]
struct Series {
    /// The goals of the full search.
    goals: Vec<f64>,
    /// Those of the variation.
    others: Vec<f64>,
    faults: usize,
    /// The playouts of the full search and of the variation, and the time that they took.
    playouts: [(u64, Duration); 2],
}

impl Series {
    fn add(&mut self, record: &MatchRecord, full: usize) {
        let scores = record.scores();
        self.goals.push(scores[full] as f64);
        self.others.push(scores[1 - full] as f64);
        self.faults += (0..record.roles.len()).map(|role| record.faults(role).count()).sum::<usize>();
        for (count, role) in self.playouts.iter_mut().zip([full, 1 - full]) {
            let (playouts, time) = record.playouts(role);
            *count = (count.0 + playouts, count.1 + time);
        }
    }

    /// Pairs that the full search has won, tied and lost.
    fn pairs(&self) -> String {
        let pairs = self.goals.chunks_exact(2).zip(self.others.chunks_exact(2));
        let mut counts = [0; 3];
        for (mine, others) in pairs {
            let [mine, others] = [mine, others].map(|goals| goals.iter().sum::<f64>());
            let place = match mine.total_cmp(&others) {
                Ordering::Greater => 0,
                Ordering::Equal => 1,
                Ordering::Less => 2,
            };
            counts[place] += 1;
        }
        let [won, tied, lost] = counts;
        format!("+{won} ={tied} -{lost}")
    }
}
