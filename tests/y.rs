//! Y by deduction: against brute force on triangles, against the family's board and rulesheet, and the proofs against the checker.

use crate::binary::run;
use crate::certificate::{Oracle, mutated, sealed};
use crate::games;
use crate::small_boards::{
    BruteForce, SmallBoard, assert_solved, bits, position, positions, reached, set, solver, winner,
};
use ludolog::certificate::Certificate;
use ludolog::engine::Budget;
use ludolog::family::board::hexagons::triangle;
use ludolog::hex::board::{Board, Cell, Player, Side};
use ludolog::hex::cells::CellSet;
use ludolog::hex::certificate::{DerivedConnection, ProofBuilder, ProofLine, WinCertificate};
use ludolog::hex::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use ludolog::hex::inferior::{Rings, Stones};
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use ludolog::hex::solver::proof;
use ludolog::propnet::NetMachine;
use ludolog::solve::solve;
use std::num::NonZero;

/// A triangle whose row r, from 0, has the cells (r, 0) to (r, r). Stones are bits.
struct TriangleGraph {
    neighbors: Vec<u32>,
    /// Left, right and base.
    sides: [u32; 3],
}

impl TriangleGraph {
    fn new(side: usize) -> TriangleGraph {
        let rows = 0..side as isize;
        let places: Vec<(isize, isize)> = rows.flat_map(|row| (0..=row).map(move |column| (row, column))).collect();
        let bits = |is: &dyn Fn(isize, isize) -> bool| {
            let inside = places.iter().enumerate().filter(|&(_, &(row, column))| is(row, column));
            inside.map(|(cell, _)| 1 << cell).sum()
        };
        let around = |&(row, column): &(isize, isize)| {
            // Side by side, or one above the other with the lower one to the left or to the right.
            bits(&|r, c| [(0, -1), (0, 1), (-1, -1), (-1, 0), (1, 0), (1, 1)].contains(&(r - row, c - column)))
        };
        let last = side as isize - 1;
        TriangleGraph {
            neighbors: places.iter().map(around).collect(),
            sides: [bits(&|_, column| column == 0), bits(&|row, column| column == row), bits(&|row, _| row == last)],
        }
    }

    fn all(&self) -> u32 {
        (1 << self.neighbors.len()) - 1
    }

    fn reached(&self, from: u32, within: u32) -> u32 {
        reached(&self.neighbors, from, within)
    }

    /// Whether one group of the cells touches all sides.
    fn has_won(&self, cells: u32) -> bool {
        let mut left = cells & self.sides[0];
        while left != 0 {
            let group = self.reached(1 << left.trailing_zeros(), cells);
            if self.sides.iter().all(|side| side & group != 0) {
                return true;
            }
            left &= !group;
        }
        false
    }

    /// Whether the stones do what a connection claims: join a cell to another cell or a side, or win.
    fn does(&self, [x, y]: [ConnectionEnd; 2], stones: u32) -> bool {
        match (x, y) {
            (ConnectionEnd::Edge(_), ConnectionEnd::Edge(_)) => self.has_won(stones),
            (ConnectionEnd::Cell(cell), ConnectionEnd::Edge(edge))
            | (ConnectionEnd::Edge(edge), ConnectionEnd::Cell(cell)) => {
                self.reached(1 << cell.index(), stones) & self.sides[usize::from(edge)] != 0
            }
            (ConnectionEnd::Cell(cell), ConnectionEnd::Cell(other)) => {
                self.reached(1 << cell.index(), stones) >> other.index() & 1 == 1
            }
        }
    }

    /// Whether the player's stones and moves in `open`, all else being the opponent's, do it against all play.
    fn can(&self, ends: [ConnectionEnd; 2], stones: u32, open: u32, moves_first: bool) -> bool {
        let mut cells = (0..self.neighbors.len()).filter(|cell| open >> cell & 1 == 1).map(|cell| 1u32 << cell);
        if self.does(ends, stones) {
            return true;
        }
        if !self.does(ends, stones | open) {
            return false;
        }
        if moves_first {
            cells.any(|cell| self.can(ends, stones | cell, open & !cell, false))
        } else {
            cells.all(|cell| self.can(ends, stones, open & !cell, true))
        }
    }

    /// Whether a connection is one: its ends are the player's where they are cells.
    fn holds(&self, ends: [ConnectionEnd; 2], kind: ConnectionKind, stones: u32, carrier: u32) -> bool {
        let ours = ends.into_iter().filter_map(ConnectionEnd::cell).fold(stones, |ours, cell| ours | 1 << cell.index());
        self.can(ends, ours, carrier & !ours, kind == ConnectionKind::Semi)
    }
}

impl SmallBoard for TriangleGraph {
    fn cells(&self) -> usize {
        self.neighbors.len()
    }

    fn winner(&self, stones: [u32; 2]) -> Option<Player> {
        Player::BOTH.into_iter().find(|&player| self.has_won(stones[player as usize]))
    }
}

fn board(side: usize) -> Board {
    Board::triangle(side).expect("a board")
}

/// The board is that of the family.
#[test]
fn boards_and_their_names() {
    for side in [1, 2, 3, 6, 19] {
        let board = board(side);
        let graph = triangle(side);
        assert_eq!(Board::from_name(&format!("y-{side}")), Some(board));
        let names: Vec<String> = graph.cells.iter().map(|cell| cell.name.to_string()).collect();
        assert_eq!(board.cells().map(|cell| board.name(cell)).collect::<Vec<_>>(), names);
        for (cell, mut linked) in board.cells().zip(graph.neighbors()) {
            assert_eq!(board.cell_of_name(&names[cell.index()]), Some(cell));
            let mut beside: Vec<usize> = board.neighbors(cell).map(Cell::index).collect();
            beside.sort_unstable();
            linked.sort_unstable();
            assert_eq!(beside, linked, "{}", board.name(cell));
        }
        for (side, border) in Side::ALL.into_iter().zip(&graph.borders) {
            assert_eq!(side.name(), border.name);
            let at_side: Vec<usize> =
                board.cells().filter(|&cell| board.is_at_side(side, cell)).map(Cell::index).collect();
            assert_eq!(at_side, border.cells);
        }
    }
    for name in ["y", "y-", "y-0", "y-05", "y-3x3", "Y-3", "y-1001"] {
        assert_eq!(Board::from_name(name), None, "{name}");
    }
}

/// Six with identity, each keeping neighbors and exchanging sides.
#[test]
fn symmetries_keep_neighbors_and_exchange_sides() {
    for side in [2, 3, 4, 7] {
        let board = board(side);
        let symmetries = board.symmetries();
        let sorted = |cells: &mut dyn Iterator<Item = Cell>| {
            let mut cells: Vec<Cell> = cells.collect();
            cells.sort_unstable();
            cells
        };
        let sides = Side::ALL.map(|side| sorted(&mut board.cells().filter(|&cell| board.is_at_side(side, cell))));
        for images in &symmetries {
            for cell in board.cells() {
                let moved = sorted(&mut board.neighbors(cell).map(|next| images[next.index()]));
                assert_eq!(moved, sorted(&mut board.neighbors(images[cell.index()])), "{board}");
            }
            for side in &sides {
                assert!(sides.contains(&sorted(&mut side.iter().map(|cell| images[cell.index()]))), "{board}");
            }
        }
        let mut different = symmetries;
        different.push(board.cells().collect());
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 6, "{board}");
    }
}

/// Who wins, with one solver for all positions and with one for each.
#[test]
fn positions_are_solved_as_by_brute_force() {
    for (side, step) in [(1, 1), (2, 1), (3, 1), (4, 41), (5, 14_983)] {
        assert_solved(board(side), TriangleGraph::new(side), step);
    }
}

/// First moves that win, on the whole board.
#[test]
fn openings_win_as_by_brute_force() {
    for side in 1..=4 {
        let board = board(side);
        let mut brute = BruteForce::new(TriangleGraph::new(side));
        let solver = solver(board);
        for player in Player::BOTH {
            for cell in board.cells() {
                let mut stones = [0; 2];
                stones[player as usize] = 1 << cell.index();
                let found = winner(&solver, &position(board, stones), player.opponent());
                assert_eq!(found == player, brute.wins(player, stones, player.opponent()), "{}", board.name(cell));
            }
        }
    }
}

/// Whatever the rules connect holds, though all cells outside of the carrier are the opponent's.
#[test]
fn connections_hold() {
    let mut found = [0; 3];
    for (side, step) in [(2, 1), (3, 5), (4, 501), (5, 149_993)] {
        let board = board(side);
        let brute = TriangleGraph::new(side);
        for (stones, player) in
            positions(board.len(), step).flat_map(|stones| Player::BOTH.map(|player| (stones, player)))
        {
            let [mine, theirs] = [player, player.opponent()].map(|player| set(stones[player as usize]));
            let connections = Connections::new(board, player, mine, theirs, ConnectionLimits::SOLVING);
            assert_eq!(connections.is_won(), brute.has_won(bits(mine)), "{board}: {stones:?}");
            if connections.is_won() {
                continue;
            }
            for (x, y, kind, carrier) in connections.iter() {
                let edges = [x, y].iter().filter(|end| end.cell().is_none()).count();
                found[edges] += 1;
                assert!(
                    brute.holds([x, y], kind, bits(mine), bits(carrier)),
                    "{board}: {player}'s {kind} connection of {x:?} and {y:?} in {carrier:?} with stones {stones:?}"
                );
            }
        }
    }
    assert!(found.iter().all(|&found| found > 800), "{found:?}");
}

/// Cells that are filled in, and moves that are left out, change nothing.
#[test]
fn inferior_cells_do_not_matter() {
    let mut counts = [0; 4];
    let mut at_sides = [0; 4];
    for (side, step) in [(1, 1), (2, 1), (3, 1), (4, 13), (5, 20_011)] {
        let board = board(side);
        let rings = Rings::new(board);
        let mut brute = BruteForce::new(TriangleGraph::new(side));
        let outer: CellSet<1> =
            board.cells().filter(|&cell| Side::ALL.into_iter().any(|side| board.is_at_side(side, cell))).collect();
        for (stones, to_move) in
            positions(board.len(), step).flat_map(|stones| Player::BOTH.map(|player| (stones, player)))
        {
            if brute.winner(stones).is_some() {
                continue;
            }
            let mut filled: Stones<1> = stones.map(set);
            let fill_in = rings.fill_in(&mut filled);
            let after = filled.map(bits);
            let wins = brute.wins(to_move, stones, to_move);
            assert_eq!(brute.wins(to_move, after, to_move), wins, "{board}: {stones:?} is not {after:?}");
            if brute.winner(after).is_some() {
                continue;
            }
            let empty = CellSet::first_cells(board.len()) - (filled[0] | filled[1]);
            let inferior = rings.inferior_moves(to_move, empty, &filled);
            let vulnerable = inferior.vulnerable.iter().map(|&(cell, _)| cell).collect();
            let dominated = inferior.dominated.iter().map(|&(cell, _)| cell).collect();
            let captured = fill_in.captured[0] | fill_in.captured[1];
            for (i, cells) in [fill_in.dead, captured, vulnerable, dominated].into_iter().enumerate() {
                counts[i] += cells.len();
                at_sides[i] += (cells & outer).len();
            }
            let left = inferior.cells().fold(empty, CellSet::without);
            let mut wins_by = |cell: Cell| {
                let mut next = after;
                next[to_move as usize] |= 1 << cell.index();
                brute.wins(to_move, next, to_move.opponent())
            };
            assert_eq!(left.iter().any(&mut wins_by), wins, "{board}: {after:?}, {to_move} has {left:?}");
        }
    }
    assert!(counts.iter().chain(&at_sides).all(|&count| count > 100), "{counts:?}, at sides {at_sides:?}");
}

/// A dead cell's color decides nothing, however the board is filled.
#[test]
fn dead_cells_never_matter() {
    let mut dead = 0;
    for (side, step) in [(2, 1), (3, 1), (4, 101)] {
        let brute = TriangleGraph::new(side);
        let rings = Rings::new(board(side));
        for stones in positions(board(side).len(), step) {
            let open = brute.all() & !(stones[0] | stones[1]);
            for cell in set(open).iter().filter(|&cell| rings.is_dead(cell, &stones.map(set))) {
                dead += 1;
                let here = 1 << cell.index();
                let mut part = open & !here;
                loop {
                    let red = stones[0] | part;
                    assert_eq!(brute.has_won(red), brute.has_won(red | here), "{cell:?} in {stones:?}");
                    if part == 0 {
                        break;
                    }
                    part = (part - 1) & open & !here;
                }
            }
        }
    }
    assert!(dead > 500, "{dead}");
}

/// The rulesheet of the family, solved by labels of all states.
#[test]
fn the_rulesheet_has_the_same_winner() {
    for side in 1..=4 {
        let board = board(side);
        let machine = NetMachine::new(&games::net(&format!("std:games/{board}.kif")), Budget::unlimited());
        let two = NonZero::new(2).expect("two threads");
        let solution = solve(&machine, two, None, &Budget::unlimited(), &mut |_| {});
        let value = solution.initial().and_then(|label| label.value).expect("the first state has a value");
        let found = winner(&solver(board), &Position::new(board), Player::Red);
        assert_eq!(found, if value == 100 { Player::Red } else { Player::Blue }, "{board}");
    }
}

/// The certificate of who wins, as it is written.
fn certificate(position: &Position, to_move: Player) -> String {
    let solver = solver(position.board());
    let winner = winner(&solver, position, to_move);
    let certificate = proof::certificate(&solver, position, to_move, winner, &Budget::unlimited(), &|_| ());
    certificate.expect("a proof").to_text()
}

/// Positions without and with stones, each with both players to move; on the larger board those that are not quite empty.
fn proved_positions(random: &mut Random) -> Vec<Position> {
    let mut positions: Vec<Position> = (1..=5).map(|side| Position::new(board(side))).collect();
    for (side, least) in [(3, 1), (3, 3), (4, 2), (4, 4), (4, 6), (5, 6), (5, 9)] {
        positions.extend((0..5).map(|more| scatter(board(side), least + more % 2, None, random)));
    }
    positions
}

#[test]
fn proofs_are_accepted_and_forged_ones_refused() {
    let random = &mut Random::new(7);
    let mut refused = 0;
    let mut winners = [0; 2];
    for position in proved_positions(random) {
        for to_move in Player::BOTH {
            let text = certificate(&position, to_move);
            let accepted = WinCertificate::accept(text.as_bytes()).expect("accepted");
            assert_eq!(accepted.board(), position.board());
            winners[accepted.winner() as usize] += 1;
            if position.board().len() > 10 {
                continue;
            }
            let mut oracle = Oracle::default();
            for _ in 0..100 {
                let altered = mutated(&text, random);
                match WinCertificate::accept(sealed(&altered).as_bytes()) {
                    Ok(certificate) => assert!(oracle.claim(&certificate), "accepted:\n{altered}"),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 3_000 && winners.iter().all(|&won| won > 10), "{refused}, {winners:?}");
}

/// Lines that nobody would write: whatever they derive holds, with every other cell the opponent's.
#[test]
fn every_line_holds() {
    let brute = TriangleGraph::new(4);
    let board = board(4);
    let cells: Vec<Cell> = board.cells().collect();
    let ends: Vec<ConnectionEnd> = board.edges().chain(board.cells().map(ConnectionEnd::Cell)).collect();
    let mut wins = [0; 2];
    let mut captured = 0;
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let mut builder = ProofBuilder::new(board, Player::BOTH[random.below(2)]);
        let center = ConnectionEnd::Cell(cells[seed as usize % cells.len()]);
        let mut touches: Vec<[ConnectionEnd; 2]> =
            ends.iter().flat_map(|&x| ends.iter().map(move |&y| [x, y])).collect();
        touches.retain(|[x, y]| x < y);
        let mut lines: Vec<ProofLine> = touches.iter().filter_map(|&[x, y]| builder.touch(x, y).ok()).collect();
        for _ in 0..3_000 {
            let cell = |random: &mut Random| cells[random.below(cells.len())];
            let end = |random: &mut Random| ends[random.below(ends.len())];
            let mut some = |count: usize, wanted: &dyn Fn(&DerivedConnection) -> bool| {
                let wanted: Vec<ProofLine> = lines.iter().copied().filter(|&line| wanted(&builder[line])).collect();
                (0..count).filter_map(|_| wanted.get(random.below(wanted.len().max(1))).copied()).collect::<Vec<_>>()
            };
            let is_win = |line: &DerivedConnection| line.ends == [ConnectionEnd::FIRST, ConnectionEnd::LAST];
            let any = some(3, &|_| true);
            let won = some(3, &is_win);
            let to = |line: &DerivedConnection, edge| line.ends == [edge, center] && line.kind == ConnectionKind::Full;
            let to_sides: Vec<ProofLine> =
                board.edges().filter_map(|edge| some(1, &|line| to(line, edge)).first().copied()).collect();
            let near = some(1, &|line| line.ends.contains(&center));
            let line = match random.below(14) {
                0 => builder.touch(end(random), end(random)),
                1 => builder.bridge(end(random), end(random), cell(random), cell(random)),
                2 => builder.and(&any),
                3 if !near.is_empty() => builder.and(&[near[0], any[0]]),
                4 => builder.movement(cell(random), any[0]),
                5 if !won.is_empty() => builder.movement(cell(random), won[0]),
                6 => builder.given(CellSet::of(cell(random)).with(cell(random)), any[0]),
                7 | 8 if !won.is_empty() => {
                    let c = builder.needs(won[0]).first().unwrap_or_else(|| cell(random));
                    let line = builder.captured(c, board.neighbors(c).nth(random.below(4)).unwrap_or(c), won[0]);
                    captured += usize::from(line.is_ok());
                    line
                }
                9 => builder.or(&any),
                10 => builder.or(&won),
                _ => builder.three(&to_sides),
            };
            lines.extend(line.ok());
        }
        for line in lines {
            let DerivedConnection { ends, kind, carrier, needs } = builder[line];
            let is_win = ends == [ConnectionEnd::FIRST, ConnectionEnd::LAST];
            wins[usize::from(carrier.is_empty())] += usize::from(is_win);
            assert!(brute.holds(ends, kind, bits(needs), bits(carrier)), "{:?}", builder[line]);
            assert!(is_win || ends[1].cell().is_some(), "{:?}", builder[line]);
        }
    }
    assert!(captured > 15 && wins.iter().all(|&wins| wins > 40), "{wins:?}, captured {captured}");
}

/// A stone with a bridge to each side.
const THREE: &str = "ludolog certificate 1
board y-4
red b3
blue
to-move blue
winner red
bridge left b3 a2 a3
bridge right b3 b2 c3
bridge base b3 b4 c4
three 7 8 9
win 10
";

#[test]
fn a_proof_by_hand_and_wrong_lines_are_named() {
    let read = |text: &str| WinCertificate::accept(sealed(text).as_bytes()).map_err(|refusal| refusal.to_string());
    assert_eq!(read(THREE).map(|certificate| certificate.to_text()), Ok(sealed(THREE)));
    for (from, to, expected) in [
        ("three 7 8 9", "three 7 8 8", "line 10: 8 does not join b3 and one more side"),
        ("three 7 8 9", "three 7 8", "line 10: `three 7 8` is no line of a proof"),
        ("three 7 8 9", "and 7 8", "line 10: a chain leads to one side, and not on over left"),
        ("three 7 8 9", "and 7 8 9", "line 10: 9 does not go on from right"),
        ("three 7 8 9", "or 7 8 9", "line 10: 7 is full, not semi"),
        ("win 10", "win 9", "line 11: 9 does not join left and right and base"),
        ("bridge base b3 b4 c4", "touch base b4", "line 10: 9 does not join b3 and one more side"),
        ("bridge left b3 a2 a3", "bridge left right a1 a2", "line 7: a chain leads to one side, and not on over left"),
        ("right b3 b2 c3", "right b3 b2 a3", "line 8: a3 and right do not touch"),
        ("board y-4", "board y-04", "line 2: `y-04` is no board size"),
        ("board y-4", "board 4x4", "line 7: `left` is no cell of 4x4 and no edge of red"),
        ("blue\n", "blue b4\n", "line 11: b4 is in the carrier of 10 and not empty"),
    ] {
        let altered = THREE.replacen(from, to, 1);
        assert_ne!(altered, THREE, "{from}");
        assert_eq!(read(&altered), Err(expected.to_owned()), "{to}");
    }
    let hex =
        "ludolog certificate 1\nboard 3x3\nred\nblue\nto-move any\nwinner red\ntouch top a1\nthree 7 7 7\nwin 8\n";
    assert_eq!(read(hex), Err("line 8: `three` is for boards with three sides".to_owned()));
    let pairs = "ludolog certificate 1\nboard y-2\nred\nblue\nto-move any\nwinner red\npair a1 a2\nwin pairs\n";
    assert_eq!(read(pairs), Err("line 2: there are no proofs by pairs on a triangle".to_owned()));
}

#[test]
fn the_command_takes_the_name_of_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["hex", "solve", "y-5", "--all-openings", "--proof", "proof.txt", "--resume", "y.state"];
    let (code, told, _) = run(folder.path(), &args, "");
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("(one of each kind solved, the others being the same turned or mirrored)"), "{told}");
    let verify = |position| run(folder.path(), &["verify", "proof.txt", "--position", position], "");
    let (code, told, _) = verify("y-5");
    assert!(code == 0 && told.starts_with("accepted: red wins on y-5"), "{told}");
    let (code, told, _) = verify("y-6");
    assert!(code == 1 && told.contains("the proof is for y-5, the position is y-6"), "{told}");
    let (code, _, error) = run(folder.path(), &["hex", "solve", "y-20"], "");
    assert!(code == 2 && error.contains("cells a side (1 to 19)"), "{error}");
    // A search does not go on from that of another board.
    let (code, _, error) = run(folder.path(), &["hex", "solve", "5x5", "--resume", "y.state"], "");
    assert!(code == 2 && error.contains("it is for the board y-5"), "{error}");
}
