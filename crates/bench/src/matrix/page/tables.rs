//! Tables of rows.

use crate::matrix::tables::{is_timed, name, time_cell};
use crate::matrix::*;
use crate::report::page::section;
use crate::report::{Fields, Mark, Record, TextCell, TextTable};
use maud::{Markup, html};

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
    let header = ["optimization"].into_iter().chain(engines.iter().copied()).map(TextCell::from);
    let mut table = TextTable::new(header.chain([TextCell::marked("paper, 2019", Mark::Cited)]));
    for optimization in distinct(results.records(ROWS), OPTIMIZATION) {
        let times = engines.iter().map(|engine| {
            let is_shown = |row: &&&Record| row.text(OPTIMIZATION) == optimization && row.text(ENGINE) == *engine;
            let row = rows.iter().find(is_shown).copied();
            let small = row.filter(|row| is_timed(row)).map_or(String::new(), savings);
            TextCell { small, ..time_cell(row, None) }
        });
        let (time, savings) = paper(formulation, optimization).unwrap_or_default();
        let cited = TextCell { small: savings.to_owned(), ..TextCell::marked(time, Mark::Cited) };
        let cells = [TextCell::from(optimization)].into_iter().chain(times).chain([cited]);
        table.push_emphasized(optimization == AUTO, cells);
    }
    table.captioned(html! { (title) }).to_html()
}

/// The throughput of generic programs; empty if none were measured.
pub fn throughput(results: &Record) -> Markup {
    let rows: Vec<&Record> = results.records(ROWS).filter(|row| row.has(TUPLES)).collect();
    if rows.is_empty() {
        return html! {};
    }
    let figures = ["time", "tuples", "tuples a second", "bytes a tuple"].map(TextCell::from);
    let header = [TextCell::from("program"), name("data"), name("optimization")].into_iter().chain(figures);
    let mut table = TextTable::new(header);
    for group in rows.chunk_by(|one, other| one.text(FORMULATION) == other.text(FORMULATION)) {
        for (number, row) in group.iter().enumerate() {
            let first = |field| if number == 0 { row.text(field) } else { "" };
            let names = [TextCell::from(first(FORMULATION)), name(first(POSITION)), name(row.text(OPTIMIZATION))];
            let figures = [TUPLES, TUPLES_PER_SECOND, BYTES_PER_TUPLE].map(|field| TextCell::from(row.told(field)));
            let cells = names.into_iter().chain([time_cell(Some(row), None)]).chain(figures);
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
