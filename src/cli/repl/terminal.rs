//! Inputs from a line editor, with history and completion.

use super::completion::complete;
use super::input::InputReader;
use super::workspace::Workspace;
use super::{Failure, Outcome, tell};
use crate::cli::editor::{Entered, LineEditor};
use crate::cli::print;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Predicate;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use std::ops::ControlFlow;

const PROMPT: &str = "ludolog> ";

/// Carries out inputs until `quit` or Ctrl-D. Ctrl-C abandons a line, or interrupts what runs.
pub fn run(workspace: &mut Workspace) -> Result<Outcome, Failure> {
    let assistant = ReplAssistant { syntax: workspace.syntax(), predicates: Vec::new() };
    let mut editor = LineEditor::new(assistant, "history")?;
    print(&format!("Ludolog {}; `help` lists the commands, Ctrl-D ends\n", env!("CARGO_PKG_VERSION")))?;
    loop {
        editor.helper().predicates = workspace.predicates().cloned().collect();
        match editor.read(PROMPT)? {
            Entered::Text(text) if carry_out(workspace, &text).is_break() => break,
            Entered::Text(_) | Entered::Abandoned => {}
            Entered::End => break,
        }
    }
    Ok(Outcome::Success)
}

/// Carries out the inputs of a text: pasted lines may be several.
fn carry_out(workspace: &mut Workspace, text: &str) -> ControlFlow<()> {
    for input in inputs(text, workspace.syntax()) {
        match workspace.carry_out(&input) {
            Ok(flow) => flow?,
            Err(failure) => tell(&failure),
        }
    }
    ControlFlow::Continue(())
}

fn inputs(text: &str, syntax: Syntax) -> Vec<String> {
    let mut reader = InputReader::new(syntax);
    let mut inputs: Vec<String> = text.lines().filter_map(|line| reader.line(line)).collect();
    inputs.extend(reader.end());
    inputs
}

/// The help that the editor gives while a line is typed.
struct ReplAssistant {
    syntax: Syntax,
    predicates: Vec<Predicate>,
}

impl Helper for ReplAssistant {}

impl Highlighter for ReplAssistant {}

/// On a line that goes on with a statement and is blank, or says `quit`: what the statement waits for.
impl Hinter for ReplAssistant {
    type Hint = Awaited;

    fn hint(&self, text: &str, at: usize, _: &Context<'_>) -> Option<Awaited> {
        let (_, last) = text.rsplit_once('\n').filter(|_| at == text.len())?;
        let mut reader = InputReader::new(self.syntax);
        for line in text.split('\n') {
            reader.line(line);
        }
        let awaited = reader.awaited().filter(|_| last.trim().is_empty() || reader.ends_with_quit())?;
        Some(Awaited(format!("   the statement waits for {awaited}; a blank line ends it as it is")))
    }
}

/// A hint that is no text to be taken over.
struct Awaited(String);

impl Hint for Awaited {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Completer for ReplAssistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&line[..at], self.syntax, self.predicates.iter()))
    }
}

/// A statement goes on over several lines until its end; a blank line ends it as it is.
impl Validator for ReplAssistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let mut reader = InputReader::new(self.syntax);
        for line in context.input().lines() {
            reader.line(line);
        }
        let is_blank = context.input().split('\n').next_back().is_some_and(|line| line.trim().is_empty());
        let is_over = is_blank || reader.end().is_none();
        Ok(if is_over { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}
