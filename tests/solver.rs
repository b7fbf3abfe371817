//! The solver against brute force, independent results and theorems; its proofs against the checker.

use ludolog::certificate::Certificate;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::certificate::WinCertificate;
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use ludolog::hex::solver::{Solver, proof};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn board(size: &str) -> Board {
    size.parse().expect("a size")
}

fn solver(board: Board) -> Solver {
    Solver::new(board).expect("a board that is small enough")
}

fn position(text: &str) -> Position {
    Position::parse(text, Sources::new().add("test", text)).expect("a position")
}

fn winner(solver: &Solver, position: &Position, to_move: Player) -> Player {
    solver.winner(position, to_move, 1, &Budget::unlimited()).expect("not stopped")
}

/// The winning moves, each solved on its own.
fn winning_moves(solver: &Solver, position: &Position, to_move: Player) -> Vec<Cell> {
    let wins = |cell: &Cell| solver.wins_after(position, to_move, *cell, 1, &Budget::unlimited()).expect("not stopped");
    position.empty_cells().filter(wins).collect()
}

/// Exhaustive search; stones are bits by cell.
struct BruteForce {
    neighbors: Vec<u32>,
    /// By player, the cells at the first and at the last edge.
    edges: [[u32; 2]; 2],
    known: HashMap<([u32; 2], Player), bool>,
}

impl BruteForce {
    fn new(board: Board) -> BruteForce {
        let bits = |cells: &mut dyn Iterator<Item = Cell>| cells.map(|cell| 1 << cell.index()).sum();
        let edges = |player| {
            [
                bits(&mut board.cells().filter(|&cell| board.is_first(player, cell))),
                bits(&mut board.cells().filter(|&cell| board.is_last(player, cell))),
            ]
        };
        BruteForce {
            neighbors: board.cells().map(|cell| bits(&mut board.neighbors(cell))).collect(),
            edges: Player::BOTH.map(edges),
            known: HashMap::new(),
        }
    }

    fn stones(position: &Position) -> [u32; 2] {
        Player::BOTH.map(|player| position.stones_of(player).map(|cell| 1 << cell.index()).sum())
    }

    fn has_won(&self, stones: u32, player: Player) -> bool {
        let [first, last] = self.edges[player as usize];
        let mut reached = stones & first;
        let mut before = 0;
        while reached != before {
            before = reached;
            for (i, around) in self.neighbors.iter().enumerate() {
                if reached & 1 << i != 0 {
                    reached |= around & stones;
                }
            }
        }
        reached & last != 0
    }

    /// Whether the player to move wins.
    fn wins(&mut self, stones: [u32; 2], to_move: Player) -> bool {
        if let Some(&wins) = self.known.get(&(stones, to_move)) {
            return wins;
        }
        let opponent = to_move.opponent();
        let wins = !self.has_won(stones[opponent as usize], opponent)
            && (self.has_won(stones[to_move as usize], to_move)
                || (0..self.neighbors.len()).any(|cell| self.wins_by(cell, stones, to_move)));
        self.known.insert((stones, to_move), wins);
        wins
    }

    fn wins_by(&mut self, cell: usize, mut stones: [u32; 2], to_move: Player) -> bool {
        let is_empty = (stones[0] | stones[1]) & 1 << cell == 0;
        stones[to_move as usize] |= 1 << cell;
        is_empty && !self.wins(stones, to_move.opponent())
    }
}

#[test]
fn all_positions_of_3x3() {
    let board = board("3x3");
    let mut brute = BruteForce::new(board);
    let shared = solver(board);
    let mut count = 0;
    for code in 0..3usize.pow(9) {
        let mut position = Position::new(board);
        let mut rest = code;
        for cell in board.cells() {
            match rest % 3 {
                0 => {}
                digit => _ = position.place(Player::BOTH[digit - 1], cell),
            }
            rest /= 3;
        }
        let stones = BruteForce::stones(&position);
        let [red, blue] = stones.map(u32::count_ones);
        if red.abs_diff(blue) > 1 || position.winner().is_some() {
            continue;
        }
        for to_move in Player::BOTH {
            let wins = brute.wins(stones, to_move);
            let expected = if wins { to_move } else { to_move.opponent() };
            let alone = solver(board);
            assert_eq!(winner(&alone, &position, to_move), expected, "{to_move} to move in\n{position}");
            assert_eq!(winner(&shared, &position, to_move), expected, "{to_move} to move in\n{position}");
            let by = alone.winning_move(&position, to_move, 1, &Budget::unlimited()).expect("not stopped");
            assert_eq!(by.is_some(), wins);
            let is_right = by.is_none_or(|cell| brute.wins_by(cell.index(), stones, to_move));
            assert!(is_right, "{to_move} to move in\n{position}");
            count += 1;
        }
    }
    assert!(count > 5_000, "{count} positions were asked");
}

#[test]
fn all_winning_moves_of_positions_of_4x4() {
    let board = board("4x4");
    let mut brute = BruteForce::new(board);
    let mut random = Random::new(4);
    let shared = solver(board);
    for i in 0..300 {
        let position = scatter(board, 4 + i % 8, None, &mut random);
        let stones = BruteForce::stones(&position);
        if position.winner().is_some() {
            continue;
        }
        for to_move in Player::BOTH {
            let expected: Vec<Cell> =
                position.empty_cells().filter(|cell| brute.wins_by(cell.index(), stones, to_move)).collect();
            assert_eq!(winning_moves(&shared, &position, to_move), expected, "{to_move} to move in\n{position}");
            let found = winning_moves(&solver(board), &position, to_move);
            assert_eq!(found, expected, "{to_move} to move in\n{position}");
        }
    }
}

/// The winner for each opening move of Red. From two other solvers, which agree, and brute force up to 4x4.
const OPENINGS: [&[&str]; 4] = [
    &["BBR", "RRR", "RBB"],
    &["BBBR", "BBRB", "BRBB", "RBBB"],
    &["BBBBR", "BRRRR", "BRRRB", "RRRRB", "RBBBB"],
    &["BBBBBR", "BRRRRR", "RRRRRR", "RRRRRR", "RRRRRB", "RBBBBB"],
];

#[test]
fn openings() {
    for map in OPENINGS {
        let board = Board::new(map.len(), map.len()).expect("a board");
        let solver = solver(board);
        let empty = Position::new(board);
        let wins = winning_moves(&solver, &empty, Player::Red);
        let letter = |cell: Cell| if wins.contains(&cell) { 'R' } else { 'B' };
        let found: String = board.cells().map(letter).collect();
        assert_eq!(found, map.concat(), "{board}");
        assert_eq!(winner(&solver, &empty, Player::Red), Player::Red);
    }
}

#[test]
fn the_acute_corner_loses() {
    for n in 2..=6 {
        let board = Board::new(n, n).expect("a board");
        let corner = board.cell_of_name("a1").expect("a cell");
        for first in Player::BOTH {
            let mut position = Position::new(board);
            position.place(first, corner);
            assert_eq!(
                winner(&solver(board), &position, first.opponent()),
                first.opponent(),
                "{board}, {first} begins"
            );
        }
    }
}

#[test]
fn the_longer_side_wins_whoever_begins() {
    for n in 1..=18 {
        for (size, expected) in [((n, n + 1), Player::Blue), ((n + 1, n), Player::Red)] {
            let board = Board::new(size.0, size.1).expect("a board");
            let solver = solver(board);
            for first in Player::BOTH {
                let empty = Position::new(board);
                assert_eq!(winner(&solver, &empty, first), expected, "{board}, {first} begins");
                checked(&solver, &empty, first);
            }
            // Search has to agree: the strategy applies to empty boards only.
            if n <= 4 {
                assert_eq!(winning_moves(&solver, &Position::new(board), expected.opponent()), [], "{board}");
                assert_eq!(winning_moves(&solver, &Position::new(board), expected).len(), board.len(), "{board}");
            }
        }
    }
}

/// The accepted certificate that the solver's winner wins.
fn checked(solver: &Solver, position: &Position, to_move: Player) -> WinCertificate {
    let winner = winner(solver, position, to_move);
    let certificate = proof::certificate(solver, position, to_move, winner, &Budget::unlimited(), &|_| ());
    let text = certificate.expect("a proof").to_text();
    let accepted = WinCertificate::accept(text.as_bytes());
    let accepted = accepted.unwrap_or_else(|refusal| panic!("{refusal}, {to_move} to move in\n{position}\n{text}"));
    let mut claim = position.clone();
    claim.to_move = Some(to_move);
    assert_eq!(accepted.is_for(&claim), Ok(()));
    assert_eq!(accepted.winner(), winner);
    accepted
}

#[test]
fn proofs_of_6x6() {
    for (text, to_move) in [
        (". . . . . .\n . . . . . .\n  . . . . . .\n   . . . . . .\n    . . . . . .\n     . . . . . .\n", Player::Red),
        ("R . . . . .\n . . . . . .\n  . . . . . .\n   . . . . . .\n    . . . . . .\n     . . . . . .\n", Player::Blue),
        (". . . . . .\n . . . . . .\n  . . R . . .\n   . . . . . .\n    . . . . . .\n     . . . . . .\n", Player::Blue),
        (". . . . . .\n . R . . . .\n  . . B . . .\n   . . . . . .\n    . . . . B .\n     . . R . . .\n", Player::Red),
        (". . . . . .\n . R . . . .\n  . . B . . .\n   . . . . . .\n    . . . . B .\n     . . R . . .\n", Player::Blue),
    ] {
        let position = position(text);
        assert!(!checked(&solver(position.board()), &position, to_move).is_empty());
    }
}

/// A pattern decides a position of the search without a move: the move that it names has to win.
#[test]
fn moves_are_named_where_none_was_needed() {
    // A position of 7x7 that independent solvers say Blue wins by e3.
    let position = position("size: 7x7\nred: g1 f3\nblue: f2\n");
    let solver = solver(position.board());
    let found = solver.winning_move(&position, Player::Blue, 1, &Budget::unlimited()).expect("solved").expect("won");
    let fresh = self::solver(position.board());
    assert_eq!(fresh.wins_after(&position, Player::Blue, found, 1, &Budget::unlimited()), Ok(true));
    checked(&solver, &position, Player::Blue);
}

#[test]
fn a_finished_game_has_a_proof_whoever_is_to_move() {
    let position = position("R B .\n R B .\n  R . .\n");
    for to_move in Player::BOTH {
        let solver = solver(position.board());
        assert_eq!(solver.winning_move(&position, to_move, 1, &Budget::unlimited()), Ok(None));
        assert_eq!(checked(&solver, &position, to_move).winner(), Player::Red);
    }
}

#[test]
fn a_stopped_search_goes_on() {
    let empty = Position::new(board("7x7"));
    let from_scratch = solver(empty.board());
    let expected = winner(&from_scratch, &empty, Player::Red);

    let stopped = solver(empty.board());
    let flag = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while stopped.nodes() < from_scratch.nodes() / 2 {
                std::thread::sleep(Duration::from_micros(100));
            }
            flag.store(true, Ordering::Relaxed);
        });
        // A machine that is busy may set the flag too late.
        let _ = stopped.winner(&empty, Player::Red, 1, &Budget::unlimited().with_interrupt(flag.clone()));
    });
    let mut resumed = solver(empty.board());
    resumed.resume(&stopped.save()).expect("what was saved");
    assert_eq!(winner(&resumed, &empty, Player::Red), expected);
    let again = resumed.nodes();
    let all = from_scratch.nodes();
    assert!(again < all * 3 / 4, "{again} nodes of {all} were looked at again");
}

/// A table that was saved once is read by whatever comes after: no position is searched again.
#[test]
fn a_file_of_an_earlier_build_is_read() {
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/hex-4x4.state")).expect("the file");
    let empty = Position::new(board("4x4"));
    let mut resumed = solver(empty.board());
    resumed.resume(&file).expect("a file of this version");
    assert_eq!(winner(&resumed, &empty, Player::Red), winner(&solver(empty.board()), &empty, Player::Red));
    assert_eq!(resumed.nodes(), 0);
    let mut older = file;
    older[0] ^= 1;
    assert!(solver(empty.board()).resume(&older).is_err());
}

#[test]
fn boards_that_are_too_large() {
    for size in ["20x20", "19x20", "1x20"] {
        assert!(Solver::new(board(size)).is_none(), "{size}");
    }
    assert!(Solver::new(board("19x19")).is_some());
}

/// A position of a small board, won or not.
fn small() -> impl Strategy<Value = Position> {
    (3usize..=5, 3usize..=5, any::<u64>(), 2usize..12).prop_map(|(width, height, seed, stones)| {
        scatter(Board::new(width, height).expect("a board"), stones, None, &mut Random::new(seed))
    })
}

fn either() -> impl Strategy<Value = Player> {
    prop::sample::select(Player::BOTH.to_vec())
}

proptest! {
    #[test]
    fn exactly_one_player_wins_a_full_board(width in 1usize..=19, height in 1usize..=19, seed: u64, only_red in 0usize..4) {
        let board = Board::new(width, height).expect("a board");
        let mut random = Random::new(seed);
        // With more stones of one player, too.
        let mut position = scatter(board, only_red * board.len() / 4, Some(Player::Red), &mut random);
        let empty: Vec<Cell> = position.empty_cells().collect();
        for cell in empty {
            position.place(Player::BOTH[random.below(2)], cell);
        }
        let winner = position.winner().expect("a winner");
        prop_assert!(position.chain(winner).is_some());
        prop_assert_eq!(position.chain(winner.opponent()), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_proof_is_accepted(position in small(), to_move in either()) {
        checked(&solver(position.board()), &position, to_move);
    }

    #[test]
    fn a_winning_move_wins(position in small(), to_move in either()) {
        let solver = solver(position.board());
        let found = solver.winning_move(&position, to_move, 1, &Budget::unlimited()).expect("not stopped");
        if let Some(cell) = found {
            let fresh = self::solver(position.board());
            prop_assert_eq!(fresh.wins_after(&position, to_move, cell, 1, &Budget::unlimited()), Ok(true));
        } else {
            prop_assert!(position.winner().is_some() || winner(&solver, &position, to_move) != to_move);
        }
    }

    /// A half turn keeps the winner; mirroring with the colors exchanged exchanges it.
    #[test]
    fn symmetric_positions_have_symmetric_answers(position in small(), to_move in either()) {
        let board = position.board();
        let mirrored = Board::new(board.height(), board.width()).expect("a board");
        let mut turned = Position::new(board);
        let mut exchanged = Position::new(mirrored);
        for (player, cell) in position.stones() {
            let column = board.column(cell);
            let row = board.row(cell);
            turned.place(player, board.cell(board.width() - 1 - column, board.height() - 1 - row).expect("a cell"));
            exchanged.place(player.opponent(), mirrored.cell(row, column).expect("a cell"));
        }
        let expected = winner(&solver(board), &position, to_move);
        prop_assert_eq!(winner(&solver(board), &turned, to_move), expected);
        prop_assert_eq!(winner(&solver(mirrored), &exchanged, to_move.opponent()), expected.opponent());
    }
}

#[test]
fn a_saved_answer_needs_no_search() {
    let board = Board::new(6, 6).expect("a board");
    let winner = |solver: &Solver| solver.winner(&Position::new(board), Player::Red, 1, &Budget::unlimited());
    let first = Solver::new(board).expect("small enough");
    let red = winner(&first);
    assert_eq!((&red, first.nodes() > 0), (&Ok(Player::Red), true));
    let mut second = Solver::new(board).expect("small enough");
    second.resume(&first.save()).expect("the same board");
    assert_eq!((winner(&second), second.nodes()), (red, 0));
}
