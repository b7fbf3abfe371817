//! `ludolog game solve`: all states of a game, and their values under best play.

use super::reasoner::{compile, without_net};
use super::{explain, in_state};
use crate::cli::case::{duration, threads};
use crate::cli::output::{Format, print_json};
use crate::cli::processes::ProcessArgs;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, counted, file, limits, print, progress, table};
use clap::Args;
use comfy_table::CellAlignment;
use indicatif::{HumanBytes, HumanCount};
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{GameError, StateMachine, canonical};
use ludolog::propnet::{GroundGame, Net, NetMachine, Symmetries};
#[cfg(feature = "dataflow")]
use ludolog::solve::dataflow::solve_on;
use ludolog::solve::{Checkpoint, PeerProgress, SolvedStates, StateValue, Unsolved, solve};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use serde_json::{Value, json};
use std::fmt::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct SolveArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// Run on this many threads [default: as many as the machine has processors]; a checkpoint goes on with as many as
    /// it had
    #[arg(long, value_name = "N", value_parser = threads)]
    #[cfg_attr(feature = "dataflow", arg(conflicts_with_all = ["workers", "hosts"]))]
    threads: Option<NonZero<u8>>,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Take states that are symmetric to each other for one: permutations of facts and moves that keep the rules are
    /// looked for
    #[arg(long, conflicts_with_all = ["database", "checkpoint"])]
    symmetry: bool,
    /// Write the values of all states to this file
    #[arg(long, value_name = "FILE")]
    #[cfg_attr(feature = "dataflow", arg(conflicts_with = "hosts"))]
    database: Option<PathBuf>,
    /// Keep the states found in this directory, level by level, and go on from those that it has; it needs about the
    /// memory that the tables take
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Stop when the tables of states take more memory than this, as in 500M or 16G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = limits::bytes)]
    max_memory: u64,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "1h", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The way out of a small game that has no net.
const TREE_WITHOUT: &str = "`ludolog game tree --reasoner interpreted` labels the states of a small game without a net";

/// Solves the game, and reports what is found.
pub fn run(args: &SolveArgs) -> Result<Outcome, Failure> {
    let budget = limits::budget().with_timeout(args.timeout);
    let budget = budget.with_max_bytes(args.max_memory);
    args.database.iter().try_for_each(|path| file::check(path))?;
    let rulesheet = args.rulesheet.open()?;
    let program = rulesheet.analyze(&mut Sources::new(), &budget)?.stratified;
    let compiled = compile(&program, &budget).map_err(|error| without_net(&error, TREE_WITHOUT))?;
    let mut machine = NetMachine::new(&compiled.net, Budget::unlimited());
    let symmetries = args.symmetry.then(|| symmetries(&program, &compiled.net, &budget)).transpose()?;
    if let Some(symmetries) = &symmetries {
        machine.up_to(symmetries.clone());
    }
    let checkpoint = args.checkpoint.as_ref().map(|directory| {
        Checkpoint::open(directory, &compiled.net)
            .map_err(|error| Failure::Message(format!("cannot use the checkpoint {}: {error}", directory.display())))
    });
    let checkpoint = checkpoint.transpose()?;
    let start = Instant::now();
    let shown = progress::ProgressLine::new("finding states");
    let mut watch = |progress: &PeerProgress| shown.say(|| progress_text(progress));
    let SolvedGame { solution, peers, prints } = solve_with(args, &machine, checkpoint.as_ref(), &budget, &mut watch)?;
    drop(shown);
    if let Some(path) = &args.database
        && let Some(database) = solution.database(&compiled.net)
    {
        file::write(path, &database)?;
    }
    let line = solution.line(&mut machine).map_err(|error| explain(&error, Syntax::Kif))?;
    let report = SolveReport {
        name: rulesheet.name(),
        roles: machine.roles().to_vec(),
        line: line.iter().map(|joint| joint.iter().map(|&made| machine.move_term(made).clone()).collect()).collect(),
        facts: solution.ended.as_ref().and_then(Unsolved::state).map(|state| machine.facts(state)).unwrap_or_default(),
        peers,
        symmetries: symmetries.map(|symmetries| symmetries.count()),
        seconds: start.elapsed().as_secs_f64(),
        solution,
    };
    match args.format {
        _ if !prints => {}
        Format::Text => print(&report.text())?,
        Format::Json => print_json(&report.json())?,
    }
    Ok(match &report.solution.ended {
        None => Outcome::Success,
        Some(Unsolved::Stopped(Stopped::Interrupted)) => Outcome::Interrupted,
        Some(ended) => {
            if args.format == Format::Text || !prints {
                anstream::eprintln!("error: {}", report.reason(ended));
            }
            Outcome::Failed
        }
    })
}

/// The symmetries of a game.
fn symmetries(program: &StratifiedProgram, net: &Net, budget: &Budget) -> Result<Arc<Symmetries>, Failure> {
    let _progress = progress::ProgressLine::new("looking for symmetries");
    let ground = GroundGame::new(program, budget).map_err(|_| {
        // It had a net a moment ago.
        explain(&GameError::Stopped(budget.check().err().unwrap_or(Stopped::Interrupted)), Syntax::Kif)
    })?;
    let found = Symmetries::new(&ground, net, budget);
    found.map(Arc::new).map_err(|stopped| explain(&GameError::Stopped(stopped), Syntax::Kif))
}

/// What came of a game.
struct SolvedGame {
    solution: SolvedStates,
    peers: usize,
    /// Whether this process tells of it.
    prints: bool,
}

fn solve_with(
    args: &SolveArgs,
    machine: &NetMachine,
    checkpoint: Option<&Checkpoint>,
    budget: &Budget,
    watch: &mut dyn FnMut(&PeerProgress),
) -> Result<SolvedGame, Failure> {
    #[cfg(feature = "dataflow")]
    if let Some(processes) = args.processes.processes()? {
        let solution = solve_on(&processes, machine, checkpoint, budget, watch).map_err(Failure::Message)?;
        return Ok(SolvedGame { solution, peers: processes.peers(), prints: processes.process == 0 });
    }
    let threads = args.threads.map_or_else(|| available_parallelism().unwrap_or(NonZero::<usize>::MIN), NonZero::from);
    let threads = checkpoint.and_then(Checkpoint::peers).and_then(NonZero::new).unwrap_or(threads);
    let solution = solve(machine, threads, checkpoint, budget, watch);
    Ok(SolvedGame { solution, peers: threads.get(), prints: true })
}

/// How far the work is.
fn progress_text(&PeerProgress { depth, backward, states, left, bytes }: &PeerProgress) -> String {
    let [states, left] = [states, left].map(HumanCount);
    let bytes = HumanBytes(bytes);
    if backward {
        format!("{states} states, {left} to walk back from at distance {depth}, {bytes}")
    } else {
        format!("{states} states, {left} to expand at depth {depth}, {bytes}")
    }
}

/// What was found of a game.
struct SolveReport {
    name: String,
    roles: Vec<Term>,
    solution: SolvedStates,
    /// A line of best play.
    line: Vec<Vec<Term>>,
    /// The state that keeps the game from being solved.
    facts: Vec<Term>,
    /// The threads, or workers of all processes, that it ran on.
    peers: usize,
    /// The symmetries up to which states are told apart, with the identity; `None` if they were not asked for.
    symmetries: Option<usize>,
    seconds: f64,
}

impl SolveReport {
    fn reason(&self, ended: &Unsolved) -> String {
        let advice = match ended {
            Unsolved::Stopped(Stopped::TooMuchMemory { .. }) => "; allow more with --max-memory",
            Unsolved::Stopped(Stopped::Timeout(_)) => "; allow more with --timeout",
            Unsolved::Roles(_) => "; `game tree` labels small ones with more roles",
            _ => "",
        };
        format!("{ended}{advice}{}", in_state(&self.facts))
    }

    /// The goals of all roles where the first has this one.
    fn goals(&self, value: i64) -> Vec<i64> {
        let of_second = self.solution.sum.map(|sum| (sum - i128::from(value)) as i64);
        std::iter::once(value).chain(of_second).collect()
    }

    /// What a value is, in a word or two.
    fn name_of(&self, value: i64) -> String {
        let role = |place: usize| canonical::text(&self.roles[place]);
        match self.goals(value)[..] {
            [a, b] if a > b => format!("{} {a}", role(0)),
            [a, b] if a < b => format!("{} {b}", role(1)),
            [a, _] => format!("drawn {a}"),
            _ => format!("goal {value}"),
        }
    }

    fn verdict(&self, label: StateValue) -> String {
        let distance = label.distance.map_or(String::new(), |n| format!(", in {}", counted(n as usize, "joint move")));
        match label.value.map(|value| (value, self.goals(value))) {
            None => "play need not end".to_owned(),
            Some((_, goals)) if goals.len() == 2 && goals[0] != goals[1] => {
                let winner = usize::from(goals[0] < goals[1]);
                format!(
                    "{} wins {} to {}{distance}",
                    canonical::text(&self.roles[winner]),
                    goals[winner],
                    goals[1 - winner]
                )
            }
            Some((value, goals)) if goals.len() == 2 => format!("a draw, {value} each{distance}"),
            Some((value, _)) => format!("{} reaches {value}{distance}", canonical::text(&self.roles[0])),
        }
    }

    fn text(&self) -> String {
        let SolvedStates { levels, values, joint_moves, .. } = &self.solution;
        let mut text = String::new();
        let verdict = self.solution.initial().map_or("not solved".to_owned(), |label| self.verdict(label));
        _ = writeln!(text, "{}: {verdict}", self.name);
        let moves = self.line.iter().map(|joint| {
            let spelled = joint.iter().map(|made| print_term(made, Syntax::Kif)).collect::<Vec<_>>();
            format!("({})", spelled.join(" "))
        });
        let moves = moves.collect::<Vec<_>>();
        if !moves.is_empty() {
            _ = writeln!(text, "best play: {}", moves.join(" "));
        }
        _ = writeln!(
            text,
            "{} states{}, {joint_moves} joint moves, {:.2} s on {}\n",
            self.solution.states(),
            self.symmetries.map_or_else(String::new, |count| match count {
                1 => " (there is no symmetry)".to_owned(),
                count => format!(" up to {count} symmetries"),
            }),
            self.seconds,
            counted(self.peers, "thread")
        );
        let columns = ["depth".to_owned(), "states".to_owned(), "terminal".to_owned()];
        let names = values.iter().map(|&value| self.name_of(value));
        let mut table = table::new(columns.into_iter().chain(names).collect::<Vec<_>>());
        for (depth, level) in levels.iter().enumerate() {
            let counts = [depth as u64, level.states, level.terminal];
            table.add_row(counts.iter().chain(&level.values).map(u64::to_string).collect::<Vec<_>>());
        }
        table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        text + &table::text(&table)
    }

    fn json(&self) -> Value {
        let SolvedStates { levels, values, joint_moves, ended, .. } = &self.solution;
        let initial = self.solution.initial();
        let level = |(depth, level): (usize, &ludolog::solve::Level)| {
            let goals = values.iter().zip(&level.values);
            json!({
                "depth": depth,
                "states": level.states,
                "terminal": level.terminal,
                "values": goals.map(|(&value, states)| json!({ "goals": self.goals(value), "states": states })).collect::<Vec<_>>(),
            })
        };
        let line = self.line.iter().map(|joint| joint.iter().map(canonical::text).collect::<Vec<_>>());
        json!({
            "game": self.name,
            "roles": self.roles.iter().map(canonical::text).collect::<Vec<_>>(),
            "solved": ended.is_none(),
            "reason": ended.as_ref().map(|ended| self.reason(ended)),
            "goals": initial.and_then(|label| label.value).map(|value| self.goals(value)),
            "distance": initial.and_then(|label| label.distance),
            "line": line.collect::<Vec<_>>(),
            "states": self.solution.states(),
            "symmetries": self.symmetries,
            "joint_moves": joint_moves,
            "levels": levels.iter().enumerate().map(level).collect::<Vec<_>>(),
            "threads": self.peers,
            "seconds": self.seconds,
        })
    }
}
