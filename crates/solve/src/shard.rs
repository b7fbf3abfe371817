//! The states that a peer owns: rows of words, found by hash, with who has the turn, where they come from, and their
//! labels.
//!
//! A state takes its row, some 30 bytes, and 8 bytes for each joint move that leads to it.

/// No edge.
const NONE: u32 = u32::MAX;

/// The turn of a terminal state.
pub(crate) const OVER: u8 = u8::MAX;

/// The label of a state that has none yet.
pub(crate) const UNLABELLED: u8 = u8::MAX;

/// The distance of a state whose value is that of play without end, or of play that nobody can shorten.
pub(crate) const NO_DISTANCE: u32 = u32::MAX;

/// Rows that are looked up together, so that the processor waits for their memory once.
const TOGETHER: usize = 32;

/// Least slots of a table.
const LEAST_SLOTS: usize = 1 << 12;

/// Most states of all peers, and most edges of one, before a round: what two rounds add has numbers as well.
const MAX_NUMBER: usize = 1 << 31;

/// A hash of a row: the same in all processes.
///
/// Multiplication moves bits up, and the shifted halves bring them down again; the finish is that of MurmurHash3
/// (Appleby).
#[inline]
pub(crate) fn hash(row: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15u64;
    for word in row {
        hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 33;
        hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^= hash >> 29;
    }
    hash
}

/// The peer that owns the state with this hash: by the upper half, since tables use the lower one.
#[inline]
pub(crate) fn owner(hash: u64, peers: usize) -> usize {
    ((hash >> 32).wrapping_mul(peers as u64) >> 32) as usize
}

/// A taken slot: the lower half of a hash above the number of its row plus one. Rows with another half are not looked
/// at, which would cost a cache miss each, nor are rows hashed again when the table grows.
#[inline]
fn slot(hash: u64, number: usize) -> u64 {
    hash << 32 | (number as u64 + 1)
}

/// Whether two rows are the same. Rows are short: a loop is faster than a call that compares memory.
#[inline]
fn is_same(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).fold(0, |bits, (one, other)| bits | (one ^ other)) == 0
}

/// The row of a slot, if the slot is taken by one with this hash, as far as the slot knows.
#[inline]
fn candidate(slot: u64, hash: u64) -> Option<usize> {
    (slot >> 32 == hash & u64::from(u32::MAX)).then(|| (slot as u32 as usize).checked_sub(1)).flatten()
}

/// Numbers of states among those of all peers: the number among those of their owner above the number of the owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    shift: u32,
}

impl Numbering {
    pub fn new(peers: usize) -> Numbering {
        Numbering { shift: peers.next_power_of_two().trailing_zeros() }
    }

    #[inline]
    pub fn join(self, owner: usize, number: usize) -> u64 {
        (number << self.shift | owner) as u64
    }

    /// The owner, and its number.
    #[inline]
    pub fn split(self, joined: u32) -> (usize, u32) {
        ((joined & ((1 << self.shift) - 1)) as usize, joined >> self.shift)
    }

    /// Most states of a peer before a round.
    fn most(self) -> usize {
        MAX_NUMBER >> self.shift
    }
}

/// A set of rows, numbered in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct RowSet {
    width: usize,
    words: Vec<u64>,
    /// By hash, the [`slot`] of a row: the first free one from its own on.
    slots: Vec<u64>,
}

impl RowSet {
    pub fn new(width: usize) -> RowSet {
        RowSet { width, words: Vec::new(), slots: vec![0; LEAST_SLOTS] }
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn row(&self, number: usize) -> &[u64] {
        &self.words[self.width * number..][..self.width]
    }

    /// The words of all rows, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn find(&self, row: &[u64]) -> Option<u32> {
        self.probe(row, hash(row)).ok()
    }

    /// The number of a row, or the slot that it would have.
    #[inline]
    fn probe(&self, row: &[u64], hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            match candidate(slot, hash) {
                Some(number) if is_same(self.row(number), row) => return Ok(number as u32),
                _ if slot == 0 => return Err(place),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Inserts the first words of items of `stride` words each; tells items and the numbers of their rows, in order,
    /// some at a time.
    pub fn insert_all(&mut self, items: &[u64], stride: usize, mut tell: impl FnMut(&RowSet, &[u64], &[u32])) {
        let width = self.width;
        for items in items.chunks(TOGETHER * stride) {
            self.reserve(TOGETHER);
            let mask = self.slots.len() - 1;
            // Loads that do not wait for each other.
            let mut hashes = [0; TOGETHER];
            let mut firsts = [0; TOGETHER];
            let mut candidates = [0; TOGETHER];
            let mut numbers = [0; TOGETHER];
            for (item, hash) in items.chunks_exact(stride).zip(&mut hashes) {
                *hash = self::hash(&item[..width]);
            }
            for (candidate, hash) in candidates.iter_mut().zip(&hashes) {
                *candidate = self.slots[*hash as usize & mask];
            }
            for (first, candidate) in firsts.iter_mut().zip(&candidates) {
                let place = width * (*candidate as u32 as usize).saturating_sub(1);
                *first = self.words.get(place).copied().unwrap_or_default();
            }
            for (place, item) in items.chunks_exact(stride).enumerate() {
                let row = &item[..width];
                let hash = hashes[place];
                let there = candidate(candidates[place], hash);
                let there = there.filter(|&number| firsts[place] == row[0] && is_same(self.row(number), row));
                numbers[place] = there.map_or_else(|| self.insert(row, hash), |number| number as u32);
            }
            tell(self, items, &numbers[..items.len() / stride]);
        }
    }

    /// Inserts a row; there is room for it.
    #[inline]
    fn insert(&mut self, row: &[u64], hash: u64) -> u32 {
        self.probe(row, hash).unwrap_or_else(|place| {
            let number = self.len();
            self.words.extend_from_slice(row);
            self.slots[place] = slot(hash, number);
            number as u32
        })
    }

    /// Makes room for more rows: at most two thirds of the slots are taken.
    fn reserve(&mut self, more: usize) {
        if 3 * (self.len() + more) <= 2 * self.slots.len() {
            return;
        }
        let mask = 2 * self.slots.len() - 1;
        let slots = std::mem::replace(&mut self.slots, vec![0; mask + 1]);
        for slot in slots.into_iter().filter(|slot| *slot != 0) {
            let mut place = (slot >> 32) as usize & mask;
            while self.slots[place] != 0 {
                place = (place + 1) & mask;
            }
            self.slots[place] = slot;
        }
    }

    fn bytes(&self) -> usize {
        8 * (self.words.capacity() + self.slots.capacity())
    }
}

/// The value of a state that has been expanded. In one place: backward work jumps from state to state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownValue {
    /// The successors that are not known to be good for the other side; of a terminal state, the number of its goals.
    /// With a label, the distance.
    pub count: u32,
    /// The role that chooses, or [`OVER`].
    pub turn: u8,
    /// The place of its value, or [`UNLABELLED`].
    pub label: u8,
}

/// The states that a peer owns.
#[derive(Clone, Debug)]
pub struct Shard {
    pub(crate) rows: RowSet,
    /// By state that has been expanded.
    pub(crate) known: Vec<KnownValue>,
    /// By state: the last of the edges that lead to it.
    pub(crate) heads: Vec<u32>,
    /// By edge: the state that it comes from, as numbered among those of all peers, and the edge before it to the same
    /// state.
    pub(crate) edges: Vec<[u32; 2]>,
    /// By level, and one past the last: where its states begin.
    pub(crate) levels: Vec<usize>,
}

impl Shard {
    pub(crate) fn new(width: usize) -> Shard {
        Shard { rows: RowSet::new(width), known: Vec::new(), heads: Vec::new(), edges: Vec::new(), levels: vec![0] }
    }

    /// Takes in items of a row and the number of the state that it comes from, or [`NONE`] for none.
    pub(crate) fn receive(&mut self, items: &[u64]) {
        let Shard { rows, heads, edges, .. } = self;
        let width = rows.width();
        rows.insert_all(items, width + 1, |rows, items, numbers| {
            heads.resize(rows.len(), NONE);
            for (item, &number) in items.chunks_exact(width + 1).zip(numbers) {
                let parent = item[width] as u32;
                if parent != NONE {
                    let edge = edges.len() as u32;
                    edges.push([parent, std::mem::replace(&mut heads[number as usize], edge)]);
                }
            }
        });
    }

    /// Adds what a level has added: rows; turns and counts of the states that it has expanded; edges; and states with
    /// the last edge that leads to each. Returns nothing if that does not fit together.
    pub(crate) fn restore(
        &mut self,
        rows: &[u64],
        turns: &[u8],
        counts: &[u32],
        edges: &[u32],
        heads: &[u32],
    ) -> Option<()> {
        self.rows.insert_all(rows, self.rows.width(), |_, _, _| {});
        self.heads.resize(self.rows.len(), NONE);
        let known = counts.iter().zip(turns).map(|(&count, &turn)| KnownValue { count, turn, label: UNLABELLED });
        self.known.extend(known);
        self.edges.extend(edges.chunks_exact(2).map(|edge| [edge[0], edge[1]]));
        for head in heads.chunks_exact(2) {
            *self.heads.get_mut(head[0] as usize)? = head[1];
        }
        self.levels.push(self.known.len());
        (self.known.len() <= self.rows.len()).then_some(())
    }

    /// Inserts the first state of a game.
    pub(crate) fn begin(&mut self, row: &[u64]) {
        let item: Vec<u64> = row.iter().copied().chain([NONE.into()]).collect();
        self.receive(&item);
    }

    /// Tells the states that some states come from, as numbered among those of all peers.
    pub(crate) fn parents(&self, numbers: &[u32], mut tell: impl FnMut(u32)) {
        for numbers in numbers.chunks(TOGETHER) {
            // The next edge of each state in turn: loads that do not wait for each other.
            let mut edges = [NONE; TOGETHER];
            let mut open = numbers.len();
            for (edge, &number) in edges.iter_mut().zip(numbers) {
                *edge = self.heads[number as usize];
            }
            while open > 0 {
                let mut left = 0;
                for place in 0..open {
                    if let Some(&[parent, before]) = self.edges.get(edges[place] as usize) {
                        tell(parent);
                        edges[left] = before;
                        left += 1;
                    }
                }
                open = left;
            }
        }
    }

    /// Changes what is known of those of some states that have no label, in order.
    pub(crate) fn change(&mut self, numbers: &[u64], mut change: impl FnMut(u32, &mut KnownValue)) {
        for numbers in numbers.chunks(TOGETHER) {
            // Loads that do not wait for each other, nor for what is changed.
            let mut labels = [UNLABELLED; TOGETHER];
            for (label, &number) in labels.iter_mut().zip(numbers) {
                *label = self.known[number as usize].label;
            }
            for (&label, &number) in labels.iter().zip(numbers) {
                let known = &mut self.known[number as usize];
                // A number may come twice.
                if label == UNLABELLED && known.label == UNLABELLED {
                    change(number as u32, known);
                }
            }
        }
    }

    /// Whether numbers may run out in the next rounds.
    pub(crate) fn is_full(&self, numbering: Numbering) -> bool {
        self.rows.len() >= numbering.most() || self.edges.len() >= MAX_NUMBER
    }

    /// The memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let Shard { rows, known, heads, edges, .. } = self;
        rows.bytes() + 8 * (known.capacity() + edges.capacity()) + 4 * heads.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Rows that come again have their number, also after the table has grown.
    #[test]
    fn rows_are_numbered_as_they_come() {
        for width in [1, 3] {
            let mut rows = RowSet::new(width);
            let mut expected: HashMap<Vec<u64>, u32> = HashMap::new();
            for round in 0..20u64 {
                // Odd numbers of items, many of them in the same chunk, of few different words.
                let items: Vec<u64> =
                    (0..1_001 * (width as u64 + 1)).map(|i| (i * i * 7 + round * 13) % (3 + 997 * round)).collect();
                rows.insert_all(&items, width + 1, |_, items, numbers| {
                    assert_eq!(items.len(), numbers.len() * (width + 1));
                    for (item, &number) in items.chunks_exact(width + 1).zip(numbers) {
                        let next = expected.len() as u32;
                        assert_eq!(*expected.entry(item[..width].to_vec()).or_insert(next), number);
                    }
                });
            }
            assert!(expected.len() > LEAST_SLOTS, "the table grew");
            assert_eq!(rows.len(), expected.len());
            assert!(expected.iter().all(|(row, &number)| rows.find(row) == Some(number)));
            assert_eq!(rows.find(&vec![u64::MAX; width]), None);
        }
    }

    #[test]
    fn a_state_that_comes_twice_is_labelled_once() {
        let mut shard = Shard::new(1);
        shard.known = vec![KnownValue { count: 1, turn: 0, label: UNLABELLED }; 2];
        let mut changed = Vec::new();
        shard.change(&[1, 1, 0, 1], |number, known| {
            known.label = 0;
            changed.push(number);
        });
        assert_eq!(changed, [1, 0]);
    }
}
