//! The growth of cost with the board, and the size at which exponential formulations break.

use super::Setup;
use crate::graph::half_full;
use crate::measure;
use crate::monitor::Monitor;
use crate::report::{Growth, GrowthPoint, Outcome, Report};
use crate::subject::Subject;
use crate::task::Run;
use ludolog_engine::{EngineDescription, RESOLUTION, SEMI_NAIVE, Stopped};
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;

/// A variant whose growth is measured.
#[derive(Clone, Copy)]
struct Variant<'a> {
    formulation: &'a str,
    engine: &'static EngineDescription,
    boards: Boards,
    /// Whether the cost is exponential: every size is measured until one breaks, instead of the sizes of the setup.
    explodes: bool,
}

/// The colors of the stones that fill one half of the board. Stones of one color are at the percolation threshold, so
/// random groups are large; stones of both colors, as in a game, form small groups.
#[derive(Clone, Copy)]
enum Boards {
    OneColor,
    Shared,
}

const fn variant<'a>(
    formulation: &'a str,
    engine: &'static EngineDescription,
    boards: Boards,
    explodes: bool,
) -> Variant<'a> {
    Variant { formulation, engine, boards, explodes }
}

const VARIANTS: [Variant<'static>; 7] = [
    variant("reachability", &SEMI_NAIVE, Boards::OneColor, false),
    variant("cluster", &SEMI_NAIVE, Boards::Shared, false),
    variant("cluster", &RESOLUTION, Boards::Shared, false),
    variant("cluster", &SEMI_NAIVE, Boards::OneColor, false),
    variant("winning-sets", &SEMI_NAIVE, Boards::OneColor, true),
    variant("power-set-any", &RESOLUTION, Boards::OneColor, true),
    variant("follow-the-line", &RESOLUTION, Boards::OneColor, true),
];

/// The largest board of exponential variants: all of them break before it.
const EXPLODED_BY: u32 = 20;

/// Measures all variants, and the user's own formulations, on half-full boards.
pub fn run(setup: &Setup, monitor: &mut Monitor<'_>, report: &mut Report) {
    let Some(&largest) = setup.sizes.last() else { return };
    let own = setup.own().map(|name| variant(name, &SEMI_NAIVE, Boards::OneColor, false));
    for Variant { formulation: name, engine, boards, explodes } in VARIANTS.into_iter().chain(own) {
        let Some(subject) = setup.formulations.iter().find(|other| other.name() == name) else { continue };
        if !setup.has(name, engine) {
            continue;
        }
        let sizes: Vec<u32> = if explodes { (2..=EXPLODED_BY.min(largest)).collect() } else { setup.sizes.clone() };
        let mut growth = Growth {
            formulation: name.to_string(),
            optimization: Optimization::Auto.to_string(),
            engine: engine.name.to_string(),
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
            if !monitor.begin(&format!("growth of {name} · {}: {n}×{n}", engine.name)) {
                break;
            }
            match measure_at(setup, subject, engine, boards, n) {
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
    subject: &Subject,
    engine: &'static EngineDescription,
    boards: Boards,
    n: u32,
) -> Result<(u64, Run), Stopped> {
    let position = match boards {
        Boards::OneColor => half_full(n as usize, Some(Player::Blue)),
        Boards::Shared => half_full(n as usize, None),
    };
    let wording = subject.wording(position.board())?;
    let task =
        wording.optimize(&Optimization::Auto, engine, &wording.case(&position), &setup.sampling.optimizer_budget())?;
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
        // Generated formulations break when their text becomes too large.
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
