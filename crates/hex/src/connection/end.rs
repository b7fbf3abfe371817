//! The boards that connections are computed on, and the ends that connections join.

use crate::board::{Board, Cell, Player, Side};
use crate::template::{self, PlacedTemplate};
use std::fmt;
use std::sync::Arc;

/// A board on which each player wants to join all edges that are his: all that connections need to know of it.
///
/// The rhombus of Hex ([`Board`]) is one. Another board, such as a triangle or another tiling of the plane, implements
/// this to get [`Connections`](super::Connections) and [exact search](super::complete), and
/// [`HexagonBoard`](crate::hexagon::HexagonBoard) to get inferior cells, certificates and pictures.
///
/// An edge is one big stone of its owner: groups that touch it are joined over it. In Y it is [not](ConnectionBoard::edges_join): a single
/// group has to touch three edges.
pub trait ConnectionBoard: Copy + PartialEq + fmt::Debug + fmt::Display {
    /// The number of edges that each player has to join: two; or three, which do not [join](ConnectionBoard::edges_join) groups.
    fn edge_count(self) -> u8 {
        2
    }

    /// Whether groups that touch the same edge are joined over it, as in Hex. If not, an edge is never the middle of a chain. No connection of two
    /// edges is asked for then, and one of the [first](ConnectionEnd::FIRST) and the [last](ConnectionEnd::LAST) stands for a group that touches
    /// all three.
    fn edges_join(self) -> bool {
        true
    }

    /// The number of cells. [`Cell::index`] runs below it.
    fn cell_count(self) -> usize;

    /// The cells that touch this one.
    fn neighbors(self, cell: Cell) -> impl Iterator<Item = Cell>;

    /// Whether the cell lies at the player's edge of that number.
    fn is_at_edge(self, player: Player, edge: u8, cell: Cell) -> bool;

    /// The name of a cell.
    fn cell_name(self, cell: Cell) -> String;

    /// The cell of that name, if it is on the board.
    fn cell_of_name(self, name: &str) -> Option<Cell>;

    /// The name of the player's edge of that number.
    fn edge_name(self, player: Player, edge: u8) -> &'static str;

    /// The [edge templates](crate::template) that fit on the board for that player; none where there are no proofs of any.
    fn templates(self, _player: Player) -> Arc<[PlacedTemplate]> {
        Arc::default()
    }

    /// Whether the player, instead of joining edges, makes a chain around the board; the opponent then joins two edges.
    fn goes_around(self, _player: Player) -> bool {
        false
    }

    /// The number of places that the player's connections join: the cells; where the player goes around, the cells of the
    /// board unrolled over two turns, so that a connection from a place to the same cell one turn on leads around.
    fn place_count(self, _player: Player) -> usize {
        self.cell_count()
    }

    /// The cell of a place. Those of the first turn are the cells themselves.
    fn cell_of_place(self, place: Cell) -> Cell {
        place
    }

    /// The places that touch this one.
    fn places_beside(self, _player: Player, place: Cell) -> impl Iterator<Item = Cell> {
        self.neighbors(place)
    }

    /// All cells, in an order that keeps neighbors close to each other: matrices over them are then narrow bands.
    fn sweep(self) -> impl Iterator<Item = Cell> {
        self.cells()
    }

    /// All cells in the order of their indices.
    fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.cell_count()).map(Cell::from_index)
    }

    /// The edges as ends.
    fn edges(self) -> impl Iterator<Item = ConnectionEnd> {
        (0..self.edge_count()).map(ConnectionEnd::Edge)
    }

    /// Whether two ends of the player's touch: neighboring cells, or a cell and an edge that it lies at.
    fn touches(self, player: Player, x: ConnectionEnd, y: ConnectionEnd) -> bool {
        match (x, y) {
            (ConnectionEnd::Cell(x), ConnectionEnd::Cell(y)) => self.neighbors(x).any(|neighbor| neighbor == y),
            (ConnectionEnd::Edge(edge), ConnectionEnd::Cell(cell))
            | (ConnectionEnd::Cell(cell), ConnectionEnd::Edge(edge)) => self.is_at_edge(player, edge, cell),
            (ConnectionEnd::Edge(_), ConnectionEnd::Edge(_)) => false,
        }
    }

    /// The ends that touch this one.
    fn adjacent(self, player: Player, end: ConnectionEnd) -> Vec<ConnectionEnd> {
        match end {
            ConnectionEnd::Edge(edge) => {
                self.cells().filter(|&cell| self.is_at_edge(player, edge, cell)).map(ConnectionEnd::Cell).collect()
            }
            ConnectionEnd::Cell(cell) => {
                let edges = self.edges().filter(|&edge| self.touches(player, end, edge));
                self.neighbors(cell).map(ConnectionEnd::Cell).chain(edges).collect()
            }
        }
    }
}

impl ConnectionBoard for Board {
    fn edge_count(self) -> u8 {
        if self.is_triangle() { Side::ALL.len() as u8 } else { 2 }
    }

    fn edges_join(self) -> bool {
        !self.is_triangle()
    }

    fn cell_count(self) -> usize {
        self.len()
    }

    fn neighbors(self, cell: Cell) -> impl Iterator<Item = Cell> {
        Board::neighbors(self, cell)
    }

    fn goes_around(self, player: Player) -> bool {
        Board::goes_around(self, player)
    }

    fn place_count(self, player: Player) -> usize {
        if self.goes_around(player) { 2 * self.len() } else { self.len() }
    }

    fn cell_of_place(self, place: Cell) -> Cell {
        if self.is_cylinder() && place.index() >= self.len() {
            Cell::from_index(place.index() - self.len())
        } else {
            place
        }
    }

    fn places_beside(self, player: Player, place: Cell) -> impl Iterator<Item = Cell> {
        let turn = place.index() / self.len();
        let cell = self.cell_of_place(place);
        let is_unrolled = self.goes_around(player);
        Board::neighbors(self, cell).filter_map(move |next| {
            let turn = if is_unrolled {
                turn.checked_add_signed(self.turns(cell, next)).filter(|&turn| turn < 2)?
            } else {
                0
            };
            Some(Cell::from_index(turn * self.len() + next.index()))
        })
    }

    fn is_at_edge(self, player: Player, edge: u8, cell: Cell) -> bool {
        if self.is_triangle() {
            return Side::ALL.get(usize::from(edge)).is_some_and(|&side| self.is_at_side(side, cell));
        }
        match ConnectionEnd::Edge(edge) {
            ConnectionEnd::FIRST => self.is_first(player, cell),
            _ => self.is_last(player, cell),
        }
    }

    fn cell_name(self, cell: Cell) -> String {
        self.name(cell)
    }

    fn cell_of_name(self, name: &str) -> Option<Cell> {
        Board::cell_of_name(self, name)
    }

    fn edge_name(self, player: Player, edge: u8) -> &'static str {
        if self.is_triangle() {
            return Side::ALL[usize::from(edge)].name();
        }
        match (ConnectionEnd::Edge(edge), player) {
            (ConnectionEnd::FIRST, Player::Red) => "top",
            (_, Player::Red) => "bottom",
            (ConnectionEnd::FIRST, Player::Blue) => "left",
            (_, Player::Blue) => "right",
        }
    }

    fn templates(self, player: Player) -> Arc<[PlacedTemplate]> {
        template::placed(self, player)
    }

    /// Along the shorter side.
    fn sweep(self) -> impl Iterator<Item = Cell> {
        let width = self.width();
        let height = self.height();
        let is_wide = width > height;
        let (outer, inner) = if is_wide { (width, height) } else { (height, width) };
        (0..outer)
            .flat_map(move |o| (0..inner).filter_map(move |i| if is_wide { self.cell(o, i) } else { self.cell(i, o) }))
    }
}

/// One of the two things that a connection joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConnectionEnd {
    /// The player's edge of that number.
    Edge(u8),
    /// An empty cell, or the group of the stone on it; a [place](ConnectionBoard::place_count), where the player goes around.
    Cell(Cell),
}

impl ConnectionEnd {
    /// The player's first edge; in Hex the top for Red, the left for Blue.
    pub const FIRST: ConnectionEnd = ConnectionEnd::Edge(0);

    /// The player's second edge, in Hex the last: the bottom for Red, the right for Blue.
    pub const LAST: ConnectionEnd = ConnectionEnd::Edge(1);

    /// The place of the end in an array over all ends of a board: the edges, then the cells.
    pub fn index<B: ConnectionBoard>(self, board: B) -> usize {
        match self {
            ConnectionEnd::Edge(edge) => edge.into(),
            ConnectionEnd::Cell(cell) => usize::from(board.edge_count()) + cell.index(),
        }
    }

    /// The end at that place of an array over all ends of a board.
    pub fn from_index<B: ConnectionBoard>(index: usize, board: B) -> ConnectionEnd {
        match index.checked_sub(board.edge_count().into()) {
            Some(cell) => ConnectionEnd::Cell(Cell::from_index(cell)),
            None => ConnectionEnd::Edge(index as u8),
        }
    }

    /// The edge's name for that player, or the cell's name.
    pub fn name<B: ConnectionBoard>(self, board: B, player: Player) -> String {
        match self {
            ConnectionEnd::Edge(edge) => board.edge_name(player, edge).to_owned(),
            ConnectionEnd::Cell(cell) => board.cell_name(cell),
        }
    }

    /// The end of that [`name`](ConnectionEnd::name), if it is one of this player's on this board.
    pub fn from_name<B: ConnectionBoard>(name: &str, board: B, player: Player) -> Option<ConnectionEnd> {
        board
            .edges()
            .find(|edge| edge.name(board, player) == name)
            .or_else(|| board.cell_of_name(name).map(ConnectionEnd::Cell))
    }

    /// The cell, where the end is no edge.
    pub fn cell(self) -> Option<Cell> {
        match self {
            ConnectionEnd::Cell(cell) => Some(cell),
            ConnectionEnd::Edge(_) => None,
        }
    }
}
