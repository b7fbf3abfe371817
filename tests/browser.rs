//! Pages as a browser shows them, where Chromium is installed: on wide and narrow windows, in light and dark, nothing is
//! wider than the window, no text is too pale or too small, no script fails, and replays play.

use crate::binary::ludolog;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The names that Chromium has.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The widths of windows, in pixels.
const WIDTHS: [u32; 2] = [1400, 390];

/// Looks at the page that it is in, and tells the window around it what is wrong.
const CHECK: &str = include_str!("browser/check.js");

/// Gathers what the pages in its frames tell.
const GATHER: &str = include_str!("browser/gather.js");

fn browser() -> Option<&'static str> {
    let answers =
        |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = BROWSERS.iter().find(answers);
    if found.is_none() {
        eprintln!("skipped: no Chromium here, under any of the names {}", BROWSERS.join(", "));
    }
    found.copied()
}

/// Commands that each write a page of another kind, `page.html` or the path in the second place.
const PAGES: [(&str, &str, &[&str]); 8] = [
    (
        "match",
        "page.html",
        &[
            "match",
            "connect-four",
            "mcts",
            "random",
            "--play-clock",
            "100ms",
            "--start-clock",
            "1s",
            "--html",
            "page.html",
        ],
    ),
    ("tournament", "out/report.html", &["tournament", "nim", "--player", "legal", "random", "--output", "out"]),
    ("proof", "page.html", &["verify", "proof.cert", "--html", "page.html"]),
    (
        "hex",
        "out/report.html",
        &["bench", "hex", "--position", "won.txt", "--samples", "1", "--engine", "semi-naive", "--output", "out"],
    ),
    ("datalog", "out/report.html", &["bench", "datalog", "work", "--samples", "1", "--output", "out"]),
    ("positional", "page.html", &["bench", "positional", "std:positional/triangle.txt", "--html", "page.html"]),
    (
        "formulations",
        "page.html",
        &["bench", "formulations", "--size", "2", "--time", "5ms", "--matches", "0", "--html", "page.html"],
    ),
    ("profile", "page.html", &["profile", "work/closure.dl", "--html", "page.html"]),
];

/// Writes all pages into a folder, with the check in each.
fn write_pages(folder: &Path) {
    fs::write(folder.join("won.txt"), "known: red wins\n. . R\n B R .\n  R B .\n").expect("a file");
    fs::create_dir(folder.join("work")).expect("a folder");
    let closure = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y) & edge(Y, Z).\nedge(1, 2).\nedge(2, 3).\n\
                   ?- path(1, Y).\n";
    fs::write(folder.join("work/closure.dl"), closure).expect("a file");
    let solve = ["hex", "solve", "3x3", "--proof", "proof.cert"];
    assert!(ludolog(folder, &solve).output().expect("it runs").status.success());
    for (name, path, args) in PAGES {
        let output = ludolog(folder, args).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        let page = fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{name}: {error}\n{told}"));
        let page = page.replacen("<head>", &format!("<head><script>{CHECK}</script>"), 1);
        fs::write(folder.join(format!("{name}.html")), page).expect("a file");
        fs::remove_file(folder.join(path)).expect("it was there");
        _ = fs::remove_dir_all(folder.join("out"));
    }
}

/// A page with all pages at all widths.
fn wrapper(folder: &Path) -> PathBuf {
    let frames = PAGES.iter().flat_map(|(name, ..)| WIDTHS.map(|width| (name, width)));
    let frames: String = frames
        .map(|(name, width)| {
            format!("<iframe src='{name}.html' name='{name} {width}' width={width} height=900></iframe>")
        })
        .collect();
    let path = folder.join("wrapper.html");
    fs::write(&path, format!("<!DOCTYPE html><script>{GATHER}</script>{frames}")).expect("a file");
    path
}

#[test]
fn pages_are_as_a_browser_should_show_them() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    write_pages(folder.path());
    let wrapper = wrapper(folder.path());
    for scheme in ["light", "dark"] {
        let blink = format!("--blink-settings=preferredColorScheme={}", u8::from(scheme == "light"));
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            "--virtual-time-budget=20000",
            "--window-size=1600,16000",
            &blink,
        ];
        let output = Command::new(browser).args(args).arg(format!("file://{}", wrapper.display())).output();
        let page = String::from_utf8(output.expect("it runs").stdout).expect("a text");
        let told = page.split("<pre id=\"told\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let told = told.unwrap_or_else(|| panic!("{scheme}: nothing is told: {page}"));
        let told: Value = serde_json::from_str(&told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
            .unwrap_or_else(|error| panic!("{error}: {told}"));
        let told = told.as_object().expect("an object");
        assert_eq!(told.len(), PAGES.len() * WIDTHS.len(), "{scheme}: {told:?}");
        for (page, facts) in told {
            assert_eq!(facts["scheme"], scheme, "{page}");
            assert_eq!(facts["problems"], Value::Array(vec![]), "{scheme} {page}");
        }
        // Half a second of ten states a second, from the first, on a machine that may be busy.
        for width in WIDTHS {
            let played = told[&format!("match {width}")]["played"].as_f64().expect("a number");
            assert!((1.0..=6.0).contains(&played), "{scheme} {width}: {played}");
        }
        // A wide window shows all columns of the formulations.
        assert_eq!(told["formulations 1400"]["scrolling_tables"], 0, "{scheme}");
        assert!(told["hex 1400"]["chart_texts"].as_u64() > Some(10), "{scheme}");
    }
}
