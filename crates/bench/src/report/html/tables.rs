//! Tables of rows.

use crate::report::{Outcome, Report, Row, format, table};
use maud::{Markup, html};

/// The time of a row, in few characters.
pub fn short_time(row: &Row) -> String {
    if row.outcome == Outcome::DidNotFinish { "did not finish".to_string() } else { format::row_time(row) }
}

/// The founding paper's two tables, engines side by side; empty if its position was not measured.
pub fn paper_tables(report: &Report) -> Markup {
    let of = |formulation: &str| -> Vec<&Row> {
        let on_paper = |row: &&Row| row.formulation == formulation && row.position == table::PAPER_POSITION;
        report.rows.iter().filter(on_paper).collect()
    };
    let tables = [("power-set", "Table 1 · Power-set"), ("cluster", "Table 2 · Cluster")];
    let tables: Vec<_> =
        tables.into_iter().map(|(name, title)| (name, title, of(name))).filter(|t| !t.2.is_empty()).collect();
    html! {
        @if !tables.is_empty() {
            section {
                h2 { "The paper's two tables, on this machine" }
                p.how {
                    "How to read: time of the win query on " code { (table::PAPER_POSITION) } " and, below it, the runtime savings factor: the slowest of "
                    "the column over this one. ≥ marks factors whose slowest did not finish, so that its limit stands for it. The last "
                    "column is what the founding paper measured in 2019 on its own 17 stones; it has no " code { "auto" } ": what the optimizer makes of the naive text by itself."
                }
                div.two { @for (formulation, title, rows) in &tables { (paper_table(report, formulation, title, rows)) } }
            }
        }
    }
}

fn paper_table(report: &Report, formulation: &str, title: &str, rows: &[&Row]) -> Markup {
    let engines = distinct(rows.iter().map(|row| row.engine.as_str()));
    html! {
        div.scroll { table {
            caption { (title) }
            thead { tr { th { "optimization" } @for engine in &engines { th { (engine) } } th.cited { "paper, 2019" } } }
            tbody {
                @for optimization in report.distinct(|row| &row.optimization) {
                    tr.auto[optimization == "auto"] {
                        th { (optimization) }
                        @for engine in &engines {
                            (time_cell(rows.iter().find(|r| r.optimization == optimization && r.engine == *engine).copied(), true, None))
                        }
                        td.cited {
                            @if let Some((time, savings)) = table::paper(formulation, optimization) {
                                (time) " " small { (savings) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// A table cell with a time, shaded by its place on `scale`, from the fastest to the slowest time.
fn time_cell(row: Option<&Row>, savings: bool, scale: Option<(f64, f64)>) -> Markup {
    let Some(row) = row else { return html! { td {} } };
    let shade = match (scale, row.median_ns) {
        (Some((fast, slow)), Some(median)) if slow > fast => {
            let heat = ((median.max(1) as f64).ln() - fast.ln()) / (slow.ln() - fast.ln());
            Some(format!("--heat:{:.0}%", heat * 100.0))
        }
        _ => None,
    };
    let class = match row.outcome {
        _ if row.is_wrong() => "wrong",
        Outcome::Finished if shade.is_some() => "heat",
        Outcome::Finished => "",
        Outcome::DidNotFinish => "stopped",
        Outcome::Unsupported => "unsupported",
    };
    html! {
        td class=(class) style=[shade] title=(details(row)) {
            @if row.is_wrong() { "wrong: " (format::answer(row)) } @else { (short_time(row)) }
            @if savings && row.outcome == Outcome::Finished && !row.is_wrong() { " " small { (format::savings(row)) } }
        }
    }
}

/// All results of a row, for a title.
pub fn details(row: &Row) -> String {
    let mut lines = vec![format!("{} · {} · {} · {}", row.formulation, row.optimization, row.engine, row.position)];
    let times = [row.min_ns, row.median_ns, row.max_ns].map(|ns| format::time(ns.unwrap_or(0) as f64));
    if row.outcome == Outcome::Finished {
        lines.push(format!("{} (from {} to {}, {} samples)", times[1], times[0], times[2], row.samples));
    }
    lines.extend(row.reason.clone());
    if row.answer.is_some() {
        lines.push(format!("answer: {}", format::answer(row)));
    }
    let counted = [("derived", row.derived), ("probes", row.probes)];
    lines.extend(counted.iter().filter_map(|(name, n)| Some(format!("{name}: {}", (*n)?))));
    lines.extend(row.tuples_per_second.map(|rate| format!("{} tuples a second", format::count(rate))));
    lines.extend(row.bytes_per_tuple.map(|bytes| format!("{bytes:.0} bytes a tuple")));
    lines.extend(row.optimize_ns.map(|ns| format!("optimizing: {}", format::time(ns as f64))));
    lines.extend(row.load_ns.map(|ns| format!("loading: {}", format::time(ns as f64))));
    lines.join("\n")
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// The throughput of generic programs; empty if none were measured.
pub fn throughput(report: &Report) -> Markup {
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.tuples.is_some()).collect();
    let same = |a: &&Row, b: &&Row| a.formulation == b.formulation;
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Throughput" }
                p.how {
                    "How to read: all that a program derives, from its facts to the last tuple. A closure run as one holds its pairs without "
                    "writing them down, so that its rate is not one of deriving; its bytes are those of all facts over all pairs."
                }
                div.scroll { table {
                    thead { tr {
                        th { "program" } th.name { "data" } th.name { "optimization" }
                        th { "time" } th { "tuples" } th { "tuples a second" } th { "bytes a tuple" }
                    } }
                    tbody { @for group in rows.chunk_by(same) { @for (i, row) in group.iter().enumerate() {
                        tr.auto[row.optimization == "auto"] {
                            th { @if i == 0 { (row.formulation) } }
                            td.name { @if i == 0 { (row.position) } }
                            td.name { (row.optimization) }
                            (time_cell(Some(row), false, None))
                            td { (row.tuples.unwrap_or_default()) }
                            td { (row.tuples_per_second.map_or(String::new(), format::count)) }
                            td { (row.bytes_per_tuple.map_or(String::new(), |bytes| format!("{bytes:.1}"))) }
                        }
                    } } }
                } }
            }
        }
    }
}

/// All cells of a position, shaded by time.
pub fn matrix(report: &Report, position: &str) -> Markup {
    let optimizations = report.distinct(|row| &row.optimization);
    let (groups, not_run) = report.matrix(position);
    let times = groups.iter().flatten().filter_map(|row| row.median_ns).map(|ns| ns.max(1) as f64);
    let scale = times.fold((f64::INFINITY, 0f64), |(low, high), ns| (low.min(ns), high.max(ns)));
    html! {
        div.scroll { table {
            thead { tr { th { "wording" } th.name { "engine" } th.name { "answer" } @for name in &optimizations { th { (name) } } } }
            tbody {
                @for group in &groups {
                    tr {
                        th { (group[0].formulation) }
                        td.name { (group[0].engine) }
                        td.name {
                            @if let Some(row) = group.iter().find(|row| row.answer.is_some()) {
                                (format::answer(row)) @if row.cannot_see { "*" }
                            }
                        }
                        @for name in &optimizations {
                            (time_cell(group.iter().find(|row| row.optimization == *name).copied(), false, Some(scale)))
                        }
                    }
                }
            }
        } }
        @if let Some(legend) = table::blind_legend(report, position) { p.how { (legend) "." } }
        @if !not_run.is_empty() {
            ul.how { @for sentence in &not_run { li { "not run: " (sentence) } } }
        }
    }
}
