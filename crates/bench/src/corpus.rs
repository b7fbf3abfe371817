//! What is measured: the files that the user names, or those that come with Ludolog.

use ludolog_formulation::LIBRARY;
use ludolog_hex::position::Position;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use ludolog_syntax::{ColdSort, Files, Syntax, open};
use std::path::{Path, PathBuf};

/// The directory of the positions that come with Ludolog.
pub const STANDARD: &str = "std:positions";

/// The directory of the rulesheets that come with Ludolog.
pub const STANDARD_GAMES: &str = "std:games";

/// The directory of the positions of positional games that come with Ludolog.
pub const STANDARD_POSITIONAL: &str = "std:positional";

/// A kind of files that is measured.
struct FileKind {
    /// One such file, in messages.
    name: &'static str,
    /// The extension of their names.
    extension: &'static str,
}

const POSITIONS: FileKind = FileKind { name: "position", extension: "txt" };

const RULESHEETS: FileKind = FileKind { name: "rulesheet", extension: "kif" };

/// A position with its name in the report: its own, or that of its file.
#[derive(Clone, Debug)]
pub struct NamedPosition {
    /// The name.
    pub name: String,
    /// The position.
    pub position: Position,
}

/// The positions in files, and in all `.txt` files of directories, smaller boards first. Directories are those of the
/// file system, and of the [shipped](LIBRARY) names.
///
/// # Errors
///
/// All errors of all files.
pub fn read(files: &dyn Files, paths: &[PathBuf], sources: &mut Sources) -> Result<Vec<NamedPosition>, Diagnostics> {
    let mut entries = Vec::new();
    let mut errors = Diagnostics::new();
    for path in expanded(paths, &POSITIONS, &mut errors) {
        // The text is not parsed as rules; naming a syntax avoids the error for an unknown extension.
        let opened = match open(files, &path, Some(Syntax::Datalog), sources) {
            Ok(opened) => opened,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let text = sources.get(opened.source).map_or("", |source| &source.text);
        match Position::parse(text, opened.source) {
            Ok(position) => {
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let name = position.name.clone().or(stem).unwrap_or_default();
                entries.push(NamedPosition { name, position });
            }
            Err(others) => errors.extend(others),
        }
    }
    entries.cold_sort_by_key(|entry| entry.position.board().len());
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

/// The texts that paths name, with directories replaced by all `.txt` files in them.
///
/// # Errors
///
/// The directories that cannot be read or have no position.
pub fn texts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostics> {
    named(paths, &POSITIONS)
}

/// The rulesheets that paths name, with directories replaced by all `.kif` files in them.
///
/// # Errors
///
/// The directories that cannot be read or have no rulesheet.
pub fn rulesheets(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostics> {
    named(paths, &RULESHEETS)
}

fn named(paths: &[PathBuf], kind: &FileKind) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let files = expanded(paths, kind, &mut errors);
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The paths with directories replaced by the files of a kind in them, sorted; a directory without such a file is an
/// error.
fn expanded(paths: &[PathBuf], kind: &FileKind, errors: &mut Diagnostics) -> Vec<PathBuf> {
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|extension| extension == kind.extension);
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let names = LIBRARY.names().into_iter().map(PathBuf::from);
            let shipped: Vec<PathBuf> =
                names.filter(|name| is_wanted(name) && name.parent() == Some(path.as_path())).collect();
            files.extend(if shipped.is_empty() { vec![path.clone()] } else { shipped });
            continue;
        }
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let mut wanted: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                wanted.retain(is_wanted);
                wanted.sort();
                if wanted.is_empty() {
                    let FileKind { name, extension } = kind;
                    let message = format!("{} has no {name} (.{extension})", path.display());
                    errors.push(Diagnostic::error(Code::UnreadableFile, message));
                }
                files.extend(wanted);
            }
            Err(error) => errors.push(unreadable(path, &error)),
        }
    }
    files
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(Code::UnreadableFile, format!("cannot read {}: {error}", path.display()))
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
