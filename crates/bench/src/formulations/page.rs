//! The forms of a report on one game in several wordings.

use super::rates::{LANES, NET};
use super::*;
use crate::report::page::{LINE_HEIGHT, drawn, key, playout_rates, remarks, section};
use crate::report::plot::{PlotAxis, PlotMark, Series};
use crate::report::{Field, Terminal, TextCell, TextTable, format};
use maud::{Markup, html};

/// The answer, then the nets, the interpreted rules and the matches, then what is missing.
pub fn text(report: &Report, terminal: Terminal) -> String {
    let results = &report.results;
    let nets = nets(results).to_text(terminal);
    let mut text = format!(
        "{}\n\nRandom playouts a CPU-second on {}, on one thread\n\n{nets}",
        (report.benchmark.lead)(report),
        results.text(BOARD)
    );
    text = text + "\n" + &interpreted(results).to_text(terminal);
    if results.records(RATES).any(|rate| rate.is(KEPT_AS_WRITTEN)) {
        text += "\n* The optimized rules took no less work, so those as written run.\n";
    }
    if played(results).next().is_some() {
        let clock = results.told(PLAY_CLOCK);
        let matches = matches(results, false).to_text(terminal);
        text += &format!("\nThe same tree search on two wordings, {clock} a move\n\n{matches}");
    }
    let notes: String = notes(results).iter().map(|note| format!("{note}\n")).collect();
    if notes.is_empty() { text } else { text + "\n" + &notes }
}

/// The rates of nets.
fn nets(results: &Record) -> TextTable {
    let header = ["as a net", "rules", "ground rules", "gates", "lanes", "state by state", "same in states"];
    let mut table = TextTable::new(header);
    for row in results.records(FORMULATIONS) {
        let name = row.text(FORMULATION);
        let sizes = [FORMULATION, RULES, GROUND_RULES, GATES].map(|field| row.told_or_dash(field)).into_iter();
        let rates = [LANES, NET].map(|reasoner| told(rate(results, name, reasoner, "")));
        table.push(sizes.chain(rates).chain([row.told(COMPARED_STATES)]));
    }
    table
}

/// The rates of interpreted rules.
fn interpreted(results: &Record) -> TextTable {
    let names = Optimization::NAMED.map(|optimization| optimization.to_string());
    let mut table = TextTable::new(["interpreted", "engine"].into_iter().chain(names.iter().map(String::as_str)));
    for row in results.records(FORMULATIONS).filter(|row| !row.has(ERROR)) {
        for engine in ENGINES {
            let formulation = row.text(FORMULATION);
            let rates = names.iter().map(|name| told(rate(results, formulation, engine.name, name)));
            table.push([formulation, engine.name].map(str::to_owned).into_iter().chain(rates));
        }
    }
    table
}

/// The sections of the page. Its first paragraph is the answer.
pub fn sections(report: &Report) -> Markup {
    let results = &report.results;
    let notes: Vec<Markup> = notes(results).iter().map(|note| html! { (note) }).collect();
    html! {
        (wordings(results))
        (rates(results))
        @if played(results).next().is_some() {
            (section(
                "Matches at equal clock",
                &html! {
                    "How to read: a line is the interval of a player's score, with the score itself in the middle. On the right of 50 the player is "
                    "better than its opponent; a line across 50 does not tell. Nets: rules become a net where they have one. The optimizer: the "
                    "same interpreted rules with and without it."
                },
                &html! { (score_plot(results)) (matches(results, true).to_html()) },
            ))
        }
        @if !notes.is_empty() { section { h2 { "What is missing, and why" } (remarks(&notes)) } }
    }
}

/// The wordings with their sizes.
fn wordings(results: &Record) -> Markup {
    let columns: [(&str, Field); 6] = [
        ("wording", FORMULATION),
        ("game", GAME),
        ("rules", RULES),
        ("ground rules", GROUND_RULES),
        ("gates", GATES),
        ("to the net", NET_TIME),
    ];
    let mut table = TextTable::new(columns.iter().map(|(title, _)| *title).chain(["same in"]));
    for row in results.records(FORMULATIONS) {
        let same = format!("{} states", row.told(COMPARED_STATES));
        table.push(columns.iter().map(|(_, field)| row.told_or_dash(*field)).chain([same]));
    }
    section(
        &format!("The wordings of Hex on {}", results.text(BOARD)),
        &html! {
            "How to read: all are the same game, which playouts in lockstep have shown; they differ in how they tell who has joined "
            "their edges. The ground rules are the rulesheet without variables, the gates what is left of them as a network."
        },
        &table.to_html(),
    )
}

/// The reasoners that have rates, each with its optimizations.
fn variants(results: &Record) -> Vec<(&str, &str)> {
    let mut variants = Vec::new();
    for rate in results.records(RATES) {
        let variant = (rate.text(REASONER), rate.text(OPTIMIZATION));
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

/// The rates, drawn and in a table.
fn rates(results: &Record) -> Markup {
    if !results.records(RATES).any(|rate| rate.has(RATE)) {
        return html! {};
    }
    let variants = variants(results);
    let titles = variants
        .iter()
        .map(|(reasoner, optimization)| TextCell { small: (*optimization).to_owned(), ..(*reasoner).into() });
    let mut table = TextTable::new([TextCell::from("wording")].into_iter().chain(titles));
    for row in results.records(FORMULATIONS) {
        let cells = variants.iter().map(|(reasoner, optimization)| {
            let rate = rate(results, row.text(FORMULATION), reasoner, optimization);
            let (rate_told, spread) = parts(rate);
            TextCell { hint: rate.map(details), small: spread, ..rate_told.into() }
        });
        table.push([row.text(FORMULATION).into()].into_iter().chain(cells));
    }
    section(
        "Playouts a CPU-second",
        &html! {
            "How to read: each row is one wording, further right is faster; every grid line is ten times the one before. Drawn are nets, and "
            "interpreted rules as written and under auto. Rest the pointer on a mark for its range. In the table, a star says that "
            "the optimized rules took no less work, so that those as written run."
        },
        &html! { (rate_plot(results, &variants)) (table.to_html()) },
    )
}

fn title((reasoner, optimization): &(&str, &str)) -> String {
    if optimization.is_empty() { (*reasoner).to_owned() } else { format!("{reasoner}, {optimization}") }
}

/// A rate with its spread, in short; a dash if there is none.
fn told(rate: Option<&Record>) -> String {
    let (rate, spread) = parts(rate);
    if spread.is_empty() { rate } else { format!("{rate} {spread}") }
}

/// A rate in short, or a dash, and its spread.
fn parts(rate: Option<&Record>) -> (String, String) {
    let Some((rate, [median, low, high])) = rate.and_then(|rate| Some((rate, rate.numbers(RATE)?))) else {
        return ("–".to_owned(), String::new());
    };
    let star = if rate.is(KEPT_AS_WRITTEN) { " *" } else { "" };
    (format::count(median), format!("±{:.0} %{star}", 50.0 * (high - low) / median))
}

fn details(rate: &Record) -> String {
    let Some(range) = rate.numbers(RATE) else { return rate.told(REASON) };
    let work = if rate.has(WORK) { format!("\nwork of a joint move: {}", rate.told(WORK)) } else { String::new() };
    let [median, low, high] = range.map(format::count);
    format!("{median} playouts a CPU-second, {low} to {high} in {} samples{work}", rate.told(SAMPLES))
}

fn rate_plot(results: &Record, variants: &[(&str, &str)]) -> Markup {
    let names: Vec<String> =
        results.records(FORMULATIONS).filter(|row| !row.has(ERROR)).map(|row| row.told(FORMULATION)).collect();
    let shown: Vec<_> =
        variants.iter().filter(|(_, optimization)| ["", "none", "auto"].contains(optimization)).collect();
    let series = shown.iter().enumerate().map(|(color, variant)| {
        let (reasoner, optimization) = variant;
        let points = names.iter().enumerate().filter_map(|(place, name)| {
            let rate = rate(results, name, reasoner, optimization)?;
            let title = format!("{name}, {}\n{}", title(variant), details(rate));
            Some(PlotMark { x: median(rate)?, y: place as f64, title, open: false })
        });
        Series { name: title(variant), color, joined: false, points: points.collect() }
    });
    playout_rates(&names, series.collect(), shown.len())
}

/// The pairs that have played.
fn played(results: &Record) -> impl Iterator<Item = &Record> {
    results.records(PAIRINGS).filter(|pairing| pairing.has(MEAN))
}

/// The matches, with what differs between the players or without it.
fn matches(results: &Record, is_kind_told: bool) -> TextTable {
    let kind = is_kind_told.then_some("what differs");
    let header = ["player", "opponent", "matches", "score", "95 %", "playouts a second", "of the opponent", "faults"];
    let mut table = TextTable::new(kind.into_iter().chain(header));
    let side = |side: Option<&Record>| match side {
        Some(side) if side.has(OPTIMIZATION) => {
            format!("{} ({}, {})", side.text(FORMULATION), side.text(REASONER), side.text(OPTIMIZATION))
        }
        Some(side) => format!("{} ({})", side.text(FORMULATION), side.text(REASONER)),
        None => String::new(),
    };
    for pairing in played(results) {
        // Without a playout all was known before the first move.
        let rate = |side: usize| pairing.list(SEARCH_RATES)[side].as_f64().map_or("–".to_owned(), format::count);
        let faults = pairing.numbers(FAULTS).map(|[own, others]| format!("{own}, {others}"));
        let cells = [
            side(pairing.inner(PLAYER)),
            side(pairing.inner(OPPONENT)),
            pairing.told(MATCHES),
            pairing.told(MEAN),
            pairing.told(CONFIDENCE),
            rate(0),
            rate(1),
            faults.unwrap_or_default(),
        ];
        let kind = is_kind_told.then(|| super::title(pairing.text(KIND)).to_owned());
        table.push(kind.into_iter().chain(cells));
    }
    table
}

fn score_plot(results: &Record) -> Markup {
    let player = |pairing: &Record| pairing.inner(PLAYER).map_or(String::new(), |player| player.told(FORMULATION));
    let name = |pairing: &Record| format!("{} · {}", player(pairing), super::title(pairing.text(KIND)));
    let names: Vec<String> = played(results).map(name).collect();
    let y = PlotAxis::names(&names);
    let series = played(results).enumerate().filter_map(|(place, pairing)| {
        let mean = pairing.number(MEAN)?;
        let [low, high] = pairing.numbers(CONFIDENCE)?;
        let [score, interval, matches] = [MEAN, CONFIDENCE, MATCHES].map(|field| pairing.told(field));
        let title = format!("{}: {score}, {interval} in {matches} matches", names[place]);
        let point = |x| PlotMark { x, y: y.place(place), title: title.clone(), open: false };
        let color = KINDS.iter().position(|(kind, _)| *kind == pairing.text(KIND))?;
        Some(Series { name: String::new(), color, joined: true, points: [low, mean, high].map(point).into() })
    });
    let series: Vec<Series> = series.collect();
    let x = PlotAxis::linear("score of the player, of 100", [100.0].into_iter());
    let height = 70 + LINE_HEIGHT / 2 * names.len() as u32;
    html! {
        (key(KINDS.iter().enumerate().map(|(color, (_, title))| (color, (*title).to_owned()))))
        (drawn(&x, &y, &series, height, 260))
    }
}
