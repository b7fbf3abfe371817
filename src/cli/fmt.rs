//! `ludolog fmt`: brings rule files into the canonical layout.

use super::{FILES, Failure, Outcome, file, print};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use ludolog::syntax::{self, Syntax};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct FmtArgs {
    /// The rule files; `-` is standard input, formatted to standard output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; list the files that are not in the canonical layout, with exit status 1 if there are any
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Print the result and leave the files as they are
    #[arg(long)]
    stdout: bool,
    /// The syntax of files whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    syntax: Option<Syntax>,
}

/// Formats every file without errors; reports the others and leaves them unchanged.
pub fn run(args: FmtArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let mut outcome = Outcome::Success;
    for path in &args.files {
        let (old, new) = match format(path, args.syntax, &mut sources) {
            Ok(texts) => texts,
            Err(errors) => {
                diagnostics.extend(errors);
                continue;
            }
        };
        if args.stdout || path == Path::new("-") && !args.check {
            print(&new)?;
        } else if old != new.as_bytes() {
            if args.check {
                print(&format!("{}\n", path.display()))?;
                outcome = Outcome::Negative;
            } else {
                file::update(path, new.as_bytes())?
            }
        }
    }
    if diagnostics.is_empty() { Ok(outcome) } else { Err(Failure::Diagnostics(Box::new(sources), diagnostics)) }
}

/// The text of a file, and its text in the canonical layout.
fn format(path: &Path, syntax: Option<Syntax>, sources: &mut Sources) -> Result<(Vec<u8>, String), Diagnostics> {
    let opened = syntax::open(&FILES, path, syntax, sources)?;
    let mut diagnostics = opened.diagnostics;
    if !diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error(Code::NotText, format!("`{}` is left as it is", path.display()))
                .help("written in UTF-8, it would lose what is not"),
        );
    }
    let parsed = syntax::parse(opened.source, sources, opened.syntax);
    if diagnostics.is_empty() && parsed.may_be_printed() {
        let old = sources.get(opened.source).map_or("", |source| &source.text);
        return Ok((old.into(), syntax::print(&parsed.program, opened.syntax)));
    }
    diagnostics.extend(parsed.diagnostics);
    Err(diagnostics)
}
