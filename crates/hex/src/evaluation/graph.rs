//! The board as one player sees it: van Rijswijck's reduced graph (*Search and evaluation in Hex*, appendix A).
//!
//! A vertex is one of the player's two edges, an empty cell or a group of the player's stones; opponent's stones are
//! not there. Each pair of adjacent cells that belong to different vertices is a link, so two vertices may have several.
//! The paper goes on to drop the groups and to link the cells around them instead; here a group stays a vertex, which
//! says the same with fewer links.

use crate::board::{Board, Cell, Player};
use crate::position::Position;
use petgraph::unionfind::UnionFind;

/// The vertex of the player's first edge.
pub(super) const FIRST: usize = 0;
/// The vertex of the player's last edge.
pub(super) const LAST: usize = 1;

pub(super) struct Graph {
    board: Board,
    cells: Vec<Option<Cell>>,
    vertices: Vec<Option<usize>>,
    neighbors: Vec<Vec<usize>>,
}

impl Graph {
    /// In time and space linear in the number of cells.
    pub(super) fn new(position: &Position, player: Player) -> Graph {
        let board = position.board();
        let mut groups: UnionFind<usize> = UnionFind::new(board.len());
        for cell in position.stones_of(player) {
            for neighbor in board.neighbors(cell).filter(|&neighbor| position.stone(neighbor) == Some(player)) {
                groups.union(cell.index(), neighbor.index());
            }
        }

        let mut graph =
            Graph { board, cells: vec![None; 2], vertices: vec![None; board.len()], neighbors: vec![Vec::new(); 2] };
        for cell in along_short_side(board) {
            let stone = position.stone(cell);
            if stone == Some(player.opponent()) {
                continue;
            }
            let group = groups.find(cell.index());
            let vertex = *graph.vertices[group].get_or_insert(graph.cells.len());
            graph.vertices[cell.index()] = Some(vertex);
            if vertex == graph.cells.len() {
                graph.cells.push(stone.is_none().then_some(cell));
                graph.neighbors.push(Vec::new());
            }
        }

        for cell in board.cells() {
            let Some(vertex) = graph.vertices[cell.index()] else { continue };
            for neighbor in board.neighbors(cell) {
                let other = graph.vertices[neighbor.index()];
                graph.neighbors[vertex].extend(other.filter(|&other| other != vertex));
            }
            for (edge, touches) in [(FIRST, board.is_first(player, cell)), (LAST, board.is_last(player, cell))] {
                if touches {
                    graph.neighbors[vertex].push(edge);
                    graph.neighbors[edge].push(vertex);
                }
            }
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The empty cell at a vertex; `None` where the player already is: at an edge, at a group.
    pub(super) fn cell(&self, vertex: usize) -> Option<Cell> {
        self.cells[vertex]
    }

    /// The vertex of a cell; `None` for an opponent's stone.
    pub(super) fn vertex(&self, cell: Cell) -> Option<usize> {
        self.vertices[cell.index()]
    }

    /// The vertices at the other ends of a vertex's links, once for each link.
    pub(super) fn neighbors(&self, vertex: usize) -> &[usize] {
        &self.neighbors[vertex]
    }

    /// Each link from both of its ends.
    pub(super) fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.len()).flat_map(|vertex| self.neighbors[vertex].iter().map(move |&other| (vertex, other)))
    }

    /// Whether the vertex is the edge or a group that touches it.
    pub(super) fn is_at(&self, edge: usize, vertex: usize) -> bool {
        vertex == edge || self.cell(vertex).is_none() && self.neighbors[vertex].contains(&edge)
    }

    /// Whether the edges are joined.
    pub(super) fn is_won(&self) -> bool {
        self.neighbors[FIRST].iter().any(|&vertex| self.cell(vertex).is_none() && self.is_at(LAST, vertex))
    }

    /// By cell of the board, what `figure` says of an empty cell's vertex.
    pub(super) fn figures(&self, figure: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
        let vertex_of_empty = |cell| self.vertex(cell).filter(|&vertex| self.cell(vertex).is_some());
        self.board.cells().map(|cell| vertex_of_empty(cell).map(&figure)).collect()
    }
}

/// All cells, so that neighbors are never farther apart in the order than the shorter side of the board is long:
/// matrices over the vertices are then narrow bands.
fn along_short_side(board: Board) -> impl Iterator<Item = Cell> {
    let (width, height) = (board.width(), board.height());
    let is_wide = width > height;
    let (outer, inner) = if is_wide { (width, height) } else { (height, width) };
    (0..outer)
        .flat_map(move |o| (0..inner).filter_map(move |i| if is_wide { board.cell(o, i) } else { board.cell(i, o) }))
}
