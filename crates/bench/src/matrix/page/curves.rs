//! The plots, each with its key.

use crate::matrix::tables::details;
use crate::matrix::*;
use crate::report::page::{curves, lines, section};
use crate::report::plot::{PlotAxis, PlotMark, Series};
use crate::report::{Field, Fields, Record, format};
use maud::{Markup, html};
use serde_json::Value;

/// The times of all cells of a position, one line for each formulation on each engine.
pub fn position_plot(results: &Record, position: &str) -> Markup {
    let is_shown = |row: &&Record| row.text(POSITION) == position && row.text(OUTCOME) != UNSUPPORTED;
    let rows: Vec<&Record> = results.records(ROWS).filter(is_shown).collect();
    if rows.is_empty() {
        return html! {};
    }
    let variant = |row: &Record| format!("{} · {}", row.text(FORMULATION), row.text(ENGINE));
    let mut variants: Vec<String> = rows.iter().map(|row| variant(row)).collect();
    variants.dedup();
    let cost =
        |row: &Record| row.number(MEDIAN).map_or(row.number(LIMIT).unwrap_or(0.0) * 1e9, |median| median.max(1.0));
    let x = PlotAxis::logarithmic("time of the query", rows.iter().map(|row| cost(row)), format::time);
    let optimizations = distinct(results.records(ROWS), OPTIMIZATION);
    let series = optimizations.iter().enumerate().map(|(color, &optimization)| {
        let points = rows.iter().filter(|row| row.text(OPTIMIZATION) == optimization).map(|row| PlotMark {
            x: cost(row),
            y: variants.iter().position(|name| *name == variant(row)).unwrap_or(0) as f64,
            title: details(row),
            open: row.text(OUTCOME) == DID_NOT_FINISH,
        });
        Series { name: optimization.to_owned(), color, joined: false, points: points.collect() }
    });
    lines(&x, &variants, series.collect(), optimizations.len(), 230)
}

/// The height of a chart, in pixels.
const HEIGHT: u32 = 420;

/// A section with named curves; nothing without any.
fn chart(
    title: &str,
    how: &Markup,
    (x, y): (&PlotAxis, &PlotAxis),
    named: impl Iterator<Item = (String, Vec<PlotMark>)>,
) -> Markup {
    let curve = |(color, (name, points))| Series { name, color, joined: true, points };
    let series: Vec<Series> = named.enumerate().map(curve).collect();
    html! { @if !series.is_empty() { (section(title, how, &curves(x, y, &series, HEIGHT))) } }
}

/// Time over cells, both logarithmic.
pub fn growth(results: &Record) -> Markup {
    let points = || results.records(GROWTH).flat_map(|series| series.records(POINTS)).filter(|point| point.has(MEDIAN));
    let figures = |field: Field| points().filter_map(move |point| point.number(field)).map(|figure| figure.max(1.0));
    let x = PlotAxis::logarithmic("cells of the board", figures(CELLS), format::count);
    let y = PlotAxis::logarithmic("time", figures(MEDIAN), format::time);
    let named = results.records(GROWTH).map(|series| {
        let points = series.records(POINTS).filter_map(|point| {
            let time = point.number(MEDIAN)?;
            let derived = point.count(DERIVED).map_or(String::new(), |n| format!("\n{n} facts derived"));
            let memory = point.number(BYTES_PER_TUPLE).map_or(String::new(), |n| format!("\n{n:.0} bytes a fact"));
            let n = point.told(N);
            let title = format!("{}\n{n}×{n}: {}{derived}{memory}", variant(series), point.told(MEDIAN));
            Some(PlotMark { x: point.number(CELLS)?, y: time.max(1.0), title, open: false })
        });
        (growth_name(series), points.collect())
    });
    chart(
        "Growth with the board",
        &html! {
            "How to read: both scales are logarithmic, so that a straight line is a power of the number of cells and its slope the "
            "exponent: 1 is proportion. The wordings that list paths or sets end early: the n at which they no longer finish stands beside them."
        },
        (&x, &y),
        named,
    )
}

fn growth_name(series: &Record) -> String {
    let told = |field, what: &str| {
        if series.has(field) { format!(" · {what} {}", series.told(field)) } else { String::new() }
    };
    let slope = told(SLOPE, "slope");
    let end = told(BREAKS_AT, "breaks at n =");
    format!("{} ({}){slope}{end}", variant(series), series.text(MEASURED))
}

/// The time of each move of games.
pub fn games(results: &Record) -> Markup {
    let games = || results.records(GAMES);
    let times = |game: &Record| game.list(MOVES).iter().filter_map(Value::as_f64).collect::<Vec<f64>>();
    let x = PlotAxis::linear("move", games().map(|game| game.list(MOVES).len() as f64));
    let y = PlotAxis::logarithmic("time of the move", games().flat_map(times).map(|ns| ns.max(1.0)), format::time);
    let named = games().map(|game| {
        let mean = if game.has(PER_MOVE) { format!(" · {} a move", game.told(PER_MOVE)) } else { String::new() };
        let points = times(game).into_iter().enumerate().map(|(number, ns)| PlotMark {
            x: number as f64 + 1.0,
            y: ns.max(1.0),
            title: format!("{}\nmove {}: {}", way(game), number + 1, format::time(ns)),
            open: false,
        });
        (format!("{}{mean}", way(game)), points.collect())
    });
    chart(
        "A whole game: after each move, is it won?",
        &html! {
            "How to read: the cost of one move, from the placed stone to the answer. From scratch, all stones so far are told to a new engine; "
            "incrementally, one engine lives through the game and hears only of the new stone."
            @if let Some(n) = games().find_map(|game| game.count(WON_AT)) { " The game is won with move " (n) "." }
        },
        (&x, &y),
        named,
    )
}

/// The paper's estimate of the Maker-Breaker factor and the measured factors.
pub fn factors(results: &Record) -> Markup {
    let Some(factors) = results.inner(MAKER_BREAKER) else { return html! {} };
    let curve = |(color, name, field): (usize, &str, Field)| {
        let points = factors.records(POINTS).filter_map(|point| {
            let x = point.number(STONES)?;
            let y = point.number(field).filter(|factor| *factor > 0.0)?;
            Some(PlotMark { x, y, title: format!("{name}\ni = {x}: {y:.2}"), open: false })
        });
        Series { name: name.to_owned(), color, joined: true, points: points.collect() }
    };
    let series = [
        (6, "f(i) = n²/i − 2", FORMULA),
        (4, "facts derived, measured", DERIVED_FACTOR),
        (3, "time, measured", TIME_FACTOR),
    ];
    let series = series.map(curve);
    let x =
        PlotAxis::linear("stones of each player (i)", factors.records(POINTS).filter_map(|point| point.number(STONES)));
    let marks = series.iter().flat_map(|series| &series.points);
    let y = PlotAxis::logarithmic("factor", marks.map(|mark| mark.y), format::count);
    section(
        "Maker and Breaker: when to follow the empty cells instead",
        &html! {
            "How to read: a player has lost when the empty cells and its own stones no longer join its edges. The paper puts the cost of asking that, over the cost of "
            "following the opponent's stones, at f(i) = n²/i − 2, the empty cells over the opponent's stones; below 1 it is cheaper. "
            "Measured along " (factors.text(GAME)) " (" (factors.told(CELLS)) " cells)."
        },
        &curves(&x, &y, &series, HEIGHT),
    )
}
