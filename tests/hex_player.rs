//! The player of Hex and its advice: winning moves of solved positions, seeds, connections that threaten.

use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::connection::{ConnectionLimits, Connections};
use ludolog::hex::player::advice::{Advice, advice, winning_move};
use ludolog::hex::player::expert::{Opinion, expert};
use ludolog::hex::player::playout::BorderedBoard;
use ludolog::hex::player::{ChoiceReason, Effort, choose};
use ludolog::hex::position::Position;
use ludolog::hex::random::Random;
use ludolog::hex::solver::Solver;
use ludolog::hex::survey::MustPlay;
use ludolog::syntax::budget::SystemClock;
use std::sync::Arc;
use std::time::Duration;

fn effort(playouts: u64) -> Effort {
    Effort { time: None, playouts: Some(playouts), nodes: 100_000 }
}

/// Positions with their whole sets of winning moves, found by brute force elsewhere.
const SOLVED: &[(&str, &[&str])] = &[
    ("size: 4x4\nto-move: blue\nred: a1 a2\nblue: d3\n", &["b3"]),
    ("size: 4x4\nto-move: blue\nred: a4 b2 b3 b4\nblue: a3 b1 d4\n", &["c1"]),
    ("size: 4x4\nto-move: red\nred: b4\nblue: c3\n", &["b3"]),
    ("size: 4x4\nto-move: blue\nred: b2\n", &["b3"]),
    ("size: 5x5\nto-move: red\nred: a3 b2 c3 c4 d1 e1\nblue: a2 b3 b5 c5 d5 e4\n", &["a5"]),
    ("size: 5x5\nto-move: blue\nred: a2 c5 d2 d3 e2 e4\nblue: a3 b3 c3 c4 e3\n", &["d4"]),
    ("size: 5x5\nto-move: red\nred: c1 c5 d3 e5\nblue: a1 a3 b3 c2\n", &["e1", "d2"]),
    ("size: 6x6\nto-move: blue\nred: a4 c3 d4 d5 e1 e2 e4 e5 f1 f4 f6\nblue: a1 a3 a6 b1 b2 b3 c2 e3 f2 f3\n", &["d3"]),
    ("size: 6x6\nto-move: red\nred: a2 b1 b3 c1 c4 d4 e4 e5 f1 f3\nblue: a3 a5 a6 c6 d3 d6 e2 e6 f2 f5\n", &["b6"]),
    ("size: 6x6\nto-move: blue\nred: a2 b5 b6 c2 c6 d3 d5 e1 f3 f4\nblue: a3 a5 a6 b4 d1 d2 d4 e3 f1\n", &["e2", "c4"]),
];

#[test]
fn a_winning_move_is_found() {
    for (text, winning) in SOLVED {
        let position = Position::parse(text, Sources::new().add("test", *text)).unwrap();
        let player = position.to_move.unwrap();
        let choice = choose(&position, player, &effort(5000), &Budget::unlimited(), &mut Random::new(1)).unwrap();
        let name = position.board().name(choice.cell);
        assert!(winning.contains(&name.as_str()), "{name} instead of {winning:?}, {}\n{text}", choice.reason);
    }
}

#[test]
fn advice_never_loses_a_winning_move() {
    for (text, winning) in SOLVED {
        let position = Position::parse(text, Sources::new().add("test", *text)).unwrap();
        let name = |cell: &Cell| position.board().name(*cell);
        let player = position.to_move.unwrap();
        match advice(&position, player) {
            Advice::Won => {
                let cell = name(&winning_move(&position, player).unwrap().0);
                assert!(winning.contains(&cell.as_str()), "{cell}\n{text}");
            }
            Advice::Among(cells) => {
                let among: Vec<String> = cells.iter().map(name).collect();
                assert!(winning.iter().all(|cell| among.contains(&(*cell).to_owned())), "{among:?}\n{text}");
            }
            Advice::Lost(_) => panic!("won by {winning:?}\n{text}"),
        }
    }
}

#[test]
fn it_beats_random_moves() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let me = Player::BOTH[seed as usize % 2];
        let mut position = Position::new(Board::new(5, 5).unwrap());
        let mut player = Player::Red;
        while position.winner().is_none() {
            let cell = if player == me {
                choose(&position, me, &effort(300), &Budget::unlimited(), &mut random).unwrap().cell
            } else {
                let empty: Vec<Cell> = position.empty_cells().collect();
                empty[random.below(empty.len())]
            };
            position.place(player, cell);
            player = player.opponent();
        }
        assert_eq!(position.winner(), Some(me), "seed {seed}:\n{position}");
    }
}

#[test]
fn the_solver_is_asked_when_there_is_time() {
    // On 5x5 Red's a1 loses, but no connection of Blue's shows it.
    let position = Position::parse("size: 5x5\nred: a1\n", Sources::new().add("test", "")).unwrap();
    let effort = Effort { time: Some(Duration::from_secs(60)), ..effort(1) };
    let budget = Budget::unlimited().with_clock(Arc::new(SystemClock::default()));
    let choice = choose(&position, Player::Blue, &effort, &budget, &mut Random::new(1)).unwrap();
    assert!(matches!(choice.reason, ChoiceReason::Solved | ChoiceReason::Connection(_)), "{}", choice.reason);
}

#[test]
fn the_same_seed_makes_the_same_move() {
    let position = Position::new(Board::new(7, 7).unwrap());
    let moves =
        [1, 1].map(|seed| choose(&position, Player::Red, &effort(500), &Budget::unlimited(), &mut Random::new(seed)));
    assert_eq!(moves[0], moves[1]);
    let mut full = Position::new(Board::new(1, 1).unwrap());
    let last = full.board().cell_of_number(1).unwrap();
    assert_eq!(
        choose(&full, Player::Red, &Effort::default(), &Budget::unlimited(), &mut Random::new(1)).unwrap().cell,
        last
    );
    full.place(Player::Red, last);
    assert_eq!(choose(&full, Player::Red, &Effort::default(), &Budget::unlimited(), &mut Random::new(1)), None);
}

/// What is said of a position.
fn on(text: &str, player: Player) -> String {
    let position = Position::parse(text, Sources::new().add("test", text)).unwrap();
    let names = |cells: Vec<Cell>| {
        let names: Vec<String> = cells.into_iter().map(|cell| position.board().name(cell)).collect();
        names.join(" ")
    };
    match advice(&position, player) {
        Advice::Won => {
            let (cell, size) = winning_move(&position, player).unwrap();
            format!("win {} {size}", position.board().name(cell))
        }
        Advice::Among(cells) => format!("among {}", names(cells)),
        Advice::Lost(cells) => format!("lost {}", names(cells)),
    }
}

#[test]
fn a_bridge_to_each_edge_has_won() {
    // Red's b2 is joined to the top over b1 and c1, to the bottom over a3 and b3.
    let text = ". . .\n . R .\n  . . .\n";
    assert_eq!(on(text, Player::Blue), "lost b1 c1 a3 b3");
    // One bridge is played out, the other stays.
    let won = on(text, Player::Red);
    assert!(["b1", "c1", "a3", "b3"].map(|cell| format!("win {cell} 2")).contains(&won), "{won}");
}

#[test]
fn a_threat_is_to_be_met() {
    // Red's a3 touches the last row at a4; b3 and b4 threaten nothing without it. The move wins besides.
    let advice = on("B R B .\n B R . .\n  R . . .\n   . . B .\n", Player::Blue);
    assert!(advice.starts_with("win a4") || advice == "among a4", "{advice}");
    assert!(on(". . .\n . . .\n  . . .\n", Player::Blue).starts_with("win "), "who moves first on 3x3 wins");
}

#[test]
fn boards_without_stones_and_large_ones() {
    assert_eq!(on("size: 3x3\n", Player::Red), "win b2 4");
    assert!(on("size: 20x20\n", Player::Red).starts_with("among a1 b1"));
}

#[test]
fn the_last_gap_must_be_entered() {
    // On a board of one column Red has a1. Red joins the edges by a2, and in no other way.
    let mut position = Position::new(Board::new(1, 2).expect("a board"));
    let first = position.board().cell(0, 0).expect("a cell");
    position.place(Player::Red, first);
    let limits = ConnectionLimits::USUAL.on(position.board());
    let must_play = MustPlay::<1>::against(&Connections::of_position(&position, Player::Red, limits));
    assert_eq!((must_play.mover, must_play.carriers), (Player::Blue, 1));
    assert_eq!(must_play.to_string(), "blue to move must play in the one known way of red: a2");
}

#[test]
fn the_moves_of_open_positions_have_one_that_wins() {
    let board = Board::new(5, 5).unwrap();
    let mut expert = expert(board).unwrap();
    let solver = Solver::new(board).unwrap();
    let mut open = 0;
    // The map of 5×5, from independent solvers.
    for (cell, winner) in board.cells().zip("BBBBRBRRRRBRRRBRRRRBRBBBB".chars()) {
        let mut position = Position::new(board);
        position.place(Player::Red, cell);
        match expert.opinion(&BorderedBoard::new(&position), Player::Blue) {
            Opinion::Won => assert_eq!(winner, 'B', "{}", board.name(cell)),
            Opinion::Lost => assert_eq!(winner, 'R', "{}", board.name(cell)),
            Opinion::Open { moves, .. } if winner == 'B' => {
                open += 1;
                let is_winning = |&(cell, _): &(Cell, f32)| {
                    solver.wins_after(&position, Player::Blue, cell, 1, &Budget::unlimited()).unwrap()
                };
                assert!(moves.iter().any(is_winning), "{}: {moves:?}", board.name(cell));
            }
            Opinion::Open { .. } => {}
        }
    }
    assert!(open > 0, "no position was open");
}

/// Without `to-move`, the player with fewer stones moves: here Blue, who has to stop Red's chain.
#[test]
fn who_has_fewer_stones_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("position.txt"), "R .\n . .\n").expect("a file");
    let told = |player: &[&str]| {
        let args = [&["hex", "play", "position.txt", "--playouts", "20"], player].concat();
        crate::binary::ludolog(folder.path(), &args).assert().success().get_output().stdout.clone()
    };
    assert_eq!(told(&[]), told(&["--to-move", "blue"]));
    // Blue has a2 alone: with b1, Red makes a chain by a2.
    assert!(told(&[]).starts_with(b"a2 "));
}
