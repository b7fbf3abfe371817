//! The page of games by their rulesheets.

use super::Frame;
use super::curves::{playout_rates, spread};
use crate::ggp::anchors::Figure;
use crate::ggp::{Certainty, INTERPRETED, Rate, Report, Row, reasoners};
use crate::report::{format, plot};
use maud::{Markup, html};

/// The page.
pub fn to_html(report: &Report) -> String {
    let method = format!(
        "Each reasoner played at random for {} s on one thread; the rate counts the processor time of that thread. The lanes of a \
         net have the width that was fastest in a short trial. Where too many \
         playouts of a net were under way at the end, its rate is that of joint moves by the mean length (≈), or in step, where \
         rounds cost more and more, that of the playouts that ended (≥). Grounding and the net are timed apart.",
        report.seconds
    );
    let frame = Frame {
        benchmark: report.benchmark,
        heading: "Random playouts, by the CPU-second",
        lead: "Games by their rulesheets alone: the rules as they stand, and the same rules as a network of gates, for hundreds of \
               games at once.",
        method: &method,
        environment: &report.environment,
        interrupted: report.interrupted,
    };
    frame.around(&html! {
        (rates(report))
        (sizes(report))
        (published(report))
    })
}

/// The rates, drawn and in a table.
fn rates(report: &Report) -> Markup {
    let played: Vec<&Row> = report.games.iter().filter(|row| row.fastest().is_some()).collect();
    html! {
        @if !report.games.is_empty() {
            section {
                h2 { "Playouts a CPU-second" }
                p.how {
                    "How to read: each row is one game, further right is faster; every grid line is ten times the one before. A full mark was "
                    "measured here. An empty mark is a published rate of another reasoner, " strong { "measured on another machine" }
                    ": it tells the magnitude. Rest the pointer on a mark for its figure. Lanes are busy in the rounds in which they make a move; the "
                    "share is that of the fastest reasoner."
                }
                @if !played.is_empty() { (plot(report, &played)) }
                (table(report))
                ul.how { @for row in &report.games { @for note in row.notes() { li { strong { (row.game) } ": " (note) } } } }
            }
        }
    }
}

fn plot(report: &Report, rows: &[&Row]) -> Markup {
    let names: Vec<String> = rows.iter().map(|row| row.game.clone()).collect();
    let y = plot::Axis::names(&names);
    let count = reasoners().count() + report.references.len();
    // The marks of those rows that have a rate, with a title for each.
    let series = |color: usize, name: &str, open: bool, rate: &dyn Fn(&Row) -> Option<(f64, String)>| {
        let points = rows.iter().enumerate().filter_map(|(place, row)| {
            let (x, title) = rate(row)?;
            let title = format!("{}, {name}\n{title}", row.game);
            Some(plot::Point { x, y: y.place(place) - spread(color, count), title, open })
        });
        plot::Series { name: name.to_owned(), color, joined: false, points: points.collect() }
    };
    let ours = reasoners().enumerate().map(|(color, reasoner)| {
        series(color, &title(reasoner), false, &|row| {
            let rate = row.rate(reasoner)?;
            let lanes = rate.instructions.map_or(String::new(), |instructions| {
                format!("\n{} lanes, {instructions} instructions a round", rate.lanes)
            });
            let busy = rate.busy.map_or(String::new(), |busy| format!("\nlanes busy {:.0} %", 100.0 * busy));
            Some((rate.playouts_per_cpu_second?, format!("{} a CPU-second{lanes}{busy}", own(Some(rate)))))
        })
    });
    let theirs = report.references.iter().enumerate().map(|(place, reference)| {
        series(reasoners().count() + place, &format!("{}, published", reference.name), true, &|row| {
            let figure = row.published[place]?;
            Some((figure.rate?, format!("{} a CPU-second", cell(Some(figure)))))
        })
    });
    let series: Vec<plot::Series> = ours.chain(theirs).filter(|series| !series.points.is_empty()).collect();
    playout_rates(&series, &y, rows.len())
}

fn title(reasoner: &str) -> String {
    if reasoner == INTERPRETED { reasoner.to_owned() } else { format!("net, {reasoner}") }
}

/// A rate, in short; a dash if there is none.
pub fn own(rate: Option<&Rate>) -> String {
    let Some((rate, certainty)) = rate.and_then(|rate| Some((rate.playouts_per_cpu_second?, rate.certainty))) else {
        return "–".to_owned();
    };
    let sign = match certainty {
        Certainty::Counted => "",
        Certainty::Estimated => "≈ ",
        Certainty::AtLeast => "≥ ",
    };
    format!("{sign}{}", format::count(rate))
}

/// A published figure, in short; a dash if there is none.
pub fn cell(figure: Option<Figure>) -> String {
    match figure {
        Some(Figure { rate: Some(rate), listing_all: Some(all), .. }) => {
            format!("{} ({})", format::count(rate), format::count(all))
        }
        Some(Figure { rate: Some(rate), .. }) => format::count(rate),
        Some(Figure { no_net_after_seconds: Some(seconds), .. }) => format!("no net in {seconds} s"),
        _ => "–".to_owned(),
    }
}

fn table(report: &Report) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "game" }
                        @for reasoner in reasoners() { th { (title(reasoner)) } }
                        th { "lanes busy" }
                        @for reference in &report.references { th.cited { (reference.name) } }
                    }
                }
                tbody {
                    @for row in &report.games {
                        tr {
                            th { (row.game) }
                            @for reasoner in reasoners() {
                                td { (own(row.rate(reasoner))) }
                            }
                            td { (busy(row)) }
                            @for figure in row.published { td.cited { (cell(figure)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The share of busy lanes of the fastest reasoner, in short; a dash if it has none.
pub fn busy(row: &Row) -> String {
    row.fastest().and_then(|rate| rate.busy).map_or("–".to_owned(), |busy| format!("{:.0} %", 100.0 * busy))
}

/// The sizes of the games and of their nets.
fn sizes(report: &Report) -> Markup {
    let count = |n: Option<usize>| n.map_or("–".to_owned(), |n| format::count(n as f64));
    let seconds = |s: Option<f64>| s.map_or("–".to_owned(), |s| format::time(s * 1e9));
    html! {
        @if !report.games.is_empty() {
            section {
                h2 { "The games" }
                p.how {
                    "How to read: a playout of the mean length makes so many joint moves. The ground rules are the rulesheet without variables, the "
                    "gates what is left of them as a network; both are made once for a game."
                }
                div.scroll {
                    table {
                        thead { tr {
                            th { "game" } th { "mean length" } th { "ground rules" } th { "gates" } th { "grounding" } th { "net" }
                        } }
                        tbody {
                            @for row in &report.games {
                                tr {
                                    th { (row.game) }
                                    td { (row.mean_length.map_or("–".to_owned(), |length| format!("{length:.1}"))) }
                                    td { (count(row.ground_rules)) }
                                    td { (count(row.gates)) }
                                    td { (seconds(row.grounding_seconds)) }
                                    td { (seconds(row.net_seconds)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The sources of the published rates.
fn published(report: &Report) -> Markup {
    html! {
        @if report.games.iter().any(|row| row.published.iter().any(Option::is_some)) {
            section {
                h2 { "The published rates" }
                p.how { "They were measured by others, on other machines, some with another wording of the same rules." }
                ul.how { @for reference in &report.references { li { strong { (reference.name) } ": " (reference.about) } } }
            }
        }
    }
}
