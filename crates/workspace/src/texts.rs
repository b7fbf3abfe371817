//! The texts that are open, over the files below them.

use ludolog_syntax::budget::Budget;
use ludolog_syntax::{Database, Files, Share, StatementMemory, Unreadable};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest text that is analyzed at each change, in bytes.
pub const MAX_TEXT: usize = 16 << 20;

/// Files, some of which are open with texts that are not saved. A clone costs a pointer for each open text, so that others
/// may go on reading what was there when they began.
#[derive(Clone)]
pub struct Texts {
    files: Arc<dyn Files + Send + Sync>,
    open: HashMap<PathBuf, Arc<str>>,
    /// What was read of the statements of these texts and of earlier ones.
    memory: Arc<Mutex<StatementMemory>>,
}

impl Texts {
    /// No open texts over these files.
    pub fn new(files: Arc<dyn Files + Send + Sync>) -> Self {
        Texts { files, open: HashMap::new(), memory: Arc::default() }
    }

    /// Opens a text in place of the file at `path`, or changes it.
    pub fn set(&mut self, path: &Path, text: impl Into<Arc<str>>) {
        let path = self.key(path);
        self.open.insert(path, text.into());
    }

    /// Closes a text: the file is what is saved.
    pub fn close(&mut self, path: &Path) {
        let path = self.key(path);
        self.open.remove(&path);
    }

    /// The number of times that a grammar was run so far, for a statement of these texts or for its words.
    pub fn parsed(&self) -> u64 {
        self.memory().parsed()
    }

    /// What was read of statements before, all clones together.
    pub(crate) fn memory(&self) -> MutexGuard<'_, StatementMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open text of a path.
    pub fn get(&self, path: &Path) -> Option<&Arc<str>> {
        self.open.get(&self.key(path))
    }

    /// The paths of the open texts.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// One path for all that lead to a file.
    pub fn key(&self, path: &Path) -> PathBuf {
        // The path of an open text is its own; the file system is asked for others alone, which costs more than all else.
        let other = if self.open.contains_key(path) { None } else { self.files.identity(path) };
        other.unwrap_or_else(|| path.to_owned())
    }
}

impl Files for Texts {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        let bytes = match self.get(path) {
            Some(text) => text.as_bytes().to_vec(),
            // Whoever works on texts may speak over standard input.
            None if path == Path::new("-") => return Err(Unreadable::NotFound),
            None => self.files.read(path)?,
        };
        if bytes.len() > MAX_TEXT {
            let words = format!("it has more than {} MiB, too many to read while it changes", MAX_TEXT >> 20);
            return Err(Unreadable::Other(words));
        }
        Ok(bytes)
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        self.files.database(path, budget)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        let key = self.key(path);
        if self.open.contains_key(&key) { Some(key) } else { self.files.identity(path) }
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        self.files.included(directory, path)
    }

    fn share(&self) -> Share {
        self.files.share()
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("open", &self.open.keys()).finish_non_exhaustive()
    }
}
