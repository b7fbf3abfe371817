//! What the benchmarks of rules have in common: a task in all variants, optimization × engine, checked and measured.
//!
//! A row is a cell of the matrix formulation × optimization × engine × position. Growth and games are the same cost
//! along an axis: board size, the moves of a game.
//!
//! * `text`: tables for a terminal. `page`: the sections of the page.

mod page;
mod tables;
mod text;

pub(crate) use page::sections;
pub use text::to_text;
pub(crate) use text::{choices_alone, summary};

use crate::fields;
use crate::measure::{Sampling, Spread};
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::{Field, Fields, Record, Report, format, record};
use crate::task::TaskResult;
use ludolog_engine::{EngineDescription, Stopped};
use ludolog_logic::optimize::Optimization;

fields! {
    ROWS: "rows" List; // The rows of a report.

    ENGINE: "engine" Plain;
    POSITION: "position" Plain; // The position, or the data of a generic program.
    ANSWER: "answer" Plain; // The answer of the program, if it has one.
    EXPECTED: "expected" Plain; // The correct answer of the formulation, if it is known.
    // Whether the position is won, but by a chain that the formulation does not look for, so that no is expected.
    CANNOT_SEE: "cannot_see" Plain;
    // The winners that the user's own formulation derives and the true one, in words, if they are not the same.
    WRONG_WINNERS: ".wrong_winners" Plain;
    OUTCOME: "outcome" Plain; // [`FINISHED`], [`DID_NOT_FINISH`] or [`UNSUPPORTED`].
    MEDIAN: "median_ns" Nanoseconds; // The median time of a run.
    MIN: "min_ns" Nanoseconds;
    MAX: "max_ns" Nanoseconds;
    DERIVED: "derived" Plain; // Facts derived in one run (resolution: heads proved).
    PROBES: "probes" Plain; // Rows and clause heads tried in one run.
    // Runtime savings factor: the time of the slowest optimization of the same formulation, engine and position,
    // divided by the time of this one.
    RSF: "rsf" Magnitude;
    RSF_AT_LEAST: "rsf_at_least" Plain; // Whether the slowest one did not finish, so that the factor is a lower bound.
    // For `auto`: its time divided by that of the best other optimization, if both finished.
    OVER_BEST: "over_best" Decimals(1);
    OPTIMIZE: "optimize_ns" Nanoseconds; // The time of optimizing.
    LOAD: "load_ns" Nanoseconds; // The time of loading the program and its facts.
    LIMIT: "limit_s" Plain; // The time limit of one run, in seconds.
    BYTES: "bytes" Plain; // Memory held by the facts at the end of a run, if the engine counts it.
    BYTES_PER_TUPLE: "bytes_per_tuple" Decimals(1); // That memory divided by the number of facts.
    TUPLES: "tuples" Plain; // Facts of the counted predicate of a generic program.
    TUPLES_PER_SECOND: "tuples_per_second" Magnitude; // Tuples, or else derived facts, divided by the median time.
}

// A cell.
fields! {
    ROW =
        FORMULATION OPTIMIZATION ENGINE POSITION ANSWER EXPECTED CANNOT_SEE OUTCOME MEDIAN MIN MAX SAMPLES DERIVED
        PROBES RSF RSF_AT_LEAST OVER_BEST OPTIMIZE LOAD LIMIT BYTES BYTES_PER_TUPLE TUPLES TUPLES_PER_SECOND
        REASON
}

/// All runs finished.
pub(crate) const FINISHED: &str = "finished";
/// A limit of time, facts or depth was hit; the reason says which.
pub(crate) const DID_NOT_FINISH: &str = "did-not-finish";
/// The engine cannot run this formulation; the reason says why.
pub(crate) const UNSUPPORTED: &str = "unsupported";

fields! {
    GROWTH: "growth" List; // The growth of cost with the board, by variant.
    MEASURED: "boards" Plain; // The measured boards, in words.
    POINTS: "points" List; // Measurements along an axis.
    // The exponent of the growth with the number of cells: the slope of the log-log line through the larger half of
    // the finished points (the smaller ones measure fixed costs). None with fewer than three finished points.
    SLOPE: "slope" Decimals(2);
    BREAKS_AT: "breaks_at" Plain; // The smallest n that did not finish.
    N: "n" Plain; // The number of columns and of rows.
    CELLS: "cells" Plain; // The number of cells.
}

// The cost on one size of board.
fields! { POINT = N CELLS OUTCOME MEDIAN DERIVED BYTES BYTES_PER_TUPLE REASON }

// The cost of a variant by size of board.
fields! { SERIES = FORMULATION OPTIMIZATION ENGINE MEASURED POINTS SLOPE BREAKS_AT }

fields! {
    GAMES: "game" List; // The cost of following a game, by variant.
    // Whether one engine is updated throughout the game, instead of loading a new one for each move.
    INCREMENTAL: "incremental" Plain;
    WON_AT: "won_at" Plain; // The first move (from 1) after which the game is won.
    MOVES: "move_ns" List; // The median time of each move, in nanoseconds.
    PER_MOVE: "ns_per_move" Nanoseconds; // The mean over the moves.
}

// The cost of asking "is it won?" after every move of a game, for one variant.
fields! { FOLLOWED = GAME FORMULATION OPTIMIZATION ENGINE INCREMENTAL WON_AT MOVES PER_MOVE REASON }

fields! {
    // The Maker-Breaker factor along a game: the paper's estimate, and the measured one.
    MAKER_BREAKER: "maker_breaker" Plain;
    STONES: "i" Plain; // The number of stones of each player.
    FORMULA: "formula" Decimals(2); // The estimate f(i) = n²/i − 2: empty cells divided by the opponent's stones.
    // Facts derived by the formulation `maker-breaker`, divided by those derived by `reachability`.
    DERIVED_FACTOR: "derived" Decimals(2);
    TIME_FACTOR: "time" Decimals(2); // The same ratio of the times.

    BOARDS: "boards" List; // The positions of the rows, with captions.
    CAPTION: "caption" Plain; // The size of a position, its number of stones and winner, in words.
}

/// The rows of a report as CSV: a header, then a line each, an absent value empty.
pub fn to_csv(report: &Report) -> String {
    record::to_csv(report.results.records(ROWS))
}

/// What runs a task: an engine, or another system.
pub trait Runner: Copy {
    /// Its name in reports.
    fn name(self) -> &'static str;
}

impl Runner for &'static EngineDescription {
    fn name(self) -> &'static str {
        self.name
    }
}

/// The ways in which a task is run.
pub struct Variants<E = &'static EngineDescription> {
    /// The engines.
    pub engines: Vec<E>,
    /// The optimizations.
    pub optimizations: Vec<Optimization>,
    /// The limit and number of samples of a cell.
    pub sampling: Sampling,
}

impl<E: Runner> Variants<E> {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.engines.len() * self.optimizations.len()
    }

    /// A cell without results.
    pub(crate) fn row(&self, formulation: &str, optimization: &Optimization, engine: &str, position: &str) -> Record {
        row(formulation, &optimization.to_string(), engine, position, self.sampling.limit.as_secs_f64())
    }

    /// Measures a task in all ways, a row each. One that counts other tuples than the first one is a failure.
    pub(crate) fn compare(
        &self,
        task: &str,
        data: &str,
        report: &mut Report,
        monitor: &mut Monitor<'_>,
        mut measure: impl FnMut(E, &Optimization, &mut Record) -> Result<(), Stopped>,
    ) -> Result<(), Interrupted> {
        let mut agreed: Option<u64> = None;
        for &engine in &self.engines {
            for optimization in &self.optimizations {
                let mut row = self.row(task, optimization, engine.name(), data);
                let what = variant(&row);
                monitor.begin(&what)?;
                match measure(engine, optimization, &mut row) {
                    Err(Stopped::Interrupted) => return Err(Interrupted),
                    Err(stopped) => stop(&mut row, stopped),
                    Ok(()) => {}
                }
                let tuples = row.count(TUPLES);
                if let (Some(tuples), Some(others)) = (tuples, agreed)
                    && tuples != others
                {
                    report.fail(format!("{what}: {tuples} tuples instead of {others}"));
                }
                agreed = agreed.or(tuples);
                monitor.row(&row);
                report.results.push(ROWS, row);
            }
        }
        Ok(())
    }
}

/// A cell without results.
fn row(formulation: &str, optimization: &str, engine: &str, position: &str, limit_s: f64) -> Record {
    let row = Record::of(ROW).with(FORMULATION, formulation).with(OPTIMIZATION, optimization).with(ENGINE, engine);
    let row = row.with(POSITION, position).with(CANNOT_SEE, false).with(OUTCOME, DID_NOT_FINISH);
    row.with(SAMPLES, 0_usize).with(RSF_AT_LEAST, false).with(LIMIT, limit_s)
}

/// Enters the results of a finished cell, as far as the record has fields for them.
pub(crate) fn enter(row: &mut Record, spread: Spread, run: &TaskResult) {
    row.fill(OUTCOME, FINISHED);
    row.fill(ANSWER, run.answer);
    row.fill(MEDIAN, spread.median_ns);
    row.fill(MIN, spread.min_ns);
    row.fill(MAX, spread.max_ns);
    row.fill(SAMPLES, spread.samples);
    row.fill(DERIVED, run.derived);
    row.fill(PROBES, run.probes);
    row.fill(LOAD, run.load_ns);
    row.fill(BYTES, run.bytes);
    row.fill(BYTES_PER_TUPLE, run.bytes_per_tuple());
    row.fill(TUPLES, run.tuples);
    let rate = |tuples| tuples as f64 * 1e9 / spread.median_ns.max(1) as f64;
    row.fill(TUPLES_PER_SECOND, run.tuples.or(run.derived).map(rate));
}

/// Enters why a cell has no time.
pub(crate) fn stop(row: &mut Record, stopped: Stopped) {
    let (outcome, reason) = match stopped {
        Stopped::Unsupported(reason) => (UNSUPPORTED, reason),
        stopped => (DID_NOT_FINISH, stopped.to_string()),
    };
    row.set(OUTCOME, outcome);
    row.set(REASON, reason);
}

/// The formulation, optimization and engine of a record, in words.
pub(crate) fn variant(record: &Record) -> String {
    [FORMULATION, OPTIMIZATION, ENGINE].map(|field| record.text(field)).join(" · ")
}

/// Whether the answer is known to be wrong.
pub(crate) fn is_wrong(row: &Record) -> bool {
    row.has(WRONG_WINNERS)
        || matches!((row.flag(ANSWER), row.flag(EXPECTED)), (Some(answer), Some(expected)) if answer != expected)
}

/// The answer of a row, in a word; empty if it has none.
fn answer(row: &Record) -> &'static str {
    match row.flag(ANSWER) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

/// The time of a row, or its outcome if it has none.
fn time(row: &Record) -> String {
    match (row.text(OUTCOME), row.has(MEDIAN)) {
        (FINISHED, true) => row.told(MEDIAN),
        (UNSUPPORTED, _) => "–".to_owned(),
        _ if row.has(REASON) => row.told(REASON),
        _ => "not measured".to_owned(),
    }
}

/// The runtime savings factor of a row; empty if it has none.
fn savings(row: &Record) -> String {
    let bound = if row.is(RSF_AT_LEAST) { "≥ " } else { "" };
    row.number(RSF).map_or(String::new(), |rsf| format!("{bound}{}", format::count(rsf)))
}

/// Whether two cells differ only in their optimization.
fn is_same_group(one: &Record, other: &Record) -> bool {
    [FORMULATION, ENGINE, POSITION].iter().all(|field| one.text(*field) == other.text(*field))
}

/// The time that counts for the savings, in nanoseconds: the median, or the limit if the run hit it; and whether it
/// did.
fn cost_ns(row: &Record) -> Option<(f64, bool)> {
    match (row.text(OUTCOME), row.number(MEDIAN)) {
        (FINISHED, Some(median)) => Some((median.max(1.0), false)),
        (DID_NOT_FINISH, _) => Some((row.number(LIMIT)? * 1e9, true)),
        _ => None,
    }
}

/// The name of the optimization that the optimizer chooses by itself.
const AUTO: &str = "auto";

/// Sets the runtime savings factors of all rows. As in the paper, a run that did not finish counts with its limit: its
/// own factor is 1, and the factors of the others are lower bounds.
fn set_savings(results: &mut Record) {
    let savings = |row: &Record| {
        let (own, is_stopped) = cost_ns(row)?;
        let group = || results.records(ROWS).filter(|other| is_same_group(row, other));
        let (slowest, is_bound) = group().filter_map(cost_ns).max_by(|one, other| one.0.total_cmp(&other.0))?;
        let others = group().filter(|other| other.text(OPTIMIZATION) != AUTO);
        let best = others.filter_map(|other| other.number(MEDIAN)).min_by(f64::total_cmp);
        let auto = row.number(MEDIAN).filter(|_| row.text(OPTIMIZATION) == AUTO);
        Some((slowest / own, is_bound && !is_stopped, auto.zip(best).map(|(auto, best)| auto / best.max(1.0))))
    };
    let all: Vec<_> = results.records(ROWS).map(savings).collect();
    for (row, savings) in results.records_mut(ROWS).zip(all) {
        if let Some((rsf, is_bound, over_best)) = savings {
            row.set(RSF, rsf);
            row.set(RSF_AT_LEAST, is_bound);
            row.set(OVER_BEST, over_best);
        }
    }
}

/// The report with the savings of all its rows.
pub(crate) fn with_savings(mut report: Report) -> Report {
    set_savings(&mut report.results);
    report
}

/// The way of measuring, in words.
pub(crate) fn method(_: &Report) -> String {
    "Times are medians of the samples that fit a small budget after a warm-up; what is timed is the query, from \
     loaded facts to the answer; the optimizer and the loading are timed apart. A run over its limit did not \
     finish and has no time. Before anything was measured, every variant's answer was held against the \
     position's true winner."
        .to_owned()
}

/// Concludes the growth of a variant from its points.
pub(crate) fn set_slope(growth: &mut Record) {
    let figures = |point: &Record| Some((point.number(CELLS)?.ln(), point.number(MEDIAN)?.max(1.0).ln()));
    let finished: Vec<(f64, f64)> = growth.records(POINTS).filter_map(figures).collect();
    let count = finished.len();
    let broken = growth.records(POINTS).find(|point| point.text(OUTCOME) == DID_NOT_FINISH);
    let breaks_at = broken.and_then(|point| point.count(N));
    growth.set(SLOPE, (count >= FITTED).then(|| slope(&finished[(count / 2).min(count - FITTED)..])));
    growth.set(BREAKS_AT, breaks_at);
}

/// Fewest points for a slope: a line through two always fits.
const FITTED: usize = 3;

/// The slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let mean_x = sum_x / n;
    let mean_y = sum_y / n;
    let covariance: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    covariance / variance
}

/// The variant of a game in words.
pub(crate) fn way(game: &Record) -> String {
    let way = if game.is(INCREMENTAL) { "incremental" } else { "from scratch" };
    format!("{} · {way}", variant(game))
}

/// The rows of a position, grouped by formulation and engine: the groups of which some row ran, and a sentence on each
/// of the others.
fn matrix<'r>(results: &'r Record, position: &str) -> (Vec<Vec<&'r Record>>, Vec<String>) {
    let rows: Vec<&Record> = results.records(ROWS).filter(|row| row.text(POSITION) == position).collect();
    let groups = rows.chunk_by(|one, other| is_same_group(one, other)).map(<[&Record]>::to_vec);
    let (ran, not): (Vec<_>, Vec<_>) =
        groups.partition(|group| group.iter().any(|row| row.text(OUTCOME) != UNSUPPORTED));
    let sentence = |group: &Vec<&Record>| {
        format!("not run: {} on {}: {}", group[0].text(FORMULATION), group[0].text(ENGINE), group[0].text(REASON))
    };
    (ran, not.iter().map(sentence).collect())
}

/// Greatest ratio of two times that count as level: the noise of a shared machine stays below it.
const LEVEL: f64 = 1.3;

/// Compares `auto` with the best other optimization: a sentence, and the cells where `auto` is worse. `None` without
/// cells to compare.
fn auto_against_best(results: &Record) -> Option<(String, Vec<&Record>)> {
    let autos = || results.records(ROWS).filter(|row| row.text(OPTIMIZATION) == AUTO);
    // A cell where only auto finished counts as good, a cell where only others finished as bad.
    let any = |row: &Record| results.records(ROWS).any(|other| is_same_group(row, other) && other.has(MEDIAN));
    let compared = autos().filter(|row| row.text(OUTCOME) != UNSUPPORTED && any(row)).count();
    let is_worse = |row: &&Record| {
        row.text(OUTCOME) == DID_NOT_FINISH && any(row) || row.number(OVER_BEST).is_some_and(|over| over > LEVEL)
    };
    let worse: Vec<&Record> = autos().filter(is_worse).collect();
    let good = compared - worse.len();
    (compared > 0).then(|| {
        (format!("auto is within {LEVEL}× of the best optimization by hand in {good} of {compared} cases"), worse)
    })
}

/// The distinct texts of a field of records, in the order of first occurrence.
fn distinct<'r>(records: impl Iterator<Item = &'r Record>, field: Field) -> Vec<&'r str> {
    let mut seen = Vec::new();
    for text in records.map(|record| record.text(field)) {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// The measurements of the founding paper on its own 17 stones, with EpilogJS in 2019, limit 15 minutes: formulation,
/// optimization, milliseconds (`None` if it did not finish), savings.
const PAPER: [(&str, &str, Option<u32>, &str); 8] = [
    ("power-set", "none", None, "1"),
    ("power-set", "grounding", None, "1"),
    ("power-set", "reordering", Some(368), "~2500"),
    ("power-set", "both", Some(51), "~20,000"),
    ("cluster", "none", Some(41), "1"),
    ("cluster", "grounding", Some(6), "~10"),
    ("cluster", "reordering", Some(5), "~10"),
    ("cluster", "both", Some(1), "~50"),
];

/// The position of the paper's figure 4.
const PAPER_POSITION: &str = "p9";

/// The time and the savings of a cell of the paper; `None` if the paper does not have it.
fn paper(formulation: &str, optimization: &str) -> Option<(String, &'static str)> {
    let (_, _, ms, savings) = PAPER.iter().find(|(f, o, ..)| (*f, *o) == (formulation, optimization))?;
    Some((ms.map_or("> 15 min".to_string(), |ms| format!("{ms} ms")), savings))
}

/// The formulations that cannot see the winning chain of a position, without the engines and optimizations.
fn blind<'r>(results: &'r Record, position: &str) -> Vec<&'r str> {
    let rows = results.records(ROWS);
    distinct(rows.filter(|row| row.is(CANNOT_SEE) && row.text(POSITION) == position), FORMULATION)
}

/// The legend of the asterisks in the cells of a position; `None` if there are none.
fn blind_legend(results: &Record, position: &str) -> Option<String> {
    let formulations = blind(results, position);
    (!formulations.is_empty())
        .then(|| format!("* won all the same, by a chain that {} cannot see", formulations.join(", ")))
}

/// The answer of a row; an asterisk marks one that is no only since the formulation cannot see the winning chain.
fn answer_with_star(row: &Record) -> String {
    format!("{}{}", answer(row), if row.is(CANNOT_SEE) { "*" } else { "" })
}

#[cfg(test)]
mod tests;
