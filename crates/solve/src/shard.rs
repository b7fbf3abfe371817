//! The states that a peer owns: rows of words, found by hash, with who has the turn, where they come from, and their labels.
//!
//! A state takes its row, some 20 bytes, and 8 bytes for each joint move that leads to it.

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

/// Most states of all peers, and most edges of one, before a round: what a round adds has numbers as well.
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

/// A set of rows, numbered in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    width: usize,
    words: Vec<u64>,
    /// Numbers of rows plus one, by hash; a row is in the first free slot from its own on.
    slots: Vec<u32>,
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
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot].checked_sub(1) {
                None => return Err(slot),
                Some(number) if self.row(number as usize) == row => return Ok(number),
                Some(_) => slot = (slot + 1) & mask,
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
                let place = width * (*candidate as usize).saturating_sub(1);
                *first = self.words.get(place).copied().unwrap_or_default();
            }
            for (place, item) in items.chunks_exact(stride).enumerate() {
                let row = &item[..width];
                let candidate = candidates[place];
                let is_there = candidate > 0 && firsts[place] == row[0] && self.row(candidate as usize - 1) == row;
                let number = match is_there {
                    true => candidate - 1,
                    false => self.insert(row, hashes[place]),
                };
                tell(item, number);
            }
        }
    }

    /// Inserts a row; there is room for it.
    #[inline]
    fn insert(&mut self, row: &[u64], hash: u64) -> u32 {
        self.probe(row, hash).unwrap_or_else(|slot| {
            self.words.extend_from_slice(row);
            let number = self.len() as u32;
            self.slots[slot] = number;
            number - 1
        })
    }

    /// Makes room for more rows: at most two thirds of the slots are taken.
    fn reserve(&mut self, more: usize) {
        if 3 * (self.len() + more) <= 2 * self.slots.len() {
            return;
        }
        let mask = 2 * self.slots.len() - 1;
        self.slots = Vec::new();
        self.slots.resize(mask + 1, 0);
        for (number, row) in (1..).zip(self.words.chunks_exact(self.width)) {
            let mut slot = hash(row) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }

    fn bytes(&self) -> usize {
        8 * self.words.capacity() + 4 * self.slots.capacity()
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

    /// Whether numbers may run out in the next round of so many peers.
    pub(crate) fn is_full(&self, peers: usize) -> bool {
        self.rows.len() >= MAX_NUMBER / peers || self.edges.len() >= MAX_NUMBER
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
