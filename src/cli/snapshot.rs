//! Snapshots of derived facts, in the file format of the crate insta, so that `cargo insta review` shows what changed.
//!
//! The snapshot of `rules/hex/cluster.dl` is `rules/hex/snapshots/cluster.dl.snap`, with a position
//! `cluster.dl@p9.snap`. A proposed new snapshot has the extension `.snap.new`.

use super::{Failure, file};
use std::path::{Path, PathBuf};

/// The snapshot of a rule file.
pub struct Snapshot {
    path: PathBuf,
    source: String,
}

impl Snapshot {
    /// The snapshot beside a rule file, for a position if there is one.
    pub fn beside(file: &Path, position: Option<&Path>) -> Self {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let case = position.and_then(Path::file_stem).map(|stem| format!("@{}", stem.to_string_lossy()));
        let path = file.with_file_name("snapshots").join(format!("{}{}.snap", name(file), case.unwrap_or_default()));
        Self { path, source: name(file) }
    }

    /// The contents of the snapshot; `None` if there is none.
    pub fn read(&self) -> Option<String> {
        let text = std::fs::read_to_string(&self.path).ok()?;
        // The header is a block of YAML between two lines of dashes.
        let (_, contents) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
        Some(contents.to_owned())
    }

    /// Makes `contents` the snapshot and removes a proposal; `false` if the snapshot is unchanged.
    pub fn accept(&self, contents: &str) -> Result<bool, Failure> {
        _ = std::fs::remove_file(self.proposal());
        if self.read().as_deref() == Some(contents) {
            return Ok(false);
        }
        self.write(&self.path, contents)?;
        Ok(true)
    }

    /// Writes `contents` as a proposal to be reviewed, and returns its path.
    pub fn propose(&self, contents: &str) -> Result<PathBuf, Failure> {
        let path = self.proposal();
        self.write(&path, contents)?;
        Ok(path)
    }

    fn proposal(&self) -> PathBuf {
        self.path.with_extension("snap.new")
    }

    fn write(&self, path: &Path, contents: &str) -> Result<(), Failure> {
        if let Some(directory) = path.parent() {
            file::create_directory(directory)?;
        }
        let text = format!("---\nsource: {:?}\nexpression: derived facts\n---\n{contents}", self.source);
        file::write(path, text.as_bytes())
    }
}
