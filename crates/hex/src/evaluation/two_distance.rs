//! Two-distance: the distance that is left when the opponent may always close the best way.
//!
//! A cell next to an edge has distance 1 from it; any other cell is one farther than the *second* nearest of its
//! neighbors, because the opponent can take the nearest. Empty cells around one group of the player's stones are
//! neighbors. The two edges are ends, not cells: nothing is a neighbor over an edge. The player's figure is the least
//! sum of a cell's distances from both edges, and its *potential* the number of cells that have this sum; of equal
//! figures the one with more potential is better. Sources: J. van Rijswijck, *Are bees better than fruitflies?* (2000),
//! and *Search and evaluation in Hex*, section 3.2: Queenbee's evaluation.
//!
//! A chain that is safe by other means than two free neighbors at each step is not seen: there are positions that a
//! player wins whoever moves, and whose two-distance is infinite.
//!
//! Cells are settled in order of distance. A cell waits for its second settled neighbor; a group tells the cells
//! around it of the first two that are settled, since later ones change nothing. Time and space are linear in the
//! number of cells.

use super::PlayerEvaluation;
use super::graph::{FIRST, LAST, PlayerGraph};
use crate::board::Player;
use crate::position::Position;
use std::collections::VecDeque;

/// The least sum of a cell's two distances, and this sum for each empty cell. 0 for who has won, infinite where no
/// cell is at a distance from both edges.
pub fn side(position: &Position, player: Player) -> PlayerEvaluation {
    let graph = PlayerGraph::new(position, player);
    let from_first = distances(&graph, FIRST);
    let from_last = distances(&graph, LAST);
    let figures = graph.figures(|vertex| from_first[vertex] + from_last[vertex]);
    let least = figures.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    PlayerEvaluation::new(if graph.is_won() { 0.0 } else { least }, figures)
}

/// The two-distance of each empty cell from the edge; infinite for other vertices.
fn distances(graph: &PlayerGraph, edge: usize) -> Vec<f64> {
    let is_empty = |vertex: usize| graph.cell(vertex).is_some();
    let mut distances = vec![f64::INFINITY; graph.len()];
    let mut queue = VecDeque::new();
    for vertex in (0..graph.len()).filter(|&vertex| graph.is_at(edge, vertex)) {
        for &cell in graph.neighbors(vertex).iter().filter(|&&cell| is_empty(cell)) {
            if distances[cell].is_infinite() {
                distances[cell] = 1.0;
                queue.push_back(cell);
            }
        }
    }
    // The first settled neighbor of each cell, and the cells that each group has told of.
    let mut nearest: Vec<Option<usize>> = vec![None; graph.len()];
    let mut told: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    while let Some(settled) = queue.pop_front() {
        let distance = distances[settled] + 1.0;
        let mut tell = |cell: usize| {
            if !is_empty(cell) || distances[cell].is_finite() {
                return;
            }
            if *nearest[cell].get_or_insert(settled) != settled {
                distances[cell] = distance;
                queue.push_back(cell);
            }
        };
        for &vertex in graph.neighbors(settled) {
            if is_empty(vertex) {
                tell(vertex);
            } else if vertex != FIRST && vertex != LAST {
                let told = &mut told[vertex];
                if told.len() < 2 && !told.contains(&settled) {
                    told.push(settled);
                    graph.neighbors(vertex).iter().for_each(|&cell| tell(cell));
                }
            }
        }
    }
    distances
}
