//! How the cost grows with the board, and where the explosive wordings break.

use super::Setup;
use crate::bench::graph::half_full;
use crate::bench::measure;
use crate::bench::monitor::Monitor;
use crate::bench::report::{Growth, GrowthPoint, Outcome, Report};
use crate::bench::task::{Run, Wording, engine_name};
use crate::engine::Stopped;
use crate::hex::formulation::Formulation;
use crate::optimize::Optimization;
use crate::pipeline::EngineKind;

/// What grows, and by which sizes: in proportion to the cells as far as the setup goes, or one by one until it breaks.
const VARIANTS: [(&str, EngineKind, bool); 6] = [
    ("reachability", EngineKind::SemiNaive, false),
    ("cluster", EngineKind::SemiNaive, false),
    ("cluster", EngineKind::Resolution, false),
    ("winning-sets", EngineKind::SemiNaive, true),
    ("power-set-any", EngineKind::Resolution, true),
    ("follow-the-line", EngineKind::Resolution, true),
];

/// A wording that has come so far without breaking is not exploding.
const EXPLODED_BY: u32 = 20;

/// Measures all variants on half full boards.
pub fn run(setup: &Setup, monitor: &mut Monitor<'_>, report: &mut Report) {
    let Some(&largest) = setup.sizes.last() else { return };
    for (name, engine, explodes) in VARIANTS {
        let Some(formulation) = setup.formulations.iter().find(|other| other.name == name) else { continue };
        if !setup.has(name, engine) {
            continue;
        }
        let sizes: Vec<u32> = if explodes { (2..=EXPLODED_BY.min(largest)).collect() } else { setup.sizes.clone() };
        let mut growth = Growth {
            formulation: name.to_string(),
            optimization: Optimization::Auto.to_string(),
            engine: engine_name(engine).to_string(),
            boards: "half full, not won".to_string(),
            points: Vec::new(),
            slope: None,
            breaks_at: None,
        };
        for n in sizes {
            if !monitor.begin(&format!("growth of {name} · {}: {n}×{n}", engine_name(engine))) {
                break;
            }
            match measure_at(setup, formulation, engine, n) {
                Err(Stopped::Interrupted) => break,
                measured => growth.points.push(point(n, measured)),
            }
            if growth.points.last().is_some_and(|point| point.outcome != Outcome::Finished) {
                break;
            }
        }
        growth.conclude();
        report.growth.push(growth);
    }
}

fn measure_at(setup: &Setup, formulation: &Formulation, engine: EngineKind, n: u32) -> Result<(u64, Run), Stopped> {
    let position = half_full(n as usize);
    let wording = Wording::of(formulation, position.board()).map_err(Stopped::Unsupported)?;
    let task = wording.optimize(&Optimization::Auto, engine, wording.case(&position), &setup.sampling.limits());
    let (spread, run) = measure::measure(&setup.sampling, || task.run(&setup.sampling))?;
    Ok((spread.median_ns, run))
}

fn point(n: u32, measured: Result<(u64, Run), Stopped>) -> GrowthPoint {
    let cells = u64::from(n) * u64::from(n);
    match measured {
        Ok((median_ns, run)) => GrowthPoint {
            n,
            cells,
            outcome: Outcome::Finished,
            median_ns: Some(median_ns),
            derived: run.derived,
            bytes: run.bytes,
            bytes_per_tuple: run.bytes_per_tuple(),
            reason: None,
        },
        // A text too large to be made is how the generated wordings break.
        Err(stopped) => GrowthPoint {
            n,
            cells,
            outcome: Outcome::DidNotFinish,
            median_ns: None,
            derived: None,
            bytes: None,
            bytes_per_tuple: None,
            reason: Some(stopped.to_string()),
        },
    }
}
