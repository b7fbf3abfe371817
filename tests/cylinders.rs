//! Hex on cylinders by deduction: against brute force on the graph as document 003 defines it, against the rulesheet of the
//! family, and the proofs against the checker.

use crate::binary::run;
use crate::certificate::{Oracle, mutated, sealed};
use crate::games;
use crate::small_boards::{
    BruteForce, SmallBoard, assert_solved, bits, position, positions, reached, set, solver, winner,
};
use ludolog::certificate::Certificate;
use ludolog::engine::Budget;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::certificate::WinCertificate;
use ludolog::hex::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use ludolog::hex::inferior::{Rings, Stones};
use ludolog::hex::position::Position;
use ludolog::hex::random::Random;
use ludolog::hex::solver::proof::{self, Unproved};
use ludolog::propnet::NetMachine;
use ludolog::solve::solve;
use std::num::NonZero;

/// The graph of Walderhaug, *Hex*, 2022, section 8.7.3. Stones are bits.
struct CylinderGraph {
    around: usize,
    height: usize,
    neighbors: Vec<u32>,
}

impl CylinderGraph {
    fn new(around: usize, height: usize) -> CylinderGraph {
        let bit = |column: usize, row: usize| 1u32 << (row * around + column % around);
        let mut neighbors = Vec::new();
        for row in 0..height {
            for column in 0..around {
                let mut beside = bit(column + around - 1, row) | bit(column + 1, row);
                if row > 0 {
                    beside |= bit(column, row - 1) | bit(column + 1, row - 1);
                }
                if row + 1 < height {
                    beside |= bit(column, row + 1) | bit(column + around - 1, row + 1);
                }
                neighbors.push(beside);
            }
        }
        CylinderGraph { around, height, neighbors }
    }

    /// Whether these cells join top and bottom.
    fn joins(&self, cells: u32) -> bool {
        let row = (1u32 << self.around) - 1;
        reached(&self.neighbors, cells & row, cells) >> (self.around * (self.height - 1)) != 0
    }
}

impl SmallBoard for CylinderGraph {
    fn cells(&self) -> usize {
        self.neighbors.len()
    }

    fn winner(&self, [red, blue]: [u32; 2]) -> Option<Player> {
        let all = (1u32 << self.cells()) - 1;
        if self.joins(red) { Some(Player::Red) } else { (!self.joins(all & !blue)).then_some(Player::Blue) }
    }
}

fn cylinder(around: usize, height: usize) -> Board {
    Board::cylinder(around, height).expect("a board")
}

#[test]
fn boards_and_their_names() {
    assert_eq!(cylinder(5, 3).to_string(), "hex-cylinder-5x3");
    for name in ["5x3", "hex-cylinder-5x3", "hex-cylinder-3x1"] {
        assert_eq!(Board::from_name(name).expect(name).to_string(), name);
    }
    for name in ["hex-cylinder-2x3", "hex-cylinder-3x0", "hex-cylinder-05x3", "hex-cylinder-", "cylinder-5x3", "05x3"] {
        assert_eq!(Board::from_name(name), None, "{name}");
    }
    assert_ne!(cylinder(5, 3), Board::new(5, 3).expect("a board"));
}

/// Turns, mirror images, upside down: 4·m of them, each keeping neighbors and exchanging or keeping the rims.
#[test]
fn symmetries_keep_neighbors() {
    for (around, height) in [(3, 1), (3, 4), (4, 3), (5, 5), (6, 2)] {
        let board = cylinder(around, height);
        let symmetries = board.symmetries();
        for images in &symmetries {
            for cell in board.cells() {
                let sorted = |mut cells: Vec<Cell>| {
                    cells.sort_unstable();
                    cells
                };
                let moved = board.neighbors(cell).map(|next| images[next.index()]).collect();
                assert_eq!(sorted(moved), sorted(board.neighbors(images[cell.index()]).collect()), "{board}");
                let is_rim = |cell| board.is_first(Player::Red, cell) || board.is_last(Player::Red, cell);
                assert_eq!(is_rim(cell), is_rim(images[cell.index()]));
            }
        }
        let mut different = symmetries.clone();
        different.push(board.cells().collect());
        different.sort_unstable();
        different.dedup();
        // In a single row, upside down is a mirror image.
        assert_eq!(different.len(), if height == 1 { 2 } else { 4 } * around, "{board}");
    }
}

/// Who wins, with one solver for all positions and with one for each.
#[test]
fn positions_are_solved_as_by_brute_force() {
    for (around, height, step) in [(3, 1, 1), (3, 2, 1), (4, 2, 7), (3, 3, 31), (5, 2, 61), (4, 3, 997)] {
        assert_solved(cylinder(around, height), CylinderGraph::new(around, height), step);
    }
}

/// Whatever the rules connect, top to bottom and around, wins, though all cells outside of the carrier are the opponent's.
#[test]
fn connections_hold() {
    let mut found = [0; 2];
    for (around, height, step) in [(3, 2, 1), (4, 2, 5), (3, 3, 17), (5, 2, 43), (4, 3, 1499), (3, 4, 1499)] {
        let board = cylinder(around, height);
        let mut brute = BruteForce::new(CylinderGraph::new(around, height));
        for (stones, player) in
            positions(board.len(), step).flat_map(|stones| Player::BOTH.map(|player| (stones, player)))
        {
            let opponent = player.opponent();
            let [mine, theirs] = [player, opponent].map(|player| set(stones[player as usize]));
            let connections = Connections::new(board, player, mine, theirs, ConnectionLimits::SOLVING);
            assert_eq!(connections.is_won(), brute.winner(stones) == Some(player), "{board}: {stones:?}");
            for (kind, to_move) in [(ConnectionKind::Full, opponent), (ConnectionKind::Semi, player)] {
                for carrier in connections.carriers(ConnectionEnd::FIRST, ConnectionEnd::LAST, kind) {
                    let mut given = stones;
                    given[opponent as usize] |= ((1 << board.len()) - 1) & !bits(carrier) & !stones[player as usize];
                    assert!(
                        brute.wins(player, given, to_move),
                        "{board}: {player}'s {kind} connection in {carrier:?} with stones {stones:?}"
                    );
                    found[player as usize] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&found| found > 2_000), "{found:?}");
}

/// Cells that are filled in, and moves that are left out, change nothing.
#[test]
fn inferior_cells_do_not_matter() {
    let mut counts = [0; 4];
    for (around, height, step) in [(3, 1, 1), (3, 2, 1), (4, 2, 1), (3, 3, 3), (5, 2, 11), (4, 3, 499)] {
        let board = cylinder(around, height);
        let rings = Rings::new(board);
        let mut brute = BruteForce::new(CylinderGraph::new(around, height));
        for (stones, to_move) in
            positions(board.len(), step).flat_map(|stones| Player::BOTH.map(|player| (stones, player)))
        {
            if brute.winner(stones).is_some() {
                continue;
            }
            let mut filled: Stones<1> = stones.map(set);
            let fill_in = rings.fill_in(&mut filled);
            counts[0] += fill_in.dead.len();
            counts[1] += (fill_in.captured[0] | fill_in.captured[1]).len();
            let after = filled.map(bits);
            let wins = brute.wins(to_move, stones, to_move);
            assert_eq!(brute.wins(to_move, after, to_move), wins, "{board}: {stones:?} is not {after:?}");
            if brute.winner(after).is_some() {
                continue;
            }
            let empty = CellSet::first_cells(board.len()) - (filled[0] | filled[1]);
            let inferior = rings.inferior_moves(to_move, empty, &filled);
            counts[2] += inferior.vulnerable.len();
            counts[3] += inferior.dominated.len();
            let left = inferior.cells().fold(empty, CellSet::without);
            let mut wins_by = |cell: Cell| {
                let mut next = after;
                next[to_move as usize] |= 1 << cell.index();
                brute.wins(to_move, next, to_move.opponent())
            };
            assert_eq!(left.iter().any(&mut wins_by), wins, "{board}: {after:?}, {to_move} has {left:?}");
        }
    }
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
}

/// The rulesheet of the family, solved by labels of all states.
#[test]
fn the_rulesheet_has_the_same_winner() {
    for (around, height) in [(3, 2), (3, 3), (4, 2), (5, 2)] {
        let board = cylinder(around, height);
        let machine = NetMachine::new(&games::net(&format!("std:games/{board}.kif")), Budget::unlimited());
        let two = NonZero::new(2).expect("two threads");
        let solution = solve(&machine, two, None, &Budget::unlimited(), &mut |_| {});
        let value = solution.initial().and_then(|label| label.value).expect("the first state has a value");
        let found = winner(&solver(board), &Position::new(board), Player::Red);
        assert_eq!(found, if value == 100 { Player::Red } else { Player::Blue }, "{board}");
        let (_, told, _) = run(".", &["game", "solve", &board.to_string(), "--begins", "blue"], "");
        let found = winner(&solver(board), &Position::new(board), Player::Blue);
        assert!(told.starts_with(&format!("{board}: {found} wins 100 to 0")), "{told}");
    }
}

/// The certificate of who wins the empty board, as it is written.
fn certificate(board: Board, to_move: Player) -> Result<String, Unproved> {
    let empty = Position::new(board);
    let solver = solver(board);
    let winner = winner(&solver, &empty, to_move);
    let certificate = proof::certificate(&solver, &empty, to_move, winner, &Budget::unlimited(), &|_| ());
    certificate.map(|certificate| certificate.to_text())
}

#[test]
fn proofs_are_accepted_and_forged_ones_refused() {
    let random = &mut Random::new(5);
    let mut refused = 0;
    for (around, height) in [(3, 1), (3, 2), (3, 3), (4, 2), (5, 2)] {
        for to_move in Player::BOTH {
            let text = certificate(cylinder(around, height), to_move).expect("a proof");
            let accepted = WinCertificate::accept(text.as_bytes()).expect("accepted");
            assert_eq!((accepted.winner(), accepted.board()), (Player::Red, cylinder(around, height)));
            let mut oracle = Oracle::default();
            for _ in 0..300 {
                let altered = mutated(&text, random);
                match WinCertificate::accept(sealed(&altered).as_bytes()) {
                    Ok(certificate) => assert!(oracle.claim(&certificate), "accepted:\n{altered}"),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 2_000, "{refused}");
}

/// A proof over the seam is none on the rhombus, nor one of pairs on the cylinder, nor one of a chain around it.
#[test]
fn proofs_of_other_boards_are_refused() {
    let text = certificate(cylinder(3, 3), Player::Blue).expect("a proof");
    let refusal = |text: &str| {
        let (text, _) = text.split_at(text.find("sha256").unwrap_or(text.len()));
        WinCertificate::accept(sealed(text).as_bytes()).expect_err("refused").to_string()
    };
    assert!(refusal(&text.replace("hex-cylinder-3x3", "3x3")).contains("do not touch"));
    assert_eq!(refusal(&text.replace("-3x3", "-2x3")), "line 2: `hex-cylinder-2x3` is no board size");
    let pairs = ludolog::hex::certificate::pairing(Board::new(4, 3).expect("a board")).expect("pairs").to_text();
    assert_eq!(
        refusal(&pairs.replace("board 4x3", "board hex-cylinder-4x3")),
        "line 2: there are no proofs by pairs on a cylinder"
    );
    let around =
        "ludolog certificate 1\nboard hex-cylinder-3x1\nred\nblue a1 b1 c1\nto-move any\nwinner blue\ntouch left a1\n";
    assert_eq!(refusal(&format!("{around}win 7\n")), "line 7: left and a1 do not touch");
    let won = position(cylinder(3, 1), [0, 7]);
    let blue = proof::certificate(&solver(won.board()), &won, Player::Red, Player::Blue, &Budget::unlimited(), &|_| ());
    assert_eq!(blue, Err(Unproved::Around));
}

#[test]
fn the_command_takes_the_name_of_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["hex", "solve", "hex-cylinder-5x3", "--begins", "blue", "--all-openings", "--proof", "proof.txt"];
    let (code, told, _) = run(folder.path(), &args, "");
    assert_eq!(code, 0, "{told}");
    assert!(told.starts_with("red wins with blue to move, whatever the move"), "{told}");
    let verify = |position| run(folder.path(), &["verify", "proof.txt", "--position", position], "");
    let (code, told, _) = verify("hex-cylinder-5x3");
    assert!(code == 0 && told.starts_with("accepted: red wins on hex-cylinder-5x3"), "{told}");
    let (code, told, _) = verify("5x3");
    assert!(code == 1 && told.contains("the proof is for hex-cylinder-5x3, the position is 5x3"), "{told}");
    let (code, _, error) = run(folder.path(), &["hex", "solve", "hex-cylinder-2x3"], "");
    assert!(code == 2 && error.contains("columns around (3 to 19)"), "{error}");
}
