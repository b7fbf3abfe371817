//! Games of the family: names and sizes, positions worked by hand, values of small games, games made of files.

use crate::binary::run;
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

/// Sizes besides the usual ones, which `games` tests: the smallest, and others that are not square.
#[test]
fn rules_are_sound_at_several_sizes() {
    let names = "hex-swap-1x1 hex-swap-4x2 hex-beck-1x1 hex-beck-2x3 rex-1x1 rex-4x3 trex-1x1 trex-3x4 hex-in-y-1x1 hex-in-y-2x4 \
                 hex-cylinder-3x1 hex-cylinder-5x2 hex-4.8.8-1x1 hex-4.8.8-4x2 hex-3.12.12-1x3 hex-3.12.12-2x4 hex-4.6.12-1x1 \
                 hex-4.6.12-2x3 hex-graph-1x1 hex-graph-2x3 hex-cube-1^2 hex-cube-2^4 y-1 y-7 y-swap-1 y-swap-5 havannah-2 havannah-5 tex-2 tex-5 \
                 shannon-vertices-1x3 shannon-vertices-5x4 shannon-edges-2x2 shannon-edges-4x3 bridg-it-1 bridg-it-4 \
                 in-a-row-1x1x1 in-a-row-5x3x3 cube-1^1 cube-4^2 cube-2^4 set-coloring-2x3x2 coloring-1 coloring-8 nim-1 nim-1-2-3-4";
    for name in names.split_whitespace() {
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
    // Along the left border of a triangle.
    is("y-swap-3", "a1 b2 a2 c3 a3", FIRST);
    is("y-swap-3", "a1 swap b2 a2 c3", NOBODY);
    is("y-swap-3", "a1 swap b2 a2 c3 a3", SECOND);
    is("y-swap-1", "a1", FIRST);
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

#[test]
fn the_second_player_chooses_the_first_stone() {
    // The first cell is blue's choice and red's stone.
    is("hex-beck-2x2", "a1 b1", NOBODY);
    is("hex-beck-2x2", "a1 b1 a2", FIRST);
    is("hex-beck-2x2", "a1 a2 b1 b2", SECOND);
    is("hex-beck-1x1", "a1", FIRST);
}

#[test]
fn joined_borders_lose_in_rex() {
    is("rex-2x2", "a1 b1 a2", SECOND);
    is("rex-2x2", "a1 a2 b1 b2", FIRST);
    is("trex-2x2", "a1 b1 a2", SECOND);
    // Three stones that join nothing: one cell is empty.
    is("trex-2x2", "a1 b1", NOBODY);
    is("trex-2x2", "a1 a2 b2", (true, [50, 50]));
    is("trex-1x1", "", (true, [50, 50]));
}

#[test]
fn blue_makes_a_chain_around_the_cylinder() {
    is("hex-cylinder-3x2", "a1 b1 a2", FIRST);
    // a1 touches c2 across the seam.
    is("hex-cylinder-3x2", "a1 b1 c2", FIRST);
    is("hex-cylinder-3x2", "a1 a2 b1 b2", NOBODY);
    is("hex-cylinder-3x2", "a1 a2 b1 b2 c1 c2", SECOND);
}

#[test]
fn squares_have_draws() {
    // Red's a1 and b2 touch in a corner only, and so do blue's b1 and a2.
    is("hex-graph-2x2", "a1 b1 b2 a2", (true, [50, 50]));
    is("hex-graph-2x2", "a1 b1 a2", FIRST);
    is("hex-4.8.8-2x2", "a1 b1 b2 a2", NOBODY);
    is("hex-4.8.8-2x2", "a1 b1 b2 a2 a1b1a2b2", FIRST);
}

#[test]
fn bridges_forks_and_rings() {
    // On three cells a side: corners c1, e1, e3, c5, a5 and a3.
    let with = |red: &str, blue: &str| {
        let (red, blue): (Vec<&str>, Vec<&str>) = (red.split(' ').collect(), blue.split(' ').collect());
        let turns = red.iter().enumerate().flat_map(|(i, red)| [Some(*red), blue.get(i).copied()]);
        turns.flatten().collect::<Vec<_>>().join(" ")
    };
    is("havannah-3", &with("c1 d1 e1", "c3 c4"), FIRST);
    // Sides north, southeast and northwest: d1, c2, b2; c3, d3, d4. None of them is a corner.
    is("havannah-3", &with("d1 c2 b2 c3 d3 d4", "a3 e1 a5 e3 c5"), FIRST);
    is("havannah-3", &with("d1 c2 b2 c3 d3", "a3 e1 a5 e3"), NOBODY);
    // Around the middle, which is empty, blue's, or red's own.
    is("havannah-3", &with("c2 d2 b3 d3 b4 c4", "a3 e1 a5 e3 c1"), FIRST);
    is("havannah-3", &with("c2 d2 b3 d3 b4 c4", "a3 e1 a5 e3 c3"), FIRST);
    is("havannah-3", &with("c3 c2 d2 b3 d3 b4 c4", "a3 e1 a5 e3 c5 c1"), FIRST);
    // Three that touch each other enclose nothing.
    is("havannah-3", &with("c3 c2 d2", "a3 e1"), NOBODY);
}

#[test]
fn tex_is_around_the_middle() {
    // Blue begins; the middle is c3, and two more stones lead to the rim.
    is("tex-3", "a3 c2 e1 c1", FIRST);
    is("tex-3", "c2 a3 d2 e1 d3 a5 c4 e3 b4 c5 b3", SECOND);
    is("tex-2", "a2 b1", FIRST);
}

#[test]
fn edges_are_joined_or_cut() {
    is("shannon-edges-2x2", "a1-b1 a1-a2 b1-b2", FIRST);
    is("shannon-edges-2x2", "a1-b1 b1-b2", NOBODY);
    is("shannon-edges-2x2", "a1-b1 b1-b2 a2-b2 a1-a2", SECOND);
}

#[test]
fn bridges_cross_each_other() {
    // One cell, where red goes down.
    is("bridg-it-1", "a1", FIRST);
    // Columns of red are a and c, rows of blue 1 and 3; b2 lets red go across and blue down.
    is("bridg-it-2", "a1 c1 b2 a3", NOBODY);
    is("bridg-it-2", "a1 c1 a3", FIRST);
    is("bridg-it-2", "a1 a3 b2 c3", SECOND);
    is("bridg-it-2", "a1 a3 b2 c1 c3", FIRST);
}

#[test]
fn sets_are_completed_or_spoiled() {
    is("in-a-row-3x3x3", "a1 b1 a2 b2 a3", FIRST);
    is("in-a-row-3x3x3", "a1 b1 a2 a3 b3 b2 c2 c3 c1", (true, [50, 50]));
    is("in-a-row-4x2x3", "a1 a2 b1 b2 d1 c2", SECOND);
    is("cube-3^3", "a1.1 b1.1 b2.2 a1.2 c3.3", FIRST);
    is("set-coloring-2x2x2", "a1 b1 b2", FIRST);
    // Rows of two on two columns and one row: one cell spoils it.
    is("set-coloring-2x1x2", "a1 b1", SECOND);
}

/// The output of a command that succeeds, or what it says against it.
fn ludolog(args: &[&str]) -> (bool, String) {
    let (status, told, complaints) = run(".", args, "");
    (status == 0, if status == 0 { told } else { complaints })
}

/// Four of the five countries are neighbors of each other, so three colors are not enough; with four, Alice begins with a, and answers
/// d by e in the same color, and b by c. Bridg-it and Y are won by who moves first, Hex with swap and Beck's Hex by the
/// other, and nobody needs to lose in TRex.
#[test]
fn small_games_have_the_values_of_theorems() {
    for (name, value) in [
        ("coloring-3", [0, 100]),
        ("coloring-4", [100, 0]),
        ("bridg-it-2", [100, 0]),
        ("y-3", [100, 0]),
        ("hex-swap-2x2", [0, 100]),
        ("hex-beck-3x3", [0, 100]),
        ("trex-2x2", [50, 50]),
    ] {
        let (_, solved) = ludolog(&["game", "solve", name, "--format", "json"]);
        let solved: serde_json::Value = serde_json::from_str(&solved).expect("JSON");
        assert_eq!(solved["goals"], serde_json::json!(value), "{name}");
    }
}

/// By theorem, whoever begins wins Bridg-it and Hex on a square, and the side with the shorter borders wins Rex on other
/// boards whoever begins; on a square of even side, who begins.
#[test]
fn another_role_begins() {
    for (name, first, winner) in [
        ("bridg-it-2", "blue", "blue"),
        ("hex-in-y-3x3", "blue", "blue"),
        ("rex-2x2", "blue", "blue"),
        ("rex-2x3", "red", "red"),
        ("rex-2x3", "blue", "red"),
        ("hex-cylinder-4x2", "BLUE", "red"),
        ("in-a-row-4x3x3", "nought", "nought"),
    ] {
        let (_, solved) = ludolog(&["game", "solve", name, "--begins", first]);
        assert!(solved.starts_with(&format!("{name}: {winner} wins 100 to 0, ")), "{name}: {solved}");
    }
    let (_, text) = ludolog(&["games", "show", "rex-2x2", "--begins", "blue"]);
    assert!(text.contains("\n(begins blue)\n") && !text.contains("\n(begins red)\n"), "{text}");
    let (_, drawn) = ludolog(&["game", "show", "hex-graph-2x2", "--begins", "blue"]);
    assert!(drawn.contains("(turn blue)"), "{drawn}");
    let trees = |first| ludolog(&["prove", "short", "--bridg-it", "3", "--begins", first]);
    assert!(trees("short").1.contains("tree 2"));
    assert_eq!(
        run(".", &["prove", "short", "--bridg-it", "3", "--begins", "cut"], "").1,
        "who begins wins, and cut begins\n"
    );
    assert!(ludolog(&["positional", "solve", "--mnk", "4x3x3", "--begins", "o"]).1.starts_with("O wins"));
    let proved = ludolog(&["prove", "draw", "--mnk", "4x4x4", "--begins", "o"]).1;
    assert!(proved.contains("X cannot win, by strategy stealing"), "{proved}");
}

/// A file of one's own states it too, in either syntax; what has the turn in its first state is told.
#[test]
fn who_begins_is_a_fact() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "role(a). role(b). begins(a). base(turn(R)) :- role(R). input(R, go) :- role(R). init(turn(R)) :- begins(R).\n\
                 legal(R, go) :- role(R). next(turn(a)). terminal :- true(turn(b)). goal(R, 50) :- role(R).";
    std::fs::write(folder.path().join("own.dl"), rules).expect("it can be written");
    let show = |args: &[&str]| run(&folder, &[&["game", "show"], args].concat(), "");
    assert!(show(&["own.dl", "--begins", "b"]).1.contains("turn(b)"));
    let (_, piped, _) = run(&folder, &["game", "show", "-", "--syntax", "dl", "--begins", "b"], rules);
    assert!(piped.contains("turn(b)"), "{piped}");
    let refused = |args: &[&str]| {
        let (status, _, told) = show(args);
        assert_eq!(status, 2, "{told}");
        told
    };
    assert_eq!(refused(&["own.dl", "--begins", "c"]), "error: there is no role `c`; there are a, b\n");
    let told = refused(&["hex-3x3", "--begins", "blue"]);
    assert!(told.contains("its first state has the turn, which --begins cannot change"), "{told}");
}

/// A third role decides who of two others wins: the tie is told, and that neither can force it. In Gale's Hex on a cube of
/// eight cells the first player wins against both others: a corner links to four cells on the opposite face, of which they
/// take two.
#[test]
fn ties_and_coalitions_of_three_roles_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "(role a) (role b) (role c) (base start) (base (won a)) (base (won b)) (init start)
        (input a wait) (input b wait) (input c (give a)) (input c (give b))
        (legal a wait) (legal b wait) (legal c (give a)) (legal c (give b)) (<= (next (won ?r)) (does c (give ?r)))
        (<= terminal (true (won ?r))) (<= (goal ?r 100) (true (won ?r)))
        (<= (goal a 0) (not (true (won a)))) (<= (goal b 0) (not (true (won b)))) (goal c 50)";
    std::fs::write(folder.path().join("kingmaker.kif"), rules).expect("it can be written");
    let (_, told, _) = run(&folder, &["game", "tree", "kingmaker.kif"], "");
    let expected = "3 states\nagainst all others each can force: a 0, b 0, c 50\na 100, b 0, c 50 in 1 joint move\n\
                    ├─ wait wait (give a): a 100, b 0, c 50 over, best\n\
                    └─ wait wait (give b): a 0, b 100, c 50 over, as good\n";
    assert_eq!(told, expected);
    let (_, told) = ludolog(&["game", "tree", "hex-cube-2^3", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["tree"]["forced"], serde_json::json!([100, 0, 0]));
}

#[test]
fn games_are_made_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    // A bridge of Wheatstone: two ways of two edges, and one across.
    let bridge = "edge(s, a). edge(s, b). edge(a, t). edge(b, t). edge(a, b). source(s). target(t).";
    let graph = write("bridge.dl", bridge);
    let cut_first = write("cut-first.dl", &format!("{bridge} begins(cut)."));
    let sets = write("sets.txt", "set: a b\nset: b c\nset: c a\n");
    let solved = |show: &[&str]| {
        let (made, text) = ludolog(&[&["games", "show"], show].concat());
        assert!(made, "{text}");
        let path = write("game.kif", &text);
        let (clean, checked) = ludolog(&["check", &path]);
        assert!(clean && checked.contains("0 warnings"), "{checked}");
        let goals = |game: &[&str]| {
            let (_, solved) = ludolog(&[&["game", "solve", "--format", "json"], game].concat());
            serde_json::from_str::<serde_json::Value>(&solved).expect("JSON")["goals"].clone()
        };
        // The game of the copy is that of the options.
        assert_eq!(goals(&[&path]), goals(show));
        goals(show)
    };
    // Two disjoint spanning trees would need six edges of five: who moves first wins on edges.
    assert_eq!(solved(&["shannon-edges", "--graph", &graph]), serde_json::json!([100, 0]));
    assert_eq!(solved(&["shannon-edges", "--graph", &cut_first]), serde_json::json!([0, 100]));
    // On vertices a and b are a bridge for Short: either will do.
    assert_eq!(solved(&["shannon-vertices", "--graph", &cut_first]), serde_json::json!([100, 0]));
    assert_eq!(
        solved(&["coloring", "--size", "3", "--graph", &write("k2.kif", "(edge a b)")]),
        serde_json::json!([100, 0])
    );
    let borders = "border(top, s). border(bottom, a). border(bottom, b). border(left, a). border(right, b).";
    let hex = write("hex.dl", &format!("{bridge} {borders}"));
    assert_eq!(solved(&["hex-graph", "--graph", &hex]), serde_json::json!([100, 0]));
    assert_eq!(solved(&["in-a-row", "--sets", &sets]), serde_json::json!([100, 0]));
    assert_eq!(solved(&["set-coloring", "--sets", &sets]), serde_json::json!([100, 0]));

    // Other commands take the same options; a copy and a match have the names of the game and of the file.
    let (copied, told) =
        ludolog(&["games", "copy", "coloring", "--size", "3", "--graph", &graph, &folder.path().to_string_lossy()]);
    assert!(copied && told.ends_with("coloring-3-bridge.kif\n"), "{told}");
    let (played, record) = ludolog(
        &[
            &["match", "shannon-edges", "--graph", &graph, "random", "random", "--format", "json"][..],
            &["--start-clock", "100ms", "--play-clock", "10ms"],
        ]
        .concat(),
    );
    assert!(played && record.contains("\"gameName\": \"shannon-edges-bridge\""), "{record}");
    let (played, text) = ludolog(&["play", "in-a-row", "--sets", &sets, "--against", "random"]);
    assert!(played && text.starts_with("in-a-row-sets: you are cross, nought is random\n"), "{text}");
    let (explained, text) = ludolog(&["game", "explain", "y", "--size", "2", "legal(red, place(b2))"]);
    assert!(explained && text.contains("(cell b2)"), "{text}");

    let told = |args: &[&str], message: &str| {
        let (made, text) = ludolog(args);
        assert!(!made && text.contains(message), "{text}");
    };
    told(&["games", "show", "y", "--graph", &graph], "`y` takes no graph; these games do: hex-graph, shannon-vertices");
    told(&["games", "show", "y", "--sets", &sets], "takes no winning sets; these games do: in-a-row, set-coloring");
    told(&["games", "show", "hex-graph", "--graph", &graph], "the border `top` has no node");
    told(&["games", "show", "shannon-edges", "--graph", &write("arc.dl", "arc(a, b).")], "no fact of a graph");
    told(&["games", "show", "y", "--size", "0"], "cells a side (1 to 19), as in 4");
    told(&["games", "show", "havannah", "--size", "2x3"], "`2x3` is no size of it: cells a side (2 to 10)");
    told(&["play", "y", "--size", "0"], "cells a side (1 to 19), as in 4");
    for game in [&["play", "hex", "--size", "99"][..], &["play", "hex-99"], &["game", "show", "hex-cluster-99"]] {
        told(game, "a board of 99x99 is larger");
    }
    for game in [&["play", "hex", "--size", "0"][..], &["play", "hex-0"], &["game", "show", "hex-cluster-0"]] {
        told(game, "`0x0` is no size of it: columns (1 to 19) x rows (1 to 19)");
    }
    told(&["play", "hex", "--size", "2x0"], "`2x0` is no size of it: columns (1 to 19) x rows (1 to 19)");
    told(&["play", "hex-swap", "--size", "99"], "columns (1 to 19) x rows (1 to 19)");
    told(&["play", "hex-board"], "no file of this name comes with Ludolog");
    told(&["game", "solve", &graph, "--size", "3"], "--size, --graph and --sets are for games that come with Ludolog");
    told(&["game", "solve", "shannon-edges", "--graph", "none.dl"], "there is no file `none.dl`");
    told(&["match", "y-1000", "random", "random"], "`1000` is no size of it");
    told(&["games", "show", "havanah-4"], "did you mean `std:games/havannah-4.kif`");
}

/// The winner and the number of moves do not depend on how nodes and points are called, and no name puts anything into the rules.
#[test]
fn names_are_any_constants() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    let solved = |arguments: &[&str]| {
        let (_, text) = ludolog(&[&["game", "solve", "--format", "json"], arguments].concat());
        let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        ["goals", "states", "distance"].map(|key| &document[key]).map(Clone::clone)
    };
    let long = "n".repeat(10_000);
    let plain = ["s", "u", "v", "t"];
    let odd = [
        ["'New York'", "'A'", "a", "'m) (terminal) (x'"],
        ["'1'", "1", "'-1'", "-1"],
        ["'role'", "'|'", "'\\''", "''"],
        ["'a-b'", "'c'", "'a'", "'b-c'"],
        ["'x@bf'", "'distinct'", "'\u{e9}\u{c9}'", &format!("'{long}'")],
    ];
    let graph = |[s, u, v, t]: [&str; 4]| {
        format!(
            "edge({s}, {u}). edge({s}, {v}). edge({u}, {t}). edge({v}, {t}). edge({u}, {v}). source({s}). target({t})."
        )
    };
    for game in ["shannon-edges", "shannon-vertices"] {
        let expected = solved(&[game, "--graph", &write("plain.dl", &graph(plain))]);
        for names in odd {
            assert_eq!(solved(&[game, "--graph", &write("odd.dl", &graph(names))]), expected, "{game} {names:?}");
        }
    }
    // Edges without names of their own are told apart although their nodes are joined by dashes.
    let dashes = "edge('a-b', c). edge(a, 'b-c'). edge('a-b', a). edge(c, 'b-c'). source('a-b'). target('b-c').";
    let letters = "edge(s, c). edge(a, t). edge(s, a). edge(c, t). source(s). target(t).";
    let by_name = [dashes, letters].map(|text| solved(&["shannon-edges", "--graph", &write("dashes.dl", text)]));
    assert_eq!(by_name[0], by_name[1]);

    let sets = |[a, b, c]: [&str; 3]| write("sets.txt", &format!("set: {a} {b}\nset: {b} {c}\nset: {c} {a}\n"));
    let expected = solved(&["in-a-row", "--sets", &sets(["a", "b", "c"])]);
    for names in [["a", "A", "\u{e9}"], ["not", "(", ")(terminal"], ["p@bf", "1", "|"], ["x", "y", &long]] {
        assert_eq!(solved(&["in-a-row", "--sets", &sets(names)]), expected, "{names:?}");
    }
}
