//! The report as one page that needs nothing else: style, plots and boards stand in it.

use super::{FactorPoint, Growth, Outcome, Report, Row, format, plot, table};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The whole page.
pub fn to_html(report: &Report) -> String {
    let title = format!("Ludolog benchmark: {}", report.benchmark);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) (PreEscaped(dark_plots())) }
            }
            body {
                (heading(report))
                main {
                    (alarms(report))
                    (headlines(report))
                    (paper_tables(report))
                    (positions(report))
                    (growth(report))
                    (game(report))
                    (factors(report))
                    (boards(report))
                }
                (footer(report))
            }
        }
    };
    page.into_string()
}

fn dark_plots() -> String {
    format!("@media (prefers-color-scheme: dark) {{{}}}", plot::dark_style())
}

fn heading(report: &Report) -> Markup {
    let environment = &report.environment;
    html! {
        header {
            p.over { "Ludolog " (environment.ludolog) " · benchmark" }
            h1 { @if report.benchmark == "hex" { "Who has won, and what does it cost to ask?" } @else { "Datalog, by the tuple" } }
            p.lead {
                @if report.benchmark == "hex" {
                    "The same question about a Hex position in several wordings, each as written and as optimized, on every engine that can take it."
                } @else {
                    "Generic recursive programs: how many tuples a second, and how many bytes a tuple, with and without the passes."
                }
            }
            pre { code { (environment.command) } }
        }
    }
}

fn alarms(report: &Report) -> Markup {
    html! {
        @if report.interrupted {
            p.alarm { "This run was interrupted. It shows what was measured until then." }
        }
        @if report.environment.profile != "release" {
            p.alarm { "Measured with a " (report.environment.profile) " build: the times mean little." }
        }
        @if !report.failures.is_empty() {
            div.alarm.wrong {
                strong { "Wrong answers: this run has failed." }
                ul { @for failure in &report.failures { li { (failure) } } }
            }
        }
    }
}

/// The three or four numbers that one would tell a friend.
fn headlines(report: &Report) -> Markup {
    let find = |formulation: &str, optimization: &str, engine: &str| {
        report.rows.iter().find(|row| {
            (row.formulation.as_str(), row.optimization.as_str(), row.engine.as_str())
                == (formulation, optimization, engine)
                && row.position == table::PAPER_POSITION
        })
    };
    let mut cards: Vec<(String, String)> = Vec::new();
    for engine in ["resolution", "semi-naive"] {
        if let (Some(none), Some(auto)) = (find("power-set", "none", engine), find("power-set", "auto", engine)) {
            let label = format!("power-set on {}, {engine}: as written → auto", table::PAPER_POSITION);
            cards.push((format!("{} → {}", short_time(none), short_time(auto)), label));
        }
    }
    let fastest = report.game.iter().filter(|game| game.incremental).filter_map(|game| Some((game.ns_per_move?, game)));
    if let Some((ns, game)) = fastest.min_by(|a, b| a.0.total_cmp(&b.0)) {
        cards.push((format::time(ns), format!("a move of {}: is it won? ({})", game.game, game.label())));
    }
    let largest = report.growth.iter().filter_map(|series| Some((series.slope?, series.points.last()?.n, series)));
    if let Some((slope, n, series)) = largest.max_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0))) {
        cards.push((format!("time ∝ cells^{slope:.2}"), format!("growth up to {n}×{n} ({})", series.label())));
    }
    html! {
        @if !cards.is_empty() {
            section.cards { @for (value, label) in &cards { div.card { strong { (value) } span { (label) } } } }
        }
    }
}

/// The time of a row in few characters.
fn short_time(row: &Row) -> String {
    if row.outcome == Outcome::DidNotFinish { "did not finish".to_string() } else { format::row_time(row) }
}

fn paper_tables(report: &Report) -> Markup {
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
                                (time.replace("did not finish in 15 min", "> 15 min")) " " small { (savings) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// A time in a table; `scale` (the fastest and the slowest) shades it.
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

/// All that is known of a row, for a title.
fn details(row: &Row) -> String {
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

fn positions(report: &Report) -> Markup {
    let mut positions = report.distinct(|row| &row.position);
    positions.sort_by_key(|name| *name != table::PAPER_POSITION);
    html! {
        @if !positions.is_empty() {
            section {
                h2 { @if report.benchmark == "hex" { "Every wording, every engine" } @else { "Every program, every engine" } }
                p.how {
                    "How to read: each row is one wording on one engine, each dot one optimization of it, further left is faster; every "
                    "grid line is ten times the one before. A ring did not finish: it stands at the limit. Rest the pointer on a dot or a "
                    "time for its spread, samples and counted work. In the tables, the darker the slower."
                }
                @if let Some((sentence, worse)) = report.auto_against_best() {
                    p {
                        strong { (sentence) } @if worse.is_empty() { "." } @else { "; it is not for " }
                        @for (i, row) in worse.iter().enumerate() {
                            @if i > 0 { ", " }
                            (row.formulation) " · " (row.engine) " on " (row.position)
                            @if let Some(over) = row.over_best { " (" (format!("{over:.1}×")) ")" } @else { " (did not finish)" }
                        }
                        @if !worse.is_empty() { "." }
                    }
                }
                (optimization_key(report))
                @for (i, position) in positions.iter().enumerate() {
                    details open[i == 0] {
                        summary { strong { (position) } " " span { (caption(report, position)) } }
                        (position_plot(report, position))
                        (matrix(report, position))
                    }
                }
            }
        }
    }
}

fn caption<'a>(report: &'a Report, position: &str) -> &'a str {
    report.boards.iter().find(|board| board.position == position).map_or("", |board| &board.caption)
}

fn optimization_key(report: &Report) -> Markup {
    key(report.distinct(|row| &row.optimization).into_iter().enumerate().map(|(i, name)| (i, name.to_string())))
}

fn key(entries: impl Iterator<Item = (usize, String)>) -> Markup {
    html! {
        p.key {
            @for (color, name) in entries {
                span { svg width="12" height="12" { circle cx="6" cy="6" r="5" fill=(plot::color(color)) {} } (name) }
            }
        }
    }
}

fn position_plot(report: &Report, position: &str) -> Markup {
    let shown = |row: &&Row| row.position == position && row.outcome != Outcome::Unsupported;
    let rows: Vec<&Row> = report.rows.iter().filter(shown).collect();
    if rows.is_empty() {
        return html! {};
    }
    let variant = |row: &Row| format!("{} · {}", row.formulation, row.engine);
    let mut variants: Vec<String> = rows.iter().map(|row| variant(row)).collect();
    variants.dedup();
    let cost = |row: &Row| row.median_ns.map_or(row.limit_s * 1e9, |ns| ns.max(1) as f64);
    let y = plot::Axis::names(&variants);
    let x = plot::Axis::logarithmic("time of the query", rows.iter().map(|row| cost(row)), format::time);
    let series: Vec<plot::Series> = report
        .distinct(|row| &row.optimization)
        .into_iter()
        .enumerate()
        .map(|(color, optimization)| plot::Series {
            name: optimization.to_string(),
            color,
            joined: false,
            points: rows
                .iter()
                .filter(|row| row.optimization == optimization)
                .map(|row| plot::Point {
                    x: cost(row),
                    y: y.place(variants.iter().position(|name| *name == variant(row)).unwrap_or(0))
                        - 0.12 * (color as f64 - 2.0),
                    title: details(row),
                    open: row.outcome == Outcome::DidNotFinish,
                })
                .collect(),
        })
        .collect();
    let height = 70 + 24 * variants.len() as u32;
    html! { div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, height), 230))) } }
}

fn matrix(report: &Report, position: &str) -> Markup {
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
                        td.name { (group.iter().find(|row| row.answer.is_some()).map_or("", |row| format::answer(row))) }
                        @for name in &optimizations {
                            (time_cell(group.iter().find(|row| row.optimization == *name).copied(), false, Some(scale)))
                        }
                    }
                }
            }
        } }
        @if !not_run.is_empty() {
            ul.how { @for sentence in &not_run { li { "not run: " (sentence) } } }
        }
    }
}

fn growth(report: &Report) -> Markup {
    let (growth, seconds) = (&report.growth, |ns: u64| ns.max(1) as f64);
    let points = || growth.iter().flat_map(|series| &series.points).filter(|point| point.median_ns.is_some());
    let x = plot::Axis::logarithmic("cells of the board", points().map(|point| point.cells as f64), format::count);
    let y = plot::Axis::logarithmic("time", points().filter_map(|point| point.median_ns).map(seconds), format::time);
    let series: Vec<plot::Series> = growth
        .iter()
        .enumerate()
        .map(|(color, series)| plot::Series {
            name: growth_name(series),
            color,
            joined: true,
            points: series
                .points
                .iter()
                .filter_map(|point| {
                    let ns = point.median_ns?;
                    let derived = point.derived.map_or(String::new(), |n| format!("\n{n} facts derived"));
                    let memory = point.bytes_per_tuple.map_or(String::new(), |n| format!("\n{n:.0} bytes a fact"));
                    let title = format!(
                        "{}\n{n}×{n}: {}{derived}{memory}",
                        series.label(),
                        format::time(ns as f64),
                        n = point.n
                    );
                    Some(plot::Point { x: point.cells as f64, y: seconds(ns), title, open: false })
                })
                .collect(),
        })
        .collect();
    html! {
        @if !growth.is_empty() {
            section {
                h2 { "Growth with the board" }
                p.how {
                    "How to read: both scales are logarithmic, so that a straight line is a power of the number of cells and its slope the "
                    "exponent: 1 is proportion. The wordings that list paths or sets end early: the n at which they no longer finish stands beside them."
                }
                (key(series.iter().map(|series| (series.color, series.name.clone()))))
                div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 460), 80))) }
            }
        }
    }
}

fn growth_name(series: &Growth) -> String {
    let slope = series.slope.map_or(String::new(), |slope| format!(" · slope {slope:.2}"));
    let end = series.breaks_at.map_or(String::new(), |n| format!(" · breaks at n = {n}"));
    format!("{} ({}){slope}{end}", series.label(), series.boards)
}

fn game(report: &Report) -> Markup {
    let moves = || report.game.iter().flat_map(|game| &game.move_ns);
    let x = plot::Axis::linear("move", report.game.iter().map(|game| game.move_ns.len() as f64));
    let y = plot::Axis::logarithmic("time of the move", moves().map(|&ns| ns.max(1) as f64), format::time);
    let series: Vec<plot::Series> = report
        .game
        .iter()
        .enumerate()
        .map(|(color, game)| {
            let mean = game.ns_per_move.map_or(String::new(), |ns| format!(" · {} a move", format::time(ns)));
            let title = |(i, &ns): (usize, &u64)| plot::Point {
                x: i as f64 + 1.0,
                y: ns.max(1) as f64,
                title: format!("{}\nmove {}: {}", game.label(), i + 1, format::time(ns as f64)),
                open: false,
            };
            let points = game.move_ns.iter().enumerate().map(title).collect();
            plot::Series { name: format!("{}{mean}", game.label()), color, joined: true, points }
        })
        .collect();
    html! {
        @if !report.game.is_empty() {
            section {
                h2 { "A whole game: after each move, is it won?" }
                p.how {
                    "How to read: the cost of one move, from the placed stone to the answer. From scratch, all stones so far are told to a new engine; "
                    "incrementally, one engine lives through the game and hears only of the new stone."
                    @if let Some(n) = report.game.iter().find_map(|game| game.won_at) { " The game is won with move " (n) "." }
                }
                (key(series.iter().map(|series| (series.color, series.name.clone()))))
                div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 380), 80))) }
            }
        }
    }
}

fn factors(report: &Report) -> Markup {
    let Some(factors) = &report.maker_breaker else { return html! {} };
    let points = &factors.points;
    let curve = |color: usize, name: &str, value: &dyn Fn(&FactorPoint) -> f64| plot::Series {
        name: name.to_string(),
        color,
        joined: true,
        points: points
            .iter()
            .map(|p| (p.i, value(p)))
            .filter(|(_, factor)| *factor > 0.0)
            .map(|(i, factor)| plot::Point {
                x: f64::from(i),
                y: factor,
                title: format!("{name}\ni = {i}: {factor:.2}"),
                open: false,
            })
            .collect(),
    };
    let series = [
        curve(6, "f(i) = n²/i − 2", &|point| point.formula),
        curve(4, "facts derived, measured", &|point| point.derived),
        curve(3, "time, measured", &|point| point.time),
    ];
    let x = plot::Axis::linear("stones of each player (i)", points.iter().map(|point| f64::from(point.i)));
    let marks = series.iter().flat_map(|series| &series.points);
    let y = plot::Axis::logarithmic("factor", marks.map(|mark| mark.y), format::count);
    html! {
        section {
            h2 { "Maker and Breaker: when to follow the empty cells instead" }
            p.how {
                "How to read: a player has lost when the empty cells and its own stones no longer join its edges. The paper puts the cost of asking that, over the cost of "
                "following the opponent's stones, at f(i) = n²/i − 2, the empty cells over the opponent's stones; below 1 it is cheaper. "
                "Measured along " (factors.game) " (" (factors.cells) " cells)."
            }
            (key(series.iter().map(|series| (series.color, series.name.clone()))))
            div.scroll { (PreEscaped(plot::draw(&x, &y, &series, (1080, 340), 80))) }
        }
    }
}

fn boards(report: &Report) -> Markup {
    let drawn = || report.boards.iter().filter(|board| !board.svg.is_empty());
    html! {
        @if drawn().next().is_some() {
            section {
                h2 { "The boards" }
                p.how { "How to read: Red joins top and bottom, Blue left and right." }
                div.boards {
                    @for board in drawn() {
                        figure { (PreEscaped(&board.svg)) figcaption { strong { (board.position) } " " (board.caption) } }
                    }
                }
            }
        }
    }
}

fn footer(report: &Report) -> Markup {
    let environment = &report.environment;
    let facts = [
        ("Command", Some(environment.command.clone())),
        ("Ludolog", Some(format!("{} ({})", environment.ludolog, environment.profile))),
        ("Compiler", environment.rustc.clone()),
        ("System", Some(environment.os.clone())),
        ("Processor", environment.cpu.clone()),
        ("Cores", Some(environment.cores.to_string())),
        ("Date", Some(environment.date.clone())),
    ];
    html! {
        footer {
            h2 { "How this was measured" }
            p.how {
                "Times are medians of the samples that fit a small budget after a warm-up; what is timed is the query, from loaded facts to the "
                "answer; the optimizer and the loading are timed apart. A run over its limit did not finish and has no time. Before anything was "
                "measured, every variant's answer was held against the position's true winner."
            }
            dl { @for (name, value) in facts { @if let Some(value) = value { dt { (name) } dd { (value) } } } }
        }
    }
}
