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
use ludolog::positional::{Player, Point, Position};
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

/// How often each configuration is among these winning sets, without those that are not.
fn configurations(open: &[Vec<Point>], budget: &Budget) -> Result<Vec<(String, usize)>, Stopped> {
    let bits: Vec<Points> = open.iter().map(|set| set.iter().copied().collect()).collect();
    let mut poll = Poll::new(budget, POLL_EVERY);
    let mut configurations = Vec::new();
    for configuration in Configuration::library() {
        let found = recognize(&configuration, &bits, MOST, &mut poll)?.len();
        if found > 0 {
            configurations.push((configuration.name, found));
        }
    }
    Ok(configurations)
}

impl OpenSets {
    /// Those of X and of O, which are often the same ones.
    fn of_both(position: &Position, budget: &Budget) -> Result<[OpenSets; 2], Stopped> {
        let sets = Player::BOTH.map(|player| position.open_sets(player));
        let is_small = position.game().len() <= MAX_POINTS;
        let found = |sets: &[Vec<Point>]| if is_small { configurations(sets, budget) } else { Ok(Vec::new()) };
        let of_x = found(&sets[0])?;
        let of_o = if sets[0] == sets[1] { of_x.clone() } else { found(&sets[1])? };
        let [x, o] = Player::BOTH;
        Ok([OpenSets::of(position, x, &sets[0], of_x, budget)?, OpenSets::of(position, o, &sets[1], of_o, budget)?])
    }

    fn of(
        position: &Position,
        player: Player,
        open: &[Vec<Point>],
        configurations: Vec<(String, usize)>,
        budget: &Budget,
    ) -> Result<OpenSets, Stopped> {
        let sizes = || open.iter().map(Vec::len);
        Ok(OpenSets {
            player,
            sets: open.len(),
            weight: criterion::weight(sizes()) as f64 / 2f64.powi(criterion::UNIT as i32),
            criterion: criterion::breaker_wins(sizes(), position.to_move == player),
            pairing: hales_jewett(open, budget)?.is_some(),
            configurations,
        })
    }

    fn text(&self) -> String {
        let OpenSets { player, sets, weight, .. } = self;
        let yes = |holds| if holds { "yes" } else { "no" };
        let weigh = if *sets == 1 { "weighs" } else { "weigh" };
        let mut text = format!("{player} may complete {}, which {weigh} {weight:.3}\n", counted(*sets, "winning set"));
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
    let open = OpenSets::of_both(&position, &budget).map_err(|stopped| explain(&stopped))?;
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
