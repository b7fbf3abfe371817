//! `ludolog positional match`.

use super::solve::budget;
use super::{Means, PositionArgs, explain, matching_json, matching_text};
use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, print, progress};
use clap::Args;
use ludolog::positional::matching::check::MatchingSize;
use ludolog::positional::matching::cover_game;
use ludolog::positional::points::MAX_MATCHED;
use ludolog::positional::{Player, Point};
use serde_json::json;
use std::time::Duration;

#[derive(Args)]
pub struct MatchingArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// The player to keep from winning
    #[arg(long, value_name = "PLAYER", default_value = "x", value_parser = super::player)]
    against: Player,
    /// What to look for
    #[arg(long, value_enum, default_value_t)]
    means: Means,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &MatchingArgs) -> Result<Outcome, Failure> {
    let position = args.position.read()?;
    let sets: Vec<Vec<Point>> = position.open_sets(args.against);
    let shown = progress::ProgressLine::new("looking for a matching");
    let found = cover_game(position.game(), &sets, args.means.into(), &budget(args.timeout));
    drop(shown);
    let found = found.map_err(|stopped| explain(&stopped.into()))?;
    let size = found.as_ref().map(|parts| MatchingSize::of(parts, sets.len()));
    match (args.format, &found, size) {
        (Format::Json, ..) => print_json(&json!({
            "against": args.against.name(),
            "found": found.is_some(),
            "markers": size.map(|size| size.markers),
            "groups": sets.len(),
            "depth": size.map(|size| size.depth),
            "parts": found.as_ref().map(|parts| matching_json(position.game(), parts)),
        }))?,
        (Format::Text, Some(parts), Some(size)) => {
            let MatchingSize { markers, groups, .. } = size;
            let text = matching_text(&position, parts);
            let what = if groups == 0 {
                "no winning set is open".to_owned()
            } else {
                format!("{markers} markers for {groups} winning sets, coverage ratio {:.2}", size.coverage_ratio())
            };
            print(&format!("{text}{} cannot win: {what}\n", args.against))?;
        }
        _ if position.game().len() > MAX_MATCHED => {
            print(&format!("no pairs were found; matching sets are looked for up to {MAX_MATCHED} points\n"))?;
        }
        _ => print("no matching was found\n")?,
    }
    Ok(if found.is_some() { Outcome::Success } else { Outcome::Negative })
}
