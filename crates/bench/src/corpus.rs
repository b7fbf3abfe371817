//! What is measured: the files that the user names, or those that come with Ludolog.

use ludolog_formulation::shipped;
use ludolog_hex::position::Position;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use ludolog_syntax::{Files, Syntax, open};
use std::path::{Path, PathBuf};

/// The directory of the positions that come with Ludolog.
pub const STANDARD: &str = "std:positions";

/// The directory of the rulesheets that come with Ludolog.
pub const STANDARD_GAMES: &str = "std:games";

/// The directory of the positions of positional games that come with Ludolog.
pub const STANDARD_POSITIONAL: &str = "std:positional";

/// The extension of positions.
const POSITION: &str = "txt";

/// The extension of rulesheets.
const RULESHEET: &str = "kif";

/// A position with its name in the report: its own, or that of its file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The position.
    pub position: Position,
}

/// The positions in files, and in all `.txt` files of directories, smaller boards first. Directories are those of the file
/// system, and of the [shipped] names.
///
/// # Errors
///
/// All errors of all files.
pub fn read(files: &dyn Files, paths: &[PathBuf], sources: &mut Sources) -> Result<Vec<Entry>, Diagnostics> {
    let (mut entries, mut errors) = (Vec::new(), Diagnostics::new());
    for path in expanded(paths, POSITION, &mut errors) {
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
                entries.push(Entry { name, position });
            }
            Err(others) => errors.extend(others),
        }
    }
    entries.sort_by_key(|entry| entry.position.board().len());
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

/// The texts that paths name, with directories replaced by all `.txt` files in them.
///
/// # Errors
///
/// The directories that cannot be read.
pub fn texts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let files = expanded(paths, POSITION, &mut errors);
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The rulesheets that paths name, with directories replaced by all `.kif` files in them.
///
/// # Errors
///
/// The directories that cannot be read or have no rulesheet.
pub fn rulesheets(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let mut files = Vec::new();
    for path in paths {
        let found = expanded(std::slice::from_ref(path), RULESHEET, &mut errors);
        if found.is_empty() && errors.is_empty() {
            errors.push(Diagnostic::error(Code::UnreadableFile, format!("{} has no rulesheet (.kif)", path.display())));
        }
        files.extend(found);
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The paths with directories replaced by the files in them that have this extension, sorted.
fn expanded(paths: &[PathBuf], extension: &str, errors: &mut Diagnostics) -> Vec<PathBuf> {
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|other| other == extension);
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let names = shipped::names().into_iter().map(PathBuf::from);
            let shipped: Vec<PathBuf> =
                names.filter(|name| is_wanted(name) && name.parent() == Some(path.as_path())).collect();
            files.extend(if shipped.is_empty() { vec![path.clone()] } else { shipped });
            continue;
        }
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let mut texts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                texts.retain(is_wanted);
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

/// The size, number of stones and winner of a position, in words.
pub fn caption(position: &Position) -> String {
    let board = position.board();
    let result = match position.winner() {
        Some(winner) => format!("{} has won", winner.name()),
        None => "nobody has won".to_string(),
    };
    format!("{}×{}, {} stones, {result}", board.width(), board.height(), position.stones().count())
}
