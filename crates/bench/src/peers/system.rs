//! The systems that programs are measured on: how they are found, and how they run a program.

use crate::measure::Sampling;
use crate::process::{self, Ended};
use ludolog_compile::{System, Translation};
use ludolog_engine::Stopped;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Another system.
#[derive(Debug, PartialEq, Eq)]
pub struct Peer {
    /// The system that programs are translated for.
    pub system: System,
    /// The commands that run it, the first that is there.
    commands: &'static [&'static [&'static str]],
    /// How it is installed.
    pub install: &'static str,
}

/// All of them.
pub const PEERS: [Peer; 4] = [
    Peer { system: System::Souffle, commands: &[&["souffle"]], install: "https://souffle-lang.github.io/install" },
    Peer {
        system: System::Clingo,
        commands: &[&["clingo"], &["python3", "-m", "clingo"]],
        install: "pip install clingo",
    },
    Peer { system: System::Prolog, commands: &[&["swipl"]], install: "apt-get install swi-prolog" },
    Peer {
        system: System::Crepe,
        commands: &[&["cargo"]],
        install: "https://rustup.rs, and cargo fetch for its library",
    },
];

/// Most time for building a crate.
const BUILD_LIMIT: Duration = Duration::from_secs(300);

/// A program for one system, in a folder of its own.
pub struct Written<'w> {
    /// The folder.
    pub folder: &'w Path,
    /// The folder of what cargo builds, which all crates share.
    pub target: &'w Path,
    /// The translation.
    pub translation: &'w Translation,
    /// The predicates whose facts it derives.
    pub outputs: &'w BTreeSet<Predicate>,
    /// The facts of the case.
    pub facts: &'w [Atom],
}

impl Peer {
    /// The command that runs it, and its version in a line; `None` if it is not installed.
    pub fn installed(&self) -> Option<(&'static [&'static str], String)> {
        self.commands.iter().find_map(|command| {
            let asked = Command::new(command[0]).args(&command[1..]).arg("--version").stdin(Stdio::null()).output();
            let asked = asked.ok().filter(|output| output.status.success())?;
            let text = String::from_utf8_lossy(&asked.stdout).into_owned();
            let first = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
            Some((*command, first.unwrap_or_default().to_owned()))
        })
    }

    /// The command that runs a program, after what has to be built.
    pub(super) fn command(
        &self,
        command: &[&str],
        written: &Written<'_>,
        sampling: &Sampling,
    ) -> Result<Command, Stopped> {
        write(written)?;
        if self.system == System::Crepe {
            return build(command, written, sampling);
        }
        let mut run = Command::new(command[0]);
        run.current_dir(written.folder).args(&command[1..]);
        if self.system == System::Clingo {
            run.args(["--verbose=0", "--warn=none"]);
        }
        // The program comes before the files that it reads.
        run.args(written.translation.files.first().map(|(name, _)| name));
        Ok(run)
    }

    /// The number of facts that a run has derived.
    pub(super) fn count(&self, ended: &Ended, written: &Written<'_>) -> Result<u64, Stopped> {
        // clingo says by its status what it has found.
        let is_well = ended.status.success() || self.system == System::Clingo && ended.status.code() != Some(1);
        if !is_well {
            return Err(failure(ended));
        }
        match self.system {
            System::Clingo => models(&ended.output),
            System::Souffle => written.outputs.iter().map(|predicate| rows(predicate, written)).sum(),
            System::Prolog | System::Crepe => Ok(lines(&ended.output)),
        }
    }
}

/// Why a run has no result.
pub(super) fn failure(ended: &Ended) -> Stopped {
    let line = ended.complaints.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Stopped::Unsupported(format!("its process ended with {}: {line}", ended.status))
}

/// The number of lines of a text.
pub(super) fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn failed(error: std::io::Error, path: &Path) -> Stopped {
    Stopped::Unsupported(format!("{}: {error}", path.display()))
}

/// Writes files into a folder.
pub(super) fn write_files<'f>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> Result<(), Stopped> {
    for (name, text) in files {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text)).map_err(|error| failed(error, &path))?;
    }
    Ok(())
}

fn write(written: &Written<'_>) -> Result<(), Stopped> {
    write_files(written.folder, written.translation.files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

/// Writes facts as tables into a folder: for each its argument `predicate=file`.
pub(super) fn write_tables<'f>(
    folder: &Path,
    facts: impl IntoIterator<Item = &'f Atom>,
) -> Result<Vec<String>, Stopped> {
    let mut tables: BTreeMap<Predicate, String> = BTreeMap::new();
    for fact in facts {
        let Some(row) = row(fact) else {
            return Err(Stopped::Unsupported("a compound has no place in a table".to_owned()));
        };
        tables.entry(fact.signature()).or_default().push_str(&(row + "\n"));
    }
    let files: Vec<String> = (1..=tables.len()).map(|number| format!("{number}.csv")).collect();
    write_files(folder, files.iter().map(String::as_str).zip(tables.values().map(String::as_str)))?;
    Ok(tables.keys().zip(&files).map(|(predicate, file)| format!("{}={file}", predicate.name.text())).collect())
}

/// Builds a crate: the command that runs it on the tables of the facts that it reads, which are written too.
fn build(command: &[&str], written: &Written<'_>, sampling: &Sampling) -> Result<Command, Stopped> {
    let names = &written.translation.names;
    let read = written.facts.iter().filter(|fact| names.contains_key(&fact.signature()));
    let tables = write_tables(written.folder, read)?;
    let mut cargo = Command::new(command[0]);
    cargo.current_dir(written.folder).env("CARGO_TARGET_DIR", written.target);
    let built = process::run(cargo.args(["build", "--release", "--offline", "--quiet"]), b"", BUILD_LIMIT, sampling)?;
    if !built.status.success() {
        return Err(failure(&built));
    }
    let mut run = Command::new(written.target.join("release/compiled_rules"));
    run.current_dir(written.folder).args(tables);
    Ok(run)
}

/// The arguments of a fact as a row of a table; `None` if one is a float or a compound.
pub(super) fn row(fact: &Atom) -> Option<String> {
    fact.args.iter().map(cell).collect::<Option<Vec<String>>>().map(|cells| cells.join(","))
}

/// A term as the cell of a table: what is no integer in quotes.
fn cell(term: &Term) -> Option<String> {
    match term {
        Term::Integer(integer) => Some(integer.to_string()),
        Term::Symbol(name) => Some(format!("\"{}\"", name.replace('"', "\"\""))),
        Term::Float(_) | Term::Compound(..) | Term::Variable(_) => None,
    }
}

/// The number of rows that Soufflé has written for a predicate.
fn rows(predicate: &Predicate, written: &Written<'_>) -> Result<u64, Stopped> {
    let name = written.translation.names.get(predicate).map_or("", String::as_str);
    let path = written.folder.join(format!("{name}.csv"));
    std::fs::read(&path).map(|text| lines(&text)).map_err(|error| failed(error, &path))
}

/// The number of atoms of clingo's one answer set.
fn models(output: &[u8]) -> Result<u64, Stopped> {
    let text = String::from_utf8_lossy(output);
    let Some(answer) = text.trim_end().strip_suffix("SATISFIABLE").filter(|answer| !answer.ends_with("UN")) else {
        return Err(Stopped::Unsupported("it finds no answer set: numbers may not fit its 32 bits".to_owned()));
    };
    let mut atoms = 0;
    let mut in_quotes = false;
    let mut is_escaped = false;
    let mut is_atom = false;
    for c in answer.chars() {
        let is_gap = !in_quotes && c.is_whitespace();
        atoms += u64::from(!is_gap && !is_atom);
        is_atom = !is_gap;
        in_quotes ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    Ok(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_of_an_answer_set() {
        assert_eq!(models(b"p(1,2) q(\"a b\",\"\\\" c\") r\nSATISFIABLE\n"), Ok(3));
        assert_eq!(models(b"\nSATISFIABLE\n"), Ok(0));
        assert!(models(b"UNSATISFIABLE\n").is_err());
    }

    #[test]
    fn cells_are_read_back_as_they_are() {
        let cells = [Term::Integer(-3), Term::symbol("7"), Term::symbol("a \"b\"")].map(|term| cell(&term));
        assert_eq!(cells.map(Option::unwrap), ["-3", "\"7\"", "\"a \"\"b\"\"\""]);
        assert_eq!(cell(&Term::compound("f", vec![Term::Integer(1)])), None);
    }
}
