//! A report on a matrix as text for a terminal.

use super::tables::{cells, time_cell};
use super::*;
use crate::report::{Field, Fields, Record, Report, Terminal, TextCell, TextTable, format};
use serde_json::Value;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// The whole report as text.
pub fn to_text(report: &Report, terminal: Terminal) -> String {
    let results = &report.results;
    let mut text = paper_tables(results, terminal) + &throughputs(results, terminal) + &matrices(results, terminal);
    let choices = choices(results);
    if !choices.is_empty() {
        text += &format!("{choices}\n");
    }
    if results.records(GROWTH).next().is_some() {
        let _ = writeln!(text, "Growth with the board\n{}", growth(results).to_text(terminal));
    }
    if results.records(GAMES).next().is_some() {
        let _ = writeln!(text, "After each move: is it won?\n{}", games(results).to_text(terminal));
    }
    if let Some(factors) = results.inner(MAKER_BREAKER) {
        let _ = writeln!(
            text,
            "Maker-Breaker factor along {}: the cost of following the empty cells over that of\n\
             following the opponent's stones, below 1 where it pays\n{}",
            factors.text(GAME),
            points(factors).to_text(terminal)
        );
    }
    text
}

/// The founding paper's two tables, or all cells if its position was not measured, and each further finding in one
/// line.
pub(crate) fn summary(report: &Report, terminal: Terminal) -> String {
    let results = &report.results;
    let paper = paper_tables(results, terminal);
    let tables = if paper.is_empty() { throughputs(results, terminal) + &matrices(results, terminal) } else { paper };
    findings(results).iter().fold(tables, |text, finding| text + finding + "\n")
}

/// All cells, and how `auto` does against the best by hand.
pub(crate) fn choices_alone(report: &Report, terminal: Terminal) -> String {
    matrices(&report.results, terminal) + &choices(&report.results)
}

/// How `auto` does against the best other optimization, and a line for each cell where it is worse; empty without cells
/// to compare.
fn choices(results: &Record) -> String {
    let Some((sentence, worse)) = auto_against_best(results) else { return String::new() };
    let mut text = format!("{sentence}.\n");
    for row in worse {
        let over = if row.has(OVER_BEST) { format!("{}×", row.told(OVER_BEST)) } else { "did not finish".to_owned() };
        let names = [FORMULATION, ENGINE].map(|field| row.text(field)).join(" · ");
        let _ = writeln!(text, "  {names} on {}: {over}", row.text(POSITION));
    }
    text
}

/// The findings besides the tables, one short line each.
fn findings(results: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let rows = || results.records(ROWS);
    let answered = rows().filter(|row| row.has(EXPECTED) && row.has(ANSWER)).count();
    let wrong = rows().filter(|row| is_wrong(row)).count();
    if answered > 0 {
        lines.push(match wrong {
            0 => format!("Answers: all {answered} are right"),
            _ => format!("Answers: {wrong} of {answered} are WRONG"),
        });
    }
    for position in distinct(rows(), POSITION) {
        let formulations = blind(results, position);
        if !formulations.is_empty() {
            lines.push(format!("Blind to the chain of {position}: {}", formulations.join(", ")));
        }
    }
    if let Some((sentence, _)) = auto_against_best(results) {
        lines.push(format!("Optimizer: {sentence}"));
    }
    lines.extend(largest_growth(results));
    let fastest = |is_incremental: bool| {
        let games = results.records(GAMES).filter(|game| game.flag(INCREMENTAL) == Some(is_incremental));
        let timed = games.filter_map(|game| Some((game, game.number(PER_MOVE)?)));
        timed.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(game, _)| game)
    };
    if let (Some(kept), Some(fresh)) = (fastest(true), fastest(false)) {
        let [kept_time, fresh_time] = [kept, fresh].map(|game| game.told(PER_MOVE));
        let name = kept.text(FORMULATION);
        let game = kept.text(GAME);
        lines.push(format!("A move: {kept_time} with {name}, {fresh_time} from scratch ({game})"));
    }
    if let Some(factors) = results.inner(MAKER_BREAKER) {
        let times = factors.records(POINTS).filter_map(|point| point.number(TIME_FACTOR));
        let (least, most) = times.fold((f64::INFINITY, 0f64), |(low, high), time| (low.min(time), high.max(time)));
        lines.push(format!(
            "Maker-Breaker: following the empty cells takes {} to {} times as long",
            format::count(least),
            format::count(most)
        ));
    }
    lines
}

/// The largest size of a series that has a time.
fn largest(series: &Record) -> Option<&Record> {
    series.records(POINTS).rfind(|point| point.has(MEDIAN))
}

/// The largest board that some formulation answers on, and the smallest that breaks one.
fn largest_growth(results: &Record) -> Option<String> {
    let measured = results.records(GROWTH).filter_map(|series| Some((series, largest(series)?)));
    let (series, point) = measured.max_by_key(|(_, point)| (point.count(N), Reverse(point.count(MEDIAN))))?;
    let name = series.text(FORMULATION);
    let n = point.told(N);
    let time = point.told(MEDIAN);
    let broken = results.records(GROWTH).filter(|series| series.has(BREAKS_AT));
    let end = broken.min_by_key(|series| series.count(BREAKS_AT)).map_or(String::new(), |least| {
        let n = least.told(BREAKS_AT);
        format!("; {} ends before {n}×{n}", least.text(FORMULATION))
    });
    Some(format!("Growth: {name} answers on {n}×{n} in {time}{end}"))
}

/// The founding paper's two tables; empty if its position was not measured.
fn paper_tables(results: &Record, terminal: Terminal) -> String {
    let mut text = String::new();
    for (number, formulation, title) in [(1, "power-set", "Power-set"), (2, "cluster", "Cluster (spanning trees)")] {
        if let Some(table) = paper_table(results, formulation) {
            let table = table.to_text(terminal);
            let _ =
                writeln!(text, "Table {number}. {title}, position {PAPER_POSITION}: time and savings (RSF)\n{table}");
        }
    }
    text
}

fn paper_table(results: &Record, formulation: &str) -> Option<TextTable> {
    let is_shown = |row: &&Record| row.text(FORMULATION) == formulation && row.text(POSITION) == PAPER_POSITION;
    let rows = || results.records(ROWS).filter(is_shown);
    let engines = distinct(rows(), ENGINE);
    if engines.is_empty() {
        return None;
    }
    let columns = engines.iter().copied().chain(["in 2019"]).flat_map(|engine| [engine, "RSF"]);
    let mut table = TextTable::new([""].into_iter().chain(columns));
    for optimization in distinct(results.records(ROWS), OPTIMIZATION) {
        let mut cells = vec![TextCell::from(optimization)];
        for engine in &engines {
            let row = rows().find(|row| row.text(OPTIMIZATION) == optimization && row.text(ENGINE) == *engine);
            // Without the space, three engines fit into 80 columns.
            cells
                .extend([time_cell(row, None), TextCell::right(row.map(savings).unwrap_or_default().replace(' ', ""))]);
        }
        let (time, savings) = paper(formulation, optimization).unwrap_or_default();
        cells.extend([TextCell::right(time), TextCell::right(savings.to_owned())]);
        table.push(cells);
    }
    Some(table)
}

/// The throughput of generic programs; empty if none were measured.
fn throughputs(results: &Record, terminal: Terminal) -> String {
    let columns = ["program", "optimization", "engine", "time", "tuples", "tuples a second", "bytes a tuple"];
    let mut table = TextTable::new(columns);
    let mut rows = results.records(ROWS).filter(|row| row.has(TUPLES)).peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    for row in rows {
        let names = [FORMULATION, OPTIMIZATION, ENGINE].map(|field| TextCell::from(row.text(field)));
        let figures = [TUPLES, TUPLES_PER_SECOND, BYTES_PER_TUPLE].map(|field| TextCell::right(row.told(field)));
        table.push(names.into_iter().chain([time_cell(Some(row), None)]).chain(figures));
    }
    format!("Throughput\n{}\n", table.to_text(terminal))
}

/// All cells of all positions.
fn matrices(results: &Record, terminal: Terminal) -> String {
    let mut text = String::new();
    for position in distinct(results.records(ROWS), POSITION) {
        let (table, not_run) = cells(results, position);
        let _ = writeln!(text, "{position}\n{}", table.to_text(terminal).trim_end());
        let remarks = blind_legend(results, position).into_iter();
        for remark in remarks.chain(not_run) {
            let _ = writeln!(text, "{remark}");
        }
        text.push('\n');
    }
    text
}

fn growth(results: &Record) -> TextTable {
    let columns = ["variant", "boards", "largest n", "time there", "bytes a fact", "time ~ cells^", "breaks at n"];
    let mut table = TextTable::new(columns);
    for series in results.records(GROWTH) {
        let last = |field: Field| TextCell::right(largest(series).map_or(String::new(), |point| point.told(field)));
        let bytes = largest(series).and_then(|point| point.number(BYTES_PER_TUPLE));
        table.push([
            variant(series).into(),
            series.text(MEASURED).into(),
            last(N),
            last(MEDIAN),
            TextCell::right(bytes.map_or(String::new(), |bytes| format!("{bytes:.0}"))),
            TextCell::right(series.told(SLOPE)),
            TextCell::right(series.told_or_dash(BREAKS_AT)),
        ]);
    }
    table
}

fn games(results: &Record) -> TextTable {
    let mut table = TextTable::new(["variant", "game", "moves", "a move (mean)", "slowest move", "won with move"]);
    for game in results.records(GAMES) {
        let slowest = game.list(MOVES).iter().filter_map(Value::as_f64).max_by(f64::total_cmp);
        table.push([
            way(game).into(),
            game.text(GAME).into(),
            TextCell::right(game.list(MOVES).len().to_string()),
            TextCell::right(game.told(if game.has(PER_MOVE) { PER_MOVE } else { REASON })),
            TextCell::right(slowest.map_or(String::new(), format::time)),
            TextCell::right(game.told_or_dash(super::WON_AT)),
        ]);
    }
    table
}

fn points(factors: &Record) -> TextTable {
    let columns = ["stones each (i)", "the paper: n²/i − 2", "facts derived, measured", "time, measured"];
    let mut table = TextTable::new(columns);
    for point in factors.records(POINTS) {
        table.push([STONES, FORMULA, DERIVED_FACTOR, TIME_FACTOR].map(|field| TextCell::right(point.told(field))));
    }
    table
}
