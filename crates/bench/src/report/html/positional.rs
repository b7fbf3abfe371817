//! The page of positional games.

use super::Frame;
use crate::positional::{CUTOFFS, Report, Row, Searched};
use crate::report::format;
use ludolog_positional::draw;
use maud::{Markup, PreEscaped, html};

/// The page.
pub fn to_html(report: &Report) -> String {
    let method = format!(
        "Each search answers who wins the strong game, on one thread, within {} s. A node is a position that the search looked at, \
         whether it was decided at sight, remembered or searched. All searches that ended agree on who wins.",
        report.limit_seconds
    );
    let frame = Frame {
        benchmark: report.benchmark,
        heading: "Who can win, and how soon is that seen?",
        lead: "Positions of k-in-a-row games, solved by the same search with nothing, with pairings, and with matching sets as \
               cut-offs.",
        method: &method,
        environment: &report.environment,
        interrupted: report.interrupted,
    };
    frame.around(&html! {
        @if !report.failures.is_empty() {
            div.alarm.wrong { strong { "Searches disagree: " } (report.failures.join(", ")) }
        }
        section {
            h2 { "Nodes and time" }
            p.how { "How to read: a row is a position; each pair of columns is a cut-off. A dash did not finish." }
            (table(report))
        }
        section {
            h2 { "Matched at sight" }
            p.how {
                "Winning sets that the player to move may still complete are lines; filled points are markers. A thick line is covered by the "
                "matching set of its color, a thin one by a pair."
            }
            @for row in &report.positions { (board(row)) }
        }
    })
}

/// Nodes and time of a search, in short; dashes if it did not finish.
pub fn cells(searched: &Searched) -> [String; 2] {
    let dash = || "–".to_owned();
    let nodes = searched.nodes.map_or_else(dash, |nodes| nodes.to_string());
    [nodes, searched.seconds.map_or_else(dash, |seconds| format::time(seconds * 1e9))]
}

/// Who wins, in short.
pub fn outcome(row: &Row) -> String {
    match row.outcome.as_deref() {
        Some("draw") => "draw".to_owned(),
        Some(winner) => format!("{} wins", winner.to_uppercase()),
        None => "–".to_owned(),
    }
}

fn table(report: &Report) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "position" } th { "open sets" } th { "outcome" }
                        @for (cutoff, _) in CUTOFFS { th { (cutoff) ": nodes" } th { "time" } }
                    }
                }
                tbody {
                    @for row in &report.positions {
                        tr {
                            th { (row.name) } td { (row.open_sets) } td { (outcome(row)) }
                            @for searched in &row.searches { @for cell in cells(searched) { td { (cell) } } }
                        }
                    }
                }
            }
        }
    }
}

fn board(row: &Row) -> Markup {
    let svg = row.matching.as_ref().and_then(|matching| draw::to_svg(&row.position, row.position.to_move, matching));
    html! {
        @if let Some(svg) = svg {
            figure style="display:inline-block;margin:1em" { figcaption { (row.name) } (PreEscaped(svg)) }
        }
    }
}
