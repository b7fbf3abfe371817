//! The positions to measure: the files that the user names, else those of the directory `bench-positions`, else those
//! compiled in.

use include_dir::{Dir, include_dir};
use ludolog_hex::position::Position;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use std::path::{Path, PathBuf};

static BUILT_IN: Dir = include_dir!("$CARGO_MANIFEST_DIR/bench-positions");

/// The directory of positions in a checkout of the project.
const DIRECTORY: &str = "bench-positions";

/// A position with its name in the report: its own, or that of its file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The position.
    pub position: Position,
}

/// The project's positions, smaller boards first: those of the current directory if it has any, else those compiled in.
///
/// # Errors
///
/// All errors of the files.
pub fn standard(sources: &mut Sources) -> Result<Vec<Entry>, Diagnostics> {
    if Path::new(DIRECTORY).is_dir() {
        return read(&[PathBuf::from(DIRECTORY)], sources);
    }
    let texts = BUILT_IN.files().filter(|file| file.path().extension().is_some_and(|extension| extension == "txt"));
    collect(texts.map(|file| (file.path().to_path_buf(), file.contents_utf8().unwrap_or_default().to_owned())), sources)
}

/// The positions in files, and in all `.txt` files of directories, smaller boards first.
///
/// # Errors
///
/// All errors of all files.
pub fn read(paths: &[PathBuf], sources: &mut Sources) -> Result<Vec<Entry>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let mut texts = Vec::new();
    for path in files(paths, &mut errors) {
        match std::fs::read_to_string(&path) {
            Ok(text) => texts.push((path, text)),
            Err(error) => errors.push(unreadable(&path, &error)),
        }
    }
    match collect(texts.into_iter(), sources) {
        Ok(entries) if errors.is_empty() => Ok(entries),
        Ok(_) => Err(errors),
        Err(others) => {
            errors.extend(others);
            Err(errors)
        }
    }
}

fn files(paths: &[PathBuf], errors: &mut Diagnostics) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let mut texts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                texts.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
                texts.sort();
                files.extend(texts);
            }
            Err(error) => errors.push(unreadable(path, &error)),
        }
    }
    files
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(Code::UnreadableFile, format!("cannot read {}: {error}", path.display()))
}

fn collect(texts: impl Iterator<Item = (PathBuf, String)>, sources: &mut Sources) -> Result<Vec<Entry>, Diagnostics> {
    let (mut entries, mut errors) = (Vec::new(), Diagnostics::new());
    for (path, text) in texts {
        let source = sources.add(path.display().to_string(), text.as_str());
        match Position::parse(&text, source) {
            Ok(position) => {
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let name = position.name.clone().or(stem).unwrap_or_default();
                entries.push(Entry { name, position });
            }
            Err(others) => errors.extend(others),
        }
    }
    entries.sort_by_key(|entry| entry.position.board().len());
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

/// The size, number of stones and winner of a position, in words.
pub fn caption(position: &Position) -> String {
    let board = position.board();
    let result = match position.winner() {
        Some(winner) => format!("{} has won", winner.name()),
        None => "nobody has won".to_string(),
    };
    format!("{}×{}, {} stones, {result}", board.width(), board.height(), position.stones().count())
}
