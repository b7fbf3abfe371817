//! `ludolog tournament`: round robins that survive being killed.

use super::case::duration;
use super::matches::{Arena, ClockArgs, Contestant, SpectateArgs, Spectators};
use super::openings::OpeningArgs;
use super::output::{TableFormat, print_json};
use super::players::{PlayerArgs, PlayerOptions};
use super::rulesheet::OpenedSheet;
use super::{Failure, Outcome, file, games, limits, print, table};
use crate::cli::choice::choice;
use crate::cli::game::explain;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use ludolog::engine::Stopped;
use ludolog::game::GameError;
use ludolog::player::{Match, MatchRecord};
use ludolog::protocol::tournament::{Fixture, PlayedMatch, Score, TournamentLog, schedule};
use ludolog::protocol::{record, replay, standings};
use ludolog::syntax::{ColdSort, Syntax};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

#[derive(Args)]
pub struct TournamentArgs {
    /// The rulesheets
    #[arg(value_name = "GAME", required = true, value_parser = games::argument())]
    games: Vec<PathBuf>,
    /// The players: names or addresses, as for `match`
    #[arg(long, value_name = "PLAYER", required = true, num_args = 1..)]
    player: Vec<Contestant>,
    /// Where the tournament is kept; one that is there goes on
    #[arg(short, long, value_name = "DIR", default_value = "ludolog-tournament")]
    output: PathBuf,
    /// In each round, each set of players has each rotation of seats in each game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Matches at once [default: as many as there are cores for the threads of a player]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    parallel: Option<u64>,
    #[command(flatten)]
    opening: OpeningArgs,
    #[command(flatten)]
    clocks: ClockArgs,
    /// Stop a match after this many joint moves
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_steps: usize,
    #[command(flatten)]
    options: PlayerArgs,
    #[command(flatten)]
    spectate: SpectateArgs,
    /// Stop reading and grounding a rulesheet after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

/// The stack of a thread that plays a match: as much as the main thread has.
const STACK: usize = 8 << 20;

struct Tournament<'a> {
    args: &'a TournamentArgs,
    arenas: Vec<Arena>,
    /// By game and round: the game from where all its matches begin.
    begun: Mutex<HashMap<(usize, u64), Arc<Arena>>>,
    options: PlayerOptions,
    log: Mutex<TournamentLog>,
    bar: ProgressBar,
    spectators: Spectators,
}

/// Plays what is not played yet, and prints the scores.
pub fn run(args: &TournamentArgs) -> Result<Outcome, Failure> {
    let names: Vec<String> = args.player.iter().map(Contestant::to_string).collect();
    if let Some((at, twice)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        let number = at + 1;
        return Err(Failure::Message(format!("player {number}, {twice}, is there twice; name each player once")));
    }
    args.opening.check(&args.options)?;
    let mut arenas = Vec::new();
    for path in &args.games {
        let ready = limits::budget().with_timeout(args.timeout);
        let mut arena = Arena::read(&OpenedSheet::file(path, args.syntax), &ready)?;
        arena.find_scene()?;
        if arenas.iter().any(|other: &Arena| other.name == arena.name) {
            return Err(Failure::Message(format!("two rulesheets are called {}; rename one", arena.name)));
        }
        arenas.push(arena);
    }
    let roles: Vec<usize> = arenas.iter().map(|arena| arena.played_roles().len()).collect();
    let fixtures = schedule(&roles, args.player.len(), args.rounds);
    for fixture in &fixtures {
        arenas[fixture.game].check(&sitting(args, fixture))?;
    }
    let options = args.options.read(&arenas)?;
    file::create_directory(&args.output.join("matches"))?;
    let path = args.output.join("results.jsonl");
    let log = TournamentLog::open(&path, &header(args, &arenas, &names)?).map_err(|error| {
        Failure::Message(format!("cannot go on with {}: {error}; choose another --output", path.display()))
    })?;
    let known: HashSet<Fixture> = log.played().iter().map(|played| played.fixture.clone()).collect();
    let open: Vec<(usize, &Fixture)> = fixtures.iter().enumerate().filter(|(_, f)| !known.contains(f)).collect();
    // Matches of rounds that are not asked for this time are played all the same.
    let scheduled = fixtures.iter().chain(&known).collect::<HashSet<_>>().len();
    let bar = if std::io::stderr().is_terminal() {
        ProgressBar::new(scheduled as u64).with_position((scheduled - open.len()) as u64)
    } else {
        ProgressBar::hidden()
    };
    let style = ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} {wide_msg}");
    bar.set_style(style.expect("the template is well formed"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let spectators = args.spectate.start()?;
    let tournament =
        Tournament { args, arenas, begun: Mutex::default(), options, log: Mutex::new(log), bar, spectators };
    let result = tournament.play(&open);
    tournament.bar.finish_and_clear();
    let log = tournament.log.into_inner().unwrap_or_else(PoisonError::into_inner);
    let games: Vec<&str> = tournament.arenas.iter().map(|arena| &*arena.name).collect();
    let page = standings::to_html(&games, &names, log.played(), scheduled);
    file::update(&args.output.join("report.html"), page.as_bytes())?;
    result?;
    let is_complete = log.played().len() >= scheduled;
    show(args, &games, &names, log.played(), scheduled)?;
    tournament.spectators.leave();
    let faults = log.played().iter().any(|played| played.faults.iter().any(|&faults| faults > 0));
    Ok(if !is_complete {
        Outcome::Interrupted
    } else if faults {
        Outcome::Negative
    } else {
        Outcome::Success
    })
}

/// What makes a tournament another one. The number of rounds may grow.
fn header(args: &TournamentArgs, arenas: &[Arena], names: &[String]) -> Result<Value, Failure> {
    let mut header = json!({
        "games": arenas.iter().map(|arena| &arena.name).collect::<Vec<_>>(),
        "rules_sha256": arenas.iter().map(Arena::digest).collect::<Vec<_>>(),
        "players": names,
        "start_clock": args.clocks.start_clock.as_secs_f64(),
        "play_clock": args.clocks.play_clock.as_secs_f64(),
        "max_steps": args.max_steps,
    });
    if let Some(opening) = args.opening.text()? {
        header["openings"] = json!(opening);
        header["seed"] = json!(args.options.seed());
    }
    Ok(header)
}

/// By role: who plays.
fn sitting(args: &TournamentArgs, fixture: &Fixture) -> Vec<Contestant> {
    fixture.players.iter().map(|&player| args.player[player].clone()).collect()
}

impl Tournament<'_> {
    /// Plays matches, several at once, until all are played or one fails.
    fn play(&self, open: &[(usize, &Fixture)]) -> Result<(), Failure> {
        let cores = available_parallelism().map_or(1, usize::from);
        let parallel = self.args.parallel.map_or(cores / self.args.options.threads(), |n| n as usize);
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..parallel.clamp(1, open.len().max(1)) {
                let work = || {
                    while let Some(&(number, fixture)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(failed) = self.play_one(number as u64, fixture) {
                            // The other matches end, nobody begins another one.
                            next.store(open.len(), Ordering::Relaxed);
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failed);
                        }
                    }
                };
                let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                thread.expect("the system has threads");
            }
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            // What was found is printed.
            None | Some(Failure::Interrupted) => Ok(()),
            Some(failure) => Err(failure),
        }
    }

    /// The game of a match from where it begins; `None` if that is its first state. All matches of a round begin alike.
    fn begun(&self, fixture: &Fixture) -> Result<Option<Arc<Arena>>, Failure> {
        let args = self.args;
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (fixture.game, fixture.round);
        if let Some(known) = begun.get(&place) {
            return Ok(Some(known.clone()));
        }
        let ready = limits::budget().with_timeout(args.timeout);
        let seed = args.options.seed().wrapping_add(fixture.round);
        let Some(arena) = args.opening.begin(&self.arenas[fixture.game], seed, &ready)? else { return Ok(None) };
        // Matches begin round by round, several at once: earlier rounds are not asked for again.
        begun.retain(|(game, round), _| *game != fixture.game || *round + 1 >= fixture.round);
        Ok(Some(begun.entry(place).or_insert(Arc::new(arena)).clone()))
    }

    fn play_one(&self, number: u64, fixture: &Fixture) -> Result<(), Failure> {
        let Tournament { args, arenas, options, .. } = self;
        let begun = self.begun(fixture)?;
        let arena = begun.as_deref().unwrap_or(&arenas[fixture.game]);
        let budget = limits::budget().with_timeout(Duration::MAX);
        let explain = |error| explain(&error, arena.syntax);
        let mut referee = arena.referee(&budget)?;
        let about = arena.about();
        let players = sitting(args, fixture);
        let mut seats = arena.seats(&about, &players, |role| options.of(number, role));
        let names: Vec<String> = players.iter().map(Contestant::to_string).collect();
        self.bar.set_message(format!("{}: {}", arena.name, names.join(", ")));
        let clocks = args.clocks.clocks();
        let seed = options.of(number, 0).seed;
        let playing = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: args.max_steps, seed };
        let show = |record: &MatchRecord| self.spectators.show(&about, record, arena.scene.as_ref(), true);
        let record = playing.play(&budget, show).map_err(explain)?;
        self.spectators.show(&about, &record, arena.scene.as_ref(), false);
        if record.end.is_none() {
            return Err(explain(GameError::Stopped(Stopped::Interrupted)));
        }
        // The match before its line: a line promises that the match is there.
        let path = |extension: &str| args.output.join("matches").join(format!("{}.{extension}", about.id));
        let document = record::to_json(&about, &record);
        file::update(&path("json"), format!("{document}\n").as_bytes())?;
        file::update(&path("html"), replay::to_html(&about, &record, arena.scene.as_ref()).as_bytes())?;
        let roles = arena.played_roles();
        let scores = record.scores();
        let played = PlayedMatch {
            fixture: fixture.clone(),
            id: about.id,
            goals: roles.iter().map(|&role| scores[role]).collect(),
            faults: roles.iter().map(|&role| record.faults(role).count() as u64).collect(),
            steps: record.plies.len() as u64,
        };
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.append(played).map_err(|error| file::unwritable(&args.output.join("results.jsonl"), &error))?;
        self.bar.inc(1);
        Ok(())
    }
}

fn show(
    args: &TournamentArgs,
    games: &[&str],
    names: &[String],
    played: &[PlayedMatch],
    scheduled: usize,
) -> Result<(), Failure> {
    let scores = || {
        let score = |player| Score::of(player, played.iter()).map(|score| (player, score));
        (0..names.len()).filter_map(score)
    };
    match args.format {
        TableFormat::Json => {
            let player = |(player, score): (usize, Score)| {
                let game = |game: usize| {
                    let score = Score::of(player, played.iter().filter(|played| played.fixture.game == game))?;
                    Some(json!({ "game": games[game], "seats": score.seats, "mean": score.mean,
                        "confidence_95": score.confidence_95, "faults": score.faults }))
                };
                json!({ "player": names[player], "seats": score.seats, "mean": score.mean,
                    "confidence_95": score.confidence_95, "faults": score.faults,
                    "games": (0..games.len()).filter_map(game).collect::<Vec<_>>() })
            };
            print_json(&json!({
                "directory": args.output.display().to_string(),
                "scheduled": scheduled,
                "played": played.len(),
                "players": scores().map(player).collect::<Vec<_>>(),
            }))
        }
        TableFormat::Csv => {
            let line = |(player, score): (usize, Score)| {
                let Score { seats, mean, confidence_95: [low, high], faults } = score;
                format!("{},{seats},{mean},{low},{high},{faults}\n", names[player])
            };
            print(&("player,seats,mean,low_95,high_95,faults\n".to_owned() + &scores().map(line).collect::<String>()))
        }
        TableFormat::Text => {
            let mut shown = table::new(["player", "seats", "mean goal", "95 %", "faults"]);
            let mut ranked: Vec<_> = scores().collect();
            ranked.cold_sort_by(|(_, one), (_, other)| other.mean.total_cmp(&one.mean));
            for (player, score) in ranked {
                let [low, high] = score.confidence_95;
                let interval = format!("{low:.1} to {high:.1}");
                let mean = format!("{:.1}", score.mean);
                shown.add_row([&names[player], &score.seats.to_string(), &mean, &interval, &score.faults.to_string()]);
            }
            let count = format!("{} of {scheduled} matches", played.len());
            let report = args.output.join("report.html");
            print(&format!("{}\n{count}; the report: {}\n", table::text(&shown), report.display()))
        }
    }
}
