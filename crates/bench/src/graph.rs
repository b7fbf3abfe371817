//! Data for the generic programs, made by a seeded generator: the same on every machine.

use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;
use ludolog_hex::random::{Random, scatter_without_win};
use ludolog_syntax::ast::{Atom, Term};

/// The seed of all generated data.
const SEED: u64 = 2019;

/// `edge(X, Y)`: `edges` distinct random edges between nodes 0 … `nodes` - 1, without loops.
pub fn random_edges(nodes: usize, edges: usize) -> Vec<Atom> {
    let mut random = Random::new(SEED);
    let mut made = std::collections::BTreeSet::new();
    while made.len() < edges.min(nodes * nodes.saturating_sub(1)) {
        let from = random.below(nodes);
        let to = random.below(nodes);
        if from != to {
            made.insert((from, to));
        }
    }
    made.into_iter().map(|(from, to)| binary("edge", from, to)).collect()
}

/// `parent(P, X)`: a tree with root 0. Most nodes have three children; one fifth of the nodes has a random parent.
pub fn random_tree(nodes: usize) -> Vec<Atom> {
    let mut random = Random::new(SEED);
    let parent = |node: usize| if random.below(5) == 0 { random.below(node) } else { node / 3 };
    let parents: Vec<usize> = (1..nodes).map(parent).collect();
    parents.into_iter().zip(1..).map(|(parent, node)| binary("parent", parent, node)).collect()
}

/// An n×n board, half full of random stones of one player, or of both in turn, that nobody has won.
///
/// The site percolation threshold of the triangular lattice is one half, so random stones rarely connect opposite edges
/// of a large board, and one or two attempts suffice.
///
/// # Panics
///
/// If there is no board of that size.
pub fn half_full(n: usize, only: Option<Player>) -> Position {
    let board = Board::new(n, n).expect("the benchmark's own sizes are boards");
    let mut random = Random::new(SEED + n as u64);
    scatter_without_win(board, board.len() / 2, only, &mut random, ATTEMPTS).unwrap_or_else(|| Position::new(board))
}

/// `stone(X)`, `first(X)` and `adjacent(X, Y)` for Blue's stones on a board.
pub fn board_graph(position: &Position) -> Vec<Atom> {
    let board = position.board();
    let number = |cell: ludolog_hex::board::Cell| cell.number() as usize;
    let stones = position.stones_of(Player::Blue).map(|cell| unary("stone", number(cell)));
    let first =
        board.cells().filter(|&cell| board.is_first(Player::Blue, cell)).map(|cell| unary("first", number(cell)));
    let adjacent = board
        .cells()
        .flat_map(|cell| board.neighbors(cell).map(move |other| binary("adjacent", number(cell), number(other))));
    stones.chain(first).chain(adjacent).collect()
}

/// Attempts at a board that nobody has won: far more than ever needed.
const ATTEMPTS: usize = 1000;

fn integer(n: usize) -> Term {
    Term::Integer(n as i64)
}

fn unary(predicate: &str, x: usize) -> Atom {
    Atom::new(predicate, vec![integer(x)])
}

fn binary(predicate: &str, x: usize, y: usize) -> Atom {
    Atom::new(predicate, vec![integer(x), integer(y)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn edges_are_different_and_no_loops() {
        let edges = random_edges(50, 200);
        assert_eq!(edges.iter().collect::<HashSet<_>>().len(), 200);
        assert!(edges.iter().all(|edge| edge.args[0] != edge.args[1]));
        assert_eq!(edges, random_edges(50, 200));
    }

    #[test]
    fn every_node_but_the_root_has_one_older_parent() {
        let tree = random_tree(100);
        assert_eq!(tree.len(), 99);
        for (i, edge) in tree.iter().enumerate() {
            let [Term::Integer(parent), Term::Integer(node)] = edge.args[..] else { panic!("{edge:?}") };
            assert!(node == i as i64 + 1 && parent < node);
        }
    }

    #[test]
    fn a_board_as_a_graph() {
        // Inside a 3×3 board: 16 pairs of neighbors, each in both directions; 4 stones; 3 cells in the first column.
        let facts = board_graph(&half_full(3, Some(Player::Blue)));
        let count = |predicate: &str| facts.iter().filter(|fact| fact.predicate == predicate).count();
        assert_eq!((count("adjacent"), count("stone"), count("first")), (32, 4, 3));
        assert_eq!(half_full(50, Some(Player::Blue)).winner(), None);
    }
}
