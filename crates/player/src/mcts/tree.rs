//! The tree: a table from states to nodes, with what is known of each node and move.
//!
//! Lines that lead to the same state share its node. Each edge counts the simulations that went through it, and sums
//! what they brought its role. A simulation under way counts as a loss until its outcome is known, so that simulations
//! of one batch part (virtual loss; Chaslot, Winands and van den Herik, *Parallel Monte-Carlo tree search*, 2008).
//!
//! For each role a node knows the least and the greatest value that best play can come to. A terminal node knows it
//! exactly, others from their children (Cazenave and Saffidine, *Score bounded Monte-Carlo tree search*, 2010, which
//! generalizes the solver of Winands, Björnsson and Saito, *Monte-Carlo tree search solver*, 2008). Moves whose
//! greatest value does not exceed the least value of another one are not tried again.

use super::amaf::{self, AmafStats};
use super::factors::FactorTrees;
use super::matching;
use super::node::{Bounds, NONE, NodeId, TreeNode};
use super::rarity::Rarity;
use super::simulation::Simulation;
use super::store::NodeStore;
use ludolog_game::{Draw, LegalMoves, State};

/// Longest line of a simulation. Only games that repeat states have longer ones.
pub(super) const MAX_DEPTH: usize = 1_000;

/// Most joint moves of a turn that is known to end the game won before it is looked at.
const TURN: u32 = 2;

/// The parts of the search that can be switched, to measure their gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The weight of exploration, `C` of UCT, for values from 0 to 1 that are those of one playout each.
    pub exploration: f32,
    /// Whether proven values are backed up.
    pub solver: bool,
    /// Whether lines to the same state share a node.
    pub transpositions: bool,
}

/// The end of a way down the tree.
enum DescentEnd {
    /// At a node whose values are known.
    Exact(NodeId),
    /// At a node whose moves are not known, or at a joint move that was not made before.
    Leaf(NodeId, Option<u64>),
}

/// The tree of one match.
pub struct Tree {
    pub(super) nodes: NodeStore,
    pub(super) policy: Policy,
    pub(super) roles: usize,
    /// The weight of exploration for the simulations that are begun.
    exploration: f32,
    pub(super) draw: Draw,
    /// Nodes made so far.
    pub made: u64,
    /// The longest way down.
    pub depth: usize,
    pub simulations: u64,
    rarity: Rarity,
    /// Rewards of the moves of a role, one after the other.
    rewards: Vec<f32>,
    /// Simulations that are over, to be begun anew.
    spare: Vec<Simulation>,
    /// By move of the game: the role whose it is; none if no values of moves made at any time are kept.
    owners: Vec<u32>,
    /// The factors of the game, if each has a tree of its own.
    pub(super) factors: Option<FactorTrees>,
    /// Whether some value that bounds rest on is a guess.
    pub(super) is_guess: bool,
    /// Whether a state was found in which factors are not apart.
    pub(super) is_entangled: bool,
}

impl Tree {
    /// A tree without nodes.
    pub fn new(roles: usize, policy: Policy, max_bytes: usize, seed: u64) -> Tree {
        Tree {
            nodes: NodeStore::new(policy.transpositions, max_bytes),
            policy,
            roles,
            exploration: policy.exploration,
            draw: Draw::new(seed),
            made: 0,
            depth: 0,
            simulations: 0,
            rarity: Rarity::new(),
            rewards: Vec::new(),
            spare: Vec::new(),
            owners: Vec::new(),
            factors: None,
            is_guess: false,
            is_entangled: false,
        }
    }

    /// Keeps values of moves made at any time from now on, if there are owners: for each move of the game its role.
    pub fn keep_amaf(&mut self, owners: Vec<u32>) {
        self.owners = owners;
    }

    /// Searches the factors of a game side by side from now on.
    pub fn search_factors(&mut self, factors: FactorTrees) {
        self.nodes.forget();
        self.owners.clear();
        self.factors = Some(factors);
    }

    /// The root.
    pub fn root(&self) -> &TreeNode {
        self.nodes.node(self.nodes.root())
    }

    /// Makes a state the root, in constant time. What is known below it is kept if `keep`.
    pub fn set_root(&mut self, state: &State, keep: bool) {
        (self.depth, self.simulations) = (0, 0);
        if !keep {
            self.nodes.forget();
            self.is_guess = false;
        }
        if self.is_entangled {
            self.nodes.forget();
            (self.factors, self.is_entangled) = (None, false);
        }
        if self.factors.is_some() {
            return self.set_factor_roots(state);
        }
        let known = if self.policy.transpositions { self.nodes.find(state) } else { self.below_root(state) };
        let root = known.unwrap_or_else(|| {
            self.made += 1;
            self.nodes.insert_root(state.clone(), || TreeNode::new(None, self.roles))
        });
        if !self.nodes.node(root).is_expanded() {
            // That a turn ends the game won may be known, but not which one.
            self.nodes.node_mut(root).roles.iter_mut().for_each(|role| role.bounds = Bounds::UNKNOWN);
        }
        self.nodes.set_root(root);
    }

    /// A node with this state at most as many joint moves below the root as there are roles; nodes are not shared.
    fn below_root(&self, state: &State) -> Option<NodeId> {
        let root = self.nodes.root();
        let mut level = if root == NONE { Vec::new() } else { vec![root] };
        for _ in 0..=self.roles {
            if let Some(&found) = level.iter().find(|&&node| self.nodes.state(node) == state) {
                return Some(found);
            }
            level = level.iter().flat_map(|&node| self.nodes.node(node).children()).collect();
        }
        None
    }

    /// The node of a state, which is made if there is none and memory is left. `values` are known if the game is over.
    fn insert(&mut self, state: State, values: Option<&[f32]>) -> Option<NodeId> {
        let roles = self.roles;
        let made = &mut self.made;
        self.nodes.insert(state, || {
            *made += 1;
            TreeNode::new(values, roles)
        })
    }

    /// Whether nothing is left to find out for a role.
    pub fn is_solved(&self, place: usize) -> bool {
        self.factors.is_none()
            && self.policy.solver
            && self.root().roles[place].bounds.is_exact()
            && self.root().is_expanded()
    }

    /// Begins up to `count` simulations, each of which will be valued by the mean of so many playouts: its noise falls by
    /// their root, and so does the need to explore. Those that end at a known value are over at once.
    pub fn select(&mut self, count: usize, playouts: usize, simulations: &mut Vec<Simulation>) {
        self.exploration = self.policy.exploration / (playouts.max(1) as f32).sqrt();
        for _ in 0..count {
            self.simulations += 1;
            let mut simulation = self.spare.pop().unwrap_or_default();
            let random = (self.draw.below(1 << 30) as u64) << 30 | self.draw.below(1 << 30) as u64;
            simulation.reset(self.roles, random);
            if self.factors.is_some() {
                self.descend_factors(&mut simulation);
                simulations.push(simulation);
                continue;
            }
            match self.descend(&mut simulation.path) {
                DescentEnd::Exact(node) => {
                    let known = &self.nodes.node(node).roles;
                    simulation.values.iter_mut().zip(&**known).for_each(|(value, role)| *value = role.bounds.low);
                    self.close(simulation, Some(node));
                }
                DescentEnd::Leaf(node, joint) => {
                    simulation.node = node;
                    simulation.state.clone_from(self.nodes.state(node));
                    simulation.opens = joint.is_none();
                    // Below the root nodes that may be opened are known not to be terminal.
                    simulation.may_be_over = simulation.path.is_empty();
                    if let Some(joint) = joint {
                        self.nodes.node(node).moves(joint, &mut simulation.made);
                        simulation.path.push((node, joint));
                    }
                    simulations.push(simulation);
                }
            }
        }
    }

    /// Goes down from the root, and counts the way.
    fn descend(&mut self, path: &mut Vec<(NodeId, u64)>) -> DescentEnd {
        let mut at = self.nodes.root();
        let mut reference = at;
        loop {
            let random = self.draw.below(1 << 30);
            let node = self.nodes.node(at);
            if !node.amaf.is_empty() && node.entered >= 2 * amaf::REFERENCE {
                reference = at;
            }
            if self.policy.solver && node.is_exact() && (at != self.nodes.root() || !node.is_expanded())
                || node.is_exact() && !node.is_expanded()
            {
                self.nodes.node_mut(at).visits += 1;
                return DescentEnd::Exact(at);
            }
            if !node.is_expanded() {
                self.nodes.node_mut(at).visits += 1;
                return DescentEnd::Leaf(at, None);
            }
            let joint = match node.chooser() {
                Some(chooser) => self.choose_by_bounds(node, chooser, reference, random),
                None => self.choose_by_regrets(at),
            };
            let child = self.visit(at, joint);
            if child == NONE || path.len() >= MAX_DEPTH {
                self.depth = self.depth.max(path.len() + 1);
                return DescentEnd::Leaf(at, Some(joint));
            }
            path.push((at, joint));
            at = child;
        }
    }

    /// Counts a joint move, as a loss for all. The child it leads to.
    pub(super) fn visit(&mut self, at: NodeId, joint: u64) -> NodeId {
        let node = self.nodes.node_mut(at);
        node.visits += 1;
        node.for_each_made(joint, |_, edge| edge.visits += 1);
        node.child(joint)
    }

    /// The place of the chooser's move with the greatest upper confidence bound of its value (Kocsis and Szepesvári,
    /// *Bandit based Monte-Carlo planning*, 2006), by a random number among equal ones. The values of moves made at any
    /// time are those of the node `reference`.
    pub(super) fn choose_by_bounds(&self, node: &TreeNode, chooser: usize, reference: NodeId, random: usize) -> u64 {
        let edges = node.edges_of_chooser(chooser);
        if edges.len() == 1 {
            return 0;
        }
        let solver = self.policy.solver;
        let amaf = &self.nodes.node(reference).amaf;
        let share = if amaf.is_empty() { 1.0 } else { amaf::EXPLORATION };
        let exploration = self.exploration * share * (node.visits.max(1) as f32).ln().sqrt();
        // Moves that were not made yet count as if they had been made once, with the mean of all.
        let mean = node.roles[chooser].total / node.visits.max(1) as f32;
        let low = node.roles[chooser].bounds.low;
        let start = random % edges.len();
        let mut best = start;
        let mut best_score = f32::NEG_INFINITY;
        for numbers in [start..edges.len(), 0..start] {
            for number in numbers {
                let edge = &edges[number];
                let rarity = self.rarity.of(edge.visits);
                let mut value = if edge.visits == 0 { mean } else { edge.total * rarity * rarity };
                if let Some(any_time) = amaf.get(edge.made.0 as usize) {
                    value = any_time.mixed(value, edge.visits);
                }
                if solver {
                    // A move whose value is known, or that cannot be better than another, has nothing to teach.
                    if edge.bounds.high <= low || edge.bounds.is_exact() {
                        continue;
                    }
                    value = value.clamp(edge.bounds.low, edge.bounds.high);
                }
                let score = value + exploration * rarity;
                if score > best_score {
                    (best, best_score) = (number, score);
                }
            }
        }
        best as u64
    }

    /// Draws a move for each role, where several have a choice.
    fn choose_by_regrets(&mut self, at: NodeId) -> u64 {
        let Tree { nodes, draw, roles, .. } = self;
        let node = nodes.node_mut(at);
        let visit = node.visits;
        let mut joint = 0;
        for place in 0..*roles {
            let count = node.roles[place].moves;
            if count > 1 {
                let made = matching::choose(node.regrets_of_mut(place), visit, draw);
                joint = joint * u64::from(count) + made as u64;
            }
        }
        joint
    }

    /// Lets all roles learn from a joint move where several had a choice.
    fn learn_regrets(&mut self, at: NodeId, joint: u64) {
        let mut stride = 1;
        for place in (0..self.roles).rev() {
            let moves = u64::from(self.nodes.node(at).roles[place].moves);
            let made = joint / stride % moves;
            let first = joint - made * stride;
            let mut rewards = std::mem::take(&mut self.rewards);
            rewards.clear();
            rewards.extend((0..moves).map(|other| self.reward(at, first + other * stride, place)));
            matching::learn(self.nodes.node_mut(at).regrets_of_mut(place), &rewards, made as usize);
            self.rewards = rewards;
            stride *= moves;
        }
    }

    /// The mean value of a role after a joint move; that of the node itself, if the move was not made yet.
    fn reward(&self, at: NodeId, joint: u64, place: usize) -> f32 {
        let node = self.nodes.node(at);
        let of = match node.child(joint) {
            NONE => node,
            child => self.nodes.node(child),
        };
        let bounds = of.roles[place].bounds;
        of.mean(place).clamp(bounds.low, bounds.high)
    }

    /// Enters what came of a simulation.
    pub fn finish(&mut self, mut simulation: Simulation) {
        self.is_guess |= simulation.is_guess;
        let last = if self.factors.is_some() {
            self.enter_factors(&mut simulation);
            None
        } else {
            self.enter(&mut simulation)
        };
        self.close(simulation, last);
    }

    /// Whether the moves of a node are to be entered: those of a root whatever memory is left, since no other node is reached
    /// without them.
    pub(super) fn is_to_expand(&self, at: NodeId, root: NodeId) -> bool {
        !self.nodes.node(at).is_expanded() && (at == root || !self.nodes.is_full())
    }

    /// Lets the way of a simulation learn from its values, down to the last node.
    fn close(&mut self, simulation: Simulation, last: Option<NodeId>) {
        self.back_up(&simulation.path, last, &simulation.values);
        self.learn_amaf(&simulation);
        self.spare.push(simulation);
        self.nodes.collect();
    }

    /// Lets the nodes of a way that were visited often learn from all moves made below, in the tree and in playouts.
    fn learn_amaf(&mut self, Simulation { path, values, played, .. }: &Simulation) {
        let Tree { nodes, owners, .. } = self;
        if owners.is_empty() {
            return;
        }
        let weight = 1.0 / played.len().max(1) as f32;
        for (place, &(at, _)) in path.iter().enumerate() {
            let node = nodes.node(at);
            if node.entered < amaf::REFERENCE {
                break;
            }
            if node.amaf.is_empty() {
                if nodes.is_full() || !node.is_alone() {
                    continue;
                }
                nodes.change(at, |node| node.amaf = vec![AmafStats::default(); owners.len()].into());
            }
            let mut any_time = std::mem::take(&mut nodes.node_mut(at).amaf);
            for &(below, joint) in &path[place..] {
                let node = nodes.node(below);
                if let Some(chooser) = node.chooser() {
                    any_time[node.edges[node.edge_of_chooser(joint)].made.0 as usize].add(1.0, values[chooser]);
                }
            }
            for (moves, values) in played.iter() {
                for made in moves {
                    let made = made.0 as usize;
                    any_time[made].add(weight, weight * values[owners[made] as usize]);
                }
            }
            nodes.node_mut(at).amaf = any_time;
        }
    }

    /// Takes back a simulation that has no outcome.
    pub fn abandon(&mut self, simulation: Simulation) {
        if simulation.opens && simulation.parts.is_empty() {
            self.nodes.node_mut(simulation.node).visits -= 1;
        } else if simulation.opens {
            simulation.parts.iter().for_each(|&part| self.nodes.node_mut(part).visits -= 1);
        }
        for &(at, joint) in &simulation.path {
            let node = self.nodes.node_mut(at);
            node.visits -= 1;
            node.for_each_made(joint, |_, edge| edge.visits -= 1);
        }
        self.spare.push(simulation);
    }

    /// Enters the moves and the state that a simulation has found. Its last node; `None` if no node has the state that
    /// it has reached.
    fn enter(&mut self, simulation: &mut Simulation) -> Option<NodeId> {
        let node = simulation.node;
        let legal = simulation.legal.take();
        if simulation.opens {
            // The node was a leaf: its moves were found, and one of them was made. Without memory it stays a leaf.
            if let Some(legal) = legal.filter(|_| self.is_to_expand(node, self.nodes.root())) {
                self.expand(node, &legal);
            }
            if simulation.next.is_none() {
                // Nobody can move on: the values are those of the node.
                self.end(node, &simulation.values, if simulation.is_decided { TURN } else { 0 });
            }
            if simulation.next.is_none() || !self.nodes.node(node).is_expanded() {
                return Some(node);
            }
            let joint = simulation.random % self.nodes.node(node).joint_moves();
            // `visit` counts the node itself, as the way down has done.
            self.nodes.node_mut(node).visits -= 1;
            self.visit(node, joint);
            simulation.path.push((node, joint));
        }
        let next = simulation.next.take()?;
        let &(parent, joint) = simulation.path.last()?;
        // A child stays the same node, since simulations under way may pass through it.
        let known = self.nodes.node(parent).child(joint);
        let over = simulation.over;
        let child = if known == NONE { self.insert(next, over.then_some(&simulation.values)) } else { Some(known) };
        if let Some(child) = child {
            self.nodes.node_mut(child).visits += 1;
            if known == NONE {
                self.nodes.link(parent, joint, child);
            }
        }
        child
    }

    fn expand(&mut self, node: NodeId, legal: &LegalMoves) {
        if legal.iter().all(|moves| !moves.is_empty()) {
            self.nodes.change(node, |node| node.expand(legal));
        }
    }

    /// Makes the values of a node final, which are come to in so many joint moves.
    fn end(&mut self, node: NodeId, values: &[f32], steps: u32) {
        for (role, &value) in self.nodes.node_mut(node).roles.iter_mut().zip(values) {
            (role.bounds, role.steps) = (Bounds { low: value, high: value }, steps);
        }
    }

    /// Adds the values of a simulation to its way, and bounds to that way as far as they change.
    fn back_up(&mut self, path: &[(NodeId, u64)], last: Option<NodeId>, values: &[f32]) {
        if let Some(last) = last {
            let node = self.nodes.node_mut(last);
            node.entered += 1;
            node.roles.iter_mut().zip(values).for_each(|(role, value)| role.total += value);
        }
        let mut bounded = self.policy.solver.then_some(last).flatten();
        for &(at, joint) in path.iter().rev() {
            let node = self.nodes.node_mut(at);
            node.entered += 1;
            node.roles.iter_mut().zip(values).for_each(|(role, value)| role.total += value);
            node.for_each_made(joint, |place, edge| edge.total += values[place]);
            bounded = bounded.filter(|&child| self.bound(at, joint, child)).map(|_| at);
            if !self.nodes.node(at).is_alone() {
                self.learn_regrets(at, joint);
            }
        }
    }
}
