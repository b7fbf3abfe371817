//! The plots, each with its key.

use super::tables::details;
use crate::report::{FactorPoint, Growth, Outcome, Report, Row, format, plot};
use maud::{Markup, PreEscaped, html};

/// The key of a plot: marks with their names.
pub fn key(entries: impl Iterator<Item = (usize, String)>) -> Markup {
    html! {
        p.key {
            @for (color, name) in entries {
                span { (plot::sample(color)) (name) }
            }
        }
    }
}

/// The height of a line of the plot of a position, in pixels: five marks, one above the other, hide each other hardly.
pub const LINE_HEIGHT: u32 = 44;

/// The part of a line's height over which its marks are spread.
const SPREAD: f64 = 0.8;

/// The distance of the marks of series `i` of `count` from the middle of the line, in heights of a line: those of equal
/// times stand one above the other.
pub fn spread(i: usize, count: usize) -> f64 {
    SPREAD * (i as f64 - (count as f64 - 1.0) / 2.0) / count.max(2) as f64
}

/// The times of all cells of a position, one line for each formulation on each engine.
pub fn position_plot(report: &Report, position: &str) -> Markup {
    let shown = |row: &&Row| row.position == position && row.outcome != Outcome::Unsupported;
    let rows: Vec<&Row> = report.rows.iter().filter(shown).collect();
    if rows.is_empty() {
        return html! {};
    }
    let variant = |row: &Row| format!("{} · {}", row.formulation, row.engine);
    let mut variants: Vec<String> = rows.iter().map(|row| variant(row)).collect();
    variants.dedup();
    let cost = |row: &Row| row.median_ns.map_or(row.limit_s * 1e9, |ns| ns.max(1) as f64);
    let y = plot::Axis::names(&variants);
    let x = plot::Axis::logarithmic("time of the query", rows.iter().map(|row| cost(row)), format::time);
    let optimizations = report.distinct(|row| &row.optimization);
    let series: Vec<plot::Series> = optimizations
        .iter()
        .enumerate()
        .map(|(color, &optimization)| plot::Series {
            name: optimization.to_string(),
            color,
            joined: false,
            points: rows
                .iter()
                .filter(|row| row.optimization == optimization)
                .map(|row| plot::Point {
                    x: cost(row),
                    y: y.place(variants.iter().position(|name| *name == variant(row)).unwrap_or(0))
                        - spread(color, optimizations.len()),
                    title: details(row),
                    open: row.outcome == Outcome::DidNotFinish,
                })
                .collect(),
        })
        .collect();
    let height = 70 + LINE_HEIGHT * variants.len() as u32;
    html! { div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, height), 230))) } }
}

/// Time over cells, both logarithmic.
pub fn growth(report: &Report) -> Markup {
    let (growth, seconds) = (&report.growth, |ns: u64| ns.max(1) as f64);
    let points = || growth.iter().flat_map(|series| &series.points).filter(|point| point.median_ns.is_some());
    let x = plot::Axis::logarithmic("cells of the board", points().map(|point| point.cells as f64), format::count);
    let y = plot::Axis::logarithmic("time", points().filter_map(|point| point.median_ns).map(seconds), format::time);
    let series: Vec<plot::Series> = growth
        .iter()
        .enumerate()
        .map(|(color, series)| plot::Series {
            name: growth_name(series),
            color,
            joined: true,
            points: series
                .points
                .iter()
                .filter_map(|point| {
                    let ns = point.median_ns?;
                    let derived = point.derived.map_or(String::new(), |n| format!("\n{n} facts derived"));
                    let memory = point.bytes_per_tuple.map_or(String::new(), |n| format!("\n{n:.0} bytes a fact"));
                    let title = format!(
                        "{}\n{n}×{n}: {}{derived}{memory}",
                        series.label(),
                        format::time(ns as f64),
                        n = point.n
                    );
                    Some(plot::Point { x: point.cells as f64, y: seconds(ns), title, open: false })
                })
                .collect(),
        })
        .collect();
    html! {
        @if !growth.is_empty() {
            section {
                h2 { "Growth with the board" }
                p.how {
                    "How to read: both scales are logarithmic, so that a straight line is a power of the number of cells and its slope the "
                    "exponent: 1 is proportion. The wordings that list paths or sets end early: the n at which they no longer finish stands beside them."
                }
                (key(series.iter().map(|series| (series.color, series.name.clone()))))
                div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 460), 80))) }
            }
        }
    }
}

fn growth_name(series: &Growth) -> String {
    let slope = series.slope.map_or(String::new(), |slope| format!(" · slope {slope:.2}"));
    let end = series.breaks_at.map_or(String::new(), |n| format!(" · breaks at n = {n}"));
    format!("{} ({}){slope}{end}", series.label(), series.boards)
}

/// The time of each move of a game.
pub fn game(report: &Report) -> Markup {
    let moves = || report.game.iter().flat_map(|game| &game.move_ns);
    let x = plot::Axis::linear("move", report.game.iter().map(|game| game.move_ns.len() as f64));
    let y = plot::Axis::logarithmic("time of the move", moves().map(|&ns| ns.max(1) as f64), format::time);
    let series: Vec<plot::Series> = report
        .game
        .iter()
        .enumerate()
        .map(|(color, game)| {
            let mean = game.ns_per_move.map_or(String::new(), |ns| format!(" · {} a move", format::time(ns)));
            let title = |(i, &ns): (usize, &u64)| plot::Point {
                x: i as f64 + 1.0,
                y: ns.max(1) as f64,
                title: format!("{}\nmove {}: {}", game.label(), i + 1, format::time(ns as f64)),
                open: false,
            };
            let points = game.move_ns.iter().enumerate().map(title).collect();
            plot::Series { name: format!("{}{mean}", game.label()), color, joined: true, points }
        })
        .collect();
    html! {
        @if !report.game.is_empty() {
            section {
                h2 { "A whole game: after each move, is it won?" }
                p.how {
                    "How to read: the cost of one move, from the placed stone to the answer. From scratch, all stones so far are told to a new engine; "
                    "incrementally, one engine lives through the game and hears only of the new stone."
                    @if let Some(n) = report.game.iter().find_map(|game| game.won_at) { " The game is won with move " (n) "." }
                }
                (key(series.iter().map(|series| (series.color, series.name.clone()))))
                div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 380), 80))) }
            }
        }
    }
}

/// The paper's estimate of the Maker-Breaker factor and the measured factors.
pub fn factors(report: &Report) -> Markup {
    let Some(factors) = &report.maker_breaker else { return html! {} };
    let points = &factors.points;
    let curve = |color: usize, name: &str, value: &dyn Fn(&FactorPoint) -> f64| plot::Series {
        name: name.to_string(),
        color,
        joined: true,
        points: points
            .iter()
            .map(|p| (p.i, value(p)))
            .filter(|(_, factor)| *factor > 0.0)
            .map(|(i, factor)| plot::Point {
                x: f64::from(i),
                y: factor,
                title: format!("{name}\ni = {i}: {factor:.2}"),
                open: false,
            })
            .collect(),
    };
    let series = [
        curve(6, "f(i) = n²/i − 2", &|point| point.formula),
        curve(4, "facts derived, measured", &|point| point.derived),
        curve(3, "time, measured", &|point| point.time),
    ];
    let x = plot::Axis::linear("stones of each player (i)", points.iter().map(|point| f64::from(point.i)));
    let marks = series.iter().flat_map(|series| &series.points);
    let y = plot::Axis::logarithmic("factor", marks.map(|mark| mark.y), format::count);
    html! {
        section {
            h2 { "Maker and Breaker: when to follow the empty cells instead" }
            p.how {
                "How to read: a player has lost when the empty cells and its own stones no longer join its edges. The paper puts the cost of asking that, over the cost of "
                "following the opponent's stones, at f(i) = n²/i − 2, the empty cells over the opponent's stones; below 1 it is cheaper. "
                "Measured along " (factors.game) " (" (factors.cells) " cells)."
            }
            (key(series.iter().map(|series| (series.color, series.name.clone()))))
            div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 340), 80))) }
        }
    }
}

/// Rates of playouts on a logarithmic scale, in so many lines of `y`, below the key of their series.
pub fn playout_rates(series: &[plot::Series], y: &plot::Axis, lines: usize) -> Markup {
    let values = series.iter().flat_map(|series| series.points.iter().map(|point| point.x));
    let x = plot::Axis::logarithmic("playouts a CPU-second", values, format::count);
    let height = 70 + LINE_HEIGHT * lines as u32;
    html! {
        (key(series.iter().map(|series| (series.color, series.name.clone()))))
        div.scroll { (PreEscaped(plot::draw(&x, y, series, (1080, height), 200))) }
    }
}
