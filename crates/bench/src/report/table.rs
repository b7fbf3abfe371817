//! The report as text for a terminal.

use super::{Growth, Outcome, Report, Row, WORKLOADS, format};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table, TableStyle};
use ludolog_engine::Stopped;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::time::Duration;

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
    Some((ms.map_or("> 15 min".to_string(), |ms| format!("{ms} ms")), savings))
}

/// The terminal that tables are for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether wrong answers are red and the times of `auto` bold.
    pub color: bool,
    /// The columns that tables may take; `None` for as many as they need.
    pub width: Option<u16>,
}

/// The whole report as text.
pub fn to_text(report: &Report, terminal: Terminal) -> String {
    let mut text = terminal.paper_tables(report) + &terminal.throughputs(report) + &terminal.matrices(report);
    let choices = choices(report);
    if !choices.is_empty() {
        text += &format!("{choices}\n");
    }
    if !report.growth.is_empty() {
        let _ = writeln!(text, "Growth with the board\n{}", terminal.growth(&report.growth));
    }
    if !report.game.is_empty() {
        let _ = writeln!(text, "After each move: is it won?\n{}", terminal.game(report));
    }
    if let Some(factors) = &report.maker_breaker {
        let _ = writeln!(
            text,
            "Maker-Breaker factor along {}: the cost of following the empty cells over that of\n\
             following the opponent's stones, below 1 where it pays\n{}",
            factors.game,
            terminal.factors(factors)
        );
    }
    text
}

/// The founding paper's two tables, or all cells if its position was not measured, and each further finding in one line.
pub fn summary(report: &Report, terminal: Terminal) -> String {
    if report.benchmark == WORKLOADS {
        return terminal.matrices(report) + &choices(report);
    }
    let paper = terminal.paper_tables(report);
    let tables = if paper.is_empty() { terminal.throughputs(report) + &terminal.matrices(report) } else { paper };
    findings(report).iter().fold(tables, |text, finding| text + finding + "\n")
}

/// How `auto` does against the best other optimization, and a line for each cell where it is worse; empty without cells
/// to compare.
fn choices(report: &Report) -> String {
    let Some((sentence, worse)) = report.auto_against_best() else { return String::new() };
    let mut text = format!("{sentence}.\n");
    for row in worse {
        let over = row.over_best.map_or("did not finish".to_string(), |over| format!("{over:.1}×"));
        let _ = writeln!(text, "  {} · {} on {}: {over}", row.formulation, row.engine, row.position);
    }
    text
}

/// The findings besides the tables, one short line each.
fn findings(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let answered = report.rows.iter().filter(|row| row.expected.is_some() && row.answer.is_some()).count();
    let wrong = report.rows.iter().filter(|row| row.is_wrong()).count();
    if answered > 0 {
        lines.push(match wrong {
            0 => format!("Answers: all {answered} are right"),
            _ => format!("Answers: {wrong} of {answered} are WRONG"),
        });
    }
    for position in report.distinct(|row| &row.position) {
        let formulations = blind(report, position);
        if !formulations.is_empty() {
            lines.push(format!("Blind to the chain of {position}: {}", formulations.join(", ")));
        }
    }
    if let Some((sentence, _)) = report.auto_against_best() {
        lines.push(format!("Optimizer: {sentence}"));
    }
    let largest = |series: &'_ Growth| series.points.iter().rfind(|point| point.median_ns.is_some()).cloned();
    let measured = report.growth.iter().filter_map(|series| Some((series, largest(series)?)));
    if let Some((series, point)) = measured.max_by_key(|(_, point)| (point.n, Reverse(point.median_ns))) {
        let time = point.median_ns.map_or(String::new(), |ns| format::time(ns as f64));
        let mut line = format!("Growth: {} answers on {n}×{n} in {time}", series.formulation, n = point.n);
        if let Some((least, n)) =
            report.growth.iter().filter_map(|series| Some((series, series.breaks_at?))).min_by_key(|(_, n)| *n)
        {
            line += &format!("; {} ends before {n}×{n}", least.formulation);
        }
        lines.push(line);
    }
    let mean = |incremental: bool| {
        let games = report.game.iter().filter(|game| game.incremental == incremental);
        let timed = games.filter_map(|game| Some((game, game.ns_per_move?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    if let (Some((kept, ns)), Some((_, fresh))) = (mean(true), mean(false)) {
        lines.push(format!(
            "A move: {} with {}, {} from scratch ({})",
            format::time(ns),
            kept.formulation,
            format::time(fresh),
            kept.game
        ));
    }
    if let Some(factors) = &report.maker_breaker {
        let times = factors.points.iter().map(|point| point.time);
        let (least, most) = times.fold((f64::INFINITY, 0f64), |(low, high), time| (low.min(time), high.max(time)));
        lines.push(format!(
            "Maker-Breaker: following the empty cells takes {} to {} times as long",
            format::count(least),
            format::count(most)
        ));
    }
    lines
}

/// The formulations that cannot see the winning chain of a position, without the engines and optimizations.
pub fn blind<'a>(report: &'a Report, position: &str) -> Vec<&'a str> {
    let rows = report.rows.iter().filter(|row| row.cannot_see && row.position == position);
    let mut formulations: Vec<&str> = rows.map(|row| row.formulation.as_str()).collect();
    formulations.dedup();
    formulations
}

/// The legend of the asterisks in the cells of a position; `None` if there are none.
pub fn blind_legend(report: &Report, position: &str) -> Option<String> {
    let formulations = blind(report, position);
    (!formulations.is_empty())
        .then(|| format!("* won all the same, by a chain that {} cannot see", formulations.join(", ")))
}

/// The limit of a row that hit its time limit; `None` for any other outcome.
fn over_limit(row: &Row) -> Option<String> {
    let limit = Duration::from_secs_f64(row.limit_s);
    let is_timeout = row.reason.as_ref() == Some(&Stopped::Timeout(limit).to_string());
    (row.outcome == Outcome::DidNotFinish && is_timeout).then(|| {
        if row.limit_s >= 60.0 { format!("> {} min", row.limit_s / 60.0) } else { format!("> {} s", row.limit_s) }
    })
}

impl Terminal {
    fn table(&self, header: Vec<String>) -> Table {
        let mut table = Table::new();
        let line = LineStyle::none().fill('─');
        table.load_style(TableStyle::new().header_separator(line));
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Without it, the library would look at the terminal itself.
        table.force_no_tty();
        if self.color {
            table.enforce_styling();
        }
        if let Some(width) = self.width {
            table.set_width(width);
        }
        table.set_header(header.into_iter().map(|title| self.marked(Cell::new(title), Attribute::Bold)));
        table.column_iter_mut().for_each(|column| _ = column.set_padding((0, 1)));
        table
    }

    /// The founding paper's two tables; empty if its position was not measured.
    fn paper_tables(&self, report: &Report) -> String {
        let mut text = String::new();
        for (number, formulation, title) in [(1, "power-set", "Power-set"), (2, "cluster", "Cluster (spanning trees)")]
        {
            if let Some(table) = self.paper_table(report, formulation) {
                let _ = writeln!(
                    text,
                    "Table {number}. {title}, position {PAPER_POSITION}: time and savings (RSF)\n{}",
                    lines(&table)
                );
            }
        }
        text
    }

    /// The throughput of generic programs; empty if none were measured.
    fn throughputs(&self, report: &Report) -> String {
        if report.rows.iter().any(|row| row.tuples.is_some()) {
            format!("Throughput\n{}\n", lines(&self.throughput(report)))
        } else {
            String::new()
        }
    }

    /// All cells of all positions.
    fn matrices(&self, report: &Report) -> String {
        let mut text = String::new();
        for position in report.distinct(|row| &row.position) {
            let _ = writeln!(text, "{position}\n{}", self.matrix(report, position));
        }
        text
    }

    fn marked(&self, cell: Cell, attribute: Attribute) -> Cell {
        if self.color { cell.add_attribute(attribute) } else { cell }
    }

    fn time(&self, row: Option<&Row>) -> Cell {
        let Some(row) = row else { return Cell::new("") };
        let time = over_limit(row).unwrap_or_else(|| format::row_time(row));
        let cell = Cell::new(if row.is_wrong() { format!("{time} WRONG: {}", format::answer(row)) } else { time });
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
        let mut header = vec![String::new()];
        for engine in engines.iter().copied().chain(["in 2019"]) {
            header.extend([engine.to_string(), "RSF".to_string()]);
        }
        let mut table = self.table(header);
        for optimization in report.distinct(|row| &row.optimization) {
            let mut cells = vec![Cell::new(optimization)];
            for engine in &engines {
                let row = rows.iter().find(|r| r.optimization == optimization && r.engine == *engine).copied();
                cells.push(self.time(row));
                // Without the space, three engines fit into 80 columns.
                cells.push(right(row.map(format::savings).unwrap_or_default().replace(' ', "")));
            }
            let (time, savings) = paper(formulation, optimization).unwrap_or_default();
            cells.extend([right(time), right(savings.to_string())]);
            table.add_row(cells);
        }
        Some(table)
    }

    fn matrix(&self, report: &Report, position: &str) -> String {
        let optimizations = report.distinct(|row| &row.optimization);
        let (groups, not_run) = report.matrix(position);
        let is_asked = groups.iter().flatten().any(|row| row.expected.is_some());
        let columns = if is_asked { ["formulation", "engine", "won"] } else { ["program", "engine", "tuples"] };
        let mut header = columns.map(str::to_string).to_vec();
        header.extend(optimizations.iter().map(|name| name.to_string()));
        let mut table = self.table(header);
        for group in groups {
            let result = if is_asked {
                Cell::new(group.iter().find(|row| row.answer.is_some()).map_or(String::new(), |row| answer(row)))
            } else {
                right(group.iter().find_map(|row| row.tuples).map_or(String::new(), |count| count.to_string()))
            };
            let mut cells = vec![Cell::new(&group[0].formulation), Cell::new(&group[0].engine), result];
            for optimization in &optimizations {
                cells.push(self.time(group.iter().find(|row| row.optimization == *optimization).copied()));
            }
            table.add_row(cells);
        }
        let mut text = lines(&table);
        if let Some(legend) = blind_legend(report, position) {
            let _ = writeln!(text, "{legend}");
        }
        not_run.iter().fold(text, |text, sentence| text + "not run: " + sentence + "\n")
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

    fn growth(&self, growth: &[Growth]) -> String {
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
        lines(&table)
    }

    fn game(&self, report: &Report) -> String {
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
        lines(&table)
    }

    fn factors(&self, factors: &super::Factors) -> String {
        let columns = ["stones each (i)", "the paper: n²/i − 2", "facts derived, measured", "time, measured"];
        let mut table = self.table(columns.map(String::from).to_vec());
        for point in &factors.points {
            table.add_row([
                right(point.i.to_string()),
                right(format!("{:.2}", point.formula)),
                right(format!("{:.2}", point.derived)),
                right(format!("{:.2}", point.time)),
            ]);
        }
        lines(&table)
    }
}

/// The answer of a row; an asterisk marks one that is no only since the formulation cannot see the winning chain.
fn answer(row: &Row) -> String {
    format!("{}{}", format::answer(row), if row.cannot_see { "*" } else { "" })
}

/// The table as lines, without spaces at their ends.
fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
