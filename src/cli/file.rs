//! Atomic writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::Builder;

/// Replaces the content of a file, or creates it. Readers see the old content or the new one, never a part.
///
/// The content is written to a temporary file in the same directory, which is then renamed. The file keeps its
/// permissions.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // Replace the target of a symbolic link, not the link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // A file of the library's own making would be readable by its owner alone.
    let mut file = Builder::new().make_in(directory, |path| File::create_new(path))?;
    file.write_all(content)?;
    if let Ok(metadata) = fs::metadata(&path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_created_and_replaced_without_traces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules.dl");
        for content in ["a.", "b."] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(replace(&directory.path().join("missing/rules.dl"), b"").is_err());
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
        symlink(&path, &link).unwrap();
        replace(&link, b"b.").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "b.");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
