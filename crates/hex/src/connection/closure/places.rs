//! The nodes of a player's connections: the edges, then the [places](ConnectionBoard::place_count) of the board.

use super::EndIndex;
use crate::board::{Cell, Player};
use crate::connection::{ConnectionBoard, ConnectionEnd};

/// Which cell each node is, and which places touch. The same for all positions.
#[derive(Debug)]
pub(super) struct PlaceGraph {
    /// The number of edges.
    edges: EndIndex,
    /// By node.
    cells: Vec<Option<Cell>>,
    /// By node, the end of its part of `beside`, which begins where that of the node before ends.
    ends: Vec<u32>,
    beside: Vec<EndIndex>,
}

impl PlaceGraph {
    /// The graph of that player's places.
    pub(super) fn new<B: ConnectionBoard>(board: B, player: Player) -> PlaceGraph {
        let edges = board.edge_count();
        let mut graph = PlaceGraph {
            edges: edges.into(),
            cells: vec![None; edges.into()],
            ends: vec![0; edges.into()],
            beside: Vec::new(),
        };
        for place in (0..board.place_count(player)).map(Cell::from_index) {
            graph.cells.push(Some(board.cell_of_place(place)));
            let node = |place: Cell| ConnectionEnd::Cell(place).index(board) as EndIndex;
            graph.beside.extend(board.places_beside(player, place).map(node));
            graph.ends.push(graph.beside.len() as u32);
        }
        graph
    }

    /// The node after the edges.
    pub(super) fn first_place(&self) -> EndIndex {
        self.edges
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> EndIndex {
        self.cells.len() as EndIndex
    }

    /// The cell of a node; none for an edge.
    #[inline]
    pub(super) fn cell(&self, node: EndIndex) -> Option<Cell> {
        self.cells[usize::from(node)]
    }

    /// The nodes of the places that touch that of a node, in the order of [`ConnectionBoard::places_beside`]; none for an edge.
    pub(super) fn beside(&self, node: EndIndex) -> &[EndIndex] {
        let node = usize::from(node);
        let begin = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.beside[begin as usize..self.ends[node] as usize]
    }
}
