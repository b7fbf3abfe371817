//! Completions and manual pages cover all commands that `--help` lists.

use assert_cmd::Command;
use std::collections::BTreeSet;

fn ludolog(args: &[&str]) -> String {
    let mut command = Command::cargo_bin("ludolog").expect("the binary is built");
    String::from_utf8(command.args(args).assert().success().get_output().stdout.clone()).expect("text")
}

/// Each command with those within it, as `["hex", "solve"]`.
fn commands(within: &[String]) -> Vec<Vec<String>> {
    let args: Vec<&str> = within.iter().map(String::as_str).chain(["-h"]).collect();
    let help = ludolog(&args);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Lines that continue a description are indented further.
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    let mut found = Vec::new();
    for name in names.filter(|name| *name != "help") {
        let command = [within, &[name.to_owned()]].concat();
        found.extend(commands(&command));
        found.push(command);
    }
    found
}

#[test]
fn completions_know_every_command() {
    let commands = commands(&[]);
    assert!(commands.len() > 25 && commands.contains(&vec!["hex".to_owned(), "solve".to_owned()]), "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = ludolog(&["completions", shell]);
        let words: BTreeSet<&str> = script.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
        for name in commands.iter().flatten() {
            assert!(words.contains(name.as_str()), "{shell} does not know {name}");
        }
        assert!(words.contains("--max-facts") || words.contains("max-facts"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let pages = directory.path().join("share/man1");
    ludolog(&["man", pages.to_str().expect("a path")]);
    let entries = std::fs::read_dir(&pages).expect("the directory");
    let written: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    let mut expected: BTreeSet<String> =
        commands(&[]).iter().map(|command| format!("ludolog-{}.1", command.join("-"))).collect();
    expected.insert("ludolog.1".to_owned());
    assert_eq!(written, expected);
    let page = std::fs::read_to_string(pages.join("ludolog-facts.1")).expect("a page");
    assert!(page.contains(".TH ludolog-facts 1") && page.contains("max\\-facts"), "{page}");
}
