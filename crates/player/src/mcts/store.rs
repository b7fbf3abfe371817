//! The nodes of a tree, by number and by state.
//!
//! A tree may have ten million nodes, and a move 50 ms: no single operation may take time in proportion to the nodes.
//!
//! * Nodes lie in chunks that never move. The table from states to nodes grows by one bucket with each node (linear hashing;
//!   Litwin, *Linear hashing: a new tool for file and table addressing*, 1980).
//! * To make another node the root is to remember its number. What can no longer be reached from the root is found and
//!   freed by a mark and a sweep in steps, some for each simulation (Dijkstra, Lamport, Martin, Scholten and Steffens,
//!   *On-the-fly garbage collection*, 1978), and only while half of the memory is in use.
//!
//! Invariant: outside a sweep all nodes are whole, reachable or not. During a sweep nodes without the mark may have
//! children that are gone, so that they are not given out any more.

use super::node::{NONE, NodeId, TreeNode};
use crate::player::free_elsewhere;
use ludolog_game::State;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::mem::size_of;

/// Nodes of a chunk, and buckets of a chunk of the table.
const CHUNK: usize = 256;

/// Steps of a collection for each simulation. A cycle visits each node and each place once, and half of the memory is free when
/// it begins: four steps would end it as memory does.
const STEPS: usize = 8;

/// Steps for each simulation while memory is used up, as after a long start clock: nothing grows until the cycle ends. They take
/// about as long as a simulation, and go through two million nodes in the time of some 60,000 simulations.
const STEPS_WHEN_FULL: usize = 64;

/// Nodes that may be freed at once when the store goes: a thread of its own frees more.
const FEW: usize = 1 << 16;

/// The bytes that the allocator takes for a block: a word before it, rounded up to 16, and 32 at least.
pub fn allocated(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

/// A place for a node.
struct NodeSlot {
    state: State,
    /// Nodes of other generations are other nodes, though of the same state.
    generation: u32,
    hash: u32,
    /// The next node of the bucket, or the next free place.
    next: NodeId,
    /// The cycle in which the node was last found reachable.
    mark: u32,
    is_free: bool,
    node: TreeNode,
}

impl NodeSlot {
    /// The bytes that its parts hold.
    fn held(&self) -> usize {
        let words = self.state.words();
        let state = if words.len() > State::INLINE_WORDS { allocated(size_of_val(words)) } else { 0 };
        state + self.node.held()
    }
}

/// The next step of a collection.
enum CollectionPhase {
    Idle,
    /// Visits the nodes that are found reachable and not visited yet.
    Mark(Vec<NodeId>),
    /// Frees the unmarked nodes from this one on.
    Sweep(usize),
}

/// The nodes.
pub struct NodeStore {
    chunks: Vec<Box<[NodeSlot]>>,
    /// The places of all chunks that have been used.
    used: usize,
    free: NodeId,
    len: usize,
    table: Buckets,
    /// Whether lines that lead to the same state share its node.
    shares: bool,
    generation: u32,
    bytes: usize,
    max_bytes: usize,
    root: NodeId,
    phase: CollectionPhase,
    cycle: u32,
    /// Whether the root has changed since the cycle began.
    is_stale: bool,
}

/// The buckets of a linear hash table: the first nodes of chains.
struct Buckets {
    buckets: Vec<Box<[NodeId]>>,
    /// The number of buckets: 2^`level`, and `split` of these are split already.
    level: u32,
    split: usize,
}

impl Buckets {
    fn new() -> Buckets {
        Buckets { buckets: vec![vec![NONE; CHUNK].into_boxed_slice()], level: 0, split: 0 }
    }

    fn len(&self) -> usize {
        (1 << self.level) + self.split
    }

    fn bucket(&self, hash: u32) -> usize {
        let hash = hash as usize;
        let narrow = hash & ((1 << self.level) - 1);
        if narrow < self.split { hash & ((2 << self.level) - 1) } else { narrow }
    }

    fn head(&mut self, bucket: usize) -> &mut NodeId {
        &mut self.buckets[bucket / CHUNK][bucket % CHUNK]
    }

    fn first(&self, hash: u32) -> NodeId {
        let bucket = self.bucket(hash);
        self.buckets[bucket / CHUNK][bucket % CHUNK]
    }
}

impl NodeStore {
    /// A store without nodes.
    pub fn new(shares: bool, max_bytes: usize) -> NodeStore {
        NodeStore {
            chunks: Vec::new(),
            used: 0,
            free: NONE,
            len: 0,
            table: Buckets::new(),
            shares,
            generation: 0,
            bytes: 0,
            max_bytes,
            root: NONE,
            phase: CollectionPhase::Idle,
            cycle: 0,
            is_stale: false,
        }
    }

    /// The number of nodes, those included that can no longer be reached and are not freed yet.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes in use.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether memory or numbers are used up, but for some roots.
    pub fn is_full(&self) -> bool {
        self.bytes > self.max_bytes || self.used > NONE as usize - CHUNK
    }

    fn slot(&self, node: NodeId) -> &NodeSlot {
        &self.chunks[node as usize / CHUNK][node as usize % CHUNK]
    }

    fn slot_mut(&mut self, node: NodeId) -> &mut NodeSlot {
        &mut self.chunks[node as usize / CHUNK][node as usize % CHUNK]
    }

    /// A node.
    pub fn node(&self, node: NodeId) -> &TreeNode {
        &self.slot(node).node
    }

    /// A node, to be changed in what takes no memory.
    pub fn node_mut(&mut self, node: NodeId) -> &mut TreeNode {
        &mut self.slot_mut(node).node
    }

    /// The state of a node.
    pub fn state(&self, node: NodeId) -> &State {
        &self.slot(node).state
    }

    /// The root; [`NONE`] at first.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Makes a node the root. Takes constant time.
    pub fn set_root(&mut self, node: NodeId) {
        if node != self.root {
            self.root = node;
            self.is_stale = true;
            // The cycle under way may have begun at a root that does not reach it.
            self.reach(node);
        }
    }

    /// Makes all nodes unknown to [`find`](Self::find) and [`insert`](Self::insert). Takes constant time.
    pub fn forget(&mut self) {
        self.generation += 1;
        self.root = NONE;
        self.is_stale = true;
    }

    /// Changes a node; what it holds may grow.
    pub fn change(&mut self, node: NodeId, change: impl FnOnce(&mut TreeNode)) {
        let node = &mut self.slot_mut(node).node;
        let before = node.held();
        change(node);
        let after = node.held();
        self.bytes = self.bytes + after - before;
    }

    /// Makes `child` the child of `parent` after a joint move.
    pub fn link(&mut self, parent: NodeId, joint: u64, child: NodeId) {
        self.reach(child);
        self.change(parent, |node| node.link(joint, child));
    }

    /// The node of a state; `None` if there is none, or nodes are not shared.
    pub fn find(&self, state: &State) -> Option<NodeId> {
        self.find_hashed(state, hash(state))
    }

    fn find_hashed(&self, state: &State, hash: u32) -> Option<NodeId> {
        let found = if self.shares { self.look_up(state, hash) } else { None };
        found.filter(|&node| !self.is_condemned(node))
    }

    fn look_up(&self, state: &State, hash: u32) -> Option<NodeId> {
        let mut at = self.table.first(hash);
        while at != NONE {
            let slot = self.slot(at);
            if slot.hash == hash && slot.generation == self.generation && slot.state == *state {
                return Some(at);
            }
            at = slot.next;
        }
        None
    }

    /// The node of a state, which is made by `make` if there is none and memory is left.
    pub fn insert(&mut self, state: State, make: impl FnOnce() -> TreeNode) -> Option<NodeId> {
        let hash = hash(&state);
        let known = self.find_hashed(&state, hash);
        if known.is_some() || self.is_full() { known } else { Some(self.add(state, hash, make())) }
    }

    /// As [`insert`](Self::insert), for the part of a state in a factor.
    pub fn insert_part(&mut self, part: State, factor: usize, make: impl FnOnce() -> TreeNode) -> Option<NodeId> {
        let hash = hash_of_part(&part, factor);
        let known = self.find_hashed(&part, hash);
        if known.is_some() || self.is_full() { known } else { Some(self.add(part, hash, make())) }
    }

    /// As [`insert_part`](Self::insert_part), whatever memory is left.
    pub fn insert_root_of(&mut self, part: State, factor: usize, make: impl FnOnce() -> TreeNode) -> NodeId {
        let hash = hash_of_part(&part, factor);
        self.find_hashed(&part, hash).unwrap_or_else(|| self.add(part, hash, make()))
    }

    /// As [`insert`](Self::insert), for a root: it is made whatever memory is left.
    pub fn insert_root(&mut self, state: State, make: impl FnOnce() -> TreeNode) -> NodeId {
        let hash = hash(&state);
        self.find_hashed(&state, hash).unwrap_or_else(|| self.add(state, hash, make()))
    }

    /// Makes the node of a state that has none that can be given out.
    fn add(&mut self, state: State, hash: u32, node: TreeNode) -> NodeId {
        if self.shares
            && let Some(condemned) = self.look_up(&state, hash)
        {
            self.release(condemned);
        }
        let id = self.place();
        let generation = self.generation;
        let mark = self.cycle;
        let slot = self.slot_mut(id);
        *slot = NodeSlot { state, generation, hash, next: NONE, mark, is_free: false, node };
        let held = slot.held();
        self.bytes += held;
        self.len += 1;
        if self.shares {
            self.enter(id, hash);
        }
        id
    }

    /// A free place.
    fn place(&mut self) -> NodeId {
        if self.free != NONE {
            let place = self.free;
            self.free = self.slot(place).next;
            return place;
        }
        if self.used == self.chunks.len() * CHUNK {
            let empty = || NodeSlot {
                state: State::default(),
                generation: 0,
                hash: 0,
                next: NONE,
                mark: 0,
                is_free: true,
                node: TreeNode::empty(),
            };
            self.chunks.push((0..CHUNK).map(|_| empty()).collect());
            self.bytes += allocated(CHUNK * size_of::<NodeSlot>());
        }
        self.used += 1;
        (self.used - 1) as NodeId
    }

    /// Enters a node in the table, which gets a bucket more if nodes are as many as buckets.
    fn enter(&mut self, node: NodeId, hash: u32) {
        if self.len > self.table.len() {
            self.split();
        }
        let bucket = self.table.bucket(hash);
        let first = std::mem::replace(self.table.head(bucket), node);
        self.slot_mut(node).next = first;
    }

    /// Shares the chain of the next bucket to be split with a bucket at the end.
    fn split(&mut self) {
        let low = self.table.split;
        let high = self.table.len();
        if high / CHUNK == self.table.buckets.len() {
            self.table.buckets.push(vec![NONE; CHUNK].into_boxed_slice());
            self.bytes += allocated(CHUNK * size_of::<NodeId>());
        }
        self.table.split += 1;
        if self.table.split == 1 << self.table.level {
            self.table.level += 1;
            self.table.split = 0;
        }
        let mut at = std::mem::replace(self.table.head(low), NONE);
        while at != NONE {
            let NodeSlot { next, hash, .. } = *self.slot(at);
            let bucket = self.table.bucket(hash);
            debug_assert!(bucket == low || bucket == high);
            let first = std::mem::replace(self.table.head(bucket), at);
            self.slot_mut(at).next = first;
            at = next;
        }
    }

    /// Frees a node.
    fn release(&mut self, node: NodeId) {
        let NodeSlot { hash, next, .. } = *self.slot(node);
        if self.shares {
            let bucket = self.table.bucket(hash);
            let mut at = *self.table.head(bucket);
            if at == node {
                *self.table.head(bucket) = next;
            } else {
                while self.slot(at).next != node {
                    at = self.slot(at).next;
                }
                self.slot_mut(at).next = next;
            }
        }
        let free = self.free;
        let slot = self.slot_mut(node);
        let held = slot.held();
        (slot.state, slot.node) = (State::default(), TreeNode::empty());
        (slot.next, slot.is_free) = (free, true);
        self.free = node;
        self.bytes -= held;
        self.len -= 1;
    }

    /// Whether a sweep is going to free the node.
    fn is_condemned(&self, node: NodeId) -> bool {
        matches!(self.phase, CollectionPhase::Sweep(_)) && self.slot(node).mark != self.cycle
    }

    /// Tells the cycle under way that a node is reachable.
    fn reach(&mut self, node: NodeId) {
        let cycle = self.cycle;
        if let CollectionPhase::Mark(open) = &mut self.phase {
            let slot = &mut self.chunks[node as usize / CHUNK][node as usize % CHUNK];
            if slot.mark != cycle {
                slot.mark = cycle;
                open.push(node);
            }
        }
    }

    /// Some steps of the cycle under way, to be made after each simulation. One begins if half of the memory is in use and the root
    /// has changed.
    pub fn collect(&mut self) {
        if matches!(self.phase, CollectionPhase::Idle) {
            if !self.is_stale || self.bytes <= self.max_bytes / 2 {
                return;
            }
            (self.cycle, self.is_stale) = (self.cycle + 1, false);
            self.phase = CollectionPhase::Mark(Vec::new());
            if self.root != NONE {
                self.reach(self.root);
            }
        }
        let steps = if self.is_full() { STEPS_WHEN_FULL } else { STEPS };
        for _ in 0..steps {
            match &mut self.phase {
                CollectionPhase::Idle => return,
                CollectionPhase::Mark(open) => match open.pop() {
                    Some(node) => self.visit(node),
                    None => self.phase = CollectionPhase::Sweep(0),
                },
                CollectionPhase::Sweep(at) if *at < self.used => {
                    let node = *at as NodeId;
                    *at += 1;
                    let slot = self.slot(node);
                    if !slot.is_free && slot.mark != self.cycle {
                        self.release(node);
                    }
                }
                CollectionPhase::Sweep(_) => self.phase = CollectionPhase::Idle,
            }
        }
    }

    /// Marks the children of a node.
    fn visit(&mut self, node: NodeId) {
        let children: Vec<NodeId> = self.node(node).children().collect();
        children.into_iter().for_each(|child| self.reach(child));
    }
}

impl Drop for NodeStore {
    fn drop(&mut self) {
        if self.len > FEW {
            free_elsewhere(std::mem::take(&mut self.chunks));
        }
    }
}

fn hash(state: &State) -> u32 {
    let hash = FxBuildHasher.hash_one(state);
    (hash ^ hash >> 32) as u32
}

/// The hash of the part of a state in a factor: parts of different factors are different nodes, though they hold the same
/// facts.
fn hash_of_part(part: &State, factor: usize) -> u32 {
    hash(part) ^ (factor as u32 + 1).wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_game::{Draw, Move};
    use rustc_hash::{FxHashMap, FxHashSet};

    fn state(number: u32) -> State {
        State::of_words([number, number >> 3, 7])
    }

    /// A node with this many moves of its only role.
    fn node(moves: u32) -> TreeNode {
        let mut node = TreeNode::new(None, 1);
        node.expand(&vec![(0..moves).map(Move).collect()]);
        node
    }

    /// The nodes that can be reached from the root, by their states.
    fn reachable(store: &NodeStore) -> FxHashMap<u32, NodeId> {
        let mut found = FxHashMap::default();
        let mut open = vec![store.root()];
        while let Some(at) = open.pop() {
            if found.insert(store.state(at).words()[0], at).is_none() {
                open.extend(store.node(at).children());
            }
        }
        found
    }

    /// Grows random graphs, and goes down in them, in little memory: what the root reaches stays as it is, by number
    /// and by state, and memory holds.
    #[test]
    fn what_the_root_reaches_stays() {
        const MOVES: u32 = 3;
        const MEMORY: usize = 2 << 20;
        let mut draw = Draw::new(7);
        let mut store = NodeStore::new(true, MEMORY);
        let root = store.insert_root(state(0), || node(MOVES));
        store.set_root(root);
        let mut edges: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut refused = 0;
        let mut cycles = FxHashSet::default();
        for round in 0..60 {
            for _ in 0..3_000 {
                let mut at = store.root();
                loop {
                    let joint = draw.below(MOVES as usize) as u32;
                    let child = store.node(at).child(u64::from(joint));
                    if child != NONE {
                        at = child;
                        continue;
                    }
                    let from = store.state(at).words()[0];
                    // One child in four is a state that other lines may come to, too.
                    let to = if draw.below(4) == 0 { draw.below(500) as u32 } else { draw.below(1 << 30) as u32 };
                    // States never lead back, as those of a game that ends.
                    let to = to.max(from + 1);
                    store.collect();
                    match store.insert(state(to), || node(MOVES)) {
                        Some(child) => {
                            store.link(at, u64::from(joint), child);
                            edges.insert((from, joint), to);
                        }
                        None => refused += 1,
                    }
                    break;
                }
                cycles.insert(store.cycle);
            }
            let all = reachable(&store);
            for (&number, &id) in &all {
                assert_eq!(store.find(&state(number)), Some(id), "round {round}");
                for joint in 0..MOVES {
                    let child = store.node(id).child(u64::from(joint));
                    if child != NONE {
                        assert_eq!(Some(&store.state(child).words()[0]), edges.get(&(number, joint)));
                    }
                }
            }
            let node_bytes = size_of::<NodeSlot>() + node(MOVES).held();
            assert!(store.bytes() <= MEMORY + CHUNK * node_bytes, "{} bytes", store.bytes());
            let children: Vec<NodeId> = store.node(store.root()).children().collect();
            let next = if children.is_empty() {
                store.insert_root(state(draw.below(1000) as u32), || node(MOVES))
            } else {
                children[draw.below(children.len())]
            };
            store.set_root(next);
        }
        assert!(cycles.len() > 5, "{} cycles, {refused} refused", cycles.len());
    }

    /// After the root has changed, as many steps as there are places free all that it does not reach.
    #[test]
    fn what_nothing_reaches_goes() {
        let mut store = NodeStore::new(true, 1 << 20);
        let root = store.insert_root(state(0), || node(2));
        store.set_root(root);
        let kept = store.insert(state(1), || node(2)).expect("memory");
        store.link(root, 0, kept);
        let mut last = root;
        for number in 2.. {
            let Some(next) = store.insert(state(number), || node(2)) else { break };
            store.link(last, 1, next);
            last = next;
        }
        let before = store.len();
        assert!(before > 1_000 && store.is_full());
        store.set_root(kept);
        for _ in 0..before {
            store.collect();
        }
        assert_eq!((store.len(), store.find(&state(1)), store.find(&state(3))), (1, Some(kept), None));
    }

    /// Forgotten nodes are other nodes, though their states come again.
    #[test]
    fn forgotten_nodes_are_not_found() {
        let mut store = NodeStore::new(true, 1 << 20);
        let first = store.insert_root(state(5), || node(1));
        store.set_root(first);
        store.forget();
        assert_eq!(store.find(&state(5)), None);
        let second = store.insert_root(state(5), || node(1));
        assert_ne!(first, second);
    }

    /// The table finds all nodes while it grows.
    #[test]
    fn the_table_grows_bucket_by_bucket() {
        let mut store = NodeStore::new(true, usize::MAX);
        let ids: Vec<NodeId> = (0..20_000).map(|number| store.insert_root(state(number), || node(1))).collect();
        assert_eq!(store.table.len(), ids.len());
        assert!((0..20_000).zip(&ids).all(|(number, &id)| store.find(&state(number)) == Some(id)));
    }
}
