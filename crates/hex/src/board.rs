//! The board: a rhombus of hexagons, `width` columns by `height` rows, the same wrapped around a cylinder, or the triangle of Y.
//!
//! A cell is named `a1`: the letter is its column (`a` … `z`, `aa`, `ab`, …), the number its row, `a1` top left.
//! Its *modular number* counts row by row from 1, so that its six neighbors are at ±1, ±width and ±(width − 1), as
//! long as that does not lead over an edge. Red joins top and bottom, Blue left and right.
//!
//! On a cylinder the last column is next to the first one, and Blue makes a chain around it. As on the rhombus one of them
//! succeeds on a full board, and not both.
//!
//! Row r of a triangle has r cells, each below two cells of the row above but for the first and the last, and `a1` is its upper corner. Its
//! three sides are both players', and who has a group that touches all of them wins: on a full board again one of them, and not both.

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

/// The size of a board, at least 1×1, at most [`Board::MAX_SIDE`] a side, and its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    width: u32,
    height: u32,
    shape: BoardShape,
}

/// The outline of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum BoardShape {
    Rhombus,
    Cylinder,
    Triangle,
}

/// The name of the game on a cylinder, up to the size.
const CYLINDER: &str = "hex-cylinder-";

/// The name of the game on a triangle, up to the size.
const TRIANGLE: &str = "y-";

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
        Some(Board { width: width as u32, height: height as u32, shape: BoardShape::Rhombus })
    }

    /// The cylinder of that many columns around, at least 3, and rows high; `None` where there is no board of this size.
    pub fn cylinder(around: usize, height: usize) -> Option<Board> {
        let board = Board::new(around, height).filter(|board| board.width >= LEAST_AROUND)?;
        Some(Board { shape: BoardShape::Cylinder, ..board })
    }

    /// The triangle of Y with that many cells a side; `None` where there is no board of this size.
    pub fn triangle(side: usize) -> Option<Board> {
        Some(Board { shape: BoardShape::Triangle, ..Board::new(side, side)? })
    }

    /// The board that [`Display`](fmt::Display) writes as this: `9x9`, `hex-cylinder-5x4` or `y-5`.
    pub fn from_name(name: &str) -> Option<Board> {
        let board = if let Some(side) = name.strip_prefix(TRIANGLE) {
            Board::triangle(side.parse().ok()?)?
        } else if let Some(size) = name.strip_prefix(CYLINDER) {
            let board: Board = size.parse().ok()?;
            Board::cylinder(board.width(), board.height())?
        } else {
            name.parse().ok()?
        };
        (board.to_string() == name).then_some(board)
    }

    /// Whether this is the board of Hex.
    pub fn is_rhombus(self) -> bool {
        self.shape == BoardShape::Rhombus
    }

    /// Whether the last column is next to the first one.
    pub fn is_cylinder(self) -> bool {
        self.shape == BoardShape::Cylinder
    }

    /// Whether this is the board of Y.
    pub fn is_triangle(self) -> bool {
        self.shape == BoardShape::Triangle
    }

    /// Whether the player wins by a chain around the board: Blue on a cylinder.
    pub fn goes_around(self, player: Player) -> bool {
        self.is_cylinder() && player == Player::Blue
    }

    /// The turns around the cylinder that a step between neighbors makes: 1 over the seam to the right, -1 to the left.
    pub(super) fn turns(self, from: Cell, to: Cell) -> isize {
        let right = self.column(to) as isize - self.column(from) as isize;
        // Neighbors are at most one column apart.
        if self.is_cylinder() && right.abs() > 1 { -right.signum() } else { 0 }
    }

    /// The number of columns; of a triangle those of its last row.
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// The number of rows.
    pub fn height(self) -> usize {
        self.height as usize
    }

    /// The number of cells.
    pub fn len(self) -> usize {
        self.row_start(self.height())
    }

    /// The number of cells above a row.
    fn row_start(self, row: usize) -> usize {
        if self.is_triangle() { row * (row + 1) / 2 } else { row * self.width() }
    }

    /// The number of cells in a row.
    fn row_len(self, row: usize) -> usize {
        if self.is_triangle() { row + 1 } else { self.width() }
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
        (row < self.height() && column < self.row_len(row)).then(|| Cell((self.row_start(row) + column) as u32))
    }

    /// The cell of that modular number, if it is on the board.
    pub fn cell_of_number(self, number: usize) -> Option<Cell> {
        (1..=self.len()).contains(&number).then(|| Cell(number as u32 - 1))
    }

    /// The column of a cell, from 0.
    pub fn column(self, cell: Cell) -> usize {
        cell.index() - self.row_start(self.row(cell))
    }

    /// The row of a cell, from 0.
    pub fn row(self, cell: Cell) -> usize {
        // The cells above row r of a triangle are r·(r + 1)/2.
        if self.is_triangle() { ((8 * cell.index() + 1).isqrt() - 1) / 2 } else { cell.index() / self.width() }
    }

    /// The up to six neighbors, in the order right, left, below, above, below left, above right.
    pub fn neighbors(self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        /// Opposite directions in pairs.
        const ORDER: [(isize, isize); 6] = [RING[0], RING[3], RING[1], RING[4], RING[2], RING[5]];
        ORDER.into_iter().filter_map(move |direction| self.beside(cell, direction))
    }

    /// The cell next to this one in one of the six directions of a ring; `None` beyond the board.
    pub(super) fn beside(self, cell: Cell, (right, down): (isize, isize)) -> Option<Cell> {
        let row = self.row(cell).checked_add_signed(down)?;
        // Each row of a triangle begins half a cell farther left than the one above, each row of a rhombus farther right.
        let right = if self.is_triangle() { right + down } else { right };
        let column = self.column(cell).checked_add_signed(right);
        if !self.is_cylinder() {
            return self.cell(column?, row);
        }
        let column = column.unwrap_or(self.width() - 1);
        self.cell(if column == self.width() { 0 } else { column }, row)
    }

    /// The symmetries of the board but identity, each as the images of all cells: those that exchange no players. A
    /// rhombus is turned by half; a cylinder turned along and upside down, and mirrored as well; a triangle turned and mirrored.
    pub fn symmetries(self) -> Vec<Vec<Cell>> {
        match self.shape {
            BoardShape::Rhombus => vec![self.cells().rev().collect()],
            BoardShape::Cylinder => self.symmetries_of_cylinder(),
            BoardShape::Triangle => self.symmetries_of_triangle(),
        }
    }

    /// All ways to exchange the three sides.
    fn symmetries_of_triangle(self) -> Vec<Vec<Cell>> {
        const ORDERS: [[usize; 3]; 5] = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let image = |cell: Cell, order: [usize; 3]| {
            let distances = Side::ALL.map(|side| self.distance(side, cell));
            let [left, right, _] = order.map(|side| distances[side]);
            self.cell(left, left + right)
        };
        ORDERS.map(|order| self.cells().filter_map(|cell| image(cell, order)).collect()).to_vec()
    }

    fn symmetries_of_cylinder(self) -> Vec<Vec<Cell>> {
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

    /// Whether the cell touches the edge that the player's chains begin at: top for Red, left for Blue. Nobody has edges of his own on a
    /// triangle, nor has a player who goes around.
    pub fn is_first(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) == 0 && self.joins_two(player)
    }

    /// Whether the cell touches the edge that the player's chains end at: bottom for Red, right for Blue.
    pub fn is_last(self, player: Player, cell: Cell) -> bool {
        self.line(player, cell) + 1 == self.lines(player) && self.joins_two(player)
    }

    /// Whether the player joins two edges of his own.
    fn joins_two(self, player: Player) -> bool {
        !self.goes_around(player) && !self.is_triangle()
    }

    /// Whether the cell of a triangle touches that side.
    pub fn is_at_side(self, side: Side, cell: Cell) -> bool {
        self.is_triangle() && self.distance(side, cell) == 0
    }

    /// The number of cells of a triangle between a cell and a side.
    fn distance(self, side: Side, cell: Cell) -> usize {
        match side {
            Side::Left => self.column(cell),
            Side::Right => self.row(cell) - self.column(cell),
            Side::Base => self.height() - 1 - self.row(cell),
        }
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

/// A side of a triangle, both players'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the upper corner to the first cell of the last row.
    Left,
    /// From the upper corner to the last cell of the last row.
    Right,
    /// The last row.
    Base,
}

impl Side {
    /// All sides, in the order of their numbers as [edges](crate::connection::ConnectionEnd::Edge).
    pub const ALL: [Side; 3] = [Side::Left, Side::Right, Side::Base];

    /// `left`, `right` or `base`, as in the rules of Y.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
            Side::Base => "base",
        }
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
        let Board { width, height, shape } = self;
        match shape {
            BoardShape::Rhombus => write!(f, "{width}x{height}"),
            BoardShape::Cylinder => write!(f, "{CYLINDER}{width}x{height}"),
            BoardShape::Triangle => write!(f, "{TRIANGLE}{height}"),
        }
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
