//! The forms of a report on games by their rulesheets.

use super::*;
use crate::report::page::{playout_rates, remarks, section};
use crate::report::plot::{PlotMark, Series};
use crate::report::{Field, Mark, Terminal, TextCell, TextTable, Unit};
use maud::{Markup, html};
use serde_json::Value;

/// The rates, then the sizes, then what is missing.
pub fn text(report: &Report, terminal: Terminal) -> String {
    let games = || report.results.records(GAMES);
    // Columns of published rates only where there are some.
    let is_published = |&place: &usize| games().any(|row| row.list(PUBLISHED)[place] != Value::Null);
    let published: Vec<usize> = (0..report.results.list(PUBLISHERS).len()).filter(is_published).collect();
    let rates = rates(report, &published, str::to_owned).to_text(terminal);
    let mut text = format!("Random playouts a CPU-second, on one thread\n\n{rates}");
    if games().flat_map(|row| row.records(REASONERS)).any(|rate| rate.text(CERTAINTY) != COUNTED) {
        text += "\nMany playouts were under way at the end, so a rate is estimated by joint moves (≈) or a lower bound (≥); --time\n\
                 gives more time.\n";
    }
    if !published.is_empty() {
        text += "\nThe rates of other systems are published ones, measured on other machines.\n";
    }
    text = text + "\n" + &sizes(report, Unit::Plain).to_text(terminal);
    let notes: String =
        games().flat_map(|row| notes(row).into_iter().map(|note| format!("{}: {note}\n", row.text(GAME)))).collect();
    if notes.is_empty() { text } else { text + "\n" + &notes }
}

/// The sections of the page.
pub fn sections(report: &Report) -> Markup {
    let games = || report.results.records(GAMES);
    let is_published = games().any(|row| row.list(PUBLISHED).iter().any(|figure| *figure != Value::Null));
    let notes: Vec<Markup> = games()
        .flat_map(|row| notes(row).into_iter().map(|note| html! { strong { (row.text(GAME)) } ": " (note) }))
        .collect();
    let publishers: Vec<Markup> = report
        .results
        .records(PUBLISHERS)
        .map(|publisher| html! { strong { (publisher.text(anchors::NAME)) } ": " (publisher.text(anchors::ABOUT)) })
        .collect();
    let all: Vec<usize> = (0..publishers.len()).collect();
    html! {
        @if games().next().is_some() {
            (section(
                "Playouts a CPU-second",
                &html! {
                    "How to read: each row is one game, further right is faster; every grid line is ten times the one before. A full mark was "
                    "measured here. An empty mark is a published rate of another reasoner, " strong { "measured on another machine" }
                    ": it tells the magnitude. Rest the pointer on a mark for its figure. Lanes are busy in the rounds in which they make a move; the "
                    "share is that of the fastest reasoner."
                },
                &html! { (plot(report)) (rates(report, &all, title).to_html()) (remarks(&notes)) },
            ))
            (section(
                "The games",
                &html! {
                    "How to read: a playout of the mean length makes so many joint moves. The ground rules are the rulesheet without variables, the "
                    "gates what is left of them as a network; both are made once for a game."
                },
                &sizes(report, Unit::Magnitude).to_html(),
            ))
        }
        @if is_published {
            (section(
                "The published rates",
                &html! { "They were measured by others, on other machines, some with another wording of the same rules." },
                &remarks(&publishers),
            ))
        }
    }
}

/// Marks of the games that have a rate: ours, and the published ones.
fn plot(report: &Report) -> Markup {
    let rows: Vec<&Record> = report.results.records(GAMES).filter(|row| fastest_of(row).is_some()).collect();
    if rows.is_empty() {
        return html! {};
    }
    let names: Vec<String> = rows.iter().map(|row| row.told(GAME)).collect();
    // The marks of those rows that have a rate, with a title for each.
    let series = |color: usize, name: String, open: bool, rate: &dyn Fn(&Record) -> Option<(f64, String)>| {
        let points = rows.iter().enumerate().filter_map(|(place, row)| {
            let (x, title) = rate(row)?;
            let title = format!("{}, {name}\n{title}", row.text(GAME));
            Some(PlotMark { x, y: place as f64, title, open })
        });
        Series { points: points.collect(), name, color, joined: false }
    };
    let ours = reasoners().enumerate().map(|(color, reasoner)| {
        series(color, title(reasoner), false, &|row| {
            let rate = rate(row, reasoner)?;
            let lanes = if rate.has(INSTRUCTIONS) {
                format!("\n{} lanes, {} instructions a round", rate.told(LANES), rate.told(INSTRUCTIONS))
            } else {
                String::new()
            };
            let busy = if rate.has(BUSY) { format!("\nlanes busy {}", rate.told(BUSY)) } else { String::new() };
            Some((rate.number(RATE)?, format!("{} a CPU-second{lanes}{busy}", own(Some(rate)))))
        })
    });
    let publishers = report.results.records(PUBLISHERS).enumerate();
    let theirs = publishers.map(|(place, publisher)| {
        series(reasoners().count() + place, format!("{}, published", publisher.text(anchors::NAME)), true, &|row| {
            let figure = &row.list(PUBLISHED)[place];
            Some((figure.as_object()?.number(anchors::PUBLISHED_RATE)?, format!("{} a CPU-second", published(figure))))
        })
    });
    let series: Vec<Series> = ours.chain(theirs).filter(|series| !series.points.is_empty()).collect();
    playout_rates(&names, series, reasoners().count() + report.results.list(PUBLISHERS).len())
}

fn title(reasoner: &str) -> String {
    if reasoner == INTERPRETED { reasoner.to_owned() } else { format!("net, {reasoner}") }
}

/// A rate, in short; a dash if there is none.
fn own(rate: Option<&Record>) -> String {
    let Some(rate) = rate.filter(|rate| rate.has(RATE)) else { return "–".to_owned() };
    let sign = match rate.text(CERTAINTY) {
        COUNTED => "",
        ESTIMATED => "≈ ",
        _ => "≥ ",
    };
    format!("{sign}{}", rate.told(RATE))
}

/// A published figure, in short; a dash if there is none.
fn published(figure: &Value) -> String {
    match figure.as_object() {
        Some(figure) if figure.has(anchors::LISTING_ALL) => {
            format!("{} ({})", figure.told(anchors::PUBLISHED_RATE), figure.told(anchors::LISTING_ALL))
        }
        Some(figure) if figure.has(anchors::NO_NET_AFTER) => {
            format!("no net in {} s", figure.told(anchors::NO_NET_AFTER))
        }
        Some(figure) => figure.told_or_dash(anchors::PUBLISHED_RATE),
        None => "–".to_owned(),
    }
}

/// The rates, beside those of some publishers.
fn rates(report: &Report, publishers: &[usize], title: fn(&str) -> String) -> TextTable {
    let names: Vec<&Record> = report.results.records(PUBLISHERS).collect();
    let cited = |text| TextCell::marked(text, Mark::Cited);
    let header = ["game".to_owned()].into_iter().chain(reasoners().map(title)).chain(["lanes busy".to_owned()]);
    let header =
        header.map(TextCell::from).chain(publishers.iter().map(|&place| cited(names[place].told(anchors::NAME))));
    let mut table = TextTable::new(header);
    for row in report.results.records(GAMES) {
        let busy = fastest_of(row).map_or("–".to_owned(), |rate| rate.told_or_dash(BUSY));
        let own =
            [row.told(GAME)].into_iter().chain(reasoners().map(|reasoner| own(rate(row, reasoner)))).chain([busy]);
        let theirs = publishers.iter().map(|&place| cited(published(&row.list(PUBLISHED)[place])));
        table.push(own.map(TextCell::from).chain(theirs));
    }
    table
}

/// The sizes of the games and of their nets.
fn sizes(report: &Report, counts: Unit) -> TextTable {
    let counted = |field: Field| Field { unit: counts, ..field };
    TextTable::of(
        report.results.records(GAMES),
        &[
            ("game", GAME),
            ("mean length", MEAN_LENGTH),
            ("ground rules", counted(GROUND_RULES)),
            ("gates", counted(GATES)),
            ("grounding", GROUNDING),
            ("net", NET_TIME),
        ],
    )
}
