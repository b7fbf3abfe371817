//! Positional games: how many positions a search looks at, and for how long, with nothing, with pairings and with
//! matching sets as cut-offs.

use crate::fields;
use crate::monitor::{Interrupted, Monitor};
use crate::report::fields::*;
use crate::report::page::section;
use crate::report::{Benchmark, CaptionedPicture, Fields, Record, Report, Terminal, TextTable};
use ludolog_engine::{Budget, Stopped};
use ludolog_positional::matching::{CoverTarget, cover};
use ludolog_positional::strong::{StrongOutcome, StrongUnsolved, solve};
use ludolog_positional::{PointBoard, Position, draw};
use maud::{Markup, html};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The benchmark.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "positional",
    heading: "Who can win, and how soon is that seen?",
    lead: |_| {
        "Positions of k-in-a-row games, solved by the same search with nothing, with pairings, and with matching sets as cut-offs."
            .to_owned()
    },
    method: |report| {
        format!(
            "Each search answers who wins the strong game, on one thread, within {} s. A node is a position that the search looked at, \
             whether it was decided at sight, remembered or searched. All searches that ended agree on who wins.",
            report.results.told(LIMIT)
        )
    },
    text,
    sections,
};

fields! {
    LIMIT: "limit_seconds" Plain;
    POSITIONS: "positions" List;

    NAME: "name" Plain;
    OPEN_SETS: "open_sets" Plain; // Winning sets that the player to move may still complete.
    OUTCOME: "outcome" Plain; // Who wins: `x`, `o` or `draw`; none if no search ended.
    SEARCHES: "searches" List; // The searches, in the order of [`CUTOFFS`].

    CUTOFF: "cutoff" Plain;
    NODES: "nodes" Plain; // Positions that were looked at; none if the search did not finish.
    SECONDS: "seconds" Seconds;
}

/// The cut-offs that are compared, with their names.
const CUTOFFS: [(&str, Option<CoverTarget>); 3] =
    [("none", None), ("pairings", Some(CoverTarget::Pairing)), ("matching sets", Some(CoverTarget::Configurations))];

/// Empty boards, columns × rows × points in a line, that are measured besides the positions.
const BOARDS: [(usize, usize, usize); 14] = [
    (3, 3, 3),
    (4, 3, 3),
    (4, 4, 3),
    (4, 4, 4),
    (5, 4, 4),
    (6, 4, 4),
    (5, 5, 4),
    (6, 5, 4),
    (5, 5, 5),
    (6, 5, 5),
    (6, 6, 5),
    (7, 6, 5),
    (7, 7, 5),
    (8, 8, 5),
];

/// The empty boards that are measured besides the positions.
pub fn boards() -> Vec<Position> {
    let position = |(width, height, k)| {
        let mut position = Position::new(PointBoard::Mnk { width, height, k }.hypergraph().ok()?);
        position.name = Some(format!("{width}x{height}, {k} in a row"));
        Some(position)
    };
    BOARDS.into_iter().filter_map(position).collect()
}

/// Solves each position with each cut-off, each search within the limit of time and the other limits. Searches that say
/// different things of a position are a failure.
pub fn run(positions: Vec<Position>, limit: Duration, limits: &Budget, monitor: &mut Monitor<'_>) -> Report {
    monitor.expect(positions.len() * CUTOFFS.len());
    let mut report = Report::new(&BENCHMARK, &[LIMIT, FAILURES, POSITIONS]);
    report.results.set(LIMIT, limit.as_secs_f64());
    let budget = || limits.clone().with_timeout(limit);
    report.measure(monitor, |report, monitor| {
        for position in positions {
            let name = position.name.clone().unwrap_or_else(|| "unnamed".to_owned());
            let mut outcomes = Vec::new();
            let mut searches = Vec::new();
            for (cutoff, effort) in CUTOFFS {
                monitor.begin(&format!("{name}, {cutoff}"))?;
                let search = Record::of(&[CUTOFF, NODES, SECONDS, REASON]).with(CUTOFF, cutoff);
                searches.push(searched(search, &position, effort, &budget(), &mut outcomes)?);
            }
            if outcomes.windows(2).any(|pair| pair[0] != pair[1]) {
                report.fail(name.clone());
            }
            let outcome = outcomes.first().map(|outcome| match outcome {
                StrongOutcome::Win(player) => player.name(),
                StrongOutcome::Draw => "draw",
            });
            let open = position.bits().map(|bits| bits.open_sets(position.to_move)).unwrap_or_default();
            let row = Record::default().with(NAME, name.as_str()).with(OPEN_SETS, open.len()).with(OUTCOME, outcome);
            report.results.push(POSITIONS, row.with(SEARCHES, searches));
            // The matching against the player to move that is found without search.
            let matching = cover(&open, CoverTarget::Configurations, &budget()).ok().flatten();
            let svg = matching.and_then(|matching| draw::to_svg(&position, position.to_move, &matching));
            report.pictures.extend(svg.map(|svg| CaptionedPicture { name, caption: String::new(), svg }));
        }
        Ok(())
    })
}

fn searched(
    search: Record,
    position: &Position,
    effort: Option<CoverTarget>,
    budget: &Budget,
    outcomes: &mut Vec<StrongOutcome>,
) -> Result<Record, Interrupted> {
    let start = Instant::now();
    Ok(match solve(position, effort, budget) {
        Ok(solved) => {
            outcomes.push(solved.outcome);
            search.with(NODES, solved.nodes).with(SECONDS, start.elapsed().as_secs_f64())
        }
        Err(StrongUnsolved::Stopped(Stopped::Interrupted)) => return Err(Interrupted),
        Err(StrongUnsolved::TooManyPoints(points)) => search.with(REASON, points.to_string()),
        Err(StrongUnsolved::Stopped(stopped)) => search.with(REASON, stopped.to_string()),
    })
}

fn text(report: &Report, terminal: Terminal) -> String {
    let mut text = format!("Who wins, by the same search with three cut-offs\n\n{}", table(report).to_text(terminal));
    let rows = report.results.records(POSITIONS);
    let searches = rows.flat_map(|row| row.records(SEARCHES).map(|search| (row.text(NAME), search)));
    for (number, (name, search)) in searches.filter(|(_, search)| search.has(REASON)).enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        _ = writeln!(text, "{gap}{name}, {}: {}", search.text(CUTOFF), search.text(REASON));
    }
    text
}

fn table(report: &Report) -> TextTable {
    let header = ["position", "open sets", "outcome"].map(str::to_owned).into_iter();
    let mut table = TextTable::new(
        header.chain(CUTOFFS.iter().flat_map(|(cutoff, _)| [format!("{cutoff}: nodes"), "time".to_owned()])),
    );
    for row in report.results.records(POSITIONS) {
        let outcome = match row.text(OUTCOME) {
            "" => "–".to_owned(),
            "draw" => "draw".to_owned(),
            winner => format!("{} wins", winner.to_uppercase()),
        };
        let cells = [row.told(NAME), row.told(OPEN_SETS), outcome].into_iter();
        table.push(
            cells.chain(
                row.records(SEARCHES).flat_map(|search| [NODES, SECONDS].map(|field| search.told_or_dash(field))),
            ),
        );
    }
    table
}

fn sections(report: &Report) -> Markup {
    let failures: Vec<&str> = report.failures().collect();
    html! {
        @if !failures.is_empty() {
            div.alarm.wrong { strong { "Searches disagree: " } (failures.join(", ")) }
        }
        (section(
            "Nodes and time",
            &html! { "How to read: a row is a position; each pair of columns is a cut-off. A dash did not finish." },
            &table(report).to_html(),
        ))
        (section(
            "Matched at sight",
            &html! {
                "Winning sets that the player to move may still complete are lines; filled points are markers. A thick line is covered by the "
                "matching set of its color, a thin one by a pair."
            },
            &html! {
                div.boards { @for picture in &report.pictures { (picture.to_html()) } }
            },
        ))
    }
}
