//! `ludolog match`: a match between players of this process.

use super::case::duration;
use super::choice::{Choice, choice};
use super::game::reasoner::rules;
use super::game::{explain, rulesheet};
use super::output::{Format, print_json};
use super::progress::Progress;
use super::{Failure, Outcome, counted, interrupt, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::{End, Role, canonical};
use ludolog::player::matches::{Fault, Thought};
use ludolog::player::registry::Unfit;
use ludolog::player::{Clocks, Local, Match, Options, PLAYERS, PlayerKind, Record, Seat};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Most bytes of a mebibyte.
const MEBIBYTE: usize = 1 << 20;

#[derive(Args)]
pub struct MatchArgs {
    /// The rulesheet
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// A player for each role, in order
    #[arg(value_name = "PLAYER", required = true, value_parser = choice::<PlayerKind>())]
    players: Vec<PlayerKind>,
    /// The time before the first move (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration)]
    start_clock: Duration,
    /// The time for each move
    #[arg(long, value_name = "T", default_value = "1s", value_parser = duration)]
    play_clock: Duration,
    /// Stop after this many joint moves
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_steps: usize,
    /// Threads of each player
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Mebibytes that each player may fill with what it remembers
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// The seed of all players, and of moves that replace missing ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop reading and grounding after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The syntax of a file whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

impl Choice for PlayerKind {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        PLAYERS.iter().map(|player| (PlayerKind(player), vec![player.name], player.summary)).collect()
    }
}

/// Plays a match, and prints its record.
pub fn run(args: &MatchArgs) -> Result<Outcome, Failure> {
    let syntax = Syntax::of(&args.game).or(args.syntax).unwrap_or(Syntax::Kif);
    let explain = |error| explain(&error, syntax);
    let ready = Budget::unlimited().with_timeout(args.timeout).with_interrupt(interrupt::flag());
    let program = rulesheet(&args.game, args.syntax, &mut Sources::new(), &ready)?;
    let rules = rules(&program, &ready)?;
    let mut referee = rules.game(&ready).map_err(explain)?;
    let roles = referee.machine().roles().to_vec();
    if roles.len() != args.players.len() {
        let names: Vec<String> = roles.iter().map(|role| print_term(role, syntax)).collect();
        let given = counted(args.players.len(), "player");
        return Err(Failure::Message(format!("a player for each role is needed: {}; {given} given", names.join(", "))));
    }
    if let Some(unfit) = args.players.iter().find(|kind| !kind.0.roles.contains(&roles.len())) {
        let unfit = Unfit { player: unfit.0.name, roles: roles.len() };
        return Err(Failure::Message(unfit.to_string()));
    }
    let seat = |(place, &kind): (u32, &PlayerKind)| -> Box<dyn Seat> {
        let options = Options {
            threads: args.threads as usize,
            memory: args.memory as usize * MEBIBYTE,
            ponder: false,
            seed: args.seed.wrapping_add(u64::from(place)),
        };
        Box::new(Local::of(rules.clone(), Role(place), kind, options))
    };
    let mut seats: Vec<Box<dyn Seat>> = (0..).zip(&args.players).map(seat).collect();
    let progress = Progress::new("getting ready");
    let budget = Budget::unlimited().with_timeout(Duration::MAX).with_interrupt(interrupt::flag());
    let clocks = Clocks { start: args.start_clock, play: args.play_clock };
    let played = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: args.max_steps, seed: args.seed };
    let record = played.play(&budget, |record| {
        if let Some(ply) = record.plies.last() {
            progress.say(|| format!("{} {}", counted(record.plies.len(), "joint move"), spelled(&ply.joint, syntax)));
        }
    });
    drop(progress);
    let record = record.map_err(explain)?;
    match args.format {
        Format::Text => print(&to_text(&record, syntax))?,
        Format::Json => print_json(&to_json(&record))?,
    }
    let faults = (0..roles.len()).any(|role| record.faults(role).next().is_some());
    Ok(match record.end {
        None => Outcome::Interrupted,
        Some(_) if faults => Outcome::Negative,
        Some(_) => Outcome::Success,
    })
}

fn spelled(joint: &[Term], syntax: Syntax) -> String {
    joint.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>().join(" ")
}

fn to_text(record: &Record, syntax: Syntax) -> String {
    let mut text = String::new();
    let name = |role: usize| format!("{} ({})", print_term(&record.roles[role], syntax), record.players[role]);
    for (role, thought) in record.preparations.iter().enumerate() {
        if let Some(thought) = thought.as_ref().filter(|thought| thought.report != Default::default()) {
            _ = writeln!(text, "{}: {}", name(role), told(thought, syntax));
        }
        if let Some(fault) = &record.unready[role] {
            _ = writeln!(text, "{}: {}", name(role), fault_text(fault, syntax));
        }
    }
    for (number, ply) in (1..).zip(&record.plies) {
        _ = writeln!(text, "{number}. {}", spelled(&ply.joint, syntax));
        for role in 0..record.roles.len() {
            if let Some(fault) = &ply.faults[role] {
                _ = writeln!(text, "   {}: {}, so the move is random", name(role), fault_text(fault, syntax));
            }
            if let Some(thought) = ply.thoughts[role].as_ref().filter(|thought| thought.report.nodes > 0) {
                _ = writeln!(text, "   {}: {}", name(role), told(thought, syntax));
            }
        }
    }
    let moves = counted(record.plies.len(), "joint move");
    _ = match record.end {
        Some(End::Terminal) => writeln!(text, "over after {moves}"),
        Some(End::MaxSteps) => writeln!(text, "stopped after {moves}"),
        Some(End::Stuck(role)) => {
            let role = print_term(&record.roles[role.0 as usize], syntax);
            writeln!(text, "stuck after {moves}: {role} has no legal move")
        }
        None => writeln!(text, "interrupted after {moves}"),
    };
    for role in 0..record.roles.len() {
        let goal = record.goals[role].map_or("no single goal".to_owned(), |goal| goal.to_string());
        let faults = match record.faults(role).count() {
            0 => String::new(),
            count => format!(", {}", counted(count, "fault")),
        };
        _ = writeln!(text, "{}: {goal}{faults}", name(role));
    }
    text
}

fn fault_text(fault: &Fault, syntax: Syntax) -> String {
    match fault {
        Fault::Late(took) => format!("late, after {:.3} s", took.as_secs_f64()),
        Fault::Illegal(term) => format!("`{}` is not legal", print_term(term, syntax)),
        Fault::Failed(reason) => reason.clone(),
    }
}

/// What a player did and expects, in a line.
fn told(thought: &Thought, syntax: Syntax) -> String {
    let report = &thought.report;
    let mut parts = Vec::new();
    if let Some(value) = report.value {
        parts.push(if report.proven { format!("{value:.0} proven") } else { format!("{value:.1} expected") });
    }
    let counts = [(report.playouts, "playout"), (report.nodes, "node")];
    parts.extend(counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count as usize, what)));
    if report.depth > 0 {
        parts.push(format!("depth {}", report.depth));
    }
    parts.push(format!("{:.2} s", report.time.as_secs_f64()));
    parts.extend(report.note.clone());
    let line: Vec<String> = thought.line.iter().take(4).map(|joint| spelled(joint, syntax)).collect();
    if !line.is_empty() {
        parts.push(line.join(", "));
    }
    parts.join("; ")
}

fn to_json(record: &Record) -> Value {
    let terms = |terms: &[Term]| terms.iter().map(canonical::text).collect::<Vec<_>>();
    let fault = |fault: &Option<Fault>| match fault {
        None => Value::Null,
        Some(Fault::Late(took)) => json!({ "late": took.as_secs_f64() }),
        Some(Fault::Illegal(term)) => json!({ "illegal": canonical::text(term) }),
        Some(Fault::Failed(reason)) => json!({ "failed": reason }),
    };
    let thought = |thought: &Option<Thought>| match thought {
        None => Value::Null,
        Some(Thought { report, line }) => json!({
            "playouts": report.playouts,
            "nodes": report.nodes,
            "depth": report.depth,
            "value": report.value,
            "proven": report.proven,
            "seconds": report.time.as_secs_f64(),
            "note": report.note,
            "line": line.iter().map(|joint| terms(joint)).collect::<Vec<_>>(),
        }),
    };
    let role = |role: usize| {
        json!({
            "role": canonical::text(&record.roles[role]),
            "player": record.players[role],
            "goal": record.goals[role],
            "faults": record.faults(role).count(),
            "start": { "fault": fault(&record.unready[role]), "thought": thought(&record.preparations[role]) },
        })
    };
    let ply = |ply: &ludolog::player::matches::Ply| {
        json!({
            "moves": terms(&ply.joint),
            "faults": ply.faults.iter().map(fault).collect::<Vec<_>>(),
            "seconds": ply.times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
            "thoughts": ply.thoughts.iter().map(thought).collect::<Vec<_>>(),
        })
    };
    let end = match record.end {
        Some(End::Terminal) => "terminal",
        Some(End::MaxSteps) => "max_steps",
        Some(End::Stuck(_)) => "stuck",
        None => "interrupted",
    };
    json!({
        "start_clock": record.clocks.start.as_secs_f64(),
        "play_clock": record.clocks.play.as_secs_f64(),
        "roles": (0..record.roles.len()).map(role).collect::<Vec<_>>(),
        "states": record.states.iter().map(|state| terms(state)).collect::<Vec<_>>(),
        "plies": record.plies.iter().map(ply).collect::<Vec<_>>(),
        "end": end,
    })
}
