//! Stones on a board.
//!
//! [`text`] reads and writes the position format; here are the model, its facts for the rules, and the winner by
//! union-find over the stones and the four edges, independent of the rules.

pub mod text;

use super::board::{Board, Cell, Player, Side};
use ludolog_syntax::ast::{Atom, Term};
use petgraph::unionfind::UnionFind;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

/// The state of a position as its header claims it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderClaim {
    /// This player has joined their edges.
    Wins(Player),
    /// Neither player has joined their edges yet.
    NoWin,
}

impl HeaderClaim {
    /// The winner, if there is one.
    pub fn winner(self) -> Option<Player> {
        match self {
            HeaderClaim::Wins(player) => Some(player),
            HeaderClaim::NoWin => None,
        }
    }
}

impl fmt::Display for HeaderClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderClaim::Wins(player) => write!(f, "{player} wins"),
            HeaderClaim::NoWin => f.write_str("no win"),
        }
    }
}

impl FromStr for HeaderClaim {
    type Err = ParseKnownError;

    fn from_str(text: &str) -> Result<HeaderClaim, ParseKnownError> {
        let all = Player::BOTH.map(HeaderClaim::Wins).into_iter().chain([HeaderClaim::NoWin]);
        all.into_iter().find(|known| known.to_string() == text).ok_or(ParseKnownError)
    }
}

/// A text is nothing that can be known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseKnownError;

impl fmt::Display for ParseKnownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("red wins, blue wins or no win")
    }
}

impl std::error::Error for ParseKnownError {}

/// A board with at most one stone on each cell, and what its header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    stones: Vec<Option<Player>>,
    moves: Vec<Cell>,
    /// The name of the position.
    pub name: Option<String>,
    /// The player to move.
    pub to_move: Option<Player>,
    /// The state of the position.
    pub known: Option<HeaderClaim>,
    /// The source of the position.
    pub from: Option<String>,
}

/// A position as ground atoms.
#[derive(Clone, Debug, Default)]
pub struct PositionFacts {
    /// `columns(W)`, `rows(H)`, `cell(1)` … `cell(W·H)`, `player(red)`, `player(blue)`: the same for every position of
    /// this size.
    pub geometry: Vec<Atom>,
    /// `stone(P, X)`, `empty(X)` and, when known, `to_move(P)`.
    pub position: Vec<Atom>,
}

impl Position {
    /// A board without stones.
    pub fn new(board: Board) -> Position {
        Position {
            board,
            stones: vec![None; board.len()],
            moves: Vec::new(),
            name: None,
            to_move: None,
            known: None,
            from: None,
        }
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The stone on a cell of this position's board.
    pub fn stone(&self, cell: Cell) -> Option<Player> {
        self.stones[cell.index()]
    }

    /// Puts a stone on a cell of this position's board; `false`, and nothing changes, when the cell is taken.
    pub fn place(&mut self, player: Player, cell: Cell) -> bool {
        let free = self.stones[cell.index()].is_none();
        if free {
            self.stones[cell.index()] = Some(player);
        }
        free
    }

    /// Adds a move to the game record: players alternate, Red begins. `false` when the cell is taken.
    pub fn play(&mut self, cell: Cell) -> bool {
        let player = self.mover(self.moves.len());
        let free = self.place(player, cell);
        if free {
            self.moves.push(cell);
            self.to_move = Some(player.opponent());
        }
        free
    }

    /// The player to move: as the position says, else who has fewer stones; Red if both have as many.
    pub fn turn(&self) -> Player {
        let [red, blue] = Player::BOTH.map(|player| self.stones_of(player).count());
        self.to_move.unwrap_or(if red <= blue { Player::Red } else { Player::Blue })
    }

    /// The moves of the game, in order, with who made them; empty for a position without a record.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = (Player, Cell)> {
        self.moves.iter().enumerate().map(|(i, &cell)| (self.mover(i), cell))
    }

    /// The stones that no move of the record put there, row by row.
    pub fn setup(&self) -> impl Iterator<Item = (Player, Cell)> {
        let mut played = vec![false; self.board.len()];
        self.moves.iter().for_each(|cell| played[cell.index()] = true);
        self.stones().filter(move |(_, cell)| !played[cell.index()])
    }

    fn mover(&self, i: usize) -> Player {
        Player::BOTH[i % 2]
    }

    /// All stones, row by row.
    pub fn stones(&self) -> impl Iterator<Item = (Player, Cell)> {
        self.board.cells().filter_map(|cell| Some((self.stone(cell)?, cell)))
    }

    /// The stones of one player, row by row.
    pub fn stones_of(&self, player: Player) -> impl Iterator<Item = Cell> {
        self.stones().filter_map(move |(owner, cell)| (owner == player).then_some(cell))
    }

    /// The cells without a stone, row by row.
    pub fn empty_cells(&self) -> impl Iterator<Item = Cell> {
        self.board.cells().filter(|&cell| self.stone(cell).is_none())
    }

    /// The facts that the rules read.
    pub fn facts(&self) -> PositionFacts {
        let number = |cell: Cell| Term::Integer(i64::from(cell.number()));
        let side = |length: usize| vec![Term::Integer(length as i64)];
        let mut geometry = vec![Atom::new("columns", side(self.board.width()))];
        geometry.push(Atom::new("rows", side(self.board.height())));
        geometry.extend(self.board.cells().map(|cell| Atom::new("cell", vec![number(cell)])));
        geometry.extend(Player::BOTH.map(|player| Atom::new("player", vec![Term::symbol(player.name())])));

        let mut position: Vec<Atom> = self.stones().map(|(player, cell)| owned("stone", player, cell)).collect();
        position.extend(self.empty_cells().map(|cell| Atom::new("empty", vec![number(cell)])));
        position.extend(self.to_move.map(|player| Atom::new("to_move", vec![Term::symbol(player.name())])));
        PositionFacts { geometry, position }
    }

    /// The events `place(P, X)` that build this position for rules that follow a game: the moves in order, after the
    /// stones that stand there from the start, row by row.
    pub fn events(&self) -> Vec<Atom> {
        self.setup().chain(self.moves()).map(|(player, cell)| owned("place", player, cell)).collect()
    }

    /// The player who has joined their edges, made a chain around the board, or joined all sides of a triangle; at most one can have. In
    /// almost linear time.
    pub fn winner(&self) -> Option<Player> {
        if self.board.is_cylinder() && !self.can_cross() {
            return Some(Player::Blue);
        }
        if self.board.is_triangle() {
            return Player::BOTH.into_iter().find(|&player| self.joins_sides(player));
        }
        let cells = self.board.len();
        // After the cells come the edges: Red's first and last, Blue's first and last.
        let edges = |player: Player| cells + 2 * player as usize;
        let mut groups: UnionFind<usize> = UnionFind::new(cells + 4);
        for (player, cell) in self.stones() {
            if self.board.is_first(player, cell) {
                groups.union(cell.index(), edges(player));
            }
            if self.board.is_last(player, cell) {
                groups.union(cell.index(), edges(player) + 1);
            }
            for neighbor in self.board.neighbors(cell) {
                if neighbor < cell && self.stone(neighbor) == Some(player) {
                    groups.union(cell.index(), neighbor.index());
                }
            }
        }
        Player::BOTH.into_iter().find(|&player| groups.equiv(edges(player), edges(player) + 1))
    }

    /// Whether a group of the player's touches all sides of the triangle: one that begins at the left side.
    fn joins_sides(&self, player: Player) -> bool {
        let stones: Vec<Cell> = self.stones_of(player).collect();
        let mut is_known = vec![false; self.board.len()];
        stones.iter().filter(|&&cell| self.board.is_at_side(Side::Left, cell)).any(|&cell| {
            let mut group = vec![cell];
            let mut next = 0;
            while let Some(&cell) = group.get(next) {
                next += 1;
                if !std::mem::replace(&mut is_known[cell.index()], true) {
                    let beside = self.board.neighbors(cell);
                    group.extend(beside.filter(|&cell| self.stone(cell) == Some(player) && !is_known[cell.index()]));
                }
            }
            Side::ALL.into_iter().all(|side| group.iter().any(|&cell| self.board.is_at_side(side, cell)))
        })
    }

    /// Whether Red can still join top and bottom: some cells without blue stones do. On a cylinder Blue has a chain around
    /// exactly if they do not.
    fn can_cross(&self) -> bool {
        let mut rest = self.clone();
        rest.board.cells().for_each(|cell| {
            rest.place(Player::Red, cell);
        });
        rest.chain(Player::Red).is_some()
    }

    /// A shortest chain of the player's stones from their first to their last edge, by breadth-first search; `None` where the player has none.
    pub fn chain(&self, player: Player) -> Option<Vec<Cell>> {
        let mut parent: Vec<Option<Cell>> = vec![None; self.board.len()];
        let mut queue: VecDeque<Cell> =
            self.stones_of(player).filter(|&cell| self.board.is_first(player, cell)).collect();
        queue.iter().for_each(|cell| parent[cell.index()] = Some(*cell));
        while let Some(cell) = queue.pop_front() {
            if self.board.is_last(player, cell) {
                let before = |&cell: &Cell| parent[cell.index()].filter(|&before| before != cell);
                let mut chain: Vec<Cell> = std::iter::successors(Some(cell), before).collect();
                chain.reverse();
                return Some(chain);
            }
            for neighbor in self.board.neighbors(cell) {
                if self.stone(neighbor) == Some(player) && parent[neighbor.index()].is_none() {
                    parent[neighbor.index()] = Some(cell);
                    queue.push_back(neighbor);
                }
            }
        }
        None
    }
}

fn owned(predicate: &str, player: Player, cell: Cell) -> Atom {
    Atom::new(predicate, vec![Term::symbol(player.name()), Term::Integer(i64::from(cell.number()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::diagnostic::Sources;

    fn position(text: &str) -> Position {
        Position::parse(text, Sources::new().add("test", text)).unwrap()
    }

    #[test]
    fn winners() {
        assert_eq!(position(". R\n R .").winner(), Some(Player::Red));
        assert_eq!(position(". B\n B .").winner(), Some(Player::Blue));
        assert_eq!(position("R .\n . R").winner(), None);
        assert_eq!(position("R").winner(), Some(Player::Red));
        assert_eq!(position("B . B").winner(), None);
        assert_eq!(position(". R .").winner(), Some(Player::Red));
    }

    #[test]
    fn a_shortest_chain() {
        let snake = position("R R R R\n . . . R\n  R R R R\n   R . . .\n");
        let names: Vec<String> = snake.chain(Player::Red).unwrap().iter().map(|&c| snake.board().name(c)).collect();
        assert_eq!(names, ["d1", "d2", "c3", "b3", "a4"]);
        assert_eq!(snake.chain(Player::Blue), None);
        assert_eq!(position("R B R\n B . R\n  R R .").chain(Player::Blue), None);
    }

    #[test]
    fn facts_of_a_small_board() {
        let mut position = position("R .\n . B");
        position.to_move = Some(Player::Red);
        let facts = position.facts();
        let printed = |atoms: &[Atom]| {
            let atom = |atom: &Atom| {
                let args: Vec<String> = atom
                    .args
                    .iter()
                    .map(|arg| match arg {
                        Term::Integer(n) => n.to_string(),
                        Term::Symbol(name) => name.to_string(),
                        other => format!("{other:?}"),
                    })
                    .collect();
                format!("{}({})", atom.predicate, args.join(","))
            };
            atoms.iter().map(atom).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            printed(&facts.geometry),
            "columns(2) rows(2) cell(1) cell(2) cell(3) cell(4) player(red) player(blue)"
        );
        assert_eq!(printed(&facts.position), "stone(red,1) stone(blue,4) empty(2) empty(3) to_move(red)");
    }
}
