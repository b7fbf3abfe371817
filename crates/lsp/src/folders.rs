//! The rule files of the folders that are open, and copies of those that come with Ludolog.

use ludolog_shipped::{Library, PREFIX, is_name};
use ludolog_syntax::Syntax;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use walkdir::WalkDir;

/// Files looked at in a folder; of a larger one, the rest is not known.
const MAX_FILES: usize = 20_000;

/// The rule files below a folder, links not followed, hidden folders and those that tools fill left out.
pub fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let is_wanted = |name: &str| !name.starts_with('.') && !matches!(name, "target" | "node_modules");
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || is_wanted(&entry.file_name().to_string_lossy()))
        .take(MAX_FILES)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && Syntax::of(entry.path()).is_some())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// Copies of the files that come with Ludolog, made when they are looked at, gone with the server. Where there are no files,
/// these files go by their own names.
pub struct Copies {
    library: Library,
    folder: Option<TempDir>,
}

impl Copies {
    /// No copies yet.
    pub fn new(library: Library) -> io::Result<Copies> {
        Ok(Copies { library, folder: Some(tempfile::Builder::new().prefix("ludolog-").tempdir()?) })
    }

    /// No copies ever.
    pub fn none(library: Library) -> Copies {
        Copies { library, folder: None }
    }

    /// Where an editor finds a file: a copy that cannot be written, if it comes with Ludolog.
    pub fn shown(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (&self.folder, path.to_str().filter(|_| is_name(path))) else {
            return Ok(path.to_owned());
        };
        let copy = folder.path().join(name.trim_start_matches(PREFIX));
        if !copy.exists() {
            let text = self.library.text(name).map_err(io::Error::other)?;
            copy.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&copy, text.as_bytes())?;
            let mut permissions = fs::metadata(&copy)?.permissions();
            permissions.set_readonly(true);
            fs::set_permissions(&copy, permissions)?;
        }
        Ok(copy)
    }

    /// The file that an editor shows: the name of a file that comes with Ludolog for its copy.
    pub fn meant(&self, path: PathBuf) -> PathBuf {
        let name = self.folder.as_ref().and_then(|folder| path.strip_prefix(folder.path()).ok()?.to_str());
        name.map_or_else(|| path.clone(), |name| PathBuf::from(format!("{PREFIX}{name}")))
    }
}
