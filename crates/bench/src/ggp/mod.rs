//! Games by their rulesheets: how many random playouts a CPU-second each reasoner makes on one thread.
//!
//! The reasoners are the rules as they stand (*interpreted*) and the net of the game in each mode of its lanes, at the
//! width that is fastest in a short trial. Rates of one run compare; the published ones beside them ([`anchors`]) come
//! from other machines.

pub mod anchors;

mod page;

use crate::fields;
use crate::monitor::{Interrupted, Monitor};
use crate::playouts::{Play, PlayoutCount, by_machine, by_net};
use crate::report::fields::*;
use crate::report::{Benchmark, Fields, Record, Report};
use anchors::{PublishedFigure, REFERENCES, Reference};
use ludolog_engine::Stopped;
use ludolog_game::{GameError, Interpreted};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_propnet::{CompiledGame, NotCompiled, PlayoutPolicy, PlyGroup, TRIAL, Width, fastest};
use ludolog_syntax::budget::ThreadClock;
use std::sync::Arc;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "ggp",
    heading: "Random playouts, by the CPU-second",
    lead: |_| {
        "Games by their rulesheets alone: the rules as they stand, and the same rules as a network of gates, for hundreds of games at \
         once."
            .to_owned()
    },
    method: |report| {
        format!(
            "Each reasoner played at random for {} s on one thread; the rate counts the processor time of that thread. The lanes of \
             a net have the width that was fastest in a short trial. Where too many \
             playouts of a net were under way at the end, its rate is that of joint moves by the mean length (≈), or in step, where \
             rounds cost more and more, that of the playouts that ended (≥). Grounding and the net are timed apart.",
            report.results.told(PLAYED_FOR)
        )
    },
    text: page::text,
    sections: page::sections,
};

fields! {
    PUBLISHERS: "references" List; // The reasoners whose rates are published.
    GAMES: "games" List;

    FILE: "file" Plain;
    GROUNDING: "grounding_seconds" Seconds;
    // The mean number of joint moves of a playout: by the rules, or by lanes if they ended many.
    MEAN_LENGTH: "mean_length" Decimals(1);
    REASONERS: "reasoners" List; // The reasoners that played.
    PUBLISHED: "published" List; // By reference: the published figure.
}

// A game.
fields! { ROW = GAME FILE ERROR NO_NET GROUND_RULES GATES GROUNDING NET_TIME MEAN_LENGTH REASONERS PUBLISHED }

fields! {
    LANES: "lanes" Plain; // Playouts at once.
    INSTRUCTIONS: "instructions" Plain; // Instructions a round; none if the rules are interpreted.
    PLAYOUTS: "playouts" Plain; // Playouts that ended.
    CERTAINTY: "certainty" Plain; // How the rate is known.
    BUSY: "busy" Percent; // The share of rounds in which a lane made a move; none if the rules are interpreted.
}

// A reasoner that has played.
fields! { PLAYED = REASONER LANES INSTRUCTIONS PLAYOUTS RATE CERTAINTY BUSY REASON }

/// By counting playouts.
const COUNTED: &str = "counted";
/// By joint moves over the mean length: too many playouts of free lanes, whose rounds all cost the same, were under way
/// at the end.
const ESTIMATED: &str = "estimated";
/// By counting, but too many playouts of lanes in step, whose rounds cost more and more, were under way at the end.
const AT_LEAST: &str = "at-least";

/// The name of the reasoner that has no net.
const INTERPRETED: &str = "interpreted";

/// Playouts of each lane against which those that are under way at the end are few.
const MANY: u64 = 50;

/// The names of the reasoners, in the order in which they play.
fn reasoners() -> impl Iterator<Item = &'static str> {
    [INTERPRETED].into_iter().chain(PlyGroup::ALL.map(PlyGroup::name))
}

/// A rulesheet to measure.
pub struct MeasuredGame {
    /// The file.
    pub file: String,
    /// The name: that of the file, without extension.
    pub name: String,
    /// The program, or the reason why there is none.
    pub program: Result<StratifiedProgram, String>,
}

/// A reasoner that has no rate yet.
fn unmeasured(reasoner: &str) -> Record {
    let rate = Record::of(PLAYED).with(REASONER, reasoner).with(CERTAINTY, COUNTED);
    rate.with(LANES, 0_usize).with(PLAYOUTS, 0_usize)
}

/// Enters what a reasoner played.
fn enter(row: &mut Record, reasoner: &str, lanes: usize, instructions: Option<usize>, played: &PlayoutCount) {
    let playouts = played.tally.playouts;
    let certainty = match instructions {
        Some(_) if playouts >= MANY * lanes as u64 => COUNTED,
        Some(_) if reasoner == PlyGroup::Free.name() => ESTIMATED,
        Some(_) => AT_LEAST,
        None => COUNTED,
    };
    let rate = if certainty == ESTIMATED {
        row.number(MEAN_LENGTH).zip(played.moves_per_cpu_second()).map(|(length, moves)| moves / length)
    } else {
        played.playouts_in(played.cpu)
    };
    let rate = rate.filter(|rate| *rate > 0.0);
    if certainty == COUNTED && rate.is_some() {
        row.set(MEAN_LENGTH, played.mean_length());
    }
    let reason = rate.is_none().then_some("too few playouts ended; they may need more time");
    let entered = unmeasured(reasoner).with(LANES, lanes).with(INSTRUCTIONS, instructions).with(PLAYOUTS, playouts);
    let entered = entered.with(RATE, rate).with(CERTAINTY, certainty).with(BUSY, played.tally.busy());
    row.push(REASONERS, entered.with(REASON, reason));
}

/// What a reasoner did in a game; `None` if it did not play.
fn rate<'r>(row: &'r Record, reasoner: &str) -> Option<&'r Record> {
    row.records(REASONERS).find(|rate| rate.text(REASONER) == reasoner)
}

/// The fastest reasoner of a game; `None` without a rate.
fn fastest_of(row: &Record) -> Option<&Record> {
    let rates = row.records(REASONERS).filter_map(|rate| Some((rate.number(RATE)?, rate)));
    rates.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, rate)| rate)
}

/// Sentences on what is missing.
fn notes(row: &Record) -> Vec<String> {
    let of_row = [ERROR, NO_NET].into_iter().filter(|field| row.has(*field)).map(|field| row.told(field));
    let of_reasoners = row.records(REASONERS).filter(|rate| rate.has(REASON));
    of_row.chain(of_reasoners.map(|rate| format!("{}: {}", rate.text(REASONER), rate.text(REASON)))).collect()
}

/// Measures games, one after the other, until the end or an interruption. A game that cannot be played is a failure.
pub fn run(games: &[MeasuredGame], play: &Play, monitor: &mut Monitor<'_>) -> Report {
    let mut report = Report::new(&BENCHMARK, &[PLAYED_FOR, PUBLISHERS, GAMES]);
    report.results.set(PLAYED_FOR, play.seconds.as_secs_f64());
    report.results.set(PUBLISHERS, REFERENCES.map(Reference::record));
    monitor.expect(games.len() * (1 + reasoners().count()));
    report.measure(monitor, |report, monitor| {
        for game in games {
            let published = anchors::of(&game.name).map_or([None; 4], |anchors| anchors.figures);
            let row = Record::of(ROW).with(GAME, game.name.as_str()).with(FILE, game.file.as_str());
            let mut row = row.with(PUBLISHED, published.map(|figure| figure.map(PublishedFigure::record)));
            let measured = measure(game, play, &mut row, monitor);
            report.has_failed |= row.has(ERROR);
            let is_empty =
                row.list(REASONERS).is_empty() && ![ERROR, NO_NET, GATES].iter().any(|field| row.has(*field));
            if measured.is_ok() || !is_empty {
                report.results.push(GAMES, row);
            }
            measured?;
        }
        Ok(())
    })
}

fn measure(game: &MeasuredGame, play: &Play, row: &mut Record, monitor: &mut Monitor<'_>) -> Result<(), Interrupted> {
    let program = match &game.program {
        Ok(program) => program,
        Err(error) => {
            row.set(ERROR, error.as_str());
            return Ok(());
        }
    };
    let ready = || play.limits.clone().with_clock(Arc::new(ThreadClock)).with_time(play.timeout);
    let playing = || play.limits.clone().with_timeout(play.seconds);
    let mut begin = |what: &str| monitor.begin(&format!("{}: {what}", game.name));
    begin("net")?;
    let compiled = match CompiledGame::new(program, &ready()) {
        Ok(compiled) => {
            row.set(GROUND_RULES, compiled.sizes.ground_rules);
            row.set(GATES, compiled.net.gates());
            row.set(GROUNDING, compiled.grounding.as_secs_f64());
            row.set(NET_TIME, compiled.building.as_secs_f64());
            Some(compiled)
        }
        Err(NotCompiled::Stopped(Stopped::Interrupted)) => return Err(Interrupted),
        Err(none @ NotCompiled::NoRoles) => {
            row.set(ERROR, none.to_string());
            return Ok(());
        }
        Err(none) => {
            row.set(NO_NET, none.to_string());
            None
        }
    };
    begin(INTERPRETED)?;
    let patience = play.limits.clone().with_timeout(play.seconds + play.timeout);
    let played = Interpreted::new(program, ready())
        .and_then(|mut machine| by_machine(&mut machine, play.seed, &playing(), &patience));
    match played {
        Ok(played) => enter(row, INTERPRETED, 1, None, &played),
        Err(GameError::Stopped(Stopped::Interrupted)) => return Err(Interrupted),
        Err(GameError::Stopped(stopped)) => {
            row.push(REASONERS, unmeasured(INTERPRETED).with(REASON, stopped.to_string()))
        }
        Err(error) => {
            row.set(ERROR, error.to_string());
            return Ok(());
        }
    }
    for mode in PlyGroup::ALL {
        let Some(compiled) = &compiled else { break };
        begin(mode.name())?;
        let trial = play.seconds.min(TRIAL);
        match fastest(&compiled.net, PlayoutPolicy::Uniform, &[mode], &Width::ALL, play.seed, trial, &ready()) {
            Ok((lanes, width)) => {
                let played = by_net(&lanes, width, 1, play.seed, &playing(), &patience);
                enter(row, mode.name(), width.lanes(), Some(lanes.instructions()), &played);
            }
            Err(Stopped::Interrupted) => return Err(Interrupted),
            Err(stopped) => row.push(REASONERS, unmeasured(mode.name()).with(REASON, stopped.to_string())),
        }
    }
    monitor.check()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_propnet::Tally;
    use std::time::Duration;

    fn played(playouts: u64, steps: u64, seconds: u64) -> PlayoutCount {
        let time = Duration::from_secs(seconds);
        PlayoutCount {
            tally: Tally { playouts, steps, moves: steps, lane_rounds: 0, ..Tally::default() },
            endless: 0,
            wall: time,
            cpu: time,
        }
    }

    #[test]
    fn playouts_under_way_are_not_lost() {
        let mut row = Record::of(ROW);
        enter(&mut row, "free", 256, Some(100), &played(3, 9_000, 1));
        assert!(fastest_of(&row).is_none(), "without a length nothing is known");
        let mut row = Record::of(ROW);
        enter(&mut row, INTERPRETED, 1, None, &played(4, 40, 2));
        // A playout has ten moves, so 10,000 moves are 1,000 playouts, of which few had time to end.
        enter(&mut row, "free", 256, Some(100), &played(256, 10_000, 1));
        enter(&mut row, "in-step", 256, Some(100), &played(256, 10_000, 1));
        assert_eq!(row.number(MEAN_LENGTH), Some(10.0));
        // Fifty of each lane are enough to be counted.
        enter(&mut row, "refilled", 256, Some(100), &played(12_800, 12_800 * 9, 2));
        assert_eq!(row.number(MEAN_LENGTH), Some(9.0));
        let rates = row.records(REASONERS).map(|rate| (rate.number(RATE), rate.text(CERTAINTY)));
        let expected =
            [(Some(2.0), COUNTED), (Some(1_000.0), ESTIMATED), (Some(256.0), AT_LEAST), (Some(6_400.0), COUNTED)];
        assert_eq!(rates.collect::<Vec<_>>(), expected);
        assert_eq!(fastest_of(&row).map(|rate| rate.text(REASONER)), Some("refilled"));
        enter(&mut row, "in-step", 256, Some(100), &played(0, 10_000, 1));
        assert!(notes(&row)[0].starts_with("in-step: too few playouts ended"), "{:?}", notes(&row));
    }
}
