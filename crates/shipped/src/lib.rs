//! The rule files and positions that come with Ludolog, compiled in, under names that work in every directory.
//!
//! `std:hex/reachability.dl` is `rules/hex/reachability.dl`, `std:positions/p9.txt` is `bench-positions/p9.txt`. Rules that
//! are made for a size, as `std:games/y-4.kif`, come from the rooms that make them: each hands in a [`Generator`], and a
//! [`Library`] has the files and what its generators make. [`Shipped`] adds these names to any [`Files`].

use include_dir::{Dir, File, include_dir};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::{ColdSort, Database, Files, Share, Unreadable};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The beginning of every shipped name.
pub const PREFIX: &str = "std:";

/// The folder of the games, behind the prefix.
pub const GAMES: &str = "games/";

/// Stands for the columns and rows in the listed name of rules that are made for every board.
pub const ANY_BOARD: &str = "WxH";

/// The folder of the positions, behind the prefix.
const POSITIONS: &str = "positions/";

/// The include of a neighboring folder, as rule files have it.
const INCLUDE: &str = ":- include('../";

/// The same include, but found from every directory.
const SHIPPED_INCLUDE: &str = ":- include('std:";

/// Least similarity of a name to the one that is proposed instead, from 0 to 1.
const SIMILAR: f64 = 0.7;

static RULE_FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/rules");
static POSITION_FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/bench-positions");

/// Makes rules whose text depends on a size, such as that of a board. Its names are without [`PREFIX`], in a folder of `rules`.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// The names that are listed, few for many sizes. [`ANY_BOARD`] in one stands for all boards, also those of files.
    pub names: fn() -> Vec<String>,
    /// The text of a name; `None` if no rules of the generator have it. An error is a sentence.
    pub text: fn(&str) -> Option<Result<String, String>>,
}

/// All names of files and of generators.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    generators: &'static [Generator],
}

impl Library {
    /// The files alone.
    pub const FILES: Library = Library::new(&[]);

    /// The files, and what the generators make. A name that several have is that of a file, or of the first of them.
    pub const fn new(generators: &'static [Generator]) -> Self {
        Library { generators }
    }

    /// These files with those of the library.
    pub const fn with<F>(self, files: F) -> Shipped<F> {
        Shipped { library: self, files }
    }

    /// The names of all files, rule files first, in alphabetical order within their folders, with those that the generators
    /// list.
    pub fn names(self) -> Vec<String> {
        let listed: Vec<String> = self.generators.iter().flat_map(|generator| (generator.names)()).collect();
        let mut names = Vec::new();
        for folder in RULE_FILES.dirs() {
            let files = folder.files().filter_map(|file| file.path().to_str());
            let alone = files.filter(|file| !listed.iter().any(|pattern| stands_for(pattern, file)));
            let made = listed.iter().map(String::as_str).filter(|name| Path::new(name).parent() == Some(folder.path()));
            let mut paths: Vec<&str> = alone.chain(made).collect();
            paths.cold_sort();
            names.extend(paths.iter().map(|path| format!("{PREFIX}{path}")));
        }
        names.extend(POSITION_FILES.files().map(|file| format!("{PREFIX}{POSITIONS}{}", file.path().display())));
        names
    }

    /// The text of a file, or of generated rules.
    ///
    /// # Errors
    ///
    /// [`Unreadable::Directory`] for a folder; [`Unreadable::Other`] when the library does not have this name, with the most
    /// similar one, or when a generator refuses it.
    pub fn text(self, name: &str) -> Result<Cow<'static, str>, Unreadable> {
        let path = name.strip_prefix(PREFIX).unwrap_or(name);
        let file = match path.strip_prefix(POSITIONS) {
            Some(position) => POSITION_FILES.get_file(position),
            None => RULE_FILES.get_file(path),
        };
        let text = match file.and_then(File::contents_utf8) {
            Some(text) => Cow::from(text),
            None if is_folder(path) => return Err(Unreadable::Directory),
            None => match self.generated(path) {
                Some(text) => text.map_err(Unreadable::Other)?.into(),
                None => return Err(Unreadable::Other(self.unknown(name))),
            },
        };
        Ok(if text.contains(INCLUDE) { text.replacen(INCLUDE, SHIPPED_INCLUDE, 1).into() } else { text })
    }

    /// The text of a file as it can be read in every folder: it includes others by their full names.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn full_text(self, name: &str) -> Result<String, Unreadable> {
        let mut full = String::new();
        for line in self.text(name)?.split_inclusive('\n') {
            match self.included_by(name, line)? {
                Some((path, name)) => full += &line.replacen(path, &name, 1),
                None => full += line,
            }
        }
        Ok(full)
    }

    /// The path that a line of a file includes, with the full name of the included file.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn included_by<'l>(self, name: &str, line: &'l str) -> Result<Option<(&'l str, String)>, Unreadable> {
        let Some(path) = line.trim_end().strip_prefix("(include \"").and_then(|rest| rest.strip_suffix("\")")) else {
            return Ok(None);
        };
        let path_of = name.strip_prefix(PREFIX).unwrap_or(name);
        let folder = format!("{PREFIX}{}", path_of.rsplit_once('/').map_or("", |(folder, _)| folder));
        let files = self.with(HashMap::<PathBuf, Vec<u8>>::new());
        Ok(Some((path, files.included(Path::new(&folder), path)?.to_string_lossy().into_owned())))
    }

    /// Whether a name is that of generated rules, be it of a size that they have or not.
    pub fn is_generated(self, name: &str) -> bool {
        name.strip_prefix(PREFIX).is_some_and(|path| self.generated(path).is_some())
    }

    fn generated(self, path: &str) -> Option<Result<String, String>> {
        self.generators.iter().find_map(|generator| (generator.text)(path))
    }

    fn unknown(self, name: &str) -> String {
        let names = self.names();
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
}

/// Whether a listed name stands for all boards, and for this file among them.
fn stands_for(pattern: &str, file: &str) -> bool {
    let Some((start, end)) = pattern.split_once(ANY_BOARD) else { return false };
    let board =
        file.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).and_then(|board| board.split_once('x'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    board.is_some_and(|(columns, rows)| is_number(columns) && is_number(rows))
}

fn is_folder(path: &str) -> bool {
    let folder = path.trim_end_matches('/');
    folder.is_empty() || folder == POSITIONS.trim_end_matches('/') || RULE_FILES.get_dir(folder).is_some()
}

/// Whether a path is a shipped name, of a file that exists or not.
pub fn is_name(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(PREFIX))
}

/// Files with those of a [`Library`]: a path that begins with `std:` names one of the library, every other path one of `F`.
///
/// ```
/// use ludolog_shipped::Library;
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::load;
/// use std::collections::HashMap;
/// use std::path::PathBuf;
///
/// let own = HashMap::from([(PathBuf::from("own.dl"), ":- include('std:lib/hex-board.dl').\ncorner(X) :- first(red, X) & first(blue, X).")]);
/// let loaded = load(&Library::FILES.with(own), &["own.dl"], None, &mut Sources::new()).unwrap();
/// assert!(loaded.program.items.len() > 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shipped<F> {
    library: Library,
    files: F,
}

impl<F> Shipped<F> {
    fn text(&self, path: &Path) -> Result<Cow<'static, str>, Unreadable> {
        self.library.text(&path.to_string_lossy())
    }
}

impl<F: Files> Files for Shipped<F> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        if is_name(path) { Ok(self.text(path)?.into_owned().into_bytes()) } else { self.files.read(path) }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        if is_name(path) { Ok(Box::new(Cursor::new(self.read(path)?))) } else { self.files.open(path) }
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        self.files.database(path, budget)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        if is_name(path) { self.text(path).ok().map(|_| path.to_owned()) } else { self.files.identity(path) }
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        match directory.to_str().and_then(|directory| directory.strip_prefix(PREFIX)) {
            _ if path.starts_with(PREFIX) => Ok(path.into()),
            Some(folder) => Ok(format!("{PREFIX}{}", joined(folder, path)).into()),
            None => self.files.included(directory, path),
        }
    }

    fn share(&self) -> Share {
        self.files.share()
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

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, load};
    use std::collections::HashMap;

    /// Makes lines of any columns and rows, and refuses those of none.
    const LINES: Generator = Generator {
        names: || vec!["hex/line-WxH.dl".to_owned(), "games/nim-3.kif".to_owned()],
        text: |path| {
            let size = path.strip_prefix("hex/line-")?.strip_suffix(".dl")?;
            let text = format!(":- include('../lib/hex-board.dl').\nline({}).\n", size.replace('x', ", "));
            Some(if size == "0x0" { Err("no line is so short".to_owned()) } else { Ok(text) })
        },
    };

    const LIBRARY: Library = Library::new(&[LINES]);

    #[test]
    fn shipped_files_include_their_neighbors() {
        assert_eq!(joined("games", "../lib/reversi.kif"), "lib/reversi.kif");
        assert_eq!(joined("games", "nim.kif"), "games/nim.kif");
        assert_eq!(joined("", "../../lib/x.kif"), "../../lib/x.kif");
        let alone = Library::FILES.with(HashMap::<PathBuf, String>::new());
        for name in ["std:games/connect-four-4x4.kif", "std:games/reversi-6x6.kif"] {
            assert!(load(&alone, &[name], None, &mut Sources::new()).is_ok(), "{name}");
        }
    }

    #[test]
    fn every_file_can_be_read_from_anywhere() {
        let names = Library::FILES.names();
        let alone = Library::FILES.with(HashMap::<PathBuf, String>::new());
        for expected in ["std:hex/reachability.dl", "std:games/nim.kif", "std:positions/p9.txt"] {
            assert!(names.iter().any(|name| name == expected), "{expected} is not in {names:?}");
        }
        for name in &names {
            if Syntax::of(Path::new(name)).is_some() {
                load(&alone, &[name], None, &mut Sources::new()).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
            } else {
                assert!(!Library::FILES.text(name).unwrap().is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn a_file_is_included_once_from_wherever() {
        let own = HashMap::from([(
            PathBuf::from("a/own.dl"),
            ":- include('std:lib/hex-board.dl').\n:- include('std:hex/reachability.dl').\n",
        )]);
        let files = Library::FILES.with(own);
        let read = |path: &str| load(&files, &[path], None, &mut Sources::new()).unwrap().program.items.len();
        assert_eq!(read("a/own.dl"), read("std:hex/reachability.dl"));
    }

    #[test]
    fn generators_add_names() {
        assert_eq!(LIBRARY.names().len(), Library::FILES.names().len() + 2);
        assert!(LIBRARY.names().is_sorted_by_key(|name| name.starts_with("std:positions/")));
        assert_eq!(LIBRARY.text("std:hex/line-3x2.dl").unwrap(), ":- include('std:lib/hex-board.dl').\nline(3, 2).\n");
        assert_eq!(LIBRARY.text("std:hex/line-0x0.dl"), Err(Unreadable::Other("no line is so short".to_owned())));
        assert!(LIBRARY.is_generated("std:hex/line-0x0.dl") && !LIBRARY.is_generated("std:games/nim.kif"));
        assert!(Library::FILES.text("std:hex/line-3x2.dl").is_err());
        assert!(stands_for("hex/line-WxH.dl", "hex/line-10x4.dl") && !stands_for("hex/line-WxH.dl", "hex/line-x4.dl"));
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        let message = |name: &str| LIBRARY.text(name).unwrap_err().to_string();
        assert!(message("std:hex/reachabilty.dl").contains("did you mean `std:hex/reachability.dl`?"));
        assert!(message("std:hex/line.dl").contains("did you mean `std:hex/line-9x9.dl` (or another size of board)?"));
        assert!(message("std:chess.dl").contains("ludolog rules list"));
        assert_eq!(LIBRARY.text("std:hex"), Err(Unreadable::Directory));
        assert_eq!(LIBRARY.text("std:positions/"), Err(Unreadable::Directory));
    }
}
