//! Bounds of values, backed up the tree (Cazenave and Saffidine, *Score bounded Monte-Carlo tree search*, 2010).

use super::node::{Bounds, NONE, NodeId, TreeEdge, TreeNode};
use super::tree::Tree;

/// The least value that a role comes to, and the joint moves until then at most. A promise rests on those of children that
/// were known before it, with fewer steps: moves that keep it and lower the steps come to an end.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    pub low: f32,
    pub steps: u32,
}

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
        let steps = |place: usize, low: f32| {
            if low <= node.roles[place].bounds.low {
                return 0;
            }
            let known = edges.iter().filter_map(|edge| self.promise_after(edge, place));
            let after = known.filter(|promise| promise.low >= low).map(|promise| promise.steps);
            if place == chooser { after.min() } else { after.max() }.unwrap_or(0) + 1
        };
        let promises: Vec<u32> = bounds.iter().enumerate().map(|(place, bounds)| steps(place, bounds.low)).collect();
        self.tighten(at, &bounds, &promises)
    }

    /// What a move promises a role; `None` if its child is not known.
    pub fn promise_after(&self, edge: &TreeEdge, place: usize) -> Option<Promise> {
        (edge.child != NONE).then(|| self.promise(edge.child, place))
    }

    /// What a node promises a role.
    fn promise(&self, at: NodeId, place: usize) -> Promise {
        let role = self.nodes.node(at).roles[place];
        Promise { low: role.bounds.low, steps: role.steps }
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
        let best = |worst: &Vec<Promise>| {
            let most = worst.iter().map(|promise| promise.low).fold(0.0, f32::max);
            let steps = worst.iter().filter(|promise| promise.low >= most).map(|promise| promise.steps).min();
            Promise { low: most, steps: steps.unwrap_or(0) + 1 }
        };
        let best: Vec<Promise> = worst.iter().map(best).collect();
        let bounds: Vec<Bounds> = best.iter().zip(high).map(|(best, high)| Bounds { low: best.low, high }).collect();
        let steps: Vec<u32> = best.iter().map(|best| best.steps).collect();
        self.tighten(at, &bounds, &steps)
    }

    /// By role and move what the role is promised whatever the others do, where several have a choice; `None` if joint moves
    /// are too many.
    pub fn worst_of_moves(&self, node: &TreeNode) -> Option<Vec<Vec<Promise>>> {
        let count = node.joint_moves();
        if count > MAX_BOUNDED_JOINT {
            return None;
        }
        let all = Promise { low: 1.0, steps: 0 };
        let mut worst: Vec<Vec<Promise>> = node.roles.iter().map(|role| vec![all; role.moves as usize]).collect();
        for joint in 0..count {
            let child = node.child(joint);
            node.places(joint, |role, place| {
                let found = if child == NONE { Promise { low: 0.0, steps: 0 } } else { self.promise(child, role) };
                let known = &mut worst[role][place];
                *known = Promise { low: known.low.min(found.low), steps: known.steps.max(found.steps) };
            });
        }
        Some(worst)
    }

    /// Takes the bounds of all roles that are tighter than those known, with the steps to the lower ones.
    fn tighten(&mut self, at: NodeId, bounds: &[Bounds], steps: &[u32]) -> bool {
        let mut changed = false;
        for ((role, found), &steps) in self.nodes.node_mut(at).roles.iter_mut().zip(bounds).zip(steps) {
            let known = &mut role.bounds;
            // Bounds that a line through the node itself has loosened are not taken.
            let tighter = Bounds { low: known.low.max(found.low), high: known.high.min(found.high) };
            if tighter != *known && tighter.low <= tighter.high {
                if tighter.low > known.low {
                    role.steps = steps;
                }
                (*known, changed) = (tighter, true);
            }
        }
        changed
    }
}
