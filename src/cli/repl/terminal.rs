//! Inputs from a line editor, with history and completion.

use super::completion::complete;
use super::input::Reader;
use super::workspace::Workspace;
use super::{Failure, Outcome, tell};
use crate::cli::print;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Predicate;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};
use std::ops::ControlFlow;
use std::path::PathBuf;

const PROMPT: &str = "ludolog> ";

/// Carries out inputs until `quit` or Ctrl-D. Ctrl-C abandons a line, or interrupts what runs.
pub fn run(workspace: &mut Workspace) -> Result<Outcome, Failure> {
    let cannot = |error: ReadlineError| Failure::Message(format!("cannot read from the terminal: {error}"));
    let mut editor: Editor<Assistant, DefaultHistory> = Editor::new().map_err(cannot)?;
    let syntax = workspace.syntax();
    editor.set_helper(Some(Assistant { syntax, predicates: Vec::new() }));
    let history = history_file();
    if let Some(path) = &history {
        // There is none the first time.
        _ = editor.load_history(path);
    }
    print(&format!("Ludolog {}; `help` lists the commands, Ctrl-D ends\n", env!("CARGO_PKG_VERSION")))?;
    loop {
        if let Some(assistant) = editor.helper_mut() {
            assistant.predicates = workspace.predicates().cloned().collect();
        }
        let text = match editor.readline(PROMPT) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(cannot(error)),
        };
        // A history that cannot be kept is no reason to stop.
        _ = editor.add_history_entry(text.trim_end());
        if let Some(path) = &history {
            _ = editor.append_history(path);
        }
        if carry_out(workspace, &text).is_break() {
            break;
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
    let mut reader = Reader::new(syntax);
    let mut inputs: Vec<String> = text.lines().filter_map(|line| reader.line(line)).collect();
    inputs.extend(reader.end());
    inputs
}

/// The file of the history, in the user's folder for states of programs, which is made; `None` if there cannot be one.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let states = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    let folder = states.join("ludolog");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// The help that the editor gives while a line is typed.
struct Assistant {
    syntax: Syntax,
    predicates: Vec<Predicate>,
}

impl Helper for Assistant {}

impl Highlighter for Assistant {}

impl Hinter for Assistant {
    type Hint = String;
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&line[..at], self.syntax, self.predicates.iter()))
    }
}

/// A statement goes on over several lines until its end; a blank line ends it as it is.
impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let mut reader = Reader::new(self.syntax);
        for line in context.input().lines() {
            reader.line(line);
        }
        let is_blank = context.input().split('\n').next_back().is_some_and(|line| line.trim().is_empty());
        let is_over = is_blank || reader.end().is_none();
        Ok(if is_over { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}
