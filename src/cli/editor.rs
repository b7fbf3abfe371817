//! Lines from the terminal's line editor, with history and completion.

use super::Failure;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{CompletionType, Config, Editor, Helper};
use std::path::PathBuf;

/// What the user entered.
pub enum Entered {
    /// A line, or several if the helper says that a text goes on.
    Text(String),
    /// Ctrl-C: what was typed is abandoned.
    Abandoned,
    /// Ctrl-D.
    End,
}

/// An editor that keeps a history of its own in the user's state folder, `$XDG_STATE_HOME/ludolog`.
pub struct LineEditor<H: Helper> {
    editor: Editor<H, DefaultHistory>,
    history: Option<PathBuf>,
}

impl<H: Helper> LineEditor<H> {
    /// An editor with this help and a history of this name.
    pub fn new(helper: H, history: &str) -> Result<Self, Failure> {
        // As in shells: as much as all candidates have in common, then the list of them.
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor: Editor<H, DefaultHistory> = Editor::with_config(config).map_err(|error| cannot(&error))?;
        editor.set_helper(Some(helper));
        let history = history_file(history);
        if let Some(path) = &history {
            // There is none the first time.
            _ = editor.load_history(path);
        }
        Ok(LineEditor { editor, history })
    }

    /// The help that the editor gives while a line is typed.
    pub fn helper(&mut self) -> &mut H {
        self.editor.helper_mut().expect("the editor was made with one")
    }

    /// Reads the next text.
    pub fn read(&mut self, prompt: &str) -> Result<Entered, Failure> {
        let text = match self.editor.readline(prompt) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => return Ok(Entered::Abandoned),
            Err(ReadlineError::Eof) => return Ok(Entered::End),
            Err(error) => return Err(cannot(&error)),
        };
        // A history that cannot be kept is no reason to stop.
        _ = self.editor.add_history_entry(text.trim_end());
        if let Some(path) = &self.history {
            _ = self.editor.append_history(path);
        }
        Ok(Entered::Text(text))
    }
}

fn cannot(error: &ReadlineError) -> Failure {
    Failure::Message(format!("cannot read from the terminal: {error}"))
}

/// The file of a history, in the user's folder for states of programs, which is made; `None` if there cannot be one.
fn history_file(name: &str) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let states = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    let folder = states.join("ludolog");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join(name))
}
