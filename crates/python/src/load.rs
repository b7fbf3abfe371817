//! Programs from files and texts.

use crate::error::{of_session, rejected, told};
use ludolog::diagnostic::Sources;
use ludolog::engine::Session;
use ludolog::files::FileSystem;
use ludolog::formulation::LIBRARY;
use ludolog::syntax::budget::Budget;
use ludolog::syntax::{self, Database, Files, Syntax, Unreadable};
use pyo3::prelude::*;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The path of a text that is in no file.
const TEXT: &str = "text";

/// A text at the path [`TEXT`], besides other files. What it includes is relative to the working directory.
struct WithText<'t, F> {
    text: &'t str,
    files: F,
}

impl<F: Files> Files for WithText<'_, F> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        if path == Path::new(TEXT) { Ok(self.text.as_bytes().to_vec()) } else { self.files.read(path) }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        if path == Path::new(TEXT) { Ok(Box::new(self.text.as_bytes())) } else { self.files.open(path) }
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        if path == Path::new(TEXT) { Some(path.to_owned()) } else { self.files.identity(path) }
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        self.files.included(directory, path)
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        self.files.database(path, budget)
    }
}

/// The files of the system, and those that come with Ludolog under `std:` names.
pub fn files() -> impl Files {
    LIBRARY.with(FileSystem)
}

/// A path that was given as `str` or `os.PathLike`, in words.
pub fn spelled(path: Option<PathBuf>) -> PyResult<Option<String>> {
    let spelled = |path: PathBuf| path.into_os_string().into_string().map_err(|_| told("the path is no text"));
    path.map(spelled).transpose()
}

/// The session of a file or a `std:` name, or of a text if that is given.
pub fn session(py: Python<'_>, path: Option<&str>, text: Option<&str>, syntax: Syntax) -> PyResult<Session> {
    match (path, text) {
        (None, Some(text)) => read(py, &WithText { text, files: files() }, TEXT, Some(syntax)),
        (Some(path), None) => read(py, &files(), path, None),
        _ => Err(told("either a path or a text is needed")),
    }
}

/// The session of one of these files. `syntax` is for a path whose extension names none.
fn read(py: Python<'_>, files: &dyn Files, path: &str, syntax: Option<Syntax>) -> PyResult<Session> {
    let mut sources = Sources::new();
    match syntax::load(files, &[path], syntax, &mut sources) {
        Ok(program) => Session::of_program(program, sources).map_err(|error| of_session(py, &error)),
        Err(wrong) => Err(rejected(py, &sources, &wrong)),
    }
}
