//! `ludolog convert`: translates a rule file into the other syntax.

use super::{FILES, Failure, Outcome, file, print, show};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::syntax::{self, Syntax};
use std::path::PathBuf;

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

/// Converts one file. Includes stay unchanged: the included files can be of either syntax.
pub fn run(args: ConvertArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let opened = match syntax::open(&FILES, &args.file, args.syntax, &mut sources) {
        Ok(opened) => opened,
        Err(error) => return Err(Failure::Diagnostics(Box::new(sources), error.into())),
    };
    let parsed = syntax::parse(opened.source, &sources, opened.syntax);
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
    let text = syntax::print(&parsed.program, args.to.or(named).unwrap_or(opened.syntax.other()));
    match args.output {
        Some(path) => file::write(&path, text.as_bytes())?,
        None => print(&text)?,
    }
    Ok(Outcome::Success)
}
