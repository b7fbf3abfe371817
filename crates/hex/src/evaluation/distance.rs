//! Graph distance: how many stones a player still lacks, if the opponent let them.
//!
//! A breadth-first search in which an empty cell costs one stone and the player's own groups nothing. Two such
//! searches, one from each edge, give the shortest chain through each cell besides. The source counts the links of
//! the reduced graph, which is one more (van Rijswijck, *Search and evaluation in Hex*, section 3.2), and shows the
//! weakness: a stone in the middle of an empty board does not change the opponent's distance.
//!
//! Time and space are linear in the number of cells.

use super::PlayerEvaluation;
use super::graph::{FIRST, LAST, PlayerGraph};
use crate::board::Player;
use crate::position::Position;
use std::collections::VecDeque;

/// The number of stones that the player lacks, and for each empty cell the number of stones that a shortest chain
/// through it lacks. 0 for who has won, infinite for who cannot win any more or for a cell on no chain.
pub fn side(position: &Position, player: Player) -> PlayerEvaluation {
    let graph = PlayerGraph::new(position, player);
    let from_first = distances(&graph, FIRST);
    let from_last = distances(&graph, LAST);
    // Both searches pay for the cell.
    let figures = graph.figures(|vertex| from_first[vertex] + from_last[vertex] - 1.0);
    PlayerEvaluation::new(from_first[LAST], figures)
}

/// For each vertex, how many stones join it to the edge, its own included.
fn distances(graph: &PlayerGraph, edge: usize) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; graph.len()];
    distances[edge] = 0.0;
    let mut queue = VecDeque::from([edge]);
    while let Some(vertex) = queue.pop_front() {
        // Cells behind the other edge are on no chain to it.
        if vertex == FIRST + LAST - edge {
            continue;
        }
        for &next in graph.neighbors(vertex) {
            let is_empty = graph.cell(next).is_some();
            let distance = distances[vertex] + f64::from(u8::from(is_empty));
            if distance < distances[next] {
                distances[next] = distance;
                if is_empty { queue.push_back(next) } else { queue.push_front(next) }
            }
        }
    }
    distances
}
