//! The report as one self-contained page with style, plots and boards.
//!
//! * `tables`: the paper's tables, throughput, all cells of a position.
//! * `curves`: the plots, each with its key.
//! * [`ggp`], [`positional`]: the pages of games by their rulesheets and of positional games, in the same style.
//! * [`formulations`]: the page of one game in several wordings.
//! * [`profile`]: the page of one run of rules.

mod curves;
pub mod formulations;
pub mod ggp;
pub mod positional;
pub mod profile;
mod tables;

use super::{Report, WORKLOADS, format, plot, table};
use crate::environment::Environment;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page.
pub fn to_html(report: &Report) -> String {
    let (heading, lead) = match report.benchmark.as_str() {
        "hex" => (
            "Who has won, and what does it cost to ask?",
            "The same question about a Hex position in several wordings, each as written and as optimized, on every engine that \
             can take it.",
        ),
        WORKLOADS => (
            "Does the optimizer choose well?",
            "Programs with tables of facts, all that follows and single goals, under each optimization: the choice of auto \
             against the best by hand.",
        ),
        _ => (
            "Datalog, by the tuple",
            "Generic recursive programs: how many tuples a second, and how many bytes a tuple, with and without the passes.",
        ),
    };
    let method = match report.benchmark.as_str() {
        WORKLOADS => {
            "Times are medians of the samples that fit a small budget after a warm-up, in processor time; what is timed is the \
             whole way from tables in memory to the answer: optimizing, loading, deriving. A run over its limit did not \
             finish and has no time. All variants have to derive as much."
        }
        _ => {
            "Times are medians of the samples that fit a small budget after a warm-up; what is timed is the query, from \
                 loaded facts to the answer; the optimizer and the loading are timed apart. A run over its limit did not \
                 finish and has no time. Before anything was measured, every variant's answer was held against the \
                 position's true winner."
        }
    };
    let frame = Frame {
        benchmark: &report.benchmark,
        heading,
        lead,
        method,
        environment: &report.environment,
        interrupted: report.interrupted,
    };
    frame.around(&html! {
        (failures(report))
        (headlines(report))
        (tables::paper_tables(report))
        (tables::throughput(report))
        (positions(report))
        (curves::growth(report))
        (curves::game(report))
        (curves::factors(report))
        (boards(report))
    })
}

/// What the pages of all benchmarks have.
struct Frame<'a> {
    benchmark: &'a str,
    heading: &'a str,
    lead: &'a str,
    /// The way of measuring, in words.
    method: &'a str,
    environment: &'a Environment,
    interrupted: bool,
}

impl Frame<'_> {
    /// The page with this content.
    fn around(&self, content: &Markup) -> String {
        let environment = self.environment;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "Ludolog benchmark: " (self.benchmark) }
                    style { (PreEscaped(include_str!("style.css"))) (PreEscaped(dark_plots())) }
                }
                body {
                    header {
                        p.over { "Ludolog " (environment.ludolog) " · benchmark" }
                        h1 { (self.heading) }
                        p.lead { (self.lead) }
                        pre { code { (environment.command) } }
                    }
                    main {
                        @if self.interrupted {
                            p.alarm { "This run was interrupted. It shows what was measured until then." }
                        }
                        @if environment.profile != "release" {
                            p.alarm { "Measured with a " (environment.profile) " build: the times mean little." }
                        }
                        (content)
                    }
                    (self.footer())
                }
            }
        };
        page.into_string()
    }

    fn footer(&self) -> Markup {
        let environment = self.environment;
        let facts = [
            ("Command", Some(environment.command.clone())),
            ("Ludolog", Some(format!("{} ({})", environment.ludolog, environment.profile))),
            ("Compiler", environment.rustc.clone()),
            ("System", Some(environment.os.clone())),
            ("Processor", environment.cpu.clone()),
            ("Cores", Some(environment.cores.to_string())),
            ("Date", Some(environment.date.clone())),
        ];
        html! {
            footer {
                h2 { "How this was measured" }
                p.how { (self.method) }
                dl { @for (name, value) in facts { @if let Some(value) = value { dt { (name) } dd { (value) } } } }
            }
        }
    }
}

fn dark_plots() -> String {
    format!("@media (prefers-color-scheme: dark) {{{}}}", plot::dark_style())
}

fn failures(report: &Report) -> Markup {
    html! {
        @if !report.failures.is_empty() {
            div.alarm.wrong {
                strong { "Wrong answers: this run has failed." }
                ul { @for failure in &report.failures { li { (failure) } } }
            }
        }
    }
}

/// The most important numbers of the report.
fn headlines(report: &Report) -> Markup {
    let find = |formulation: &str, optimization: &str, engine: &str| {
        report.rows.iter().find(|row| {
            (row.formulation.as_str(), row.optimization.as_str(), row.engine.as_str())
                == (formulation, optimization, engine)
                && row.position == table::PAPER_POSITION
        })
    };
    let mut cards: Vec<(String, String)> = Vec::new();
    for engine in ["resolution", "semi-naive"] {
        if let (Some(none), Some(auto)) = (find("power-set", "none", engine), find("power-set", "auto", engine)) {
            let label = format!("power-set on {}, {engine}: as written → auto", table::PAPER_POSITION);
            cards.push((format!("{} → {}", tables::short_time(none), tables::short_time(auto)), label));
        }
    }
    let fastest = report.game.iter().filter(|game| game.incremental).filter_map(|game| Some((game.ns_per_move?, game)));
    if let Some((ns, game)) = fastest.min_by(|a, b| a.0.total_cmp(&b.0)) {
        cards.push((format::time(ns), format!("a move of {}: is it won? ({})", game.game, game.label())));
    }
    let largest = report.growth.iter().filter_map(|series| Some((series.slope?, series.points.last()?.n, series)));
    if let Some((slope, n, series)) = largest.max_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0))) {
        cards.push((format!("time ∝ cells^{slope:.2}"), format!("growth up to {n}×{n} ({})", series.label())));
    }
    html! {
        @if !cards.is_empty() {
            section.cards { @for (value, label) in &cards { div.card { strong { (value) } span { (label) } } } }
        }
    }
}

fn positions(report: &Report) -> Markup {
    let mut positions = report.distinct(|row| &row.position);
    positions.sort_by_key(|name| *name != table::PAPER_POSITION);
    html! {
        @if !positions.is_empty() {
            section {
                h2 { @if report.benchmark == "hex" { "Every wording, every engine" } @else { "Every program, every engine" } }
                p.how {
                    "How to read: each row is one wording on one engine, each mark one optimization of it, further left is faster; every "
                    "grid line is ten times the one before. An empty mark did not finish: it stands at the limit. Rest the pointer on a mark or a "
                    "time for its spread, samples and counted work. In the tables, the darker the slower."
                }
                @if let Some((sentence, worse)) = report.auto_against_best() {
                    p {
                        strong { (sentence) } @if worse.is_empty() { "." } @else { "; it is not for " }
                        @for (i, row) in worse.iter().enumerate() {
                            @if i > 0 { ", " }
                            (row.formulation) " · " (row.engine) " on " (row.position)
                            @if let Some(over) = row.over_best { " (" (format!("{over:.1}×")) ")" } @else { " (did not finish)" }
                        }
                        @if !worse.is_empty() { "." }
                    }
                }
                (optimization_key(report))
                @for (i, position) in positions.iter().enumerate() {
                    details open[i == 0] {
                        summary { strong { (position) } " " span { (caption(report, position)) } }
                        (curves::position_plot(report, position))
                        (tables::matrix(report, position))
                    }
                }
            }
        }
    }
}

fn caption<'a>(report: &'a Report, position: &str) -> &'a str {
    report.boards.iter().find(|board| board.position == position).map_or("", |board| &board.caption)
}

fn optimization_key(report: &Report) -> Markup {
    curves::key(report.distinct(|row| &row.optimization).into_iter().enumerate().map(|(i, name)| (i, name.to_string())))
}

fn boards(report: &Report) -> Markup {
    let drawn = || report.boards.iter().filter(|board| !board.svg.is_empty());
    html! {
        @if drawn().next().is_some() {
            section {
                h2 { "The boards" }
                p.how { "How to read: Red joins top and bottom, Blue left and right." }
                div.boards {
                    @for board in drawn() {
                        figure { (PreEscaped(&board.svg)) figcaption { strong { (board.position) } " " (board.caption) } }
                    }
                }
            }
        }
    }
}
