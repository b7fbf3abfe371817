//! Games of the family in random play, against oracles that read no rules, and against games of which they are cases.

use crate::games::net;
use ludolog::engine::Budget;
use ludolog::family::board::CellGraph;
use ludolog::family::board::hexagons::{cylinder, hexagon_of_hexagons, triangle};
use ludolog::family::board::tiling::Tiling;
use ludolog::game::{Draw, State, StateMachine, StateMachineExt, canonical};
use ludolog::propnet::NetMachine;
use ludolog::syntax::ast::Term;
use petgraph::unionfind::UnionFind;
use std::collections::HashSet;

/// The moves of the roles but `wait`, with the number of the role.
fn moves(game: &mut impl StateMachine, state: &State) -> Vec<(usize, String)> {
    let legal = game.legal_terms(state).expect("there is no limit");
    let of = |(role, (_, moves)): (usize, &(_, Vec<_>))| -> Vec<(usize, String)> {
        moves.iter().map(|made| (role, canonical::text(made))).filter(|(_, made)| made != "wait").collect()
    };
    legal.iter().enumerate().flat_map(of).collect()
}

/// The state after a move of one role while the others wait.
fn next(game: &mut impl StateMachine, state: &State, (role, made): &(usize, String)) -> State {
    let legal = game.legal_terms(state).expect("there is no limit");
    let of = |(other, (_, moves)): (usize, &(_, Vec<_>))| {
        let made = if other == *role { made.as_str() } else { "wait" };
        moves.iter().find(|term| canonical::text(term) == made).expect("it is legal").clone()
    };
    let joint: Vec<_> = legal.iter().enumerate().map(of).collect();
    let joint = game.joint_move(state, &joint).expect("it is legal");
    game.next_state(state, &joint).expect("there is no limit")
}

/// Whether a state is terminal, and its goals.
fn value(game: &mut impl StateMachine, state: &State) -> (bool, Vec<i64>) {
    let goals = game.goals(state).expect("there is no limit");
    let terminal = game.is_terminal(state).expect("there is no limit");
    (terminal, goals.into_iter().map(|goal| goal.expect("one goal")).collect())
}

fn machine(name: &str) -> NetMachine {
    NetMachine::new(&net(&format!("std:games/{name}.kif")), Budget::unlimited())
}

/// Plays at random and shows each state: the stones with their sides, whether it is terminal, and the goals.
fn playouts(name: &str, count: u64, mut see: impl FnMut(&[(String, String)], bool, &[i64])) {
    let mut game = machine(name);
    for seed in 0..count {
        let mut random = Draw::new(seed);
        let mut state = game.initial_state().clone();
        // No more moves than there are cells.
        for _ in 0..=400 {
            let facts: Vec<String> = game.facts(&state).iter().map(canonical::text).collect();
            let stones: Vec<(String, String)> = facts
                .iter()
                .filter_map(|fact| {
                    let (side, cell) = fact.strip_prefix("(stone ")?.strip_suffix(')')?.split_once(' ')?;
                    Some((side.to_owned(), cell.to_owned()))
                })
                .collect();
            let (terminal, goals) = value(&mut game, &state);
            see(&stones, terminal, &goals);
            if terminal {
                break;
            }
            let moves = moves(&mut game, &state);
            state = next(&mut game, &state, &moves[random.below(moves.len())]);
        }
        assert!(game.is_terminal(&state).expect("there is no limit"), "{name} ends");
    }
}

/// The cells of a side by number.
fn cells_of(board: &CellGraph, stones: &[(String, String)], side: &str) -> Vec<usize> {
    let cells = stones.iter().filter(|(of, _)| of == side);
    cells.map(|(_, cell)| board.cell(cell).expect("a cell")).collect()
}

/// Groups of cells that are linked.
fn groups(board: &CellGraph, cells: &[usize]) -> Vec<Vec<usize>> {
    let mut joined = UnionFind::new(board.cells.len());
    for &(a, b) in board.links.iter().filter(|(a, b)| cells.contains(a) && cells.contains(b)) {
        joined.union(a, b);
    }
    let roots: HashSet<usize> = cells.iter().map(|&cell| joined.find(cell)).collect();
    roots.into_iter().map(|root| cells.iter().copied().filter(|&cell| joined.find(cell) == root).collect()).collect()
}

/// The number of borders that a group touches, of these.
fn touched(board: &CellGraph, group: &[usize], borders: &[&str]) -> usize {
    let borders = board.borders.iter().filter(|border| borders.contains(&border.name));
    borders.filter(|border| border.cells.iter().any(|cell| group.contains(cell))).count()
}

/// Whether a group touches all of these borders.
fn links(board: &CellGraph, cells: &[usize], borders: &[&str]) -> bool {
    groups(board, cells).iter().any(|group| touched(board, group, borders) == borders.len())
}

/// Asserts that a game ends where red or blue has won, as told by a function, and not before.
fn ends_where(name: &str, board: &CellGraph, count: u64, won: impl Fn(&str, &[usize]) -> bool) -> [usize; 3] {
    let mut results = [0; 3];
    playouts(name, count, |stones, terminal, goals| {
        let [red, blue] = ["red", "blue"].map(|side| won(side, &cells_of(board, stones, side)));
        let full = stones.len() == board.cells.len();
        assert_eq!(terminal, red || blue || full, "{name}: {stones:?}");
        let expected = match (red, blue) {
            (true, false) => [100, 0],
            (false, true) => [0, 100],
            _ => [50, 50],
        };
        assert_eq!(goals, expected, "{name}: {stones:?}");
        if terminal {
            results[usize::from(!red) + usize::from(!red && !blue)] += 1;
        }
    });
    results
}

#[test]
fn tilings_are_joined_as_union_find_says() {
    let by_borders = |board: &CellGraph, side: &str, cells: &[usize]| match side {
        "red" => links(board, cells, &["top", "bottom"]),
        _ => links(board, cells, &["left", "right"]),
    };
    for (name, tiling) in [
        ("hex-4.8.8-4x3", Tiling::Octagons),
        ("hex-3.12.12-3x3", Tiling::Dodecagons),
        ("hex-4.6.12-3x2", Tiling::DodecagonsApart),
        ("hex-graph-4x4", Tiling::Squares),
    ] {
        let size = name.rsplit_once('-').expect("a size").1;
        let (columns, rows) = size.split_once('x').expect("columns and rows");
        let board = tiling.board(columns.parse().expect("a number"), rows.parse().expect("a number"));
        let results = ends_where(name, &board, 30, |side, cells| by_borders(&board, side, cells));
        // Three cells meet in every corner, or four.
        assert_eq!(results[2] == 0, tiling != Tiling::Squares, "{name}: {results:?}");
        assert!(results[0] > 0 && results[1] > 0, "{name}: {results:?}");
    }
}

#[test]
fn a_y_is_as_union_find_says() {
    let board = triangle(5);
    let results = ends_where("y-5", &board, 30, |_, cells| links(&board, cells, &["left", "right", "base"]));
    assert!(results[0] > 0 && results[1] > 0 && results[2] == 0, "{results:?}");
}

/// Blue's chains on the cylinder unrolled: one leads around it if it links a cell to its copy.
#[test]
fn chains_around_the_cylinder_link_copies() {
    const COPIES: usize = 9;
    let columns = 4;
    let rows = 3;
    let board = cylinder(columns, rows);
    let around = |cells: &[usize]| {
        let width = columns * COPIES;
        let has = |x: usize, y: usize| cells.contains(&(y * columns + x % columns));
        let mut joined = UnionFind::new(width * rows);
        for (x, y) in (0..width).flat_map(|x| (0..rows).map(move |y| (x, y))).filter(|&(x, y)| has(x, y)) {
            let forward = [(x + 1, y), (x, y + 1), (x.wrapping_sub(1), y + 1)];
            for (x2, y2) in forward.into_iter().filter(|&(x2, y2)| x2 < width && y2 < rows && has(x2, y2)) {
                joined.union(y * width + x, y2 * width + x2);
            }
        }
        let middle = columns * (COPIES / 2);
        cells.iter().any(|cell| {
            let at = cell / columns * width + middle + cell % columns;
            joined.equiv(at, at + columns)
        })
    };
    let results = ends_where("hex-cylinder-4x3", &board, 40, |side, cells| match side {
        "red" => links(&board, cells, &["top", "bottom"]),
        _ => around(cells),
    });
    assert!(results[0] > 0 && results[1] > 0 && results[2] == 0, "{results:?}");
}

/// Whether a closed chain of these cells has a cell inside, by trying all; inside is what a ray to the right leaves by
/// an odd number of crossings. With a cell given, that one is inside.
fn encloses(board: &CellGraph, cells: &[usize], wanted: Option<usize>) -> bool {
    let neighbors = board.neighbors();
    // Cells at the end of a chain are in no closed one.
    let mut cells = cells.to_vec();
    let is_within =
        |cell: usize, cells: &[usize]| neighbors[cell].iter().filter(|next| cells.contains(next)).count() >= 2;
    while let Some(end) = cells.iter().position(|&cell| !is_within(cell, &cells)) {
        cells.swap_remove(end);
    }
    let is_inside = |path: &[usize], cell: usize| {
        let (x, y) = board.cells[cell].center;
        // A bit below the row of centers, so that no corner is on the ray.
        let y = y + 1.0;
        let ends =
            path.iter().zip(path.iter().cycle().skip(1)).map(|(&a, &b)| [board.cells[a].center, board.cells[b].center]);
        let crossed = ends.filter(|[a, b]| (a.1 > y) != (b.1 > y) && a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0) > x);
        crossed.count() % 2 == 1
    };
    fn extend(
        path: &mut Vec<usize>,
        cells: &[usize],
        neighbors: &[Vec<usize>],
        is_ring: &dyn Fn(&[usize]) -> bool,
    ) -> bool {
        let last = path[path.len() - 1];
        for &next in neighbors[last].iter().filter(|next| cells.contains(next)) {
            if next == path[0] && path.len() >= 6 && is_ring(path) {
                return true;
            }
            // The first cell of a chain has its least number.
            if next > path[0] && !path.contains(&next) {
                path.push(next);
                if extend(path, cells, neighbors, is_ring) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }
    let is_ring = |path: &[usize]| match wanted {
        Some(cell) => !path.contains(&cell) && is_inside(path, cell),
        None => (0..board.cells.len()).any(|cell| !path.contains(&cell) && is_inside(path, cell)),
    };
    cells.iter().any(|&first| extend(&mut vec![first], &cells, &neighbors, &is_ring))
}

#[test]
fn havannah_is_as_brute_force_says() {
    let sides = ["north", "northeast", "southeast", "south", "southwest", "northwest"];
    let corners = ["corner1", "corner2", "corner3", "corner4", "corner5", "corner6"];
    for (side, count) in [(3, 60), (4, 10)] {
        let board = hexagon_of_hexagons(side);
        let chained = |cells: &[usize]| {
            let group =
                |group: &Vec<usize>| touched(&board, group, &corners) >= 2 || touched(&board, group, &sides) >= 3;
            groups(&board, cells).iter().any(group)
        };
        let name = format!("havannah-{side}");
        let results = ends_where(&name, &board, count, |_, cells| chained(cells) || encloses(&board, cells, None));
        assert!(results[0] > 0 && results[1] > 0, "{results:?}");

        // Stones of red alone, denser inside, where they make rings without bridges and forks.
        let mut game = machine(&name);
        let is_inside: Vec<bool> = board.neighbors().iter().map(|next| next.len() == 6).collect();
        let mut seen = [0; 3];
        for seed in 0..10 * count {
            let mut random = Draw::new(seed);
            let share = 40 + random.below(35);
            let mut has = |cell: &usize| random.below(100) < if is_inside[*cell] { share } else { share / 6 };
            let cells: Vec<usize> = (0..board.cells.len()).filter(&mut has).collect();
            let stone = |&cell: &usize| {
                Term::compound("stone", ["red", &board.cells[cell].name.to_string()].map(Term::symbol).to_vec())
            };
            let turn = Term::compound("turn", vec![Term::symbol("blue")]);
            let facts = cells.iter().map(stone).chain([turn]).collect();
            let state = game.state_of(facts).expect("a state");
            let chained = chained(&cells);
            let ring = encloses(&board, &cells, None);
            assert_eq!(game.is_terminal(&state), Ok(chained || ring), "{name} by seed {seed}");
            seen[if chained { 0 } else { 1 + usize::from(ring) }] += 1;
        }
        assert!(seen.iter().all(|&seen| seen >= 5), "chains, nothing, rings: {seen:?}");
    }
}

#[test]
fn tex_is_as_brute_force_says() {
    let mut board = hexagon_of_hexagons(3);
    let rim: Vec<usize> = board.borders.iter().flat_map(|border| border.cells.clone()).collect();
    let middle = board.cell("c3").expect("a cell");
    board.borders.truncate(2);
    (board.borders[0].name, board.borders[0].cells) = ("middle", vec![middle]);
    (board.borders[1].name, board.borders[1].cells) = ("rim", rim);
    let results = ends_where("tex-3", &board, 200, |side, cells| match side {
        "red" => links(&board, cells, &["middle", "rim"]),
        _ => encloses(&board, cells, Some(middle)),
    });
    assert!(results[0] > 0 && results[1] > 0 && results[2] == 0, "{results:?}");
}

/// Plays the same moves at random in two games, where a move of the first is another one in the second, and compares
/// what is legal, when they end, and the goals, those of the second game in another order if `reversed`.
fn same(one: &str, other: &str, count: u64, reversed: bool, translated: impl Fn(&str) -> String) {
    let mut game = machine(one);
    let mut twin = machine(other);
    for seed in 0..count {
        let mut random = Draw::new(seed);
        let mut state = game.initial_state().clone();
        let mut other_state = twin.initial_state().clone();
        loop {
            let (value, mut other_value) = (value(&mut game, &state), value(&mut twin, &other_state));
            if reversed {
                other_value.1.reverse();
            }
            assert_eq!(value, other_value, "{one} and {other} by seed {seed}");
            if value.0 {
                break;
            }
            let moves = moves(&mut game, &state);
            let translated: Vec<(usize, String)> = moves
                .iter()
                .map(|(role, made)| (*role, translated(made.trim_start_matches("(place ").trim_end_matches(')'))))
                .collect();
            let legal: HashSet<(usize, String)> = self::moves(&mut twin, &other_state).into_iter().collect();
            assert_eq!(translated.iter().cloned().collect::<HashSet<_>>(), legal, "{one} and {other} by seed {seed}");
            let chosen = random.below(moves.len());
            state = next(&mut game, &state, &moves[chosen]);
            other_state = next(&mut twin, &other_state, &translated[chosen]);
        }
    }
}

/// The column and row of a cell, from 1.
fn at(cell: &str) -> (usize, usize) {
    let (column, row) = cell.split_at(1);
    (usize::from(column.as_bytes()[0] - b'a') + 1, row.parse().expect("a row"))
}

fn by_column_and_row(cell: &str) -> String {
    let (column, row) = at(cell);
    format!("(place {column} {row})")
}

#[test]
fn hex_is_a_case_of_many_games() {
    // In Y, row r of the triangle is row r - c of Hex in column c, all from 0.
    let in_y = |cell: &str| {
        let (column, row) = at(cell);
        format!("(place {column} {})", row + 1 - column)
    };
    for size in ["1x1", "3x3", "4x2", "2x4"] {
        same(&format!("hex-in-y-{size}"), &format!("hex-{size}"), 10, false, in_y);
        same(&format!("shannon-vertices-{size}"), &format!("hex-{size}"), 10, false, by_column_and_row);
        same(&format!("rex-{size}"), &format!("hex-{size}"), 10, true, by_column_and_row);
    }
    // The first coordinate is red's, and cells touch where both rise.
    let of_cube = |cell: &str| {
        let digit = |i: usize| usize::from(cell.as_bytes()[i] - b'0');
        format!("(place {} {})", 5 - digit(2), digit(1))
    };
    same("hex-cube-4^2", "hex-4x4", 10, false, of_cube);
}

#[test]
fn tic_tac_toe_is_a_case_of_two_games() {
    let put = |cell: &str| by_column_and_row(cell).replace("place", "put");
    same("in-a-row-3x3x3", "tic-tac-toe", 20, false, put);
    same("cube-3^2", "tic-tac-toe", 20, false, put);
    let layered = |cell: &str| {
        let (cell, layer) = cell.split_once('.').expect("a layer");
        put(cell).replace(')', &format!(" {layer})"))
    };
    same("cube-3^3", "tic-tac-toe-3d", 10, false, layered);
    same("nim-1-3-5", "nim", 10, false, |made| {
        let (take, heap) = made.trim_end_matches(')').rsplit_once(' ').expect("a heap");
        let heap = match heap.trim_end_matches(')') {
            "a" => "small",
            "b" => "middle",
            _ => "large",
        };
        format!("{take} {heap})")
    });
}

/// Three players on a cube: each joins the faces of a dimension, and somebody does (Gale, 1979).
#[test]
fn somebody_joins_faces_of_a_cube() {
    let mut wins = [0; 3];
    playouts("hex-cube-3^3", 30, |_, terminal, goals| {
        let winners = goals.iter().filter(|&&goal| goal == 100).count();
        assert_eq!(winners, usize::from(terminal), "{goals:?}");
        goals.iter().zip(&mut wins).for_each(|(&goal, wins)| *wins += usize::from(goal == 100));
    });
    assert!(wins.iter().all(|&wins| wins > 0), "{wins:?}");
}

#[test]
fn bridg_it_has_no_draw() {
    let mut wins = [0; 2];
    playouts("bridg-it-3", 40, |_, terminal, goals| {
        assert_eq!(terminal, goals != [50, 50], "{goals:?}");
        goals.iter().zip(&mut wins).for_each(|(&goal, wins)| *wins += usize::from(goal == 100));
    });
    assert!(wins.iter().all(|&wins| wins > 0), "{wins:?}");
}
