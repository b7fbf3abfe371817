//! `ludolog bench ablation`: what each heuristic of the semi-naive engine gains.

use super::{Output, failure};
use crate::cli::case::duration;
use crate::cli::choice::{Choice, choice};
use crate::cli::{FILES, Failure, Outcome, limits};
use clap::Args;
use ludolog::bench::ablation::{self, AblationCell};
use ludolog::bench::measure::Sampling;
use ludolog::bench::{corpus, datalog, hex, workload};
use ludolog::diagnostic::Sources;
use ludolog::engine::semi_naive::Heuristic;
use ludolog::formulation;
use ludolog::hex::position::Position;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct AblationArgs {
    /// Folders with a workload, or of such folders; without one the made programs and the formulations of Hex
    #[arg(value_name = "DIR")]
    workloads: Vec<PathBuf>,
    /// Run the formulations of Hex besides the folders
    #[arg(long)]
    hex: bool,
    /// Leave out only these heuristics, one at a time
    #[arg(long, value_parser = choice::<Heuristic>(), value_name = "NAME", num_args = 1..)]
    heuristic: Vec<Heuristic>,
    /// Samples of each run
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// The longest that one run may take, as in 500ms, 5s or 15m
    #[arg(long = "timeout", value_name = "T", default_value = "60s", value_parser = duration)]
    limit: Duration,
    #[command(flatten)]
    output: Output,
}

impl Choice for Heuristic {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        Heuristic::ALL.map(|(heuristic, name, summary)| (heuristic, vec![name], summary)).into()
    }
}

/// Runs the programs with and without each heuristic.
pub fn run(args: &AblationArgs) -> Result<Outcome, Failure> {
    args.output.make_room()?;
    let is_alone = args.workloads.is_empty();
    let positions = if is_alone || args.hex { positions()? } else { Vec::new() };
    let mut cells = Vec::new();
    for folder in &args.workloads {
        cells.extend(AblationCell::of_workloads(workload::read(&FILES, folder, &limits::budget())?));
    }
    if is_alone {
        cells.extend(datalog::PROGRAMS.iter().map(AblationCell::of_program));
    }
    if !positions.is_empty() {
        cells.extend(formulation::ALL.iter().map(|wording| AblationCell::of_formulation(wording, &positions)));
    }
    let heuristics = if args.heuristic.is_empty() {
        Heuristic::ALL.map(|(heuristic, ..)| heuristic).to_vec()
    } else {
        args.heuristic.clone()
    };
    let mut sampling = Sampling::new(args.limit);
    sampling.max_samples = args.samples as usize;
    sampling.limits = limits::budget();
    let (_, outcome) =
        args.output.report(Outcome::Negative, |monitor| ablation::run(cells, &heuristics, &sampling, monitor))?;
    Ok(outcome)
}

/// Positions of Hex: those of the quick benchmark, since each is optimized anew without each heuristic.
fn positions() -> Result<Vec<Position>, Failure> {
    let mut sources = Sources::new();
    let entries = corpus::read(&FILES, &[corpus::STANDARD.into()], &mut sources);
    let entries = entries.map_err(|wrong| failure(sources, wrong))?;
    Ok(hex::selection(entries, true).into_iter().map(|entry| entry.position).collect())
}
