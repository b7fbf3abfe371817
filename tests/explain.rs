//! What `ludolog explain` prints: each example has the diagnostic that it is an example of, and each repaired one has not.
#![cfg(unix)]

use crate::binary::{self, ludolog};
use ludolog::diagnostic::Code;
use std::path::Path;

/// A fenced block: its words behind the marks, as `dl sound`, and its text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let fenced = text.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a block has lines")).collect()
}

/// The codes that `check` tells, for tools.
fn checked(directory: &Path, file: &str) -> Vec<String> {
    let output = ludolog(directory, &["check", "--format", "json", file]).output().expect("the command runs");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let code = |diagnostic: &serde_json::Value| diagnostic["code"].as_str().expect("a code").to_owned();
    found.as_array().expect("a list").iter().map(code).collect()
}

/// The codes that the commands of a script tell, for people.
fn told(directory: &Path, script: &str) -> Vec<String> {
    let binary = binary::path();
    let path = format!("{}:/usr/bin:/bin", binary.parent().expect("a directory").display());
    let mut shell = std::process::Command::new("sh");
    let output = shell.current_dir(directory).env("PATH", path).args(["-c", script]).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let codes = text.lines().filter_map(|line| {
        line.strip_prefix("error[").or_else(|| line.strip_prefix("warning["))?.split_once(']').map(|(code, _)| code)
    });
    codes.map(str::to_owned).collect()
}

#[test]
fn the_examples_of_explanations_are_true() {
    for code in Code::ALL {
        let directory = tempfile::tempdir().expect("a directory");
        let mut examples = 0;
        let mut repaired = 0;
        for (words, text) in blocks(code.explanation()) {
            let (kind, is_sound) = words.strip_suffix(" sound").map_or((words, false), |kind| (kind, true));
            let file = match kind {
                "dl" => "rules.dl",
                "kif" => "rules.kif",
                "txt" => "position.txt",
                "sgf" => "game.sgf",
                "json" => "match.json",
                _ => "",
            };
            if !file.is_empty() {
                std::fs::write(directory.path().join(file), text).expect("a file");
            }
            let found = match kind {
                "dl" | "kif" => checked(directory.path(), file),
                "sh" => told(directory.path(), text),
                _ => continue,
            };
            if is_sound {
                assert!(found.is_empty(), "{code}: {found:?}\n{text}")
            } else {
                assert!(found.iter().any(|found| found == code.name()), "{code}: {found:?}\n{text}")
            }
            examples += usize::from(!is_sound);
            repaired += usize::from(is_sound);
        }
        assert!(examples > 0 && repaired > 0, "{code}: {examples} examples, {repaired} repaired ones");
    }
}

#[test]
fn codes_are_explained_by_name() {
    let here = Path::new(".");
    let list = String::from_utf8(ludolog(here, &["explain"]).assert().success().get_output().stdout.clone()).unwrap();
    assert_eq!(list.lines().count(), Code::ALL.len());
    for (line, code) in list.lines().zip(Code::ALL) {
        assert!(line.starts_with(code.name()) && line.ends_with('.') && line.chars().count() <= 100, "{line}");
        ludolog(here, &["explain", code.name()]).assert().success().stdout(code.explanation());
    }
    let unknown = "error: there is no code `E0001`; `ludolog explain` lists them all\n";
    ludolog(here, &["explain", "E0001"]).assert().code(2).stderr(unknown);
}
