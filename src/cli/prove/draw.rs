//! `ludolog prove draw`: that nobody can win a position of a positional game.

use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::positional::{BeginsArgs, Means, PositionArgs, explain, matching_text};
use crate::cli::{Failure, Outcome, counted, file, limits, print, progress};
use clap::Args;
use ludolog::engine::{Budget, Stopped};
use ludolog::positional::certificate::{self, DrawCertificate, Method, ProofStep, Proved};
use ludolog::positional::points::MAX_MATCHED;
use ludolog::positional::strong::StrongUnsolved;
use ludolog::positional::{Player, Position};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct DrawArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    begins: BeginsArgs,
    /// Write a certificate, which `ludolog verify` checks
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// The most that is tried before a search
    #[arg(long, value_enum, default_value_t = Means::Search)]
    means: Means,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Memory that the table of a search may take, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// What came of the claim that a player cannot win, or why that is not known.
type DrawAnswer = Result<Proved, String>;

fn answer(position: &Position, player: Player, args: &DrawArgs, budget: &Budget) -> Result<DrawAnswer, Failure> {
    match certificate::prove(position, player, args.means.into(), budget) {
        Ok(proved) => Ok(Ok(proved)),
        Err(StrongUnsolved::Stopped(stopped)) => Ok(Err(stopped.to_string())),
        Err(StrongUnsolved::TooManyPoints(points)) if points.0 <= MAX_MATCHED => {
            Ok(Err(format!("no matching was found, and {points}")))
        }
        Err(unsolved) => Err(explain(&unsolved)),
    }
}

pub fn run(args: &DrawArgs) -> Result<Outcome, Failure> {
    args.proof.iter().try_for_each(|path| file::check(path))?;
    let position = args.begins.read(&args.position)?;
    let budget = limits::budget().with_timeout(args.timeout);
    let budget = budget.with_max_bytes(MAX_BYTES);
    let start = Instant::now();
    let shown = progress::ProgressLine::new("proving");
    let mut answers = Vec::new();
    for player in [position.to_move, position.to_move.opponent()] {
        let answer = answer(&position, player, args, &budget)?;
        let is_decided = winner(player, &answer).is_some() || budget.check() == Err(Stopped::Interrupted);
        answers.push((player, answer));
        if is_decided {
            break;
        }
    }
    drop(shown);
    let seconds = start.elapsed().as_secs_f64();
    let is_draw = answers.iter().all(|(_, answer)| matches!(answer, Ok(Proved::Held { .. })));
    if let (Some(path), true) = (&args.proof, is_draw) {
        write_proof(path, &position, &answers)?;
    }
    let proof = args.proof.as_deref().filter(|_| is_draw);
    match args.format {
        Format::Text => print(&text(&position, &answers, is_draw, seconds, proof))?,
        Format::Json => print_json(&document(&answers, is_draw, seconds, proof))?,
    }
    Ok(if is_draw {
        Outcome::Success
    } else if budget.check() == Err(Stopped::Interrupted) {
        Outcome::Interrupted
    } else {
        Outcome::Negative
    })
}

/// The player who wins, or has won, by the answer about a player; `None` if it tells of no winner.
fn winner(player: Player, answer: &DrawAnswer) -> Option<Player> {
    match answer {
        Ok(Proved::Wins { .. }) => Some(player),
        Ok(Proved::Over { winner }) => Some(*winner),
        Ok(Proved::Held { .. }) | Err(_) => None,
    }
}

fn write_proof(path: &Path, position: &Position, answers: &[(Player, DrawAnswer)]) -> Result<(), Failure> {
    let claims = answers.iter().filter_map(|(_, answer)| match answer {
        Ok(Proved::Held { claim, .. }) => Some(claim.clone()),
        _ => None,
    });
    let certificate = DrawCertificate { position: position.clone(), claims: claims.collect() };
    super::write(path, &certificate)
}

fn text(
    position: &Position,
    answers: &[(Player, DrawAnswer)],
    is_draw: bool,
    seconds: f64,
    proof: Option<&Path>,
) -> String {
    let mut text = String::new();
    let nodes = |nodes: &u64| counted(*nodes as usize, "node");
    for (player, answer) in answers {
        _ = match answer {
            Ok(Proved::Held { claim, method, nodes: count }) => {
                if let [ProofStep::Matching { parts }] = &claim.steps[..] {
                    text += &matching_text(position, parts);
                }
                let steps = counted(claim.steps.len(), "step");
                // A fact is a reason, and all else a means.
                let why = if *method == Method::Nothing { format!(": {method}") } else { format!(", by {method}") };
                writeln!(text, "{player} cannot win{why} ({}, {steps})", nodes(count))
            }
            Ok(Proved::Wins { nodes: count }) => writeln!(text, "{player} wins ({})", nodes(count)),
            Ok(Proved::Over { winner }) => writeln!(text, "{winner} has won"),
            Err(reason) => writeln!(text, "whether {player} can win is not known: {reason}"),
        };
    }
    if is_draw {
        _ = writeln!(text, "a draw ({seconds:.2} s)");
    }
    if let Some(path) = proof {
        _ = writeln!(text, "proof: {}", path.display());
    }
    text
}

fn document(answers: &[(Player, DrawAnswer)], is_draw: bool, seconds: f64, proof: Option<&Path>) -> Value {
    let winner = answers.iter().find_map(|(player, answer)| winner(*player, answer));
    let claims = answers.iter().map(|(player, answer)| match answer {
        Ok(Proved::Held { claim, method, nodes }) => json!({
            "player": player.name(),
            "can_win": false,
            "method": method_name(*method),
            "nodes": nodes,
            "steps": claim.steps.len(),
            "reason": null,
        }),
        Ok(Proved::Wins { nodes }) => json!({
            "player": player.name(), "can_win": true, "method": "search", "nodes": nodes, "steps": null, "reason": null,
        }),
        Ok(Proved::Over { winner }) => json!({
            "player": player.name(), "can_win": player == winner, "method": "over", "nodes": 0, "steps": null, "reason": null,
        }),
        Err(reason) => json!({
            "player": player.name(), "can_win": null, "method": null, "nodes": null, "steps": null, "reason": reason,
        }),
    });
    json!({
        "draw": if is_draw { Some(true) } else { winner.map(|_| false) },
        "winner": winner.map(Player::name),
        "claims": claims.collect::<Vec<_>>(),
        "seconds": seconds,
        "proof": proof.map(|path| path.display().to_string()),
    })
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Nothing => "nothing-open",
        Method::Stealing => "stealing",
        Method::Pairing => "pairing",
        Method::Configurations => "configurations",
        Method::Matching => "matching-sets",
        Method::Weights => "weights",
        Method::Search => "search",
    }
}
