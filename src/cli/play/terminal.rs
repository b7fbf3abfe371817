//! Lines from a line editor, with history and completion.

use super::Failure;
use super::input::complete;
use super::session::PlaySession;
use super::tell;
use crate::cli::editor::{Entered, LineEditor};
use crate::cli::print;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

/// Carries out lines until `quit` or Ctrl-D. Ctrl-C abandons a line, or ends the thinking of players.
pub fn run(session: &mut PlaySession) -> Result<(), Failure> {
    let mut editor = LineEditor::new(PlayAssistant::default(), "play-history")?;
    print("`help` lists the commands, Ctrl-D ends\n")?;
    loop {
        editor.helper().moves = session.moves();
        match editor.read(&session.prompt())? {
            Entered::End => return Ok(()),
            Entered::Abandoned => {}
            Entered::Text(line) => match session.carry_out(&line) {
                Ok(flow) if flow.is_break() => return Ok(()),
                Ok(_) => {}
                Err(failure) => tell(&failure)?,
            },
        }
    }
}

/// The help that the editor gives while a line is typed.
#[derive(Default)]
struct PlayAssistant {
    moves: Vec<String>,
}

impl Helper for PlayAssistant {}

impl Highlighter for PlayAssistant {}

impl Validator for PlayAssistant {}

impl Hinter for PlayAssistant {
    type Hint = String;
}

impl Completer for PlayAssistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&line[..at], &self.moves))
    }
}
