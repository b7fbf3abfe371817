//! The files that commands write.

use super::Failure;
use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// Most symbolic links that lead to a file, the limit of Linux.
const MAX_LINKS: usize = 40;

/// Makes `content` the content of a file, or creates the file.
///
/// Readers see the old content or the new one, never a part: the content is written to a temporary file in the same
/// directory, which is then renamed. The file keeps its permissions and, where the system allows it, its owner. A symbolic
/// link stays one; its target is written. Devices and pipes are written to, not replaced.
///
/// # Errors
///
/// The file cannot be written, with the cause. A regular file is then as it was before.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    put(path, content).map_err(|error| unwritable(path, &error))
}

/// As [`write`], for content too large to be in memory.
///
/// # Errors
///
/// As [`write`], and those of `content`.
pub fn write_with<E: From<io::Error>>(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    // Opened by its name, a file behind standard output would be written from its start.
    if path == Path::new("/dev/stdout") {
        return write_through(io::stdout().lock(), content);
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

/// The message that a file cannot be written.
pub fn unwritable(path: &Path, cause: &dyn Display) -> Failure {
    Failure::Message(format!("cannot write {}: {cause}", path.display()))
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, |file| file.write_all(content))
}

fn write_through<E: From<io::Error>>(
    file: impl Write,
    content: impl FnOnce(&mut dyn Write) -> Result<(), E>,
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
    content: impl FnOnce(&mut dyn Write) -> Result<(), E>,
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

    #[test]
    fn a_file_is_created_and_replaced_without_traces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules.dl");
        for content in ["a.", "b."] {
            put(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(put(&directory.path().join("missing/rules.dl"), b"").is_err());
        assert!(put(directory.path(), b"").is_err());
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
        put(&link, b"b.").unwrap();
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
        put(&first, b"a.").unwrap();
        assert!(first.is_symlink() && link.is_symlink() && !path.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "a.");
        symlink(&loops, &loops).unwrap();
        assert!(put(&loops, b"a.").is_err());
    }
}
