//! The answers of a tree: the best moves at its root, their value, and the line of best play.

use super::bounds::MAX_BOUNDED_JOINT;
use super::factors::PASS;
use super::matching;
use super::node::{NONE, NodeId, TreeEdge, TreeNode};
use super::tree::Tree;
use ludolog_game::Move;
use std::cmp::{Ordering, Reverse};

impl Tree {
    /// The place of the best move of a role at a node: the one most often tried, unless another is proven to be better.
    fn best(&self, node: &TreeNode, place: usize) -> usize {
        let edges = node.edges_of(place);
        let most_visited = |places: &mut dyn Iterator<Item = usize>| {
            let visits = |place: &usize| (edges[*place].visits, edges[*place].total);
            places.max_by(|a, b| visits(a).partial_cmp(&visits(b)).unwrap_or(Ordering::Equal))
        };
        // A move that changes nothing is no better than the best of the others, unless all of them lose.
        let stays = |edge: &TreeEdge| edge.child != NONE && std::ptr::eq(self.nodes.node(edge.child), node);
        let moves_on = |place: &usize| !stays(&edges[*place]) && edges[*place].bounds.high > 0.0;
        let moving = most_visited(&mut (0..edges.len()).filter(moves_on));
        let all = moving.or_else(|| most_visited(&mut (0..edges.len()))).unwrap_or(0);
        if !self.policy.solver || node.chooser() != Some(place) {
            return all;
        }
        let safer = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|&edge| self.safety(node, place, &edges[edge]));
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        };
        let safest = (0..edges.len()).max_by(safer).unwrap_or(0);
        let low = edges[safest].bounds.low;
        let is_open = |place: &usize| edges[*place].bounds.high > low && !edges[*place].bounds.is_exact();
        match most_visited(&mut (0..edges.len()).filter(|place| is_open(place) && moves_on(place))) {
            // Tries that did not promise more than what is safe are no reason to leave it.
            Some(open) if low <= 0.0 || edges[open].mean() > low => open,
            Some(_) => safest,
            // All is known: where nothing is to be had, what was tried most held out longest.
            None if low <= 0.0 => all,
            None => safest,
        }
    }

    /// How safe a move is for the role that chooses, to be compared: the value that it promises; whether it leads on to that,
    /// and not to where the role was before; of two opposed roles the way to a win, the shorter the safer. Where all that
    /// is equal, playouts tell which move is harder to answer.
    fn safety(&self, node: &TreeNode, place: usize, edge: &TreeEdge) -> (f32, bool, Reverse<u32>, f32) {
        let promise = self.promise_after(edge, place).filter(|promise| promise.low >= edge.bounds.low);
        let here = node.roles[place];
        let leads_on = promise.is_some_and(|promise| promise.low > here.bounds.low || promise.steps < here.steps);
        let is_win = self.roles <= 2 && edge.bounds.low >= 1.0;
        let steps = promise.filter(|_| is_win).map_or(0, |promise| promise.steps);
        (edge.bounds.low, leads_on, Reverse(steps), edge.mean())
    }

    /// The root; where factors have trees of their own, that of the factor in which a role moves.
    fn root_of(&self, place: usize) -> &TreeNode {
        let roots = self.factor_roots();
        let moving = roots.iter().map(|&root| self.nodes.node(root)).find(|root| root.roles[place].moves > 0);
        let first = || roots.first().map_or_else(|| self.root(), |&root| self.nodes.node(root));
        moving.unwrap_or_else(first)
    }

    /// The best move of a role at the root, which is drawn where several have a choice; `None` if no simulation has
    /// looked at it.
    pub fn best_move(&mut self, place: usize) -> Option<Move> {
        let chances = self.strategy(place);
        let made = matching::pick(chances.iter().map(|(_, chance)| *chance), &mut self.draw);
        chances.get(made).map(|(made, _)| *made)
    }

    /// The place of a move that is sure to bring a role the greatest value that it can come to, where several have a choice;
    /// `None` if none is known, or there is nothing to be had.
    fn sure_move(&self, node: &TreeNode, place: usize) -> Option<usize> {
        let bounds = node.roles[place].bounds;
        let is_sure = self.policy.solver && bounds.is_exact() && bounds.low > 0.0;
        let worst = is_sure.then(|| self.worst_of_moves(node)).flatten()?;
        let sure = (0..).zip(&worst[place]).filter(|(_, worst)| worst.low >= bounds.low);
        sure.min_by_key(|(_, worst)| worst.steps).map(|(made, _)| made)
    }

    /// The chances with which a role makes its moves at the root; none if no simulation has looked at it.
    pub fn strategy(&self, place: usize) -> Vec<(Move, f32)> {
        if self.nodes.root() == NONE || !self.root_of(place).is_expanded() {
            return Vec::new();
        }
        let root = self.root_of(place);
        let edges = root.edges_of(place);
        let chances = if root.is_alone() {
            let best = self.best(root, place);
            (0..edges.len()).map(|place| f32::from(place == best)).collect()
        } else if let Some(sure) = self.sure_move(root, place) {
            (0..edges.len()).map(|place| f32::from(place == sure)).collect()
        } else {
            let count = root.joint_moves();
            let is_exact = |child| child != NONE && self.nodes.node(child).is_exact();
            let is_known = count <= MAX_BOUNDED_JOINT && (0..count).all(|joint| is_exact(root.child(joint)));
            matching::strategy(root.regrets_of(place), root.visits, is_known)
        };
        edges.iter().map(|edge| edge.made).zip(chances).collect()
    }

    /// The mean value of a role, or the proven one, at its best move.
    pub fn value(&self, place: usize) -> (f32, bool) {
        let root = self.root_of(place);
        let role = root.roles[place];
        if self.policy.solver && role.bounds.is_exact() {
            // With more roles than two the value rests on what the others like best, who may be indifferent.
            return (role.bounds.low, !self.is_guess && self.roles <= 2);
        }
        if !root.is_expanded() {
            return (0.0, false);
        }
        if role.moves <= 1 {
            return (root.mean(place).clamp(role.bounds.low, role.bounds.high), false);
        }
        if !root.is_alone() {
            let means = root.edges_of(place).iter().map(TreeEdge::mean);
            return (means.zip(self.strategy(place)).map(|(mean, (_, chance))| mean * chance).sum(), false);
        }
        let edge = root.edges_of(place)[self.best(root, place)];
        (edge.mean().clamp(edge.bounds.low, edge.bounds.high), false)
    }

    /// As [`line`](Self::line), where factors have trees of their own.
    fn line_of_factors(&self) -> Vec<Box<[Move]>> {
        let mut line = Vec::new();
        let mut parts = self.factor_roots();
        let is_known = |&part: &NodeId| part != NONE && self.nodes.node(part).is_expanded();
        while line.len() < self.depth && parts.iter().all(is_known) {
            let mut made = vec![Move(0); self.roles];
            for part in &mut parts {
                let node = self.nodes.node(*part);
                let number = node.chooser().filter(|&chooser| node.roles[chooser].moves > 1);
                let number = number.map_or(0, |chooser| self.best(node, chooser)) as u64;
                node.moves_of_part(number, |role, of_role| {
                    if of_role != PASS {
                        made[role] = of_role;
                    }
                });
                *part = node.child(number);
            }
            line.push(made.into_boxed_slice());
        }
        line
    }

    /// The joint moves of best play from the root on, as far as the tree reaches.
    pub fn line(&self) -> Vec<Box<[Move]>> {
        if self.factors.is_some() {
            return self.line_of_factors();
        }
        let mut line = Vec::new();
        let mut at = self.nodes.root();
        while at != NONE
            && self.nodes.node(at).is_expanded()
            && self.nodes.node(at).visits > 1
            && line.len() < self.depth
        {
            let node = self.nodes.node(at);
            let mut joint = 0;
            let mut made = Vec::with_capacity(self.roles);
            for place in 0..self.roles {
                let best = self.best(node, place);
                joint = joint * u64::from(node.roles[place].moves) + best as u64;
                made.push(node.edges_of(place)[best].made);
            }
            line.push(made.into_boxed_slice());
            at = node.child(joint);
        }
        line
    }
}
