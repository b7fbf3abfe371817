//! Shannon switching on edges, solved: who joins source and target, or keeps them apart, and how.
//!
//! Short wins as the second player exactly if some set of nodes, with source and target among them, is spanned by two
//! trees without a common edge (Lehman, *A solution of the Shannon switching game*, 1964). The trees are the strategy:
//! where Cut takes an edge, the tree that had it falls into two parts, and Short claims an edge of the other tree that
//! joins them. A claimed edge counts for both trees, so both go on spanning the nodes until all their edges are
//! claimed.
//!
//! Short wins as the first player exactly if Short wins as the second on the graph with one edge more, between source
//! and target: Cut has to take that edge first, and Short's answer to it is the first move. So one kind of proof serves
//! both.
//!
//! * `search`: finds trees, or that there are none.
//! * [`Trees::verify`]: checks them; it shares nothing with the search.
//! * [`Strategy`]: plays by them.
//! * [`certificate`]: the file of a proof.

pub mod certificate;
mod search;
mod strategy;

pub use certificate::TreeCertificate;
pub use strategy::Strategy;

use crate::graph::UndirectedGraph;
use crate::size::NoSuchGame;
use ludolog_certificate::Refusal;
use petgraph::unionfind::UnionFind;
use std::collections::BTreeSet;

/// The number of an edge. The number of edges of the graph is that of the edge between source and target which Short
/// gains by beginning.
pub type EdgeId = usize;

/// A graph with the two nodes that Short is to join.
#[derive(Clone, Debug, PartialEq)]
pub struct Switching {
    /// The names of the edges.
    pub names: Vec<String>,
    /// The nodes of each edge: 0 is the source and 1 the target.
    pub edges: Vec<[usize; 2]>,
    /// The number of nodes.
    pub nodes: usize,
}

/// The source.
const SOURCE: usize = 0;

/// The target.
const TARGET: usize = 1;

/// Who wins under best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchingWinner {
    /// Short, whoever begins.
    Short,
    /// Cut, whoever begins.
    Cut,
    /// Who begins.
    First,
}

impl SwitchingWinner {
    /// Who wins by the [trees](Switching::trees) that there are for Short as the second player, and as the first.
    pub fn of(as_second: Option<&Trees>, as_first: Option<&Trees>) -> SwitchingWinner {
        match (as_second, as_first) {
            (Some(_), _) => SwitchingWinner::Short,
            (None, Some(_)) => SwitchingWinner::First,
            (None, None) => SwitchingWinner::Cut,
        }
    }
}

/// Two trees that prove that Short wins a game, if they are [what they should be](Trees::verify).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trees {
    /// Whether Short begins, so that the trees may use the edge that Short gains by it.
    pub begins: bool,
    /// The edges of both trees.
    pub trees: [BTreeSet<EdgeId>; 2],
}

impl Switching {
    /// The game on a graph: all sources are one node, and so are all targets.
    ///
    /// # Errors
    ///
    /// [`NoSuchGame`] if source or target are missing, or a node is both.
    pub fn of_graph(graph: &UndirectedGraph) -> Result<Switching, NoSuchGame> {
        graph.check_ends()?;
        let mut numbers = vec![None; graph.nodes.len()];
        graph.sources.iter().for_each(|&node| numbers[node] = Some(SOURCE));
        graph.targets.iter().for_each(|&node| numbers[node] = Some(TARGET));
        let mut nodes = 2;
        let numbers: Vec<usize> = numbers
            .into_iter()
            .map(|number| {
                number.unwrap_or_else(|| {
                    nodes += 1;
                    nodes - 1
                })
            })
            .collect();
        Ok(Switching {
            names: graph.edges.iter().map(|edge| edge.name.to_string()).collect(),
            edges: graph.edges.iter().map(|edge| edge.nodes.map(|node| numbers[node])).collect(),
            nodes,
        })
    }

    /// The edge between source and target that Short gains by beginning.
    fn gained(&self) -> EdgeId {
        self.edges.len()
    }

    /// The nodes of an edge of the graph, or of one between source and target.
    fn ends(&self, edge: EdgeId) -> [usize; 2] {
        self.edges.get(edge).copied().unwrap_or([SOURCE, TARGET])
    }

    fn name(&self, edge: EdgeId) -> &str {
        self.names.get(edge).map_or(certificate::GAINED, String::as_str)
    }

    /// Finds out who wins, in time O(edges² · nodes).
    pub fn outcome(&self) -> SwitchingWinner {
        SwitchingWinner::of(self.trees(false).as_ref(), self.trees(true).as_ref())
    }
}

impl Trees {
    /// Checks that Short wins by these trees: they have no common edge, and each is a tree, on the same nodes, with
    /// source and target among them.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn verify(&self, game: &Switching) -> Result<(), Refusal> {
        let refused = |reason: String| Err(Refusal::new(reason));
        let known = game.edges.len() + usize::from(self.begins);
        if self.trees.iter().flatten().any(|&edge| edge >= known) {
            return refused("a tree has an edge that the graph does not have".to_owned());
        }
        let [one, other] = &self.trees;
        if let Some(&edge) = one.intersection(other).next() {
            return refused(format!("both trees have the edge `{}`", game.name(edge)));
        }
        let nodes = self.trees.each_ref().map(|tree| tree.iter().flat_map(|&edge| game.ends(edge)).collect());
        let [nodes, of_other]: [BTreeSet<usize>; 2] = nodes;
        if nodes != of_other {
            return refused("the trees do not have the same nodes".to_owned());
        }
        if !nodes.contains(&SOURCE) || !nodes.contains(&TARGET) {
            return refused("the trees do not reach source and target".to_owned());
        }
        for tree in &self.trees {
            let mut parts = UnionFind::<usize>::new(game.nodes);
            let closes = |edge: &&EdgeId| {
                let [from, to] = game.ends(**edge);
                !parts.union(from, to)
            };
            if let Some(&edge) = tree.iter().find(closes) {
                return refused(format!("the edge `{}` closes a cycle in its tree", game.name(edge)));
            }
            if tree.len() + 1 != nodes.len() {
                return refused("a tree falls into parts".to_owned());
            }
        }
        Ok(())
    }
}
