//! The rule files that a studio opens and saves: one file, or those of a folder.

use ludolog_lsp::rule_files;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files that are listed at most.
const MAX_FILES: usize = 1_000;

/// Makes a text the content of a file, or says why not; the file is as it was then.
pub type SaveFile = fn(&Path, &str) -> Result<(), String>;

/// A rule file, or a folder with those below it. Links are not followed.
pub struct Folder {
    root: PathBuf,
    save: SaveFile,
    /// The files by their names, which are their paths below the root.
    files: Vec<(String, PathBuf)>,
}

impl Folder {
    /// The folder at a path, or a folder of one file.
    ///
    /// # Errors
    ///
    /// There is nothing at the path, or it cannot be looked at.
    pub fn open(path: &Path, save: SaveFile) -> io::Result<Folder> {
        let path = path.canonicalize()?;
        let files = if path.is_dir() { rule_files(&path) } else { vec![path.clone()] };
        let root = if path.is_dir() { path } else { path.parent().map(Path::to_owned).unwrap_or_default() };
        let named = |file: PathBuf| {
            let below: Vec<_> = file.strip_prefix(&root).ok()?.iter().map(|part| part.to_string_lossy()).collect();
            Some((below.join("/"), file.clone()))
        };
        let files = files.into_iter().take(MAX_FILES).filter_map(named).collect();
        Ok(Folder { root, save, files })
    }

    /// The names of the files, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The path of a file, by which its includes are found.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn path(&self, name: &str) -> Result<&Path, String> {
        let found = self.files.iter().find(|(own, _)| own == name);
        let (_, path) = found.ok_or_else(|| format!("there is no rule file `{name}` in {}", self.root.display()))?;
        Ok(path)
    }

    /// The path of a file that is where it was: neither it nor a folder above it has become a link, which may lead anywhere.
    fn own_path(&self, name: &str) -> Result<&Path, String> {
        let path = self.path(name)?;
        match path.canonicalize() {
            Ok(led) if led == path => Ok(path),
            Ok(_) => Err(format!("`{name}` has become a link, which is not followed")),
            Err(error) => Err(format!("`{name}`: {error}")),
        }
    }

    /// The text of a file.
    ///
    /// # Errors
    ///
    /// There is no such file, it has become a link, or it is not in UTF-8.
    pub fn read(&self, name: &str) -> Result<String, String> {
        fs::read_to_string(self.own_path(name)?).map_err(|error| format!("`{name}`: {error}"))
    }

    /// Replaces the text of a file, if that is still the one `before`.
    ///
    /// # Errors
    ///
    /// The file has changed meanwhile, has become a link, or cannot be written; it is as it was then.
    pub fn save(&self, name: &str, text: &str, before: &str) -> Result<(), String> {
        if self.read(name)? != before {
            return Err(format!("`{name}` has changed since it was read, and is left as it is"));
        }
        (self.save)(self.own_path(name)?, text)
    }
}
