//! All names that begin with `std:`: files, formulations whose text is generated, and games.
//!
//! A formulation whose text is generated has a name for every board: `std:hex/power-set-7x7.dl`, and so has Hex as a game:
//! `std:games/hex-5x5.kif`, and every game of the [family](ludolog_family): `std:games/y-4.kif`.

use crate::{ALL, Formulation, game};
use ludolog_hex::board::Board;
use ludolog_shipped::{ANY_BOARD, GAMES, Generator, Library};

/// The files that come with Ludolog, with generated formulations and games.
pub const LIBRARY: Library = Library::new(&[FORMULATIONS, ludolog_family::games::GENERATOR]);

/// The folder of the formulations.
const HEX: &str = "hex/";

/// The formulations as rule texts and as games. The games of the smallest boards are files.
const FORMULATIONS: Generator = Generator { names, text };

fn names() -> Vec<String> {
    let generated = ALL.iter().filter(|formulation| formulation.is_generated());
    generated.map(|formulation| format!("{HEX}{}-{ANY_BOARD}.dl", formulation.name)).collect()
}

fn text(path: &str) -> Option<Result<String, String>> {
    if let Some((formulation, board)) = formulation(path) {
        return Some(formulation.file(board).map_err(|error| error.to_string()));
    }
    let file = path.strip_prefix(GAMES)?;
    match game::of_file(file) {
        Some((formulation, board)) => Some(formulation.file(board).map_err(|error| error.to_string())),
        None => game::wrong_size(file).map(Err),
    }
}

/// The generated formulation and the board that a path names.
fn formulation(path: &str) -> Option<(&'static Formulation, Board)> {
    let (name, board) = path.strip_prefix(HEX)?.strip_suffix(".dl")?.rsplit_once('-')?;
    let formulation = crate::named(name).filter(|formulation| formulation.is_generated())?;
    Some((formulation, board.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, load};
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    #[test]
    fn games_of_the_smallest_boards_are_files() {
        let board: Board = "3x3".parse().unwrap();
        for formulation in game::GAMES {
            let name = format!("std:{GAMES}{}", formulation.file_name(board));
            let file = Library::FILES.text(&name).ok();
            assert_eq!(file.as_deref(), formulation.file(board).ok().as_deref(), "{name}");
        }
        assert!(LIBRARY.text("std:games/hex-cluster-5x4.kif").unwrap().contains("(columns 5)\n(rows 4)"));
    }

    #[test]
    fn every_name_can_be_read_from_anywhere() {
        let names = LIBRARY.names();
        let alone = LIBRARY.with(HashMap::<PathBuf, String>::new());
        for expected in
            ["std:hex/reachability.dl", "std:hex/power-set-WxH.dl", "std:games/nim.kif", "std:positions/p9.txt"]
        {
            assert!(names.iter().any(|name| name == expected), "{expected} is not in {names:?}");
        }
        for name in names.iter().map(|name| name.replace(ANY_BOARD, "3x3")) {
            if Syntax::of(Path::new(&name)).is_some() {
                load(&alone, &[&name], None, &mut Sources::new()).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
            } else {
                assert!(!LIBRARY.text(&name).unwrap().is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        let message = |name: &str| LIBRARY.text(name).unwrap_err().to_string();
        assert!(message("std:hex/power-set.dl").contains("did you mean `std:hex/power-set-9x9.dl`"));
        assert!(message("std:hex/winning-sets-9x9.dl").contains("too many winning sets"));
    }
}
