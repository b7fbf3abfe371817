//! `ludolog game trace` and `game perft`: what a rulesheet comes to, for comparison with other reasoners.

use super::reasoner::{Reasoner, machine};
use super::{TimeArgs, explain};
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::trace::{LevelCounts, StateCounts, Trace, TraceEnd, playout};
use ludolog::game::{GameError, StateMachine, StateMachineExt, canonical};
use ludolog::syntax::Syntax;
use serde_json::{Value, json};
use std::fmt::Write;

/// Most different states of a level: some gigabytes.
const MAX_STATES: usize = 4_000_000;

/// Most joint moves of a playout.
const MAX_STEPS: u64 = 1000;

#[derive(Args)]
pub struct TraceArgs {
    #[command(flatten)]
    question: TracedQuestion,
    /// Play by the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 20)]
    seeds: u64,
    /// Find all states after up to this many joint moves
    #[arg(long, value_name = "D", default_value_t = 3)]
    depth: usize,
}

#[derive(Args)]
pub struct PerftArgs {
    #[command(flatten)]
    question: TracedQuestion,
    /// Count up to this many joint moves
    #[arg(long, value_name = "D", default_value_t = 4)]
    depth: usize,
}

#[derive(Args)]
struct TracedQuestion {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// What answers
    #[arg(long, value_enum, default_value_t)]
    reasoner: Reasoner,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    time: TimeArgs,
}

impl TracedQuestion {
    /// The name of the game, its machine, and the budget of both.
    fn machine(&self) -> Result<(String, Box<dyn StateMachine>, Budget), Failure> {
        let budget = self.time.start();
        let rulesheet = self.rulesheet.open()?;
        let program = rulesheet.analyze(&mut Sources::new(), &budget)?.stratified;
        Ok((rulesheet.name(), machine(&program, self.reasoner, &budget, &budget)?, budget))
    }
}

fn stopped(error: &GameError) -> Failure {
    explain(error, Syntax::Kif)
}

/// Prints the trace of a game: as JSON one line, in the form of the corpus of rulesheets.
pub fn trace(args: &TraceArgs) -> Result<Outcome, Failure> {
    let (name, mut game, budget) = args.question.machine()?;
    let game = &mut *game;
    let progress = ProgressLine::new("playouts");
    let mut playouts = Vec::new();
    let mut levels = Levels::default();
    let mut ended = None;
    for seed in 1..=args.seeds {
        progress.say(|| format!("playout {seed} of {}", args.seeds));
        match playout(game, seed, MAX_STEPS, &budget) {
            Ok(trace) => playouts.push((seed, trace)),
            Err(error) => {
                ended = Some(error);
                break;
            }
        }
    }
    if ended.is_none() {
        (levels, ended) = Levels::of(game, args.depth, &budget, &progress);
    }
    drop(progress);
    match args.question.format {
        Format::Json => {
            let state = game.initial_state().clone();
            // A few questions about the first state are answered although time is over.
            game.set_budget(Budget::unlimited().with_timeout(args.question.time.timeout));
            let legal = game.legal_terms(&state).map_err(|error| stopped(&error))?;
            let facts = game.facts(&state);
            let row = json!({
                "name": name,
                "roles": game.roles().iter().map(canonical::text).collect::<Vec<_>>(),
                "init_facts": facts.len(),
                "init_sha256": canonical::digest(&canonical::state_text(&facts)),
                "init_terminal": game.is_terminal(&state).map_err(|error| stopped(&error))?,
                "init_legal_counts": legal.iter().map(|(_, moves)| moves.len()).collect::<Vec<_>>(),
                "init_legal_sha256": canonical::digest(&canonical::moves_text(&legal)),
                "init_goals": game.goals(&state).map_err(|error| stopped(&error))?,
                "playouts": playouts.iter().map(|(seed, trace)| playout_json(*seed, trace)).collect::<Vec<_>>(),
                "perft": levels.sequences().map(|sequences| sequences.to_string()).collect::<Vec<_>>(),
                "levels": levels.complete.iter().enumerate().map(|(depth, level)| level.json(depth)).collect::<Vec<_>>(),
                "perft_stop": ended.as_ref().map_or("complete".to_owned(), ToString::to_string),
            });
            print(&format!("{row}\n"))?;
        }
        Format::Text => {
            let mut text = String::new();
            for (seed, trace) in &playouts {
                let goals = trace.goals.as_ref().map_or(String::new(), |goals| {
                    let goal = |goal: &Option<i64>| goal.map_or("none".to_owned(), |goal| goal.to_string());
                    format!(", goals {}", goals.iter().map(goal).collect::<Vec<_>>().join(" "))
                });
                let end = end(trace.end);
                _ = writeln!(text, "seed {seed}: {end} after {}, {} legal{goals}", trace.steps, trace.legal_moves);
            }
            print(&(text + &levels.table()))?;
        }
    }
    Ok(conclude(ended))
}

/// Prints the number of sequences of joint moves of each length.
pub fn perft(args: &PerftArgs) -> Result<Outcome, Failure> {
    let (_, mut game, budget) = args.question.machine()?;
    let progress = ProgressLine::new("levels");
    let (levels, ended) = Levels::of(&mut *game, args.depth, &budget, &progress);
    drop(progress);
    match args.question.format {
        Format::Json => {
            let mut rows: Vec<Value> =
                levels.complete.iter().enumerate().map(|(depth, level)| level.json(depth)).collect();
            let last = levels.next.map(|sequences| json!({ "depth": rows.len(), "sequences": sequences.to_string() }));
            rows.extend(last);
            print_json(&rows)?;
        }
        Format::Text => print(&levels.table())?,
    }
    Ok(conclude(ended))
}

/// Says what is missing. What there is has been printed, as one document if it is JSON.
fn conclude(ended: Option<GameError>) -> Outcome {
    let message = match ended {
        None => return Outcome::Success,
        Some(GameError::Stopped(Stopped::TooManyFacts(states))) if states == MAX_STATES as u64 => {
            format!("a level has more than {states} states; ask for a smaller --depth")
        }
        Some(error) => match stopped(&error) {
            Failure::Message(message) => message,
            Failure::Interrupted | Failure::Diagnostics(..) => return Outcome::Interrupted,
        },
    };
    anstream::eprintln!("error: {message}");
    Outcome::Failed
}

/// One level.
struct CountedLevel {
    sequences: u128,
    states: usize,
    counts: LevelCounts,
    digest: String,
}

impl CountedLevel {
    fn json(&self, depth: usize) -> Value {
        json!({
            "depth": depth,
            "sequences": self.sequences.to_string(),
            "distinct_states": self.states,
            "terminal_states": self.counts.terminal_states,
            "terminal_sequences": self.counts.terminal_sequences.to_string(),
            "states_sha256": self.digest,
        })
    }
}

/// The levels of a game.
#[derive(Default)]
struct Levels {
    complete: Vec<CountedLevel>,
    /// The sequences of the next level, if the budget ended before all of its states were found.
    next: Option<u128>,
}

impl Levels {
    /// The levels down to a depth, or down to where the budget ended.
    fn of(
        game: &mut dyn StateMachine,
        depth: usize,
        budget: &Budget,
        progress: &ProgressLine,
    ) -> (Levels, Option<GameError>) {
        let mut levels = Levels::default();
        let ended = levels.count(game, depth, budget, progress).err();
        if ended.is_none() {
            levels.next = None;
        }
        (levels, ended)
    }

    fn count(
        &mut self,
        game: &mut dyn StateMachine,
        depth: usize,
        budget: &Budget,
        progress: &ProgressLine,
    ) -> Result<(), GameError> {
        let mut level = StateCounts::first(game);
        loop {
            let at = self.complete.len();
            let states = level.states().len();
            progress.say(|| format!("depth {at}: {states} states"));
            let counts = level.counts(game, budget)?;
            let digest = level.digest(game, budget)?;
            self.complete.push(CountedLevel { sequences: level.sequences(), states, counts, digest });
            self.next = Some(counts.next_sequences);
            if at == depth {
                return Ok(());
            }
            let tell = |done, found| {
                progress.say(|| format!("depth {}: {found} states after {done} of {states} before", at + 1));
            };
            level = level.next(game, MAX_STATES, budget, tell)?;
        }
    }

    fn sequences(&self) -> impl Iterator<Item = u128> {
        self.complete.iter().map(|level| level.sequences).chain(self.next)
    }

    fn table(&self) -> String {
        let row = |(depth, level): (usize, &CountedLevel)| {
            let LevelCounts { terminal_states, terminal_sequences, .. } = level.counts;
            format!(
                "depth {depth}: {} sequences to {} states, {terminal_sequences} to {terminal_states} that are terminal\n",
                level.sequences, level.states
            )
        };
        let mut text: String = self.complete.iter().enumerate().map(row).collect();
        if let Some(sequences) = self.next {
            _ = writeln!(text, "depth {}: {sequences} sequences", self.complete.len());
        }
        text
    }
}

fn end(end: TraceEnd) -> &'static str {
    match end {
        TraceEnd::Terminal => "terminal",
        TraceEnd::Stuck => "stuck",
        TraceEnd::MaxSteps => "maxlen",
    }
}

fn playout_json(seed: u64, trace: &Trace) -> Value {
    let mut row = json!({
        "seed": seed,
        "end": end(trace.end),
        "steps": trace.steps,
        "sum_legals": trace.legal_moves,
        "trace_sha256": trace.moves_digest,
        "final_sha256": trace.state_digest,
    });
    if let Some(goals) = &trace.goals {
        row["goals"] = json!(goals);
    }
    row
}
