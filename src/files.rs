//! The file system of the operating system, all of it or some folders.
//!
//! * `sqlite`, `parquet`: databases of SQLite and Parquet files, with the cargo features of these names.

#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(any(feature = "parquet", feature = "sqlite"))]
use ludolog_syntax::budget::Budget;
#[cfg(any(feature = "parquet", feature = "sqlite"))]
use ludolog_syntax::{Database, DatabaseFormat};
use ludolog_syntax::{Files, Unreadable};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The files of the operating system. The path `-` is standard input. `shipped::Library::with(FileSystem)` has the files
/// that come with Ludolog besides, under their `std:` names.
///
/// Rule files may include any file that the process may read, and diagnostics show its lines. Where rules come from others,
/// as on a server, [`FileSystem::confined_to`] confines them to some folders.
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

impl FileSystem {
    /// The files within these folders and nothing else, neither for the caller nor for an include.
    ///
    /// ```
    /// use ludolog::diagnostic::Sources;
    /// use ludolog::files::FileSystem;
    /// use ludolog::syntax;
    ///
    /// let rules = FileSystem::confined_to(["rules"])?;
    /// let mut sources = Sources::new();
    /// assert!(syntax::load(&rules, &["rules/hex/connected.dl"], None, &mut sources).is_ok());
    /// let refused = syntax::load(&rules, &["rules/../README.md"], None, &mut sources).unwrap_err();
    /// assert!(refused.to_string().contains("outside of the folders that may be read"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// One of the folders cannot be read.
    pub fn confined_to<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> io::Result<ConfinedFileSystem> {
        let folders = folders.into_iter().map(|folder| folder.as_ref().canonicalize());
        Ok(ConfinedFileSystem { folders: folders.collect::<Result<_, _>>()? })
    }
}

impl Files for FileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        let read = if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            std::fs::read(path)
        };
        read.map_err(unreadable)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        if path == Path::new("-") { Ok(Box::new(io::stdin().lock())) } else { open(path) }
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    #[cfg(any(feature = "parquet", feature = "sqlite"))]
    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        database(path, budget)
    }
}

/// The files within some folders, wherever `..` and symbolic links lead from there. There is no standard input.
///
/// All that lies outside is [`Unreadable::Outside`], whether it exists or not. Nobody else should be able to change the
/// folders: a file is found first and read then.
#[derive(Clone, Debug)]
pub struct ConfinedFileSystem {
    /// Without symbolic links and `..`.
    folders: Vec<PathBuf>,
}

impl ConfinedFileSystem {
    /// The path of a file within the folders, without symbolic links and `..`.
    fn resolve(&self, path: &Path) -> Result<PathBuf, Unreadable> {
        match path.canonicalize() {
            Ok(found) if self.contain(&found) => Ok(found),
            Err(error) if self.would_contain(path) => Err(unreadable(error)),
            _ => Err(Unreadable::Outside),
        }
    }

    fn contain(&self, found: &Path) -> bool {
        self.folders.iter().any(|folder| found.starts_with(folder))
    }

    /// Whether a path that leads to no file would lead to one within the folders: the part that exists does, and only
    /// names follow. A link that leads nowhere may point outside.
    fn would_contain(&self, path: &Path) -> bool {
        for part in path.ancestors() {
            let part = if part == Path::new("") { Path::new(".") } else { part };
            if let Ok(found) = part.canonicalize() {
                return self.contain(&found);
            }
            let is_name = matches!(part.components().next_back(), Some(Component::Normal(_)));
            if !is_name || part.symlink_metadata().is_ok() {
                return false;
            }
        }
        false
    }
}

impl Files for ConfinedFileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        std::fs::read(self.resolve(path)?).map_err(unreadable)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        open(&self.resolve(path)?)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        self.resolve(path).ok()
    }

    #[cfg(any(feature = "parquet", feature = "sqlite"))]
    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        database(&self.resolve(path)?, budget)
    }
}

/// Opens the database at `path` within a budget, if this build reads its format.
#[cfg(any(feature = "parquet", feature = "sqlite"))]
fn database(path: &Path, budget: &Budget) -> Result<Box<dyn Database>, Unreadable> {
    match DatabaseFormat::of(path) {
        #[cfg(feature = "parquet")]
        Some(DatabaseFormat::Parquet) => parquet::open(path, budget),
        #[cfg(feature = "sqlite")]
        Some(DatabaseFormat::Sqlite) => sqlite::open(path, budget),
        other => Err(other.unwrap_or(DatabaseFormat::Sqlite).unsupported()),
    }
}

fn open(path: &Path) -> Result<Box<dyn Read>, Unreadable> {
    let open = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok(SteadyFile { file, metadata }) }
    };
    open().map(|file| Box::new(file) as Box<dyn Read>).map_err(unreadable)
}

/// A file that is read in pieces. At its end it is an error if it changed meanwhile, since the pieces may not fit together.
struct SteadyFile {
    file: File,
    /// Its metadata before the first piece.
    metadata: Metadata,
}

impl Read for SteadyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        if count == 0 {
            check_steady(&self.file, &self.metadata)?;
        }
        Ok(count)
    }
}

/// Checks that a regular file is as it was when it had this metadata.
fn check_steady(file: &File, before: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if before.is_file() && (now.len(), now.modified().ok()) != (before.len(), before.modified().ok()) {
        return Err(io::Error::other("it changed while it was read"));
    }
    Ok(())
}

fn unreadable(error: io::Error) -> Unreadable {
    match error.kind() {
        ErrorKind::NotFound => Unreadable::NotFound,
        ErrorKind::IsADirectory => Unreadable::Directory,
        ErrorKind::PermissionDenied => Unreadable::Denied,
        _ => Unreadable::Other(error.to_string()),
    }
}
