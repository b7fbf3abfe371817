//! Snapshots of derived facts, in the file format of the crate insta, so that its tools read them too.
//!
//! The snapshot of `rules/hex/cluster.dl` is `rules/hex/snapshots/cluster.dl.snap`, with a position
//! `cluster.dl@p9.snap`. A proposed new snapshot has the extension `.snap.new`.

use super::{Failure, file, watch};
use ludolog::syntax::ColdSort;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of snapshots, beside the rule files.
pub const FOLDER: &str = "snapshots";

/// The lines before and after the header.
const RULE: &str = "---";

/// The entry of the header that tells these snapshots from those of other tests in the same folder.
const EXPRESSION: &str = "expression: derived facts";

/// The snapshot of a rule file.
pub struct Snapshot {
    path: PathBuf,
    source: String,
}

impl Snapshot {
    /// The snapshot beside a rule file, for a position if there is one.
    pub fn beside(file: &Path, position: Option<&Path>) -> Self {
        let case = position.and_then(Path::file_stem).map(|stem| format!("@{}", stem.to_string_lossy()));
        let path = file.with_file_name(FOLDER).join(format!("{}{}.snap", name(file), case.unwrap_or_default()));
        Self { path, source: name(file) }
    }

    /// The path of the snapshot.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The facts of the snapshot; `None` if there is none.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, in words.
    pub fn read(&self) -> Result<Option<String>, String> {
        watch::record(&self.path);
        match std::fs::read(&self.path) {
            Ok(bytes) => contents(&bytes).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("it cannot be read: {error}")),
        }
    }

    /// Makes `contents` the snapshot, and removes a proposal.
    pub fn accept(&self, contents: &str) -> Result<(), Failure> {
        self.write(&self.path, contents)?;
        self.withdraw()
    }

    /// Writes `contents` as a proposal to be reviewed.
    pub fn propose(&self, contents: &str) -> Result<(), Failure> {
        self.write(&self.proposal(), contents)
    }

    /// Removes the proposal, if there is one.
    pub fn withdraw(&self) -> Result<(), Failure> {
        let proposal = self.proposal();
        match std::fs::remove_file(&proposal) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::Message(format!("cannot remove {}: {error}", proposal.display())))
            }
            _ => Ok(()),
        }
    }

    /// The path of a proposal.
    pub fn proposal(&self) -> PathBuf {
        self.path.with_extension("snap.new")
    }

    fn write(&self, path: &Path, contents: &str) -> Result<(), Failure> {
        if let Some(directory) = path.parent() {
            file::create_directory(directory)?;
        }
        let text = format!("{RULE}\nsource: {:?}\n{EXPRESSION}\n{RULE}\n{contents}", self.source);
        file::update(path, text.as_bytes())
    }
}

/// The snapshots in a folder, and proposals, whose rule file is no longer there, with the name of that file. Snapshots of
/// other tests are left out.
pub fn stale(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let snapshot = name(&path);
        let Some(case) = snapshot.strip_suffix(".snap").or_else(|| snapshot.strip_suffix(".snap.new")) else {
            continue;
        };
        // The name of a rule file may contain an `@` itself.
        let sources = case.match_indices('@').map(|(at, _)| &case[..at]).chain([case]);
        let is_there = |source: &str| folder.with_file_name(source).is_file();
        let is_ours = || std::fs::read_to_string(&path).is_ok_and(|text| text.lines().any(|line| line == EXPRESSION));
        if !sources.clone().any(is_there) && is_ours() {
            found.push((path, sources.min_by_key(|source| source.len()).unwrap_or(case).to_owned()));
        }
    }
    found.cold_sort();
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The text after the header. Line ends of another system do not count.
fn contents(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line} is not in UTF-8")
    })?;
    let text = text.replace("\r\n", "\n");
    let conflict = |line: &str| ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark));
    if let Some(at) = text.lines().position(conflict) {
        return Err(format!("line {} is the mark of a merge conflict", at + 1));
    }
    let header = text.strip_prefix(&format!("{RULE}\n"));
    let header = header.ok_or_else(|| format!("line 1 is not `{RULE}`, which begins the header"))?;
    let end = header.split_once(&format!("\n{RULE}\n"));
    end.map(|(_, contents)| contents.to_owned()).ok_or_else(|| format!("no second `{RULE}` ends the header"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_stand_after_the_header() {
        assert_eq!(contents(b"---\nsource: a\n---\np(a).\np(b).\n").unwrap(), "p(a).\np(b).\n");
        assert_eq!(contents(b"---\r\nsource: a\r\n---\r\np(a).\r\n").unwrap(), "p(a).\n");
        let wrong = |text: &[u8]| contents(text).unwrap_err();
        assert_eq!(wrong(b"p(a).\n"), "line 1 is not `---`, which begins the header");
        assert_eq!(wrong(b"---\nsource: a\np(a).\n"), "no second `---` ends the header");
        assert_eq!(wrong(b"---\nsource: a\n---\np(a).\n<<<<<<< ours\n"), "line 5 is the mark of a merge conflict");
        assert_eq!(wrong(b"---\nsource: a\n---\np(\xff).\n"), "line 4 is not in UTF-8");
    }
}
