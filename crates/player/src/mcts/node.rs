//! A state in the tree: what is known of it, of its roles, and of their moves.

use super::amaf::AmafStats;
use super::matching::MoveRegret;
use super::store::allocated;
use ludolog_game::{LegalMoves, Move};
use rustc_hash::FxHashMap;
use std::mem::size_of;

/// The number of a node in the tree.
pub type NodeId = u32;

/// No node.
pub const NONE: NodeId = NodeId::MAX;

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

/// The statistics of a node for a role.
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
pub struct TreeEdge {
    pub made: Move,
    pub visits: u32,
    /// The sum of the role's values over these visits.
    pub total: f32,
    /// The child, where no other role has a choice.
    pub child: NodeId,
    /// The bounds of the child for the role, where no other role has a choice.
    pub bounds: Bounds,
}

impl TreeEdge {
    /// The mean value of the role over all visits; 0 without any.
    pub fn mean(&self) -> f32 {
        self.total / self.visits.max(1) as f32
    }
}

/// A state in the tree.
#[derive(Debug)]
pub struct TreeNode {
    /// Simulations that went through it, those under way included.
    pub visits: u32,
    /// Those of them whose values are entered.
    pub entered: u32,
    pub roles: Box<[RoleStats]>,
    /// The moves of all roles, one role after the other; none before the node is expanded.
    pub edges: Box<[TreeEdge]>,
    /// The values of all moves of the game, made here or below; none in most nodes.
    pub amaf: Box<[AmafStats]>,
    /// What there is besides where several roles have a choice.
    joint: Option<Box<JointNode>>,
}

/// What a node holds in which several roles have a choice.
#[derive(Debug)]
struct JointNode {
    /// The children by joint move.
    children: FxHashMap<u64, NodeId>,
    /// By edge.
    regrets: Box<[MoveRegret]>,
}

impl TreeNode {
    /// A node without moves, whose values are known if `values` are given.
    pub fn new(values: Option<&[f32]>, roles: usize) -> TreeNode {
        let stats = |place: usize| {
            let bounds = values.map_or(Bounds::UNKNOWN, |values| Bounds { low: values[place], high: values[place] });
            RoleStats { total: 0.0, bounds, moves: 0 }
        };
        let roles = (0..roles).map(stats).collect();
        TreeNode { visits: 0, entered: 0, roles, edges: Box::new([]), amaf: Box::new([]), joint: None }
    }

    /// A node that knows nothing and holds no memory.
    pub fn empty() -> TreeNode {
        TreeNode::new(None, 0)
    }

    /// Whether its moves are known.
    pub fn is_expanded(&self) -> bool {
        !self.edges.is_empty()
    }

    /// Whether the values of all roles are known.
    pub fn is_exact(&self) -> bool {
        self.roles.iter().all(|role| role.bounds.is_exact())
    }

    /// Enters the moves of all roles, each of which has at least one.
    pub fn expand(&mut self, legal: &LegalMoves) {
        let edge = |&made: &Move| TreeEdge { made, visits: 0, total: 0.0, child: NONE, bounds: Bounds::UNKNOWN };
        self.edges = legal.iter().flatten().map(edge).collect();
        for (role, moves) in self.roles.iter_mut().zip(legal) {
            role.moves = moves.len() as u32;
        }
        if self.chooser().is_none() {
            let regrets = vec![MoveRegret::default(); self.edges.len()].into_boxed_slice();
            self.joint = Some(Box::new(JointNode { children: FxHashMap::default(), regrets }));
        }
    }

    /// What a role has learned of its moves where several have a choice; empty where only one has.
    pub fn regrets_of(&self, place: usize) -> &[MoveRegret] {
        let first = self.first_edge(place);
        self.joint.as_deref().map_or(&[], |joint| &joint.regrets[first..first + self.roles[place].moves as usize])
    }

    /// As [`regrets_of`](Self::regrets_of), to be changed.
    pub fn regrets_of_mut(&mut self, place: usize) -> &mut [MoveRegret] {
        let first = self.first_edge(place);
        let end = first + self.roles[place].moves as usize;
        self.joint.as_deref_mut().map_or(&mut [], |joint| &mut joint.regrets[first..end])
    }

    /// The mean value of a role over all simulations whose values are entered.
    pub fn mean(&self, place: usize) -> f32 {
        self.roles[place].total / self.entered.max(1) as f32
    }

    /// The edges of a role.
    pub fn edges_of(&self, place: usize) -> &[TreeEdge] {
        let first = self.first_edge(place);
        &self.edges[first..first + self.roles[place].moves as usize]
    }

    /// The place of a role's first edge among all.
    pub fn first_edge(&self, place: usize) -> usize {
        self.roles[..place].iter().map(|role| role.moves as usize).sum()
    }

    /// Calls `visit` with each role and its edge in a joint move, the last role first.
    pub fn for_each_made(&mut self, joint: u64, mut visit: impl FnMut(usize, &mut RoleStats, &mut TreeEdge)) {
        let mut rest = joint;
        let mut end = self.edges.len();
        for (place, role) in self.roles.iter_mut().enumerate().rev() {
            let first = end - role.moves as usize;
            let mut number = 0;
            if role.moves > 1 {
                let moves = u64::from(role.moves);
                (number, rest) = (rest % moves, rest / moves);
            }
            visit(place, role, &mut self.edges[first + number as usize]);
            end = first;
        }
    }

    /// The only role that has a choice; the first one if none has.
    pub fn chooser(&self) -> Option<usize> {
        let mut choosers = self.roles.iter().enumerate().filter(|(_, role)| role.moves > 1).map(|(place, _)| place);
        match (choosers.next(), choosers.next()) {
            (_, Some(_)) => None,
            (first, None) => Some(first.unwrap_or(0)),
        }
    }

    /// Whether at most one role has a choice; its edges have the children.
    pub fn is_alone(&self) -> bool {
        self.joint.is_none()
    }

    /// The joint moves as numbers: places of moves, the last role's changing fastest.
    pub fn joint_moves(&self) -> u64 {
        self.roles.iter().map(|role| u64::from(role.moves)).fold(1, u64::saturating_mul)
    }

    /// The place of each role's move in a joint move.
    pub fn places(&self, mut joint: u64, mut each: impl FnMut(usize, usize)) {
        for (place, role) in self.roles.iter().enumerate().rev() {
            let moves = u64::from(role.moves.max(1));
            each(place, (joint % moves) as usize);
            joint /= moves;
        }
    }

    /// The child after a joint move.
    pub fn child(&self, joint: u64) -> NodeId {
        match (&self.joint, self.chooser()) {
            (Some(several), _) => several.children.get(&joint).copied().unwrap_or(NONE),
            (None, Some(chooser)) => self.edges[self.first_edge(chooser) + joint as usize].child,
            (None, None) => NONE,
        }
    }

    /// Makes a node the child after a joint move.
    pub fn link(&mut self, joint: u64, child: NodeId) {
        let chooser = self.chooser();
        match (&mut self.joint, chooser) {
            (Some(several), _) => _ = several.children.insert(joint, child),
            (None, Some(chooser)) => {
                let edge = self.first_edge(chooser) + joint as usize;
                self.edges[edge].child = child;
            }
            (None, None) => {}
        }
    }

    /// All children.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let of_edges = self.edges.iter().map(|edge| edge.child).filter(|&child| child != NONE);
        of_edges.chain(self.joint.iter().flat_map(|joint| joint.children.values().copied()))
    }

    /// The bytes that it holds besides its own size.
    pub fn held(&self) -> usize {
        let table = |joint: &JointNode| {
            // A table is filled to 7/8 at most; each place has a control byte.
            let places = (joint.children.capacity() * 8 / 7).next_power_of_two();
            let children = if places > 1 { allocated(places * (size_of::<(u64, NodeId)>() + 1) + 16) } else { 0 };
            allocated(size_of::<JointNode>()) + children + allocated(size_of_val(&*joint.regrets))
        };
        allocated(size_of_val(&*self.roles))
            + allocated(size_of_val(&*self.edges))
            + allocated(size_of_val(&*self.amaf))
            + self.joint.as_deref().map_or(0, table)
    }
}
