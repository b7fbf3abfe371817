//! `ludolog bench players`: tree search against itself without one of its ingredients, or against the values of a solved game.

mod kept;

use crate::cli::case::duration;
use crate::cli::choice::{Choice, choice};
use crate::cli::game::explain;
use crate::cli::game::reasoner::rules;
use crate::cli::output::{Format, print_json};
use crate::cli::rulesheet::Rulesheet;
use crate::cli::{Failure, Outcome, games, limits, print, table};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::Role;
use ludolog::player::mcts::{Settings, VARIATIONS, Variation};
use ludolog::player::score::mean_with_confidence_95;
use ludolog::player::{Clocks, Local, Match, Mcts, Player, Rules, Seat};
use ludolog::syntax::Syntax;
use ludolog::syntax::budget::ThreadClock;
use serde_json::{Value, json};
use std::io::IsTerminal;
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
    /// Matches of a variation in each game; seats change after each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    matches: u64,
    /// The time for each move (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "100ms", value_parser = duration)]
    play_clock: Duration,
    /// Instead of matches, count the moves that keep the value of their state, by this database of the game
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// States of random play that are asked about, each with moves that keep its value and others that do not
    #[arg(long, value_name = "N", default_value_t = 200, requires = "database", value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
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

/// The matches of the full search against a variation in a game.
struct Cell {
    variation: &'static Variation,
    game: String,
    matches: u64,
    /// The mean goal of the full search, and the interval in which it is with a confidence of 95 %; `None` without matches.
    goal: Option<(f64, [f64; 2])>,
    faults: usize,
    /// Playouts a second, of the full search and of the variation; `None` without playouts.
    rates: [Option<f64>; 2],
}

/// Plays the matches, or asks about the values.
pub fn run(args: &PlayersArgs) -> Result<Outcome, Failure> {
    if let Some(database) = &args.database {
        return kept::run(args, database);
    }
    let variations = if args.variation.is_empty() { VARIATIONS.iter().collect() } else { args.variation.clone() };
    let total = variations.len() as u64 * args.games.len() as u64 * args.matches;
    let bar = bar(total);
    let budget = budget();
    let mut cells = Vec::new();
    'games: for path in &args.games {
        let (name, rules) = read(path)?;
        for &variation in &variations {
            bar.set_message(format!("{name}: {}", variation.name));
            cells.push(cell(args, &rules, &name, variation, &budget, &bar)?);
            if budget.check().is_err() {
                break 'games;
            }
        }
    }
    bar.finish_and_clear();
    match args.format {
        Format::Json => print_json(&Value::Array(cells.iter().map(json_of).collect()))?,
        Format::Text => {
            let mut shown = table::new([
                "game",
                "against",
                "matches",
                "goal",
                "95 %",
                "playouts a second",
                "of the variation",
                "faults",
            ]);
            for cell in &cells {
                shown.add_row([
                    cell.game.clone(),
                    cell.variation.name.to_owned(),
                    cell.matches.to_string(),
                    told(cell.goal, |(goal, _)| format!("{goal:.1}")),
                    told(cell.goal, |(_, confidence_95)| interval(confidence_95)),
                    told(cell.rates[0], |rate| format!("{rate:.0}")),
                    told(cell.rates[1], |rate| format!("{rate:.0}")),
                    cell.faults.to_string(),
                ]);
            }
            print(&table::text(&shown))?;
        }
    }
    Ok(if budget.check().is_err() { Outcome::Interrupted } else { Outcome::Success })
}

/// A bar on terminals.
fn bar(length: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(length) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}");
    bar.set_style(style.expect("the template is well formed"));
    bar
}

/// A budget without end, whose clock is that of the thread.
fn budget() -> Budget {
    let clock = Arc::new(ThreadClock);
    limits::budget().with_clock(clock).with_time(Duration::MAX)
}

/// The name of a game, and its rules.
fn read(path: &Path) -> Result<(String, Rules), Failure> {
    let ready = limits::budget().with_timeout(READY);
    let sheet = Rulesheet::file(path, None);
    let program = sheet.analyze(&mut Sources::new(), &ready)?.stratified;
    Ok((sheet.name(), rules(&program, &ready)?))
}

fn cell(
    args: &PlayersArgs,
    rules: &Rules,
    game: &str,
    variation: &'static Variation,
    budget: &Budget,
    bar: &ProgressBar,
) -> Result<Cell, Failure> {
    let explain = |error| explain(&error, Syntax::Kif);
    let mut referee = rules.game(budget).map_err(explain)?;
    let roles = referee.machine().roles().len();
    if roles != 2 {
        return Err(Failure::Message(format!("{game} is no game for two")));
    }
    let (mut goals, mut faults) = (Vec::new(), 0);
    let mut counts = [(0, Duration::ZERO); 2];
    for number in 0..args.matches {
        let full = (number % 2) as usize;
        let seed = args.seed.wrapping_add(number);
        let mut seats: Vec<Box<dyn Seat>> = Vec::new();
        for place in 0..roles {
            let mut settings = Settings { seed: 2 * seed + place as u64, ..Settings::default() };
            let name = if place == full { "mcts" } else { variation.name };
            if place != full {
                (variation.change)(&mut settings);
            }
            let make =
                Box::new(move |game, role| Ok(Box::new(Mcts::new(game, role, settings.clone())) as Box<dyn Player>));
            seats.push(Box::new(Local::new(rules.clone(), Role(place as u32), name, make)));
        }
        let clocks = Clocks { start: args.play_clock, play: args.play_clock };
        let played = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: MAX_STEPS, seed };
        let record = played.play(budget, |_| {}).map_err(explain)?;
        bar.inc(1);
        if record.end.is_none() {
            break;
        }
        goals.push(record.goals[full].unwrap_or(0) as f64);
        faults += (0..roles).map(|role| record.faults(role).count()).sum::<usize>();
        for (count, role) in counts.iter_mut().zip([full, 1 - full]) {
            let (playouts, time) = record.playouts(role);
            *count = (count.0 + playouts, count.1 + time);
        }
    }
    let goal = mean_with_confidence_95(&goals);
    let rates = counts.map(|(playouts, time)| rate(playouts, time));
    Ok(Cell { variation, game: game.to_owned(), matches: goals.len() as u64, goal, faults, rates })
}

/// Playouts a second; `None` without any.
fn rate(playouts: u64, time: Duration) -> Option<f64> {
    (playouts > 0 && !time.is_zero()).then(|| playouts as f64 / time.as_secs_f64())
}

/// A result in a cell of a table; a dash where there is none.
fn told<T>(result: Option<T>, text: impl FnOnce(T) -> String) -> String {
    result.map_or("–".to_owned(), text)
}

/// An interval of percents or goals.
fn interval([low, high]: [f64; 2]) -> String {
    format!("{low:.1} to {high:.1}")
}

fn json_of(cell: &Cell) -> Value {
    json!({
        "game": cell.game,
        "variation": cell.variation.name,
        "matches": cell.matches,
        "goal": cell.goal.map(|(goal, _)| goal),
        "confidence_95": cell.goal.map(|(_, confidence_95)| confidence_95),
        "playouts_per_second": cell.rates[0],
        "variation_playouts_per_second": cell.rates[1],
        "faults": cell.faults,
    })
}
