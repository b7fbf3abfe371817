//! `ludolog game learn`: a judge of states, learned from random games and from games of alpha-beta against itself.

use super::explain;
use super::reasoner::{PLAYS_WITHOUT, compile, without_net};
use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, file, limits, print, table};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::{Role, StateMachine, canonical};
use ludolog::player::alpha_beta::Training;
use ludolog::player::judge::file::JudgeFile;
use ludolog::propnet::NetMachine;
use ludolog::syntax::{ColdSort, Syntax};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Features of each kind that are printed.
const SHOWN: usize = 10;

#[derive(Args)]
pub struct LearnArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// Learn for this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    time: Duration,
    /// Write the judge to this file, for `--judge` of `match`, `serve` and `tournament`
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The seed of all games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop reading and grounding after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Learns, and tells what.
pub fn run(args: &LearnArgs) -> Result<Outcome, Failure> {
    args.output.iter().try_for_each(|path| file::check(path))?;
    let ready = limits::budget().with_timeout(args.timeout);
    let program = args.rulesheet.open()?.analyze(&mut Sources::new(), &ready)?.stratified;
    let net = compile(&program, &ready).map_err(|error| without_net(&error, PLAYS_WITHOUT))?.net;
    if net.roles.len() != 2 {
        return Err(Failure::Message("a judge is learned of games for two".to_owned()));
    }
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    if machine.has_chance() {
        return Err(Failure::Message(
            "a judge is learned of games without chance, and `random` is a role here".to_owned(),
        ));
    }
    let role = Role(0);
    let mut training = Training::new(&net, role, args.seed);
    let shown = ProgressLine::new("learning");
    training
        .learn(&mut machine, &limits::budget().with_timeout(args.time))
        .map_err(|error| explain(&error, Syntax::Kif))?;
    drop(shown);
    let judge = JudgeFile::new(&training.judge(), &net, role);
    let text = json!(judge);
    if let Some(path) = &args.output {
        file::write(path, format!("{text}\n").as_bytes())?;
    }
    match args.format {
        Format::Json => print_json(&text)?,
        Format::Text => print(&report(&judge, &canonical::text(&net.roles[0].term), &training.text()))?,
    }
    let is_interrupted = limits::budget().check().is_err();
    Ok(if is_interrupted { Outcome::Interrupted } else { Outcome::Success })
}

/// The facts and products that weigh most.
fn report(judge: &JudgeFile, role: &str, learned: &str) -> String {
    let facts = judge.facts.iter().map(|(fact, weight)| (fact.clone(), *weight));
    let products = judge.products.iter().map(|(facts, weight)| (facts.join(" "), *weight));
    let mut text = format!("{learned}; weights are for {role}\n");
    for (title, mut features) in [("fact", facts.collect::<Vec<_>>()), ("facts together", products.collect())] {
        features.cold_sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let mut table = table::new([title, "weight"]);
        features
            .into_iter()
            .take(SHOWN)
            .for_each(|(feature, weight)| _ = table.add_row([feature, format!("{weight:+.2}")]));
        _ = write!(text, "\n{}", table::text(&table));
    }
    text
}
