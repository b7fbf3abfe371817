//! Monotone conditions over points as products.

use crate::points::Point;
use ludolog_propnet::graph::{GateGraph, Node, Signal};
use ludolog_syntax::ColdSort;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Most products of a condition.
const MAX_PRODUCTS: usize = 20_000;

/// Deepest nesting of gates that is followed.
const MAX_DEPTH: usize = 2_000;

/// Points that players have to claim, X being 0 and O being 1.
pub type Product = BTreeSet<(usize, Point)>;

/// A condition is not monotone, or has too many products.
pub struct NotMonotone;

/// The signals of which a signal is the disjunction.
pub fn disjuncts(graph: &GateGraph, signal: Signal) -> Vec<Signal> {
    let mut open = vec![signal];
    let mut found = Vec::new();
    while let Some(signal) = open.pop() {
        match graph.nodes()[signal.node()] {
            Node::And(a, b) if signal.is_complemented() => open.extend([!a, !b]),
            _ => found.push(signal),
        }
    }
    found
}

/// The products of monotone conditions: minimal sets of players and points that make them hold.
pub struct Products<'g> {
    graph: &'g GateGraph,
    /// The player and point of each input.
    inputs: FxHashMap<usize, (usize, Point)>,
    known: FxHashMap<Signal, Vec<Product>>,
}

impl<'g> Products<'g> {
    /// Those of signals in this graph, where points are claimed by X and O as these inputs say.
    pub fn new(claimed: &[[Signal; 2]], graph: &'g GateGraph) -> Self {
        let inputs = claimed
            .iter()
            .enumerate()
            .flat_map(|(point, signals)| (0..2).map(move |player| (signals[player].node(), (player, point as Point))));
        Products { graph, inputs: inputs.collect(), known: FxHashMap::default() }
    }

    /// An error if the condition is not monotone, or has too many products.
    pub fn of(&mut self, signal: Signal, depth: usize) -> Result<Vec<Product>, NotMonotone> {
        if let Some(known) = self.known.get(&signal) {
            return Ok(known.clone());
        }
        if depth > MAX_DEPTH {
            return Err(NotMonotone);
        }
        let products = match self.graph.nodes()[signal.node()] {
            Node::False if signal.is_complemented() => vec![BTreeSet::new()],
            Node::False => Vec::new(),
            Node::Input if signal.is_complemented() => return Err(NotMonotone),
            Node::Input => vec![BTreeSet::from([*self.inputs.get(&signal.node()).ok_or(NotMonotone)?])],
            Node::Xor(..) | Node::Closed(_) => return Err(NotMonotone),
            Node::And(a, b) if signal.is_complemented() => {
                let mut either = self.of(!a, depth + 1)?;
                either.extend(self.of(!b, depth + 1)?);
                either
            }
            Node::And(a, b) => {
                let a = self.of(a, depth + 1)?;
                let b = self.of(b, depth + 1)?;
                if a.len() * b.len() > MAX_PRODUCTS {
                    return Err(NotMonotone);
                }
                a.iter().flat_map(|a| b.iter().map(move |b| a.union(b).copied().collect())).collect()
            }
        };
        if products.len() > MAX_PRODUCTS {
            return Err(NotMonotone);
        }
        let products = minimal(products);
        self.known.insert(signal, products.clone());
        Ok(products)
    }
}

/// The products without those that contain another, or points of both players in one place.
fn minimal(mut products: Vec<Product>) -> Vec<Product> {
    products.retain(|product| !product.iter().any(|&(player, point)| player == 0 && product.contains(&(1, point))));
    products.cold_sort_by_key(BTreeSet::len);
    let mut kept: Vec<Product> = Vec::new();
    for product in products {
        if !kept.iter().any(|smaller| smaller.is_subset(&product)) {
            kept.push(product);
        }
    }
    kept
}
