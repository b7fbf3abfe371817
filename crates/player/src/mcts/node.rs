//! A state in the tree: what is known of it, of its roles, and of their moves.

use super::amaf::AmafStats;
use super::matching::MoveRegret;
use super::store::allocated;
use ludolog_game::{LegalMoves, Move};
use rustc_hash::FxHashMap;
use std::mem::size_of;
use std::ops::{Deref, DerefMut};

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
    /// Most joint moves until the role has what its lower bound promises, by the moves that prove it.
    pub steps: u32,
}

/// The statistics of a node for all roles, beside the node itself where there are at most two: a node that was looked at
/// once holds no memory of its own.
#[derive(Clone, Debug)]
pub struct NodeRoles(RoleList);

#[derive(Clone, Debug)]
enum RoleList {
    Few(u8, [RoleStats; NodeRoles::INLINE]),
    Many(Box<[RoleStats]>),
}

impl NodeRoles {
    /// Most roles whose statistics lie in the node.
    const INLINE: usize = 2;

    /// The statistics of this number of roles, as `stats` gives them.
    fn new(roles: usize, stats: impl Fn(usize) -> RoleStats) -> NodeRoles {
        if roles > NodeRoles::INLINE {
            return NodeRoles(RoleList::Many((0..roles).map(stats).collect()));
        }
        let none = RoleStats { total: 0.0, bounds: Bounds::UNKNOWN, moves: 0, steps: 0 };
        let of = |place| if place < roles { stats(place) } else { none };
        NodeRoles(RoleList::Few(roles as u8, std::array::from_fn(of)))
    }

    /// The bytes that it holds besides its own size.
    fn held(&self) -> usize {
        if let RoleList::Many(roles) = &self.0 { allocated(size_of_val(&**roles)) } else { 0 }
    }
}

impl Deref for NodeRoles {
    type Target = [RoleStats];

    #[inline]
    fn deref(&self) -> &[RoleStats] {
        match &self.0 {
            RoleList::Few(count, roles) => &roles[..usize::from(*count)],
            RoleList::Many(roles) => roles,
        }
    }
}

impl DerefMut for NodeRoles {
    #[inline]
    fn deref_mut(&mut self) -> &mut [RoleStats] {
        match &mut self.0 {
            RoleList::Few(count, roles) => &mut roles[..usize::from(*count)],
            RoleList::Many(roles) => roles,
        }
    }
}

/// A move of a role in a node.
#[derive(Clone, Copy, Debug)]
pub struct TreeEdge {
    pub made: Move,
    /// The simulations that made it; none are counted where the role has no choice.
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
    /// The only role that has a choice, the first one if none has; none where several have, or before the node is
    /// expanded.
    chooser: Option<u16>,
    /// The place of the chooser's first edge among all.
    first: u32,
    pub roles: NodeRoles,
    /// The moves of all roles, one role after the other; none before the node is expanded.
    pub edges: Box<[TreeEdge]>,
    /// The values of all moves of the game, made here or below; none in most nodes.
    pub amaf: Box<[AmafStats]>,
    /// Whether the game was over in a state of which this is the part in a factor.
    pub was_over: bool,
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
            RoleStats { total: 0.0, bounds, moves: 0, steps: 0 }
        };
        TreeNode {
            visits: 0,
            entered: 0,
            chooser: None,
            first: 0,
            roles: NodeRoles::new(roles, stats),
            edges: Box::new([]),
            amaf: Box::new([]),
            was_over: false,
            joint: None,
        }
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
        let mut edges = Vec::with_capacity(legal.iter().map(Vec::len).sum());
        edges.extend(legal.iter().flatten().map(edge));
        self.edges = edges.into_boxed_slice();
        for (role, moves) in self.roles.iter_mut().zip(legal) {
            role.moves = moves.len() as u32;
        }
        let mut choosers = (0..).zip(&*self.roles).filter(|(_, role)| role.moves > 1).map(|(place, _)| place);
        self.chooser = match (choosers.next(), choosers.next()) {
            (_, Some(_)) => None,
            (first, None) => Some(first.unwrap_or(0)),
        };
        if let Some(chooser) = self.chooser {
            self.first = self.first_edge(usize::from(chooser)) as u32;
        } else {
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

    /// Calls `visit` with the edge of each role that has a choice in a joint move, the last role first; with the first
    /// edge where none has.
    #[inline]
    pub fn for_each_made(&mut self, joint: u64, mut visit: impl FnMut(usize, &mut TreeEdge)) {
        if let Some(chooser) = self.chooser() {
            let edge = self.edge_of_chooser(joint);
            return visit(chooser, &mut self.edges[edge]);
        }
        let mut rest = joint;
        let mut end = self.edges.len();
        for (place, role) in self.roles.iter().enumerate().rev() {
            let first = end - role.moves as usize;
            if role.moves > 1 {
                let moves = u64::from(role.moves);
                visit(place, &mut self.edges[first + (rest % moves) as usize]);
                rest /= moves;
            }
            end = first;
        }
    }

    /// The only role that has a choice, the first one if none has; `None` where several have, or before the node is
    /// expanded.
    #[inline]
    pub fn chooser(&self) -> Option<usize> {
        self.chooser.map(usize::from)
    }

    /// The place among all edges of the chooser's move of this number.
    #[inline]
    pub fn edge_of_chooser(&self, joint: u64) -> usize {
        self.first as usize + joint as usize
    }

    /// The edges of the only role that has a choice.
    #[inline]
    pub fn edges_of_chooser(&self, chooser: usize) -> &[TreeEdge] {
        let first = self.first as usize;
        &self.edges[first..first + self.roles[chooser].moves as usize]
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

    /// Writes the move of each role in a joint move.
    pub fn moves(&self, joint: u64, made: &mut Vec<Move>) {
        made.clear();
        made.resize(self.roles.len(), Move(0));
        self.places(joint, |role, place| made[role] = self.edges_of(role)[place].made);
    }

    /// Calls `each` with the move of each role that has one here in a move of this number of the chooser.
    pub fn moves_of_part(&self, number: u64, mut each: impl FnMut(usize, Move)) {
        for (place, edges) in (0..self.roles.len()).map(|place| (place, self.edges_of(place))) {
            let number = if edges.len() > 1 { number as usize } else { 0 };
            if let Some(edge) = edges.get(number) {
                each(place, edge.made);
            }
        }
    }

    /// The number of the chooser's move in a joint move; `None` if the moves are not known.
    pub fn number_in_part(&self, made: &[Move]) -> Option<u64> {
        let chooser = self.chooser()?;
        let edges = self.edges_of(chooser);
        if edges.len() > 1 {
            edges.iter().position(|edge| edge.made == made[chooser]).map(|number| number as u64)
        } else {
            Some(0)
        }
    }

    /// The child after a joint move.
    #[inline]
    pub fn child(&self, joint: u64) -> NodeId {
        match &self.joint {
            Some(several) => several.children.get(&joint).copied().unwrap_or(NONE),
            None => self.edges[self.edge_of_chooser(joint)].child,
        }
    }

    /// Makes a node the child after a joint move.
    pub fn link(&mut self, joint: u64, child: NodeId) {
        let edge = self.edge_of_chooser(joint);
        match &mut self.joint {
            Some(several) => _ = several.children.insert(joint, child),
            None => self.edges[edge].child = child,
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
        self.roles.held()
            + allocated(size_of_val(&*self.edges))
            + allocated(size_of_val(&*self.amaf))
            + self.joint.as_deref().map_or(0, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An opened node whose roles have these numbers of moves.
    fn opened(moves: &[u32]) -> TreeNode {
        let mut node = TreeNode::new(None, moves.len());
        let mut number = 0..;
        node.expand(&moves.iter().map(|&count| number.by_ref().take(count as usize).map(Move).collect()).collect());
        node
    }

    /// Joint moves are numbered with the last role's move changing fastest; each counts the moves of those who have a
    /// choice, and has a child of its own.
    #[test]
    fn a_joint_move_is_one_move_of_each_role() {
        for moves in [&[1][..], &[3], &[1, 1], &[4, 1], &[1, 4], &[2, 3], &[1, 3, 1], &[2, 1, 2], &[2, 3, 1, 2]] {
            let mut node = opened(moves);
            let choosers: Vec<usize> = (0..moves.len()).filter(|&role| moves[role] > 1).collect();
            let alone = match choosers[..] {
                [] => Some(0),
                [one] => Some(one),
                _ => None,
            };
            assert_eq!((node.chooser(), node.is_alone()), (alone, alone.is_some()), "{moves:?}");
            for joint in 0..node.joint_moves() {
                let mut rest = joint;
                let mut expected = vec![0; moves.len()];
                for (role, &count) in moves.iter().enumerate().rev() {
                    expected[role] = rest as u32 % count + moves[..role].iter().sum::<u32>();
                    rest /= u64::from(count);
                }
                let mut made = Vec::new();
                node.moves(joint, &mut made);
                assert_eq!(made, expected.iter().copied().map(Move).collect::<Vec<_>>(), "{moves:?}, {joint}");
                let mut counted = Vec::new();
                node.for_each_made(joint, |role, edge| counted.push((role, edge.made)));
                counted.sort_unstable();
                let counting = if choosers.is_empty() { &[0][..] } else { &choosers };
                assert_eq!(counted, counting.iter().map(|&role| (role, made[role])).collect::<Vec<_>>());
                assert_eq!(node.child(joint), NONE);
                node.link(joint, joint as NodeId);
            }
            assert!((0..node.joint_moves()).all(|joint| node.child(joint) == joint as NodeId));
        }
    }

    /// Nodes of one or two roles hold nothing before they are opened; those of more hold the roles.
    #[test]
    fn a_node_that_was_not_opened_holds_its_roles_itself() {
        for roles in 0..5 {
            let values: Vec<f32> = (0..roles).map(|role| role as f32 / 4.0).collect();
            let node = TreeNode::new(Some(&values), roles);
            assert!(node.is_exact() && !node.is_expanded());
            assert_eq!(node.roles.iter().map(|role| role.bounds.low).collect::<Vec<_>>(), values);
            assert_eq!(node.held() > 0, roles > 2);
        }
    }
}
