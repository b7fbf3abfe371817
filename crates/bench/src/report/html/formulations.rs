//! The page of one game in several wordings.

use super::Frame;
use super::curves::{LINE_HEIGHT, key, playout_rates, spread};
use crate::formulations::{Kind, Pairing, Rate, Report, Row};
use crate::report::{format, plot};
use maud::{Markup, PreEscaped, html};

/// The page. Its first paragraph is the answer.
pub fn to_html(report: &Report) -> String {
    let method = format!(
        "First all wordings were played in lockstep: what is compared is the same game. Then each reasoner played at random for {} s \
         on one thread, in five turns between which all others had theirs; a rate is the median of the five, by processor time, \
         with their range. Matches are between two equal tree searches that differ in the rules they run; seats change after each, \
         clocks count processor time ({} a move), and the interval of a score is that of a bootstrap over matches, of 95 % confidence.",
        report.seconds,
        format::time(report.play_clock_seconds * 1e9)
    );
    let frame = Frame {
        benchmark: report.benchmark,
        heading: "Does the wording of its rules matter to a player?",
        lead: &report.answer,
        method: &method,
        environment: &report.environment,
        interrupted: report.interrupted,
    };
    frame.around(&html! {
        (wordings(report))
        (rates(report))
        (pairings(report))
        (notes(report))
    })
}

/// The wordings with their sizes.
fn wordings(report: &Report) -> Markup {
    let count = |n: Option<usize>| n.map_or("–".to_owned(), |n| format::count(n as f64));
    let seconds = |row: &Row| row.net_seconds.map_or("–".to_owned(), |seconds| format::time(seconds * 1e9));
    html! {
        section {
            h2 { "The wordings of Hex on " (report.board) }
            p.how {
                "How to read: all are the same game, which playouts in lockstep have shown; they differ in how they tell who has joined "
                "their edges. The ground rules are the rulesheet without variables, the gates what is left of them as a network."
            }
            div.scroll {
                table {
                    thead { tr {
                        th { "wording" } th { "game" } th { "rules" } th { "ground rules" } th { "gates" } th { "to the net" }
                        th { "same in" }
                    } }
                    tbody {
                        @for row in &report.formulations {
                            tr {
                                th { (row.formulation) }
                                td { (row.game) }
                                td { (count(row.rules)) }
                                td { (count(row.ground_rules)) }
                                td { (count(row.gates)) }
                                td { (seconds(row)) }
                                td { (row.compared_states) " states" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The reasoners that have rates, each with its optimizations.
fn variants(report: &Report) -> Vec<(&'static str, Option<String>)> {
    let mut variants: Vec<(&'static str, Option<String>)> = Vec::new();
    for rate in &report.rates {
        let variant = (rate.reasoner, rate.optimization.clone());
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

/// The rates, drawn and in a table.
fn rates(report: &Report) -> Markup {
    let variants = variants(report);
    html! {
        @if report.rates.iter().any(|rate| rate.median().is_some()) {
            section {
                h2 { "Playouts a CPU-second" }
                p.how {
                    "How to read: each row is one wording, further right is faster; every grid line is ten times the one before. Drawn are nets, and "
                    "interpreted rules as written and under auto. Rest the pointer on a mark for its range. In the table, a star says that "
                    "the optimized rules took no less work, so that those as written run."
                }
                (rate_plot(report))
                div.scroll {
                    table {
                        thead { tr {
                            th { "wording" }
                            @for (reasoner, optimization) in &variants { th { (title(reasoner, optimization.as_deref())) } }
                        } }
                        tbody {
                            @for row in &report.formulations {
                                tr {
                                    th { (row.formulation) }
                                    @for (reasoner, optimization) in &variants {
                                        @let rate = report.rate(row.formulation, reasoner, optimization.as_deref());
                                        td title=[rate.map(details)] { (cell(rate)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn title(reasoner: &str, optimization: Option<&str>) -> String {
    optimization.map_or(reasoner.to_owned(), |optimization| format!("{reasoner}, {optimization}"))
}

/// A rate with its spread, in short; a dash if there is none.
pub fn cell(rate: Option<&Rate>) -> String {
    let Some((rate, [median, low, high])) = rate.and_then(|rate| Some((rate, rate.playouts_per_cpu_second?))) else {
        return "–".to_owned();
    };
    let star = if rate.kept_as_written { " *" } else { "" };
    format!("{} ±{:.0} %{star}", format::count(median), 50.0 * (high - low) / median)
}

fn details(rate: &Rate) -> String {
    let Some([median, low, high]) = rate.playouts_per_cpu_second else {
        return rate.reason.clone().unwrap_or_default();
    };
    let work =
        rate.work_per_move.map_or(String::new(), |work| format!("\nwork of a joint move: {}", format::count(work)));
    let [median, low, high] = [median, low, high].map(format::count);
    format!("{median} playouts a CPU-second, {low} to {high} in {} samples{work}", rate.samples)
}

fn rate_plot(report: &Report) -> Markup {
    let rows: Vec<&Row> = report.formulations.iter().filter(|row| row.error.is_none()).collect();
    let names: Vec<String> = rows.iter().map(|row| row.formulation.to_owned()).collect();
    let y = plot::Axis::names(&names);
    let shown: Vec<_> = variants(report)
        .into_iter()
        .filter(|(_, optimization)| optimization.as_deref().is_none_or(|name| ["none", "auto"].contains(&name)))
        .collect();
    let series = shown.iter().enumerate().map(|(color, (reasoner, optimization))| {
        let points = rows.iter().enumerate().filter_map(|(place, row)| {
            let rate = report.rate(row.formulation, reasoner, optimization.as_deref())?;
            let title = format!("{}, {}\n{}", row.formulation, title(reasoner, optimization.as_deref()), details(rate));
            Some(plot::Point { x: rate.median()?, y: y.place(place) - spread(color, shown.len()), title, open: false })
        });
        let name = title(reasoner, optimization.as_deref());
        plot::Series { name, color, joined: false, points: points.collect() }
    });
    let series: Vec<plot::Series> = series.collect();
    playout_rates(&series, &y, rows.len())
}

/// The matches, drawn and in a table.
fn pairings(report: &Report) -> Markup {
    let played: Vec<&Pairing> = report.pairings.iter().filter(|pairing| pairing.mean.is_some()).collect();
    html! {
        @if !played.is_empty() {
            section {
                h2 { "Matches at equal clock" }
                p.how {
                    "How to read: a line is the interval of a player's score, with the score itself in the middle. On the right of 50 the player is "
                    "better than its opponent; a line across 50 does not tell. Nets: rules become a net where they have one. The optimizer: the "
                    "same interpreted rules with and without it."
                }
                (score_plot(&played))
                div.scroll {
                    table {
                        thead { tr {
                            th { "what differs" } th { "player" } th { "opponent" } th { "matches" } th { "score" } th { "95 %" }
                            th { "playouts a second" } th { "of the opponent" } th { "faults" }
                        } }
                        tbody {
                            @for pairing in &played {
                                tr {
                                    th { (pairing.kind.title()) }
                                    @for text in fields(pairing) { td { (text) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A pair of players in short: player, opponent, matches, score, interval, rates of both, faults.
pub fn fields(pairing: &Pairing) -> [String; 8] {
    let side = |side: &crate::formulations::Side| match &side.optimization {
        Some(optimization) => format!("{} ({}, {optimization})", side.formulation, side.reasoner),
        None => format!("{} ({})", side.formulation, side.reasoner),
    };
    // Without a playout all was known before the first move.
    let rate = |rate: Option<f64>| rate.map_or("–".to_owned(), format::count);
    let [own, others] = pairing.playouts_per_second.map(rate);
    [
        side(&pairing.player),
        side(&pairing.opponent),
        pairing.matches.to_string(),
        pairing.mean.map_or("–".to_owned(), |mean| format!("{mean:.0}")),
        pairing.confidence_95.map_or("–".to_owned(), |[low, high]| format!("{low:.0} to {high:.0}")),
        own,
        others,
        format!("{}, {}", pairing.faults[0], pairing.faults[1]),
    ]
}

fn score_plot(played: &[&Pairing]) -> Markup {
    let names: Vec<String> =
        played.iter().map(|pairing| format!("{} · {}", pairing.player.formulation, pairing.kind.title())).collect();
    let y = plot::Axis::names(&names);
    let series = played.iter().enumerate().filter_map(|(place, pairing)| {
        let (mean, [low, high]) = (pairing.mean?, pairing.confidence_95?);
        let title = format!("{}: {mean:.0}, {low:.0} to {high:.0} in {} matches", names[place], pairing.matches);
        let point = |x| plot::Point { x, y: y.place(place), title: title.clone(), open: false };
        let color = Kind::ALL.iter().position(|kind| *kind == pairing.kind)?;
        Some(plot::Series { name: String::new(), color, joined: true, points: [low, mean, high].map(point).into() })
    });
    let series: Vec<plot::Series> = series.collect();
    let x = plot::Axis::linear("score of the player, of 100", [100.0].into_iter());
    let height = 70 + LINE_HEIGHT / 2 * played.len() as u32;
    html! {
        (key(Kind::ALL.iter().enumerate().map(|(color, kind)| (color, kind.title().to_owned()))))
        div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, height), 260))) }
    }
}

fn notes(report: &Report) -> Markup {
    let notes = report.notes();
    html! {
        @if !notes.is_empty() {
            section {
                h2 { "What is missing, and why" }
                ul.how { @for note in notes { li { (note) } } }
            }
        }
    }
}
