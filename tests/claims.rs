//! The table of `docs/claims.md`: its commands print what it says, and the tests that it names are there.

use crate::binary::run;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A row: a claim with the command that checks it and what came out.
struct Claim {
    command: String,
    outcome: String,
}

/// Pieces of text between backquotes.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The rows of all tables of the page.
fn claims() -> Vec<Claim> {
    let page = std::fs::read_to_string("docs/claims.md").expect("the page");
    let tables = page.split("| place | claim | command | came out | agrees |\n").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(1).take_while(|line| line.starts_with("| ")));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, command, outcome, _] = cells[..] else { panic!("five cells: {row}") };
        Claim { command: command.trim().to_owned(), outcome: outcome.trim().to_owned() }
    })
    .collect()
}

impl Claim {
    /// The arguments of the command, if it is all that its cell has. Apostrophes hold an argument together.
    fn arguments(&self) -> Option<Vec<String>> {
        let command = self.command.strip_prefix("`ludolog ")?.strip_suffix('`')?;
        let quoted = command.split('\'').enumerate();
        let pieces = quoted.flat_map(|(i, text)| match i % 2 {
            0 => text.split_whitespace().map(str::to_owned).collect(),
            _ => vec![text.to_owned()],
        });
        Some(pieces.collect())
    }

    /// Runs the command, and compares with any white space.
    fn check(&self, arguments: &[String]) {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, output, errors) = run(".", arguments, "");
        let printed = one_line(&(output + &errors));
        let mut expected = code(&self.outcome).peekable();
        assert!(expected.peek().is_some(), "{}: nothing is expected", self.command);
        for piece in expected {
            assert!(printed.contains(&one_line(piece)), "{}: no `{piece}` in {printed}", self.command);
        }
    }
}

#[test]
fn claims_come_out_as_the_page_says() {
    let claims = claims();
    let commands: Vec<_> = claims.iter().filter_map(|claim| Some((claim, claim.arguments()?))).collect();
    assert!(commands.len() > 80, "{} commands", commands.len());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((claim, arguments)) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
                    claim.check(arguments);
                }
            });
        }
    });
}

/// The tests, and modules of tests, that the page names.
#[test]
fn tests_of_claims_are_there() {
    let files = std::fs::read_dir("tests").expect("the tests").map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let tests: String = files.map(|path| std::fs::read_to_string(path).expect("a text")).collect();
    let claims = claims();
    let named = claims.iter().filter_map(|claim| claim.command.strip_prefix("`cargo test --test suite -- "));
    let named: Vec<&str> = named.filter_map(|name| name.strip_suffix('`')).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        let is_there = tests.contains(&format!("fn {name}(")) || tests.contains(&format!("\nmod {name};"));
        assert!(is_there, "there is no test {name}");
    }
}
