//! Completions and manual pages cover all commands that `--help` lists.

use crate::binary;
use std::collections::BTreeSet;

fn ludolog(args: &[&str]) -> String {
    String::from_utf8(binary::ludolog(".", args).assert().success().get_output().stdout.clone()).expect("text")
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

/// What a shell without a terminal offers for an unfinished line: the words of `script` after the completions are read; `None`
/// without this shell.
fn offered(shell: &str, script: &str, line: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("a directory");
    let completions = folder.path().join("completions");
    std::fs::write(&completions, ludolog(&["completions", shell])).expect("a file");
    let mut command = std::process::Command::new(shell);
    command.current_dir(folder.path()).args(["-c", script]).env("COMPLETIONS", &completions).env("LINE", line);
    let output = command.output().ok()?;
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{shell}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).expect("text").split_whitespace().map(str::to_owned).collect())
}

/// As readline calls it, with words that end at colons.
const BASH: &str = r#"
source "$COMPLETIONS"
COMP_LINE="$LINE"; COMP_POINT=${#LINE}; COMP_WORDS=(${LINE//:/ : }); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function=$(complete -p ludolog); function=${function##*-F }
${function%% *} ludolog "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
echo "${COMPREPLY[@]}"
"#;

const FISH: &str = r#"source "$COMPLETIONS"; complete -C "$LINE""#;

/// The names of games and of files that come with Ludolog; in bash the part behind the colon, which stands there already.
#[test]
fn shells_complete_the_names_of_games() {
    let connect_four = ["connect-four", "connect-four-4x4", "connect-four-5x4"];
    let y = ["y", "y-4", "y-swap", "y-swap-4"];
    for (shell, script, prefix) in [("bash", BASH, ""), ("fish", FISH, "std:")] {
        let is = |line: &str, expected: &[&str]| {
            let Some(words) = offered(shell, script, line) else { return };
            assert_eq!(words, expected, "{shell}: {line}");
        };
        is("ludolog play con", &connect_four);
        is("ludolog match --play-clock 1s con", &connect_four);
        is("ludolog game explain con", &connect_four);
        is("ludolog games show y", &y);
        let place = format!("{prefix}lib/place.kif");
        is("ludolog rules show std:lib/p", &[&place]);
        is("ludolog query std:lib/p", &[&place]);
        // What takes no game has none.
        let words = offered(shell, script, "ludolog check con").unwrap_or_default();
        assert!(!words.contains(&"connect-four".to_owned()), "{words:?}");
    }
    if let Some(words) = offered("bash", BASH, "ludolog query --position std:positions/p1") {
        assert_eq!(words, ["positions/p11.txt", "positions/p19.txt"]);
    }
}

/// An option has one word in all commands: times, folders and formats have those of the table in `docs/guide/commands.md`.
#[test]
fn options_of_one_meaning_have_one_word() {
    let words = [
        ("<T>", &["--timeout", "--time", "--start-clock", "--play-clock"][..]),
        ("<DIR>", &["--output", "--checkpoint"]),
        ("<FORMAT>", &["--format"]),
        ("<SIZE>", &["--size", "--max-memory"]),
    ];
    let mut found = BTreeSet::new();
    for command in commands(&[]) {
        let args: Vec<&str> = command.iter().map(String::as_str).chain(["-h"]).collect();
        for line in ludolog(&args).lines() {
            let words_of_line: Vec<&str> = line.split_whitespace().collect();
            for pair in words_of_line.windows(2).filter(|pair| pair[0].starts_with("--")) {
                let Some((value, allowed)) = words.iter().find(|(value, _)| *value == pair[1]) else { continue };
                assert!(allowed.contains(&pair[0]), "{command:?}: {} {value}", pair[0]);
                found.insert(pair[0].to_owned());
            }
        }
    }
    let allowed: BTreeSet<String> =
        words.iter().flat_map(|(_, allowed)| *allowed).map(|word| (*word).to_owned()).collect();
    assert_eq!(found, allowed);
}
