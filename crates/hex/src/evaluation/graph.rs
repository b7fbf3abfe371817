//! The board as one player sees it: van Rijswijck's reduced graph (*Search and evaluation in Hex*, appendix A).
//!
//! A vertex is one of the player's two edges, an empty cell or a group of the player's stones; opponent's stones are
//! not there. Each pair of adjacent cells that belong to different vertices is a link, so two vertices may have
//! several. The paper goes on to drop the groups and to link the cells around them instead; here a group stays a
//! vertex, which says the same with fewer links.

use crate::board::{Cell, Player};
use crate::connection::{ConnectionBoard, ConnectionEnd};
use crate::position::Position;
use petgraph::unionfind::UnionFind;

/// The vertex of the player's first edge.
pub(super) const FIRST: usize = 0;
/// The vertex of the player's last edge.
pub(super) const LAST: usize = 1;

/// The graph of one player on one position. Its first vertices are the player's edges.
pub(super) struct PlayerGraph {
    /// By vertex, its empty cell.
    cells: Vec<Option<Cell>>,
    /// By cell, its vertex.
    vertices: Vec<Option<usize>>,
    /// By vertex, the vertices at the other ends of its links.
    neighbors: Vec<Vec<usize>>,
}

impl PlayerGraph {
    /// The graph of a player in a position.
    pub(super) fn new(position: &Position, player: Player) -> PlayerGraph {
        PlayerGraph::of_stones(position.board(), player, |cell| position.stone(cell))
    }

    /// The graph of a player on any board, in time and space linear in the number of cells.
    fn of_stones<B: ConnectionBoard>(board: B, player: Player, stone: impl Fn(Cell) -> Option<Player>) -> PlayerGraph {
        let mut groups: UnionFind<usize> = UnionFind::new(board.cell_count());
        for cell in board.cells().filter(|&cell| stone(cell) == Some(player)) {
            for neighbor in board.neighbors(cell).filter(|&neighbor| stone(neighbor) == Some(player)) {
                groups.union(cell.index(), neighbor.index());
            }
        }

        let edges = usize::from(board.edge_count());
        let mut graph = PlayerGraph {
            cells: vec![None; edges],
            vertices: vec![None; board.cell_count()],
            neighbors: vec![Vec::new(); edges],
        };
        for cell in board.sweep() {
            let stone = stone(cell);
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
            for edge in board.edges().filter(|&edge| board.touches(player, ConnectionEnd::Cell(cell), edge)) {
                let edge = edge.index(board);
                graph.neighbors[vertex].push(edge);
                graph.neighbors[edge].push(vertex);
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
        let figure = |vertex: &Option<usize>| vertex.filter(|&vertex| self.cell(vertex).is_some()).map(&figure);
        self.vertices.iter().map(figure).collect()
    }
}
