//! The report as text for a terminal.

use super::{Growth, Outcome, Report, Row, format};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use std::fmt::Write as _;

/// The measurements of the founding paper on its own 17 stones, with EpilogJS in 2019, limit 15 minutes: formulation,
/// optimization, milliseconds (`None` if it did not finish), savings.
pub const PAPER: [(&str, &str, Option<u32>, &str); 8] = [
    ("power-set", "none", None, "1"),
    ("power-set", "grounding", None, "1"),
    ("power-set", "reordering", Some(368), "~2500"),
    ("power-set", "both", Some(51), "~20,000"),
    ("cluster", "none", Some(41), "1"),
    ("cluster", "grounding", Some(6), "~10"),
    ("cluster", "reordering", Some(5), "~10"),
    ("cluster", "both", Some(1), "~50"),
];

/// The position of the paper's figure 4.
pub const PAPER_POSITION: &str = "p9";

/// The time and the savings of a cell of the paper; `None` if the paper does not have it.
pub fn paper(formulation: &str, optimization: &str) -> Option<(String, &'static str)> {
    let (_, _, ms, savings) = PAPER.iter().find(|(f, o, ..)| (*f, *o) == (formulation, optimization))?;
    Some((ms.map_or("did not finish in 15 min".to_string(), |ms| format!("{ms} ms")), savings))
}

/// The report as text; with `color`, wrong answers are red and the times of `auto` are bold.
pub fn to_text(report: &Report, color: bool) -> String {
    let mut text = String::new();
    let style = Style { color };
    if report.rows.iter().any(|row| row.position == PAPER_POSITION) {
        for (number, formulation, title) in [(1, "power-set", "Power-set"), (2, "cluster", "Cluster (spanning trees)")]
        {
            if let Some(table) = style.paper_table(report, formulation) {
                let _ = writeln!(
                    text,
                    "Table {number}. {title}, position {PAPER_POSITION}: time and savings (RSF)\n{table}\n"
                );
            }
        }
    }
    if report.rows.iter().any(|row| row.tuples.is_some()) {
        let _ = writeln!(text, "Throughput\n{}\n", style.throughput(report));
    }
    for position in report.distinct(|row| &row.position) {
        let _ = writeln!(text, "{position}\n{}\n", style.matrix(report, position));
    }
    if let Some((sentence, worse)) = report.auto_against_best() {
        let _ = writeln!(text, "{sentence}.");
        for row in worse {
            let over = row.over_best.map_or("did not finish".to_string(), |over| format!("{over:.1}×"));
            let _ = writeln!(text, "  {} · {} on {}: {over}", row.formulation, row.engine, row.position);
        }
        text.push('\n');
    }
    if !report.growth.is_empty() {
        let _ = writeln!(text, "Growth with the board\n{}\n", style.growth(&report.growth));
    }
    if !report.game.is_empty() {
        let _ = writeln!(text, "After each move: is it won?\n{}\n", style.game(report));
    }
    if let Some(factors) = &report.maker_breaker {
        let _ = writeln!(text, "Maker-Breaker factor along {}\n{}\n", factors.game, style.factors(factors));
    }
    text
}

struct Style {
    color: bool,
}

impl Style {
    fn table(&self, header: Vec<String>) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
        if !self.color {
            table.force_no_tty();
        } else {
            table.enforce_styling();
        }
        table.set_header(header.into_iter().map(|title| self.marked(Cell::new(title), Attribute::Bold)));
        table
    }

    fn marked(&self, cell: Cell, attribute: Attribute) -> Cell {
        if self.color { cell.add_attribute(attribute) } else { cell }
    }

    fn time(&self, row: Option<&Row>) -> Cell {
        let Some(row) = row else { return Cell::new("") };
        let cell = Cell::new(if row.is_wrong() {
            format!("{} WRONG: {}", format::row_time(row), format::answer(row))
        } else {
            format::row_time(row)
        });
        let cell = cell.set_alignment(CellAlignment::Right);
        match (self.color, row.outcome) {
            (true, _) if row.is_wrong() => cell.fg(Color::Red).add_attribute(Attribute::Bold),
            (true, Outcome::DidNotFinish) => cell.fg(Color::Yellow),
            (true, Outcome::Finished) if row.optimization == "auto" => cell.add_attribute(Attribute::Bold),
            _ => cell,
        }
    }

    fn paper_table(&self, report: &Report, formulation: &str) -> Option<Table> {
        let rows: Vec<&Row> =
            report.rows.iter().filter(|r| r.formulation == formulation && r.position == PAPER_POSITION).collect();
        let mut engines: Vec<&str> = Vec::new();
        for row in &rows {
            if !engines.contains(&row.engine.as_str()) {
                engines.push(&row.engine);
            }
        }
        if engines.is_empty() {
            return None;
        }
        let mut header = vec!["optimization".to_string()];
        for engine in engines.iter().copied().chain(["the paper, 2019"]) {
            header.extend([engine.to_string(), "RSF".to_string()]);
        }
        let mut table = self.table(header);
        for optimization in report.distinct(|row| &row.optimization) {
            let mut cells = vec![Cell::new(optimization)];
            for engine in &engines {
                let row = rows.iter().find(|r| r.optimization == optimization && r.engine == *engine).copied();
                cells.push(self.time(row));
                cells.push(right(row.map(format::savings).unwrap_or_default()));
            }
            let (time, savings) = paper(formulation, optimization).unwrap_or_default();
            cells.extend([right(time), right(savings.to_string())]);
            table.add_row(cells);
        }
        Some(table)
    }

    fn matrix(&self, report: &Report, position: &str) -> String {
        let optimizations = report.distinct(|row| &row.optimization);
        let mut header = vec!["formulation".to_string(), "engine".to_string(), "answer".to_string()];
        header.extend(optimizations.iter().map(|name| name.to_string()));
        let mut table = self.table(header);
        let (groups, not_run) = report.matrix(position);
        for group in groups {
            let answered = group.iter().find(|row| row.answer.is_some());
            let mut cells = vec![
                Cell::new(&group[0].formulation),
                Cell::new(&group[0].engine),
                Cell::new(answered.map_or("", |row| format::answer(row))),
            ];
            for optimization in &optimizations {
                cells.push(self.time(group.iter().find(|row| row.optimization == *optimization).copied()));
            }
            table.add_row(cells);
        }
        let not_run: String = not_run.iter().map(|sentence| format!("\nnot run: {sentence}")).collect();
        format!("{table}{not_run}")
    }

    fn throughput(&self, report: &Report) -> Table {
        let columns = ["program", "optimization", "engine", "time", "tuples", "tuples a second", "bytes a tuple"];
        let mut table = self.table(columns.map(String::from).to_vec());
        for row in report.rows.iter().filter(|row| row.tuples.is_some()) {
            table.add_row([
                Cell::new(&row.formulation),
                Cell::new(&row.optimization),
                Cell::new(&row.engine),
                self.time(Some(row)),
                right(row.tuples.map_or(String::new(), |n| n.to_string())),
                right(row.tuples_per_second.map_or(String::new(), format::count)),
                right(row.bytes_per_tuple.map_or(String::new(), |bytes| format!("{bytes:.1}"))),
            ]);
        }
        table
    }

    fn growth(&self, growth: &[Growth]) -> Table {
        let columns = ["variant", "boards", "largest n", "time there", "bytes a fact", "time ~ cells^", "breaks at n"];
        let mut table = self.table(columns.map(String::from).to_vec());
        for series in growth {
            let last = series.points.iter().rev().find(|point| point.median_ns.is_some());
            table.add_row([
                Cell::new(series.label()),
                Cell::new(&series.boards),
                right(last.map_or(String::new(), |point| point.n.to_string())),
                right(last.and_then(|p| p.median_ns).map_or(String::new(), |ns| format::time(ns as f64))),
                right(last.and_then(|p| p.bytes_per_tuple).map_or(String::new(), |bytes| format!("{bytes:.0}"))),
                right(series.slope.map_or(String::new(), |slope| format!("{slope:.2}"))),
                right(series.breaks_at.map_or("–".to_string(), |n| n.to_string())),
            ]);
        }
        table
    }

    fn game(&self, report: &Report) -> Table {
        let columns = ["variant", "game", "moves", "a move (mean)", "slowest move", "won with move"];
        let mut table = self.table(columns.map(String::from).to_vec());
        for game in &report.game {
            let slowest = game.move_ns.iter().max();
            let mean = game.ns_per_move.map(format::time);
            table.add_row([
                Cell::new(game.label()),
                Cell::new(&game.game),
                right(game.move_ns.len().to_string()),
                right(mean.or_else(|| game.reason.clone()).unwrap_or_default()),
                right(slowest.map_or(String::new(), |&ns| format::time(ns as f64))),
                right(game.won_at.map_or("–".to_string(), |n| n.to_string())),
            ]);
        }
        table
    }

    fn factors(&self, factors: &super::Factors) -> Table {
        let columns = ["stones each (i)", "f(i) = n²/i − 2", "derived facts", "time"];
        let mut table = self.table(columns.map(String::from).to_vec());
        for point in &factors.points {
            table.add_row([
                right(point.i.to_string()),
                right(format!("{:.2}", point.formula)),
                right(format!("{:.2}", point.derived)),
                right(format!("{:.2}", point.time)),
            ]);
        }
        table
    }
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
