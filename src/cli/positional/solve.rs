//! `ludolog positional solve`.

use super::{BeginsArgs, Means, PositionArgs, explain};
use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, counted, limits, print, progress};
use clap::Args;
use ludolog::engine::{Budget, Stopped};
use ludolog::positional::maker_breaker::{MakerBreakerSolver, Mover};
use ludolog::positional::strong::{StrongOutcome, StrongUnsolved, solve};
use ludolog::positional::{Player, Position};
use serde_json::json;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct PositionalSolveArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    begins: BeginsArgs,
    /// Solve the Maker-Breaker game instead, in which this player is Maker and nobody else wins by winning sets
    #[arg(long, value_name = "PLAYER", value_parser = super::player)]
    maker: Option<Player>,
    /// The cut-offs of the search
    #[arg(long, value_enum, default_value_t, conflicts_with = "no_cutoff")]
    cutoff: Means,
    /// Search without cut-offs
    #[arg(long)]
    no_cutoff: bool,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Memory that the table of positions may take, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// A budget for a search.
pub fn budget(timeout: Duration) -> Budget {
    limits::budget().with_timeout(timeout).with_max_bytes(MAX_BYTES)
}

pub fn run(args: &PositionalSolveArgs) -> Result<Outcome, Failure> {
    let position = args.begins.read(&args.position)?;
    let budget = budget(args.timeout);
    let start = Instant::now();
    let shown = progress::ProgressLine::new("solving");
    let cutoff = (!args.no_cutoff).then(|| args.cutoff.into());
    let solved = match args.maker {
        Some(maker) => maker_breaker(&position, maker, &budget),
        None => solve(&position, cutoff, &budget).map(|solved| {
            let winner = match solved.outcome {
                StrongOutcome::Win(player) => Some(player),
                StrongOutcome::Draw => None,
            };
            (winner, solved.nodes)
        }),
    };
    drop(shown);
    let seconds = start.elapsed().as_secs_f64();
    let (winner, nodes) = match solved {
        Ok((winner, nodes)) => (winner, nodes),
        Err(StrongUnsolved::Stopped(Stopped::Interrupted)) => return Ok(Outcome::Interrupted),
        Err(StrongUnsolved::Stopped(stopped)) => {
            match args.format {
                Format::Text => print(&format!("not solved: {stopped}\n"))?,
                Format::Json => print_json(&json!({ "solved": false, "reason": stopped.to_string() }))?,
            }
            return Ok(Outcome::Negative);
        }
        Err(unsolved) => return Err(explain(&unsolved)),
    };
    match args.format {
        Format::Text => {
            let outcome = winner.map_or("a draw".to_owned(), |winner| format!("{winner} wins"));
            let as_role = match (args.maker, winner) {
                (Some(maker), Some(winner)) if maker == winner => " as Maker",
                (Some(_), _) => " as Breaker",
                _ => "",
            };
            print(&format!("{outcome}{as_role} ({}, {seconds:.2} s)\n", counted(nodes as usize, "node")))?;
        }
        Format::Json => print_json(&json!({
            "solved": true,
            "game": if args.maker.is_some() { "maker-breaker" } else { "strong" },
            "winner": winner.map(Player::name),
            "nodes": nodes,
            "seconds": seconds,
        }))?,
    }
    Ok(Outcome::Success)
}

fn maker_breaker(position: &Position, maker: Player, budget: &Budget) -> Result<(Option<Player>, u64), StrongUnsolved> {
    let open = position.bits()?.open_sets(maker);
    let mut solver = MakerBreakerSolver::new(budget);
    let to_move = if position.to_move == maker { Mover::Maker } else { Mover::Breaker };
    let winner = match solver.winner(&open, to_move)? {
        Mover::Maker => maker,
        Mover::Breaker => maker.opponent(),
    };
    Ok((Some(winner), solver.nodes()))
}
