//! `ludolog game trace` and `game perft`: what a rulesheet comes to, for comparison with other reasoners.

use super::reasoner::{Reasoner, machine};
use super::{RulesheetArgs, TimeArgs, explain};
use crate::cli::case;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::trace::{Level, Trace, TraceEnd, playout};
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
    question: Question,
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
    question: Question,
    /// Count up to this many joint moves
    #[arg(long, value_name = "D", default_value_t = 4)]
    depth: usize,
}

#[derive(Args)]
struct Question {
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

impl Question {
    fn machine(&self) -> Result<(Box<dyn StateMachine>, Budget), Failure> {
        let budget = self.time.start();
        let program = self.rulesheet.read(&mut Sources::new(), &budget)?;
        Ok((machine(&program, self.reasoner, &budget, &budget)?, budget))
    }
}

fn stopped(error: &GameError) -> Failure {
    explain(error, Syntax::Kif)
}

/// Prints the trace of a game: as JSON one line, in the form of the corpus of rulesheets.
pub fn trace(args: &TraceArgs) -> Result<Outcome, Failure> {
    let (mut game, budget) = args.question.machine()?;
    let game = &mut *game;
    let seeds = 1..=args.seeds;
    let playouts: Result<Vec<(u64, Trace)>, GameError> =
        seeds.map(|seed| Ok((seed, playout(game, seed, MAX_STEPS, &budget)?))).collect();
    let playouts = playouts.map_err(|error| stopped(&error))?;
    let (levels, ended) = levels(game, args.depth, &budget)?;
    let name =
        args.question.rulesheet.game.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match args.question.format {
        Format::Json => {
            let state = game.initial_state().clone();
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
                "perft": levels.iter().map(|level| level.sequences.to_string()).collect::<Vec<_>>(),
                "levels": levels.iter().enumerate().map(|(depth, level)| level.json(depth)).collect::<Vec<_>>(),
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
            print(&(text + &table(&levels)))?;
        }
    }
    conclude(ended)
}

/// Prints the number of sequences of joint moves of each length.
pub fn perft(args: &PerftArgs) -> Result<Outcome, Failure> {
    let (mut game, budget) = args.question.machine()?;
    let (levels, ended) = levels(&mut *game, args.depth, &budget)?;
    match args.question.format {
        Format::Json => {
            print_json(&levels.iter().enumerate().map(|(depth, level)| level.json(depth)).collect::<Vec<_>>().into())?;
        }
        Format::Text => print(&table(&levels))?,
    }
    conclude(ended)
}

/// A stop tells of what is missing.
fn conclude(ended: Option<Stopped>) -> Result<Outcome, Failure> {
    ended.map_or(Ok(Outcome::Success), |ended| Err(case::explain(&ended)))
}

/// The counts of one level.
struct Counts {
    sequences: u128,
    states: usize,
    terminal: (u64, u128),
    digest: String,
}

impl Counts {
    fn json(&self, depth: usize) -> Value {
        json!({
            "depth": depth,
            "sequences": self.sequences.to_string(),
            "distinct_states": self.states,
            "terminal_states": self.terminal.0,
            "terminal_sequences": self.terminal.1.to_string(),
            "states_sha256": self.digest,
        })
    }
}

/// The levels down to a depth, or down to where the budget ended.
fn levels(
    game: &mut dyn StateMachine,
    depth: usize,
    budget: &Budget,
) -> Result<(Vec<Counts>, Option<Stopped>), Failure> {
    let mut level = Level::first(game);
    let mut counts = Vec::new();
    loop {
        match level.terminal(game) {
            Ok(terminal) => counts.push(Counts {
                sequences: level.sequences(),
                states: level.states().len(),
                terminal,
                digest: level.digest(game),
            }),
            Err(GameError::Stopped(ended)) => return Ok((counts, Some(ended))),
            Err(error) => return Err(stopped(&error)),
        }
        if counts.len() > depth {
            return Ok((counts, None));
        }
        level = match level.next(game, MAX_STATES, budget) {
            Ok(next) => next,
            Err(GameError::Stopped(ended)) => return Ok((counts, Some(ended))),
            Err(error) => return Err(stopped(&error)),
        };
    }
}

fn table(levels: &[Counts]) -> String {
    let rows = levels.iter().enumerate().map(|(depth, level)| {
        let (states, sequences) = level.terminal;
        format!(
            "depth {depth}: {} sequences to {} states, {sequences} to {states} that are terminal\n",
            level.sequences, level.states
        )
    });
    rows.collect()
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
