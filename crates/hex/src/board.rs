//! The board: a rhombus of hexagons, `width` columns by `height` rows.
//!
//! A cell is named `a1`: the letter is its column (`a` … `z`, `aa`, `ab`, …), the number its row, `a1` top left.
//! Its *modular number* counts row by row from 1, so that its six neighbors are at ±1, ±width and ±(width − 1), as
//! long as that does not lead over an edge. Red joins top and bottom, Blue left and right.

use super::hexagon::RING;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A player, the owner of stones and edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Player {
    /// Moves first and joins top and bottom.
    Red,
    /// Joins left and right.
    Blue,
}

impl Player {
    /// Both players, the first to move first.
    pub const BOTH: [Player; 2] = [Player::Red, Player::Blue];

    /// The other player.
    pub fn opponent(self) -> Player {
        match self {
            Player::Red => Player::Blue,
            Player::Blue => Player::Red,
        }
    }

    /// `red` or `blue`, as rules and headers say it.
    pub fn name(self) -> &'static str {
        match self {
            Player::Red => "red",
            Player::Blue => "blue",
        }
    }
}

impl FromStr for Player {
    type Err = ParsePlayerError;

    /// Reads the [`name`](Player::name) of a player.
    fn from_str(name: &str) -> Result<Player, ParsePlayerError> {
        Player::BOTH.into_iter().find(|player| player.name() == name).ok_or(ParsePlayerError)
    }
}

/// A text names no player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsePlayerError;

impl fmt::Display for ParsePlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("red or blue")
    }
}

impl std::error::Error for ParsePlayerError {}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cell of some [`Board`], which knows its column, row and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(u32);

impl Cell {
    /// The cell at that place of an array over the board.
    pub fn from_index(index: usize) -> Cell {
        Cell(index as u32)
    }

    /// From 0, row by row: the place of the cell in an array over the board.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The modular number: from 1, row by row.
    pub fn number(self) -> u32 {
        self.0 + 1
    }
}

/// The size of a board: at least 1×1, at most [`Board::MAX_SIDE`] a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    width: u32,
    height: u32,
}

impl Board {
    /// The longest side of a board.
    pub const MAX_SIDE: usize = 1000;

    /// The board of this size; `None` when a side is zero or longer than [`Board::MAX_SIDE`].
    pub const fn new(width: usize, height: usize) -> Option<Board> {
        if width == 0 || height == 0 || width > Board::MAX_SIDE || height > Board::MAX_SIDE {
            return None;
        }
        Some(Board { width: width as u32, height: height as u32 })
    }

    /// The number of columns.
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// The number of rows.
    pub fn height(self) -> usize {
        self.height as usize
    }

    /// The number of cells.
    pub fn len(self) -> usize {
        self.width() * self.height()
    }

    /// Never: a board has at least one cell.
    pub fn is_empty(self) -> bool {
        false
    }

    /// All cells, row by row.
    pub fn cells(self) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        (0..self.len() as u32).map(Cell)
    }

    /// The cell at column and row, both from 0, if it is on the board.
    pub fn cell(self, column: usize, row: usize) -> Option<Cell> {
        (column < self.width() && row < self.height()).then(|| Cell((row * self.width() + column) as u32))
    }

    /// The cell of that modular number, if it is on the board.
    pub fn cell_of_number(self, number: usize) -> Option<Cell> {
        (1..=self.len()).contains(&number).then(|| Cell(number as u32 - 1))
    }

    /// The column of a cell, from 0.
    pub fn column(self, cell: Cell) -> usize {
        cell.index() % self.width()
    }

    /// The row of a cell, from 0.
    pub fn row(self, cell: Cell) -> usize {
        cell.index() / self.width()
    }

    /// The up to six neighbors, in the order right, left, below, above, below left, above right.
    pub fn neighbors(self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        /// Opposite directions in pairs.
        const ORDER: [(isize, isize); 6] = [RING[0], RING[3], RING[1], RING[4], RING[2], RING[5]];
        let column = self.column(cell);
        let row = self.row(cell);
        ORDER.into_iter().filter_map(move |(right, down)| {
            self.cell(column.checked_add_signed(right)?, row.checked_add_signed(down)?)
        })
    }

    /// The symmetries of the board but identity, each as the images of all cells: those that exchange no players. The
    /// rhombus is turned by half.
    pub fn symmetries(self) -> Vec<Vec<Cell>> {
        vec![self.cells().rev().collect()]
    }

    /// The number of lines that a chain of `player` has to cross: rows for Red, columns for Blue.
    pub fn lines(self, player: Player) -> usize {
        match player {
            Player::Red => self.height(),
            Player::Blue => self.width(),
        }
    }

    /// The number, from 0, of the line that the cell lies on.
    pub fn line(self, player: Player, cell: Cell) -> usize {
        match player {
            Player::Red => self.row(cell),
            Player::Blue => self.column(cell),
        }
    }

    /// Whether the cell touches the edge that the player's chains begin at: top for Red, left for Blue.
    pub fn is_first(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) == 0
    }

    /// Whether the cell touches the edge that the player's chains end at: bottom for Red, right for Blue.
    pub fn is_last(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) + 1 == self.lines(player)
    }

    /// The name of a cell, `a1`.
    pub fn name(self, cell: Cell) -> String {
        format!("{}{}", column_name(self.column(cell)), self.row(cell) + 1)
    }

    /// The cell of that name, if it is on the board. Letters may be of either case.
    pub fn cell_of_name(self, name: &str) -> Option<Cell> {
        let (column, row) = parse_cell_name(name)?;
        self.cell(column, row)
    }
}

impl FromStr for Board {
    type Err = ParseBoardError;

    /// Reads `9x9`: columns, then rows.
    fn from_str(text: &str) -> Result<Board, ParseBoardError> {
        let (width, height) = text.split_once(['x', 'X', '×']).ok_or(ParseBoardError)?;
        let side = |text: &str| text.trim().parse().map_err(|_| ParseBoardError);
        Board::new(side(width)?, side(height)?).ok_or(ParseBoardError)
    }
}

/// A text is no size of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseBoardError;

impl fmt::Display for ParseBoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "columns, then rows, as in 9x9, each from 1 to {}", Board::MAX_SIDE)
    }
}

impl std::error::Error for ParseBoardError {}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The letters of a column, counted from 0: `a` … `z`, `aa`, `ab`, …
pub fn column_name(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// Column and row, both from 0, of a cell name on a board of any size; `None` when it is no cell name.
pub fn parse_cell_name(name: &str) -> Option<(usize, usize)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = name.split_at(digits);
    if letters.is_empty() || !letters.bytes().all(|b| b.is_ascii_alphabetic()) || number.starts_with('0') {
        return None;
    }
    let column = letters.bytes().try_fold(0usize, |column, letter| {
        column.checked_mul(26)?.checked_add(usize::from(letter.to_ascii_lowercase() - b'a') + 1)
    })?;
    let row: usize = number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok())??;
    Some((column - 1, row - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let board = Board::new(30, 4).unwrap();
        for (name, number) in [("a1", 1), ("z1", 26), ("aa1", 27), ("ad1", 30), ("a2", 31), ("ad4", 120)] {
            let cell = board.cell_of_name(name).unwrap();
            assert_eq!(cell.number(), number, "{name}");
            assert_eq!(board.name(cell), name);
            assert_eq!(board.cell_of_number(number as usize), Some(cell));
        }
        for outside in ["ae1", "a5", "a0", "1a", "a", "7", "", "a1b", "a-1", "a01", "é1"] {
            assert_eq!(board.cell_of_name(outside), None, "{outside}");
        }
        assert_eq!(board.cell_of_number(0), None);
        assert_eq!(board.cell_of_number(121), None);
        assert_eq!(column_name(701), "zz");
        assert_eq!(column_name(702), "aaa");
        assert_eq!(parse_cell_name("zzzzzzzzzzzzzzzzzzzzzzzz1"), None);
    }

    #[test]
    fn sizes() {
        assert_eq!("9x11".parse().ok(), Board::new(9, 11));
        for wrong in ["0x3", "3x0", "1001x1", "9", "9x", "x9", "-1x3", "9x9x9"] {
            assert_eq!(wrong.parse::<Board>(), Err(ParseBoardError), "{wrong}");
        }
    }

    #[test]
    fn corners_of_a_board() {
        let board = Board::new(3, 3).unwrap();
        let neighbors = |name: &str| {
            let cell = board.cell_of_name(name).unwrap();
            board.neighbors(cell).map(|cell| board.name(cell)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(neighbors("a1"), "b1 a2");
        assert_eq!(neighbors("c1"), "b1 c2 b2");
        assert_eq!(neighbors("a3"), "b3 a2 b2");
        assert_eq!(neighbors("c3"), "b3 c2");
        assert_eq!(neighbors("b2"), "c2 a2 b3 b1 a3 c1");
    }
}
