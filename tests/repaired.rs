//! What a diagnostic advises helps: each rejected text, changed as the help of each of its diagnostics says, is accepted.
//!
//! `tests/repaired` has a text of the same name for each one in `tests/rejected` that is of rules.

use ludolog::analysis;
use ludolog::diagnostic::{Sources, render};
use ludolog::files::FileSystem;
use ludolog::syntax;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of the files of a folder.
fn names(folder: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect()
}

/// The errors of a text, as shown to people.
fn errors(file: &str) -> String {
    let mut sources = Sources::new();
    let opened = syntax::open(&FileSystem, Path::new(file), None, &mut sources)
        .unwrap_or_else(|unreadable| panic!("{file}: {}", unreadable.message));
    let parsed = syntax::parse(opened.source, &sources, opened.syntax).into_result();
    match parsed.and_then(|program| analysis::analyze(&program)) {
        Ok(_) => String::new(),
        Err(found) => render::to_text(&found, &sources, false),
    }
}

#[test]
fn what_is_advised_helps() {
    for kind in ["syntax", "analysis"] {
        let [rejected, repaired] = ["rejected", "repaired"].map(|folder| format!("tests/{folder}/{kind}"));
        assert_eq!(names(&rejected), names(&repaired), "each rejected text is repaired");
        let wrong: Vec<String> = names(&repaired).iter().map(|name| errors(&format!("{repaired}/{name}"))).collect();
        assert_eq!(wrong.concat(), "");
    }
}
