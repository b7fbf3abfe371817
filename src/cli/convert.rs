//! `ludolog convert`: translates a rule file into the other syntax.

use super::{FILES, Failure, Outcome, file, print, show};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::shipped;
use ludolog::syntax::ast::{InputTable, Program, Statement, Use};
use ludolog::syntax::{self, Files, Syntax};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

#[derive(Args)]
pub struct ConvertArgs {
    /// The rule file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The syntax to write [default: as the extension of --output says, else the other one]
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    to: Option<Syntax>,
    /// The file to write; standard output by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The syntax to read if the file's extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

/// Converts one file. What it includes can be of either syntax, and is named from where the result is.
pub fn run(args: ConvertArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let opened = match syntax::open(&FILES, &args.file, args.syntax, &mut sources) {
        Ok(opened) => opened,
        Err(error) => return Err(Failure::Diagnostics(Box::new(sources), error.into())),
    };
    let mut parsed = syntax::parse(opened.source, &sources, opened.syntax);
    let mut diagnostics = opened.diagnostics;
    diagnostics.extend(parsed.diagnostics);
    if diagnostics.has_errors() {
        return Err(Failure::Diagnostics(Box::new(sources), diagnostics));
    }
    show(&sources, &diagnostics);
    let named = args.output.as_deref().and_then(Syntax::of);
    if let (Some(to), Some(named), Some(path)) = (args.to, named, &args.output)
        && to != named
    {
        let path = path.display();
        return Err(Failure::Message(format!(
            "{path} is a name for {named}, and --to asks for {to}; change one of them"
        )));
    }
    let from = args.file.parent().unwrap_or(Path::new(""));
    relocate(&mut parsed.program, from, args.output.as_deref());
    let text = syntax::print(&parsed.program, args.to.or(named).unwrap_or(opened.syntax.other()));
    match args.output {
        Some(path) => file::write(&path, text.as_bytes())?,
        None => print(&text)?,
    }
    Ok(Outcome::Success)
}

/// Names the files that a program from a folder names as the written file has to: shipped ones by their full names, and others
/// relative to its folder. Where nothing says what that folder is, it is the same one.
fn relocate(program: &mut Program, from: &Path, output: Option<&Path>) {
    let to = output.filter(|path| !path.exists() || path.is_file()).map(|path| folder(path.parent()));
    for item in &mut program.items {
        let (Statement::Include(path) | Statement::Use(Use { path, .. }) | Statement::Input(InputTable { path, .. })) =
            &mut item.statement
        else {
            continue;
        };
        let moved = match &to {
            _ if shipped::is_name(from) => FILES.included(from, path).ok(),
            Some(to) if Path::new(&**path).is_relative() && !shipped::is_name(Path::new(&**path)) => {
                relative(&folder(Some(from)), to, path)
            }
            _ => None,
        };
        if let Some(moved) = moved {
            *path = with_slashes(&moved).as_ref().into();
        }
    }
}

/// A folder as an argument names it, where nothing is the current one.
fn folder(named: Option<&Path>) -> Cow<'_, Path> {
    named.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new(".")).into()
}

/// The path from one folder of what a path in another one leads to; `None` if it is the same folder, or there is none.
fn relative(from: &Path, to: &Path, path: &str) -> Option<PathBuf> {
    let [from, to] = [from.canonicalize().ok()?, to.canonicalize().ok()?];
    if from == to {
        return None;
    }
    let target = FILES.included(&from, path).ok()?;
    let shared = target.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    // Drives have no folder in common.
    if shared == 0 {
        return Some(target);
    }
    let up = to.components().skip(shared).map(|_| Component::ParentDir);
    Some(up.chain(target.components().skip(shared)).collect())
}

/// A path as rule files have it on every system.
fn with_slashes(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text } else { text.replace(std::path::MAIN_SEPARATOR, "/").into() }
}
