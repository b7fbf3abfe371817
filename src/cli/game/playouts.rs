//! `ludolog game playouts`: random playouts, as many as there is time for.

use super::reasoner::{Compiled, Reasoner, compile, compile_if_possible};
use super::{budget, explain, rulesheet};
use crate::cli::case::duration;
use crate::cli::choice::choice;
use crate::cli::output::{Format, print_json};
use crate::cli::progress::Progress;
use crate::cli::{Failure, Outcome, interrupt, print};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use cpu_time::ThreadTime;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{Draw, End, GameError, Interpreted, StateMachine, StateMachineExt, canonical};
use ludolog::propnet::{Lanes, Mode, Net, Tally};
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Term;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Joint moves after which the interpreted machine gives up a playout.
const MAX_STEPS: usize = 10_000;

/// The time for which each mode is tried at each width.
const TRIAL: Duration = Duration::from_millis(40);

/// The time that the programs of one mode may take to make.
const MAX_COMPILING: Duration = Duration::from_secs(5);

#[derive(Args)]
pub struct PlayoutsArgs {
    /// The rulesheet
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Play for this time (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "5s", value_parser = duration)]
    seconds: Duration,
    /// Play on this many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// What plays
    #[arg(long, value_enum, default_value_t)]
    reasoner: Reasoner,
    /// Playouts at once on each thread; without it the fastest width
    #[arg(long, value_enum, value_name = "N")]
    lanes: Option<Width>,
    /// Whether playouts of a thread are at any ply or at the same; without it the fastest
    #[arg(long, value_enum)]
    mode: Option<ModeArg>,
    /// Choose moves by this seed
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Width {
    #[value(name = "256")]
    W256,
    #[value(name = "512")]
    W512,
    #[value(name = "1024")]
    W1024,
}

impl Width {
    const ALL: [Width; 3] = [Width::W256, Width::W512, Width::W1024];

    fn lanes(self) -> usize {
        match self {
            Width::W256 => 256,
            Width::W512 => 512,
            Width::W1024 => 1024,
        }
    }

    fn play(self, lanes: &Lanes, seed: u64, budget: &Budget) -> Tally {
        match self {
            Width::W256 => lanes.play::<4>(seed, budget),
            Width::W512 => lanes.play::<8>(seed, budget),
            Width::W1024 => lanes.play::<16>(seed, budget),
        }
    }
}

/// A mode, by its name.
#[derive(Clone, Copy, Debug)]
struct ModeArg(Mode);

impl ValueEnum for ModeArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [ModeArg; 3] = [ModeArg(Mode::Free), ModeArg(Mode::InStep), ModeArg(Mode::Refilled)];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// Plays, and reports what came of it.
pub fn run(args: &PlayoutsArgs) -> Result<Outcome, Failure> {
    let budget = budget(args.timeout);
    let program = rulesheet(&args.game, args.syntax, &mut Sources::new(), &budget)?;
    let report = match args.reasoner {
        Reasoner::Interpreted => by_rules(args, &program, &budget)?,
        Reasoner::Auto => match compile_if_possible(&program, &budget)? {
            Some(compiled) => by_net(args, &compiled, &budget)?,
            None => by_rules(args, &program, &budget)?,
        },
        Reasoner::Net => by_net(args, &compile(&program, &budget)?, &budget)?,
    };
    match args.format {
        Format::Text => print(&report.text())?,
        Format::Json => print_json(&report.json())?,
    }
    let is_interrupted =
        matches!(Budget::unlimited().with_interrupt(interrupt::flag()).check(), Err(Stopped::Interrupted));
    Ok(if is_interrupted { Outcome::Interrupted } else { Outcome::Success })
}

/// What came of some playouts.
struct Report {
    reasoner: String,
    /// The time that it took to get ready.
    start: Duration,
    wall: Duration,
    cpu: Duration,
    threads: u64,
    lanes: Option<(Mode, Width)>,
    plies: usize,
    instructions: usize,
    roles: Vec<Term>,
    tally: Tally,
    /// Playouts that were given up: too many moves, or terms too deep. They are in no other number.
    endless: u64,
}

/// Makes the programs of each mode, and finds by trial which of them is fastest, and at which width.
fn fastest(args: &PlayoutsArgs, net: &Net, budget: &Budget) -> Result<(Lanes, Width), Failure> {
    let mut best: Option<(f64, Lanes, Width)> = None;
    for mode in Mode::ALL.into_iter().filter(|&mode| args.mode.is_none_or(|wanted| wanted.0 == mode)) {
        // Programs for each ply may take long; running free always can.
        let share = budget.time_left().unwrap_or(MAX_COMPILING).min(MAX_COMPILING);
        let lanes = match Lanes::new(net, mode, &budget.clone().with_time(share)) {
            Ok(lanes) => lanes,
            Err(Stopped::Timeout(_)) if best.is_some() => continue,
            Err(stopped) => return Err(explain(&stopped.into(), Syntax::Kif)),
        };
        let widths = Width::ALL.into_iter().filter(|&width| args.lanes.is_none_or(|wanted| wanted == width));
        let rate = |width: Width| {
            let (start, budget) = (ThreadTime::now(), Budget::unlimited().with_timeout(TRIAL));
            width.play(&lanes, args.seed, &budget).playouts as f64 / start.elapsed().as_secs_f64()
        };
        let rates = widths.map(|width| (rate(width), width));
        if let Some((rate, width)) = rates.max_by(|a, b| a.0.total_cmp(&b.0))
            && best.as_ref().is_none_or(|(least, ..)| rate > *least)
        {
            best = Some((rate, lanes, width));
        }
    }
    let (_, lanes, width) = best.expect("free lanes were tried, or the mode that was asked for");
    Ok((lanes, width))
}

fn by_net(args: &PlayoutsArgs, compiled: &Compiled, budget: &Budget) -> Result<Report, Failure> {
    let start = Instant::now();
    let progress = Progress::new("finding the fastest lanes");
    let (lanes, width) = fastest(args, &compiled.net, budget)?;
    progress.say(|| format!("playing for {} s", args.seconds.as_secs_f64()));
    let start = compiled.time.iter().sum::<Duration>() + start.elapsed();
    let budget = Budget::unlimited().with_timeout(args.seconds).with_interrupt(interrupt::flag());
    let wall = Instant::now();
    let play = |thread: u64| {
        let cpu = ThreadTime::now();
        // Seeds of neighboring runs shall not be seeds of neighboring threads.
        let tally = width.play(&lanes, args.seed.wrapping_add(thread.wrapping_mul(0xD1B5_4A32_D192_ED03)), &budget);
        (tally, cpu.elapsed())
    };
    let (mut tally, mut cpu) = (Tally::default(), Duration::ZERO);
    std::thread::scope(|scope| {
        let play = &play;
        let threads: Vec<_> = (0..args.threads).map(|thread| scope.spawn(move || play(thread))).collect();
        for (played, took) in threads.into_iter().filter_map(|thread| thread.join().ok()) {
            tally.add(&played);
            cpu += took;
        }
    });
    Ok(Report {
        reasoner: "net".to_owned(),
        start,
        wall: wall.elapsed(),
        cpu,
        threads: args.threads,
        lanes: Some((lanes.mode(), width)),
        plies: lanes.plies(),
        instructions: lanes.instructions(),
        roles: lanes.roles().cloned().collect(),
        tally,
        endless: 0,
    })
}

fn by_rules(args: &PlayoutsArgs, program: &StratifiedProgram, budget: &Budget) -> Result<Report, Failure> {
    let explain = |error| explain(&error, Syntax::Kif);
    let start = Instant::now();
    let progress = Progress::new("preparing the rules");
    let mut game = Interpreted::new(program, budget.clone()).map_err(explain)?;
    let start = start.elapsed();
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    let budget = Budget::unlimited().with_timeout(args.seconds).with_interrupt(interrupt::flag());
    let mut draw = Draw::new(args.seed);
    let initial = game.initial_state().clone();
    let roles = game.roles().to_vec();
    let mut goals: Vec<std::collections::BTreeMap<i64, u64>> = vec![Default::default(); roles.len()];
    let mut endless = 0;
    let mut tally = Tally { without_goal: vec![0; roles.len()], ..Tally::default() };
    while budget.check().is_ok() {
        let played = game.playout(&initial, MAX_STEPS, |_, legal| legal[draw.below(legal.len())]);
        let played = match played {
            Ok(played) => played,
            // What was counted until then is told.
            Err(GameError::Stopped(Stopped::Interrupted)) => break,
            Err(GameError::Grown { stopped: Stopped::TermTooDeep(_), .. }) => {
                endless += 1;
                continue;
            }
            Err(error) => return Err(explain(error)),
        };
        progress.say(|| format!("{} playouts", tally.playouts));
        if played.end == End::MaxSteps {
            endless += 1;
            continue;
        }
        tally.playouts += 1;
        tally.steps += played.steps as u64;
        let is_stuck = matches!(played.end, End::Stuck(_));
        tally.stuck += u64::from(is_stuck);
        for (role, goal) in played.goals.iter().enumerate() {
            match goal.filter(|_| !is_stuck) {
                Some(goal) => *goals[role].entry(goal).or_default() += 1,
                None => tally.without_goal[role] += 1,
            }
        }
    }
    tally.goals = goals.into_iter().map(|counts| counts.into_iter().collect()).collect();
    Ok(Report {
        reasoner: "interpreted".to_owned(),
        start,
        wall: wall.elapsed(),
        cpu: cpu.elapsed(),
        threads: 1,
        lanes: None,
        plies: 0,
        instructions: 0,
        roles,
        tally,
        endless,
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

impl Report {
    fn per(&self, count: u64, time: Duration) -> f64 {
        count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn text(&self) -> String {
        let Tally { playouts, steps, stuck, .. } = self.tally;
        let mut text = String::new();
        let lanes = self.lanes.map_or(String::new(), |(mode, width)| {
            let plies = if self.plies > 1 { format!(", {} plies", self.plies) } else { String::new() };
            format!(", {} lanes {}{plies}, {} instructions a round", width.lanes(), mode.name(), self.instructions)
        });
        _ = writeln!(text, "{} (ready in {:.2} s{lanes})", self.reasoner, self.start.as_secs_f64());
        let cpu = self.per(playouts, self.cpu);
        _ = writeln!(
            text,
            "{playouts} playouts, {} a second, {} a CPU-second",
            rate(self.per(playouts, self.wall)),
            rate(cpu)
        );
        let length = steps as f64 / playouts.max(1) as f64;
        _ = writeln!(text, "{} states a CPU-second, {length:.1} moves a playout", rate(self.per(steps, self.cpu)));
        if stuck > 0 {
            _ = writeln!(text, "{stuck} ended because a role had no legal move");
        }
        if self.endless > 0 {
            let endless = self.endless;
            _ = writeln!(text, "{endless} more were given up, after {MAX_STEPS} moves or with terms too deep");
        }
        for (place, role) in self.roles.iter().enumerate() {
            let goal = mean(&self.tally.goals[place])
                .map_or("no goal".to_owned(), |(mean, half)| format!("{mean:.2} ± {half:.2}"));
            let without = match self.tally.without_goal[place] {
                0 => String::new(),
                count => format!(", {count} without a single goal"),
            };
            _ = writeln!(text, "{}: goal {goal}{without}", canonical::text(role));
        }
        text
    }

    fn json(&self) -> Value {
        let Tally { playouts, steps, stuck, ref goals, ref without_goal } = self.tally;
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
            "seconds": self.wall.as_secs_f64(),
            "cpu_seconds": self.cpu.as_secs_f64(),
            "playouts": playouts,
            "playouts_per_second": self.per(playouts, self.wall),
            "playouts_per_cpu_second": self.per(playouts, self.cpu),
            "states": steps,
            "states_per_cpu_second": self.per(steps, self.cpu),
            "mean_length": steps as f64 / playouts.max(1) as f64,
            "stuck": stuck,
            "endless": self.endless,
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
