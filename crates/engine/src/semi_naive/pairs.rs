//! Sets of packed pairs: a hash table of one word for each place.
//!
//! A look-up goes from the place of its hash to the next ones (linear probing; Knuth, *The Art of Computer Programming* 3,
//! section 6.4), which misses the cache once. Places are in the order of hashes, so that a table that grows copies its words from
//! the first to the last, and misses nothing.

use super::members::MULTIPLIER;
use crate::value::Value;

/// A set of pairs of ids.
#[derive(Default)]
pub struct Pairs {
    /// The pairs, each [coded](code), or 0 where a place is free. Their number is a power of 2, or 0.
    places: Vec<u64>,
    len: usize,
    /// The number of pairs that there is room for.
    room: usize,
}

/// The fewest places of a table that has some.
const FEWEST_PLACES: usize = 16;

/// The part of the places that may be taken, in eighths.
const MOST_TAKEN: usize = 5;

/// The word of a pair, which is not 0: no term has this id, the last one of those that are no small integers.
#[inline]
fn code(pair: u64) -> u64 {
    pair ^ 0x7FFF_FFFF_7FFF_FFFF
}

/// A hash of a word whose upper bits are spread best.
#[inline]
fn hash(word: u64) -> u64 {
    let first = (word >> 32).wrapping_mul(MULTIPLIER);
    (first.rotate_left(23) ^ word & u64::from(u32::MAX)).wrapping_mul(MULTIPLIER)
}

/// A row of one or two ids as a number.
#[inline]
pub fn pack(row: &[Value]) -> u64 {
    row.iter().fold(0, |packed, value| packed << 32 | u64::from(value.0))
}

impl Pairs {
    /// The place of a word: its own, or the free one where it belongs.
    #[inline]
    fn place(&self, word: u64) -> usize {
        let last = self.places.len() - 1;
        let mut place = self.first_place(word);
        while self.places[place & last] != word && self.places[place & last] != 0 {
            place += 1;
        }
        place & last
    }

    /// The place where the search of a word begins. There are places.
    #[inline]
    fn first_place(&self, word: u64) -> usize {
        (hash(word) >> (u64::BITS - self.places.len().trailing_zeros())) as usize
    }

    #[inline]
    pub fn contains(&self, pair: u64) -> bool {
        !self.places.is_empty() && self.places[self.place(code(pair))] != 0
    }

    /// Adds a pair; `false` if it is in the set already.
    #[inline]
    pub fn insert(&mut self, pair: u64) -> bool {
        if self.len == self.room {
            self.reserve(1);
        }
        let word = code(pair);
        let place = self.place(word);
        let is_new = self.places[place] == 0;
        self.places[place] = word;
        self.len += usize::from(is_new);
        is_new
    }

    /// The pairs, a bit each, that may be new: others stand in the first place of their search. At most 64; the look-ups do not
    /// depend on each other, so that the processor waits for many of them at a time.
    #[inline]
    pub fn may_be_new(&self, pairs: impl Iterator<Item = u64>) -> u64 {
        if self.places.is_empty() {
            return u64::MAX;
        }
        let is_elsewhere = |word: u64| self.places[self.first_place(word) & (self.places.len() - 1)] != word;
        pairs.enumerate().fold(0, |bits, (number, pair)| bits | u64::from(is_elsewhere(code(pair))) << number)
    }

    /// Makes room for this many more pairs.
    pub fn reserve(&mut self, more: usize) {
        let places = ((self.len + more) * 8).div_ceil(MOST_TAKEN).next_power_of_two().max(FEWEST_PLACES);
        if places <= self.places.len() {
            return;
        }
        let old = std::mem::replace(&mut self.places, vec![0; places]);
        self.room = places * MOST_TAKEN / 8;
        for word in old.into_iter().filter(|&word| word != 0) {
            let place = self.place(word);
            self.places[place] = word;
        }
    }

    pub fn clear(&mut self) {
        self.places.fill(0);
        self.len = 0;
    }

    pub fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Pairs of ids from the least to the greatest, and of small integers, some of them again, against the library's set.
    #[test]
    fn a_set_has_what_was_added() {
        let ids = [0, 1, 2, 0x7FFF_FFFE, 0x8000_0000, 0xFFFF_FFFE, u32::MAX].into_iter().chain(1000..1060);
        let ids: Vec<Value> = ids.map(Value).collect();
        let pairs: Vec<u64> = ids.iter().flat_map(|&a| ids.iter().map(move |&b| pack(&[a, b]))).collect();
        let (mut set, mut expected) = (Pairs::default(), HashSet::new());
        assert!(!set.contains(pairs[0]));
        for (number, &pair) in pairs.iter().enumerate() {
            if number % 3 != 0 {
                let block = &pairs[number / 64 * 64..pairs.len().min(number / 64 * 64 + 64)];
                let may_be_new = set.may_be_new(block.iter().copied());
                for (bit, pair) in block.iter().enumerate().filter(|(_, pair)| !expected.contains(*pair)) {
                    assert_eq!(may_be_new >> bit & 1, 1, "{pair:x} is new");
                }
                assert_eq!(set.insert(pair), expected.insert(pair));
                assert!(!set.insert(pair) && !set.insert(pairs[1]));
            }
        }
        assert!(pairs.iter().all(|pair| set.contains(*pair) == expected.contains(pair)));
        set.clear();
        assert!(pairs.iter().all(|pair| !set.contains(*pair)));
    }
}
