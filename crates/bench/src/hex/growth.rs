//! How the cost grows with the board, and where the explosive wordings break.

use super::Setup;
use crate::graph::half_full;
use crate::measure;
use crate::monitor::Monitor;
use crate::report::{Growth, GrowthPoint, Outcome, Report};
use crate::task::{Run, Wording, engine_name};
use ludolog_engine::Stopped;
use ludolog_formulation::Formulation;
use ludolog_formulation::pipeline::EngineKind;
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;

/// What grows.
struct Variant {
    formulation: &'static str,
    engine: EngineKind,
    boards: Boards,
    /// Measured one size after the other until it breaks, instead of in leaps as far as the setup goes.
    explodes: bool,
}

/// Whose stones fill one half of the board. One color's are at the percolation threshold, with groups as large as chance
/// makes them; the stones of a game are shared, and the groups stay small.
#[derive(Clone, Copy)]
enum Boards {
    OneColor,
    Shared,
}

const fn variant(formulation: &'static str, engine: EngineKind, boards: Boards, explodes: bool) -> Variant {
    Variant { formulation, engine, boards, explodes }
}

const VARIANTS: [Variant; 7] = [
    variant("reachability", EngineKind::SemiNaive, Boards::OneColor, false),
    variant("cluster", EngineKind::SemiNaive, Boards::Shared, false),
    variant("cluster", EngineKind::Resolution, Boards::Shared, false),
    variant("cluster", EngineKind::SemiNaive, Boards::OneColor, false),
    variant("winning-sets", EngineKind::SemiNaive, Boards::OneColor, true),
    variant("power-set-any", EngineKind::Resolution, Boards::OneColor, true),
    variant("follow-the-line", EngineKind::Resolution, Boards::OneColor, true),
];

/// A wording that has come so far without breaking is not exploding.
const EXPLODED_BY: u32 = 20;

/// Measures all variants on half full boards.
pub fn run(setup: &Setup, monitor: &mut Monitor<'_>, report: &mut Report) {
    let Some(&largest) = setup.sizes.last() else { return };
    for Variant { formulation: name, engine, boards, explodes } in VARIANTS {
        let Some(formulation) = setup.formulations.iter().find(|other| other.name == name) else { continue };
        if !setup.has(name, engine) {
            continue;
        }
        let sizes: Vec<u32> = if explodes { (2..=EXPLODED_BY.min(largest)).collect() } else { setup.sizes.clone() };
        let mut growth = Growth {
            formulation: name.to_string(),
            optimization: Optimization::Auto.to_string(),
            engine: engine_name(engine).to_string(),
            boards: match boards {
                Boards::OneColor => "half full of one color, not won",
                Boards::Shared => "half full of both colors, not won",
            }
            .to_string(),
            points: Vec::new(),
            slope: None,
            breaks_at: None,
        };
        for n in sizes {
            if !monitor.begin(&format!("growth of {name} · {}: {n}×{n}", engine_name(engine))) {
                break;
            }
            match measure_at(setup, formulation, engine, boards, n) {
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

fn measure_at(
    setup: &Setup,
    formulation: &Formulation,
    engine: EngineKind,
    boards: Boards,
    n: u32,
) -> Result<(u64, Run), Stopped> {
    let position = match boards {
        Boards::OneColor => half_full(n as usize, Some(Player::Blue)),
        Boards::Shared => half_full(n as usize, None),
    };
    let wording = Wording::of(formulation, position.board()).map_err(Stopped::Unsupported)?;
    let task = wording.optimize(&Optimization::Auto, engine, wording.case(&position), &setup.sampling.budget())?;
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
