//! The formats of standard output: text for people, JSON and CSV for tools. `docs/output.md` describes the JSON of all
//! commands.
//!
//! Whoever asks for JSON gets exactly one document on standard output, also when the command fails.

use super::Failure;
use super::case::explain;
use clap::{ArgMatches, ValueEnum};
use ludolog::diagnostic::{Severity, render};
use ludolog::engine::Stopped;
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, Write, stdout};

/// The formats of most commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For tools
    Json,
}

/// The formats of commands that print tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people
    #[default]
    Text,
    /// For tools
    Json,
    /// For spreadsheets
    Csv,
}

/// The formats of commands that print facts or answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// For people: answers as a table, facts as statements in the syntax of the rule files
    #[default]
    Text,
    /// Statements as in .dl
    Dl,
    /// Statements as in .kif
    Kif,
    /// Rows with commas
    Csv,
    /// Rows with tabs, as csv
    Tsv,
    /// One JSON object a line
    Jsonl,
    /// One JSON array
    Json,
}

/// The option of every command that can print JSON.
const OPTION: &str = "format";

/// The value that asks for JSON.
const JSON: &str = "json";

/// Whether the arguments of a command, or of a command within it, ask for JSON.
pub fn is_json(matches: &ArgMatches) -> bool {
    let mut asked = matches.try_get_raw(OPTION).ok().flatten().into_iter().flatten();
    asked.any(|value| value == JSON) || matches.subcommand().is_some_and(|(_, matches)| is_json(matches))
}

/// Whether a command line that cannot be parsed asks for JSON.
pub fn is_json_in(words: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.collect();
    let [option, together] = [format!("--{OPTION}"), format!("--{OPTION}={JSON}")];
    words.windows(2).any(|pair| pair[0] == *option && pair[1] == *JSON) || words.iter().any(|word| *word == *together)
}

/// Bytes of output written at once.
const PIECE: usize = 1 << 16;

/// The reason why something is not written to its end.
pub enum Unwritten {
    /// The place does not take it.
    Io(io::Error),
    /// The budget ended.
    Stopped(Stopped),
    /// The notation cannot say it; the reason.
    Unspeakable(String),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Unwritten::Io(error)
    }
}

impl From<Stopped> for Unwritten {
    fn from(stopped: Stopped) -> Self {
        Unwritten::Stopped(stopped)
    }
}

impl Unwritten {
    /// The failure of the command, where `of_place` says what is wrong with the place.
    pub fn failure(self, of_place: impl FnOnce(&io::Error) -> Failure) -> Failure {
        match self {
            Unwritten::Io(error) => of_place(&error),
            Unwritten::Stopped(stopped) => explain(&stopped),
            Unwritten::Unspeakable(reason) => Failure::Message(reason),
        }
    }
}

/// Prints what `write` writes, piece by piece: it is never in memory as a whole. A reader that closes the pipe early is no failure.
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> Result<(), Unwritten>) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(PIECE, stdout().lock());
    match write(&mut out).and_then(|()| Ok(out.flush()?)) {
        Err(Unwritten::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
            // What is still buffered has no reader.
            _ = out.into_parts();
            Ok(())
        }
        written => written.map_err(|reason| reason.failure(|error| Failure::Message(format!("cannot print: {error}")))),
    }
}

/// Prints a JSON document.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    print_with(|out| {
        serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    })
}

/// The document of a command that failed.
pub fn failure(failure: &Failure) -> Value {
    let (message, diagnostics) = match failure {
        Failure::Diagnostics(sources, diagnostics) => {
            let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let message = first.map(|diagnostic| diagnostic.message.clone());
            (message.unwrap_or_default(), render::to_json(diagnostics, sources))
        }
        Failure::Message(message) => (message.clone(), json!([])),
        Failure::Interrupted => ("interrupted".to_owned(), json!([])),
    };
    error(&message, diagnostics)
}

/// The document of arguments that are refused.
pub fn refusal(error: &clap::Error) -> Value {
    let text = error.render().to_string();
    self::error(text.trim_start_matches("error: ").trim_end(), json!([]))
}

fn error(message: &str, diagnostics: Value) -> Value {
    json!({ "error": { "message": message, "diagnostics": diagnostics } })
}
