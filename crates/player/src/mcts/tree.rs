//! The tree: a table from states to nodes, with what is known of each node and move.
//!
//! Lines that lead to the same state share its node. Each edge counts the simulations that went through it, and sums what
//! they brought its role. A simulation under way counts as a loss until its outcome is known, so that simulations of one
//! batch part (virtual loss; Chaslot, Winands and van den Herik, *Parallel Monte-Carlo tree search*, 2008).
//!
//! For each role a node knows the least and the greatest value that best play can come to. A terminal node knows it
//! exactly, others from their children (Cazenave and Saffidine, *Score bounded Monte-Carlo tree search*, 2010, which
//! generalizes the solver of Winands, Björnsson and Saito, *Monte-Carlo tree search solver*, 2008). Moves whose greatest
//! value does not exceed the least value of another one are not tried again.

use indexmap::IndexMap;
use ludolog_game::{Draw, LegalMoves, Move, State};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Ordering;
use std::mem::size_of;

/// The number of a node in the tree.
pub type NodeId = u32;

/// No node.
pub const NONE: NodeId = NodeId::MAX;

/// Most joint moves of a state whose outcomes are compared one by one to bound its value.
const MAX_BOUNDED_JOINT: u64 = 256;

/// Where several roles choose at once, each makes one move of so many at random.
const RANDOM_EVERY: usize = 8;

/// Longest line of a simulation. Only games that repeat states have longer ones.
const MAX_DEPTH: usize = 1_000;

/// The greatest and least value that a role may come to, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub low: f32,
    pub high: f32,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { low: 0.0, high: 1.0 };

    /// Whether the value is known.
    pub fn is_exact(self) -> bool {
        self.low >= self.high
    }
}

/// What a node knows about a role.
#[derive(Clone, Copy, Debug)]
pub struct RoleStats {
    /// The sum of the role's values over all visits.
    pub total: f32,
    pub bounds: Bounds,
    /// The number of the role's moves.
    pub moves: u32,
}

/// A move of a role in a node.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub made: Move,
    pub visits: u32,
    /// The sum of the role's values over these visits.
    pub total: f32,
    /// The child, where no other role has a choice.
    pub child: NodeId,
    /// The bounds of the child for the role, where no other role has a choice.
    pub bounds: Bounds,
}

impl Edge {
    /// The mean value of the role over all visits; 0 without any.
    fn mean(&self) -> f32 {
        self.total / self.visits.max(1) as f32
    }
}

/// A state in the tree.
#[derive(Debug)]
pub struct Node {
    pub visits: u32,
    pub roles: Box<[RoleStats]>,
    /// The moves of all roles, one role after the other; none before the node is expanded.
    pub edges: Box<[Edge]>,
    /// The children by joint move, where several roles have a choice.
    joint: Option<Box<FxHashMap<u64, NodeId>>>,
}

impl Node {
    fn new(values: Option<&[f32]>, roles: usize) -> Node {
        let stats = |place: usize| {
            let bounds = values.map_or(Bounds::UNKNOWN, |values| Bounds { low: values[place], high: values[place] });
            RoleStats { total: 0.0, bounds, moves: 0 }
        };
        Node { visits: 0, roles: (0..roles).map(stats).collect(), edges: Box::new([]), joint: None }
    }

    /// Whether its moves are known.
    pub fn is_expanded(&self) -> bool {
        !self.edges.is_empty()
    }

    /// Whether the values of all roles are known.
    pub fn is_exact(&self) -> bool {
        self.roles.iter().all(|role| role.bounds.is_exact())
    }

    /// The edges of a role.
    pub fn edges_of(&self, place: usize) -> &[Edge] {
        let first: usize = self.roles[..place].iter().map(|role| role.moves as usize).sum();
        &self.edges[first..first + self.roles[place].moves as usize]
    }

    fn first_edge(&self, place: usize) -> usize {
        self.roles[..place].iter().map(|role| role.moves as usize).sum()
    }

    /// The only role that has a choice; the first one if none has.
    fn chooser(&self) -> Option<usize> {
        let mut choosers = self.roles.iter().enumerate().filter(|(_, role)| role.moves > 1).map(|(place, _)| place);
        match (choosers.next(), choosers.next()) {
            (_, Some(_)) => None,
            (first, None) => Some(first.unwrap_or(0)),
        }
    }

    /// The joint moves as numbers: places of moves, the last role's changing fastest.
    fn joint_moves(&self) -> u64 {
        self.roles.iter().map(|role| u64::from(role.moves)).fold(1, u64::saturating_mul)
    }

    /// The place of each role's move in a joint move.
    fn places(&self, mut joint: u64, mut each: impl FnMut(usize, usize)) {
        for (place, role) in self.roles.iter().enumerate().rev() {
            let moves = u64::from(role.moves.max(1));
            each(place, (joint % moves) as usize);
            joint /= moves;
        }
    }

    /// The child after a joint move.
    fn child(&self, joint: u64) -> NodeId {
        match (&self.joint, self.chooser()) {
            (Some(children), _) => children.get(&joint).copied().unwrap_or(NONE),
            (None, Some(chooser)) => self.edges[self.first_edge(chooser) + joint as usize].child,
            (None, None) => NONE,
        }
    }

    fn bytes(words: usize, roles: usize) -> usize {
        size_of::<(State, Node)>() + words * size_of::<u32>() + roles * size_of::<RoleStats>() + 2 * size_of::<u64>()
    }
}

/// What of the search can be switched, to measure what it brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The weight of exploration, `C` of UCT, for values from 0 to 1.
    pub exploration: f32,
    /// Whether proven values are backed up.
    pub solver: bool,
    /// Whether lines to the same state share a node.
    pub transpositions: bool,
}

/// One simulation: the way down the tree, and what came of it.
pub struct Simulation {
    /// The nodes passed, each with the joint move made there.
    path: Vec<(NodeId, u64)>,
    /// The last node, from which the simulation leaves the tree.
    pub node: NodeId,
    pub state: State,
    /// The joint move made there; `None` if its moves are not known.
    pub joint: Option<Box<[Move]>>,
    /// Its moves, if they were found by the simulation.
    pub legal: Option<LegalMoves>,
    /// The state reached; `None` if there is none, since a role has no legal move.
    pub next: Option<State>,
    /// Whether the state reached has no continuation.
    pub over: bool,
    /// The values of all roles.
    pub values: Vec<f32>,
    /// Random number for the choices of the simulation.
    pub random: u64,
}

/// How a way down the tree ended.
enum End {
    /// At a node whose values are known.
    Exact(NodeId),
    /// At a node whose moves are not known, or at a joint move that was not made before.
    Leaf(NodeId, Option<u64>),
}

/// The tree of one match.
pub struct Tree {
    nodes: IndexMap<Key, Node, FxBuildHasher>,
    root: NodeId,
    policy: Policy,
    roles: usize,
    bytes: usize,
    max_bytes: usize,
    draw: Draw,
    /// Nodes made so far.
    made: u32,
    /// The longest way down.
    pub depth: usize,
    pub simulations: u64,
}

/// A state; with a number of its own where states do not share nodes.
type Key = (State, u32);

impl Tree {
    /// A tree without nodes.
    pub fn new(roles: usize, policy: Policy, max_bytes: usize, seed: u64) -> Tree {
        Tree {
            nodes: IndexMap::default(),
            root: NONE,
            policy,
            roles,
            bytes: 0,
            max_bytes,
            draw: Draw::new(seed),
            made: 0,
            depth: 0,
            simulations: 0,
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.nodes[self.root as usize]
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    /// Makes a state the root. The nodes below it are kept if `keep`; the others go.
    pub fn set_root(&mut self, state: &State, keep: bool) {
        (self.depth, self.simulations) = (0, 0);
        let known = match self.policy.transpositions {
            true => self.nodes.get_index_of(&(state.clone(), 0)),
            false => self.below_root(state),
        };
        match known.filter(|_| keep) {
            Some(node) if node as NodeId == self.root => {}
            // At each move, so that it takes a small part of the time in which the nodes were made.
            Some(node) => {
                self.root = node as NodeId;
                self.forget_unreachable();
            }
            None => {
                self.nodes.clear();
                self.bytes = 0;
                self.root = self.insert(state.clone(), None).expect("there is memory for one node");
            }
        }
    }

    /// A node with this state at most as many joint moves below the root as there are roles; nodes are not shared.
    fn below_root(&self, state: &State) -> Option<usize> {
        let mut level = if self.root == NONE { Vec::new() } else { vec![self.root] };
        for _ in 0..=self.roles {
            if let Some(&found) = level.iter().find(|&&node| self.key(node).0 == *state) {
                return Some(found as usize);
            }
            level = level.iter().flat_map(|&node| self.children(node)).collect();
        }
        None
    }

    fn key(&self, node: NodeId) -> &Key {
        self.nodes.get_index(node as usize).expect("a node is in the tree").0
    }

    fn children(&self, node: NodeId) -> Vec<NodeId> {
        let node = self.node(node);
        let of_edges = node.edges.iter().map(|edge| edge.child).filter(|&child| child != NONE);
        of_edges.chain(node.joint.iter().flat_map(|children| children.values().copied())).collect()
    }

    /// Keeps the nodes that can be reached from the root.
    fn forget_unreachable(&mut self) {
        let mut new = vec![NONE; self.nodes.len()];
        let mut order = vec![self.root];
        new[self.root as usize] = 0;
        let mut at = 0;
        while at < order.len() {
            for child in self.children(order[at]) {
                if new[child as usize] == NONE {
                    new[child as usize] = order.len() as NodeId;
                    order.push(child);
                }
            }
            at += 1;
        }
        let mut old: Vec<Option<(Key, Node)>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.bytes = 0;
        let rename = |child: &mut NodeId| {
            if *child != NONE {
                *child = new[*child as usize];
            }
        };
        for node in order {
            let (key, mut node) = old[node as usize].take().expect("each node is kept once");
            node.edges.iter_mut().for_each(|edge| rename(&mut edge.child));
            node.joint.iter_mut().flat_map(|children| children.values_mut()).for_each(rename);
            let children = node.joint.as_ref().map_or(0, |children| children.len());
            self.bytes +=
                Node::bytes(key.0.words().len(), self.roles) + node.edges.len() * size_of::<Edge>() + children * 16;
            self.nodes.insert(key, node);
        }
        self.root = 0;
    }

    /// The node of a state, which is made if there is none and memory is left. `values` are known if the game is over.
    fn insert(&mut self, state: State, values: Option<&[f32]>) -> Option<NodeId> {
        let words = state.words().len();
        self.made += 1;
        let serial = if self.policy.transpositions { 0 } else { self.made };
        let key = (state, serial);
        if let Some(node) = self.nodes.get_index_of(&key) {
            return Some(node as NodeId);
        }
        if self.bytes > self.max_bytes || self.nodes.len() >= NONE as usize {
            return None;
        }
        self.bytes += Node::bytes(words, self.roles);
        let (node, _) = self.nodes.insert_full(key, Node::new(values, self.roles));
        Some(node as NodeId)
    }

    /// Whether nothing is left to find out for a role.
    pub fn is_solved(&self, place: usize) -> bool {
        self.policy.solver && self.root().roles[place].bounds.is_exact() && self.root().is_expanded()
    }

    /// Begins up to `count` simulations. Those that end at a known value are over at once.
    pub fn select(&mut self, count: usize, simulations: &mut Vec<Simulation>) {
        for _ in 0..count {
            self.simulations += 1;
            let mut path = Vec::new();
            match self.descend(&mut path) {
                End::Exact(node) => {
                    let values: Vec<f32> = self.node(node).roles.iter().map(|role| role.bounds.low).collect();
                    self.back_up(&path, Some(node), &values);
                }
                End::Leaf(node, joint) => {
                    let joint_moves = joint.map(|joint| {
                        let at = self.node(node);
                        let mut moves = vec![Move(0); self.roles];
                        at.places(joint, |role, place| moves[role] = at.edges_of(role)[place].made);
                        path.push((node, joint));
                        moves.into_boxed_slice()
                    });
                    let random = (self.draw.below(1 << 30) as u64) << 30 | self.draw.below(1 << 30) as u64;
                    simulations.push(Simulation {
                        path,
                        node,
                        state: self.key(node).0.clone(),
                        joint: joint_moves,
                        legal: None,
                        next: None,
                        over: false,
                        values: vec![0.0; self.roles],
                        random,
                    });
                }
            }
        }
    }

    /// Goes down from the root, and counts the way.
    fn descend(&mut self, path: &mut Vec<(NodeId, u64)>) -> End {
        let mut at = self.root;
        loop {
            let node = &self.nodes[at as usize];
            if self.policy.solver && node.is_exact() && (at != self.root || !node.is_expanded())
                || node.is_exact() && !node.is_expanded()
            {
                self.nodes[at as usize].visits += 1;
                return End::Exact(at);
            }
            if !node.is_expanded() {
                self.nodes[at as usize].visits += 1;
                return End::Leaf(at, None);
            }
            let joint = self.choose(at);
            self.visit(at, joint);
            let child = self.node(at).child(joint);
            if child == NONE || path.len() >= MAX_DEPTH {
                self.depth = self.depth.max(path.len() + 1);
                return End::Leaf(at, Some(joint));
            }
            path.push((at, joint));
            at = child;
        }
    }

    /// Counts a joint move, as a loss for all.
    fn visit(&mut self, at: NodeId, joint: u64) {
        let node = &mut self.nodes[at as usize];
        node.visits += 1;
        let (mut rest, mut end) = (joint, node.edges.len());
        for role in node.roles.iter().rev() {
            let moves = u64::from(role.moves);
            let first = end - role.moves as usize;
            node.edges[first + (rest % moves) as usize].visits += 1;
            (rest, end) = (rest / moves, first);
        }
    }

    /// Chooses a move for each role that has a choice, by itself ("decoupled"), by the upper confidence bound of its value
    /// (Kocsis and Szepesvári, *Bandit based Monte-Carlo planning*, 2006).
    fn choose(&mut self, at: NodeId) -> u64 {
        let node = &self.nodes[at as usize];
        let is_alone = node.joint.is_none() && node.chooser().is_some();
        let log = (node.visits.max(1) as f32).ln();
        let Policy { exploration, solver, .. } = self.policy;
        let mut joint = 0;
        let mut first = 0;
        for role in &node.roles {
            let edges = &node.edges[first..first + role.moves as usize];
            first += role.moves as usize;
            if edges.len() == 1 {
                continue;
            }
            // Moves that were not made yet count as if they had been made once, with the mean of all.
            let mean = role.total / node.visits.max(1) as f32;
            let low = if is_alone && solver { role.bounds.low } else { 0.0 };
            let start = self.draw.below(edges.len());
            // Choices that are all made by the same rule follow each other, and learn nothing of what else may come (Tak,
            // Lanctot and Winands, *Monte Carlo tree search variants for simultaneous move games*, 2014).
            if !is_alone && self.draw.below(RANDOM_EVERY) == 0 {
                joint = joint * edges.len() as u64 + start as u64;
                continue;
            }
            let (mut best, mut best_score) = (start, f32::NEG_INFINITY);
            for i in 0..edges.len() {
                let number = if start + i < edges.len() { start + i } else { start + i - edges.len() };
                let edge = &edges[number];
                let visits = edge.visits.max(1) as f32;
                let mut value = if edge.visits == 0 { mean } else { edge.total / visits };
                if is_alone && solver {
                    // A move whose value is known, or that cannot be better than another, has nothing to teach.
                    if edge.bounds.high <= low || edge.bounds.is_exact() {
                        continue;
                    }
                    value = value.clamp(edge.bounds.low, edge.bounds.high);
                }
                let score = value + exploration * (log / visits).sqrt();
                if score > best_score {
                    (best, best_score) = (number, score);
                }
            }
            joint = joint * edges.len() as u64 + best as u64;
        }
        joint
    }

    /// Enters what came of a simulation.
    pub fn finish(&mut self, simulation: Simulation) {
        let Simulation { mut path, node, joint, legal, next, over, values, random, .. } = simulation;
        if joint.is_none() {
            // The node was a leaf: its moves were found, and one of them was made. Without memory it stays a leaf.
            let is_open = next.is_some();
            if let Some(legal) = legal.filter(|_| !self.node(node).is_expanded() && self.bytes <= self.max_bytes) {
                self.expand(node, &legal);
            }
            let Some(next) = next.filter(|_| self.node(node).is_expanded()) else {
                if !is_open {
                    // Nobody can move on: the values are those of the node.
                    self.end(node, &values);
                }
                self.back_up(&path, Some(node), &values);
                return;
            };
            let joint = random % self.node(node).joint_moves();
            // `visit` counts the node itself, as the way down has done.
            self.nodes[node as usize].visits -= 1;
            self.visit(node, joint);
            path.push((node, joint));
            self.enter(&path, next, over, &values);
        } else if let Some(next) = next {
            self.enter(&path, next, over, &values);
        } else {
            self.back_up(&path, None, &values);
        }
    }

    /// Takes back a simulation that has no outcome.
    pub fn abandon(&mut self, simulation: Simulation) {
        if simulation.joint.is_none() {
            self.nodes[simulation.node as usize].visits -= 1;
        }
        for (at, joint) in simulation.path {
            let node = &mut self.nodes[at as usize];
            node.visits -= 1;
            let (mut rest, mut end) = (joint, node.edges.len());
            for role in node.roles.iter().rev() {
                let moves = u64::from(role.moves);
                let first = end - role.moves as usize;
                node.edges[first + (rest % moves) as usize].visits -= 1;
                (rest, end) = (rest / moves, first);
            }
        }
    }

    fn enter(&mut self, path: &[(NodeId, u64)], next: State, over: bool, values: &[f32]) {
        let child = self.insert(next, over.then_some(values));
        if let (Some(child), Some(&(parent, joint))) = (child, path.last()) {
            self.nodes[child as usize].visits += 1;
            let node = &mut self.nodes[parent as usize];
            match node.chooser() {
                Some(chooser) => {
                    let edge = node.first_edge(chooser) + joint as usize;
                    node.edges[edge].child = child;
                }
                None => {
                    if node.joint.get_or_insert_default().insert(joint, child).is_none() {
                        self.bytes += 16;
                    }
                }
            }
        }
        self.back_up(path, child, values);
    }

    fn expand(&mut self, node: NodeId, legal: &LegalMoves) {
        if legal.iter().any(|moves| moves.is_empty()) {
            return;
        }
        let edge = |&made: &Move| Edge { made, visits: 0, total: 0.0, child: NONE, bounds: Bounds::UNKNOWN };
        let node = &mut self.nodes[node as usize];
        node.edges = legal.iter().flatten().map(edge).collect();
        for (role, moves) in node.roles.iter_mut().zip(legal) {
            role.moves = moves.len() as u32;
        }
        self.bytes += node.edges.len() * size_of::<Edge>();
    }

    /// Makes the values of a node final.
    fn end(&mut self, node: NodeId, values: &[f32]) {
        for (role, &value) in self.nodes[node as usize].roles.iter_mut().zip(values) {
            role.bounds = Bounds { low: value, high: value };
        }
    }

    /// Adds the values of a simulation to its way, and bounds to that way as far as they change.
    fn back_up(&mut self, path: &[(NodeId, u64)], last: Option<NodeId>, values: &[f32]) {
        if let Some(last) = last {
            for (role, value) in self.nodes[last as usize].roles.iter_mut().zip(values) {
                role.total += value;
            }
        }
        let mut bounded = self.policy.solver.then_some(last).flatten();
        for &(at, joint) in path.iter().rev() {
            let node = &mut self.nodes[at as usize];
            let (mut rest, mut end) = (joint, node.edges.len());
            for (role, &value) in node.roles.iter_mut().zip(values).rev() {
                role.total += value;
                let moves = u64::from(role.moves);
                let first = end - role.moves as usize;
                let edge = &mut node.edges[first + (rest % moves) as usize];
                edge.total += value;
                (rest, end) = (rest / moves, first);
            }
            bounded = bounded.filter(|&child| self.bound(at, joint, child)).map(|_| at);
        }
    }

    /// Bounds the values of a node by those of its children, of which one has changed. Whether the bounds change.
    fn bound(&mut self, at: NodeId, joint: u64, child: NodeId) -> bool {
        let node = &self.nodes[at as usize];
        let Some(chooser) = node.chooser() else { return self.bound_joint(at) };
        let edge = node.first_edge(chooser) + joint as usize;
        let of_child = self.nodes[child as usize].roles[chooser].bounds;
        let known = node.edges[edge].bounds;
        if of_child.low <= known.low && of_child.high >= known.high && !self.nodes[child as usize].is_exact() {
            return false;
        }
        self.nodes[at as usize].edges[edge].bounds = of_child;
        let node = &self.nodes[at as usize];
        let edges = node.edges_of(chooser);
        let low = edges.iter().fold(0.0f32, |low, edge| low.max(edge.bounds.low));
        let high = edges.iter().fold(0.0f32, |high, edge| high.max(edge.bounds.high));
        let mut bounds: Vec<Bounds> = node.roles.iter().map(|role| role.bounds).collect();
        if low >= high {
            // The chooser makes a move whose value is known; the others get what it brings them.
            let best = edges.iter().find(|edge| edge.bounds.low >= low && edge.child != NONE);
            let Some(best) = best else { return false };
            bounds = self.nodes[best.child as usize].roles.iter().map(|role| role.bounds).collect();
        } else {
            bounds[chooser] = Bounds { low, high };
            for (place, bounds) in bounds.iter_mut().enumerate().filter(|(place, _)| *place != chooser) {
                let of_edge = |edge: &Edge| match edge.child {
                    NONE => Bounds::UNKNOWN,
                    child => self.nodes[child as usize].roles[place].bounds,
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
        let node = &self.nodes[at as usize];
        let count = node.joint_moves();
        if count > MAX_BOUNDED_JOINT || node.joint.is_none() {
            return false;
        }
        let mut worst: Vec<Vec<f32>> = node.roles.iter().map(|role| vec![1.0; role.moves as usize]).collect();
        let mut high = vec![0.0f32; self.roles];
        for joint in 0..count {
            let child = node.child(joint);
            node.places(joint, |role, place| {
                let bounds = match child {
                    NONE => Bounds::UNKNOWN,
                    child => self.nodes[child as usize].roles[role].bounds,
                };
                worst[role][place] = worst[role][place].min(bounds.low);
                high[role] = high[role].max(bounds.high);
            });
        }
        let low = worst.iter().map(|worst| worst.iter().copied().fold(0.0, f32::max));
        let bounds: Vec<Bounds> = low.zip(high).map(|(low, high)| Bounds { low, high }).collect();
        self.tighten(at, &bounds)
    }

    fn tighten(&mut self, at: NodeId, bounds: &[Bounds]) -> bool {
        let mut changed = false;
        for (role, found) in self.nodes[at as usize].roles.iter_mut().zip(bounds) {
            let known = &mut role.bounds;
            // Bounds that a line through the node itself has loosened are not taken.
            let tighter = Bounds { low: known.low.max(found.low), high: known.high.min(found.high) };
            if tighter != *known && tighter.low <= tighter.high {
                (*known, changed) = (tighter, true);
            }
        }
        changed
    }

    /// The place of the best move of a role at a node: the one most often tried, unless another is proven to be better.
    fn best(&self, node: &Node, place: usize) -> usize {
        let edges = node.edges_of(place);
        let most_visited = |places: &mut dyn Iterator<Item = usize>| {
            let visits = |place: &usize| (edges[*place].visits, edges[*place].total);
            places.max_by(|a, b| visits(a).partial_cmp(&visits(b)).unwrap_or(Ordering::Equal))
        };
        let all = most_visited(&mut (0..edges.len())).unwrap_or(0);
        if !self.policy.solver || node.chooser() != Some(place) {
            return all;
        }
        // Where values are equal, playouts tell which move is harder to answer.
        let safety = |place: &usize| (edges[*place].bounds.low, edges[*place].mean());
        let safer = |a: &usize, b: &usize| safety(a).partial_cmp(&safety(b)).unwrap_or(Ordering::Equal);
        let safest = (0..edges.len()).max_by(safer).unwrap_or(0);
        let low = edges[safest].bounds.low;
        let open =
            &mut (0..edges.len()).filter(|&place| edges[place].bounds.high > low && !edges[place].bounds.is_exact());
        match most_visited(open) {
            // Tries that did not promise more than what is safe are no reason to leave it.
            Some(open) if low <= 0.0 || edges[open].mean() > low => open,
            Some(_) => safest,
            // All is known: where nothing is to be had, what was tried most held out longest.
            None if low <= 0.0 => all,
            None => safest,
        }
    }

    /// The best move of a role at the root; `None` if no simulation has looked at it.
    pub fn best_move(&self, place: usize) -> Option<Move> {
        let root = self.root();
        root.is_expanded().then(|| root.edges_of(place)[self.best(root, place)].made)
    }

    /// The mean value of a role, or the proven one, at its best move.
    pub fn value(&self, place: usize) -> (f32, bool) {
        let root = self.root();
        let role = root.roles[place];
        if self.policy.solver && role.bounds.is_exact() {
            return (role.bounds.low, true);
        }
        if !root.is_expanded() {
            return (0.0, false);
        }
        let edge = root.edges_of(place)[self.best(root, place)];
        (edge.mean().clamp(edge.bounds.low, edge.bounds.high), false)
    }

    /// The joint moves of best play from the root on, as far as the tree reaches.
    pub fn line(&self) -> Vec<Box<[Move]>> {
        let mut line = Vec::new();
        let mut at = self.root;
        while at != NONE && self.node(at).is_expanded() && self.node(at).visits > 1 && line.len() < self.depth {
            let node = self.node(at);
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

    /// A joint move at random, of legal moves.
    pub fn random_joint(legal: &LegalMoves, random: u64) -> Option<Box<[Move]>> {
        if legal.iter().any(|moves| moves.is_empty()) {
            return None;
        }
        let count = legal.iter().map(|moves| moves.len() as u64).fold(1, u64::saturating_mul);
        let mut rest = random % count;
        let mut joint = vec![Move(0); legal.len()];
        for (made, moves) in joint.iter_mut().zip(legal).rev() {
            *made = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
        Some(joint.into_boxed_slice())
    }
}
