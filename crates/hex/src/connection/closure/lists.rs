//! Connections of one kind by the pair of nodes that they join.

use super::EndIndex;
use crate::cells::CellSet;
use std::ops::Range;

/// Room for a list's first entries.
const FIRST_CAPACITY: u32 = 4;

/// One connection of a pair of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionEntry<const W: usize> {
    pub(super) carrier: CellSet<W>,
    /// The number of connections that were taken in before it.
    pub(super) number: u32,
    /// Cells of the carrier.
    pub(super) size: u16,
    /// Combined with all that were combined before it; otherwise it waits.
    pub(super) is_combined: bool,
}

/// The lists of all pairs of nodes, each contiguous and in the order in which its entries came. The rules spend their time
/// in going through them.
#[derive(Clone, Debug, Default)]
pub(super) struct PairLists<const W: usize> {
    /// By pair, row by row of the lower triangle.
    ranges: Vec<ListRange>,
    entries: Vec<ConnectionEntry<W>>,
    /// By node, the nodes that it has had connections with, as bits.
    partners: Vec<u64>,
    /// Words of `partners` for each node.
    words: usize,
}

/// The part of the entries that a list has.
#[derive(Clone, Copy, Debug, Default)]
struct ListRange {
    start: u32,
    len: u32,
    capacity: u32,
}

impl ListRange {
    fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// The number of a pair of different nodes.
#[inline]
pub(super) fn pair(x: EndIndex, y: EndIndex) -> usize {
    let high = usize::from(x.max(y));
    let low = usize::from(x.min(y));
    high * high.saturating_sub(1) / 2 + low
}

impl<const W: usize> PairLists<W> {
    /// Empty lists for the pairs of that many nodes.
    pub(super) fn new(nodes: usize) -> PairLists<W> {
        let words = nodes.div_ceil(64);
        let ranges = vec![ListRange::default(); nodes * nodes / 2];
        PairLists { ranges, entries: Vec::new(), partners: vec![0; nodes * words], words }
    }

    /// Empties all lists and makes them as many as `like` has; allocations stay.
    pub(super) fn reset(&mut self, like: &PairLists<W>) {
        self.entries.clear();
        self.ranges.clear();
        self.ranges.resize(like.ranges.len(), ListRange::default());
        self.partners.clear();
        self.partners.resize(like.partners.len(), 0);
        self.words = like.words;
    }

    /// The memory of all lists, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.ranges[..]) + self.entries.capacity() * size_of::<ConnectionEntry<W>>()
    }

    /// The nodes that `node` may have connections with: that word of them, 64 nodes each.
    #[inline]
    pub(super) fn partners(&self, node: EndIndex, word: usize) -> u64 {
        self.partners[usize::from(node) * self.words + word]
    }

    /// The nodes below `node` that it may have connections with, in order.
    pub(super) fn partners_below(&self, node: EndIndex) -> impl Iterator<Item = EndIndex> + '_ {
        self.all_partners(node).take_while(move |&partner| partner < node)
    }

    /// The nodes above `node` that it may have connections with, in order.
    pub(super) fn partners_above(&self, node: EndIndex) -> impl Iterator<Item = EndIndex> + '_ {
        self.all_partners(node).skip_while(move |&partner| partner < node)
    }

    fn all_partners(&self, node: EndIndex) -> impl Iterator<Item = EndIndex> + '_ {
        (0..self.words).flat_map(move |word| {
            let mut partners = self.partners(node, word);
            std::iter::from_fn(move || {
                let bit = (partners != 0).then(|| partners.trailing_zeros() as EndIndex)?;
                partners &= partners - 1;
                Some(64 * word as EndIndex + bit)
            })
        })
    }

    /// The list of a pair.
    #[inline]
    pub(super) fn of(&self, pair: usize) -> &[ConnectionEntry<W>] {
        &self.entries[self.ranges[pair].range()]
    }

    /// The places of the list's entries; they stay until the list changes.
    #[inline]
    pub(super) fn places(&self, pair: usize) -> Range<usize> {
        self.ranges[pair].range()
    }

    /// The entry at a place.
    #[inline]
    pub(super) fn entry(&self, place: usize) -> ConnectionEntry<W> {
        self.entries[place]
    }

    /// Fills the empty list of x and y, and counts on.
    pub(super) fn extend<'a>(
        &mut self,
        x: EndIndex,
        y: EndIndex,
        entries: impl Iterator<Item = &'a ConnectionEntry<W>>,
        count: &mut u32,
    ) {
        let start = self.entries.len();
        for entry in entries {
            self.entries.push(ConnectionEntry { number: *count, ..*entry });
            *count += 1;
        }
        let len = (self.entries.len() - start) as u32;
        if len > 0 {
            self.ranges[pair(x, y)] = ListRange { start: start as u32, len, capacity: len };
            self.meet(x, y);
        }
    }

    fn meet(&mut self, x: EndIndex, y: EndIndex) {
        self.partners[usize::from(x) * self.words + usize::from(y) / 64] |= 1 << (y % 64);
        self.partners[usize::from(y) * self.words + usize::from(x) / 64] |= 1 << (x % 64);
    }

    /// Appends an entry to the list of x and y. A list that is full moves behind all others, where it has twice the room.
    pub(super) fn push(&mut self, x: EndIndex, y: EndIndex, entry: ConnectionEntry<W>) {
        let pair = pair(x, y);
        self.meet(x, y);
        let ListRange { start, len, capacity } = self.ranges[pair];
        if len < capacity {
            self.entries[(start + len) as usize] = entry;
            self.ranges[pair].len += 1;
            return;
        }
        let is_last = (start + capacity) as usize == self.entries.len() && capacity > 0;
        let to = if is_last { start } else { self.entries.len() as u32 };
        if !is_last {
            self.entries.extend_from_within(self.ranges[pair].range());
        }
        let capacity = (2 * capacity).max(FIRST_CAPACITY);
        self.entries.resize((to + capacity) as usize, entry);
        self.ranges[pair] = ListRange { start: to, len: len + 1, capacity };
    }

    /// Removes the entry at that place of a list; the others keep their order.
    fn remove(&mut self, pair: usize, place: usize) {
        let range = self.ranges[pair].range();
        self.entries.copy_within(range.start + place + 1..range.end, range.start + place);
        self.ranges[pair].len -= 1;
    }

    /// Removes all entries of a list that `carrier` does better than.
    pub(super) fn remove_wider(&mut self, pair: usize, carrier: &CellSet<W>) {
        let range = self.ranges[pair].range();
        let mut kept = range.start;
        for at in range.clone() {
            if !carrier.is_subset(&self.entries[at].carrier) {
                self.entries[kept] = self.entries[at];
                kept += 1;
            }
        }
        self.ranges[pair].len = (kept - range.start) as u32;
    }

    /// Removes the first of the largest carriers of a list, if it is larger than `size`; whether it is.
    pub(super) fn remove_largest(&mut self, pair: usize, size: usize) -> bool {
        let mut largest = (size, None);
        for (place, entry) in self.of(pair).iter().enumerate() {
            if usize::from(entry.size) > largest.0 {
                largest = (entry.size.into(), Some(place));
            }
        }
        if let Some(place) = largest.1 {
            self.remove(pair, place);
        }
        largest.1.is_some()
    }

    /// Marks the entry of that number as combined and returns its carrier; `None` if it was dropped.
    pub(super) fn combine(&mut self, pair: usize, number: u32) -> Option<CellSet<W>> {
        let range = self.ranges[pair].range();
        let entry = self.entries[range].iter_mut().find(|entry| entry.number == number)?;
        entry.is_combined = true;
        Some(entry.carrier)
    }
}
