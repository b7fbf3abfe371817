//! Programs from files and texts.

use crate::error::{of_session, rejected, told};
use ludolog::diagnostic::Sources;
use ludolog::engine::Session;
use ludolog::family::games::GENERATOR;
use ludolog::files::FileSystem;
use ludolog::shipped::Library;
use ludolog::syntax::{self, Files, Syntax};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The files of the system, and those that come with Ludolog under `std:` names.
pub fn files() -> impl Files {
    Library::new(&[GENERATOR]).with(FileSystem)
}

/// A path that was given as `str` or `os.PathLike`, in words.
pub fn spelled(path: Option<PathBuf>) -> PyResult<Option<String>> {
    let spelled = |path: PathBuf| path.into_os_string().into_string().map_err(|_| told("the path is no text"));
    path.map(spelled).transpose()
}

/// The session of a file or a `std:` name, or of a text if that is given.
pub fn session(py: Python<'_>, path: Option<&str>, text: Option<&str>, syntax: Syntax) -> PyResult<Session> {
    match (path, text) {
        (None, Some(text)) => Session::of_text(text, syntax).map_err(|error| of_session(py, &error)),
        (Some(path), None) => {
            let mut sources = Sources::new();
            match syntax::load(&files(), &[path], None, &mut sources) {
                Ok(read) => Session::of_program(read, sources).map_err(|error| of_session(py, &error)),
                Err(wrong) => Err(rejected(py, &sources, &wrong)),
            }
        }
        _ => Err(told("either a path or a text is needed")),
    }
}
