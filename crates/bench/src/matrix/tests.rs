//! Made-up reports, and the figures that are made of figures.

use super::*;
use crate::environment::Environment;
use crate::report::{CaptionedPicture, Terminal};
use std::time::Duration;

/// A report with made-up numbers, one of each kind of row and series.
fn made_up() -> Report {
    let environment = Environment {
        command: "ludolog bench hex --limit 5s".to_string(),
        ludolog: "0.1.0".to_string(),
        rustc: Some("rustc 1.88.0".to_string()),
        profile: "release".to_string(),
        os: "linux 6.1 x86_64".to_string(),
        cpu: Some("Abacus 9000".to_string()),
        cores: 2,
        date: "2026-01-02T03:04:05Z".to_string(),
    };
    let mut report = Report::new(&crate::hex::BENCHMARK, &[FAILURES, ROWS]);
    report.environment = environment;
    let row = |formulation, optimization, engine, microseconds: &[u64]| {
        let row = row(formulation, optimization, engine, "p9", 5.0);
        let mut row = row.with(EXPECTED, false).with(OPTIMIZE, 1_500_000_u64);
        let run = TaskResult { answer: Some(false), derived: Some(137), probes: Some(4_096), ..TaskResult::default() };
        enter(&mut row, Spread::of(microseconds.iter().copied().map(Duration::from_micros).collect()), &run);
        row
    };
    let blind = row("power-set", "auto", "resolution", &[120, 130, 140]);
    let blind = blind.with(POSITION, "9x9 snake").with(CANNOT_SEE, true);
    let mut stopped = super::row("power-set", "none", "resolution", "p9", 5.0);
    stop(&mut stopped, Stopped::Timeout(Duration::from_secs(5)));
    let mut unsupported = super::row("cluster", "auto", "crepe", "p9", 5.0);
    stop(&mut unsupported, Stopped::Unsupported("compiled as written only".to_string()));
    let wrong = row("cluster", "none", "crepe", &[20, 30]).with(ANSWER, true);
    report.fail("cluster, none, crepe on p9 answers yes; the position says no");
    let rows = [
        stopped,
        row("power-set", "both", "resolution", &[400, 410, 900]),
        row("power-set", "auto", "resolution", &[310, 320, 330]),
        row("cluster", "none", "resolution", &[2_000, 1_000, 3_000]),
        row("cluster", "both", "resolution", &[500]),
        row("cluster", "auto", "resolution", &[250]),
        wrong,
        unsupported,
        blind,
    ];
    report.results.set(ROWS, rows);
    let mut report = with_savings(report);
    let proportional = [(10, Some(10_000)), (100, Some(1_000_000)), (500, Some(25_000_000))];
    let exploding = [(2, Some(2_000)), (3, Some(90_000)), (4, None)];
    report.results.set(GROWTH, [growth("cluster", &proportional), growth("winning-sets", &exploding)]);
    let game = |incremental: bool, ns: u64| {
        let game = Record::of(FOLLOWED).with(GAME, "game11").with(FORMULATION, "reachability");
        let game = game.with(OPTIMIZATION, "auto").with(ENGINE, "semi-naive").with(INCREMENTAL, incremental);
        game.with(WON_AT, 3_u64).with(MOVES, [ns, ns * 2, ns * 3]).with(PER_MOVE, ns as f64 * 2.0)
    };
    report.results.set(GAMES, [game(false, 9_000), game(true, 1_200)]);
    let factor = |i: u32| {
        let point = Record::default().with(STONES, i).with(FORMULA, 121.0 / f64::from(i) - 2.0);
        point.with(DERIVED_FACTOR, 3.5).with(TIME_FACTOR, 0.8)
    };
    let factors = Record::default().with(GAME, "game11").with(CELLS, 121_u64);
    report.results.set(MAKER_BREAKER, factors.with(POINTS, [10, 30, 50].map(factor)));
    let caption = "9×9, 17 stones, no win";
    report.results.push(BOARDS, Record::default().with(POSITION, "p9").with(CAPTION, caption));
    let svg = "<svg viewBox=\"0 0 9 9\"></svg>".to_string();
    report.pictures.push(CaptionedPicture { name: "p9".to_string(), caption: caption.to_string(), svg });
    report
}

/// The growth of a variant, by n.
fn growth(formulation: &str, points: &[(u32, Option<u64>)]) -> Record {
    let point = |(n, median): (u32, Option<u64>)| {
        let cells = u64::from(n * n);
        let is_finished = median.is_some();
        let point = Record::of(POINT).with(N, n).with(CELLS, cells).with(MEDIAN, median);
        let point = point.with(OUTCOME, if is_finished { FINISHED } else { DID_NOT_FINISH });
        point.with(DERIVED, cells / 2).with(BYTES, cells * 40).with(BYTES_PER_TUPLE, 80.0)
    };
    let growth = Record::of(SERIES).with(FORMULATION, formulation).with(OPTIMIZATION, "auto");
    let growth = growth.with(ENGINE, "semi-naive").with(MEASURED, "half full");
    let mut growth = growth.with(POINTS, points.iter().copied().map(point).collect::<Vec<_>>());
    set_slope(&mut growth);
    growth
}

#[test]
fn json_has_the_promised_fields() {
    insta::assert_snapshot!(made_up().to_json());
}

#[test]
fn csv_is_one_line_a_row() {
    insta::assert_snapshot!(to_csv(&made_up()));
}

#[test]
fn tables_for_a_terminal() {
    insta::assert_snapshot!(to_text(&made_up(), Terminal::default()));
}

#[test]
fn a_summary_for_a_terminal() {
    let summary = summary(&made_up(), Terminal::default());
    assert!(summary.lines().all(|line| line.chars().count() <= 80), "{summary}");
    insta::assert_snapshot!(summary);
}

#[test]
fn tables_fit_the_terminal() {
    for width in [60, 80, 100] {
        let text = to_text(&made_up(), Terminal { width: Some(width), ..Terminal::default() });
        let is_table = |line: &&str| line.contains("  ") || line.contains('─');
        for line in text.lines().filter(is_table) {
            assert!(line.chars().count() <= width.into(), "{width}: {line}\n{text}");
        }
    }
}

#[test]
fn only_wrong_answers_are_red() {
    let colored = to_text(&made_up(), Terminal { color: true, ..Terminal::default() });
    let red: Vec<&str> = colored.lines().filter(|line| line.contains("\u{1b}[38;5;9m")).collect();
    assert!(!red.is_empty() && red.iter().all(|line| line.contains("WRONG")), "{red:?}");
}

#[test]
fn the_page_stands_alone_and_tells_all() {
    let page = made_up().to_html();
    for needle in ["src=", "@import", "url(", "<script"] {
        assert!(!page.contains(needle), "the page needs {needle}");
    }
    let links = page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(links, 0, "no link leads outside");
    for told in [
        "ludolog bench hex --limit 5s",
        "Abacus 9000",
        "did not finish",
        "≥ 15.6k",
        "wrong: yes",
        "Wrong answers: this run has failed.",
        "breaks at n = 4",
        "slope 1.00",
        "won with move 3",
        "2.40 µs a move",
        "f(i) = n²/i − 2",
        "9×9, 17 stones, no win",
    ] {
        assert!(page.contains(told), "the page does not tell {told:?}");
    }
}

/// Rows with their savings.
fn with_savings_of<const N: usize>(rows: [Record; N]) -> Vec<Record> {
    let mut results = Record::default().with(ROWS, rows);
    set_savings(&mut results);
    results.records(ROWS).cloned().collect()
}

fn finished(optimization: &str, engine: &str, milliseconds: u64) -> Record {
    let mut row = row("cluster", optimization, engine, "p9", 5.0);
    enter(&mut row, Spread::of(vec![Duration::from_millis(milliseconds)]), &TaskResult::default());
    row
}

#[test]
fn savings_are_within_formulation_engine_and_position() {
    let rows = with_savings_of([
        finished("none", "resolution", 40),
        finished("both", "resolution", 8),
        finished("none", "semi-naive", 3),
    ]);
    assert_eq!(rows.iter().map(|row| row.number(RSF).unwrap()).collect::<Vec<_>>(), [1.0, 5.0, 1.0]);
    assert!(rows.iter().all(|row| !row.has(OVER_BEST)), "there is no auto");
    assert!(rows.iter().all(|row| row.flag(RSF_AT_LEAST) == Some(false)));
}

#[test]
fn auto_is_held_against_the_best_by_hand() {
    let rows = with_savings_of([
        finished("both", "resolution", 10),
        finished("auto", "resolution", 15),
        finished("none", "resolution", 90),
    ]);
    assert_eq!(rows.iter().map(|row| row.number(OVER_BEST)).collect::<Vec<_>>(), [None, Some(1.5), None]);
}

#[test]
fn a_cell_over_the_limit_makes_the_savings_a_lower_bound() {
    let stopped = row("cluster", "none", "resolution", "p9", 5.0);
    let mut unsupported = row("cluster", "grounding", "resolution", "p9", 5.0);
    stop(&mut unsupported, Stopped::Unsupported("no such text".to_string()));
    let rows = with_savings_of([stopped, finished("both", "resolution", 50), unsupported]);
    assert_eq!(rows.iter().map(|row| row.number(RSF)).collect::<Vec<_>>(), [Some(1.0), Some(100.0), None]);
    assert_eq!(rows.iter().map(|row| row.flag(RSF_AT_LEAST)).collect::<Vec<_>>(), [false, true, false].map(Some));
}

#[test]
fn only_a_known_answer_can_be_contradicted() {
    let row = finished("none", "resolution", 1).with(ANSWER, false);
    assert!(!is_wrong(&row));
    assert!(is_wrong(&row.with(EXPECTED, true)));
}

/// The growth of a variant whose cells grow by 4 from point to point.
fn quadrupled(times: &[Option<u64>]) -> Record {
    let points: Vec<_> = times.iter().enumerate().map(|(number, median)| (10 << number, *median)).collect();
    growth("cluster", &points)
}

#[test]
fn slope_of_proportional_and_quadratic_growth() {
    let proportional = quadrupled(&[Some(1_000), Some(4_000), Some(16_000)]);
    assert!((proportional.number(SLOPE).unwrap() - 1.0).abs() < 1e-9);
    let quadratic = quadrupled(&[Some(7), Some(1_000), Some(16_000), Some(256_000)]);
    assert!((quadratic.number(SLOPE).unwrap() - 2.0).abs() < 1e-9, "the first point is left out");
    assert_eq!(quadratic.count(BREAKS_AT), None);
}

#[test]
fn the_first_size_that_does_not_finish_is_told() {
    let exploding = quadrupled(&[Some(10), Some(1_000), None, None]);
    assert_eq!((exploding.number(SLOPE), exploding.count(BREAKS_AT)), (None, Some(40)));
}
