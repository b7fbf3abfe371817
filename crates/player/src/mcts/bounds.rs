//! Bounds of values, backed up the tree (Cazenave and Saffidine, *Score bounded Monte-Carlo tree search*, 2010).

use super::node::{Bounds, NONE, NodeId, TreeEdge, TreeNode};
use super::tree::Tree;

/// Most joint moves of a state whose outcomes are compared one by one to bound its value.
pub const MAX_BOUNDED_JOINT: u64 = 256;

impl Tree {
    /// Bounds the values of a node by those of its children, of which one has changed. Whether the bounds change.
    pub fn bound(&mut self, at: NodeId, joint: u64, child: NodeId) -> bool {
        let node = self.nodes.node(at);
        let Some(chooser) = node.chooser() else {
            // Most children have no bounds to learn from.
            let roles = &self.nodes.node(child).roles;
            return roles.iter().any(|role| role.bounds != Bounds::UNKNOWN) && self.bound_joint(at);
        };
        let edge = node.edge_of_chooser(joint);
        let of_child = self.nodes.node(child).roles[chooser].bounds;
        let known = node.edges[edge].bounds;
        if of_child.low <= known.low && of_child.high >= known.high && !self.nodes.node(child).is_exact() {
            return false;
        }
        self.nodes.node_mut(at).edges[edge].bounds = of_child;
        let node = self.nodes.node(at);
        let edges = node.edges_of_chooser(chooser);
        let low = edges.iter().fold(0.0f32, |low, edge| low.max(edge.bounds.low));
        let high = edges.iter().fold(0.0f32, |high, edge| high.max(edge.bounds.high));
        let mut bounds: Vec<Bounds> = node.roles.iter().map(|role| role.bounds).collect();
        if low >= high {
            // The chooser makes a move whose value is known; the others get what it brings them.
            let best = edges.iter().find(|edge| edge.bounds.low >= low && edge.child != NONE);
            let Some(best) = best else { return false };
            bounds = self.nodes.node(best.child).roles.iter().map(|role| role.bounds).collect();
        } else {
            bounds[chooser] = Bounds { low, high };
            for (place, bounds) in bounds.iter_mut().enumerate().filter(|(place, _)| *place != chooser) {
                let of_edge = |edge: &TreeEdge| match edge.child {
                    NONE => Bounds::UNKNOWN,
                    child => self.nodes.node(child).roles[place].bounds,
                };
                let likely = edges.iter().filter(|edge| edge.bounds.high >= low).map(of_edge);
                let join = |a: Bounds, b: Bounds| Bounds { low: a.low.min(b.low), high: a.high.max(b.high) };
                *bounds = likely.reduce(join).unwrap_or(Bounds::UNKNOWN);
            }
        }
        self.tighten(at, &bounds)
    }

    /// As [`bound`](Self::bound), where several roles have a choice: a role can count on the worst outcome of its best
    /// move, and on no more than the best outcome of all.
    fn bound_joint(&mut self, at: NodeId) -> bool {
        let node = self.nodes.node(at);
        let Some(worst) = self.worst_of_moves(node) else { return false };
        let mut high = vec![0.0f32; self.roles];
        for joint in 0..node.joint_moves() {
            let child = node.child(joint);
            for (place, high) in high.iter_mut().enumerate() {
                let of_child = if child == NONE { 1.0 } else { self.nodes.node(child).roles[place].bounds.high };
                *high = high.max(of_child);
            }
        }
        let low = worst.iter().map(|worst| worst.iter().copied().fold(0.0, f32::max));
        let bounds: Vec<Bounds> = low.zip(high).map(|(low, high)| Bounds { low, high }).collect();
        self.tighten(at, &bounds)
    }

    /// By role and move the least value that the role may come to, where several have a choice; `None` if joint moves are too
    /// many.
    pub fn worst_of_moves(&self, node: &TreeNode) -> Option<Vec<Vec<f32>>> {
        let count = node.joint_moves();
        if count > MAX_BOUNDED_JOINT {
            return None;
        }
        let mut worst: Vec<Vec<f32>> = node.roles.iter().map(|role| vec![1.0; role.moves as usize]).collect();
        for joint in 0..count {
            let child = node.child(joint);
            node.places(joint, |role, place| {
                let low = if child == NONE { 0.0 } else { self.nodes.node(child).roles[role].bounds.low };
                worst[role][place] = worst[role][place].min(low);
            });
        }
        Some(worst)
    }

    fn tighten(&mut self, at: NodeId, bounds: &[Bounds]) -> bool {
        let mut changed = false;
        for (role, found) in self.nodes.node_mut(at).roles.iter_mut().zip(bounds) {
            let known = &mut role.bounds;
            // Bounds that a line through the node itself has loosened are not taken.
            let tighter = Bounds { low: known.low.max(found.low), high: known.high.min(found.high) };
            if tighter != *known && tighter.low <= tighter.high {
                (*known, changed) = (tighter, true);
            }
        }
        changed
    }
}
