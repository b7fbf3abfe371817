//! The files that commands write.
//!
//! A file that an argument names and that is there is told and kept, unless `--force` is given. What a command keeps for
//! itself is replaced: the rule file that `fmt` lays out anew, snapshots that are updated, the state of a search that goes on,
//! and the reports in a directory of its own.

use super::Failure;
use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::Builder;

/// Most symbolic links that lead to a file, the limit of Linux.
const MAX_LINKS: usize = 40;

/// Whether files that are there are replaced.
static FORCE: AtomicBool = AtomicBool::new(false);

/// Whether what is there is replaced.
#[cfg(feature = "sqlite")]
pub fn is_forced() -> bool {
    FORCE.load(Ordering::Relaxed)
}

/// Says whether files that are there are replaced.
pub fn set_force(force: bool) {
    FORCE.store(force, Ordering::Relaxed);
}

/// Checks that a file can be put there: before a long run that ends with it.
///
/// # Errors
///
/// A file is there and stays, or there is no directory for it; with the cause.
pub fn check(path: &Path) -> Result<(), Failure> {
    check_own(path)?;
    check_kept(path)
}

/// As [`check`], for a file of the command's own, which may be there.
///
/// # Errors
///
/// There is no directory for it, or it is one; with the cause.
pub fn check_own(path: &Path) -> Result<(), Failure> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match fs::metadata(directory) {
        Err(error) => Err(unwritable(path, &error)),
        Ok(_) if path.is_dir() => Err(unwritable(path, &"it is a directory")),
        Ok(_) => Ok(()),
    }
}

/// Whether two paths lead to one regular file, which may not be there yet.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| {
        let path = target(path);
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        path.canonicalize().unwrap_or_else(|_| directory.join(path.file_name().unwrap_or_default()))
    };
    (one.is_file() || !one.exists()) && resolved(one) == resolved(other)
}

/// Checks that a file stays what it is: before a run that ends with one of that name.
///
/// # Errors
///
/// A file is there and stays.
pub fn check_kept(path: &Path) -> Result<(), Failure> {
    keep(path).map_err(|error| unwritable(path, &error))
}

/// Refuses to replace a regular file without `--force`.
fn keep(path: &Path) -> io::Result<()> {
    if path.is_file() && !FORCE.load(Ordering::Relaxed) && path != Path::new("/dev/stdout") {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it is there already; --force replaces it"));
    }
    Ok(())
}

/// Makes `content` the content of a file that an argument names, as [`write_with`] does.
///
/// # Errors
///
/// The file is there and stays, or cannot be written; with the cause.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    write_with(path, |file| file.write_all(content)).map_err(|error: io::Error| unwritable(path, &error))
}

/// As [`update`], for a file that an argument names and for content too large to be in memory.
///
/// # Errors
///
/// As [`write`], and those of `content`.
pub fn write_with<E: From<io::Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    keep(path)?;
    put(path, content)
}

/// Makes `content` the content of a file of the command's own, or creates the file.
///
/// Readers see the old content or the new one, never a part: the content is written to a temporary file in the same
/// directory, which is then renamed. The file keeps its permissions and, where the system allows it, its owner. A symbolic
/// link stays one; its target is written. Devices and pipes are written to, not replaced.
///
/// # Errors
///
/// The file cannot be written, with the cause. A regular file is then as it was before.
pub fn update(path: &Path, content: &[u8]) -> Result<(), Failure> {
    put(path, |file| file.write_all(content)).map_err(|error: io::Error| unwritable(path, &error))
}

fn put<E: From<io::Error>>(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    // Opened by its name, a file behind standard output would be written from its start.
    if path == Path::new("/dev/stdout") {
        return write_through(io::stdout(), content);
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => replace(&path.canonicalize()?, Some(&metadata), content),
        Ok(_) => write_through(OpenOptions::new().write(true).open(path)?, content),
        Err(error) if error.kind() == ErrorKind::NotFound => replace(&target(path), None, content),
        Err(error) => Err(error.into()),
    }
}

/// Creates a directory, with those that it is in, unless it is there.
///
/// # Errors
///
/// The directory cannot be created, with the cause.
pub fn create_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// Reads a file that is no rule file.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| unreadable(path, &error))
}

/// The message that a file cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let cause = match error.kind() {
        ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        ErrorKind::IsADirectory => "it is a directory, not a file; name a file in it".to_owned(),
        _ => error.to_string(),
    };
    Failure::Message(format!("cannot read {}: {cause}", path.display()))
}

/// The message that a file cannot be written.
pub fn unwritable(path: &Path, cause: &dyn Display) -> Failure {
    Failure::Message(format!("cannot write {}: {cause}", path.display()))
}

fn write_through<E: From<io::Error>>(
    file: impl Write + Send,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = BufWriter::new(file);
    content(&mut file)?;
    Ok(file.flush()?)
}

/// The path that a symbolic link to a missing file leads to; `path` itself if it is none.
fn target(path: &Path) -> PathBuf {
    let follow = |path: &PathBuf| Some(path.parent()?.join(fs::read_link(path).ok()?));
    std::iter::successors(Some(path.to_owned()), follow).take(MAX_LINKS).last().unwrap_or_default()
}

/// Replaces a regular file, which has `metadata`, or creates one.
fn replace<E: From<io::Error>>(
    path: &Path,
    metadata: Option<&Metadata>,
    content: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // A file of the library's own making would be readable by its owner alone.
    let mut file = Builder::new().make_in(directory, |path| File::create_new(path))?;
    write_through(&mut file, content)?;
    if let Some(metadata) = metadata {
        keep_owner(file.as_file(), metadata);
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(io::Error::from)?;
    Ok(())
}

/// Gives the file the owner of the one that it replaces, if the user may: others than root only write their own.
#[cfg(unix)]
fn keep_owner(file: &File, metadata: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    _ = fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _metadata: &Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts this content into the file.
    fn put_all(path: &Path, content: &[u8]) -> io::Result<()> {
        put(path, |out| out.write_all(content))
    }

    #[test]
    fn a_file_is_created_and_replaced_without_traces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules.dl");
        for content in ["a.", "b."] {
            put_all(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(put_all(&directory.path().join("missing/rules.dl"), b"").is_err());
        assert!(put_all(directory.path(), b"").is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let [path, link] = ["rules.dl", "link.dl"].map(|name| directory.path().join(name));
        fs::write(&path, "a.").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("rules.dl", &link).unwrap();
        put_all(&link, b"b.").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "b.");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    #[cfg(unix)]
    fn links_to_missing_files_stay() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let [path, link, first, loops] =
            ["rules.dl", "link.dl", "first.dl", "loop.dl"].map(|name| directory.path().join(name));
        symlink("rules.dl", &link).unwrap();
        symlink(&link, &first).unwrap();
        put_all(&first, b"a.").unwrap();
        assert!(first.is_symlink() && link.is_symlink() && !path.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "a.");
        symlink(&loops, &loops).unwrap();
        assert!(put_all(&loops, b"a.").is_err());
    }
}
