//! The board: a rhombus of hexagons, `width` columns by `height` rows, or the same wrapped around a cylinder.
//!
//! A cell is named `a1`: the letter is its column (`a` … `z`, `aa`, `ab`, …), the number its row, `a1` top left.
//! Its *modular number* counts row by row from 1, so that its six neighbors are at ±1, ±width and ±(width − 1), as
//! long as that does not lead over an edge. Red joins top and bottom, Blue left and right.
//!
//! On a cylinder the last column is next to the first one, and Blue makes a chain around it. As on the rhombus one of them
//! succeeds on a full board, and not both.

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

/// The size of a board, at least 1×1, at most [`Board::MAX_SIDE`] a side, and whether it is a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    width: u32,
    height: u32,
    is_cylinder: bool,
}

/// The name of the game on a cylinder, up to the size.
const CYLINDER: &str = "hex-cylinder-";

/// The least circumference of a cylinder: with fewer columns two cells would be neighbors twice.
const LEAST_AROUND: u32 = 3;

impl Board {
    /// The longest side of a board.
    pub const MAX_SIDE: usize = 1000;

    /// The board of this size; `None` when a side is zero or longer than [`Board::MAX_SIDE`].
    pub const fn new(width: usize, height: usize) -> Option<Board> {
        if width == 0 || height == 0 || width > Board::MAX_SIDE || height > Board::MAX_SIDE {
            return None;
        }
        Some(Board { width: width as u32, height: height as u32, is_cylinder: false })
    }

    /// The cylinder of that many columns around, at least 3, and rows high; `None` where there is no board of this size.
    pub fn cylinder(around: usize, height: usize) -> Option<Board> {
        let board = Board::new(around, height).filter(|board| board.width >= LEAST_AROUND)?;
        Some(Board { is_cylinder: true, ..board })
    }

    /// The board that [`Display`](fmt::Display) writes as this: `9x9`, or `hex-cylinder-5x4`.
    pub fn from_name(name: &str) -> Option<Board> {
        let size = name.strip_prefix(CYLINDER);
        let board: Board = size.unwrap_or(name).parse().ok()?;
        let board = if size.is_some() { Board::cylinder(board.width(), board.height())? } else { board };
        (board.to_string() == name).then_some(board)
    }

    /// Whether the last column is next to the first one.
    pub fn is_cylinder(self) -> bool {
        self.is_cylinder
    }

    /// Whether the player wins by a chain around the board: Blue on a cylinder.
    pub fn goes_around(self, player: Player) -> bool {
        self.is_cylinder && player == Player::Blue
    }

    /// The turns around the cylinder that a step between neighbors makes: 1 over the seam to the right, -1 to the left.
    pub(super) fn turns(self, from: Cell, to: Cell) -> isize {
        let right = self.column(to) as isize - self.column(from) as isize;
        // Neighbors are at most one column apart.
        if self.is_cylinder && right.abs() > 1 { -right.signum() } else { 0 }
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
            self.cell(self.column_beside(column, right)?, row.checked_add_signed(down)?)
        })
    }

    /// The column beside this one, which may be beyond the board: the next for 1, the one before for -1.
    pub(super) fn column_beside(self, column: usize, right: isize) -> Option<usize> {
        let beside = column.checked_add_signed(right);
        if !self.is_cylinder {
            return beside;
        }
        let beside = beside.unwrap_or(self.width() - 1);
        Some(if beside == self.width() { 0 } else { beside })
    }

    /// The symmetries of the board but identity, each as the images of all cells: those that exchange no players. A
    /// rhombus is turned by half; a cylinder turned along and upside down, and mirrored as well.
    pub fn symmetries(self) -> Vec<Vec<Cell>> {
        if !self.is_cylinder {
            return vec![self.cells().rev().collect()];
        }
        let [around, last] = [self.width() as isize, self.height() as isize - 1];
        // A column leans by half a cell a row, so that a mirror image exchanges columns with the other short diagonals.
        let image = |cell: Cell, is_mirrored: bool, is_upside_down: bool, along: isize| {
            let [column, row] = [self.column(cell) as isize, self.row(cell) as isize];
            let column = if is_mirrored { -column - row } else { column };
            let [column, row] = if is_upside_down { [-column, last - row] } else { [column, row] };
            self.cell((column + along).rem_euclid(around) as usize, row as usize)
        };
        let flips = [(false, false), (false, true), (true, false), (true, true)];
        let moves = flips.into_iter().flat_map(|(mirror, flip)| (0..around).map(move |along| (mirror, flip, along)));
        let images = |(mirror, flip, along)| self.cells().filter_map(|cell| image(cell, mirror, flip, along)).collect();
        // The first is identity.
        moves.skip(1).map(images).collect()
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

    /// Whether the cell touches the edge that the player's chains begin at: top for Red, left for Blue. A player who goes
    /// around has no edges.
    pub fn is_first(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) == 0 && !self.goes_around(player)
    }

    /// Whether the cell touches the edge that the player's chains end at: bottom for Red, right for Blue.
    pub fn is_last(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) + 1 == self.lines(player) && !self.goes_around(player)
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
        write!(f, "{}{}x{}", if self.is_cylinder { CYLINDER } else { "" }, self.width, self.height)
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
