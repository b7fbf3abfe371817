//! `ludolog lsp`: a language server for editors.

use super::{FILES, Failure, Outcome, limits};
use clap::Args;
use ludolog::formulation::LIBRARY;
use ludolog::lsp::{Ended, Settings, serve};
use std::io::{BufReader, stdin, stdout};
use std::sync::Arc;

#[derive(Args)]
pub struct LspArgs {
    /// Speak over standard input and output, as without: editors that know several ways name it
    #[arg(long)]
    stdio: bool,
}

/// Serves until the editor ends the conversation.
pub fn run(LspArgs { stdio: _ }: LspArgs) -> Result<Outcome, Failure> {
    // Ctrl-C is for the editor, which ends its server in words.
    let settings = Settings { files: Arc::new(FILES), library: LIBRARY, limits: limits::memory() };
    match serve(settings, BufReader::new(stdin()), stdout()) {
        Ok(Ended::Orderly) => Ok(Outcome::Success),
        Ok(Ended::Abruptly) => Ok(Outcome::Negative),
        Err(error) => Err(Failure::Message(format!("the editor cannot be reached: {error}"))),
    }
}
