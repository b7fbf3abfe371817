//! Tables of rows.

use crate::matrix::{
    ANSWER, AUTO, BYTES_PER_TUPLE, DERIVED, DID_NOT_FINISH, ENGINE, FINISHED, LOAD, MAX, MEDIAN, MIN, OPTIMIZE,
    OUTCOME, PAPER_POSITION, POSITION, PROBES, ROWS, TUPLES, TUPLES_PER_SECOND, UNSUPPORTED, answer, answer_with_star,
    blind_legend, distinct, is_wrong, paper, savings, time,
};
use crate::report::fields::{FORMULATION, OPTIMIZATION, REASON, SAMPLES};
use crate::report::page::{remarks, section};
use crate::report::{Cell, Mark, Record, Table};
use maud::{Markup, html};

/// The time of a row, in few characters.
pub fn short_time(row: &Record) -> String {
    if row.text(OUTCOME) == DID_NOT_FINISH { "did not finish".to_owned() } else { time(row) }
}

fn name(text: &str) -> Cell {
    Cell::from(text).marked(Mark::Name)
}

/// The founding paper's two tables, engines side by side; empty if its position was not measured.
pub fn paper_tables(results: &Record) -> Markup {
    let of = |formulation: &str| -> Vec<&Record> {
        let on_paper = |row: &&Record| row.text(FORMULATION) == formulation && row.text(POSITION) == PAPER_POSITION;
        results.records(ROWS).filter(on_paper).collect()
    };
    let titles = [("power-set", "Table 1 · Power-set"), ("cluster", "Table 2 · Cluster")];
    let tables = titles.into_iter().map(|(formulation, title)| (formulation, title, of(formulation)));
    let tables: Vec<Markup> = tables
        .filter(|(.., rows)| !rows.is_empty())
        .map(|(formulation, title, rows)| paper_table(results, formulation, title, &rows))
        .collect();
    if tables.is_empty() {
        return html! {};
    }
    section(
        "The paper's two tables, on this machine",
        &html! {
            "How to read: time of the win query on " code { (PAPER_POSITION) } " and, below it, the runtime savings factor: the slowest of "
            "the column over this one. ≥ marks factors whose slowest did not finish, so that its limit stands for it. The last "
            "column is what the founding paper measured in 2019 on its own 17 stones; it has no " code { "auto" } ": what the optimizer makes of the naive text by itself."
        },
        &html! { div.two { @for table in &tables { (table) } } },
    )
}

fn paper_table(results: &Record, formulation: &str, title: &str, rows: &[&Record]) -> Markup {
    let engines = distinct(rows.iter().copied(), ENGINE);
    let header = ["optimization"].into_iter().chain(engines.iter().copied()).map(Cell::from);
    let mut table = Table::new(header.chain([Cell::from("paper, 2019").marked(Mark::Cited)]));
    for optimization in distinct(results.records(ROWS), OPTIMIZATION) {
        let times = engines.iter().map(|engine| {
            let is_shown = |row: &&&Record| row.text(OPTIMIZATION) == optimization && row.text(ENGINE) == *engine;
            time_cell(rows.iter().find(is_shown).copied(), true, None)
        });
        let (time, savings) = paper(formulation, optimization).unwrap_or_default();
        let cited = Cell::from(time).small(savings).marked(Mark::Cited);
        let cells = [Cell::from(optimization)].into_iter().chain(times).chain([cited]);
        table.push_emphasized(optimization == AUTO, cells);
    }
    table.captioned(html! { (title) }).to_html()
}

/// A table cell with a time, shaded by its place on `scale`, from the fastest to the slowest time.
fn time_cell(row: Option<&Record>, are_savings_told: bool, scale: Option<(f64, f64)>) -> Cell {
    let Some(row) = row else { return "".into() };
    let heat = match (scale, row.number(MEDIAN)) {
        (Some((fast, slow)), Some(median)) if slow > fast => {
            Some((median.max(1.0).ln() - fast.ln()) / (slow.ln() - fast.ln()))
        }
        _ => None,
    };
    let mark = match row.text(OUTCOME) {
        _ if is_wrong(row) => Mark::Wrong,
        DID_NOT_FINISH => Mark::Stopped,
        UNSUPPORTED => Mark::Unsupported,
        _ => Mark::Plain,
    };
    let told = if mark == Mark::Wrong { format!("wrong: {}", answer(row)) } else { short_time(row) };
    let small = if are_savings_told && mark == Mark::Plain { savings(row) } else { String::new() };
    Cell::from(told).small(small).marked(mark).heat(heat).hint(details(row))
}

/// All results of a row, for a title.
pub fn details(row: &Record) -> String {
    let names = [FORMULATION, OPTIMIZATION, ENGINE, POSITION].map(|field| row.text(field));
    let mut lines = vec![names.join(" · ")];
    if row.text(OUTCOME) == FINISHED {
        let [median, min, max, samples] = [MEDIAN, MIN, MAX, SAMPLES].map(|field| row.told(field));
        lines.push(format!("{median} (from {min} to {max}, {samples} samples)"));
    }
    let mut tell = |field, line: &dyn Fn(String) -> String| {
        if row.has(field) {
            lines.push(line(row.told(field)));
        }
    };
    tell(REASON, &|reason| reason);
    tell(ANSWER, &|_| format!("answer: {}", answer(row)));
    tell(DERIVED, &|count| format!("derived: {count}"));
    tell(PROBES, &|count| format!("probes: {count}"));
    tell(TUPLES_PER_SECOND, &|rate| format!("{rate} tuples a second"));
    lines.extend(row.number(BYTES_PER_TUPLE).map(|bytes| format!("{bytes:.0} bytes a tuple")));
    let mut tell = |field, what: &str| lines.extend(row.has(field).then(|| format!("{what}: {}", row.told(field))));
    tell(OPTIMIZE, "optimizing");
    tell(LOAD, "loading");
    lines.join("\n")
}

/// The throughput of generic programs; empty if none were measured.
pub fn throughput(results: &Record) -> Markup {
    let rows: Vec<&Record> = results.records(ROWS).filter(|row| row.has(TUPLES)).collect();
    if rows.is_empty() {
        return html! {};
    }
    let figures = ["time", "tuples", "tuples a second", "bytes a tuple"].map(Cell::from);
    let header = [Cell::from("program"), name("data"), name("optimization")].into_iter().chain(figures);
    let mut table = Table::new(header);
    for group in rows.chunk_by(|one, other| one.text(FORMULATION) == other.text(FORMULATION)) {
        for (number, row) in group.iter().enumerate() {
            let first = |field| if number == 0 { row.text(field) } else { "" };
            let names = [Cell::from(first(FORMULATION)), name(first(POSITION)), name(row.text(OPTIMIZATION))];
            let figures = [TUPLES, TUPLES_PER_SECOND, BYTES_PER_TUPLE].map(|field| Cell::from(row.told(field)));
            let cells = names.into_iter().chain([time_cell(Some(row), false, None)]).chain(figures);
            table.push_emphasized(row.text(OPTIMIZATION) == AUTO, cells);
        }
    }
    section(
        "Throughput",
        &html! {
            "How to read: all that a program derives, from its facts to the last tuple. A closure run as one holds its pairs without "
            "writing them down, so that its rate is not one of deriving; its bytes are those of all facts over all pairs."
        },
        &table.to_html(),
    )
}

/// All cells of a position, shaded by time.
pub fn matrix(results: &Record, position: &str) -> Markup {
    let optimizations = distinct(results.records(ROWS), OPTIMIZATION);
    let (groups, not_run) = crate::matrix::matrix(results, position);
    let times = groups.iter().flatten().filter_map(|row| row.number(MEDIAN)).map(|ns| ns.max(1.0));
    let scale = times.fold((f64::INFINITY, 0f64), |(low, high), ns| (low.min(ns), high.max(ns)));
    let header = [Cell::from("wording"), name("engine"), name("answer")].into_iter();
    let mut table = Table::new(header.chain(optimizations.iter().map(|&optimization| optimization.into())));
    for group in &groups {
        let answered = group.iter().find(|row| row.has(ANSWER)).map_or(String::new(), |row| answer_with_star(row));
        let names = [group[0].text(FORMULATION).into(), name(group[0].text(ENGINE)), name(&answered)];
        let times = optimizations.iter().map(|optimization| {
            let row = group.iter().find(|row| row.text(OPTIMIZATION) == *optimization).copied();
            time_cell(row, false, Some(scale))
        });
        table.push(names.into_iter().chain(times));
    }
    let not_run: Vec<Markup> = not_run.iter().map(|sentence| html! { "not run: " (sentence) }).collect();
    html! {
        (table.to_html())
        @if let Some(legend) = blind_legend(results, position) { p.how { (legend) "." } }
        (remarks(&not_run))
    }
}
