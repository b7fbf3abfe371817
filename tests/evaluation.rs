//! Evaluations against figures worked by hand, symmetry, and brute force.

use crate::binary;
use assert_cmd::Command;
use ludolog::diagnostic::Sources;
use ludolog::hex::connection::ConnectionEnd;
use ludolog::hex::evaluation::{self, Evaluation, Measure, resistance};
use ludolog::hex::random::{Random, scatter};
use ludolog::hex::{Board, Cell, Player, Position, draw};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashMap;

fn parse(text: &str) -> Position {
    Position::parse(text, Sources::new().add("position", text)).unwrap()
}

fn empty(width: usize, height: usize) -> Position {
    Position::new(Board::new(width, height).unwrap())
}

fn evaluate(name: &str, position: &Position) -> Evaluation {
    evaluation::named(name).unwrap().evaluate(position)
}

/// Red's figure, then Blue's.
fn values(name: &str, position: &Position) -> (f64, f64) {
    let evaluation = evaluate(name, position);
    (evaluation.red.value, evaluation.blue.value)
}

/// The figures of a player's cells, row by row; -1 for a stone.
fn figures(name: &str, position: &Position, player: Player) -> Vec<f64> {
    let evaluation = evaluate(name, position);
    position.board().cells().map(|cell| evaluation.of(player).figure(cell).unwrap_or(-1.0)).collect()
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!(value == expected || (value - expected).abs() < 1e-9, "{value} instead of {expected}");
}

const INFINITE: f64 = f64::INFINITY;

#[test]
fn distance_by_hand() {
    assert_eq!(values("distance", &empty(1, 1)), (1.0, 1.0));
    assert_eq!(values("distance", &empty(5, 3)), (3.0, 5.0));
    // Red goes down the right column, Blue below the stone.
    let position = parse("B R .\n . . .\n  . . .");
    assert_eq!(values("distance", &position), (2.0, 3.0));
    // Two cells complete b1 a2 a3, b1 b2 a3 and b1 b2 b3. Neither c1, c2 nor c3 is on a chain that lacks less than
    // three.
    assert_eq!(figures("distance", &position, Player::Red), [-1.0, -1.0, 3.0, 2.0, 2.0, 3.0, 2.0, 2.0, 3.0]);
}

#[test]
fn two_distance_by_hand() {
    assert_eq!(values("two-distance", &empty(1, 1)), (2.0, 2.0));
    // From the bottom a2 and b2 are at 1; b1 sees both and is at 2; a1 sees a2 and then only b1, and is at 3. From the
    // top it is the same, turned.
    assert_eq!(figures("two-distance", &empty(2, 2), Player::Red), [4.0, 3.0, 3.0, 4.0]);
    assert_eq!(evaluate("two-distance", &empty(2, 2)).red.potential(), 2);
    // In a single column every cell has one neighbor ahead, so that the opponent closes it anywhere.
    assert_eq!(values("two-distance", &empty(1, 2)), (INFINITE, 2.0));
    // Over the stone in b2 the cells around it are neighbors: a bridge up, a bridge down.
    let position = parse(". . .\n . R .\n  . . .");
    let red = evaluate("two-distance", &position).red;
    assert_eq!((red.value, red.potential()), (3.0, 4));
}

#[test]
fn flow_by_hand() {
    // Between two rows of n cells there are 2n − 1 links.
    assert_eq!(values("flow", &empty(2, 2)), (3.0, 3.0));
    assert_eq!(values("flow", &empty(3, 3)), (5.0, 5.0));
    assert_eq!(values("flow", &empty(4, 2)), (7.0, 3.0));
    assert_eq!(figures("flow", &empty(2, 2), Player::Red), [1.0, 2.0, 2.0, 1.0]);
    // One stone short of a win, the flow is infinite.
    assert_eq!(values("flow", &empty(1, 1)), (INFINITE, INFINITE));
    assert_eq!(figures("flow", &parse("R .\n . ."), Player::Red), [-1.0, 0.0, INFINITE, 0.0]);
    // Red has to go through a2 and a3. Cutting a2–a3 or a3–a4 is enough, but a2 has two links upwards.
    let position = parse(". . .\n . B B\n  . B B\n   . . .");
    assert_eq!(values("flow", &position).0, 1.0);
    assert_eq!(figures("flow", &position, Player::Red)[3], 1.0);
    assert_eq!(values("flow", &parse("B B B\n . . .\n  . . .")).0, 0.0);
}

/// Red's and Blue's resistance without connections.
fn plain(position: &Position) -> (f64, f64) {
    let [red, blue] = Player::BOTH.map(|player| resistance::side(position, player, &[]).value);
    (red, blue)
}

#[test]
fn resistance_by_hand() {
    // A column: 1 for the wire from the edge, 2 between cells, 1 for the wire to the other edge.
    assert_near(plain(&empty(1, 1)).0, 2.0);
    assert_near(plain(&empty(1, 3)).0, 6.0);
    // Across the column: three times 2 in parallel; the wires between the cells carry nothing.
    assert_near(plain(&empty(1, 3)).1, 2.0 / 3.0);
    // With 1 volt above and 0 below, turning the board exchanges a1 with b2 and b1 with a2, so a1 = 1 − b2 and
    // b1 = 1 − a2. Kirchhoff at a1: (1 − a1) + (b1 − a1)/2 + (a2 − a1)/2 = 0 gives a1 = 3/4; at b1:
    // (1 − b1) + (a1 − b1)/2 + (b2 − b1)/2 + (a2 − b1)/2 = 0 gives b1 = 2/3. The current is 1/4 + 1/3 = 7/12.
    assert_near(plain(&empty(2, 2)).0, 12.0 / 7.0);
    let side = resistance::side(&empty(2, 2), Player::Red, &[]);
    let cells = empty(2, 2).board().cells().map(|cell| side.figure(cell).unwrap());
    // Into b1: 1/3 from the edge and (3/4 − 2/3)/2 from a1.
    let into_b1 = 1.0 / 3.0 + 1.0 / 24.0;
    for (cell, current) in cells.zip([1.0 / 4.0, into_b1, into_b1, 1.0 / 4.0]) {
        assert_near(cell, current * 12.0 / 7.0);
    }
    // From the stone 1 to a2; from there to the edge 1, and in parallel 2 + 1 by b2.
    assert_near(plain(&parse("R B\n . .")).0, 1.0 + 3.0 / 4.0);
    assert_near(plain(&parse("R B\n . B")).0, 2.0);
}

#[test]
fn connections_are_wires() {
    let position = empty(1, 3);
    let [a1, a2, a3]: [ConnectionEnd; 3] =
        std::array::from_fn(|row| ConnectionEnd::Cell(position.board().cell(0, row).unwrap()));
    let red =
        |connections: &[(ConnectionEnd, ConnectionEnd)]| resistance::side(&position, Player::Red, connections).value;
    // From the edge to a2 there are 1 + 2, and in parallel the new wire of 1; then 2 + 1.
    assert_near(red(&[(ConnectionEnd::FIRST, a2)]), 3.0 / 4.0 + 3.0);
    // The same wire twice, or between neighbors, is none.
    assert_near(
        red(&[(ConnectionEnd::FIRST, a2), (a2, ConnectionEnd::FIRST), (a1, a2), (a3, ConnectionEnd::LAST)]),
        3.0 / 4.0 + 3.0,
    );
    assert_eq!(red(&[(ConnectionEnd::LAST, ConnectionEnd::FIRST)]), 0.0);
    // The evaluation takes the full connections: here none but the neighbors; on 2x2 the edges are joined over b1 a2.
    assert_near(values("resistance", &position).0, 6.0);
    // Blue has the left edge to a2 by 1 and in parallel 1 + 2, then 2 + 1.
    let (red, blue) = values("resistance", &parse(". R\n . ."));
    assert_eq!(red, 0.0);
    assert_near(blue, 3.0 / 4.0 + 3.0);
    // No wire leads to a stone of the opponent.
    let closed = parse(".\n B\n  .");
    assert_eq!(resistance::side(&closed, Player::Red, &[(ConnectionEnd::FIRST, a2)]).value, INFINITE);
    assert_near(resistance::side(&closed, Player::Red, &[(a1, a3)]).value, 4.0);
}

#[test]
fn y_reduction_by_hand() {
    for n in [1, 2, 3, 7] {
        assert_near(values("y-reduction", &empty(n, n)).0, 0.5);
    }
    // One column of two: a triangle of a1, a2 and a blue cell beside them; Red needs both.
    assert_eq!(values("y-reduction", &empty(1, 2)), (0.25, 0.75));
    assert_eq!(figures("y-reduction", &empty(1, 2), Player::Red), [0.5, 0.5]);
    // A won position has value 1 exactly, whatever cells are empty.
    let won = parse(". R . . .\n . R B . .\n  . R . B .\n   . R . . .\n    . R . . .");
    assert_eq!(values("y-reduction", &won), (1.0, 0.0));
    assert!(figures("y-reduction", &won, Player::Red).into_iter().all(|figure| figure <= 0.0));
    // Two by two, Y with sides of 3: a1 b1 blue / a2 b2 / red. With a stone of Red in b1, upright, the first step
    // leaves maj(½, 1, ½) = ¾ and maj(1, 0, ½) = ½ above maj(½, ½, 1) = ¾; of these ¾·½ + ½·¾ + ¾·¾ − 2·¾·½·¾ = 3/4.
    // Turned, the stone is in a2: maj(½, ½, 1) = ¾ and maj(½, 0, ½) = ¼ above maj(1, ½, 1) = 1, and maj(¾, ¼, 1) =
    // 13/16.
    assert_near(values("y-reduction", &parse(". R\n . .")).0, 25.0 / 32.0);
}

/// Estimates in exact fractions, by hand: on n cells in a row Blue needs all of them, and each reduction squares twice.
#[test]
fn y_reduction_is_certain_of_nothing_but_wins() {
    for (width, exponent) in [(3, -4), (5, -16), (7, -64)] {
        let (red, blue) = values("y-reduction", &empty(width, 1));
        assert_eq!(blue, 2f64.powi(exponent), "{width}");
        assert!(red < 1.0 && red >= 1.0 - 2f64.powi(exponent) - f64::EPSILON, "{width}: {red}");
    }
    assert_eq!(figures("y-reduction", &empty(3, 1), Player::Blue), [0.125, 0.25, 0.125]);
    // Too small for a float, and still no win.
    let (red, blue) = values("y-reduction", &empty(40, 1));
    assert!(red < 1.0 && blue > 0.0);
    // Red leads by a hundred powers of ten, and has no chain; by exact fractions Blue has 3.670990476991677e-100.
    let rows = [
        ". B . . . R R",
        "R . B . R . .",
        ". . . . R . B",
        ". . . B R R .",
        ". R R R . R .",
        ". R . B . . R",
        ". . . . . . R",
    ];
    let open = parse(&rows.join("\n"));
    let (red, blue) = values("y-reduction", &open);
    assert!(red < 1.0 && (blue / 3.670_990_476_991_677e-100 - 1.0).abs() < 1e-9, "{red} {blue}");
    assert!(figures("y-reduction", &open, Player::Red).iter().any(|figure| *figure > 0.0));
    // Each player's figures are those of the other one in the mirrored game.
    let (_, blue) = values("y-reduction", &empty(7, 1));
    assert_eq!(values("y-reduction", &empty(1, 7)).0, blue);
}

/// The winner under optimal play when `mover` moves, by exhaustive search with memory.
fn solve(position: &Position, mover: Player, solved: &mut HashMap<Vec<Option<Player>>, Player>) -> Player {
    if let Some(winner) = position.winner() {
        return winner;
    }
    // The stones say whose turn it is.
    let stones: Vec<Option<Player>> = position.board().cells().map(|cell| position.stone(cell)).collect();
    if let Some(&winner) = solved.get(&stones) {
        return winner;
    }
    let mut wins = |cell: Cell| {
        let mut next = position.clone();
        next.place(mover, cell);
        solve(&next, mover.opponent(), solved) == mover
    };
    let winner = if position.empty_cells().any(&mut wins) { mover } else { mover.opponent() };
    solved.insert(stones, winner);
    winner
}

#[test]
fn two_distance_does_not_see_every_win() {
    // With c2, Red has a way up by d1 or a2, one down by d2 or a4, and from c2 to a3 one by b2 or b3. But no cell has
    // two ways to an edge before c2 is taken.
    let first = parse("R B B .\n . . . .\n  R . B R\n   . B B R");
    assert_eq!(values("two-distance", &first).0, INFINITE);
    assert_eq!(solve(&first, Player::Red, &mut HashMap::new()), Player::Red);
    // Twice the same, with a wall of Blue between them: Blue can close only one, and still Red is held to be cut off.
    let second = parse("R B B . B R B B .\n . . . . B . . . .\n  R . B R B R . B R\n   . B B R B . B B R");
    let evaluation = evaluate("two-distance", &second);
    assert_eq!((evaluation.red.value, evaluation.red.potential()), (INFINITE, 0));
    for player in Player::BOTH {
        assert_eq!(solve(&second, player, &mut HashMap::new()), Player::Red);
    }
}

fn mirrored(position: &Position) -> Position {
    let board = position.board();
    let mut mirrored = Position::new(Board::new(board.height(), board.width()).unwrap());
    for (player, cell) in position.stones() {
        mirrored.place(player.opponent(), mirror(board, cell));
    }
    mirrored
}

/// The image of a cell when the board is mirrored along the diagonal through a1.
fn mirror(board: Board, cell: Cell) -> Cell {
    let mirrored = Board::new(board.height(), board.width()).unwrap();
    mirrored.cell(board.row(cell), board.column(cell)).unwrap()
}

fn turned(position: &Position) -> Position {
    let mut turned = Position::new(position.board());
    for (player, cell) in position.stones() {
        turned.place(player, turn(position.board(), cell));
    }
    turned
}

fn turn(board: Board, cell: Cell) -> Cell {
    board.cell(board.width() - 1 - board.column(cell), board.height() - 1 - board.row(cell)).unwrap()
}

fn position() -> impl Strategy<Value = Position> {
    (1..8usize, 1..8usize, any::<u64>(), 0..=100usize).prop_map(|(width, height, seed, percent)| {
        let board = Board::new(width, height).unwrap();
        scatter(board, board.len() * percent / 100, None, &mut Random::new(seed))
    })
}

/// Equal but for rounding.
fn is_near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// Whether the first figure is no worse than the second.
fn is_no_worse(measure: &Measure, a: f64, b: f64) -> bool {
    is_near(a, b) || if measure.values == evaluation::FigureOrder::Low { a < b } else { a > b }
}

proptest! {
    #[test]
    fn the_mirror_exchanges_the_players(position in position()) {
        let mirrored = mirrored(&position);
        for measure in &evaluation::ALL {
            let here = measure.evaluate(&position);
            let there = measure.evaluate(&mirrored);
            prop_assert_eq!(here.ahead(), there.ahead().map(Player::opponent), "{}", measure.name);
            for player in Player::BOTH {
                let side = here.of(player);
                let other = there.of(player.opponent());
                prop_assert!(is_near(side.value, other.value), "{}: {} {}", measure.name, side.value, other.value);
                for cell in position.empty_cells() {
                    let a = side.figure(cell).unwrap();
                    let b = other.figure(mirror(position.board(), cell)).unwrap();
                    prop_assert!(is_near(a, b), "{}: {a} {b}", measure.name);
                }
            }
        }
    }

    #[test]
    fn half_a_turn_changes_nothing(position in position()) {
        let turned = turned(&position);
        for measure in &evaluation::ALL {
            let here = measure.evaluate(&position);
            let there = measure.evaluate(&turned);
            for player in Player::BOTH {
                let side = here.of(player);
                let other = there.of(player);
                prop_assert!(is_near(side.value, other.value), "{}: {} {}", measure.name, side.value, other.value);
                for cell in position.empty_cells() {
                    let a = side.figure(cell).unwrap();
                    let b = other.figure(turn(position.board(), cell)).unwrap();
                    prop_assert!(is_near(a, b), "{}: {a} {b}", measure.name);
                }
            }
        }
    }

    #[test]
    fn a_stone_never_harms_its_player(position in position(), chosen: prop::sample::Index) {
        let empty: Vec<Cell> = position.empty_cells().collect();
        prop_assume!(!empty.is_empty());
        for player in Player::BOTH {
            let mut more = position.clone();
            more.place(player, empty[chosen.index(empty.len())]);
            for measure in &evaluation::ALL {
                for side in Player::BOTH {
                    // Of resistance this is said without connections, of which a bound on carriers may take some away.
                    let value = |position: &Position| match measure.name {
                        "resistance" => resistance::side(position, side, &[]).value,
                        _ => measure.evaluate(position).of(side).value,
                    };
                    let before = value(&position);
                    let after = value(&more);
                    let (better, worse) = if side == player { (after, before) } else { (before, after) };
                    prop_assert!(is_no_worse(measure, better, worse), "{}: {before} {after}", measure.name);
                }
            }
        }
    }

    #[test]
    fn a_finished_game_has_a_winner_by_every_measure(width in 1..8usize, height in 1..8usize, seed: u64) {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, board.len(), None, &mut Random::new(seed));
        let winner = position.winner().unwrap();
        let extremes = [(0.0, INFINITE), (0.0, INFINITE), (INFINITE, 0.0), (0.0, INFINITE), (1.0, 0.0)];
        for (measure, (won, lost)) in evaluation::ALL.iter().zip(extremes) {
            let evaluation = measure.evaluate(&position);
            let [best, worst] = [winner, winner.opponent()].map(|player| evaluation.of(player).value);
            prop_assert_eq!((best, worst), (won, lost), "{}", measure.name);
            prop_assert_eq!(evaluation.ahead(), Some(winner));
        }
    }

    #[test]
    fn heat_is_a_share_of_one(position in position()) {
        for measure in &evaluation::ALL {
            let evaluation = measure.evaluate(&position);
            for player in [None, Some(Player::Red), Some(Player::Blue)] {
                for (cell, heat) in position.board().cells().zip(evaluation.heat(player)) {
                    prop_assert_eq!(heat.is_none(), position.stone(cell).is_some());
                    prop_assert!(heat.is_none_or(|heat| (0.0..=1.0 + 1e-9).contains(&heat)), "{}: {heat:?}", measure.name);
                }
            }
        }
    }
}

#[test]
fn the_current_crosses_every_line() {
    let position = empty(5, 4);
    let board = position.board();
    for player in Player::BOTH {
        let side = resistance::side(&position, player, &[]);
        for line in 0..board.lines(player) {
            let cells = board.cells().filter(|&cell| board.line(player, cell) == line);
            let current: f64 = cells.map(|cell| side.figure(cell).unwrap()).sum();
            // The current along the line counts at both of its cells.
            assert!(current >= 1.0 - 1e-9, "{current}");
        }
    }
    // In a single column all current flows straight.
    figures("resistance", &empty(1, 4), Player::Red).into_iter().for_each(|current| assert_near(current, 1.0));
}

fn ludolog(directory: &std::path::Path, args: &[&str]) -> Command {
    binary::ludolog(directory, &[&["hex", "evaluate"], args].concat())
}

#[test]
fn the_command_prints_json_that_is_json() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("won.txt"), "R B\n R .\n").unwrap();
    let output =
        ludolog(directory.path(), &["won.txt", "--format", "json"]).assert().success().get_output().stdout.clone();
    let json: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(json["board"], "2x2");
    let evaluations = json["evaluations"].as_array().unwrap();
    assert_eq!(evaluations.len(), 5);
    for evaluation in evaluations {
        assert_eq!(evaluation["ahead"], "red");
        for side in ["red", "blue"] {
            assert!(evaluation[side]["value"].is_number() || evaluation[side]["value"] == "infinite");
            assert_eq!(evaluation[side]["cells"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b2"]);
        }
    }
    assert_eq!((&evaluations[3]["red"]["value"], &evaluations[3]["blue"]["value"]), (&0.0.into(), &"infinite".into()));
    assert_eq!(evaluations[1]["red"]["potential"], 0);
}

#[test]
fn the_command_draws_pictures() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("start.txt"), "size: 3x3\nred: b2\n").unwrap();
    ludolog(directory.path(), &["start.txt", "--svg", "pictures"]).assert().success();
    for measure in &evaluation::ALL {
        let picture = directory.path().join("pictures").join(format!("{}.svg", measure.name));
        let picture = std::fs::read_to_string(picture).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        assert_eq!(picture.matches("<circle").count(), 1);
    }
    ludolog(directory.path(), &["start.txt", "--svg", "one.svg"]).assert().code(2);
    ludolog(directory.path(), &["start.txt", "--svg", "one.svg", "--only", "flow"]).assert().success();
    assert!(directory.path().join("one.svg").is_file());
    ludolog(directory.path(), &["start.txt", "--only", "beauty"]).assert().code(2);
    std::fs::write(directory.path().join("wide.txt"), "size: 101x2\nred: b2\n").unwrap();
    let wide = ludolog(directory.path(), &["wide.txt"]).assert().code(2);
    assert!(String::from_utf8_lossy(&wide.get_output().stderr).contains("101x2 is too large"));
}

#[test]
fn heat_maps_have_digits() {
    let position = parse("R . .\n . B .");
    let heat = [None, Some(0.0), Some(1.0), Some(0.5), None, Some(0.26)];
    assert_eq!(draw::heat_to_text(&position, &heat, false), "  a b c\n1 R 0 9\n 2 5 B 2\n");
    assert!(draw::heat_to_svg(&position, &heat, "a < b").contains("a &lt; b"));
}
