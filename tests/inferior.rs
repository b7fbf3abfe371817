//! Dead, captured, dominated and vulnerable cells against all fillings of the board and all lines of play.

use ludolog::diagnostic::Sources;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::inferior::{Rings, Stones};
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use std::collections::HashMap;

/// The game tree of a small board, with sets of cells as bits of a word.
struct Game {
    board: Board,
    neighbors: Vec<u16>,
    top: u16,
    bottom: u16,
    all: u16,
    /// Whether Red wins, by the stones of both and whether Red moves.
    known: HashMap<(u16, u16, bool), bool>,
}

fn word(cells: impl IntoIterator<Item = Cell>) -> u16 {
    cells.into_iter().fold(0, |word, cell| word | 1 << cell.index())
}

impl Game {
    fn new(board: Board) -> Game {
        let edge = |touches: fn(Board, Player, Cell) -> bool| {
            word(board.cells().filter(|&cell| touches(board, Player::Red, cell)))
        };
        Game {
            board,
            neighbors: board.cells().map(|cell| word(board.neighbors(cell))).collect(),
            top: edge(Board::is_first),
            bottom: edge(Board::is_last),
            all: word(board.cells()),
            known: HashMap::new(),
        }
    }

    /// Whether these stones of Red alone connect top and bottom.
    fn joins(&self, red: u16) -> bool {
        let mut reached = red & self.top;
        loop {
            let around =
                (0..self.board.len()).filter(|i| reached >> i & 1 == 1).fold(0, |all, i| all | self.neighbors[i]);
            let wider = reached | (around & red);
            if wider & self.bottom != 0 {
                return true;
            }
            if wider == reached {
                return false;
            }
            reached = wider;
        }
    }

    fn winner<const W: usize>(&mut self, stones: &Stones<W>, mover: Player) -> Player {
        let [red, blue] = stones.map(word);
        if self.red_wins(red, blue, mover == Player::Red) { Player::Red } else { Player::Blue }
    }

    fn red_wins(&mut self, red: u16, blue: u16, red_moves: bool) -> bool {
        let empty = self.all & !red & !blue;
        if self.joins(red) {
            return true;
        }
        if !self.joins(red | empty) {
            return false;
        }
        if let Some(&known) = self.known.get(&(red, blue, red_moves)) {
            return known;
        }
        let mut moves = (0..self.board.len()).map(|i| 1 << i).filter(|cell| empty & cell != 0);
        let found = if red_moves {
            moves.any(|cell| self.red_wins(red | cell, blue, false))
        } else {
            moves.all(|cell| self.red_wins(red, blue | cell, true))
        };
        self.known.insert((red, blue, red_moves), found);
        found
    }

    /// Whether the cell's color decides the winner in some filling of the board.
    fn matters(&self, cell: Cell, stones: &Stones<1>) -> bool {
        let [red, blue] = stones.map(word);
        let here = 1 << cell.index();
        let rest = self.all & !red & !blue & !here;
        // All subsets of the rest.
        let mut part = rest;
        loop {
            if self.joins(red | part) != self.joins(red | part | here) {
                return true;
            }
            if part == 0 {
                return false;
            }
            part = (part - 1) & rest;
        }
    }
}

fn stones_of(position: &Position) -> Stones<1> {
    Player::BOTH.map(|player| position.stones_of(player).collect())
}

fn parse(text: &str) -> (Board, Stones<1>) {
    let position = Position::parse(text, Sources::new().add("test", text)).unwrap();
    (position.board(), stones_of(&position))
}

fn with(stones: &Stones<1>, player: Player, cell: Cell) -> Stones<1> {
    let mut next = *stones;
    next[player as usize].insert(cell);
    next
}

/// Random positions that nobody has won, `each` for every number of stones.
fn positions(board: Board, stones: std::ops::Range<usize>, each: usize) -> impl Iterator<Item = Stones<1>> {
    let mut random = Random::new(board.len() as u64);
    stones.flat_map(move |count| {
        let made: Vec<Position> = (0..each).map(|_| scatter(board, count, None, &mut random)).collect();
        made.into_iter().filter(|position| position.winner().is_none()).map(|position| stones_of(&position))
    })
}

/// Boards with random positions, for ranges of stones.
fn samples() -> impl Iterator<Item = (Board, Vec<Stones<1>>)> {
    [(3, 3, 0..8, 150), (3, 4, 2..10, 150), (4, 3, 2..10, 100), (4, 4, 7..14, 120)].into_iter().map(
        |(width, height, stones, each)| {
            let board = Board::new(width, height).unwrap();
            (board, positions(board, stones, each).collect())
        },
    )
}

#[test]
fn dead_cells_never_matter() {
    let mut dead = 0;
    for (board, positions) in samples() {
        let game = Game::new(board);
        let rings = Rings::new(board);
        for stones in positions {
            for cell in CellSet::all(board) - (stones[0] | stones[1]) {
                if rings.is_dead(cell, &stones) {
                    assert!(!game.matters(cell, &stones), "{} of {board} {stones:?}", board.name(cell));
                    dead += 1;
                }
            }
        }
    }
    assert!(dead > 500, "only {dead} cells were dead");
}

#[test]
fn fill_in_keeps_the_winner() {
    let mut filled = [0, 0];
    for (board, positions) in samples() {
        let mut game = Game::new(board);
        let rings = Rings::new(board);
        for stones in positions {
            let mut after = stones;
            let fill_in = rings.fill_in(&mut after);
            filled[0] += fill_in.dead.len();
            filled[1] += fill_in.captured.iter().map(CellSet::len).sum::<usize>();
            for mover in Player::BOTH {
                assert_eq!(game.winner(&stones, mover), game.winner(&after, mover), "{board} {stones:?} {mover}");
                // And one move further, filled in from there.
                for cell in CellSet::all(board) - (after[0] | after[1]) {
                    let mut next = after;
                    rings.play(mover, cell, &mut next, rings.numbers(&after));
                    let played = game.winner(&with(&after, mover, cell), mover.opponent());
                    assert_eq!(played, game.winner(&next, mover.opponent()), "{board} {after:?} {mover} {cell:?}");
                }
            }
        }
    }
    assert!(filled.iter().all(|&cells| cells > 500), "only {filled:?} cells were dead and captured");
}

#[test]
fn inferior_moves_are_not_needed() {
    let mut vulnerable = 0;
    let mut dominated = 0;
    for (board, positions) in samples() {
        let mut game = Game::new(board);
        let rings = Rings::new(board);
        let mut random = Random::new(1);
        for mut stones in positions {
            rings.fill_in(&mut stones);
            let [red, blue] = stones.map(word);
            if game.joins(red) || !game.joins(game.all & !blue) {
                continue;
            }
            let empty = CellSet::all(board) - (stones[0] | stones[1]);
            for mover in Player::BOTH {
                let wins: CellSet<1> = empty
                    .iter()
                    .filter(|&cell| game.winner(&with(&stones, mover, cell), mover.opponent()) == mover)
                    .collect();
                let some = empty.iter().filter(|_| random.below(3) > 0).collect();
                // All moves, and some of them with all that win, as must-play gives them.
                for moves in [empty, wins | some] {
                    let inferior = rings.inferior_moves(mover, moves, &stones);
                    let place = || format!("{board} {stones:?} {mover} {moves:?} {inferior:?}");
                    let of_vulnerable: CellSet<1> = inferior.vulnerable.iter().map(|&(cell, _)| cell).collect();
                    let of_dominated: CellSet<1> = inferior.dominated.iter().map(|&(cell, _)| cell).collect();
                    assert!((of_vulnerable | of_dominated).is_subset(&moves), "{}", place());
                    let left = moves - of_vulnerable - of_dominated;
                    if !wins.is_empty() {
                        assert!(!(wins - of_vulnerable).is_empty(), "{}", place());
                        assert!(!(left & wins).is_empty(), "{}", place());
                    }
                    for &(cell, by) in &inferior.dominated {
                        assert!(!wins.contains(cell) || wins.contains(by), "{} {}", board.name(cell), place());
                    }
                    for &(cell, killers) in &inferior.vulnerable {
                        let mut after = with(&stones, mover, cell);
                        after[mover.opponent() as usize] |= killers;
                        assert!(!game.matters(cell, &without(&after, cell)), "{} {}", board.name(cell), place());
                    }
                    vulnerable += inferior.vulnerable.len();
                    dominated += inferior.dominated.len();
                }
            }
        }
    }
    assert!(vulnerable > 300 && dominated > 300, "only {vulnerable} vulnerable and {dominated} dominated moves");
}

fn without(stones: &Stones<1>, cell: Cell) -> Stones<1> {
    stones.map(|set| set.without(cell))
}

fn names(board: Board, cells: CellSet<1>) -> String {
    cells.iter().map(|cell| board.name(cell)).collect::<Vec<_>>().join(" ")
}

/// A stone one row from its edge, far from other edges: both cells below it are captured, since either one kills the
/// other.
#[test]
fn a_bridge_to_an_edge_is_captured() {
    let captured = |(width, height), stone, player: Player| {
        let board = Board::new(width, height).unwrap();
        let mut stones = with(&Stones::default(), player, board.cell_of_name(stone).unwrap());
        let fill_in = Rings::new(board).fill_in(&mut stones);
        assert!(fill_in.dead.is_empty() && fill_in.captured[player.opponent() as usize].is_empty());
        names(board, fill_in.captured[player as usize])
    };
    assert_eq!(captured((9, 5), "d4", Player::Red), "c5 d5");
    assert_eq!(captured((5, 9), "d4", Player::Blue), "e3 e4");
    // Beside the obtuse corner, where Blue's edge is no help, the next pairs follow: d5 and e5, then d4 and e4.
    assert_eq!(captured((5, 5), "c4", Player::Red), "d4 e4 b5 c5 d5 e5");
}

/// Three neighbors in a row of one color and the opposite one of the other color: no chain passes through.
#[test]
fn surrounded_cells_are_dead() {
    // Of b2 the ring is c2, b3, a3, a2, b1, c1.
    for dead in [
        ". R R\n R . .\n  R . .\n", // a3, a2, b1, c1 are red
        ". R R\n R . .\n  . B .\n", // a2, b1, c1 red, b3 opposite blue
        ". R R\n . . .\n  B B .\n", // b1, c1 red, a3, b3 blue
    ] {
        let (board, stones) = parse(dead);
        let b2 = board.cell_of_name("b2").unwrap();
        assert!(Rings::new(board).is_dead(b2, &stones), "{dead}");
        assert!(!Game::new(board).matters(b2, &stones), "{dead}");
    }
    let (board, stones) = parse(". R R\n R . .\n  . . .\n");
    let b2 = board.cell_of_name("b2").unwrap();
    assert!(!Rings::new(board).is_dead(b2, &stones));
    assert!(Game::new(board).matters(b2, &stones));
}

/// The acute corner is never the only move that wins: its neighbor on the player's own edge is as good.
#[test]
fn the_acute_corner_is_inferior() {
    for (width, height) in [(3, 3), (4, 4), (5, 5), (11, 11)] {
        let board = Board::new(width, height).unwrap();
        let stones: Stones<2> = Default::default();
        let corner = board.cell_of_name("a1").unwrap();
        for player in Player::BOTH {
            let inferior = Rings::new(board).inferior_moves(player, CellSet::all(board), &stones);
            let is_vulnerable = inferior.vulnerable.iter().any(|&(cell, _)| cell == corner);
            let is_dominated = inferior.dominated.iter().any(|&(cell, _)| cell == corner);
            assert!(is_vulnerable || is_dominated, "{board} {player}");
        }
    }
}
