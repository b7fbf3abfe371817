//! Two forests with as many edges as possible, and the trees among them that span source and target.
//!
//! Edges are added one by one. One that closes a cycle in both forests may push an edge of such a cycle into the other forest,
//! and that edge another one, along a shortest chain (matroid partition; Edmonds, *Minimum partition of a matroid into
//! independent subsets*, 1965). A search that finds no chain has been through edges that span the same nodes in both forests. So
//! the last edge to be tried is one between source and target: if it finds no place, these edges span both, twice.

use super::{EdgeId, SOURCE, Switching, TARGET, Trees};
use std::collections::{BTreeSet, VecDeque};

struct Forests<'g> {
    game: &'g Switching,
    /// By edge, its forest. The last two edges are between source and target: the one that Short gains by beginning, and one
    /// that only asks whether there is room for it.
    places: Vec<Option<usize>>,
}

impl Switching {
    /// Two trees by which Short wins, as the first player if Short `begins`, or else as the second; `None` if Short does not win.
    pub fn trees(&self, begins: bool) -> Option<Trees> {
        let mut forests = Forests { game: self, places: vec![None; self.edges.len() + 2] };
        for edge in 0..self.edges.len() + usize::from(begins) {
            _ = forests.add(edge);
        }
        let tight = forests.add(self.edges.len() + 1).err()?;
        Some(Trees { begins, trees: [0, 1].map(|forest| forests.component(forest, &tight)) })
    }
}

impl Forests<'_> {
    /// Adds an edge to one of the forests, moving others if need be.
    ///
    /// # Errors
    ///
    /// The edges that stand in the way, of both forests.
    fn add(&mut self, edge: EdgeId) -> Result<(), BTreeSet<EdgeId>> {
        let [from, to] = self.game.ends(edge);
        if from == to {
            return Err(BTreeSet::new());
        }
        let mut pushers = vec![None; self.places.len()];
        let mut seen = BTreeSet::from([edge]);
        let mut queue = VecDeque::from([edge]);
        while let Some(next) = queue.pop_front() {
            for forest in (0..2).filter(|forest| self.places[next] != Some(*forest)) {
                let Some(cycle) = self.path(forest, self.game.ends(next)) else {
                    self.shift(next, forest, &pushers);
                    return Ok(());
                };
                for other in cycle {
                    if seen.insert(other) {
                        pushers[other] = Some(next);
                        queue.push_back(other);
                    }
                }
            }
        }
        seen.remove(&edge);
        Err(seen)
    }

    /// Puts an edge into a forest, the edge that pushes it to the place that it leaves, and so on.
    fn shift(&mut self, mut edge: EdgeId, mut forest: usize, pushers: &[Option<EdgeId>]) {
        while let Some((left, pusher)) = self.places[edge].replace(forest).zip(pushers[edge]) {
            (edge, forest) = (pusher, left);
        }
    }

    /// The edges of a forest between two nodes; `None` if it does not join them.
    fn path(&self, forest: usize, [from, to]: [usize; 2]) -> Option<Vec<EdgeId>> {
        let mut neighbors = vec![Vec::new(); self.game.nodes];
        for edge in (0..self.places.len()).filter(|&edge| self.places[edge] == Some(forest)) {
            let [a, b] = self.game.ends(edge);
            neighbors[a].push((b, edge));
            neighbors[b].push((a, edge));
        }
        let mut reached_by = vec![None; self.game.nodes];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for &(next, edge) in &neighbors[node] {
                if next != from && reached_by[next].is_none() {
                    reached_by[next] = Some((node, edge));
                    stack.push(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let (before, edge) = reached_by[node]?;
            path.push(edge);
            node = before;
        }
        Some(path)
    }

    /// Of some edges those of a forest that hang together with the source.
    fn component(&self, forest: usize, edges: &BTreeSet<EdgeId>) -> BTreeSet<EdgeId> {
        let mut left: Vec<EdgeId> = edges.iter().copied().filter(|&edge| self.places[edge] == Some(forest)).collect();
        let mut nodes = BTreeSet::from([SOURCE, TARGET]);
        let mut tree = BTreeSet::new();
        loop {
            let is_near = |edge: &EdgeId| self.game.ends(*edge).iter().any(|node| nodes.contains(node));
            let (near, far): (Vec<EdgeId>, Vec<EdgeId>) = left.into_iter().partition(is_near);
            if near.is_empty() {
                return tree;
            }
            nodes.extend(near.iter().flat_map(|&edge| self.game.ends(edge)));
            tree.extend(near);
            left = far;
        }
    }
}
