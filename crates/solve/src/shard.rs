//! The states that a peer owns: rows of words, found by hash, with who has the turn, where they come from, and their labels.
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
/// Multiplication moves bits up, and the shifted halves bring them down again; the finish is that of MurmurHash3 (Appleby).
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

/// A taken slot: the lower half of a hash above the number of its row plus one. Rows with another half are not looked at,
/// which would cost a cache miss each, nor are rows hashed again when the table grows.
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
pub(crate) struct Rows {
    width: usize,
    words: Vec<u64>,
    /// By hash, the [`slot`] of a row: the first free one from its own on.
    slots: Vec<u64>,
}

impl Rows {
    pub fn new(width: usize) -> Rows {
        Rows { width, words: Vec::new(), slots: vec![0; LEAST_SLOTS] }
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

    /// Inserts the first words of items of `stride` words each; tells the number of each item's row, in order.
    pub fn insert_all(&mut self, items: &[u64], stride: usize, mut tell: impl FnMut(&[u64], u32)) {
        let width = self.width;
        for items in items.chunks(TOGETHER * stride) {
            self.reserve(TOGETHER);
            let mask = self.slots.len() - 1;
            // Loads that do not wait for each other.
            let (mut hashes, mut firsts, mut candidates) = ([0; TOGETHER], [0; TOGETHER], [0; TOGETHER]);
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
                let (row, hash) = (&item[..width], hashes[place]);
                let there = candidate(candidates[place], hash);
                let there = there.filter(|&number| firsts[place] == row[0] && is_same(self.row(number), row));
                tell(item, there.map_or_else(|| self.insert(row, hash), |number| number as u32));
            }
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

/// The states that a peer owns.
#[derive(Clone, Debug)]
pub struct Shard {
    pub(crate) rows: Rows,
    /// By state that has been expanded: the role that chooses, or [`OVER`].
    pub(crate) turns: Vec<u8>,
    /// By state that has been expanded: the successors that are not known to be good for the other side; of a terminal
    /// state, the number of its goals. With a label, the distance.
    pub(crate) counts: Vec<u32>,
    /// By state: the last of the edges that lead to it.
    pub(crate) heads: Vec<u32>,
    /// By edge: the state that it comes from, as numbered among those of all peers, and the edge before it to the same state.
    pub(crate) edges: Vec<[u32; 2]>,
    /// By state.
    pub(crate) labels: Vec<u8>,
    /// By level, and one past the last: where its states begin.
    pub(crate) levels: Vec<usize>,
}

impl Shard {
    pub(crate) fn new(width: usize) -> Shard {
        Shard {
            rows: Rows::new(width),
            turns: Vec::new(),
            counts: Vec::new(),
            heads: Vec::new(),
            edges: Vec::new(),
            labels: Vec::new(),
            levels: vec![0],
        }
    }

    /// Takes in items of a row and the number of the state that it comes from, or [`NONE`] for none.
    pub(crate) fn receive(&mut self, items: &[u64]) {
        let Shard { rows, heads, edges, .. } = self;
        let width = rows.width();
        rows.insert_all(items, width + 1, |item, number| {
            let number = number as usize;
            if number == heads.len() {
                heads.push(NONE);
            }
            let parent = item[width] as u32;
            if parent != NONE {
                let edge = edges.len() as u32;
                edges.push([parent, std::mem::replace(&mut heads[number], edge)]);
            }
        });
    }

    /// Adds what a level has added: rows; turns and counts of the states that it has expanded; edges; and states with the last
    /// edge that leads to each. Returns nothing if that does not fit together.
    pub(crate) fn restore(
        &mut self,
        rows: &[u64],
        turns: &[u8],
        counts: &[u32],
        edges: &[u32],
        heads: &[u32],
    ) -> Option<()> {
        self.rows.insert_all(rows, self.rows.width(), |_, _| {});
        self.heads.resize(self.rows.len(), NONE);
        self.turns.extend_from_slice(turns);
        self.counts.extend_from_slice(counts);
        self.edges.extend(edges.chunks_exact(2).map(|edge| [edge[0], edge[1]]));
        for head in heads.chunks_exact(2) {
            *self.heads.get_mut(head[0] as usize)? = head[1];
        }
        self.levels.push(self.turns.len());
        (self.turns.len() <= self.rows.len()).then_some(())
    }

    /// Inserts the first state of a game.
    pub(crate) fn begin(&mut self, row: &[u64]) {
        let item: Vec<u64> = row.iter().copied().chain([NONE.into()]).collect();
        self.receive(&item);
    }

    /// The states that a state comes from, as numbered among those of all peers.
    pub(crate) fn parents(&self, number: usize) -> impl Iterator<Item = u32> {
        let mut edge = self.heads[number];
        std::iter::from_fn(move || {
            let &[parent, before] = self.edges.get(edge as usize)?;
            edge = before;
            Some(parent)
        })
    }

    /// Whether numbers may run out in the next rounds.
    pub(crate) fn is_full(&self, numbering: Numbering) -> bool {
        self.rows.len() >= numbering.most() || self.edges.len() >= MAX_NUMBER
    }

    /// The memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let Shard { rows, turns, counts, heads, edges, labels, .. } = self;
        rows.bytes()
            + turns.capacity()
            + 4 * (counts.capacity() + heads.capacity())
            + 8 * edges.capacity()
            + labels.capacity()
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
            let mut rows = Rows::new(width);
            let mut expected: HashMap<Vec<u64>, u32> = HashMap::new();
            for round in 0..20u64 {
                // Odd numbers of items, many of them in the same chunk, of few different words.
                let items: Vec<u64> =
                    (0..1_001 * (width as u64 + 1)).map(|i| (i * i * 7 + round * 13) % (3 + 997 * round)).collect();
                rows.insert_all(&items, width + 1, |item, number| {
                    let next = expected.len() as u32;
                    assert_eq!(*expected.entry(item[..width].to_vec()).or_insert(next), number);
                });
            }
            assert!(expected.len() > LEAST_SLOTS, "the table grew");
            assert_eq!(rows.len(), expected.len());
            assert!(expected.iter().all(|(row, &number)| rows.find(row) == Some(number)));
            assert_eq!(rows.find(&vec![u64::MAX; width]), None);
        }
    }
}
