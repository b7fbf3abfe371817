//! The files that rule texts come from, as the caller hands them in.

use crate::budget::Budget;
use crate::{Database, DatabaseFormat, Share};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::hash::BuildHasher;
use std::io::{Cursor, Read};
use std::path::{Component, Path, PathBuf};

/// A set of files to read rule texts from: a file system, an archive, texts in memory.
///
/// ```
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::{Syntax, load, print};
/// use std::collections::HashMap;
/// use std::path::PathBuf;
///
/// let files = HashMap::from([
///     (PathBuf::from("main.dl"), ":- include('lib/line.kif').\nwin(P) :- line(P)."),
///     (PathBuf::from("lib/line.kif"), "(line red)"),
/// ]);
/// let loaded = load(&files, &["main.dl"], None, &mut Sources::new()).unwrap();
/// assert_eq!(print(&loaded.program, Syntax::Datalog), "line(red).\n\nwin(P) :- line(P).\n");
/// ```
pub trait Files {
    /// The bytes of the file at `path`. The path `-` is standard input, where there is one.
    ///
    /// # Errors
    ///
    /// Why there are none to read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable>;

    /// The bytes of the file at `path`, piece by piece, for those who do not need them at once. As provided, the file is read
    /// as a whole.
    ///
    /// # Errors
    ///
    /// Why there are none to read. An error while reading says in its words why the file could not be read to its end.
    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        Ok(Box::new(Cursor::new(self.read(path)?)))
    }

    /// The identity of the file at `path`: the same path for all paths that lead to one file. `None` if there is no file.
    fn identity(&self, path: &Path) -> Option<PathBuf>;

    /// The path of the file that an include in a file of `directory` names as `path`. Files that permit no includes refuse
    /// them here.
    ///
    /// As provided, it is `path` within `directory`, without `..` where that leads to the same file: `rules/lib/board.dl`
    /// reads better than `rules/hex/../lib/board.dl`.
    ///
    /// # Errors
    ///
    /// Why this file may not be included; as provided, none.
    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        let joined = directory.join(path);
        let short = without_parents(&joined);
        // Behind a symbolic link `..` leads elsewhere.
        match (self.identity(&short), self.identity(&joined)) {
            (Some(a), Some(b)) if a == b => Ok(short),
            _ => Ok(joined),
        }
    }

    /// The database at `path`, open for reading within the budget. As provided, none can be read.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    fn database(&self, path: &Path, _budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        Err(DatabaseFormat::of(path).unwrap_or(DatabaseFormat::Sqlite).unsupported())
    }

    /// The facts of tables that are kept. As provided, all.
    fn share(&self) -> Share {
        Share::WHOLE
    }
}

/// Texts in memory. `..` in a path is resolved by its words alone, for there are no links.
impl<T: AsRef<[u8]>, S: BuildHasher> Files for HashMap<PathBuf, T, S> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        let text = self.get(&without_parents(path)).ok_or(Unreadable::NotFound)?;
        Ok(text.as_ref().to_vec())
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        Some(without_parents(path)).filter(|path| self.contains_key(path))
    }
}

/// The path without `name/..`.
fn without_parents(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir if short.file_name().is_some() => _ = short.pop(),
            other => short.push(other),
        }
    }
    short
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// There is no file.
    NotFound,
    /// It is a directory.
    Directory,
    /// Whoever asks may not read it.
    Denied,
    /// It is outside of the folders that may be read, if there is such a file at all.
    Outside,
    /// Anything else, in the words of the system.
    Other(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::NotFound => write!(f, "there is no such file"),
            Unreadable::Directory => write!(f, "a directory, not a file"),
            Unreadable::Denied => write!(f, "it may not be read"),
            Unreadable::Outside => write!(f, "outside of the folders that may be read"),
            Unreadable::Other(reason) => write!(f, "{reason}"),
        }
    }
}

impl Error for Unreadable {}
