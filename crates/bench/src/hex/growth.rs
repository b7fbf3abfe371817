//! The growth of cost with the board, and the size at which exponential formulations break.

use super::MatrixSetup;
use crate::graph::half_full;
use crate::matrix::*;
use crate::measure::{self, Spread};
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::{Fields, Record};
use crate::subject::Subject;
use crate::task::TaskResult;
use ludolog_engine::{EngineDescription, RESOLUTION, SEMI_NAIVE, Stopped};
use ludolog_hex::board::Player;
use ludolog_logic::optimize::Optimization;

/// A variant whose growth is measured.
#[derive(Clone, Copy)]
struct GrowingVariant<'a> {
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

impl Boards {
    fn told(self) -> &'static str {
        match self {
            Boards::OneColor => "half full of one color, not won",
            Boards::Shared => "half full of both colors, not won",
        }
    }
}

const fn variant<'a>(
    formulation: &'a str,
    engine: &'static EngineDescription,
    boards: Boards,
    explodes: bool,
) -> GrowingVariant<'a> {
    GrowingVariant { formulation, engine, boards, explodes }
}

const VARIANTS: [GrowingVariant<'static>; 7] = [
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
pub fn run(setup: &MatrixSetup, monitor: &mut Monitor<'_>, results: &mut Record) -> Result<(), Interrupted> {
    let Some(&largest) = setup.sizes.last() else { return Ok(()) };
    let own = setup.own().map(|name| variant(name, &SEMI_NAIVE, Boards::OneColor, false));
    for GrowingVariant { formulation: name, engine, boards, explodes } in VARIANTS.into_iter().chain(own) {
        let Some(subject) = setup.formulations.iter().find(|other| other.name() == name) else { continue };
        if !setup.has(name, engine) {
            continue;
        }
        let sizes: Vec<u32> = if explodes { (2..=EXPLODED_BY.min(largest)).collect() } else { setup.sizes.clone() };
        let growth = Record::of(SERIES).with(FORMULATION, name).with(OPTIMIZATION, Optimization::Auto.to_string());
        let mut growth = growth.with(ENGINE, engine.name).with(MEASURED, boards.told());
        let mut ended = Ok(());
        for n in sizes {
            ended = monitor.begin(&format!("growth of {name} · {}: {n}×{n}", engine.name));
            if ended.is_err() {
                break;
            }
            let cells = u64::from(n) * u64::from(n);
            let mut point = Record::of(POINT).with(N, n).with(CELLS, cells);
            match measure_at(setup, subject, engine, boards, n) {
                Err(Stopped::Interrupted) => {
                    ended = Err(Interrupted);
                    break;
                }
                Ok((spread, run)) => enter(&mut point, spread, &run),
                // Generated formulations break when their text becomes too large.
                Err(stopped) => point = point.with(OUTCOME, DID_NOT_FINISH).with(REASON, stopped.to_string()),
            }
            let is_finished = point.text(OUTCOME) == FINISHED;
            growth.push(POINTS, point);
            if !is_finished {
                break;
            }
        }
        set_slope(&mut growth);
        results.push(GROWTH, growth);
        ended?;
    }
    Ok(())
}

fn measure_at(
    setup: &MatrixSetup,
    subject: &Subject,
    engine: &'static EngineDescription,
    boards: Boards,
    n: u32,
) -> Result<(Spread, TaskResult), Stopped> {
    let position = match boards {
        Boards::OneColor => half_full(n as usize, Some(Player::Blue)),
        Boards::Shared => half_full(n as usize, None),
    };
    let wording = subject.wording(position.board())?;
    let sampling = &setup.variants.sampling;
    let task = wording.optimize(&Optimization::Auto, engine, &wording.case(&position), &sampling.optimizer_budget())?;
    measure::measure(sampling, || task.run(sampling))
}
