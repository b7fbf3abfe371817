//! The rule files and positions that come with Ludolog, compiled in, under names that work in every directory.
//!
//! `std:hex/reachability.dl` is `rules/hex/reachability.dl`, `std:positions/p9.txt` is `bench-positions/p9.txt`. A
//! formulation whose text is generated has a name for every board: `std:hex/power-set-7x7.dl`, and so has Hex as a game:
//! `std:games/hex-5x5.kif`, and every game of the [family](ludolog_family): `std:games/y-4.kif`. [`Shipped`] adds these names
//! to any [`Files`].

use crate::{ALL, Formulation, INCLUDE, game};
use include_dir::{Dir, File, include_dir};
use ludolog_family::games::{self, GAMES as FAMILY};
use ludolog_hex::board::Board;
use ludolog_syntax::{Files, Share, Unreadable};
use std::borrow::Cow;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The beginning of every shipped name.
pub const PREFIX: &str = "std:";

/// The folder of the positions.
pub const POSITIONS: &str = "positions/";

/// The folder of the formulations.
const HEX: &str = "hex/";

/// The folder of the games.
const GAMES: &str = "games/";

/// Stands for the columns and rows in the name of a generated formulation.
const ANY_BOARD: &str = "WxH";

/// As the include of the rule files, but found from every directory.
const SHIPPED_INCLUDE: &str = ":- include('std:lib/hex-board.dl').\n";

/// Least similarity of a name to the one that is proposed instead, from 0 to 1.
const SIMILAR: f64 = 0.7;

static RULE_FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/rules");
static POSITION_FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/bench-positions");

/// Files with the shipped ones: a path that begins with `std:` names a shipped file, every other path one of `F`.
///
/// ```
/// use ludolog_formulation::shipped::Shipped;
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::load;
/// use std::collections::HashMap;
/// use std::path::PathBuf;
///
/// let own = HashMap::from([(PathBuf::from("own.dl"), ":- include('std:lib/hex-board.dl').\ncorner(X) :- first(red, X) & first(blue, X).")]);
/// let loaded = load(&Shipped(own), &["own.dl"], None, &mut Sources::new()).unwrap();
/// assert!(loaded.program.items.len() > 1);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped<F>(pub F);

impl<F: Files> Files for Shipped<F> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        if is_name(path) {
            text(&path.to_string_lossy()).map(|text| text.into_owned().into_bytes())
        } else {
            self.0.read(path)
        }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        if is_name(path) { Ok(Box::new(Cursor::new(self.read(path)?))) } else { self.0.open(path) }
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        if is_name(path) { text(&path.to_string_lossy()).ok().map(|_| path.to_owned()) } else { self.0.identity(path) }
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        match directory.to_str().and_then(|directory| directory.strip_prefix(PREFIX)) {
            _ if path.starts_with(PREFIX) => Ok(path.into()),
            Some(folder) => Ok(format!("{PREFIX}{}", joined(folder, path)).into()),
            None => self.0.included(directory, path),
        }
    }

    fn share(&self) -> Share {
        self.0.share()
    }
}

/// A path relative to a folder of shipped files, without `..` as far as there are folders.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a path is a shipped name, of a file that exists or not.
pub fn is_name(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(PREFIX))
}

/// The names of all shipped files, rule files first, in alphabetical order within their folders. A generated formulation
/// has one name, with `WxH` for the columns and rows; Hex as a game has those of its smallest boards, games of the family that
/// of their usual size.
pub fn names() -> Vec<String> {
    let mut names = Vec::new();
    for folder in RULE_FILES.dirs() {
        let paths = folder.files().filter_map(|file| file.path().to_str());
        let files = paths.filter(|path| generated(path).is_none()).map(str::to_owned);
        let formulations = ALL.iter().filter(|formulation| formulation.is_generated());
        let patterns = formulations.map(|formulation| format!("{HEX}{}-{ANY_BOARD}.dl", formulation.name));
        let patterns = patterns.filter(|path| Path::new(path).parent() == Some(folder.path()));
        let family = FAMILY.iter().map(|game| format!("{GAMES}{}{}", game.sized(game.form.usual), game::EXTENSION));
        let family = family.filter(|path| Path::new(path).parent() == Some(folder.path()));
        let mut paths: Vec<String> = files.chain(patterns).chain(family).collect();
        paths.sort();
        names.extend(paths);
    }
    names.extend(POSITION_FILES.files().map(|file| format!("{POSITIONS}{}", file.path().display())));
    names.iter().map(|name| format!("{PREFIX}{name}")).collect()
}

/// The text of a shipped file.
///
/// # Errors
///
/// [`Unreadable::Directory`] for a folder; [`Unreadable::Other`] when no shipped file has this name, with the name of the
/// most similar one, or when a generated text would be too large.
pub fn text(name: &str) -> Result<Cow<'static, str>, Unreadable> {
    let path = name.strip_prefix(PREFIX).unwrap_or(name);
    if let Some((formulation, board)) = generated(path) {
        let text = formulation.file(board).map_err(|error| Unreadable::Other(error.to_string()))?;
        return Ok(text.replacen(INCLUDE, SHIPPED_INCLUDE, 1).into());
    }
    let file = match path.strip_prefix(POSITIONS) {
        Some(position) => POSITION_FILES.get_file(position),
        None => RULE_FILES.get_file(path),
    };
    match file.and_then(File::contents_utf8) {
        Some(text) if text.contains(INCLUDE) => Ok(text.replacen(INCLUDE, SHIPPED_INCLUDE, 1).into()),
        Some(text) => Ok(text.into()),
        None if is_folder(path) => Err(Unreadable::Directory),
        None => match path.strip_prefix(GAMES).and_then(generated_game) {
            Some(text) => text.map(Cow::from).map_err(Unreadable::Other),
            None => Err(Unreadable::Other(unknown(name))),
        },
    }
}

/// Whether a name is that of a game that is generated for a size, be it one that the game has or not.
pub fn is_generated_game(name: &str) -> bool {
    let file = name.strip_prefix(PREFIX).and_then(|path| path.strip_prefix(GAMES));
    file.is_some_and(|file| generated_game(file).is_some())
}

/// The text of a game that is generated for a size; `None` if no game has this name. An error is a sentence.
fn generated_game(file: &str) -> Option<Result<String, String>> {
    if let Some((formulation, board)) = game::of_file(file) {
        return Some(formulation.file(board).map_err(|error| error.to_string()));
    }
    if let Some(reason) = game::wrong_size(file) {
        return Some(Err(reason));
    }
    Some(games::rules(file.strip_suffix(game::EXTENSION)?)?.map_err(|error| error.to_string()))
}

fn is_folder(path: &str) -> bool {
    let folder = path.trim_end_matches('/');
    folder.is_empty() || folder == POSITIONS.trim_end_matches('/') || RULE_FILES.get_dir(folder).is_some()
}

/// The generated formulation and the board that a path names.
fn generated(path: &str) -> Option<(&'static Formulation, Board)> {
    let (name, board) = path.strip_prefix(HEX)?.strip_suffix(".dl")?.rsplit_once('-')?;
    let formulation = crate::named(name).filter(|formulation| formulation.is_generated())?;
    Some((formulation, board.parse().ok()?))
}

fn unknown(name: &str) -> String {
    let names = names();
    let similar = names.iter().map(|other| (strsim::normalized_levenshtein(name, other), other));
    let nearest = similar.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(similarity, _)| *similarity >= SIMILAR);
    let proposal = match nearest {
        Some((_, name)) if name.contains(ANY_BOARD) => {
            format!("did you mean `{}` (or another size of board)?", name.replace(ANY_BOARD, "9x9"))
        }
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => "`ludolog rules list` lists the names".to_owned(),
    };
    format!("no file of this name comes with Ludolog; {proposal}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, load};
    use std::collections::HashMap;

    fn alone() -> Shipped<HashMap<PathBuf, String>> {
        Shipped(HashMap::new())
    }

    #[test]
    fn shipped_files_include_their_neighbors() {
        assert_eq!(joined("games", "../lib/reversi.kif"), "lib/reversi.kif");
        assert_eq!(joined("games", "nim.kif"), "games/nim.kif");
        assert_eq!(joined("", "../../lib/x.kif"), "../../lib/x.kif");
        for name in ["std:games/connect-four-4x4.kif", "std:games/reversi-6x6.kif"] {
            assert!(load(&alone(), &[name], None, &mut Sources::new()).is_ok(), "{name}");
        }
    }

    #[test]
    fn games_of_the_smallest_boards_are_files() {
        let board: Board = "3x3".parse().unwrap();
        for formulation in game::GAMES {
            let path = format!("{GAMES}{}", formulation.file_name(board));
            let file = RULE_FILES.get_file(&path).and_then(File::contents_utf8);
            assert_eq!(file, formulation.file(board).ok().as_deref(), "{path}");
        }
        assert!(text("std:games/hex-cluster-5x4.kif").unwrap().contains("(columns 5)\n(rows 4)"));
    }

    #[test]
    fn every_name_can_be_read_from_anywhere() {
        let names = names();
        for expected in
            ["std:hex/reachability.dl", "std:hex/power-set-WxH.dl", "std:games/nim.kif", "std:positions/p9.txt"]
        {
            assert!(names.iter().any(|name| name == expected), "{expected} is not in {names:?}");
        }
        for name in names.iter().map(|name| name.replace(ANY_BOARD, "3x3")) {
            if Syntax::of(Path::new(&name)).is_some() {
                load(&alone(), &[&name], None, &mut Sources::new()).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
            } else {
                assert!(!text(&name).unwrap().is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn a_file_is_included_once_from_wherever() {
        let own = HashMap::from([(
            PathBuf::from("a/own.dl"),
            ":- include('std:lib/hex-board.dl').\n:- include('std:hex/reachability.dl').\n",
        )]);
        let read =
            |path: &str| load(&Shipped(own.clone()), &[path], None, &mut Sources::new()).unwrap().program.items.len();
        assert_eq!(read("a/own.dl"), read("std:hex/reachability.dl"));
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        let message = |name: &str| text(name).unwrap_err().to_string();
        assert!(message("std:hex/reachabilty.dl").contains("did you mean `std:hex/reachability.dl`?"));
        assert!(message("std:hex/power-set.dl").contains("did you mean `std:hex/power-set-9x9.dl`"));
        assert!(message("std:chess.dl").contains("ludolog rules list"));
        assert_eq!(text("std:hex"), Err(Unreadable::Directory));
        assert!(message("std:hex/winning-sets-9x9.dl").contains("too many winning sets"));
    }
}
