//! Reads tables, runs the program, and prints or writes what it derives.

use compiled_rules::term::write_name;
use compiled_rules::{Inputs, run, tables};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Derives facts from tables, and prints them.

Usage: compiled_rules [OPTIONS] [[PREDICATE=]FILE]...

Arguments:
  [[PREDICATE=]FILE]...  Tables: edge.csv and edge.tsv hold the facts of edge, edge=FILE those of another name

Options:
      --output DIR  Write a CSV file for each predicate into this directory instead of printing facts
  -h, --help        Print help
";

fn main() -> ExitCode {
    match derive() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}

fn derive() -> Result<(), String> {
    let mut inputs = Inputs::default();
    let mut output = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-h" | "--help" => {
                print!("{HELP}");
                return Ok(());
            }
            "--output" => output = Some(PathBuf::from(args.next().ok_or("--output wants a directory")?)),
            option if option.starts_with('-') => return Err(format!("unknown option {option}; --help lists all")),
            table => read(table, &mut inputs)?,
        }
    }
    let outputs = run(&inputs).tables();
    if let Some(directory) = output {
        std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        for (predicate, rows) in outputs {
            let name: String = predicate.chars().map(|c| if "/\\%:".contains(c) { '_' } else { c }).collect();
            let path = directory.join(format!("{name}.csv"));
            let text = tables::write(&rows).map_err(|reason| format!("{predicate}: {reason}"))?;
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        return Ok(());
    }
    let mut text = String::new();
    for (predicate, rows) in outputs {
        for row in rows {
            _ = write_name(&mut text, predicate);
            let args: Vec<String> = row.iter().map(ToString::to_string).collect();
            _ = if args.is_empty() { writeln!(text, ".") } else { writeln!(text, "({}).", args.join(", ")) };
        }
    }
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// Reads a table into the inputs.
fn read(argument: &str, inputs: &mut Inputs) -> Result<(), String> {
    let (predicate, file) = match argument.split_once('=') {
        Some((predicate, file)) => (predicate, file),
        None => (Path::new(argument).file_stem().and_then(|stem| stem.to_str()).unwrap_or(argument), argument),
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let separator = if file.ends_with(".csv") { ',' } else { '\t' };
    let rows = tables::read(&text, separator).map_err(|reason| format!("{file}: {reason}"))?;
    for (number, row) in rows.iter().enumerate() {
        inputs.insert(predicate, row).map_err(|reason| format!("{file}: row {}: {reason}", number + 1))?;
    }
    Ok(())
}
