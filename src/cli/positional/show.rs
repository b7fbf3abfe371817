//! `ludolog positional show`.

use super::{BeginsArgs, PositionArgs};
use crate::cli::case::{LimitArgs, explain};
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, counted, print};
use clap::Args;
use ludolog::engine::{Budget, Stopped};
use ludolog::positional::criterion;
use ludolog::positional::draw;
use ludolog::positional::matching::Configuration;
use ludolog::positional::matching::recognize::recognize;
use ludolog::positional::pairing::hales_jewett;
use ludolog::positional::points::{MAX_POINTS, Points};
use ludolog::positional::{Player, Position};
use ludolog::syntax::budget::Poll;
use serde_json::{Value, json};
use std::fmt::Write;

#[derive(Args)]
pub struct PositionalShowArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    begins: BeginsArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Steps of the recognizer between two checks of the budget.
const POLL_EVERY: u32 = 256;

/// Most instances of a configuration that are counted.
const MOST: usize = 10_000;

/// What the winning sets that a player may still complete are like.
struct OpenSets {
    player: Player,
    sets: usize,
    weight: f64,
    /// Whether the opponent keeps the player from winning by the criterion of Erdős and Selfridge.
    criterion: bool,
    /// Whether the opponent has a pairing.
    pairing: bool,
    /// How often each configuration is there, without those that are not.
    configurations: Vec<(String, usize)>,
}

impl OpenSets {
    fn of(position: &Position, player: Player, budget: &Budget) -> Result<OpenSets, Stopped> {
        let open = position.open_sets(player);
        let sizes = || open.iter().map(Vec::len);
        let mut configurations = Vec::new();
        if position.game().len() <= MAX_POINTS {
            let bits: Vec<Points> = open.iter().map(|set| set.iter().copied().collect()).collect();
            let mut poll = Poll::new(budget, POLL_EVERY);
            for configuration in Configuration::library() {
                let found = recognize(&configuration, &bits, MOST, &mut poll)?.len();
                if found > 0 {
                    configurations.push((configuration.name, found));
                }
            }
        }
        Ok(OpenSets {
            player,
            sets: open.len(),
            weight: criterion::weight(sizes()) as f64 / 2f64.powi(criterion::UNIT as i32),
            criterion: criterion::breaker_wins(sizes(), position.to_move == player),
            pairing: hales_jewett(&open, budget)?.is_some(),
            configurations,
        })
    }

    fn text(&self) -> String {
        let OpenSets { player, sets, weight, .. } = self;
        let yes = |holds| if holds { "yes" } else { "no" };
        let mut text = format!("{player} may complete {}, which weigh {weight:.3}\n", counted(*sets, "winning set"));
        _ = writeln!(text, "  {} is held by the criterion of Erdős and Selfridge: {}", player, yes(self.criterion));
        _ = writeln!(text, "  {} is held by a pairing: {}", player, yes(self.pairing));
        if !self.configurations.is_empty() {
            let found: Vec<String> =
                self.configurations.iter().map(|(name, count)| format!("{name} {count}")).collect();
            _ = writeln!(text, "  configurations: {}", found.join(", "));
        }
        text
    }

    fn json(&self) -> Value {
        let configurations: serde_json::Map<String, Value> =
            self.configurations.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
        json!({
            "player": self.player.name(),
            "open_sets": self.sets,
            "weight": self.weight,
            "held_by_criterion": self.criterion,
            "held_by_pairing": self.pairing,
            "configurations": configurations,
        })
    }
}

pub fn run(args: &PositionalShowArgs) -> Result<Outcome, Failure> {
    let budget = args.limits.start();
    let position = args.begins.read(&args.position)?;
    let game = position.game();
    let overlapping = game.overlapping(&budget).map_err(|stopped| explain(&stopped))?;
    let open = Player::BOTH.map(|player| OpenSets::of(&position, player, &budget));
    let [x, o] = open;
    let open = [x.map_err(|stopped| explain(&stopped))?, o.map_err(|stopped| explain(&stopped))?];
    match args.format {
        Format::Text => {
            let mut text = position.name.as_ref().map_or(String::new(), |name| format!("{name}\n"));
            text += &draw::to_text(&position, &[]).unwrap_or_default();
            let state = match position.winner() {
                Some(winner) => format!("{winner} has won"),
                None => format!("{} to move", position.to_move),
            };
            _ = writeln!(
                text,
                "{}, {}, {} overlapping; {state}",
                counted(game.len(), "point"),
                counted(game.sets().len(), "winning set"),
                counted(overlapping, "pair"),
            );
            open.iter().for_each(|open| text += &open.text());
            print(&text)?;
        }
        Format::Json => print_json(&json!({
            "points": game.len(),
            "sets": game.sets().len(),
            "overlapping_pairs": overlapping,
            "to_move": position.to_move.name(),
            "winner": position.winner().map(Player::name),
            "players": open.iter().map(OpenSets::json).collect::<Vec<_>>(),
        }))?,
    }
    Ok(Outcome::Success)
}
