//! `ludolog game playouts`: random playouts, as many as there is time for.

use super::reasoner::{PLAYS_WITHOUT, Reasoner, compile, compile_if_possible, interpreted, without_net};
use super::{MAX_FACTS, budget, explain};
use crate::cli::case::duration;
use crate::cli::choice::{Choice, choice};
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, limits, print};
use clap::Args;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::analysis::is_random;
use ludolog::bench::playouts::{self, PlayoutCount};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::{StateMachine, canonical};
use ludolog::propnet::{self, CompiledGame, PlayoutPolicy, PlyGroup, Tally, Width};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct PlayoutsArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// Play for this time (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    time: Duration,
    /// Play on this many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// What plays
    #[arg(long, value_enum, default_value_t)]
    reasoner: Reasoner,
    /// Playouts at once on each thread; without it the fastest width
    #[arg(long, value_parser = choice::<Width>(), value_name = "N")]
    lanes: Option<Width>,
    /// Whether playouts of a thread are at any ply or at the same; without it the fastest
    #[arg(long, value_parser = choice::<PlyGroup>(), value_name = "MODE")]
    mode: Option<PlyGroup>,
    /// How moves are chosen; `cautious` needs a net
    #[arg(long, value_parser = choice::<PlayoutPolicy>(), value_name = "POLICY", default_value = PlayoutPolicy::Uniform.name())]
    policy: PlayoutPolicy,
    /// Choose moves by this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop reading and grounding after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Choice for Width {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        let name = |width| match width {
            Width::W256 => "256",
            Width::W512 => "512",
            Width::W1024 => "1024",
        };
        Width::ALL.map(|width| (width, vec![name(width)], "")).into()
    }
}

impl Choice for PlayoutPolicy {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        let help = |policy| match policy {
            PlayoutPolicy::Uniform => "Any legal move, all with the same chance",
            PlayoutPolicy::Cautious => {
                "A move that wins at once where there is one, and none that lets the opponent do so where there is another"
            }
        };
        PlayoutPolicy::ALL.map(|policy| (policy, vec![policy.name()], help(policy))).into()
    }
}

impl Choice for PlyGroup {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        let help = |mode| match mode {
            PlyGroup::Free => "At any ply: a game that is over begins anew at once",
            PlyGroup::InStep => "At the same ply: games that are over wait for all others",
            PlyGroup::Refilled => {
                "At the same ply: games that are over begin anew at the next ply that agrees with the first state"
            }
        };
        PlyGroup::ALL.map(|mode| (mode, vec![mode.name()], help(mode))).into()
    }
}

/// Plays, and reports what came of it.
pub fn run(args: &PlayoutsArgs) -> Result<Outcome, Failure> {
    let budget = budget(args.timeout);
    let program = args.rulesheet.read(&mut Sources::new(), &budget)?;
    let report = match args.reasoner {
        Reasoner::Interpreted => by_machine(args, &program, &budget)?,
        Reasoner::Auto => match compile_if_possible(&program, &budget)? {
            Some(compiled) => by_net(args, &compiled, &budget)?,
            None => by_machine(args, &program, &budget)?,
        },
        Reasoner::Net => {
            let compiled = compile(&program, &budget).map_err(|error| without_net(&error, PLAYS_WITHOUT))?;
            by_net(args, &compiled, &budget)?
        }
    };
    match args.format {
        Format::Text => print(&report.text())?,
        Format::Json => print_json(&report.json())?,
    }
    let is_interrupted = limits::budget().check().is_err();
    Ok(if is_interrupted { Outcome::Interrupted } else { Outcome::Success })
}

/// What came of some playouts.
struct PlayoutReport {
    reasoner: &'static str,
    /// The time that it took to get ready.
    start: Duration,
    threads: u64,
    lanes: Option<(PlyGroup, Width)>,
    plies: usize,
    instructions: usize,
    roles: Vec<Term>,
    played: PlayoutCount,
}

fn by_net(args: &PlayoutsArgs, compiled: &CompiledGame, budget: &Budget) -> Result<PlayoutReport, Failure> {
    let start = Instant::now();
    let progress = ProgressLine::new("finding the fastest lanes");
    let modes = args.mode.map_or(PlyGroup::ALL.to_vec(), |mode| vec![mode]);
    let widths = args.lanes;
    let widths = widths.map_or(Width::ALL.to_vec(), |width| vec![width]);
    let (lanes, width) =
        propnet::fastest(&compiled.net, args.policy, &modes, &widths, args.seed, propnet::TRIAL, budget)
            .map_err(|stopped| explain(&stopped.into(), Syntax::Kif))?;
    let start = compiled.grounding + compiled.building + start.elapsed();
    progress.say(|| format!("playing for {} s", args.time.as_secs_f64()));
    let patience = limits::budget();
    let budget = patience.clone().with_timeout(args.time);
    Ok(PlayoutReport {
        reasoner: "net",
        start,
        threads: args.threads,
        lanes: Some((lanes.mode(), width)),
        plies: lanes.plies(),
        instructions: lanes.instructions(),
        roles: lanes.roles().cloned().collect(),
        played: playouts::by_net(&lanes, width, args.threads, args.seed, &budget, &patience),
    })
}

fn by_machine(args: &PlayoutsArgs, program: &StratifiedProgram, budget: &Budget) -> Result<PlayoutReport, Failure> {
    if args.policy != PlayoutPolicy::Uniform {
        let policy = args.policy;
        return Err(Failure::Message(format!(
            "{policy} playouts need a net; `ludolog game net` says why there is none"
        )));
    }
    let explain = |error| explain(&error, Syntax::Kif);
    let start = Instant::now();
    let progress = ProgressLine::new("preparing the rules");
    let mut game = interpreted(program, budget)?;
    let start = start.elapsed();
    progress.say(|| format!("playing for {} s", args.time.as_secs_f64()));
    let patience = limits::budget().with_max_facts(MAX_FACTS);
    let budget = patience.clone().with_timeout(args.time);
    Ok(PlayoutReport {
        reasoner: "interpreted",
        start,
        threads: 1,
        lanes: None,
        plies: 0,
        instructions: 0,
        roles: game.roles().to_vec(),
        played: playouts::by_machine(&mut game, args.seed, &budget, &patience).map_err(explain)?,
    })
}

/// The mean of some values with the half width of its 95 % confidence interval; `None` without values.
fn mean(counts: &[(i64, u64)]) -> Option<(f64, f64)> {
    let n = counts.iter().map(|(_, count)| *count).sum::<u64>() as f64;
    let sum = |f: &dyn Fn(f64) -> f64| counts.iter().map(|&(value, count)| f(value as f64) * count as f64).sum::<f64>();
    let mean = sum(&|value| value) / n;
    let variance = sum(&|value| (value - mean).powi(2)) / n;
    (n > 0.0).then(|| (mean, 1.96 * (variance / n).sqrt()))
}

impl PlayoutReport {
    fn text(&self) -> String {
        let Tally { playouts, stuck, .. } = self.played.tally;
        let mut text = String::new();
        let lanes = self.lanes.map_or(String::new(), |(mode, width)| {
            let plies = if self.plies > 1 { format!(", {} plies", self.plies) } else { String::new() };
            format!(", {} lanes {}{plies}, {} instructions a round", width.lanes(), mode.name(), self.instructions)
        });
        _ = writeln!(text, "{} (ready in {:.2} s{lanes})", self.reasoner, self.start.as_secs_f64());
        let rates = [self.played.wall, self.played.cpu].map(|time| self.played.playouts_in(time).map(rate));
        _ = match rates {
            [Some(a_second), Some(a_cpu_second)] => {
                writeln!(text, "{playouts} playouts, {a_second} a second, {a_cpu_second} a CPU-second")
            }
            _ => writeln!(text, "no playout ended"),
        };
        let length = self.played.mean_length().map_or(String::new(), |length| format!(", {length:.1} moves a playout"));
        _ = match self.played.moves_per_cpu_second().map(rate) {
            Some(states) => writeln!(text, "{states} states a CPU-second{length}"),
            None => writeln!(text, "no state was reached"),
        };
        if let Some(busy) = self.played.tally.busy() {
            _ = writeln!(text, "lanes make a move in {:.0} % of their rounds", 100.0 * busy);
        }
        if stuck > 0 {
            _ = writeln!(text, "{stuck} ended because a role had no legal move");
        }
        if self.played.endless > 0 {
            _ = writeln!(
                text,
                "{} more were given up, after too many moves or with terms too large",
                self.played.endless
            );
        }
        // Chance needs no goal.
        let has_line = |place: &usize| {
            !is_random(&self.roles[*place]) || self.played.tally.goals[*place].iter().any(|(_, count)| *count > 0)
        };
        for place in (0..self.roles.len()).filter(has_line) {
            let role = &self.roles[place];
            let goal = mean(&self.played.tally.goals[place])
                .map_or("no goal".to_owned(), |(mean, half)| format!("{mean:.2} ± {half:.2}"));
            let without = match self.played.tally.without_goal[place] {
                0 => String::new(),
                count => format!(", {count} without a single goal"),
            };
            _ = writeln!(text, "{}: goal {goal}{without}", canonical::text(role));
        }
        text
    }

    fn json(&self) -> Value {
        let Tally { playouts, steps, stuck, ref goals, ref without_goal, .. } = self.played.tally;
        let roles = self.roles.iter().enumerate().map(|(place, role)| {
            let mean = mean(&goals[place]);
            json!({
                "role": canonical::text(role),
                "mean": mean.map(|(mean, _)| mean),
                "confidence_95": mean.map(|(mean, half)| [mean - half, mean + half]),
                "goals": goals[place].iter().map(|(value, count)| json!({ "goal": value, "playouts": count })).collect::<Vec<_>>(),
                "without_goal": without_goal[place],
            })
        });
        json!({
            "reasoner": self.reasoner,
            "ready_seconds": self.start.as_secs_f64(),
            "instructions": self.instructions,
            "plies": self.plies,
            "threads": self.threads,
            "lanes": self.lanes.map_or(1, |(_, width)| width.lanes()),
            "mode": self.lanes.map(|(mode, _)| mode.name()),
            "seconds": self.played.wall.as_secs_f64(),
            "cpu_seconds": self.played.cpu.as_secs_f64(),
            "playouts": playouts,
            "playouts_per_second": self.played.playouts_in(self.played.wall),
            "playouts_per_cpu_second": self.played.playouts_in(self.played.cpu),
            "states": steps,
            "states_per_cpu_second": self.played.moves_per_cpu_second(),
            "mean_length": self.played.mean_length(),
            "busy": self.played.tally.busy(),
            "stuck": stuck,
            "endless": self.played.endless,
            "roles": roles.collect::<Vec<_>>(),
        })
    }
}

/// A rate in short: `8.2 k`, `86 M`.
fn rate(x: f64) -> String {
    match x {
        x if x >= 1e7 => format!("{:.0} M", x / 1e6),
        x if x >= 1e6 => format!("{:.2} M", x / 1e6),
        x if x >= 1e4 => format!("{:.0} k", x / 1e3),
        x if x >= 1e3 => format!("{:.1} k", x / 1e3),
        x => format!("{x:.1}"),
    }
}
