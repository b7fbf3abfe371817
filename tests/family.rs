//! Games of the family: positions worked by hand, and the same at every size as nets.

use crate::games::{end, sound};
use ludolog::family::games;

#[test]
fn names_have_sizes_within_bounds() {
    let refused = |name: &str| games::rules(name).expect("a game").expect_err("no size").message;
    assert_eq!(refused("y-0"), "y: `0` is no size of it: cells a side (1 to 19), as in 4");
    assert_eq!(refused("y-1000"), "y: `1000` is no size of it: cells a side (1 to 19), as in 4");
    assert_eq!(refused("hex-swap-5"), "hex-swap: `5` is no size of it: columns (1 to 19) x rows (1 to 19), as in 5x5");
    assert!(games::rules("yy").is_none() && games::rules("y-x").is_none() && games::rules("hex").is_none());
    assert_eq!(games::rules("y"), games::rules("y-4"));
    for game in games::GAMES {
        assert_eq!(games::find(game.name).map(|found| found.map(|(game, _)| game.name)), Some(Ok(game.name)));
    }
}

#[test]
fn rules_are_sound_at_several_sizes() {
    for name in ["hex-swap-1x1", "hex-swap-4x2", "y-1", "y-7", "shannon-vertices-1x3", "shannon-vertices-5x4"] {
        sound(&format!("std:games/{name}.kif"));
    }
}

/// Whether a game is over after these cells are claimed in turn, and the goals.
fn after(name: &str, cells: &str) -> (bool, Vec<i64>) {
    let made = |word: &str| if word == "swap" { word.to_owned() } else { format!("(place {word})") };
    let moves: Vec<String> = cells.split_whitespace().map(made).collect();
    end(&format!("std:games/{name}.kif"), &moves.iter().map(String::as_str).collect::<Vec<_>>())
}

const FIRST: (bool, [i64; 2]) = (true, [100, 0]);
const SECOND: (bool, [i64; 2]) = (true, [0, 100]);
const NOBODY: (bool, [i64; 2]) = (false, [50, 50]);

/// Asserts how a game stands.
fn is(name: &str, cells: &str, (over, goals): (bool, [i64; 2])) {
    assert_eq!(after(name, cells), (over, goals.to_vec()), "{name}: {cells}");
}

#[test]
fn players_swap_sides_after_the_first_stone() {
    // Red goes down column b; who plays red is first, or second after a swap.
    is("hex-swap-3x3", "b1 a1 b2 a2 b3", FIRST);
    is("hex-swap-3x3", "b1 swap a1 b2 a2", NOBODY);
    is("hex-swap-3x3", "b1 swap a1 b2 a2 b3", SECOND);
    // Blue goes across row 2, with first.
    is("hex-swap-3x3", "b1 swap a2 c1 b2 a1 c2", FIRST);
    // One cell: the first stone wins, and there is nothing to swap.
    is("hex-swap-1x1", "a1", FIRST);
}

#[test]
fn three_borders_make_a_y() {
    // Along the left border, which the corner cells join to the others.
    is("y-3", "a1 b2 a2 c3", NOBODY);
    is("y-3", "a1 b2 a2 c3 a3", FIRST);
    // b2, b3 and a2: right, base and left.
    is("y-3", "a1 b2 a3 b3 c3 a2", SECOND);
    // Left and base, but not right.
    is("y-3", "a2 a1 a3 b2 b3", NOBODY);
    is("y-1", "a1", FIRST);
}

#[test]
fn short_joins_and_cut_keeps_apart() {
    is("shannon-vertices-2x2", "a1 b2 a2", FIRST);
    is("shannon-vertices-2x2", "a1 b1", NOBODY);
    // a2 and b1 are neighbors, a1 and b2 are not: b1 and a2 are a cut, a1 and b2 let Short through.
    is("shannon-vertices-2x2", "b2 b1", NOBODY);
    is("shannon-vertices-2x2", "b2 b1 a1 a2", SECOND);
    is("shannon-vertices-3x1", "a1", FIRST);
}
