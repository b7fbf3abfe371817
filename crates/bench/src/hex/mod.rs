//! The Hex benchmark: the question "has anybody won?", in all formulations, under all optimizations, on all engines.
//!
//! * `cells`: formulation × optimization × engine × position; checks answers before it measures.
//! * `growth`: the growth of cost with the board, and the size at which exponential formulations break.
//! * `game`: the cost of asking after each move of a game, from scratch and incrementally.
//! * `factors`: the cost of following the empty cells instead of the opponent's stones, beside the paper's formula.

mod cells;
mod factors;
mod game;
mod growth;

pub use cells::CompiledRunner;

use super::corpus::{NamedPosition, caption};
use super::matrix::{BOARDS, CAPTION, POSITION, ROWS, Variants, method, sections, summary, with_savings};
use super::monitor::Monitor;
use super::report::fields::*;
use super::report::{Benchmark, CaptionedPicture, Fields, Record, Report};
use super::subject::Subject;
use ludolog_engine::EngineDescription;
use ludolog_hex::draw;
use ludolog_logic::optimize::Optimization;

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "hex",
    heading: "Who has won, and what does it cost to ask?",
    lead: |_| {
        "The same question about a Hex position in several wordings, each as written and as optimized, on every engine that can take \
         it."
            .to_owned()
    },
    method,
    text: summary,
    sections,
};

/// The formulations to measure, on which positions, in which ways.
pub struct MatrixSetup {
    /// The positions. Those with a game record are replayed move by move instead.
    pub entries: Vec<NamedPosition>,
    /// The formulations.
    pub formulations: Vec<Subject>,
    /// The engines and optimizations, and the sampling.
    pub variants: Variants,
    /// The board sizes of the growth measurements; empty to skip them.
    pub sizes: Vec<u32>,
}

impl MatrixSetup {
    /// The names of the user's own formulations.
    fn own(&self) -> impl Iterator<Item = &str> {
        self.formulations.iter().filter(|subject| matches!(subject, Subject::Own(_))).map(Subject::name)
    }

    fn has(&self, formulation: &str, engine: &'static EngineDescription) -> bool {
        self.variants.engines.contains(&engine)
            && self.variants.optimizations.contains(&Optimization::Auto)
            && self.formulations.iter().any(|other| other.name() == formulation)
    }
}

/// Boards with more cells than this are not drawn in the report.
const DRAWN_CELLS: usize = 19 * 19;

/// Runs the benchmark until its end or an interruption. `compiled` runs a compiled formulation within a time limit.
pub fn run(setup: &MatrixSetup, compiled: &CompiledRunner<'_>, monitor: &mut Monitor<'_>) -> Report {
    let (games, positions): (Vec<&NamedPosition>, Vec<&NamedPosition>) =
        setup.entries.iter().partition(|entry| entry.position.moves().len() > 0);
    let report = Report::new(&BENCHMARK, &[FAILURES, ROWS]).measure(monitor, |report, monitor| {
        cells::run(setup, &positions, compiled, monitor, report)?;
        growth::run(setup, monitor, &mut report.results)?;
        games.iter().try_for_each(|game| {
            game::run(setup, game, monitor, report)?;
            factors::run(setup, game, monitor, &mut report.results)
        })
    });
    let mut report = with_savings(report);
    for NamedPosition { name, position } in &setup.entries {
        if position.board().len() <= DRAWN_CELLS {
            let name = name.clone();
            let caption = caption(position);
            let board = Record::default().with(POSITION, name.as_str()).with(CAPTION, caption.as_str());
            report.results.push(BOARDS, board);
            let chain = position.winner().and_then(|winner| position.chain(winner)).unwrap_or_default();
            report.pictures.push(CaptionedPicture { name, caption, svg: draw::to_svg(position, &chain) });
        }
    }
    report
}

/// The positions of the usual run, by name: the paper's, won and unwon ones, winding chains.
const USUAL: [&str; 9] =
    ["p9", "game11", "3x3 longest", "4x4 random", "5x5 straight", "7x7 random", "9x9 straight", "9x9 snake", "p11"];

/// The positions of the quick run.
const QUICK: [&str; 4] = ["p9", "game11", "3x3 longest", "4x4 random"];

/// Selects the default positions among the project's positions.
pub fn selection(mut entries: Vec<NamedPosition>, quick: bool) -> Vec<NamedPosition> {
    let names: &[&str] = if quick { &QUICK } else { &USUAL };
    entries.retain(|entry| names.contains(&entry.name.as_str()));
    entries
}

/// The default board sizes of the growth measurements.
pub fn sizes(quick: bool) -> Vec<u32> {
    let all = [5, 10, 20, 50, 100, 200, 500];
    all[..if quick { 5 } else { all.len() }].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::*;
    use crate::measure::{Sampling, Spread};
    use crate::task::TaskResult;
    use ludolog_engine::{RESOLUTION, SEMI_NAIVE, Stopped};
    use ludolog_formulation::{CREPE, Formulation, named};
    use ludolog_hex::board::Board as Size;
    use ludolog_hex::position::Position;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Red's middle column is full on a 3×3 board, move by move or from the start.
    fn won(as_game: bool) -> NamedPosition {
        let board = Size::new(3, 3).unwrap();
        let mut position = Position::new(board);
        for name in ["b1", "a1", "b2", "a2", "b3", "c3"] {
            let cell = board.cell_of_name(name).unwrap();
            if as_game {
                assert!(position.play(cell));
            } else if name.starts_with('b') {
                position.place(ludolog_hex::board::Player::Red, cell);
            }
        }
        NamedPosition { name: "won".to_string(), position }
    }

    fn setup(entry: NamedPosition, engines: &[&'static EngineDescription]) -> MatrixSetup {
        let mut sampling = Sampling::new(Duration::from_secs(20));
        (sampling.min_samples, sampling.max_samples) = (1, 1);
        MatrixSetup {
            entries: vec![entry],
            formulations: ["reachability", "maker-breaker", "cluster"]
                .map(|name| Subject::Shipped(named(name).unwrap()))
                .into(),
            variants: Variants {
                engines: engines.to_vec(),
                optimizations: vec![Optimization::None, Optimization::Auto],
                sampling,
            },
            sizes: Vec::new(),
        }
    }

    fn run_with(setup: &MatrixSetup, compiled: &CompiledRunner<'_>, interrupted: bool) -> Report {
        let mut tell = |_: super::super::monitor::RunProgress<'_>| {};
        let interrupted = Arc::new(AtomicBool::new(interrupted));
        run(setup, compiled, &mut Monitor::new(interrupted, &mut tell))
    }

    #[test]
    fn a_variant_with_a_wrong_answer_fails_the_run_and_is_not_measured() {
        let lie = |_: &Formulation, _: &Optimization, _: &Position, sample: bool| {
            assert!(!sample, "a wrong answer is not worth measuring");
            Ok((
                Spread::of(vec![Duration::from_millis(1)]),
                TaskResult { answer: Some(false), ..TaskResult::default() },
            ))
        };
        let report = run_with(&setup(won(false), &[&CREPE, &SEMI_NAIVE]), &lie, false);
        let failures: Vec<&str> = report.failures().collect();
        let (wrong, right): (Vec<_>, Vec<_>) = report.results.records(ROWS).partition(|row| is_wrong(row));
        assert_eq!((wrong.len(), right.len(), failures.len()), (6, 6, 6));
        assert!(wrong.iter().all(|row| row.text(ENGINE) == "crepe"));
        assert!(right.iter().all(|row| row.text(OUTCOME) == FINISHED && row.is(ANSWER)));
        assert_eq!(failures[0], "reachability · none · crepe on won: says not won, but it is won");
    }

    #[test]
    fn a_game_is_won_where_it_is_and_the_factors_are_the_papers() {
        let never = |_: &Formulation, _: &Optimization, _: &Position, _: bool| {
            Err(Stopped::Unsupported("not here".to_string()))
        };
        let setup = setup(won(true), &[&RESOLUTION, &SEMI_NAIVE]);
        let report = run_with(&setup, &never, false);
        assert_eq!(report.failures().collect::<Vec<_>>(), [""; 0]);
        assert!(report.results.list(ROWS).is_empty(), "a game record is replayed, not judged");
        let games = || report.results.records(GAMES);
        let variants: Vec<_> =
            games().map(|game| (game.text(ENGINE), game.flag(INCREMENTAL).expect("it is told"))).collect();
        let expected = [("semi-naive", false), ("semi-naive", true), ("semi-naive", true), ("resolution", true)];
        assert_eq!(variants, expected);
        assert!(games().all(|game| game.count(WON_AT) == Some(5) && game.list(MOVES).len() == 6));
        let factors = report.results.inner(MAKER_BREAKER).expect("both wordings ran");
        let formula: Vec<f64> = factors.records(POINTS).filter_map(|point| point.number(FORMULA)).collect();
        assert_eq!(formula, [7.0, 2.5, 1.0], "9 cells over 1, 2 and 3 stones, less 2");
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let never = |_: &Formulation, _: &Optimization, _: &Position, _: bool| unreachable!("nothing is begun");
        let report = run_with(&setup(won(false), &[&CREPE, &SEMI_NAIVE]), &never, true);
        assert!(report.interrupted && report.results.list(ROWS).is_empty());
    }
}
