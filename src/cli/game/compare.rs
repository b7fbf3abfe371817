//! `ludolog game compare`: the reasoners against each other, on random playouts.

use super::reasoner::{compile, interpreted};
use super::{budget, explain};
use crate::cli::case::duration;
use crate::cli::choice::choice;
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::OpenedSheet;
use crate::cli::{Failure, Outcome, games, limits, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{Draw, GameError, StateMachine, canonical};
use ludolog::propnet::{
    Lanes, Lockstep, MoveFinder, Net, NetMachine, NotCompiled, PlayoutPolicy, PlyGroup, ReplyDifference, Said,
    WatchedState,
};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most joint moves of a playout.
const MAX_STEPS: usize = 1000;

/// Lanes that are watched at once.
const WATCHED: usize = 2;

/// Rounds that lanes are watched for at first, and at most. They double, so that short games are compared soon and long
/// ones to their end.
const ROUNDS: (usize, usize) = (64, 4096);

#[derive(Args)]
pub struct CompareArgs {
    /// Rulesheets
    #[arg(value_name = "GAME", required = true, value_parser = games::argument())]
    games: Vec<PathBuf>,
    /// Compare for this time for each game (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    time: Duration,
    /// Stop reading and grounding a game after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

/// What came of comparing the reasoners of one game.
struct Verified {
    game: String,
    /// Why only the rules can answer.
    without_net: Option<String>,
    reasoners: Vec<Compared>,
    interrupted: bool,
}

/// What came of comparing one reasoner with those before it.
struct Compared {
    reasoner: String,
    playouts: u64,
    states: u64,
    ended: VerifyEnd,
}

enum VerifyEnd {
    /// All that there was time for agrees.
    Agreed,
    Parted(ReplyDifference),
    /// It could not be compared.
    Failed(String),
}

/// Compares the reasoners of each game. The outcome is negative if some part.
pub fn run(args: &CompareArgs) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Success;
    let mut rows = Vec::new();
    for game in &args.games {
        let verified = match verify(args, game) {
            // What was found until then is told.
            Err(Failure::Interrupted) if !rows.is_empty() => {
                outcome = Outcome::Interrupted;
                break;
            }
            verified => verified?,
        };
        match args.format {
            Format::Text => print(&verified.text())?,
            Format::Json => {}
        }
        if verified.reasoners.iter().any(|compared| matches!(compared.ended, VerifyEnd::Parted(_))) {
            outcome = Outcome::Negative;
        }
        rows.push(verified.json());
        if verified.interrupted {
            outcome = Outcome::Interrupted;
            break;
        }
    }
    if args.format == Format::Json {
        print_json(&rows)?;
    }
    Ok(outcome)
}

fn verify(args: &CompareArgs, path: &Path) -> Result<Verified, Failure> {
    let explain = |error| explain(&error, Syntax::Kif);
    let budget = budget(args.timeout);
    let program = OpenedSheet::file(path, args.syntax).analyze(&mut Sources::new(), &budget)?.stratified;
    let mut verified =
        Verified { game: path.display().to_string(), without_net: None, reasoners: Vec::new(), interrupted: false };
    let net = match compile(&program, &budget) {
        Ok(compiled) => compiled.net,
        Err(NotCompiled::Stopped(Stopped::Interrupted)) => return Err(Failure::Interrupted),
        Err(NotCompiled::NoRoles) => return Err(explain(GameError::NoRoles)),
        Err(reason) => {
            verified.without_net = Some(reason.to_string());
            return Ok(verified);
        }
    };
    let rules = interpreted(&program, &budget)?;
    let machines: Vec<(&str, Box<dyn StateMachine>)> =
        vec![("interpreted", Box::new(rules)), ("net", Box::new(NetMachine::new(&net, Budget::unlimited())))];
    let mut lockstep = Lockstep::new(machines);
    let progress = ProgressLine::new(&verified.game);
    let watcher = MoveFinder::new(&net);
    let time = limits::budget().with_timeout(args.time);
    for phase in 0..=PlyGroup::ALL.len() {
        let left = time.time_left().unwrap_or_default() / (1 + PlyGroup::ALL.len() - phase) as u32;
        let phase_time = time.clone().with_time(left);
        lockstep.set_budget(&phase_time);
        (lockstep.playouts, lockstep.states) = (0, 0);
        let mode = phase.checked_sub(1).map(|mode| PlyGroup::ALL[mode]);
        let reasoner = mode.map_or("net".to_owned(), |mode| format!("lanes {}", mode.name()));
        let tell = |lockstep: &Lockstep<'_>| {
            let playouts = lockstep.playouts;
            let states = lockstep.states;
            progress.say(|| format!("{}: {reasoner}: {states} states of {playouts} playouts", path.display()));
        };
        let result = match mode {
            None => walk(&mut lockstep, &phase_time, tell),
            // Programs for each ply may take longer to make than there is time to compare.
            Some(mode) => Lanes::new(&net, mode, PlayoutPolicy::Uniform, &budget.renewed())
                .map_err(GameError::from)
                .and_then(|lanes| {
                    let phase_time = phase_time.renewed();
                    lockstep.set_budget(&phase_time);
                    replay(&mut lockstep, &reasoner, &net, &watcher, &lanes, &phase_time, tell)
                }),
        };
        let (ended, interrupted) = match result {
            Ok(difference) => (VerifyEnd::Parted(difference), false),
            Err(GameError::Stopped(Stopped::Timeout(_))) if phase_time.check().is_err() => (VerifyEnd::Agreed, false),
            Err(GameError::Stopped(Stopped::Interrupted)) => (VerifyEnd::Agreed, true),
            Err(error) => (VerifyEnd::Failed(error.to_string()), false),
        };
        let playouts = lockstep.playouts;
        let states = lockstep.states;
        verified.reasoners.push(Compared { reasoner, playouts, states, ended });
        verified.interrupted = interrupted;
        if interrupted {
            break;
        }
    }
    Ok(verified)
}

/// Walks random playouts until the machines part or time is over.
fn walk(
    lockstep: &mut Lockstep<'_>,
    time: &Budget,
    tell: impl Fn(&Lockstep<'_>),
) -> Result<ReplyDifference, GameError> {
    for seed in 1.. {
        let walked = lockstep.walk(seed, MAX_STEPS, time);
        tell(lockstep);
        if let Some(difference) = walked.transpose().or_else(|| lockstep.ask_again().transpose()) {
            return difference;
        }
    }
    unreachable!("time ends before seeds do")
}

/// Plays again what lanes play until they and the machines part or time is over.
fn replay(
    lockstep: &mut Lockstep<'_>,
    reasoner: &str,
    net: &Net,
    watcher: &MoveFinder,
    lanes: &Lanes,
    time: &Budget,
    tell: impl Fn(&Lockstep<'_>),
) -> Result<ReplyDifference, GameError> {
    let mut rounds = ROUNDS.0;
    for seed in 1.. {
        time.check()?;
        let mut draw = Draw::new(seed);
        let mut pick = |width| [0; WATCHED].map(|_| draw.below(width));
        let watched: Vec<Vec<WatchedState>> = match seed % 3 {
            0 => lanes.watch::<4>(watcher, &pick(256), seed, rounds, time),
            1 => lanes.watch::<8>(watcher, &pick(512), seed, rounds, time),
            _ => lanes.watch::<16>(watcher, &pick(1024), seed, rounds, time),
        };
        rounds = (2 * rounds).min(ROUNDS.1);
        for states in watched {
            let replayed = lockstep.replay(reasoner, net, &states, time);
            tell(lockstep);
            if let Some(difference) = replayed? {
                return Ok(difference);
            }
        }
    }
    unreachable!("time ends before seeds do")
}

fn joint_text(joint: &[Term]) -> String {
    joint.iter().map(canonical::text).collect::<Vec<_>>().join(" ")
}

impl Verified {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.game);
        if let Some(reason) = &self.without_net {
            _ = writeln!(text, "  interpreted alone: {reason}");
        }
        for Compared { reasoner, playouts, states, ended } in &self.reasoners {
            _ = match ended {
                VerifyEnd::Agreed => writeln!(text, "  {reasoner}: the same in {states} states of {playouts} playouts"),
                VerifyEnd::Failed(reason) => writeln!(text, "  {reasoner}: not compared: {reason}"),
                VerifyEnd::Parted(difference) => {
                    _ = writeln!(text, "  {reasoner}: {difference}");
                    let moves = difference.moves.iter().map(|joint| format!(" --move '{}'", joint_text(joint)));
                    writeln!(text, "    ludolog game show {}{}", self.game, moves.collect::<String>())
                }
            };
        }
        text
    }

    fn json(&self) -> Value {
        let reasoners = self.reasoners.iter().map(|Compared { reasoner, playouts, states, ended }| {
            let (difference, error) = match ended {
                VerifyEnd::Agreed => (Value::Null, Value::Null),
                VerifyEnd::Failed(reason) => (Value::Null, json!(reason)),
                VerifyEnd::Parted(difference) => (difference_json(difference), Value::Null),
            };
            json!({
                "reasoner": reasoner,
                "playouts": playouts,
                "states": states,
                "difference": difference,
                "error": error,
            })
        });
        json!({
            "game": self.game,
            "without_net": self.without_net,
            "reasoners": reasoners.collect::<Vec<_>>(),
        })
    }
}

fn difference_json(difference: &ReplyDifference) -> Value {
    let said = difference.said.iter().map(|(name, said)| {
        let said = match said {
            Said::Truth(holds) => json!(holds),
            Said::Number(number) => json!(number),
        };
        (name.clone(), said)
    });
    json!({
        "playout": difference.playout,
        "ply": difference.moves.len(),
        "question": difference.question,
        "said": said.collect::<Map<_, _>>(),
        "moves": difference.moves.iter().map(|joint| joint.iter().map(canonical::text).collect::<Vec<_>>()).collect::<Vec<_>>(),
    })
}
