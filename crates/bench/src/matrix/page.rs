//! The sections of the page of a matrix.
//!
//! * `tables`: the paper's tables, throughput, all cells of a position.
//! * `curves`: the plots, each with its key.

mod curves;
mod tables;

use super::tables::{cells, short_time};
use super::*;
use crate::report::page::{key, remarks, section};
use crate::report::{Fields, Record, Report};
use ludolog_syntax::ColdSort;
use maud::{Markup, html};

/// The sections.
pub fn sections(report: &Report) -> Markup {
    let results = &report.results;
    html! {
        (failures(report))
        (headlines(results))
        (tables::paper_tables(results))
        (tables::throughput(results))
        (positions(report))
        (curves::growth(results))
        (curves::games(results))
        (curves::factors(results))
        (boards(report))
    }
}

fn failures(report: &Report) -> Markup {
    html! {
        @if report.failures().next().is_some() {
            div.alarm.wrong {
                strong { "Wrong answers: this run has failed." }
                ul { @for failure in report.failures() { li { (failure) } } }
            }
        }
    }
}

/// The most important numbers of the report.
fn headlines(results: &Record) -> Markup {
    let find = |optimization: &str, engine: &str| {
        let wanted = ["power-set", optimization, engine, PAPER_POSITION];
        let fields = [FORMULATION, OPTIMIZATION, ENGINE, POSITION];
        results.records(ROWS).find(|row| fields.map(|field| row.text(field)) == wanted)
    };
    let mut cards: Vec<(String, String)> = Vec::new();
    for engine in ["resolution", "semi-naive"] {
        if let (Some(none), Some(auto)) = (find("none", engine), find("auto", engine)) {
            let label = format!("power-set on {PAPER_POSITION}, {engine}: as written → auto");
            cards.push((format!("{} → {}", short_time(none), short_time(auto)), label));
        }
    }
    let followed = results.records(GAMES).filter(|game| game.is(INCREMENTAL));
    let fastest = followed.filter_map(|game| Some((game.number(PER_MOVE)?, game)));
    if let Some((_, game)) = fastest.min_by(|one, other| one.0.total_cmp(&other.0)) {
        cards.push((game.told(PER_MOVE), format!("a move of {}: is it won? ({})", game.text(GAME), way(game))));
    }
    let largest = results
        .records(GROWTH)
        .filter_map(|series| Some((series.records(POINTS).next_back()?.count(N)?, series.number(SLOPE)?, series)));
    if let Some((n, _, series)) = largest.max_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1))) {
        let label = format!("growth up to {n}×{n} ({})", variant(series));
        cards.push((format!("time ∝ cells^{}", series.told(SLOPE)), label));
    }
    html! {
        @if !cards.is_empty() {
            section.cards { @for (value, label) in &cards { div.card { strong { (value) } span { (label) } } } }
        }
    }
}

fn positions(report: &Report) -> Markup {
    let results = &report.results;
    let mut positions = distinct(results.records(ROWS), POSITION);
    positions.cold_sort_by_key(|name| *name != PAPER_POSITION);
    if positions.is_empty() {
        return html! {};
    }
    let optimizations = distinct(results.records(ROWS), OPTIMIZATION);
    section(
        if report.benchmark.name == "hex" { "Every wording, every engine" } else { "Every program, every engine" },
        &html! {
            "How to read: each row is one wording on one engine, each mark one optimization of it, further left is faster; every "
            "grid line is ten times the one before. An empty mark did not finish: it stands at the limit. Rest the pointer on a mark or a "
            "time for its spread, samples and counted work. In the tables, the darker the slower."
        },
        &html! {
            (choices(results))
            (key(optimizations.iter().enumerate().map(|(color, name)| (color, (*name).to_owned()))))
            @for (number, position) in positions.iter().enumerate() {
                details open[number == 0] {
                    summary { strong { (position) } " " span { (caption(results, position)) } }
                    (curves::position_plot(results, position))
                    (position_table(results, position))
                }
            }
        },
    )
}

/// All cells of a position.
fn position_table(results: &Record, position: &str) -> Markup {
    let (table, not_run) = cells(results, position);
    let not_run: Vec<Markup> = not_run.iter().map(|sentence| html! { (sentence) }).collect();
    html! {
        (table.to_html())
        @if let Some(legend) = blind_legend(results, position) { p.how { (legend) "." } }
        (remarks(&not_run))
    }
}

/// How `auto` does against the best by hand.
fn choices(results: &Record) -> Markup {
    let Some((sentence, worse)) = auto_against_best(results) else { return html! {} };
    html! {
        p {
            strong { (sentence) } @if worse.is_empty() { "." } @else { "; it is not for " }
            @for (number, row) in worse.iter().enumerate() {
                @if number > 0 { ", " }
                (row.text(FORMULATION)) " · " (row.text(ENGINE)) " on " (row.text(POSITION))
                @if row.has(OVER_BEST) { " (" (row.told(OVER_BEST)) "×)" } @else { " (did not finish)" }
            }
            @if !worse.is_empty() { "." }
        }
    }
}

fn caption<'r>(results: &'r Record, position: &str) -> &'r str {
    results.records(BOARDS).find(|board| board.text(POSITION) == position).map_or("", |board| board.text(CAPTION))
}

fn boards(report: &Report) -> Markup {
    if report.pictures.is_empty() {
        return html! {};
    }
    section(
        "The boards",
        &html! { "How to read: Red joins top and bottom, Blue left and right." },
        &html! {
            div.boards { @for picture in &report.pictures { (picture.to_html()) } }
        },
    )
}
