//! The time from a keystroke to its diagnostics, and the statements that it parses, with and without what was read before:
//!
//! ```console
//! $ cargo run --release -p ludolog-workspace --example keystroke -- [FILE]
//! ```
//!
//! Without a file, the text is a made program of 2,000 lines. Keys are typed on its middle line.

use ludolog_syntax::budget::{Budget, Clock, ThreadClock};
use ludolog_workspace::{Project, Texts};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Keys that are typed.
const KEYS: usize = 15;

/// Lines of the made program.
const LINES: usize = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).map(PathBuf::from);
    let text = file.as_ref().map_or_else(|| Ok(made()), std::fs::read_to_string)?;
    let path = file.unwrap_or_else(|| "made.dl".into());
    println!("{}: {} lines", path.display(), text.lines().count());
    for (name, keeps) in [("each text anew", false), ("with what was read before", true)] {
        let mut project = project();
        judge(&mut project, &path, text.clone())?;
        let mut times = Vec::new();
        let mut parsed = 0;
        for key in 1..=KEYS {
            let start = middle(&text);
            let typed = [&text[..start], &"x".repeat(key), &text[start..]].concat();
            if !keeps {
                project = self::project();
            }
            let before = project.texts().parsed();
            times.push(judge(&mut project, &path, typed)?);
            parsed = project.texts().parsed() - before;
        }
        times.sort();
        let [median, most] = [times[KEYS / 2], times[KEYS - 1]].map(|time| time.as_secs_f64() * 1e3);
        println!("{name}: median {median:.1} ms, most {most:.1} ms; {parsed} times a grammar");
    }
    Ok(())
}

fn project() -> Project {
    Project::new(Texts::new(Arc::new(HashMap::<PathBuf, String>::new())))
}

/// Changes the text, and judges it: the processor time of the thread.
fn judge(project: &mut Project, path: &Path, text: String) -> Result<Duration, ludolog_syntax::budget::Stopped> {
    let start = ThreadClock.now();
    project.set(path, text);
    project.diagnostics(path, &Budget::unlimited())?;
    Ok(ThreadClock.now().saturating_sub(start))
}

/// The beginning of the line in the middle.
fn middle(text: &str) -> usize {
    let half = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap_or_default();
    text[half..].find('\n').map_or(text.len(), |at| half + at + 1)
}

/// Rules of 400 predicates, and facts.
fn made() -> String {
    let mut text = String::new();
    for line in 0..LINES {
        let e = line % 37;
        // Writing to memory does not fail.
        _ = if line % 5 == 0 {
            writeln!(text, "e{e}(a{}, b{}).", line % 91, line % 53)
        } else {
            writeln!(text, "p{}(X, Z) :- p{}(X, Y) & e{e}(Y, Z) & X != Z.", line % 400, (line * 7 + 1) % 400)
        };
    }
    text
}
