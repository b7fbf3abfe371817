//! The file system of the operating system.

use ludolog_syntax::{Files, Unreadable};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The files of the operating system. The path `-` is standard input. `formulation::shipped::Shipped(FileSystem)` has the
/// files that come with Ludolog besides, under their `std:` names.
///
/// ```no_run
/// use ludolog::diagnostic::Sources;
/// use ludolog::files::FileSystem;
/// use ludolog::syntax;
///
/// let loaded = syntax::load(&FileSystem, &["rules/hex/connected.dl"], None, &mut Sources::new());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Files for FileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        let read = match path == Path::new("-") {
            true => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
            false => std::fs::read(path),
        };
        read.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Unreadable::NotFound,
            ErrorKind::IsADirectory => Unreadable::Directory,
            ErrorKind::PermissionDenied => Unreadable::Denied,
            _ => Unreadable::Other(error.to_string()),
        })
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }
}
