//! Tables of rows, on a terminal and on a page.

use super::*;
use crate::report::{Mark, TextCell, TextTable};
use maud::html;
use std::time::Duration;

/// The time of a row, in few characters.
pub fn short_time(row: &Record) -> String {
    if row.text(OUTCOME) == DID_NOT_FINISH { "did not finish".to_owned() } else { time(row) }
}

/// A text on the left.
pub fn name(text: impl Into<String>) -> TextCell {
    TextCell::marked(text, Mark::Name)
}

/// Whether a row has a time that means something.
pub fn is_timed(row: &Record) -> bool {
    row.text(OUTCOME) == FINISHED && !is_wrong(row)
}

/// The limit of a row that hit its time limit; `None` for any other outcome.
fn over_limit(row: &Record) -> Option<String> {
    let limit_s = row.number(LIMIT)?;
    let is_timeout = row.text(REASON) == Stopped::Timeout(Duration::from_secs_f64(limit_s)).to_string();
    (row.text(OUTCOME) == DID_NOT_FINISH && is_timeout)
        .then(|| if limit_s >= 60.0 { format!("> {} min", limit_s / 60.0) } else { format!("> {limit_s} s") })
}

/// A cell with a time, shaded by its place on `scale`, from the fastest to the slowest time.
pub fn time_cell(row: Option<&Record>, scale: Option<(f64, f64)>) -> TextCell {
    let Some(row) = row else { return "".into() };
    let mark = match row.text(OUTCOME) {
        _ if is_wrong(row) => Mark::Wrong,
        DID_NOT_FINISH => Mark::Stopped,
        UNSUPPORTED => Mark::Unsupported,
        _ if row.text(OPTIMIZATION) == AUTO => Mark::Chosen,
        _ => Mark::Plain,
    };
    let scaled = scale.filter(|(fast, slow)| slow > fast).zip(row.number(MEDIAN));
    let heat = scaled.map(|((fast, slow), median)| (median.max(1.0) / fast).ln() / (slow / fast).ln());
    let told = over_limit(row).unwrap_or_else(|| time(row));
    let (told, page) = if mark == Mark::Wrong {
        (format!("{told} WRONG: {}", answer(row)), format!("wrong: {}", answer(row)))
    } else {
        (told, short_time(row))
    };
    TextCell { mark, heat, hint: Some(details(row)), page: Some(html! { (page) }), ..TextCell::right(told) }
}

/// All cells of a position, shaded by time, and a sentence on each formulation that did not run.
pub fn cells(results: &Record, position: &str) -> (TextTable, Vec<String>) {
    let optimizations = distinct(results.records(ROWS), OPTIMIZATION);
    let (groups, not_run) = matrix(results, position);
    let times = groups.iter().flatten().filter_map(|row| row.number(MEDIAN)).map(|ns| ns.max(1.0));
    let scale = times.fold((f64::INFINITY, 0f64), |(low, high), ns| (low.min(ns), high.max(ns)));
    let is_asked = groups.iter().flatten().any(|row| row.has(EXPECTED));
    let columns = if is_asked { ["formulation", "engine", "won"] } else { ["program", "engine", "tuples"] };
    let on_page = [html! { "wording" }, html! { "engine" }, html! { "answer" }].map(Some);
    let marks = [Mark::Plain, Mark::Name, Mark::Name];
    let columns = columns.into_iter().zip(on_page).zip(marks);
    let header = columns.map(|((title, page), mark)| TextCell { page, ..TextCell::marked(title, mark) });
    let mut table = TextTable::new(header.chain(optimizations.iter().map(|&optimization| optimization.into())));
    for group in groups {
        let first = |field| group.iter().find(|row| row.has(field));
        let answered = first(ANSWER).map_or(String::new(), |row| answer_with_star(row));
        let result =
            if is_asked { answered.clone() } else { first(TUPLES).map_or(String::new(), |row| row.told(TUPLES)) };
        let result = TextCell { is_right: !is_asked, page: Some(html! { (answered) }), ..name(result) };
        let times = optimizations.iter().map(|optimization| {
            let row = group.iter().find(|row| row.text(OPTIMIZATION) == *optimization).copied();
            time_cell(row, Some(scale))
        });
        let names = [group[0].text(FORMULATION).into(), name(group[0].text(ENGINE)), result];
        table.push(names.into_iter().chain(times));
    }
    (table, not_run)
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
